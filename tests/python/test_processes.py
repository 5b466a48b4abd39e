"""fork, a second interpreter, and the end of the process with work in flight."""

import multiprocessing
import os
import signal
import time

import numpy as np
import pytest

import child
import pintle


def forked(work, timeout=30):
    """What `work` answered in a forked child: the name of what it raised, or "nothing". A child that hangs is killed and fails the test."""
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            work()
            answer = "nothing"
        except BaseException as error:  # noqa: BLE001  # the parent says which
            answer = f"{type(error).__module__}.{type(error).__name__}: {str(error)[:200]}"
        os.write(writer, answer.encode())
        os._exit(0)
    os.close(writer)
    deadline = time.monotonic() + timeout
    while True:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended or time.monotonic() > deadline:
            break
        time.sleep(0.01)
    if not ended:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    answer = os.read(reader, 1 << 16).decode()
    os.close(reader)
    assert ended, f"The child hangs; it said {answer!r}."
    assert status == 0, f"The child ended with {os.waitstatus_to_exitcode(status)}."
    return answer


@pytest.fixture
def rig():
    device = pintle.open("cpu")
    kernel = device.load(pintle.open_pack("saxpy.pack"))["saxpy"]
    x, y = device.buffer(np.full(1000, 3, np.float32)), device.buffer(np.ones(1000, np.float32))
    queue = device.queue()
    done = queue.launch(kernel, 2.0, x, y, 1000, items=1000)
    done.wait(30)
    return {"device": device, "kernel": kernel, "x": x, "y": y, "queue": queue, "done": done, "signal": pintle.Signal(),
            "command": kernel.command(1.0, x, y, 1000, items=1000), "recording": device.record(kernel.command(1.0, x, y, 1000, items=1000))}


USES = {
    "launch": lambda r: r["queue"].launch(r["kernel"], 1.0, r["x"], r["y"], 1000, items=1000),
    "submit": lambda r: r["queue"].submit(r["command"]),
    "replay": lambda r: r["queue"].replay(r["recording"]),
    "wait": lambda r: r["signal"].point(1).wait(60),
    "wait_any": lambda r: pintle.wait_any([r["signal"].point(1)], 60),
    "wait_idle": lambda r: r["device"].wait_idle(60),
    "open": lambda r: pintle.open("cpu"),
    "load": lambda r: r["device"].load(pintle.open_pack("saxpy.pack")),
    "buffer": lambda r: r["device"].buffer(np.ones(4, np.float32)),
    "numpy": lambda r: r["y"].numpy(),
    "queue": lambda r: r["device"].queue(),
    "signal": lambda r: pintle.Signal(),
}
# What needs no thread of the parent may give an answer instead of an error.
MAY_WORK = {"numpy", "signal"}


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", USES)
def test_a_forked_child_gets_an_error(rig, name):
    answer = forked(lambda: USES[name](rig))
    assert answer.startswith("pintle.errors.Unavailable") or (name in MAY_WORK and answer == "nothing"), answer
    rig["queue"].launch(rig["kernel"], 1.0, rig["x"], rig["y"], 1000, items=1000).wait(30)  # the parent goes on


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_forked_child_lets_go_of_everything(rig):
    import gc

    def work():
        rig.clear()
        gc.collect()
    assert forked(work) == "nothing"


def in_child(queue):
    try:
        pintle.open("cpu")
        queue.put("opened")
    except pintle.Error as error:
        queue.put(error.code)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_fork_of_multiprocessing_gets_an_error(cpu):
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    process = context.Process(target=in_child, args=(answers,))
    process.start()
    process.join(30)
    hung = process.is_alive()
    if hung:
        process.kill()
    assert not hung and process.exitcode == 0
    assert answers.get() == "unavailable"


def test_spawn_of_multiprocessing_works():
    code = """
    import multiprocessing, sys, child_of_spawn
    if __name__ == "__main__":
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            print(pool.map(child_of_spawn.sum_of, [2.0, 3.0]))
        pool.join()
    """
    assert child.passes(code, PYTHONPATH=os.pathsep.join([os.environ.get("PYTHONPATH", ""), os.path.dirname(__file__)]), timeout=90) == "[7.0, 10.0]\n"


def test_a_fork_before_the_first_use_works():
    code = """
    import os, sys
    process = os.fork()
    if process == 0:
        device, kernel, x, y, queue = ready()
        queue.launch(kernel, 2.0, x, y, 1000, items=1000).wait(30)
        os._exit(0 if (y.numpy() == 7).all() else 3)
    print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
    """
    assert child.passes(code) == "0\n"


def test_a_child_with_callbacks_ends():
    code = """
    import os, threading
    signal, happened = pintle.Signal(), threading.Event()
    signal.point(1).then(lambda error: happened.set())
    signal.set(1)
    happened.wait(30)
    process = os.fork()
    if process == 0:
        try: pintle.Signal().point(1).then(print)
        except pintle.Error: pass
        raise SystemExit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
    """
    assert child.passes(code) == "0\n"


@pytest.mark.parametrize("prelude, after", [
    (None, "device, kernel, x, y, queue = ready()\nqueue.launch(kernel, 2.0, x, y, 1000, items=1000).wait(30)"),
    ("", "import pintle\npintle.open('cpu').queue().submit().wait(30)")], ids=["after the first", "before the first"])
