#!/usr/bin/env python3
"""Prints "PASSED FAILED SKIPPED" of the JUnit files that ctest wrote, and the end of what failed tests said on stderr.

A test that did not run for lack of its program failed. A ctest that ran many cases counts as they do, by the line of tests/run_cases.py.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree


LINES_OF_A_FAILURE = 60
CASES = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.MULTILINE)


def outcome(case):
    if case.get("status") == "run":
        return "passed"
    skipped = case.find("skipped")
    deliberate = skipped is not None and "SKIP_" in skipped.get("message", "")
    return "skipped" if deliberate or case.get("status") == "disabled" else "failed"


def show(case):
    said = (case.findtext("system-out") or "").splitlines()
    print(f"FAILED {case.get('name')}", *said[-LINES_OF_A_FAILURE:], sep="\n  ", file=sys.stderr)


def cases_of(case):
    """{outcome: how many} of what one ctest ran."""
    lines = CASES.findall(case.findtext("system-out") or "")
    if not lines or outcome(case) == "skipped":
        return {outcome(case): 1}
    found = dict(zip(("passed", "failed", "skipped"), map(int, lines[-1])))
    if outcome(case) == "failed":
        found["failed"] = max(found["failed"], 1)
    return found


def count(paths):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for path in paths:
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            for name, number in cases_of(case).items():
                counts[name] += number
            if outcome(case) == "failed":
                show(case)
    return counts


if __name__ == "__main__":
    print(*count(sys.argv[1:]).values())
