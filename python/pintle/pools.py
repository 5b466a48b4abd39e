"""Pools: device memory that is reused in the order of queues."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_size_t, c_uint64
from math import prod
from time import monotonic_ns

from pintle import _c, _native, errors
from pintle._call import SLICE, call, decoded, encoded, expect, one_of, struct, u64
from pintle._records import NamedTuple
from pintle.buffers import Buffer
from pintle.dtypes import dtype_of
from pintle.hosts import shape_of
from pintle.listing import words
from pintle.packs import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pintle.devices import Device
    from pintle.queues import Queue

KIND = 9  # of the handle
_SCRUBS = words("PINTLE_SCRUB_")
_PLACEMENTS = words("PINTLE_PLACEMENT_")


class PoolStatistics(NamedTuple):
    """Bytes and counts of a pool since it was made."""

    in_use: int  # bytes of buffers that are alive, rounded up to size classes
    held: int  # bytes taken from the device
    high_water: int  # the most bytes that were in use
    high_held: int  # the most bytes that were held
    waiting: int  # bytes given back whose last uses may be unfinished
    free: int  # bytes that are free for any size
    largest_free: int  # bytes of the largest free piece
    buffers: int  # buffers that are alive
    allocations: int  # requests that were met
    reuses: int  # requests met with a piece of the same size class, as it was given back
    misses: int  # times that the pool took new memory from the device
    waits: int  # times that the host waited for work in flight, for 50 ms at most each
    fragmentation: float  # the share of the free bytes that lies outside the largest piece


class PoolExhaustion(NamedTuple):
    """The figures of a request that a pool has no memory for, in bytes."""

    requested: int
    in_use: int
    held: int  # taken from the device
    cap: int | None  # the most that `held` may be; None: there is none
    largest_free: int  # the largest piece that a request could get


class Holder(NamedTuple):
    """A buffer that was alive."""

    buffer: str  # its name in messages: [Buffer 12 "activations"]
    nbytes: int  # that were asked for


class Pool(_native.Handle):
    """Device memory that is reused in the order of queues, without asking the device and without waiting. Device.pool makes one, Queue.allocate and
    Queue.free use it. It takes nothing before the first request. Its buffers outlive it. A use after close() is pintle.Stale."""

    device: Device
    _cap: int | None
    _patience: int  # nanoseconds
    _slice: int  # of the patience, for which an attempt to allocate waits
    _on_exhausted: Callable[[PoolExhaustion], object] | None
    _scrubs: bool

    def __new__(cls, made: _c.pintle_pool, device: Device) -> Pool:
        self = super().__new__(cls, made.id, KIND)
        self.device = device
        return self

    def __init__(self, *made: object) -> None:
        pass

    @property
    def _struct(self) -> _c.pintle_pool:
        return _c.pintle_pool(self.handle)

    @property
    def statistics(self) -> PoolStatistics:
        """Bytes and counts since the pool was made, taken at one moment."""
        its = struct(_c.pintle_pool_statistics)
        call("pintle_pool_get_statistics", self._struct, byref(its))
        return PoolStatistics(*(getattr(its, name) for name in PoolStatistics._fields))

    @property
    def holders(self) -> tuple[Holder, ...]:
        """The buffers that are alive, the largest first."""
        found, count = _c.pintle_holder_list(), c_size_t()
        call("pintle_pool_holders", self._struct, byref(found))
        try:
            call("pintle_holder_list_count", found, byref(count))
            holders = [struct(_c.pintle_holder) for _ in range(count.value)]
            for i, each in enumerate(holders):
                call("pintle_holder_list_holder", found, i, byref(each))
            return tuple(Holder(decoded(each.buffer), each.bytes) for each in holders)
        finally:
            call("pintle_holder_list_release", found)

    def _is_helped(self, nbytes: int) -> bool:
        """Whether the caller's function says that a request for so many bytes is worth another attempt."""
        if self._on_exhausted is None:
            return False
        its = self.statistics
        return bool(self._on_exhausted(PoolExhaustion(nbytes, its.in_use, its.held, self._cap, its.largest_free)))

    def trim(self, keep: int = 0) -> int:
        """Gives unused blocks back to the device while at least `keep` bytes stay held, and answers the bytes given back."""
        freed = c_uint64()
        call("pintle_pool_trim", self._struct, u64(keep, "number of bytes to keep"), byref(freed))
        return freed.value

    def __str__(self) -> str:
        """The statistics and the holders, for people to read."""
        return repr(self) if self.closed else text_of("pintle_pool_text", self._struct)

    def __repr__(self) -> str:
        return f"<pintle.Pool of {self.device.id}{' closed' if self.closed else ''}>"


def create(device: Device, cap: int | None, block: int | None, patience: float | None, scrub: str, placement: str,
           on_exhausted: Callable[[PoolExhaustion], object] | None, label: str | None) -> Pool:
    """What Device.pool answers."""
    if not (on_exhausted is None or callable(on_exhausted)):
        raise TypeError(f"on_exhausted is a function, not a {type(on_exhausted).__name__}.")
    if cap == 0 or block == 0:
        raise errors.InvalidArgument("A cap and a block (0 bytes) are at least 1 byte; None is the default.")
    whole = _native.nanoseconds(patience)
    part = whole // max(1, -(-whole // SLICE))
    options = struct(_c.pintle_pool_options, placement=one_of(placement, _PLACEMENTS, "placement"), scrub=one_of(scrub, _SCRUBS, "scrub"),
                     cap=0 if cap is None else u64(cap, "cap of a pool"), block=0 if block is None else u64(block, "block of a pool"),
                     patience=max(1, part), label=encoded(label))
    made = _c.pintle_pool()
    call("pintle_pool_create", _c.pintle_device(device.handle), byref(options), byref(made))
    pool = Pool(made, device)
    pool._cap, pool._patience, pool._slice, pool._on_exhausted, pool._scrubs = cap, whole, part, on_exhausted, options.scrub != _SCRUBS["none"]
    return pool


class _Patience:
    """How long a request has waited. Each attempt waits for a slice of the pool's patience, and signals are handled in between."""

    def __init__(self, pool: Pool) -> None:
        self._pool, self._waits, self._begun = pool, -1, monotonic_ns() - pool._slice

    def has_more(self) -> bool:
        """Whether the last attempt has waited, and another may: else no work in flight has memory of the pool, or the time is up."""
        before, self._waits = self._waits, self._pool.statistics.waits
        return before != self._waits and monotonic_ns() - self._begun < self._pool._patience


def allocate(queue: Queue, pool: Pool, shape: int | Sequence[int], dtype: object, label: str | None) -> Buffer:
    """What Queue.allocate answers."""
    expect(pool, Pool, "The pool of allocate()")
    kind, sides = dtype_of(dtype), shape_of(shape)
    nbytes, patience = kind.itemsize * prod(sides), None
    while True:
        try:
            handle = queue.allocate_handle(pool, kind.number, sides, label, pool._scrubs)
            break
        except errors.OutOfMemory:
            patience = patience or _Patience(pool)
            if patience.has_more():
                continue
            if not pool._is_helped(nbytes):
                raise
            patience = None
    buffer = Buffer(handle, queue.device, kind.number, nbytes, sides)
    if pool._scrubs:
        buffer.used(queue.last())
    return buffer
