#!/usr/bin/env python3
"""The site as it was built: every link leads to a file and an anchor that are there, and no page fetches anything from a network."""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from posixpath import dirname, normpath
from urllib.parse import unquote, urlsplit

from check_pages import external_problem

FETCHED = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("object", "data"), ("image", "href")}
LINKS = FETCHED | {("a", "href"), ("area", "href")}
IN_STYLE = re.compile(r"""(?:url\(\s*['"]?|@import\s+['"])(?!data:)([^'")]+)""")


class Page(HTMLParser):
    """The anchors of a page, and what it links to: (line, target, whether a browser fetches it with the page)."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links = {""}, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if value and (name == "id" or (tag == "a" and name == "name")):
                self.anchors.add(value)
            if value and (tag, name) in LINKS:
                self.links.append((self.getpos()[0], value, (tag, name) in FETCHED))
            if value and name == "style":
                self.links += [(self.getpos()[0], target, True) for target in IN_STYLE.findall(value)]


def is_on_a_network(target):
    return target.startswith("//") or bool(urlsplit(target).scheme not in ("", "data", "javascript"))


def problem_of(root, pages, where, target, is_fetched):
    if target.startswith(("javascript:", "data:")):
        return ""
    if is_on_a_network(target):
        return "a browser would fetch it from a network" if is_fetched else external_problem(target)
    parts = urlsplit(target)
    path = normpath(f"{dirname(where) or '.'}/{unquote(parts.path)}") if parts.path else where
    if (root / path).is_dir():
        path = f"{path}/index.html".removeprefix("./")
    if path.startswith("..") or not (root / path).is_file():
        return "there is no such file"
    if parts.fragment and path in pages and unquote(parts.fragment) not in pages[path].anchors:
        return "the page has no such anchor"
    return ""


def problems(root):
    pages = {path.relative_to(root).as_posix(): Page(path.read_text(encoding="utf-8")) for path in sorted(root.rglob("*.html"))}
    if not pages:
        yield f"{root}: there is no page."
    for name, page in pages.items():
        for line, target, is_fetched in page.links:
            if problem := problem_of(root, pages, name, target, is_fetched):
                yield f"{name}:{line}: {target}: {problem}."
    for path in sorted(root.rglob("*.css")):
        name = path.relative_to(root).as_posix()
        for target in IN_STYLE.findall(path.read_text(encoding="utf-8")):
            if problem := problem_of(root, pages, name, target, True):
                yield f"{name}: {target}: {problem}."


def main():
    root = Path(sys.argv[1])
    found = list(problems(root))
    print(*found, f"site: {len(list(root.rglob('*.html')))} pages, {len(found)} problems", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
