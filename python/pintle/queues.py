"""Queues: commands in, points out."""

from __future__ import annotations

from ctypes import byref


from pintle import _c, _native
from pintle._call import call, encoded, one_of, struct
from pintle.buffers import Buffer, made
from pintle.points import Signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pintle.devices import Device
    from pintle.pools import Pool

_KINDS = {"compute": _c.PINTLE_QUEUE_COMPUTE, "copy": _c.PINTLE_QUEUE_COPY}


class Queue(_native.Queue):
    """Runs submissions in order, each after the one before. Once a submission has failed, later ones raise its cause: make a new queue. Any thread
    may use it; threads take turns. Device.queue makes one."""

    if TYPE_CHECKING:
        @property
        def device(self) -> Device: ...

    def fork(self, buffer: Buffer, label: str | None = None) -> Buffer:
        """A buffer with the bytes that `buffer` has after everything submitted to this queue so far, by a copy that is submitted now. Whatever
        uses the new buffer comes after the copy, on any queue."""
        handle = self.fork_handle(buffer, label)
        fork = made(self.device, handle)
        fork.used(self.last())
        return fork

    def allocate(self, pool: Pool, shape: int | Sequence[int], dtype: object = "f32", *, label: str | None = None) -> Buffer:
        """A buffer of a pool, with undefined contents unless the pool scrubs, for work that is submitted to this queue from now on; other queues wait
        for its last point before they use it. Where the pool has nothing, it waits for memory that work in flight still uses, for as long as its
        patience says, and Ctrl-C waits for that. pintle.OutOfMemory has all figures and the largest holders, and poisons nothing;
        pintle.InvalidArgument for a pool of another device."""
        from pintle import pools
        return pools.allocate(self, pool, shape, dtype, label)

    def __repr__(self) -> str:
        return f"<pintle.Queue of {self.device.id}{' closed' if self.closed else f' at {self.signal.value}'}>"


def create(device: Device, kind: str, label: str | None, owner: Device | None) -> Queue:
    """A queue of the device. It keeps `owner` open."""
    options = struct(_c.pintle_queue_options, kind=one_of(kind, _KINDS, "kind of queue"), label=encoded(label))
    queue, timeline = _c.pintle_queue(), _c.pintle_signal()
    call("pintle_queue_create", _c.pintle_device(device.handle), byref(options), byref(queue))
    try:
        call("pintle_queue_timeline", queue, byref(timeline))
        signal = Signal._timeline(timeline.id, owner)
    except BaseException:
        call("pintle_queue_release", queue)
        raise
    return Queue(queue.id, owner, signal)
