#!/usr/bin/env python3
"""What of the tests a check leaves to other checks, as tests/shares.txt says.

Usage: shares.py PRESET TURN. Prints the ctests of a built preset that the check of this turn leaves out, a line each. Cases are left out by
tests/run_cases.py, which has TEST_SHARE=PRESET:TURN in its environment.

What has a row takes long. ctest begins with what took longest in the run before; where there was none, these tests are written down for it as
long ones, so that none of them begins last and alone.
"""

import json
import re
import subprocess
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("dev", "asan", "tsan")
SECTIONS = ("tests", "cases")
ROW = re.compile(r"(\d+)\s+(\d+)\s+(\d+)\s+(\S+)")


def rows_of(text, section, kind):
    """[(n, pattern)]: one in n of what the pattern names is run; 0 is none of it."""
    rows, current = [], None
    for line in text.splitlines():
        words = line.partition("#")[0].strip()
        match = ROW.fullmatch(words)
        if words in (f"[{name}]" for name in SECTIONS):
            current = words[1:-1]
        elif words and not (match and current):
            raise ValueError(f'tests/shares.txt has the line "{line}", which is not three numbers and a pattern below [tests] or [cases].')
        elif words and current == section:
            rows.append((int(match[1 + KINDS.index(kind)]), re.compile(match[4])))
    return rows


def left_out(names, rows, turn):
    """Those of the names that another turn runs. Names that are listed together do not all begin with the same turn."""
    left, rest = [], list(names)
    for n, pattern in rows:
        named = [name for name in rest if pattern.fullmatch(name)]
        rest = [name for name in rest if not pattern.fullmatch(name)]
        first = zlib.crc32(named[0].encode()) if named else 0
        left += [name for i, name in enumerate(named) if n == 0 or (first + i + turn) % n != 0]
    return left


def left_of(names, section, share):
    """Those of the names that a share, PRESET:TURN, leaves out; none where there is no share."""
    if not share:
        return []
    kind, _, turn = share.partition(":")
    return left_out(names, rows_of((ROOT / "tests/shares.txt").read_text(encoding="utf-8"), section, kind), int(turn))


def costs_of(names, rows):
    """ctest's own lines of what its last run took, NAME RUNS SECONDS, for the tests that a row names."""
    return "".join(f"{name} 1 60\n" for name in names if any(pattern.fullmatch(name) for _, pattern in rows))


def begin_costs(file, names, kind):
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        rows = rows_of((ROOT / "tests/shares.txt").read_text(encoding="utf-8"), "tests", kind)
        file.write_text(costs_of(names, rows) + "---\n", encoding="utf-8")


def ctests(preset):
    said = subprocess.run(["ctest", "--preset", preset, "--show-only=json-v1"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    return [test["name"] for test in json.loads(said[said.index("{"):])["tests"]]


if __name__ == "__main__":
    there = ctests(sys.argv[1])
    begin_costs(ROOT / "build" / sys.argv[1] / "Testing/Temporary/CTestCostData.txt", there, sys.argv[1])
    for name in left_of(there, "tests", ":".join(sys.argv[1:])):
        print(name)
