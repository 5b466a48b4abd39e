"""tools/figures.py: the table, the plot and the check of docs/figures.md."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
import figures  # noqa: E402


def row(name="submit", device="cpu", unit="ns", ratio=2.0, **more):
    return {"name": name, "device": device, "unit": unit, "min": 1, "p50": 20.0, "p99": 40.0, "worst": 50.0,
            "reference": {"name": "a | mutex", "p50": 10.0}, "ratio": ratio, "ratio_low": ratio * 0.9, "ratio_high": ratio * 1.1,
            "pairs": [], **more}


def raw(*rows, time="2026-01-02T03:04:05Z"):
    return {"host": {"time": time, "load": "0.10 0.2 0.3 1/2 3", "processors": 2}, "rows": list(rows)}


class Rows(unittest.TestCase):
    def test_what_was_skipped_is_left_out_and_pairs_are_not_kept(self):
        rows = list(figures.rows_of(raw(row(), {"name": "x", "device": "cpu", "skipped": "no device"})))
        self.assertEqual([(one["name"], one["date"], one["load"]) for one in rows], [("submit", "2026-01-02", "0.10")])
        self.assertNotIn("pairs", rows[0])

    def test_the_rows_of_a_newer_run_take_the_place_of_their_figure_and_device(self):
        old = [*figures.rows_of(raw(row(size=1024), row(size=2048), row(device="null")))]
        new = [*figures.rows_of(raw(row(size=4096, ratio=3.0)))]
        self.assertEqual([(one["device"], one["ratio"]) for one in figures.merge(old, new)], [("cpu", 3.0), ("null", 2.0)])

    def test_cases_of_one_size_are_all_kept_and_told_apart(self):
        cases = [row(reference={"name": name, "p50": 10.0}) for name in ("f32 to f16", "f16 to f32 " + "and back " * 10)]
        rows = figures.merge([], [*figures.rows_of(raw(*cases))])
        labels = [figures.label_of(one, rows) for one in rows]
        self.assertEqual(labels[0], "submit, cpu: f32 to f16")
        self.assertTrue(labels[1].endswith("…"))
        self.assertEqual(figures.label_of(rows[0], rows[:1]), "submit, cpu")


class Page(unittest.TestCase):
    def test_a_miss_is_said_and_a_bar_does_not_break_the_table(self):
        line = figures.line_of(next(figures.rows_of(raw(row(reach="ratio <= 1", reached=False, size=4096)))))
        self.assertIn("`submit` 4 Ki", line)
        self.assertIn("ratio <= 1: **missed**", line)
        self.assertIn("a \\| mutex", line)

    def test_units_keep_numbers_short(self):
        self.assertEqual([figures.number(*each) for each in ((12.34, "ns"), (1234, "ns"), (2.5e6, "ns"), (1.234, "GB/s"))],
                         ["12.3 ns", "1.23 µs", "2.50 ms", "1.23 GB/s"])

    def test_faster_is_to_the_right_for_times_and_throughputs(self):
        self.assertEqual((figures.gain(0.5, "ns"), figures.gain(2.0, "GB/s")), (2.0, 2.0))

    def test_the_check_finds_a_table_and_a_plot_that_do_not_follow(self):
        with tempfile.TemporaryDirectory() as name:
            docs = Path(name) / "docs"
            docs.mkdir()
            (docs / "figures.md").write_text(f"# Figures\n{figures.BEGIN}\n{figures.END}\n", encoding="utf-8")
            (docs / "raw.json").write_text(json.dumps(raw(row())), encoding="utf-8")

            def run(*arguments):
                return subprocess.run([sys.executable, "-B", TOOLS / "figures.py", "--root", name, *arguments],
                                      capture_output=True, text=True, check=False)

            self.assertEqual(run(docs / "raw.json").returncode, 0)
            self.assertEqual(run("--check").returncode, 0)
            for file in ("figures.md", "figures.svg"):
                text = (docs / file).read_text(encoding="utf-8")
                (docs / file).write_text(text.replace("20.0 ns", "19.0 ns").replace("<circle", "<ellipse"), encoding="utf-8")
                done = run("--check")
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"{file} does not follow", done.stderr)
                (docs / file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    unittest.main()
