#!/usr/bin/env python3
"""System calls of the submitting thread between the two marks of `submissions`, seen by strace. The budget is 0. In a round trip the thread
may meet a worker and let it have the processor, so the least of some traces counts."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
TRACES = {"round_trip": 5}  # until one has no system call; others: 1
MARK = re.compile(r'^(\d+) .*write\(-1, "(begin|ended)"')
RESUMED = re.compile(r"^\d+ +<\.\.\. ")  # the end of a call that another thread's call interrupted in the listing


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def trace(command, path):
    if shutil.which("strace") is None:
        skip("strace is not installed")
    if subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode != 0:
        skip("strace is not permitted here")
    if (code := subprocess.run(["strace", "-f", "-o", path, *command], check=False).returncode) == SKIPPED:
        sys.exit(SKIPPED)  # the program has said why
    elif code != 0:
        sys.exit(f"the program ends with status {code}")
    return path.read_text().splitlines()


def between_marks(lines):
    thread, inside, found, marks = None, False, [], 0
    for line in lines:
        if mark := MARK.match(line):
            thread, inside = mark.group(1), mark.group(2) == "begin"
            marks += 1
        elif inside and line.split(" ", 1)[0] == thread and not RESUMED.match(line):
            found.append(line)
    if marks != 2:
        sys.exit(f"found {marks} marks in the trace, not 2")
    return found


def main():
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(TRACES.get(sys.argv[-1], 1)):
            found = between_marks(trace(sys.argv[1:], Path(folder) / "trace"))
            if not found:
                break
    print(f"{len(found)} system calls; the budget is 0")
    print("\n".join(found[:20]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
