"""`pintle run`: from .npy files to .npy files."""

import json
import os
import shutil
import signal
import unittest

from harness import BUILD_FAILED, INVALID, IO, SAXPY, SAXPY_CODE, UNAVAILABLE, USAGE, CommandCase

COPY = "copy(from: read f32[], to: write f32[], n: u32) group 64"
COPY_CODE = """
void copy(const pintle_group* group, void* const* arguments) {
  const uint32_t n = *(const uint32_t*)arguments[2], first = group->id[0] * group->size[0];
  for (uint32_t i = first; i < n && i - first < group->size[0]; ++i) ((float*)arguments[1])[i] = ((const float*)arguments[0])[i];
}
"""
PLACES = "places(to: write u32[])"
PLACES_CODE = """
void places(const pintle_group* group, void* const* arguments) {
  const uint32_t *id = group->id, *count = group->count;
  ((uint32_t*)arguments[0])[(id[2] * count[1] + id[1]) * count[0] + id[0]] = 100 * id[2] + 10 * id[1] + id[0];
}
"""
TURN = "turn(from: read texel_buffer rgba32f, to: write texel_buffer rgba32f)"
TURN_CODE = """
void turn(const pintle_group* group, const pintle_cpu_image* from, const pintle_cpu_image* to) {
  (void)group;
  for (uint32_t i = 0; i < 4 * from->width; ++i)
    ((float*)to->texels)[i] = ((const float*)from->texels)[(from->width - 1 - i / 4) * 4 + i % 4];
}
"""
ADD = "add(x: optional read f32[n], y: read_write f32[n], n: u32)"
ADD_CODE = """
void add(const pintle_group* group, const float* x, float* y, uint32_t n) {
  (void)group;
  for (uint32_t i = 0; i < n; ++i) y[i] += x == 0 ? 1 : x[i];
}
"""
TYPES = "types(flag: bool, byte: i8, whole: i64, real: f64, half: f16, to: write f64[])"
TYPES_CODE = """
void types(const pintle_group* group, void* const* arguments) { (void)group; (void)arguments; }
"""
SCALARS = "scalars(flag: bool, byte: i8, whole: i64, real: f64, to: write f64[])"
SCALARS_CODE = """
void scalars(const pintle_group* group, void* const* arguments) {
  (void)group;
  double* to = arguments[4];
  to[0] = *(const uint8_t*)arguments[0];
  to[1] = *(const int8_t*)arguments[1];
  to[2] = (double)*(const int64_t*)arguments[2];
  to[3] = *(const double*)arguments[3];
}
"""


