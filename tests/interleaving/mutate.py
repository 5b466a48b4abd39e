#!/usr/bin/env python3
"""mutate.py SEEDS NAME SOURCE_FOLDER OUTPUT_FOLDER: writes a copy of a header with the seeded bug of that name.

Fails when the text that it replaces is not there exactly once: then the header has changed and the seed needs a look.
"""

import json
import sys
from pathlib import Path


def mutate(text, replacements, where):
    for old, new in replacements:
        if text.count(old) != 1:
            sys.exit(f"{where}: this text occurs ({text.count(old)}) times instead of once:\n{old}")
        text = text.replace(old, new)
    return text


def main(seeds, name, source, output):
    found = [seed for seed in json.loads(Path(seeds).read_text(encoding="utf-8")) if seed["name"] == name]
    if len(found) != 1:
        sys.exit(f"{seeds}: ({len(found)}) seeds are called {name}")
    header = found[0]["header"]
    text = (Path(source) / header).read_text(encoding="utf-8")
    mutated = mutate(text, found[0]["replace"], f"{name} in {header}")
    target = Path(output) / header
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(mutated, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
