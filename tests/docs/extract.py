"""Turns the ```cpp and ```c blocks of Markdown files into C++ and C files: `extract.py OUT_FOLDER FILE.md...`.

A block with its own main becomes a program, and one that begins with an #include is a file as it is. Every other block becomes the body of a
function that preamble.h or preamble_c.h gives its names. A block with the title "Pintle" stands beside another library's and has the names of
BESIDE; with another title it is that library's, and tools/docs/libraries.py checks it. A program of C++ that opens "best" becomes a second one,
which runs it on every device here that takes source.
"""
import pathlib
import re
import sys

BLOCK = re.compile(r"^```(cpp|c)( title=\"Pintle\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BESIDE = "Device& device, Queue& queue, std::vector<float> x, std::vector<float> y, std::uint32_t n"  # what blocks beside another library's have


def source_of(code, language, where, is_beside):
    line = f'#line {where[1]} "{where[0]}"\n'
    if "int main(" in code or code.startswith("#include"):
        return line + code
    if language == "c":
        return f'#include "preamble_c.h"\n\nvoid block(void);\nvoid block(void) {{\n  PINTLE_TEST_NAMES;\n{line}{code}}}\n'
    before = "block(Names& names) {\n  PINTLE_TEST_NAMES(names);" if not is_beside else f"block({BESIDE}) {{"
    return f'#include "preamble.h"\n\nResult<void> {before}\n{line}{code}  return {{}};\n}}\n'


def on_every_device(program):
    body = program.replace("int main()", "int run_on(const char* id)").replace('open("best")', "open(id)")
    return f'#include "on_every_device.h"\n{body}\nint main() {{ return on_every_device(&run_on); }}\n'


def write(target, source):
    if not target.exists() or target.read_text() != source:
        target.write_text(source)
    print(target)


def name_of(path):
    """What a page's blocks are called by: docs/from has pages of the names that guides have."""
    return f"from_{path.stem}" if path.parent.name == "from" else path.stem


def check_names(paths):
    """A block's file has the name of its page."""
    names = [name_of(path) for path in paths]
    if len(names) != len(set(names)):
        sys.exit(f"extract.py: two pages have one name: {sorted({name for name in names if names.count(name) > 1})}")


def blocks_of(path):
    text = path.read_text()
    for match in BLOCK.finditer(text):
        yield match.group(3), match.group(1), (path.name, text.count("\n", 0, match.start(3)) + 1), bool(match.group(2))


def main(out, paths):
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    paths = [pathlib.Path(path) for path in paths]
    check_names(paths)
    for path in paths:
        for number, (code, language, where, is_beside) in enumerate(blocks_of(path)):
            kind = "program" if "int main(" in code else "block"
            source = source_of(code, language, where, is_beside)
            write(out / f"{name_of(path)}_{number}.{kind}.{language}", source)
            if language == "cpp" and kind == "program" and 'open("best")' in code:
                write(out / f"{name_of(path)}_{number}_on_every_device.program.cpp", on_every_device(source))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
