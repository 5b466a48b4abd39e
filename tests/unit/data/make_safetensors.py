#!/usr/bin/env python3
"""Writes the .safetensors files of this folder with nothing but struct, json and NumPy; safetensors_test.cpp says what
they must read as. With the argument "compare" (and PyPI's safetensors installed, which Debian has not) it checks instead
that the format's own library writes the same bytes and reads the same tensors.

Each tensor counts up from 0 (a bool alternates), so that the element at the C-order index k is k.
"""
import ctypes
import json
import pathlib
import struct
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent

# In the order in which tensors stand in a file: the format's name, the bytes of one element, the library's name.
DTYPES = [
    ("U64", 8, "uint64"), ("I64", 8, "int64"), ("F64", 8, "float64"), ("C64", 8, "complex64"), ("F32", 4, "float32"),
    ("U32", 4, "uint32"), ("I32", 4, "int32"), ("BF16", 2, "bfloat16"), ("F16", 2, "float16"), ("U16", 2, "uint16"),
    ("I16", 2, "int16"), ("F8_E4M3", 1, "float8_e4m3fn"), ("F8_E5M2", 1, "float8_e5m2"), ("I8", 1, "int8"),
    ("U8", 1, "uint8"), ("BOOL", 1, "bool"),
]
LIBRARY_NAMES = {name: library for name, _, library in DTYPES}


def counting(dtype, count):
    """The bytes of 0, 1, 2, ... in a dtype."""
    numbers = np.arange(count)
    if dtype == "BF16":  # the upper half of an f32
        return (numbers.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
    if dtype == "F8_E5M2":  # the upper half of an f16
        return (numbers.astype("<f2").view("<u2") >> 8).astype("u1").tobytes()
    if dtype == "F8_E4M3":  # the sign and exponent of an f16 with another bias, three bits of its mantissa
        halves = numbers.astype("<f2").view("<u2")
        return np.where(numbers == 0, 0, (halves >> 7) - (8 << 3)).astype("u1").tobytes()
    if dtype == "BOOL":
        return (numbers % 2).astype("u1").tobytes()
    kind = {"U": "u", "I": "i", "F": "f", "C": "c"}[dtype[0]]
    return numbers.astype(f"<{kind}{int(dtype[1:]) // 8}").tobytes()


def file_bytes(tensors, metadata=None):
    """`tensors`: (name, dtype, shape, bytes) in the order of the file."""
    header, end = {}, 0
    if metadata:
        header["__metadata__"] = metadata
    for name, dtype, shape, data in tensors:
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [end, end + len(data)]}
        end += len(data)
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(data for *_, data in tensors)


def files():
    every = [(f"a.{name}", name, (2, 3), counting(name, 6)) for name, _, _ in DTYPES]
    shapes = [
        ("b.eight", "F32", (1, 2, 1, 2, 1, 2, 1, 2), counting("F32", 16)),
        ("a.scalar", "I16", (), counting("I16", 1)),
        ("b.empty", "I16", (0, 3), b""),
        ('c."é\n', "U8", (5,), counting("U8", 5)),
    ]
    return {
        "every_dtype": (every, {"format": "np"}),
        "shapes": (shapes, None),
        "nothing": ([], None),
    }


def compare():
    import safetensors

    for name, (tensors, metadata) in files().items():
        keep = [ctypes.create_string_buffer(data, max(len(data), 1)) for *_, data in tensors]
        specs = {
            tensor: safetensors.TensorSpec(dtype=LIBRARY_NAMES[dtype], shape=list(shape),
                                           data_ptr=ctypes.addressof(buffer), data_len=len(data))
            for (tensor, dtype, shape, data), buffer in zip(tensors, keep)
        }
        ours = (HERE / f"{name}.safetensors").read_bytes()
        assert bytes(safetensors.serialize(specs, metadata)) == ours, name
        read = {tensor: (info["dtype"], tuple(info["shape"]), bytes(info["data"]))
                for tensor, info in safetensors.deserialize(ours)}
        assert read == {tensor: (dtype, tuple(shape), data) for tensor, dtype, shape, data in tensors}, name
        print(f"{name}: the same {len(ours)} bytes")


def main():
    if sys.argv[1:] == ["compare"]:
        compare()
        return
    for name, (tensors, metadata) in files().items():
        (HERE / f"{name}.safetensors").write_bytes(file_bytes(tensors, metadata))


if __name__ == "__main__":
    main()
