"""tools/quick.py: what a change touches, and the commands for it."""

import os
import unittest
from pathlib import Path

from tree import Tree

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

tests/pch.hxx.gch: #deps 1, deps mtime 1 (VALID)
    ../../include/public.h
"""


class QuickTest(unittest.TestCase):
    def setUp(self):
        self.tree = Tree()
        self.addCleanup(self.tree.folder.cleanup)
        for path, text in {"src/core/a.cpp": "", "src/core/a.h": "", "include/public.h": "", "tests/unit/a_test.cpp": "TEST(A, Works) {\nTEST_P(Many, Work) {\n",
                           "tests/unit/b_test.cpp": "TEST(B, Works) {\n", "build/dev/include/keep": ""}.items():
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

    def test_suites_of_a_changed_unit(self):
        self.assertEqual(quick.suites_of(self.deps, self.root, ["src/core/a.cpp"]), {"unit_tests": {"A", "Many"}})
        self.assertEqual(quick.suites_of(self.deps, self.root, ["tests/unit/b_test.cpp"]), {"unit_tests": {"B"}})
        self.assertEqual(quick.suites_of(self.deps, self.root, ["README.md"]), {})

    def test_clang_gets_what_gcc_gets_without_what_only_gcc_knows(self):
        entry = {"command": "cmake -E env A=b /usr/bin/ccache /usr/bin/c++ -DX -Winvalid-pch -include pch.hxx -Wno-restrict -O1 -o a.o -c a.cpp", "file": "a.cpp"}
        self.assertEqual(quick.clang_command(entry), ["clang++-19", "-DX", "-O1", "-fsyntax-only", "a.cpp"])


if __name__ == "__main__":
    unittest.main()
