"""What a Python peer can do. Every call is complete when it returns."""

from abc import ABC, abstractmethod

import numpy as np
from values import TRANSFER_FLOATS, make_x


class Peer(ABC):
    """The constructor opens the device. `saxpys` and `launches` count what the peer itself calls before it is measured."""

    about = ""  # the library's version and the device
    transfers_only = False  # whether other programs run the kernels

    def __init__(self):
        self.sizes = {}  # what add_saxpy keeps, by name
        self.launches = 0
        self.saxpys = {}
        self.sent = self.received = None

    def keep(self, name, values):
        """Keeps what belongs to the saxpy `name`."""
        self.sizes[name] = values
        self.saxpys.setdefault(name, 0)

    @abstractmethod
    def add_saxpy(self, name, elements):
        """Makes x and y of so many elements on the device."""

    @abstractmethod
    def saxpy(self, name):
        """y = FACTOR * x + y of the pair `name`."""

    @abstractmethod
    def y(self, name):
        """The values of y."""

    def prepare(self):
        """Makes what a cold start does not need."""
        self.sent = make_x(TRANSFER_FLOATS)
        self.received = self.empty_received()
        self.prepare_counter()
        self.prepare_transfer()

    @staticmethod
    def empty_received():
        return np.full(TRANSFER_FLOATS, -1, np.float32)

    @abstractmethod
    def prepare_counter(self):
        """Makes the counter, which is 0, and what adds 1 to it."""

    def warm_up(self):
        """Calls the saxpys that were added as often as the library needs to compile them, and counts the calls."""

    @abstractmethod
    def launch(self):
        """One kernel that adds 1 to the counter."""

    @abstractmethod
    def chain(self):
        """A hundred such kernels, each after the one before."""

    @abstractmethod
    def counter(self):
        """The value of the counter."""

    @abstractmethod
    def prepare_transfer(self):
        """Makes the memory of the transfers."""

    @abstractmethod
    def upload(self):
        """Copies `sent` to the device."""

    @abstractmethod
    def download(self):
        """Copies the device's bytes to `received`, or makes `received` of them."""

    def empty(self):
        """A call into the library that does nothing."""
