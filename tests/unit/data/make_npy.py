#!/usr/bin/env python3
"""Writes the .npy files of this folder with NumPy itself; npy_test.cpp says what they must read as.

Each array counts up from 0 (a bool alternates), so that the element at the C-order index k is k.
"""
import pathlib

import numpy as np
from numpy.lib import format as npy

HERE = pathlib.Path(__file__).resolve().parent


def write(name, array, version=(1, 0)):
    with open(HERE / f"{name}.npy", "wb") as file:
        npy.write_array(file, array, version=version, allow_pickle=False)


def counting(shape, dtype):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def main():
    for kind in ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8"]:
        for order, mark in [("little", "<"), ("big", ">")]:
            write(f"{order}_{kind}", counting((2, 3), mark + kind))
    write("bool", counting((2, 3), "u1") % 2 == 1)
    write("fortran_f4", np.asfortranarray(counting((2, 3, 4), "<f4")))
    write("fortran_big_c8", np.asfortranarray(counting((3, 2), ">c8")))
    write("scalar_f8", np.array(0, "<f8"))
    write("vector_i4", counting((5,), "<i4"))
    write("empty_f4", np.zeros((0, 3), "<f4"))
    write("eight_dims_u1", counting((1, 2, 1, 2, 1, 2, 1, 2), "u1"))
    write("version2_f4", counting((2, 3), "<f4"), (2, 0))
    write("version3_f4", counting((2, 3), "<f4"), (3, 0))
    # What NumPy has no dtype for: records of one field.
    bfloat16 = (counting((2, 3), "<f4").view("<u4") >> 16).astype("<u2")
    write("bfloat16", bfloat16.view([("bfloat16", "<u2")]))
    write("big_bfloat16", bfloat16.astype(">u2").view([("bfloat16", ">u2")]))
    fp8 = (counting((2, 3), "<f2").view("<u2") >> 8).astype("u1")
    write("float8_e5m2", fp8.view([("float8_e5m2", "u1")]))
    write("float8_e4m3fn", counting((2, 3), "u1").view([("float8_e4m3fn", "u1")]))
    # What Pintle has no dtype for.
    write("nine_dims_u1", np.zeros((1,) * 9, "u1"))
    write("complex128", np.zeros((2,), "<c16"))
    write("text", np.array(["pintle"]))
    write("record", np.zeros((2,), [("x", "<f4"), ("y", "<i4")]))


if __name__ == "__main__":
    main()
