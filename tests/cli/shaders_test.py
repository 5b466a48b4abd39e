"""`pintle pack` with GLSL, HLSL and SPIR-V without --entry: what it takes from the code, and that it runs."""

import json
import shutil
import subprocess
import unittest
from pathlib import Path

from compilers_test import GLSL, HLSL, CompilersCase, needs_clang_22
from harness import BUILD_FAILED, FAILED, INVALID, IO, UNAVAILABLE

ROOT = Path(__file__).resolve().parents[2]
SAXPY = """#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Scalars { float a; uint n; };
layout(binding = 0) buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
void main() { const uint i = gl_GlobalInvocationID.x; if (i < n) y[i] = a * x[i] + y[i]; }
"""
SAXPY_SIGNATURE = "saxpy(x: read f32[], y: read_write f32[], a: f32, n: u32) group 64"
LINE = "layout(binding = 0, r32f) uniform image1D line;\nvoid main() { imageStore(line, 0, vec4(1)); }\n"


@unittest.skipUnless(shutil.which("glslc"), "glslc is not installed")
class ShadersCase(CompilersCase):
    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def module(self, name, text, target="vulkan1.2"):
        """Writes the SPIR-V of a source of GLSL."""
        self.write("source.comp", text)
        subprocess.run(["glslc", "-fshader-stage=compute", f"--target-env={target}", "source.comp", "-o", name], cwd=self.folder, check=True)
        return name

    def signatures(self, document):
        return [entry["signature"] for entry in document["variants"][0]["entries"]]

    def expect_round_trip(self, file, *options):
        """What is taken from the code can be declared, and gives the same pack."""
        signatures = self.signatures(self.json("pack", file, "--name", "p", *options, "-o", "taken.pack"))
        entries = [word for signature in signatures for word in ("--entry", signature)]
        self.command("pack", file, "--name", "p", *options, *entries, "-o", "declared.pack")
        self.assertEqual((self.folder / "taken.pack").read_bytes(), (self.folder / "declared.pack").read_bytes())
        return signatures


class Taken(ShadersCase):
    def test_glsl_goes_by_its_file(self):
        self.write("saxpy.comp", SAXPY)
        text = self.command("pack", "saxpy.comp", "-o", "out.pack").stdout
        self.assertEqual(text.count("  " + SAXPY_SIGNATURE + "\n"), 2)  # spirv and glsl
        self.assertEqual(self.expect_round_trip("saxpy.comp"), [SAXPY_SIGNATURE])

    def test_spirv_goes_by_its_file(self):
        self.module("saxpy.comp.spv", SAXPY)
        document = self.json("pack", "saxpy.comp.spv", "-o", "out.pack")
        self.assertEqual((document["name"], self.kinds(document), self.signatures(document)), ("saxpy", [("spirv", "")], [SAXPY_SIGNATURE]))
        self.assertEqual(self.code_of(0), (self.folder / "saxpy.comp.spv").read_bytes())
        self.expect_round_trip("saxpy.comp.spv")
        self.module("blur-3x3.spv", "#version 450\nlayout(local_size_x = 4, local_size_y = 2) in; void main() {}")
        self.assertEqual(self.expect_round_trip("blur-3x3.spv"), ["blur_3x3() group 4,2"])

    def test_spirv_may_be_declared(self):
        self.module("k.spv", SAXPY)
        other = "f(from: read u8[], to: read_write f32[], s: { a: f32, n: u32 }) group 64"
        self.assertEqual(self.signatures(self.json("pack", "k.spv", "--entry", other, "-o", "out.pack")), [other.replace("a: f32,", "a: f32 at 0,").replace("n: u32 }", "n: u32 at 4 }")])
        self.refused("pack", "k.spv", "--entry", "f(x: write f32[])", "-o", "no.pack", code=FAILED, words=['Entry "f" of Variant spirv'])

    def test_a_source_of_several_entries_names_them(self):
        self.write("k.comp", GLSL)
        self.assertEqual(self.expect_round_trip("k.comp"), ["first_entry(data: read_write u32[]) group 64", "b(data: write u32[]) group 64"])

    def test_a_module_of_several_entries(self):
        self.write("k.comp", GLSL)
        self.json("pack", "k.comp", "--format", "spirv", "-o", "out.pack")
        (self.folder / "k.spv").write_bytes(self.code_of(0))
        self.assertEqual(self.expect_round_trip("k.spv"), ["first_entry(data: read_write u32[]) group 64", "b(data: write u32[]) group 64"])

    def test_kernels_of_this_project(self):
        for file in ("tests/conformance/kernels/kernels.comp", "bench/kernels/kernels.comp", "bench/peers/kernels/peers.comp", "examples/demo/kernels/edges.comp"):
            with self.subTest(file):
                self.assertTrue(self.expect_round_trip(ROOT / file, "--format", "spirv"))
        for file in (ROOT / "tests/unit/data").glob("*.comp"):
            with self.subTest(file.name):
                self.assertEqual(self.expect_round_trip(file, "--format", "spirv"), self.expect_round_trip(file.with_suffix(".spv")))

    def test_the_first_source_that_tells_speaks_for_all(self):
        self.write("saxpy.comp", SAXPY)
        self.write("saxpy.c", "#include <stdint.h>\nvoid saxpy(const pintle_group* g, const float* x, float* y, float a, uint32_t n) { (void)g; y[0] = a * x[0] + n; }\n")
        document = self.json("pack", "saxpy.c", "saxpy.comp", "-o", "out.pack")
        self.assertEqual([(variant["format"], variant["entries"][0]["signature"]) for variant in document["variants"]],
                         [("c", SAXPY_SIGNATURE), ("spirv", SAXPY_SIGNATURE), ("glsl", SAXPY_SIGNATURE)])
        self.module("saxpy.spv", SAXPY)
        document = self.json("pack", "saxpy.c", "saxpy.spv", "-o", "out.pack")
        self.assertEqual(self.kinds(document), [("spirv", ""), ("c", "")])

    def test_macros_decide(self):
        self.write("k.comp", "#version 450\nlayout(local_size_x = SIDE) in;\nlayout(binding = 0) buffer Y { REAL y[]; };\nvoid main() { y[0] = REAL(1); }\n")
        self.assertEqual(self.expect_round_trip("k.comp", "-D", "SIDE=16", "-D", "REAL=int"), ["k(y: write i32[]) group 16"])

    @needs_clang_22
    def test_hlsl_goes_by_its_functions(self):
        self.write("k.hlsl", HLSL)
        self.assertEqual(self.expect_round_trip("k.hlsl"), ["add(data: read_write u32[], m0: u32) group 64", "twice(data: read_write u32[], m0: u32) group 64"])  # clang keeps no names of members


