"""The programs of docs/guide/tinygrad.md run as they are written."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "tinygrad.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_guide_has_programs():
    assert len(BLOCKS) >= 3


@pytest.mark.parametrize("code", BLOCKS, ids=range(len(BLOCKS)))
def test_a_program_of_the_guide_runs(program, code):
    ended = program(code)
    assert ended.status == 0, ended.err
    for line in re.findall(r"^.*print\(.*# (.*)$", code, re.MULTILINE):
        assert line in ended.out.splitlines()
