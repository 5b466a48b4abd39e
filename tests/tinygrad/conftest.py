"""What the tests share: the device, a folder for what tinygrad keeps, and programs in processes of their own."""

import os
import subprocess
import sys
import tempfile
import textwrap

import pytest

os.environ.update(DEV="PINTLE", TINYGRAD_PINTLE_DEVICES=os.environ.get("TEST_DEVICES", "cpu opencl:pocl"))
CASES = os.environ["TINYGRAD_PINTLE_DEVICES"].split()  # what the cases run on: PINTLE and PINTLE:1
if "CACHEDB" not in os.environ:
    os.environ["CACHEDB"] = os.path.join(tempfile.mkdtemp(prefix="pintle-tinygrad-"), "cache.db")


def _is_there(name):
    from tinygrad import Device
    try:
        Device[name]
    except RuntimeError as error:
        return f"{name} is absent: {error}"
    return ""


@pytest.fixture(params=["PINTLE", "PINTLE:1"], ids=CASES)
def name(request):
    """A device of tinygrad: PINTLE is always there."""
    reason = _is_there(request.param)
    assert not reason or request.param != "PINTLE", reason
    if reason:
        pytest.skip(reason)
    return request.param


@pytest.fixture
def second():
    reason = _is_there("PINTLE:1")
    if reason:
        pytest.skip(reason)
    return "PINTLE:1"


class Ended:
    """How a program ended."""

    def __init__(self, process, timeout):
        try:
            self.out, self.err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            self.out, self.err = process.communicate()
            raise AssertionError(f"The program did not end within {timeout} s. It said:\n{self.out}\n{self.err}") from None
        self.status = process.returncode


@pytest.fixture
def program(tmp_path):
    """Runs a text as a program, from a file, since spawned children import it."""
    def run(code, timeout=400, begun=None, **environment):
        path = tmp_path / "program.py"
        path.write_text(textwrap.dedent(code), encoding="utf-8")
        process = subprocess.Popen([sys.executable, "-B", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                                   cwd=tmp_path, env={**os.environ, **environment})
        if begun is not None:
            begun(process)
        return Ended(process, timeout)

    return run
