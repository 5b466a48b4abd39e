"""tools/count_tests.py: a test that did not run is skipped only where it said so itself."""

import unittest

from tree import Tree

import count_tests

CASE = '<testcase name="x" status="{}">{}</testcase>'


class CountTest(unittest.TestCase):
    def counts(self, *cases, with_left=False):
        with Tree() as tree:
            tree["tests.xml"] = f"<testsuite>{''.join(CASE.format(*case) for case in cases)}</testsuite>"
            return tuple(count_tests.count([tree.root / "tests.xml"]).values())[:3 + with_left]

    def test_passed_and_failed(self):
        self.assertEqual(self.counts(("run", ""), ("run", ""), ("fail", "<failure/>")), (2, 1, 0))

    def test_skip_by_the_test_itself(self):
        cases = (("notrun", f'<skipped message="{why}"/>') for why in ("SKIP_REGULAR_EXPRESSION_MATCHED", "SKIP_RETURN_CODE=77"))
        self.assertEqual(self.counts(*cases), (0, 0, 2))

    def test_missing_program_failed(self):
        self.assertEqual(self.counts(("notrun", '<skipped message="Unable to find executable"/>')), (0, 1, 0))
        self.assertEqual(self.counts(("notrun", "")), (0, 1, 0))

    def test_disabled_is_skipped(self):
        self.assertEqual(self.counts(("disabled", "")), (0, 0, 1))

    def cases(self, status, line):
        return self.counts((status, f"<system-out>[ FAILED ] A.b\n{line}\n</system-out>"))

    def test_a_ctest_of_many_cases_counts_as_they_do(self):
        self.assertEqual(self.cases("run", "3 passed, 0 failed, 2 skipped"), (3, 0, 2))
        self.assertEqual(self.cases("fail", "3 passed, 2 failed, 0 skipped"), (3, 2, 0))

    def test_a_ctest_whose_cases_were_all_skipped_or_left(self):
        said = '<skipped message="SKIP_RETURN_CODE=77"/><system-out>{}</system-out>'
        self.assertEqual(self.counts(("notrun", said.format("0 passed, 0 failed, 5 skipped"))), (0, 0, 5))
        self.assertEqual(self.counts(("notrun", said.format("0 passed, 0 failed, 0 skipped, 7 left")), with_left=True), (0, 0, 0, 7))

    def test_skips_of_a_script_of_unittest_are_counted(self):
        said = "s.\n\n----\nRan {} in 0.004s\n\n{}\n\nwhat stdout kept until the end"
        self.assertEqual(self.cases("run", said.format("5 tests", "OK")), (1, 0, 0))
        self.assertEqual(self.cases("run", said.format("5 tests", "OK (skipped=2)")), (1, 0, 2))
        self.assertEqual(self.cases("run", said.format("5 tests", "OK (skipped=5)")), (0, 0, 5))
        self.assertEqual(self.cases("run", said.format("1 test", "OK (skipped=1, expected failures=1)")), (0, 0, 1))
        self.assertEqual(self.cases("run", said.format("0 tests", "OK (skipped=1)")), (0, 0, 1))  # a class whose setUpClass has skipped it
        self.assertEqual(self.cases("fail", said.format("5 tests", "FAILED (failures=1, skipped=4)")), (0, 1, 4))
        self.assertEqual(self.cases("fail", said.format("5 tests", "OK (skipped=5)")), (0, 1, 5))

    def test_a_ctest_that_failed_has_a_failure_whatever_it_says(self):
        self.assertEqual(self.cases("fail", "3 passed, 0 failed, 0 skipped"), (3, 1, 0))
        self.assertEqual(self.cases("fail", "Segmentation fault"), (0, 1, 0))


if __name__ == "__main__":
    unittest.main()
