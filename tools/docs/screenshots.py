#!/usr/bin/env python3
"""Pictures of every page of the built site, by a headless chromium: `screenshots.py SITE OUT`.

OUT has a PNG for each page and each width, and index.html, which shows a page's pictures beside each other. Someone looks at them: README.md says how
that is recorded. A page that the site lacks or that gives no picture fails.
"""

import argparse
import contextlib
import functools
import http.server
import re
import shutil
import subprocess
import sys
import threading
from html import escape
from pathlib import Path

from pages import ROOT, nav

WIDTHS = (390, 1440)  # a phone and a desk
HEIGHT = 5000  # most pages whole
SECONDS = 120  # for one picture: a second on a machine that is free
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def listed(root):
    """Every page of `nav` as the site names it, in its order; a folder of pages is each of them."""
    for line in nav(root):
        words = re.sub(r"\s+#.*", "", line)
        if page := re.search(r"([\w/-]+)\.md$", words):
            yield f"{page[1]}.html"
        elif folder := re.search(r": ([\w/-]+)$", words):
            yield from sorted(path.relative_to(root / "docs").with_suffix(".html").as_posix() for path in (root / "docs" / folder[1]).glob("*.md"))


def picture_of(page, width):
    return f"{page.removesuffix('.html').replace('/', '_')}_{width}.png"


class Files(http.server.SimpleHTTPRequestHandler):
    """The files of the site, without a line for each."""

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(site):
    """The address of a server of the site: a browser that opens the files themselves shows no search."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def command(browser, address, page, out, width):
    return [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={width},{HEIGHT}",
            f"--screenshot={out / picture_of(page, width)}", f"{address}/{page}"]


def problem_of(browser, address, page, out, width):
    """Takes one picture; what went wrong, or nothing."""
    try:
        done = subprocess.run(command(browser, address, page, out, width), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"{page} at {width} pixels: no picture within {SECONDS} s"
    if (out / picture_of(page, width)).is_file():
        return ""
    return f"{page} at {width} pixels: no picture: {done.stdout.strip()[-500:] or f'{browser} ended with {done.returncode}'}"


def index(pages):
    """One page with all pictures; each is a link to itself in full size."""
    rows = "".join(f"<h2>{escape(page)}</h2>\n<p>" + "".join(f'<a href="{name}"><img src="{name}" alt="{name}" height="600"></a>\n' for name in
                                                            (picture_of(page, width) for width in WIDTHS)) + "</p>\n" for page in pages)
    return f'<!doctype html>\n<meta charset="utf-8">\n<title>Every page at {" and ".join(map(str, WIDTHS))} pixels</title>\n{rows}'


def take(browser, site, out, pages):
    """All pictures and the index, in an empty folder; what went wrong."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    (out / "index.html").write_text(index(pages), encoding="utf-8")
    there = [page for page in pages if (site / page).is_file()]
    with served(site) as address:
        found = [problem for page in there for width in WIDTHS if (problem := problem_of(browser, address, page, out, width))]
    return found + [f"{site} has no {page}" for page in pages if page not in there]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--browser", default=next(filter(None, map(shutil.which, BROWSERS)), None))
    options = parser.parse_args()
    if not options.browser:
        print(f"screenshots: there is no browser ({', '.join(BROWSERS)}); ./dev setup devices installs one")
        return 1
    pages = list(listed(options.root))
    found = take(options.browser, options.site.resolve(), options.out.resolve(), pages)
    print(*found, f"screenshots: {len(pages)} pages at {len(WIDTHS)} widths, {len(found)} problems: {options.out}/index.html", sep="\n")
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
