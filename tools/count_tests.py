#!/usr/bin/env python3
"""Prints "PASSED FAILED SKIPPED" of the JUnit files that ctest wrote. A test that did not run for lack of its program failed."""

import sys
import xml.etree.ElementTree as ElementTree


def outcome(case):
    if case.get("status") == "run":
        return "passed"
    skipped = case.find("skipped")
    deliberate = skipped is not None and "SKIP_" in skipped.get("message", "")
    return "skipped" if deliberate or case.get("status") == "disabled" else "failed"


def count(paths):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for path in paths:
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            counts[outcome(case)] += 1
    return counts


if __name__ == "__main__":
    print(*count(sys.argv[1:]).values())
