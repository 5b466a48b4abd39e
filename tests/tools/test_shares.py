"""tests/shares.py: each test has its turn, and a check leaves out what tests/shares.txt says."""

import re
import subprocess
import sys
import unittest
from unittest import mock

from tree import ROOT, Tree

sys.path.insert(0, str(ROOT / "tests"))
import shares  # noqa: E402

TEXT = """# Words.
[tests]
3 0 1  sweep[.].*  # more words
[cases]
2 4 1  Long[.].*
"""
NAMES = [f"sweep.{i}" for i in range(6)] + ["other"]


class SharesTest(unittest.TestCase):
    def left(self, section, kind, turn, names):
        return shares.left_out(names, shares.rows_of(TEXT, section, kind), turn)

    def test_what_no_row_names_is_run(self):
        self.assertEqual(self.left("tests", "dev", 0, ["other", "Long.a"]), [])

    def test_each_turn_runs_one_in_n_and_all_turns_run_all(self):
        ran = []
        for turn in range(3):
            left = self.left("tests", "dev", turn, NAMES)
            self.assertEqual(len(left), 4)
            ran += [name for name in NAMES[:6] if name not in left]
        self.assertEqual(sorted(ran), NAMES[:6])

    def test_one_in_one_is_all_and_none_is_left_to_nightly(self):
        self.assertEqual(self.left("tests", "tsan", 5, NAMES), [])
        self.assertEqual(self.left("tests", "asan", 5, NAMES), NAMES[:6])

    def test_what_takes_long_begins_first_where_nothing_ran_before(self):
        with Tree() as tree:
            costs, ran = tree.root / "build/CTestCostData.txt", tree.root / "CTestTestfile.cmake"
            with mock.patch.object(shares, "ROOT", tree.root):
                tree["tests/shares.txt"] = TEXT
                shares.begin_costs(costs, ["other", "sweep.1"], "dev")
                self.assertEqual(costs.read_text(encoding="utf-8"), "sweep.1 1 60\n---\n")
                shares.begin_costs(costs, ["sweep.2"], "dev")
                self.assertEqual(costs.read_text(encoding="utf-8"), "sweep.1 1 60\n---\n")
            tree["Testing/Temporary/CTestCostData.txt"] = costs.read_text(encoding="utf-8")
            ran.write_text("".join(f"add_test({name} /bin/true)\n" for name in ("a", "b", "sweep.1", "c")), encoding="utf-8")
            said = subprocess.run(["ctest", "-j", "2"], cwd=tree.root, text=True, stdout=subprocess.PIPE, check=True).stdout
            self.assertEqual(re.findall(r"Start +\d+: (\S+)", said)[0], "sweep.1", said)

    def test_a_single_name_has_its_turn(self):
        self.assertEqual(sum(self.left("cases", "asan", turn, ["Long.a"]) == [] for turn in range(4)), 1)

    def test_a_line_that_is_no_row_is_refused(self):
        for text in ("[tests]\n1 2 a\n", "1 2 3 a\n", "[others]\n"):
            with self.assertRaises(ValueError):
                shares.rows_of(text, "tests", "dev")

    def test_the_first_row_that_names_a_test_counts(self):
        rows = shares.rows_of("[cases]\n1 1 1 Long[.]a\n2 2 2 Long[.].*\n", "cases", "dev")
        self.assertEqual(len(shares.left_out(["Long.a", "Long.b", "Long.c"], rows, 0)), 1)

    def test_the_file_can_be_read_and_names_tests_of_the_tree(self):
        text = (ROOT / "tests/shares.txt").read_text(encoding="utf-8")
        sources = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("tests/**/*_test.cpp"))
        rows = [row for kind in shares.KINDS for row in shares.rows_of(text, "cases", kind)]
        for _, pattern in rows:
            for suite in re.findall(r"(?<![\w*])[A-Z]\w+(?=\[[.]\])", pattern.pattern):
                self.assertTrue(f"({suite}," in sources, f"{suite} of {pattern.pattern} is no suite")


if __name__ == "__main__":
    unittest.main()
