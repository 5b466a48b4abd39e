"""New kinds of parameters: what `pintle pack` infers and compares, and how `pintle run` gives them."""

import json
import unittest

from compilers_test import CLANG, CompilersCase
from harness import FAILED, INVALID, USAGE

TEXT = """
typedef struct { float x; int y; } pair;
struct inner { uchar a[2]; float3 v; };
typedef struct camera { float4 eye; struct inner in; ulong n; } camera;
typedef struct { union { int i; float f; } u; short s; } odd;
typedef enum { first, second } order;
typedef float real;
kernel void s(global pair* x, pair p, camera cam, odd o) { x[0] = p; x[1].x = cam.eye.x + o.u.f; }
kernel void v(global float4* x, float2 a, uchar3 b, real r, order e, constant int* c) { x[0].xy += a * r; x[0].z = b.x + c[e]; }
kernel void t(global int* x, local int* a, local float4* b) { a[0] = x[0]; b[0] = x[1]; barrier(1); x[0] = a[1] + b[1].x; }
kernel __attribute__((reqd_work_group_size(8, 4, 1))) __attribute__((intel_reqd_sub_group_size(16))) void g(global int* x) { x[0] = 1; }
"""
SIGNATURES = [
    "s(x: write u8[], p: { x: f32 at 0, y: i32 at 4 }, cam: { eye: f32x4 at 0, in_a_0: u8 at 16, in_a_1: u8 at 17, in_v: f32x3 at 32, n: u64 at 48 }, "
    "o: bytes[8] align 4) group 64",
    "v(x: read_write f32[], a: f32x2, b: u8x3, r: f32, e: u32, c: read i32[]) group 64",
    "t(x: read_write i32[], a: local i32[], b: local f32[]) group 64",
    "g(x: write i32[]) group 8,4 subgroup 16"]


