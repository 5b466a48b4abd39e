"""`pintle bench`: one figure as rows."""

import unittest

from harness import INVALID, UNAVAILABLE, USAGE, CommandCase

KEYS = {"name", "device", "unit", "min", "p50", "p99", "reference", "ratio", "ratio_low", "ratio_high"}


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

    def test_help_lists_the_figures(self):
        text = self.command("bench", "--help").stdout
        for name in ("dispatch_hot", "dispatch_idle", "submit", "replay_1000", "parallel_saxpy", "copy", "start"):
            self.assertIn(name, text)

    def test_what_cannot_be_measured(self):
        self.refused("bench", code=USAGE, words=["NAME"])
        self.refused("bench", "luck", code=INVALID, words=["luck", "dispatch_hot"])
        self.refused("bench", "submit", "--pairs", "3", code=INVALID, words=["3", "31"])
        self.refused("bench", "submit", "--device", "nowhere", code=UNAVAILABLE, words=["nowhere"])


if __name__ == "__main__":
    unittest.main()
