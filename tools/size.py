#!/usr/bin/env python3
"""The budgets of the tree beside what is there. Fails on a breach, and where the table of CONTRIBUTING.md is not this one.

With --write, writes the table there instead.
"""

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

SOURCE = ("include", "src")
OURS = ("include", "src", "tests", "bench", "examples")
SUFFIXES = {".h", ".cpp", ".c", ".inc"}
BACKEND_LINES = {"cpu": 1100, "cuda": 3500, "null": 1000, "opencl": 3600, "vulkan": 4100}  # docs/adr/0008, 0018, 0020, 0026, 0030
OTHER_BACKEND_LINES = 3000
# What one round of a kind of submission is to take at most, by the ceiling that its test keeps: tests/budgets/instructions.json.
INSTRUCTION_GOALS = {"list": ("a submission", 1650), "round_trip": ("a round trip", 2600), "recording": ("a replay", 2000)}
TABLE = re.compile(r"(?<=<!-- ./dev size --write -->\n).*?(?=<!-- end -->)", re.DOTALL)


class Report:
    def __init__(self):
        self.breaches = 0
        self.limits = {}  # {what: limit}, as the table has them

    def row(self, what, value, limit, where="", at_least=False, called=None):
        """`called` is the name in the table, where several rows have one limit."""
        self.limits[called or what] = f"{'at least' if at_least else 'at most'} {limit:,}"
        kept = value >= limit if at_least else value <= limit
        self.breaches += not kept
        bound = "at least" if at_least else "at most"
        print(f"{'ok    ' if kept else 'BREACH'} {what:<44} {value:>8}   {bound} {limit:<6} {where}".rstrip())

    def goal(self, what, value, limit, where=""):
        """A goal that is missed is no breach."""
        self.limits[what] = f"goal: at most {limit:,}"
        print(f"{'ok    ' if value <= limit else 'missed'} {what:<44} {value:>8}   goal    {limit:<6} {where}".rstrip())

    def missing(self, what, where):
        self.breaches += 1
        print(f"BREACH {what:<44}  missing   {where}")

    def table(self):
        return "".join(["| what | limit |\n|---|---|\n", *(f"| {what} | {limit} |\n" for what, limit in self.limits.items())])


def files(root, folders, suffixes=SUFFIXES):
    found = [p for folder in folders for p in (root / folder).rglob("*") if p.suffix in suffixes and p.is_file()]
    return sorted(p for p in found if "__pycache__" not in p.parts)


def line_count(path):
    return len(path.read_text(encoding="utf-8").splitlines())


def total_lines(paths):
    return sum(line_count(p) for p in paths)


def function_lengths(paths):
    """(lines, "file:line name") of each function, shortest first. Lambdas count inside the function that holds them."""
    command = ["ctags", "--languages=C,C++", "--map-C++=+.h", "--kinds-C=f", "--kinds-C++=f", "--fields=+ne",
               "--output-format=json", "-f", "-", "-L", "-"]
    output = subprocess.run(command, input="\n".join(map(str, paths)), text=True, capture_output=True, check=True).stdout
    tags = [json.loads(line) for line in output.splitlines()]
    named = [t for t in tags if t["_type"] == "tag" and not t["name"].startswith("__anon")]
    return sorted((t.get("end", t["line"]) - t["line"] + 1, f"{t['path']}:{t['line']} {t['name']}") for t in named)


def public_functions(paths):
    """{class: the number of its public functions}, constructors and destructors aside."""
    command = ["ctags", "--languages=C++", "--map-C++=+.h", "--kinds-C++=fp", "--fields=+aZs", "--output-format=json", "-f", "-", "-L", "-"]
    output = subprocess.run(command, input="\n".join(map(str, paths)), text=True, capture_output=True, check=True).stdout
    counts = Counter()
    for tag in map(json.loads, output.splitlines()):
        owner = tag.get("scope", "").split("::")[-1]
        if tag.get("access") == "public" and tag.get("scopeKind") in ("class", "struct") and tag["name"].lstrip("~") != owner:
            counts[owner] += 1
    return counts


def check_core(root, report):
    found = files(root, ("src/core",))
    report.row("lines of core", total_lines(found), 11000)
    counts = public_functions(found).most_common(1)
    if not counts:
        return report.missing("public functions", "ctags found none in core")
    report.row("public functions of a class of core, most", counts[0][1], 28, counts[0][0])


