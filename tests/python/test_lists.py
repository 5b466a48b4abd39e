"""Commands as values: submissions, recordings with slots, and commands that nobody uses."""

import gc
import tracemalloc
import warnings
import weakref

import numpy as np
import pytest

import pintle
from conftest import gone_soon, taken


def xy(device, count=1000):
    return device.buffer(np.full(count, 3, np.float32)), device.buffer(np.ones(count, np.float32))


def test_a_submission_has_any_number_of_commands(device, saxpy):
    x, y = xy(device)
    out, queue = np.empty(1000, np.float32), device.queue()
    host = np.full(1000, 5, np.float32)
    upload = pintle.upload(x, host)
    queue.submit(upload, pintle.fill(y, 2.0), saxpy.command(2.0, x, y, 1000, items=1000), pintle.barrier(), pintle.download(out, y)).wait(30)
    assert (out == 12).all()
    queue.submit().wait(30)


def test_copies_take_views(device):
    a, b = device.buffer(np.arange(16, dtype=np.float32)), device.buffer(np.zeros(16, np.float32))
    device.queue().submit(pintle.copy(b[4:8], a[8:12])).wait(30)
    assert b.numpy().tolist() == [0] * 4 + [8, 9, 10, 11] + [0] * 8


def test_the_array_of_an_upload_may_change_after_the_submission(device, gate):
    buffer, queue, host = device.empty(1000), device.queue(), np.full(1000, 5, np.float32)
    done = queue.submit(pintle.upload(buffer, host), after=[gate.point(1)])
    host[:] = 0
    del host
    gate.set(1)
    done.wait(30)
    assert (buffer.numpy() == 5).all()


def test_an_upload_keeps_its_array(cpu):
    buffer = cpu.empty(100000)
    command = pintle.upload(buffer, np.full(100000, 5, np.float32))
    gc.collect()
    others = [np.zeros(100000, np.float32) for _ in range(4)]
    cpu.queue().submit(command).wait(30)
    assert (buffer.numpy() == 5).all() and len(others) == 4


def test_a_download_keeps_its_array(cpu, gate):
    import sys
    buffer, out = cpu.buffer(np.full(100000, 5, np.float32)), np.zeros(100000, np.float32)
    before = sys.getrefcount(out)
    done = cpu.queue().submit(pintle.download(out, buffer), after=[gate.point(1)])
    gc.collect()
    assert sys.getrefcount(out) > before  # the command is gone; the work is not
    gate.set(1)
    done.wait(30)
    assert (out == 5).all()


@pytest.mark.parametrize("array", [np.ones(999, np.float32), np.ones(1001, np.float32), np.ones(1000, np.float64), np.ones(1000, np.int32), np.ones(2000, np.float32)[::2]])
def test_an_array_that_does_not_fit_names_both_sides(cpu, array):
    buffer = cpu.empty(1000)
    words = {"float64": ("float64", "float32"), "int32": ("int32", "float32")}.get(array.dtype.name, (str(array.nbytes), "4000"))
    for make in (lambda: pintle.upload(buffer, array), lambda: pintle.download(array, buffer)):
        with pytest.raises(pintle.InvalidArgument) as caught:
            make()
        text = str(caught.value)
        assert all(each in text for each in words) or (not array.flags.c_contiguous and ("order" in text or "gaps" in text))


def test_a_download_into_a_read_only_array_is_refused(cpu):
    out = np.zeros(10, np.float32)
    out.flags.writeable = False
    with pytest.raises((pintle.InvalidArgument, TypeError, ValueError)):
        pintle.download(out, cpu.empty(10))
    with pytest.raises((pintle.InvalidArgument, TypeError, ValueError)):
        pintle.download(b"x" * 40, cpu.empty(10))


@pytest.mark.parametrize("dtype, value", [("u8", 256), ("u8", -1), ("i8", 128), ("u8", 10 ** 40)])
def test_a_fill_out_of_range_is_refused(cpu, dtype, value):
    with pytest.raises((pintle.InvalidArgument, OverflowError)):
        pintle.fill(cpu.empty(4, dtype), value)


