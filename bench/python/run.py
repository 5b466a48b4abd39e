#!/usr/bin/env python3
"""Python beside C++: one launch, and a recording of 100, by turns in pairs of blocks; and `import pintle` beside an empty Python.

Prints a table, and below it each reach that is missed; --strict ends with 1 then. Give it the folder of a build:
`run.py build/release [--device cpu] [--pairs 31] [--strict]`.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from time import perf_counter_ns as now

import measure

# The figures, and how much more than C++ they may take, in nanoseconds.
WHAT = {"submit": ("a launch, hot: what the caller pays", 1500), "launch": ("a launch and its wait", 1500),
        "replay": ("a kernel of a recording of 100, with the wait", 50)}
IMPORT = 30  # milliseconds


def quantile(values, fraction):
    ordered = sorted(values)
    place = fraction * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


class Reference:
    """The process of reference.cpp, which sleeps while Python measures."""

    def __init__(self, program, pack, device):
        self.process = subprocess.Popen([program, pack, device], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def block(self, figure):
        self.process.stdin.write(figure + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"The reference ended with {self.process.wait()}.")
        return [float(each) for each in line.split()]

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def by_turns(pairs, ours, theirs):
    """(our samples, their samples, the median of the pairs' differences). The order changes from pair to pair."""
    sides, differences = ([], []), []
    for turn in range(pairs):
        block = {}
        for side in ((0, 1) if turn % 2 == 0 else (1, 0)):
            block[side] = (ours, theirs)[side]()
            sides[side].extend(block[side])
        differences.append(quantile(block[0], 0.5) - quantile(block[1], 0.5))
    return *sides, quantile(differences, 0.5)


def start(code):
    """A block of one sample: a process of Python, in nanoseconds."""
    def block():
        begin = now()
        subprocess.run([sys.executable, "-c", code], check=True)
        return [now() - begin]
    return block


def row(name, unit, scale, samples, reach=None):
    """A line of the table. `reach`, in the unit: the most that may be more; None: there is no such limit."""
    ours, theirs, difference = samples
    numbers = [quantile(side, fraction) / scale for side in (ours, theirs) for fraction in (0.5, 0.99)]
    more = difference / scale
    judged = "" if reach is None else f"at most {reach:,} {unit} more: {'kept' if more <= reach else 'missed'}"
    return [name, unit, *(f"{each:,.1f}" for each in numbers), f"{more:,.1f}", judged]


def built(build, name):
    """A file of the build."""
    file = build / name
    if not file.exists():
        raise SystemExit(f"{build} has no {name}: ./dev build {build.name} bench_python_reference pintle_python")
    return str(file)


def launches(options, build, pack, rig):
    reference = Reference(built(build, "bin/bench_python_reference"), pack, options.device)
    for figure, body in measure.FIGURES.items():
        samples = by_turns(options.pairs, lambda body=body: body(rig), lambda figure=figure: reference.block(figure))
        yield row(WHAT[figure][0], "ns", 1, samples, WHAT[figure][1])
    reference.end()


def rows(options):
    build = options.build.resolve()
    sys.path.insert(0, str(build / "python"))
    pack, library = built(build, "python/pintle/saxpy.pack"), built(build, "bench/python/bench_python_empty.so")
    rig = measure.Rig(pack, options.device)
    yield from launches(options, build, pack, rig)
    samples = by_turns(options.pairs, lambda: measure.submit(rig), lambda: measure.empty_call(library))
    yield row("a launch, hot, beside ctypes and an empty function of C", "ns", 1, samples)
    by_functions = measure.taken_by_functions(library)
    samples = by_turns(options.pairs, lambda: by_functions(rig.device), lambda: measure.taken_by_methods(rig.device))
    yield row("`from_dlpack` by DLPack's functions for C, beside NumPy's `__dlpack__`", "ns", 1, samples)
    path = f"import sys; sys.path.insert(0, {str(build / 'python')!r})"
    samples = by_turns(options.pairs, start(f"{path}; import pintle"), start(path))
    yield row("`import pintle` beside an empty Python", "ms", 1e6, samples, IMPORT)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--pairs", type=int, default=31)
    parser.add_argument("--strict", action="store_true", help="ends with 1 where a reach is missed")
    options = parser.parse_args()
    if options.pairs < 1:
        parser.error(f"the pairs ({options.pairs}) are at least 1")
    table = [["figure", "unit", "p50", "p99", "reference p50", "reference p99", "more", "reach"], *rows(options)]
    missed = [each for each in table if each[-1].endswith("missed")]
    table.insert(1, ["---"] * len(table[0]))
    for each in table:
        print(f"| {' | '.join(each)} |")
    for each in missed:
        print(f"missed: {each[0]}: {each[-2]} {each[1]} more")
    return 1 if missed and options.strict else 0


if __name__ == "__main__":
    sys.exit(main())
