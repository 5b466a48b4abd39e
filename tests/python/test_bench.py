"""bench/python/run.py, which ./dev nightly packages runs with --strict: what it judges, and what it says where nothing is built."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench/python"


@pytest.fixture
def run(monkeypatch):
    """The script as a module."""
    monkeypatch.syspath_prepend(str(BENCH))
    import run
    return run


@pytest.mark.parametrize("more, options, status", [(1400, ["--strict"], 0), (1600, ["--strict"], 1), (1600, [], 0)])
def test_a_reach_that_is_missed_fails_where_it_is_strict(run, monkeypatch, capsys, more, options, status):
    samples = [2000.0, 2100.0], [500.0, 600.0], more
    monkeypatch.setattr(run, "rows", lambda options: [run.row("a launch", "ns", 1, samples, 1500), run.row("another", "ns", 1, samples)])
    monkeypatch.setattr(sys, "argv", ["run.py", "build/release", *options])
    assert run.main() == status
    words = capsys.readouterr().out
    assert "| a launch | ns | 2,050.0 |" in words and ("missed: a launch: 1,600.0 ns more" in words) == (more == 1600)


def test_what_is_not_built_is_named(tmp_path):
    (tmp_path / "release").mkdir()
    done = subprocess.run([sys.executable, "-B", BENCH / "run.py", tmp_path / "release"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "saxpy.pack" in done.stderr and "./dev build release bench_python_reference pintle_python" in done.stderr
