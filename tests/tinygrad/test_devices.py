"""Which of Pintle's devices tinygrad's names stand for."""

import numpy as np
import pytest
from pintle_tinygrad import listing
from tinygrad import Device, Tensor


@pytest.fixture
def listed(monkeypatch):
    return lambda text: monkeypatch.setenv(listing.VARIABLE, text)


@pytest.mark.parametrize("text, name, id", [("", "PINTLE", "best"), ("", "PINTLE:5", "best"), ("cpu opencl:pocl", "PINTLE", "cpu"),
                                            ("cpu opencl:pocl", "PINTLE:1", "opencl:pocl"), ("cpu  opencl:pocl ", "PINTLE:2", "cpu"),
                                            ("cpu opencl:pocl vulkan", "PINTLE:5", "vulkan"), ("cpu?inline", "PINTLE:7", "cpu?inline")])
def test_past_the_end_the_list_begins_again(listed, text, name, id):
    listed(text)
    assert listing.id_of(name) == id


def test_a_name_with_something_else_than_a_number_is_refused():
    with pytest.raises(RuntimeError, match=r"\[PINTLE:GPU\] has no number.*TINYGRAD_PINTLE_DEVICES"):
        listing.id_of("PINTLE:GPU")


def test_a_device_that_is_not_there_is_named(listed):
    listed("cpu nothing:3")
    with pytest.raises(RuntimeError, match="nothing:3"):
        Device["PINTLE:9"]


def test_a_device_whose_language_tinygrad_does_not_write_is_refused(listed):
    listed("null")
    with pytest.raises(RuntimeError, match=r"no renderer for the device \[null\] of the backend \(null\); it has one for: cpu"):
        Device["PINTLE:30"]


def test_it_is_the_default_and_counts_the_list(second):
    assert Device.DEFAULT == "PINTLE" and Device["PINTLE"].count() == 2 and "PINTLE" in Device._devices


def test_devices_of_one_id_share_a_queue(name):
    index = listing.index_of(name)
    again = f"PINTLE:{index + 2}"
    assert Device[again].place is Device[name].place
    moved = Tensor([1.0, 2.0], device=name).realize().to(again).realize()
    assert moved.device == again and moved.tolist() == [1, 2]


def test_two_devices_work_in_one_program(second):
    here, there = Tensor(np.arange(1000, dtype=np.int32), device="PINTLE").realize(), (Tensor(np.arange(1000, dtype=np.int32), device=second) * 2).realize()
    assert (here + there.to("PINTLE")).tolist() == [3 * i for i in range(1000)]
    assert (here.to(second) + there).sum().item() == 3 * 499500


def test_a_tensor_over_several_of_one_device(name):
    index = listing.index_of(name)
    devices = tuple(f"PINTLE:{index + 2 * i}" for i in range(1, 4))
    x = Tensor(np.arange(12, dtype=np.int32), device=name).reshape(6, 2).shard(devices, axis=0)
    assert (x * 2 + 1).sum(0).tolist() == [66, 78]
