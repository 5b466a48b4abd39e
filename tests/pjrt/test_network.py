"""A network of two layers, lowered by JAX, from the pack that lies here: it needs no jax, and is held to NumPy's f64."""

import numpy as np
import pytest
from network import NAMES, RATE, STEPS, Exact, OnDevice, assert_close, example

import pintle


@pytest.fixture
def case(device):
    params, x, labels = example()
    return OnDevice(device, params), Exact(params), x, labels


def test_forward(case):
    network, exact, x, _ = case
    assert_close(network.forward(x), exact.forward(x))
    assert_close(network.forward(x), exact.forward(x))  # the parameters are still there


def test_training_updates_the_handles_in_place(case):
    network, exact, x, labels = case
    before = network.params()
    losses, wanted = network.steps(x, labels), [exact.step(x, labels) for _ in range(STEPS)]
    assert exact.nearest > 5e-5
    assert losses[-1] < losses[0] / 4
    assert_close(losses, wanted)
    for name, value in network.params().items():
        assert_close(value, exact.params[name])
        assert np.abs(value - before[name]).max() > 1e-3
    assert_close(network.forward(x), exact.forward(x))


def test_steps_in_one_list(case, device):
    """Nothing comes back between the steps, and each takes what the one before has left."""
    network, exact, x, labels = case
    network.steps(x, labels, 1)
    views, loss = [network.model[name].view() for name in NAMES], device.empty(1)
    kernel = device.load(pintle.open_pack(network.pack))["step"]
    given = device.buffer(x), device.buffer(labels)
    network.queue.submit(*(kernel.command(*views, *given, RATE, loss, groups=1) for _ in range(STEPS - 1))).wait(60)
    wanted = [exact.step(x, labels) for _ in range(STEPS)]
    assert_close(loss.numpy(), wanted[-1:])
    for name, value in network.params().items():
        assert_close(value, exact.params[name])


def test_a_copy_keeps_the_parameters_of_before(case, device):
    """A buffer that is given up for its result stays where a copy shares it."""
    network, exact, x, labels = case
    network.steps(x, labels, 1)
    old = network.params()
    kept = device.empty(old["w1"].shape)
    network.queue.submit(pintle.copy(kept, network.model["w1"].view()))
    network.steps(x, labels, 1)
    assert (kept.numpy() == old["w1"]).all()
    for _ in range(2):
        exact.step(x, labels)
    assert_close(network.params()["w1"], exact.params["w1"])


def test_saved_and_loaded_parameters(case, device, tmp_path):
    network, exact, x, labels = case
    network.steps(x, labels)
    network.model.save(network.queue, tmp_path / "mlp.safetensors")
    other = OnDevice(device, example()[0])
    other.model.load(other.queue, tmp_path / "mlp.safetensors")
    for _ in range(STEPS):
        exact.step(x, labels)
    assert_close(other.forward(x), exact.forward(x))