class Refused(ShadersCase):
    HINT = "--entry 'blur("

    def refuse_pack(self, *files, words, code=INVALID, **more):
        self.refused("pack", *files, "-o", "no.pack", code=code, words=words, **more)
        self.assertFalse((self.folder / "no.pack").exists())

    def test_what_no_signature_can_declare(self):
        text = "#version 450\n" + LINE
        self.refuse_pack(self.write("k.comp", text), words=['Entry "k" of Source "k.comp" uses "line" (a storage image of one dimension) at set 0, binding 0, which no signature'])
        self.refuse_pack(self.module("k.spv", text), words=['Entry "main" of Module "k.spv" uses "line"'])

    def test_an_entry_that_no_signature_can_have_costs_only_itself(self):
        self.write("k.comp", GLSL.replace("#endif", "#elif PINTLE_ENTRY_c\n" + LINE.replace("binding = 0", "binding = 1") + "#endif"))
        result = self.command("pack", "k.comp", "-o", "out.pack", "--format", "spirv", "--json")
        document = json.loads(result.stdout)
        self.assertEqual([entry["name"] for entry in document["variants"][0]["entries"]], ["first_entry", "b"])
        self.assertEqual(len(document["left_out"]), 1)
        self.assertIn('not packed: Entry "c" of Source "k.comp" uses "line"', result.stderr)

    def test_what_the_code_does_not_tell(self):
        self.refuse_pack(self.write("k.c", "void f(void) {}\n"), words=['Source "k.c" has no entry whose parameters it tells', self.HINT])
        assembly = ("OpCapability Kernel\nOpCapability Addresses\nOpMemoryModel Physical32 OpenCL\nOpEntryPoint Kernel %f \"f\"\n%v = OpTypeVoid\n%t = OpTypeFunction %v\n"
                    "%f = OpFunction %v None %t\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n")
        if shutil.which("spirv-as"):
            subprocess.run(["spirv-as", self.write("k.spvasm", assembly), "-o", "k.spv"], cwd=self.folder, check=True)
            self.refuse_pack("k.spv", words=['Entry "f" of Module "k.spv" is a kernel of OpenCL', self.HINT])
            self.assertEqual(self.kinds(self.json("pack", "k.spv", "--entry", "f()", "-o", "out.pack")), [("spirv_opencl", "")])
            shader = assembly.replace("Kernel\nOpCapability Addresses", "Shader").replace("Physical32 OpenCL", "Logical GLSL450")
            subprocess.run(["spirv-as", self.write("k.spvasm", shader.replace("Kernel %f", "GLCompute %f")), "-o", "k.spv"], cwd=self.folder, check=True)
            self.refuse_pack("k.spv", words=['Entry "f" of Module "k.spv" has no group size', self.HINT])
            subprocess.run(["spirv-as", self.write("k.spvasm", shader.replace("Kernel %f", "Vertex %f")), "-o", "k.spv"], cwd=self.folder, check=True)
            self.refuse_pack("k.spv", words=['Module "k.spv" has no entry point that computes.'])

    def test_files_that_are_broken(self):
        self.refuse_pack(self.write("k.comp", SAXPY.replace("y[i];", "y[i]")), words=["k.comp:6:", "error"], code=BUILD_FAILED)
        self.refuse_pack(self.write("k.spv", "no words"), words=["k.spv", "SPIR-V at word (2) is truncated"])
        self.refuse_pack("absent.spv", words=["absent.spv"], code=IO)

    def test_without_a_compiler(self):
        self.write("k.comp", SAXPY)
        self.refuse_pack("k.comp", words=["No compiler of GLSL is found (tried glslc).", self.HINT], code=UNAVAILABLE, environment={"PATH": "/nowhere"})


