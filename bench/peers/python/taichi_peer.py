"""Taichi on the device KIND, cpu or vulkan: ti.sync() after each call. The chain is a compiled graph of a hundred dispatches."""

import numpy as np
import taichi
from peer import Peer
from values import CHAIN_LENGTH, FACTOR, TRANSFER_FLOATS, make_x, make_y

VECTOR = taichi.types.ndarray(dtype=taichi.f32, ndim=1)
ARCHITECTURES = {"cpu": "x64"}  # what Taichi calls them once it runs


@taichi.kernel
def add_one(y: VECTOR):
    for i in y:
        y[i] += 1.0


@taichi.kernel
def run_saxpy(a: taichi.f32, x: VECTOR, y: VECTOR):
    for i in y:
        y[i] = a * x[i] + y[i]


def array_of(values):
    made = taichi.ndarray(taichi.f32, values.shape)
    made.from_numpy(values)
    return made


class TaichiPeer(Peer):
    def __init__(self, kind):
        super().__init__()
        taichi.init(arch=getattr(taichi, kind), log_level=taichi.ERROR, offline_cache=True)
        self.about = f"taichi {'.'.join(map(str, taichi.__version__))} {taichi.cfg.arch}"
        if str(taichi.cfg.arch).rsplit(".", maxsplit=1)[-1] != ARCHITECTURES.get(kind, kind):
            raise ValueError(f"taichi fell back to {taichi.cfg.arch}")

    def add_saxpy(self, name, elements):
        self.keep(name, (array_of(make_x(elements)), array_of(make_y(elements))))

    def saxpy(self, name):
        run_saxpy(FACTOR, *self.sizes[name])
        taichi.sync()

    def y(self, name):
        return self.sizes[name][1].to_numpy()

    def prepare_counter(self):
        self.value = array_of(np.zeros(1, np.float32))
        builder = taichi.graph.GraphBuilder()
        argument = taichi.graph.Arg(taichi.graph.ArgKind.NDARRAY, "y", taichi.f32, ndim=1)
        for _ in range(CHAIN_LENGTH):
            builder.dispatch(add_one, argument)
        self.hundred = builder.compile()

    def launch(self):
        add_one(self.value)
        taichi.sync()

    def chain(self):
        self.hundred.run({"y": self.value})
        taichi.sync()

    def counter(self):
        return self.value.to_numpy()

    def prepare_transfer(self):
        self.far = array_of(np.zeros(TRANSFER_FLOATS, np.float32))

    def upload(self):
        self.far.from_numpy(self.sent)
        taichi.sync()

    def download(self):
        self.received = self.far.to_numpy()

    def empty(self):
        taichi.sync()


def create(kind):
    return TaichiPeer(kind)
