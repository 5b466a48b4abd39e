"""`pintle pack` with sources: what it builds with the compilers that it finds, and what it says of the rest."""

import json
import os
import re
import shutil
import struct
import subprocess
import unittest
from pathlib import Path

from harness import BUILD_FAILED, FAILED, INVALID, IO, CommandCase

KERNELS = Path(__file__).resolve().parents[2] / "examples" / "demo" / "kernels"
SAXPY = "saxpy(a: f32, x: read f32[], y: read_write f32[], n: u32) group 64"
SAXPY_CL = """
kernel void saxpy(float a, global const float* x, global float* y, uint n) {
  const uint i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + y[i];  // no barrier(), no local memory
}
"""
REVERSE = "reverse(x: read_write f32[]) group 64"
REVERSE_CL = """
kernel void reverse(global float* x) {
  local float turned[64];
  turned[63 - get_local_id(0)] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = turned[get_local_id(0)];
}
"""
GLSL = """#version 450
layout(local_size_x = PINTLE_GROUP_X, local_size_y = PINTLE_GROUP_Y, local_size_z = PINTLE_GROUP_Z) in;
layout(constant_id = 7) const uint step = 1;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
#ifdef PINTLE_ENTRY_first_entry
void main() { data[gl_GlobalInvocationID.x] += step; }
#elif PINTLE_ENTRY_b
void main() { data[gl_GlobalInvocationID.y] = gl_WorkGroupSize.x; }
#endif
"""
GLSL_ENTRIES = ["first_entry(data: read_write u32[]) group 64", "b(data: write u32[]) group 4,2,1"]
HLSL = """
[[vk::binding(0, 0)]] RWStructuredBuffer<uint> data;
struct Scalars { uint n; };
[[vk::push_constant]] Scalars scalars;
#ifdef PINTLE_ENTRY_add
[numthreads(PINTLE_GROUP_X, PINTLE_GROUP_Y, PINTLE_GROUP_Z)]
void add(uint3 id : SV_DispatchThreadID) { if (id.x < scalars.n) data[id.x] += 1; }
#else
[numthreads(PINTLE_GROUP_X, PINTLE_GROUP_Y, PINTLE_GROUP_Z)]
void twice(uint3 id : SV_DispatchThreadID) { if (id.x < scalars.n) data[id.x] *= 2; }
#endif
"""
NEVER_RUN = "built, never run"
CLANG = next((name for name in [f"clang-{n}" for n in range(25, 18, -1)] if shutil.which(name)), None)
CLANG_22 = CLANG and int(CLANG.split("-")[1]) >= 22
needs_clang_22 = unittest.skipUnless(CLANG_22, "clang 22 or later is not installed")
needs_glslc = unittest.skipUnless(shutil.which("glslc") and shutil.which("spirv-val"), "glslc or spirv-val is not installed")


CPU_TARGETS = ("x86_64-linux", "x86_64-v3-linux", "x86_64-v4-linux", "aarch64-linux")


class CompilersCase(CommandCase):
    def build(self, name, text, *entries, options=(), **more):
        """The document of packing one source with these entries into out.pack."""
        (self.folder / name).write_text(text)
        words = [word for entry in entries for word in ("--entry", entry)]
        return self.json("pack", name, *words, *options, "-o", "out.pack", **more)

    def refuse(self, name, text, *entries, words, options=(), **more):
        """Packing the source exits with 1 and says all of `words`; there is no pack, and with --json the words are the document."""
        (self.folder / name).write_text(text)
        arguments = ["pack", name, *[word for entry in entries for word in ("--entry", entry)], *options, "-o", "refused.pack"]
        self.refused(*arguments, code=FAILED, words=words, **more)
        error = json.loads(self.command(*arguments, "--json", code=FAILED, **more).stdout)["error"]
        self.assertEqual((error["code"], error["exit"]), ("build_failed", FAILED))
        for word in words:
            self.assertIn(word, error["message"])
        self.assertFalse((self.folder / "refused.pack").exists())

    def kinds(self, document):
        return [(variant["format"], variant["target"]) for variant in document["variants"]]

    def missing(self, document):
        return {(one["format"], one["target"]): one for one in document["not_built"]}

    def code_of(self, index):
        """The bytes of a variant, as docs of the file's layout place them."""
        file = (self.folder / "out.pack").read_bytes()
        (length,) = struct.unpack_from("<Q", file, 48)
        row = json.loads(file[64:64 + length])["variants"][index]
        return file[64 + length + row["offset"]:][:row["size"]]

    def run_cpu(self, entry, *words, grid="1"):
        self.command("run", "out.pack", "--entry", entry, "--device", "cpu", "--grid", grid, *words)


