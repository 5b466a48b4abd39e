"""DLPack 1.3's functions for C: their structs, and types of another library's that have such functions."""

import ctypes
from ctypes import (CFUNCTYPE, POINTER, PYFUNCTYPE, Structure, addressof, c_char_p, c_int, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64,
                    c_void_p, pointer, py_object)


class Tensor(Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32), ("code", c_uint8), ("bits", c_uint8),
                ("lanes", c_uint16), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class Managed(Structure):
    """A tensor with its deleter, which the library may call at any time: `keep` it."""


kept = []


def keep(managed, *others):
    managed.kept = others
    kept.append(managed)
    return managed


Deleter = CFUNCTYPE(None, POINTER(Managed))
Managed._fields_ = [("major", c_uint32), ("minor", c_uint32), ("context", c_void_p), ("deleter", Deleter), ("flags", c_uint64), ("tensor", Tensor)]
Fail = CFUNCTYPE(None, c_void_p, c_char_p, c_char_p)


class Table(Structure):
    _fields_ = [("major", c_uint32), ("minor", c_uint32), ("before", c_void_p),
                ("allocate", CFUNCTYPE(c_int, POINTER(Tensor), POINTER(POINTER(Managed)), c_void_p, Fail)),
                ("from_object", PYFUNCTYPE(c_int, py_object, POINTER(POINTER(Managed)))), ("to_object", PYFUNCTYPE(c_int, POINTER(Managed), POINTER(c_void_p))),
                ("lend", c_void_p), ("stream", CFUNCTYPE(c_int, c_int32, c_int32, POINTER(c_void_p)))]


NAME = b"dlpack_exchange_api"  # a capsule does not copy it
make_capsule = ctypes.pythonapi.PyCapsule_New
make_capsule.restype, make_capsule.argtypes = py_object, [c_void_p, c_char_p, c_void_p]


def over(array, deleted, flags=0, kind=1):
    """A tensor over an array of NumPy's of float32. Its deleter appends to `deleted`."""
    shape = (c_int64 * array.ndim)(*array.shape)
    managed = Managed(major=1, deleter=Deleter(lambda _: deleted.append(1)), flags=flags,
                      tensor=Tensor(array.ctypes.data, kind, 0, array.ndim, 2, 32, 1, shape))
    return keep(managed, array, shape)


def table_for(managed, asked, stream=None, status=0, version=(1, 3), before=None):
    """The functions of another library, which answer one tensor, and a stream's number; they count in `asked`."""
    def from_object(_, made):
        asked["tensor"] += 1
        if status == 0:
            made[0] = pointer(managed)
        return status

    def current(kind, number, out):
        asked["stream"] += 1
        out[0] = stream
        return 0
    fields = dict(Table._fields_)
    table = Table(*version, None if before is None else addressof(before), from_object=fields["from_object"](from_object),
                  stream=fields["stream"](current))
    table.kept = managed, before
    return table


def offered(table, asked, methods=None):
    """An object whose type has the functions of a table, and the methods of DLPack where `methods` has them."""
    members = {"__dlpack_c_exchange_api__": make_capsule(addressof(table), NAME, None), "table": table, "asked": asked}
    if methods is not None:
        members.update(__dlpack__=lambda self, **options: methods.__dlpack__(**options), __dlpack_device__=lambda self: methods.__dlpack_device__())
    return type("Offered", (), members)()


def offer(managed, methods=None, **options):
    asked = {"tensor": 0, "stream": 0}
    return offered(table_for(managed, asked, **options), asked, methods)
