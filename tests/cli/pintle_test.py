"""The command as a whole: help, version, exit codes, standard output, what it is linked to."""

import re
import subprocess
import unittest

from harness import IO, PINTLE, UNAVAILABLE, USAGE, CommandCase


class Pintle(CommandCase):
    def test_help_has_the_commands_and_the_exit_codes(self):
        text = self.command("--help").stdout
        for word in ("devices", "info", "doctor", "run", "pack", "Exit codes:", "3   the device or what it needs is not there"):
            self.assertIn(word, text)

    def test_what_does_not_exist_is_not_listed(self):
        for name in ("replay", "trace"):
            self.assertNotRegex(self.command("--help").stdout, rf"(?m)^ +{name}\b")
            self.refused(name, code=USAGE, words=[name])

    def test_help_shows_defaults(self):
        text = self.command("run", "--help").stdout
        self.assertRegex(text, r"--device TEXT=best")
        self.assertIn("--json", text)

    def test_version_names_the_backends(self):
        lines = self.command("--version").stdout.splitlines()
        self.assertRegex(lines[0], r"^pintle \d+\.\d+\.\d+( \([0-9a-f]{12}\))?$")
        self.assertRegex(lines[1], r"^backends: .*\bcpu\b.*\bnull\b")
        self.assertEqual(lines[2], "layers: bounds, faulty, trace, validate")
        self.assertEqual(self.command("--version", environment={"PINTLE_TIMEOUT_MS": "soon"}).stdout.splitlines(), lines)

    def test_wrong_command_lines(self):
        self.refused(code=USAGE, words=["command is required"])
        self.refused("dance", code=USAGE, words=["dance"])
        self.refused("devices", "--dance", code=USAGE, words=["--dance"])
        self.refused("run", "a.pack", code=USAGE, words=["--entry"])

    def test_wrong_command_lines_with_json_are_documents(self):
        self.usage_error(words=["command is required"])
        self.usage_error("dance", words=["dance"])
        self.usage_error("devices", "--dance", words=["--dance"])
        self.usage_error("run", "a.pack", words=["--entry"])
        self.usage_error("launch", "-n", "-1", "true", words=['"-1"', "1 to 1024"])

    def test_misspelt_words_are_recognised(self):
        for words, meant in ((["devcies"], "devices"), (["dev"], "devices"), (["devices", "--jsno"], "--json"), (["run", "--entyr", "x"], "--entry"),
                             (["run", "a.pack", "--entry=x", "--grid=1", "--devise=cpu"], "--device"), (["bench", "collectve", "--rank", "2"], None)):
            result = self.command(*words, code=USAGE)
            if meant:
                self.assertIn(f'Did you mean "{meant}"?', result.stderr)
        self.assertNotIn("Did you mean", self.command("xyzzy", code=USAGE).stderr)
        self.assertIn('Did you mean "vulkan"?', self.command("info", "vulcan:1", code=UNAVAILABLE).stderr)
        self.assertIn('Did you mean "validate"?', self.command("info", "valdiate(cpu)", code=UNAVAILABLE).stderr)
        self.assertIn('Did you mean "best"?', self.command("info", "bset", code=UNAVAILABLE).stderr)

    def test_a_misspelt_variable_is_said_once(self):
        words = 'Variable "PINTLE_TIMEOUT" is unknown and does nothing. Did you mean PINTLE_TIMEOUT_MS?'
        for more in ({}, {"PINTLE_LOG": "warn"}):
            result = self.command("info", "cpu", environment={"PINTLE_TIMEOUT": "5", **more})
            self.assertEqual(result.stderr.count(words), 1, result.stderr)
        self.assertEqual(self.command("info", "cpu", environment={"PINTLE_TIMEOUT_MS": "5000"}).stderr, "")
        self.assertIn("the known ones are PINTLE_LOG,", self.command("info", "cpu", environment={"PINTLE_XYZZY": "5"}).stderr)

    def test_what_is_wrong_with_a_setting_does_not_steer_the_terminal(self):
        self.assertNotIn(b"\x1b", self.shown("info", "cpu", environment={"PINTLE_CACHE_DIR": "/x\x1b[2J"}))
        self.assertNotIn(b"\x1b", self.shown("run", "x\x1b[2J.pack", "--entry", "f", "--grid", "1"))
        self.assertNotIn(b"\x1b", self.shown("dance\x1b[2J"))

    def test_every_command_takes_json_and_help(self):
        names = re.findall(r"(?m)^  (\w+) ", self.command("--help").stdout.split("Subcommands:")[1].split("Exit codes:")[0])
        self.assertGreaterEqual(set(names), {"devices", "info", "doctor", "run", "pack"})
        for name in names:
            self.assertIn("--json", self.command(name, "--help").stdout)

    def test_a_full_disk_is_an_io_error(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            result = self.command("devices", code=IO, stdout=full)
        self.assertIn("Standard output", result.stderr)

    def test_no_vendor_library_is_linked(self):
        libraries = subprocess.run(["ldd", PINTLE], text=True, capture_output=True, check=True).stdout
        self.assertIn("libc.so", libraries)
        self.assertNotRegex(libraries.lower(), r"cuda|hip|vulkan|opencl|ze_loader|wgpu|dawn|pjrt|metal|not found")


if __name__ == "__main__":
    unittest.main()
