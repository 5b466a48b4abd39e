#!/usr/bin/env python3
"""Steps of tinygrad's JIT on PINTLE beside tinygrad's own device, by turns in one process: `run.py [--device cpu] [--own CPU] [--steps 300]`.

Needs an environment with tinygrad and pintle-tinygrad; build/dev/tests/tinygrad/venv is one after `ctest --preset dev -R tinygrad.environment`. A
step is the call and its kernels, until the device is done. Prints a table of medians and 90th percentiles in microseconds.
"""

import argparse
import os
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="an id of Pintle's")
    parser.add_argument("--own", default="CPU", help="a device of tinygrad's")
    parser.add_argument("--steps", type=int, default=300)
    options = parser.parse_args()
    os.environ.update(DEV="PINTLE", TINYGRAD_PINTLE_DEVICES=options.device)
    import models
    print(f"| a step | {options.device}: p50, p90 | {options.own}: p50, p90 | ratio of the medians |\n|---|---|---|---|")
    for name, make in models.MODELS.items():
        sides = measured(make, options.own, options.steps)
        (a, b), (c, d) = ((side[len(side) // 2], side[len(side) * 9 // 10]) for side in sides)
        print(f"| {name} | {a:,.0f} us, {b:,.0f} us | {c:,.0f} us, {d:,.0f} us | {a / c:.2f} |", flush=True)


if __name__ == "__main__":
    main()
