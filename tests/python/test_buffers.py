"""Buffers: copies, sharing, views, seals, and what arrays are refused."""

import ctypes
import gc
import weakref

import numpy as np
import pytest

import pintle


def test_a_buffer_is_always_a_copy(device):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    buffer = device.buffer(x)
    x[:] = 0
    assert buffer.shape == (3, 4) and buffer.dtype == np.float32 and buffer.dtype == "f32" and buffer.nbytes == 48
    assert buffer.device is device and not buffer.sealed
    assert buffer.numpy().tolist() == np.arange(12, dtype=np.float32).reshape(3, 4).tolist()
    assert "f32" in repr(buffer) and device.id in repr(buffer)


@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8"])
def test_each_dtype_comes_and_goes(device, dtype):
    x = np.arange(7).astype(dtype)
    found = device.buffer(x).numpy()
    assert found.dtype == x.dtype and found.tolist() == x.tolist()


@pytest.mark.parametrize("name, size", [("f32", 4), ("bf16", 2), ("f8_e4m3fn", 1), ("f8_e5m2", 1), ("u64", 8), ("complex64", 8), ("bool", 1)])
def test_a_dtype_has_a_name(cpu, name, size):
    buffer = cpu.empty((2, 3), name)
    assert buffer.dtype == name and buffer.nbytes == 6 * size and str(buffer.dtype) == name


@pytest.mark.parametrize("dtype", ["f31", "", "float33", "datetime64[s]", "U3", object, "c16", ">f4"])
def test_another_dtype_is_refused(cpu, dtype):
    with pytest.raises((pintle.InvalidArgument, TypeError)):
        cpu.empty(4, dtype)


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([object()]), np.ones(3, ">f4"), np.ones(3, "c16"), np.ones(3, "f16"), np.array(["2020"], "M8[D]"),
                                   np.zeros(2, [("a", "f4")])])
def test_an_array_without_a_dtype_of_ours_is_refused(cpu, array):
    if array.dtype == ">f4":  # a copy is in this machine's order
        assert cpu.buffer(array).numpy().tolist() == [1, 1, 1]
    for make in (cpu.wrap,) if array.dtype == ">f4" else (cpu.wrap, cpu.buffer):
        with pytest.raises((pintle.InvalidArgument, TypeError)) as caught:
            make(array)
        assert str(caught.value)


def test_a_copy_takes_any_order(cpu):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    for each in (x.T, x[::2], x[:, ::-1], np.asfortranarray(x)):
        assert cpu.buffer(each).numpy().tolist() == each.tolist()


@pytest.mark.parametrize("kind, name", [(ctypes.c_uint8, "u8"), (ctypes.c_int16, "i16"), (ctypes.c_uint32, "u32"), (ctypes.c_int64, "i64"), (ctypes.c_float, "f32"),
                                        (ctypes.c_double, "f64"), (ctypes.c_bool, "bool")])
def test_an_array_of_ctypes_names_its_byte_order(cpu, kind, name):
    memory = (kind * 6)(*[0, 1] * 3)
    assert memoryview(memory).format[0] in "<>"
    shared, copied, out = cpu.wrap(memory), cpu.buffer(memory), (kind * 6)()
    assert shared.dtype == copied.dtype == name and shared.numpy().tolist() == copied.numpy().tolist() == [0, 1] * 3
    cpu.queue().submit(pintle.upload(copied, memory), pintle.download(out, copied)).wait(30)
    assert list(out) == list(memory)
    memory[0] = 1
    assert shared.numpy()[0] == 1


def test_memory_of_another_byte_order_is_refused(cpu):
    memory = (ctypes.c_float.__ctype_be__ * 4)()
    with pytest.raises(pintle.InvalidArgument, match=">f"):
        cpu.wrap(memory)


@pytest.mark.parametrize("make", [lambda x: x.T, lambda x: x[:, 1:], lambda x: x[::2], lambda x: x[::-1], np.asfortranarray])
def test_wrap_refuses_what_is_not_in_c_order(cpu, make):
    with pytest.raises(pintle.InvalidArgument) as caught:
        cpu.wrap(make(np.arange(12, dtype=np.float32).reshape(3, 4)))
    assert "order" in str(caught.value) or "contiguous" in str(caught.value) or "gaps" in str(caught.value)


@pytest.mark.parametrize("thing", [None, 3, "text", object(), {1: 2}])
def test_wrap_refuses_what_is_no_array(cpu, thing):
    with pytest.raises(TypeError):
        cpu.wrap(thing)


def test_wrap_shares_the_memory(cpu, cpu_saxpy):
    y = np.ones(1000, np.float32)
    buffer = cpu.wrap(y)
    cpu.queue().launch(cpu_saxpy, 2.0, cpu.buffer(np.full(1000, 3, np.float32)), buffer, 1000, items=1000).wait(30)
    assert (y == 7).all()
    y[0] = 5
    assert buffer.numpy()[0] == 5
    assert buffer.numpy().ctypes.data == y.ctypes.data


