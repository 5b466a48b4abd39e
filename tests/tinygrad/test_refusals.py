"""What PINTLE does not take, and how it says so."""

import numpy as np
import pytest
from pintle_tinygrad import entries, versions
from pintle_tinygrad.places import Failed, Refused
from pintle_tinygrad.programs import PintleProgram
from tinygrad import Device, Tensor, dtypes
from tinygrad.device import CompileError, TinyELF

TEXTS = {"PINTLE": "// pintle: compiler clang\n// pintle: format c\n// pintle: entry wrong({parameters})\n"
                   "void wrong(const pintle_group* group, uint8_t* x) {{ {body} }}\n",
         "PINTLE:1": "// pintle: format opencl_c\n// pintle: entry wrong({parameters})\n__kernel void wrong(__global uchar* x) {{ {body} }}\n"}


def loaded(name, body, parameters="x: write u8[]"):
    text = TEXTS[name].format(body=body, parameters=parameters).encode()
    return PintleProgram(Device[name], TinyELF(text, "wrong", Device[name].renderer.target, (("x", 0, dtypes.uint8, (8,)),)))


def test_another_version_of_tinygrad_hears_which_are_supported(monkeypatch):
    monkeypatch.setattr(versions.metadata, "version", lambda name: "0.9.2")
    with pytest.raises(RuntimeError, match=r"tinygrad \(0\.9\.2\) is not supported by pintle-tinygrad, which supports: 0\.14\.0"):
        versions.refuse_others()


def test_a_tinygrad_without_a_version_is_refused(monkeypatch):
    def unknown(name):
        raise versions.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(versions.metadata, "version", unknown)
    with pytest.raises(RuntimeError, match="of no known version"):
        versions.refuse_others()


def test_the_refusal_reaches_a_program(program):
    ended = program("""
        from importlib import metadata
        known = metadata.version
        metadata.version = lambda name: "1.2.3" if name == "tinygrad" else known(name)
        from tinygrad import Tensor
        Tensor([1.0]).tolist()
    """)
    assert ended.status == 1 and "RuntimeError: tinygrad (1.2.3) is not supported" in ended.err, ended.err


def test_a_kernel_that_does_not_compile_names_the_construct(name):
    with pytest.raises(Refused, match="frobnicate") as caught:
        loaded(name, "frobnicate(x);")
    assert isinstance(caught.value, CompileError) and isinstance(caught.value, RuntimeError) and f"wrong on {name}" in str(caught.value)


def test_a_signature_that_the_code_contradicts_is_refused(name):
    with pytest.raises(Refused, match="wrong"):
        loaded(name, "x[0] = 1;", "x: write u8[], n: i32")


def test_a_text_of_another_renderer_is_refused(name):
    with pytest.raises(RuntimeError, match="not rendered for the device PINTLE"):
        PintleProgram(Device[name], TinyELF(b"void wrong(float* x) {}", "wrong", Device[name].renderer.target, ()))


def test_a_format_that_the_device_does_not_take_is_named(second):
    text = TEXTS["PINTLE"].format(body="x[0] = 1;", parameters="x: write u8[]").encode()
    with pytest.raises(Refused, match=r"\bc\b"):
        PintleProgram(Device[second], TinyELF(text, "wrong", Device[second].renderer.target, (("x", 0, dtypes.uint8, (8,)),)))


def test_groups_that_do_not_divide_the_work_are_refused(name):
    program = loaded(name, "x[0] = 1;")
    with pytest.raises(RuntimeError, match=r"number of groups \(1\.5, 1, 1\) of \[wrong\] is no whole number"):
        program.launch_of((1.5, 1, 1), (1, 1, 1))


def test_a_group_that_is_too_large_is_refused_with_the_limit(second):
    program = loaded(second, "x[0] = 1;")
    most = Device[second].place.device.info.max_group_items
    with pytest.raises(RuntimeError, match=str(most)):
        program.launch_of((1, 1, 1), (2 * most, 1, 1))


def test_a_variable_of_no_dtype_of_ours_is_named():
    with pytest.raises(RuntimeError, match=r"variable \[n\] is of dtype \(half\).*it takes: bool"):
        entries.scalar("n", dtypes.half)


def test_an_argument_that_is_wrong_runs_nothing():  # on PINTLE alone: the text of PINTLE:1 has no number for the rest of an offset
    program = loaded("PINTLE", "x[0] = 1;")
    other = Device["PINTLE"].allocator.alloc(8)
    other.buffer.close()
    with pytest.raises(Failed, match="wrong on PINTLE"):
        program(other)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.0])
def test_numbers_that_are_none_pass_through(name, value):
    found = (Tensor([value, 1.0], device=name) + 0).numpy()
    assert np.array_equal(found[:1], np.array([value], np.float32), equal_nan=True)
