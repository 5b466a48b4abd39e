"""compare.py beside programs that are made up: each difference is named, and what nobody measured or can ask is counted."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMPARE = Path(__file__).resolve().parent / "compare.py"
FACTS = "# A card.\n\na.one: 700 701  # line 7\na.two: 0: 1 2  # lines 8 and 9\na.three: not measured  # not measured\n"
EQUAL = "# Here.\na.one: 700 701  # line 7\na.two: 0: 1 2  # lines 8 and 9\na.three: 5  # not measured\n"


class CompareTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.put("card.txt", FACTS)

    def put(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return str(path)

    def compare(self, said, *options, code):
        """What it prints where the program says `said`."""
        self.put("said", said)
        done = subprocess.run([sys.executable, "-B", COMPARE, str(self.root / "card.txt"), *options, "--", "cat", str(self.root / "said")],
                              text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_what_is_alike_is_counted(self):
        said = self.compare(EQUAL, code=0)
        self.assertIn("skipped 1: not measured on the card\n", said)
        self.assertIn("2 rules are as on the card, 1 skipped, 0 differences", said)

    def test_a_difference_is_named(self):
        said = self.compare(EQUAL.replace("700 701", "700 716"), code=1)
        self.assertIn("differs: a.one: here (700 716), on the card (700 701)\n", said)

    def test_the_lines_are_compared(self):
        self.assertIn("it stands on (line 6), the facts say (line 7)", self.compare(EQUAL.replace("line 7", "line 6"), code=1))

    def test_assumed_lines_are_cudas(self):
        self.compare(EQUAL.replace("# line", "# assumed, as CUDA's: line").replace("# not", "# assumed, as CUDA's: not"), code=0)

    def test_what_is_not_asked_is_counted_with_its_reason(self):
        said = self.compare(EQUAL.replace("700 701", "not asked (only of CUDA)"), code=0)
        self.assertIn("skipped 1: not asked (only of CUDA)\n", said)

    def test_time_that_runs_out_is_a_difference(self):
        self.assertIn("differs: a.one: not asked (no time was left)", self.compare(EQUAL.replace("700 701", "not asked (no time was left)"), code=1))

    def test_too_few_rules_are_a_difference(self):
        self.assertIn("only 2 rules are as on the card, of at least 3", self.compare(EQUAL, "--least", "3", code=1))

    def test_rules_of_one_side_are_differences(self):
        said = self.compare(EQUAL.replace("a.one", "a.four"), code=1)
        self.assertIn("a.four: the program asks it, and the facts lack it", said)
        self.assertIn("a.one: the facts have it, and the program does not ask it", said)

    def test_a_gap_is_counted_and_must_be_one(self):
        gaps = self.put("gaps.txt", "# Why.\na.one: a reason\n")
        self.assertIn("skipped 1: a gap: a reason\n", self.compare(EQUAL.replace("700 701", "0"), "--gaps", gaps, code=0))
        self.assertIn("a.one: is as on the card, so it is no gap", self.compare(EQUAL, "--gaps", gaps, code=1))
        gaps = self.put("gaps.txt", "a.five: a reason\n")
        self.assertIn("a.five: is a gap of no rule", self.compare(EQUAL, "--gaps", gaps, code=1))

    def test_the_programs_own_output_on_the_card_counts(self):
        self.put("results/card/2026-12-01/facts-cuda.txt", "a.one: 1  # line 7\n")
        self.put("results/card/2026-12-01-2/facts-cuda.txt", "a.one: 700 716  # line 7\na.two: not asked (why)  # line 8\na.three: 6  # not measured\n")
        self.put("results/other/2026-12-02/facts-cuda.txt", "a.one: 2  # line 7\n")
        said = self.compare(EQUAL, "--results", str(self.root / "results"), code=1)
        self.assertIn("a.one: here (700 701), on the card (700 716)\n", said)
        self.assertIn("a.three: here (5), on the card (6)\n", said)
        self.assertIn("1 rules are as on the card", said)

    def test_a_program_that_fails_is_told(self):
        done = subprocess.run([sys.executable, "-B", COMPARE, str(self.root / "card.txt"), "--", "false"], text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("false ends with 1.", done.stderr)

    def test_lines_that_are_none_and_names_that_come_twice_are_refused(self):
        self.assertIn("no rule: words", self.compare(EQUAL + "words\n", code=1))
        self.assertIn("a name comes twice", self.compare(EQUAL + "a.one: 0  # line 7\n", code=1))


if __name__ == "__main__":
    unittest.main()
