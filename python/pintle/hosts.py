"""Arrays of the host: what there is of them in memory, their dtype and their shape."""

from __future__ import annotations

from ctypes import c_uint64
from math import prod
from sys import byteorder

from pintle import _native, errors
from pintle._records import NamedTuple
from pintle.dtypes import DType, dtype_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Formats of the buffer protocol, in the machine's own byte order.
_FORMATS = {"?": "bool", "b": "i8", "B": "u8", "c": "u8", "e": "f16", "f": "f32", "d": "f64", "Zf": "complex64"}
_PACKED = {"bool": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q", "f16": "e", "f32": "f",
           "f64": "d"}
_INTEGERS = {"h", "H", "i", "I", "l", "L", "q", "Q"}


class HostArray(NamedTuple):
    """Elements in C order. `memory` has the buffer protocol."""

    memory: Any
    dtype: DType
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        return self.dtype.itemsize * prod(self.shape)


def _of_format(text: str, itemsize: int) -> DType | None:
    """The dtype of a format of the buffer protocol. Arrays of ctypes name the byte order; another one than the machine's is no dtype."""
    text = text.lstrip("@=<" if byteorder == "little" else "@=>!")
    if text in _INTEGERS:
        return dtype_of(f"{'i' if text.islower() else 'u'}{itemsize * 8}")
    return dtype_of(_FORMATS[text]) if text in _FORMATS else None


def is_numpy(array: object) -> bool:
    return type(array).__module__.partition(".")[0] == "numpy" and hasattr(array, "__array_interface__")


def _of_numpy(array: Any, what: str) -> HostArray:
    dtype = dtype_of(array.dtype)
    if not array.flags.c_contiguous:
        raise errors.InvalidArgument(f"The strides ({array.strides} bytes) of {what} of shape {array.shape} are not those of C order without gaps; "
                                     "numpy.ascontiguousarray makes such a copy.")
    # Through bytes, since the buffer protocol has no format for some dtypes. The new array keeps the old one.
    return HostArray(array.reshape(-1).view("uint8") if array.size else array, dtype, array.shape)


def _of_memory(view: memoryview, what: str) -> HostArray:
    dtype = _of_format(view.format, view.itemsize)
    if dtype is None:
        raise errors.InvalidArgument(f"The format ({view.format}) of {what} is no dtype.")
    if not view.c_contiguous:
        raise errors.InvalidArgument(f"The strides ({view.strides} bytes) of {what} of shape {view.shape} are not those of C order without gaps.")
    return HostArray(view, dtype, tuple(view.shape or ()))


def in_place(array: object, what: str) -> HostArray:
    """The array's own memory. pintle.InvalidArgument for gaps and for elements of no dtype; TypeError for what is no array. `what` names it."""
    if is_numpy(array):
        return _of_numpy(array, what)
    try:
        view = memoryview(array)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{what} is an array of NumPy or has the buffer protocol, not a {type(array).__name__}.") from None
    return _of_memory(view, what)


def _converted(array: Any, dtype: DType) -> HostArray:
    """Elements of a dtype that NumPy does not have, rounded to the nearest."""
    from ctypes import byref

    import numpy

    from pintle._c import PINTLE_OVERFLOW_ERROR, pintle_conversion
    from pintle._call import call, struct
    wide = numpy.ascontiguousarray(array, numpy.float64)
    bits = numpy.empty(wide.shape, dtype.numpy)
    how = struct(pintle_conversion, from_=dtype_of("f64").number, to=dtype.number, overflow=PINTLE_OVERFLOW_ERROR)
    call("pintle_conversion_run", byref(how), bits.ctypes.data, bits.nbytes, wide.ctypes.data, wide.nbytes)
    return HostArray(bits.reshape(-1).view("uint8"), dtype, wide.shape)


def _flat(values: Any, shape: tuple[int, ...]) -> Any:
    """The numbers of lists within lists, all of one shape. Something else is a TypeError."""
    if not shape:
        if isinstance(values, (list, tuple)):
            raise TypeError("The lists are not all of one depth.")
        yield values
        return
    if not isinstance(values, (list, tuple)) or len(values) != shape[0]:
        raise TypeError(f"The lists are not all of one length: {shape[0]}.")
    for each in values:
        yield from _flat(each, shape[1:])


def _dtype_for(numbers: list[Any]) -> DType:
    """The dtype of Python's numbers, as NumPy chooses it."""
    if all(isinstance(each, bool) for each in numbers):
        return dtype_of("bool")
    return dtype_of("i64" if all(isinstance(each, int) for each in numbers) else "f64")


