"""`pintle pack x.slang`: signatures from Slang's own reflection, SPIR-V for Vulkan, WGSL for WebGPU, a shared object for the cpu; and `best` for a pack."""

import json
import os
import shutil
import struct
import subprocess
import unittest
from pathlib import Path

from harness import BUILD_FAILED, FAILED, INVALID, UNAVAILABLE, CommandCase

VENV = Path(__file__).resolve().parents[2] / "build" / "venv"
LIBRARY = os.environ.get("PINTLE_SLANG") or next(map(str, VENV.glob("lib/python3*/site-packages/slangpy/libslang-compiler.so*")), "")
needs_slang = unittest.skipUnless(LIBRARY, "the wheel slangpy is not installed (./dev setup slang)")
SAXPY = """
[shader("compute")] [numthreads(64, 1, 1)]
void saxpy(uint3 at : SV_DispatchThreadID, uniform float a, uniform StructuredBuffer<float> x, uniform RWStructuredBuffer<float> y,
           uniform uint n) {
  if (at.x < n) y[at.x] += a * x[at.x];
}
"""
SUMS = """
groupshared float tile[64];
groupshared Atomic<uint> seen;
[shader("compute")] [numthreads(16, 4, 1)]
void sums(uint3 at : SV_DispatchThreadID, uint item : SV_GroupIndex, uint3 group : SV_GroupID, uniform StructuredBuffer<float> from,
          uniform RWStructuredBuffer<float> to, uniform RWStructuredBuffer<Atomic<uint>> count) {
  if (item == 0) seen.store(0);
  tile[item] = from[group.x * 64 + item];
  GroupMemoryBarrierWithGroupSync();
  seen.add(1);
  for (uint step = 32; step > 0; step /= 2) {
    if (item < step) tile[item] += tile[item + step];
    GroupMemoryBarrierWithGroupSync();
  }
  if (item == 0) { to[group.x] = tile[0]; count[0].add(seen.load()); }
}
"""
GLOBALS = """
struct Scalars { uint n; float a; };
[[vk::push_constant]] ConstantBuffer<Scalars> scalars;
StructuredBuffer<float4> from;
RWStructuredBuffer<float> unused;
[shader("compute")] [numthreads(64, 1, 1)]
void lengths(uint3 at : SV_DispatchThreadID, uniform RWStructuredBuffer<float> to) {
  if (at.x < scalars.n) to[at.x] = scalars.a * length(from[at.x].xy) + from[at.x].z;
}
"""
IMAGES = """
Sampler2D<float4> both;
Texture2D<float> from;
SamplerState smooth;
RWTexture3D<uint> cells;
[shader("compute")] [numthreads(8, 8, 1)]
void look(uint3 at : SV_DispatchThreadID, uniform RWStructuredBuffer<float4> out) {
  cells[at] = 3;
  out[0] = both.SampleLevel(float2(0.5), 0) + from.SampleLevel(smooth, float2(0.5), 0);
}
"""


@needs_slang
class SlangCase(CommandCase):
    def command(self, *arguments, environment=None, **options):
        # AddressSanitizer opens a library's libraries itself, and so does not look into the folder of that library.
        slang = {"PINTLE_SLANG": LIBRARY, "LD_LIBRARY_PATH": str(Path(LIBRARY).parent)}
        return super().command(*arguments, environment=slang | (environment or {}), **options)

    def build(self, text, *options, name="x.slang", **more):
        (self.folder / name).write_text(text)
        return self.json("pack", name, *options, "-o", "x.pack", **more)

    def devices(self):
        """The cpu, and every device of Vulkan and WebGPU that is here."""
        return ["cpu", "cpu?inline", *(row["id"] for row in self.json("devices")["devices"] if row["backend"] in ("vulkan", "webgpu"))]

    def floats(self, name, values):
        self.write_npy(name, "<f4", (len(values),), list(values))
        return name


def npy_floats(file, count, form="f"):
    return list(struct.unpack(f"<{count}{form}", file.read_bytes()[-4 * count:]))


