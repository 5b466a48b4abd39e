"""Recordings whose uploads and downloads get arrays at each replay."""

import gc
import sys

import numpy as np
import pytest

import pintle
from together import together

COUNT = 1000


def ones(dtype=np.float32, count=COUNT):
    return np.ones(count, dtype)


def recorded(device, saxpy):
    """y = a * x + y with x and y from the host and back."""
    x, y = device.empty(COUNT), device.empty(COUNT)
    return device.record(pintle.upload(x, pintle.slot(1)), pintle.upload(y, pintle.slot(2)), saxpy.command(pintle.slot(0), x, y, COUNT, items=COUNT),
                         pintle.download(pintle.slot(3), y))


def test_a_recording_is_replayed_with_arrays(device, saxpy):
    recording, queue = recorded(device, saxpy), device.queue()
    assert recording.slots == 4
    results = [np.zeros(COUNT, np.float32) for _ in range(5)]
    for i, out in enumerate(results):
        done = queue.replay(recording, 2.0, np.full(COUNT, i, np.float32), ones(), out)
    done.wait(30)
    assert [out[0] for out in results] == [1, 3, 5, 7, 9] and all((out == out[0]).all() for out in results)


def test_a_part_of_a_buffer_and_an_array_of_more_dimensions(device):
    buffer, queue = device.buffer(np.zeros((4, 8), np.int32)), device.queue()
    recording = device.record(pintle.upload(buffer[1:3], pintle.slot(0)), pintle.download(pintle.slot(1), buffer))
    out = np.zeros((4, 8), np.int32)
    queue.replay(recording, np.arange(16, dtype=np.int32).reshape(2, 8), out).wait(30)
    assert out.tolist() == [[0] * 8, list(range(8)), list(range(8, 16)), [0] * 8]


def test_one_slot_may_be_uploaded_twice(device):
    a, b, queue = device.empty(8), device.empty(8), device.queue()
    recording = device.record(pintle.upload(a, pintle.slot(0)), pintle.upload(b, pintle.slot(0)))
    queue.replay(recording, np.arange(8, dtype=np.float32)).wait(30)
    assert a.numpy().tolist() == b.numpy().tolist() == list(range(8))


def test_memory_that_is_no_array_of_numpy(cpu):
    buffer, queue = cpu.empty(4, "u8"), cpu.queue()
    recording = cpu.record(pintle.upload(buffer, pintle.slot(0)), pintle.download(pintle.slot(1), buffer))
    out = bytearray(4)
    queue.replay(recording, b"abcd", out).wait(30)
    assert out == b"abcd"


def test_bits_stand_for_what_numpy_does_not_have(cpu):
    buffer, queue, out = cpu.empty(4, "bf16"), cpu.queue(), np.zeros(4, np.uint16)
    recording = cpu.record(pintle.upload(buffer, pintle.slot(0)), pintle.download(pintle.slot(1), buffer))
    queue.replay(recording, np.arange(4, dtype=np.uint16), out).wait(30)
    assert out.tolist() == [0, 1, 2, 3]


def test_arrays_live_until_the_point(cpu, cpu_saxpy, gate):
    recording, queue = recorded(cpu, cpu_saxpy), cpu.queue()
    x, out = np.full(COUNT, 3, np.float32), np.zeros(COUNT, np.float32)
    before = sys.getrefcount(x), sys.getrefcount(out)
    done = queue.replay(recording, 2.0, x, ones(), out, after=[gate.point(1)])
    assert sys.getrefcount(x) > before[0] and sys.getrefcount(out) > before[1]
    del recording
    gc.collect()
    gate.set(1)
    done.wait(30)
    assert (out == 7).all()
    assert (sys.getrefcount(x), sys.getrefcount(out)) == before


def test_an_array_cannot_move_while_it_is_lent(cpu, gate):
    buffer, queue, out = cpu.empty(4, "u8"), cpu.queue(), bytearray(4)
    recording = cpu.record(pintle.fill(buffer, 7), pintle.download(pintle.slot(0), buffer))
    done = queue.replay(recording, out, after=[gate.point(1)])
    with pytest.raises(BufferError):
        out.extend(b"more")
    gate.set(1)
    done.wait(30)
    out.extend(b"more")
    assert out == b"\x07\x07\x07\x07more"


class Later:
    """What looks like no array."""


def read_only():
    array = ones()
    array.flags.writeable = False
    return array


