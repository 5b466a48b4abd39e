"""Whether the C suite drives every case of the conformance suite's launches, signals and recordings: `suite_cases.py TESTS_FOLDER`.

A case is driven by a case of the same name, or by the one that suite/cases.txt names, which also has the reasons for those that C leaves out.
"""

import re
import sys
from pathlib import Path

FILES = ("launches*.cpp", "signals*.cpp", "recordings*.cpp")


def cases(folder, macro):
    """The names (group.case) that the files of a folder declare."""
    texts = [path.read_text(encoding="utf-8") for pattern in FILES for path in sorted(folder.glob(pattern))]
    return {".".join(names) for text in texts for names in re.findall(macro + r"\((\w+), (\w+)\)", text)}


def rows(text):
    """({case: the one that drives it}, {case: reason})."""
    driven, left_out = {}, {}
    for line in filter(None, (line.split("#")[0].strip() for line in text.splitlines())):
        match = re.fullmatch(r"(\S+)(?: = (\S+)|: (.+))", line)
        if not match:
            raise SystemExit(f"suite_cases: this is no row of cases.txt: {line}")
        (driven if match[2] else left_out)[match[1]] = match[2] or match[3]
    return driven, left_out


def complaints(wanted, here, driven, left_out):
    for case in sorted(wanted - here - driven.keys() - left_out.keys()):
        yield f"{case} is not driven through C; add it to tests/capi/suite, or to suite/cases.txt with a reason."
    for case in sorted((driven.keys() | left_out.keys()) - wanted):
        yield f"{case} is in suite/cases.txt, but the conformance suite has no such case."
    for case in sorted((driven.keys() | left_out.keys()) & here):
        yield f"{case} is in suite/cases.txt, but the C suite has a case of this name."
    for case, name in sorted(driven.items()):
        if name not in here:
            yield f"{case} is said to be driven by {name}, which the C suite does not have."


def main(tests):
    wanted, here = cases(tests / "conformance/cases", "DEVICE_TEST"), cases(tests / "capi/suite", "TEST_P")
    driven, left_out = rows((tests / "capi/suite/cases.txt").read_text(encoding="utf-8"))
    found = [*complaints(wanted, here, driven, left_out)]
    print(f"{len(wanted)} cases, {len(here)} in C, {len(left_out)} left out", *found, sep="\n")
    return 1 if found or not wanted or not here else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
