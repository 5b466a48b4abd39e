#!/usr/bin/env python3
"""Compares the C interface with its dump, pintle.abi, by abidiff; `--write` renews the dump. docs/compatibility.md has the rules.

`abi.py [--write] [--root TREE] [--compiler CC] [LIBRARY]`. The debug information of the library has no types in the presets that tests are built
in, and gigabytes elsewhere. So the interface that is dumped is that of a library of empty functions, made of the same headers; with LIBRARY, the
functions that it exports must be the same ones. Ends with 77 where abidiff is not installed."""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
DUMP = Path("tests/capi/pintle.abi")
COMMAND = "python3 tests/capi/abi.py --write"
SECTION = "Breaks of the C interface"
CONSTANTS = "every_constant"  # an enum that only the dump has: no function's type names the constants, and abidiff passes over their values
STRUCTS = Path("src/capi/structs.h")  # has the sizes of earlier versions
FIXED = ("pintle_error", "pintle_point", "pintle_view")  # in every call, or in other structs: they never grow
ABIDW = ("abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-elf-needed", "--no-parameter-names", "--type-id-style", "hash")


def run(*command, text="", good=(0,)):
    done = subprocess.run([str(word) for word in command], input=text, text=True, capture_output=True, check=False)
    if done.returncode not in good:
        sys.exit(f"{' '.join(map(str, command))} ends with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def headers_of(root):
    return sorted((root / "include/pintle/c").glob("*.h"))


def stub_of(root):
    """A C source of empty functions with the types that the headers declare, and of one that takes every constant."""
    text = re.sub(r"/\*.*?\*/", "", "\n".join(header.read_text(encoding="utf-8") for header in headers_of(root)), flags=re.DOTALL)
    functions = re.findall(r"^PINTLE_C_API (pintle_status \w+\(.*?\));", text, re.MULTILINE | re.DOTALL)
    constants = [name for block in re.findall(r"^enum \{(.*?)\}", text, re.MULTILINE | re.DOTALL) for name in re.findall(r"\b(PINTLE_\w+) =", block)]
    if not functions or not constants:
        sys.exit("the headers declare nothing that this script finds")
    lines = [f'#include "pintle/c/{header.name}"' for header in headers_of(root)]
    lines.append(f"enum {CONSTANTS} {{ {', '.join(f'the_{name} = {name}' for name in constants)} }};")
    lines.append(f"void take_{CONSTANTS}(enum {CONSTANTS} all);\nvoid take_{CONSTANTS}(enum {CONSTANTS} all) {{ (void)all; }}")
    return "\n".join(lines + [f"{function} {{ return 0; }}" for function in functions]) + "\n"


def dump(root, compiler, folder):
    library, out = folder / "libpintle.so", folder / "pintle.abi"
    run(compiler, "-std=c11", "-g", "-O0", "-w", "-shared", "-fPIC", f"-ffile-prefix-map={root}=", "-Wl,-soname,libpintle.so.0", "-I",
        root / "include", "-o", library, "-x", "c", "-", text=stub_of(root))
    run(*ABIDW, "--out-file", out, library)
    return out


def is_growth(lines):
    """Whether a changed struct only has more members behind those that it had, or in the place of a reserved one."""
    size = re.fullmatch(r"type size changed from (\d+) to \d+ \(in bits\)", lines[0]) if lines else None
    old = int(size[1]) if size else None
    for line in lines:
        place = re.fullmatch(r"'.*', at offset (\d+) \(in bits\)", line)
        known = re.fullmatch(r"type size (changed from|hasn't changed).*|\d+ data member insertions?:|there are data member changes:"
                             r"|name of '\w+::reserved\w*' changed to .*", line)
        if not known and not (place and old is not None and int(place[1]) >= old):
            return False
    return bool(lines)


def items_of(report):
    """(name, lines) of each changed type and function in abidiff's report of leaf changes; a new one has no lines."""
    items = []
    for line in report.splitlines():
        kind = re.match(r"'(?:struct|union|enum|typedef) ([\w:]+).*' changed:$|  \[([ACD])\] 'function [^(]*?(\w+)\(", line)
        if kind:
            items.append((kind[1] or kind[3], ["removed"] if kind[2] == "D" else []))
        elif items and line.startswith("  "):
            items[-1][1].append(line.strip())
    return items


def has_grown(lines):
    """Whether a changed struct is longer than before; is_growth is true."""
    return any(line.startswith("type size changed from") for line in lines)


def refused_growths(root, items):
    """Why not, for each struct that has grown and must not, or of which the library does not know the size that it had."""
    known = (root / STRUCTS).read_text(encoding="utf-8")
    for name, lines in items:
        if not is_growth(lines) or not has_grown(lines):
            continue
        if name in FIXED:
            yield f"{name} has grown, and programs have its size in every call or inside other structs: make a new struct or a new function."
        elif f"earlier_sizes<{name}>" not in known:
            yield f"{name} has grown, and {STRUCTS} has no line `earlier_sizes<{name}>` with the size that it had: programs that were compiled " \
                  "with it would be refused."


def constants_of(dump_file):
    return dict(re.findall(r"<enumerator name='the_(\w+)' value='(-?\d+)'/>", dump_file.read_text(encoding="utf-8")))


def changes(root, old, new):
    """The names of what breaks programs, abidiff's report, which is empty where nothing differs, and why structs must not have grown."""
    report = run("abidiff", "--leaf-changes-only", "--harmless", old, new, good=(0, 4, 8, 12))
    items = [(name, lines) for name, lines in items_of(report) if name != CONSTANTS]
    if not items and not re.search(r"^Leaf changes summary: \d+ artifacts? changed|^\s*$", report):
        sys.exit(f"this report of abidiff says nothing that this script knows:\n{report}")
    breaks = [name for name, lines in items if lines and not is_growth(lines)]
    before, now = constants_of(old), constants_of(new)
    different = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    report = (report if items else "") + "".join(f"{name}: {before.get(name)} -> {now.get(name)}\n" for name in different)
    breaks = list(dict.fromkeys(breaks + [name for name in different if name in before]))
    return breaks, report, list(refused_growths(root, items))


def breaks_are_allowed(root):
    """Until the first version is tagged."""
    tagged = subprocess.run(["git", "-C", root, "tag", "--list", "v0.1.0"], text=True, capture_output=True, check=False).stdout.strip()
    return not tagged and "## 0.1.0, unreleased" in (root / "CHANGELOG.md").read_text(encoding="utf-8")


def unnamed(root, breaks):
    """Those of the breaks that no line of the changelog's section names."""
    section = (root / "CHANGELOG.md").read_text(encoding="utf-8").partition(f"### {SECTION}\n")[2].partition("\n#")[0]
    return [name for name in breaks if not re.search(rf"\b{re.escape(name)}\b", section)]


def refusal(root, breaks, growths):
    """Why the dump may not be renewed; empty where it may."""
    if growths:
        return "\n".join(growths)
    if breaks and not breaks_are_allowed(root):
        return f"0.1.0 is out, and these would break programs that use it: {', '.join(breaks)}."
    missing = unnamed(root, breaks)
    return f'These break programs, and CHANGELOG.md names them not, below "{SECTION}": {", ".join(missing)}.' if missing else ""


def check_exports(library, new):
    listed = run("nm", "-D", "--defined-only", library).splitlines()
    dumped = set(re.findall(r"<elf-symbol name='(\w+)'", new.read_text(encoding="utf-8"))) - {f"take_{CONSTANTS}"}
    different = dumped ^ {line.split()[-1] for line in listed}
    if different:
        sys.exit(f"{library} and the headers differ: {', '.join(sorted(different))}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("library", nargs="?")
    words = parser.parse_args()
    if shutil.which("abidiff") is None:
        print("skipped: abidiff is not installed (package abigail-tools)")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        new = dump(words.root, words.compiler, Path(name))
        if words.library:
            check_exports(words.library, new)
        breaks, report, growths = changes(words.root, words.root / DUMP, new) if (words.root / DUMP).exists() else ([], f"there is no {DUMP}", [])
        if not report:
            print("the interface is that of the dump")
            return 0
        print(report)
        why = refusal(words.root, breaks, growths)
        if words.write and not why:
            shutil.copyfile(new, words.root / DUMP)
            print(f"{DUMP} is renewed")
            return 0
    print(why or "Programs that use it go on; the dump is to be renewed:", f"{COMMAND}", sep="\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
