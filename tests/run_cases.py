#!/usr/bin/env python3
"""Runs cases of a GoogleTest program in one process, or with --alone in a process each.

A case that ends its process, or that takes longer than it may, has failed, and the cases after it run in a new process. What is
printed: what failed cases said, why cases were skipped, and a line "N passed, N failed, N skipped". Exit status: 1 where one failed,
77 where none passed. With TEST_SHARE=PRESET:TURN the cases of other turns are left out, and the line ends with ", N left".

With --list, prints the ctests of a program: a line each, with its name, "alone" or "together", and its cases.
"""

import argparse
import functools
import json
import os
import re
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import shares

ROOT = Path(__file__).resolve().parent.parent
CASES_OF_A_PROCESS = 40
# What a source has whose cases change, end or copy their process: other cases are not to see that.
OWN_PROCESS = re.compile(r"\bsetenv\(|\bfork\(\)|forked\.h|other_process\.h|(EXPECT|ASSERT)_(EXIT|DEATH)|\b_?exit\(")
RUN = re.compile(rb"^\[ RUN      \] (\S+)", re.MULTILINE)
END = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] (\S+?)(?:,|\s|$)")


def listed(program, arguments, pattern):
    """{(suite, whether its cases need processes of their own): [full name]} of what the pattern leaves."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([program, *arguments, "--gtest_list_tests", f"--gtest_filter={pattern}", f"--gtest_output=json:{file.name}"],
                       stdout=subprocess.DEVNULL, check=True)
        suites = json.load(open(file.name, encoding="utf-8"))["testsuites"]
    found = {}
    for suite in suites:
        for case in suite["testsuite"]:
            found.setdefault((suite["name"], is_alone(case["file"])), []).append(f"{suite['name']}.{case['name']}")
    return found


@functools.cache
def is_alone(source):
    path = ROOT / source
    return path.is_file() and OWN_PROCESS.search(path.read_text(encoding="utf-8")) is not None


def device_of(case):
    """What a case is run on, so that those of a device share a process: the part behind the last "/"."""
    return case.rpartition("/")[2] if "/" in case else ""


def groups(suites):
    """(name, "alone" or "together", [full names]) of at most so many cases of a suite."""
    parts_of = {}
    for (suite, alone), cases in suites.items():
        ordered = sorted(cases, key=device_of)
        for i in range(0, len(ordered), CASES_OF_A_PROCESS):
            parts_of[suite] = number = parts_of.get(suite, 0) + 1
            yield (suite if number == 1 else f"{suite}.{number}"), "alone" if alone else "together", ordered[i : i + CASES_OF_A_PROCESS]


class Process:
    """One process that runs cases, read line by line until it ends or a case takes too long."""

    def __init__(self, command, cases, seconds_each):
        self.started = []
        self.outcomes = {}  # {case: "OK", "FAILED" or "SKIPPED"}
        self.words = {}  # {case: what it said}
        self.before = []
        self.why = None
        self.seconds_each = seconds_each
        self.process = subprocess.Popen([*command, f"--gtest_filter={':'.join(cases)}", "--gtest_color=no"], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)

    def lines(self):
        """Lines until the end of the output, None where a case has no time left."""
        rest = b""
        deadline = time.monotonic() + self.seconds_each
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while True:
                if not selector.select(max(0, deadline - time.monotonic())):
                    yield None
                    return
                some = os.read(self.process.stdout.fileno(), 1 << 16)
                if not some:
                    break
                if RUN.search(rest + some):
                    deadline = time.monotonic() + self.seconds_each
                *whole, rest = (rest + some).split(b"\n")
                yield from whole
        if rest:
            yield rest

    def run(self):
        for raw in self.lines():
            if raw is None:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.why = f"did not end within {self.seconds_each} s"
                break
            self.read(raw.decode(errors="replace"))
        status = self.process.wait()
        cut = any(case not in self.outcomes for case in self.started)
        expected = 1 if "FAILED" in self.outcomes.values() else 0
        if self.why is None and (cut or status != expected):
            self.why = f"ended its process: {signal.Signals(-status).name}" if status < 0 else f"ended its process with status {status}"
        return self

    def read(self, line):
        begun = RUN.match(line.encode())
        if begun:
            self.started.append(begun[1].decode())
            return
        case = self.started[-1] if self.started else None
        end = END.match(line)
        if end and end[2] == case and case not in self.outcomes:
            self.outcomes[case] = end[1]
        elif case is None or case in self.outcomes:
            self.before.append(line)
        else:
            self.words.setdefault(case, []).append(line)


class Runner:
    def __init__(self, command, seconds_each):
        self.command = command
        self.seconds_each = seconds_each
        self.counts = {"OK": 0, "FAILED": 0, "SKIPPED": 0}
        self.failures = []

    def say(self, outcome, case, words):
        self.counts[outcome] += 1
        lines = [f"[{outcome:^10}] {case}", *(f"  {line}" for line in words)]
        if outcome == "FAILED":
            self.failures += lines
        elif outcome == "SKIPPED":
            print(*lines, sep="\n")

    def run(self, cases):
        while cases:
            done = Process(self.command, cases, self.seconds_each).run()
            for case in done.started:
                if case in done.outcomes:
                    self.say(done.outcomes[case], case, done.words.get(case, []))
            cut = [case for case in done.started if case not in done.outcomes]
            for case in cut:
                self.say("FAILED", case, [*done.words.get(case, []), f"The case {done.why}."])
            left = [case for case in cases if case not in done.started]
            if done.why and not cut:  # all that began have an end: the process failed before the first case, or after the last one
                self.say("FAILED", "the end of the process", [*done.before[-60:], f"After {done.started[-1] if done.started else 'no case'} the program {done.why}."])
                left = left if done.started else []
            elif not done.started:
                self.say("FAILED", "the start of the process", [*done.before[-60:], f"No case of {', '.join(cases)} ran."])
                return
            cases = left


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--filter", default="*", help="which cases, as GoogleTest's filters are")
    parser.add_argument("--cases", help="names of cases with : between them, instead of a filter")
    parser.add_argument("--alone", action="store_true", help="each case in a process of its own")
    parser.add_argument("--seconds-each", type=float, default=120)
    parser.add_argument("program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.list:
        for name, how, cases in groups(listed(options.program, options.arguments, options.filter)):
            print(name, how, ":".join(cases))
        return 0
    if options.cases is None:
        cases = [case for some in listed(options.program, options.arguments, options.filter).values() for case in some]
    else:
        cases = options.cases.split(":")
    left = set(shares.left_of(cases, "cases", os.environ.get("TEST_SHARE")))
    cases = [case for case in cases if case not in left]
    runner = Runner([options.program, *options.arguments], options.seconds_each)
    for part in [[case] for case in cases] if options.alone else [cases]:
        runner.run(part)
    for line in runner.failures:  # last, where readers of a long log look
        print(line)
    passed, failed, skipped = (runner.counts[name] for name in ("OK", "FAILED", "SKIPPED"))
    print(f"{passed} passed, {failed} failed, {skipped} skipped" + (f", {len(left)} left" if left else ""))
    return 1 if failed else 0 if passed else 77


if __name__ == "__main__":
    sys.exit(main())
