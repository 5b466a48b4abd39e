#!/usr/bin/env python3
"""Holds tests/flaky.txt to its rules: at most five names, none older than 14 days by the commit's own date.

A name's first day counts, whatever its line says later. A commit that removes a name may leave others that break the rules; a line with other
words or another day removes nothing. A tree with changes counts as a commit of today. With --found FILE, the tests that the last check found
flaky must have their lines, too.
"""

import argparse
import collections
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
    return result.stdout if result.returncode == 0 else ""


def day_of(words):
    try:
        return datetime.date.fromisoformat(words)
    except ValueError:
        return None


def entries(text):
    """(line, name, day): no name where the line does not have its three parts, no day where no calendar has it."""
    for line in text.splitlines():
        match = LINE.fullmatch(line)
        if line and not line.startswith("#"):
            yield line, match and match["name"], match and day_of(match["day"])


def days_of(text):
    """{name: day} of the lines that have both."""
    return {name: day for _, name, day in entries(text) if name and day}


def wrong_lines(text, today):
    for line, name, day in entries(text):
        if not name:
            yield f'{FILE}: "{line}" is not NAME DAY SUSPICION.'
        elif not day:
            yield f'{FILE}: "{line}" has a day that no calendar has.'
        elif day > today:
            yield f"{FILE}: {name} has the day {day}, which comes after the commit's ({today})."
    for name, count in collections.Counter(name for _, name, _ in entries(text)).items():
        if name and count > 1:
            yield f"{FILE} has {count} lines of {name}."


def first_days(days, history):
    """The first day of each name. `history` has the {name: day} of earlier versions, the newest first."""
    first, going = dict(days), set(days)
    for version in history:
        going &= version.keys()
        first.update((name, min(first[name], version[name])) for name in going)
    return first


def place_of(root):
    """(the commit before, the day) of the last commit, or of the one that the changes of this tree will be."""
    committed = day_of(git(root, "log", "-1", "--format=%cs").strip())
    if committed and not git(root, "diff", "--name-only", "HEAD"):
        return "HEAD~1", committed
    return "HEAD", datetime.date.today()


def problems(root, found=()):
    text = (root / FILE).read_text(encoding="utf-8")
    parent, today = place_of(root)
    days = days_of(text)
    yield from wrong_lines(text, today)
    for name in found:
        if name not in days:
            yield f"{FILE}: {name} was flaky in the last check and has no line."
    if days_of(git(root, "show", f"{parent}:{FILE}")).keys() - days.keys():
        return
    if len(days) > MOST_LINES:
        yield f"{FILE} has {len(days)} names, and at most {MOST_LINES} may be left: mend one of these tests."
    changes = git(root, "log", "--format=%H", parent, "--", FILE).split()
    for name, day in first_days(days, (days_of(git(root, "show", f"{change}:{FILE}")) for change in changes)).items():
        age = (today - day).days
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
