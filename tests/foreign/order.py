"""Code of OpenCL C for the cpu, run with its groups in reverse order, by ctypes alone.

    order.py CODE PLANS FOLDER    CODE is a shared object; FOLDER gets each buffer's bytes

A kernel whose groups write to the same places has no right result, and another order shows it.
"""
import ctypes
import itertools
import json
import sys
from pathlib import Path

ALIGNMENT = 4096


class Group(ctypes.Structure):
    """pintle_group, from include/pintle/native/cpu_kernel.h."""
    _fields_ = [("id", ctypes.c_uint32 * 3), ("count", ctypes.c_uint32 * 3), ("size", ctypes.c_uint32 * 3),
                ("local_bytes", ctypes.c_uint32), ("local", ctypes.c_void_p)]


class Memory:
    """Bytes at an address that is a multiple of `ALIGNMENT`."""

    def __init__(self, data, size):
        self.size = size
        self.owner = ctypes.create_string_buffer(size + 2 * ALIGNMENT)
        self.address = -(-ctypes.addressof(self.owner) // ALIGNMENT) * ALIGNMENT
        ctypes.memmove(self.address, data, len(data))

    def bytes(self):
        return ctypes.string_at(self.address, self.size)


def memory_of(argument):
    data = b"" if isinstance(argument, int) else Path(argument).read_bytes()
    return Memory(data, argument if isinstance(argument, int) else len(data))


def run(library, plan, prefix):
    kernel = getattr(library, plan["entry"])
    kernel.restype = None
    memories = [memory_of(argument) for argument in plan["arguments"]]
    addresses = (ctypes.c_void_p * len(memories))(*[one.address for one in memories])
    x, y, z = plan["groups"]
    for place in reversed(list(itertools.product(range(z), range(y), range(x)))):
        group = Group((ctypes.c_uint32 * 3)(*reversed(place)), (ctypes.c_uint32 * 3)(x, y, z), (ctypes.c_uint32 * 3)(*plan["group"]), 0, None)
        kernel(ctypes.byref(group), addresses)
    for at, (kind, one) in enumerate(zip(plan["kinds"], memories)):
        if kind == "buffer":
            Path(f"{prefix}{at}").write_bytes(one.bytes())


def main(code, plans, folder):
    library = ctypes.CDLL(code)
    for plan in json.loads(Path(plans).read_text()):
        run(library, plan, f"{folder}/{plan['index']}_")
        print(json.dumps({"index": plan["index"], "ran": True}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
