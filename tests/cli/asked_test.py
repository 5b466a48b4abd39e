"""What `pintle pack` answers where a variant that was asked for is broken: exit code 1, no pack, and the reason in words."""

import json
import shutil
import struct
import unittest

from compilers_test import CLANG, GLSL, GLSL_ENTRIES, SAXPY, SAXPY_CL, CompilersCase, needs_glslc
from harness import FAILED, INVALID

WRITES = "f(x: write i32[])"
FILL = "kernel void f(global int* x) { x[get_global_id(0)] = 1; }\n"


class Asked(CompilersCase):
    def refuse_files(self, *arguments, words):
        """The command ends with 1, says all of `words`, and leaves no pack."""
        self.refused("pack", *arguments, "-o", "refused.pack", code=FAILED, words=words)
        self.assertFalse((self.folder / "refused.pack").exists())

    def test_an_unknown_format(self):
        (self.folder / "k.cl").write_text(FILL)
        self.refuse_files("k.cl", "--format", "spriv", words=['Format "spriv" is not known.', 'Did you mean "spirv"?'])
        (self.folder / "kernel.bin").write_bytes(b"code")
        (self.folder / "made.json").write_text(json.dumps({"name": "p", "entries": ["f()"], "variants": [{"format": "spriv", "file": "kernel.bin"}]}))
        self.refuse_files("made.json", words=['"spriv"', 'Did you mean "spirv"?'])

    def test_a_format_that_no_source_becomes(self):
        (self.folder / "k.cl").write_text(FILL)
        self.refuse_files("k.cl", "--entry", WRITES, "--format", "opencl_c", "--format", "spirv", words=['Format "spirv" was asked for, and no source becomes it.'])

    def test_ptx_without_the_entry(self):
        (self.folder / "k.ptx").write_text(".visible .entry g(\n.param .u64 g_param_0\n) { ret; }")
        (self.folder / "made.json").write_text(json.dumps({"name": "p", "entries": [WRITES], "variants": [{"format": "ptx", "target": "sm_90", "file": "k.ptx"}]}))
        self.refuse_files("made.json", words=['Variant ptx for sm_90 has no entry "f"; it has g.'])

    @needs_glslc
    def test_a_shader_whose_include_fails(self):
        text = GLSL.replace("#version 450\n", '#version 450\n#extension GL_GOOGLE_include_directive : require\n#include "nowhere.glsl"\n')
        (self.folder / "k.comp").write_text(text)
        self.refuse_files("k.comp", "--entry", GLSL_ENTRIES[0], words=["k.comp:3:", "nowhere.glsl"])

    @unittest.skipUnless(CLANG, "clang 19 or later is not installed")
    def test_a_source_that_names_its_formats_asks_for_them(self):
        (self.folder / "p.cl").write_text("void helper(int);\nkernel void f(global int* x) { helper(x[0]); }\n")
        for source in ({"file": "p.cl", "formats": ["opencl_c", "ptx"]}, {"file": "p.cl", "formats": ["ptx"]}):
            (self.folder / "pack.json").write_text(json.dumps({"name": "p", "entries": ["f(x: read_write i32[])"], "sources": [source]}))
            self.refuse_files(".", words=["Format ptx for sm_90 was asked for", '"p.cl" does not become it', 'kernel "f" calls helper, which is defined nowhere'])
        (self.folder / "pack.json").write_text(json.dumps({"name": "p", "entries": ["f(x: read_write i32[])"], "sources": [{"file": "p.cl"}]}))
        document = self.json("pack", ".", "-o", "out.pack")  # nobody asked for PTX
        self.assertIn(("opencl_c", ""), self.kinds(document))
        self.assertIn("helper", self.missing(document)["ptx", "sm_90"]["reason"])

    def test_a_compiler_that_fails_by_itself_is_told(self):
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "glslc").write_text("#!/bin/sh\nkill -SEGV $$\n")
        (tools / "glslc").chmod(0o755)
        (self.folder / "k.comp").write_text(GLSL)
        self.refused("pack", "k.comp", "--entry", GLSL_ENTRIES[0], "-o", "refused.pack", code=FAILED, words=["k.comp", "glslc ends by"],
                     environment={"PATH": str(tools)})

    def test_each_variant_has_a_line(self):
        (self.folder / "k.cl").write_text(SAXPY_CL)
        text = self.command("pack", "k.cl", "--entry", SAXPY, "-o", "out.pack", environment={"PATH": "/nowhere"}).stdout
        self.assertRegex(text, r"(?m)^opencl_c +any target +\d+ bytes")
        for line in ("not built: so for x86_64-linux from k.cl: ", "not built: spirv_opencl from k.cl: No clang of version 22",
                     "not built: ptx for sm_90 from k.cl: No clang", "not built: amdgcn for gfx1100 from k.cl: "):
            self.assertIn("\n" + line, text)

    def test_a_language_that_is_no_source_of_ours(self):
        for name, *words in (("k.cu", "Compile it to PTX"), ("k.hip", "code object"), ("k.metal", '".metal"'), ("k", "k")):
            (self.folder / name).write_text("__global__ void f() {}")
            self.refused("pack", name, "-o", "out.pack", code=INVALID, words=words)

    @unittest.skipUnless(shutil.which("spirv-as"), "spirv-as is not installed")
    def test_a_capability_that_nobody_knows_is_packed_for_the_device_to_judge(self):
        (self.folder / "m.spvasm").write_text("""OpCapability Shader
OpCapability AtomicFloat32AddEXT
OpExtension "SPV_EXT_shader_atomic_float_add"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "f"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%3 = OpTypeFunction %void
%main = OpFunction %void None %3
%5 = OpLabel
OpReturn
OpFunctionEnd
""")
        import subprocess
        subprocess.run(["spirv-as", "--target-env", "vulkan1.2", "m.spvasm", "-o", "m.spv"], cwd=self.folder, check=True)
        self.assertIn(struct.pack("<I", 6033), (self.folder / "m.spv").read_bytes())
        (self.folder / "made.json").write_text(json.dumps({"name": "p", "entries": ["f()"], "variants": [{"format": "spirv", "file": "m.spv"}]}))
        self.command("pack", "made.json", "-o", "out.pack")


if __name__ == "__main__":
    unittest.main()
