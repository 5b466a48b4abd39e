"""tools/quick.py: what a change touches, and the commands for it."""

import contextlib
import io
import os
import re
import signal
import subprocess
import unittest
from pathlib import Path
from unittest import mock

from tree import ROOT, Tree

import quick

DEPS = """src/a.o: #deps 2, deps mtime 1 (VALID)
    ../../src/core/a.cpp
    include/core/a.h

tests/unit/CMakeFiles/unit_tests.dir/a_test.cpp.o: #deps 3, deps mtime 1 (VALID)
    ../../tests/unit/a_test.cpp
    include/core/a.h
    tests/pch.hxx.gch

tests/unit/CMakeFiles/unit_tests.dir/b_test.cpp.o: #deps 2, deps mtime 1 (VALID)
    ../../tests/unit/b_test.cpp
    tests/pch.hxx.gch

tests/conformance/CMakeFiles/pintle_conformance.dir/cases/c.cpp.o: #deps 2, deps mtime 1 (VALID)
    ../../tests/conformance/cases/c.cpp
    ../../tests/conformance/ways.h

tests/pch.hxx.gch: #deps 1, deps mtime 1 (VALID)
    ../../include/public.h
"""


class QuickTest(unittest.TestCase):
    def setUp(self):
        self.tree = Tree()
        self.addCleanup(self.tree.folder.cleanup)
        for path, text in {"src/core/a.cpp": "", "src/core/a.h": "", "include/public.h": "", "tests/unit/a_test.cpp": "TEST(A, Works) {\nTEST_P(Many, Work) {\n",
                           "tests/unit/b_test.cpp": "TEST(B, Works) {\n", "tests/conformance/cases/c.cpp": "DEVICE_TEST(Signal, Waits) {\n",
                           "tests/conformance/ways.h": "", "build/dev/include/keep": ""}.items():
            self.tree[path] = text
        self.root = Path(os.path.realpath(self.tree.root))
        self.build = self.root / "build/dev"
        (self.build / "include/core").symlink_to(self.root / "src/core")
        self.deps = quick.dependencies(DEPS, self.build)

    def dependents(self, *paths):
        return [Path(name).name for name in quick.dependents(self.deps, {str(self.root / path) for path in paths}, self.build)]

    def test_objects_of_a_source_and_of_a_header_behind_a_link(self):
        self.assertEqual(self.dependents("src/core/a.cpp"), ["a.o"])
        self.assertEqual(self.dependents("src/core/a.h"), ["a.o", "a_test.cpp.o"])

    def test_objects_of_a_header_that_is_compiled_before(self):
        self.assertEqual(self.dependents("include/public.h"), ["pch.hxx.gch", "a_test.cpp.o", "b_test.cpp.o"])

    def suites(self, path):
        return quick.suites_of(self.deps, self.root, [path])

    def test_suites_of_a_changed_unit(self):
        a, many = "A.*:*/A.*:A/*", "Many.*:*/Many.*:Many/*"
        self.assertEqual(self.suites("src/core/a.cpp"), {"unit_tests": {"A": a, "Many": many}})
        self.assertEqual(set(self.suites("tests/unit/b_test.cpp")["unit_tests"]), {"B"})
        self.assertEqual(self.suites("README.md"), {})

    def test_suites_of_devices_are_run_on_cpu_and_null(self):
        for path in ("tests/conformance/cases/c.cpp", "tests/conformance/ways.h"):
            self.assertEqual(self.suites(path), {"conformance": {"Signal": "Signal.*/cpu:Signal.*/null"}})

    def clang(self, compiler, options, file):
        return quick.clang_command({"command": f"cmake -E env A=b /usr/bin/ccache /usr/bin/{compiler} {options} -o a.o -c {file}", "file": file})

    def test_clang_gets_what_gcc_gets_without_what_only_gcc_knows(self):
        self.assertEqual(self.clang("c++", "-DX -Winvalid-pch -include x/cmake_pch.hxx -Wno-restrict -O1", "a.cpp"),
                         ["clang-19", "-DX", "-O1", "-fsyntax-only", "a.cpp"])

    def test_clang_gets_sources_in_c_with_what_they_include(self):
        self.assertEqual(self.clang("cc", "-O1 -include kernel.h", "a.c"), ["clang-19", "-O1", "-include", "kernel.h", "-fsyntax-only", "a.c"])

    def entry(self, path, name):
        return {"file": str(self.root / path), "command": f"c++ -O1 -o {name} -c {path}", "directory": str(self.build)}

    def checked_with_clang(self, *paths):
        """The sources that clang reads where these files have changed."""
        one = quick.Quick(self.root, 60)
        entries = [self.entry("src/core/a.cpp", "src/a.o"), self.entry("tests/unit/a_test.cpp", "tests/unit/CMakeFiles/unit_tests.dir/a_test.cpp.o"),
                   self.entry("tests/capi/c.c", "c.o")]
        ran = []
        with mock.patch.multiple(one, entries=lambda: entries, run=lambda what, *_, **__: ran.append(what.split()[1])), \
                mock.patch("shutil.which", lambda name: name), contextlib.redirect_stdout(io.StringIO()):
            one.check_with_clang(paths, self.deps)
        return ran, one.skipped

    def test_a_header_is_checked_in_one_source(self):
        self.assertEqual(self.checked_with_clang("src/core/a.h"), (["a.cpp"], 0))  # the unit's own
        self.assertEqual(self.checked_with_clang("src/core/a.h", "tests/unit/a_test.cpp"), (["a_test.cpp"], 0))
        self.assertEqual(self.checked_with_clang("tests/capi/c.c", "README.md"), (["c.c"], 0))
        self.assertEqual(self.checked_with_clang("include/public.h"), ([], 1))

    def test_a_new_source_is_compiled(self):
        entries = [self.entry("src/core/a.cpp", "src/a.o"), self.entry("src/new.cpp", "src/new.o")]
        self.assertEqual(quick.new_objects(entries, self.deps, self.root, ["src/core/a.cpp", "src/new.cpp", "README.md"]), ["src/new.o"])

    def test_ctests_of_scripts_tools_and_programs(self):
        def ctest(name, *words, environment=()):
            return {"name": name, "command": [str(word) for word in words], "properties": [{"name": "ENVIRONMENT", "value": list(environment)}]}
        script, program = self.root / "tests/cli/run_test.py", self.root / "build/dev/bin/capi_launch"
        tests = [ctest("cli.run", "/usr/bin/python3", "-B", script, environment=[f"PINTLE={self.root}/build/dev/bin/pintle"]),
                 ctest("capi.launch", program), ctest("capi.valgrind", "/usr/bin/python3", script.with_name("other.py"), program), {"name": "NOT_BUILT"},
                 *(ctest(f"tools.{name}", "/usr/bin/python3", f"{name}.py") for name in ("layers", "dev", "docs", "device_tests"))]

        def found(*paths, objects=()):
            return quick.ctests_of(tests, self.root, paths, quick.programs_of(objects))
        self.assertEqual(found("tests/cli/run_test.py"), {"cli.run": {"pintle"}})
        self.assertEqual(found("tools/layers.py", "tools/check.sh"), {"tools.layers": set(), "tools.dev": set()})
        self.assertEqual(found("tools/docs/check_site.py", "tools/device_tests/pack.sh"), {"tools.docs": set(), "tools.device_tests": set()})
        self.assertEqual(found("tests/capi/launch.c", objects=["tests/capi/CMakeFiles/capi_launch.dir/launch.c.o"]),
                         {"capi.launch": {"capi_launch"}, "capi.valgrind": {"capi_launch"}})
        self.assertEqual(found("README.md", "src/core/a.cpp", objects=["src/a.o"]), {})


    def test_a_program_is_started_as_its_ctest_does(self):
        program = "/b/bin/conformance"

        def ctest(backends, *words):
            return {"command": [str(word) for word in words], "properties": [{"name": "ENVIRONMENT", "value": [f"PINTLE_BACKENDS={backends}", ""]}]}
        tests = [{"name": "NOT_BUILT"}, ctest("wrapped", "run.py", program), ctest("vulkan", "run_cases.py", "--filter", "*", program, "--require", "vulkan"),
                 ctest("cpu", "run_cases.py", "--cases=Other.A/cpu:All/Signal.B/cpu", program, "--require", "cpu")]
        self.assertEqual(quick.start_of(tests, program, ["Signal", "Pool"]), ({"PINTLE_BACKENDS": "cpu"}, ["--require", "cpu"]))
        self.assertEqual(quick.start_of(tests, program, ["Sign"]), ({"PINTLE_BACKENDS": "vulkan"}, ["--require", "vulkan"]))
        self.assertEqual(quick.start_of(tests, "/b/bin/unit_tests", ["Signal"]), ({}, []))


