"""Exceptions: one class for each status, with the whole text."""

import copy
import pickle

import numpy as np
import pytest

import pintle

CLASSES = {"invalid_argument": (pintle.InvalidArgument, ValueError), "unsupported": (pintle.Unsupported, pintle.Error),
           "unavailable": (pintle.Unavailable, pintle.Error), "not_found": (pintle.NotFound, LookupError),
           "out_of_memory": (pintle.OutOfMemory, MemoryError), "build_failed": (pintle.BuildFailed, pintle.Error),
           "timeout": (pintle.Timeout, TimeoutError), "cancelled": (pintle.Cancelled, pintle.Error),
           "device_lost": (pintle.DeviceLost, pintle.Error), "process_poisoned": (pintle.ProcessPoisoned, pintle.Error),
           "peer_lost": (pintle.PeerLost, pintle.Error), "stale": (pintle.Stale, pintle.Error), "io": (pintle.IOFailed, OSError),
           "internal": (pintle.Internal, pintle.Error)}


@pytest.mark.parametrize("code", CLASSES)
def test_a_status_has_a_class(code):
    kind, also = CLASSES[code]
    assert issubclass(kind, pintle.Error) and issubclass(kind, also) and issubclass(kind, Exception)
    assert kind.code == code


@pytest.mark.parametrize("code", CLASSES)
def test_a_failed_signal_raises_its_kind_with_its_words(code):
    signal = pintle.Signal(label="doomed")
    signal.fail(f"The words of {code} reach the waiter.", CLASSES[code][0])
    with pytest.raises(CLASSES[code][0]) as caught:
        signal.point(1).wait(10)
    assert type(caught.value) is CLASSES[code][0]
    assert caught.value.code == code and f"The words of {code} reach the waiter." in str(caught.value)


def error_with_context(cpu):
    long, short = cpu.empty(64, label="long one"), cpu.empty(20, label="short one")
    with pytest.raises(pintle.InvalidArgument) as caught:
        cpu.queue(label="the queue").submit(pintle.copy(long, short))
    return caught.value


def test_the_text_has_the_values_the_names_and_the_steps(cpu):
    error = error_with_context(cpu)
    text = str(error)
    for words in ("80", "256", "short one", "long one"):
        assert words in text
    assert error.message in text and "\n" not in error.message
    assert error.context and all(step in text for step in error.context)


def test_the_members_are_there(cpu):
    error = error_with_context(cpu)
    assert error.code == "invalid_argument" and isinstance(error.message, str)
    assert error.vendor is None
    assert error.device is None or error.device == "cpu"
    assert isinstance(error.generation, int)


def test_an_error_survives_pickle_and_copy(cpu):
    error = error_with_context(cpu)
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is type(error) and str(again) == str(error)
        assert (again.code, again.message, again.context, again.generation) == (error.code, error.message, error.context, error.generation)


def test_io_has_the_path(tmp_path):
    with pytest.raises(pintle.IOFailed, match="nothing_here") as caught:
        pintle.open_pack(tmp_path / "nothing_here.pack")
    assert isinstance(caught.value, OSError) and caught.value.code == "io"


def test_a_broken_pack_is_refused(tmp_path):
    path = tmp_path / "broken.pack"
    path.write_bytes(pintle.open_pack("saxpy.pack").serialize()[:-7])
    with pytest.raises(pintle.InvalidArgument):
        pintle.open_pack(path)
    with pytest.raises(pintle.InvalidArgument):
        pintle.parse_pack(b"")


def test_a_kernel_that_is_not_there_lists_those_that_are(cpu):
    program = cpu.load(pintle.open_pack("saxpy.pack"))
    with pytest.raises(pintle.NotFound, match="saxpy") as caught:
        program["sexpy"]
    assert "sexpy" in str(caught.value) and isinstance(caught.value, LookupError)
    assert list(program) == ["saxpy"] and len(program) == 1 and "saxpy" in program and "sexpy" not in program and program.get("sexpy") is None


def test_source_that_does_not_compile_has_the_log(cpu):
    pack = pintle.source("void f(const pintle_group* group, int n) { this is no C; }", format="c", signatures=["f(n: i32)"])
    with pytest.raises(pintle.BuildFailed, match="error") as caught:
        cpu.load(pack)
    assert "this" in str(caught.value)


def test_a_timeout_names_what_it_waited_for(cpu, gate):
    done = cpu.queue(label="slow lane").submit(after=[gate.point(1)])
    with pytest.raises(pintle.Timeout, match="slow lane") as caught:
        done.wait(0.02)
    assert isinstance(caught.value, TimeoutError)


def test_more_than_the_device_has_is_out_of_memory_or_refused(device):
    with pytest.raises((pintle.OutOfMemory, pintle.InvalidArgument, pintle.Unsupported)):
        device.empty(1 << 60, "u8")
    buffer = device.buffer(np.ones(4, np.float32))  # nothing is poisoned
    assert buffer.numpy().tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("shape", [-1, (2, -3), (1 << 70,), (1 << 40, 1 << 40)])
def test_an_impossible_shape_is_refused(cpu, shape):
    with pytest.raises((pintle.InvalidArgument, pintle.OutOfMemory, OverflowError)):
        cpu.empty(shape)


@pytest.mark.parametrize("shape", ["3", 1.5, None, (1.5,)])
def test_a_shape_of_another_type_is_a_type_error(cpu, shape):
    with pytest.raises(TypeError):
        cpu.empty(shape)
