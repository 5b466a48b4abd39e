#!/usr/bin/env python3
"""Copies the null backend and its own tests under another name. Nothing else in the tree changes."""

import argparse
import re
import shutil
import sys
from pathlib import Path

RESERVED = {"backend", "base", "bench", "c", "capi", "cli", "conformance", "core", "host", "io", "kit", "layers", "native", "null", "plan",
            "registry", "seam", "vendor", "auto", "bool", "char", "class", "default", "double", "enum", "export", "float", "inline", "int",
            "namespace", "new", "private", "public", "register", "short", "static", "struct", "this", "union", "using", "void"}


def pascal(name):
    return "".join(word.capitalize() for word in name.split("_"))


def renamed(text, name):
    """`null` and `Null` as whole words of identifiers and prose; nullptr, nullopt and "null pointer" stay."""
    text = re.sub(r"Null(?![a-z])", pascal(name), text)
    return re.sub(r"(?<![A-Za-z0-9])null(?![A-Za-z0-9]| pointer)", name, text)


def mistake(root, name):
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        return f'A backend name is lower-case words joined by "_"; this is "{name}".'
    if name in RESERVED:
        return f'The name "{name}" is taken by the language or the tree.'
    if (root / "src/backends" / name).exists():
        return f"There is a src/backends/{name} already."
    return None


def originals(root):
    """What belongs to null: its folder, its expected gaps, and tests that carry its name."""
    yield from sorted(p for p in (root / "src/backends/null").rglob("*") if p.is_file())
    tests = sorted(p for p in (root / "tests").rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    yield from (p for p in tests if re.search(r"(^|[/_])null([_./]|$)", str(p.relative_to(root))))


def copy(root, name):
    """The new files, relative to the root."""
    made = []
    for original in originals(root):
        target = Path(renamed(str(original.relative_to(root)), name))
        (root / target).parent.mkdir(parents=True, exist_ok=True)
        (root / target).write_text(renamed(original.read_text(encoding="utf-8"), name), encoding="utf-8")
        shutil.copymode(original, root / target)
        made.append(target)
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", help="lower-case words joined by _, for example level_zero")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    if words := mistake(options.root, options.name):
        print(words, file=sys.stderr)
        return 1
    made = copy(options.root, options.name)
    if not made:
        print("There is no src/backends/null to copy.", file=sys.stderr)
        return 1
    print("\n".join(f"made {path}" for path in made))
    print(f"""Next:
  ./dev test                                             the conformance suite runs on {options.name} too
  ./dev build && build/dev/bin/pintle conform --device {options.name}
  src/backends/{options.name}/README.md                  say what it is; then replace one file after another""")
    return 0


if __name__ == "__main__":
    sys.exit(main())
