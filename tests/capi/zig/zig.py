"""The header of C as Zig reads it: `zig.py translate INCLUDE_FOLDER` compares what translate-c makes of it with what it declares;
`zig.py saxpy INCLUDE_FOLDER LIBRARY` compiles saxpy.zig, which is short, against libpintle.so.0 and runs it. Ends with 77 where there is no zig."""

import re
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent))
import languages  # noqa: E402

SKIPPED = 77


def find_zig():
    """That of the path, else PyPI's wheel (the group zig of tools/wheels.txt)."""
    return shutil.which("zig") or next(map(str, ROOT.glob("build/venv/lib/python3*/site-packages/ziglang/zig")), None)


def run(*command):
    # What zig builds once, such as the C library's stubs, stays in the tree.
    return languages.run(*command, ZIG_GLOBAL_CACHE_DIR=str(ROOT / "build/zig"), ZIG_LOCAL_CACHE_DIR=str(ROOT / "build/zig"))


def translate(zig, include):
    return run(zig, "translate-c", "-lc", "-I", include, Path(include) / "pintle/c/pintle.h")


def undeclared(translated, include):
    """Functions, structs and constants of the headers that the translation lacks or cannot use."""
    text = "\n".join(header.read_text(encoding="utf-8") for header in sorted(Path(include, "pintle/c").glob("*.h")))
    functions = re.findall(r"PINTLE_C_API pintle_status (\w+)\(", text)
    structs = re.findall(r"^typedef struct (\w+) \{", text, re.MULTILINE)
    constants = [name for block in re.findall(r"^enum \{(.*?)\}", text, re.MULTILINE | re.DOTALL) for name in re.findall(r"\b(PINTLE_\w+) =", block)]
    wanted = [rf"pub extern fn {name}\(" for name in functions]
    wanted += [rf"pub const (struct_)?{name} = extern struct \{{" for name in structs]
    wanted += [rf"pub const {name}: \w+ = " for name in constants]
    print(f"{len(functions)} functions, {len(structs)} structs, {len(constants)} constants")
    if not (functions and structs and constants):
        sys.exit("the headers declare nothing that this script finds")
    return [pattern for pattern in wanted if not re.search(pattern, translated)]


def run_saxpy(zig, include, library):
    libraries = Path(library).resolve().parent
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pintle.zig").write_text(translate(zig, include), encoding="utf-8")
        run(zig, "build-exe", "-lc", "-L", libraries, "-lpintle", "-rpath", libraries, "-fallow-shlib-undefined", f"-femit-bin={folder / 'saxpy'}",
            "--dep", "pintle", f"-Mroot={HERE / 'saxpy.zig'}", f"-Mpintle={folder / 'pintle.zig'}")
        run(folder / "saxpy")
    print("saxpy is right")


def main():
    languages.check_length(HERE / "saxpy.zig")
    zig = find_zig()
    if zig is None:
        print("skipped: zig is not installed (./dev setup zig)")
        return SKIPPED
    if sys.argv[1] == "saxpy":
        run_saxpy(zig, *sys.argv[2:])
        return 0
    missing = undeclared(translate(zig, sys.argv[2]), sys.argv[2])
    print(*(f"not in the translation: {pattern}" for pattern in missing), sep="\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
