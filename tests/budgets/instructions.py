#!/usr/bin/env python3
"""Instructions of one round, a submission or a pool's buffer and back, by callgrind, beside the ceiling in instructions.json. The counts of
what one thread does repeat exactly, so a rise is a change of the code; a round trip has a worker beside it, so its count is the least of some
runs. `--write` records the present count and a tenth more."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
CEILINGS = Path(__file__).with_name("instructions.json")
SUBMISSIONS = 200  # measured of rounds.h
HEADROOM = 1.1
RUNS = {"round_trip": 5}  # until one is below the ceiling; others: 1


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def count(program, kind, measured="budgets::HotPath::submit()", rounds=SUBMISSIONS):
    if shutil.which("valgrind") is None:
        skip("valgrind is not installed")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind"
        subprocess.run(["valgrind", "--tool=callgrind", f"--toggle-collect={measured}", f"--callgrind-out-file={out}",
                        program, kind], check=True, capture_output=True)
        total = re.search(r"^(?:totals|summary): (\d+)", out.read_text(), re.MULTILINE)
    if total is None or int(total.group(1)) == 0:
        sys.exit("callgrind counted nothing")
    return int(total.group(1)) / rounds


def least(program, kind, ceiling):
    found = count(program, kind)
    for _ in range(1, RUNS.get(kind, 1)):
        if found > ceiling:
            found = min(found, count(program, kind))
    return found


def main():
    write = "--write" in sys.argv
    program, kind, build = [word for word in sys.argv[1:] if word != "--write"]
    ceilings = json.loads(CEILINGS.read_text()) if CEILINGS.is_file() else {}
    if build not in ceilings and not write:
        skip(f"no ceiling is recorded for the build type {build}")
    found = least(program, kind, 0 if write else ceilings[build][kind])
    if write:
        ceilings.setdefault(build, {})[kind] = round(found * HEADROOM)
        CEILINGS.write_text(json.dumps(ceilings, indent=2, sort_keys=True) + "\n")
    ceiling = ceilings[build][kind]
    print(f"{found:.0f} instructions per round of {kind}; the ceiling is {ceiling}")
    return 1 if found > ceiling else 0


if __name__ == "__main__":
    sys.exit(main())
