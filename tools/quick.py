#!/usr/bin/env python3
"""What a change breaks, in a minute or two: the files that differ from a commit, what the build says depends on them, and their tests.

Builds the objects that depend on a changed file (gcc, build/dev), checks each changed source, and one that includes each changed header, with
clang's stricter warnings, and runs the suites of test sources that are changed or that include a changed unit's header, those of devices on
cpu and null, and the ctests of changed scripts and of programs without suites. A program has the environment that its ctest has. The build is
configured before. What is skipped, by a test or for lack of time, is a line, and counted.
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
sys.path.insert(0, str(ROOT / "tools"))
import count_tests
from judge import RUNNER, environment_of

CLANG = "clang-19"
SUITE = re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST)\((\w+),", re.MULTILINE)
DEVICE_SUITE = re.compile(r"^DEVICE_TEST\((\w+),", re.MULTILINE)
DEVICES = ("cpu", "null")  # where suites of devices are run
PROGRAMS = {"pintle_conformance": "conformance"}  # what runs the suites of a library of objects
SKIPPED = re.compile(r"^\[  SKIPPED \] (\d+) tests?\.$", re.MULTILINE)
REASON = re.compile(r": Skipped\n(.+)$", re.MULTILINE)
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


def filters_of(text):
    """{suite: GoogleTest's filter} of a source's suites, with those that have parameters or types."""
    return {**{name: f"{name}.*:*/{name}.*:{name}/*" for name in SUITE.findall(text)},
            **{name: ":".join(f"{name}.*/{device}" for device in DEVICES) for name in DEVICE_SUITE.findall(text)}}


def program_of(name):
    """The program of tests that an object is a part of, with the rest of its name."""
    match = re.match(r"tests/.*CMakeFiles/(\w+)\.dir/(.*)\.o$", name)
    return (PROGRAMS.get(match[1], match[1]), match[2]) if match else (None, None)


def suites_of(deps, root, files):
    """{program: {suite: filter}} of test sources that are changed or include a changed unit's header."""
    wanted = units_headers(root, files)
    found = {}
    for name, inputs in deps.items():
        program, rest = program_of(name)
        source = next((path for path in inputs if program and path.endswith("/" + Path(rest).name)), None)
        if source and inputs & wanted:
            filters = filters_of(Path(source).read_text(encoding="utf-8"))
            if filters:
                found.setdefault(program, {}).update(filters)
    return found


def object_of(entry):
    match = re.search(r" -o (\S+) -c ", entry["command"])
    return match and match[1]


def new_objects(entries, deps, root, files):
    """Objects of changed sources that were never compiled: what they depend on is not known yet."""
    wanted = {str(root / path) for path in files}
    return sorted({object_of(entry) for entry in entries if entry["file"] in wanted} - set(deps))


def programs_of(objects):
    """Programs of tests that one of the objects is a part of."""
    return {program_of(name)[0] for name in objects} - {None}


def ctests_of(tests, root, files, programs):
    """{name: programs that it starts} of the ctests that a changed script is, that test a changed tool, or that start one of the programs."""
    scripts = {str(root / path) for path in files if not re.search(r"\.(cpp|c|h|txt|cmake)$", path)}
    tools = {f"tools.{Path(Path(path).parts[1]).stem}" for path in files if path.startswith("tools/")}
    tools |= {"tools.dev" for path in files if path in ("dev", "tools/check.sh")}
    found = {}
    for test in tests:
        words = test.get("command", [])
        started = {Path(word).name for word in [*words, *environment_of(test).values()] if word.startswith(str(root / "build/dev/bin") + "/")}
        if scripts & set(words) or test["name"] in tools or started & programs:
            found[test["name"]] = started
    return found


def start_of(tests, program, suites):
    """(environment, arguments) of the ctest that starts a program of suites: of one with a case of these suites, if there is one."""
    def is_of_others(test):
        return not any(re.match(rf"--cases=(.*:)?(\w+/)?({'|'.join(suites)})[./]", word) for word in test["command"])

    theirs = [test for test in tests if str(program) in test.get("command", []) and any(word.endswith(RUNNER) for word in test["command"])]
    best = min(theirs, key=is_of_others, default={"command": [str(program)]})
    return environment_of(best), best["command"][best["command"].index(str(program)) + 1:]


def source_with(header, objects, deps, chosen):
    """The compilation of a source that includes the header: a chosen one before the unit's own before any; None where the build has none."""
    known = [entry for name, entry in objects.items() if header in deps.get(name, ())]
    return min(known, key=lambda entry: (entry not in chosen, Path(entry["file"]).stem != Path(header).stem, entry["file"]), default=None)


def clang_command(entry):
    """The compilation by clang, without output; headers that are compiled before are read where a source includes them."""
    words = shlex.split(entry["command"])
    start = next(i for i, word in enumerate(words) if re.search(r"(^|/)(cc|gcc|c\+\+|g\+\+)[-\d.]*$", word)) + 1
    words = words[start:words.index("-o")]
    before = {j for i, word in enumerate(words) if "cmake_pch" in word for j in (i - 1, i)}
    return [CLANG, *(word for i, word in enumerate(words) if i not in before and word not in NOT_FOR_CLANG), "-fsyntax-only", entry["file"]]


class Quick:
    def __init__(self, root, seconds):
        self.root = root
        self.build = root / "build/dev"
        self.deadline = time.monotonic() + seconds
        self.seconds_over = 15  # that what has begun may go on after the deadline
        self.failed = False
        self.skipped = 0
        self.skips = set()  # what was said of them: what runs again skips the same again
        self.said = ""  # by what ran last

    def run(self, what, command, **options):
        """Whether it ended well, within the time that is left and some seconds more."""
        start = time.monotonic()
        process = subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, **options)
        try:
            self.said, _ = process.communicate(timeout=max(0, self.deadline - start) + self.seconds_over)
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
            print("\n".join(self.said.splitlines()[-60:]))
        return process.returncode == 0

    def run_suites(self, what, program, filters, tests, *options):
        """Whether these suites pass, with the environment and the arguments that the program's ctest has."""
        path = self.build / "bin" / program
        variables, arguments = start_of(tests, path, filters)
        command = [path, *arguments, f"--gtest_filter={':'.join(filters.values())}", "--gtest_brief=1", *options]
        if not self.run(what, command, env={**os.environ, **variables}):
            return False
        for count in SKIPPED.findall(self.said):
            self.skip(f"{program}: {count} of its cases: {'; '.join(dict.fromkeys(REASON.findall(self.said)))}", int(count))
        return True

    def run_ctest(self, name, what=None):
        junit = self.build.parent / "quick.xml"
        command = ["ctest", "--test-dir", str(self.build), "--output-on-failure", "--output-junit", str(junit), "--test-output-size-passed", "1000000"]
        if not self.run(what or name, [*command, "-R", f"^{re.escape(name)}$"]):
            return False
        count = count_tests.count([junit])["skipped"]
        if count:
            self.skip(f"{name}: {count} of its cases", count)
        return True

    def skip(self, words, count=1):
        if words not in self.skips:
            self.skips.add(words)
            self.skipped += count
            print(f"skipped {words}", flush=True)

    def has_time(self, words, count=1):
        if time.monotonic() <= self.deadline:
            return True
        self.skip(f"{words}: no time", count)
        return False

    def read_dependencies(self):
        said = subprocess.run(["ninja", "-C", str(self.build), "-t", "deps"], text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
        return dependencies("\n".join(line for line in said.splitlines() if not line.startswith("ninja:")), self.build)

    def entries(self):
        return json.loads((self.build / "compile_commands.json").read_text(encoding="utf-8"))

    def ctests(self):
        said = subprocess.run(["ctest", "--test-dir", str(self.build), "--show-only=json-v1"], text=True, stdout=subprocess.PIPE, check=True).stdout
        return json.loads(said[said.index("{"):])["tests"]

    def check_with_clang(self, files, deps):
        """Each changed source, and a source for each changed header."""
        entries = self.entries()
        paths = {str(self.root / path) for path in files}
        chosen = [entry for entry in {os.path.realpath(entry["file"]): entry for entry in entries}.values() if os.path.realpath(entry["file"]) in paths]
        objects = {object_of(entry): entry for entry in entries}
        for header in sorted(path for path in paths if path.endswith(".h")):
            entry = source_with(header, objects, deps, chosen)
            if entry is None:
                self.skip(f"{CLANG} {Path(header).name}: no source of build/dev includes it")
            elif entry not in chosen:
                chosen.append(entry)
        if chosen and not shutil.which(CLANG):
            self.skip(f"{CLANG} is not there; {len(chosen)} sources are not checked with it", len(chosen))
            return
        for entry in chosen:
            what = f"{CLANG} {Path(entry['file']).name}"
            if self.has_time(what):
                self.run(what, clang_command(entry), cwd=entry["directory"])

    def test(self, suites):
        words = {program: f"{program} {' '.join(sorted(filters))}" for program, filters in sorted(suites.items())}
        built = [program for program, what in words.items()
                 if self.has_time(what) and self.run(f"build {program}", ["ninja", "-C", str(self.build), program])]
        tests = self.ctests() if built else []
        for program in built:
            if self.has_time(words[program]):
                self.run_suites(words[program], program, suites[program], tests)

    def ctest(self, tests):
        """What a test starts is built before, so that it does not test the program of yesterday."""
        names = sorted(tests)
        for i, name in enumerate(names):
            rest = len(names) - i
            if not self.has_time(f"{name} and {rest - 1} more ctests" if rest > 1 else name, rest):
                return
            targets = [f"bin/{program}" for program in sorted(tests[name])]
            if not targets or self.run(f"build {' '.join(targets)}", ["ninja", "-C", str(self.build), *targets]):
                self.run_ctest(name)

    def all(self, files):
        deps = self.read_dependencies()
        objects = dependents(deps, {str(self.root / path) for path in files}, self.build) + new_objects(self.entries(), deps, self.root, files)
        if not deps and any(path.endswith(".h") for path in files):
            print("FAILED build/dev was never built, so what depends on a header is not known: ./dev build")
            self.failed = True
        suites = {}
        if objects and self.run(f"build of {len(objects)} objects", ["ninja", "-C", str(self.build), *objects]):
            deps = self.read_dependencies()
            suites = suites_of(deps, self.root, files)
            self.test(suites)
        self.check_with_clang(files, deps)
        self.ctest(ctests_of(self.ctests(), self.root, files, programs_of(objects) - set(suites)))
        if self.skipped:
            print(f"{self.skipped} skipped: ./dev check has what there was no time for")


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