def test_wrap_shares_or_raises(device):
    memory = np.ones(3 * 1024, np.float32)  # whole pages are in it, which is what devices ask for
    begin = -memory.ctypes.data % 4096 // 4
    y = memory[begin:begin + 1024]
    if not device.supports("host_import"):
        with pytest.raises(pintle.Unsupported) as caught:
            device.wrap(y)
        assert device.id in str(caught.value)
        return
    buffer = device.wrap(y)
    queue = device.queue()
    queue.submit(pintle.fill(buffer, 4.0)).wait(30)
    assert buffer.numpy()[7] == 4
    buffer.close()
    device.wait_idle(30)


def test_wrap_refuses_memory_that_the_device_cannot_use(device):
    memory = np.ones(1024, np.float32)
    try:
        device.wrap(memory[1:10])
    except pintle.Unsupported as error:  # with the place and what it has to be a multiple of, or that there is no import
        assert device.id != "cpu" and device.id in str(error)
    else:
        assert device.supports("host_import")


def test_wrap_of_a_read_only_array_is_sealed(cpu):
    x = np.ones(10, np.float32)
    x.flags.writeable = False
    buffer = cpu.wrap(x)
    assert buffer.sealed
    with pytest.raises(pintle.InvalidArgument):
        cpu.queue().submit(pintle.fill(buffer, 2.0))
    assert (x == 1).all()


def test_wrap_keeps_the_array_while_work_uses_it(cpu, gate):
    x = np.ones(1000, np.float32)
    gone = weakref.ref(x)
    buffer, queue = cpu.wrap(x), cpu.queue()
    done = queue.submit(pintle.fill(buffer, 2.0), after=[gate.point(1)])
    del x, buffer
    gc.collect()
    assert gone() is not None  # work in flight writes it
    gate.set(1)
    done.wait(30)
    for _ in range(1000):
        cpu.wait_idle(30)
        cpu.empty(1)  # a later call lets go of it
        gc.collect()
        if gone() is None:
            return
    raise AssertionError("The array is kept after its last use.")


def test_the_bytes_stay_while_an_array_has_them(cpu):
    buffer = cpu.buffer(np.arange(100000, dtype=np.float32))
    array = buffer.numpy()
    buffer.close()
    del buffer
    gc.collect()
    others = [cpu.buffer(np.zeros(100000, np.float32)) for _ in range(8)]
    assert array[::1000].tolist() == list(range(0, 100000, 1000)) and len(others) == 8


def test_numpy_shares_the_memory_of_the_cpu(cpu):
    buffer = cpu.buffer(np.zeros(10, np.float32))
    first, second = buffer.numpy(), buffer.numpy()
    assert first.ctypes.data == second.ctypes.data
    first[3] = 8
    assert second[3] == 8


def test_numpy_of_a_sealed_buffer_is_read_only(cpu):
    buffer = cpu.buffer(np.zeros(10, np.float32))
    buffer.seal()
    assert buffer.sealed and not buffer.numpy().flags.writeable
    with pytest.raises(ValueError):
        buffer.numpy()[0] = 1
    with pytest.raises(ValueError):
        buffer.numpy().flags.writeable = True


def test_a_sealed_buffer_is_not_written(device, saxpy):
    x, y = device.buffer(np.ones(256, np.float32)), device.buffer(np.ones(256, np.float32))
    y.seal()
    with pytest.raises(pintle.InvalidArgument):
        device.queue().launch(saxpy, 1.0, x, y, 256, items=256)


def test_numpy_waits_for_the_last_write(device, saxpy, gate):
    import threading
    x, y = device.buffer(np.full(1000, 3, np.float32)), device.buffer(np.ones(1000, np.float32))
    done = device.queue().launch(saxpy, 2.0, x, y, 1000, items=1000, after=[gate.point(1)])
    threading.Timer(0.05, gate.set, [1]).start()
    assert (y.numpy() == 7).all() and done.reached


def test_numpy_waits_for_every_queue(cpu, gate):
    y, queues = cpu.buffer(np.zeros((2, 4), np.float32)), [cpu.queue(), cpu.queue()]
    points = [queue.submit(pintle.fill(y[i:i + 1], i + 1.0), after=[gate.point(1)]) for i, queue in enumerate(queues)]
    import threading
    threading.Timer(0.05, gate.set, [1]).start()
    assert y.numpy().tolist() == [[1] * 4, [2] * 4] and all(each.reached for each in points)


def test_numpy_waits_for_a_replay(cpu, cpu_saxpy, gate):
    x, y, z = (cpu.buffer(np.ones(1000, np.float32)) for _ in range(3))
    recording = cpu.record(cpu_saxpy.command(2.0, x, y, 1000, items=1000), cpu_saxpy.command(3.0, x, pintle.slot(0), 1000, items=1000))
    cpu.queue().replay(recording, z, after=[gate.point(1)])
    import threading
    threading.Timer(0.05, gate.set, [1]).start()
    assert (z.numpy() == 4).all() and (y.numpy() == 3).all()


def test_numpy_has_a_timeout(cpu, gate):
    y = cpu.empty(4)
    cpu.queue().submit(pintle.fill(y, 1.0), after=[gate.point(1)])
    with pytest.raises(pintle.Timeout):
        y.numpy(timeout=0.02)


