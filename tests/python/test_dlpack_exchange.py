"""DLPack's functions for C code: those on the type of buffers, called as another library's C code calls them, and those of other types."""

import ctypes
import gc
import sys
import threading
import time
from ctypes import POINTER, byref, c_char_p, c_float, c_int32, c_int64, c_void_p, py_object

import numpy as np
import pytest

import exchange
import pintle
from exchange import Fail, Managed, Table, Tensor, offer


def table():
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = c_void_p, [py_object, c_char_p]
    return Table.from_address(pointer(pintle.Buffer.__dlpack_c_exchange_api__, b"dlpack_exchange_api"))


def taken(buffer):
    made = POINTER(Managed)()
    assert table().from_object(buffer, byref(made)) == 0
    return made


def given(managed):
    """The object of Python that a tensor becomes."""
    made = c_void_p()
    assert table().to_object(managed, byref(made)) == 0
    buffer = ctypes.cast(made, py_object).value
    ctypes.pythonapi.Py_DecRef(py_object(buffer))
    return buffer


def end(managed):
    managed.contents.deleter(managed)


def test_the_table_is_of_version_1_3():
    its = table()
    assert (its.major, its.minor, its.before) == (1, 3, None) and its.allocate and its.from_object and its.to_object and its.stream


def test_a_tensor_is_the_buffers_bytes(cpu):
    buffer = cpu.buffer(np.arange(12, dtype=np.int16).reshape(3, 4))
    managed = taken(buffer)
    its = managed.contents
    tensor = its.tensor
    assert (its.major, its.flags, tensor.device_type, tensor.ndim, tensor.code, tensor.bits, tensor.lanes, tensor.byte_offset) == (1, 0, 1, 2, 0, 16, 1, 0)
    assert tensor.shape[:2] == [3, 4] and tensor.strides[:2] == [4, 1] and tensor.data == buffer.numpy().ctypes.data
    end(managed)


def test_a_tensor_keeps_the_bytes(cpu):
    buffer = cpu.buffer(np.full(1000, 7, np.int32))
    managed = taken(buffer)
    buffer.close()
    del buffer
    gc.collect()
    assert (c_int32 * 1000).from_address(managed.contents.tensor.data)[:] == [7] * 1000
    end(managed)


def test_a_sealed_buffer_is_read_only(cpu):
    buffer = cpu.buffer(np.ones(4, np.float32))
    buffer.seal()
    managed = taken(buffer)
    assert managed.contents.flags & 1
    end(managed)


def test_a_tensor_becomes_a_buffer_without_a_copy(cpu):
    buffer = cpu.buffer(np.arange(4, dtype=np.float32))
    again = given(taken(buffer))
    assert isinstance(again, pintle.Buffer) and again.shape == (4,) and again.device.id == "cpu"
    assert again.numpy().tolist() == [0, 1, 2, 3] and again.numpy().ctypes.data == buffer.numpy().ctypes.data


def test_another_library_allocates_by_it():
    shape = (c_int64 * 2)(3, 5)
    like, made, failures = Tensor(device_type=1, ndim=2, code=2, bits=32, lanes=1, shape=shape), POINTER(Managed)(), []
    fail = Fail(lambda context, kind, message: failures.append((kind, message)))
    assert table().allocate(byref(like), byref(made), None, fail) == 0
    tensor = made.contents.tensor
    assert tensor.shape[:2] == [3, 5] and tensor.strides[:2] == [5, 1] and tensor.data % 256 == 0
    ctypes.memset(tensor.data, 0, 60)
    buffer = given(made)
    assert (buffer.numpy() == np.zeros((3, 5), np.float32)).all() and not failures
    for change in ({"device_type": 2}, {"ndim": 9}, {"shape": (c_int64 * 2)(1 << 40, 1 << 40)}, {"shape": (c_int64 * 2)(-1, 1)}):
        wrong = Tensor(**{"device_type": 1, "ndim": 2, "code": 2, "bits": 32, "lanes": 1, "shape": shape, **change})
        assert table().allocate(byref(wrong), byref(made), None, fail) == -1
    assert [kind for kind, _ in failures] == [b"BufferError", b"BufferError", b"MemoryError", b"MemoryError"] and all(message for _, message in failures)


def test_memory_of_the_host_has_no_stream():
    stream = c_void_p(5)
    assert table().stream(1, 0, byref(stream)) == 0 and stream.value is None


def test_what_cannot_be_is_an_exception(cpu):
    made, dead = POINTER(Managed)(), cpu.empty(4)
    dead.close()
    for thing, kind in ((dead, pintle.Stale), (3, (TypeError, SystemError)), (cpu, TypeError)):
        with pytest.raises(kind):
            table().from_object(thing, byref(made))


def floats(managed, count):
    return (c_float * count).from_address(managed.contents.tensor.data)[:]


def test_a_tensor_goes_out_when_the_work_on_it_is_done(cpu, gate):
    buffer = cpu.buffer(np.zeros(8, np.float32))
    done = cpu.queue().submit(pintle.fill(buffer, 5.0), after=[gate.point(1)])
    threading.Timer(0.05, gate.set, [1]).start()
    managed = taken(buffer)
    assert done.reached and floats(managed, 8) == [5] * 8
    end(managed)


