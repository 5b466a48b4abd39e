#!/usr/bin/env python3
"""What validated.py refuses, on programs that write what the layer would."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).with_name("validated.py")
STATUS = ("UNASSIGNED-khronos-validation-createinstance-status-message(INFO / SPEC): msgNum: -671457468 - Active:\n"
          "    Current Enables: VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION, "
          "VALIDATION_CHECK_ENABLE_SYNCHRONIZATION_VALIDATION_QUEUE_SUBMIT.\n")
HAZARD = ("SYNC-HAZARD-READ-AFTER-WRITE(ERROR / SPEC): msgNum: -455515022 - Validation Error: [ name ] Object 0: handle"
          " = 0x{handle}, type = VK_OBJECT_TYPE_BUFFER; | MessageID = 0xe4d96472 | Hazard for buffer 0x{handle}\n")
TWICE = STATUS + "[ RUN      ] Copy.Works/vulkan_0\n" + HAZARD.format(handle="1a") + HAZARD.format(handle="2b")


class Validated(unittest.TestCase):
    def check(self, output, status=0, allowed="", options=()):
        """(exit status, output) of the script on a program that writes `output` and ends with `status`."""
        with tempfile.TemporaryDirectory() as folder:
            text, allow = Path(folder, "output"), Path(folder, "allowed.txt")
            text.write_text(output, encoding="utf-8")
            allow.write_text(allowed, encoding="utf-8")
            program = ["sh", "-c", f"cat {text}; exit {status}"]
            command = [sys.executable, "-B", SCRIPT, "--allow", allow, *options, "--", *program]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout

    def refuse(self, words, *arguments, **options):
        status, output = self.check(*arguments, **options)
        self.assertEqual(status, 1, output)
        self.assertIn(words, output)

    def accept(self, *arguments, **options):
        status, output = self.check(*arguments, **options)
        self.assertEqual(status, 0, output)

    def test_silence_is_accepted_only_from_an_active_layer(self):
        self.accept(STATUS)
        self.refuse("does not say that it is active", "")
        self.refuse("does not say that it is active", STATUS.replace("_QUEUE_SUBMIT", ""))

    def test_a_message_fails_and_is_shown_once_with_its_count_and_test(self):
        self.refuse("ERROR SYNC-HAZARD-READ-AFTER-WRITE, 2 times, first in Copy.Works/vulkan_0 (NOT ALLOWED)", TWICE)

    def test_warnings_fail_too(self):
        self.refuse("NOT ALLOWED", STATUS + HAZARD.format(handle="1").replace("ERROR", "WARN"))

    def test_an_allowed_message_passes_if_name_and_part_fit(self):
        self.accept(TWICE, allowed="SYNC-HAZARD-READ-AFTER-WRITE | for buffer | the layer is wrong\n")
        self.accept(TWICE, allowed="SYNC-HAZARD-READ-AFTER-WRITE | | the layer is wrong\n")
        self.refuse("NOT ALLOWED", TWICE, allowed="SYNC-HAZARD-READ-AFTER-WRITE | for image | the layer is wrong\n")
        self.refuse("NOT ALLOWED", TWICE, allowed="SYNC-HAZARD | | the layer is wrong\n")

    def test_an_entry_needs_a_reason(self):
        self.refuse("with a reason", STATUS, allowed="SYNC-HAZARD-READ-AFTER-WRITE | |\n")

    def test_an_expected_message_must_come_and_no_other(self):
        self.accept(TWICE, options=["--expect", "SYNC-HAZARD-READ-AFTER-WRITE"])
        self.refuse("is not reported", STATUS, options=["--expect", "SYNC-HAZARD-READ-AFTER-WRITE"])
        self.refuse("NOT ALLOWED", TWICE, options=["--expect", "SYNC-HAZARD-WRITE-AFTER-WRITE"])

    def test_the_program_must_succeed(self):
        self.refuse("The program ends with 3.", STATUS, status=3)


if __name__ == "__main__":
    unittest.main()
