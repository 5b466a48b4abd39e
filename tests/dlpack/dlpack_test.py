"""NumPy, and PyTorch where it is there, on the other side of DLPack."""

import ctypes
import gc
import os
import unittest
import weakref

import numpy as np

try:
    import torch
except ImportError:
    torch = None

SHIM = ctypes.CDLL(os.environ["DLPACK_SHIM"])
NUMPY = tuple(int(part) for part in np.__version__.split(".")[:2])

for function, answer, arguments in [
    ("error", ctypes.c_char_p, []), ("take", ctypes.c_void_p, [ctypes.c_void_p]), ("take_old", ctypes.c_void_p, [ctypes.c_void_p]),
    ("make", ctypes.c_void_p, [ctypes.c_void_p]), ("make_old", ctypes.c_void_p, [ctypes.c_void_p]),
    ("drop", None, [ctypes.c_void_p]),
    ("zeros", ctypes.c_void_p, [ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint64), ctypes.c_size_t, ctypes.c_int]),
    ("memories", ctypes.c_int, []), ("dtype", ctypes.c_char_p, [ctypes.c_void_p]), ("rank", ctypes.c_size_t, [ctypes.c_void_p]),
    ("dim", ctypes.c_uint64, [ctypes.c_void_p, ctypes.c_size_t]), ("stride", ctypes.c_int64, [ctypes.c_void_p, ctypes.c_size_t]),
    ("first", ctypes.c_void_p, [ctypes.c_void_p]), ("bytes", ctypes.c_void_p, [ctypes.c_void_p]),
    ("size", ctypes.c_size_t, [ctypes.c_void_p]), ("read_only", ctypes.c_int, [ctypes.c_void_p]),
    ("contiguous", ctypes.c_int, [ctypes.c_void_p]),
    ("buffer_take", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int]), ("buffer_take_old", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int]),
    ("buffer_make", ctypes.c_void_p, [ctypes.c_void_p]), ("buffer_make_old", ctypes.c_void_p, [ctypes.c_void_p]),
    ("buffer_copy", ctypes.c_void_p, [ctypes.c_void_p]), ("buffer_copy_old", ctypes.c_void_p, [ctypes.c_void_p]),
    ("buffer_spread", ctypes.c_int, [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]),
    ("buffer_dtype", ctypes.c_char_p, [ctypes.c_void_p]), ("buffer_rank", ctypes.c_size_t, [ctypes.c_void_p]),
    ("buffer_dim", ctypes.c_uint64, [ctypes.c_void_p, ctypes.c_size_t]), ("buffer_sealed", ctypes.c_int, [ctypes.c_void_p]),
    ("buffer_drop", None, [ctypes.c_void_p]),
]:
    entry = getattr(SHIM, f"shim_{function}")
    entry.restype, entry.argtypes = answer, arguments

API = ctypes.pythonapi
Destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
API.PyCapsule_GetPointer.restype, API.PyCapsule_GetPointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
API.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
API.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
API.PyCapsule_New.restype, API.PyCapsule_New.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

# A capsule keeps the pointer to its name, so these must live as long as any.
OLD, USED_OLD, NEW, USED_NEW = (ctypes.c_char_p(name) for name in
                                [b"dltensor", b"used_dltensor", b"dltensor_versioned", b"used_dltensor_versioned"])


