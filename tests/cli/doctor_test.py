"""`pintle doctor`: what is wrong and what to do."""

import unittest

from harness import FAILED, CommandCase


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

    def test_the_cache_is_where_the_variables_say(self):
        variables = {"PINTLE_CACHE_DIR": "", "XDG_CACHE_HOME": str(self.folder / "xdg")}
        self.assertIn(str(self.folder / "xdg" / "pintle"), self.findings(environment=variables)["cache"]["text"])
        self.assertTrue(list((self.folder / "xdg" / "pintle").iterdir()))

    def test_an_unknown_setting_is_a_warning(self):
        result = self.command("doctor", environment={"PINTLE_THREADS": "2"})
        self.assertRegex(result.stdout, r"warn +settings +Variable PINTLE_THREADS is unknown")

    def test_a_bad_setting_is_a_fault(self):
        rows = self.findings(code=FAILED, environment={"PINTLE_TIMEOUT_MS": "soon"})
        self.assertEqual(rows["settings"]["verdict"], "fail")
        self.assertIn("PINTLE_TIMEOUT_MS", rows["settings"]["text"])

    def test_threads_obey_the_setting(self):
        self.assertIn("with 1 thread of ", self.findings(environment={"PINTLE_CPU_THREADS": "1"})["threads"]["text"])


if __name__ == "__main__":
    unittest.main()
