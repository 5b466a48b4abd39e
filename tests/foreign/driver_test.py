#!/usr/bin/env python3
"""The driver's own parts: texts as their programs hand them over, signatures of shaders, what a child's end means."""
import sys
import tempfile
import unittest
from pathlib import Path

import children
import kernels
import shader_signature
import steps
import texts

SHADER = """
OpEntryPoint GLCompute %main "main" %gl
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %outputs DescriptorSet 0
OpDecorate %outputs Binding 3
OpDecorate %inputs DescriptorSet 0
OpDecorate %inputs Binding 1
OpMemberDecorate %In 0 NonWritable
OpMemberDecorate %In 0 Offset 0
OpMemberDecorate %Out 0 Offset 0
OpMemberDecorate %Push 0 Offset 0
OpMemberDecorate %Push 1 Offset SECOND
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%floats = OpTypeRuntimeArray %float
%In = OpTypeStruct %floats
%Out = OpTypeStruct %floats
%pIn = OpTypePointer StorageBuffer %In
%pOut = OpTypePointer StorageBuffer %Out
%outputs = OpVariable %pOut StorageBuffer
%inputs = OpVariable %pIn StorageBuffer
%Push = OpTypeStruct %uint %float
%pPush = OpTypePointer PushConstant %Push
%push = OpVariable %pPush PushConstant
"""

GPU_SOURCE = """
int compile_spirv_module(const char* comp_data, int comp_data_size, const Option& opt)
{
    if (opt.use_half)
    {
        custom_defines.append("sfp", "half");
    }
    else if (opt.use_byte && support_bytes)
    {
        custom_defines.append("sfp", "byte");
    }
    else
    {
        custom_defines.append("sfp", "float");
        if (!opt.use_half)
        {
            custom_defines.append("store(b,i)", "{b[i]=0;}");
        }
    }
    custom_defines.append("on", 1);
    custom_defines.append("load(b,i)", support_bytes ? "b[i]" : "int(b[i]);");
}
int compile_spirv_module(int shader_type_index, const Option& opt)
"""


CHILD = """
import json, os, sys
for plan in json.load(open(sys.argv[1])):
    if plan["index"] == 1: os.abort()
    if plan["index"] == 4: print(json.dumps({"index": 4, "hung": "30 s"}), flush=True); os._exit(0)
    print(json.dumps({"index": plan["index"], "ran": True} if plan["index"] else {"index": 0, "refused": "too large"}), flush=True)
"""


class Plans(unittest.TestCase):
    def test_a_crash_costs_the_plan_at_which_it_happened(self):
        with tempfile.TemporaryDirectory() as folder:
            became = children.works_through(lambda file: [sys.executable, "-c", CHILD, file], [{"index": at} for at in range(4)],
                                            Path(folder), 60)
        self.assertEqual([became[at][0] for at in range(4)], ["refused", "crashed", "ran", "ran"])

    def test_a_hang_costs_its_own_plan_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            became = children.works_through(lambda file: [sys.executable, "-c", CHILD, file], [{"index": at} for at in (4, 2, 3)],
                                            Path(folder), 60)
        self.assertEqual(became, {4: ("hung", "30 s"), 2: ("ran", ""), 3: ("ran", "")})

    def test_a_child_that_says_nothing_is_refused_once(self):
        with tempfile.TemporaryDirectory() as folder:
            became = children.works_through(lambda file: [sys.executable, "-c", "raise SystemExit('no device')"],
                                            [{"index": 0}, {"index": 1}], Path(folder), 60)
        self.assertEqual(became, {0: ("refused", "no device\n"), 1: ("refused", "no device\n")})


class Groups(unittest.TestCase):
    def test_a_kernel_has_the_group_that_its_program_launches(self):
        row = texts.Row("a/b", "c", "k.cl", ["group:tile=16;4"])
        listed = "k\n  tile_f32(x: read f32[]) group 64\n  other(x: write f32[]) group 64\n\n"
        self.assertEqual(list(steps.with_groups(row, listed)), ["tile_f32(x: read f32[]) group 16,4", "other(x: write f32[]) group 64"])

    def test_a_kernel_has_the_subgroups_that_its_program_counts_on(self):
        row = texts.Row("a/b", "c", "k.cl", ["group:=16;2", "subgroup:=16"])
        self.assertEqual(list(steps.with_groups(row, "  sum(x: read f32[]) group 64\n")), ["sum(x: read f32[]) group 16,2 subgroup 16"])


class Counts(unittest.TestCase):
    def test_what_the_driver_cannot_run_is_in_no_part(self):
        row = {"repository": "a/b", "device": "cpu", "words": "", "driver": "runs"}
        of = kernels.counted([row | {"verdict": "runs"}, row | {"verdict": "refused", "driver": "cannot"},
                              row | {"verdict": "refused", "words": 'the argument "img" (by value image2d_t)'}])["a/b", "cpu"]
        self.assertEqual((of["runs"], of["driver cannot"], of["images"], of["refused"]), (1, 1, 1, 0))


