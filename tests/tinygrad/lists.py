#!/usr/bin/env python3
"""tinygrad's own tests on a device: `lists.py run DEVICE [FILE...]`, then `lists.py table` and `lists.py check`.

DEVICE is an id of Pintle's (cpu, opencl:pocl, opencl:intel), or CPU, CL or CL-intel, a device of tinygrad's own. The tests are files of a checkout,
PINTLE_CORPORA/tinygrad/tinygrad, at the commit that tests/foreign/list.csv has, which fits the wheel; `run` refuses another commit. What comes out is in
OUT/DEVICE.json (--out, build/tinygrad): for each file the day, the commit and the outcome of each test. `table` prints what docs/guide/tinygrad.md has;
`check` fails for a test that fails here and passes on tinygrad's own device, and where that device says nothing.
"""

import argparse
import csv
import datetime
import json
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REPOSITORY = "tinygrad/tinygrad"
OWN = {"cpu": "CPU", "cpu?inline": "CPU", "opencl:pocl": "CL", "opencl:intel": "CL-intel"}  # what a device of Pintle's is compared with
SKIPPED = 77


def files():
    """The files of list.csv, and the commit that a checkout has to be at."""
    with open(ROOT / "tests" / "foreign" / "list.csv", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["repository"] == REPOSITORY and row["file"].startswith("test/")]
    return [row["file"] for row in rows], rows[0]["commit"]


def checkout():
    folder = Path(os.environ.get("PINTLE_CORPORA", "")) / REPOSITORY
    if "PINTLE_CORPORA" not in os.environ or not (folder / "test").is_dir():
        print(f"skipped: PINTLE_CORPORA has no {REPOSITORY}; tests/foreign/README.md says how it gets there")
        sys.exit(SKIPPED)
    return folder


def commit_problem(folder, wanted):
    """Why the tests of a checkout are not those of the list; empty where they are."""
    git = subprocess.run(["git", "-C", folder, "rev-parse", "HEAD"], capture_output=True, text=True, timeout=60, check=False)
    there = git.stdout.strip()
    return "" if there == wanted else f"{folder} is at {there or git.stderr.strip()}; tests/foreign/list.csv has {wanted}."


def stage(folder, out):
    """A folder with the checkout's tests and without its tinygrad: the wheel's is tested."""
    where = out / "stage"
    where.mkdir(parents=True, exist_ok=True)
    for name in ("test", "extra", "examples"):
        link = where / name
        if link.is_symlink():
            link.unlink()
        link.symlink_to(folder / name)
    return where


def environment(device, out):
    """The variables of a run on a device."""
    its = {**os.environ, "CACHEDB": str(out / "cache.db"), "PYTHONDONTWRITEBYTECODE": "1"}
    if device in ("CPU", "CL", "CL-intel"):
        its["DEV"] = device.partition("-")[0]
    else:
        its.update(DEV="PINTLE", TINYGRAD_PINTLE_DEVICES=device)
    return its


def outcome(case):
    kinds = {child.tag for child in case}
    return "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"


def outcomes(path):
    """The outcome of each test, from pytest's file."""
    return {f"{case.get('classname').rpartition('.')[2]}.{case.get('name')}": outcome(case) for case in ElementTree.parse(path).iter("testcase")}


def run_file(options, device, file, where):
    """One process of pytest. One that is killed or runs out of time has failed as a whole."""
    report = options.out / "report.xml"
    report.unlink(missing_ok=True)
    command = [options.python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "faulthandler_timeout=300", f"--junit-xml={report}", file]
    if options.match:
        command += ["-k", options.match]
    start = time.monotonic()
    try:
        status = subprocess.run(command, cwd=where, env=environment(device, options.out), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                timeout=options.seconds, check=False)
        (options.out / f"{device.replace(':', '_')}-{Path(file).parent.name}-{Path(file).stem}.log").write_text(status.stdout, encoding="utf-8")
        found = outcomes(report) if report.exists() else {"the whole file": f"ended with {status.returncode}"}
    except subprocess.TimeoutExpired:
        found = {"the whole file": f"not done within {options.seconds} s"}
    return {"seconds": round(time.monotonic() - start), "tests": found}