class Signatures(SlangCase):
    def signatures(self, text, *options):
        document = self.build(text, *options)
        self.assertEqual([variant["format"] for variant in document["variants"]], ["so", "spirv", "wgsl"])
        return [entry["signature"] for entry in document["variants"][0]["entries"]]

    def test_names_types_accesses_and_the_group_are_the_sources(self):
        self.assertEqual(self.signatures(SAXPY), ["saxpy(a: f32, x: read f32[], y: read_write f32[], n: u32) group 64"])

    def test_what_an_entry_uses_of_the_module_comes_first(self):
        self.assertEqual(self.signatures(GLOBALS), ["lengths(n: u32, a: f32, from: read f32[], to: read_write f32[]) group 64"])

    def test_each_entry_has_its_own(self):
        self.assertEqual(self.signatures(SAXPY + SUMS), [
            "saxpy(a: f32, x: read f32[], y: read_write f32[], n: u32) group 64",
            "sums(from: read f32[], to: read_write f32[], count: read_write u32[]) group 16,4"])

    def test_images_and_samplers_are_for_vulkan(self):
        (self.folder / "x.slang").write_text(IMAGES)
        declared = self.json("pack", "x.slang", "-o", "x.pack")
        found = ("look(both: read image2d sampled, from: read image2d, smooth: sampler, cells: read_write image3d r32ui, "
                 "out: read_write f32[]) group 8,8")
        self.assertEqual([(each["format"], each["entries"][0]["signature"]) for each in declared["variants"]], [("spirv", found)])
        self.assertIn("wgsl", [each["format"] for each in declared["not_built"]])
        written = found.replace("read_write image3d r32ui", "write image3d")
        self.command("pack", "x.slang", "--format", "spirv", "--entry", written, "-o", "x.pack")
        for wrong in (found.replace("r32ui", "r32i"), found.replace("smooth: sampler", "smooth: u32"), found.replace("image2d,", "image3d,"),
                      found.replace(" sampled", "")):
            self.refused("pack", "x.slang", "--format", "spirv", "--entry", wrong, "-o", "x.pack", code=FAILED, words=[wrong, found])
        self.refused("pack", "x.slang", "--format", "so", "-o", "x.pack", code=BUILD_FAILED, words=['"both"', "an image", "the cpu"])

    def test_a_declaration_may_say_write_for_read_write(self):
        declared = "sums(from: read f32[], to: write f32[], count: read_write u32[]) group 16,4"
        self.assertEqual(self.signatures(SUMS, "--entry", declared), [declared])

    def test_a_difference_is_refused_with_both_sides(self):
        (self.folder / "x.slang").write_text(SAXPY)
        found = "saxpy(a: f32, x: read f32[], y: read_write f32[], n: u32) group 64"
        for wrong in ("saxpy(a: f64, x: read f32[], y: read_write f32[], n: u32) group 64",
                      "saxpy(a: f32, x: write f32[], y: read_write f32[], n: u32) group 64",
                      "saxpy(a: f32, x: read f32[], y: read_write f32[]) group 64",
                      "saxpy(b: f32, x: read f32[], y: read_write f32[], n: u32) group 64",
                      "saxpy(a: f32, x: read f32[], y: read_write f32[], n: u32) group 32"):
            self.refused("pack", "x.slang", "--entry", wrong, "-o", "x.pack", code=FAILED, words=[wrong, found])
        self.refused("pack", "x.slang", "--entry", "blur()", "-o", "x.pack", code=FAILED, words=['"blur"', "it has saxpy"])

    def test_what_cannot_be_passed_is_named(self):
        for parameter, words in (("uniform float3 v", ["\"v\"", "a vector by value"]), ("uniform bool v", ["\"v\"", "bool"]),
                                 ("uniform StructuredBuffer<float3> v", ["\"v\"", "vectors of 3"]),
                                 ("uniform Texture2DArray<float> v", ["\"v\"", "texture2D with layers"]),
                                 ("uniform RWTexture1D<float> v", ["\"v\"", "texture1D"])):
            text = SAXPY.replace("uniform uint n", f"uniform uint n, {parameter}")
            (self.folder / "x.slang").write_text(text)
            self.refused("pack", "x.slang", "-o", "x.pack", code=INVALID, words=words)
        (self.folder / "x.slang").write_text("uniform uint limit;\n" + SAXPY.replace("at.x < n", "at.x < limit"))
        self.refused("pack", "x.slang", "-o", "x.pack", code=INVALID, words=["\"limit\"", "push_constant"])

    def test_the_signature_serves_a_source_that_has_none(self):
        (self.folder / "y.cl").write_text("kernel void saxpy(float a, global const float* x, global float* y, uint n) {\n"
                                          "  if (get_global_id(0) < n) y[get_global_id(0)] += a * x[get_global_id(0)];\n}\n")
        document = self.build(SAXPY, "y.cl", "--format", "spirv", "--format", "opencl_c")
        self.assertEqual({variant["format"] for variant in document["variants"]}, {"spirv", "opencl_c"})


