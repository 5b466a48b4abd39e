"""numpy: what Python costs with no device library. saxpy is a multiplication, then an addition."""

import numpy as np
from peer import Peer
from values import CHAIN_LENGTH, FACTOR, TRANSFER_FLOATS, make_x, make_y


class NumpyPeer(Peer):
    about = f"numpy {np.__version__}, one thread"

    def add_saxpy(self, name, elements):
        self.keep(name, (make_x(elements), make_y(elements), np.empty(elements, np.float32), np.float32(FACTOR)))

    def saxpy(self, name):
        x, y, product, factor = self.sizes[name]
        np.multiply(x, factor, out=product)
        np.add(y, product, out=y)

    def y(self, name):
        return self.sizes[name][1]

    def prepare_counter(self):
        self.value, self.one = np.zeros(1, np.float32), np.float32(1)

    def launch(self):
        np.add(self.value, self.one, out=self.value)

    def chain(self):
        add, value, one = np.add, self.value, self.one
        for _ in range(CHAIN_LENGTH):
            add(value, one, out=value)

    def counter(self):
        return self.value

    def prepare_transfer(self):
        self.far = np.zeros(TRANSFER_FLOATS, np.float32)

    def upload(self):
        np.copyto(self.far, self.sent)

    def download(self):
        np.copyto(self.received, self.far)


def create(_kind):
    return NumpyPeer()
