"""`pintle bench`: one figure as rows."""

import os
import unittest

from harness import INVALID, UNAVAILABLE, USAGE, CommandCase

PLUGINS = os.environ.get("PINTLE_PJRT_PLUGINS")  # harness.py leaves out what else is set
KEYS = {"name", "device", "unit", "min", "p50", "p99", "worst", "reference", "ratio", "ratio_low", "ratio_high"}


class Bench(CommandCase):
    def test_json_rows_have_every_number(self):
        rows = self.json("bench", "replay_1000", "--device", "cpu")
        self.assertTrue(rows)
        for row in rows:
            self.assertGreaterEqual(set(row), KEYS)
            self.assertEqual((row["name"], row["device"]), ("replay_1000", "cpu"))
            self.assertEqual(set(row["reference"]), {"name", "p50"})
            self.assertTrue(0 < row["min"] <= row["p50"] <= row["p99"], row)
            self.assertTrue(row["ratio_low"] <= row["ratio"] <= row["ratio_high"], row)
            self.assertIn("difference_ns", row)

    def test_rows_are_told_as_they_come(self):
        result = self.command("bench", "submit", "--device", "cpu")
        first, *rows = result.stderr.splitlines()
        self.assertEqual(first, "Measuring submit on cpu, 31 pairs a row.")
        self.assertTrue(rows)
        for row in rows:
            self.assertRegex(row, r"^submit on cpu(, size \d+)?: [0-9.e+]+ \S+, [0-9.e+-]+ times ")

    def test_help_lists_the_figures(self):
        text = self.command("bench", "--help").stdout
        for name in ("dispatch_hot", "dispatch_idle", "submit", "replay_1000", "parallel_saxpy", "copy", "start",
                     "launch", "recording_1000", "steps", "chains", "transfer_up", "transfer_down", "first_result",
                     "convert", "feed"):
            self.assertIn(name, text)

    def test_a_device_without_another_interface_is_skipped(self):
        for name in ("launch", "recording_1000", "steps", "transfer_up", "transfer_down"):
            row, = self.json("bench", name, "--device", "cpu")
            self.assertEqual((row["name"], row["device"]), (name, "cpu"))
            self.assertIn("cpu", row["skipped"])
            self.assertNotIn("reached", row)

    def test_absent_apis_are_skipped_with_the_reason(self):
        hidden = {"VK_ICD_FILENAMES": "/nowhere.json", "VK_DRIVER_FILES": "/nowhere.json", "OCL_ICD_VENDORS": "/nowhere",
                  "CUDA_VISIBLE_DEVICES": "", "HIP_VISIBLE_DEVICES": "", "PINTLE_WEBGPU": "/nowhere.so", "PINTLE_PJRT_PLUGINS": "/nowhere.so"}
        rows = self.json("bench", "launch", environment=hidden)
        self.assertEqual({row["name"] for row in rows}, {"launch"})
        self.assertEqual([row["device"] for row in rows], ["vulkan", "opencl", "cuda", "hip", "webgpu", "pjrt"])
        for row in rows:
            self.assertTrue(row["skipped"])
            self.assertNotIn("reached", row)

    @unittest.skipUnless(PLUGINS, "PINTLE_PJRT_PLUGINS names no plug-in")
    def test_steps_in_place_by_hand(self):
        for name in ("steps", "launch"):
            for row in self.json("bench", name, "--device", "pjrt:0", environment={"PINTLE_PJRT_PLUGINS": PLUGINS}):
                self.assertGreaterEqual(set(row), KEYS | {"reach", "reached"})

    def test_chains_are_measured_on_the_cpu(self):
        row, = self.json("bench", "chains", "--device", "cpu")
        self.assertGreaterEqual(set(row), KEYS | {"reach", "reached"})
        self.assertEqual(row["device"], "cpu")

    def test_by_hand_on_each_device(self):
        """A launch by hand on every vulkan and opencl device that is listed here."""
        devices = [d["id_by_name"] for d in self.json("devices")["devices"] if d["backend"] in ("vulkan", "opencl")]
        if not devices:
            self.skipTest("no vulkan or opencl device is here")
        rows = self.json("bench", "launch")
        self.assertLessEqual(set(devices), {row["device"] for row in rows})
        for row in rows:
            if "skipped" not in row:
                self.assertGreaterEqual(set(row), KEYS | {"reach", "reached"})

    def test_what_cannot_be_measured(self):
        self.refused("bench", code=USAGE, words=["NAME"])
        self.refused("bench", "luck", code=INVALID, words=["luck", "dispatch_hot"])
        self.refused("bench", "submit", "--pairs", "3", code=INVALID, words=["3", "31"])
        self.refused("bench", "submit", "--device", "nowhere", code=UNAVAILABLE, words=["nowhere"])


if __name__ == "__main__":
    unittest.main()
