"""What the tests of other languages share: their commands, and how long the program is that each shows."""

import os
import subprocess
import sys

MOST_LINES = 30  # of the program, beside what a binding would bring


def run(*command, **environment):
    """What a command prints. One that fails ends the test."""
    done = subprocess.run([str(word) for word in command], env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ends with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def check_length(program):
    lines = len(program.read_text(encoding="utf-8").splitlines())
    if lines > MOST_LINES:
        sys.exit(f"{program.name} has {lines} lines, and at most {MOST_LINES} are allowed.")
