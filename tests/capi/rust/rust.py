"""Compiles saxpy.rs, which is short, against libpintle.so.0 and runs it, and compares what pintle.rs declares with the header:
`rust.py INCLUDE_FOLDER LIBRARY C_COMPILER`. Ends with 77 where there is no rustc."""

import re
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from languages import check_length, run  # noqa: E402

SKIPPED = 77
# One line for each size, offset and constant, from either language.
C_PROGRAM = """#include <stddef.h>
#include <stdio.h>
#include "pintle/c/pintle.h"
#define SIZE(type) printf(#type " %zu\\n", sizeof(type));
#define PLACE(type, member) printf(#type "." #member " %zu %zu\\n", offsetof(type, member), sizeof(((type*)0)->member));
#define VALUE(name) printf(#name " %lld\\n", (long long)name);
int main(void) {{
{lines}
}}
"""
RUST_PROGRAM = """#[path = "{module}"]
mod pintle;
use pintle::*;
fn size_of_target<T>(_: *const T) -> usize {{ std::mem::size_of::<T>() }}
macro_rules! SIZE {{ ($t:ident) => {{ println!("{{}} {{}}", stringify!($t), std::mem::size_of::<$t>()); }} }}
macro_rules! VALUE {{ ($n:ident) => {{ println!("{{}} {{}}", stringify!($n), $n as i64); }} }}
macro_rules! PLACE {{ ($t:ident, $m:ident) => {{
    let space = std::mem::MaybeUninit::<$t>::uninit();
    let member = unsafe {{ std::ptr::addr_of!((*space.as_ptr()).$m) }};
    println!("{{}}.{{}} {{}} {{}}", stringify!($t), stringify!($m), member as usize - space.as_ptr() as usize, size_of_target(member));
}} }}
fn main() {{
{lines}
}}
"""


def declared(text):
    """What pintle.rs declares, as calls of the macros above."""
    lines = []
    for name, members in re.findall(r"pub struct (pintle_\w+) \{\n([^}]*)\}", text):
        lines += [f"SIZE({name})"] + [f"PLACE({name}, {member})" for member in re.findall(r"pub (\w+):", members)]
    lines += [f"SIZE({name})" for name in re.search(r"handles!\((pintle[^)]*)\)", text)[1].split()]
    return lines + [f"VALUE({name})" for name in re.findall(r"pub const (PINTLE_\w+)", text)]


def compare_layouts(folder, include, compiler, rustc):
    lines = declared((HERE / "pintle.rs").read_text(encoding="utf-8"))
    (folder / "layouts.c").write_text(C_PROGRAM.format(lines="\n".join(lines)), encoding="utf-8")
    rust = RUST_PROGRAM.format(module=HERE / "pintle.rs", lines="\n".join(line.replace("(", "!(") + ";" for line in lines))
    (folder / "layouts.rs").write_text(rust, encoding="utf-8")
    run(compiler, "-std=c11", "-I", include, "-o", folder / "of_c", folder / "layouts.c")
    run(*rustc, "-o", folder / "of_rust", folder / "layouts.rs")
    of_c, of_rust = run(folder / "of_c").splitlines(), run(folder / "of_rust").splitlines()
    wrong = [f"the header has {c}, pintle.rs {rust}" for c, rust in zip(of_c, of_rust) if c != rust]
    if wrong or len(of_c) != len(lines) or len(of_rust) != len(lines):
        sys.exit("\n".join(wrong) or f"{len(lines)} lines were to be compared")
    print(f"{len(lines)} sizes, places and constants are those of the header")


def main():
    include, library, compiler = sys.argv[1:]
    check_length(HERE / "saxpy.rs")
    if shutil.which("rustc") is None:
        print("skipped: rustc is not installed (package rustc)")
        return SKIPPED
    libraries = Path(library).resolve().parent
    rustc = ("rustc", "--edition", "2021", "-D", "warnings", "-L", f"native={libraries}", "-C", f"link-arg=-Wl,-rpath,{libraries}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        compare_layouts(folder, include, compiler, rustc)
        run(*rustc, "-o", folder / "saxpy", HERE / "saxpy.rs")
        run(folder / "saxpy")
    print("saxpy is right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