def test_a_second_interpreter_is_refused_with_the_reason(prelude, after):
    code = """
import _xxsubinterpreters as interpreters
it = interpreters.create()
try:
    interpreters.run_string(it, "import pintle")
    print("imported")
except interpreters.RunFailedError as error:
    print(error)
interpreters.destroy(it)
"""
    out = child.passes(code + after, **({} if prelude is None else {"prelude": prelude}))
    assert "ImportError" in out and "interpreter" in out.lower()


SLOW = """
pack = pintle.source("void spin(const pintle_group* group, float* x) { for (volatile long i = 0; i < 300000000; ++i) {} x[0] = 1; }",
                     format="c", signatures=["spin(x: write f32[])"])
device = pintle.open("cpu")
spin, x, queue = device.load(pack)["spin"], device.empty(1), device.queue()
done = queue.launch(spin, x, groups=1)
"""
ENDS = {
    "held work": "device, kernel, x, y, queue = ready()\ndone = queue.launch(kernel, 2.0, x, y, 1000, items=1000, after=[pintle.Signal().point(1)])",
    "held work with a signal that stays": "gate = pintle.Signal()\ndevice, kernel, x, y, queue = ready()\ndone = queue.launch(kernel, 2.0, x, y, 1000, items=1000, after=[gate.point(1)])",
    "running work": SLOW,
    "running work that writes an array": SLOW.replace("device.empty(1)", "device.wrap(np.zeros(1, np.float32))"),
    "an upload in flight": "device, kernel, x, y, queue = ready()\nqueue.submit(pintle.upload(x, np.ones(1000, np.float32)), after=[pintle.Signal().point(1)])",
    "a download in flight": "device, kernel, x, y, queue = ready()\nqueue.submit(pintle.download(np.ones(1000, np.float32), x), after=[pintle.Signal().point(1)])",
    "a callback that is due": "gate = pintle.Signal()\ngate.point(1).then(lambda error: None)\ngate.set(1)",
    "a callback that never comes": "gate = pintle.Signal()\ngate.point(1).then(lambda error: None)",
    "a callback that runs": "import time\ngate = pintle.Signal()\ngate.point(1).then(lambda error: time.sleep(60))\ngate.set(1)\ntime.sleep(0.1)",
    "a call that has not begun": "gate = pintle.Signal()\nqueue = ready()[4]\nqueue.submit(after=[gate.point(1)])\nqueue.call(print)",
    "a call that runs": "import time\nqueue = ready()[4]\nqueue.call(lambda: time.sleep(60))\ntime.sleep(0.1)",
    "an upload in flight without a copy": "device, kernel, x, y, queue = ready()\nqueue.submit(pintle.upload(x, np.ones(1000, np.float32), copy=False), after=[pintle.Signal().point(1)])",
    "wrapped memory in flight": "device, kernel, x, y, queue = ready()\na = np.ones(1000, np.float32)\n"
                                "queue.submit(pintle.fill(device.wrap_memory(a.ctypes.data, 1000, owner=a), 1.0), after=[pintle.Signal().point(1)])\ndel a",
    "the log": "pintle.log_to_logging('debug')\ndevice, kernel, x, y, queue = ready()\nqueue.launch(kernel, 2.0, x, y, 1000, items=1000)",
    "an array that outlives": "import sys\ndevice, kernel, x, y, queue = ready()\nsys.kept = y.numpy()",
    "a thread that waits": "import threading\ngate = pintle.Signal()\nthreading.Thread(target=lambda: gate.point(1).wait(60), daemon=True).start()",
    "threads that submit": "import threading\ndevice, kernel, x, y, queue = ready()\ndef work():\n    while True: queue.launch(kernel, 2.0, x, y, 1000, items=1000)\n"
                           "for _ in range(4): threading.Thread(target=work, daemon=True).start()\nimport time\ntime.sleep(0.2)",
    "a cycle": "device, kernel, x, y, queue = ready()\nclass A: pass\na = A(); a.a = a; a.all = (device, kernel, x, y, queue, queue.submit())",
    "a module's global of every kind": "device, kernel, x, y, queue = ready()\nr = device.record(kernel.command(1.0, x, y, 1000, items=1000))\nv = x[0:10]\np = queue.replay(r)",
}


@pytest.mark.parametrize("name", ENDS)
def test_the_interpreter_ends_cleanly_with(name):
    assert child.passes(ENDS[name], timeout=60) == ""


def test_an_exception_ends_it_as_any_program():
    status, _, err = child.run(ENDS["held work"] + "\nraise RuntimeError('done here')")
    assert status == 1 and err.rstrip().endswith("RuntimeError: done here") and err.startswith("Traceback")


def test_sys_exit_in_the_middle_of_async_work():
    code = """
    import asyncio, sys
    async def main():
        asyncio.create_task(wait())
        await asyncio.sleep(0.01)
        sys.exit(5)
    async def wait(): await pintle.Signal().point(1)
    asyncio.run(main())
    """
    assert child.run(code)[::2] == (5, "")
