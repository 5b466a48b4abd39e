"""The steps of one row, each in a child process with a time limit: pack, then load, then run."""
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import shader_signature
import texts

SECONDS = int(os.environ.get("PINTLE_FOREIGN_SECONDS", "120"))


@dataclass
class Tools:
    pintle: Path
    probe: Path
    work: Path
    takes_macros: bool = False

    def __post_init__(self):
        words = subprocess.run([self.pintle, "pack", "--help"], capture_output=True, text=True, check=False, cwd=self.work).stdout
        self.takes_macros = re.search(r"(^|[ ,])-D\b", words) is not None


@dataclass
class Ended:
    """How a child ended: `verdict` is ok, refused, crashed or hung."""
    verdict: str
    out: str = ""
    words: str = ""


def settings():
    """The environment of a child: what only this driver knows would be a warning of the library."""
    return {name: value for name, value in os.environ.items() if name not in ("PINTLE_CORPORA", "PINTLE", "PINTLE_PROBE") and
            not name.startswith("PINTLE_FOREIGN")}


def child(command, folder, **environment):
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", cwd=folder,
                              timeout=SECONDS, check=False, env={**settings(), **environment})
    except subprocess.TimeoutExpired:
        return Ended("hung", "", f"It did not end within {SECONDS} s.")
    if done.returncode < 0 or done.returncode > 128:
        return Ended("crashed", done.stdout, f"signal {-done.returncode}: {done.stderr[-300:]}")
    return Ended("ok" if done.returncode == 0 else "refused", done.stdout, done.stderr)


def with_macros(row, text, takes_macros=False):
    """The text behind its macros, for a pack without -D, and for what a program puts there itself: GLSL wants #version first."""
    lines = [] if takes_macros else [f"#define {one.replace('=', ' ', 1) if '=' in one else one + ' 1'}" for one in row.words("-D")]
    if "ncnn" in row.words("text:"):
        lines += ncnn_lines(row)
    if not lines:
        return text
    head = ""
    if match := re.search(r"^[ \t]*#version[^\n]*\n", text, flags=re.M):
        head, text = text[:match.end()], text[match.end():]
    return head + "\n".join(lines) + "\n" + text


def ncnn_lines(row):
    source = (texts.corpora() / row.repository / "src/gpu.cpp").read_text()
    defined = dict(texts.ncnn_definitions(source))
    lines = [f"#define {name} {value}" for name, value in defined.items()]
    return lines + ["layout(local_size_x_id = 233, local_size_y_id = 234, local_size_z_id = 235) in;"]


def copy_headers(beside, folder):
    for one in beside.iterdir():
        if one.is_file() and one.suffix in (".h", ".glsl", ".comp", ".cl", ".hlsl") and one.stat().st_size < 1 << 20:
            shutil.copy(one, folder / one.name)


def placed(row, folder, takes_macros=False):
    """The source in a folder of its own, with what lies beside it, which it may include."""
    file = row.file.split(";")[-1]
    beside = (texts.corpora() / row.repository / file).parent
    folder.mkdir(parents=True, exist_ok=True)
    for place in [*row.words("-I"), "."]:
        copy_headers(beside / place, folder)
    name = Path(file).name.replace(".opencl", ".cl")
    (folder / name).write_text(with_macros(row, texts.text_of(row), takes_macros))
    return folder / name


def with_groups(row, listed):
    """The signatures with the groups that the program launches, and the subgroups that it counts on, where the source does not say them:
    `group:PREFIX=16;4`, `subgroup:PREFIX=16` of each kernel whose name begins so."""
    given = lambda option, name: next((size for prefix, size in (word.split("=") for word in row.words(option)) if name.startswith(prefix)), None)
    for line in listed.split("\n"):
        if match := re.match(r"  (\w+)\(.*\) group ", line):
            signature = line.strip()
            if sides := given("group:", match[1]):
                signature = re.sub(r"(.*\) group )\d+", rf"\g<1>{sides.replace(';', ',')}", signature)
            if (items := given("subgroup:", match[1])) and " subgroup " not in signature:
                signature += f" subgroup {items}"
            yield signature


@dataclass
class Packed:
    """How packing ended, the pack, and of a shader its module."""
    ended: Ended
    file: Path
    module: object = None


def run_pack(source, tools, folder, packed, form, macros):
    return child([tools.pintle, "pack", source, "-o", packed, "--name", "foreign", *form, *macros,
                  *(["-I", folder] if tools.takes_macros else [])], folder)


def pack(row, tools, folder):
    """Packs the row's source."""
    source = placed(row, folder, tools.takes_macros)
    macros = [word for word in row.options if word.startswith("-D")] if tools.takes_macros else []
    made = Packed(Ended("ok"), folder / "foreign.pack")
    form = ["--format", "opencl_c"]
    if row.language == "glsl":
        try:
            target = next(iter(row.words("--target-env=")), "vulkan1.2")
            if not tools.takes_macros:
                shader_signature.join_includes(source, folder)
            made.module = shader_signature.module(source, target, folder, macros)
            form = ["--format", "spirv", "--entry", made.module.signature()]
        except shader_signature.Unsayable as construct:
            made.ended = Ended("refused", "", f"no signature says {construct}")
            return made
        except RuntimeError as words:
            made.ended = Ended("absent", "", "glslc here does not compile it: " + str(words))
            return made
    made.ended = run_pack(source, tools, folder, made.file, form, macros)
    if made.module and "is declared (write)" in made.ended.words:  # what the source calls writeonly, and reads
        made.module.is_lying = True
        made.ended = run_pack(source, tools, folder, made.file, ["--format", "spirv", "--entry", made.module.signature()], macros)
    if row.words("group:") + row.words("subgroup:") and made.ended.verdict == "ok":
        listed = child([tools.pintle, "pack", "--list", made.file], folder).out
        signatures = [word for entry in with_groups(row, listed) for word in ("--entry", entry)]
        made.ended = run_pack(source, tools, folder, made.file, [*form, *signatures], macros)
    if made.ended.verdict == "ok" and not made.file.exists():
        made.ended.verdict, made.ended.words = "refused", made.ended.out + made.ended.words
    return made


def json_line(text):
    """The last line of a child's output, which is JSON; nothing of anything else."""
    try:
        return json.loads(text.strip().split("\n")[-1])
    except (json.JSONDecodeError, IndexError):
        return {}


def entries(tools, packed, folder):
    return json_line(child([tools.probe, "entries", packed], folder).out)


def load(tools, device, packed, folder):
    """What each entry of the pack became on the device: {name: None or why not}."""
    ended = child([tools.probe, "load", device, packed], folder)
    return ended, json_line(ended.out)


def last_error(words):
    """The line of a driver's words that says most."""
    lines = [line.strip() for line in words.split("\n") if line.strip()]
    errors = [line for line in lines if re.search(r"error|VUID|undefined|unsupported", line, flags=re.I)]
    return (errors[0] if errors else lines[-1] if lines else "")[:400]


def first_line(words):
    lines = [line.strip() for line in words.split("\n") if line.strip() and "SwiftShader" not in line]
    return next((line for line in lines if "error" in line.lower()), lines[0] if lines else "")
