"""Whether each header of C compiles alone, twice in a row, as C11 and as C++11 without a warning: `standards.py INCLUDE_FOLDER COMPILER...`.
Each compiler takes both languages; one that is not there is said, and the first one has to be there."""

import shutil
import subprocess
import sys
from pathlib import Path

LANGUAGES = {"c": ("-std=c11",), "c++": ("-std=c++11", "-Wzero-as-null-pointer-constant")}
WARNINGS = ("-pedantic-errors", "-Wall", "-Wextra", "-Wconversion", "-Wundef", "-Werror", "-fsyntax-only")


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
    print(*filter(None, complaints), sep="\n")
    return 1 if any(complaints) else 0


if __name__ == "__main__":
    sys.exit(main())
