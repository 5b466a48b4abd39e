"""SECURITY.md: each line of it names a test that is there."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXT = (ROOT / "SECURITY.md").read_text()
GTEST = re.compile(r"^TEST(?:_[FP])?\((\w+),\s*(\w+)\)", re.MULTILINE)
NAME = re.compile(r"`([A-Z]\w+\.\w+)`")
FUZZER = re.compile(r"`(\w+\.cpp)`")


def tests():
    return {f"{suite}.{name}" for file in (ROOT / "tests").rglob("*_test.cpp") for suite, name in GTEST.findall(file.read_text())}


def lines():
    """The rows of the tables and the items, each joined to one line."""
    rows = [line for line in TEXT.splitlines() if line.startswith("| ") and not line.startswith("| what |")]
    items = re.findall(r"^- .*?(?=^- |^$)", TEXT, re.MULTILINE | re.DOTALL)
    return rows + items


class Security(unittest.TestCase):
    def test_each_line_names_a_test(self):
        self.assertGreater(len(lines()), 15)
        for line in lines():
            self.assertTrue(NAME.search(line) or FUZZER.search(line), line)

    def test_each_test_is_there(self):
        there = tests()
        for name in NAME.findall(TEXT):
            self.assertIn(name, there)

    def test_each_fuzzer_is_there(self):
        for name in FUZZER.findall(TEXT):
            self.assertTrue((ROOT / "tests" / "fuzz" / name).is_file(), name)


if __name__ == "__main__":
    unittest.main()
