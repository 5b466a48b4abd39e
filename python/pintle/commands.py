"""Commands as values: what Queue.submit and Device.record take. The destination comes first, the source second. Kernel.command makes launches."""

from __future__ import annotations

import warnings

from pintle import _native
from pintle.dtypes import numbered
from pintle.hosts import matching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

Memory: TypeAlias = _native.Buffer | _native.View


class Command(_native.Command):
    """One command. It may be submitted and recorded more than once; one that never is raises a ResourceWarning when it goes."""

    __slots__ = ()

    def __del__(self) -> None:
        if not self.used:
            warnings.warn(f"The {self.description} was neither submitted nor recorded.", ResourceWarning, source=self)

    def __repr__(self) -> str:
        return f"<pintle.Command: {self.description}>"


def copy(to: Memory, from_: Memory, *, label: str | None = None) -> Command:
    """Copies bytes between two buffers or views of one size that do not overlap."""
    return _native.command_copy(to, from_, label)


def fill(to: Memory, value: object, *, label: str | None = None) -> Command:
    """Repeats a number over a buffer or view; its dtype is that of `to`. pintle.InvalidArgument for a number that the dtype does not have."""
    return _native.command_fill(to, value, label)


def _matching(memory: Memory, array: object, what: str) -> Any:
    if not isinstance(memory, (_native.Buffer, _native.View)):
        raise TypeError(f"The other side of {what} is a buffer or a view, not a {type(memory).__name__}.")
    return matching(array, numbered(memory.dtype_number), memory.nbytes, what, "the buffer").memory


def upload(to: Memory, array: object, *, label: str | None = None) -> Command:
    """Copies an array's elements to a buffer or view of the same dtype and size. They are read when the command is submitted; the array may
    change afterwards."""
    return _native.command_upload(to, _matching(to, array, "the array"), label)


def download(to_array: object, from_: Memory, *, label: str | None = None) -> Command:
    """Copies a buffer's or view's elements to an array of the same dtype and size, which must not be used until the submission's point is
    reached. It cannot be recorded."""
    memory = _matching(from_, to_array, "the array")
    if memoryview(memory).readonly:
        raise ValueError("The array is read-only.")
    return _native.command_download(from_, memory, label)


def barrier() -> Command:
    """Orders every command before it before every command after it."""
    return _native.command_barrier()


def timestamp(to: Memory, *, label: str | None = None) -> Command:
    """Writes the device's clock, in ticks, to eight bytes when everything before it is done. Device.info.nanoseconds_per_tick has the unit."""
    return _native.command_timestamp(to, label)
