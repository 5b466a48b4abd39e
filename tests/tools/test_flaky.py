"""tools/flaky.py: the rules of tests/flaky.txt."""

import os
import subprocess
import unittest

from tree import Tree

import flaky


class FlakyTest(unittest.TestCase):
    def wrong(self, *versions, day="2026-11-20", found=()):
        """What is wrong with the last of these versions of the list, each a commit of that day."""
        with Tree() as tree:
            dates = {"GIT_AUTHOR_DATE": f"{day}T12:00:00Z", "GIT_COMMITTER_DATE": f"{day}T12:00:00Z"}
            self.git(tree, {}, "init", "-q")
            for lines in versions:
                tree["tests/flaky.txt"] = "# Words.\n" + "".join(f"{line}\n" for line in lines)
                self.git(tree, {}, "add", ".")
                self.git(tree, dates, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "a")
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

    def test_the_day_of_the_commit_counts(self):
        self.assertEqual(self.wrong(self.lines(1, "2020-01-01"), day="2020-01-02"), [])

    def test_a_line_has_three_parts(self):
        self.assertIn("is not NAME DAY SUSPICION", self.wrong(["Suite yesterday"])[0])

    def test_what_the_last_check_found_needs_a_line(self):
        self.assertEqual(self.wrong(self.lines(1), found=["Suite0"]), [])
        self.assertIn("Suite7 was flaky", self.wrong(self.lines(1), found=["Suite7"])[0])


if __name__ == "__main__":
    unittest.main()
