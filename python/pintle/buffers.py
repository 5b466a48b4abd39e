"""Buffers: bytes of a device with a dtype and a shape, and views of parts of them."""

from __future__ import annotations

from ctypes import byref

from pintle import _c, _native, errors
from pintle._call import call, struct
from pintle.dtypes import DType, dtype_of, numbered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy

    from pintle.devices import Device
    from pintle.natives import NativeMemory

ACCESSES = {"read": _c.PINTLE_ACCESS_READ, "write": _c.PINTLE_ACCESS_WRITE, "read_write": _c.PINTLE_ACCESS_READ_WRITE}


class View(_native.View):
    """A part of a buffer, in kernels and commands. It keeps the buffer."""

    __slots__ = ()

    @property
    def dtype(self) -> DType:
        """The type of an element."""
        return numbered(self.dtype_number)

    def numpy(self, timeout: float | None = None) -> numpy.ndarray[Any, Any]:
        """The elements, as Buffer.numpy has them."""
        return _array(self.buffer, self.offset, self.nbytes, self.dtype, self.shape, timeout)

    def __len__(self) -> int:
        return _length(self.shape)

    def __repr__(self) -> str:
        return f"<pintle.View of {self.buffer!r}: {self.dtype}{list(self.shape)} from byte {self.offset} on>"


