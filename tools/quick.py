#!/usr/bin/env python3
"""What a change breaks, in a minute or two: the files that differ from a commit, what the build says depends on them, and their tests.

Builds the objects that depend on a changed file (gcc, build/dev), checks each changed source with clang's stricter warnings, and runs
the suites of test sources that are changed or that include a changed unit's header. The build is configured before.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLANG = "clang++-19"
SUITE = re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST)\((\w+),", re.MULTILINE)
NOT_FOR_CLANG = {"-Winvalid-pch", "-fpch-preprocess", "-Wno-restrict"}


def changed_files(root, base):
    """Paths of files that differ from the commit and are still there, new ones too."""
    differing = subprocess.run(["git", "diff", "--name-only", "--diff-filter=d", base], cwd=root, text=True, stdout=subprocess.PIPE, check=True).stdout
    new = subprocess.run(["git", "ls-files", "--others", "--exclude-standard"], cwd=root, text=True, stdout=subprocess.PIPE, check=True).stdout
    return sorted({*differing.split("\n"), *new.split("\n")} - {""})


def dependencies(text, build):
    """{object: {real path of what it was compiled from}} of what `ninja -t deps` prints."""
    found, real = {}, {}
    for line in text.splitlines():
        if line and not line.startswith(" "):
            current = found.setdefault(line.partition(":")[0], set())
        elif line:
            path = line.strip()
            if path not in real:
                real[path] = os.path.realpath(build / path)
            current.add(real[path])
    return found


def dependents(deps, files, build):
    """Objects that one of the files is compiled into, also through headers that are compiled before."""
    wanted = set(files)
    compiled = {os.path.realpath(build / name) for name, inputs in deps.items() if name.endswith(".gch") and inputs & wanted}
    return sorted(name for name, inputs in deps.items() if inputs & (wanted | compiled))


def units_headers(root, files):
    """The files, and the header of each changed source."""
    headers = [path[: -len(".cpp")] + ".h" for path in files if path.endswith(".cpp")]
    return {str(root / path) for path in [*files, *headers] if (root / path).is_file()}


def suites_of(deps, root, files):
    """{program: {suite}} of test sources that are changed or include a changed unit's header."""
    wanted = units_headers(root, files)
    found = {}
    for name, inputs in deps.items():
        match = re.fullmatch(r"tests/.*CMakeFiles/(\w+)\.dir/(.*)\.o", name)
        source = next((path for path in inputs if match and path.endswith("/" + Path(match[2]).name)), None)
        if source and inputs & wanted:
            suites = SUITE.findall(Path(source).read_text(encoding="utf-8"))
            if suites:
                found.setdefault(match[1], set()).update(suites)
    return found


def pattern_of(suites):
    """GoogleTest's filter of these suites, with those that have parameters or types."""
    return ":".join(f"{before}{name}{after}" for name in sorted(suites) for before, after in (("", ".*"), ("*/", ".*"), ("", "/*")))


def clang_command(entry):
    """The compilation by clang, without output; what is compiled before is read as it is."""
    words = shlex.split(entry["command"])
    start = next(i for i, word in enumerate(words) if re.search(r"(g\+\+|c\+\+)[-\d.]*$", word)) + 1
    words = words[start:words.index("-o")]
    kept = [word for i, word in enumerate(words) if word not in NOT_FOR_CLANG and word != "-include" and (i == 0 or words[i - 1] != "-include")]
    return [CLANG, *kept, "-fsyntax-only", entry["file"]]


class Quick:
    def __init__(self, root, seconds):
        self.root = root
        self.build = root / "build/dev"
        self.deadline = time.monotonic() + seconds
        self.failed = False

    def run(self, what, command, **options):
        start = time.monotonic()
        result = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **options)
        self.failed |= result.returncode != 0
        print(f"{'ok' if result.returncode == 0 else 'FAILED':<7} {what} ({time.monotonic() - start:.0f} s)", flush=True)
        if result.returncode != 0:
            print("\n".join(result.stdout.splitlines()[-60:]))
        return result.returncode == 0

    def read_dependencies(self):
        said = subprocess.run(["ninja", "-C", str(self.build), "-t", "deps"], text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
        return dependencies("\n".join(line for line in said.splitlines() if not line.startswith("ninja:")), self.build)

    def check_with_clang(self, files):
        entries = {os.path.realpath(entry["file"]): entry for entry in json.loads((self.build / "compile_commands.json").read_text(encoding="utf-8"))}
        known = [entries[str(self.root / path)] for path in files if str(self.root / path) in entries and path.endswith(".cpp")]
        if not shutil.which(CLANG):
            print(f"skipped {CLANG} is not there; {len(known)} sources are not checked with it")
            return
        for entry in known:
            if time.monotonic() > self.deadline:
                print(f"skipped {CLANG} for the rest: no time")
                return
            self.run(f"{CLANG} {Path(entry['file']).name}", clang_command(entry), cwd=entry["directory"])

    def test(self, suites):
        for program, names in sorted(suites.items()):
            if time.monotonic() > self.deadline:
                print(f"skipped {program}: no time for {', '.join(sorted(names))}")
                continue
            if not self.run(f"build {program}", ["ninja", "-C", str(self.build), program]):
                continue
            self.run(f"{program} {' '.join(sorted(names))}", [self.build / "bin" / program, f"--gtest_filter={pattern_of(names)}", "--gtest_brief=1"])

    def all(self, files):
        deps = self.read_dependencies()
        objects = dependents(deps, {str(self.root / path) for path in files}, self.build)
        if objects and self.run(f"build of {len(objects)} objects", ["ninja", "-C", str(self.build), *objects]):
            self.test(suites_of(self.read_dependencies(), self.root, files))
        self.check_with_clang(files)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", default="HEAD", help="the commit that the files are compared with")
    parser.add_argument("--list", action="store_true", help="print the files that differ and stop")
    parser.add_argument("--seconds", type=float, default=80, help="no test or check begins after so many")
    options = parser.parse_args()
    files = changed_files(ROOT, options.base)
    if options.list:
        print(*files, sep="\n")
        return 0
    quick = Quick(ROOT, options.seconds)
    quick.all(files)
    return 1 if quick.failed else 0


if __name__ == "__main__":
    sys.exit(main())
