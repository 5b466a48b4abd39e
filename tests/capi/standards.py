"""Whether each header of C compiles alone, twice in a row, as C11 and as C++11 without a warning: `standards.py INCLUDE_FOLDER COMPILER...`.
Each compiler takes both languages; one that is not there is said, and the first one has to be there. Also whether the comment directly above each
function says which threads may call it, in the words of pintle/c/status.h."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import c_headers  # noqa: E402

LANGUAGES = {"c": ("-std=c11",), "c++": ("-std=c++11", "-Wzero-as-null-pointer-constant")}
WARNINGS = ("-pedantic-errors", "-Wall", "-Wextra", "-Wconversion", "-Wundef", "-Werror", "-fsyntax-only")


THREADS = re.compile(r"\bAny thread\b|\b[Oo]ne thread at a time\b")


def without_threads(folder):
    return [f"{name} has no comment directly above that says which threads may call it." if not comment else
            f"The comment of {name} does not say which threads may call it: {comment}"
            for name, comment in c_headers.comments(c_headers.read(folder)).items() if not THREADS.search(comment)]


def complaint(compiler, language, include, header):
    command = [compiler, "-x", language, *LANGUAGES[language], *WARNINGS, "-I", include, "-"]
    twice = f'#include "pintle/c/{header.name}"\n' * 2
    done = subprocess.run(command, input=twice, text=True, capture_output=True, check=False)
    return "" if done.returncode == 0 else f"{header.name} as {LANGUAGES[language][0]} by {compiler}:\n{done.stderr[:2000]}"


def main():
    include, *compilers = sys.argv[1:]
    headers = sorted(Path(include, "pintle/c").glob("*.h"))
    there = [compiler for compiler in compilers if shutil.which(compiler)]
    print(f"{len(headers)} headers; compilers: {', '.join(there)}; not there: {', '.join(set(compilers) - set(there)) or 'none'}")
    if not headers or compilers[0] not in there:
        return 1
    complaints = [complaint(compiler, language, include, header) for compiler in there for language in LANGUAGES for header in headers]
    found = [*filter(None, complaints), *without_threads(Path(include, "pintle/c"))]
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
