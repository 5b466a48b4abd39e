"""tinygrad's device PINTLE."""

from __future__ import annotations

from dataclasses import replace

from pintle_tinygrad import listing
from pintle_tinygrad.graphs import PintleGraph
from pintle_tinygrad.memory import PintleAllocator, SharedAllocator
from pintle_tinygrad.places import open_place, translated
from pintle_tinygrad.programs import PintleProgram
from pintle_tinygrad.renderers import BY_LANGUAGE
from pintle_tinygrad.times import Times
from tinygrad.device import Compiled
from tinygrad.helpers import Target
from tinygrad.schedule import rangeify

# Buffers of a kernel: more than that tinygrad splits. Pintle takes 256 parameters, and devices fewer buffers.
_MOST_BUFFERS = 31


class PintleDevice(Compiled):
    """One of Pintle's devices: the one that the setting has at this index."""

    def __init__(self, device: str) -> None:
        self.place = open_place(listing.id_of(device))
        rangeify.DEVICE_MAX_BUFS.setdefault("PINTLE", _MOST_BUFFERS)
        allocator = SharedAllocator if self.place.is_shared else PintleAllocator
        super().__init__(device, allocator(self), [BY_LANGUAGE[self.place.language]], PintleProgram, PintleGraph, arch=self.place.arch)
        self.times = Times(self)

    def count(self) -> int:
        return len(listing.ids())

    def _select_renderer(self):
        """As tinygrad does it, for a target that names this device: searches for fast kernels open the device that the target names."""
        chosen = super()._select_renderer()
        return chosen if chosen.target.device == self.device else self._named(type(chosen), chosen.target)

    def _named(self, kind: type, target: Target):
        key = kind, replace(target, device=self.device)
        if key not in self.cached_renderer:
            self.cached_renderer[key] = kind(key[1])
        return self.cached_renderer[key]

    def synchronize(self) -> None:
        with translated(f"waiting for {self.device}"):
            self.place.synchronize()
            self.times.collect()

    def _at_profile_finalize(self) -> None:
        self.times.collect()

    def finalize(self) -> None:
        """At the process's end: work in flight ends first. What has failed was raised where it was waited for."""
        self.place.drain()
