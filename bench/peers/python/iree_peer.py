"""IREE's runtime for Python on the device KIND: transfers alone. IREE's own tools run its kernels, see ../iree.py."""

import importlib.metadata

import iree.runtime
import numpy as np
from peer import Peer


class IreePeer(Peer):
    transfers_only = True

    def __init__(self, kind):
        super().__init__()
        self.device = iree.runtime.get_device(kind)
        version = importlib.metadata.version("iree-base-runtime")
        self.about = f"iree {version} {kind}; transfers from Python"

    def prepare_counter(self):
        pass

    def prepare_transfer(self):
        self.far = None

    def upload(self):
        self.far = iree.runtime.asdevicearray(self.device, self.sent, implicit_host_transfer=False)

    def download(self):
        np.copyto(self.received, np.asarray(self.far.to_host()))

    def not_here(self, *_words):
        raise NotImplementedError("IREE's tools run its kernels")

    add_saxpy = saxpy = y = launch = chain = counter = not_here


def create(kind):
    return IreePeer(kind)
