#!/usr/bin/env python3
"""System calls of the submitting thread in a submission of a recorded list to a device, beside the same by hand. The budget of the
median is two more: a driver wakes its threads in some rounds and not in others."""

import re
import statistics
import sys
import tempfile
from pathlib import Path

from system_calls import RESUMED, skip, trace

MARK = re.compile(r'^(\d+) .*write\(-1, "(ours|hand)([+-])"')
MOST_MORE = 2


def counts(lines):
    """{"ours": [calls of each submission], "hand": [...]}, of the thread that writes the marks."""
    found, open_side, thread, calls = {"ours": [], "hand": []}, None, None, 0
    for line in lines:
        if mark := MARK.match(line):
            thread, side, sign = mark.groups()
            if sign == "-" and side == open_side:
                found[side].append(calls)
            open_side, calls = (side if sign == "+" else None), 0
        elif open_side and line.split(" ", 1)[0] == thread and not RESUMED.match(line):
            calls += 1
    return found


def main():
    with tempfile.TemporaryDirectory() as folder:
        found = counts(trace(sys.argv[1:], Path(folder) / "trace"))
    if not found["ours"] or len(found["ours"]) != len(found["hand"]):
        sys.exit(f"found {len(found['ours'])} and {len(found['hand'])} submissions between marks")
    ours, by_hand = statistics.median(found["ours"]), statistics.median(found["hand"])
    print(f"{ours} system calls of {len(found['ours'])} submissions' median, {by_hand} by hand; the budget is {MOST_MORE} more")
    return 1 if ours > by_hand + MOST_MORE else 0


if __name__ == "__main__":
    sys.exit(main())