@pytest.mark.parametrize("dtype, value", [("u8", 1.5), ("f32", "x"), ("i32", None), ("f32", [1.0])])
def test_a_fill_of_another_type_is_a_type_error(cpu, dtype, value):
    with pytest.raises(TypeError):
        pintle.fill(cpu.empty(4, dtype), value)


@pytest.mark.parametrize("dtype, value", [("u8", 255), ("i64", -(1 << 63)), ("f64", 0.1), ("f16", 1.5), ("bool", True), ("complex64", 1 + 2j)])
def test_a_fill_has_the_dtype_of_the_buffer(cpu, dtype, value):
    buffer = cpu.empty(4, dtype)
    cpu.queue().submit(pintle.fill(buffer, value)).wait(30)
    assert buffer.numpy().tolist() == [value] * 4


def test_copies_of_other_sizes_submit_nothing(cpu):
    a, b, queue = cpu.buffer(np.ones(4, np.float32)), cpu.empty(8), cpu.queue()
    with pytest.raises(pintle.InvalidArgument):
        queue.submit(pintle.fill(a, 9.0), pintle.copy(a, b))
    queue.submit().wait(30)
    assert a.numpy().tolist() == [1] * 4


@pytest.mark.parametrize("thing", [None, 3, "fill", print, []])
def test_what_is_no_command_is_a_type_error(cpu, thing):
    with pytest.raises(TypeError):
        cpu.queue().submit(thing)
    with pytest.raises(TypeError):
        cpu.record(thing)


def test_a_timestamp_rises(device):
    if not device.supports("timestamp"):
        with pytest.raises(pintle.Unsupported):
            device.queue().submit(pintle.timestamp(device.empty(1, "u64")))
        return
    ticks = device.buffer(np.zeros(2, np.uint64))
    device.queue().submit(pintle.timestamp(ticks[0:1]), pintle.barrier(), pintle.timestamp(ticks[1:2])).wait(30)
    first, second = (int(each) for each in ticks.numpy())
    assert 0 < first <= second


def test_an_indirect_launch_reads_its_grid(device, saxpy):
    x, y = xy(device)
    grid = device.buffer(np.array([4, 1, 1], np.uint32))
    if not device.supports("indirect"):
        pytest.skip(f"{device.id}: {device.supports('indirect').detail}")
    device.queue().submit(saxpy.indirect(2.0, x, y, 1000, grid=grid, most=4)).wait(30)
    assert (y.numpy() == 7).all()


def test_a_recording_is_replayed_with_other_values(device, saxpy):
    x, y = xy(device)
    z = device.buffer(np.zeros(1000, np.float32))
    recording = device.record(saxpy.command(pintle.slot(0), x, pintle.slot(1), 1000, items=1000))
    queue = device.queue()
    queue.replay(recording, 2.0, y)
    queue.replay(recording, 3.0, z)
    queue.replay(recording, 1.0, z).wait(30)
    assert (y.numpy() == 7).all() and (z.numpy() == 12).all()


def test_a_recording_without_slots_is_replayed_often(device, saxpy):
    x, y = xy(device)
    recording = device.record(*[saxpy.command(1.0, x, y, 1000, items=1000) for _ in range(10)])
    queue = device.queue()
    for _ in range(10):
        done = queue.replay(recording)
    done.wait(30)
    assert (y.numpy() == 301).all()


@pytest.mark.parametrize("bindings", [(), (2.0,), (2.0, "y", 3), ("y", 2.0), (2.0, None), ("x", "y"), (2.0, 2.0)])
def test_a_replay_with_other_bindings_runs_nothing(cpu, cpu_saxpy, bindings):
    x, y = xy(cpu)
    recording = cpu.record(cpu_saxpy.command(pintle.slot(0), x, pintle.slot(1), 1000, items=1000))
    queue = cpu.queue()
    with pytest.raises((TypeError, pintle.InvalidArgument)):
        queue.replay(recording, *({"x": x, "y": y}.get(each, each) if isinstance(each, str) else each for each in bindings))
    queue.submit().wait(30)
    assert (y.numpy() == 1).all()


