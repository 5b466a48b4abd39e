"""Programs of Python in processes of their own: what ends, forks, hangs or is interrupted is not to take the tests with it."""

import os
import subprocess
import sys
import textwrap

PRELUDE = """
import numpy as np, pintle
def ready():
    device = pintle.open("cpu")
    kernel = device.load(pintle.open_pack("saxpy.pack"))["saxpy"]
    x, y = device.buffer(np.full(1000, 3, np.float32)), device.buffer(np.ones(1000, np.float32))
    return device, kernel, x, y, device.queue()
"""


def start(code, *options, prelude=PRELUDE, **environment):
    """A process that runs `code` with the tests' package."""
    return subprocess.Popen([sys.executable, "-B", *options, "-c", prelude + textwrap.dedent(code)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            stdin=subprocess.DEVNULL, text=True, env={**os.environ, **environment})


def finish(process, timeout=60):
    """(exit code, stdout, stderr). A process that does not end in time is killed, and the test fails."""
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"The process did not end within {timeout} s. It said:\n{out}\n{err}") from None
    return process.returncode, out, err


def run(code, *options, timeout=60, **more):
    return finish(start(code, *options, **more), timeout)


def passes(code, *options, timeout=60, **more):
    """The output of a process that ends well and says nothing on stderr."""
    status, out, err = run(code, *options, timeout=timeout, **more)
    assert (status, err) == (0, ""), f"The process ended with {status}.\n{out}\n{err}"
    return out
