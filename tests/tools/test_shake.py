"""tools/shake.py: the load runs while the tests do, and runs are added up."""

import subprocess
import sys
import unittest
from unittest import mock

from tree import ROOT  # noqa: F401  for the path

import shake


class ShakeTest(unittest.TestCase):
    def test_runs_are_added_up(self):
        run = {"day": "2026-11-27", "commit": "abc", "seconds": 9, "passed": 8, "failed": 2, "skipped": 1}
        runs = [{**run, "judged": ["flaky A: passed 2 of 2", "FAILED B: passed 1 of 2"]}, {**run, "judged": ["flaky A: passed 2 of 2"]}]
        self.assertEqual(shake.text_of(runs), ["2026-11-27 abc: 8 passed, 2 failed, 1 skipped in 9 s"] * 2 + ["flaky A: 2 of 2 runs", "FAILED B: 1 of 2 runs"])

    def test_the_load_ends_with_the_tests(self):
        with mock.patch.object(shake, "LOAD", [sys.executable, "-c", "import time; time.sleep(60)"]), mock.patch("subprocess.Popen", wraps=subprocess.Popen) as popen:
            with shake.load():
                pass
        popen.assert_called_once()

    def test_a_load_that_ends_before_the_tests_is_an_error(self):
        with mock.patch.object(shake, "LOAD", [sys.executable, "-c", "raise SystemExit(3)"]), self.assertRaises(SystemExit) as refused:
            with shake.load():
                subprocess.run([sys.executable, "-c", "import time; time.sleep(1)"], check=True)
        self.assertIn("ended with 3 before the tests did", str(refused.exception))


if __name__ == "__main__":
    unittest.main()
