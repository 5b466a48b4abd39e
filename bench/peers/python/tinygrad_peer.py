"""tinygrad on the device KIND, CPU or CL: TinyJit and Device.synchronize()."""

import importlib.metadata
import os

from peer import Peer
from values import CHAIN_LENGTH, FACTOR, TRANSFER_FLOATS, make_x

CAPTURING_CALLS = 3  # TinyJit captures in the second call and replays from the third on


class TinygradPeer(Peer):
    def __init__(self, device):
        super().__init__()
        os.environ["DEV"] = device  # tinygrad reads it when it is imported
        from tinygrad import Device, Tensor, TinyJit
        self.tensor, self.jit, self.device = Tensor, TinyJit, Device[Device.DEFAULT]
        version = importlib.metadata.version("tinygrad")
        self.about = f"tinygrad {version} {Device.DEFAULT} {type(self.device.renderer).__name__}"

    def add_saxpy(self, name, elements):
        x = self.tensor(make_x(elements)).contiguous().realize()
        y = self.tensor.ones(elements).contiguous().realize()
        self.keep(name, (self.jit(lambda: y.assign(FACTOR * x + y).realize()), y))

    def saxpy(self, name):
        self.sizes[name][0]()
        self.device.synchronize()

    def y(self, name):
        return self.sizes[name][1].numpy()

    def prepare_counter(self):
        self.value = self.tensor.zeros(1).contiguous().realize()
        self.one = self.jit(lambda: self.value.assign(self.value + 1).realize())
        self.hundred = self.jit(self.add_hundred)
        for _ in range(CAPTURING_CALLS):
            self.launch()
            self.chain()
            self.launches += 1 + CHAIN_LENGTH
        self.about += f", chain of {len(self.hundred.captured._linear.src)} kernels"

    def add_hundred(self):
        value = self.value
        for _ in range(CHAIN_LENGTH - 1):
            value = (value + 1).contiguous()
        return self.value.assign(value + 1).realize()

    def warm_up(self):
        for name in self.sizes:
            for _ in range(CAPTURING_CALLS):
                self.saxpy(name)
                self.saxpys[name] += 1

    def launch(self):
        self.one()
        self.device.synchronize()

    def chain(self):
        self.hundred()
        self.device.synchronize()

    def counter(self):
        return self.value.numpy()

    def prepare_transfer(self):
        self.far = self.tensor.zeros(TRANSFER_FLOATS).contiguous().realize().uop.base.realized

    def upload(self):
        self.far.allocator._copyin(self.far._buf, memoryview(self.sent).cast("B"))
        self.device.synchronize()

    def download(self):
        self.device.synchronize()
        self.far.allocator._copyout(memoryview(self.received).cast("B"), self.far._buf)
        self.device.synchronize()

    def empty(self):
        self.device.synchronize()


def create(kind):
    return TinygradPeer(kind)
