#!/usr/bin/env python3
"""Holds tests/flaky.txt to its rules: at most five lines, none older than 14 days by the commit's own date.

A commit that removes a line may leave others that break them. Without a checkout, today's date counts. With --found FILE, the tests
that the last check found flaky must have their lines, too.
"""

import argparse
import datetime
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE = "tests/flaky.txt"
MOST_LINES = 5
MOST_DAYS = 14
LINE = re.compile(r"(?P<name>\S+) (?P<day>\d{4}-\d\d-\d\d) (?P<suspicion>\S.*)")


def git(root, *arguments):
    result = subprocess.run(["git", *arguments], cwd=root, text=True, capture_output=True, check=False)
    return result.stdout if result.returncode == 0 else None


def lines_of(text):
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def commit_day(root):
    said = git(root, "log", "-1", "--format=%cs")
    return datetime.date.fromisoformat(said.strip()) if said else datetime.date.today()


def problems(root, found=()):
    lines = lines_of((root / FILE).read_text(encoding="utf-8"))
    parsed = [LINE.fullmatch(line) for line in lines]
    for line, match in zip(lines, parsed):
        if not match:
            yield f'{FILE}: "{line}" is not NAME DAY SUSPICION.'
    listed = {match["name"]: match for match in parsed if match}
    for name in found:
        if name not in listed:
            yield f"{FILE}: {name} was flaky in the last check and has no line."
    before = lines_of(git(root, "show", f"HEAD~1:{FILE}") or "")
    if any(line not in lines for line in before):
        return
    if len(lines) > MOST_LINES:
        yield f"{FILE} has {len(lines)} lines, and at most {MOST_LINES} may be left: mend one of these tests."
    today = commit_day(root)
    for name, match in listed.items():
        age = (today - datetime.date.fromisoformat(match["day"])).days
        if age > MOST_DAYS:
            yield f"{FILE}: {name} is there for {age} days, and at most {MOST_DAYS} are allowed: mend it."


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--found", type=Path)
    options = parser.parse_args()
    found = options.found.read_text(encoding="utf-8").split() if options.found and options.found.is_file() else ()
    wrong = list(problems(options.root, found))
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
