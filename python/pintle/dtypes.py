"""Types of elements: the library's names, NumPy's names, sizes."""

from __future__ import annotations

from pintle import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy

# Name, name in NumPy, bytes, and what NumPy holds the elements in: of a type that it does not have, the bits.
_ROWS = (("bool", "bool", 1, "bool"), ("i8", "int8", 1, "int8"), ("i16", "int16", 2, "int16"), ("i32", "int32", 4, "int32"),
         ("i64", "int64", 8, "int64"), ("u8", "uint8", 1, "uint8"), ("u16", "uint16", 2, "uint16"), ("u32", "uint32", 4, "uint32"),
         ("u64", "uint64", 8, "uint64"), ("f16", "float16", 2, "float16"), ("bf16", "bfloat16", 2, "uint16"), ("f32", "float32", 4, "float32"),
         ("f64", "float64", 8, "float64"), ("f8_e4m3fn", "float8_e4m3fn", 1, "uint8"), ("f8_e5m2", "float8_e5m2", 1, "uint8"),
         ("complex64", "complex64", 8, "complex64"))


class DType:
    """The type of an element. It is equal to its name ("f32"), to NumPy's name ("float32") and to NumPy's dtype."""

    __slots__ = ("_holder", "_itemsize", "_name", "_number", "_numpy_name")

    def __init__(self, number: int, name: str, numpy_name: str, itemsize: int, holder: str) -> None:
        self._number, self._name, self._numpy_name, self._itemsize, self._holder = number, name, numpy_name, itemsize, holder

    @property
    def name(self) -> str:
        """The library's name, for example "f32"."""
        return self._name

    @property
    def numpy_name(self) -> str:
        """NumPy's name, for example "float32"."""
        return self._numpy_name

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self._itemsize

    @property
    def number(self) -> int:
        """The number in the C interface."""
        return self._number

    @property
    def is_in_numpy(self) -> bool:
        """Whether NumPy has the type. It has neither bf16 nor f8."""
        return self._holder == self._numpy_name

    @property
    def numpy(self) -> numpy.dtype[Any]:
        """NumPy's dtype. NumPy has neither bf16 nor f8: their bits are uint16 and uint8."""
        import numpy
        return numpy.dtype(self._holder)

    def __repr__(self) -> str:
        return f"pintle.DType({self.name})"

    def __str__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DType):
            return self is other
        found = _find(other)
        return NotImplemented if found is None else found is self

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[object, ...]:
        return dtype_of, (self.name,)


_ALL = tuple(DType(i + 1, *row) for i, row in enumerate(_ROWS))
_NAMES = {name: dtype for dtype in _ALL for name in (dtype.name, dtype.numpy_name)}


def _find(value: object) -> DType | None:
    """The dtype of a name, of a dtype of NumPy or of a scalar type of NumPy; None where it is none."""
    if isinstance(value, DType):
        return value
    if isinstance(value, str):
        return _NAMES.get(value)
    if isinstance(value, type):  # numpy.float32, float
        return _NAMES.get({"bool_": "bool", "float": "f64", "int": "i64"}.get(value.__name__, value.__name__))
    name = getattr(value, "name", None)
    if getattr(value, "byteorder", "=") == ">":
        return None
    return _NAMES.get(name) if isinstance(name, str) else None


def dtype_of(value: object) -> DType:
    """The dtype that `value` names: "f32", "float32", numpy.float32, a dtype of NumPy. pintle.InvalidArgument lists them."""
    found = _find(value)
    if found is None:
        raise errors.InvalidArgument(f"The dtype ({value!r:.80}) is none of: {', '.join(dtype.name for dtype in _ALL)}.")
    return found


def numbered(number: int) -> DType:
    """The dtype of a number of the C interface."""
    return _ALL[number - 1]
