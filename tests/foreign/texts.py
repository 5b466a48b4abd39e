"""The rows of list.csv, and the text of a kernel file as its own program would hand it to a driver."""
import csv
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass
class Row:
    """One file, or several that their program joins into one source."""
    repository: str
    commit: str
    file: str
    options: list = field(default_factory=list)
    note: str = ""

    @property
    def name(self):
        return f"{self.repository.split('/')[1]}/{self.file.split('+')[-1].split('/')[-1]}"

    @property
    def language(self):
        return "opencl_c" if self.file.endswith((".cl", ".opencl")) else "glsl"

    def words(self, prefix):
        return [word[len(prefix):] for word in self.options if word.startswith(prefix)]


def rows(projects=()):
    """The rows of list.csv that are kernels."""
    with open(HERE / "list.csv", newline="") as file:
        for row in csv.DictReader(file):
            if not row["file"].endswith((".cl", ".opencl", ".comp", ".hlsl")):
                continue
            if projects and not any(one in row["repository"] + "/" + row["file"] for one in projects):
                continue
            yield Row(row["repository"], row["commit"], row["file"], (row.get("options") or "").split())


def corpora():
    return Path(os.environ["PINTLE_CORPORA"])


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", re.sub(r"//[^\n]*", "", text), flags=re.S)


def stringified(text):
    """What `MSTRINGIFY(text)` hands over: one line, in which "\\n" stands for the ends of lines."""
    inside = without_comments(text).strip()
    inside = inside[inside.index("(") + 1:inside.rindex(")")]
    return "\n".join(line.strip() for line in " ".join(inside.split("\n")).split("\\n")) + "\n"


def raw(text):
    """What stands between R"( and )"."""
    parts = re.findall(r'R"\((.*?)\)"', text, flags=re.S)
    return "\n".join(parts) if parts else text


FORMS = {"stringified": stringified, "raw": raw}


def text_of(row):
    """The source of a row, without its options."""
    form = FORMS.get(next(iter(row.words("text:")), ""), lambda text: text)
    folder = corpora() / row.repository
    return "\n".join(form((folder / one).read_text(errors="replace")) for one in row.file.split(";"))


def ncnn_definitions(source):
    """The macros that ncnn's gpu.cpp puts before each shader where every option is off."""
    body = source[source.index("int compile_spirv_module(const char* comp_data, int comp_data_size"):]
    body = body[:body.index("int compile_spirv_module(int shader_type_index")]
    active, chains, found, pending = [], {}, [], None
    for line in map(str.strip, body.split("\n")):
        depth = len(active)
        if match := re.match(r"(else )?if \((.*)\)$", line):
            was = bool(match[1]) and chains[depth]
            pending = not was and holds_without_options(match[2])
            chains[depth] = was or pending
        elif line == "else":
            pending, chains[depth] = not chains[depth], True
        elif line == "{":
            active.append(pending is None or pending)
            pending = None
        elif line.startswith("}") and active:
            active.pop()
        else:
            pending = None
            if (match := re.match(r'custom_defines\.append\("(.*?)", (.*)\);$', line)) and all(active):
                found.append((match[1], defined_value(match[2])))
    return found


def defined_value(words):
    """The text of a literal; of a choice between two literals, the one without an option."""
    literals = re.findall(r'"((?:[^"\\]|\\.)*)"', words)
    return literals[-1].replace('\\"', '"') if literals else words


def holds_without_options(condition):
    """A condition of gpu.cpp where no option is on and the device has nothing special."""
    words = re.sub(r"[A-Za-z_][\w.]*(\(\))?(\.\w+(\(\))?)*", "False", condition)
    words = words.replace("&&", " and ").replace("||", " or ").replace("!", " not ")
    try:
        return bool(eval(words, {"__builtins__": {}}))  # only False, and, or, not and brackets are left
    except (SyntaxError, TypeError, NameError):
        return False
