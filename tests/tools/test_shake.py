"""tools/shake.py: the load runs while the tests do, runs are added up, and what changed has its turns."""

import contextlib
import io
import json
import subprocess
import sys
import unittest
from unittest import mock

from tree import Tree

import shake

JUNIT = '<testsuite><testcase name="A" status="run"/></testsuite>'


class ShakeTest(unittest.TestCase):
    def test_runs_are_added_up(self):
        run = {"day": "2026-11-27", "commit": "abc", "seconds": 9, "passed": 8, "failed": 2, "skipped": 1}
        runs = [{**run, "judged": ["flaky A: passed 2 of 2", "FAILED B: passed 1 of 2"]}, {**run, "judged": ["flaky A: passed 2 of 2"]}]
        self.assertEqual(shake.text_of(runs), ["2026-11-27 abc: 8 passed, 2 failed, 1 skipped in 9 s"] * 2 + ["flaky A: 2 of 2 runs", "FAILED B: 1 of 2 runs"])

    def test_runs_of_a_part_are_not_added_to_whole_ones(self):
        run = {"day": "2026-11-27", "commit": "abc", "seconds": 9, "passed": 8, "failed": 1, "skipped": 0, "judged": ["flaky differential.cpu:0: passed 2 of 2"]}
        self.assertEqual(shake.text_of([run, {**run, "arguments": ["-R", "A"]}, {**run, "arguments": [], "judged": []}]),
                         ["2026-11-27 abc: 8 passed, 1 failed, 0 skipped in 9 s"] * 2 + ["flaky differential.cpu:0: 1 of 2 runs",
                          "2026-11-27 abc with -R A: 8 passed, 1 failed, 0 skipped in 9 s", "flaky differential.cpu:0: 1 of 1 runs with -R A"])

    def shaken(self, *arguments, junit=""):
        """(what main returns, records, words) where ctest writes these results, or none beside those of the run before."""
        def start(command, **_):
            if command[0] == "ctest" and junit:
                tree["shake/run.xml"] = junit
            return subprocess.CompletedProcess(command, 0, "0\n")
        with Tree() as tree, mock.patch.multiple(shake, FOLDER=tree.root / "shake", load=contextlib.nullcontext), mock.patch("subprocess.run", start), \
                mock.patch.object(sys, "argv", ["shake.py", *arguments]), contextlib.redirect_stdout(io.StringIO()) as output:
            tree["shake/run.xml"] = JUNIT
            code = shake.main()
            return code, [json.loads(line) for line in tree["shake/runs.jsonl"].splitlines()], output.getvalue()

    def test_a_run_knows_its_arguments(self):
        code, records, words = self.shaken("-R", "A", junit=JUNIT)
        self.assertEqual((code, records[0]["arguments"]), (0, ["-R", "A"]))
        self.assertIn("with -R A: 1 passed, 0 failed", words)

    def test_the_results_of_the_run_before_are_not_taken(self):
        with self.assertRaises(SystemExit) as refused:
            self.shaken()
        self.assertIn("shake: ctest ran no test: ", str(refused.exception))

    def test_a_run_without_a_test_is_no_success(self):
        self.assertEqual(self.shaken(junit="<testsuite/>")[0], 1)

    def turns(self, *results, times=3):
        """(how often each ran, which did not end well, the order)"""
        order = []

        def starter(ends):
            return lambda what, turn: order.append(what) or ends
        with mock.patch.object(shake, "TIMES", times):
            ran, bad = shake.take_turns({name: starter(ends) for name, ends in results}, float("inf"))
        return ran, bad, order

    def test_a_turn_runs_each_once(self):
        self.assertEqual(self.turns(("a", True), ("b", True), times=2),
                         ({"a": 2, "b": 2}, set(), ["a 1 of 2", "b 1 of 2", "a 2 of 2", "b 2 of 2"]))

    def test_what_failed_is_not_run_again_and_the_others_are(self):
        self.assertEqual(self.turns(("a", False), ("b", True))[:2], ({"a": 1, "b": 3}, {"a"}))

    def test_what_there_was_no_time_for_is_said_and_is_no_success(self):
        started = {"a": lambda what, turn: True, "b": lambda what, turn: True}
        clock = [0, 0, *[2 * shake.SECONDS] * 99]  # its beginning, that of a, then none
        with mock.patch.multiple(shake, changed_tests=lambda one, base: started, load=contextlib.nullcontext), \
                mock.patch("time.monotonic", side_effect=clock), contextlib.redirect_stdout(io.StringIO()) as output:
            self.assertFalse(shake.run_changed("HEAD"))
        self.assertEqual(output.getvalue().splitlines(), ["ok      a: ran 1 of 30", "FAILED  b: ran 0 of 30"])

    def test_suites_of_devices_scripts_and_programs_in_c_are_taken(self):
        one, root = mock.Mock(), shake.ROOT
        one.build = root / "build/dev"
        one.read_dependencies.return_value = {"tests/conformance/CMakeFiles/pintle_conformance.dir/cases/signals.cpp.o": {str(root / "tests/conformance/cases/signals.cpp")},
                                              "tests/capi/CMakeFiles/capi_signal.dir/signal.c.o": {str(root / "tests/capi/signal.c"), str(root / "tests/capi/check.h")},
                                              "tests/capi/CMakeFiles/capi_pool.dir/pool.c.o": {str(root / "tests/capi/pool.c"), str(root / "tests/capi/check.h")}}
        one.ctests.return_value = [{"name": "cli.run", "command": ["python3", str(root / "tests/cli/run_test.py")]},
                                   *({"name": f"capi.{name}", "command": [str(one.build / "bin" / f"capi_{name}")]} for name in ("signal", "pool"))]
        changed = ["tests/cli/run_test.py", "tests/capi/signal.c", "tests/capi/check.h", "tests/conformance/cases/signals.cpp"]
        with mock.patch("quick.changed_files", lambda *_: changed):
            started = shake.changed_tests(one, "HEAD")
        self.assertEqual(list(started), ["conformance", "capi.signal", "cli.run"])
        started["conformance"]("conformance 2 of 30", 1)
        started["capi.signal"]("capi.signal 1 of 30", 0)
        one.run_ctest.assert_called_once_with("capi.signal", "capi.signal 1 of 30")
        self.assertRegex(one.run_suites.call_args.args[0], r"^conformance 2 of 30, seed \d+$")
        self.assertIn("--gtest_shuffle", one.run_suites.call_args.args)

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
