#!/usr/bin/env python3
"""Who includes whom: fails on an edge that layers.json does not allow, and on any cycle of folders."""

import argparse
import json
import re
import sys
from pathlib import Path

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
        return target.split("/")[0] in rule["folders"]

    @staticmethod
    def allowed_between_headers(source, target):
        return target == "values" or source == "pintle"

    def header_visible(self, group, header):
        below = header.relative_to("include/pintle").parts[0]
        return group == "public" or below in (self.values if group == "values" else self.seam)


def check_file(tree, path, edges):
    """Problems of one file; adds its edges as edges[(from, to)] = "file:line"."""
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
        if source != target:
            edges.setdefault((source, target), place)
        if not tree.allowed(source, target, header):
            yield f'{place}: {source} must not include {target} ("{included}").'


def find_cycle(edges):
    """A cycle as a list of folders, or None: depth-first, grey nodes are on the path."""
    graph = {}
    for source, target in edges:
        graph.setdefault(source, []).append(target)
    done, path = set(), []

    def visit(node):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return None
        path.append(node)
        for following in sorted(graph.get(node, [])):
            if cycle := visit(following):
                return cycle
        done.add(path.pop())
        return None

    for node in sorted(graph):
        if cycle := visit(node):
            return cycle
    return None


def check(root, table):
    """(problems, edges, number of files) of the tree at `root`."""
    tree = Tree(root, table)
    edges, problems, count = {}, [], 0
    for path in tree.files():
        count += 1
        problems += check_file(tree, path.relative_to(root), edges)
    if cycle := find_cycle(edges):
        problems.append("Folders in a cycle: " + " -> ".join(cycle) + ".")
    return problems, edges, count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verbose", action="store_true", help="print every edge with the first place that makes it")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    table = json.loads(Path(__file__).with_name("layers.json").read_text(encoding="utf-8"))
    problems, edges, count = check(options.root, table)
    if options.verbose:
        for (source, target), place in sorted(edges.items()):
            print(f"{source} -> {target}  ({place})")
    for problem in problems:
        print(problem)
    print(f"layers: {count} files, {len(edges)} edges, {len(problems)} problems")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
