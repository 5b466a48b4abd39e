"""Every command of the guide's pages on kernels runs as it is written."""

import os
import re
import shlex
import subprocess
import unittest
from pathlib import Path

from compilers_test import CLANG, SAXPY_CL, CompilersCase, needs_glslc

DOCS = Path(__file__).resolve().parents[2] / "docs"
MATMUL = """#include "real.h"
kernel void matmul(global REAL* x) { local REAL tile[TILE]; tile[get_local_id(0) % TILE] = x[0]; barrier(CLK_LOCAL_MEM_FENCE); x[0] = tile[0]; }
"""
VALUES = """typedef struct { float scale; int n; } how;
kernel __attribute__((reqd_work_group_size(TILE, 1, 1))) void f(uint n, float3 v, how p, local float* tile, global float* y) { y[0] = n + v.x + p.scale; }
"""
SAXPY_COMP = """#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Scalars { float a; uint n; };
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };
void main() { uint i = gl_GlobalInvocationID.x; if (i < n) y[i] += a * x[i]; }
"""
SAXPY_C = """void saxpy(const pintle_group* group, float a, const float* x, float* y, uint32_t n) {
  for (uint32_t k = 0, i = group->id[0] * 64; k < 64 && i < n; ++k, ++i) y[i] += a * x[i];
}
"""
EDGES = """{"name": "edges", "entries": ["f(x: write i32[])"], "sources": [{"file": "f.cl", "formats": ["opencl_c"]}]}"""
# Commands that need what the test's folder does not have, with their reasons.
ELSEWHERE = {"PINTLE_SLANG=": "slang_test.py packs Slang", "ctest ": "runs these tests"}


def commands_in(page):
    for block in re.findall(r"^```sh\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            if re.match(r"(PINTLE_\w+=\S+ )?(pintle|ctest) ", line):
                yield line


@unittest.skipUnless(CLANG, "clang 19 or later is not installed")
@needs_glslc
class Guide(CompilersCase):
    def prepare(self):
        for folder, name, text in ((".", "saxpy.cl", SAXPY_CL), (".", "matmul.cl", MATMUL), ("include", "real.h", "// nothing\n"), (".", "kernels.cl", SAXPY_CL),
                                   ("FOLDER", "pack.json", EDGES), ("FOLDER", "f.cl", "kernel void f(global int* x) { x[0] = 1; }\n"), (".", "values.cl", VALUES), (".", "saxpy.comp", SAXPY_COMP), (".", "saxpy.c", SAXPY_C)):
            (self.folder / folder).mkdir(exist_ok=True)
            (self.folder / folder / name).write_text(text)
        subprocess.run(["glslc", "-fshader-stage=compute", "saxpy.comp", "-o", "saxpy.spv"], cwd=self.folder, check=True)
        signature = "f(n: u32, v: f32x3, p: { scale: f32 }, tile: local f32[], y: write f32[]) group TILE=16"
        text = VALUES.replace("float scale; int n;", "float scale;")
        (self.folder / "values.cl").write_text(text)
        self.command("pack", "values.cl", "--entry", signature, "--format", "opencl_c", "-o", "k.pack")

    def test_each_command_runs(self):
        self.prepare()
        ran = 0
        for page in (DOCS / "guide" / "packing.md", DOCS / "kernels.md"):
            for line in commands_in(page):
                if any(line.startswith(start) for start in ELSEWHERE):
                    continue
                words = shlex.split(line)[1:]
                if words[0] == "run":
                    words += ["--device", os.environ.get("PINTLE_GUIDE_DEVICE", "null")]
                with self.subTest(line):
                    self.command(*words)
                    ran += 1
        self.assertGreaterEqual(ran, 4)


if __name__ == "__main__":
    unittest.main()
