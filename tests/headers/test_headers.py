"""What the public headers ask of a compiler: the language, what they cost, and nothing of exceptions or run-time types."""

import os
import shutil
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What each adds to a file that includes it, with GCC 12's library, in lines after the preprocessor. It is what decides how long
# a user's file takes to compile: 86,845 lines took 1.4 s with clang-19 -O0, 73,000 take 1.1 s. A larger figure is a decision.
MOST_LINES = {"pintle/pintle.h": 74000, "pintle/error.h": 23500, "pintle/dtype.h": 22500}


def compilers():
    candidates = (os.environ.get("CXX", "c++"), "clang++-19")
    return dict.fromkeys(path for path in map(shutil.which, candidates) if path)


def run(compiler, *arguments, text=""):
    command = [compiler, "-x", "c++", *arguments, "-I", ROOT / "include", "-"]
    return subprocess.run(command, input=text, text=True, capture_output=True, check=False)


class HeadersTest(unittest.TestCase):
    def each(self, body):
        for compiler in compilers():
            with self.subTest(compiler=compiler):
                body(compiler)

    def test_an_older_language_is_one_error(self):
        def body(compiler):
            for standard in ("-std=c++17", "-std=c++20"):
                done = run(compiler, standard, "-fsyntax-only", text='#include "pintle/pintle.h"\n')
                errors = [line for line in done.stderr.splitlines() if "error:" in line]
                self.assertEqual(len(errors), 1, "\n".join(errors[:5]))
                self.assertIn("Pintle needs C++23", errors[0])
        self.each(body)

    def test_a_program_without_exceptions_and_types(self):
        source = (ROOT / "tests/headers/no_exceptions.cpp").read_text(encoding="utf-8")
        arguments = ("-std=c++23", "-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Werror", "-fsyntax-only")

        def body(compiler):
            done = run(compiler, *arguments, text=source)
            self.assertEqual(done.returncode, 0, done.stderr[:2000])
        self.each(body)

    def test_lines_stay_within_their_budget(self):
        def body(compiler):
            for header, most in MOST_LINES.items():
                done = run(compiler, "-std=c++23", "-O0", "-E", "-P", text=f'#include "{header}"\n')
                self.assertEqual(done.returncode, 0, done.stderr[:2000])
                lines = done.stdout.count("\n")
                print(f"{header}: {lines} lines, at most {most} ({os.path.basename(compiler)})")
                self.assertLessEqual(lines, most, header)
        self.each(body)


if __name__ == "__main__":
    unittest.main()