def check_instructions(root, report):
    path = root / "tests/budgets/instructions.json"
    if not path.is_file():
        return report.missing("ceilings of instructions", path.relative_to(root))
    for build, ceilings in json.loads(path.read_text(encoding="utf-8")).items():
        for kind, (what, limit) in INSTRUCTION_GOALS.items():
            if kind in ceilings:
                report.goal(f"instructions of {what}, ceiling", ceilings[kind], limit, build)
            else:
                report.missing(f"instructions of {what}, ceiling", path.relative_to(root))


def percentile(sorted_rows, fraction):
    return sorted_rows[min(len(sorted_rows) - 1, int(fraction * len(sorted_rows)))]


def check_functions(root, report):
    rows = function_lengths(files(root, SOURCE + ("python", "integrations", "bench", "examples")))
    if not rows:
        report.missing("functions", "ctags found none")
        return
    report.row("function lines, median", percentile(rows, 0.5)[0], 10, f"of {len(rows)}")
    report.row("function lines, 99th percentile", *located(percentile(rows, 0.99), 60, root))
    report.row("function lines, longest", *located(rows[-1], 100, root))
    tests = function_lengths(files(root, ("tests",)))
    if tests:
        report.row("function lines in tests, longest", *located(tests[-1], 100, root))


def located(row, limit, root):
    return row[0], limit, row[1].replace(f"{root}/", "")


def check_files(root, report):
    for what, folders, limit in (("source file", ("src", "python", "integrations", "tests", "bench", "examples"), 500), ("public header", ("include",), 300)):
        found = files(root, folders)
        for path in found:
            if line_count(path) > limit:
                report.row(f"lines of a {what}", line_count(path), limit, path.relative_to(root), called=f"lines of the longest {what}")
        longest = max(map(line_count, found), default=0)
        if longest <= limit:
            report.row(f"lines of the longest {what}", longest, limit)


def check_seam(root, report):
    path = root / "include/pintle/backend/driver.h"
    if not path.is_file():
        report.missing("seam methods", path.relative_to(root))
        return
    owner, count = "", 0
    for line in path.read_text(encoding="utf-8").splitlines():
        if match := re.match(r"class (\w+)", line):
            owner = match.group(1)
        if owner in ("Device", "Driver") and re.search(r"\bvirtual\b(?!\s*~)", line):
            count += 1
    report.row("seam methods (Device and Driver)", count, 28)
    if count == 0:
        report.missing("seam methods", path.relative_to(root))


def check_folders(root, report):
    for backend in sorted(p for p in (root / "src/backends").glob("*") if p.is_dir()):
        name = backend.name if backend.name in BACKEND_LINES else "of another name"
        report.row(f"lines of backend {backend.name}", total_lines(files(backend, (".",))), BACKEND_LINES.get(backend.name, OTHER_BACKEND_LINES),
                   called=f"lines of a backend {name}")
    report.limits["lines of a backend of another name"] = f"at most {OTHER_BACKEND_LINES:,}"
    for layer in sorted(p for p in (root / "src/layers").glob("*") if p.is_dir()):
        report.row(f"lines of layer {layer.name}", total_lines(files(layer, (".",))), 250, called="lines of a layer")


def conditionals(text):
    """`#if`s, less an include guard and what makes a C header usable from C++."""
    guard = re.search(r"^#\s*ifndef (\w+)\n#\s*define \1\n", text, re.MULTILINE)
    found = re.findall(r"^\s*#\s*(?:if|ifdef|ifndef)\b.*", text, re.MULTILINE)
    return len([line for line in found if "__cplusplus" not in line]) - bool(guard)


def check_conditionals(root, report):
    headers = files(root, ("include",))
    report.row("#if in public headers", sum(conditionals(p.read_text(encoding="utf-8")) for p in headers), 0)
    source = [p for p in files(root, SOURCE) if "base" not in p.relative_to(root).parts[:2]]
    count = sum(conditionals(p.read_text(encoding="utf-8")) for p in source)
    report.row("#if per 1,000 lines outside base", round(1000 * count / max(1, total_lines(source)), 2), 1)


def own_includes(root, header):
    text = (root / "include" / header).read_text(encoding="utf-8") if (root / "include" / header).is_file() else ""
    return re.findall(r'^#include ["<](pintle/[^">]+)[">]', text, re.MULTILINE)


