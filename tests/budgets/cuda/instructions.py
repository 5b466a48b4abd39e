#!/usr/bin/env python3
"""Instructions of a launch in a list on `cuda`, beside the same calls by hand, by callgrind and over a driver whose calls do nothing:
`instructions.py PROGRAM`. Both counts are of this run and repeat exactly."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import instructions

# More than by hand, a command. The reach is 300: core's check of the list and its order take about a half, the backend's passes over it the rest.
MOST = 1000
LAUNCHES = 100 * (100 + 20)  # launches, rounds and warm_up of submissions.cpp


def main():
    program = sys.argv[1]
    ours = instructions.count(program, "ours", "budgets::CudaPath::submit()", LAUNCHES)
    by_hand = instructions.count(program, "hand", "budgets::ByHand::submit()", LAUNCHES)
    print(f"{ours:.0f} instructions of submit for a launch, {by_hand:.0f} by hand; the ceiling is {MOST} more")
    return 1 if ours > by_hand + MOST else 0


if __name__ == "__main__":
    sys.exit(main())
