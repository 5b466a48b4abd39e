"""DLPack with NumPy and PyTorch, both ways: no copy on the cpu, read-only, and lives in both orders."""

import gc
import weakref

import numpy as np
import pytest

import pintle

torch = None
try:
    import torch
except ImportError as error:
    ABSENT = str(error)
needs_torch = pytest.mark.skipif(torch is None, reason="PyTorch is absent (package python3-torch)")


def values(count=8):
    return np.arange(count, dtype=np.float32)


def test_numpy_takes_a_buffer_without_a_copy(cpu):
    buffer = cpu.buffer(values())
    array = np.from_dlpack(buffer)
    assert array.tolist() == values().tolist() and array.ctypes.data == buffer.numpy().ctypes.data


def test_numpy_takes_a_buffer_of_any_device(device):
    assert np.from_dlpack(device.buffer(values().reshape(2, 4))).tolist() == values().reshape(2, 4).tolist()


@needs_torch
def test_torch_takes_a_buffer_without_a_copy(cpu):
    buffer = cpu.buffer(values().reshape(2, 4))
    tensor = torch.from_dlpack(buffer)
    assert tensor.shape == (2, 4) and tensor.data_ptr() == buffer.numpy().ctypes.data
    tensor[0, 1] = 50
    assert buffer.numpy()[0, 1] == 50


@needs_torch
@pytest.mark.parametrize("dtype", ["u8", "i8", "i16", "i32", "i64", "f16", "f32", "f64", "bf16", "complex64"])
def test_torch_takes_each_dtype(cpu, dtype):
    buffer = cpu.empty(8, dtype)
    cpu.queue().submit(pintle.fill(buffer, 1 if dtype[0] in "ui" else 1.0)).wait(30)
    tensor = torch.from_dlpack(buffer)
    assert tensor.shape == (8,) and tensor.element_size() * 8 == buffer.nbytes and (tensor == 1).all()


def test_a_buffer_takes_an_array_without_a_copy(cpu):
    array = values()
    buffer = cpu.from_dlpack(array)
    assert buffer.numpy().ctypes.data == array.ctypes.data and buffer.dtype == "f32" and buffer.shape == (8,)
    cpu.queue().submit(pintle.fill(buffer, 3.0)).wait(30)
    assert (array == 3).all()


@needs_torch
def test_a_buffer_takes_a_tensor_without_a_copy(cpu):
    tensor = torch.arange(8, dtype=torch.float32)
    buffer = cpu.from_dlpack(tensor)
    assert buffer.numpy().ctypes.data == tensor.data_ptr()
    cpu.queue().submit(pintle.fill(buffer, 3.0)).wait(30)
    assert (tensor == 3).all()


def test_a_buffer_takes_an_array_on_any_device(device):
    array = values()
    buffer = device.from_dlpack(array)
    assert buffer.device is device and buffer.numpy().tolist() == values().tolist()


def test_copy_true_copies_and_copy_false_never_does(device):
    array = values()
    buffer = device.from_dlpack(array, copy=True)
    array[:] = 0
    assert buffer.numpy().tolist() == values().tolist()
    try:
        shared = device.from_dlpack(array, copy=False)
    except (pintle.Unsupported, BufferError) as error:
        assert device.id != "cpu" and str(error)
        return
    device.queue().submit(pintle.fill(shared, 6.0)).wait(30)
    assert shared.numpy().tolist() == [6] * 8


def test_a_buffer_takes_a_buffer(cpu):
    first = cpu.buffer(values())
    second = cpu.from_dlpack(first)
    assert second.numpy().ctypes.data == first.numpy().ctypes.data
    first.close()
    del first
    gc.collect()
    assert second.numpy().tolist() == values().tolist()


@pytest.mark.parametrize("thing", [None, 3, "x", object(), [1.0]])
def test_what_is_no_tensor_is_a_type_error(cpu, thing):
    with pytest.raises(TypeError):
        cpu.from_dlpack(thing)


def test_a_tensor_with_gaps_is_refused_or_copied(cpu):
    array = values(16)[::2]
    with pytest.raises((pintle.InvalidArgument, pintle.Unsupported, BufferError)):
        cpu.from_dlpack(array, copy=False)


def test_a_producer_that_raises_is_not_swallowed(cpu):
    class Rude:
        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **options):
            raise RuntimeError("no tensor today")
    with pytest.raises(RuntimeError, match="no tensor today"):
        cpu.from_dlpack(Rude())


@pytest.mark.parametrize("answer", [None, 3, "capsule", b"x" * 64])
def test_a_producer_that_gives_no_capsule_is_refused(cpu, answer):
    class Liar:
        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **options):
            return answer
    with pytest.raises((TypeError, ValueError, pintle.Error)):
        cpu.from_dlpack(Liar())


def test_a_capsule_is_taken_once(cpu):
    class Twice:
        def __init__(self):
            self.capsule = values().__dlpack__()

        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **options):
            return self.capsule
    twice = Twice()
    first = cpu.from_dlpack(twice)
    with pytest.raises((TypeError, ValueError, pintle.Error)):
        cpu.from_dlpack(twice)
    assert first.numpy().tolist() == values().tolist()


