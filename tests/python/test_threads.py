"""Eight threads that launch, wait, close and let go, on shared objects."""

import sys
import threading

import numpy as np
import pytest

import pintle
from together import THREADS, together


@pytest.fixture(autouse=True)
def switch_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def test_launches_waits_and_frees(device, saxpy):
    x = device.buffer(np.full(1000, 3, np.float32))

    def work(i):
        queue = device.queue()
        for turn in range(30):
            y = device.buffer(np.ones(1000, np.float32))
            queue.launch(saxpy, 2.0, x, y, 1000, items=1000)
            done = queue.launch(saxpy, float(i), x, y, 1000, items=1000)
            if turn % 3 == 0:
                done.wait(30)
            if turn % 2 == 0:
                assert (y.numpy() == 7 + 3 * i).all()
            y.close()
    together(work)


def test_one_queue_is_shared(device, saxpy):
    x, queue = device.buffer(np.ones(256, np.float32)), device.queue()
    ys = [device.buffer(np.zeros(256, np.float32)) for _ in range(THREADS)]

    def work(i):
        for _ in range(100):
            done = queue.launch(saxpy, 1.0, x, ys[i], 256, items=256)
        done.wait(60)
    together(work)
    for y in ys:
        assert (y.numpy() == 100).all()
    assert queue.submit().value == THREADS * 100 + 1


def test_one_recording_is_replayed_by_all(cpu, cpu_saxpy):
    x, y = cpu.buffer(np.ones(256, np.float32)), [cpu.buffer(np.zeros(256, np.float32)) for _ in range(THREADS)]
    recording = cpu.record(cpu_saxpy.command(1.0, x, pintle.slot(0), 256, items=256))

    def work(i):
        queue = cpu.queue()
        for _ in range(100):
            done = queue.replay(recording, y[i])
        done.wait(60)
    together(work)
    assert all((each.numpy() == 100).all() for each in y)


def test_a_buffer_is_closed_while_others_launch_it(cpu, cpu_saxpy):
    for _ in range(20):
        x, y = cpu.buffer(np.ones(256, np.float32)), cpu.buffer(np.zeros(256, np.float32))

        def work(i, x=x, y=y):
            queue = cpu.queue()
            try:
                for turn in range(50):
                    if i == 0 and turn == 10:
                        y.close()
                    queue.launch(cpu_saxpy, 1.0, x, y, 256, items=256)
            except pintle.Stale:
                pass
            queue.submit().wait(60)
        together(work)


def test_queues_go_while_others_use_their_buffer(cpu, cpu_saxpy):
    """The buffer remembers a submission of each queue, and lets go of those of queues that are gone."""
    x, y = cpu.buffer(np.zeros(256, np.float32)), cpu.buffer(np.zeros(256, np.float32))

    def work(i):
        for _ in range(100):
            cpu.queue().launch(cpu_saxpy, 1.0, x, y, 256, items=256).wait(60)
    together(work)
    assert (y.numpy() == 0).all()


def test_a_queue_is_closed_while_others_submit(cpu):
    for _ in range(20):
        queue = cpu.queue()

        def work(i, queue=queue):
            try:
                for turn in range(50):
                    if i == 0 and turn == 10:
                        queue.close()
                    queue.submit()
            except pintle.Stale:
                pass
        together(work)
    cpu.wait_idle(60)


def test_commands_are_shared(cpu):
    buffer = cpu.empty(16)
    command = pintle.fill(buffer, 2.0)

    def work(i):
        queue = cpu.queue()
        for _ in range(100):
            done = queue.submit(command, command)
        done.wait(60)
    together(work)
    assert buffer.numpy().tolist() == [2] * 16


def test_callbacks_from_all(cpu):
    called, counted, all_of = [], threading.Lock(), threading.Event()

    def count(error):
        with counted:
            called.append(error)
            if len(called) == THREADS * 100:
                all_of.set()

    def work(i):
        queue = cpu.queue()
        for _ in range(100):
            queue.submit().then(count)
    together(work)
    assert all_of.wait(60) and called == [None] * THREADS * 100


def test_waiters_and_setters():
    signals = [pintle.Signal() for _ in range(THREADS)]

    def work(i):
        for value in range(1, 200):
            signals[i].set(value)
            signals[(i + 1) % THREADS].point(value).wait(60)
            pintle.wait_all([each.point(value) for each in signals], 60)
            assert pintle.wait_any([each.point(value) for each in signals], 60) == 0
    together(work)


def test_arrays_are_shared_and_dropped(cpu):
    def work(i):
        for turn in range(100):
            array = np.full(256, i, np.float32)
            buffer = cpu.wrap(array)
            shared = np.from_dlpack(buffer)
            cpu.queue().submit(pintle.fill(buffer, float(turn))).wait(60)
            assert shared[0] == turn and buffer.numpy()[0] == turn
            del array, buffer
            assert shared[255] == turn
    together(work)
