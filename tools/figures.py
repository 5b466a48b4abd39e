#!/usr/bin/env python3
"""docs/figures.md: how fast each part is, beside a reference of the same run.

With files of `bench --out` it takes their rows into docs/figures.json, in place of all older ones of the same figure and device, and writes the
page's table and its plot. With --check it changes nothing, and fails where the table or the plot does not follow from the data.
"""

import argparse
import json
import math
import re
import sys
from pathlib import Path
from xml.sax.saxutils import escape

BEGIN, END = "<!-- from docs/figures.json by tools/figures.py -->", "<!-- end -->"
KEPT = ("name", "device", "unit", "size", "p50", "p99", "reference", "ratio", "ratio_low", "ratio_high", "difference_ns", "worst",
        "reach", "reached")
ROW, LEFT, WIDTH, RIGHT, ROOM = 20, 330, 520, 60, 50


def key_of(row):
    return row["name"], row["device"]


def rows_of(raw):
    """The rows of one run, each with its day and what the machine was; what was skipped is left out."""
    host = raw["host"]
    for row in raw["rows"]:
        if "skipped" not in row:
            yield {**{name: row[name] for name in KEPT if name in row}, "date": host["time"][:10], "load": host["load"].split()[0],
                   "processors": host["processors"]}


def merge(old, new):
    """A figure is measured whole, all its sizes and cases: its new rows on a device take the place of all older ones."""
    measured = {key_of(row) for row in new}
    return sorted([*(row for row in old if key_of(row) not in measured), *new], key=lambda row: (*key_of(row), row.get("size", 0)))


def number(value, unit=""):
    """Three digits, in the unit that keeps them short."""
    for below, name, factor in (("ns", "µs", 1e3), ("µs", "ms", 1e3), ("ms", "s", 1e3)):
        if unit == below and value >= 1000:
            value, unit = value / factor, name
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:.{digits}f} {unit}".strip()


def size_of(row):
    size = row.get("size")
    if not size:
        return ""
    for bits, name in ((30, "Gi"), (20, "Mi"), (10, "Ki")):
        if size % (1 << bits) == 0:
            return f" {size >> bits} {name}"
    return f" {size}"


def line_of(row):
    unit, reference = row["unit"], row["reference"]
    reach = row.get("reach", "")
    verdict = "" if not reach else f"{reach}: {'reached' if row['reached'] else '**missed**'}"
    cells = (f"`{row['name']}`{size_of(row)}", f"`{row['device']}`", f"{number(row['p50'], unit)} ({number(row['p99'], unit)})",
             f"{number(reference['p50'], unit)}, {reference['name']}",
             f"{number(row['ratio'])} ({number(row['ratio_low'])} to {number(row['ratio_high'])})", verdict, row["date"])
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def table(rows):
    head = ["| figure | device | ours p50 (p99) | reference p50 | ours ÷ reference (95 %) | reach | measured |",
            "|---|---|---|---|---|---|---|"]
    return "\n".join([*head, *map(line_of, rows)])


def gain(ratio, unit):
    """How many times as fast as the reference: a throughput's ratio, the inverse of a time's."""
    return ratio if "/s" in unit else 1 / ratio


def label_of(row, rows):
    """The reference is named where a figure has several cases of one size, as far as there is room."""
    label = f"{row['name']}{size_of(row)}, {row['device']}"
    several = sum((*key_of(row), row.get("size")) == (*key_of(other), other.get("size")) for other in rows) > 1
    if several:
        label += f": {row['reference']['name']}"
    return label if len(label) <= ROOM else label[: ROOM - 1] + "…"


def plot(rows):
    """One dot a row with its interval; to the right of the line is faster than the reference. The scale is logarithmic."""
    rows = [row for row in rows if min(row["ratio"], row["ratio_low"], row["ratio_high"]) > 0]
    ends = [gain(row[name], row["unit"]) for row in rows for name in ("ratio_low", "ratio_high")] + [0.5, 2]
    low, high = math.floor(math.log2(min(ends))), math.ceil(math.log2(max(ends)))
    height = 60 + ROW * len(rows)

    def x(value):
        return round(LEFT + WIDTH * (math.log2(value) - low) / (high - low), 1)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + RIGHT}" height="{height}" font-family="sans-serif" font-size="12">',
             '<rect width="100%" height="100%" fill="white"/>',
             f'<text x="{LEFT}" y="18">times as fast as the reference (logarithmic)</text>']
    for power in range(low, high + 1):
        at, color = x(2.0**power), "#444" if power == 0 else "#ddd"
        parts.append(f'<line x1="{at}" y1="30" x2="{at}" y2="{height - 24}" stroke="{color}"/>')
        parts.append(f'<text x="{at}" y="{height - 8}" text-anchor="middle">{f"{2**power}" if power >= 0 else f"1/{2**-power}"}</text>')
    for place, row in enumerate(rows):
        y = 44 + ROW * place
        color = "#c33" if row.get("reached") is False else "#27a"
        ends = sorted(x(gain(row[name], row["unit"])) for name in ("ratio_low", "ratio_high"))
        parts.append(f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end">{escape(label_of(row, rows))}</text>')
        parts.append(f'<line x1="{ends[0]}" y1="{y}" x2="{ends[1]}" y2="{y}" stroke="{color}" stroke-width="3" opacity="0.4"/>')
        parts.append(f'<circle cx="{x(gain(row["ratio"], row["unit"]))}" cy="{y}" r="4" fill="{color}"/>')
    return "\n".join([*parts, "</svg>", ""])


def with_table(page, rows):
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    if not pattern.search(page):
        raise SystemExit("figures: docs/figures.md has no place for the table.")
    return pattern.sub(lambda _: f"{BEGIN}\n{table(rows)}\n{END}", page)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("raw", nargs="*", type=Path, help="files of bench --out")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    data, page, picture = (arguments.root / "docs" / name for name in ("figures.json", "figures.md", "figures.svg"))
    rows = json.loads(data.read_text(encoding="utf-8")) if data.is_file() else []
    rows = merge(rows, [row for raw in arguments.raw for row in rows_of(json.loads(raw.read_text(encoding="utf-8")))])
    texts = {data: json.dumps(rows, indent=1, ensure_ascii=False) + "\n", picture: plot(rows),
             page: with_table(page.read_text(encoding="utf-8"), rows)}
    if not arguments.check:
        for file, text in texts.items():
            file.write_text(text, encoding="utf-8")
        return 0
    wrong = [file.name for file, text in texts.items() if not file.is_file() or file.read_text(encoding="utf-8") != text]
    for name in wrong:
        print(f"figures: {name} does not follow from the data: run tools/figures.py", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
