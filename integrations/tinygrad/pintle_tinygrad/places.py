"""The devices of Pintle that are open. Several of tinygrad's may stand for one: they share its queue, so their work has one order."""

from __future__ import annotations

import functools
from contextlib import suppress

import pintle
from pintle_tinygrad import arches
from tinygrad.device import CompileError


class Refused(CompileError, RuntimeError):
    """A kernel that a device cannot take. tinygrad's search for fast kernels goes on after a RuntimeError."""


class Failed(RuntimeError):
    """What Pintle has refused, as tinygrad expects it."""


def _as_tinygrads(error: pintle.Error, doing: str) -> Exception:
    """Memory that has run out stays a MemoryError, which tinygrad answers by emptying its cache."""
    if isinstance(error, pintle.OutOfMemory):
        return error
    kind = Refused if isinstance(error, (pintle.BuildFailed, pintle.Unsupported)) else Failed
    return kind(f"{doing}: {error}")


class translated:
    """Pintle's errors as tinygrad's, with what was under way."""

    __slots__ = ("doing",)

    def __init__(self, doing: str) -> None:
        self.doing = doing

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, pintle.Error):
            found = _as_tinygrads(error, self.doing)
            if found is not error:
                raise found from error


class Place:
    """An open device with its queue."""

    def __init__(self, device: pintle.Device) -> None:
        self.device = device
        self.queue = device.queue(label="tinygrad")
        self.after: list[pintle.Point] = []  # what the next submission waits for: transfers that read this device's memory
        self.language, self.arch = arches.of(device)
        self.is_shared = self.language == "c"  # the cpu's memory is the host's

    def accepted(self) -> None:
        """A submission waits for `after`, so the next one need not. Called behind the submission: one that is refused leaves it to the next one."""
        if self.after:
            self.after = []

    def submit(self, *commands: pintle.Command) -> pintle.Point:
        done = self.queue.submit(*commands, after=self.after)
        self.accepted()
        return done

    def synchronize(self) -> None:
        """Waits for all work, also for what other devices read here: then the host may write this device's memory."""
        pintle.wait_all([*self.after, self.queue.last()])

    def drain(self) -> None:
        """As synchronize, for the end of the process: a failure has been raised where somebody waited for it."""
        with suppress(pintle.Error):
            self.synchronize()

    def __repr__(self) -> str:
        return f"<place {self.device.id}>"


_places: dict[str, Place] = {}


@functools.cache
def open_place(id: str) -> Place:
    """The place of an id; "best" and the id that it stands for are one."""
    with translated(f"opening {id}"):
        device = pintle.open(id, arches.taken()) if id == "best" else pintle.open(id)
        found = _places.get(device.id)
        if found is None:
            found = _places[device.id] = Place(device)
        else:
            device.close()
        return found
