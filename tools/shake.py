#!/usr/bin/env python3
"""Runs the tests of build/dev while other processes use the processors and memory, to find those that depend on time.

Without --changed: the whole suite once. What failed is judged as ./dev check does, and each run is added to build/shake/runs.jsonl, of
which the sum is printed. With --changed: the suites that a change touches, 30 times or 10 minutes, shuffled. The load is stress-ng's.
"""

import argparse
import contextlib
import datetime
import json
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import count_tests
import quick

LOAD = ["stress-ng", "--quiet", "--cpu", "2", "--vm", "2", "--vm-bytes", "1G"]
TIMES = 30
SECONDS = 600
LONGEST_CASE = 240
FOLDER = ROOT / "build/shake"


@contextlib.contextmanager
def load():
    process = subprocess.Popen(LOAD, stdin=subprocess.DEVNULL)
    try:
        yield
        if process.poll() is not None:
            sys.exit(f"shake: {' '.join(LOAD)} ended with {process.returncode} before the tests did.")
    finally:
        process.terminate()
        process.wait()


def run_all(arguments):
    """The record of one run of the suite."""
    start = time.monotonic()
    junit = FOLDER / "run.xml"
    with load():
        subprocess.run(["ctest", "--preset", "dev", "--output-junit", str(junit), "--test-output-size-passed", "1000000", *arguments], cwd=ROOT,
                       stdout=(FOLDER / "run.log").open("w", encoding="utf-8"), stderr=subprocess.STDOUT, check=False)
        counts = count_tests.count([junit])
        judged = subprocess.run([sys.executable, ROOT / "tools/judge.py", junit, "dev", FOLDER], text=True, stdout=subprocess.PIPE, check=False).stdout
    lines = judged.splitlines()[:-1]
    commit = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude", "*"], cwd=ROOT, text=True, stdout=subprocess.PIPE, check=False).stdout
    return {"day": str(datetime.date.today()), "commit": commit.strip(), "seconds": round(time.monotonic() - start), **counts, "judged": lines}


def text_of(runs):
    """A line for each run, and one for each test that failed in any."""
    lines = [f"{run['day']} {run['commit']}: {run['passed']} passed, {run['failed']} failed, {run['skipped']} skipped in {run['seconds']} s" for run in runs]
    words = [line for run in runs for line in run["judged"]]
    names = dict.fromkeys(line.split(":")[0] for line in words)
    lines += [f"{name}: {sum(line.split(':')[0] == name for line in words)} of {len(runs)} runs" for name in names]
    return lines


def run_changed(base):
    """Whether every suite that the change touches passes, again and again."""
    one = quick.Quick(ROOT, SECONDS)
    one.seconds_over = LONGEST_CASE
    suites = quick.suites_of(one.read_dependencies(), ROOT, quick.changed_files(ROOT, base))
    if not suites:
        print("shake: no test of build/dev depends on what differs.")
        return True
    with load():
        for program, names in sorted(suites.items()):
            pattern = quick.pattern_of(names)
            for turn in range(TIMES):
                if time.monotonic() > one.deadline or one.failed:
                    break
                one.run(f"{program} {turn + 1} of {TIMES}", [one.build / "bin" / program, f"--gtest_filter={pattern}", "--gtest_shuffle", "--gtest_brief=1"])
    return not one.failed and not one.skipped  # skipped: a suite that hangs


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--changed", nargs="?", const="HEAD", metavar="COMMIT", help="only what differs from a commit (HEAD)")
    options, arguments = parser.parse_known_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    if options.changed:
        return 0 if run_changed(options.changed) else 1
    record = run_all(arguments)
    with (FOLDER / "runs.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
    print(*text_of([json.loads(line) for line in (FOLDER / "runs.jsonl").read_text(encoding="utf-8").splitlines()]), sep="\n")
    is_bad = any(line.startswith("FAILED") for line in record["judged"]) or (record["failed"] and not record["judged"])
    return 1 if is_bad else 0


if __name__ == "__main__":
    sys.exit(main())
