"""Sources that are compiled with -march=native, compiled by each compiler as on a processor with AVX10.

There clang 19 chooses features that it warns of itself, so that -Werror refused what builds everywhere else.
Usage: test_native.py COMPILE_COMMANDS. Kernels in C: tests/cli/run_test.py.
"""

import json
import re
import shutil
import shlex
import subprocess
import sys
import unittest
from pathlib import Path

from tree import ROOT, Tree

AVX10 = {"g++": ["-march=sapphirerapids"],  # gcc 12 has no word for AVX10
         "clang++-19": ["-march=sapphirerapids", "-mavx10.1-256"]}
COMPILERS = [name for name in AVX10 if shutil.which(name)]


def native_commands(path):
    """{source: (folder, arguments without compiler and output)} of what is compiled for the processor that is here."""
    found = {}
    for entry in json.loads(Path(path).read_text(encoding="utf-8")):
        words = shlex.split(entry["command"])
        if "-march=native" not in words:
            continue
        arguments = words[next(i for i, word in enumerate(words) if re.search(r"(g\+\+|c\+\+|clang\+\+)[-\d.]*$", word)) + 1:]
        arguments = arguments[:arguments.index("-o")] + [entry["file"]]
        found[entry["file"]] = (entry["directory"], arguments)
    return found


class NativeTest(unittest.TestCase):
    def setUp(self):
        self.tree = Tree()
        self.addCleanup(self.tree.folder.cleanup)
        # For a clang without OpenMP: what these sources call of it.
        self.tree["omp.h"] = 'extern "C" { int omp_get_thread_num(void); int omp_get_num_threads(void); int omp_get_max_threads(void); }\n'

    def test_one_place_says_it(self):
        files = subprocess.run(["git", "grep", "-l", "-e", "-march=native", "--", "*.cmake", "*CMakeLists.txt", "*.cpp", "*.h"], cwd=ROOT, text=True,
                               stdout=subprocess.PIPE, check=False).stdout.split()
        self.assertEqual([file for file in files if not file.startswith("tests/")], ["cmake/PintleCompile.cmake", "src/kit/c_program.cpp"])

    def test_each_source_compiles_for_avx10(self):
        sources = native_commands(COMMANDS)
        self.assertIn(str(ROOT / "bench/opencl_c/loops.cpp"), sources)
        for source, (folder, arguments) in sources.items():
            for compiler in COMPILERS:
                wanted = [word for argument in arguments for word in (AVX10[compiler] if argument == "-march=native" else [argument])]
                result = subprocess.run([compiler, *wanted, "-Werror", "-Wno-unknown-warning-option", "-fsyntax-only", "-idirafter", str(self.tree.root)], cwd=folder, text=True, capture_output=True, check=False)
                self.assertEqual((result.returncode, result.stderr), (0, ""), f"{compiler} {source}")

    def test_the_reason_is_still_there(self):
        if "clang++-19" not in COMPILERS:
            self.skipTest("clang 19 is not there")
        command = ["clang++-19", *AVX10["clang++-19"], "-Werror", "-fsyntax-only", "-xc++", "/dev/null"]
        self.assertIn("invalid feature combination", subprocess.run(command, text=True, capture_output=True, check=False).stderr)


if __name__ == "__main__":
    COMMANDS = sys.argv.pop(1)
    unittest.main()
