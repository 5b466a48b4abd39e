"""PyTorch on the CPU: eager calls, which return when they are done. The chain is TorchScript of a hundred add_."""

import torch
from peer import Peer
from values import CHAIN_LENGTH, FACTOR, TRANSFER_FLOATS, make_x

CAPTURING_CALLS = 3  # TorchScript profiles and optimises in the first calls


def add_hundred(value: torch.Tensor):
    for _ in range(100):  # TorchScript takes no number from outside
        value.add_(1.0)
    return value


class TorchPeer(Peer):
    def __init__(self):
        super().__init__()
        torch.set_num_threads(2)
        torch.set_grad_enabled(False)
        self.about = f"torch {torch.__version__} CPU, {torch.get_num_threads()} threads"

    def add_saxpy(self, name, elements):
        self.keep(name, (torch.from_numpy(make_x(elements)).clone(), torch.ones(elements)))

    def saxpy(self, name):
        x, y = self.sizes[name]
        y.add_(x, alpha=FACTOR)

    def y(self, name):
        return self.sizes[name][1].numpy()

    def prepare_counter(self):
        self.value = torch.zeros(1)
        self.hundred = torch.jit.script(add_hundred)
        for _ in range(CAPTURING_CALLS):
            self.chain()
            self.launches += CHAIN_LENGTH

    def launch(self):
        self.value.add_(1.0)

    def chain(self):
        self.hundred(self.value)

    def counter(self):
        return self.value.numpy()

    def prepare_transfer(self):
        self.far = torch.empty(TRANSFER_FLOATS)

    def upload(self):
        self.far.copy_(torch.from_numpy(self.sent))

    def download(self):
        torch.from_numpy(self.received).copy_(self.far)

    def empty(self):
        self.value.dim()


def create(_kind):
    return TorchPeer()
