"""The two models that are measured, each as a function that begins one step on a device of tinygrad's and answers its result, a tensor."""

import numpy as np
from tinygrad import Tensor, TinyJit, Variable


def weights(device, *shapes):
    """The same numbers on each device."""
    random = np.random.default_rng(1)
    return [Tensor(random.standard_normal(shape, np.float32) * np.float32(0.05), device=device).realize() for shape in shapes]


def mlp(device, sizes=(784, 512, 10)):
    """Two layers at batch 1."""
    first, second, x = weights(device, (sizes[0], sizes[1]), (sizes[1], sizes[2]), (1, sizes[0]))

    @TinyJit
    def step(x):
        return ((x @ first).relu() @ second).realize()

    return lambda: step(x)


def block(device, width=256, heads=4, positions=128):
    """A transformer's block that decodes one token; its position is a symbolic size."""
    side = width // heads
    shapes = [(width, width)] * 4 + [(width, 4 * width), (4 * width, width), (1, width)]
    wq, wk, wv, wo, up, down, x = weights(device, *shapes)
    keys, values = (Tensor(np.zeros((positions, heads, side), np.float32), device=device).contiguous().realize() for _ in range(2))

    @TinyJit
    def step(x, at):
        normal = x.layernorm()
        q, k, v = ((normal @ w).reshape(1, heads, side) for w in (wq, wk, wv))
        keys[at:at + 1].assign(k).realize()
        values[at:at + 1].assign(v).realize()
        scores = q.transpose(0, 1) @ keys[:at + 1].permute(1, 2, 0) / side ** 0.5
        seen = (scores.softmax(-1) @ values[:at + 1].transpose(0, 1)).transpose(0, 1).reshape(1, width)
        x = x + seen @ wo
        return (x + (x.layernorm() @ up).gelu() @ down).realize()

    position = [0]

    def decode():
        position[0] = position[0] % (positions - 2) + 1
        return step(x, Variable("at", 0, positions - 1).bind(position[0]))

    return decode


MODELS = {"an MLP of two layers at batch 1": mlp, "a transformer's block, one token": block}
