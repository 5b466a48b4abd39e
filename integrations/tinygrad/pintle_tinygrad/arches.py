"""What renderers must know of a device, as the text that tinygrad calls its arch. A child that renders has the text and no device."""

from __future__ import annotations

import platform

import pintle

_PROBE = """
#ifdef cl_khr_fp64
__kernel void cl_khr_fp64_is_there(__global float* x) { x[0] = 1; }
#endif
#ifdef cl_khr_fp16
__kernel void cl_khr_fp16_is_there(__global float* x) { x[0] = 1; }
#endif
__kernel void opencl_c_is_there(__global float* x) { x[0] = 1; }
"""
_PROBE_C = "void opencl_c_is_there(const pintle_group* group, float* x) { x[0] = 1; }"
_ENTRY = "opencl_c_is_there(x: write f32[])"
_EXTENSIONS = ("cl_khr_fp64", "cl_khr_fp16")
_LANGUAGES = {"cpu": "c", "opencl": "opencl_c", "vulkan": "glsl", "cuda": "cuda_c"}


def taken() -> pintle.Pack:
    """A pack that a device takes where tinygrad writes its language: for the best of them."""
    return pintle.source(_PROBE_C, "c", [_ENTRY], "probe").merged(pintle.source(_PROBE, "opencl_c", [_ENTRY], "probe"))


def _backend(device: pintle.Device) -> str:
    return device.info.backend


def _has(program: pintle.Program, name: str) -> bool:
    try:
        program[name]
    except (pintle.BuildFailed, pintle.NotFound, pintle.Unsupported):
        return False
    return True


def _opencl(device: pintle.Device) -> list[str]:
    names = [f"{each}_is_there" for each in _EXTENSIONS] + ["opencl_c_is_there"]
    program = device.load(pintle.source(_PROBE, "opencl_c", [f"{name}(x: write f32[])" for name in names], "probe"))
    return [each for each in _EXTENSIONS if _has(program, f"{each}_is_there")]


def of(device: pintle.Device) -> tuple[str, str]:
    """The language of the device's kernels, and its arch. pintle.Unsupported for a device whose language tinygrad does not write."""
    backend = _backend(device)
    language = _LANGUAGES.get(backend)
    if language == "c":
        return language, f"{platform.machine()},native"
    if language == "opencl_c":
        return language, ",".join(["opencl", f"local={device.info.max_local_bytes}", *_opencl(device)])
    raise pintle.Unsupported(f"tinygrad has no renderer for the device [{device.id}] of the backend ({backend}); it has one for: "
                             f"{', '.join(sorted(_LANGUAGES))}.")
