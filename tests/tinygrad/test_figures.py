"""bench/tinygrad/run.py: what its table says. Nothing is measured here."""

import importlib.util
import sys
from pathlib import Path

PATH = Path(__file__).resolve().parents[2] / "bench" / "tinygrad" / "run.py"
SPEC = importlib.util.spec_from_file_location("bench_tinygrad", PATH)
run = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(run)


def test_a_row_has_the_median_and_its_interval_of_both_sides():
    ours, theirs = [float(time) for time in range(100, 200)], [float(time) for time in range(200, 400, 2)]
    assert run.row("a step", (ours, theirs)) == "| a step | 150 us (110 to 190) | 300 us (220 to 380) | 0.50 |"


def test_the_commit_and_the_load_are_said(monkeypatch, capsys):
    class Models:
        MODELS = {"a step": None}

    monkeypatch.setitem(sys.modules, "models", Models)
    monkeypatch.setattr(run, "measured", lambda *_: ([1.0], [2.0]))
    monkeypatch.setattr(run, "commit", lambda: "abc-dirty")
    monkeypatch.setattr("sys.argv", ["run.py"])
    monkeypatch.setattr(run.os, "environ", {})
    run.main()
    words = capsys.readouterr().out.splitlines()
    assert ", commit abc-dirty, 300 steps, load " in words[0] and words[0].endswith(" processors at the start")
    assert words[-1].startswith("load ") and words[-1].endswith(" processors at the end")


def test_a_tree_without_git_has_no_commit(monkeypatch, tmp_path):
    monkeypatch.setattr(run, "__file__", str(tmp_path / "run.py"))
    assert run.commit() == "unknown"
