"""`pintle doctor`: what is wrong and what to do."""

import json
import os
import subprocess
import unittest

from harness import FAILED, INVALID, OK, CommandCase


class Doctor(CommandCase):
    def findings(self, **options):
        rows = self.json("doctor", **options)["findings"]
        for row in rows:
            self.assertEqual(set(row), {"subject", "verdict", "text", "next_step"})
            self.assertTrue(row["text"], row)
            self.assertTrue(row["verdict"] == "ok" or row["next_step"], row)
        return {row["subject"]: row for row in rows}

    def test_a_machine_that_can_build_is_well(self):
        rows = self.findings()
        for subject in ("settings", "cpu", "null", "compiler", "cache", "threads"):
            self.assertEqual(rows[subject]["verdict"], "ok", rows[subject])
        self.assertIn(self.cache.name, rows["cache"]["text"])

    def test_text_has_the_same(self):
        text = self.command("doctor").stdout
        for subject in self.findings():
            self.assertIn(subject, text)

    def test_no_compiler_is_a_fault(self):
        rows = self.findings(code=FAILED, environment={"PINTLE_CC": "/nowhere/cc"})
        self.assertEqual(rows["compiler"]["verdict"], "fail")
        self.assertIn("/nowhere/cc", rows["compiler"]["text"])
        self.assertIn("PINTLE_CC", rows["compiler"]["next_step"])

    def test_a_compiler_that_does_not_compile_is_a_fault(self):
        fake = self.folder / "cc"
        fake.write_text('#!/bin/sh\n[ "$1" = --version ] && exec echo fake 1.0\necho out of order >&2\nexit 1\n')
        fake.chmod(0o755)
        rows = self.findings(code=FAILED, environment={"PINTLE_CC": str(fake)})
        self.assertEqual(rows["compiler"]["verdict"], "fail")
        self.assertIn("out of order", rows["compiler"]["text"])

    def test_a_cache_that_cannot_be_written_is_a_warning(self):
        (self.folder / "file").write_text("in the way")
        rows = self.findings(environment={"PINTLE_CACHE_DIR": str(self.folder / "file" / "cache")})
        self.assertEqual(rows["cache"]["verdict"], "warn")
        self.assertIn("PINTLE_CACHE_DIR", rows["cache"]["next_step"])
        self.assertEqual(rows["compiler"]["verdict"], "ok")

    def test_a_cache_that_others_can_write_is_a_warning_and_gets_no_file(self):
        folder = self.folder / "shared"
        folder.mkdir()
        folder.chmod(0o1777)
        rows = self.findings(environment={"PINTLE_CACHE_DIR": str(folder)})
        self.assertEqual(rows["cache"]["verdict"], "warn")
        self.assertIn("mode (1777) lets others write it", rows["cache"]["text"])
        self.assertEqual(list(folder.iterdir()), [])

    def test_the_cache_is_where_the_variables_say(self):
        variables = {"PINTLE_CACHE_DIR": "", "XDG_CACHE_HOME": str(self.folder / "xdg")}
        self.assertIn(str(self.folder / "xdg" / "pintle"), self.findings(environment=variables)["cache"]["text"])
        self.assertTrue(list((self.folder / "xdg" / "pintle").iterdir()))

    def test_an_unknown_setting_is_a_warning(self):
        result = self.command("doctor", environment={"PINTLE_THREADS": "2"})
        self.assertRegex(result.stdout, r"warn +settings +Variable \"PINTLE_THREADS\" is unknown and does nothing. Did you mean PINTLE_CPU_THREADS\?")

    def test_a_bad_setting_is_a_fault(self):
        rows = self.findings(code=FAILED, environment={"PINTLE_TIMEOUT_MS": "soon"})
        self.assertEqual(rows["settings"]["verdict"], "fail")
        self.assertIn("PINTLE_TIMEOUT_MS", rows["settings"]["text"])

    def rows_of(self, subject, code=OK, environment=None, **options):
        document = self.json("doctor", *options.pop("arguments", ()), code=code, environment=environment, **options)
        return [row for row in document["findings"] if row["subject"] == subject]

    def test_no_manifest_is_said_with_where_they_were_looked_for(self):
        empty = self.folder / "empty"
        empty.mkdir()
        for subject, variable in (("vulkan driver", "VK_DRIVER_FILES"), ("opencl driver", "OCL_ICD_VENDORS")):
            (row,) = self.rows_of(subject, environment={variable: str(empty)})
            self.assertEqual(row["verdict"], "warn")
            self.assertIn("No driver is installed", row["text"])
            self.assertIn(variable, row["text"])
            self.assertIn("apt install", row["next_step"])

    def manifest(self, text):
        path = self.folder / "driver.json"
        path.write_text(text)
        return {"VK_DRIVER_FILES": str(path), "VK_ICD_FILENAMES": str(path)}

    def test_a_bogus_manifest_is_named(self):
        for text, words in (("{", "is not JSON"), ("{}", "names no library")):
            (row,) = self.rows_of("vulkan driver", code=FAILED, environment=self.manifest(text))
            self.assertEqual(row["verdict"], "fail")
            self.assertIn("driver.json", row["text"])
            self.assertIn(words, row["text"])

    def test_a_manifest_of_a_library_that_is_not_there(self):
        environment = self.manifest('{"ICD": {"library_path": "./libno_such_driver.so"}}')
        (row,) = self.rows_of("vulkan driver", code=FAILED, environment=environment)
        self.assertIn("libno_such_driver.so", row["text"])
        self.assertIn("cannot be loaded", row["text"])
        self.assertIn("mesa-vulkan-drivers", row["next_step"])

    def crashing_driver(self):
        source = self.folder / "crash.c"
        source.write_text("__attribute__((constructor)) static void crash(void) { __builtin_trap(); }\n")
        library = self.folder / "libcrash.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        return self.manifest(json.dumps({"file_format_version": "1.0.0",
                                         "ICD": {"library_path": str(library), "api_version": "1.3.0"}}))

    def test_a_driver_that_crashes_at_load_crashes_alone(self):
        (row,) = self.rows_of("vulkan driver", code=FAILED, environment=self.crashing_driver())
        self.assertEqual(row["verdict"], "fail")
        self.assertIn("libcrash.so", row["text"])
        self.assertIn("crashes when it is loaded", row["text"])
        self.assertIn("signal", row["text"])

    def test_a_node_that_cannot_be_opened_names_the_group(self):
        node = self.folder / "dev" / "dri" / "renderD128"
        node.parent.mkdir(parents=True)
        node.write_text("")
        arguments = ("--root", self.folder)
        (row,) = self.rows_of("node", arguments=arguments)
        self.assertEqual(row["verdict"], "ok")
        node.chmod(0)
        self.folder.chmod(0o755)
        if os.geteuid() != 0:
            (row,) = self.rows_of("node", arguments=arguments)
        else:  # root may open everything
            nobody = 65534
            home = {"HOME": "/nonexistent", "PINTLE_CACHE_DIR": ""}
            (row,) = self.rows_of("node", arguments=arguments, environment=home, user=nobody, group=nobody)
        self.assertEqual(row["verdict"], "warn")
        self.assertIn("renderD128 cannot be opened", row["text"])
        self.assertIn("render", row["next_step"])

    def test_a_backend_may_be_left_out(self):
        subjects = self.findings(environment={"PINTLE_BACKENDS": "cpu"})
        self.assertIn("cpu", subjects)
        self.assertNotIn("null", subjects)
        self.command("run", "--help", environment={"PINTLE_BACKENDS": "cpu"})
        listed = self.json("devices", environment={"PINTLE_BACKENDS": "null,cpu"})["devices"]
        self.assertEqual([device["id"] for device in listed], ["cpu", "null"])
        refused = self.command("devices", code=INVALID, environment={"PINTLE_BACKENDS": "cpu,gpu"})
        self.assertIn('"gpu"', refused.stderr)
        self.assertIn("null", refused.stderr)

    def test_threads_obey_the_setting(self):
        self.assertIn("with 1 thread of ", self.findings(environment={"PINTLE_CPU_THREADS": "1"})["threads"]["text"])


if __name__ == "__main__":
    unittest.main()
