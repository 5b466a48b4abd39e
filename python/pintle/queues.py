"""Queues: commands in, points out."""

from __future__ import annotations

from ctypes import byref


from pintle import _c, _native, errors
from pintle._call import call, encoded, struct
from pintle.buffers import Buffer, made
from pintle.points import Signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pintle.devices import Device

_KINDS = {"compute": _c.PINTLE_QUEUE_COMPUTE, "copy": _c.PINTLE_QUEUE_COPY}


class Queue(_native.Queue):
    """Runs submissions in order, each after the one before. Once a submission has failed, later ones raise its cause: make a new queue. Any thread
    may use it; threads take turns. Device.queue makes one."""

    if TYPE_CHECKING:
        @property
        def device(self) -> Device: ...

    def fork(self, buffer: Buffer, label: str | None = None) -> Buffer:
        """A buffer with the bytes that `buffer` has after everything submitted to this queue so far. They are copied only when one of the two is
        written. Submits a copy now where the buffer's memory is known outside (mapped, wrapped, recorded)."""
        handle = self.fork_handle(buffer, label)
        fork = made(self.device, handle)
        fork.used(self.last())
        return fork

    def __repr__(self) -> str:
        return f"<pintle.Queue of {self.device.id}{' closed' if self.closed else f' at {self.signal.value}'}>"


def create(device: Device, kind: str, label: str | None, owner: Device | None) -> Queue:
    """A queue of the device. It keeps `owner` open."""
    if kind not in _KINDS:
        raise errors.InvalidArgument(f"The kind of queue ({kind!r:.40}) is none of: {', '.join(_KINDS)}.")
    options = struct(_c.pintle_queue_options, kind=_KINDS[kind], label=encoded(label))
    queue, timeline = _c.pintle_queue(), _c.pintle_signal()
    call("pintle_queue_create", _c.pintle_device(device.handle), byref(options), byref(queue))
    try:
        call("pintle_queue_timeline", queue, byref(timeline))
        signal = Signal._timeline(timeline.id, owner)
    except BaseException:
        call("pintle_queue_release", queue)
        raise
    return Queue(queue.id, owner, signal)