class Buffer(_native.Buffer):
    """Bytes of a device. Device.buffer, empty, wrap, wrap_memory, map_file and from_dlpack make one. A use after close() is pintle.Stale."""

    @property
    def dtype(self) -> DType:
        """The type of an element."""
        return numbered(self.dtype_number)

    @property
    def sealed(self) -> bool:
        """Whether nothing may write the buffer any more."""
        info = struct(_c.pintle_buffer_info)
        call("pintle_buffer_get_info", _c.pintle_buffer(self.handle), byref(info))
        return bool(info.is_sealed)

    @property
    def native(self) -> NativeMemory:
        """Where the buffer lies: a CpuMemory, a CudaMemory, a HipMemory, an OpenClMemory or a VulkanMemory. It belongs to the buffer, and is valid
        while that lives; points order the caller's own work with Pintle's. pintle.Unsupported on another backend; pintle.InvalidArgument for a
        buffer of an arena, a handle or a heap."""
        from pintle import natives
        return natives.memory_of(self)

    def numpy(self, timeout: float | None = None) -> numpy.ndarray[Any, Any]:
        """The elements as an array, when every submission so far that uses the buffer is done. Where the device's memory is the host's, as on
        the cpu, the array shares the buffer's bytes, and keeps them when the buffer is closed; it is read-only if the buffer is sealed. Elsewhere
        it is a copy. bf16 and f8 come as their bits, uint16 and uint8. Blocks for `timeout` seconds at most; None: the library's default."""
        return _array(self, 0, self.nbytes, self.dtype, self.shape, timeout)

    def view(self, offset: int = 0, nbytes: int | None = None, dtype: object = None) -> View:
        """The bytes from `offset` on, with one dimension. `nbytes` None: up to the end. `dtype` None: the buffer's. pintle.InvalidArgument for a
        part beyond the end, and for one that is no whole number of elements."""
        kind = self.dtype if dtype is None else dtype_of(dtype)
        size = self.nbytes - offset if nbytes is None else nbytes
        if offset < 0 or size <= 0 or offset + size > self.nbytes:
            raise errors.InvalidArgument(f"The part ({size} bytes from byte {offset} on) is not within the buffer's {self.nbytes} bytes.")
        if size % kind.itemsize != 0:
            raise errors.InvalidArgument(f"The part ({size} bytes) is no whole number of {kind} of {kind.itemsize} bytes each.")
        return View(self, offset, size, kind.number, (size // kind.itemsize,))

    def __getitem__(self, part: slice) -> View:
        """The elements of a slice of the first dimension, without steps: `b[10:20]`."""
        if not isinstance(part, slice):
            raise TypeError(f"A buffer is sliced, as b[10:20], and not indexed by a {type(part).__name__}; numpy() has single elements.")
        start, stop, step = part.indices(len(self))
        if step != 1 or stop <= start:
            raise errors.InvalidArgument(f"The slice ({part}) of {len(self)} elements has a step, or no elements.")
        row = self.nbytes // len(self)
        return View(self, start * row, (stop - start) * row, self.dtype_number, (stop - start, *self.shape[1:]))

    def __len__(self) -> int:
        return _length(self.shape)

    def __dlpack_device__(self) -> tuple[int, int]:
        """DLPack's kind and number: (1, 0), the CPU, for memory of the host and where a tensor is a copy; on cuda (2, number), on hip (10, number)."""
        from pintle.dlpack import place
        return place(self)

    def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None, dl_device: tuple[int, int] | None = None,
                   copy: bool | None = None) -> object:
        """A tensor of DLPack, when every submission so far that uses the buffer is done: the buffer's own bytes in memory of the host, and on cuda
        and hip in the device's; else a copy in the host's. `dl_device` (1, 0) asks for the host's, (3, 0) and (11, 0) for pinned memory of cuda and
        hip. `stream` is the consumer's on a GPU; with -1 nothing is waited for. BufferError for another device, for copy=False where only a copy
        is possible, and for a sealed buffer where the consumer takes no version 1, which alone can say read-only."""
        from pintle.dlpack import shared
        return shared(self, stream, max_version, dl_device, copy)

    def __repr__(self) -> str:
        return f"<pintle.Buffer {self.dtype}{list(self.shape)} on {self.device.id}{' closed' if self.closed else ''}>"


def _length(shape: tuple[int, ...]) -> int:
    if not shape:
        raise TypeError("A buffer without dimensions has no length.")
    return shape[0]


def view_of(memory: Buffer | View, what: str) -> tuple[Buffer, _c.pintle_view]:
    """The buffer of a buffer or view, and the view for C; else a TypeError, where `what` names it."""
    if isinstance(memory, View):
        buffer: Buffer = memory.buffer
        return buffer, struct(_c.pintle_view, buffer=_c.pintle_buffer(buffer.handle), dtype=memory.dtype_number, offset=memory.offset,
                              bytes=memory.nbytes)
    if not isinstance(memory, Buffer):
        raise TypeError(f"{what} is a buffer or a view, not a {type(memory).__name__}.")
    return memory, struct(_c.pintle_view, buffer=_c.pintle_buffer(memory.handle))


def made(device: Device, handle: int) -> Buffer:
    """The object of a handle, which it owns from now on."""
    info = struct(_c.pintle_buffer_info)
    try:
        call("pintle_buffer_get_info", _c.pintle_buffer(handle), byref(info))
    except BaseException:
        call("pintle_buffer_release", _c.pintle_buffer(handle))
        raise
    return Buffer(handle, device, info.dtype, info.bytes, tuple(info.dims[:info.rank]))


def mapped(buffer: Buffer, timeout: float | None = None) -> _native.Mapping | None:
    """The buffer's bytes when nothing uses them any more; None where the host cannot map them, or another buffer shares them."""
    buffer.wait(timeout)
    try:
        return buffer.map(buffer.sealed)
    except (errors.Unsupported, errors.InvalidArgument):
        return None


def _array(buffer: Buffer, offset: int, nbytes: int, dtype: DType, shape: tuple[int, ...], timeout: float | None) -> numpy.ndarray[Any, Any]:
    import numpy
    mapping = mapped(buffer, timeout)
    if mapping is not None:
        elements = numpy.frombuffer(memoryview(mapping)[offset:offset + nbytes], dtype.numpy)
    else:
        elements = numpy.empty(nbytes // dtype.itemsize, dtype.numpy)
        buffer.device._read(elements.view("uint8"), View(buffer, offset, nbytes, dtype.number, shape), timeout)
    return elements.reshape(shape)
