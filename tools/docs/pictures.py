"""Pictures of the site as SVG: the layers of src, from tools/layers.json, and columns of the table of libraries, from docs/figures.md.

They are made with the site, so they are never older than what they show.
"""

import json
import math
import re
import textwrap
from xml.sax.saxutils import escape

BOX, GAP, RISE, EDGE = (140, 46), 24, 92, 24  # a box, the room beside it, from row to row, the picture's edge
CODE = "font-family='ui-monospace, monospace' font-size='14'"
NAME_LETTERS, NOTE_LETTERS, NOTE_LINES = 15, 22, 2  # what fits in a box: its name (8.5 a letter), the smaller words below it (6.1 a letter)
BANDS = (("on the public API", "#e3f2e6"), ("core", "#dbe9f6"), ("behind the seam", "#f6ecd9"), ("values, files, the vendors' functions", "#eeeeee"))
BARS = {0: "include/pintle: the public API", 1: "include/pintle/backend: the seam"}  # a bar below a band
COLUMNS = ("launch, µs", "chain of 100, µs", "saxpy 1 Mi, GB/s", "cold start, cached, ms")


def svg(width, height, parts):
    return "\n".join([f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' height='{height}' "
                      "font-family='sans-serif' font-size='13'>", "<rect width='100%' height='100%' fill='white'/>", *parts, "</svg>", ""])


def text(x, y, words, more=""):
    return f"<text x='{x}' y='{y}' {more}>{escape(words)}</text>"


def reduced(edges):
    """Without each edge that a longer way says already."""
    def below(name):
        return set().union(*({other} | below(other) for other in edges[name]))
    return {name: [other for other in others if not any(other in below(third) for third in others if third != other)] for name, others in edges.items()}


def band_of(name, layers):
    """Core and the registry see all public headers and the seam's folder; what else sees them stands on the public API."""
    headers, folders = layers[name]["headers"], layers[name]["folders"]
    if headers == "public":
        return 1 if "seam" in folders else 0
    return 2 if headers == "seam" else 3


def rows_of(layers, edges):
    """([(band, names)] from the top, {name: what lines go to}): in a band each layer stands above those that it includes.

    A line that passes a row has a place in it, a name with a `>`, so that no box lies in its way.
    """
    band = {name: band_of(name, layers) for name in layers}
    inside = {name: [other for other in edges[name] if band[other] == band[name]] for name in layers}

    def depth(name):
        return max((1 + depth(other) for other in layers[name]["folders"] if band[other] == band[name]), default=0)
    rows, lines = {}, {}
    for name in layers:
        rows.setdefault((band[name], -depth(name)), []).append(name)
        for other in inside[name]:
            before = name
            for level in range(depth(name) - 1, depth(other), -1):
                passing = f"{name}>{other}>{level}"
                rows.setdefault((band[name], -level), []).append(passing)
                lines.setdefault(before, []).append(passing)
                before = passing
            lines.setdefault(before, []).append(other)
    return [(key[0], rows[key]) for key in sorted(rows)], lines


def ordered(rows, lines):
    """Each row in the order of what it is tied to, so that few lines cross."""
    at = {name: index - len(names) / 2 for _, names in rows for index, name in enumerate(names)}
    for _ in range(8):
        for _, names in [*reversed(rows), *rows]:
            near = {name: [at[other] for other in at if other in lines.get(name, ()) or name in lines.get(other, ())] for name in names}
            names.sort(key=lambda name: sum(near[name]) / len(near[name]) if near[name] else at[name])
            at.update({name: index - len(names) / 2 + 0.5 for index, name in enumerate(names)})
    return rows


def placed(rows, width):
    """({name: (x, y) of its middle}, [(band, y above, y below)], height)."""
    places, bands, y = {}, [], EDGE
    for index, (band, names) in enumerate(rows):
        if index == 0 or rows[index - 1][0] != band:
            bands.append([band, y, y])
            y += 26
        step = (width - 2 * EDGE) / len(names)
        places.update({name: (EDGE + step * (place + 0.5), y + BOX[1] / 2) for place, name in enumerate(names)})
        is_last = index + 1 == len(rows) or rows[index + 1][0] != band
        y += BOX[1] + 12 if is_last else RISE
        bands[-1][2] = y
        if is_last:
            y += 46 if band in BARS else 14
    return places, bands, y + EDGE - 14


def line(places, start, end):
    (x1, y1), (x2, y2) = places[start], places[end]
    y1 += 0 if ">" in start else BOX[1] / 2
    y2 -= 0 if ">" in end else BOX[1] / 2 + 5
    bend = (y2 - y1) / 2
    head = "" if ">" in end else " marker-end='url(#head)'"
    return (f"<path d='M{x1:.0f},{y1:.0f} C{x1:.0f},{y1 + bend:.0f} {x2:.0f},{y2 - bend:.0f} {x2:.0f},{y2:.0f}' fill='none' stroke='#667' "
            f"stroke-width='1.3'{head}/>")


