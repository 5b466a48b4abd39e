"""Queues: commands in, points out."""

from __future__ import annotations

from ctypes import byref

from pintle import _c, _native, errors
from pintle._call import call, encoded, one_of, struct
from pintle.buffers import ACCESSES, Buffer, View, made as buffer_made, view_of
from pintle.points import Point, Signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pintle.devices import Device
    from pintle.natives import NativeQueue
    from pintle.pools import Pool

_KINDS = {"compute": _c.PINTLE_QUEUE_COMPUTE, "copy": _c.PINTLE_QUEUE_COPY}


class Queue(_native.Queue):
    """Runs submissions in order, each after the one before. Once a submission has failed, later ones raise its cause: make a new queue. Any thread
    may use it; threads take turns. Device.queue makes one, and Device.wrap_queue."""

    @property
    def native(self) -> NativeQueue:
        """What lies behind the queue: a CudaQueue, a HipQueue, an OpenClQueue or a VulkanQueue. It belongs to the queue, and is valid while that
        lives; points order the caller's own work with Pintle's. pintle.Unsupported on another backend."""
        from pintle import natives
        return natives.queue_of(self)

    def fork(self, buffer: Buffer, label: str | None = None) -> Buffer:
        """A buffer with the bytes that `buffer` has after everything submitted to this queue so far, by a copy that is submitted now. Whatever
        uses the new buffer comes after the copy, on any queue."""
        handle = self.fork_handle(buffer, label)
        fork = buffer_made(self.device, handle)
        fork.used(self.last())
        return fork

    def call(self, function: Callable[[], object], *, label: str | None = None) -> Point:
        """Calls a function behind everything submitted to this queue so far, and before everything submitted next; answers the point of its end. It
        runs on the thread of Point.then, so it must not wait for this queue or for another call. An exception of it, or a failure of what was
        before, fails the point, and with it the queue: pintle.Cancelled has the exception's words."""
        if not callable(function):
            raise TypeError(f"call() takes a function, not a {type(function).__name__}.")
        ended = Signal(label="the end of a call" if label is None else label)
        with _native.turn(self):
            before = self.last()
            done = self.submit(after=[ended.point(1)], label=label)
        try:
            before.then(_caller(function, ended))
        except BaseException:
            ended.fail("The function was never called.")
            raise
        return done

    def check(self, memory: Buffer | View, access: str = "read_write") -> None:
        """Raises what a submission would raise that uses the buffer or view with this access ("read", "write" or "read_write"):
        pintle.InvalidArgument for one that is sealed or of another device, pintle.Stale for one that was closed, and the cause where the queue has
        failed. Submits nothing."""
        number = one_of(access, ACCESSES, "access")
        buffer, view = view_of(memory, "What check() takes")
        with _native.turn(self, buffer):
            call("pintle_queue_check", _c.pintle_queue(self.handle), byref(view), number)

    def allocate(self, pool: Pool, shape: int | Sequence[int], dtype: object = "f32", *, label: str | None = None) -> Buffer:
        """A buffer of a pool, with undefined contents unless the pool scrubs, for work that is submitted to this queue from now on; other queues wait
        for its last point before they use it. Where the pool has nothing, it waits for memory that work in flight still uses, for as long as its
        patience says; Ctrl-C interrupts it. pintle.OutOfMemory has all figures and the largest holders, and poisons nothing;
        pintle.InvalidArgument for a pool of another device."""
        from pintle import pools
        return pools.allocate(self, pool, shape, dtype, label)

    def __repr__(self) -> str:
        return f"<pintle.Queue of {self.device.id}{' closed' if self.closed else f' at {self.signal.value}'}>"


def _caller(function: Callable[[], object], ended: Signal) -> Callable[[errors.Error | None], None]:
    """What runs the function of Queue.call when everything before it is done."""

    def run(failure: errors.Error | None) -> None:
        if failure is not None:
            ended.fail(failure.message, type(failure))
            return
        try:
            function()
        except BaseException as error:  # noqa: BLE001  # the point has it
            ended.fail(f"The function raises ({type(error).__name__}: {error}).".replace("\0", " "))
        else:
            ended.set(1)

    return run


def options_of(kind: str, label: str | None) -> _c.pintle_queue_options:
    return struct(_c.pintle_queue_options, kind=one_of(kind, _KINDS, "kind of queue"), label=encoded(label))


def made(queue: _c.pintle_queue, owner: Device | None) -> Queue:
    """The object of a handle, which it owns from now on. It keeps `owner` open."""
    timeline = _c.pintle_signal()
    try:
        call("pintle_queue_timeline", queue, byref(timeline))
        signal = Signal._timeline(timeline.id, owner)
    except BaseException:
        call("pintle_queue_release", queue)
        raise
    return Queue(queue.id, owner, signal)


def create(device: Device, kind: str, label: str | None, owner: Device | None) -> Queue:
    """A queue of the device. It keeps `owner` open."""
    options, queue = options_of(kind, label), _c.pintle_queue()
    call("pintle_queue_create", _c.pintle_device(device.handle), byref(options), byref(queue))
    return made(queue, owner)