class Run(ShadersCase):
    """On each device of Vulkan and WebGPU."""

    def setUp(self):
        super().setUp()
        self.devices = [row["id"] for row in self.json("devices")["devices"] if row["backend"] in ("vulkan", "webgpu")]
        if not self.devices:
            self.skipTest("no device of Vulkan or WebGPU is here")
        self.write_npy("x.npy", "<f4", (100,), [float(i) for i in range(100)])
        self.write_npy("y.npy", "<f4", (100,), [1.0] * 100)

    def expect_saxpy(self, device):
        self.command("run", "out.pack", "--entry", "saxpy", "--device", device, "--items", "128", "--arg", "a=2.5", "--arg", "n=90", "--arg", "x=x.npy", "--arg", "y=y.npy",
                     "--out", "y=f32[100]:result.npy")
        self.assertEqual(self.read_npy("result.npy")[2], [2.5 * i + 1 if i < 90 else 1 for i in range(100)])

    def test_a_source_and_a_module(self):
        self.write("saxpy.comp", SAXPY)
        self.module("saxpy.spv", SAXPY, target="vulkan1.0")
        for options in (("saxpy.comp", "--format", "spirv"), ("saxpy.comp", "--format", "glsl"), ("saxpy.spv",)):
            self.command("pack", *options, "-o", "out.pack")
            for device in self.devices:
                with self.subTest(device=device, of=options):
                    self.expect_saxpy(device)

    def test_a_uniform_block_and_a_constant(self):
        self.write("k.comp", """#version 450
            layout(local_size_x_id = 4) in;
            layout(constant_id = 4) const uint TILE = 8;
            struct Camera { vec3 eye; float zoom; };
            layout(std140, binding = 3) uniform Block { uint n; Camera camera; mat2 turn; };
            layout(binding = 1) buffer Y { vec4 y[]; };
            void main() {
              const uint i = gl_GlobalInvocationID.x;
              if (i < n) y[i] = vec4(camera.eye.z, camera.zoom, turn[1][0], TILE);
            }""")
        document = self.json("pack", "k.comp", "-o", "out.pack", "--format", "spirv")
        self.assertEqual(self.signatures(document),
                         ["k(y: write f32[], n: u32, camera: { eye: f32x3 at 0, zoom: f32 at 12 }, turn: { turn_0: f32x2 at 0, turn_1: f32x2 at 16 }) group TILE=8"])
        for device in self.devices:
            for tile, options in ((8, ()), (16, ("--constant", "TILE=16"))):
                self.command("run", "out.pack", "--entry", "k", "--device", device, "--items", "64", "--arg", "n=2", "--arg", "camera.eye=1,2,3", "--arg", "camera.zoom=4",
                             "--arg", "turn.turn_0=5,6", "--arg", "turn.turn_1=7,8", *options, "--out", "y=f32[8]:y.npy")
                self.assertEqual(self.read_npy("y.npy")[2], [3, 4, 7, tile] * 2, device)


if __name__ == "__main__":
    unittest.main()
