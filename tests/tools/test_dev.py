"""./dev and ./dev check: the verbs, their help, and the honest counting of steps."""

import re
import subprocess
import unittest

from tree import ROOT, Tree

VERBS = ["setup", "build", "test", "check", "fmt", "tidy", "layers", "size", "bench", "support", "device-tests", "demo",
         "new-backend", "nightly", "random", "help"]
PASSED = '<testcase name="a" status="run"/>'
FAILED = '<testcase name="b" status="fail"><failure/></testcase>'


def dev(*arguments):
    return subprocess.run([ROOT / "dev", *arguments], text=True, capture_output=True, check=False)


class DevTest(unittest.TestCase):
    def test_help_explains_every_verb(self):
        words = dev("help").stdout
        for verb in VERBS:
            self.assertRegex(words, rf"(?m)^{verb}( .*)?\n    \S", verb)

    def test_every_verb_is_in_the_help(self):
        functions = re.findall(r"(?m)^verb_(\w+)\(\)", (ROOT / "dev").read_text(encoding="utf-8"))
        self.assertEqual(sorted(name.replace("_", "-") for name in functions), sorted(VERBS))

    def test_unknown_verb_fails(self):
        result = dev("frobnicate")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn('no verb "frobnicate"', result.stderr)

    def test_new_backend_needs_a_good_name(self):
        self.assertNotEqual(dev("new-backend").returncode, 0)
        self.assertNotEqual(dev("new-backend", "Not/Good").returncode, 0)


class CheckTest(unittest.TestCase):
    """tools/check.sh with other steps than its own."""

    def outcome(self, steps, junit=""):
        """(exit code, output) of a check that runs `steps` in a folder of its own."""
        script = (ROOT / "tools/check.sh").read_text(encoding="utf-8")
        script = script.replace("\nrun_check\n", f"\n{steps}\n").replace("tools/count_tests.py", f"{ROOT}/tools/count_tests.py")
        with Tree() as tree:
            tree["junit.xml"] = f"<testsuite>{junit}</testsuite>"
            tree["ctest_passes"] = '#!/bin/sh\ncp junit.xml "$2"\n'
            tree["ctest_fails"] = '#!/bin/sh\ncp junit.xml "$2"\nexit 8\n'
            for name in ("ctest_passes", "ctest_fails"):
                (tree.root / name).chmod(0o755)
            result = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=tree.root, text=True, capture_output=True, check=False)
        return result.returncode, result.stdout

    def assert_outcome(self, steps, junit, code, closing):
        got, output = self.outcome(steps, junit)
        self.assertEqual(output.splitlines()[-1], closing, output)
        self.assertEqual(got, code, output)

    def test_steps_count_one_each(self):
        self.assert_outcome("step one true\nstep two true", "", 0, "2 passed, 0 failed, 0 skipped")

    def test_failing_step_does_not_stop_the_others(self):
        self.assert_outcome("step one false\nstep two true", "", 1, "1 passed, 1 failed, 0 skipped")

    def test_tests_count_themselves(self):
        self.assert_outcome("step_tests t ./ctest_passes", PASSED * 3, 0, "3 passed, 0 failed, 0 skipped")
        self.assert_outcome("step_tests t ./ctest_fails", PASSED * 3 + FAILED, 1, "3 passed, 1 failed, 0 skipped")

    def test_failure_outside_the_tests_counts(self):
        self.assert_outcome("step_tests t false", "", 1, "0 passed, 1 failed, 0 skipped")
        self.assert_outcome("step_tests t ./ctest_fails", PASSED, 1, "1 passed, 1 failed, 0 skipped")

    def test_no_test_at_all_is_a_failure(self):
        self.assert_outcome("step_tests t ./ctest_passes", "", 1, "0 passed, 1 failed, 0 skipped")


if __name__ == "__main__":
    unittest.main()
