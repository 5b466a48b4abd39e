"""Ctrl-C in what blocks: KeyboardInterrupt, and soon."""

import signal
import time

import pytest

import child

WAITS = {
    "wait": "pintle.Signal().point(1).wait(60)",
    "wait with the default": "pintle.Signal().point(1).wait()",
    "wait_all": "pintle.wait_all([pintle.Signal().point(1)], 60)",
    "wait_any": "pintle.wait_any([pintle.Signal().point(1), pintle.Signal().point(1)], 60)",
    "submission": "ready()[4].submit(after=[gate.point(1)]).wait(60)",
    "numpy": "device, kernel, x, y, queue = ready(); queue.submit(pintle.fill(y, 1.0), after=[gate.point(1)]); begun(); y.numpy()",
    "wait_idle": "device, kernel, x, y, queue = ready(); queue.submit(after=[gate.point(1)]); begun(); device.wait_idle(60)",
    "full queue": "queue = ready()[4]; queue.submit(after=[gate.point(1)]); begun()\nwhile True: queue.submit(timeout=60)",
    "download": "device, kernel, x, y, queue = ready(); queue.submit(pintle.fill(y, 1.0), after=[gate.point(1)]); begun(); y[0:3].numpy()",
}
PROGRAM = """
import sys
def begun():
    print("begun", flush=True)
gate = pintle.Signal()
try:
    {before}
    {statement}
except KeyboardInterrupt:
    gate.set(1)
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize("name", WAITS)
def test_ctrl_c_ends_it_within_a_second(name):
    statement = WAITS[name].replace("\n", "\n    ")
    process = child.start(PROGRAM.format(statement=statement, before="" if "begun()" in statement else "begun()"), PYTHONUNBUFFERED="1")
    assert process.stdout.readline() == "begun\n"
    time.sleep(0.3)  # Into the wait. Too early is as good: then the interpreter raises it.
    process.send_signal(signal.SIGINT)
    sent = time.monotonic()
    status, out, err = child.finish(process, 30)
    assert (status, out, err) == (0, "interrupted\n", "")
    assert time.monotonic() - sent < 10  # it is 1 s where the machine is free; the wait itself has 60 s


def test_an_uncaught_interrupt_ends_the_process_as_python_does():
    process = child.start("print('begun', flush=True)\npintle.Signal().point(1).wait(60)")
    assert process.stdout.readline() == "begun\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    status, _, err = child.finish(process, 30)
    assert status == -signal.SIGINT and "KeyboardInterrupt" in err


def test_a_handler_of_a_signal_runs_during_a_wait():
    code = """
    import signal, threading, os
    it = pintle.Signal()
    signal.signal(signal.SIGUSR1, lambda *_: it.set(1))
    threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGUSR1]).start()
    it.point(1).wait(30)
    print("reached")
    """
    assert child.passes(code) == "reached\n"


def test_an_exception_of_a_handler_ends_the_wait():
    code = """
    import signal, threading, os
    class Enough(Exception): pass
    def handler(*_): raise Enough
    signal.signal(signal.SIGUSR1, handler)
    threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGUSR1]).start()
    try: pintle.wait_any([pintle.Signal().point(1)], 60)
    except Enough: print("enough")
    """
    assert child.passes(code) == "enough\n"


def test_other_threads_run_during_a_wait():
    code = """
    import threading
    it, turns = pintle.Signal(), []
    def work():
        for i in range(1000): turns.append(i)
        it.set(1)
    threading.Timer(0.1, work).start()
    it.point(1).wait(30)
    print(len(turns))
    """
    assert child.passes(code) == "1000\n"
