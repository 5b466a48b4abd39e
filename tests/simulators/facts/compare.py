#!/usr/bin/env python3
"""Compares what a driver answers here with what a card answered: compare.py FACTS [--results FOLDER] [--gaps FILE] [--least N] -- PROGRAM ARGUMENT...

FACTS has a line a rule: "name: value  # where it was measured". Where the program's own output on that card is among the results
(FOLDER/CARD/DATE/facts-cuda.txt, CARD as FACTS is called), the newest one counts instead. Each difference is a line, and the exit status is 1
then, and where fewer than N rules were compared.
"""

import argparse
import collections
import re
import subprocess
import sys
from pathlib import Path

LINE = re.compile(r"([\w.]+): (.*?)(?:  # (.*))?")
NOT_MEASURED = "not measured"
# Where a card has no answer to a rule that was transcribed from other programs' output, that stays.
NO_ANSWER = ("not asked", "cannot be prepared", NOT_MEASURED)
ASSUMED = "assumed, as CUDA's: "


def read(text, where):
    """{name: (value, where measured)}; lines that begin with "#" are left out."""
    facts = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        found = LINE.fullmatch(line.rstrip())
        if found is None or found[1] in facts:
            sys.exit(f"{where}:{number}: {'a name comes twice' if found else 'no rule'}: {line}")
        facts[found[1]] = (found[2], found[3] or "")
    return facts


def newest_results(folder, card):
    """The path of the newest output of the program on the card, or None. A day's second run is in a folder like 2026-11-27-2."""
    def age(path):
        return [int(word) if word.isdigit() else 0 for word in path.parent.name.split("-")]
    return max(Path(folder).glob(f"{card}/*/facts-cuda.txt"), key=age, default=None)


def wanted_of(path, results):
    """(the facts of the card, in words where they are from)."""
    wanted = read(path.read_text(encoding="utf-8"), path)
    newest = newest_results(results, path.stem) if results else None
    if newest is None:
        return wanted, str(path)
    for name, (value, _) in read(newest.read_text(encoding="utf-8"), newest).items():
        if name in wanted and not value.startswith(NO_ANSWER):
            wanted[name] = (value, wanted[name][1])
    return wanted, str(newest)


class Comparison:
    def __init__(self, wanted, gaps):
        self.wanted = wanted
        self.gaps = gaps
        self.equal = 0
        self.differences = []
        self.skipped = collections.Counter()

    def add(self, name, value, where):
        """One rule, as the program answered it."""
        if name not in self.wanted:
            self.differences.append(f"{name}: the program asks it, and the facts lack it")
            return
        wanted, stands_on = self.wanted[name]
        if where.removeprefix(ASSUMED) != stands_on:
            self.differences.append(f"{name}: the program says it stands on ({where}), the facts say ({stands_on})")
        if value.startswith("not asked (no time"):
            self.differences.append(f"{name}: {value}")
        elif value.startswith("not asked ("):
            self.skipped[value] += 1
        elif wanted == NOT_MEASURED:
            self.skipped["not measured on the card"] += 1
        elif value == wanted:
            self.equal += 1
            if name in self.gaps:
                self.differences.append(f"{name}: is as on the card, so it is no gap")
        elif name in self.gaps:
            self.skipped[f"a gap: {self.gaps[name]}"] += 1
        else:
            self.differences.append(f"{name}: here ({value}), on the card ({wanted})")

    def end(self, answered):
        """What nobody answered."""
        for name in self.wanted:
            if name not in answered:
                self.differences.append(f"{name}: the facts have it, and the program does not ask it")
        for name in self.gaps:
            if name not in self.wanted:
                self.differences.append(f"{name}: is a gap of no rule")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("facts", type=Path)
    options.add_argument("--results")
    options.add_argument("--gaps", type=Path)
    options.add_argument("--least", type=int, default=1)
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    given, program = options.parse_args(words[:cut]), words[cut + 1:]
    if not program:
        options.error("there is no program behind --")
    wanted, source = wanted_of(given.facts, given.results)
    gaps = {name: why for name, (why, _) in read(given.gaps.read_text(encoding="utf-8"), given.gaps).items()} if given.gaps else {}
    done = subprocess.run(program, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{program[0]} ends with {done.returncode}.\n{done.stdout}")
    answered = read(done.stdout, program[0])
    comparison = Comparison(wanted, gaps)
    for name, (value, where) in answered.items():
        comparison.add(name, value, where)
    comparison.end(answered)
    if comparison.equal < given.least:
        comparison.differences.append(f"only {comparison.equal} rules are as on the card, of at least {given.least}")
    for why, count in sorted(comparison.skipped.items()):
        print(f"skipped {count}: {why}")
    for difference in comparison.differences:
        print(f"differs: {difference}")
    print(f"{comparison.equal} rules are as on the card, {sum(comparison.skipped.values())} skipped, {len(comparison.differences)} differences ({source})")
    sys.exit(1 if comparison.differences else 0)


if __name__ == "__main__":
    main()
