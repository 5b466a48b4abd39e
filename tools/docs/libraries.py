"""The code of other libraries on the pages "coming from": what checks it, where that is there.

A block with the title of a library is compiled with that library's headers, or run with its package. Where neither is on the machine, the block
is not compiled: its title on the site says so, and the test of it is skipped.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from pages import ROOT, blocks, pages

SECONDS = 600  # for one block: a second on a machine that is free, minutes on one that twenty others use
SITE_PACKAGES = sorted((ROOT / "build/venv/lib").glob("python3*/site-packages"))[:1]


def package(name):
    """A folder of a wheel that `./dev setup from` brings; None where it is not there."""
    return next((folder / name for folder in SITE_PACKAGES if (folder / name).is_dir()), None)


def first(*paths):
    return next((str(path) for path in paths if path and Path(path).exists()), None)


def cuda():
    nvcc = first(shutil.which("nvcc"), "/usr/local/cuda/bin/nvcc")
    return nvcc and ("cu", "#include <cuda_runtime.h>\n#include <cstddef>\n", [nvcc, "-arch=sm_80", "--cuda", "-o", os.devnull])


def opencl():
    header = first("/usr/include/CL/cl.h")
    return header and ("c", "#define CL_TARGET_OPENCL_VERSION 300\n#include <CL/cl.h>\n", ["cc", "-std=c11", "-Wall", "-Werror", "-fsyntax-only"])


def ggml():
    headers = package("libggml/include")
    includes = "".join(f"#include <{name}.h>\n" for name in ("ggml", "ggml-alloc", "ggml-backend", "ggml-cpu"))
    return headers and ("cpp", f"{includes}#include <vector>\n", ["c++", "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", f"-I{headers}"])


def wgpu():
    return package("wgpu") and package("numpy") and ("py", "", [str(ROOT / "build/venv/bin/python"), "-W", "error::SyntaxWarning"])


def iree():
    return package("iree/compiler") and package("iree/runtime") and ("py", "", [str(ROOT / "build/venv/bin/python")])


LIBRARIES = {"CUDA": cuda, "OpenCL": opencl, "wgpu": wgpu, "IREE": iree, "ggml": ggml}


def is_here(library):
    return bool(LIBRARIES[library]())


def check(library, code):
    """What the library's compiler or interpreter has against the code; empty where it takes it."""
    suffix, before, command = LIBRARIES[library]()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / f"block.{suffix}"
        source.write_text(f"{before}{code}", encoding="utf-8")
        try:
            done = subprocess.run([*command, str(source)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                                  timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return f"it did not end within {SECONDS} s"
        return done.stdout if done.returncode else ""


def problems(library, root=ROOT):
    """What is wrong with the library's blocks on all pages; a library without a block is one, too."""
    found = [(path, block) for path in pages(root) for block in blocks(path.read_text(encoding="utf-8")) if block.title == library]
    if not found:
        yield f"no page has a block of {library}"
    for path, block in found:
        said = check(library, block.code)
        if said:
            yield f"{path.relative_to(root)}:{block.line}: {library} refuses this block:\n{said}"
