"""Children, searches, interrupts and the profiler: each in a process of its own."""

import pickle
import signal

import numpy as np
import pytest
from pintle_tinygrad import listing
from tinygrad import Device, Tensor

SPAWNED = """
    import multiprocessing
    from tinygrad import Tensor

    def child(values):
        return (Tensor(values) * 2).tolist()

    if __name__ == "__main__":
        print((Tensor([1.0]) + 1).tolist())
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            print(pool.map(child, [[1.0, 2.0]]))
"""
FORKED = """
    import os
    from tinygrad import Tensor
    x = (Tensor([1.0]) + 1).realize()
    child = os.fork()
    if child == 0:
        try:
            print((x + 1).tolist())
        except RuntimeError as error:
            print("refused:", error)
        os._exit(0)
    os.waitpid(child, 0)
    print(x.tolist())
"""
SEARCH = """
    from tinygrad import Tensor
    from tinygrad.helpers import Context
    if __name__ == "__main__":
        with Context(BEAM=1):
            a = Tensor.arange(64 * 64).reshape(64, 64).float().contiguous().realize()
            print((a @ a).sum().item())
"""
FOREVER = """
    from tinygrad import Tensor, TinyJit
    @TinyJit
    def step(x):
        return ((x + 1).contiguous() * 2).contiguous().realize()
    x = Tensor.ones(1 << 16).contiguous().realize()
    for _ in range(3):
        step(x)
    try:
        print("ready", flush=True)
        while True:
            step(x)
    except KeyboardInterrupt:
        print("interrupted", step(x).numpy().max())
"""
LATE = """
    import pintle
    from tinygrad import Device, Tensor
    x, gate = Tensor([1.0]).realize(), pintle.Signal()
    Device["PINTLE"].place.after.append(gate.point(1))
    (x + 1).realize()
    try:
        Device["PINTLE"].synchronize()
    except RuntimeError as error:
        print(error)
    gate.set(1)
"""
PROFILED = """
    import pickle
    from tinygrad import Tensor, TinyJit, Device
    from tinygrad.device import Compiled
    @TinyJit
    def step(x):
        return ((x + 1).contiguous() * 2).contiguous().realize()
    x = Tensor.ones(1000).contiguous().realize()
    for _ in range(5):
        step(x)
    Device["PINTLE"].synchronize()
    found = [each for each in Compiled.profile_events if getattr(each, "device", "") == "PINTLE"]
    graphs = [each for each in Compiled.profile_events if hasattr(each, "ents")]
    ranges = [each for each in found if getattr(each, "en", None) is not None]
    assert all(each.en >= each.st > 0 for each in ranges), ranges
    print(len(ranges) > 0, sum(len(each.ents) for each in graphs), all(each.sigs == sorted(each.sigs) for each in graphs))
    import os
    os._exit(0)  # without the profiler's viewer
"""


def test_a_spawned_child_has_its_own_devices(program):
    ended = program(SPAWNED)
    assert (ended.status, ended.out) == (0, "[2.0]\n[[2.0, 4.0]]\n"), ended.err


def test_a_forked_child_is_refused_and_the_parent_goes_on(program):
    ended = program(FORKED)
    assert ended.status == 0 and ended.out.startswith("refused: ") and "fork" in ended.out and ended.out.endswith("[2.0]\n"), ended.out + ended.err


def test_a_search_for_fast_kernels_ends(program, name):
    ended = program(SEARCH, TINYGRAD_PINTLE_DEVICES=listing.id_of(name), PARALLEL="2", IGNORE_BEAM_CACHE="1", BEAM_UPCAST_MAX="8", BEAM_LOCAL_MAX="16")
    assert ended.status == 0, ended.err

    a = np.arange(64 * 64, dtype=np.float64).reshape(64, 64)
    expected = (a @ a).sum()
    assert float(ended.out) == pytest.approx(expected, rel=1e-5)


def test_ctrl_c_ends_a_jit_and_leaves_the_device_whole(program):
    def interrupt(process):
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)

    ended = program(FOREVER, begun=interrupt)
    assert (ended.status, ended.out) == (0, "interrupted 4.0\n"), ended.err


def test_the_profiler_gets_the_devices_times(program, name):
    ended = program(PROFILED, PROFILE="1", TINYGRAD_PINTLE_DEVICES=listing.id_of(name))
    assert (ended.status, ended.out) == (0, "True 8 True\n"), ended.out + ended.err


def test_work_that_takes_longer_than_the_timeout_is_a_runtime_error(program):
    ended = program(LATE, PINTLE_TIMEOUT_MS="300")
    assert ended.status == 0 and ended.out.startswith("waiting for PINTLE: "), ended.out + ended.err


def test_a_program_may_end_with_work_in_flight(program):
    ended = program("from tinygrad import Tensor\nfor _ in range(50): (Tensor.ones(1 << 20).contiguous() + 1).realize()\nprint('end')")
    assert (ended.status, ended.out, ended.err) == (0, "end\n", "")


def test_renderers_and_results_can_be_pickled(name):
    renderer = Device[name].renderer
    again = pickle.loads(pickle.dumps(renderer))
    assert type(again) is type(renderer) and again.target == renderer.target
    assert pickle.loads(pickle.dumps(Tensor([1.0, 2.0], device=name).realize())).tolist() == [1, 2]
