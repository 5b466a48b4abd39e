#!/usr/bin/env python3
"""Writes kernels of tinygrad's OpenCL renderer into the corpora: `tinygrad_kernels.py FOLDER`, with tinygrad and an OpenCL device.

list.csv names the files; the commit is the release's tag.
"""
import os
import re
import sys
from pathlib import Path

os.environ.setdefault("DEV", "CL")

from tinygrad import Tensor  # noqa: E402  (DEV is read at the import)
from tinygrad.renderer import cstyle  # noqa: E402





def works():
    """Results of tinygrad, each of which becomes one kernel or a few."""
    def numbers(count, *shape):  # from the host, so that they live on the device
        return Tensor([float(one % 97) for one in range(count)]).reshape(*shape).contiguous().realize()

    a, b, line = numbers(4096, 64, 64), numbers(4096, 64, 64), numbers(4096, 4096)
    whole = line.cast("int").contiguous().realize()
    image, weights = numbers(1024, 1, 4, 16, 16), numbers(288, 8, 4, 3, 3)
    yield "matmul", lambda: a @ b
    yield "matmul_half", lambda: (a.half() @ b.half())
    yield "sum", lambda: line.sum()
    yield "max_rows", lambda: a.max(axis=1)
    yield "softmax", lambda: a.softmax()
    yield "layernorm", lambda: a.layernorm()
    yield "convolution", lambda: image.conv2d(weights, padding=1)
    yield "pooling", lambda: image.max_pool2d()
    yield "cumsum", lambda: line.cumsum()
    yield "sort", lambda: line[:256].sort()[0]
    yield "gather", lambda: line[whole[:512] * 3 % 4096]
    yield "transpose", lambda: a.T.contiguous()
    yield "gelu", lambda: line.gelu()
    yield "sin_exp_log", lambda: (line.sin().exp() + 2).log()
    yield "integers", lambda: (whole * 7 // 3 % 5 ^ 12) << 2
    yield "where", lambda: (line > 100).where(line, -line)
    yield "bool_any", lambda: (a > 3).any(axis=0)
    yield "one_hot", lambda: whole[:64].one_hot(64)
    yield "argmax", lambda: a.argmax(axis=1)


def main(folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    render, current = cstyle.OpenCLRenderer.render, [None, 0]

    def kept(self, uops, *words):
        text = render(self, uops, *words)
        if current[0] and "kernel void" in text:
            (folder / f"{current[0]}_{current[1]}.cl").write_text(text)
            current[1] += 1
        return text

    cstyle.OpenCLRenderer.render = kept
    for name, work in works():
        current[:] = [name, 0]
        try:
            work().realize()
        except Exception as error:  # one that tinygrad itself cannot run costs only itself
            print(f"{name}: {type(error).__name__}: {str(error)[:200]}")
    print(len(list(folder.iterdir())), "kernels")


if __name__ == "__main__":
    main(sys.argv[1])
