#!/usr/bin/env python3
"""Asks every address of other sites that a page has, for `./dev nightly docs`: a site that answers "not found" fails, and so does one that cannot be
reached while others can. Where nothing can be reached there is no network: that is said, and does not fail."""

import argparse
import http.client
import sys
import urllib.error
import urllib.request
from pathlib import Path

from pages import LINK, ROOT, pages, without_blocks

SECONDS = 20  # for one address
GONE = (404, 410)  # other refusals are for programs that ask, not for people who read


def addresses(root):
    """{address: the first page that has it}."""
    found = {}
    for path in pages(root):
        for match in LINK.finditer(without_blocks(path.read_text(encoding="utf-8"))):
            if match[3].startswith(("http://", "https://")):
                found.setdefault(match[3].partition("#")[0], path.relative_to(root).as_posix())
    return found


def ask(address, seconds=SECONDS):
    """(whether something answered, what is wrong)."""
    request = urllib.request.Request(address, headers={"User-Agent": "Mozilla/5.0 (links of the docs)"})
    try:
        with urllib.request.urlopen(request, timeout=seconds):
            return True, ""
    except urllib.error.HTTPError as error:
        return True, f"answers {error.code} {error.reason}" if error.code in GONE else ""
    except (OSError, http.client.HTTPException) as error:
        return False, f"could not be reached within {seconds} s: {error}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT)
    found = addresses(parser.parse_args().root.resolve())
    asked = {address: ask(address) for address in found}
    wrong = [f"{found[address]}: {address} {problem}." for address, (_, problem) in asked.items() if problem]
    is_alone = bool(asked) and not any(answered for answered, _ in asked.values())
    print(*wrong, f"links: {len(found)} addresses of other sites, {len(wrong)} problems{': there is no network' if is_alone else ''}", sep="\n")
    return 1 if wrong and not is_alone else 0


if __name__ == "__main__":
    sys.exit(main())