class Runs(SlangCase):
    def test_saxpy_on_every_device(self):
        self.build(SAXPY)
        self.floats("x.npy", range(100))
        for device in self.devices():
            self.command("run", "x.pack", "--entry", "saxpy", "--device", device, "--items", "100", "--arg", "a=2", "--arg", "n=90",
                         "--arg", "x=x.npy", "--arg", "y=x.npy", "--out", "y=f32[100]:out.npy")
            self.assertEqual(npy_floats(self.folder / "out.npy", 100), [3.0 * i if i < 90 else i for i in range(100)], device)

    def test_items_of_a_group_meet_and_share_memory(self):
        self.build(SUMS)
        values = [float(i % 17) for i in range(64 * 37)]
        self.floats("from.npy", values)
        for device in self.devices():
            self.command("run", "x.pack", "--entry", "sums", "--device", device, "--grid", "37", "--arg", "from=from.npy",
                         "--out", "to=f32[37]:to.npy", "--out", "count=u32[1]:count.npy")
            self.assertEqual(npy_floats(self.folder / "to.npy", 37), [sum(values[64 * i:64 * i + 64]) for i in range(37)], device)
            self.assertEqual(npy_floats(self.folder / "count.npy", 1, "I"), [64 * 37], device)

    def test_parameters_of_the_module(self):
        self.build(GLOBALS)
        self.floats("from.npy", [3.0, 4.0, 1.0, 9.0] * 70)
        for device in self.devices():
            self.command("run", "x.pack", "--entry", "lengths", "--device", device, "--items", "70", "--arg", "n=60", "--arg", "a=2",
                         "--arg", "from=from.npy", "--out", "to=f32[70]:to.npy")
            self.assertEqual(npy_floats(self.folder / "to.npy", 70), [11.0] * 60 + [0.0] * 10, device)


class Texts(SlangCase):
    def text(self, source):
        document = self.build(source, "--format", "wgsl")
        pack = (self.folder / "x.pack").read_bytes().decode(errors="replace")
        self.assertEqual([each["format"] for each in document["variants"]], ["wgsl"])
        return pack

    def test_the_bindings_are_in_the_signatures_order(self):
        text = self.text(GLOBALS)
        for number, name in enumerate(("var<storage, read> from_0_lengths", "var<storage, read_write> entryPointParams_to_0_lengths",
                                       "var<uniform> scalars_0_lengths")):
            self.assertIn(f"@binding({number}) @group(0) {name}", text)

    def test_several_entries_are_one_text(self):
        text = self.text(SAXPY + SUMS)
        for name in ("fn saxpy(", "fn sums("):
            self.assertEqual(text.count(name), 1)

    def test_a_type_that_wgsl_lacks_costs_only_this_format(self):
        document = self.build(SAXPY.replace("float", "double"))
        self.assertEqual([variant["format"] for variant in document["variants"]], ["so", "spirv"])
        self.assertEqual([each["format"] for each in document["not_built"]], ["wgsl"])
        self.assertIn("f64, a type that WGSL does not have", document["not_built"][0]["reason"])

    def test_what_slang_does_not_write_as_wgsl_costs_only_this_format(self):
        document = self.build(SAXPY.replace("if (at.x", "uint seen; InterlockedAdd(count[0], 1, seen); if (seen").replace(
            "uniform uint n", "uniform uint n, uniform RWStructuredBuffer<uint> count"))
        self.assertEqual([each["format"] for each in document["not_built"]], ["wgsl"])
        self.assertIn("E36107", document["not_built"][0]["reason"])


