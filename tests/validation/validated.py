#!/usr/bin/env python3
"""Runs a program under Vulkan's validation layer; any error or warning that is not on the list of allowed ones fails.

The library loads no layer: the loader does, as the environment says. The layer writes to the program's standard output,
where GoogleTest says which test a message belongs to."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ENABLED = ("VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION",
           "VALIDATION_CHECK_ENABLE_SYNCHRONIZATION_VALIDATION_QUEUE_SUBMIT")  # within a list; from list to list
# No limit: a message that is allowed must not use up the count of others with its name.
SETTINGS = f"""khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.log_filename = stdout
khronos_validation.report_flags = error,warn,perf,info
khronos_validation.duplicate_message_limit = 0
khronos_validation.enables = {ENABLED[0]}_EXT,{ENABLED[1]}
"""
MESSAGE = re.compile(r"(?P<name>[\w-]+)\((?P<level>[A-Z]+) / [A-Z]+\): msgNum: -?\d+ - (?P<text>.*)")
STATUS = "UNASSIGNED-khronos-validation-createinstance-status-message"
HANDLE = re.compile(r"\b0x[0-9a-f]+\b")


@dataclass(frozen=True)
class Message:
    name: str
    level: str
    text: str  # without handles, which differ from run to run


@dataclass(frozen=True)
class Allowed:
    name: str
    part: str
    reason: str

    def covers(self, message):
        return message.name == self.name and self.part in message.text


def read_allowed(path):
    """Lines "name | part of the text, or nothing | reason"."""
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("|")]
        if len(fields) != 3 or not fields[0] or not fields[2]:
            raise SystemExit(f"{path}:{number}: an entry is \"name | part of the text | reason\", with a reason")
        rows.append(Allowed(*fields))
    return rows


def messages_in(output):
    """(how often each message came, the first test that it came in, whether the layer said that it is active)"""
    counts, tests, test, active = Counter(), {}, "no test", False
    for line in output.splitlines():
        if line.startswith("[ RUN      ] "):
            test = line[len("[ RUN      ] "):]
        found = MESSAGE.search(line)
        if found and found["level"] not in ("INFO", "VERBOSE"):
            message = Message(found["name"], found["level"], HANDLE.sub("0x..", found["text"].split(" | ", 2)[-1]))
            counts[message] += 1
            tests.setdefault(message, test)
        active |= "Current Enables:" in line and all(name in line for name in ENABLED)
    return counts, tests, active and STATUS in output


def run(command):
    """(exit status, output) of the command under the layer."""
    with tempfile.TemporaryDirectory(prefix="pintle-validated-") as folder:
        settings = Path(folder, "vk_layer_settings.txt")
        settings.write_text(SETTINGS, encoding="utf-8")
        environment = os.environ | {"VK_INSTANCE_LAYERS": "VK_LAYER_KHRONOS_validation",
                                    "VK_LAYER_SETTINGS_PATH": str(settings)}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", check=False)
    return done.returncode, done.stdout


def judge(status, output, allowed, expected):
    """Prints what the layer said, and returns what is wrong, a sentence each."""
    counts, tests, active = messages_in(output)
    wrong, used = [], set()
    for message, count in counts.items():
        reasons = [row for row in allowed if row.covers(message)]
        used.update(reasons)
        verdict = f"allowed: {reasons[0].reason}" if reasons else "NOT ALLOWED"
        if message.name == expected:
            verdict = "expected"
        elif not reasons:
            wrong.append(f"{message.name} is not on the list of allowed messages.")
        print(f"{message.level} {message.name}, {count} times, first in {tests[message]} ({verdict})")
        print(f"    {message.text}")
    for row in allowed:
        if row not in used:
            print(f"not needed here: {row.name} | {row.part}")
    if status != 0:
        print(output)
        wrong.append(f"The program ends with {status}.")
    if not active:
        wrong.append("The layer does not say that it is active (Debian: vulkan-validationlayers).")
    if expected and not any(message.name == expected for message in counts):
        wrong.append(f"{expected} is expected and is not reported.")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--allow", type=Path, help="the list of allowed messages")
    parser.add_argument("--expect", metavar="NAME", help="fails unless this message is reported")
    parser.add_argument("command", nargs="+", help="after --")
    arguments = parser.parse_args()
    allowed = read_allowed(arguments.allow) if arguments.allow else []
    wrong = judge(*run(arguments.command), allowed, arguments.expect)
    print("\n".join(wrong) or "validated")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
