"""tinygrad's device PINTLE: its kernels and graphs run on Pintle's devices.

    DEV=PINTLE python3 program.py                                          # the best device
    DEV=PINTLE TINYGRAD_PINTLE_DEVICES="cpu opencl:pocl" python3 program.py    # PINTLE and PINTLE:1

tinygrad imports `tinygrad.runtime.ops_pintle`, which this distribution brings. docs/guide/tinygrad.md has the rest.
"""

__version__ = "0.1.0"