class Modules(SlangCase):
    @unittest.skipUnless(shutil.which("spirv-val"), "spirv-val is not installed")
    def test_spirv_is_valid(self):
        for text in (SAXPY, SUMS, GLOBALS):
            document = self.build(text, "--format", "spirv")
            pack = (self.folder / "x.pack").read_bytes()
            at = pack.index(b"\x03\x02\x23\x07")
            (self.folder / "x.spv").write_bytes(pack[at:at + document["variants"][0]["code_bytes"]])
            subprocess.run(["spirv-val", "--target-env", "vulkan1.2", self.folder / "x.spv"], check=True)


class Refusals(SlangCase):
    def test_the_compilers_words_are_shown(self):
        (self.folder / "x.slang").write_text(SAXPY.replace("y[at.x] +=", "undeclared[at.x] +="))
        self.refused("pack", "x.slang", "-o", "x.pack", code=BUILD_FAILED, words=["x.slang", "undeclared"])

    def test_a_source_without_entries(self):
        (self.folder / "x.slang").write_text("float twice(float x) { return 2 * x; }\n")
        self.refused("pack", "x.slang", "-o", "x.pack", code=BUILD_FAILED, words=["no exported symbols"])

    def test_the_size_of_a_buffer_is_not_known_on_the_cpu(self):
        text = SAXPY.replace("at.x < n", "at.x < size(x)") + "uint size(StructuredBuffer<float> x) { uint n, s; x.GetDimensions(n, s); return n; }\n"
        document = self.build(text)
        self.assertEqual([variant["format"] for variant in document["variants"]], ["spirv", "wgsl"])
        self.assertIn("GetDimensions", document["not_built"][0]["reason"])

    def test_a_crash_of_the_compiler_is_an_error(self):
        """A library that crashes when it is opened."""
        source = self.folder / "crash.c"
        source.write_text("#include <signal.h>\n__attribute__((constructor)) static void crash(void) { raise(SIGABRT); }\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.folder / "libcrash.so", source], check=True)
        (self.folder / "x.slang").write_text(SAXPY)
        self.refused("pack", "x.slang", "-o", "x.pack", code=BUILD_FAILED, words=["signal 6"],
                     environment={"PINTLE_SLANG": f"{self.folder}/libcrash.so"})


class WithoutSlang(CommandCase):
    def test_what_is_missing_is_named(self):
        (self.folder / "x.slang").write_text(SAXPY)
        for library in ("/nowhere/libslang-compiler.so", "/lib/x86_64-linux-gnu/libm.so.6"):
            self.refused("pack", "x.slang", "-o", "x.pack", code=UNAVAILABLE, words=["PINTLE_SLANG", "slangpy"],
                         environment={"PINTLE_SLANG": library})


class Best(CommandCase):
    """`best` for a pack is the best device that takes it."""

    def pack_as(self, form, code):
        (self.folder / "p.json").write_text(json.dumps({"name": "p", "entries": ["p(x: read_write u32[])"],
                                                        "variants": [{"format": form, "file": "p.code"}]}))
        (self.folder / "p.code").write_text(code)
        self.command("pack", "p.json", "-o", "p.pack")

    def test_the_cpu_takes_c(self):
        self.pack_as("c", "void p(const pintle_group* group, void* const* arguments) { *(uint32_t*)arguments[0] = 7; }\n")
        ran = self.json("run", "p.pack", "--entry", "p", "--grid", "1", "--out", "x=u32[1]:x.npy")
        self.assertEqual(ran["device"], "cpu")

    def test_where_no_device_takes_it_each_says_why(self):
        self.pack_as("ptx", ".version 7.0\n.target sm_90\n.address_size 64\n.visible .entry p(.param .u64 x) { ret; }\n")
        arguments = ["run", "p.pack", "--entry", "p", "--grid", "1", "--out", "x=u32[1]:x.npy"]
        self.refused(*arguments, code=UNAVAILABLE, words=["[cpu] takes no variant of [Program \"p\"]", "native, so, c", "ptx",
                                                          "[null] takes it, and is simulated"])
        self.refused(*arguments, "--device", "cpu", code=BUILD_FAILED, words=["on [cpu], which takes the formats native, so, c", "ptx"])
        self.refused(*arguments, code=UNAVAILABLE, words=["[cpu] takes no variant", "PINTLE_DEVICE"], environment={"PINTLE_DEVICE": "cpu"})


if __name__ == "__main__":
    unittest.main()
