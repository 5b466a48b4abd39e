"""Commands as values: what Queue.submit and Device.record take. The destination comes first, the source second. Kernel.command makes launches."""

from __future__ import annotations

import warnings

from pintle import _native, errors
from pintle._call import expect, one_of
from pintle.buffers import ACCESSES
from pintle.dtypes import dtype_of, numbered
from pintle.hosts import matching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from pintle.images import Image, ImagePart

Memory: TypeAlias = _native.Buffer | _native.View


class Command(_native.Command):
    """One command. It may be submitted and recorded more than once; one that never is raises a ResourceWarning when it goes."""

    __slots__ = ()

    def __del__(self) -> None:
        if not self.used:
            warnings.warn(f"The {self.description} was neither submitted nor recorded.", ResourceWarning, source=self)

    def __repr__(self) -> str:
        return f"<pintle.Command: {self.description}>"


def _is_image(side: object) -> bool:
    return isinstance(side, _native.Handle) and not isinstance(side, _native.Buffer)


def copy(to: Memory | Image | _native.Slot, from_: Memory | Image | _native.Slot, *, part: ImagePart | None = None,
         label: str | None = None) -> Command:
    """Copies bytes between two buffers or views of one size that do not overlap; or texels between an image, or a `part` of one, and a buffer or
    view, from its first byte on. A slot stands for a buffer that each replay binds. pintle.InvalidArgument, at the submission, for a buffer that is
    too small and a part beyond the image."""
    if not _is_image(to) and not _is_image(from_):
        if part is not None:
            raise TypeError("A part is one of an image.")
        return _native.command_copy(to, from_, label)  # type: ignore[arg-type]
    from pintle.images import ImagePart
    numbers = (ImagePart() if part is None else expect(part, ImagePart, "part"))._numbers
    if _is_image(to):
        return _native.command_to_image(to, from_, numbers, label)  # type: ignore[arg-type]
    return _native.command_from_image(from_, to, numbers, label)  # type: ignore[arg-type]


def fill(to: Memory | _native.Slot, value: object, *, dtype: object = None, label: str | None = None) -> Command:
    """Repeats a number over a buffer or view; its dtype is that of `to`. A slot, which stands for a buffer that each replay binds, needs `dtype`.
    pintle.InvalidArgument for a number that the dtype does not have."""
    if isinstance(to, _native.Slot) and dtype is not None:
        return _native.command_fill_slot(to, dtype_of(dtype).number, value, label)
    if isinstance(to, _native.Slot) or dtype is not None:
        raise TypeError("fill() takes a dtype with a slot, and with nothing else: a buffer has one.")
    return _native.command_fill(to, value, label)


def _memory_of(memory: Memory, what: str) -> Memory:
    """What an array goes to or comes from."""
    if not isinstance(memory, (_native.Buffer, _native.View)):
        raise TypeError(f"The other side of {what} is a buffer or a view, not a {type(memory).__name__}.")
    return memory


def _writable(memory: Any, what: str) -> Any:
    if memoryview(memory).readonly:
        raise errors.InvalidArgument(f"{what} is read-only.")
    return memory


def bound(array: object, dtype: int, nbytes: int, slot: int, is_written: bool) -> Any:
    """The memory of an array that a replay binds to a slot. The extension calls it, before anything is submitted."""
    memory = matching(array, numbered(dtype), nbytes, f"the array of slot {slot}", "the view that the recording has").memory
    return _writable(memory, f"The array of slot {slot}") if is_written else memory


def _matching(memory: Memory, array: object, what: str) -> Any:
    return matching(array, numbered(_memory_of(memory, what).dtype_number), memory.nbytes, what, "the buffer").memory


def upload(to: Memory, array: object, *, copy: bool = True, label: str | None = None) -> Command:
    """Copies an array's elements to a buffer or view of the same dtype and size. They are read when the command is submitted; the array may
    change afterwards. `copy` False: they are read when the command runs, which saves a copy on the host; the array is kept until then, and must not
    change. A slot stands for an array that each replay binds; that array must not change until the replay's point is reached."""
    if isinstance(array, _native.Slot):
        return _native.command_upload_slot(_memory_of(to, "the slot"), array, label)
    make = _native.command_upload if copy else _native.command_retained_upload
    return make(to, _matching(to, array, "the array"), label)


def download(to_array: object, from_: Memory, *, label: str | None = None) -> Command:
    """Copies a buffer's or view's elements to an array of the same dtype and size, which must not be used until the submission's point is
    reached. It cannot be recorded, but with a slot, which stands for an array that each replay binds."""
    if isinstance(to_array, _native.Slot):
        return _native.command_download_slot(_memory_of(from_, "the slot"), to_array, label)
    return _native.command_download(from_, _writable(_matching(from_, to_array, "the array"), "The array"), label)


def barrier() -> Command:
    """Orders every command before it before every command after it."""
    return _native.command_barrier()


def timestamp(to: Memory | _native.Slot, *, label: str | None = None) -> Command:
    """Writes the device's clock, in ticks, to eight bytes when everything before it is done. Device.info.nanoseconds_per_tick has the unit. A slot
    stands for a buffer that each replay binds."""
    if isinstance(to, _native.Slot):
        return _native.command_timestamp_slot(to, label)
    return _native.command_timestamp(to, label)


def uses(memory: Memory | _native.Slot, access: str = "read_write") -> Command:
    """Says that the launch before it in the list also uses a buffer or view, which its kernel reaches by address; `access` is "read", "write" or
    "read_write". A slot stands for a buffer that each replay binds. pintle.InvalidArgument, at the submission, where no launch is before it."""
    return _native.command_uses(memory, one_of(access, ACCESSES, "access"))


def holds(buffer: _native.Buffer) -> Command:
    """Keeps a buffer's memory until the submission's point is reached, whatever becomes of the buffer. It orders nothing."""
    return _native.command_holds(buffer)