class Saxpy(CommandCase):
    """saxpy over 300 elements, two work-groups of 256."""

    def setUp(self):
        super().setUp()
        self.file = self.pack()
        self.x = self.write_npy("x.npy", "<f4", (300,), [float(i) for i in range(300)])
        self.y = self.write_npy("y.npy", "<f4", (300,), [1.0] * 300)
        self.basics = ["run", self.file, "--entry", "saxpy", "--device", "cpu", "--grid", "2", "--arg", "a=2.5", "--arg", "n=300"]
        self.whole = [*self.basics, "--arg", "x=x.npy", "--arg", "y=y.npy", "--out", "y=f32[300]:result.npy"]

    def expect_result(self):
        descr, shape, values = self.read_npy("result.npy")
        self.assertEqual((descr, shape), ("<f4", (300,)))
        self.assertEqual(values, [2.5 * i + 1 for i in range(300)])

    def without(self, value):
        place = self.whole.index(value)
        return self.whole[:place - 1] + self.whole[place + 1:]

    def replaced(self, old, new):
        return [new if word == old else word for word in self.whole]

    def test_updates_a_buffer_and_leaves_its_file_alone(self):
        before = (self.folder / "y.npy").read_bytes()
        result = self.command(*self.whole)
        self.expect_result()
        self.assertEqual((self.folder / "y.npy").read_bytes(), before)
        self.assertRegex(result.stdout, r"saxpy on cpu: 2,1,1 work-groups, [0-9.]+ ms")
        self.assertEqual(result.stderr, "")

    def test_json_names_what_ran(self):
        document = self.json(*self.whole)
        self.expect_result()
        self.assertGreater(document.pop("ms"), 0)
        self.assertGreater(document.pop("ms_least"), 0)
        self.assertEqual(document, {
            "device": "cpu", "entry": "saxpy", "grid": [2, 1, 1], "runs": 1,
            "outputs": [{"name": "y", "file": "result.npy", "dtype": "f32", "shape": [300]}]})

    def test_a_file_may_be_updated_in_place(self):
        self.command(*self.replaced("y=f32[300]:result.npy", "y=f32[300]:y.npy"))
        self.assertEqual(self.read_npy("y.npy")[2], [2.5 * i + 1 for i in range(300)])

    def test_timing_restores_the_inputs_before_each_run(self):
        document = self.json(*self.whole, "--time", "5")
        self.expect_result()
        self.assertEqual(document["runs"], 5)
        self.assertLessEqual(document["ms_least"], document["ms"])

    def test_items_are_rounded_up_to_groups(self):
        arguments = self.replaced("--grid", "--items")
        arguments[arguments.index("2")] = "300"
        self.assertEqual(self.json(*arguments)["grid"], [2, 1, 1])
        self.expect_result()

    def test_inline_device_computes_the_same(self):
        self.assertEqual(self.json(*self.replaced("cpu", "cpu?inline"))["device"], "cpu?inline")
        self.expect_result()

    @unittest.skipUnless(shutil.which("clang-19"), "clang 19 is not there")
    def test_a_kernel_compiles_where_clang_warns_of_the_processor(self):
        compiler = self.folder / "clang"  # on a processor with AVX10 this is what native stands for
        compiler.write_text('#!/bin/bash\nfor word; do\n  [[ $word == -march=native ]] && words+=(-march=sapphirerapids -mavx10.1-256) || words+=("$word")\n'
                            'done\nexec clang-19 "${words[@]}"\n', encoding="utf-8")
        compiler.chmod(0o755)
        file = self.pack(PLACES_CODE, PLACES, name="places")
        self.command("run", file, "--entry", "places", "--device", "cpu", "--grid", "2", "--out", "to=u32[2]:to.npy",
                     environment={"PINTLE_CC": str(compiler), "PINTLE_WERROR": "1", "PINTLE_CACHE_DIR": str(self.folder)})
        self.assertEqual(self.read_npy("to.npy")[2], [0, 1])

    def test_a_device_that_executes_nothing_says_so(self):
        result = self.command(*self.replaced("cpu", "null"))
        self.assertIn("executes nothing", result.stderr)

    def test_an_unknown_name_lists_the_parameters(self):
        self.refused(*self.whole, "--arg", "z=1", code=INVALID, words=['"z"', "a: f32, x: read f32[], y: read_write f32[], n: u32"])
        self.refused(*self.whole, "--out", "z=f32[1]:z.npy", code=INVALID, words=['"z"', "--out", "n: u32"])

    def test_a_missing_value_says_what_to_give(self):
        self.refused(*self.without("a=2.5"), code=INVALID, words=["[a: f32]", "--arg a=number"])
        self.refused(*self.without("x=x.npy"), code=INVALID, words=["[x: read f32[]]", "--arg x=file.npy"])

    def test_a_value_given_twice_is_refused(self):
        self.refused(*self.whole, "--arg", "a=1", code=INVALID, words=["[a: f32]", "twice with --arg"])
        self.refused(*self.whole, "--out", "y=f32[300]:b.npy", code=INVALID, words=["[y: read_write f32[]]", "twice with --out"])

    def test_a_file_of_another_dtype_is_refused(self):
        self.write_npy("x.npy", "<f8", (300,), [0.0] * 300)
        self.refused(*self.whole, code=INVALID, words=["[x: read f32[]]", "takes f32", "holds f64"])

    def test_an_array_without_elements_is_named_with_its_parameter(self):
        self.write_npy("x.npy", "<f4", (0, 3), [])
        self.refused(*self.whole, code=INVALID, words=["[x: read f32[]] takes at least one element", '"x.npy"', "[0,3]"])

    def test_a_file_of_another_format_is_called_by_its_name(self):
        (self.folder / "x.npy").write_bytes(b"PK\x03\x04" + bytes(40))
        self.refused(*self.whole, code=INVALID, words=["a zip archive (as .npz files", "x.npy", "[x: read f32[]]"])

    def test_an_output_of_another_dtype_is_refused(self):
        self.refused(*self.replaced("y=f32[300]:result.npy", "y=f64[300]:result.npy"), code=INVALID,
                     words=["[y: read_write f32[]]", "writes f32", "says f64"])

    def test_an_output_of_another_shape_is_refused(self):
        self.refused(*self.replaced("y=f32[300]:result.npy", "y=f32[3,100]:result.npy"), code=INVALID,
                     words=["[y: read_write f32[]]", "[300]", "[3,100]"])

    def test_what_is_only_read_or_a_scalar_is_no_output(self):
        self.refused(*self.whole, "--out", "x=f32[300]:b.npy", code=INVALID, words=["[x: read f32[]]", "cannot be an output"])
        self.refused(*self.whole, "--out", "n=u32[1]:b.npy", code=INVALID, words=["[n: u32]", "cannot be an output"])

    def test_a_number_beyond_its_dtype_is_refused(self):
        for value in ("-1", "4294967296", "1.5", "x", "1e3", " 1", "0x10"):
            self.refused(*self.replaced("n=300", f"n={value}"), code=INVALID, words=["[n: u32]", "0 to 4294967295"])
        for value in ("1e39", "2,5", "two"):
            self.refused(*self.replaced("a=2.5", f"a={value}"), code=INVALID, words=["[a: f32]", "dtype f32"])

    def test_a_bad_file_is_refused_with_its_offset(self):
        whole = (self.folder / "x.npy").read_bytes()
        for bad, words in ((b"no array", ["Offset 0"]), (whole[:40], ["Offset"]), (whole[:-1], ["Offset 128"]), (whole + b"x", ["Offset"])):
            (self.folder / "x.npy").write_bytes(bad)
            self.refused(*self.whole, code=INVALID, words=[*words, "x.npy", "[x: read f32[]]"])

    def test_a_missing_file_is_an_io_error(self):
        self.refused(*self.replaced("x=x.npy", "x=nowhere.npy"), code=IO, words=["nowhere.npy", "[x: read f32[]]"])
        self.refused("run", "nowhere.pack", "--entry", "saxpy", "--grid", "1", code=IO, words=["nowhere.pack"])

    def test_an_unwritable_output_is_an_io_error(self):
        self.refused(*self.replaced("y=f32[300]:result.npy", "y=f32[300]:nowhere/y.npy"), code=IO, words=["nowhere/y.npy", "--out y"])

    def test_an_unknown_entry_lists_the_entries(self):
        self.refused(*self.replaced("saxpy", "daxpy"), code=INVALID, words=["daxpy", "saxpy"])

    def test_an_unknown_device_is_unavailable(self):
        for device in ("nowhere", "cpu:7", "nowhere:0"):
            self.refused(*self.replaced("cpu", device), code=UNAVAILABLE, words=[device])

    def test_a_malformed_device_is_refused(self):
        self.refused(*self.replaced("cpu", "cpu?fast"), code=INVALID, words=["fast", "inline"])
        self.refused(*self.replaced("cpu", "faulty(cpu"), code=INVALID, words=["faulty(cpu"])

    def test_errors_are_data_with_json(self):
        result = self.command(*self.replaced("n=300", "n=-1"), "--json", code=INVALID)
        self.assertRegex(result.stdout, r'"error": \{\s*"code": "invalid_argument"')
        self.assertIn("[n: u32]", result.stderr)

    def test_the_launch_must_be_within_the_limits(self):
        self.refused(*self.replaced("2", "1,4000000000"), code=INVALID, words=["4000000000"])

    def test_values_of_options_are_checked_first(self):
        for wrong in ("0", "1,0", "1,2,3,4", "-1", "1x", "", "4294967296"):
            self.refused(*self.replaced("2", wrong), code=USAGE, words=["--grid"])
        for wrong in ("y", "y=f32", "y=f32[2]", "y=f32[2]:", "y=f33[2]:f", "y=f32[x]:f", "=f32[2]:f", "y=f32]2[:f",
                      "y=f32[1,1,1,1,1,1,1,1,1]:f", "y=f32[18446744073709551615]:f"):
            self.refused(*self.replaced("y=f32[300]:result.npy", wrong), code=USAGE, words=["--out"])
        for wrong in ("n", "n=", "=1", "1n=1"):
            self.refused(*self.replaced("n=300", wrong), code=USAGE, words=["--arg"])

    def test_exactly_one_extent_is_needed(self):
        self.refused(*self.without("2"), code=USAGE, words=["--grid"])
        self.refused(*self.whole, "--items", "3", code=USAGE, words=["--grid,--items"])

    def test_a_pack_changed_by_one_byte_is_refused(self):
        file = self.folder / self.file
        whole = file.read_bytes()
        for place in (len(whole) - 40, len(whole) // 2, len(whole) - 1):
            file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1:])
            self.refused(*self.whole, code=INVALID, words=["checksum", self.file])


