"""What the headers of the C interface declare: functions, handles, structs and numbers. The headers are ours and have one style, so a few
patterns read them; what fits none of them is an error, not left out."""

import re
from pathlib import Path

COMMENTED = re.compile(r"(?:/\*((?:(?!\*/).)*)\*/\n)?PINTLE_C_API pintle_status (\w+)\(", re.DOTALL)
PROTOTYPE = re.compile(r"PINTLE_C_API pintle_status (\w+)\((.*?)\);", re.DOTALL)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
ENUM = re.compile(r"^enum \{(.*?)\};?", re.DOTALL | re.MULTILINE)
ENUMERATOR = re.compile(r"(PINTLE_\w+) = (-?\d+)")
STRUCT = re.compile(r"^typedef struct (\w+) \{\n(.*?)^\} \1;", re.DOTALL | re.MULTILINE)


def read(folder):
    """The text of every header of a folder."""
    return "".join(path.read_text(encoding="utf-8") for path in sorted(Path(folder).glob("*.h")))


def plain(kind):
    """A type without const, struct and spaces."""
    return re.sub(r"\b(?:const|struct)\b|\s", "", kind)


class Function:
    """A function: its `name`, `short` without the prefix, `parameters`: (type without const and struct, name), and the names of `inputs`,
    which it reads by a pointer."""

    def __init__(self, name, text):
        self.name = name
        self.short = name.removeprefix("pintle_")
        parts = [part.strip() for part in self.parts(text)]
        self.parameters = [self.parameter(part) for part in parts]
        self.inputs = {name for part, (_, name) in zip(parts, self.parameters) if part.startswith("const ")}

    def parts(self, text):
        """The parameters: a function's has commas of its own."""
        depth, part = 0, ""
        for character in " ".join(text.split()):
            depth += {"(": 1, ")": -1}.get(character, 0)
            if character == "," and depth == 0:
                yield part
                part = ""
            else:
                part += character
        yield part

    def parameter(self, text):
        callback = re.fullmatch(r"\w+ \(\*(\w+)\)\(.*\)", text)
        if callback:
            return "callback", callback[1]
        match = re.fullmatch(r"(.*?)(\w+)", text)
        return plain(match[1]), match[2]


class Types:
    """Names of the handles and of the other structs, as the headers declare them."""

    def __init__(self, text):
        self.handles = set(re.findall(r"typedef struct (\w+) \{\n  uint64_t id;\n\}", text))
        self.structs = set(re.findall(r"typedef struct (\w+) \{\n  (?:uint32_t size;|pintle_native native;)", text))


def functions(text):
    return [Function(name, parameters) for name, parameters in PROTOTYPE.findall(text)]


def comments(text):
    """{function: the words of the comment directly above it, or none}."""
    return {name: " ".join(re.sub(r"\n \*", " ", comment).split()) for comment, name in COMMENTED.findall(text)}


def numbers(text):
    """(name, value) of every enumerator. One without a value is an error, since the numbers are stable."""
    found = []
    for body in ENUM.findall(COMMENT.sub("", text)):
        for part in filter(None, (part.strip() for part in body.split(","))):
            match = ENUMERATOR.fullmatch(part)
            if not match:
                raise SystemExit(f"c_headers: an enumerator ({part}) has no number.")
            found.append((match[1], int(match[2])))
    return found


class Member:
    """A member of a struct: its `name`, its `type` as Function has them, its `count` where it is an array, else None, and for a struct or a
    union without name its `kind` and `members`."""

    def __init__(self, name, kind, count=None, members=()):
        self.name, self.type, self.count, self.members = name, kind, count, members


def members(body):
    """The members of a struct's body."""
    found, lines = [], iter(body.splitlines())
    for line in lines:
        line = line.strip()
        if not line:
            continue
        if line in ("union {", "struct {"):
            found.append(nested(line.split()[0], lines))
            continue
        found.append(member(line))
    return found


def nested(kind, lines):
    inside, depth = [], 1
    for line in lines:
        depth += line.count("{") - line.count("}")
        if depth == 0:
            return Member(line.strip().removeprefix("}").strip(" ;"), kind, None, members("\n".join(inside)))
        inside.append(line)
    raise SystemExit("c_headers: a struct does not end.")


def member(line):
    callback = re.fullmatch(r"\w+ \(\*(\w+)\)\(.*\);", line)
    if callback:
        return Member(callback[1], "callback")
    match = re.fullmatch(r"([\w\s*]*[\s*])([a-z]\w*)(?:\[(\d+)\])?;", line)
    if not match:
        raise SystemExit(f"c_headers: this is no member: {line}")
    return Member(match[2], plain(match[1]), int(match[3]) if match[3] else None)


def structs(text):
    """(name, members) of every struct, handles too, in the order of their declaration."""
    return [(name, members(body)) for name, body in STRUCT.findall(COMMENT.sub("", text))]
