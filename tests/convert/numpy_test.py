#!/usr/bin/env python3
"""Conversions against NumPy's astype, bit for bit."""

import os
import subprocess
import unittest

import numpy as np

PROGRAM = os.environ["CONVERT_STREAM"]
FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
INTEGERS = {f"{kind[0]}{bits}": np.dtype(f"{kind}{bits}").type for kind in ("int", "uint") for bits in (8, 16, 32, 64)}


def converted(array, source, target, dtype):
    run = subprocess.run([PROGRAM, source, target], input=array.tobytes(), capture_output=True, check=True)
    return np.frombuffer(run.stdout, dtype)


def bits(array):
    return array.view(f"u{array.dtype.itemsize}")


def telling(dtype):
    """Numbers of a floating dtype at random, and around each middle of two f16."""
    size = np.dtype(dtype).itemsize
    random = np.random.default_rng(1).integers(0, 1 << 63, 1 << 18, dtype=np.uint64).astype(f"u{size}").view(dtype)
    if size == 2:
        return np.arange(1 << 16, dtype=np.uint16).view(dtype)
    halves = np.arange(0x7c00, dtype=np.uint16).view(np.float16).astype(dtype)
    middles = np.append((halves[:-1] + halves[1:]) / 2, dtype(65520))
    near = np.concatenate([np.nextafter(middles, dtype(0)), middles, np.nextafter(middles, dtype(np.inf)), halves])
    special = np.array([0, np.inf, np.nan, np.finfo(dtype).max, np.finfo(dtype).tiny], dtype)
    return np.concatenate([random, near, -near, special, -special])


class NumPy(unittest.TestCase):
    def expect_same(self, array, source, target, dtype):
        with np.errstate(all="ignore"):
            wanted = array.astype(dtype)
        found = converted(array, source, target, dtype)
        self.assertEqual(found.size, wanted.size)
        same = bits(found) == bits(wanted)
        if np.issubdtype(dtype, np.floating):
            same |= np.isnan(found) & np.isnan(wanted) & (np.signbit(found) == np.signbit(wanted))
        wrong = np.flatnonzero(~same)
        self.assertEqual(wrong.size, 0, f"{source} to {target}: {array[wrong[:4]]} became {found[wrong[:4]]}, not {wanted[wrong[:4]]}")

    def test_floats_to_floats(self):
        for source, kind in FLOATS.items():
            for target, dtype in FLOATS.items():
                with self.subTest(source=source, target=target):
                    self.expect_same(telling(kind), source, target, dtype)

    def test_the_payload_of_nans_in_f16(self):
        """NumPy keeps it on the way to f16, and where processors convert they set the quiet bit only."""
        words = np.arange(0x7fc00000, 0x80000000, 61, dtype=np.uint32)
        found = converted(words, "f32", "f16", np.uint16)
        wanted = bits(words.view(np.float32).astype(np.float16))
        self.assertTrue(np.array_equal(found, wanted))

    def test_integers_to_floats(self):
        for source, kind in INTEGERS.items():
            info = np.iinfo(kind)
            edges = np.array([info.min, info.min + 1, 0, 1, info.max - 1, info.max], kind)
            random = np.random.default_rng(2).integers(info.min, info.max, 1 << 16, kind, endpoint=True)
            shifts = np.random.default_rng(3).integers(0, info.bits, 1 << 16).astype(kind)
            for target in ("f32", "f64"):
                with self.subTest(source=source, target=target):
                    self.expect_same(np.concatenate([edges, random, random >> shifts]), source, target, FLOATS[target])
        # NumPy goes through f32 for the larger ones, which rounds twice.
        for source in ("i8", "u8", "i16", "u16"):
            with self.subTest(source=source, target="f16"):
                self.expect_same(np.arange(np.iinfo(INTEGERS[source]).min, np.iinfo(INTEGERS[source]).max, dtype=np.int32)
                                 .astype(INTEGERS[source]), source, "f16", np.float16)

    def test_integers_that_fit(self):
        small = np.arange(0, 128)
        for source, kind in INTEGERS.items():
            for target, dtype in INTEGERS.items():
                with self.subTest(source=source, target=target):
                    self.expect_same(small.astype(kind), source, target, dtype)

    def test_bool_and_complex(self):
        for source, kind in FLOATS.items():
            found = converted(telling(kind), source, "bool", np.uint8)
            self.assertTrue(np.array_equal(found, telling(kind).astype(bool).astype(np.uint8)))
        numbers = np.random.default_rng(4).normal(size=1000)
        found = converted(numbers, "f64", "complex64", np.complex64)
        self.assertTrue(np.array_equal(found, numbers.astype(np.complex64)))


if __name__ == "__main__":
    unittest.main()