class Tensor(ctypes.Structure):
    """DLTensor, written down from the specification and not from our header."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager_ctx", ctypes.c_void_p),
                ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)), ("flags", ctypes.c_uint64), ("tensor", Tensor)]


DTYPES = {"bool": "?", "i8": "i1", "i16": "<i2", "i32": "<i4", "i64": "<i8", "u8": "u1", "u16": "<u2", "u32": "<u4", "u64": "<u8",
          "f16": "<f2", "f32": "<f4", "f64": "<f8", "complex64": "<c8"}


class Ours:
    """A tensor on our side."""

    def __init__(self, handle):
        if not handle:
            raise BufferError(SHIM.shim_error().decode())
        self.handle = handle

    @classmethod
    def zeros(cls, dtype, shape, read_only=False):
        dims = (ctypes.c_uint64 * len(shape))(*shape)
        return cls(SHIM.shim_zeros(dtype.encode(), dims, len(shape), int(read_only)))

    @classmethod
    def take(cls, capsule):
        """What a consumer does: the capsule's name says that it has the tensor now."""
        if API.PyCapsule_IsValid(capsule, NEW):
            pointer, used, take = API.PyCapsule_GetPointer(capsule, NEW), USED_NEW, SHIM.shim_take
        else:
            pointer, used, take = API.PyCapsule_GetPointer(capsule, OLD), USED_OLD, SHIM.shim_take_old
        API.PyCapsule_SetName(capsule, used)
        return cls(take(pointer))

    def drop(self):
        SHIM.shim_drop(self.handle)
        self.handle = None

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, stream=None, max_version=None, **_):
        new = max_version is not None and max_version[0] >= 1
        pointer = (SHIM.shim_make if new else SHIM.shim_make_old)(self.handle)
        if not pointer:
            raise BufferError(SHIM.shim_error().decode())
        return API.PyCapsule_New(pointer, NEW if new else OLD, None)

    @property
    def dtype(self):
        return SHIM.shim_dtype(self.handle).decode()

    @property
    def shape(self):
        return tuple(SHIM.shim_dim(self.handle, axis) for axis in range(SHIM.shim_rank(self.handle)))

    @property
    def strides(self):
        return tuple(SHIM.shim_stride(self.handle, axis) for axis in range(SHIM.shim_rank(self.handle)))


class OurBuffer:
    """A buffer of the cpu device."""

    def __init__(self, handle):
        if not handle:
            raise BufferError(SHIM.shim_error().decode())
        self.handle = handle

    @classmethod
    def take(cls, capsule, copy=False):
        if API.PyCapsule_IsValid(capsule, NEW):
            pointer, used, take = API.PyCapsule_GetPointer(capsule, NEW), USED_NEW, SHIM.shim_buffer_take
        else:
            pointer, used, take = API.PyCapsule_GetPointer(capsule, OLD), USED_OLD, SHIM.shim_buffer_take_old
        API.PyCapsule_SetName(capsule, used)
        return cls(take(pointer, int(copy)))

    def drop(self):
        SHIM.shim_buffer_drop(self.handle)
        self.handle = None

    def spread(self, first, count):
        if not SHIM.shim_buffer_spread(self.handle, first, count):
            raise BufferError(SHIM.shim_error().decode())

    @property
    def dtype(self):
        return SHIM.shim_buffer_dtype(self.handle).decode()

    @property
    def shape(self):
        return tuple(SHIM.shim_buffer_dim(self.handle, axis) for axis in range(SHIM.shim_buffer_rank(self.handle)))

    @property
    def sealed(self):
        return bool(SHIM.shim_buffer_sealed(self.handle))


class Handed:
    """A buffer on its way to a consumer: given up, or copied."""

    def __init__(self, buffer, copy=False):
        self.buffer = buffer
        self.make = (SHIM.shim_buffer_copy, SHIM.shim_buffer_copy_old) if copy else (SHIM.shim_buffer_make, SHIM.shim_buffer_make_old)

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, stream=None, max_version=None, **_):
        new = max_version is not None and max_version[0] >= 1
        pointer = self.make[0 if new else 1](self.buffer.handle)
        if not pointer:
            raise BufferError(SHIM.shim_error().decode())
        return API.PyCapsule_New(pointer, NEW if new else OLD, None)


class Watched(np.ndarray):
    """An array that a weak reference can watch."""