def test_a_tensor_whose_work_has_failed_does_not_go_out(cpu):
    buffer, cause = cpu.buffer(np.zeros(8, np.float32)), pintle.Signal()
    cpu.queue().submit(pintle.fill(buffer, 5.0), after=[cause.point(1)])
    cause.fail("There is no light.")
    with pytest.raises(pintle.Cancelled, match="no light"):
        taken(buffer)


def test_a_device_without_the_hosts_memory_says_so(device):
    buffer = device.buffer(np.ones(4, np.float32))
    made = POINTER(Managed)()
    try:
        table().from_object(buffer, byref(made))
    except BufferError as error:
        assert "copy" in str(error)
    else:
        assert (c_int32 * 4).from_address(made.contents.tensor.data)[:] == [0x3f800000] * 4
        end(made)


def test_nothing_is_left(cpu):
    buffer = cpu.buffer(np.ones(4, np.float32))
    before = sys.getrefcount(buffer)
    for _ in range(1000):
        end(taken(buffer))
        given(taken(buffer))
    cpu.wait_idle(30)
    for _ in range(100):
        cpu.empty(1)
        if sys.getrefcount(buffer) == before:
            break
    assert sys.getrefcount(buffer) == before


def values():
    return np.arange(8, dtype=np.float32)


def given_back(deleted):
    """Whether the deleter is called soon: the library lets go on a thread of its own."""
    for _ in range(1000):
        pintle._native.drop()
        gc.collect()
        if deleted:
            return deleted == [1]
        time.sleep(0.01)
    return False


def test_the_functions_of_a_type_are_used(cpu):
    array, deleted = values(), []
    its = offer(exchange.over(array, deleted))
    buffer = cpu.from_dlpack(its)
    assert its.asked == {"tensor": 1, "stream": 0}  # memory of the host has no stream
    assert buffer.numpy().ctypes.data == array.ctypes.data and buffer.shape == (8,) and buffer.dtype == "f32" and not deleted
    del buffer
    assert given_back(deleted)


def test_a_device_takes_what_the_functions_give(device):
    deleted = []
    assert device.from_dlpack(offer(exchange.over(values().reshape(2, 4), deleted))).numpy().tolist() == values().reshape(2, 4).tolist()
    device.wait_idle(30)
    assert given_back(deleted)


def test_a_copy_of_what_the_functions_give(cpu):
    array, deleted = values(), []
    buffer = cpu.from_dlpack(offer(exchange.over(array, deleted)), copy=True)
    array[:] = 0
    assert buffer.numpy().tolist() == values().tolist() and given_back(deleted)


def test_a_read_only_tensor_of_the_functions_is_sealed(cpu):
    assert cpu.from_dlpack(offer(exchange.over(values(), [], flags=1))).sealed


@pytest.mark.parametrize("options", [{"status": -1}, {"version": (2, 0)}])
def test_where_the_functions_refuse_the_methods_do_it(cpu, options):
    array = values()
    its = offer(exchange.over(values(), []), methods=array, **options)
    assert cpu.from_dlpack(its).numpy().ctypes.data == array.ctypes.data
    with pytest.raises(TypeError, match="__dlpack__"):
        cpu.from_dlpack(offer(exchange.over(values(), []), **options))


def test_an_older_table_behind_a_newer_one_is_used(cpu):
    array, asked = values(), {"tensor": 0, "stream": 0}
    older = exchange.table_for(exchange.over(array, []), asked)
    newer = exchange.table_for(exchange.over(values(), []), asked, version=(2, 0), before=older)
    assert cpu.from_dlpack(exchange.offered(newer, asked)).numpy().ctypes.data == array.ctypes.data and asked["tensor"] == 1


def test_what_is_no_table_is_passed_over(cpu):
    for capsule in (3, None, exchange.make_capsule(ctypes.addressof(exchange.Table()), b"another", None)):
        kind = type("Odd", (), {"__dlpack_c_exchange_api__": capsule, "__dlpack__": lambda self, **options: values().__dlpack__(),
                                "__dlpack_device__": lambda self: (1, 0)})
        assert cpu.from_dlpack(kind()).numpy().tolist() == values().tolist()


def test_a_kind_of_device_that_nobody_here_has_is_refused(cpu):
    deleted = []
    with pytest.raises(pintle.Unsupported, match="kind 8"):
        cpu.from_dlpack(offer(exchange.over(values(), deleted, kind=8)))
    assert given_back(deleted)


def test_a_buffer_is_taken_by_its_functions(cpu, gate):
    first = cpu.buffer(np.zeros(8, np.float32))
    cpu.queue().submit(pintle.fill(first, 2.0), after=[gate.point(1)])
    threading.Timer(0.05, gate.set, [1]).start()
    second = cpu.from_dlpack(first)
    assert second.numpy().tolist() == [2] * 8 and second.numpy().ctypes.data == first.numpy().ctypes.data


def test_the_functions_leave_nothing(cpu):
    array, deleted = values(), []
    managed = exchange.over(array, deleted)
    its = offer(managed)
    before = sys.getrefcount(its), sys.getrefcount(array)
    for _ in range(100):
        cpu.from_dlpack(its)
    for _ in range(1000):
        pintle._native.drop()
        if len(deleted) == 100:
            break
        time.sleep(0.01)
    assert len(deleted) == 100 and (sys.getrefcount(its), sys.getrefcount(array)) == before
