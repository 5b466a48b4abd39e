"""Writes pintle/_c.py and _c.pyi: the numbers, structs and functions of the C interface for ctypes, as the headers declare them. A struct is made
when it is first asked for, since all of them take as long as the rest of the package.

Usage: generate_c.py FOLDER OUT.py OUT.pyi, with the folder of the headers.
"""

import keyword
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import c_headers  # noqa: E402

PLAIN = {"uint16_t": "c_uint16", "uint32_t": "c_uint32", "uint64_t": "c_uint64", "int64_t": "c_int64", "int": "c_int", "size_t": "c_size_t",
         "float": "c_float", "double": "c_double", "pintle_status": "c_int32"}
HEAD = '''"""Written by python/generate_c.py from the headers of the C interface."""

from ctypes import (POINTER, Structure, Union, c_char_p, c_double, c_float, c_int, c_int32, c_int64, c_size_t, c_uint16, c_uint32, c_uint64,
                    c_void_p)

'''
TAIL = '''

def __getattr__(name):
    if name not in _STRUCTS:
        raise AttributeError(f"The C interface has no {name}.")
    base, fields = _STRUCTS[name]
    return globals().setdefault(name, type(name, (base,), {"__module__": __name__, "_fields_": fields()}))


def _(name):
    return globals().get(name) or __getattr__(name)


def parameters(name):
    """What a function takes; it answers a pintle_status."""
    return _FUNCTIONS[name]()
'''
STUB_HEAD = '''from ctypes import Structure, Union
from typing import Any

Text = bytes | None  # of a member whose struct may have one called `bytes`

def parameters(name: str) -> tuple[Any, ...]: ...

'''


def ctype(kind, known):
    """The type of ctypes for a type of C."""
    if kind in PLAIN:
        return PLAIN[kind]
    if kind in known:
        return f'_("{kind}")'
    if kind == "char*":
        return "c_char_p"
    if kind in ("void*", "callback") or kind.startswith("DLManagedTensor"):
        return "c_void_p"
    if kind.endswith("*"):
        return f"POINTER({ctype(kind[:-1], known)})"
    raise SystemExit(f"generate_c: the type ({kind}) is not known.")


def annotation(kind):
    """The type that Python sees."""
    if kind in ("float", "double"):
        return "float"
    if kind == "char*":
        return "Text"
    return "int" if kind in PLAIN else "Any"


def rows_of(name, base, members, known):
    """(name, base, [(member, its type of ctypes, its annotation)]) of a struct or union, behind those of what is nested in it."""
    before, fields = [], []
    for member in members:
        if member.members:
            nested = f"{name}_{member.name}"
            before += rows_of(nested, "Union" if member.type == "union" else "Structure", member.members, known)
            kind, hint = f'_("{nested}")', "Any"
        else:
            kind, hint = ctype(member.type, known), annotation(member.type)
        if member.count:
            kind, hint = f"{kind} * {member.count}", "Any"
        fields.append((member.name + "_" * keyword.iskeyword(member.name), kind, hint))
    return [*before, (name, base, fields)]


def main(folder, out, stub):
    text = c_headers.read(folder)
    structs = dict(c_headers.structs(text))
    numbers = c_headers.numbers(text)
    rows = [row for name, members in structs.items() for row in rows_of(name, "Structure", members, structs)]
    lines = [HEAD, *(f"{name} = {number}" for name, number in numbers), "_STRUCTS = {"]
    for name, base, fields in rows:
        lines.append(f'    "{name}": ({base}, lambda: [{", ".join(f"""("{word}", {kind})""" for word, kind, _ in fields)}]),')
    lines += ["}", "_FUNCTIONS = {"]
    for function in c_headers.functions(text):
        kinds = "".join(f"{ctype(kind, structs)}, " for kind, _ in function.parameters)
        lines.append(f'    "{function.name}": lambda: ({kinds.rstrip()}),')
    Path(out).write_text("\n".join([*lines, "}"]) + "\n" + TAIL, encoding="utf-8")
    stubs = [f"class {name}({base}):\n" + "\n".join(f"    {word}: {hint}" for word, _, hint in fields) + "\n" for name, base, fields in rows]
    Path(stub).write_text(STUB_HEAD + "\n".join([*(f"{name}: int" for name, _ in numbers), "", *stubs]), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
