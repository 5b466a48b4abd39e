"""What renderers must know of a device, as the text that tinygrad calls its arch. A child that renders has the text and no device."""

from __future__ import annotations

import os
import platform

import pintle

_PROBE = """
#ifdef cl_khr_fp64
__kernel void cl_khr_fp64_is_there(__global float* x) { x[0] = 1; }
#endif
#ifdef cl_khr_fp16
__kernel void cl_khr_fp16_is_there(__global float* x) { x[0] = 1; }
#endif
__kernel void probe_is_there(__global float* x) { x[0] = 1; }
"""
_PROBE_C = "void probe_is_there(const pintle_group* group, float* x) { x[0] = 1; }"
_ENTRY = "probe_is_there(x: write f32[])"
_EXTENSIONS = ("cl_khr_fp64", "cl_khr_fp16")
_LANGUAGES = {"cpu": "c", "opencl": "opencl_c", "cuda": "cuda_c"}
_PROBE_CUDA = 'extern "C" __global__ void probe_is_there(float* x) { x[0] = 1; }'


def cuda_headers() -> list[str]:
    """The folder of CUDA's own headers, where one is."""
    folders = [os.path.join(os.environ["CUDA_PATH"], "include")] if "CUDA_PATH" in os.environ else ["/usr/local/cuda/include", "/opt/cuda/include", "/usr/include"]
    return [each for each in folders if os.path.exists(os.path.join(each, "cuda_fp16.h"))][:1]


def taken() -> pintle.Pack:
    """A pack that a device takes where tinygrad writes its language: for the best of them."""
    first, *others = (pintle.source(text, format, [_ENTRY], "probe") for text, format in
                      ((_PROBE_C, "c"), (_PROBE, "opencl_c"), (_PROBE_CUDA, "cuda_c")))
    for other in others:
        first = first.merged(other)
    return first


def _has(program: pintle.Program, name: str) -> bool:
    try:
        program[name]
    except (pintle.BuildFailed, pintle.NotFound, pintle.Unsupported):
        return False
    return True


def _opencl(device: pintle.Device) -> list[str]:
    names = [f"{each}_is_there" for each in _EXTENSIONS] + ["probe_is_there"]
    program = device.load(pintle.source(_PROBE, "opencl_c", [f"{name}(x: write f32[])" for name in names], "probe"))
    return [each for each in _EXTENSIONS if _has(program, f"{each}_is_there")]


def of(device: pintle.Device) -> tuple[str, str]:
    """The language of the device's kernels, and its arch. pintle.Unsupported for a device whose language tinygrad does not write."""
    backend = device.info.backend
    language = _LANGUAGES.get(backend)
    if language == "c":
        return language, f"{platform.machine()},native"
    if language == "opencl_c":
        return language, ",".join(["opencl", f"local={device.info.max_local_bytes}", *_opencl(device)])
    if language == "cuda_c":
        return language, ",".join([device.info.target, *(["headers"] if cuda_headers() else [])])
    raise pintle.Unsupported(f"tinygrad has no renderer for the device [{device.id}] of the backend ({backend}); it has one for: "
                             f"{', '.join(sorted(_LANGUAGES))}.")