class FromNumpy(unittest.TestCase):
    def expect(self, array):
        ours = Ours.take(array.__dlpack__())
        self.assertEqual(DTYPES[ours.dtype], array.dtype.str.lstrip("|").replace("b1", "?"))
        self.assertEqual(ours.shape, array.shape)
        if array.size:
            self.assertEqual(SHIM.shim_first(ours.handle), array.ctypes.data)
            inner = [(mine, theirs) for mine, theirs, dim in zip(ours.strides, array.strides, array.shape) if dim > 1]
            self.assertEqual([mine for mine, _ in inner], [theirs for _, theirs in inner])
            low, high = np.lib.array_utils.byte_bounds(array) if NUMPY >= (2, 0) else np.byte_bounds(array)
            self.assertEqual((SHIM.shim_bytes(ours.handle), SHIM.shim_size(ours.handle)), (low, high - low))
        self.assertEqual(SHIM.shim_contiguous(ours.handle), int(array.flags.c_contiguous))
        ours.drop()

    def test_every_dtype(self):
        for descr in DTYPES.values():
            if descr == "?" and NUMPY < (1, 25):
                continue  # this NumPy exports no bool
            self.expect(np.arange(6).reshape(2, 3).astype(descr))

    def test_every_layout(self):
        base = np.arange(240, dtype="<i4").reshape(4, 5, 12)
        for array in [base, base.T, base[::-1], base[:, ::-2, 3:7], base[1:3, 2], base[..., ::-3], np.broadcast_to(base[0], (1, 5, 12)).copy(),
                      base[2, 2, 2:3], np.array(7.0), np.zeros((0, 3)), np.zeros((3, 0, 2), "<f2"), base[:1, :, :1]]:
            with self.subTest(shape=array.shape, strides=array.strides):
                self.expect(array)

    def test_ownership(self):
        class Watched(np.ndarray):
            pass
        array = np.arange(5.0).view(Watched)
        gone = weakref.ref(array)
        ours = Ours.take(array.__dlpack__())
        address = array.ctypes.data
        del array
        gc.collect()
        self.assertIsNotNone(gone())
        self.assertEqual(list((ctypes.c_double * 5).from_address(address)), [0, 1, 2, 3, 4])
        ours.drop()
        gc.collect()
        self.assertIsNone(gone())

    def test_refusal_lets_go(self):
        class Watched(np.ndarray):
            pass
        array = np.zeros(3, "<c16").view(Watched)
        gone = weakref.ref(array)
        capsule = array.__dlpack__()
        del array
        with self.assertRaisesRegex(BufferError, "elements of complex .code 5, 128 bits., for which Pintle has no dtype"):
            Ours.take(capsule)
        gc.collect()
        self.assertIsNone(gone())

    def test_too_many_dimensions(self):
        with self.assertRaisesRegex(BufferError, "has 17 dimensions where 0 to 16 are expected"):
            Ours.take(np.zeros((1,) * 17).__dlpack__())
        with self.assertRaisesRegex(BufferError, "has 9 dimensions, 9 where those without gaps"):
            Ours.take(np.zeros((2,) * 9).T.__dlpack__())

    def test_dimensions_without_gaps_become_one(self):
        self.assertEqual(Ours.take(np.zeros((2,) * 16).__dlpack__()).shape, (512,) + (2,) * 7)
        self.assertEqual(Ours.take(np.zeros((1, 2, 3) * 5).__dlpack__()).shape, (12, 3, 2, 3, 2, 3, 2, 3))

    @unittest.skipIf(NUMPY < (2, 1), f"NumPy {np.__version__} has no versioned DLPack")
    def test_versioned(self):
        for read_only in [False, True]:
            array = np.arange(6.0)[::-1]
            array.flags.writeable = not read_only
            capsule = array.__dlpack__(max_version=(1, 1))
            self.assertTrue(API.PyCapsule_IsValid(capsule, NEW))
            ours = Ours.take(capsule)
            self.assertEqual(SHIM.shim_read_only(ours.handle), int(read_only))
            self.assertEqual(ours.strides, (-8,))
            ours.drop()


