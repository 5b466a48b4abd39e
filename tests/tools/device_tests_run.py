"""What ./dev device-tests packs runs where nothing is set but PATH, on the devices in software: `device_tests_run.py PROGRAMS`."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tree import ROOT

import support

PROGRAMS = sys.argv.pop(1)
PACK = ROOT / "tools/device_tests/pack.sh"


class DeviceTestsRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_bare(self, *command):
        """As on a machine that knows nothing of us."""
        return subprocess.run(command, cwd=self.folder, env={"PATH": "/usr/bin:/bin"}, text=True, capture_output=True, timeout=280,
                              check=False)

    def test_runs_on_software_and_says_so(self):
        packed = subprocess.run([PACK, PROGRAMS, self.folder / "bundle", "--any-link"], text=True, capture_output=True, check=False)
        self.assertEqual(packed.returncode, 0, packed.stderr)
        ran = self.run_bare("bundle/run.sh", "--figures", "launch", "--filter", "Signal.*")
        self.assertEqual(ran.returncode, 3, ran.stdout + ran.stderr)
        (path,) = self.folder.glob("bench/results/software-*/*/result.json")
        result = json.loads(path.read_text())
        self.assertEqual(result["status"], "no hardware")
        self.assertGreaterEqual({one["info"]["device"]["backend"] for one in result["devices"]}, {"vulkan", "opencl"})
        for one in result["devices"]:
            self.assertFalse(one["hardware"])
            self.assertEqual((one["conform"]["failed"], one["near_the_end"]["failed"]), (0, 0))
            self.assertGreater(one["conform"]["passed"], 10)
            self.assertEqual([row["name"] for row in one["figures"]["launch"]], ["launch_recording", "launch_list"])
        self.assertEqual(support.hardware_entries(self.folder / "bench/results"), [])

    def test_programs_that_need_packages_are_not_packed(self):
        packed = subprocess.run([PACK, PROGRAMS, self.folder / "bundle"], text=True, capture_output=True, check=False)
        self.assertEqual(packed.returncode, 1, packed.stdout)
        self.assertIn("libfmt.so", packed.stderr)


if __name__ == "__main__":
    unittest.main()