class OnTheCpu(CompilersCase):
    """OpenCL C as a shared object."""

    def build_so(self, text, *entries):
        document = self.build("program.cl", text, *entries, options=("--format", "so"))
        self.assertEqual(self.kinds(document), [("so", target) for target in CPU_TARGETS])
        self.assertEqual((document["not_built"], document["variants"][0]["note"]), ([], ""))

    def test_saxpy_runs(self):
        self.build_so(SAXPY_CL, SAXPY)
        self.write_npy("x.npy", "<f4", (300,), [float(i) for i in range(300)])
        self.write_npy("y.npy", "<f4", (300,), [1.0] * 300)
        self.run_cpu("saxpy", "--arg", "a=2.5", "--arg", "n=290", "--arg", "x=x.npy", "--arg", "y=y.npy",
                     "--out", "y=f32[300]:result.npy", grid="5")
        values = self.read_npy("result.npy")[2]
        self.assertEqual(values, [2.5 * i + 1 if i < 290 else 1 for i in range(300)])

    PLACES = """
    uint of_helper(void) { return get_global_id(1) * 100 + get_local_id(0); }  // asked outside the kernel
    __kernel void places(__global uint* to) {
      const size_t item = get_global_linear_id();
      const uint all[] = {get_global_id(0), get_global_id(1), get_global_id(2), get_local_id(0), get_local_id(1), get_local_id(2),
                          get_group_id(0), get_group_id(1), get_group_id(2), get_global_size(0), get_local_size(1),
                          get_num_groups(2), get_work_dim(), get_global_offset(0), get_local_linear_id(), HELPER};
      for (int i = 0; i < 16; ++i) to[16 * item + i] = all[i];
    }
    """

    def expect_places(self, helper, expected):
        self.build_so(self.PLACES.replace("HELPER", helper), "places(to: write u32[]) group 2,3,2")
        size, group, count = (4, 9, 4), (2, 3, 2), (2, 3, 2)
        self.run_cpu("places", "--out", "to=u32[144,16]:places.npy", grid="2,3,2")
        values, rows = self.read_npy("places.npy")[2], []
        for z in range(size[2]):
            for y in range(size[1]):
                for x in range(size[0]):
                    at = (x, y, z)
                    local = [at[k] % group[k] for k in range(3)]
                    linear = (local[2] * group[1] + local[1]) * group[0] + local[0]
                    rows += [*at, *local, *(at[k] // group[k] for k in range(3)), size[0], group[1], count[2], 3, 0, linear, expected(x, y)]
        self.assertEqual(values, rows)

    def test_an_item_knows_its_place(self):
        self.expect_places("7", lambda x, y: 7)

    def test_functions_that_a_kernel_calls_know_it_too(self):
        self.expect_places("of_helper()", lambda x, y: y * 100 + x % 2)

    def test_functions_of_the_language(self):
        pairs = [("min(3, (int)n)", 3), ("max(n, 3u)", 5), ("clamp(17, -1, 8)", 8), ("abs(-4)", 4), ("abs_diff(3, 9)", 6), ("sqrt(16.0f)", 4),
                 ("fabs(-2.5f) * 2", 5), ("convert_int_rte(2.5f)", 2), ("convert_uchar_sat(300.7f)", 255), ("convert_uchar_sat(-3.0f)", 0),
                 ("as_uint(1.0f) >> 23", 127), ("as_float(0x40000000u)", 2), ("popcount(0xf0u)", 4), ("mad(2.0f, 3.0f, 1.0f)", 7),
                 ("mix(2.0f, 4.0f, 0.5f)", 3), ("step(1.0f, 2.0f)", 1), ("fma(2.0f, 3.0f, 4.0f)", 10), ("mul24(3, 4)", 12),
                 ("select(1, 2, 1)", 2), ("min(max(min(9, 7), 2), 5)", 5), ("exp2(3.0f)", 8), ("sign(-3.0f) + 2", 1)]
        lines = "".join(f"to[{i}] = {text};" for i, (text, _) in enumerate(pairs))
        self.build_so(f"constant float table[2] = {{1, 2}};\nkernel void f(uint n, global float* to) {{ {lines} to[{len(pairs)}] = table[1]; }}",
                      "f(n: u32, to: write f32[])")
        self.run_cpu("f", "--arg", "n=5", "--out", f"to=f32[{len(pairs) + 1}]:to.npy")
        self.assertEqual(self.read_npy("to.npy")[2], [value for _, value in pairs] + [2])

    def test_atomics_count_over_groups(self):
        self.build_so("kernel void f(global int* to) { atomic_inc(to); atomic_max(to + 1, (int)get_global_id(0)); atomic_min(to + 2, -(int)get_group_id(0));"
                      " atomic_add(to + 3, 2); atomic_cmpxchg(to + 4, 0, 9); atomic_or(to + 5, 1 << get_local_id(0)); }",
                      "f(to: read_write i32[]) group 16")
        self.run_cpu("f", "--out", "to=i32[6]:to.npy", grid="500")
        self.assertEqual(self.read_npy("to.npy")[2], [8000, 7999, -499, 16000, 9, 0xffff])

    def test_scalars_of_every_size(self):
        self.build_so("kernel void f(uchar flag, char a, short b, long c, double d, ushort h, global double* to)"
                      " { to[0] = flag; to[1] = a; to[2] = b; to[3] = c; to[4] = d; to[5] = h; }",
                      "f(flag: bool, a: i8, b: i16, c: i64, d: f64, h: u16, to: write f64[])")
        self.run_cpu("f", "--arg", "flag=1", "--arg", "a=-3", "--arg", "b=-300", "--arg", "c=5000000000", "--arg", "d=0.125", "--arg", "h=65535",
                     "--out", "to=f64[6]:to.npy")
        self.assertEqual(self.read_npy("to.npy")[2], [1, -3, -300, 5000000000, 0.125, 65535])

    def test_two_kernels_and_one_without_parameters(self):
        self.build_so("kernel void nothing() {}\nkernel __attribute__((reqd_work_group_size(2, 1, 1))) void f(global int* to) { to[get_global_id(0)] = 3; }",
                      "nothing()", "f(to: write i32[]) group 2")
        self.run_cpu("nothing")
        self.run_cpu("f", "--out", "to=i32[2]:to.npy")
        self.assertEqual(self.read_npy("to.npy")[2], [3, 3])

    def refuse_so(self, text, entry, *words):
        document = self.build("program.cl", text, entry, options=("--format", "so", "--format", "opencl_c"))
        self.assertEqual(self.kinds(document), [("opencl_c", "")])
        reasons = [one["reason"] for one in document["not_built"]]
        self.assertEqual(len(reasons), len(CPU_TARGETS))
        for reason in reasons:
            for word in words:
                self.assertIn(word, reason)

    def test_items_wait_for_each_other(self):
        self.build_so(REVERSE_CL, REVERSE)
        self.write_npy("x.npy", "<f4", (128,), [float(i) for i in range(128)])
        self.run_cpu("reverse", "--arg", "x=x.npy", "--out", "x=f32[128]:result.npy", grid="2")
        self.assertEqual(self.read_npy("result.npy")[2], [float(i // 64 * 64 + 63 - i % 64) for i in range(128)])

    def test_a_kernel_that_the_cpu_cannot_have_costs_only_itself(self):
        text = SAXPY_CL + 'float deep(float x) { return x > 0 ? deep(x - 1) * deep(x - 2) : 1; }\nkernel void says(global float* x) { x[0] = deep(x[1]); }\n'
        document = self.build("program.cl", text, SAXPY, "says(x: read_write f32[])", options=("--format", "so"))
        self.assertEqual(self.kinds(document), [("so", target) for target in CPU_TARGETS])
        for variant in document["variants"]:
            self.assertEqual([entry["name"] for entry in variant["entries"]], ["saxpy"])
        for one in document["not_built"]:
            self.assertIn('Kernel "says"', one["reason"])
            self.assertIn("deep", one["reason"])

    def test_what_does_not_fit_its_signature_is_an_error(self):
        kernel = "kernel void f(uint n, global int* x) { x[0] = n; }"
        for entry in ("f(n: f32, x: write i32[])", "f(x: write i32[], n: u32)", "f(n: u32)"):
            self.refuse("program.cl", kernel, entry, words=["argument" if CLANG else "error:"])
        self.refuse("program.cl", "void helper(void);\nkernel void f() { helper(); }", "f()", words=["helper"],
                    options=("--format", "so", "--format", "opencl_c"))


class Variants(CompilersCase):
    """Which there are, for whom, and which are missing."""

    def test_opencl_c_becomes_all_that_the_compilers_can_build(self):
        document = self.build("saxpy.cl", SAXPY_CL, SAXPY)
        self.assertEqual(document["name"], "saxpy")
        kinds, missing = self.kinds(document), self.missing(document)
        expected = [*(("so", target) for target in CPU_TARGETS), ("opencl_c", ""), ("spirv_opencl", ""), ("ptx", "sm_90"), ("amdgcn", "gfx90a"),
                    ("amdgcn", "gfx942"), ("amdgcn", "gfx1100")]
        self.assertEqual([kind for kind in expected if kind in kinds], kinds)
        self.assertEqual(set(kinds) | set(missing), set(expected))
        self.assertEqual(set(kinds) & set(missing), set())
        notes = {(one["format"], one["target"]): one["note"] for one in document["variants"]}
        for kind in kinds:
            self.assertEqual(notes[kind], NEVER_RUN if kind[0] in ("ptx", "amdgcn") else "")
        self.assertEqual(self.code_of(kinds.index(("opencl_c", ""))).decode(), SAXPY_CL)
        listed = self.json("pack", "--list", "out.pack")
        self.assertEqual(listed, {key: value for key, value in document.items() if key not in ("not_built", "not_read", "left_out")})

    @unittest.skipUnless(CLANG, "clang 19 or later is not installed")
    def test_ptx_has_every_kernel_and_calls_nothing(self):
        document = self.build("program.cl", SAXPY_CL + REVERSE_CL, SAXPY, REVERSE, options=("--format", "ptx", "--require", "ptx"))
        self.assertEqual(self.kinds(document), [("ptx", "sm_90")])
        text = self.code_of(0).decode()
        self.assertIn(".target sm_90", text)
        self.assertEqual(set(re.findall(r"\.entry (\w+)\(", text)), {"saxpy", "reverse"})
        self.assertNotIn(".extern .func", text)
        self.assertRegex(text, r"bar(rier)?\.(sync|cta)")
        (self.folder / "program.ptx").write_text(text)
        if shutil.which("ptxas"):
            subprocess.run(["ptxas", "-arch=sm_90", "program.ptx", "-o", "program.cubin"], cwd=self.folder, check=True)

    @unittest.skipUnless(CLANG, "clang 19 or later is not installed")
    def test_what_no_library_has_is_an_error_when_packing(self):
        sum_of = "kernel void f(global float* x) {\n  x[0] = work_group_reduce_add(x[0]);\n}"
        helper = "void helper(void);\nkernel void f(global float* x) { helper(); }"
        for text, name in ((sum_of, "work_group_reduce_add"), (helper, "helper")):
            words = f'kernel "f" calls {name}, which is defined nowhere'
            self.refuse("program.cl", text, "f(x: read_write f32[])", words=["Format ptx for sm_90 was asked for", words], options=("--format", "ptx", "--format", "opencl_c"))
            reason = self.missing(self.build("program.cl", text, "f(x: read_write f32[])"))["ptx", "sm_90"]["reason"]
            self.assertIn(words, reason)

    @needs_clang_22
    def test_amd_code_objects_name_their_processor(self):
        if not any(shutil.which(name, path="/usr/bin:/usr/lib/llvm-22/bin") for name in ("ld.lld-22", "ld.lld")):
            self.skipTest("lld is not installed")
        document = self.build("program.cl", SAXPY_CL + REVERSE_CL, SAXPY, REVERSE, options=("--format", "amdgcn", "--require", "amdgcn"))
        self.assertEqual(self.kinds(document), [("amdgcn", "gfx90a"), ("amdgcn", "gfx942"), ("amdgcn", "gfx1100")])
        for index, (_, target) in enumerate(self.kinds(document)):
            code = self.code_of(index)
            self.assertEqual(code[:4], b"\x7fELF")
            self.assertEqual(struct.unpack_from("<H", code, 18), (224,))  # EM_AMDGPU
            for word in (f"amdgcn-amd-amdhsa--{target}", "saxpy.kd", "reverse.kd"):
                self.assertIn(word.encode(), code)

    @needs_clang_22
    def test_opencl_spirv_is_valid(self):
        if not shutil.which("spirv-val"):
            self.skipTest("spirv-val is not installed")
        document = self.build("program.cl", SAXPY_CL + REVERSE_CL, SAXPY, REVERSE, options=("--format", "spirv_opencl"))
        self.assertEqual(self.kinds(document), [("spirv_opencl", "")])
        (self.folder / "program.spv").write_bytes(self.code_of(0))
        subprocess.run(["spirv-val", "--target-env", "opencl2.2", "program.spv"], cwd=self.folder, check=True)
        self.assertEqual(entry_points(words_of(self.code_of(0)), 6), ["saxpy", "reverse"])

    def test_text_says_what_is_built_and_what_is_not(self):
        (self.folder / "reverse.cl").write_text(REVERSE_CL)
        lines = self.command("pack", "reverse.cl", "--entry", REVERSE, "-o", "out.pack").stdout.splitlines()
        self.assertEqual(lines[0], "reverse")
        self.assertIn(f"  {REVERSE}", lines)
        self.assertTrue(any(line.startswith("so  ") for line in lines), lines)
        for line in lines:
            if line.startswith(("ptx ", "amdgcn ")):
                self.assertTrue(line.endswith(NEVER_RUN), line)

    def test_compilers_that_are_not_there_are_named(self):
        document = self.build("saxpy.cl", SAXPY_CL, SAXPY, environment={"PATH": "/nowhere"})
        self.assertEqual(self.kinds(document), [("opencl_c", "")])
        missing = {one["format"]: one for one in document["not_built"]}
        self.assertEqual({one["code"] for one in missing.values()}, {"unavailable"})
        self.assertIn("clang-19, which is not found in PATH", missing["so"]["reason"])
        self.assertIn("tried clang-25, clang-24, clang-23, clang-22, clang)", missing["spirv_opencl"]["reason"])
        self.assertIn("version 19 or later", missing["ptx"]["reason"])
        (unread,) = document["not_read"]
        self.assertEqual(unread["code"], 'Source "saxpy.cl"')
        self.assertIn("No clang of version 15 or later", unread["reason"])
        (self.folder / "p.comp").write_text(GLSL)
        refused = self.refused("pack", "p.comp", "--format", "spirv", "--entry", GLSL_ENTRIES[0], "-o", "none.pack", code=BUILD_FAILED,
                               words=["[Program \"p\"]"], environment={"PATH": "/nowhere"})
        self.assertIn("tried glslc", refused.stderr)
        self.assertFalse((self.folder / "none.pack").exists())

    @unittest.skipUnless(CLANG, "clang 19 or later is not installed")
    def test_an_old_clang_is_named_with_its_version(self):
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "clang").write_text("#!/bin/sh\necho Debian clang version 14.0.6\n")
        (tools / "clang").chmod(0o755)
        document = self.build("saxpy.cl", SAXPY_CL, SAXPY, options=("--format", "ptx", "--format", "opencl_c"), environment={"PATH": str(tools)})
        self.assertIn("clang, which has version 14)", document["not_built"][0]["reason"])
        (tools / "clang").write_text('#!/bin/sh\n[ "$1" = --version ] && { echo clang version 40.1; exit; }\n'
                                     f'case "$*" in *gpu.cl*) ;; *emit-llvm*) exec {shutil.which(CLANG)} "$@";; esac\necho "x.cl:1:1: error: $1" >&2\nexit 1\n')
        missing = self.missing(self.build("saxpy.cl", SAXPY_CL, SAXPY, environment={"PATH": str(tools)}))
        self.assertEqual(missing["ptx", "sm_90"]["reason"], "x.cl:1:1: error: -target")

    def test_a_required_format_decides_the_exit_code(self):
        (self.folder / "reverse.cl").write_text(REVERSE_CL)
        words = ("pack", "reverse.cl", "--entry", REVERSE, "-o", "out.pack", "--require")
        self.command(*words, "opencl_c")
        (self.folder / "out.pack").unlink()
        self.refused(*words, "so", code=BUILD_FAILED, words=['"so" is required', "clang-19"], environment={"PATH": "/nowhere"})
        self.refused(*words, "spirv", code=BUILD_FAILED, words=['"spirv" is required', "No source becomes it"])
        self.assertFalse((self.folder / "out.pack").exists())

    def test_broken_source_gives_the_compilers_words(self):
        (self.folder / "broken.cl").write_text("kernel void f(global int* x) {\n  x[0] = missing;\n}")
        failed = self.refused("pack", "broken.cl", "--entry", "f(x: write i32[])", "--format", "so", "--format", "ptx", "-o", "out.pack",
                              code=FAILED if CLANG else BUILD_FAILED, words=["broken.cl:2:", "missing"])
        self.assertNotIn("/tmp/", failed.stderr)


class Broken(CompilersCase):
    """Each compiler or reader looks at the kernels before anybody packs them."""

    KERNEL = "kernel void f(global int* x) { x[0] = 1; }\nkernel void h(global int* x) { x[0] = 2; }\nvoid helper(void) {}\n"
    WRITES = "f(x: write i32[])"

    @unittest.skipUnless(CLANG, "clang 19 or later is not installed")
    def test_opencl_c(self):
        self.refuse("k.cl", self.KERNEL.replace("= 2;", "= 2"), self.WRITES, words=["k.cl:2:", "error: expected ';'"])
        self.refuse("k.cl", self.KERNEL.replace("= 2;", "= unknown_name;"), self.WRITES, words=["k.cl:2:", "unknown_name"])
        self.refuse("k.cl", self.KERNEL, "g(x: write i32[])", words=['Source "k.cl" has no entry "g"; it has f, h.'])
        self.refuse("k.cl", self.KERNEL, self.WRITES, "helper()", words=['no entry "helper"; it has f, h.'], options=("--format", "opencl_c"))
        self.refuse("k.cl", "void helper(void) {}", self.WRITES, words=['no entry "f"; it has none.'])

    @unittest.skipUnless(CLANG, "clang 19 or later is not installed")
    def test_a_constant_that_is_given_at_load_is_no_fault(self):
        for name, form, text in (("k.cl", "opencl_c", self.KERNEL.replace("= 2", "= SCALE * SCALE")),
                                 ("k.c", "c", "void f(const pintle_group* g, void* const* a) { (void)g; *(int*)a[0] = SCALE; }")):
            self.build(name, text, self.WRITES, options=("--format", form))
            self.refuse(name, text.replace("SCALE", "scale"), self.WRITES, words=["scale"])

    def test_c(self):
        code = "void f(const pintle_group* g, void* const* a) { (void)g; *(int*)a[0] = 1; }\n"
        self.build("k.c", code, self.WRITES)
        self.refuse("k.c", code + "int broken(\n", self.WRITES, words=["k.c:", "error: expected"])
        self.refuse("k.c", code, "g(x: write i32[])", words=['Source "k.c" has no entry "g"; it has f.'])
        self.build("k.c", "static " + code, self.WRITES)

    def variant(self, form, code, entry, **more):
        (self.folder / "kernel.bin").write_bytes(code)
        (self.folder / "made.json").write_text(json.dumps({"name": "p", "entries": [entry], "variants": [{"format": form, "file": "kernel.bin", **more}]}))
        return "pack", "made.json", "-o", "made.pack"

    def test_variants_that_are_compiled_already(self):
        (self.folder / "k.c").write_text("void f(void) {}\nvoid h(void) {}\nstatic void hidden(void) {}\nvoid* use(void) { return hidden; }\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", "k.so", "k.c"], cwd=self.folder, check=True)
        shared = (self.folder / "k.so").read_bytes()
        module = struct.pack("<5I", 0x07230203, 0x10500, 0, 8, 0) + struct.pack("<4I", 4 << 16 | 15, 5, 1, 0x66)
        for form, code, names in (("so", shared, ["f", "h", "use"]), ("ptx", b".visible .entry f(\n.param .u64 f_param_0\n) { ret; }", ["f"]), ("spirv", module, ["f"])):
            with self.subTest(form):
                if form == "spirv":  # a header and an entry point are no whole module
                    self.refused(*self.variant(form, code, self.WRITES), code=FAILED, words=['Entry "f" of Variant spirv', "SPIR-V at word"])
                else:
                    self.command(*self.variant(form, code, self.WRITES))
                self.refused(*self.variant(form, code, "g(x: write i32[])"), code=FAILED, words=[f'Variant {form} has no entry "g"; it has ', *names])
        for parameters, words in ((".param .u32 f_0", ["(.u32, 4 bytes)"]), (".param .f64 f_0", ["(.f64, 8 bytes)"]), ("", ["(0) arguments"]),
                                  (".param .u64 .ptr .shared .align 4 f_0", ["local (.u64, 8 bytes)"])):
            self.refused(*self.variant("ptx", f".visible .entry f({parameters}) {{ ret; }}".encode(), self.WRITES), code=FAILED,
                         words=['Entry "f" of Variant ptx', *words])
        self.refused(*self.variant("spirv", module[:-2], self.WRITES), code=FAILED, words=["Variant spirv", "no SPIR-V"])
        self.refused(*self.variant("c", b"void f(", self.WRITES), code=FAILED, words=["Variant c", "error: expected"])

    def test_what_nothing_here_reads_is_said(self):
        result = self.command(*self.variant("metallib", b"anything", self.WRITES))
        words = 'Variant metallib is packed unread: Nothing here reads the format "metallib".'
        self.assertIn(words, result.stderr)
        self.assertIn("not read: Variant metallib: ", result.stdout)
        (unread,) = self.json(*self.variant("metallib", b"anything", self.WRITES))["not_read"]
        self.assertEqual(unread["code"], "Variant metallib")
        (self.folder / "k.comp").write_text(GLSL)
        result = self.command("pack", "k.comp", "--format", "glsl", "--entry", GLSL_ENTRIES[0], "-o", "made.pack", environment={"PATH": "/nowhere"})
        self.assertIn('Source "k.comp" is packed unread: No compiler of GLSL is found (tried glslc).', result.stderr)

    def test_the_compilers_words_do_not_steer_the_terminal(self):
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "clang-19").write_text('#!/bin/sh\nprintf "k.cl:1:1: error: \\033[2J\\n"\nexit 1\n')
        (tools / "clang-19").chmod(0o755)
        (self.folder / "k.cl").write_text(self.KERNEL)
        shown = self.shown("pack", "k.cl", "--entry", self.WRITES, "--format", "so", "-o", "made.pack", environment={"PATH": f"{tools}:/nowhere"})
        self.assertIn(b"error: \\x1b[2J", shown)
        self.assertNotIn(b"\x1b", shown)

    def test_a_compiler_that_crashes_is_no_crash_of_ours(self):
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "clang-19").write_text('#!/bin/sh\ncase "$*" in *pass-plugin*) kill -SEGV $$;; esac\nexec /usr/bin/clang-19 "$@"\n')
        (tools / "clang-19").chmod(0o755)
        (self.folder / "k.cl").write_text(self.KERNEL)
        self.refused("pack", "k.cl", "--entry", self.WRITES, "--format", "so", "-o", "made.pack", code=FAILED,
                     words=["clang-19 ends by"], environment={"PATH": f"{tools}:/nowhere"})


@unittest.skipUnless(CLANG, "clang 19 or later is not installed")
class Signatures(CompilersCase):
    """Declared entries beside what the code says of itself."""

    TEXT = """
    typedef struct { float x; int y; } pair;
    kernel void f(float a, global const float* x, global float* y, int n) { global float* z = y + n; *z += a * x[n]; }
    kernel void c(global const float* from, global float* to, constant uint* all) { to[0] = from[0] + all[0]; }
    kernel void v(global float4* x, float2 a) { x[0].xy += a; }
    kernel void s(global pair* x, pair a) { x[0] = a; }
    kernel void i(global float* y, read_only image2d_t x) { y[0] = get_image_width(x); }
    kernel void l(local float* t, global float* y) { t[0] = y[0]; barrier(1); y[1] = t[0]; }
    kernel void n(global int* x) { atomic_inc(x); }
    kernel __attribute__((reqd_work_group_size(8, 4, 1))) void g(global int* x) { x[get_global_id(0)] = 1; }
    """

    def test_what_differs_is_refused_with_both_sides(self):
        for entry, *words in (
                ("f(a: i32, x: read f32[], y: read_write f32[], n: i32)", "by value (float)", '"a", declared as a scalar (i32)'),
                ("f(a: f64, x: read f32[], y: read_write f32[], n: i32)", "scalar (f64)"),
                ("f(a: f32, x: read f32[], y: read_write f32[], n: u32)", "by value (int)", "scalar (u32)"),
                ("f(a: f32, x: read i32[], y: read_write f32[], n: i32)", "global (float*)", "buffer (read i32[])"),
                ("f(a: f32, x: read_write f32[], y: read_write f32[], n: i32)", "pointer to const", '"x", declared (read_write)'),
                ("f(a: f32, x: read f32[], y: read f32[], n: i32)", "writes through", '"y", declared (read)'),
                ("f(a: f32, x: read f32[], y: write f32[], n: i32)", "reads through", '"y", declared (write)'),
                ("f(n: f32, x: read f32[], y: read_write f32[], a: i32)", 'argument "a" where the parameter "n"'),
                ("f(a: f32, y: read f32[], x: read_write f32[], n: i32)", 'argument "x" where the parameter "y"'),
                ("f(a: f32, x: read f32[], y: read_write f32[])", "(4) arguments", "(3) parameters"),
                ("v(x: read_write f32[], a: u64)", "float2", "scalar (u64)"),
                ("s(x: write u8[], a: u64)", "by value (pair, 8 bytes)", "scalar (u64)"),
                ("i(y: write f32[], x: read f32[])", "image2d_t", "buffer (read f32[])"),
                ("i(y: write f32[], x: write image2d)", "(read) image2d_t", '"x", declared (write)'),
                ("i(y: write f32[], x: read image3d)", "image2d_t", "read image3d"),
                ("n(x: read i32[])", "writes through"), ("n(x: write i32[])", "reads through"),
                ("g(x: write i32[]) group 32", "(8,4,1)", "(32,1,1)")):
            with self.subTest(entry):
                name = entry.split("(")[0]
                self.refuse("k.cl", self.TEXT, entry, words=[f'Entry "{name}" of Source "k.cl"', *words], options=("--format", "opencl_c"))

    def test_what_agrees_is_packed(self):
        for entry in ("f(a: f32, x: read f32[], y: read_write f32[], n: i32)", "f(p: f32, q: read f32[], r: read_write f32[], s: i32)",
                      "c(from: read u8[], to: write f32[], all: read u32[])", "n(x: read_write i32[])", "i(y: write f32[], x: read image2d r8)",
                      "g(x: write i32[]) group 8,4"):
            self.build("k.cl", self.TEXT, entry, options=("--format", "opencl_c"))

    def test_without_entries_the_source_says_them(self):
        text = self.TEXT.replace("kernel void v", "void v").replace("kernel void s(", "void s(").replace("kernel void i(", "void i(").replace("kernel void l(", "void l(")
        document = self.build("k.cl", text.replace("read_only image2d_t x", "float x").replace("get_image_width(x)", "x").replace("local float* t", "float* t")
                              .replace("barrier(1);", ""), options=("--format", "opencl_c"))
        signatures = [entry["signature"] for entry in document["variants"][0]["entries"]]
        self.assertEqual(signatures, ["f(a: f32, x: read f32[], y: read_write f32[], n: i32) group 64",
                                      "c(from: read f32[], to: write f32[], all: read u32[]) group 64",
                                      "n(x: read_write i32[]) group 64", "g(x: write i32[]) group 8,4"])
        alone = "\n".join(line for line in self.TEXT.splitlines() if "typedef" in line or "void i(" in line).replace("image2d_t", "image2d_array_t")
        (self.folder / "one.cl").write_text(alone)
        self.refused("pack", "one.cl", "-o", "one.pack", code=INVALID, words=['Kernel "i"', '"x"', "image2d_array_t", "no signature can have"])

    def test_a_kernel_that_casts_const_away_has_no_signature(self):
        (self.folder / "cast.cl").write_text("kernel void f(global const int* x) { ((global int*)x)[get_global_id(0)] = 1; }\n")
        self.refused("pack", "cast.cl", "-o", "cast.pack", code=INVALID, words=['Kernel "f"', '"x"', "written although it is constant"])

    def test_c_with_typed_arguments(self):
        code = "void f(const pintle_group* g, float a, const float* x, int32_t* y) { (void)g; y[0] = (int32_t)(a * x[0]); }\n"
        self.build("k.c", code, "f(a: f32, x: read f32[], y: write i32[])")
        self.write_npy("x.npy", "<f4", (1,), [4.0])
        self.run_cpu("f", "--arg", "a=2.5", "--arg", "x=x.npy", "--out", "y=i32[1]:y.npy")
        self.assertEqual(self.read_npy("y.npy")[2], [10])
        for entry in ("f(a: f64, x: read f32[], y: write i32[])", "f(a: f32, x: read f32[], y: write f32[])", "f(a: f32)"):
            self.refuse("k.c", code, entry, words=["incompatible", "int32_t"])

    def test_formats_and_endings_that_are_not_known(self):
        (self.folder / "k.cl").write_text(self.TEXT)
        self.refused("pack", "k.cl", "--format", "spriv", "-o", "out.pack", code=FAILED, words=['"spriv" is not known', 'Did you mean "spirv"?'])
        (self.folder / "kernel.bin").write_bytes(b"code")
        (self.folder / "made.json").write_text(json.dumps({"name": "p", "entries": ["f()"], "variants": [{"format": "spriv", "file": "kernel.bin"}]}))
        self.refused("pack", "made.json", "-o", "out.pack", code=FAILED, words=['"spriv"', 'Did you mean "spirv"?'])
        for name, *words in (("k.cu", "Compile it to PTX"), ("k.metal", '".metal"'), ("k.txt", ".json")):
            (self.folder / name).write_text("__global__ void f() {}")
            self.refused("pack", name, "-o", "out.pack", code=INVALID, words=[f'"{name}"', "no source", *words])


class Everywhere(CompilersCase):
    """One pack of two sources, run on every device that takes one of its formats."""

    SAXPY_GLSL = """#version 450
    layout(local_size_x = PINTLE_GROUP_X) in;
    layout(push_constant) uniform Scalars { float a; uint n; };
    layout(set = 0, binding = 0) readonly buffer X { float x[]; };
    layout(set = 0, binding = 1) buffer Y { float y[]; };
    void main() {
      const uint i = gl_GlobalInvocationID.x;
      if (i < n) y[i] = a * x[i] + y[i];
    }
    """

    def test_every_device_computes_the_same(self):
        (self.folder / "saxpy.cl").write_text(SAXPY_CL)
        (self.folder / "saxpy.comp").write_text(self.SAXPY_GLSL)
        made = self.json("pack", "saxpy.cl", "saxpy.comp", "--entry", SAXPY, "-o", "saxpy.pack")
        formats = {variant["format"] for variant in made["variants"]}
        self.assertLessEqual({"so", "opencl_c", "glsl"}, formats)
        self.write_npy("x.npy", "<f4", (300,), [float(i) for i in range(300)])
        self.write_npy("y.npy", "<f4", (300,), [1.0] * 300)
        ran = []
        for device in self.json("devices")["devices"]:
            executes = any(row["feature"] == "execution" and row["support"] != "absent" for row in device["capabilities"])
            if not executes or not formats & set(device["formats"]):
                continue
            with self.subTest(device["id"]):
                self.command("run", "saxpy.pack", "--entry", "saxpy", "--device", device["id"], "--items", "290", "--arg", "a=2.5", "--arg", "n=290",
                             "--arg", "x=x.npy", "--arg", "y=y.npy", "--out", "y=f32[300]:result.npy")
                self.assertEqual(self.read_npy("result.npy")[2], [2.5 * i + 1 if i < 290 else 1 for i in range(300)])
                ran.append(device["id"])
        self.assertIn("cpu", ran)


class Descriptions(CompilersCase):
    """Sources in a pack.json."""

    def describe(self, **description):
        (self.folder / "pack.json").write_text(json.dumps({"name": "p", **description}))
        (self.folder / "p.cl").write_text(SAXPY_CL)

    def test_sources_stand_beside_variants(self):
        (self.folder / "p.c").write_text("void saxpy(const pintle_group* group, void* const* arguments) { (void)group; (void)arguments; }")
        other = SAXPY.replace("group 64", "group 256")
        self.describe(entries=[SAXPY], variants=[{"format": "c", "file": "p.c", "entries": [other]}],
                      sources=[{"file": "p.cl", "formats": ["opencl_c", "so"]}])
        document = self.json("pack", ".", "-o", "out.pack")
        self.assertEqual([kind[0] for kind in self.kinds(document)], ["c", *["so"] * len(CPU_TARGETS), "opencl_c"])
        self.assertEqual([variant["entries"][0]["group_size"][0] for variant in document["variants"]], [256, *[64] * len(CPU_TARGETS), 64])
        narrowed = self.json("pack", "pack.json", "--format", "c", "-o", "c.pack")
        self.assertEqual(self.kinds(narrowed), [("c", "")])

    def test_a_folder_opens_without_compilers(self):
        self.describe(entries=[SAXPY], sources=[{"file": "p.cl"}])
        self.assertEqual(self.kinds(self.json("pack", "--list", ".", environment={"PATH": "/nowhere"})), [("opencl_c", "")])
        self.describe(entries=[SAXPY], sources=[{"file": "p.cl", "formats": ["ptx"]}])
        self.refused("pack", "--list", ".", code=INVALID, words=["no variants"])

    def test_bad_sources_are_refused_by_place(self):
        for sources, words in (([{"file": "p.txt"}], ["$.sources[0].file", ".cl"]), ([{"file": "../p.cl"}], ["$.sources[0].file"]),
                               ([{"file": "p.cl", "formats": []}], ["$.sources[0].formats"]), ([{"file": "p.cl", "kind": 1}], ["kind"]),
                               ([{"file": "p.cl", "formats": ["spirv"]}], ['"spirv"', "so, opencl_c, spirv_opencl, ptx, amdgcn"]),
                               ([{"file": "p.cl", "entries": []}], ["p.cl", "no entries"]),
                               ([{"file": "p.cl"}, {"file": "p.cl"}], ["second variant"])):
            with self.subTest(sources):
                self.describe(entries=[SAXPY], sources=sources)
                self.refused("pack", ".", "-o", "out.pack", code=INVALID, words=words)
        self.describe(entries=[SAXPY], sources=[{"file": "none.cl"}])
        self.refused("pack", ".", "-o", "out.pack", code=IO, words=["none.cl", "$.sources[0].file"])

    def test_sources_on_the_command_line_need_entries(self):
        self.describe(entries=[SAXPY], sources=[{"file": "p.cl"}])
        (self.folder / "p.c").write_text("void f(const pintle_group* g) { (void)g; }")
        self.refused("pack", "p.c", "-o", "out.pack", code=INVALID, words=["--entry", "p.c"])
        self.refused("pack", "p.cl", "--entry", "f(x: f33)", "-o", "out.pack", code=INVALID, words=["f33"])
        self.refused("pack", "p.cl", "pack.json", "--entry", SAXPY, "-o", "out.pack", code=INVALID, words=["pack.json"])
        self.refused("pack", "pack.json", "--entry", SAXPY, "-o", "out.pack", code=INVALID, words=["--entry"])
        self.refused("pack", "none.cl", "--entry", SAXPY, "-o", "out.pack", code=IO, words=["none.cl"])
        self.assertEqual(self.json("pack", "p.cl", "--entry", SAXPY, "--name", "other", "--format", "opencl_c", "-o", "out.pack")["name"], "other")


def words_of(code):
    return struct.unpack(f"<{len(code) // 4}I", code)


def modules_of(code):
    """The modules that stand back to back: each runs until an instruction would be the next one's magic number."""
    words, found = words_of(code), []
    at = 0
    while at < len(words):
        start, at = at, at + 5
        while at < len(words) and words[at] != 0x07230203:
            at += words[at] >> 16
        found.append(words[start:at])
    return found


def instructions(words, opcode):
    at = 5
    while at < len(words):
        if words[at] & 0xffff == opcode:
            yield words[at:at + (words[at] >> 16)]
        at += words[at] >> 16


def text_at(words):
    return struct.pack(f"<{len(words)}I", *words).split(b"\0")[0].decode()


def entry_points(words, model=5):
    return [text_at(instruction[3:]) for instruction in instructions(words, 15) if instruction[1] == model]


class Shaders(CompilersCase):
    """GLSL and HLSL as modules of SPIR-V."""

    def expect_modules(self, code, expected):
        modules = modules_of(code)
        found = [(entry_points(module), [tuple(i[3:]) for i in instructions(module, 16) if i[2] == 17]) for module in modules]
        self.assertEqual(found, [([name], [size]) for name, size in expected])
        for module in modules:
            self.assertLessEqual(module[1], 0x00010500)  # SPIR-V 1.5
            (self.folder / "module.spv").write_bytes(struct.pack(f"<{len(module)}I", *module))
            subprocess.run(["spirv-val", "--target-env", "vulkan1.2", "module.spv"], cwd=self.folder, check=True)
        return modules

    @needs_glslc
    def test_each_entry_of_glsl_is_a_module(self):
        document = self.build("p.comp", GLSL, *GLSL_ENTRIES)
        self.assertEqual((self.kinds(document), document["not_built"]), ([("spirv", ""), ("glsl", "")], []))
        self.assertEqual(self.code_of(1).decode(), GLSL)
        first, _ = self.expect_modules(self.code_of(0), [("first_entry", (64, 1, 1)), ("b", (4, 2, 1))])
        names = [text_at(instruction[2:]) for instruction in instructions(first, 5)]
        self.assertIn("step", names)  # specialisation constants are found by name

    @needs_glslc
    def test_broken_glsl_names_line_and_entry(self):
        self.refuse("p.glsl", GLSL.replace("= gl_WorkGroupSize.x", "= nothing"), *GLSL_ENTRIES, words=["p.glsl:8: error: 'nothing'", '"b"'])
        self.refuse("p.glsl", GLSL, GLSL_ENTRIES[0], "c(data: write u32[])", words=['no entry "c"; it has first_entry, b.'])

    @needs_glslc
    def test_the_demos_kernels_are_valid(self):
        document = self.json("pack", KERNELS, "--format", "spirv", "-o", "out.pack")
        self.assertEqual(self.kinds(document), [("spirv", "")])
        self.expect_modules(self.code_of(0), [(name, (16, 16, 1)) for name in ("draw", "blur", "sobel")])

    @needs_clang_22
    def test_each_entry_of_hlsl_is_a_module(self):
        if not shutil.which("spirv-val"):
            self.skipTest("spirv-val is not installed")
        document = self.build("p.hlsl", HLSL, "add(data: read_write u32[], n: u32) group 64", "twice(data: read_write u32[], n: u32) group 8,4")
        self.assertEqual((self.kinds(document), document["not_built"]), ([("spirv", "")], []))
        self.expect_modules(self.code_of(0), [("add", (64, 1, 1)), ("twice", (8, 4, 1))])
        (self.folder / "temporary").mkdir()
        refused = self.refused("pack", "p.hlsl", "--entry", "none(n: u32)", "-o", "none.pack", code=FAILED,
                               words=['no entry "none"; it has add, twice.'],
                               environment={"TMPDIR": str(self.folder / "temporary")})
        self.assertIn("p.hlsl", refused.stderr)
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])  # a compiler that crashes leaves nothing either


if __name__ == "__main__":
    unittest.main()
