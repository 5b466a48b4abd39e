#!/usr/bin/env python3
"""Prints "PASSED FAILED SKIPPED LEFT" of the JUnit files that ctest wrote, and the end of what failed tests said on stderr.

A test that did not run for lack of its program failed. A ctest that ran many cases counts as they do, by the line of tests/run_cases.py:
what is left are those that another check runs. A script of unittest counts as one, and each of its skips as a skip.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree


LINES_OF_A_FAILURE = 60
NAMES = ("passed", "failed", "skipped", "left")
# What a script of unittest says at its end where some were skipped. Its stdout may come behind that.
UNITTEST = re.compile(r"^Ran (\d+) tests? in \S+\n\n.*\bskipped=(\d+)", re.MULTILINE)
CASES = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped(?:, (\d+) left)?$", re.MULTILINE)


def outcome(case):
    if case.get("status") == "run":
        return "passed"
    skipped = case.find("skipped")
    deliberate = skipped is not None and "SKIP_" in skipped.get("message", "")
    return "skipped" if deliberate or case.get("status") == "disabled" else "failed"


def show(case):
    said = (case.findtext("system-out") or "").splitlines()
    print(f"FAILED {case.get('name')}", *said[-LINES_OF_A_FAILURE:], sep="\n  ", file=sys.stderr)


def cases_of_script(how, ends):
    """The same of a script: it is one, beside what it skipped."""
    if not ends or how == "skipped":
        return {how: 1}
    ran, skipped = map(int, ends[-1])
    return {how: 1 if how == "failed" or ran > skipped else 0, "skipped": skipped}


def cases_of(case):
    """{outcome: how many} of what one ctest ran."""
    said = case.findtext("system-out") or ""
    lines = CASES.findall(said)
    if not lines:
        return cases_of_script(outcome(case), UNITTEST.findall(said))
    found = {name: int(number or 0) for name, number in zip(NAMES, lines[-1])}
    if outcome(case) == "failed":
        found["failed"] = max(found["failed"], 1)
    return found


def count(paths):
    counts = dict.fromkeys(NAMES, 0)
    for path in paths:
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            for name, number in cases_of(case).items():
                counts[name] += number
            if outcome(case) == "failed":
                show(case)
    return counts


if __name__ == "__main__":
    print(*count(sys.argv[1:]).values())
