#!/usr/bin/env python3
"""How large the packages in a folder are, and what is in them, beside the limits. Fails on a breach and where one is missing.

With --write, writes the table to docs/guide/packages.md.
"""

import argparse
import io
import re
import subprocess
import sys
import tarfile
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs/guide/packages.md"
TABLE = re.compile(r"(?<=<!-- tools/package_sizes.py dist --write -->\n).*?(?=<!-- end -->)", re.DOTALL)
MIB = 1 << 20
# Files, by what their names are like in the folder, and members of Debian packages. Limits are in MiB.
FILES = {"wheel": ("pintle_driver-*.whl", 12), "sdist": ("pintle_driver-*.tar.gz", 4), "libpintle0": ("libpintle0_*.deb", 2.5),
         "libpintle-dev": ("libpintle-dev_*.deb", 6), "pintle-tools": ("pintle-tools_*.deb", 4.5), "pintle-mpi": ("pintle-mpi_*.deb", 0.5),
         "pintle-opencl-c": ("pintle-opencl-c_*.deb", 4), "python3-pintle": ("python3-pintle_*.deb", 0.5)}
MEMBERS = {"libpintle.so.0": ("libpintle0_*.deb", r"/libpintle\.so\.0\.", 6), "libpintle++.a": ("libpintle-dev_*.deb", r"/libpintle\+\+\.a$", 14),
           "the command `pintle`": ("pintle-tools_*.deb", r"/bin/pintle$", 10), "`pintle._native`": ("python3-pintle_*.deb", r"/_native\.abi3\.so$", 0.3)}


def one(folder, pattern):
    """The one file of this name; None where there is none, or several."""
    found = sorted(folder.glob(pattern))
    return found[0] if len(found) == 1 else None


def member_size(package, pattern):
    archive = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        sizes = [file.size for file in files if file.isfile() and re.search(pattern, file.name)]
    return sizes[0] if len(sizes) == 1 else None


def rows(folder):
    """(what, bytes or None, limit in MiB), the members first."""
    for what, (pattern, member, limit) in MEMBERS.items():
        package = one(folder, pattern)
        yield what, package and member_size(package, member), limit
    for what, (pattern, limit) in FILES.items():
        file = one(folder, pattern)
        yield what, file and file.stat().st_size, limit


def limits():
    return {what: limit for what, (*_, limit) in {**MEMBERS, **FILES}.items()}


def table(measured):
    lines = [f"| {what} | {size / MIB:.2f} MiB | {limit} MiB |\n" for what, size, limit in measured]
    return "".join(["| what | size | limit |\n|---|---|---|\n", *lines])


def report(measured):
    """Prints each row; true where all are there and within their limits."""
    kept = True
    for what, size, limit in measured:
        good = size is not None and size <= limit * MIB
        kept = kept and good
        print(f"{'ok    ' if good else 'BREACH'} {what:<22} {'missing' if size is None else f'{size / MIB:7.2f} MiB'}   at most {limit} MiB")
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    measured = list(rows(arguments.folder))
    kept = report(measured)
    if kept and arguments.write:
        PAGE.write_text(TABLE.sub(lambda _: table(measured), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