# Says what it was started with, and that it has skipped two cases, as GoogleTest does.
PROGRAM = """#!/bin/sh
echo "$PINTLE_BACKENDS $*" >>started
printf 'a.cpp:1: Skipped\\nno card\\na.cpp:1: Skipped\\nno card\\n[  PASSED  ] 1 test.\\n[  SKIPPED ] 2 tests.\\n'
"""


class RunTest(unittest.TestCase):
    """What runs, what fails and what there is no time for."""

    def said(self, *commands, seconds=60, seconds_over=60):
        one = quick.Quick(Path("/"), seconds)
        one.seconds_over = seconds_over
        with contextlib.redirect_stdout(io.StringIO()) as output:
            ends = [one.has_time("sh") and one.run("sh", ["sh", "-c", command]) for command in commands]
        return ends, one.failed, one.skipped, re.sub(r" \(\d+ s\)", "", output.getvalue()).splitlines()

    def test_a_failure_is_said_with_its_words(self):
        self.assertEqual(self.said("echo good", "echo bad; false"), ([True, False], True, 0, ["ok      sh", "FAILED  sh", "bad"]))

    def test_what_takes_too_long_is_skipped_and_counted(self):
        self.assertEqual(self.said("sleep 60", seconds=0.2, seconds_over=0), ([False], False, 1, ["skipped sh: it takes longer than there is time"]))
        self.assertEqual(self.said("true", seconds=-1), ([False], False, 1, ["skipped sh: no time"]))

    def test_what_there_is_no_time_for_is_one_line_and_counted(self):
        one = quick.Quick(Path("/"), -1)
        with contextlib.redirect_stdout(io.StringIO()) as output:
            one.ctest({name: set() for name in ("b", "a", "c")})
        self.assertEqual((one.skipped, output.getvalue()), (3, "skipped a and 2 more ctests: no time\n"))

    def test_skips_of_a_program_that_passed_are_said_once_and_counted(self):
        with Tree() as tree, contextlib.redirect_stdout(io.StringIO()) as output, contextlib.chdir(tree.root):
            tree["build/dev/bin/unit_tests"] = PROGRAM
            (tree.root / "build/dev/bin/unit_tests").chmod(0o755)
            test = {"command": ["run_cases.py", str(tree.root / "build/dev/bin/unit_tests"), "word"],
                    "properties": [{"name": "ENVIRONMENT", "value": ["PINTLE_BACKENDS=cpu"]}]}
            one = quick.Quick(tree.root, 60)
            for turn in range(2):
                self.assertTrue(one.run_suites("unit_tests A", "unit_tests", {"A": "A.*"}, [test], "--more"))
            self.assertEqual(tree["started"], "cpu word --gtest_filter=A.* --gtest_brief=1 --more\n" * 2)
        self.assertEqual((one.skipped, output.getvalue().splitlines()[1]), (2, "skipped unit_tests: 2 of its cases: no card"))
        self.assertEqual(output.getvalue().count("skipped"), 1)

    def test_skips_of_a_ctest_that_passed_are_counted(self):
        with Tree() as tree, contextlib.redirect_stdout(io.StringIO()) as output:
            tree["build/dev/CTestTestfile.cmake"] = 'add_test(a.c /bin/sh -c "exit 77")\n' \
                'set_tests_properties(a.c PROPERTIES SKIP_RETURN_CODE 77)\n'
            one = quick.Quick(tree.root, 60)
            self.assertTrue(one.run_ctest("a.c"))
        self.assertEqual((one.skipped, output.getvalue().splitlines()[1]), (1, "skipped a.c: 1 of its cases"))

    def test_what_runs_ends_with_an_interrupt(self):
        started = []

        class Interrupted(subprocess.Popen):
            def communicate(self, *_, **__):
                started.append(self)
                raise KeyboardInterrupt

        with mock.patch("subprocess.Popen", Interrupted), self.assertRaises(KeyboardInterrupt):
            self.said("sleep 60")
        self.addCleanup(started[0].stdout.close)
        self.addCleanup(started[0].kill)
        self.assertEqual(started[0].wait(timeout=30), -signal.SIGTERM)

    def outcome(self, deps, *files):
        one = quick.Quick(ROOT, 60)
        parts = {"read_dependencies": lambda: deps, "entries": list, "ctests": list}
        with mock.patch.multiple(one, **parts), contextlib.redirect_stdout(io.StringIO()) as output:
            one.all(files)
        return one.failed, output.getvalue()

    def test_a_tree_that_was_never_built_is_no_success(self):
        failed, words = self.outcome({}, "src/core/a.h")
        self.assertTrue(failed)
        self.assertIn("FAILED build/dev was never built, so what depends on a header is not known: ./dev build\n", words)
        self.assertFalse(self.outcome({"a.o": set()}, "src/core/a.h")[0])
        self.assertEqual(self.outcome({}, "README.md"), (False, ""))

    def test_without_clang_the_sources_are_counted(self):
        one = quick.Quick(ROOT, 60)
        entries = [{"file": str(ROOT / "src/base/error.cpp"), "command": "", "directory": "/"}]
        with mock.patch.object(one, "entries", lambda: entries), mock.patch("shutil.which", lambda name: None), contextlib.redirect_stdout(io.StringIO()) as output:
            one.check_with_clang(["src/base/error.cpp", "README.md"], {})
        self.assertEqual((one.skipped, output.getvalue()), (1, "skipped clang-19 is not there; 1 sources are not checked with it\n"))


if __name__ == "__main__":
    unittest.main()
