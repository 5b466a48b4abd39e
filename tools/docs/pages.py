"""What the pages of the site are: where each comes from in the tree, and the pieces of Markdown that are looked at."""

import re
import unicodedata
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
ROOT_PAGES = {"README.md": "index.md", "ARCHITECTURE.md": "architecture.md", "GLOSSARY.md": "glossary.md", "CHANGELOG.md": "changelog.md",
              "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md"}
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?)\[((?:[^\[\]`]|`[^`]*`)*)\]\(([^()\s]+)\)")  # a link: an image or none, its text, its target
WORDS = re.compile(rf"{LINK.pattern}|`([^`\n]+)`")  # a link, or code in a line
HEADING = re.compile(r"^#+ +(.*?)(?: +\{#([\w-]+)\})?$", re.MULTILINE)


class Block(NamedTuple):
    language: str
    title: str  # the library that the block is written for; empty: Pintle
    code: str
    line: int  # of its first line of code


def pages(root):
    """Each page's path in the tree, the root's first."""
    return [*(root / name for name in ROOT_PAGES if (root / name).is_file()), *sorted((root / "docs").rglob("*.md"))]


def site_of(path):
    """Where a path of the tree is in the site: "docs/a/b.md" is "a/b.md"; None for what is no part of it."""
    if path in ROOT_PAGES:
        return ROOT_PAGES[path]
    return path.removeprefix("docs/") if path.startswith("docs/") and not path.endswith(".json") else None


def nav(root):
    """The lines of `nav`, the list of the site's pages."""
    return (root / "tools/docs/mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[-1].splitlines()


def is_made(site):
    """Whether a path is of the site alone: what doxygen writes, and the page in front of it."""
    return site == "reference.md" or site.startswith("reference/")


def blocks(text):
    for match in FENCE.finditer(text):
        info = match[1]
        title = re.search(r'title="([^"]*)"', info)
        language = info.split(" ")[0]
        yield Block(language, title[1] if title and title[1] != "Pintle" else "", match[2], text.count("\n", 0, match.start(2)) + 1)


def without_blocks(text):
    """The text with as many empty lines instead of each block."""
    return FENCE.sub(lambda match: "\n" * match[0].count("\n"), text)


def slug(heading):
    """The anchor of a heading, as the site and those who show Markdown make it."""
    plain = re.sub(r"[`*]|\]\([^)]*\)|!?\[", "", heading)
    plain = unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


def anchors(text):
    return {match[2] or slug(match[1]) for match in HEADING.finditer(without_blocks(text))}


def title_of(text):
    found = HEADING.search(without_blocks(text))
    return found[1] if found else ""
