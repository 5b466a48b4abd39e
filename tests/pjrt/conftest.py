"""The devices of the tests: each test that takes `device` runs on each of TEST_DEVICES."""

import os

import pytest

import pintle

IDS = os.environ.get("TEST_DEVICES", "pjrt:0 pjrt:1").split()


def _reason():
    return " ".join(f"{each.reason} {each.next_step}" for each in pintle.devices().absences if each.backend == "pjrt")


@pytest.fixture(params=IDS, scope="session")
def device(request):
    try:
        opened = pintle.open(request.param)
    except pintle.Unavailable:
        pytest.skip(f"{request.param} is absent: {_reason() or 'there are fewer plug-ins'}")
    yield opened
    opened.close()
