"""tools/flaky.py: the rules of tests/flaky.txt."""

import datetime
import os
import subprocess
import unittest

from tree import Tree

import flaky


class FlakyTest(unittest.TestCase):
    def wrong(self, *versions, day="2026-11-20", found=(), change=None):
        """What is wrong with the last of these versions of the list, each a commit of that day, or with a change that is no commit yet."""
        with Tree() as tree:
            dates = {"GIT_AUTHOR_DATE": f"{day}T12:00:00Z", "GIT_COMMITTER_DATE": f"{day}T12:00:00Z"}
            self.git(tree, {}, "init", "-q")
            for lines in versions:
                tree["tests/flaky.txt"] = "# Words.\n" + "".join(f"{line}\n" for line in lines)
                self.git(tree, {}, "add", ".")
                self.git(tree, dates, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "a")
            if change is not None:
                tree["tests/flaky.txt"] = "".join(f"{line}\n" for line in change)
            return list(flaky.problems(tree.root, found))

    def git(self, tree, variables, *arguments):
        subprocess.run(["git", *arguments], cwd=tree.root, check=True, env={**os.environ, **variables})

    def lines(self, count, day="2026-11-15"):
        return [f"Suite{i} {day} a race of the test's own" for i in range(count)]

    def test_five_lines_of_two_weeks_are_fine(self):
        self.assertEqual(self.wrong(self.lines(5)), [])
        self.assertEqual(self.wrong(self.lines(5, "2026-11-06")), [])

    def test_a_sixth_line_is_refused_unless_one_goes(self):
        self.assertEqual(len(self.wrong(self.lines(5), self.lines(6))), 1)
        self.assertEqual(self.wrong(self.lines(7), self.lines(6)), [])

    def test_an_old_line_is_refused_unless_one_goes(self):
        self.assertIn("Suite0 is there for 15 days", self.wrong(self.lines(1, "2026-11-05"))[0])
        self.assertEqual(self.wrong(self.lines(3, "2026-11-05"), self.lines(2, "2026-11-05")), [])

    def test_a_line_with_other_words_or_another_day_is_no_removal(self):
        self.assertEqual(len(self.wrong(self.lines(6), [*self.lines(5), "Suite5 2026-11-15 other words"])), 1)
        self.assertEqual(len(self.wrong(self.lines(6), [*self.lines(5), "Suite5 2026-11-16 a race of the test's own"])), 1)

    def test_the_first_day_of_a_name_counts(self):
        old, new, other = "Suite0 2026-11-05 words", "Suite0 2026-11-18 words", "Suite1 2026-11-18 words"
        for versions in ([[old], [new]], [[old], [new], [new, other]]):
            self.assertIn("Suite0 is there for 15 days", " ".join(self.wrong(*versions)))
        self.assertEqual(self.wrong([old], [other], [new]), [])  # it was mended in between

    def test_a_day_that_does_not_exist_or_is_still_to_come_is_refused(self):
        self.assertIn('"Suite 2026-02-30 words" has a day that no calendar has', self.wrong(["Suite 2026-02-30 words"])[0])
        self.assertIn("has the day 2026-11-21, which comes after the commit's (2026-11-20)", self.wrong(["Suite 2026-11-21 words"])[0])

    def test_a_name_has_one_line(self):
        self.assertEqual(self.wrong(["Suite 2026-11-18 words", "Suite 2026-11-19 more"]), ["tests/flaky.txt has 2 lines of Suite."])

    def test_a_change_is_a_commit_of_today(self):
        today = datetime.date.today()
        old = today - datetime.timedelta(days=15)
        self.assertEqual(self.wrong([], change=self.lines(5, today)), [])
        self.assertIn("Suite0 is there for 15 days", self.wrong(self.lines(2, old), self.lines(1, old), day=old, change=[*self.lines(1, old), ""])[0])

    def test_the_day_of_the_commit_counts(self):
        self.assertEqual(self.wrong(self.lines(1, "2020-01-01"), day="2020-01-02"), [])

    def test_a_line_has_three_parts(self):
        self.assertIn("is not NAME DAY SUSPICION", self.wrong(["Suite yesterday"])[0])

    def test_what_the_last_check_found_needs_a_line(self):
        self.assertEqual(self.wrong(self.lines(1), found=["Suite0"]), [])
        self.assertIn("Suite7 was flaky", self.wrong(self.lines(1), found=["Suite7"])[0])


if __name__ == "__main__":
    unittest.main()
