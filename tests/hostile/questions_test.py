"""`pintle doctor --probe` asks in a process of its own whether kernels may ask texel buffers; PoCL's that ask are refused until it has seen answers."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMMAND = sys.argv.pop()
DEVICE = "opencl:hostile"
INTEL = Path(__file__).resolve().parents[2] / "build/venv/lib/libintelocl.so"
ANSWERED, REFUSED = 0, 6


class Questions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.environment = {**os.environ, "PINTLE_CACHE_DIR": str(self.folder / "cache"), "HOSTILE": "none"}

    def command(self, *arguments):
        return subprocess.run([COMMAND, *arguments], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, check=False)

    def ask(self):
        """How a kernel that asks ends: ANSWERED, REFUSED or by a signal."""
        ran = self.command("doctor", "--ask", DEVICE)
        if ran.returncode == REFUSED:
            self.assertIn("get_image_width", ran.stderr)
        return ran.returncode

    def row(self):
        ran = self.command("doctor", "--questions", "--json")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        (row,) = json.loads(ran.stdout)["findings"]
        self.assertTrue(row["subject"].endswith(" texel questions"), row)
        return row

    def test_a_driver_that_ends_the_process_stays_refused(self):
        self.environment["HOSTILE"] = "texel_questions"
        self.assertEqual(self.ask(), REFUSED)
        row = self.row()
        self.assertEqual(row["verdict"], "warn")
        self.assertIn("hostile: clBuildProgram builds a kernel that asks an image1d_buffer_t", row["text"])
        self.assertEqual(self.ask(), REFUSED)

    def test_the_driver_itself_is_taken_at_its_word(self):
        self.assertEqual(self.ask(), REFUSED)
        answers = self.row()["verdict"] == "ok"
        self.assertEqual(self.ask(), ANSWERED if answers else REFUSED)

    @unittest.skipUnless(INTEL.exists(), "Intel's driver is not in build/venv")
    def test_a_driver_that_answers_is_used_from_then_on(self):
        """Intel's, under PoCL's name."""
        driver = self.folder / "intel.icd"
        driver.write_text(f"{INTEL}\n")
        self.environment.update(OCL_ICD_VENDORS=str(driver), HOSTILE="platform_name", HOSTILE_PLATFORM="Portable Computing Language")
        self.assertEqual(self.ask(), REFUSED)
        self.assertEqual(self.row()["verdict"], "ok")
        self.assertEqual(self.ask(), ANSWERED)


if __name__ == "__main__":
    unittest.main()
