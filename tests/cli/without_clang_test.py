"""What the cpu loads where clang 19 is not there: what is packed as a shared object, C by the compiler of the system, and no OpenCL C."""

import shutil
import unittest
from pathlib import Path

import png
from harness import BUILD_FAILED, SAXPY, CommandCase

SAXPY_CL = """
kernel void saxpy(float a, global const float* x, global float* y, uint n) {
  const uint i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + y[i];
}
"""


class WithoutClang(CommandCase):
    def setUp(self):
        super().setUp()
        self.bare = {"PATH": str(self.programs("nothing"))}
        self.only_cc = {"PATH": str(self.programs("compiler", "cc", "as", "ld", "env"))}
        if "opencl_c" not in self.formats({}):
            self.skipTest("OpenCL C on the cpu was not built, or clang 19 is not there either way")

    def programs(self, name, *programs):
        """A folder with these programs of PATH alone."""
        folder = Path(self.folder, name)
        folder.mkdir()
        for program in programs:
            (folder / program).symlink_to(shutil.which(program))
        return folder

    def formats(self, environment):
        return self.json("info", "cpu", environment=environment)["device"]["formats"]

    def pack_opencl_c(self, form):
        (self.folder / "saxpy.cl").write_text(SAXPY_CL)
        self.command("pack", "saxpy.cl", "--entry", SAXPY, "--format", form, "-o", f"{form}.pack")
        return f"{form}.pack"

    def saxpy(self, pack):
        self.write_npy("x.npy", "<f4", (300,), [3.0] * 300)
        self.write_npy("y.npy", "<f4", (300,), [1.0] * 300)
        return ["run", pack, "--entry", "saxpy", "--device", "cpu", "--grid", "2", "--arg", "a=2", "--arg", "n=300", "--arg", "x=x.npy", "--arg", "y=y.npy",
                "--out", "y=f32[300]:result.npy"]

    def expect_sevens(self, pack, environment):
        self.command(*self.saxpy(pack), environment=environment)
        self.assertEqual(self.read_npy("result.npy")[2], [7.0] * 300)

    def test_the_device_lists_what_it_loads(self):
        for environment in (self.bare, self.only_cc):
            self.assertEqual(self.formats(environment), ["native", "so", "c"])

    def test_c_is_compiled_by_the_compiler_of_the_system(self):
        self.expect_sevens(self.pack(), self.only_cc)

    def test_a_packed_so_needs_no_compiler(self):
        self.expect_sevens(self.pack_opencl_c("so"), self.bare)

    def test_opencl_c_is_refused_with_the_package_to_install(self):
        self.refused(*self.saxpy(self.pack_opencl_c("opencl_c")), code=BUILD_FAILED, words=["takes the formats native, so, c.", "Install the package clang-19 and its linker lld-19."],
                     environment=self.only_cc)
        (row,) = [row for row in self.json("doctor", environment=self.only_cc)["findings"] if row["subject"] == "opencl_c"]
        self.assertEqual(row["verdict"], "warn")
        self.assertIn("clang-19, which is not found in PATH", row["text"])
        self.assertIn("apt install clang-19 lld-19", row["next_step"])

    def test_the_demo_runs_without_any_compiler(self):
        (self.folder / "small.png").write_bytes(png.encode(2, 2, 8, png.GRAY, [[0, 255], [255, 0]]))
        rows = self.json("demo", "small.png", "--device", "cpu", environment=self.bare)["rows"]
        self.assertEqual([row["kind"] for row in rows], ["kernel", "kernel", "all"])


if __name__ == "__main__":
    unittest.main()