def _of_numbers(values: Any, wanted: DType | None) -> HostArray | None:
    """Python's numbers in lists, without NumPy; None where there is something else among them."""
    from struct import error, pack
    shape: tuple[int, ...] = ()
    inner = values
    while isinstance(inner, (list, tuple)):
        shape += (len(inner),)
        inner = inner[0] if inner else None
    numbers = list(_flat(values, shape))
    if not all(isinstance(each, (int, float)) for each in numbers):
        return None
    dtype = _dtype_for(numbers) if wanted is None else wanted
    try:
        return HostArray(pack(f"={len(numbers)}{_PACKED[dtype.name]}", *numbers), dtype, shape)
    except (error, OverflowError) as refused:
        raise errors.InvalidArgument(f"A number of the list is none of dtype {dtype}: {refused}.") from None


def _of_python(array: object, wanted: DType | None) -> HostArray | None:
    """What needs no NumPy: numbers in lists, and memory of the right dtype; else None."""
    if isinstance(array, (list, tuple, int, float)):
        return _of_numbers(array, wanted) if wanted is None or wanted.name in _PACKED else None
    try:
        view = memoryview(array)  # type: ignore[arg-type]
    except TypeError:
        return None
    found = _of_format(view.format, view.itemsize)
    if found is None or not view.c_contiguous or not (wanted is None or found is wanted or (found.name == "u8" and wanted.itemsize == 1)):
        return None
    return HostArray(view, wanted or found, tuple(view.shape or ()))


def copied(array: object, dtype: object = None) -> HostArray:
    """The elements of an array, of what has the buffer protocol, or of numbers in lists. Where they are not in C order or of the dtype, they
    are converted."""
    wanted = None if dtype is None else dtype_of(dtype)
    found = None if is_numpy(array) else _of_python(array, wanted)
    if found is not None:
        return found
    import numpy
    its = numpy.asarray(array)
    if its.dtype.byteorder == ">":
        its = its.astype(its.dtype.newbyteorder("="))
    if wanted is not None and its.dtype.name not in (wanted.name, wanted.numpy_name):
        if not wanted.is_in_numpy:
            return _converted(its, wanted)
        its = its.astype(wanted.numpy, copy=False)
    shape = its.shape
    found = in_place(numpy.ascontiguousarray(its), "the array")
    return HostArray(found.memory, found.dtype, shape)


def matching(array: object, dtype: DType, nbytes: int, what: str, owner: str) -> HostArray:
    """The array's own memory, which has the dtype and size of the buffer that `owner` names."""
    found = in_place(array, what)
    bits = not dtype.is_in_numpy and found.dtype.name == f"u{dtype.itemsize * 8}"
    if found.dtype is not dtype and not bits:
        raise errors.InvalidArgument(f"The dtype ({found.dtype.numpy_name}) of {what} is not {dtype.numpy_name}, that of {owner}.")
    if found.nbytes != nbytes:
        raise errors.InvalidArgument(f"The size ({found.nbytes} bytes) of {what} is not {nbytes} bytes, that of {owner}.")
    return found


def elements_of(array: object, dtype: object, what: str, holder: DType | None = None) -> tuple[HostArray, DType]:
    """An array's own memory, and the dtype of its elements: `dtype`, else the array's; the bits of a dtype that NumPy does not have are `holder`'s.
    pintle.InvalidArgument where they are of another size."""
    its = in_place(array, what)
    if dtype is None:
        is_bits = holder is not None and not holder.is_in_numpy and its.dtype.name == f"u{holder.itemsize * 8}"
        return its, holder if holder is not None and is_bits else its.dtype
    kind = dtype_of(dtype)
    if its.dtype is not kind and its.dtype.name != f"u{kind.itemsize * 8}":
        raise errors.InvalidArgument(f"The dtype ({its.dtype.numpy_name}) of {what} holds no elements of {kind}.")
    return its, kind


def shape_of(shape: object) -> tuple[int, ...]:
    """A shape of one number or several. A negative one is pintle.InvalidArgument."""
    from operator import index
    sides = tuple(index(side) for side in shape) if isinstance(shape, (tuple, list)) else (index(shape),)  # type: ignore[arg-type]
    if any(side < 0 or side >= 1 << 64 for side in sides):
        raise errors.InvalidArgument(f"A side of the shape ({shape!r:.80}) is not from 0 to 2^64 - 1.")
    return sides


def dims_of(sides: tuple[int, ...]) -> Any:
    """The sides of a shape for C."""
    return (c_uint64 * max(1, len(sides)))(*sides)


def pinned(array: HostArray, is_written: bool = False) -> tuple[memoryview, int, int]:
    """What keeps an array's bytes in their place while it lives, their address and their number."""
    memory = memoryview(array.memory)
    return (memory, *_native.host_bytes(memory, is_written))