class ToNumpy(unittest.TestCase):
    def tearDown(self):
        gc.collect()
        self.assertEqual(SHIM.shim_memories(), 0)

    def test_every_dtype_shares_memory(self):
        for dtype, descr in DTYPES.items():
            if dtype == "bool" and NUMPY < (1, 25):
                continue  # this NumPy imports no bool
            ours = Ours.zeros(dtype, (2, 3))
            array = np.from_dlpack(ours)
            self.assertEqual((array.dtype, array.shape), (np.dtype(descr), (2, 3)))
            self.assertEqual(array.ctypes.data, SHIM.shim_first(ours.handle))
            bytes_there = (ctypes.c_char * SHIM.shim_size(ours.handle)).from_address(SHIM.shim_bytes(ours.handle))
            bytes_there[:] = np.arange(6).astype(descr).tobytes()
            np.testing.assert_array_equal(array.ravel(), np.arange(6).astype(descr))
            ours.drop()

    def test_numpy_keeps_the_memory(self):
        ours = Ours.zeros("f32", (4,))
        array = np.from_dlpack(ours)
        ours.drop()
        self.assertEqual(SHIM.shim_memories(), 1)
        self.assertEqual(array.sum(), 0)
        view = array[1:]
        del array
        gc.collect()
        self.assertEqual(SHIM.shim_memories(), 1)
        del view

    def test_shapes(self):
        for shape in [(), (0,), (3, 0), (1, 2, 1, 2, 1, 2, 1, 2)]:
            ours = Ours.zeros("i16", shape)
            self.assertEqual(np.from_dlpack(ours).shape, shape)
            ours.drop()

    def test_layouts_go_round(self):
        base = np.arange(24, dtype="<i2").reshape(2, 3, 4)
        for array in [base, base.T, base[:, ::-1, ::2]]:
            ours = Ours.take(array.__dlpack__())
            back = np.from_dlpack(ours)
            np.testing.assert_array_equal(back, array)
            self.assertEqual((back.strides, back.ctypes.data), (array.strides, array.ctypes.data))
            ours.drop()

    @unittest.skipIf(NUMPY >= (2, 1), "this NumPy asks for the struct with a version")
    def test_read_only_is_refused(self):
        ours = Ours.zeros("f32", (2,), read_only=True)
        with self.assertRaisesRegex(BufferError, "read-only cannot be handed out"):
            np.from_dlpack(ours)
        ours.drop()

    @unittest.skipIf(NUMPY < (2, 1), f"NumPy {np.__version__} has no versioned DLPack")
    def test_read_only_stays_read_only(self):
        ours = Ours.zeros("f32", (2,), read_only=True)
        self.assertFalse(np.from_dlpack(ours).flags.writeable)
        ours.drop()
        ours = Ours.zeros("f32", (2,))
        self.assertTrue(np.from_dlpack(ours).flags.writeable)
        ours.drop()


class ByTheSpecification(unittest.TestCase):
    """The struct of version 1, field by field."""

    def test_what_we_make(self):
        for read_only in [0, 1]:
            ours = Ours.zeros("bf16", (2, 3), read_only=read_only)
            pointer = SHIM.shim_make(ours.handle)
            made = Versioned.from_address(pointer)
            self.assertEqual((made.major, made.minor, made.flags), (1, 1, read_only))
            tensor = made.tensor
            self.assertEqual((tensor.device_type, tensor.device_id, tensor.ndim), (1, 0, 2))
            self.assertEqual((tensor.code, tensor.bits, tensor.lanes), (4, 16, 1))
            self.assertEqual((tensor.shape[:2], tensor.strides[:2]), ([2, 3], [3, 1]))
            self.assertEqual((tensor.data, tensor.byte_offset), (SHIM.shim_first(ours.handle), 0))
            ours.drop()
            self.assertEqual(SHIM.shim_memories(), 1)
            made.deleter(pointer)
            self.assertEqual(SHIM.shim_memories(), 0)

    def test_what_we_take(self):
        deleted = []
        data, shape, strides = (ctypes.c_int16 * 8)(*range(8)), (ctypes.c_int64 * 1)(3), (ctypes.c_int64 * 1)(2)
        deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleted.append)
        managed = Versioned(1, 3, None, deleter, 1, Tensor(ctypes.addressof(data), 1, 0, 1, 0, 16, 1, shape, strides, 4))
        ours = Ours(SHIM.shim_take(ctypes.addressof(managed)))
        self.assertEqual((ours.dtype, ours.shape, ours.strides), ("i16", (3,), (4,)))
        self.assertEqual(SHIM.shim_first(ours.handle), ctypes.addressof(data) + 4)
        self.assertEqual(SHIM.shim_read_only(ours.handle), 1)
        self.assertEqual(deleted, [])
        ours.drop()
        self.assertEqual(deleted, [ctypes.addressof(managed)])