def fitting(words, letters, lines=1):
    """The words in lines; ValueError where a box has no room for them."""
    parts = textwrap.wrap(words, letters, break_long_words=False)
    if len(parts) > lines or any(len(part) > letters for part in parts):
        raise ValueError(f'tools/docs/pictures.py: a box has no room for "{words}": {lines} lines of {letters} letters at most (BOX)')
    return parts


def box(x, y, name, elsewhere):
    """A layer; below its name what it includes of other bands."""
    notes = fitting("→ " + ", ".join(elsewhere), NOTE_LETTERS, NOTE_LINES) if elsewhere else []
    top = y + (5, -3, -8)[len(notes)]  # the line of the name
    return [f"<rect x='{x - BOX[0] / 2:.0f}' y='{y - BOX[1] / 2:.0f}' width='{BOX[0]}' height='{BOX[1]}' rx='5' fill='white' stroke='#556'/>",
            text(f"{x:.0f}", f"{top:.0f}", *fitting(name, NAME_LETTERS), f"text-anchor='middle' {CODE}"),
            *(text(f"{x:.0f}", f"{top + 18 - 2 * len(notes) + 12 * line:.0f}", note, "text-anchor='middle' font-size='11' fill='#555'")
              for line, note in enumerate(notes))]


def architecture(root):
    layers = json.loads((root / "tools/layers.json").read_text(encoding="utf-8"))["layers"]
    edges = reduced({name: row["folders"] for name, row in layers.items()})
    rows, lines = rows_of(layers, edges)
    width = 2 * EDGE + max(len(names) for _, names in rows) * (BOX[0] + GAP)
    places, bands, height = placed(ordered(rows, lines), width)
    parts = ["<defs><marker id='head' markerWidth='8' markerHeight='8' refX='4' refY='4' orient='auto'><path d='M0,0 L8,4 L0,8 z' fill='#667'/></marker></defs>"]
    for band, above, below in bands:
        words, color = BANDS[band]
        parts += [f"<rect x='8' y='{above}' width='{width - 16}' height='{below - above}' rx='6' fill='{color}'/>", text(18, above + 18, words, "fill='#555'")]
        if band in BARS:
            parts += [f"<rect x='8' y='{below + 10}' width='{width - 16}' height='26' rx='6' fill='#37474f'/>",
                      text(width / 2, below + 28, BARS[band], f"fill='white' text-anchor='middle' {CODE}")]
    parts += [line(places, start, end) for start, ends in lines.items() for end in ends]
    for name, (x, y) in places.items():
        if ">" not in name:
            parts += box(x, y, name, [other for other in edges[name] if band_of(other, layers) != band_of(name, layers)])
    return svg(width, round(height), parts)


def table_of_libraries(page):
    """({column: {library: number}}, the libraries in the page's order) of the first table whose first column is `peer`."""
    lines = [line for line in page.split("\n") if line.startswith("|")]
    start = next(index for index, line in enumerate(lines) if re.match(r"\| *peer ", line))
    head, *rows = [[cell.strip(" *★") for cell in line.strip("|").split("|")] for line in lines[start:]]
    rows = rows[1:next((index for index, row in enumerate(rows) if len(row) != len(head)), len(rows))]
    numbers = {}
    for row in rows:
        for column, cell in zip(head[1:], row[1:]):
            if re.fullmatch(r"[\d.]+", cell):
                numbers.setdefault(column, {})[row[0]] = float(cell)
    return numbers, [row[0] for row in rows]


def panel(column, numbers, libraries):
    """Bars on a logarithmic scale, Pintle's in another colour; a library without a number has none."""
    shown = [name for name in libraries if name in numbers]
    low, high = math.floor(math.log10(min(numbers.values()))), math.ceil(math.log10(max(numbers.values())))
    better = "more is better" if "/s" in column else "less is better"
    parts = [text(8, 20, f"{column} ({better}, logarithmic)", "font-weight='bold'")]
    for place, name in enumerate(shown):
        y = 34 + 18 * place
        length = 2 + 250 * (math.log10(numbers[name]) - low) / (high - low)
        color = "#00897b" if name.startswith("pintle") else "#90a4ae"
        parts += [text(168, y + 11, name, "text-anchor='end' font-size='12'"),
                  f"<rect x='174' y='{y}' width='{length:.0f}' height='13' fill='{color}'/>",
                  text(f"{180 + length:.0f}", y + 11, f"{numbers[name]:g}", "font-size='12'")]
    return svg(480, 44 + 18 * len(shown), parts)


def peers(root):
    """{file: a picture of one column}."""
    numbers, libraries = table_of_libraries((root / "docs/figures.md").read_text(encoding="utf-8"))
    return {f"peers_{index}.svg": panel(column, numbers[column], libraries) for index, column in enumerate(COLUMNS)}
