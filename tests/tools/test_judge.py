"""tools/judge.py: what fails and then passes twice alone is forgiven, unless it is strict."""

import contextlib
import io
import os
import re
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
    OPTIONS = ("--seconds-each=120", "--cases=Suite.good:Suite.bad")

    def outcome(self, fails="", count=1, said=SAID, name="T", options=OPTIONS, passes_by=(), built=True):
        """(lines, the file of flaky tests, what the second run again said)"""
        with Tree() as tree, contextlib.redirect_stdout(io.StringIO()) as output:
            tree["run_cases.py"] = PROGRAM
            tests = "".join(f'<testcase name="{name}{i}" status="fail"><failure/><system-out>{said}</system-out></testcase>' for i in range(count))
            tree["junit.xml"] = f"<testsuite>{tests}</testsuite>"
            command = [sys.executable, str(tree.root / "run_cases.py"), *options, "program", "--require", "cpu"]
            test = {"properties": [{"name": "TIMEOUT", "value": 20}, {"name": "WORKING_DIRECTORY", "value": str(tree.root)},
                                   {"name": "ENVIRONMENT", "value": [f"FAILS={fails}", ""]},
                                   *({"name": "PASS_REGULAR_EXPRESSION", "value": [text]} for text in passes_by)]}
            if built:
                test["command"] = command
            with mock.patch.object(judge, "known", lambda _: {f"{name}{i}": test for i in range(count)}):
                judge.main(tree.root / "junit.xml", "asan", tree.root / "logs")
            read = {file: tree[f"logs/{file}"] if os.path.exists(tree.root / "logs" / file) else "" for file in ("flaky", f"{name}0.again1.log")}
        return output.getvalue().splitlines(), *read.values()

    def again(self, *options, said=SAID):
        """What a test of these options is started with again."""
        return self.outcome(options=options, said=said)[2].split()[1:]

    def test_what_passes_twice_is_flaky(self):
        lines, flaky, again = self.outcome()
        self.assertRegex(lines[0], r"^flaky T0: passed 2 of 2 alone \(load [\d.]+, seed 42, log T0\.log\)$")
        self.assertEqual((lines[1], flaky), ("1", "T0\n"))
        self.assertEqual(again.split(), ["arguments", "--seconds-each=240.0", "--cases=Suite.bad", "--alone", "program", "--require", "cpu"])

    def test_either_spelling_of_an_option_is_known(self):
        program = ["program", "--require", "cpu"]
        for options in (("--seconds-each", "300", "--filter", "*.*/cpu"), ("--seconds-each=300", "--filter=*.*/cpu")):
            self.assertEqual(self.again(*options), ["--seconds-each=600.0", "--alone", "--cases=Suite.bad", *program])
        self.assertEqual(self.again("--alone", "--seconds-each", "300"), ["--alone", "--seconds-each=600.0", "--cases=Suite.bad", *program])

    def test_where_a_process_failed_all_its_cases_are_run_again_with_patience(self):
        for words in ("[  FAILED  ] the end of the process\n", f"[  FAILED  ] the start of the process\n{SAID}"):
            self.assertEqual(self.again("--seconds-each", "300", "--filter", "*", said=words)[:2], ["--seconds-each=600.0", "--filter=*"])

    def test_what_fails_again_has_failed(self):
        for fails in ("1", "2"):
            lines, flaky, _ = self.outcome(fails=fails)
            self.assertEqual((lines[0].split(" alone")[0], lines[1], flaky), ("FAILED T0: passed 1 of 2", "0", ""))

    def test_what_is_strict_is_run_for_the_record(self):
        for name, said in (("conformance.cpu", SAID), ("Devices/GroupQueueOrder", SAID), ("capi.suite", "[  FAILED  ] C/Signal.Waits/cpu\n")):
            lines, flaky, _ = self.outcome(name=name, said=said)
            self.assertTrue(lines[0].startswith(f"FAILED {name}0: passed 2 of 2 alone") and lines[0].endswith("and is strict"), lines)
            self.assertEqual((lines[1], flaky), ("0", ""))

    def test_the_strict_ones_are_of_order_signals_pools_and_memory(self):
        for name in ("conformance.clean_end.statics.cpu", "conformance.dawn", "allocation_sweep.cpu?inline", "wrong_calls.cpu", "hostile.opencl_unit_tests",
                     "hostile.vulkan_copies", "SymmetricSignalConcurrency", "SymmetricHeapConcurrency.2", "HostOrderTest", "PlanOrder", "Fork", "Fork.2",
                     "ForkedChild", "SharedMemory", "OutOfMemory", "WaiterTree", "DrivenWait", "BufferMapTest", "CudaMemory", "Threads/CpuWaitingConcurrency"):
            self.assertTrue(judge.strict_names().match(name), name)
        for name in ("cli.run", "ForkOfConstant", "CodeCacheFork", "tools.judge", "hostile.crash", "capi.suite"):
            self.assertFalse(judge.strict_names().match(name), name)

    def test_each_line_of_the_list_names_a_test(self):
        """Those of ctests are in CMake's words, where what follows the dot may be a variable."""
        sources = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("tests/**/*.cpp"))
        names = re.findall(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST)\((\w+),", sources, re.MULTILINE)
        for path in ROOT.glob("tests/**/*CMakeLists.txt"):
            names += re.findall(r"(?:NAME |hostile_test\()([a-z_]+[.]\S+)", path.read_text(encoding="utf-8"))
        for line in (ROOT / "tests/strict.txt").read_text(encoding="utf-8").splitlines():
            if not line.startswith("#"):
                self.assertTrue(any(re.match(line, name.replace("${vendor}", "opencl")) for name in names), line)

    def test_a_program_that_is_not_built_has_failed(self):
        self.assertEqual(self.outcome(name="unit_tests_NOT_BUILT", built=False)[0], ["FAILED unit_tests_NOT_BUILT0: there is no such program", "0"])

    def test_a_text_that_a_test_has_to_say_counts_instead_of_its_status(self):
        self.assertTrue(self.outcome(fails="1,2", passes_by=["arg.*cpu"])[0][0].startswith("flaky"))
        self.assertTrue(self.outcome(passes_by=["ends by signal 6"])[0][0].startswith("FAILED"))

    def test_the_load_is_that_of_the_run_that_failed(self):
        load = [1.5]

        def again(*_):
            load[0] = 9
            return True
        with mock.patch.object(judge, "run_again", again), mock.patch("os.getloadavg", lambda: (load[0], 0, 0)):
            self.assertIn("(load 1.5, seed 42", self.outcome()[0][0])

    def test_many_failures_are_no_accident(self):
        self.assertEqual(self.outcome(count=11)[0], ["0"])
        self.assertEqual(len(self.outcome(count=10)[0]), 11)

    def test_a_test_of_one_case_is_run_as_it_is(self):
        again = self.outcome(said="boom")[2]
        self.assertEqual(again.split()[1:3], ["--seconds-each=240.0", "--cases=Suite.good:Suite.bad"])

    def test_the_environment_of_a_preset(self):
        self.assertIn(f"suppressions={ROOT}/tests/lsan.supp", judge.preset_environment("asan")["LSAN_OPTIONS"])
        self.assertEqual(judge.preset_environment("dev"), {})


if __name__ == "__main__":
    unittest.main()
