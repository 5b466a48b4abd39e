#!/usr/bin/env python3
"""Instructions of the host in one launch and its wait on `vulkan`, beside the same calls by hand, by callgrind and over a driver whose calls
do nothing: `instructions.py PROGRAM`. The counts are of this run and repeat exactly. No time of a GPU is in them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import instructions

# More than by hand: a recorded launch, and one in a list, which is also checked, ordered and recorded.
MOST = {"recording": 4200, "list": 4500}
LAUNCHES = 250  # rounds of launches.cpp


def main():
    program = sys.argv[1]
    by_hand = instructions.count(program, "hand", "budgets::ByHand::launch()", LAUNCHES)
    is_over = False
    for way, most in MOST.items():
        ours = instructions.count(program, way, "budgets::Ours::launch()", LAUNCHES)
        print(f"{ours:.0f} instructions of a launch and its wait ({way}), {by_hand:.0f} by hand; the ceiling is {most} more")
        is_over |= ours > by_hand + most
    return 1 if is_over else 0


if __name__ == "__main__":
    sys.exit(main())
