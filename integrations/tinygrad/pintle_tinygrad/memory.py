"""Memory of Pintle as tinygrad's allocator hands it out: buffers of bytes, and views of them."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import pintle
from pintle_tinygrad.places import Place, translated
from tinygrad.device import BufferSpec, LRUAllocator

if TYPE_CHECKING:
    from pintle_tinygrad.device import PintleDevice


VECTOR = 64  # bytes: what begins at a multiple of them may be read as any vector


class Memory:
    """A part of a buffer. `argument` is the part for copies and for C; a kernel of another language takes `base`, which begins where the device
    allows it, and `rest`, the bytes from there to the part."""

    __slots__ = ("place", "buffer", "offset", "nbytes", "argument", "base", "rest", "bytes")

    def __init__(self, place: Place, buffer: pintle.Buffer, offset: int, nbytes: int, mapped: memoryview | None) -> None:
        self.place, self.buffer, self.offset, self.nbytes, self.bytes = place, buffer, offset, nbytes, mapped
        self.rest = offset % place.device.info.offset_alignment
        self.argument = self._view(offset)
        self.base = self._view(offset - self.rest) if self.rest else self.argument

    def _view(self, offset: int) -> pintle.Buffer | pintle.View:
        nbytes = self.offset + self.nbytes - offset
        return self.buffer if nbytes == self.buffer.nbytes else self.buffer.view(offset, nbytes, "u8")

    @property
    def is_anywhere(self) -> bool:
        """Whether vectors in it may lie where a device cannot read them at once."""
        return self.offset % VECTOR != 0

    def part(self, nbytes: int, offset: int) -> Memory:
        mapped = None if self.bytes is None else self.bytes[offset:offset + nbytes]
        return Memory(self.place, self.buffer, self.offset + offset, nbytes, mapped)


def _flat(host: memoryview) -> memoryview:
    return host if host.format == "B" and host.ndim == 1 else host.cast("B")


def _mapped(buffer: pintle.Buffer) -> memoryview | None:
    """The buffer's own bytes, where the host has them."""
    try:
        return memoryview(buffer.map(False))
    except pintle.Unsupported:
        return None


class PintleAllocator(LRUAllocator["PintleDevice"]):
    """Memory of a device that the host cannot reach: copies go through the queue."""

    is_shared = False

    def _alloc(self, size: int, options: BufferSpec) -> Memory:
        place = self.dev.place
        with translated(f"allocating {size} bytes on {self.dev.device}"):
            if options.external_ptr is not None:
                return self._over(place, size, options.external_ptr)
            buffer = place.device.empty(size, "u8")
            memory = Memory(place, buffer, 0, size, _mapped(buffer) if self.is_shared else None)
            if options.zero:
                place.submit(pintle.fill(buffer, 0))
        return memory

    def _over(self, place: Place, size: int, address: int) -> Memory:
        """Over memory of the caller's, without a copy. Pintle refuses by name where the device cannot."""
        host = (ctypes.c_uint8 * size).from_address(address)
        return Memory(place, place.device.wrap(host), 0, size, memoryview(host).cast("B") if self.is_shared else None)

    def _offset(self, buf: Memory, size: int, offset: int) -> Memory:
        return buf.part(size, offset)

    def _copyin(self, dest: Memory, src: memoryview) -> None:
        with translated(f"copying {dest.nbytes} bytes to {self.dev.device}"):
            dest.place.submit(pintle.upload(dest.argument, _flat(src)))

    def _copyout(self, dest: memoryview, src: Memory) -> None:
        with translated(f"copying {src.nbytes} bytes from {self.dev.device}"):
            src.place.submit(pintle.download(_flat(dest), src.argument)).wait()

    def _transfer(self, dest: Memory, src: Memory, sz: int, src_dev: PintleDevice, dest_dev: PintleDevice) -> None:
        with translated(f"copying {sz} bytes from {src_dev.device} to {dest_dev.device}"):
            command = pintle.copy(dest.argument, src.argument)
            if src.place is dest.place:
                dest.place.submit(command)
                return
            done = dest.place.queue.submit(command, after=[*dest.place.after, src.place.queue.last(), *src.place.after])
            dest.place.accepted()
            src.place.after = [done]


class SharedAllocator(PintleAllocator):
    """Memory of a device that is the host's: copies are the host's own, and tinygrad may look at the bytes in place."""

    is_shared = True

    def _as_buffer(self, src: Memory) -> memoryview:
        return src.bytes

    def _ready(self, memory: Memory) -> None:
        for point in memory.place.after:
            point.wait()
        memory.buffer.wait()

    def _copyin(self, dest: Memory, src: memoryview) -> None:
        with translated(f"copying {dest.nbytes} bytes to {self.dev.device}"):
            self._ready(dest)
        dest.bytes[:] = _flat(src)

    def _copyout(self, dest: memoryview, src: Memory) -> None:
        with translated(f"copying {src.nbytes} bytes from {self.dev.device}"):
            self._ready(src)
        _flat(dest)[:] = src.bytes