class Buffers(unittest.TestCase):
    """NumPy's arrays as buffers of a device, and the other way."""

    def test_every_dtype_goes_round(self):
        for dtype, descr in DTYPES.items():
            if dtype == "bool" and NUMPY < (1, 25):
                continue  # this NumPy exchanges no bool
            array = np.arange(6).reshape(2, 3).astype(descr)
            buffer = OurBuffer.take(array.__dlpack__())
            self.assertEqual((buffer.dtype, buffer.shape, buffer.sealed), (dtype, (2, 3), False))
            for copy in [True, False]:
                back = np.from_dlpack(Handed(buffer, copy))
                np.testing.assert_array_equal(back, array)
                self.assertEqual(back.dtype, array.dtype)
                self.assertEqual(back.ctypes.data == array.ctypes.data, not copy)
            buffer.drop()

    def test_both_sides_see_the_same_bytes(self):
        array = np.arange(8, dtype="<i4")
        buffer = OurBuffer.take(array.__dlpack__())
        array[0] = 42
        buffer.spread(2, 3)
        np.testing.assert_array_equal(array, [42, 1, 42, 42, 42, 5, 6, 7])
        back = np.from_dlpack(Handed(buffer))
        array[7] = 70
        self.assertEqual(back[7], 70)
        if back.flags.writeable:
            back[1] = 10
            self.assertEqual(array[1], 10)
        buffer.drop()

    def test_ownership(self):
        array = np.arange(5.0).view(Watched)
        gone = weakref.ref(array)
        buffer = OurBuffer.take(array.__dlpack__())
        del array
        gc.collect()
        buffer.spread(4, 1)
        back = np.from_dlpack(Handed(buffer))
        buffer.drop()
        gc.collect()
        self.assertIsNotNone(gone())
        np.testing.assert_array_equal(back, [0, 1, 2, 3, 0])
        del back
        gc.collect()
        self.assertIsNone(gone())

    def test_dropped_buffers_let_go(self):
        array = np.arange(5.0).view(Watched)
        gone = weakref.ref(array)
        buffer = OurBuffer.take(array.__dlpack__())
        del array
        buffer.drop()
        gc.collect()
        self.assertIsNone(gone())

    def test_every_layout_is_copied(self):
        base = np.arange(240, dtype="<i4").reshape(4, 5, 12)
        for array in [base, base.T, base[::-1], base[:, ::-2, 3:7], base[1:3, 2], base[..., ::-3], np.swapaxes(base, 0, 1), np.array(7.0),
                      base[2, 2, 2:3], base[:1, :, :1], base.view("<i2").T[::5], base.view("<i8")[:, ::2, ::3], base.view("i1")[..., ::7]]:
            with self.subTest(shape=array.shape, strides=array.strides):
                buffer = OurBuffer.take(array.__dlpack__(), copy=True)
                self.assertEqual(buffer.shape, array.shape)
                np.testing.assert_array_equal(np.from_dlpack(Handed(buffer, copy=True)), array)
                buffer.drop()

    def test_refusal_lets_go(self):
        array = np.arange(6.0).reshape(2, 3).T.view(Watched)
        gone = weakref.ref(array)
        capsule = array.__dlpack__()
        del array
        with self.assertRaisesRegex(BufferError, r"not in C order without gaps .strides of \[8,24\] bytes."):
            OurBuffer.take(capsule)
        gc.collect()
        self.assertIsNone(gone())

    @unittest.skipIf(NUMPY < (2, 1), f"NumPy {np.__version__} has no versioned DLPack")
    def test_read_only(self):
        array = np.arange(6.0)
        array.flags.writeable = False
        buffer = OurBuffer.take(array.__dlpack__(max_version=(1, 1)))
        self.assertTrue(buffer.sealed)
        with self.assertRaisesRegex(BufferError, "sealed"):
            buffer.spread(1, 1)
        self.assertFalse(np.from_dlpack(Handed(buffer)).flags.writeable)
        buffer.drop()

    def test_read_only_by_the_specification(self):
        data, shape, deleted = (ctypes.c_float * 4)(1, 2, 3, 4), (ctypes.c_int64 * 1)(4), []
        deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleted.append)
        managed = Versioned(1, 1, None, deleter, 1, Tensor(ctypes.addressof(data), 1, 0, 1, 2, 32, 1, shape, None, 0))
        buffer = OurBuffer(SHIM.shim_buffer_take(ctypes.addressof(managed), 0))
        self.assertTrue(buffer.sealed)
        with self.assertRaisesRegex(BufferError, "sealed"):
            buffer.spread(1, 1)
        self.assertFalse(SHIM.shim_buffer_make_old(buffer.handle))
        pointer = SHIM.shim_buffer_make(buffer.handle)
        made = Versioned.from_address(pointer)
        self.assertEqual((made.flags, made.tensor.data), (1, ctypes.addressof(data)))
        buffer.drop()
        self.assertEqual(deleted, [])
        made.deleter(pointer)
        self.assertEqual(deleted, [ctypes.addressof(managed)])