def test_a_replay_with_a_wrong_buffer_is_refused(cpu, cpu_saxpy, gate):
    x, y = xy(cpu)
    recording = cpu.record(cpu_saxpy.command(2.0, x, pintle.slot(0), 1000, items=1000))
    queue, dead = cpu.queue(), cpu.empty(1000)
    dead.close()
    with pytest.raises(pintle.Stale):
        queue.replay(recording, dead)
    with pytest.raises(pintle.InvalidArgument):
        queue.replay(recording, cpu.empty(1000, "f64"))
    with pytest.raises(pintle.InvalidArgument):
        queue.replay(recording, pintle.open("null").empty(1000))
    queue.replay(recording, y).wait(30)
    assert (y.numpy() == 7).all()


def test_a_scalar_out_of_range_in_a_slot_is_refused(cpu, cpu_saxpy):
    x, y = xy(cpu)
    recording = cpu.record(cpu_saxpy.command(2.0, x, y, pintle.slot(0), items=1000))
    for value, kind in ((-1, pintle.InvalidArgument), (1 << 32, pintle.InvalidArgument), (1.5, (TypeError, pintle.InvalidArgument))):
        with pytest.raises(kind):
            cpu.queue().replay(recording, value)
    assert (y.numpy() == 1).all()


def test_a_recording_keeps_what_it_uses(cpu):
    program = cpu.load(pintle.open_pack("saxpy.pack"))
    x, y = xy(cpu)
    z = cpu.buffer(np.zeros(1000, np.float32))
    recording = cpu.record(program["saxpy"].command(2.0, x, pintle.slot(0), 1000, items=1000))
    del program, x
    gc.collect()
    cpu.queue().replay(recording, z).wait(30)
    assert (z.numpy() == 6).all()


def test_a_download_is_not_recorded(cpu):
    with pytest.raises((pintle.InvalidArgument, pintle.Unsupported)):
        cpu.record(pintle.download(np.zeros(4, np.float32), cpu.empty(4)))


@pytest.mark.parametrize("index", [-1, 1 << 40])
def test_a_slot_out_of_range_is_refused(index):
    with pytest.raises((pintle.InvalidArgument, OverflowError)):
        pintle.slot(index)


def test_a_slot_is_refused_in_a_submission(cpu, cpu_saxpy):
    x, y = xy(cpu)
    with pytest.raises(pintle.InvalidArgument):
        cpu.queue().submit(cpu_saxpy.command(pintle.slot(0), x, y, 1000, items=1000))


def makers(device, kernel):
    x, y = xy(device)
    return {"launch": lambda: kernel.command(2.0, x, y, 1000, items=1000), "copy": lambda: pintle.copy(x, y), "fill": lambda: pintle.fill(x, 1.0),
            "upload": lambda: pintle.upload(x, np.ones(1000, np.float32)), "download": lambda: pintle.download(np.ones(1000, np.float32), x),
            "barrier": pintle.barrier, "timestamp": lambda: pintle.timestamp(x.view(0, 8, "u64"))}


@pytest.mark.parametrize("kind", ["launch", "copy", "fill", "upload", "download", "barrier", "timestamp"])
def test_a_command_that_is_dropped_warns(cpu, cpu_saxpy, kind):
    make = makers(cpu, cpu_saxpy)[kind]
    with pytest.warns(ResourceWarning) as caught:
        command = make()
        del command
        gc.collect()
    assert len(caught) == 1


def test_the_warning_has_the_place(cpu):
    buffer = cpu.empty(4)
    tracemalloc.start()
    try:
        with pytest.warns(ResourceWarning) as caught:
            command = pintle.fill(buffer, 1.0)
            del command
            gc.collect()
        place = tracemalloc.get_object_traceback(caught[0].source)
    finally:
        tracemalloc.stop()
    assert place is not None and any(frame.filename == __file__ for frame in place)


def test_a_command_that_was_used_does_not_warn(cpu, cpu_saxpy):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind, make in makers(cpu, cpu_saxpy).items():
            cpu.queue().submit(make()).wait(30)
            if kind not in ("download",):
                assert cpu.record(make())
        gc.collect()


def test_a_command_of_a_refused_submission_does_not_warn(cpu):
    """It was not forgotten: the exception has said what became of it."""
    a, b = cpu.empty(4), cpu.empty(8)
    with pytest.raises(pintle.InvalidArgument):
        cpu.queue().submit(pintle.copy(a, b))
    with pytest.raises(pintle.InvalidArgument):
        cpu.record(pintle.copy(a, b))
    gc.collect()


