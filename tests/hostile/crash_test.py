"""`pintle devices` and `pintle doctor` over a driver that ends the process at the first question: other backends are there, and words say what happened."""

import json
import subprocess
import sys
import unittest

BACKEND, FUNCTION, COMMAND = sys.argv[1:]
DEVICE = f"{BACKEND}:hostile"
END = f"ends by signal 6 (abort); its last words are: hostile: {FUNCTION} crashes."


class Crash(unittest.TestCase):
    def command(self, *arguments, code=0):
        ran = subprocess.run([COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, check=False)
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        return ran

    def test_devices_of_other_backends_are_listed(self):
        ran = self.command("devices")
        self.assertEqual([line.split()[0] for line in ran.stdout.splitlines()], ["cpu", "null"])
        self.assertIn(f"No {BACKEND} device: A process that looks for devices " + END, ran.stderr)
        self.assertIn(f"PINTLE_BACKENDS, without {BACKEND}.", ran.stderr)

    def test_the_document_has_an_absence(self):
        document = json.loads(self.command("devices", "--json").stdout)
        self.assertEqual([device["id"] for device in document["devices"]], ["cpu", "null"])
        (absence,) = document["absences"]
        self.assertEqual((absence["backend"], absence["reason"]), (BACKEND, "A process that looks for devices " + END))

    def test_a_required_device_crashes_alone(self):
        self.command("devices", "--require", "cpu")
        ran = self.command("devices", "--require", DEVICE, "--require", "cpu", code=3)
        self.assertIn(f'Required device "{DEVICE}" does not open: A process that opens it ' + END, ran.stderr)
        self.assertIn("cpu", ran.stdout)

    def test_doctor_says_the_same(self):
        rows = {row["subject"]: row for row in json.loads(self.command("doctor", "--json", code=1).stdout)["findings"]}
        self.assertEqual((rows[BACKEND]["verdict"], rows[BACKEND]["text"]), ("fail", "A process that looks for devices " + END))
        self.assertEqual(rows["cpu"]["verdict"], "ok")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