def reach(root, header, depth=0, seen=None):
    """({header: depth}) of everything that `header` includes, itself excepted; the deepest path counts."""
    seen = {} if seen is None else seen
    for included in own_includes(root, header):
        if seen.get(included, 0) < depth + 1 and depth < 20:
            seen[included] = depth + 1
            reach(root, included, depth + 1, seen)
    return seen


def check_headers(root, report):
    names = [str(p.relative_to(root / "include")) for p in files(root, ("include",)) if p.name != "pintle.h"]
    reached = {name: reach(root, name) for name in names}
    widest = max(names, key=lambda n: len(reached[n]), default="")
    deepest = max(names, key=lambda n: max(reached[n].values(), default=0), default="")
    report.row("own headers reachable from a public header", len(reached.get(widest, {})), 18, widest)
    report.row("depth of own includes", max(reached.get(deepest, {}).values(), default=0), 5, deepest)
    text = "\n".join(p.read_text(encoding="utf-8") for p in files(root, ("include",)))
    macros = set(re.findall(r"^\s*#\s*define (PINTLE_\w+)", text, re.MULTILINE)) - set(re.findall(r"#ifndef (\w+)", text))
    report.row("PINTLE_* macros in public headers", len(macros), 6, " ".join(sorted(macros)))
    report.row("public headers that include iostream", text.count("#include <iostream>"), 0)
    friends = [line for line in re.findall(r"^ *friend (.*);$", text, re.MULTILINE) if "operator" not in line and line != "class Inside"]
    report.row("friends in public headers, Inside aside", len(friends), 0, " ".join(friends))
    unnumbered = [body for body in re.findall(r"enum class \w+ : [\w: ]+ \{(.*?)\}", text, re.DOTALL)
                  if any("=" not in name for name in re.sub(r"//[^\n]*", "", body).split(",") if name.strip())]
    report.row("enums in public headers without numbers", len(unnumbered), 0)


def host_lines(text):
    """Lines of code outside raw strings: neither blank nor only a comment."""
    outside = re.sub(r'R"(\w*)\((.*?)\)\1"', "RAW", text, flags=re.DOTALL)
    outside = re.sub(r"/\*.*?\*/", "", outside, flags=re.DOTALL)
    return len([line for line in outside.splitlines() if line.strip() and not line.strip().startswith("//")])


def check_saxpy(root, report):
    path = root / "examples/saxpy/saxpy.cpp"
    if not path.is_file():
        report.missing("saxpy example", path.relative_to(root))
        return
    report.row("saxpy example, lines with its kernel", line_count(path), 45)
    report.row("saxpy example, lines of host code", host_lines(path.read_text(encoding="utf-8")), 20)


def check_tests(root, report):
    """What vendors' devices run through is one suite, which counts once: docs/adr/0007."""
    shared = total_lines(path for path in files(root, ("src/backends",)) if path.parent.name not in ("cpu", "null"))
    shared += total_lines(files(root, ("src/vendor",)))
    source = total_lines(files(root, SOURCE)) + total_lines(files(root, ("tools",), {".py"})) - shared
    source += total_lines(files(root, ("python", "integrations"), SUFFIXES | {".py"}))
    report.row("lines of tests (source and tools, less vendors' backends, are the limit)", total_lines(files(root, ("tests",), SUFFIXES | {".py"})),
               source, at_least=True)
    report.limits.popitem()
    report.limits["lines of tests"] = "at least those of source and tools, less vendors' backends"


def check_table(root, report, write):
    path = root / "CONTRIBUTING.md"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    if not TABLE.search(text):
        report.missing("table of budgets", path.relative_to(root))
    elif write:
        path.write_text(TABLE.sub(lambda _: report.table(), text), encoding="utf-8")
    elif TABLE.search(text)[0] != report.table():
        report.missing("these limits in the table", f"{path.relative_to(root)} (./dev size --write)")


CHECKS = (check_functions, check_files, check_seam, check_core, check_instructions, check_folders, check_conditionals, check_headers, check_saxpy, check_tests)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--write", action="store_true", help="write the table of CONTRIBUTING.md")
    options = parser.parse_args()
    root = options.root
    report = Report()
    for one in CHECKS:
        one(root, report)
    check_table(root, report, options.write)
    print(f"size: {report.breaches} breaches")
    return 1 if report.breaches else 0


if __name__ == "__main__":
    sys.exit(main())
