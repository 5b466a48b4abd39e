"""What a rendered text says of itself in its first lines, for the program that is made of it: a child that renders has no device.

    // pintle: format c
    // pintle: entry E_4(data0_4: write u8[], data1_4: read u8[], n: i32)
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tinygrad.dtype import AddrSpace, DType, dtypes
from tinygrad.uop.ops import Ops, UOp

SCALARS = {dtypes.bool: "bool", dtypes.int8: "i8", dtypes.int16: "i16", dtypes.int32: "i32", dtypes.int64: "i64", dtypes.uint8: "u8",
           dtypes.uint16: "u16", dtypes.uint32: "u32", dtypes.uint64: "u64", dtypes.float32: "f32", dtypes.float64: "f64"}
Parameters = list[tuple[str, tuple[UOp, bool]]]  # as tinygrad's renderers have them: the name, the parameter, and whether it is stored to


def is_buffer(parameter: UOp) -> bool:
    return parameter.addrspace != AddrSpace.ALU


def _parameters_under(uops: Iterable[UOp]) -> set[UOp]:
    return {each for each in UOp.sink(*uops).toposort() if each.op is Ops.PARAM}


def accesses(bufs: Parameters, uops: list[UOp]) -> dict[str, str]:
    """How the kernel uses each buffer. What text of the user's or a called function gets is taken for read and written."""
    read = _parameters_under(u.src[0] for u in uops if u.op is Ops.LOAD)
    opaque = _parameters_under(u for u in uops if u.op in (Ops.CUSTOM, Ops.CUSTOMI, Ops.CALL))

    def access(parameter: UOp, is_stored: bool) -> str:
        if parameter in opaque:
            return "read_write"
        if not is_stored:
            return "read"
        return "read_write" if parameter in read else "write"

    return {name: access(parameter, is_stored) for name, (parameter, is_stored) in bufs if is_buffer(parameter)}


def scalar(name: str, dtype: DType) -> str:
    if dtype not in SCALARS:
        raise RuntimeError(f"The variable [{name}] is of dtype ({dtype.name}), which no kernel of Pintle takes by value; it takes: "
                           f"{', '.join(each.name for each in SCALARS)}.")
    return f"{name}: {SCALARS[dtype]}"


def header(format: str, entry: str, parameters: Iterable[str]) -> str:
    return f"// pintle: format {format}\n// pintle: entry {entry}({', '.join(parameters)})\n"


_LINE = re.compile(r"^// pintle: (format|entry) (.*)$", re.MULTILINE)


def read_header(text: str) -> tuple[str, str]:
    """The format and the signature, without a group, of a text. RuntimeError for one that another renderer has made."""
    found = dict(_LINE.findall(text[:65536]))
    if set(found) != {"format", "entry"}:
        raise RuntimeError("The program was not rendered for the device PINTLE; its first lines name neither a format nor an entry.")
    return found["format"], found["entry"]
