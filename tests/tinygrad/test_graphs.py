"""tinygrad's JIT: its graphs are recordings, and what changes are slots."""

import signal
from types import SimpleNamespace

import numpy as np
import pintle_tinygrad.graphs
import pytest
from pintle_tinygrad.graphs import PintleGraph
from tinygrad import Device, Tensor, TinyJit, Variable
from tinygrad.engine.realize import graph_cache
from tinygrad.helpers import Context


def graphs():
    return [each for each in graph_cache.values() if isinstance(each, PintleGraph)]


def steps(name):
    """A function of three kernels, whose weights stay."""
    w = Tensor(np.arange(64, dtype=np.float32).reshape(8, 8), device=name).realize()

    @TinyJit
    def step(x):
        y = (x @ w).relu().contiguous()
        z = (y @ w).contiguous()
        return (z.sum() + y.max()).realize()

    def expected(x):
        weights = np.arange(64, dtype=np.float32).reshape(8, 8)
        y = np.maximum(x @ weights, 0)
        return (y @ weights).sum() + y.max()

    return step, expected


def test_inputs_are_slots(name):
    step, expected = steps(name)
    before = len(graphs())
    for i in range(6):
        x = np.full((4, 8), i, np.float32)
        assert step(Tensor(x, device=name).realize()).item() == pytest.approx(expected(x), rel=1e-5)
    assert len(graphs()) == before + 1 and graphs()[-1].recording.slots >= 1


def test_variables_are_slots(name):
    x = Tensor(np.arange(64, dtype=np.float32), device=name).realize()

    @TinyJit
    def step(x, n):
        part = x[:n]
        return ((part * 2).contiguous().sum() + part.max()).realize()

    for count in (3, 10, 7, 64, 1, 33):
        n = Variable("n", 1, 64).bind(count)
        assert step(x, n).item() == sum(2 * i for i in range(count)) + count - 1


def test_a_timed_replay_answers_seconds_and_the_same_result(name):
    step, expected = steps(name)
    x = np.full((4, 8), 3, np.float32)
    for _ in range(3):
        step(Tensor(x, device=name).realize())
    with Context(DEBUG=2):
        assert step(Tensor(x, device=name).realize()).item() == pytest.approx(expected(x), rel=1e-5)
    assert graphs()[-1].timed is not None


def test_a_graph_that_is_freed_is_made_again(name):
    step, expected = steps(name)
    x = np.full((4, 8), 2, np.float32)
    for _ in range(4):
        found = step(Tensor(x, device=name).realize()).item()
    step.captured.free_intermediates()
    assert step(Tensor(x, device=name).realize()).item() == pytest.approx(expected(x)) == pytest.approx(found)


def test_with_more_inputs_than_slots_kernels_are_launched_one_by_one(name, monkeypatch):
    monkeypatch.setattr(pintle_tinygrad.graphs, "MOST_SLOTS", 0)
    step, expected = steps(name)
    for i in range(5):
        x = np.full((4, 8), i, np.float32)
        with Context(DEBUG=2 if i == 4 else 0):
            assert step(Tensor(x, device=name).realize()).item() == pytest.approx(expected(x), rel=1e-5)
    assert graphs()[-1].recording is None


def test_many_kernels_become_batches(name):
    before = len(graphs())

    @TinyJit
    def step(x):
        for i in range(50):
            x = (x + i).contiguous()
        return x.realize()

    for i in range(4):
        assert step(Tensor([float(i)], device=name).realize()).tolist() == [i + 1225]
    assert len(graphs()) > before + 1


@pytest.mark.parametrize("when", ["binding", "replaying"])
def test_a_keyboard_interrupt_leaves_the_jit_whole(name, monkeypatch, when):
    step, expected = steps(name)
    x = Tensor(np.full((4, 8), 5, np.float32), device=name).realize()
    for _ in range(3):
        step(x)
    place = Device[name].place

    def interrupt(*_, **__):
        signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        if when == "binding":
            patched.setattr(PintleGraph, "_bindings", interrupt)
        else:
            patched.setattr(place, "queue", SimpleNamespace(replay=interrupt))
        step(x)
    assert step(x).item() == pytest.approx(expected(np.full((4, 8), 5, np.float32)), rel=1e-5)


def test_work_on_two_devices_in_one_jit(second):
    @TinyJit
    def step(x):
        there = ((x + 1).contiguous() * 2).contiguous().to(second)
        return ((there * 3).contiguous() + 1).to("PINTLE").realize()

    for i in range(5):
        assert step(Tensor([float(i), 0.0], device="PINTLE").realize()).tolist() == [(i + 1) * 6 + 1, 7]
