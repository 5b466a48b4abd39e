"""Kernels: a rendered text as a program of Pintle, loaded for the groups that tinygrad launches it with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pintle
from pintle_tinygrad import arches, entries
from pintle_tinygrad.memory import Memory
from pintle_tinygrad.places import translated
from pintle_tinygrad.renderers import ANYWHERE
from tinygrad.device import Program, TinyELF

if TYPE_CHECKING:
    from pintle_tinygrad.device import PintleDevice

Sides = tuple[int, ...]


def whole(sides: tuple[int | float, ...], name: str) -> Sides:
    """tinygrad tries groups that do not divide the work; Pintle has whole groups only."""
    if any(side != int(side) for side in sides):
        raise RuntimeError(f"The number of groups {tuple(sides)} of [{name}] is no whole number.")
    return tuple(int(side) for side in sides)


class PintleProgram(Program["PintleDevice"]):
    """A text and, by the size of their groups, its kernels. Pintle keeps what it has compiled in its cache."""

    def __init__(self, dev: PintleDevice, obj: TinyELF) -> None:
        self.dev, self.place, self.name, self.profile_key = dev, dev.place, obj.name, obj.profile_key
        self.text = obj.lib.decode()
        self.format, self.entry = entries.read_header(self.text)
        self.kernels: dict[tuple[Sides, bool], pintle.Kernel] = {}
        self.order = self._order(obj.signature)
        self.kernel((1, 1, 1), False)  # what does not compile is refused here

    @staticmethod
    def _order(signature) -> list[tuple[bool, int]]:
        """For each parameter in the order of the text: whether it is a variable, and which of the buffers or variables."""
        buffers = sorted({slot for _, slot, _, shape in signature if shape != ()})
        scalars = sorted({slot for _, slot, _, shape in signature if shape == ()})
        return [(shape == (), scalars.index(slot) if shape == () else buffers.index(slot))
                for name, slot, _, shape in signature if name != "core_id"]

    def kernel(self, group: Sides, is_anywhere: bool) -> pintle.Kernel:
        """The kernel for groups of this size, and for views that begin where vectors do not."""
        found = self.kernels.get((group, is_anywhere))
        if found is None:
            with translated(f"{self.name} on {self.dev.device} ({self.place.device.id})"):
                pack = pintle.source(self.text, self.format, [f"{self.entry} group {','.join(map(str, group))}"], self.name)
                include = arches.cuda_headers() if "#include <cuda_" in self.text else []
                program = self.place.device.load(pack, macros={ANYWHERE: 1} if is_anywhere else {}, include=include)
                found = self.kernels[group, is_anywhere] = program[self.name]
        return found

    def launch_of(self, global_size, local_size, is_anywhere: bool = False) -> tuple[pintle.Kernel, Sides]:
        """The kernel and its number of groups. C reads vectors anywhere, and its groups have one item."""
        groups = whole(global_size, self.name)
        if self.format == "c":
            return self.kernel((1, 1, 1), False), groups
        return self.kernel((1, 1, 1) if local_size is None else whole(local_size, self.name), is_anywhere), groups

    def arguments(self, bufs: Sequence[Memory], vals: Sequence[object]) -> list[object]:
        """What the kernel takes."""
        if self.format == "c":
            return [vals[i] if is_variable else bufs[i].argument for is_variable, i in self.order]
        taken = [vals[i] if is_variable else bufs[i].base for is_variable, i in self.order]
        return taken + [bufs[i].rest for is_variable, i in self.order if not is_variable]

    def __call__(self, *bufs: Memory, global_size=(1, 1, 1), local_size=None, vals=(), wait=False, timeout=None) -> float | None:
        with translated(f"{self.name} on {self.dev.device}"):
            kernel, groups = self.launch_of(global_size, local_size, any(each.is_anywhere for each in bufs))
            arguments = self.arguments(bufs, vals)
            if wait or self.dev.times.is_on:
                return self.dev.times.run(self, kernel.command(*arguments, groups=groups), wait)
            self.place.queue.launch(kernel, *arguments, groups=groups, after=self.place.after)
            self.place.accepted()
        return None