def test_a_slice_is_a_view(device):
    buffer = device.buffer(np.arange(40, dtype=np.float32).reshape(10, 4))
    view = buffer[2:4]
    assert isinstance(view, pintle.View) and view.shape == (2, 4) and view.nbytes == 32 and view.offset == 32 and view.dtype == "f32"
    assert view.numpy().tolist() == np.arange(8, 16, dtype=np.float32).reshape(2, 4).tolist()
    assert len(buffer) == 10 and buffer[-1:].shape == (1, 4) and buffer[:].shape == (10, 4)
    assert buffer.view(16, 8, "u16").shape == (4,)


@pytest.mark.parametrize("part", [slice(0, 10, 2), slice(5, 5), slice(None, None, -1), slice(20, 30)])
def test_a_slice_with_a_step_or_nothing_is_refused(cpu, part):
    with pytest.raises(pintle.InvalidArgument):
        cpu.empty(10)[part]


@pytest.mark.parametrize("index", [3, "3", None, (slice(0, 1), slice(0, 1)), 1.5])
def test_an_index_is_a_type_error(cpu, index):
    with pytest.raises(TypeError):
        cpu.empty((10, 10))[index]


@pytest.mark.parametrize("offset, nbytes, dtype", [(0, 41, "u8"), (40, 1, "u8"), (-1, 4, "u8"), (0, 0, "u8"), (0, 3, "f32"), (1 << 63, 4, "u8"), (0, 1 << 64, "u8"),
                                                   (1 << 70, 4, "u8")])
def test_a_part_that_is_not_there_is_refused(cpu, offset, nbytes, dtype):
    with pytest.raises(pintle.InvalidArgument):
        cpu.empty(10).view(offset, nbytes, dtype)


def test_a_buffer_iterates_not_for_ever(cpu):
    with pytest.raises(TypeError):
        list(cpu.empty(3))


def test_a_fork_is_a_copy_in_the_order_of_the_queue(device):
    queue, buffer = device.queue(), device.buffer(np.ones(64, np.float32))
    queue.submit(pintle.fill(buffer, 2.0))
    fork = queue.fork(buffer)
    queue.submit(pintle.fill(buffer, 3.0))
    assert fork.numpy().tolist() == [2] * 64 and buffer.numpy().tolist() == [3] * 64
    assert fork.shape == buffer.shape and fork.dtype == buffer.dtype


def test_an_empty_array_is_refused_or_empty(cpu):
    try:
        buffer = cpu.buffer(np.zeros(0, np.float32))
    except pintle.InvalidArgument as error:
        assert "0" in str(error)
        return
    assert buffer.numpy().shape == (0,)


def test_a_scalar_array_has_no_dimensions(cpu):
    buffer = cpu.buffer(np.array(3, np.float32))
    assert buffer.shape == () and buffer.numpy()[()] == 3
    with pytest.raises(TypeError):
        len(buffer)


def test_lists_of_numbers_are_arrays(cpu):
    assert cpu.buffer([[1, 2], [3, 4]], "i16").numpy().tolist() == [[1, 2], [3, 4]]
    assert cpu.buffer(bytearray(b"abc")).numpy().tolist() == [97, 98, 99]


def test_a_lazy_buffer_gets_its_memory_when_it_is_used(device):
    buffer = device.empty(1000, allocation="lazy")
    device.queue().submit(pintle.fill(buffer, 3.0))
    assert (buffer.numpy() == 3).all()


def test_a_buffer_is_aligned(cpu):
    for alignment in (1, 64, 4096):
        assert cpu.empty(10, alignment=alignment).numpy().ctypes.data % alignment == 0
    for options in ({"alignment": 3}, {"alignment": 8192}, {"alignment": -1}, {"allocation": "now"}):
        with pytest.raises(pintle.InvalidArgument):
            cpu.empty(10, **options)


def test_a_file_is_a_sealed_buffer(cpu, tmp_path):
    path, values = tmp_path / "values", np.arange(16, dtype=np.float32)
    values.tofile(path)
    buffer = cpu.map_file(path, (2, 4), "f32", offset=16, label="values")
    assert buffer.sealed and buffer.numpy().tolist() == values[4:12].reshape(2, 4).tolist()
    copy = cpu.empty(8)
    cpu.queue().submit(pintle.copy(copy, buffer)).wait(30)
    assert copy.numpy().tolist() == values[4:12].tolist()
    for use, kind in ((lambda: cpu.map_file(tmp_path / "absent", 4), pintle.IOFailed), (lambda: cpu.map_file(path, 16, offset=4), pintle.InvalidArgument),
                      (lambda: cpu.map_file(path, 4, offset=-1), pintle.InvalidArgument), (lambda: cpu.map_file("a\0b", 4), ValueError),
                      (lambda: cpu.map_file(path, 4, "f31"), pintle.InvalidArgument), (lambda: cpu.map_file(3, 4), TypeError)):
        with pytest.raises(kind):
            use()


def test_close_twice_does_nothing(cpu):
    buffer = cpu.empty(3)
    with buffer:
        assert not buffer.closed
    assert buffer.closed
    buffer.close()
