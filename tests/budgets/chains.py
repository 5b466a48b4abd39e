#!/usr/bin/env python3
"""Instructions of the end of a chain of held queues, by callgrind: when the first one fails, when their handles go,
when their device is closed, when all handles go as at the end of a process, where the buffer that all write is still there.
Each queue costs as much in a long chain as in a short one."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
SHORT, LONG = 150, 900
MOST = 1.5  # times a queue's instructions in the short chain; where each queue looks at all others it is four times and more


def count(program, device, queues, how):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind"
        subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=*end_of_chain*", f"--callgrind-out-file={out}",
                        program, device, str(queues), how], check=True, capture_output=True)
        total = re.search(r"^(?:totals|summary): (\d+)", out.read_text(), re.MULTILINE)
    if total is None or int(total.group(1)) == 0:
        sys.exit("callgrind counted nothing")
    return int(total.group(1)) / queues


def main():
    program, device, how = sys.argv[1:]
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return SKIPPED
    short, long = count(program, device, SHORT, how), count(program, device, LONG, how)
    print(f"{how}: {short:.0f} instructions for each of {SHORT} queues, {long:.0f} for each of {LONG}; at most {MOST} times as many are allowed")
    return 1 if long > MOST * short else 0


if __name__ == "__main__":
    sys.exit(main())
