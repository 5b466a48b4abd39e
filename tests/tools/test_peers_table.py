"""bench/peers/table.py: a row for each peer, Pintle's in bold, the best library marked, what is lost and what is skipped said."""

import contextlib
import io
import json
import sys
import unittest
from unittest import mock

from tree import ROOT, Tree

sys.path.insert(0, str(ROOT / "bench/peers"))

import table


def peer(device="cpu", is_reference=False, sizes=(), **medians):
    """`medians` in microseconds or milliseconds; saxpy_1Mi in GB/s."""
    parts = {}
    for name, value in medians.items():
        parts[name] = {"n": 3, "p10": value, "p50": value, "p90": value, "unit": "us"}
        if name == "saxpy_1Mi":
            parts[name]["gb_s"] = {"p10": value, "p50": value, "p90": value}
    return {"about": "?", "how": "?", "device": device, "is_reference": is_reference, "parts": parts, **dict(sizes)}


RESULT = {
    "host": {},
    "peers": {
        "hand": peer(is_reference=True, launch=0.02, saxpy_1Mi=300),
        "pintle cpu": peer(launch=0.25, saxpy_1Mi=200, cold_first=147.4, sizes={"rss_mib": 6.25, "size_mib": 3.0}),
        "jax cpu": peer(launch=4.5, saxpy_1Mi=250, cold_first=1651.2),
        "pintle vulkan": peer("vulkan", launch=28.0),
        "wgpu-py": peer("vulkan", launch=58.0),
    },
    "skipped": {"ggml cpu": {"all": "there is no package"}, "wgpu-py": {"upload": "out of memory"}},
}


class TableTest(unittest.TestCase):
    def setUp(self):
        self.page = table.page_of(RESULT)
        lines = [line for line in self.page.splitlines() if line.startswith("|")]
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        self.head, self.rule = cells[:2]
        self.rows = {row[0]: dict(zip(self.head, row)) for row in cells[2:]}

    def test_it_is_one_markdown_table(self):
        self.assertEqual(self.head[0], "peer")
        self.assertEqual(set(self.rule[1:]), {rule for rule in self.rule[1:] if rule.endswith("-:")})
        self.assertTrue(all(len(row) == len(self.head) for row in self.rows.values()))
        self.assertEqual(list(self.rows), ["hand", "**pintle cpu**", "jax cpu", "**pintle vulkan**", "wgpu-py"])

    def test_columns_have_units(self):
        for heading in ("launch, µs", "saxpy 1 Mi, GB/s", "cold start, ms", "memory, MiB"):
            self.assertIn(heading, self.head)

    def test_pintle_is_bold_and_the_best_library_is_marked(self):
        self.assertEqual(self.rows["**pintle cpu**"]["launch, µs"], "**0.25 ★**")
        self.assertEqual(self.rows["jax cpu"]["launch, µs"], "4.5")
        self.assertEqual(self.rows["jax cpu"]["saxpy 1 Mi, GB/s"], "250 ★")
        self.assertEqual(self.rows["**pintle cpu**"]["saxpy 1 Mi, GB/s"], "**200**")

    def test_no_library_is_no_peer(self):
        self.assertEqual(self.rows["hand"]["launch, µs"], "0.02")
        self.assertIn("a row with no library (hand) is not compared", self.page)

    def test_large_numbers_have_no_exponent_and_missing_ones_a_dash(self):
        self.assertEqual(self.rows["jax cpu"]["cold start, ms"], "1651")
        self.assertEqual(self.rows["wgpu-py"]["saxpy 1 Mi, GB/s"], "–")
        self.assertEqual(self.rows["**pintle vulkan**"]["memory, MiB"], "–")
        self.assertEqual(self.rows["**pintle cpu**"]["memory, MiB"], "**6.25**")

    def test_what_pintle_loses_is_listed_on_the_same_device_alone(self):
        losses = [line for line in self.page.splitlines() if line.startswith("- pintle")]
        self.assertEqual(losses, ["- pintle cpu, saxpy 1 Mi: 200 GB/s; jax cpu: 250 GB/s"])

    def test_skipped_peers_and_parts_have_their_reasons(self):
        self.assertIn("\nSkipped:\n\n- ggml cpu: there is no package\n- wgpu-py, upload: out of memory\n", self.page)

    def test_nothing_lost_and_nothing_skipped_says_nothing(self):
        page = table.page_of({"peers": {"pintle cpu": peer(launch=1.0)}, "skipped": {}})
        self.assertNotIn("quicker than Pintle", page)
        self.assertNotIn("Skipped", page)

    def test_an_empty_run_is_a_table_without_rows(self):
        self.assertEqual(len([line for line in table.page_of({"peers": {}, "skipped": {}}).splitlines() if line.startswith("|")]), 2)

    def test_a_file_is_printed(self):
        with Tree() as tree, contextlib.redirect_stdout(io.StringIO()) as said:
            tree["peers.json"] = json.dumps(RESULT)
            with mock.patch.object(sys, "argv", ["table.py", str(tree.root / "peers.json")]):
                table.main()
        self.assertEqual(said.getvalue(), self.page)


if __name__ == "__main__":
    unittest.main()