def test_a_tensor_of_another_kind_of_device_is_refused(cpu):
    class Elsewhere:
        def __dlpack_device__(self):
            return (2, 0)

        def __dlpack__(self, **options):
            return values().__dlpack__()
    with pytest.raises((pintle.Unsupported, pintle.InvalidArgument, BufferError)):
        cpu.from_dlpack(Elsewhere())


@pytest.mark.parametrize("kind", [3, 11])
def test_pinned_memory_is_the_hosts(cpu, kind):
    class Pinned:
        def __dlpack_device__(self):
            return (kind, 0)

        def __dlpack__(self, **options):
            return values().__dlpack__()
    assert cpu.from_dlpack(Pinned()).numpy().tolist() == values().tolist()


def test_the_device_of_a_buffer_is_the_hosts(device):
    kind, number = device.buffer(values()).__dlpack_device__()
    assert (int(kind), int(number)) == (1, 0)


@pytest.mark.parametrize("options", [{"stream": 7}, {"dl_device": (2, 0)}])
def test_what_the_host_has_not_is_refused(cpu, options):
    with pytest.raises((BufferError, TypeError, ValueError)):
        cpu.buffer(values()).__dlpack__(**options)


def test_copy_true_of_an_export_is_a_copy(cpu):
    buffer = cpu.buffer(values())

    class Export:
        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **options):
            return buffer.__dlpack__(copy=True)
    array = np.from_dlpack(Export())
    assert array.tolist() == values().tolist() and array.ctypes.data != buffer.numpy().ctypes.data


def test_a_sealed_buffer_needs_a_consumer_that_knows_read_only(cpu):
    buffer = cpu.buffer(values())
    buffer.seal()
    with pytest.raises(BufferError):
        buffer.__dlpack__()  # version 0 cannot say read-only
    assert "dltensor_versioned" in repr(buffer.__dlpack__(max_version=(1, 0)))


def test_a_read_only_array_stays_so(cpu):
    array = values()
    array.flags.writeable = False
    try:
        buffer = cpu.from_dlpack(array)
    except (BufferError, TypeError):  # NumPy 1.24 exports none
        return
    if buffer.numpy().ctypes.data == array.ctypes.data:
        assert buffer.sealed
    assert array.tolist() == values().tolist()


def test_a_capsule_that_nobody_takes_is_let_go_of(cpu):
    buffer = cpu.buffer(values())
    for options in ({}, {"max_version": (1, 0)}):
        for _ in range(100):
            buffer.__dlpack__(**options)
    gc.collect()
    assert buffer.numpy().tolist() == values().tolist()


def test_the_array_outlives_the_buffer(cpu):
    buffer = cpu.buffer(values(100000))
    array = np.from_dlpack(buffer)
    buffer.close()
    del buffer
    gc.collect()
    others = [cpu.buffer(np.zeros(100000, np.float32)) for _ in range(8)]
    assert array[::1000].tolist() == values(100000)[::1000].tolist() and len(others) == 8


@needs_torch
def test_the_tensor_outlives_the_buffer(cpu):
    tensor = torch.from_dlpack(cpu.buffer(values(100000)))
    gc.collect()
    others = [cpu.buffer(np.zeros(100000, np.float32)) for _ in range(8)]
    assert tensor[::1000].tolist() == values(100000)[::1000].tolist() and len(others) == 8


def test_the_buffer_outlives_the_array(cpu):
    array = values(100000)
    gone = weakref.ref(array)
    buffer = cpu.from_dlpack(array)
    del array
    gc.collect()
    others = [np.zeros(100000, np.float32) for _ in range(8)]
    assert buffer.numpy()[::1000].tolist() == values(100000)[::1000].tolist() and len(others) == 8
    buffer.close()
    del buffer
    for _ in range(1000):
        cpu.wait_idle(30)
        cpu.empty(1)
        gc.collect()
        if gone() is None:
            return
    raise AssertionError("The array is kept after the buffer.")


def test_work_in_flight_outlives_both(cpu, gate):
    array = values()
    gone = weakref.ref(array)
    buffer = cpu.from_dlpack(array)
    done = cpu.queue().submit(pintle.fill(buffer, 1.0), after=[gate.point(1)])
    buffer.close()
    del array, buffer
    gc.collect()
    assert gone() is not None
    gate.set(1)
    done.wait(30)


def test_an_export_waits_for_the_last_write(cpu, gate):
    import threading
    buffer = cpu.buffer(np.zeros(8, np.float32))
    cpu.queue().submit(pintle.fill(buffer, 5.0), after=[gate.point(1)])
    threading.Timer(0.05, gate.set, [1]).start()
    assert np.from_dlpack(buffer).tolist() == [5] * 8


def test_a_closed_buffer_exports_nothing(cpu):
    buffer = cpu.buffer(values())
    buffer.close()
    with pytest.raises(pintle.Stale):
        buffer.__dlpack__()
