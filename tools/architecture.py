"""Whether ARCHITECTURE.md is true as far as a program can say: its folder table, and every path that it names."""

import itertools
import re

PAGE = "ARCHITECTURE.md"
BESIDE = ("", "include/pintle", "src")  # where a path with a slash may start
FOLDERS = ("include", "src", "tests", "tools", "docs", "cmake", "bench")  # where a bare file name may be
FILE = re.compile(r"[\w-]+\.(?:h|cpp|c|inc|py|md|json|cmake|sh|txt)")
PATH = re.compile(r"[\w.*{},/-]*/[\w.*{},/-]*")
NO_FOLDER = {"std", "fmt", "public API", "–"}  # what the table says beside folders


def is_path(words):
    return not words.startswith(("/", ".")) and bool(FILE.fullmatch(words) or PATH.fullmatch(words))


def expand(path):
    """a/{b,c}.h as a/b.h and a/c.h; X stands for any name."""
    pieces = [piece.split(",") for piece in re.split(r"[{}]", path)]
    yield from ("".join(choice) for choice in itertools.product(*pieces))


def exists(root, path):
    pattern = "/".join("*" if part == "X" else part for part in path.strip("/").split("/"))
    if "/" not in path:
        return (root / path).is_file() or any(next((root / folder).rglob(pattern), None) for folder in FOLDERS if (root / folder).is_dir())
    return any(next((root / start).glob(pattern), None) for start in BESIDE if (root / start).is_dir())


def check_paths(root, lines):
    for number, line in enumerate(lines, 1):
        for words in filter(is_path, re.findall(r"`([^`]+)`", line)):
            for path in expand(words):
                if not exists(root, path):
                    yield f"{PAGE}:{number}: `{path}` is not in the tree."


def rows(lines):
    """(line, folder, what it may include) of the table whose first column is called folder."""
    is_inside = False
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if cells[:1] == ["folder"]:
            is_inside = True
        elif not cells:
            is_inside = False
        elif is_inside and not cells[0].startswith("---"):
            yield number, cells[0].strip("`"), {word.strip() for word in cells[1].split(",")} - NO_FOLDER


def check_table(root, lines, layers):
    seen = set()
    for number, folder, included in rows(lines):
        name = folder.removeprefix("src/").split("/")[0]
        seen.add(name)
        if folder.startswith("src/") and included != set(layers.get(name, {"folders": []})["folders"]):
            yield f"{PAGE}:{number}: `{folder}` may include {', '.join(sorted(included)) or 'nothing'}, and layers.json says " \
                  f"{', '.join(layers.get(name, {'folders': []})['folders']) or 'nothing'}."
    for folder in sorted(path.name for path in (root / "src").glob("*") if path.is_dir()):
        if folder not in seen:
            yield f"{PAGE}: the table of folders has no row of src/{folder}."


def problems(root, table):
    page = root / PAGE
    if not page.is_file():
        return [f"{PAGE} is missing."]
    lines = page.read_text(encoding="utf-8").splitlines()
    return [*check_paths(root, lines), *check_table(root, lines, table["layers"])]
