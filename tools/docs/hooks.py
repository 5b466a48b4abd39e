"""Hooks of mkdocs: pages of the tree's root, links to paths of the tree, pictures, the reference, and blocks that were not compiled here."""

import os
import re
import sys
from pathlib import Path
from posixpath import dirname, normpath, relpath

from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parent))
import libraries  # noqa: E402
import pictures  # noqa: E402
from pages import FENCE, HEADING, ROOT, ROOT_PAGES, WORDS, is_made, title_of  # noqa: E402
from pages import site_of as site_of_path  # noqa: E402

REFERENCE = ROOT / "build/reference"  # what doxygen has written: cpp/ and c/
TREE_OF = {site: tree for tree, site in ROOT_PAGES.items()}
# Pictures that the site alone has: (page, heading, what stands in its place)
BARS = "\n".join(f"![{column} of each library](peers_{index}.svg)" for index, column in enumerate(pictures.COLUMNS))
PLACED = (("architecture.md", "## The life of a submission\n",
           "![Which folder of src may include which; a small arrow names a layer further down](architecture.svg)\n\n## The life of a submission\n"),
          ("figures.md", "## Beside other libraries\n", f'## Beside other libraries\n\n<div class="grid" markdown>\n\n{BARS}\n\n</div>\n'))
REFERENCE_PAGE = """# Reference

Every public header with what it is for. The pages behind the links are made by doxygen from the headers' comments; each has a search of its own.
[C++](reference/cpp/index.html) and [C](reference/c/index.html) have indices of all names. The C interface is the one that [stays](compatibility.md).
The reference of Python is in the package: `python3 -c 'import pintle; help(pintle)'`.
"""


def made(config, site, content):
    return File.generated(config, site, content=content)


def first_comment(path):
    """What a header says of itself in its first lines, up to the first sentence's end."""
    lines = re.match(r"(?://[^\n]*\n)+|/\*.*?\*/", path.read_text(encoding="utf-8"), re.DOTALL)[0]
    text = " ".join(re.sub(r"^\s*(//|/?\*+/?)\s?|\*/$", "", line).strip() for line in lines.splitlines())
    return re.split(r"(?<=\.) (?=[A-Z])", text)[0].strip()


def header_rows(folder, reference):
    for path in sorted((ROOT / "include" / folder).glob("*.h")):
        html = f"{path.stem.replace('_', '__')}_8h.html"
        if folder != "pintle" and not (REFERENCE / reference / html).is_file():
            html = next((page.name for page in (REFERENCE / reference).glob(f"*{path.stem.replace('_', '__')}_8h.html")
                         if folder.split("/")[-1] in page.name), html)
        yield f"| [`{folder}/{path.name}`](reference/{reference}/{html}) | {first_comment(path)} |"


def reference_page():
    parts = [REFERENCE_PAGE]
    for title, folder, reference in (("C++", "pintle", "cpp"), ("C++: the seam, for backends", "pintle/backend", "cpp"),
                                     ("C++: a vendor's own objects", "pintle/native", "cpp"), ("C", "pintle/c", "c")):
        parts += [f"## {title}\n", "| header | is |\n|---|---|", *header_rows(folder, reference), ""]
    return "\n".join(parts)


def on_config(config):
    """The decisions are all pages of their folder."""
    decisions = sorted(path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs/adr").glob("*.md"))
    for part in config["nav"]:
        for entries in part.values():
            if isinstance(entries, list):
                entries[:] = [{"Decisions": decisions} if entry == {"Decisions": "adr"} else entry for entry in entries]
    return config


def on_files(files, config):
    for tree, site in ROOT_PAGES.items():
        files.append(made(config, site, (ROOT / tree).read_text(encoding="utf-8")))
    files.append(made(config, "reference.md", reference_page()))
    files.append(made(config, "assets/style.css", (Path(__file__).parent / "style.css").read_text(encoding="utf-8")))
    for file, picture in {"architecture.svg": pictures.architecture(ROOT), **pictures.peers(ROOT)}.items():
        files.append(made(config, file, picture))
    for path in sorted(REFERENCE.rglob("*")):
        if path.is_file():
            name = path.relative_to(REFERENCE).as_posix()
            files.append(File(f"reference/{name}", str(REFERENCE.parent), config["site_dir"], use_directory_urls=False))
    return files


def linked(words, page, title=""):
    """A piece of a line, with what it links to or names of the tree as a link of the site."""
    mark, text, target, code = words.groups()
    tree = TREE_OF.get(page, f"docs/{page}")
    if code:
        site = site_of_path(code) if code.endswith(".md") and (ROOT / code).is_file() else None
        return f"[{title_of((ROOT / code).read_text(encoding='utf-8'))}]({relpath(site, dirname(page))})" if site and site != page else words[0]
    if re.match(r"[a-z][a-z0-9+.-]*:|#", target):
        return words[0]
    name, _, anchor = target.partition("#")
    path = normpath(f"{dirname(tree)}/{name}").lstrip("/")
    site = site_of_path(path)
    if site is None or not ((ROOT / path).is_file() or is_made(site)):
        return text  # it is in the tree, and no page
    return f"{mark}[{text}]({relpath(site, dirname(page) or '.')}{'#' + anchor if anchor else ''})"


def with_links(text, page):
    """Tables keep `|` in code apart by a backslash where they are read as they are; here code may have it."""
    lines = []
    for line in text.split("\n"):
        if line.startswith("|"):
            line = re.sub(r"`[^`]*`", lambda match: match[0].replace("\\|", "|"), line)
        lines.append(line if HEADING.match(line) else WORDS.sub(lambda words: linked(words, page), line))
    return "\n".join(lines)


def block(match):
    title = re.search(r'title="([^"]*)"', match[1])
    if title and title[1] in libraries.LIBRARIES and not libraries.is_here(title[1]):
        return match[0].replace(title[0], f'title="{title[1]}, not compiled here"', 1)
    return match[0]


def on_page_markdown(markdown, page, config, files):
    del config, files
    name, parts, at = page.file.src_uri, [], 0
    for match in FENCE.finditer(markdown):
        parts += [with_links(markdown[at:match.start()], name), block(match)]
        at = match.end()
    markdown = "".join([*parts, with_links(markdown[at:], name)])
    for where, heading, instead in PLACED:
        if where == name:
            markdown = markdown.replace(heading, instead, 1)
    return markdown