class Texts(unittest.TestCase):
    def test_a_stringified_source_has_its_ends_of_lines_and_no_comment(self):
        text = "MSTRINGIFY(\\n#define A 1 // one\n\\nkernel void k()\n{ }\n)"
        self.assertEqual(texts.stringified(text).strip().split("\n"), ["#define A 1", "kernel void k() { }"])

    def test_a_raw_source_is_what_stands_in_the_literal(self):
        self.assertEqual(texts.raw('// words\nR"(\nkernel void k() {}\n)"\n').strip(), "kernel void k() {}")

    def test_ncnn_has_the_macros_of_no_option(self):
        found = texts.ncnn_definitions(GPU_SOURCE)
        self.assertEqual(found, [("sfp", "float"), ("store(b,i)", "{b[i]=0;}"), ("on", "1"), ("load(b,i)", "int(b[i]);")])

    def test_every_row_of_the_list_has_a_commit(self):
        rows = list(texts.rows())
        self.assertGreater(len(rows), 600)
        for row in rows:
            self.assertRegex(row.commit, "^[0-9a-f]{40}$", row.file)

    def test_macros_stand_behind_the_version_of_a_shader(self):
        row = texts.Row("a/b", "0", "x.comp", ["-DA=float", "-DB"])
        self.assertEqual(steps.with_macros(row, "#version 450\nvoid main() {}\n"),
                         "#version 450\n#define A float\n#define B 1\nvoid main() {}\n")


class Signatures(unittest.TestCase):
    def test_buffers_stand_by_binding_and_plain_push_constants_are_scalars(self):
        signature = shader_signature.Module(SHADER.replace("SECOND", "4")).signature()
        self.assertEqual(signature, "main(pintle_b0: read f32[], pintle_b1: read_write f32[], pintle_p0: u32, pintle_p1: f32) group 64,1,1")

    def test_push_constants_with_a_gap_are_a_struct(self):
        signature = shader_signature.Module(SHADER.replace("SECOND", "16")).signature()
        self.assertIn("pintle_p: { m0: u32 at 0, m1: f32 at 16 }", signature)

    def of_image(self, operands, pointee="%image", more=""):
        text = SHADER.replace("%pIn = OpTypePointer StorageBuffer %In", f"%image = OpTypeImage %float {operands}\n{more}\n"
                                                                       f"%pIn = OpTypePointer UniformConstant {pointee}")
        return shader_signature.Module(text.replace("SECOND", "4")).signature()

    def test_an_image_has_its_texel_and_its_sampler(self):
        self.assertIn("pintle_b0: read_write image2d rgba8, ", self.of_image("2D 0 0 0 2 Rgba8"))
        self.assertIn("pintle_b0: read image3d rgba32f sampled, ",
                      self.of_image("3D 0 0 0 1 Unknown", "%both", "%both = OpTypeSampledImage %image"))

    def test_what_no_signature_says_of_images_is_named(self):
        with self.assertRaisesRegex(shader_signature.Unsayable, "Cube"):
            self.of_image("Cube 0 0 0 2 Rgba8")
        with self.assertRaisesRegex(shader_signature.Unsayable, "without its sampler"):
            self.of_image("2D 0 0 0 1 Unknown")

    def test_gentle_bytes_are_whole_numbers(self):
        try:
            import inputs  # needs numpy
        except ImportError:
            self.skipTest("There is no numpy.")
        for dtype in ("i8", "u8"):
            with tempfile.TemporaryDirectory() as folder:
                file = inputs.argument(0, {"kind": "buffer", "dtype": dtype}, Path(folder), is_gentle=True)
                self.assertLess(max(Path(file).read_bytes()[1:8]), 1, dtype)

    def test_an_image_has_a_texel_that_the_source_reads(self):
        any_texel = {"kind": "image", "texel": None, "dimensions": 2, "sampled": False}
        try:
            import inputs  # needs numpy
        except ImportError:
            self.skipTest("There is no numpy.")
        self.assertEqual(inputs.image(any_texel, "read_imageui(in, at)")["texel"], "rgba32ui")
        self.assertEqual(inputs.channel_of("rgba8"), (4, "u8", True))

    def test_a_texel_buffer_has_a_texel_that_its_own_reads_suit(self):
        try:
            import inputs  # needs numpy
        except ImportError:
            self.skipTest("There is no numpy.")
        text = "a = read_imageui(q, i + f(2)).x;\nb = read_imagef(x , 2*i);\nwrite_imageh(y, i, c);"
        texels = [inputs.image({"kind": "texel_buffer", "name": name, "texel": None}, text)["texel"] for name in ("q", "x", "y", "z")]
        self.assertEqual(texels, ["r32ui", "rgba32f", "rgba16f", "rgba32f"])
        self.assertEqual(inputs.body_of("b", "kernel void a(int b) {}\nkernel void b(int x) { x }\n__kernel void c() {}").strip(), "b(int x) { x }")
        self.assertEqual(inputs.image({"kind": "texel_buffer", "name": "x", "texel": "r8"}, text), {"texel": "r8", "sides": [inputs.TEXELS]})


class Children(unittest.TestCase):
    def ended(self, program):
        return steps.child([sys.executable, "-c", program], Path.cwd()).verdict

    def test_a_signal_is_a_crash(self):
        self.assertEqual(self.ended("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"), "crashed")

    def test_an_exit_code_is_a_refusal(self):
        self.assertEqual(self.ended("raise SystemExit(1)"), "refused")
        self.assertEqual(self.ended("pass"), "ok")

    def test_kernels_of_a_source_are_named(self):
        text = "__kernel __attribute__((reqd_work_group_size(8, 8, 1))) void a(int x) {}\nkernel void b(int x) {}"
        self.assertEqual(kernels.kernel_names(text), ["a", "b"])


if __name__ == "__main__":
    unittest.main()