WRONG = [("f64", lambda: ones(np.float64), pintle.InvalidArgument), ("i32", lambda: ones(np.int32), pintle.InvalidArgument),
         ("too few", lambda: ones(count=COUNT - 1), pintle.InvalidArgument), ("too many", lambda: ones(count=COUNT + 1), pintle.InvalidArgument),
         ("gaps", lambda: ones(count=2 * COUNT)[::2], pintle.InvalidArgument), ("backwards", lambda: ones()[::-1], pintle.InvalidArgument),
         ("a number", lambda: 1.0, TypeError), ("None", lambda: None, TypeError), ("a list", lambda: [1.0] * COUNT, TypeError), ("an object", Later, TypeError),
         ("a slot", lambda: pintle.slot(0), TypeError)]


@pytest.mark.parametrize("make, kind", [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
@pytest.mark.parametrize("place", [1, 2, 3])
def test_a_wrong_array_runs_nothing(cpu, cpu_saxpy, make, kind, place):
    recording, queue, out = recorded(cpu, cpu_saxpy), cpu.queue(), np.zeros(COUNT, np.float32)
    bindings = [2.0, ones(), ones(), out]
    wrong = bindings[place] = make()
    before = sys.getrefcount(wrong)
    with pytest.raises(kind) as caught:
        queue.replay(recording, *bindings)
    if kind is pintle.InvalidArgument:
        assert f"slot {place}" in str(caught.value)
    del caught
    assert queue.last().value == 0 and (out == 0).all() and (not isinstance(wrong, np.ndarray) or sys.getrefcount(wrong) == before)


def test_a_buffer_is_no_array(cpu, cpu_saxpy):
    with pytest.raises((TypeError, pintle.InvalidArgument)):
        cpu.queue().replay(recorded(cpu, cpu_saxpy), 2.0, cpu.empty(COUNT), ones(), ones())


def test_a_download_needs_an_array_that_can_be_written(cpu, cpu_saxpy):
    recording, queue = recorded(cpu, cpu_saxpy), cpu.queue()
    queue.replay(recording, 2.0, read_only(), read_only(), ones()).wait(30)
    for out in (read_only(), bytes(4 * COUNT)):
        with pytest.raises(pintle.InvalidArgument):
            queue.replay(recording, 2.0, ones(), ones(), out)


def test_a_slot_stands_for_one_thing(cpu, cpu_saxpy):
    x, y, slot = cpu.empty(COUNT), cpu.empty(COUNT), pintle.slot(0)
    for commands in ([pintle.upload(x, slot), cpu_saxpy.command(slot, x, y, COUNT, items=COUNT)], [cpu_saxpy.command(slot, x, y, COUNT, items=COUNT), pintle.upload(x, slot)],
                     [pintle.upload(x, slot), pintle.download(slot, x)], [pintle.upload(x, slot), pintle.upload(x[0:10], slot)],
                     [pintle.upload(x, slot), pintle.upload(x.view(dtype="i32"), slot)]):
        with pytest.raises(pintle.InvalidArgument) as caught:
            cpu.record(*commands)
        assert "slot (0)" in str(caught.value)


def test_slots_belong_to_recordings(cpu):
    buffer = cpu.empty(4)
    for make in (lambda: pintle.upload(buffer, pintle.slot(0)), lambda: pintle.download(pintle.slot(0), buffer)):
        with pytest.raises(pintle.InvalidArgument):
            cpu.queue().submit(make())
    for make in (lambda: pintle.upload(3, pintle.slot(0)), lambda: pintle.download(pintle.slot(0), np.zeros(4, np.float32))):
        with pytest.raises(TypeError):
            make()


def test_a_slot_command_that_is_dropped_warns(cpu):
    buffer = cpu.empty(4)
    for make in (lambda: pintle.upload(buffer, pintle.slot(0)), lambda: pintle.download(pintle.slot(0), buffer)):
        with pytest.warns(ResourceWarning):
            command = make()
            del command
            gc.collect()


def test_threads_replay_recordings_of_their_own(cpu):
    def work(number):
        queue, out = cpu.queue(), np.zeros(256, np.float32)
        buffer = cpu.empty(256)
        recording = cpu.record(pintle.upload(buffer, pintle.slot(0)), pintle.download(pintle.slot(1), buffer))
        for i in range(100):
            queue.replay(recording, np.full(256, 1000 * number + i, np.float32), out).wait(30)
            assert (out == 1000 * number + i).all()
    together(work, threads=4)


def test_a_simulated_device_replays_arrays():
    device = pintle.open("null")
    buffer = device.empty(4)
    recording = device.record(pintle.upload(buffer, pintle.slot(0)), pintle.download(pintle.slot(1), buffer))
    device.queue().replay(recording, ones(count=4), ones(count=4)).wait(30)


def test_slots_stand_for_the_buffers_of_copies_and_fills(device):
    a, b, queue = device.buffer(np.arange(8, dtype=np.float32)), device.buffer(np.zeros(8, np.float32)), device.queue()
    to, filled = device.empty(8), device.empty(8)
    recording = device.record(pintle.copy(pintle.slot(0), a), pintle.fill(pintle.slot(1), 3.0, dtype="f32"), pintle.copy(b, pintle.slot(1)))
    assert recording.slots == 2
    queue.replay(recording, to, filled).wait(30)
    assert to.numpy().tolist() == list(range(8)) and filled.numpy().tolist() == b.numpy().tolist() == [3] * 8
    both = device.record(pintle.copy(pintle.slot(0), pintle.slot(1)))
    queue.replay(both, b[0:4], a[4:8]).wait(30)
    assert b.numpy().tolist() == [4, 5, 6, 7, 3, 3, 3, 3]


def test_a_slot_stands_for_the_buffer_of_a_timestamp(device):
    if not device.supports("timestamp"):
        pytest.skip(f"{device.id}: {device.supports('timestamp').detail}")
    recording, queue, ticks = device.record(pintle.timestamp(pintle.slot(0))), device.queue(), device.buffer(np.zeros(2, np.uint64))
    queue.replay(recording, ticks[0:1])
    queue.replay(recording, ticks[1:2]).wait(30)
    first, second = (int(each) for each in ticks.numpy())
    assert 0 < first <= second


def test_fills_of_slots_take_dtypes_that_numpy_does_not_have(device):
    halves, narrow, queue = device.empty(4, "f16"), device.empty(4, "bf16"), device.queue()
    recording = device.record(pintle.fill(pintle.slot(0), 0.5, dtype="f16"), pintle.fill(pintle.slot(1), 1.0, dtype="bf16"))
    queue.replay(recording, halves, narrow).wait(30)
    assert halves.numpy().tolist() == [0.5] * 4 and narrow.numpy().tolist() == [0x3f80] * 4


def test_a_slot_stands_for_the_grid_of_a_launch(device, saxpy):
    if not device.supports("indirect"):
        pytest.skip(f"{device.id}: {device.supports('indirect').detail}")
    x, y, queue = device.buffer(np.full(COUNT, 3, np.float32)), device.buffer(ones()), device.queue()
    recording = device.record(saxpy.indirect(2.0, x, pintle.slot(1), COUNT, grid=pintle.slot(0), most=4))
    queue.replay(recording, device.buffer(np.array([4, 1, 1], np.uint32)), y).wait(30)
    assert (y.numpy() == 7).all()


def test_slots_of_buffers_that_cannot_be_are_refused(cpu):
    buffer, queue = cpu.empty(8), cpu.queue()
    for make in (lambda: pintle.fill(pintle.slot(0), 1.0), lambda: pintle.fill(buffer, 1.0, dtype="f32"), lambda: pintle.copy(pintle.slot(0), 3),
                 lambda: pintle.copy(3, pintle.slot(0)), lambda: pintle.fill(pintle.slot(0), "x", dtype="f32")):
        with pytest.raises(TypeError):
            make()
    for make in (lambda: pintle.fill(pintle.slot(0), 256, dtype="u8"), lambda: pintle.fill(pintle.slot(0), 1, dtype="f31"),
                 lambda: queue.submit(pintle.copy(pintle.slot(0), buffer)), lambda: queue.submit(pintle.fill(pintle.slot(0), 1.0, dtype="f32")),
                 lambda: cpu.record(pintle.copy(pintle.slot(0), pintle.slot(0)))):
        with pytest.raises(pintle.InvalidArgument):
            make()
    recording = cpu.record(pintle.copy(pintle.slot(0), buffer))
    for wrong, kind in ((1.0, TypeError), (ones(count=8), TypeError), (cpu.empty(4), pintle.InvalidArgument), (pintle.open("null").empty(8), pintle.InvalidArgument)):
        with pytest.raises(kind):
            queue.replay(recording, wrong)
    assert queue.last().value == 0