class Arrays(CommandCase):
    """What is in the files."""

    def copied(self, count, shape):
        shape_text = ",".join(map(str, shape))
        self.command("run", self.pack(COPY_CODE, COPY, name="copying"), "--entry", "copy", "--device", "cpu", "--items", count,
                     "--arg", "from=from.npy", "--arg", f"n={count}", "--out", f"to=f32[{shape_text}]:to.npy")
        return self.read_npy("to.npy")

    def test_fortran_order_is_read_as_c_order(self):
        self.write_npy("from.npy", "<f4", (2, 3), [1, 4, 2, 5, 3, 6], fortran=True)
        self.assertEqual(self.copied(6, (2, 3)), ("<f4", (2, 3), [1, 2, 3, 4, 5, 6]))

    def test_big_endian_is_read_as_our_own(self):
        self.write_npy("from.npy", ">f4", (3,), [1.5, -2.0, 1e30])
        descr, _, values = self.copied(3, (3,))
        self.assertEqual((descr, values[:2]), ("<f4", [1.5, -2.0]))
        self.assertAlmostEqual(values[2] / 1e30, 1, places=6)

    def test_versions_two_and_three_are_read(self):
        for version in (2, 3):
            self.write_npy("from.npy", "<f4", (2,), [7, 8], version=version)
            self.assertEqual(self.copied(2, (2,))[2], [7, 8])

    def test_an_output_without_elements_names_its_parameter_and_file(self):
        run = ("run", self.pack(PLACES_CODE, PLACES), "--entry", "places", "--device", "cpu", "--grid", "1")
        for shape in ("0", "2,0"):
            self.refused(*run, "--out", f"to=u32[{shape}]:to.npy", code=INVALID,
                         words=["[to: write u32[]]", '"to.npy"', f"[{shape}]", "at least one element"])

    def test_an_output_alone_starts_with_zeros(self):
        self.write_npy("from.npy", "<f4", (2,), [7, 8])
        self.assertEqual(self.copied(2, (5,))[2], [7, 8, 0, 0, 0])

    def test_a_shape_without_dimensions_is_one_element(self):
        self.write_npy("from.npy", "<f4", (), [7])
        self.assertEqual(self.copied(1, ()), ("<f4", (), [7]))

    def test_grids_have_three_dimensions(self):
        self.command("run", self.pack(PLACES_CODE, PLACES), "--entry", "places", "--device", "cpu", "--grid", "4,3,2",
                     "--out", "to=u32[2,3,4]:to.npy")
        expected = [100 * z + 10 * y + x for z in range(2) for y in range(3) for x in range(4)]
        self.assertEqual(self.read_npy("to.npy"), ("<u4", (2, 3, 4), expected))

    def test_texels_come_from_an_array_and_go_to_one(self):
        self.write_npy("from.npy", "<f4", (2, 4), [1, 2, 3, 4, 5, 6, 7, 8])
        run = ("run", self.pack(TURN_CODE, TURN), "--entry", "turn", "--device", "cpu", "--grid", "1", "--arg", "from=from.npy")
        self.command(*run, "--out", "to=f32[8]:to.npy")
        self.assertEqual(self.read_npy("to.npy"), ("<f4", (8,), [5, 6, 7, 8, 1, 2, 3, 4]))
        self.refused(*run, "--out", "to=u8[24]:to.npy", code=INVALID, words=["Size (24)", "rgba32f"])
        any_texel = self.pack(TURN_CODE, TURN.replace(" rgba32f", "", 1), name="any")
        self.refused("run", any_texel, *run[2:], "--out", "to=f32[8]:to.npy", code=INVALID,
                     words=["[from: read texel_buffer]", "no texel", "texel_buffer rgba32f"])


    def test_an_optional_buffer_may_be_left_out(self):
        self.write_npy("x.npy", "<f4", (3,), [10, 20, 30])
        run = ("run", self.pack(ADD_CODE, ADD), "--entry", "add", "--device", "cpu", "--grid", "1", "--arg", "n=3", "--out", "y=f32[3]:y.npy")
        self.command(*run)
        self.assertEqual(self.read_npy("y.npy"), ("<f4", (3,), [1, 1, 1]))
        self.command(*run, "--arg", "x=x.npy")
        self.assertEqual(self.read_npy("y.npy"), ("<f4", (3,), [10, 20, 30]))
        self.refused(*run[:-2], code=INVALID, words=["[y: read_write f32[n]]", "has no value"])


