"""The network of mlp.py on a device of Pintle's, its parameters in handles; and in NumPy with f64, which is what both are held to."""

from pathlib import Path

import numpy as np

import pintle

HERE = Path(__file__).resolve().parent
PACK = HERE / "mlp.pack"
BATCH, IN, HIDDEN, OUT = 8, 64, 128, 10
NAMES = ("b1", "b2", "w1", "w2")  # as JAX orders a dict
RATE = 0.25
STEPS = 20
# f32 has 2^-24 = 6e-8. A sum of 128 products in any order is off by some of these, and twenty steps add up: 4e-7 of the largest element was measured.
# A gradient that is off by 1 % moves every parameter by more than forty times what is allowed here.
TOLERANCE = 1e-5


def example():
    """Parameters and a batch. No input of a relu is within 5e-5 of 0, where rounding would choose the gradient: the seed is such a one."""
    random = np.random.default_rng(25)
    params = {"w1": random.normal(0, IN ** -0.5, (IN, HIDDEN)), "b1": random.normal(0, 0.1, HIDDEN),
              "w2": random.normal(0, HIDDEN ** -0.5, (HIDDEN, OUT)), "b2": random.normal(0, 0.1, OUT)}
    params = {name: value.astype(np.float32) for name, value in params.items()}
    return params, random.normal(0, 1, (BATCH, IN)).astype(np.float32), random.integers(0, OUT, BATCH).astype(np.int32)


def assert_close(got, wanted):
    """Within TOLERANCE of the largest element: small ones are differences of large ones."""
    wanted = np.asarray(wanted, np.float64)
    np.testing.assert_allclose(np.asarray(got, np.float64), wanted, rtol=0, atol=TOLERANCE * np.abs(wanted).max())


class Exact:
    """The same in f64."""

    def __init__(self, params):
        self.params = {name: value.astype(np.float64) for name, value in params.items()}
        self.nearest = np.inf  # an input of a relu to 0

    def hidden(self, x):
        inputs = x.astype(np.float64) @ self.params["w1"] + self.params["b1"]
        self.nearest = min(self.nearest, np.abs(inputs).min())
        return np.maximum(inputs, 0)

    def forward(self, x):
        return self.hidden(x) @ self.params["w2"] + self.params["b2"]

    def step(self, x, labels):
        hidden, rows = self.hidden(x), np.arange(BATCH)
        scores = hidden @ self.params["w2"] + self.params["b2"]
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
        loss = -np.log(likely[rows, labels]).mean()
        likely[rows, labels] -= 1
        back = likely / BATCH
        through = (back @ self.params["w2"].T) * (hidden > 0)
        gradients = {"w1": x.astype(np.float64).T @ through, "b1": through.sum(axis=0), "w2": hidden.T @ back, "b2": back.sum(axis=0)}
        for name, gradient in gradients.items():
            self.params[name] = self.params[name] - RATE * gradient
        return loss


class OnDevice:
    """The pack on a device."""

    def __init__(self, device, params, pack=PACK):
        self.pack = pack
        program = device.load(pintle.open_pack(pack))
        self._forward, self._step = program["forward"], program["step"]
        self.queue = device.queue()
        self.model = pintle.HandleSet([pintle.Handle(device, name, params[name].shape) for name in NAMES])
        for name in NAMES:
            self.model[name].write(self.queue, params[name])
        self._out, self._loss = device.empty((BATCH, OUT)), device.empty(1)
        self._device = device

    def _views(self):
        return [self.model[name].view() for name in NAMES]

    def forward(self, x):
        self.queue.launch(self._forward, *self._views(), self._device.buffer(x), self._out, groups=1).wait(60)
        return self._out.numpy()

    def steps(self, x, labels, count=STEPS):
        """The parameters are updated in place, and only the losses come back."""
        losses, x, labels = [], self._device.buffer(x), self._device.buffer(labels)
        for _ in range(count):
            self.queue.launch(self._step, *self._views(), x, labels, RATE, self._loss, groups=1)
            losses.append(float(self._loss.numpy()[0]))
        return losses

    def params(self):
        return {name: self.model[name].view().numpy() for name in NAMES}
