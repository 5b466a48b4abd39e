"""DLPack's functions for C code, on the type of buffers, called as another library's C code calls them."""

import ctypes
import gc
import sys
from ctypes import CFUNCTYPE, POINTER, PYFUNCTYPE, Structure, byref, c_char_p, c_int, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p, py_object

import numpy as np
import pytest

import pintle


class Tensor(Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32), ("code", c_uint8), ("bits", c_uint8),
                ("lanes", c_uint16), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class Managed(Structure):
    pass


Managed._fields_ = [("major", c_uint32), ("minor", c_uint32), ("context", c_void_p), ("deleter", CFUNCTYPE(None, POINTER(Managed))), ("flags", c_uint64),
                    ("tensor", Tensor)]
Fail = CFUNCTYPE(None, c_void_p, c_char_p, c_char_p)


class Table(Structure):
    _fields_ = [("major", c_uint32), ("minor", c_uint32), ("before", c_void_p), ("allocate", CFUNCTYPE(c_int, POINTER(Tensor), POINTER(POINTER(Managed)), c_void_p, Fail)),
                ("from_object", PYFUNCTYPE(c_int, py_object, POINTER(POINTER(Managed)))), ("to_object", PYFUNCTYPE(c_int, POINTER(Managed), POINTER(c_void_p))),
                ("lend", c_void_p), ("stream", CFUNCTYPE(c_int, c_int32, c_int32, POINTER(c_void_p)))]


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
