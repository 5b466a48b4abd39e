"""Turns the ```cpp blocks of Markdown files into C++ files: `extract.py OUT_FOLDER FILE.md...`.

A block with its own main becomes a program; every other block becomes the body of a function that preamble.h gives its names.
"""
import pathlib
import re
import sys

BLOCK = re.compile(r"^```cpp\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def source_of(code, where):
    line = f'#line {where[1]} "{where[0]}"\n'
    if "int main(" in code:
        return line + code
    return f'#include "preamble.h"\n\nResult<void> block(Names& names) {{\n  PINTLE_TEST_NAMES(names);\n{line}{code}  return {{}};\n}}\n'


def blocks_of(path):
    text = path.read_text()
    for match in BLOCK.finditer(text):
        yield match.group(1), (path.name, text.count("\n", 0, match.start(1)) + 1)


def main(out, paths):
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    for path in map(pathlib.Path, paths):
        for number, (code, where) in enumerate(blocks_of(path)):
            kind = "program" if "int main(" in code else "block"
            target = out / f"{path.stem}_{number}.{kind}.cpp"
            source = source_of(code, where)
            if not target.exists() or target.read_text() != source:
                target.write_text(source)
            print(target)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