def test_a_command_beside_what_is_no_command_warns_or_was_used(cpu):
    a = cpu.empty(4)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(TypeError):
            cpu.queue().submit(pintle.fill(a, 1.0), 3)
        gc.collect()
    assert len(caught) <= 1 and all(each.category is ResourceWarning for each in caught)


def test_a_command_may_be_submitted_twice(cpu, cpu_saxpy):
    x, y = xy(cpu)
    command = cpu_saxpy.command(2.0, x, y, 1000, items=1000)
    queue = cpu.queue()
    queue.submit(command, command)
    queue.submit(command).wait(30)
    assert (y.numpy() == 19).all()


def test_an_upload_without_a_copy_keeps_its_array(device, gate):
    buffer, queue, host = device.empty(1000), device.queue(), np.full(1000, 5, np.float32)
    gone = weakref.ref(host)
    done = queue.submit(pintle.upload(buffer, host, copy=False), after=[gate.point(1)])
    del host
    gc.collect()
    assert gone() is not None
    gate.set(1)
    done.wait(30)
    assert (buffer.numpy() == 5).all() and gone_soon(gone, device)


def test_an_upload_without_a_copy_is_recorded_and_submitted_twice(device):
    a, b, queue, host = device.empty(1000), device.empty(1000), device.queue(), np.full(1000, 5, np.float32)
    gone, upload = weakref.ref(host), pintle.upload(a, host, copy=False)
    recording = device.record(upload, pintle.copy(b, a))
    queue.submit(upload).wait(30)
    queue.submit(pintle.fill(a, 0.0))
    queue.replay(recording)
    done = queue.replay(recording)
    del host, upload, recording
    done.wait(30)
    assert (b.numpy() == 5).all() and gone_soon(gone, device)


def test_an_upload_without_a_copy_that_is_refused_keeps_nothing(cpu):
    host = np.full(8, 5, np.float32)
    gone = weakref.ref(host)
    sealed = cpu.buffer(np.zeros(8, np.float32))
    sealed.seal()
    with pytest.raises(pintle.InvalidArgument):
        cpu.queue().submit(pintle.upload(sealed, host, copy=False))
    del host
    assert gone_soon(gone, cpu)


POKE = "void poke(const pintle_group* group, void* const* a) { **(float**)a[0] = 5.0f; }"


def test_a_launch_says_what_it_uses_by_address(cpu):
    poke = taken(cpu, pintle.source(POKE, format="c", signatures=["poke(at: u64) group 1"]))["poke"]
    there, seen = cpu.buffer(np.zeros(4, np.float32)), cpu.empty(4)
    launch = poke.command(there.native.address, groups=1)
    cpu.queue().submit(launch, pintle.uses(there, "write"), pintle.copy(seen, there)).wait(30)
    assert seen.numpy().tolist() == [5, 0, 0, 0]
    recording = cpu.record(launch, pintle.uses(pintle.slot(0)), pintle.copy(seen, pintle.slot(0)))
    there.numpy()[1] = 2
    cpu.queue().replay(recording, there).wait(30)
    assert seen.numpy().tolist() == [5, 2, 0, 0]


def test_uses_that_cannot_be_are_refused(cpu):
    buffer = cpu.empty(4)
    with pytest.raises(pintle.InvalidArgument):
        cpu.queue().submit(pintle.uses(buffer))  # no launch is before it
    with pytest.raises(pintle.InvalidArgument, match="read_write"):
        pintle.uses(buffer, "look")
    for make in (lambda: pintle.uses(np.ones(4)), lambda: pintle.holds(buffer[0:2]), lambda: pintle.holds(None)):
        with pytest.raises(TypeError):
            make()


def test_a_list_holds_a_buffer(cpu, gate):
    array = np.ones(1000, np.float32)
    gone, buffer = weakref.ref(array), cpu.wrap(array)
    done = cpu.queue().submit(pintle.holds(buffer), after=[gate.point(1)])
    buffer.close()
    del array, buffer
    gc.collect()
    assert gone() is not None
    gate.set(1)
    done.wait(30)
    assert gone_soon(gone, cpu)


