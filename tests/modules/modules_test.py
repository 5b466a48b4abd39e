"""Modules as users meet them: the command with PINTLE_BACKEND_PATH."""

import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from harness import INVALID, UNAVAILABLE, CommandCase  # noqa: E402

MODULES = Path(os.environ["MODULES"])
RIGHT = {"PINTLE_BACKEND_PATH": str(MODULES / "right")}
WRONG = {"PINTLE_BACKEND_PATH": str(MODULES / "wrong")}


class Modules(CommandCase):
    def test_a_module_is_listed_with_its_device(self):
        devices = {device["id"]: device for device in self.json("devices", environment=RIGHT)["devices"]}
        self.assertEqual(devices["twin"]["backend"], "twin")
        self.assertIn("cpu", devices)
        self.assertNotIn("twin", [device["id"] for device in self.json("devices")["devices"]])

    def test_those_that_do_not_fit_are_absences_and_the_rest_works(self):
        document = self.json("devices", environment=WRONG)
        self.assertIn("cpu", [device["id"] for device in document["devices"]])
        absent = {absence["backend"]: absence for absence in document["absences"]}
        self.assertIn("version", absent["newer"]["reason"])
        for name in ("larger", "foreign", "renamed", "nameless", "powerless", "empty", "throwing", "mute", "silent"):
            self.assertTrue(absent[name]["reason"] and absent[name]["next_step"], name)
        self.refused("info", "newer", code=UNAVAILABLE, words=["libpintle_backend_newer.so", "version"], environment=WRONG)

    def test_the_filter_of_backends_knows_modules(self):
        environment = {**RIGHT, "PINTLE_BACKENDS": "twin"}
        self.assertEqual([device["id"] for device in self.json("devices", environment=environment)["devices"]], ["twin"])
        environment = {**WRONG, "PINTLE_BACKENDS": "cpu"}
        self.assertEqual(self.json("devices", environment=environment)["absences"], [])
        self.refused("info", "cpu", code=INVALID, words=["twin", "triplet"], environment={**RIGHT, "PINTLE_BACKENDS": "triplet"})

    def test_a_folder_that_is_not_there_is_an_absence(self):
        absent = str(self.folder / "absent")
        document = self.json("devices", environment={"PINTLE_BACKEND_PATH": absent})
        (absence,) = [one for one in document["absences"] if one["backend"] == "PINTLE_BACKEND_PATH"]
        self.assertIn(absent, absence["reason"])
        self.refused("info", "cpu", code=INVALID, words=["PINTLE_BACKEND_PATH", "nowhere"], environment={"PINTLE_BACKEND_PATH": "nowhere"})

    def test_a_module_with_the_name_of_a_backend_does_not_hide_it(self):
        shutil.copy(MODULES / "wrong/libpintle_backend_newer.so", self.folder / "libpintle_backend_null.so")
        document = self.json("devices", environment={"PINTLE_BACKEND_PATH": str(self.folder)})
        self.assertIn("null", [device["id"] for device in document["devices"]])

    def test_the_suite_runs_on_it_bare_and_in_layers(self):
        for device in ("twin", "validate(twin)", "faulty(twin)"):
            for cases in ("Signal.*", "Queue.*", "Incarnation.*"):
                document = self.json("conform", "--device", device, "--filter", cases, environment=RIGHT)
                self.assertEqual(document["failed"], 0, document)
                self.assertGreater(document["passed"], 0)

    def test_it_exports_one_symbol_and_needs_nothing_of_the_program(self):
        library = MODULES / "right/libpintle_backend_twin.so"
        listed = subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True).stdout.splitlines()
        ours = [line.split()[-2:] for line in listed if re.match(r"((_Z|_ZT.)NK?6)?pintle", line.split()[-1])]
        self.assertEqual(ours, [["T", "pintle_backend_module"]])


if __name__ == "__main__":
    unittest.main()
