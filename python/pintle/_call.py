"""Calls of the library through ctypes. The extension is linked against the library, so that it is loaded already."""

from __future__ import annotations

from ctypes import CDLL, Structure, byref, c_int32, sizeof

from pintle import _c, _native, errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    Struct = TypeVar("Struct", bound=Structure)
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
