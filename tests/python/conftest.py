"""What the tests share: devices, and the shipped kernel on each."""

import gc
import os
import time

import pytest

import pintle

IDS = os.environ.get("TEST_DEVICES", "cpu").split()


def pytest_configure(config):
    config.addinivalue_line("filterwarnings", "error")


def pytest_generate_tests(metafunc):
    if "device_id" in metafunc.fixturenames:
        metafunc.parametrize("device_id", IDS, scope="session")


def _reason(device_id):
    """Why a device is absent, from the list of devices."""
    backend = device_id.partition(":")[0]
    listed = pintle.devices()
    reasons = [f"{each.reason} {each.next_step}" for each in listed.absences if each.backend == backend]
    return " ".join(reasons) or f"{device_id} is none of: {', '.join(each.id for each in listed)}"


@pytest.fixture(scope="session")
def device(device_id):
    """An open device of those that the environment names."""
    try:
        opened = pintle.open(device_id)
    except pintle.Unavailable:
        assert device_id != "cpu"
        pytest.skip(f"{device_id} is absent: {_reason(device_id)}")
    yield opened
    opened.close()


def taken(device, pack):
    """The pack, loaded. Skips where the device does not take its format, or not here; what a device takes it also builds."""
    try:
        return device.load(pack)
    except pintle.BuildFailed as error:
        if "take the format" not in str(error):
            raise
        pytest.skip(f"{device.id}: {str(error).splitlines()[0]}")


def gone_soon(gone, device):
    """Whether an object goes, when the library has let go of it."""
    for _ in range(1000):
        device.queue().submit().wait(30)
        device.empty(1)  # a later call lets go of it
        gc.collect()
        if gone() is None:
            return True
        time.sleep(0.01)
    return False


@pytest.fixture(scope="session")
def saxpy(device):
    return device.load(pintle.open_pack("saxpy.pack"))["saxpy"]


@pytest.fixture(scope="session")
def cpu():
    opened = pintle.open("cpu")
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def cpu_saxpy(cpu):
    return cpu.load(pintle.open_pack("saxpy.pack"))["saxpy"]


@pytest.fixture
def gate():
    """A signal that nobody has set; what waits for its point 1 is let go of at the end."""
    signal = pintle.Signal(label="gate")
    yield signal
    if signal.value < 1:
        signal.set(1)
