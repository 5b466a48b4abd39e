"""Pools: reuse in the order of a queue, caps and what happens at them, figures, and buffers that go back."""

import gc
import threading
import time

import numpy as np
import pytest

import child
import pintle
from together import together

BLOCK = 65536
ELEMENTS = BLOCK // 4


def small(device, **options):
    """A pool that holds one buffer of ELEMENTS floats at a time, and does not wait."""
    return device.pool(**{"cap": BLOCK, "block": BLOCK, "patience": 0, **options})


def test_memory_is_used_again(device):
    queue, pool = device.queue(), small(device)
    assert pool.statistics.held == 0
    first = queue.allocate(pool, (4, ELEMENTS // 4))
    assert first.shape == (4, ELEMENTS // 4) and first.dtype == "f32" and first.nbytes == BLOCK and first.device is device
    queue.submit(pintle.fill(first, 3.0))
    queue.free(first)
    second = queue.allocate(pool, ELEMENTS, "i32")
    queue.submit(pintle.fill(second, 7)).wait(30)
    assert (second.numpy() == 7).all() and second.dtype == "i32"
    figures = pool.statistics
    assert (figures.allocations, figures.reuses, figures.misses, figures.buffers, figures.in_use, figures.held) == (2, 1, 1, 1, BLOCK, BLOCK)


def test_a_freed_buffer_is_stale(cpu):
    queue, pool = cpu.queue(), cpu.pool()
    buffer = queue.allocate(pool, 16)
    queue.free(buffer)
    assert buffer.closed
    for use in (lambda: queue.free(buffer), lambda: queue.submit(pintle.fill(buffer, 1.0)), buffer.numpy):
        with pytest.raises(pintle.Stale):
            use()
    buffer.close()


def test_a_buffer_of_no_pool_can_be_freed(device):
    queue, buffer = device.queue(), device.buffer(np.ones(16, np.float32))
    done = queue.submit(pintle.fill(buffer, 2.0))
    queue.free(buffer)
    done.wait(30)
    assert buffer.closed


def test_an_array_keeps_the_bytes_of_a_freed_buffer(cpu):
    queue, pool = cpu.queue(), small(cpu)
    buffer = queue.allocate(pool, ELEMENTS)
    queue.submit(pintle.fill(buffer, 5.0))
    array = buffer.numpy()
    queue.free(buffer)
    with pytest.raises(pintle.OutOfMemory):
        queue.allocate(pool, ELEMENTS)
    assert (array == 5).all()
    del array
    other = queue.allocate(pool, ELEMENTS)
    queue.submit(pintle.fill(other, 1.0)).wait(30)


def test_a_cap_names_the_holders(cpu):
    queue, pool = cpu.queue(), small(cpu, label="small")
    held = queue.allocate(pool, ELEMENTS, label="weights")
    with pytest.raises(pintle.OutOfMemory) as caught:
        queue.allocate(pool, 16)
    assert "weights" in str(caught.value) and str(BLOCK) in str(caught.value) and "small" in str(caught.value)
    assert [each.nbytes for each in pool.holders] == [BLOCK] and "weights" in pool.holders[0].buffer
    assert "weights" in str(pool)
    held.close()
    queue.allocate(pool, 16)


def test_a_pool_waits_for_work_in_flight(cpu, gate):
    queue, other, pool = cpu.queue(), cpu.queue(), small(cpu, patience=30)
    held = queue.allocate(pool, ELEMENTS)
    queue.submit(pintle.fill(held, 1.0), after=[gate.point(1)])
    queue.free(held)

    def open_when_it_waits():
        deadline = time.monotonic() + 20
        while pool.statistics.waits == 0 and time.monotonic() < deadline:
            time.sleep(0.001)
        gate.set(1)
    opener = threading.Thread(target=open_when_it_waits, daemon=True)
    opener.start()
    waited = other.allocate(pool, ELEMENTS)
    opener.join()
    assert gate.value == 1 and pool.statistics.waits >= 1
    other.submit(pintle.fill(waited, 2.0)).wait(30)
    assert (waited.numpy() == 2).all()


def test_no_patience_gives_up_at_once(cpu, gate):
    queue, other, pool = cpu.queue(), cpu.queue(), small(cpu)
    held = queue.allocate(pool, ELEMENTS)
    done = queue.submit(pintle.fill(held, 1.0), after=[gate.point(1)])
    queue.free(held)
    with pytest.raises(pintle.OutOfMemory):
        other.allocate(pool, ELEMENTS)
    gate.set(1)
    done.wait(30)
    other.allocate(pool, ELEMENTS)


@pytest.mark.parametrize("patience", [0.02, 0.18])
def test_patience_ends(cpu, gate, patience):
    asked = []
    queue, other, pool = cpu.queue(), cpu.queue(), small(cpu, patience=patience, on_exhausted=lambda figures: asked.append(time.monotonic()))
    held = queue.allocate(pool, ELEMENTS)
    queue.submit(pintle.fill(held, 1.0), after=[gate.point(1)])
    queue.free(held)
    begun = time.monotonic()
    with pytest.raises(pintle.OutOfMemory):
        other.allocate(pool, ELEMENTS)
    assert len(asked) == 1 and patience * 0.99 <= asked[0] - begun < 10


def test_nobody_waits_where_nothing_is_in_flight(cpu):
    asked = []
    queue, pool = cpu.queue(), small(cpu, patience=60, on_exhausted=asked.append)
    held, begun = queue.allocate(pool, ELEMENTS), time.monotonic()
    with pytest.raises(pintle.OutOfMemory):
        queue.allocate(pool, ELEMENTS)
    assert len(asked) == 1 and time.monotonic() - begun < 30 and pool.statistics.waits == 0 and not held.closed


def test_what_helps_begins_the_patience_again(cpu, gate):
    asked = []
    queue, other, pool = cpu.queue(), cpu.queue(), small(cpu, patience=0.12, on_exhausted=lambda figures: asked.append(time.monotonic()) or len(asked) < 3)
    held = queue.allocate(pool, ELEMENTS)
    queue.submit(pintle.fill(held, 1.0), after=[gate.point(1)])
    queue.free(held)
    with pytest.raises(pintle.OutOfMemory):
        other.allocate(pool, ELEMENTS)
    assert len(asked) == 3 and asked[2] - asked[0] >= 0.2


def test_what_asks_at_the_end_can_help(cpu):
    asked, kept = [], []

    def help(figures):
        asked.append(figures)
        kept.pop().close()
        return True
    queue, pool = cpu.queue(), small(cpu, on_exhausted=help)
    kept.append(queue.allocate(pool, ELEMENTS))
    queue.allocate(pool, ELEMENTS)
    assert len(asked) == 1
    assert (asked[0].requested, asked[0].in_use, asked[0].held, asked[0].cap, asked[0].largest_free) == (BLOCK, BLOCK, BLOCK, BLOCK, 0)


def test_what_asks_at_the_end_can_give_up_or_raise(cpu):
    class Refused(Exception):
        pass

    def refuse(figures):
        raise Refused("no")
    queue = cpu.queue()
    for ask, kind in ((lambda figures: None, pintle.OutOfMemory), (refuse, Refused)):
        pool = small(cpu, on_exhausted=ask)
        held = queue.allocate(pool, ELEMENTS)
        for _ in range(2):
            with pytest.raises(kind):
                queue.allocate(pool, ELEMENTS)
        queue.free(held)
        queue.allocate(pool, ELEMENTS)


def test_the_pool_of_a_callback_is_not_kept(cpu):
    def ask(figures):
        return False
    gc.collect()
    before = sum(isinstance(each, pintle.Pool) for each in gc.get_objects())
    for _ in range(5):
        pool = small(cpu, on_exhausted=ask)
        del pool
    assert sum(isinstance(each, pintle.Pool) for each in gc.get_objects()) == before


def test_scrubbed_buffers_begin_with_zeros(device):
    queue, pool = device.queue(), small(device, scrub="zeros")
    first = queue.allocate(pool, ELEMENTS)
    assert (first.numpy() == 0).all()
    queue.submit(pintle.fill(first, 3.0)).wait(30)
    queue.free(first)
    second = queue.allocate(pool, ELEMENTS)
    assert (second.numpy() == 0).all()


def test_unused_blocks_go_back(cpu):
    queue, pool = cpu.queue(), cpu.pool(block=BLOCK)
    buffer = queue.allocate(pool, ELEMENTS)
    assert pool.trim() == 0
    queue.free(buffer)
    queue.submit().wait(30)
    assert pool.trim(BLOCK) == 0 and pool.trim() == BLOCK and pool.statistics.held == 0


def test_buffers_outlive_their_pool(device):
    queue, pool = device.queue(), device.pool()
    buffer = queue.allocate(pool, 16)
    with pool:
        pass
    assert pool.closed
    queue.submit(pintle.fill(buffer, 4.0)).wait(30)
    assert (buffer.numpy() == 4).all()
    with pytest.raises(pintle.Stale):
        queue.allocate(pool, 16)
    with pytest.raises(pintle.Stale):
        _ = pool.statistics


def test_another_device_is_refused(cpu):
    other = pintle.open("null")
    buffer = other.empty(16)
    with pytest.raises(pintle.InvalidArgument):
        cpu.queue().allocate(other.pool(), 16)
    with pytest.raises(pintle.InvalidArgument) as caught:
        cpu.queue().free(buffer)
    assert "cpu" in str(caught.value) and "null" in str(caught.value)
    assert not buffer.closed  # nothing was done
    other.queue().free(buffer)


def test_a_simulated_device_has_pools():
    device = pintle.open("null")
    queue, pool = device.queue(), device.pool(cap=BLOCK, block=BLOCK, patience=0)
    buffer = queue.allocate(pool, ELEMENTS)
    with pytest.raises(pintle.OutOfMemory):
        queue.allocate(pool, ELEMENTS)
    queue.free(buffer)
    queue.allocate(pool, ELEMENTS)


@pytest.mark.parametrize("options, kind", [
    ({"cap": 0}, pintle.InvalidArgument), ({"cap": -1}, pintle.InvalidArgument), ({"cap": 1 << 64}, pintle.InvalidArgument),
    ({"block": 0}, pintle.InvalidArgument), ({"cap": 1, "block": 2}, pintle.InvalidArgument), ({"scrub": "ones"}, pintle.InvalidArgument),
    ({"placement": "moon"}, pintle.InvalidArgument), ({"patience": -1}, pintle.InvalidArgument), ({"patience": "x"}, TypeError),
    ({"cap": 1.5}, TypeError), ({"on_exhausted": 3}, TypeError), ({"label": 3}, TypeError)])
def test_wrong_options_make_no_pool(cpu, options, kind):
    with pytest.raises(kind):
        cpu.pool(**options)


def test_wrong_requests_allocate_nothing(cpu):
    queue, pool = cpu.queue(), cpu.pool()
    for arguments, kind in (((None, 4), TypeError), (("pool", 4), TypeError), ((pool, "x"), TypeError), ((pool, 1.5), TypeError),
                            ((pool, (1,) * 40), pintle.InvalidArgument), ((pool, -1), pintle.InvalidArgument), ((pool, 0), pintle.InvalidArgument), ((pool, 4, "f31"), pintle.InvalidArgument)):
        with pytest.raises(kind):
            queue.allocate(*arguments)
    queue.close()
    with pytest.raises(pintle.Stale):
        queue.allocate(pool, 4)
    assert pool.statistics.allocations == 0


@pytest.mark.parametrize("thing", [None, 3, "buffer", np.zeros(4, np.float32)])
def test_free_takes_a_buffer(cpu, thing):
    with pytest.raises(TypeError):
        cpu.queue().free(thing)


def test_threads_share_a_pool(cpu):
    pool = cpu.pool(block=BLOCK)

    def work(number):
        queue = cpu.queue()
        for _ in range(200):
            buffer = queue.allocate(pool, 256)
            queue.submit(pintle.fill(buffer, float(number))).wait(30)
            assert (buffer.numpy() == number).all()
            queue.free(buffer)
    together(work, threads=4)
    assert pool.statistics.buffers == 0


def test_the_function_of_a_scrubbing_pool_may_use_its_queue():
    code = """queue, kept = pintle.open("cpu").queue(), []
pool = queue.device.pool(cap=65536, block=65536, patience=0, scrub="zeros", on_exhausted=lambda error: queue.free(kept.pop()) or True)
kept.append(queue.allocate(pool, 16384))
print(int(queue.allocate(pool, 16384).numpy().sum()))"""
    assert child.passes(code, timeout=30) == "0\n"
