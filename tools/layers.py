#!/usr/bin/env python3
"""Who includes whom: fails on an edge that layers.json does not allow, and on any circle of folders or of units. A unit is the files of
one folder that have one stem: x.h and x.cpp."""

import argparse
import json
import re
import sys
from pathlib import Path

import architecture
import circles

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
CODE = {".h", ".cpp", ".c", ".inc"}
ROOTS = ("include", "src", "tests", "")  # where a quoted path may start, in this order
SPLIT = ("backends", "layers", "vendor")  # each folder in these is a layer of its own


class Tree:
    def __init__(self, root, table):
        self.root = root
        self.values = set(table["headers"]["values"])
        self.seam = set(table["headers"]["seam"])
        self.layers = table["layers"]
        self.rooms = table.get("rooms", {})
        self.besides = table.get("besides", {})  # folders of one layer that may include others of it
        self.edges = {"layer": {}, "folder": {}, "unit": {}}  # each {(from, to): "file:line"}

    def files(self):
        for folder in ("include", "src", "tests/conformance", "bench", "examples"):
            yield from sorted(p for p in (self.root / folder).rglob("*") if p.suffix in CODE and p.is_file())

    def folder(self, path):
        """The node of a file in the graph: values, pintle/backend, pintle, base, backends/cpu, ..."""
        parts = path.parts
        if parts[:2] == ("include", "pintle"):
            if len(parts) > 3:
                return f"pintle/{parts[2]}"
            return "values" if parts[2] in self.values else "pintle"
        if parts[0] == "src":
            return "/".join(parts[1:3]) if parts[1] in SPLIT and len(parts) > 3 else parts[1]
        return parts[1] if parts[0] == "tests" else parts[0]

    def place(self, path):
        """The folder of a file, at whatever depth, called like its layer as far as that goes."""
        if path.parts[0] == "include":
            return self.folder(path)
        return "/".join(path.parts[1 if path.parts[0] in ("src", "tests") else 0:-1])

    def nodes(self, path):
        return {"layer": self.folder(path), "folder": self.place(path), "unit": str(path.parent / path.stem)}

    def connect(self, path, header, place):
        """Notes who includes whom; nothing is an edge to itself."""
        targets = self.nodes(header)
        for kind, source in self.nodes(path).items():
            if source != targets[kind]:
                self.edges[kind].setdefault((source, targets[kind]), place)

    def room_problem(self, path, header):
        """Why a file must not include one of another room of its layer, or None. Rooms are listed from the lowest on."""
        layer, room = self.room(path)
        other_layer, other = self.room(header)
        order = self.rooms.get(layer)
        if order is None or layer != other_layer or room is None or other is None or room == other:
            return None
        if room not in order or other not in order:
            return f"{layer}/{other if room in order else room} is not among the rooms of {layer}."
        return f"the room {layer}/{room} must not name {layer}/{other}, which is above it." if order.index(other) > order.index(room) else None

    @staticmethod
    def room(path):
        inside = path.parts[0] == "src" and len(path.parts) > 3
        return (path.parts[1] if path.parts[0] == "src" else None), (path.parts[2] if inside else None)

    def resolve(self, source, included):
        """The included file relative to the root, or None. CMake makes x.h from x.h.in."""
        beside = source.parent / included
        for candidate in [beside, *(Path(root) / included for root in ROOTS)]:
            if (self.root / candidate).is_file() or (self.root / f"{candidate}.in").is_file():
                return candidate
        return Path("include/pintle/version.h") if included == "pintle/version.h" else None

    def allowed(self, source, target, header):
        """Whether the folder `source` may include the file `header` of the folder `target`."""
        if source == target:
            return True
        in_public = target == "values" or target.startswith("pintle")
        if source == "values" or source.startswith("pintle"):
            return in_public and self.allowed_between_headers(source, target)
        rule = self.layers.get(source.split("/")[0])
        if rule is None:
            return False
        if in_public:
            return self.header_visible(rule["headers"], header)
        return target.split("/")[0] in rule["folders"] or target in self.besides.get(source, ())

    @staticmethod
    def allowed_between_headers(source, target):
        return target == "values" or source == "pintle"

    def header_visible(self, group, header):
        below = header.relative_to("include/pintle").parts[0]
        return group == "public" or below in (self.values if group == "values" else self.seam)


def check_file(tree, path):
    """Problems of one file; its edges go to the tree."""
    text = (tree.root / path).read_text(encoding="utf-8")
    source = tree.folder(path)
    for match in INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start(2)) + 1
        place, included = f"{path}:{line}", match.group(2)
        if match.group(1) == "<" and not included.startswith("pintle/"):
            if path.parts[0] == "include" and ("/" in included or included == "iostream"):
                yield f"{place}: a public header includes <{included}>."
            continue
        if ".." in Path(included).parts:
            yield f'{place}: "{included}" climbs out of its folder; name it from the root.'
            continue
        header = tree.resolve(path, included)
        if header is None:
            yield f'{place}: "{included}" is not in the tree.'
            continue
        target = tree.folder(header)
        tree.connect(path, header, place)
        if problem := tree.room_problem(path, header):
            yield f'{place}: {problem}'
        if not tree.allowed(source, target, header):
            yield f'{place}: {source} must not include {target} ("{included}").'


def check_circles(tree, known):
    """Every circle is a problem, but for those that layers.json lists; one that is listed and gone is a problem, too."""
    layers, folders, units = (circles.find_circles(tree.edges[kind]) for kind in ("layer", "folder", "unit"))
    for members in layers:
        yield f"Folders in a circle: {circles.describe(tree.edges['layer'], members)}."
    for members in folders:
        if members not in layers + known:
            yield f"Folders in a circle: {circles.describe(tree.edges['folder'], members)}."
    for members in units:
        if members not in known:
            yield f"Units in a circle: {circles.describe(tree.edges['unit'], members)}."
    for members in known:
        if members not in units + folders:
            yield f"The known circle of {', '.join(members)} is no more; take it out of layers.json."


def check(root, table):
    """(problems, edges between layers, number of files) of the tree at `root`."""
    tree = Tree(root, table)
    problems, count = [], 0
    for path in tree.files():
        count += 1
        problems += check_file(tree, path.relative_to(root))
    problems += check_circles(tree, [sorted(members) for members in table.get("known_circles", [])])
    return problems, tree.edges["layer"], count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verbose", action="store_true", help="print every edge with the first place that makes it")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    table = json.loads(Path(__file__).with_name("layers.json").read_text(encoding="utf-8"))
    problems, edges, count = check(options.root, table)
    problems += architecture.problems(options.root, table)
    if options.verbose:
        for (source, target), place in sorted(edges.items()):
            print(f"{source} -> {target}  ({place})")
    for problem in problems:
        print(problem)
    known = f", {len(table['known_circles'])} known circles" if table.get("known_circles") else ""
    print(f"layers: {count} files, {len(edges)} edges, {len(problems)} problems{known}")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
