#!/usr/bin/env python3
"""What a change breaks, in a minute or two: the files that differ from a commit, what the build says depends on them, and their tests.

Builds the objects that depend on a changed file (gcc, build/dev), checks each changed source with clang's stricter warnings, and runs
the suites of test sources that are changed or that include a changed unit's header, and the ctests of changed scripts and of programs
without suites. The build is configured before. What there is no time for is a line, and counted.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLANG = "clang++-19"
SUITE = re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST)\((\w+),", re.MULTILINE)
NOT_FOR_CLANG = {"-Winvalid-pch", "-fpch-preprocess", "-Wno-restrict", "-Wno-stringop-overflow"}


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


def new_objects(entries, deps, root, files):
    """Objects of changed sources that were never compiled: what they depend on is not known yet."""
    wanted = {str(root / path) for path in files}
    return sorted({re.search(r" -o (\S+) -c ", entry["command"])[1] for entry in entries if entry["file"] in wanted} - set(deps))


def programs_of(objects):
    """Programs of tests that one of the objects is a part of."""
    return {match[1] for match in (re.match(r"tests/.*CMakeFiles/(\w+)\.dir/", name) for name in objects) if match}


def ctests_of(tests, root, files, programs):
    """{name: programs that it starts} of the ctests that a changed script is, that test a changed tool, or that are one of the programs."""
    scripts = {str(root / path) for path in files if not re.search(r"\.(cpp|c|h|txt|cmake)$", path)}
    tools = {f"tools.{Path(Path(path).parts[1]).stem}" for path in files if path.startswith("tools/")}
    tools |= {"tools.dev" for path in files if path in ("dev", "tools/check.sh")}
    found = {}
    for test in tests:
        words = test.get("command", [])
        started = {Path(word).name for word in [*words, *environment_of(test)] if word.startswith(str(root / "build/dev/bin") + "/")}
        if scripts & set(words) or test["name"] in tools or (words and Path(words[0]).name in programs):
            found[test["name"]] = started
    return found


def environment_of(test):
    """The values that the test's environment adds."""
    lines = [line for one in test.get("properties", []) if one["name"] == "ENVIRONMENT" for line in one["value"]]
    return [line.partition("=")[2] for line in lines]


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
        self.seconds_over = 15  # that what has begun may go on after the deadline
        self.failed = False
        self.skipped = 0

    def run(self, what, command, **options):
        """Whether it ended well, within the time that is left and some seconds more."""
        start = time.monotonic()
        process = subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, **options)
        try:
            said, _ = process.communicate(timeout=max(0, self.deadline - start) + self.seconds_over)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            process.communicate()
            self.skip(f"{what}: it takes longer than there is time")
            return False
        except KeyboardInterrupt:  # the terminal's Ctrl-C does not reach a session of its own
            os.killpg(process.pid, signal.SIGTERM)
            raise
        self.failed |= process.returncode != 0
        print(f"{'ok' if process.returncode == 0 else 'FAILED':<7} {what} ({time.monotonic() - start:.0f} s)", flush=True)
        if process.returncode != 0:
            print("\n".join(said.splitlines()[-60:]))
        return process.returncode == 0

    def skip(self, words):
        self.skipped += 1
        print(f"skipped {words}", flush=True)

    def has_time(self, words):
        if time.monotonic() <= self.deadline:
            return True
        self.skip(f"{words}: no time")
        return False

    def read_dependencies(self):
        said = subprocess.run(["ninja", "-C", str(self.build), "-t", "deps"], text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
        return dependencies("\n".join(line for line in said.splitlines() if not line.startswith("ninja:")), self.build)

    def entries(self):
        return json.loads((self.build / "compile_commands.json").read_text(encoding="utf-8"))

    def ctests(self):
        said = subprocess.run(["ctest", "--test-dir", str(self.build), "--show-only=json-v1"], text=True, stdout=subprocess.PIPE, check=True).stdout
        return json.loads(said[said.index("{"):])["tests"]

    def check_with_clang(self, files):
        entries = {os.path.realpath(entry["file"]): entry for entry in self.entries()}
        known = [entries[str(self.root / path)] for path in files if str(self.root / path) in entries and path.endswith(".cpp")]
        if known and not shutil.which(CLANG):
            self.skip(f"{CLANG} is not there; {len(known)} sources are not checked with it")
            return
        for entry in known:
            what = f"{CLANG} {Path(entry['file']).name}"
            if self.has_time(what):
                self.run(what, clang_command(entry), cwd=entry["directory"])

    def test(self, suites):
        for program, names in sorted(suites.items()):
            what = f"{program} {' '.join(sorted(names))}"
            if self.has_time(what) and self.run(f"build {program}", ["ninja", "-C", str(self.build), program]):
                self.run(what, [self.build / "bin" / program, f"--gtest_filter={pattern_of(names)}", "--gtest_brief=1"])

    def ctest(self, tests):
        """What a test starts is built before, so that it does not test the program of yesterday."""
        for name, programs in sorted(tests.items()):
            targets = [f"bin/{program}" for program in sorted(programs)]
            if self.has_time(name) and (not targets or self.run(f"build {' '.join(targets)}", ["ninja", "-C", str(self.build), *targets])):
                self.run(name, ["ctest", "--test-dir", str(self.build), "--output-on-failure", "-R", f"^{re.escape(name)}$"])

    def all(self, files):
        deps = self.read_dependencies()
        objects = dependents(deps, {str(self.root / path) for path in files}, self.build) + new_objects(self.entries(), deps, self.root, files)
        if not deps and any(path.endswith(".h") for path in files):
            print("FAILED build/dev was never built, so what depends on a header is not known: ./dev build")
            self.failed = True
        suites = {}
        if objects and self.run(f"build of {len(objects)} objects", ["ninja", "-C", str(self.build), *objects]):
            suites = suites_of(self.read_dependencies(), self.root, files)
            self.test(suites)
        self.check_with_clang(files)
        self.ctest(ctests_of(self.ctests(), self.root, files, programs_of(objects) - set(suites)))
        if self.skipped:
            print(f"{self.skipped} skipped: ./dev check has the rest")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", default="HEAD", help="the commit that the files are compared with")
    parser.add_argument("--list", action="store_true", help="print the files that differ and stop")
    parser.add_argument("--seconds", type=float, default=70, help="no test or check begins after so many")
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
