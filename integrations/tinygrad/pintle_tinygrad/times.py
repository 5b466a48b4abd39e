"""How long kernels take, by the device's own clock, for tinygrad's searches and its profiler."""

from __future__ import annotations

import struct
from decimal import Decimal
from time import perf_counter_ns
from typing import TYPE_CHECKING

import pintle
from tinygrad.device import Compiled, ProfileDeviceEvent, ProfileGraphEntry, ProfileGraphEvent
from tinygrad.helpers import PROFILE, ProfileRangeEvent

if TYPE_CHECKING:
    from pintle_tinygrad.device import PintleDevice
    from pintle_tinygrad.programs import PintleProgram


class Stamps:
    """Places for a number of timestamps on a device."""

    def __init__(self, device: pintle.Device, count: int) -> None:
        self.count = count
        self.buffer = device.empty(count, "u64", placement="host")

    def at(self, index: int) -> pintle.Command:
        return pintle.timestamp(self.buffer[index:index + 1])

    def read(self, place) -> tuple[int, ...]:
        """The ticks, when everything submitted so far is done."""
        host = bytearray(8 * self.count)
        place.submit(pintle.download(host, self.buffer.view(dtype="u8"))).wait()
        return struct.unpack(f"={self.count}Q", host)


class Times:
    """The clock of a device, and the events of the profiler that wait for it."""

    def __init__(self, dev: PintleDevice) -> None:
        self.dev, self.place = dev, dev.place
        self.has_clock = bool(self.place.device.supports("timestamp"))
        self.pair = Stamps(self.place.device, 2) if self.has_clock else None
        self.open: list[tuple[PintleProgram, Stamps]] = []
        self.is_on = bool(PROFILE) and self.has_clock
        if PROFILE:
            Compiled.profile_events.append(ProfileDeviceEvent(dev.device, self.difference() if self.has_clock else Decimal(0)))

    def microseconds(self, ticks: int) -> Decimal:
        return Decimal(ticks) * Decimal(self.place.device.info.nanoseconds_per_tick) / 1000

    def difference(self) -> Decimal:
        """What the host's clock is ahead of the device's, in microseconds."""
        before = perf_counter_ns()
        self.place.submit(self.pair.at(0), self.pair.at(1)).wait()
        after = perf_counter_ns()
        return Decimal(before + after) / 2000 - self.microseconds(self.pair.read(self.place)[0])

    def run(self, program: PintleProgram, command: pintle.Command, is_waited: bool) -> float | None:
        """Submits a kernel between two timestamps; answers the seconds where the caller waits for them."""
        if self.pair is None:
            return self.waited(self.place.submit(command))
        pair = Stamps(self.place.device, 2) if self.is_on else self.pair
        self.place.submit(pair.at(0), command, pair.at(1))
        if self.is_on:
            self.open.append((program, pair))
        if not is_waited:
            return None
        start, end = pair.read(self.place)
        return (end - start) * self.place.device.info.nanoseconds_per_tick * 1e-9

    def waited(self, done: pintle.Point) -> float:
        """The seconds until a point, by the host's clock: the device has none."""
        start = perf_counter_ns()
        done.wait()
        return (perf_counter_ns() - start) * 1e-9

    def collect(self) -> None:
        """Hands the times of what has run to the profiler."""
        waiting, self.open = self.open, []
        for program, pair in waiting:
            start, end = (self.microseconds(ticks) for ticks in pair.read(self.place))
            Compiled.profile_events.append(ProfileRangeEvent(self.dev.device, program.name, start, end, program.profile_key))

    def graph(self, programs: list[PintleProgram], ticks: tuple[int, ...]) -> None:
        """The times of a graph, whose kernels ran one behind another between these ticks."""
        entries = [ProfileGraphEntry(self.dev.device, each.name, i, i + 1, each.profile_key) for i, each in enumerate(programs)]
        Compiled.profile_events.append(ProfileGraphEvent(entries, [], [self.microseconds(each) for each in ticks]))
