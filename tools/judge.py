#!/usr/bin/env python3
"""Judges the failed tests of a run of ctest: each is run again alone, twice, with twice its patience.

Usage: judge.py JUNIT PRESET FOLDER. What passes both times is flaky: it is printed, its logs are in FOLDER, and FOLDER/flaky has its name.
Tests with the label strict, of order, signals, pools and memory, are run again for the record only. More than ten failed tests are no
accident, and are not run again. The last line is how many failed cases are forgiven.
"""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from count_tests import cases_of, outcome

MOST_ACCIDENTS = 10
TIMES = 2
PATIENCE = 2
FAILED_CASE = re.compile(r"^\[  FAILED  \] (\S+)$", re.MULTILINE)
SEED = re.compile(r"\bseeds?\b[ =:]*(\d+)")


def failures(junit):
    """{name: (what it said, how many cases failed)}"""
    cases = ElementTree.parse(junit).getroot().iter("testcase")
    return {case.get("name"): (case.findtext("system-out") or "", cases_of(case)["failed"]) for case in cases if outcome(case) == "failed"}


def preset_environment(preset):
    """What the test preset adds to the environment."""
    presets = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))["testPresets"]
    found = next(one for one in presets if one["name"] == preset).get("environment", {})
    return {name: value.replace("${sourceDir}", str(ROOT)) for name, value in found.items()}


def known(preset):
    """{name: its test} as ctest has them."""
    said = subprocess.run(["ctest", "--preset", preset, "--show-only=json-v1"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {test["name"]: test for test in json.loads(said[said.index("{"):])["tests"]}


def properties(test):
    return {one["name"]: one["value"] for one in test.get("properties", [])}


def command(test, said):
    """The command again; of a ctest of many cases, those that failed, each in a process of its own."""
    words = list(test["command"])
    failed = [name for name in FAILED_CASE.findall(said) if "." in name]
    if not failed or not any(word.endswith("run_cases.py") for word in words):
        return words
    patient = [re.sub(r"^(--seconds-each=)(.*)", lambda match: f"{match[1]}{PATIENCE * float(match[2])}", word) for word in words]
    place = next(i for i, word in enumerate(patient) if word.endswith("run_cases.py")) + 1
    return [*patient[:place], "--alone", *(f"--cases={':'.join(failed)}" if word.startswith("--cases=") else word for word in patient[place:])]


def run_again(test, said, environment, log):
    """Whether it passes; what it says goes to the log."""
    has = properties(test)
    environment = {**environment, **dict(word.partition("=")[::2] for word in has.get("ENVIRONMENT", []) if word)}
    with log.open("w", encoding="utf-8") as file:
        try:
            result = subprocess.run(command(test, said), cwd=has.get("WORKING_DIRECTORY"), env=environment, stdin=subprocess.DEVNULL, stdout=file,
                                    stderr=subprocess.STDOUT, timeout=PATIENCE * float(has.get("TIMEOUT", 1500)), check=False)
        except subprocess.TimeoutExpired:
            return False
    return result.returncode == 0


def judge(name, test, said, environment, folder):
    """Whether the failure is forgiven."""
    log = folder / re.sub(r"[^\w.-]+", "_", name)
    log.with_name(log.name + ".log").write_text(said, encoding="utf-8")
    passes = sum(run_again(test, said, environment, log.with_name(f"{log.name}.again{i}.log")) for i in range(TIMES))
    strict = "strict" in properties(test).get("LABELS", [])
    seeds = ", ".join(dict.fromkeys(SEED.findall(said))) or "none"
    words = f"{name}: passed {passes} of {TIMES} alone (load {os.getloadavg()[0]:.1f}, seed {seeds}, log {log.name}.log)"
    forgiven = passes == TIMES and not strict
    print("flaky " + words if forgiven else f"FAILED {words}" + (", and is strict" if strict else ""))
    return forgiven


def main(junit, preset, folder):
    failed = failures(junit)
    if not failed or len(failed) > MOST_ACCIDENTS:
        print(0)
        return
    tests = known(preset)
    environment = {**os.environ, **preset_environment(preset), "TEST_SHARE": ""}
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    forgiven = {name: count for name, (said, count) in failed.items() if name in tests and judge(name, tests[name], said, environment, folder)}
    with (folder / "flaky").open("a", encoding="utf-8") as file:
        file.writelines(f"{name}\n" for name in forgiven)
    print(sum(forgiven.values()))


if __name__ == "__main__":
    main(*sys.argv[1:])
