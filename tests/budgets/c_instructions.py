#!/usr/bin/env python3
"""Instructions of one submission or replay through the C interface, beside the same one in C++, by callgrind:
`c_instructions.py CPP_PROGRAM C_PROGRAM list|recording`. Both counts are of this run and repeat exactly."""

import os
import sys

from instructions import count

# More than in C++; docs/adr/0022-the-c-interface.md says what they are.
MOST = 60


def main():
    cpp, c, kind = sys.argv[1:]
    os.environ["LD_BIND_NOW"] = "1"  # a first call through a shared library looks for its function otherwise
    in_cpp, in_c = count(cpp, kind), count(c, kind, measured="budgets::CPath::submit()")
    print(f"{in_c:.0f} instructions per round of {kind} in C, {in_cpp:.0f} in C++; the ceiling is {MOST} more")
    return 1 if in_c > in_cpp + MOST else 0


if __name__ == "__main__":
    sys.exit(main())