@unittest.skipUnless(CLANG, "clang 19 or later is not installed")
class Inferred(CompilersCase):
    def test_a_source_says_all_its_parameters(self):
        document = self.build("k.cl", TEXT, options=("--format", "opencl_c"))
        self.assertEqual([entry["signature"] for entry in document["variants"][0]["entries"]], SIGNATURES)
        text = self.command("pack", "--list", "out.pack").stdout
        for signature in SIGNATURES:
            self.assertIn("  " + signature, text)
        self.assertEqual(self.command("info", "out.pack").stdout, text)
        self.assertEqual(self.json("info", "out.pack"), self.json("pack", "--list", "out.pack"))
        kinds = [parameter["kind"] for parameter in document["variants"][0]["entries"][2]["parameters"]]
        self.assertEqual(kinds, ["buffer", "local", "local"])

    def test_vectors_of_three_lie_like_vectors_of_four(self):
        text = "kernel void f(global float3* x, global const float3* y) { x[get_global_id(0)] = y[0] * 2; }"
        document = self.build("k.cl", text, options=("--format", "opencl_c"))
        signature = "f(x: write f32x3[] align 16, y: read f32x3[] align 16) group 64"
        self.assertEqual([entry["signature"] for entry in document["variants"][0]["entries"]], [signature])
        self.build("k.cl", text, "f(x: write f32[], y: read f32[])", options=("--format", "opencl_c"))
        self.refuse("k.cl", text.replace("const float3*", "const float4*").replace("y[0]", "y[0].xyz"), signature, words=['"y"', "float4*", "read f32x3[]"],
                    options=("--format", "opencl_c"))

    def test_what_it_says_may_be_declared(self):
        for entry in (*SIGNATURES, "s(x: write u8[], p: { a: f32, b: i32 }, cam: bytes[64] align 16, o: bytes[8])",
                      "s(x: write u8[], p: bytes[8], cam: { a: f32x2, b: f32x2, c: u8x2 at 16, d: f32x3 at 32, e: u64 at 48 }, o: bytes[8] align 4)"):
            self.build("k.cl", TEXT, entry, options=("--format", "opencl_c"))

    def test_members_that_differ_are_refused_with_both_sides(self):
        entry = SIGNATURES[0]
        for old, new, words in (("y: i32 at 4", "y: f32 at 4", ["y: i32 at 4", "y: f32 at 4"]), ("x: f32 at 0, y: i32 at 4", "x: f32 at 0, y: i32 at 8", ["8 bytes"]),
                                ("in_v: f32x3 at 32", "in_v: f32x3 at 20", ["in_v: f32x3 at 32", "in_v: f32x3 at 20"]), ("o: bytes[8] align 4", "o: bytes[12]", ["8 bytes", "12"])):
            with self.subTest(new):
                self.refuse("k.cl", TEXT, entry.replace(old, new), words=['Entry "s" of Source "k.cl"', *words], options=("--format", "opencl_c"))

    def test_vectors_and_local_memory_that_differ(self):
        for entry, *words in (("v(x: read_write f32[], a: f32x4, b: u8x3, r: f32, e: u32, c: read i32[])", '"a"', "float2"),
                              ("v(x: read_write f32[], a: f32x2, b: i8x3, r: f32, e: u32, c: read i32[])", '"b"', "uchar3"),
                              ("t(x: read_write i32[], a: local f32[], b: local f32[])", '"a"', "local (int*)"),
                              ("t(x: read_write i32[], a: read_write i32[], b: local f32[])", '"a"', "local (int*)"),
                              ("t(x: local i32[], a: local i32[], b: local f32[])", '"x"', "global (int*)"),
                              ("g(x: write i32[]) group 8,4", "subgroups of (16)"), ("g(x: write i32[]) group 8,4 subgroup 8", "subgroups of (16)", "(8)")):
            with self.subTest(entry):
                self.refuse("k.cl", TEXT, entry, words=words, options=("--format", "opencl_c"))

    def test_images_and_samplers_come_from_the_source(self):
        (self.folder / "image.cl").write_text("kernel void i(read_only image2d_t in, sampler_t how, write_only image3d_t out, global float* x) {\n"
                                              "  write_imagef(out, (int4)(0), read_imagef(in, how, (float2)(x[0], x[1]))); }\n")
        result = self.command("pack", "image.cl", "-o", "image.pack", "--format", "opencl_c", "--json")
        self.assertEqual([entry["signature"] for entry in json.loads(result.stdout)["variants"][0]["entries"]],
                         ["i(in: read image2d, how: sampler, out: write image3d, x: read f32[]) group 64"])

    def test_texel_buffers_come_from_the_source(self):
        text = ("kernel void i(read_only image1d_buffer_t in, write_only image1d_buffer_t out, global float* x) {\n"
                "  write_imagef(out, 0, read_imagef(in, (int)x[0])); }\n")
        document = self.build("texels.cl", text, options=("--format", "opencl_c"))
        self.assertEqual([entry["signature"] for entry in document["variants"][0]["entries"]],
                         ["i(in: read texel_buffer, out: write texel_buffer, x: read f32[]) group 64"])
        self.build("texels.cl", text, "i(in: read texel_buffer rgba32f, out: write texel_buffer r8, x: read f32[])", options=("--format", "opencl_c"))
        for entry, *words in (("i(in: write texel_buffer, out: write texel_buffer, x: read f32[])", '"in"', "(read) image1d_buffer_t", "declared (write)"),
                              ("i(in: read image2d, out: write texel_buffer, x: read f32[])", '"in"', "image1d_buffer_t", "read image2d"),
                              ("i(in: read f32[], out: write texel_buffer, x: read f32[])", '"in"', "image1d_buffer_t", "buffer (read f32[])")):
            with self.subTest(entry):
                self.refuse("texels.cl", text, entry, words=words, options=("--format", "opencl_c"))

    def test_images_that_no_signature_can_have_are_named(self):
        for kernel, *words in (("kernel void i(read_only image2d_array_t picture, global int* x) { x[0] = get_image_width(picture); }", '"picture"', "image2d_array_t"),
                               ("kernel void i(global int* x, read_only image1d_t line) { x[0] = 1; }", '"line"', "image1d_t")):
            (self.folder / "one.cl").write_text(kernel)
            self.refused("pack", "one.cl", "-o", "one.pack", code=INVALID, words=['Kernel "i"', *words, "no signature can have"])

    def test_a_kernel_that_no_signature_can_have_costs_only_itself(self):
        (self.folder / "two.cl").write_text("kernel void i(read_only image2d_array_t picture, global int* x) { x[0] = get_image_width(picture); }\n"
                                            "kernel void g(global int* x) { x[0] = 1; }\n")
        result = self.command("pack", "two.cl", "-o", "two.pack", "--format", "opencl_c", "--json")
        document = json.loads(result.stdout)
        self.assertEqual([entry["name"] for entry in document["variants"][0]["entries"]], ["g"])
        self.assertEqual(len(document["left_out"]), 1)
        self.assertIn('Kernel "i" has the argument "picture"', document["left_out"][0])
        self.assertIn('not packed: Kernel "i"', result.stderr)

    def test_pointers_that_old_compilers_take_are_taken(self):
        (self.folder / "old.cl").write_text("kernel void g(global int* x) { global float* p = (global char*)x; p[0] = 1; }\n")
        self.command("pack", "old.cl", "-o", "old.pack", "--format", "so")