def torch_dtypes():
    """Our names and PyTorch's; its DLPack has no bool before 2.1."""
    names = {"f32": torch.float32, "bf16": torch.bfloat16, "i64": torch.int64, "complex64": torch.complex64, "f16": torch.float16,
             "u8": torch.uint8}
    has_bool = tuple(int(part) for part in torch.__version__.split(".")[:2]) >= (2, 1)
    return (names | {"bool": torch.bool} if has_bool else names).items()


@unittest.skipIf(torch is None, "PyTorch is not installed")
class WithTorch(unittest.TestCase):
    def test_both_ways(self):
        for dtype, theirs in torch_dtypes():
            tensor = torch.zeros((4, 6), dtype=theirs)[1:, ::2]
            ours = Ours.take(tensor.__dlpack__())
            self.assertEqual((ours.dtype, ours.shape), (dtype, tuple(tensor.shape)))
            self.assertEqual(SHIM.shim_first(ours.handle), tensor.data_ptr())
            back = torch.from_dlpack(ours)
            self.assertEqual((back.dtype, back.stride(), back.data_ptr()), (theirs, tensor.stride(), tensor.data_ptr()))
            ours.drop()

    def test_buffers(self):
        for dtype, theirs in torch_dtypes():
            tensor = torch.ones((4, 6), dtype=theirs)
            tensor[0, 1] = 0
            buffer = OurBuffer.take(tensor.__dlpack__())
            self.assertEqual((buffer.dtype, buffer.shape), (dtype, (4, 6)))
            buffer.spread(1, 1)
            self.assertTrue(bool((tensor == 1).all()))
            copied = torch.from_dlpack(Handed(buffer, copy=True))
            self.assertTrue(torch.equal(copied, tensor))
            back = torch.from_dlpack(Handed(buffer))
            self.assertEqual((back.dtype, back.data_ptr()), (theirs, tensor.data_ptr()))
            buffer.drop()

    def test_strides_are_copied(self):
        tensor = torch.arange(24, dtype=torch.int32).reshape(2, 3, 4).permute(2, 0, 1)[::2]
        buffer = OurBuffer.take(tensor.__dlpack__(), copy=True)
        self.assertTrue(torch.equal(torch.from_dlpack(Handed(buffer, copy=True)), tensor))
        buffer.drop()


if __name__ == "__main__":
    unittest.main()