class Scalars(CommandCase):
    def run_scalars(self, *values, **options):
        arguments = [word for value in values for word in ("--arg", value)]
        return ["run", self.pack(SCALARS_CODE, SCALARS), "--entry", "scalars", "--device", "cpu", "--grid", "1",
                "--out", "to=f64[4]:to.npy", *arguments]

    def test_every_kind_of_number_arrives(self):
        self.command(*self.run_scalars("flag=true", "byte=-128", "whole=-4503599627370496", "real=1e300"))
        self.assertEqual(self.read_npy("to.npy")[2], [1, -128, -4503599627370496, 1e300])

    def test_infinity_is_a_real_number(self):
        self.command(*self.run_scalars("flag=0", "byte=127", "whole=1", "real=-inf"))
        self.assertEqual(self.read_npy("to.npy")[2], [0, 127, 1, float("-inf")])

    def test_limits_are_named(self):
        good = {"flag": "flag=1", "byte": "byte=1", "whole": "whole=1", "real": "real=1"}
        bad = {"flag": ("2", "true or false"), "byte": ("128", "-128 to 127"), "whole": ("9223372036854775808", "9223372036854775807"),
               "real": ("1e999", "dtype f64")}
        for name, (value, words) in bad.items():
            values = {**good, name: f"{name}={value}"}
            self.refused(*self.run_scalars(*values.values()), code=INVALID, words=[f"[{name}: ", words])

    def test_a_dtype_without_text_is_refused(self):
        file = self.folder_pack("void f(void) {}", "f(wave: complex64, to: write f64[])")
        self.refused("run", file, "--entry", "f", "--device", "null", "--grid", "1", "--arg", "wave=1", "--out", "to=f64[1]:to.npy",
                     code=INVALID, words=["[wave: complex64]", "command line"])

    def test_a_half_is_a_number(self):
        self.command("run", self.pack(TYPES_CODE, TYPES), "--entry", "types", "--device", "cpu", "--grid", "1", "--arg", "flag=1",
                     "--arg", "byte=1", "--arg", "whole=1", "--arg", "real=1", "--arg", "half=0.5", "--out", "to=f64[1]:to.npy")


