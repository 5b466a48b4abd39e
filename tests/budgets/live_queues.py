#!/usr/bin/env python3
"""Instructions of one submission beside few queues and beside many, by callgrind: how many queues are alive does not matter."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
FEW, MANY = 10, 2_000
MEASURED = 50  # live_queues.cpp has the same
MOST = 1.5  # times those beside few; a look at each queue would be many times as many


def count(program, device, queues):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind"
        subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=*submit_and_wait(pintle::Queue&, pintle::Buffer const&)",
                        f"--callgrind-out-file={out}", program, device, str(queues)], check=True, capture_output=True)
        total = re.search(r"^(?:totals|summary): (\d+)", out.read_text(), re.MULTILINE)
    if total is None or int(total.group(1)) == 0:
        sys.exit("callgrind counted nothing")
    return int(total.group(1)) / MEASURED


def main():
    program, device = sys.argv[1:]
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return SKIPPED
    few, many = count(program, device, FEW), count(program, device, MANY)
    print(f"{few:.0f} instructions beside {FEW} queues, {many:.0f} beside {MANY}; at most {MOST} times as many are allowed")
    return 1 if many > MOST * few else 0


if __name__ == "__main__":
    sys.exit(main())