def known(options, device):
    path = options.out / f"{device.replace(':', '_')}.json"
    return path, json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def run(options):
    listed, commit = files()
    folder = checkout()
    if problem := commit_problem(folder, commit):
        sys.exit(problem)
    where = stage(folder, options.out.resolve())
    options.out = options.out.resolve()
    wanted = [file for file in listed if not options.files or any(part in file for part in options.files)]
    for file in wanted:
        result = {"date": f"{datetime.date.today()}", "commit": commit, **run_file(options, options.device, file, where)}
        path, all_of_it = known(options, options.device)
        all_of_it[file] = result
        path.write_text(json.dumps(all_of_it, indent=1), encoding="utf-8")
        print(f"{options.device} {file}: {result['seconds']} s, {counts(result)}", flush=True)


def counts(result):
    values = list(result["tests"].values())
    words = [f"{values.count(word)} {word}" for word in ("passed", "failed", "skipped")]
    return ", ".join(words + [value for value in values if value not in ("passed", "failed", "skipped")])


def worse(ours, theirs):
    """The tests that pass on tinygrad's own device and do not on ours."""
    return [name for name, how in theirs["tests"].items() if how == "passed" and ours["tests"].get(name) not in ("passed", "skipped")]


def own_problem(result):
    """Why a file's result on tinygrad's own device is nothing to compare with; empty where it is. Tests that are all skipped there may be."""
    return "" if "passed" in result["tests"].values() or set(result["tests"].values()) == {"skipped"} else f"no test passed: {counts(result)}"


def results(options):
    """(device, its own device of tinygrad's, file, our result, their result or None) for all that ran on a device of Pintle's."""
    for device, own in OWN.items():
        theirs = known(options, own)[1]
        for file, ours in known(options, device)[1].items():
            yield device, own, file, ours, theirs.get(file)


def values_of(rows, what):
    """The different values of a key in the results of rows, in order."""
    return ", ".join(sorted({each.get(what, f"no {what}") for *_, ours, theirs in rows for each in (ours, theirs)}))


def table(options):
    rows = [row for row in results(options) if row[-1] is not None]
    print(f"Day: {values_of(rows, 'date')}. tinygrad's commit: {values_of(rows, 'commit')}.\n")
    print("| file | device | passed | failed | skipped | tinygrad's own: passed | failed | skipped | fails here alone |\n|---|---|---|---|---|---|---|---|---|")
    for device, _, file, ours, theirs in rows:
        numbers = [list(each["tests"].values()).count(word) for each in (ours, theirs) for word in ("passed", "failed", "skipped")]
        print(f"| {file.removeprefix('test/')} | {device} | {' | '.join(map(str, numbers))} | {', '.join(worse(ours, theirs)) or '–'} |")


def file_problems(own, ours, theirs, commit):
    """What is wrong with one file on one device of Pintle's."""
    if theirs is None:
        return [f"did not run on {own}"]
    old = [f"ran at commit {each.get('commit')}; tests/foreign/list.csv has {commit}" for each in (ours, theirs) if each.get("commit") != commit]
    nothing = own_problem(theirs)
    return old[:1] + ([f"on {own} {nothing}"] if nothing else []) + [f"{name} passes on {own}" for name in worse(ours, theirs)]


def check(options):
    commit, rows = files()[1], list(results(options))
    wrong = [f"{device} {file}: {problem}" for device, own, file, ours, theirs in rows for problem in file_problems(own, ours, theirs, commit)]
    if not rows:
        wrong = [f"{options.out} has no result of {', '.join(OWN)}: `run` comes first."]
    print("\n".join(wrong) or f"No test fails that passes on tinygrad's own device: {len(rows)} files.")
    sys.exit(1 if wrong else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("run", "table", "check"))
    parser.add_argument("device", nargs="?", default="cpu")
    parser.add_argument("files", nargs="*", help="parts of the files' names")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "tinygrad")
    parser.add_argument("--python", default=str(ROOT / "build" / "dev" / "tests" / "tinygrad" / "venv" / "bin" / "python"))
    parser.add_argument("--seconds", type=int, default=14400, help="for each file: 4 hours unless given")
    parser.add_argument("--match", help="pytest's -k")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    {"run": run, "table": table, "check": check}[options.verb](options)


if __name__ == "__main__":
    main()
