"""The Python code of the documents runs: a block that imports the package is a program, any other one gets its names from `names`."""

import re
from pathlib import Path

import numpy as np
import pytest

import child
import pintle

ROOT = Path(__file__).resolve().parents[2]
# tests/tinygrad has the page that needs tinygrad.
PAGES = [ROOT / "README.md", *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page.name != "tinygrad.md")]
BLOCK = re.compile(r"^```python(?: title=\"Pintle\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks():
    """(place, code) of each block."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in BLOCK.finditer(text):
            line = text.count("\n", 0, match.start(1))
            yield f"{page.name}:{line + 1}", "\n" * line + match[1]


BLOCKS = list(blocks())
PROGRAMS = [each for each in BLOCKS if re.search(r"^import .*\bpintle\b", each[1], re.MULTILINE)]
PARTS = [each for each in BLOCKS if each not in PROGRAMS]
ANYWHERE = [each for each in PROGRAMS if 'open("best"' in each[1]]
ONCE = [each for each in PROGRAMS if each not in ANYWHERE]  # they open a device by its name


def names(device):
    """What a block may use."""
    saxpy = device.load(pintle.open_pack("saxpy.pack"))["saxpy"]
    x, y = np.full(1000, 3, np.float32), np.ones(1000, np.float32)
    return {"np": np, "pintle": pintle, "device": device, "saxpy": saxpy, "x": x, "y": y, "dx": device.buffer(x), "dy": device.buffer(y), "queue": device.queue()}


def test_the_guide_has_programs_and_parts():
    assert any(place.startswith("python.md") for place, _ in PROGRAMS) and any(place.startswith("python.md") for place, _ in PARTS)


@pytest.mark.parametrize("place, code", ONCE, ids=[place for place, _ in ONCE])
def test_a_program_runs(place, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    child.passes(code, "-W", "error", prelude="")


WGSL = [each for each in ONCE if 'format="wgsl"' in each[1]]


def test_a_page_has_wgsl():
    assert WGSL and all('open("cpu"' in code for _, code in WGSL)


@pytest.mark.parametrize("place, code", WGSL, ids=[place for place, _ in WGSL])
def test_wgsl_of_a_program_runs_on_webgpu(place, code, tmp_path, monkeypatch):
    if not any(each.backend == "webgpu" for each in pintle.devices()):
        pytest.skip("no device of webgpu is here")
    monkeypatch.chdir(tmp_path)
    child.passes(code.replace('open("cpu"', 'open("webgpu"'), "-W", "error", prelude="")


@pytest.mark.parametrize("place, code", ANYWHERE, ids=[place for place, _ in ANYWHERE])
def test_a_program_runs_on_each_device(device, place, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    child.passes(code, "-W", "error", prelude="", PINTLE_DEVICE=device.id)


@pytest.mark.parametrize("place, code", PARTS, ids=[place for place, _ in PARTS])
def test_a_part_runs_on_each_device(device, place, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "guide" / place.partition(":")[0]
    its = names(device)
    exec(compile(code, str(page), "exec"), its)
    device.wait_idle(30)
