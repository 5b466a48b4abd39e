#!/usr/bin/env python3
"""Runs the tests of build/dev while other processes use the processors and memory, to find those that depend on time.

Without --changed: the whole suite once, or what ctest's arguments choose. What failed is judged as ./dev check does, and each run is added to
build/shake/runs.jsonl, of which the sum is printed: whole runs together, and those with the same arguments. With --changed: the suites, scripts
and programs that a change touches, 30 times or 10 minutes, each once a turn, suites shuffled. The load is stress-ng's.
"""

import argparse
import contextlib
import datetime
import json
import random
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
    junit.unlink(missing_ok=True)
    log = FOLDER / "run.log"
    with load():
        with log.open("w", encoding="utf-8") as file:
            subprocess.run(["ctest", "--preset", "dev", "--output-junit", str(junit), "--test-output-size-passed", "1000000", *arguments], cwd=ROOT,
                           stdout=file, stderr=subprocess.STDOUT, check=False)
        if not junit.exists():
            sys.exit(f"shake: ctest ran no test: {log}")
        counts = count_tests.count([junit])
        judged = subprocess.run([sys.executable, ROOT / "tools/judge.py", junit, "dev", FOLDER], text=True, stdout=subprocess.PIPE, check=False).stdout
    lines = judged.splitlines()[:-1]
    commit = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude", "*"], cwd=ROOT, text=True, stdout=subprocess.PIPE, check=False).stdout
    return {"day": str(datetime.date.today()), "commit": commit.strip(), "arguments": arguments, "seconds": round(time.monotonic() - start), **counts,
            "judged": lines}


def arguments_of(run):
    return " ".join(run.get("arguments", []))


def text_of(runs):
    """For whole runs, and for those with the same arguments, a line for each run and one for each test that failed in any."""
    lines = []
    for arguments in dict.fromkeys(map(arguments_of, runs)):
        some = [run for run in runs if arguments_of(run) == arguments]
        chosen = f" with {arguments}" if arguments else ""
        lines += [f"{run['day']} {run['commit']}{chosen}: {run['passed']} passed, {run['failed']} failed, {run['skipped']} skipped in {run['seconds']} s"
                  for run in some]
        names = [line.partition(": ")[0] for run in some for line in run["judged"]]
        lines += [f"{name}: {names.count(name)} of {len(some)} runs{chosen}" for name in dict.fromkeys(names)]
    return lines


def changed_tests(one, base):
    """{name: what starts it, with a turn's name and number} of the suites, scripts and programs that have changed."""
    files = quick.changed_files(ROOT, base)
    deps, tests = one.read_dependencies(), one.ctests()
    suites = quick.suites_of(deps, ROOT, files)
    sources = {str(ROOT / path) for path in files if path.endswith((".cpp", ".c"))}
    programs = quick.programs_of(quick.dependents(deps, sources, one.build)) - set(suites)
    first = random.randrange(1, 90000)  # GoogleTest's seeds end at 99999

    def suite(program, filters):
        return lambda what, turn: one.run_suites(f"{what}, seed {first + turn}", program, filters, tests, "--gtest_shuffle",
                                                 f"--gtest_random_seed={first + turn}")

    return {**{program: suite(program, filters) for program, filters in sorted(suites.items())},
            **{name: lambda what, turn, name=name: one.run_ctest(name, what) for name in sorted(quick.ctests_of(tests, ROOT, files, programs))}}


def take_turns(started, deadline):
    """({name: how often it ran}, names of those that did not end well): a turn runs each once, so that none waits for another's thirty."""
    ran, bad = dict.fromkeys(started, 0), set()
    for turn in range(TIMES):
        for name, start in started.items():
            if name in bad or time.monotonic() > deadline:
                continue
            ran[name] += 1
            if not start(f"{name} {turn + 1} of {TIMES}", turn):
                bad.add(name)
    return ran, bad


def run_changed(base):
    """Whether every test that the change touches ran, and passed again and again."""
    one = quick.Quick(ROOT, SECONDS)
    one.seconds_over = LONGEST_CASE
    started = changed_tests(one, base)
    if not started:
        print("shake: no test of build/dev depends on what differs.")
        return True
    with load():
        ran, bad = take_turns(started, one.deadline)
    for name, times in ran.items():
        print(f"{'ok' if times and name not in bad else 'FAILED':<7} {name}: ran {times} of {TIMES}")
    return not bad and all(ran.values())


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
    is_bad = any(line.startswith("FAILED") for line in record["judged"]) or (record["failed"] and not record["judged"]) or not record["passed"]
    return 1 if is_bad else 0


if __name__ == "__main__":
    sys.exit(main())
