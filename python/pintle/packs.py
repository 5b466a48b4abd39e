"""Packs: programs in several formats, of which a device takes the first that it can load."""

from __future__ import annotations

from collections.abc import Iterable
from ctypes import byref, c_char_p, c_size_t, c_void_p, string_at
from os import PathLike, fspath
from os.path import basename, dirname, exists, join

from pintle import _c, _native
from pintle._call import call, decoded, encoded, path_bytes, struct
from pintle._records import NamedTuple

KIND = 2  # of the handle


class Variant(NamedTuple):
    """A program in one format."""

    format: str  # "c", "so", "spirv" ...
    target: str  # what it was built for; empty: any
    signatures: tuple[str, ...]  # its entries, with their parameters


def text_of(function: str, *arguments: object) -> str:
    """The text of bytes that a function of the C interface makes."""
    made = _c.pintle_bytes()
    call(function, *arguments, byref(made))
    return bytes_of(made).decode("utf-8", "replace")


def bytes_of(made: _c.pintle_bytes) -> bytes:
    data, size = c_void_p(), c_size_t()
    try:
        call("pintle_bytes_data", made, byref(data), byref(size))
        return string_at(data.value or 0, size.value)
    finally:
        call("pintle_bytes_release", made)


class Pack(_native.Handle):
    """Variants of a program, not loaded. open_pack, parse_pack and source make one."""

    def __new__(cls, handle: int) -> Pack:
        return super().__new__(cls, handle, KIND)

    @property
    def _struct(self) -> _c.pintle_pack:
        return _c.pintle_pack(self.handle)

    @property
    def name(self) -> str:
        """What the program is called in messages."""
        info = struct(_c.pintle_pack_info)
        call("pintle_pack_get_info", self._struct, byref(info))
        return decoded(info.name)

    @property
    def variants(self) -> tuple[Variant, ...]:
        """The program in each of its formats, in the order of the pack."""
        info = struct(_c.pintle_pack_info)
        call("pintle_pack_get_info", self._struct, byref(info))
        return tuple(self._variant(i) for i in range(info.variant_count))

    def _variant(self, index: int) -> Variant:
        info = struct(_c.pintle_variant_info)
        call("pintle_pack_variant", self._struct, index, byref(info))
        signatures = tuple(text_of("pintle_pack_signature", self._struct, index, entry) for entry in range(info.entry_count))
        return Variant(decoded(info.format), decoded(info.target), signatures)

    def merged(self, other: Pack) -> Pack:
        """A pack with these variants and behind them those of `other`, under this name."""
        made = _c.pintle_pack()
        call("pintle_pack_merge", self._struct, other._struct, byref(made))
        return Pack(made.id)

    def serialize(self) -> bytes:
        """The pack as the bytes of one file. pintle.InvalidArgument where its variants do not go together."""
        made = _c.pintle_bytes()
        call("pintle_pack_serialize", self._struct, byref(made))
        return bytes_of(made)

    def __repr__(self) -> str:
        return "<pintle.Pack closed>" if self.closed else f"<pintle.Pack {self.name}: {', '.join(each.format for each in self.variants)}>"


def _path_of(path: str | PathLike[str]) -> str:
    """A bare name without a file here is one of the packs that this package brings."""
    text = fspath(path)
    if exists(text) or basename(text) != text:
        return text
    shipped = join(dirname(__file__), text)
    return shipped if text.endswith(".pack") and exists(shipped) else text


def open_pack(path: str | PathLike[str]) -> Pack:
    """Reads a pack file or folder; "saxpy.pack", where there is no such file, is the one that comes with the package. pintle.InvalidArgument names
    the place of a mistake, pintle.IOFailed the path."""
    made = _c.pintle_pack()
    call("pintle_pack_open", path_bytes(_path_of(path)), byref(made))
    return Pack(made.id)


def parse_pack(data: bytes | bytearray | memoryview) -> Pack:
    """Reads the bytes of a pack file."""
    its, made = bytes(data), _c.pintle_pack()
    call("pintle_pack_parse", its, len(its), byref(made))
    return Pack(made.id)


def source(code: str | bytes, format: str, signatures: Iterable[str] = (), name: str | None = None) -> Pack:
    """A pack of one variant: `code` in `format` ("c", "opencl_c", "glsl", "spirv"), of which `signatures` declare the entries, for example
    "scale(a: f32, x: read_write f32[n], n: u32) group 64". Without any they are read from the code, where the format tells them ("opencl_c", "spirv",
    "glsl", "wgsl", "stablehlo"): OpenCL C by clang 19 and GLSL by a compiler of GLSL, for which the call blocks. pintle.InvalidArgument names
    `signatures` for another format, and where that program is absent; pintle.BuildFailed has its words. `name`, an identifier, is for messages."""
    if isinstance(signatures, str):
        raise TypeError("signatures is a list of texts, not a text.")
    text = code.encode("utf-8") if isinstance(code, str) else bytes(code)
    entries = [encoded(each) for each in signatures]
    array, made = (c_char_p * max(1, len(entries)))(*entries), _c.pintle_pack()
    if name is None:
        call("pintle_pack_source", encoded(format), text, len(text), array, len(entries), byref(made))
    else:
        call("pintle_pack_source_named", encoded(name), encoded(format), text, len(text), array, len(entries), byref(made))
    return Pack(made.id)
