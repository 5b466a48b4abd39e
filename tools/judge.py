#!/usr/bin/env python3
"""Judges the failed tests of a run of ctest: each is run again alone, twice, with twice its patience.

Usage: judge.py JUNIT PRESET FOLDER. What passes both times is flaky: it is printed, its logs are in FOLDER, and FOLDER/flaky has its name.
What tests/strict.txt names, tests of order, signals, pools and memory, is run again for the record only. More than ten failed tests are no
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
RUNNER = "run_cases.py"
FAILED_CASE = re.compile(r"^\[  FAILED  \] (\S+)$", re.MULTILINE)
FAILED_PROCESS = re.compile(r"^\[  FAILED  \] the (?:start|end) of the process$", re.MULTILINE)
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


def environment_of(test):
    """{variable: value} that the test adds."""
    return dict(word.split("=", 1) for word in properties(test).get("ENVIRONMENT", []) if "=" in word)


def cases_of_failure(said):
    """The cases that failed, where it was they alone: what ends a process may be any case of it."""
    return [] if FAILED_PROCESS.search(said) else [name for name in FAILED_CASE.findall(said) if "." in name]


def options_of(words):
    """({option: value}, the rest) of words that begin with options as --name=value, --name value or --alone."""
    options, rest = {}, list(words)
    while rest and rest[0].startswith("--"):
        name, is_whole, value = rest.pop(0).partition("=")
        options[name] = value if is_whole or name == "--alone" else rest.pop(0)
    return options, rest


def command(test, cases):
    """The command again, with patience; of a ctest of many cases, those that are named, each in a process of its own."""
    words = list(test["command"])
    place = next((i for i, word in enumerate(words) if word.endswith(RUNNER)), None)
    if place is None:
        return words
    options, program = options_of(words[place + 1:])
    if "--seconds-each" in options:
        options["--seconds-each"] = str(PATIENCE * float(options["--seconds-each"]))
    if cases:
        options.pop("--filter", None)
        options |= {"--alone": "", "--cases": ":".join(cases)}
    return [*words[:place + 1], *(f"{name}={value}" if value else name for name, value in options.items()), *program]


def passes(has, status, said):
    """Whether ctest says so of a test with these properties: a text that it has to say counts instead of its status."""
    wanted = has.get("PASS_REGULAR_EXPRESSION")
    return status >= 0 and any(re.search(text, said, re.DOTALL) for text in wanted) if wanted else status == 0


def run_again(test, cases, environment, log):
    """Whether it passes; what it says goes to the log."""
    has = properties(test)
    share = {"TEST_SHARE": ""} if cases else {}  # a name has its turn by its place among others
    with log.open("w", encoding="utf-8") as file:
        try:
            result = subprocess.run(command(test, cases), cwd=has.get("WORKING_DIRECTORY"), env={**environment, **environment_of(test), **share},
                                    stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                                    timeout=PATIENCE * float(has.get("TIMEOUT", 1500)), check=False)
        except (subprocess.TimeoutExpired, OSError):
            return False
    return passes(has, result.returncode, log.read_text(encoding="utf-8", errors="replace"))


def strict_names():
    lines = (ROOT / "tests/strict.txt").read_text(encoding="utf-8").splitlines()
    return re.compile(rf"(\w+/)?({'|'.join(line for line in lines if line and not line.startswith('#'))})")


def judge(name, test, said, environment, folder, load):
    """Whether the failure is forgiven."""
    if "command" not in test:
        print(f"FAILED {name}: there is no such program")
        return False
    log = folder / re.sub(r"[^\w.-]+", "_", name)
    log.with_name(log.name + ".log").write_text(said, encoding="utf-8")
    cases = cases_of_failure(said)
    passed = sum(run_again(test, cases, environment, log.with_name(f"{log.name}.again{i}.log")) for i in range(TIMES))
    strict = any(map(strict_names().match, [name, *FAILED_CASE.findall(said)]))
    seeds = ", ".join(dict.fromkeys(SEED.findall(said))) or "none"
    words = f"{name}: passed {passed} of {TIMES} alone (load {load:.1f}, seed {seeds}, log {log.name}.log)"
    forgiven = passed == TIMES and not strict
    print("flaky " + words if forgiven else f"FAILED {words}" + (", and is strict" if strict else ""))
    return forgiven


def main(junit, preset, folder):
    failed = failures(junit)
    if not failed or len(failed) > MOST_ACCIDENTS:
        print(0)
        return
    load = os.getloadavg()[0]  # as the run that failed left it
    tests = known(preset)
    environment = {**os.environ, **preset_environment(preset)}
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    forgiven = {name: count for name, (said, count) in failed.items() if judge(name, tests.get(name, {}), said, environment, folder, load)}
    with (folder / "flaky").open("a", encoding="utf-8") as file:
        file.writelines(f"{name}\n" for name in forgiven)
    print(sum(forgiven.values()))


if __name__ == "__main__":
    main(*sys.argv[1:])
