"""Calls of the library through ctypes. The extension is linked against the library, so that it is loaded already."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import CDLL, Structure, byref, c_int32, sizeof
from os import PathLike, fsencode, fspath
from time import monotonic_ns, sleep

from pintle import _c, _native, errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    Struct = TypeVar("Struct", bound=Structure)
    T = TypeVar("T")
assert _native  # loads libpintle.so.0 from where it belongs
library = CDLL("libpintle.so.0")
_bound: dict[str, Any] = {}


def _bind(name: str) -> Any:
    function = getattr(library, name)
    function.argtypes, function.restype = _c.parameters(name), c_int32
    return _bound.setdefault(name, function)


def call(name: str, *arguments: Any) -> None:
    """Calls a function with all of its arguments but the last, and raises its error. The GIL is released meanwhile."""
    error = _c.pintle_error(size=sizeof(_c.pintle_error))
    if (_bound.get(name) or _bind(name))(*arguments, byref(error)) != 0:
        raise errors.taken(error)


def struct(kind: type[Struct], /, **members: Any) -> Struct:
    """A struct with its size set."""
    return kind(size=sizeof(kind), **members)


def option_nanoseconds(timeout: float | None) -> int:
    """A timeout for a struct of options, where 0 is the library's default: so none is 1 nanosecond."""
    return max(1, _native.nanoseconds(timeout))


def encoded(text: str | None) -> bytes | None:
    """A text for C. One with a NUL is a ValueError."""
    if text is None:
        return None
    if not isinstance(text, str):
        raise TypeError(f"A text is a str, not a {type(text).__name__}.")
    if "\0" in text:
        raise ValueError("The text has a NUL in it.")
    return text.encode("utf-8")


def decoded(text: bytes | None) -> str:
    return "" if text is None else text.decode("utf-8", "replace")


def path_bytes(path: str | PathLike[str]) -> bytes:
    """A path for C. One with a NUL is a ValueError."""
    text = fsencode(fspath(path))
    if b"\0" in text:
        raise ValueError("The path has a NUL in it.")
    return text


def u64(value: object, what: str) -> int:
    """An integer of 64 bits without a sign. pintle.InvalidArgument for another one; TypeError for what is no integer."""
    from operator import index
    number = index(value)  # type: ignore[arg-type]
    if not 0 <= number < 1 << 64:
        shown = number if abs(number) < 1 << 128 else f"{number.bit_length()} bits"
        raise errors.InvalidArgument(f"The {what} ({shown}) is not from 0 to 2^64 - 1.")
    return number


def u32(value: object, what: str) -> int:
    """The same, of 32 bits."""
    number = u64(value, what)
    if number >= 1 << 32:
        raise errors.InvalidArgument(f"The {what} ({number}) is not from 0 to 2^32 - 1.")
    return number


def one_of(word: object, words: dict[str, int], what: str) -> int:
    """The number of a word. pintle.InvalidArgument lists the words."""
    if not isinstance(word, str) or word not in words:
        raise errors.InvalidArgument(f"The {what} ({word!r:.40}) is none of: {', '.join(words)}.")
    return words[word]


def expect(value: object, kind: type[T], what: str) -> T:
    """The value, which is of a class; else a TypeError."""
    if not isinstance(value, kind):
        raise TypeError(f"{what} is a pintle.{kind.__name__}, not a {type(value).__name__}.")
    return value


_FIRST_SLICE, SLICE, FOREVER = 10_000_000, 50_000_000, (1 << 63) - 1  # nanoseconds


def in_slices(attempt: Callable[[int], T], timeout: float | None, pause: float = 0.0) -> T:
    """What `attempt` answers, which blocks for at most the nanoseconds that it is given, and then raises pintle.Timeout with nothing done. It is
    called again and again, so that Ctrl-C works in between, and after `pause` seconds, so that a thread gets what the attempt has taken. `timeout` is
    in seconds; None: the library's default."""
    whole = left = _native.nanoseconds(timeout)
    start, part = monotonic_ns(), _FIRST_SLICE
    while True:
        bound = min(left, part)
        try:
            return attempt(bound)
        except errors.Timeout:
            if bound == left:
                raise
        if pause:
            sleep(pause)
        part = SLICE
        if whole != FOREVER:
            left = max(0, whole - (monotonic_ns() - start))


def waited(queue: Any, timeout: float | None) -> int:
    """Waits until everything submitted to a queue is done, and answers the nanoseconds that are left of the timeout. What then waits for the queue
    once more waits for its own work alone."""
    whole, start = _native.nanoseconds(timeout), monotonic_ns()
    queue.last().wait(timeout)
    return whole if whole == FOREVER else max(0, whole - (monotonic_ns() - start))