class Programs(CommandCase):
    def test_what_does_not_compile_shows_the_compilers_words(self):
        file = self.folder_pack(SAXPY_CODE.replace("float a", "floot a"), SAXPY)
        self.refused("run", file, "--entry", "saxpy", "--device", "cpu", "--grid", "1", code=BUILD_FAILED, words=["floot", "error"])

    def test_a_pack_without_a_variant_for_the_device_says_what_it_has(self):
        file = self.folder_pack("no code", "f(to: write u32[])", form="spirv")
        self.refused("run", file, "--entry", "f", "--device", "cpu", "--grid", "1", code=BUILD_FAILED, words=["spirv", "c"])

    def test_a_folder_is_a_pack(self):
        self.pack(PLACES_CODE, PLACES, name="pack")
        self.command("run", ".", "--entry", "places", "--device", "cpu", "--grid", "2", "--out", "to=u32[2]:to.npy")
        self.assertEqual(self.read_npy("to.npy")[2], [0, 1])

    def test_an_output_that_numpy_has_no_type_for_is_a_record(self):
        file = self.pack("void f(const pintle_group* g, void* const* a) { (void)g; (void)a; }", "f(to: write bf16[])")
        self.command("run", file, "--entry", "f", "--device", "cpu", "--grid", "1", "--out", "to=bf16[2]:to.npy")
        written = (self.folder / "to.npy").read_bytes()
        self.assertIn(b"'descr': [('bfloat16', '<u2')], 'fortran_order': False, 'shape': (2,), ", written)
        self.assertEqual(written[-5:], b"\n\0\0\0\0")

    def test_two_outputs_need_two_files(self):
        file = self.pack("void f(const pintle_group* g, void* const* a) { (void)g; (void)a; }", "f(a: write u8[], b: write u8[])")
        self.refused("run", file, "--entry", "f", "--device", "cpu", "--grid", "1", "--out", "a=u8[1]:same.npy", "--out",
                     "b=u8[1]:same.npy", code=INVALID, words=["same.npy", "two parameters"])


