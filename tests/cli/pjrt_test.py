"""Plug-ins of PJRT that are none, or not what they should be: each is named, and none takes the command down."""

import os
import shutil
import subprocess
import unittest

from harness import FAILED, CommandCase

HEAD = "#include <stddef.h>\nstruct version { size_t size; void* extensions; int major, minor; };\n" \
       "struct api { size_t size; void* extensions; struct version version; void* functions[200]; };\n"


@unittest.skipUnless(shutil.which("cc"), "no C compiler is installed")
class Plugins(CommandCase):
    def plugin(self, name, text):
        source = self.folder / f"{name}.c"
        source.write_text(HEAD + text)
        library = self.folder / f"{name}.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        return str(library)

    def interface(self, name, size="sizeof(struct api)", major=0, minor=81):
        return self.plugin(name, f"static struct api all = {{ {size}, NULL, {{ sizeof(struct version), NULL, {major}, {minor} }}, {{0}} }};\n"
                                 "const void* GetPjrtApi(void) { return &all; }\n")

    def absences(self, *paths):
        """The reasons why the backend has no device, where these are its plug-ins."""
        document = self.json("devices", environment={"PINTLE_BACKENDS": "cpu,pjrt", "PINTLE_PJRT_PLUGINS": ":".join(paths)})
        self.assertEqual([row["id"] for row in document["devices"]], ["cpu"])
        reasons = [row["reason"] for row in document["absences"] if row["backend"] == "pjrt"]
        self.assertTrue(all(row["next_step"] for row in document["absences"]))
        return reasons

    def test_no_plugin_is_an_absence_with_the_next_step(self):
        document = self.json("devices", environment={"PINTLE_BACKENDS": "pjrt", "PINTLE_PJRT_PLUGINS": "", "VIRTUAL_ENV": str(self.folder)})
        (absence,) = document["absences"]
        self.assertIn("PINTLE_PJRT_PLUGINS", absence["next_step"])

    def test_each_plugin_that_is_none_is_named(self):
        nowhere = str(self.folder / "nowhere.so")
        other = self.plugin("other", "int other(void) { return 1; }\n")
        null = self.plugin("null", "const void* GetPjrtApi(void) { return NULL; }\n")
        reasons = self.absences(nowhere, other, null)
        self.assertEqual(len(reasons), 3)
        for reason, path, words in zip(reasons, (nowhere, other, null), ("No such file", "GetPjrtApi", "no PJRT interface")):
            self.assertIn(path, reason)
            self.assertIn(words, reason)

    def test_another_major_version_is_refused_with_both(self):
        (reason,) = self.absences(self.interface("next", major=1, minor=2))
        self.assertIn("(1.2)", reason)
        self.assertIn("(0)", reason)

    def test_a_stripped_interface_names_what_it_lacks(self):
        (short,) = self.absences(self.interface("short", size="8"))
        self.assertIn("(8)", short)
        (stripped,) = self.absences(self.interface("stripped", size="offsetof(struct api, functions) + 3 * sizeof(void*)"))
        self.assertIn("Function \"Error_Destroy\"", stripped)

    def test_a_plugin_that_crashes_when_it_is_asked_costs_its_backend_alone(self):
        path = self.plugin("crash", "const void* GetPjrtApi(void) { __builtin_trap(); }\n")
        environment = {"PINTLE_BACKENDS": "cpu,pjrt", "PINTLE_PJRT_PLUGINS": path}
        rows = {row["subject"]: row for row in self.json("doctor", environment=environment, code=FAILED)["findings"]}
        self.assertEqual(rows["cpu"]["verdict"], "ok")
        self.assertEqual(rows["pjrt"]["verdict"], "fail")
        self.assertIn("signal", rows["pjrt"]["text"])

    def test_plugins_of_a_virtual_environment_are_found(self):
        folder = self.folder / "lib" / "python3.11" / "site-packages" / "jax_plugins" / "mine"
        folder.mkdir(parents=True)
        shutil.move(self.interface("mine", major=7), folder / "plugin.so")
        document = self.json("devices", environment={"PINTLE_BACKENDS": "pjrt", "PINTLE_PJRT_PLUGINS": "", "VIRTUAL_ENV": str(self.folder)})
        self.assertIn(str(folder / "plugin.so"), document["absences"][0]["reason"])

    @unittest.skipUnless(os.environ.get("PINTLE_PJRT_PLUGINS"), "PINTLE_PJRT_PLUGINS names no plug-in")
    def test_a_pack_runs(self):
        """The plug-ins of the tests, by the command alone."""
        (self.folder / "scale.mlir").write_text("!x = tensor<?xf32>\nfunc.func @scale(%x: !x, %by: tensor<f32>) -> !x {\n"
                                                "  %all = stablehlo.broadcast_in_dim %by, dims = [] : (tensor<f32>) -> !x\n"
                                                "  %product = stablehlo.multiply %x, %all : !x\n  return %product : !x\n}\n")
        self.write_npy("x.npy", "<f4", (4,), [1, 2, 3, 4])
        pack = self.folder_pack((self.folder / "scale.mlir").read_text(), "scale(x: read_write f32[], by: f32)", form="stablehlo")
        environment = {"PINTLE_PJRT_PLUGINS": os.environ["PINTLE_PJRT_PLUGINS"]}
        self.command("run", pack, "--entry", "scale", "--arg", "x=x.npy", "--arg", "by=2.5", "--out", "x=f32[4]:y.npy", "--items", "4", "--device", "pjrt:0",
                     environment=environment)
        self.assertEqual(self.read_npy("y.npy"), ("<f4", (4,), [2.5, 5.0, 7.5, 10.0]))


if __name__ == "__main__":
    unittest.main()
