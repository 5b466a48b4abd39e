"""Owners of memory that lend it: arenas, handles and heaps. Views keep the memory, also when their owner is forgotten."""

from __future__ import annotations

from pintle import _c, _native
from pintle.buffers import Buffer, View
from pintle.dtypes import DType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Self

    from pintle.devices import Device
    from pintle.points import Point


class Owner:
    """An object whose memory views may keep: it holds the library's handle, and so do they."""

    _kind: ClassVar[int]
    _holder: ClassVar[type[_native.Handle]]

    def __init_subclass__(cls, kind: int | None = None) -> None:
        if kind is not None:
            cls._kind = kind
        cls._holder = type(cls.__name__, (_native.Handle,), {"__slots__": ()})  # its name is in messages

    def __init__(self, handle: int) -> None:
        self._held = self._holder(handle, self._kind)

    @property
    def handle(self) -> int:
        """The number of the object in the C interface. pintle.Stale after close()."""
        return self._held.handle

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._held.closed

    def close(self) -> None:
        """Lets go of the memory, when the work in flight that uses it is done. A second call does nothing. Later uses, also of views, are
        pintle.Stale."""
        self._held.close()

    def __enter__(self) -> Self:
        _ = self.handle
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class Lent:
    """The buffers that an owner has lent: one for each handle, since a buffer knows the submissions that use it."""

    def __init__(self, held: _native.Handle, device: Device, most: int) -> None:
        self._held, self._device, self._most = held, device, most
        self._buffers: dict[int, Buffer] = {}

    def view(self, view: _c.pintle_view, dtype: DType, shape: tuple[int, ...]) -> View:
        """A view of the library's as an object."""
        handle: Any = view.buffer.id
        buffer = self._buffers.get(handle)
        if buffer is not None and buffer.closed:
            self._buffers.pop(handle, None)
            buffer = None
        if buffer is None:  # one step of the interpreter, so that threads get the same one
            buffer = self._buffers.setdefault(handle, Buffer(handle, self._device, dtype.number, view.bytes, shape, self._held))
        while len(self._buffers) > self._most:  # the oldest is of memory that is no more
            self._buffers.pop(next(iter(self._buffers)), None)
        return View(buffer, 0, view.bytes, dtype.number, shape)


def note(view: View, done: Point) -> None:
    """The view's memory is in use until the point is reached."""
    view.buffer.used(done)
