"""A page's Markdown as the site has it: paths of the tree become links, and blocks that were not compiled here are called so."""

import re
from posixpath import dirname, normpath, relpath

import libraries
from pages import FENCE, HEADING, ROOT, ROOT_PAGES, WORDS, is_made, site_of, title_of

DATE = re.compile(r"(?<![\w/.-])(\d{4}-\d\d-\d\d)(?![\w/-]|\.\w)")
UNIT = re.compile(r"(?<=\d) (?=(?:[µmn]s|us|s|%|[GMK]i?B(?:/s)?)(?:$|[\s,;:.)|]))")
TREE_OF = {site: tree for tree, site in ROOT_PAGES.items()}


def linked(words, page, root):
    """A piece of a line, with what it links to or names of the tree as a link of the site."""
    mark, text, target, code = words.groups()
    tree = TREE_OF.get(page, f"docs/{page}")
    if code:
        site = site_of(code) if code.endswith(".md") and (root / code).is_file() else None
        return f"[{title_of((root / code).read_text(encoding='utf-8'))}]({relpath(site, dirname(page))})" if site and site != page else words[0]
    if re.match(r"[a-z][a-z0-9+.-]*:|#", target):
        return words[0]
    name, _, anchor = target.partition("#")
    path = normpath(f"{dirname(tree)}/{name}").lstrip("/")
    site = site_of(path)
    if site is None or not ((root / path).is_file() or is_made(site)):
        return text  # it is in the tree, and no page
    return f"{mark}[{text}]({relpath(site, dirname(page) or '.')}{'#' + anchor if anchor else ''})"


def unbroken(row):
    """A row of a table in which no date and no number with its unit is broken between lines; code is left as it is."""
    parts = re.split(r"(`[^`]*`)", row)
    parts[::2] = [DATE.sub(r'<span class="date">\1</span>', UNIT.sub("\u00a0", part)) for part in parts[::2]]
    return "".join(parts)


def with_links(text, page, root):
    """Tables keep `|` in code apart by a backslash where they are read as they are; here code may have it."""
    lines = []
    for line in text.split("\n"):
        if line.startswith("|"):
            line = unbroken(re.sub(r"`[^`]*`", lambda match: match[0].replace("\\|", "|"), line))
        lines.append(line if HEADING.match(line) else WORDS.sub(lambda words: linked(words, page, root), line))
    return "\n".join(lines)


def block(match):
    title = re.search(r'title="([^"]*)"', match[1])
    if title and title[1] in libraries.LIBRARIES and not libraries.is_here(title[1]):
        return match[0].replace(title[0], f'title="{title[1]}, not compiled here"', 1)
    return match[0]


def rewritten(markdown, page, root=ROOT):
    """`page` is its place in the site: "guide/c.md"."""
    parts, at = [], 0
    for match in FENCE.finditer(markdown):
        parts += [with_links(markdown[at:match.start()], page, root), block(match)]
        at = match.end()
    return "".join([*parts, with_links(markdown[at:], page, root)])
