"""The types of the package, as mypy and its stubtest judge them: the package itself, the stubs of the extension, and programs of users."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pintle
from test_example import EXAMPLE

ROOT = Path(__file__).resolve().parents[2]
ALLOWED = Path(__file__).with_name("stubs_allowed.txt")
PACKAGES = Path(pintle.__file__).parents[1]
WHEELS = ROOT / f"build/venv/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"  # the group types of tools/wheels.txt
pytestmark = pytest.mark.skipif(not (WHEELS / "mypy").is_dir(), reason="mypy is not installed (./dev setup types)")

TYPED = '''
from typing import assert_type
import numpy as np, pintle
device = pintle.open("cpu")
buffer, queue = device.empty((8, 4), "f32"), device.queue()
kernel = device.load(pintle.open_pack("saxpy.pack"))["saxpy"]
done = queue.launch(kernel, 2.0, buffer, buffer[0:2], 8, items=8, after=[pintle.Signal().point(1)])
assert_type(buffer[0:2], pintle.View)
assert_type(buffer[0:2].buffer, pintle.Buffer)
assert_type(buffer[0:2].buffer.device.id, str)
assert_type(kernel, pintle.Kernel)
assert_type(kernel.device, pintle.Device)
assert_type(queue.device, pintle.Device)
assert_type(queue.signal.owner, pintle.Device | None)
assert_type(device.record(kernel.command(2.0, buffer, buffer, 8, items=8)).device, pintle.Device)
assert_type(pintle.TexelBuffer(buffer, "rgba32f").memory, pintle.Buffer | pintle.View)
assert_type(done, pintle.Point)
assert_type(done.signal, pintle.Signal)
assert_type(device.info.capabilities, tuple[tuple[str, pintle.Capability], ...])
assert_type(pintle.devices()[0], pintle.DeviceInfo)
memory = buffer.native
if isinstance(memory, pintle.CpuMemory):
    assert_type(memory.address, int)
with pintle.group() as group:
    group.run(pintle.Collective.all_reduce(buffer.numpy()), timeout=3)
    assert_type(group, pintle.Group)
async def wait() -> None:
    await done
'''
# A mistake a line, behind the same beginning.
MISTAKES = ["pintle.opne()", "device.nope", "queue.launch(2.0)", "queue.launch(kernel=kernel)", 'buffer.numpy(timeout="soon")', "buffer[0]", "pintle.slot(index=0)",
            "queue.free(buffer=buffer)", "buffer[0:2].buffer.nope", "queue.device.nope", "done.wait(timeout=None, other=1)", "queue.signal.owner.id", "device.empty(None)"]


def run(*command):
    """The status and the words of a module that the wheels bring."""
    paths = [str(PACKAGES), os.environ.get("PYTHONPATH", ""), str(WHEELS)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "MYPYPATH": str(PACKAGES)}
    done = subprocess.run([sys.executable, "-B", "-m", *map(str, command)], env=environment, capture_output=True, text=True, timeout=200)
    return done.returncode, done.stdout + done.stderr


def mypy(*what):
    return run("mypy", "--strict", "--no-error-summary", "--no-pretty", "--cache-dir", ROOT / "build/mypy", *what)


def test_the_package_is_strict():
    assert mypy("-p", "pintle") == (0, "")


@pytest.mark.parametrize("name, code", [("example", EXAMPLE), ("typed", TYPED)])
def test_a_program_of_a_user_is_strict(name, code, tmp_path):
    (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    assert mypy(tmp_path / f"{name}.py") == (0, "")


def test_mistakes_are_found(tmp_path):
    before = TYPED.partition("assert_type(buffer")[0]
    (tmp_path / "wrong.py").write_text(before + "\n".join(MISTAKES) + "\n", encoding="utf-8")
    status, words = mypy(tmp_path / "wrong.py")
    found = {int(line) - before.count("\n") - 1 for line in re.findall(r"wrong\.py:(\d+): error", words)}
    assert status == 1 and [MISTAKES[i] for i in range(len(MISTAKES)) if i not in found] == [], words
    assert len(found) == len(MISTAKES), words


def test_the_stubs_are_those_of_the_extension():
    unused = ["--ignore-unused-allowlist"] if sys.version_info >= (3, 12) else []
    status, words = run("mypy.stubtest", "pintle._native", "--concise", "--allowlist", ALLOWED, *unused)
    assert status == 0, words


def test_what_is_allowed_has_a_reason():
    lines = [line for line in ALLOWED.read_text(encoding="utf-8").splitlines() if line]
    assert not [line for before, line in zip(lines, lines[1:]) if not line.startswith("#") and not before.startswith("#")]
