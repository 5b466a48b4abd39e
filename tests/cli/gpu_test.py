"""OpenCL C for GPUs: PTX that NVIDIA's assembler takes, and code objects whose metadata agrees."""

import re
import shutil
import subprocess
import unittest
from pathlib import Path

from compilers_test import CLANG, CompilersCase
from harness import FAILED

PTXAS = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
LIBRARY = any(Path(folder, "nvptx64--nvidiacl.bc").exists() for folder in ("/usr/lib/clc", "/usr/share/clc", "/usr/local/lib/clc", "/usr/local/share/clc"))
needs = unittest.skipUnless(CLANG and LIBRARY, "clang 19 or libclc is not installed")
LLD = any(shutil.which(name, path="/usr/bin:/usr/lib/llvm-22/bin:/usr/lib/llvm-19/bin") for name in ("ld.lld-22", "ld.lld-19", "ld.lld"))

TEXT = """
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
typedef struct { float scale; int3 by; } how;
kernel void maths(global float4* x, float2 p, how h) {
  const size_t i = get_global_id(0);
  float e;
  x[i] = exp(x[i]) + log(x[i]) + sin(x[i]) * cos(x[i]) + pow(x[i], (float4)(p.x)) + tan(x[i]) + native_exp(x[i]) + sqrt(x[i]);
  x[i].x += atan2(p.x, p.y) + erf(p.x) + lgamma(p.y) + cbrt(p.x) + hypot(p.x, p.y) + fmod(p.x, p.y) + modf(p.x, &e) + e + ldexp(p.x, h.by.x) * h.scale;
}
kernel void doubles(global double* x) { x[0] = exp(x[0]) + log(x[1]) + sin(x[2]) + pow(x[3], x[4]) + sqrt(x[5]) + rsqrt(x[6]); }
kernel void tiles(global float* x, local float* t, local int* counts) {
  const uint me = get_local_id(0);
  t[me] = x[get_global_id(0)];
  if (me == 0) counts[0] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(counts, convert_int_sat_rte(t[63 - me]));
  barrier(CLK_LOCAL_MEM_FENCE);
  vstore4(vload4(0, t), 1, x);
  x[0] = counts[0];
}
kernel void atomics(global int* i, global long* q, global uint* u) {
  atomic_max(i, 3); atomic_inc(u); atom_add(q, 5L);
  atomic_fetch_add((global atomic_int*)i, 1); atomic_store((global atomic_uint*)u, 2u); i[1] = atomic_load((global atomic_int*)i);
  int e = 1; atomic_compare_exchange_strong((global atomic_int*)i, &e, 2);
}
kernel void integers(global int4* x, global uint* u) {
  x[0] = max(x[1], x[2]) + clamp(x[3], x[4], x[5]) + mul_hi(x[1], x[2]) + rotate(x[1], x[2]) + convert_int4(abs(x[3])) + add_sat(x[1], x[2]);
  u[0] = clz(u[1]) + ctz(u[2]) + popcount(u[3]) + mad24(u[1], u[2], u[3]) + as_uint(1.0f) + get_local_linear_id();
}
kernel void says(global int* x) { printf("%d", x[0]); }
float through(float x) { return work_group_reduce_add(x); }
kernel void sums(global float* x) { x[0] = through(x[1]); }
"""
ENTRIES = ["maths(x: read_write f32[], p: f32x2, h: { scale: f32, by: i32x3 }) group 64", "doubles(x: read_write f64[]) group 64",
           "tiles(x: read_write f32[], t: local f32[], counts: local i32[]) group 64", "atomics(i: read_write i32[], q: read_write i64[], u: read_write u32[]) group 64",
           "integers(x: read_write i32[], u: read_write u32[]) group 64"]
LACKING = ["says(x: read i32[])", "sums(x: read_write f32[])"]


@needs
class Ptx(CompilersCase):
    def test_kernels_with_library_functions_assemble(self):
        document = self.build("k.cl", TEXT, *ENTRIES, options=("--format", "ptx"))
        self.assertEqual((self.kinds(document), document["not_built"]), ([("ptx", "sm_90")], []))
        text = self.code_of(0).decode()
        self.assertEqual(set(re.findall(r"\.entry (\w+)\(", text)), {entry.split("(")[0] for entry in ENTRIES})
        self.assertNotIn(".extern .func", text)
        if not PTXAS:
            self.skipTest("ptxas is not installed")
        (self.folder / "k.ptx").write_text(text)
        subprocess.run([PTXAS, "-arch=sm_90", "k.ptx", "-o", "k.cubin"], cwd=self.folder, check=True)

    def test_a_kernel_that_lacks_a_function_costs_only_itself(self):
        document = self.build("k.cl", TEXT, *ENTRIES, *LACKING, options=("--format", "ptx"))
        self.assertEqual([entry["name"] for entry in document["variants"][0]["entries"]], [entry.split("(")[0] for entry in ENTRIES])
        self.assertEqual([one["reason"] for one in document["not_built"]], ['Kernel "says" calls printf, which is defined nowhere.',
                                                                           'Kernel "sums" calls work_group_reduce_add, which is defined nowhere.'])
        self.refuse("k.cl", TEXT, *LACKING, words=["Format ptx for sm_90 was asked for", 'kernel "says" calls printf', 'kernel "sums" calls work_group_reduce_add'],
                    options=("--format", "ptx"))

    def test_where_libclc_is_not_there(self):
        self.build("k.cl", TEXT, ENTRIES[1], options=("--format", "ptx", "--format", "opencl_c"))


@needs
@unittest.skipUnless(LLD, "lld is not installed")
class Amdgcn(CompilersCase):
    def test_kernels_with_library_functions_are_code_objects(self):
        document = self.build("k.cl", TEXT, *ENTRIES, *LACKING, options=("--format", "amdgcn"))
        self.assertEqual(self.kinds(document), [("amdgcn", "gfx90a"), ("amdgcn", "gfx942"), ("amdgcn", "gfx1100")])
        for index, variant in enumerate(document["variants"]):
            code = self.code_of(index)
            self.assertEqual([entry["name"] for entry in variant["entries"]], [entry.split("(")[0] for entry in ENTRIES])
            for entry in variant["entries"]:
                self.assertIn((entry["name"] + ".kd").encode(), code)
            self.assertNotIn(b"says.kd", code)
        self.assertEqual({one["reason"] for one in document["not_built"]}, {'Kernel "says" calls printf, which is defined nowhere.',
                                                                          'Kernel "sums" calls work_group_reduce_add, which is defined nowhere.'})

    def test_metadata_is_compared(self):
        self.build("k.cl", TEXT, ENTRIES[2], options=("--format", "amdgcn", "--require", "amdgcn"))
        code = self.code_of(0)
        (self.folder / "kernel.bin").write_bytes(code)
        for entry, words in (("tiles(x: read_write f32[], t: f32, counts: local i32[]) group 64", ['"t"', "scalar (f32)"]), ("tiles(x: read_write f32[]) group 64", ["(3) arguments"])):
            (self.folder / "pack.json").write_text(f'{{"name": "p", "entries": ["{entry}"], "variants": [{{"format": "amdgcn", "target": "gfx90a", "file": "kernel.bin"}}]}}')
            self.refused("pack", ".", "-o", "refused.pack", code=FAILED, words=['Entry "tiles" of Variant amdgcn for gfx90a', *words])


if __name__ == "__main__":
    unittest.main()
