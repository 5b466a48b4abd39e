"""Cold starts: from the start of a process to its first checked result, with empty caches and with what those starts leave."""

import os
import random
import re
import select
import shutil
import subprocess
import time

from parts import COLD_PARTS
from places import caches
from worker import WorkerError

RESULT_SECONDS = 40
EMPTY_TURNS = 2
FIRST_RESULT = re.compile(rb"first-result (\d+)\n")


def run_cold(command, variables):
    """(milliseconds until the first result, MiB of resident memory)."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=variables)
    try:
        kib = first_result(process)
        milliseconds = (time.perf_counter() - start) * 1e3
        process.communicate(timeout=20)
        return milliseconds, kib / 1024
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def first_result(process):
    text, end = b"", time.monotonic() + RESULT_SECONDS
    while not (found := FIRST_RESULT.search(text)):
        left = end - time.monotonic()
        if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
            raise WorkerError(f"no result in {RESULT_SECONDS} s")
        got = os.read(process.stdout.fileno(), 1 << 16)
        if not got:
            words = process.communicate()[1].decode(errors="replace")
            raise WorkerError(f"it ended: {words[-300:].strip()} {text[-100:].decode(errors='replace').strip()}")
        text += got
    return int(found[1])


class ColdStarts:
    """Two turns with empty caches, one that does not count, and the rest with warm ones."""

    def __init__(self, places, variables, result, seconds_left):
        self.places, self.variables, self.result, self.seconds_left = places, variables, result, seconds_left
        self.samples = {}

    def run(self, commands, warm_turns):
        commands = dict(commands)
        for turn in range(EMPTY_TURNS + 1 + warm_turns if warm_turns else 0):
            names = list(commands)
            random.Random(turn).shuffle(names)
            for name in names:
                try:
                    self.run_one(name, commands[name], turn)
                except (OSError, WorkerError, subprocess.TimeoutExpired) as error:
                    self.result.skip(name, "cold", error)
                    del commands[name]
        for (name, part), milliseconds in self.samples.items():
            self.result.keep_cold(name, part, milliseconds)

    def run_one(self, name, command, turn):
        if self.seconds_left() <= 0:
            raise WorkerError(f"turn {turn}: the time is up")
        home = self.places.plain("cold", name)
        if turn < EMPTY_TURNS:
            shutil.rmtree(home, ignore_errors=True)
        milliseconds, mib = run_cold(command, {**self.variables, **caches(home)})
        self.result.note(name, rss_mib=mib)
        if turn != EMPTY_TURNS:
            self.samples.setdefault((name, COLD_PARTS[turn > EMPTY_TURNS]), []).append(milliseconds)