class Given(CompilersCase):
    """`pintle run` on the device `null`, which computes nothing and checks all."""

    ENTRY = "f(x: write i32[n], n: u32, v: f32x3, p: { a: f32, b: i32x2 }, o: bytes[8], h: f16, tile: local f32[]) group TILE=16"
    RIGHT = ["--arg", "n=4", "--arg", "v=1,2.5,-3", "--arg", "p.a=1", "--arg", "p.b=2,3", "--arg", "o=o.npy", "--arg", "h=0.5", "--arg", "tile=64"]

    def setUp(self):
        super().setUp()
        (self.folder / "k.txt").write_text("kernel void f() {}\n")
        (self.folder / "pack.json").write_text(json.dumps({"name": "p", "entries": [self.ENTRY], "variants": [{"format": "opencl_c", "file": "k.txt"}]}))
        self.write_npy("o.npy", "<u4", (2,), [1, 2])

    def run_null(self, *words, **more):
        return self.command("run", ".", "--entry", "f", "--device", "null", "--items", "64", "--out", "x=i32[4]:x.npy", *words, **more)

    def refuse_run(self, *arguments, words, code=INVALID):
        self.refused("run", ".", "--entry", "f", "--device", "null", "--items", "64", "--out", "x=i32[4]:x.npy", *arguments, code=code, words=words)

    def but(self, name, *instead):
        """The right arguments without those of one parameter."""
        pairs = list(zip(self.RIGHT[::2], self.RIGHT[1::2]))
        return [word for pair in pairs if not pair[1].startswith((name + "=", name + ".")) for word in pair] + list(instead)

    def test_values_and_local_memory(self):
        self.assertIn("4,1,1 work-groups", self.run_null(*self.RIGHT).stdout)
        self.write_npy("p.npy", "<f4", (4,), [1, 2, 3, 4])
        self.write_npy("v.npy", "<f4", (3,), [1, 2, 3])
        self.run_null(*self.but("p", "--arg", "p=p.npy"))
        self.run_null(*self.but("v", "--arg", "v=v.npy"))

    def test_what_does_not_fit_is_refused(self):
        for arguments, words in ((self.but("v", "--arg", "v=1,2"), ["3 numbers of dtype f32", "--arg v"]), (self.but("v", "--arg", "v=1,2,x"), ['"x"']), (self.but("v"), ["[v: f32x3]", "--arg v=1,2,"]),
                                 (self.but("p", "--arg", "p.a=1"), ['no value for its member "b"', "--arg p.b=number"]), (self.but("p", "--arg", "p.a=1", "--arg", "p.b=1"), ["2 numbers of dtype i32"]),
                                 ([*self.RIGHT, "--arg", "p.c=1"], ['no member "c"']), ([*self.RIGHT, "--arg", "p.a=1"], ["given twice"]), ([*self.RIGHT, "--arg", "p=o.npy"], ["whole and by its members"]),
                                 (self.but("p", "--arg", "p=o.npy"), ["takes 16 bytes", "holds 8"]), (self.but("o"), ["[o: bytes[8] align 4]", "--arg o=file.npy"]),
                                 (self.but("tile"), ["[tile: local f32[]]", "--arg tile=elements"]), (self.but("tile", "--arg", "tile=0"), ["a number of elements"]),
                                 ([*self.RIGHT, "--out", "tile=f32[4]:t.npy"], ["is no buffer"])):
            with self.subTest(words):
                self.refuse_run(*arguments, words=words)
        self.refuse_run("--arg", "p.=1", words=["NAME.MEMBER"], code=USAGE)

    def test_constants_have_dtypes(self):
        for value in ("8", "0x8", "8.0", "u8:8", "i64:8"):
            self.assertIn("8,1,1 work-groups", self.run_null(*self.RIGHT, "--constant", f"TILE={value}").stdout, value)
        for value in ("8.5", "0", "-1", "true", "f32:0.5", "f16:0.5"):
            self.refuse_run(*self.RIGHT, "--constant", f"TILE={value}", words=['"TILE"', "no whole number"])
        for value in ("x", "u8:300", "u9:1", "", "0x"):
            self.refuse_run(*self.RIGHT, "--constant", f"TILE={value}", words=["is not valid"], code=USAGE)

    def test_macros_have_names(self):
        self.run_null(*self.RIGHT, "-D", "A=1", "--define", "B", "-I", ".", "--language", "CL2.0")
        self.refuse_run(*self.RIGHT, "-D", "1A", words=["NAME or NAME=TEXT"], code=USAGE)


class Loaded(CompilersCase):
    """A constant and a variant that was compiled for another group."""

    def test_a_side_that_is_compiled_in(self):
        (self.folder / "k.txt").write_text("void f(void) {}\n")
        variants = [{"format": "ptx", "file": "k.txt", "entries": ["f() group 16"]}, {"format": "opencl_c", "file": "k.txt", "entries": ["f() group TILE=16"]}]
        (self.folder / "pack.json").write_text(json.dumps({"name": "p", "variants": variants}))
        words = ("run", ".", "--entry", "f", "--device", "null", "--items", "64")
        self.assertIn("4,1,1 work-groups", self.command(*words, "--constant", "TILE=16").stdout)
        self.assertIn("8,1,1 work-groups", self.command(*words, "--constant", "TILE=8").stdout)  # by the second variant
        (self.folder / "pack.json").write_text(json.dumps({"name": "p", "variants": variants[:1]}))
        self.command(*words)


if __name__ == "__main__":
    unittest.main()
