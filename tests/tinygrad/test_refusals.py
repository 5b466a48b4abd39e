"""What PINTLE does not take, and how it says so."""

from contextlib import contextmanager

import numpy as np
import pintle
import pytest
from pintle_tinygrad import entries, versions
from pintle_tinygrad.graphs import PintleGraph
from pintle_tinygrad.places import Failed, Refused
from pintle_tinygrad.programs import PintleProgram
from tinygrad import Device, Tensor, TinyJit, dtypes
from tinygrad.device import CompileError, TinyELF
from tinygrad.helpers import Context

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


@contextmanager
def awaited(*places):
    """The next submission to each of the places waits for a point, as if a transfer still read its memory: it must do so when this ends, too."""
    gate = pintle.Signal()
    for place in places:
        place.synchronize()
        place.after = [gate.point(1)]
    try:
        yield
        assert [place.after for place in places] == [[gate.point(1)]] * len(places)
        done = [place.submit(pintle.fill(place.device.empty(8, "u8"), 0)) for place in places]
        assert not any(each.reached for each in done) and not any(place.after for place in places)
    finally:
        gate.set(1)
        for place in places:
            place.synchronize()


def closed(device):
    memory = device.allocator.alloc(8)
    memory.buffer.close()
    return memory


def test_a_refused_launch_leaves_the_order_to_the_next_one():
    program = loaded("PINTLE", "x[0] = 1;")
    with awaited(Device["PINTLE"].place), pytest.raises(Failed):
        program(closed(Device["PINTLE"]))


def test_a_refused_command_leaves_the_order_to_the_next_one(name):
    place, memory = Device[name].place, Device[name].allocator.alloc(8)
    command = pintle.fill(memory.buffer, 0)
    memory.buffer.close()
    with awaited(place), pytest.raises(pintle.Error):
        place.submit(command)


@pytest.mark.parametrize("debug", [0, 2], ids=["untimed", "timed"])
def test_a_refused_replay_leaves_the_order_to_the_next_one(name, monkeypatch, debug):
    @TinyJit
    def step(x):
        return ((x + 1).contiguous() * 2).contiguous().realize()

    x = Tensor([1.0, 2.0], device=name).realize()
    for _ in range(3):
        step(x)
    gone = closed(Device[name]).buffer
    monkeypatch.setattr(PintleGraph, "_bindings", lambda self, *_: [gone for _ in self.slots.keys])
    with awaited(Device[name].place), Context(DEBUG=debug), pytest.raises(Failed):
        step(x)


@pytest.mark.parametrize("which", ["from", "to"])
def test_a_refused_transfer_leaves_the_order_to_the_next_one(second, which):
    here, there = Device["PINTLE"], Device[second]
    src, dest = (closed(device) if which == word else device.allocator.alloc(8) for word, device in (("from", here), ("to", there)))
    with awaited(here.place, there.place), pytest.raises(Failed):
        there.allocator._transfer(dest, src, 8, here, there)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.0])
def test_numbers_that_are_none_pass_through(name, value):
    found = (Tensor([value, 1.0], device=name) + 0).numpy()
    assert np.array_equal(found[:1], np.array([value], np.float32), equal_nan=True)