def test_launches_and_replays_raise_points(device, saxpy):
    x, y = xy(device)
    queue, signal = device.queue(), pintle.Signal()
    recording = device.record(saxpy.command(1.0, x, y, 1000, items=1000))
    queue.launch(saxpy, 2.0, x, y, 1000, items=1000, signal=[signal.point(3)], timeout=30)
    signal.point(3).wait(30)
    queue.replay(recording, signal=[signal.point(4), signal.point(5)], timeout=30, label="again")
    signal.point(5).wait(30)
    assert signal.value == 5 and (y.numpy() == 10).all()


def test_points_of_launches_and_replays_fail_with_them(cpu, cpu_saxpy):
    x, y = xy(cpu)
    recording = cpu.record(cpu_saxpy.command(1.0, x, y, 1000, items=1000))
    for start in (lambda queue, **options: queue.launch(cpu_saxpy, 2.0, x, y, 1000, items=1000, **options), lambda queue, **options: queue.replay(recording, **options)):
        cause, signal = pintle.Signal(), pintle.Signal()
        start(cpu.queue(), after=[cause.point(1)], signal=[signal.point(1)])
        cause.fail("no more")
        with pytest.raises(pintle.Cancelled, match="no more"):
            signal.point(1).wait(30)


@pytest.mark.parametrize("options, kind", [({"signal": 3}, TypeError), ({"signal": [3]}, TypeError), ({"signal": pintle.Signal().point(1)}, TypeError),
                                           ({"timeout": -1}, pintle.InvalidArgument), ({"timeout": "1"}, TypeError), ({"label": 3}, TypeError)])
def test_options_that_cannot_be_submit_nothing(cpu, cpu_saxpy, options, kind):
    x, y = xy(cpu)
    queue, recording = cpu.queue(), cpu.record(cpu_saxpy.command(1.0, x, y, 1000, items=1000))
    for start in (lambda: queue.launch(cpu_saxpy, 2.0, x, y, 1000, items=1000, **options), lambda: queue.replay(recording, **options)):
        with pytest.raises(kind):
            start()
    assert queue.last().value == 0


def test_a_timeout_of_launches_and_replays_is_for_room(cpu, cpu_saxpy, gate):
    x, y = xy(cpu)
    recording = cpu.record(cpu_saxpy.command(1.0, x, y, 1000, items=1000))
    queues = [cpu.queue(), cpu.queue()]
    for queue, start in zip(queues, (lambda queue: queue.launch(cpu_saxpy, 1.0, x, y, 1000, items=1000, timeout=0.02),
                                     lambda queue: queue.replay(recording, timeout=0.02))):
        queue.submit(after=[gate.point(1)])
        with pytest.raises(pintle.Timeout):
            for _ in range(cpu.info.max_in_flight + 2):
                start(queue)
    gate.set(1)
    for queue in queues:
        queue.last().wait(60)


def test_a_queue_checks_without_submitting(device):
    queue, buffer, dead = device.queue(), device.buffer(np.zeros((4, 4), np.float32)), device.empty(4)
    for memory in (buffer, buffer[1:3]):
        queue.check(memory)
        queue.check(memory, "read")
    buffer.seal()
    queue.check(buffer, "read")
    dead.close()
    other = pintle.open("null").empty(4)
    for use, kind in ((lambda: queue.check(buffer), pintle.InvalidArgument), (lambda: queue.check(buffer[0:1], "write"), pintle.InvalidArgument),
                      (lambda: queue.check(dead), pintle.Stale), (lambda: queue.check(other), pintle.InvalidArgument),
                      (lambda: queue.check(buffer, "look"), pintle.InvalidArgument), (lambda: queue.check(np.zeros(4)), TypeError)):
        with pytest.raises(kind):
            use()
    assert queue.last().value == 0


def test_a_queue_that_has_failed_says_so_when_it_checks(cpu):
    queue, cause = cpu.queue(), pintle.Signal()
    done = queue.submit(after=[cause.point(1)])
    cause.fail("The cable is cut.")
    with pytest.raises(pintle.Cancelled):
        done.wait(30)
    with pytest.raises(pintle.Cancelled, match="cable"):
        queue.check(cpu.empty(4))
