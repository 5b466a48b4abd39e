#!/usr/bin/env python3
"""`table.py FILE.json` prints the table of a run in Markdown: a row for each peer, a column for each part."""

import json
import sys
from pathlib import Path

from parts import COLD_PARTS, ROUND_PARTS

PARTS = (*ROUND_PARTS, *COLD_PARTS)
SIZES = {"rss_mib": "memory, MiB", "size_mib": "disk, MiB"}
BEST = " ★"


def number(value):
    if value is None:
        return "–"
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def p50(peer, part):
    """The median in the part's unit, or None."""
    kept = peer["parts"].get(part.name)
    if not kept:
        return None
    return kept["gb_s"]["p50"] if part.bytes else kept["p50"]


def is_ours(name):
    return name.startswith("pintle ")


def is_better(part, value, other):
    return value > other if part.bytes else value < other


def best_of(part, peers):
    """(name, value) of the best library in a part, or None. What uses no library is not compared."""
    best = None
    for name, peer in peers.items():
        value = p50(peer, part)
        if value is None or peer["is_reference"]:
            continue
        if best is None or is_better(part, value, best[1]):
            best = (name, value)
    return best


def cells(name, peer, best):
    for part in PARTS:
        text = number(p50(peer, part))
        yield text + BEST if best[part] and best[part][0] == name else text
    for size in SIZES:
        yield number(peer.get(size))


def row(name, peer, best):
    words = [name, *cells(name, peer, best)]
    return [word if word == "–" else f"**{word}**" for word in words] if is_ours(name) else words


def in_columns(lines):
    """A Markdown table whose columns are as wide as their widest cell."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return [f"| {lines[0][0]:<{widths[0]}} | " + " | ".join(f"{c:>{w}}" for c, w in zip(lines[0][1:], widths[1:])) + " |",
            "| " + " | ".join(rule) + " |",
            *(f"| {line[0]:<{widths[0]}} | " + " | ".join(f"{c:>{w}}" for c, w in zip(line[1:], widths[1:])) + " |" for line in lines[1:])]


def losses(peers):
    """A line for each part in which a library on the same device is quicker than a row of Pintle's."""
    for name, peer in peers.items():
        if not is_ours(name):
            continue
        others = {other: row for other, row in peers.items() if row["device"] == peer["device"] and not is_ours(other)}
        for part in PARTS:
            ours, best = p50(peer, part), best_of(part, others)
            if ours is not None and best and is_better(part, best[1], ours):
                yield f"- {name}, {part.heading}: {number(ours)} {part.unit}; {best[0]}: {number(best[1])} {part.unit}"


def skipped_lines(skipped):
    for name, reasons in skipped.items():
        for part, reason in reasons.items():
            yield f"- {name}{'' if part == 'all' else f', {part}'}: {reason}"


def page_of(result):
    peers = result["peers"]
    best = {part: best_of(part, peers) for part in PARTS}
    head = ["peer", *(f"{part.heading}, {part.unit}" for part in PARTS), *SIZES.values()]
    lines = in_columns([head, *(row(name, peer, best) for name, peer in peers.items())])
    references = ", ".join(name for name, peer in peers.items() if peer["is_reference"])
    lines += ["", f"Medians (p50). {BEST.strip()} marks the best library of a column"
              + (f"; a row with no library ({references}) is not compared." if references else ".")]
    for title, found in (("Where a library on the same device is quicker than Pintle:", losses(peers)),
                         ("Skipped:", skipped_lines(result["skipped"]))):
        found = list(found)
        lines += ["", title, "", *found] if found else []
    return "\n".join(lines) + "\n"


def main():
    print(page_of(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))), end="")


if __name__ == "__main__":
    main()
