"""tests/run_cases.py: cases that end or hang their process are reported, and the others run."""

import os
import subprocess
import sys
import unittest

from tree import ROOT, Tree

sys.path.insert(0, str(ROOT / "tests"))
import run_cases  # noqa: E402

# Speaks as a GoogleTest program does. What a case does is in its name.
PROGRAM = '''#!/usr/bin/env python3
import json, os, sys, time
options = dict(word[2:].partition("=")[::2] for word in sys.argv[1:] if word.startswith("--gtest"))
CASES = {"Good": ["a", "b"], "Mixed": ["bad", "crash", "hang", "leave", "skip", "fine", "loud"]}
wanted = options["gtest_filter"].split(":")
if "gtest_list_tests" in options:
    suites = [{"name": suite, "testsuite": [{"name": case, "file": "tests/none.cpp"} for case in cases]} for suite, cases in CASES.items()]
    json.dump({"testsuites": suites}, open(options["gtest_output"].partition(":")[2], "w"))
    sys.exit()
if "start" in sys.argv: sys.exit("no device")
print("Note: Google Test filter", flush=True)
failed = False
for suite, cases in CASES.items():
    for case in cases:
        name = f"{suite}.{case}"
        if name not in wanted: continue
        print(f"[ RUN      ] {name}", flush=True)
        if case == "bad": print("wrong bytes\\n[  FAILED  ] Mixed.bad, where GetParam() = 3 (1 ms)"); failed = True; continue
        if case == "crash": print("before", flush=True); os.abort()
        if case == "hang": time.sleep(60)
        if case == "leave": os._exit(0)
        if case == "loud": print("[       OK ] Other.case (1 ms)\\n" + "x" * 100000)
        if case == "skip": print("none here\\n[  SKIPPED ] Mixed.skip (0 ms)"); continue
        print(f"[       OK ] {name} (0 ms)", flush=True)
print("[  PASSED  ] 3 tests.")
if failed: print("[  FAILED  ] Mixed.bad, where GetParam() = 3")
sys.stdout.flush()
if "end" in sys.argv: os.abort()
sys.exit(1 if failed else 0)
'''


class RunCasesTest(unittest.TestCase):
    def outcome(self, cases, *options, arguments=(), share=""):
        """(exit code, lines)"""
        with Tree() as tree:
            for name in ("run_cases.py", "shares.py"):
                tree[f"tests/{name}"] = (ROOT / "tests" / name).read_text(encoding="utf-8")
            tree["tests/shares.txt"] = "[cases]\n2 1 0 Good[.].*\n"
            tree["program"] = PROGRAM
            (tree.root / "program").chmod(0o755)
            result = subprocess.run([sys.executable, "-B", tree.root / "tests/run_cases.py", *options, f"--cases={':'.join(cases)}", tree.root / "program",
                                     *arguments], env={**os.environ, "TEST_SHARE": share}, text=True, capture_output=True, check=False)
        self.assertEqual(result.stderr, "")
        return result.returncode, result.stdout.splitlines()

    def test_good_cases(self):
        for options in ((), ("--alone",)):
            self.assertEqual(self.outcome(["Good.a", "Good.b", "Mixed.loud"], *options), (0, ["3 passed, 0 failed, 0 skipped"]))

    def test_cases_of_other_turns_are_left_out(self):
        cases = ["Good.a", "Good.b", "Mixed.fine"]
        self.assertEqual(self.outcome(cases, share="dev:0"), (0, ["2 passed, 0 failed, 0 skipped, 1 left"]))
        self.assertEqual(self.outcome(cases, share="asan:0"), (0, ["3 passed, 0 failed, 0 skipped"]))
        self.assertEqual(self.outcome(cases[:2], share="tsan:0"), (77, ["0 passed, 0 failed, 0 skipped, 2 left"]))

    def test_a_failed_case_says_what_it_said(self):
        code, lines = self.outcome(["Mixed.bad", "Mixed.fine"])
        self.assertEqual((code, lines), (1, ["[  FAILED  ] Mixed.bad", "  wrong bytes", "1 passed, 1 failed, 0 skipped"]))

    def test_a_skipped_case_says_why(self):
        self.assertEqual(self.outcome(["Good.a", "Mixed.skip"]), (0, ["[ SKIPPED  ] Mixed.skip", "  none here", "1 passed, 0 failed, 1 skipped"]))
        self.assertEqual(self.outcome(["Mixed.skip"])[0], 77)

    def test_a_case_that_ends_its_process_has_failed_and_the_others_run(self):
        code, lines = self.outcome(["Good.a", "Mixed.crash", "Mixed.leave", "Mixed.fine"])
        self.assertEqual(code, 1)
        self.assertEqual(lines, ["[  FAILED  ] Mixed.crash", "  before", "  The case ended its process: SIGABRT.",
                                 "[  FAILED  ] Mixed.leave", "  The case ended its process with status 0.", "2 passed, 2 failed, 0 skipped"])

    def test_a_case_that_hangs_has_failed_and_the_others_run(self):
        code, lines = self.outcome(["Mixed.hang", "Mixed.fine"], "--seconds-each=1")
        self.assertEqual((code, lines), (1, ["[  FAILED  ] Mixed.hang", "  The case did not end within 1.0 s.", "1 passed, 1 failed, 0 skipped"]))

    def test_a_process_that_fails_at_its_end_or_start_is_a_failure(self):
        code, lines = self.outcome(["Good.a", "Good.b"], arguments=["end"])
        self.assertEqual((code, lines[-1]), (1, "2 passed, 1 failed, 0 skipped"))
        self.assertIn("  After Good.b the program ended its process: SIGABRT.", lines)
        code, lines = self.outcome(["Good.a"], arguments=["start"])
        self.assertEqual((code, lines[-1]), (1, "0 passed, 1 failed, 0 skipped"))
        self.assertIn("  no device", lines)

    def test_a_case_that_is_not_there_is_a_failure(self):
        self.assertEqual(self.outcome(["None.a"])[0], 1)

    def test_a_suite_is_cut_after_forty_cases_and_those_of_a_device_stay_together(self):
        cases = [f"S.c{i}/{device}" for i in range(25) for device in ("cpu", "null")]
        made = list(run_cases.groups({("S", False): cases, ("S", True): ["S.exits"]}))
        self.assertEqual([(name, how, len(some)) for name, how, some in made], [("S", "together", 40), ("S.2", "together", 10), ("S.3", "alone", 1)])
        self.assertEqual(made[0][2][:25], [f"S.c{i}/cpu" for i in range(25)])

    def test_sources_whose_cases_end_their_process_are_known(self):
        self.assertTrue(run_cases.is_alone("tests/unit/settings_test.cpp"))
        self.assertFalse(run_cases.is_alone("tests/unit/device_name_test.cpp"))


if __name__ == "__main__":
    unittest.main()
