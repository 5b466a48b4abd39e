"""The values that every Python worker computes with, and their checks. A check raises where a value is wrong."""

import numpy as np

FACTOR = 0.5  # the a of saxpy
SIZES = {"saxpy_4Ki": 4096, "saxpy_1Mi": 1 << 20, "saxpy_16Mi": 16 << 20}
TRANSFER_FLOATS = 16 << 20  # 64 MiB
FIRST_ELEMENTS = 1000  # the saxpy of a cold start
CHAIN_LENGTH = 100


def make_x(elements):
    return (np.arange(elements) % 7).astype(np.float32)


def make_y(elements):
    """Ones. After k saxpys y is 1 + k * FACTOR * x, which is exact in f32 for every k of a run."""
    return np.ones(elements, np.float32)


def flat(values):
    return np.asarray(values).reshape(-1)


def check_y(values, calls, what):
    y = flat(values)
    right = 1 + np.float32(calls * FACTOR) * make_x(len(y))
    if not np.array_equal(y, right):
        index = int(np.argmin(y == right))
        raise ValueError(f"{what}: element {index} is {y[index]}, not {right[index]}, after {calls} calls")


def check_counter(values, launches):
    counter = float(flat(values)[0])
    if counter != launches:
        raise ValueError(f"the counter is {counter}, not {launches}")


def check_transfer(received, sent):
    if not np.array_equal(received, sent):
        raise ValueError("transfer: other bytes came back")
