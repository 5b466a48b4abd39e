"""Failures as exceptions: one class for each status of the library."""

from __future__ import annotations

from ctypes import byref

from pintle._records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pintle import _c


class Vendor(NamedTuple):
    """What a vendor's library has reported."""

    library: str
    symbol: str
    number: int


class Error(Exception):
    """A failure of Pintle. `str()` is the whole text, in lines."""

    code = "internal"  #: The status's name, for example "out_of_memory".

    def __init__(self, message: str = "", *, text: str | None = None, context: tuple[str, ...] = (), vendor: Vendor | None = None,
                 device: str | None = None, generation: int = 0) -> None:
        super().__init__(message)
        self.message = message  #: One sentence with the value, the limit and the object's name.
        self.text = message if text is None else text
        self.context = context  #: The steps that were under way, innermost first.
        self.vendor = vendor  #: What a vendor's library has reported; None unless one did.
        self.device = device  #: The id of the device concerned; None where none is.
        self.generation = generation  #: The device's generation.

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (type(self), self.message, self.__dict__.copy())


def _again(kind: type[Error], message: str, members: dict[str, object]) -> Error:
    error = kind(message)
    error.__dict__.update(members)
    return error


class InvalidArgument(Error, ValueError):
    """Correct the call; nothing was submitted."""

    code = "invalid_argument"


class Unsupported(Error):
    """The device cannot do this; ask Device.supports first."""

    code = "unsupported"


class Unavailable(Error):
    """The device or library is not there; the text has the next step."""

    code = "unavailable"


class NotFound(Error, LookupError):
    """No such name."""

    code = "not_found"


class OutOfMemory(Error, MemoryError):
    """Free something and retry; nothing is poisoned."""

    code = "out_of_memory"


class BuildFailed(Error):
    """The program does not compile, or no variant fits; the text has the log."""

    code = "build_failed"


class Timeout(Error, TimeoutError):
    """The deadline passed; the work goes on."""

    code = "timeout"


class Cancelled(Error):
    """The work was given up before it ran."""

    code = "cancelled"


class DeviceLost(Error):
    """Call Device.recover."""

    code = "device_lost"


class ProcessPoisoned(Error):
    """Only a new process can use the device again."""

    code = "process_poisoned"


class PeerLost(Error):
    """A rank died or left."""

    code = "peer_lost"


class Stale(Error):
    """The object was closed, or belongs to an earlier generation of its device."""

    code = "stale"


class IOFailed(Error, OSError):
    """A file or the operating system refused."""

    code = "io"


class Internal(Error):
    """A defect in Pintle or a driver; please report it."""


CLASSES: tuple[type[Error], ...] = (InvalidArgument, Unsupported, Unavailable, NotFound, OutOfMemory, BuildFailed, Timeout, Cancelled, DeviceLost,
                                    ProcessPoisoned, PeerLost, Stale, IOFailed, Internal)  # by status, from 1 on


def make(status: int, message: str, text: str | None = None, context: tuple[str, ...] = (), vendor_library: str | None = None,
         vendor_symbol: str | None = None, vendor_number: int = 0, device: str | None = None, generation: int = 0) -> Error:
    """The exception of a status. The extension calls it, too."""
    kind = CLASSES[status - 1] if 0 < status <= len(CLASSES) else Internal
    vendor = None if vendor_library is None else Vendor(vendor_library, vendor_symbol or "", vendor_number)
    return kind(message, text=text, context=context, vendor=vendor, device=device, generation=generation)


def status_of(kind: type[Error]) -> int:
    """The status of a class, or of the one that it derives from."""
    return next((i + 1 for i, each in enumerate(CLASSES) if issubclass(kind, each)), len(CLASSES))


def _text(text: bytes | None) -> str | None:
    return None if text is None else text.decode("utf-8", "replace")


def taken(error: _c.pintle_error) -> Error:
    """The exception of a struct that a call has filled; frees that."""
    from pintle._call import library
    context = tuple(_text(error.context[i]) or "" for i in range(error.context_count))
    made = make(error.code, _text(error.message) or "", _text(error.text), context, _text(error.vendor_library), _text(error.vendor_symbol),
                error.vendor_number, _text(error.device), error.generation)
    library.pintle_error_free(byref(error), None)
    return made
