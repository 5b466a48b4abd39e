#!/usr/bin/env python3
"""The pages as they lie in the tree: dead links, pages that `nav` lacks, code blocks without a language or that do not parse.

With --library NAME, the blocks of that library instead, where its headers or package are there; 77 where they are not.
"""

import argparse
import ast
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

import libraries
from pages import HEADING, LINK, ROOT, anchors, blocks, is_made, nav, pages, site_of, without_blocks

# Languages of blocks, and who looks at them. tests/docs compiles cpp and c; tests/python runs python.
LANGUAGES = {"cpp", "c", "python", "sh", "cmake", "json", "text"}
SKETCH = "Sketch, never compiled"  # what a decision may show
ITEM = re.compile(r"[-*] |\d+\. ")
VERB = re.compile(r"(?:^|[;&|] *)(?:\w+=\S+ +)*\./dev +([a-z][\w-]*)", re.MULTILINE)


def verbs(root):
    """What ./dev can do."""
    path = root / "dev"
    return set(re.findall(r"^verb_(\w+)\(\)", path.read_text(encoding="utf-8"), re.MULTILINE)) if path.is_file() else set()


def shell_problem(code, root):
    done = subprocess.run(["bash", "-n"], input=code, text=True, capture_output=True, check=False)
    if done.returncode:
        return done.stderr.strip()
    unknown = {verb for verb in VERB.findall(code) if verb.replace("-", "_") not in verbs(root)}
    return f"./dev has no verb {', '.join(sorted(unknown))}" if unknown else ""


def cmake_problem(code, _root):
    with tempfile.NamedTemporaryFile("w", suffix=".cmake") as file:
        file.write(f"function(code_of_a_page)\n{code}endfunction()\n")
        file.flush()
        done = subprocess.run(["cmake", "-P", file.name], text=True, capture_output=True, check=False)
    return done.stderr.strip() if done.returncode else ""


def parsed(parse, code):
    try:
        parse(code)
    except ValueError as error:
        return str(error)
    except SyntaxError as error:
        return str(error)
    return ""


PARSERS = {"sh": shell_problem, "cmake": cmake_problem, "json": lambda code, _: parsed(json.loads, code), "python": lambda code, _: parsed(ast.parse, code)}


def check_blocks(root, path, text):
    for block in blocks(text):
        where = f"{path.relative_to(root)}:{block.line - 1}"
        if block.title == SKETCH and path.parent.name == "adr":
            continue
        if block.title:
            if block.title not in libraries.LIBRARIES:
                yield f'{where}: the title "{block.title}" is no library that tools/docs/libraries.py knows.'
        elif not block.language:
            yield f"{where}: a code block without a language."
        elif block.language not in LANGUAGES:
            yield f'{where}: nothing checks code in "{block.language}".'
        elif block.language in PARSERS and (problem := PARSERS[block.language](block.code, root)):
            yield f"{where}: this block does not parse: {problem}"
    lines = without_blocks(text).split("\n")
    for number, (before, line) in enumerate(zip(["", *lines], lines), 1):
        if line.startswith(("    ", "\t")) and not before:
            yield f"{path.relative_to(root)}:{number}: a code block without a language: it is indented."
        if ITEM.match(line) and before and not ITEM.match(before) and not before.startswith((" ", "#")):
            yield f"{path.relative_to(root)}:{number}: a list needs an empty line before it: the site has none here."


def external_problem(target):
    """What is wrong with an address, as far as its letters tell: nothing is fetched."""
    parts = urlsplit(target)
    if parts.scheme not in ("http", "https", "mailto"):
        return f'the scheme "{parts.scheme}" is none of a page'
    if parts.scheme != "mailto" and not re.fullmatch(r"[\w-]+(\.[\w-]+)+(:\d+)?", parts.netloc):
        return f'"{parts.netloc}" is no host'
    return ""


def link_problem(root, path, target):
    if re.match(r"[a-z][a-z0-9+.-]*:", target):
        return external_problem(target)
    name, _, anchor = target.partition("#")
    file = (path.parent / name).resolve() if name else path
    if not file.exists():
        return "" if file.is_relative_to(root / "docs") and is_made(file.relative_to(root / "docs").as_posix()) else "there is no such file"
    if anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
        return "the page has no such heading"
    return ""


def check_links(root, path, text):
    for number, line in enumerate(without_blocks(text).split("\n"), 1):
        for match in LINK.finditer(re.sub(r"(?<!\[)`[^`]*`(?!\])", "", line)):
            if problem := link_problem(root, path, match[3]):
                yield f"{path.relative_to(root)}:{number}: dead link {match[3]}: {problem}."
        for name in re.findall(r"`((?:docs|tests|tools|bench)/[\w./-]+\.md)`", line):
            if not (root / name).is_file():
                yield f"{path.relative_to(root)}:{number}: `{name}` is not in the tree."
        if path.is_relative_to(root / "docs/guide"):
            for name in re.findall(r"(?<!\[)`([\w-]+\.md)`", line):
                if (path.parent / name).is_file():
                    yield f"{path.relative_to(root)}:{number}: `{name}` is no link on the site: [words]({name}) is one."


def check_nav(root):
    """Each page once in `nav`, less the decisions, which it takes as a folder."""
    listed = [name for line in nav(root) for name in re.findall(r"[\w/-]+\.md\b", line)]
    there = {site_of(str(path.relative_to(root))) for path in pages(root) if path.parent != root / "docs/adr"}
    for name in sorted(there - set(listed)):
        yield f"tools/docs/mkdocs.yml: nav lacks {name}."
    for name in listed:
        if not (name in there or is_made(name)) or listed.count(name) > 1:
            yield f"tools/docs/mkdocs.yml: nav has {name} {'twice' if name in there else 'and there is no such page'}."


def check_page(root, path):
    text = path.read_text(encoding="utf-8")
    if not HEADING.match(text):
        yield f"{path.relative_to(root)}:1: a page begins with its heading."
    yield from check_blocks(root, path, text)
    yield from check_links(root, path, text)


def problems(root):
    for path in pages(root):
        yield from check_page(root, path)
    yield from check_nav(root)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--library", choices=libraries.LIBRARIES)
    options = parser.parse_args()
    if options.library and not libraries.is_here(options.library):
        print(f"{options.library} is not here: its blocks are not compiled")
        return 77
    found = list(libraries.problems(options.library) if options.library else problems(options.root.resolve()))
    print(*found, f"pages: {len(found)} problems", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
