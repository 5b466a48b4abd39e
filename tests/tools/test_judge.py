"""tools/judge.py: what fails and then passes twice alone is forgiven, unless it is strict."""

import contextlib
import io
import os
import sys
import unittest
from unittest import mock

from tree import ROOT, Tree

import judge

# Counts how often it ran, and fails where the environment says so. Cases are what run_cases.py would be given.
PROGRAM = """import os, sys
from pathlib import Path
count = Path("count")
number = int(count.read_text()) + 1 if count.exists() else 1
count.write_text(str(number))
print("arguments", *sys.argv[1:])
sys.exit(str(number) in os.environ.get("FAILS", "").split(","))
"""
SAID = "[  FAILED  ] Suite.bad\n  wrong, with seed 42\n1 passed, 1 failed, 0 skipped\n"


class JudgeTest(unittest.TestCase):
    def outcome(self, fails="", labels=(), count=1, said=SAID):
        """(lines, the file of flaky tests, what the second run again said)"""
        with Tree() as tree, contextlib.redirect_stdout(io.StringIO()) as output:
            tree["run_cases.py"] = PROGRAM
            tests = "".join(f'<testcase name="T{i}" status="fail"><failure/><system-out>{said}</system-out></testcase>' for i in range(count))
            tree["junit.xml"] = f"<testsuite>{tests}</testsuite>"
            command = [sys.executable, str(tree.root / "run_cases.py"), "--seconds-each=120", "--cases=Suite.good:Suite.bad", "program"]
            test = {"command": command, "properties": [{"name": "LABELS", "value": list(labels)}, {"name": "TIMEOUT", "value": 20},
                                                       {"name": "WORKING_DIRECTORY", "value": str(tree.root)},
                                                       {"name": "ENVIRONMENT", "value": [f"FAILS={fails}"]}]}
            with mock.patch.object(judge, "known", lambda _: {f"T{i}": test for i in range(count)}):
                judge.main(tree.root / "junit.xml", "asan", tree.root / "logs")
            read = {name: tree[f"logs/{name}"] if os.path.exists(tree.root / "logs" / name) else "" for name in ("flaky", "T0.again1.log")}
        return output.getvalue().splitlines(), read["flaky"], read["T0.again1.log"]

    def test_what_passes_twice_is_flaky(self):
        lines, flaky, again = self.outcome()
        self.assertRegex(lines[0], r"^flaky T0: passed 2 of 2 alone \(load [\d.]+, seed 42, log T0\.log\)$")
        self.assertEqual((lines[1], flaky), ("1", "T0\n"))
        self.assertEqual(again.split(), ["arguments", "--alone", "--seconds-each=240.0", "--cases=Suite.bad", "program"])

    def test_what_fails_again_has_failed(self):
        for fails in ("1", "2"):
            lines, flaky, _ = self.outcome(fails=fails)
            self.assertEqual((lines[0].split(" alone")[0], lines[1], flaky), ("FAILED T0: passed 1 of 2", "0", ""))

    def test_what_is_strict_is_run_for_the_record(self):
        lines, flaky, _ = self.outcome(labels=["conformance", "strict"])
        self.assertTrue(lines[0].startswith("FAILED T0: passed 2 of 2 alone") and lines[0].endswith("and is strict"), lines)
        self.assertEqual((lines[1], flaky), ("0", ""))

    def test_many_failures_are_no_accident(self):
        self.assertEqual(self.outcome(count=11)[0], ["0"])
        self.assertEqual(len(self.outcome(count=10)[0]), 11)

    def test_a_test_of_one_case_is_run_as_it_is(self):
        again = self.outcome(said="boom")[2]
        self.assertEqual(again.split()[1:3], ["--seconds-each=120", "--cases=Suite.good:Suite.bad"])

    def test_the_environment_of_a_preset(self):
        self.assertIn(f"suppressions={ROOT}/tests/lsan.supp", judge.preset_environment("asan")["LSAN_OPTIONS"])
        self.assertEqual(judge.preset_environment("dev"), {})


if __name__ == "__main__":
    unittest.main()
