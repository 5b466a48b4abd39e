"""Prints what the runs of random programs in a record add up to: random_record.py RECORD.md"""

import re
import sys
from collections import defaultdict

ROW = re.compile(r"^\| \d{4}-\d\d-\d\d \| (\S+) \| (\S+) \| ([0-9.]+) \| (\d+) \| (\d+) \|$")


def since_last_failure(lines):
    """Minutes and programs of each device or pair, from its last failure on."""
    sums = defaultdict(lambda: (0.0, 0))
    for line in lines:
        row = ROW.match(line.rstrip())
        if not row:
            continue
        devices, minutes, programs = row[2], float(row[3]), int(row[4])
        before = sums[devices]
        sums[devices] = (0.0, 0) if int(row[5]) else (before[0] + minutes, before[1] + programs)
    return sums


def main():
    with open(sys.argv[1], encoding="utf-8") as record:
        for devices, (minutes, programs) in since_last_failure(record).items():
            print(f"{devices:20} {minutes:7.1f} minutes {programs:10} programs without a failure")


if __name__ == "__main__":
    main()
