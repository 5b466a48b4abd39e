"""What the public headers ask of a compiler: the language, and nothing of exceptions or run-time types."""

import os
import shutil
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


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


if __name__ == "__main__":
    unittest.main()