class Ends(CommandCase):
    """A kernel that ends the process: the command says by what, and what was running."""

    # A sanitizer would end the process its own way.
    QUIET = {name: os.environ.get(name, "") + "".join(f":handle_{one}=0" for one in ("segv", "sigbus", "sigill", "sigfpe", "abort"))
             for name in ("ASAN_OPTIONS", "TSAN_OPTIONS")}

    def run_to_the_end(self, code, signal, *words, device="cpu"):
        file = self.pack("#include <signal.h>\nint getpid(void);\nint pause(void);\nint kill(int process, int signal);\nvoid f(const pintle_group* g, void* const* a) { (void)g; (void)a; " + code + " }", "f()")
        for style in ((), ("--json",)):
            result = self.command("run", file, "--entry", "f", "--device", device, "--grid", "1", *style, code=-signal, environment=self.QUIET)
            message = f'ends this process while it is running [Kernel "f"] on [{device}].'
            self.assertIn(message, result.stderr)
            for word in words:
                self.assertIn(word, result.stderr)
            if style:
                error = json.loads(result.stdout)["error"]
                self.assertEqual((error["code"], error["exit"]), ("internal", 128 + signal))
                self.assertIn(message, error["message"])
            else:
                self.assertEqual(result.stdout, "")

    def test_a_fault_is_said_in_words(self):
        self.run_to_the_end("*(volatile int*)8 = 1;", signal.SIGSEGV, "Signal 11 (invalid memory access)")
        self.run_to_the_end("__builtin_trap();", signal.SIGILL, "Signal 4 (an instruction that the processor does not have)")
        self.run_to_the_end("volatile int none = 0; *(volatile int*)&none = 7 / none;", signal.SIGFPE, "Signal 8 (arithmetic error")

    def test_an_abort_and_a_request_are_said_in_words(self):
        self.run_to_the_end("raise(SIGABRT);", signal.SIGABRT, "Signal 6 (abort)")
        self.run_to_the_end("kill(getpid(), SIGTERM); pause();", signal.SIGTERM, "Signal 15 (request to end)")

    def test_a_fault_on_the_calling_thread(self):
        self.run_to_the_end("*(volatile int*)8 = 1;", signal.SIGSEGV, "Signal 11", device="cpu?inline")


if __name__ == "__main__":
    unittest.main()
