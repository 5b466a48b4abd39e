#!/usr/bin/env python3
"""Steps of tinygrad's JIT on PINTLE beside tinygrad's own device, by turns in one process: `run.py [--device cpu] [--own CPU] [--steps 300]`.

Needs an environment with tinygrad and pintle-tinygrad; build/dev/tests/tinygrad/venv is one after `ctest --preset dev -R tinygrad.environment`. A
step is the call and its kernels, until the device is done. Prints the day, the commit and the machine's load, then a table: medians in microseconds
with their interval (10th and 90th percentile).
"""

import argparse
import os
import subprocess
import time
from pathlib import Path
from time import perf_counter_ns as now


def by_turns(sides, steps):
    """The times of both sides, (begin, finish) each, in microseconds, sorted."""
    times = ([], [])
    for i in range(steps):
        for which in ((0, 1), (1, 0))[i % 2]:
            begin, finish = sides[which]
            start = now()
            begin()
            finish()
            times[which].append((now() - start) / 1000)
    return [sorted(each) for each in times]


def measured(make, own, steps):
    """The times of one model. Both sides have the same results."""
    import numpy as np
    from tinygrad import Device
    sides = [(make(device), Device[device].synchronize) for device in ("PINTLE", own)]
    for _ in range(8):
        a, b = (begin().numpy() for begin, _ in sides)
        assert np.allclose(a, b, rtol=1e-4, atol=1e-5), (a, b)
    return by_turns(sides, steps)


def interval(times):
    """The median with the 10th and the 90th percentile of sorted times, as a cell."""
    low, middle, high = (times[len(times) * part // 10] for part in (1, 5, 9))
    return f"{middle:,.0f} us ({low:,.0f} to {high:,.0f})"


def row(name, sides):
    """The table's row of one model; the ratio is that of the medians."""
    ours, theirs = (side[len(side) // 2] for side in sides)
    return f"| {name} | {interval(sides[0])} | {interval(sides[1])} | {ours / theirs:.2f} |"


def commit():
    """What is measured: this tree's commit, with a word where files differ from it."""
    git = subprocess.run(["git", "-C", Path(__file__).parent, "describe", "--always", "--dirty", "--exclude", "*"], capture_output=True, text=True, timeout=60,
                         check=False)
    return git.stdout.strip() or "unknown"


def load():
    """How busy the machine is, beside its processors."""
    return f"{os.getloadavg()[0]:.1f} of {os.cpu_count()} processors"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="an id of Pintle's")
    parser.add_argument("--own", default="CPU", help="a device of tinygrad's")
    parser.add_argument("--steps", type=int, default=300)
    options = parser.parse_args()
    os.environ.update(DEV="PINTLE", TINYGRAD_PINTLE_DEVICES=options.device)
    import models
    print(f"{time.strftime('%F')}, commit {commit()}, {options.steps} steps, load {load()} at the start\n")
    print(f"| a step | {options.device}: p50 (p10 to p90) | {options.own}: p50 (p10 to p90) | ratio of the medians |\n|---|---|---|---|")
    for name, make in models.MODELS.items():
        print(row(name, measured(make, options.own, options.steps)), flush=True)
    print(f"\nload {load()} at the end")


if __name__ == "__main__":
    main()
