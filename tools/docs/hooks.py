"""Hooks of mkdocs: pages of the tree's root, pictures, the reference, and Markdown as rewrite.py makes it for the site."""

import re
import sys
from pathlib import Path

from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parent))
import pictures  # noqa: E402
import rewrite  # noqa: E402
from pages import ROOT, ROOT_PAGES  # noqa: E402

REFERENCE = ROOT / "build/reference"  # what doxygen has written: cpp/ and c/
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


def on_page_markdown(markdown, page, config, files):
    del config, files
    name = page.file.src_uri
    markdown = rewrite.rewritten(markdown, name)
    for where, heading, instead in PLACED:
        if where == name:
            markdown = markdown.replace(heading, instead, 1)
    return markdown
