"""Symmetric memory: each rank of a group has a piece of it, with the same offsets. Put, get and signals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ctypes import byref, c_uint32, c_uint64

from pintle import _c, _native, errors
from pintle._aside import uncut
from pintle._call import call, decoded, encoded, expect, in_slices, option_nanoseconds, struct, u32, u64
from pintle.dtypes import DType, dtype_of
from pintle.groups import Group
from pintle.hosts import dims_of, matching, pinned, shape_of
from pintle.lent import Lent, Owner, note
from pintle.points import Point, Signal, submit_options
from pintle.queues import Queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy

    from pintle.buffers import View
    from pintle.devices import Device

_PAUSE = 0.0005  # seconds that a wait leaves to other threads, now and then
_RESIDENCES = {_c.PINTLE_RESIDENCE_HOST: "host", _c.PINTLE_RESIDENCE_IN_PLACE: "in_place", _c.PINTLE_RESIDENCE_STAGED: "staged"}


class SymmetricBuffer:
    """A range of a heap, the same on every rank. SymmetricHeap.allocate makes one; it ends when it is freed, and with its heap."""

    def __init__(self, its: _c.pintle_symmetric_buffer, dtype: DType, shape: tuple[int, ...], heap: _native.Handle) -> None:
        self._struct, self.dtype, self.shape, self._heap = its, dtype, shape, heap

    @property
    def _info(self) -> _c.pintle_symmetric_buffer_info:
        info = struct(_c.pintle_symmetric_buffer_info)
        with _native.turn(self._heap):
            call("pintle_symmetric_buffer_get_info", self._struct, byref(info))
        return info

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._info.bytes

    @property
    def offset(self) -> int:
        """Bytes from the start of each rank's piece."""
        return self._info.offset

    def __repr__(self) -> str:
        return f"<pintle.SymmetricBuffer {self.dtype}{list(self.shape)}>"


class SymmetricSignals:
    """64-bit words on every rank, which only rise, all 0 at first. SymmetricHeap.allocate_signals makes them; they end when they are freed, and with
    their heap."""

    def __init__(self, its: _c.pintle_symmetric_signals, count: int) -> None:
        self._struct, self.count = its, count

    def __repr__(self) -> str:
        return f"<pintle.SymmetricSignals: {self.count}>"


class SymmetricHeap(Owner, kind=17):
    """A rank's part of memory that a whole group has. Group.heap makes one. Collective methods say so: every rank calls the same ones in the same
    order, and they end alike on all ranks. Calls that differ are pintle.InvalidArgument on every rank, with both calls; pintle.Timeout and
    pintle.PeerLost name a rank, and the group has failed then. Threads take turns, also with those that use the group: a call waits until that of
    another thread has ended. Collective calls come from one thread, since their order counts. Ctrl-C interrupts whoever waits, and such a call goes on
    by itself, as those of the group do. What an interrupted call allocates stays until the heap ends. close() concerns this rank only. A use afterwards
    is pintle.Stale."""

    group: Group
    device: Device | None

    def __init__(self, handle: int, group: Group, device: Device | None) -> None:
        self._timeline: tuple[int, Signal] | None = None  # of the asynchronous forms: another one after a failure. It goes before the heap
        super().__init__(handle)
        self.group, self.device = group, device
        self._lent: dict[int, Lent] = {}  # of each symmetric buffer, by its handle

    @property
    def _struct(self) -> _c.pintle_symmetric_heap:
        return _c.pintle_symmetric_heap(self.handle)

    def _turn(self, *others: _native.Handle) -> _native.Turn:
        """The turn of whoever calls the library: no other thread uses the heap or its group meanwhile."""
        return _native.turn(self.group, self._held, *others)

    def _call(self, function: str, *arguments: object) -> None:
        with self._turn():
            call(function, self._struct, *arguments)

    def _uncut(self, function: str, *arguments: object) -> None:
        """The same where the ranks meet, or this one waits."""
        uncut(lambda: self._call(function, *arguments))

    @property
    def _info(self) -> _c.pintle_symmetric_heap_info:
        info = struct(_c.pintle_symmetric_heap_info)
        self._call("pintle_symmetric_heap_get_info", byref(info))
        return info

    @property
    def residence(self) -> str:
        """Where the device has this rank's piece: "host": there is no device; "in_place": the device uses the piece itself; "staged": it has a copy,
        as new as the last to_device()."""
        return _RESIDENCES[self._info.residence]

    @property
    def residence_detail(self) -> str:
        """The reason for "staged"; else empty."""
        return decoded(self._info.residence_detail)

    @property
    def nbytes(self) -> int:
        """Bytes of each rank's piece."""
        return self._info.bytes

    @property
    def free_bytes(self) -> int:
        """Bytes that are not allocated."""
        return self._info.free

    def allocate(self, shape: int | Sequence[int], dtype: object = "f32", *, timeout: float | None = None) -> SymmetricBuffer:
        """Collective. Allocates at the same offset on every rank, with undefined contents. pintle.OutOfMemory has the size, the free bytes and the
        largest piece. A size that the library refuses on one rank is the error of every rank; what is no dtype or shape is refused on its rank
        alone, and the other ranks wait for it."""
        kind, sides, made = dtype_of(dtype), shape_of(shape), _c.pintle_symmetric_buffer()
        self._uncut("pintle_symmetric_heap_allocate", kind.number, len(sides), dims_of(sides), _native.nanoseconds(timeout), byref(made))
        return SymmetricBuffer(made, kind, sides, self._held)

    def allocate_signals(self, count: int, *, timeout: float | None = None) -> SymmetricSignals:
        """Collective. Allocates signals: words on every rank, all 0."""
        number, made = u64(count, "number of signals"), _c.pintle_symmetric_signals()
        self._uncut("pintle_symmetric_heap_allocate_signals", number, _native.nanoseconds(timeout), byref(made))
        return SymmetricSignals(made, number)

    def free(self, what: SymmetricBuffer | SymmetricSignals, *, timeout: float | None = None) -> None:
        """Collective. Frees a buffer or signals, when every rank has come. A use afterwards is pintle.Stale."""
        if isinstance(what, SymmetricSignals):
            self._uncut("pintle_symmetric_heap_free_signals", what._struct, _native.nanoseconds(timeout))
            return
        buffer, bound = expect(what, SymmetricBuffer, "What free() takes"), _native.nanoseconds(timeout)
        uncut(lambda: self._free(buffer, bound))

    def _free(self, buffer: SymmetricBuffer, nanoseconds: int) -> None:
        with self._turn():
            self._call("pintle_symmetric_heap_free", buffer._struct, nanoseconds)
            self._lent.pop(buffer._struct.id, None)

    def _range(self, buffer: SymmetricBuffer, rank: int) -> _c.pintle_symmetric_view:
        its = expect(buffer, SymmetricBuffer, "What a heap copies")
        return struct(_c.pintle_symmetric_view, rank=u32(rank, "rank"), buffer=its._struct)

    def put(self, to: SymmetricBuffer, rank: int, array: object, *, signals: SymmetricSignals | None = None, index: int = 0, value: int = 1) -> None:
        """Writes an array in C order, of the buffer's dtype and size, to the piece of a rank. The array may change afterwards. The bytes are there
        after flush(), barrier(), or with `signals`: then signal `index` of that rank is raised to `value`, and a thread that has seen it sees these
        bytes and all that were put to that rank before. pintle.InvalidArgument, with nothing written, for a rank beyond the group."""
        expect(to, SymmetricBuffer, "What a heap copies")
        its = matching(array, to.dtype, to.nbytes, "the array", "the buffer")
        memory, address, nbytes = pinned(its)
        view = byref(self._range(to, rank))
        if signals is None:
            self._call("pintle_symmetric_heap_put", view, address, nbytes)
        else:
            self._call("pintle_symmetric_heap_put_signal", view, address, nbytes, signals._struct, u64(index, "index"), u64(value, "value"))

    def get(self, from_: SymmetricBuffer, rank: int | None = None) -> numpy.ndarray[Any, Any]:
        """A copy of the buffer in the piece of a rank; None: of this one. bf16 and f8 come as their bits, uint16 and uint8. pintle.InvalidArgument
        for a rank beyond the group."""
        import numpy
        its = expect(from_, SymmetricBuffer, "What a heap copies")
        elements: numpy.ndarray[Any, Any] = numpy.empty(its.shape, its.dtype.numpy)
        view = self._range(its, self.group.rank if rank is None else rank)
        self._call("pintle_symmetric_heap_get", elements.ctypes.data, elements.nbytes, byref(view))
        return elements

    def _begin(self, function: str, after: Iterable[Point], timeout: float | None, lent: object, *arguments: object) -> Point:
        """An asynchronous form, which has borrowed what `lent` keeps."""
        options, done = submit_options(after, (), timeout), struct(_c.pintle_point)
        with self._turn():
            self._call(function, *arguments, byref(options), byref(done))
            handle: int = done.signal.id
            if self._timeline is None or self._timeline[0] != handle:
                self._timeline = handle, Signal._timeline(handle, self.device)
            signal = self._timeline[1]
            signal.lend(done.value, lent)
        return Point(signal, done.value)

    def put_async(self, to: SymmetricBuffer, rank: int, array: object, *, signals: SymmetricSignals | None = None, index: int = 0, value: int = 1,
                  after: Iterable[Point] = (), timeout: float | None = None) -> Point:
        """As put(), by a thread of the heap: in the order of such calls, when every point of `after` is reached, for which it waits `timeout` seconds
        at most; None: the library's default. The array may not change, and is kept, until the point is reached: then the bytes are there. Once one
        such call has failed, those behind it fail too; flush() raises the first cause and begins afresh. The point is pintle.Stale after close()."""
        expect(to, SymmetricBuffer, "What a heap copies")
        memory, address, nbytes = pinned(matching(array, to.dtype, to.nbytes, "the array", "the buffer"))
        view = byref(self._range(to, rank))
        if signals is None:
            return self._begin("pintle_symmetric_heap_put_async", after, timeout, memory, view, address, nbytes)
        return self._begin("pintle_symmetric_heap_put_signal_async", after, timeout, memory, view, address, nbytes,
                           expect(signals, SymmetricSignals, "What put_async() raises")._struct, u64(index, "index"), u64(value, "value"))

    def get_async(self, array: object, from_: SymmetricBuffer, rank: int | None = None, *, after: Iterable[Point] = (),
                  timeout: float | None = None) -> Point:
        """Copies the buffer in the piece of a rank, None: of this one, into an array in C order of the buffer's dtype and size, as put_async() does.
        The array is kept, and is nobody else's, until the point is reached."""
        its = expect(from_, SymmetricBuffer, "What a heap copies")
        memory, address, nbytes = pinned(matching(array, its.dtype, its.nbytes, "the array", "the buffer"), True)
        view = byref(self._range(its, self.group.rank if rank is None else rank))
        return self._begin("pintle_symmetric_heap_get_async", after, timeout, memory, address, nbytes, view)

    def raise_signal(self, signals: SymmetricSignals, rank: int, value: int, *, index: int = 0) -> None:
        """Raises signal `index` of a rank to `value`; a value that is not above the signal's changes nothing."""
        its = expect(signals, SymmetricSignals, "What raise_signal() takes")
        self._call("pintle_symmetric_heap_raise", its._struct, u64(index, "index"), u32(rank, "rank"), u64(value, "value"))

    def wait_signal(self, signals: SymmetricSignals, value: int, *, index: int = 0, from_rank: int | None = None,
                    timeout: float | None = None) -> None:
        """Blocks until this rank's word of signal `index` is at least `value`, for `timeout` seconds at most; None: the library's default.
        pintle.Timeout fails nothing: wait again. pintle.PeerLost where `from_rank`, which is to raise it, is lost; None: where any rank is. Other
        threads have their turns meanwhile, each after 50 ms at most. Ctrl-C interrupts it."""
        its, number, wanted = expect(signals, SymmetricSignals, "What wait_signal() takes"), u64(index, "index"), u64(value, "value")
        rank = None if from_rank is None else byref(c_uint32(u32(from_rank, "rank")))
        in_slices(lambda nanoseconds: self._call("pintle_symmetric_heap_wait_signal", its._struct, number, wanted, rank, nanoseconds), timeout,
                  _PAUSE)

    def signal_value(self, signals: SymmetricSignals, index: int = 0) -> int:
        """The value of this rank's word of signal `index` now."""
        its, value = expect(signals, SymmetricSignals, "What signal_value() takes"), c_uint64()
        self._call("pintle_symmetric_heap_signal_value", its._struct, u64(index, "index"), byref(value))
        return value.value

    def fence(self, *, timeout: float | None = None) -> None:
        """Orders the puts of this rank: every rank sees what was put before the fence before it sees what is put after."""
        self._uncut("pintle_symmetric_heap_fence", _native.nanoseconds(timeout))

    def _give_back(self) -> None:
        """Lets go of the arrays whose points are reached."""
        timeline = self._timeline
        if timeline is not None:
            timeline[1].lend(0, None)

    def flush(self, *, timeout: float | None = None) -> None:
        """Blocks until everything that this rank has put is there, and its asynchronous calls are done. Raises the first failure of those."""
        self._uncut("pintle_symmetric_heap_flush", _native.nanoseconds(timeout))
        self._give_back()

    def barrier(self, *, timeout: float | None = None) -> None:
        """Collective. Flushes on every rank, and blocks until all ranks have come."""
        self._uncut("pintle_symmetric_heap_barrier", _native.nanoseconds(timeout))
        self._give_back()

    def close(self) -> None:
        """As of every owner of memory. An array of an asynchronous call that is not over, and whose point is still somebody's, is kept for ever."""
        with self._turn():
            self._give_back()
            self._timeline = None  # before the heap ends, since its signal can still say when the rest is over
            super().close()

    def on_device(self, buffer: SymmetricBuffer) -> View:
        """The device's bytes of a buffer, for kernels and commands: the piece itself in place, the device's copy where staged. Points order work on
        it. It ends with the buffer. pintle.InvalidArgument without a device."""
        its, view = expect(buffer, SymmetricBuffer, "What on_device() takes"), struct(_c.pintle_view)
        with self._turn():
            self._call("pintle_symmetric_heap_on_device", its._struct, byref(view))
            if self.device is None:
                raise errors.InvalidArgument("The heap has no device.")
            lent = self._lent.setdefault(its._struct.id, Lent(self._held, self.device, 1))
        return lent.view(view, its.dtype, its.shape)

    def _move(self, function: str, buffer: SymmetricBuffer, queue: Queue, after: Iterable[Point], timeout: float | None) -> Point:
        on = _c.pintle_queue(expect(queue, Queue, "The queue of a heap").handle)
        view, options, done = self._range(buffer, self.group.rank), submit_options(after, (), timeout), struct(_c.pintle_point)
        with self._turn(queue):
            call(function, self._struct, byref(view), on, byref(options), byref(done))
        point = Point(queue.signal, done.value)
        note(self.on_device(buffer), point)
        return point

    def to_device(self, buffer: SymmetricBuffer, queue: Queue, *, after: Iterable[Point] = (), timeout: float | None = None) -> Point:
        """Submits to a queue of the heap's device the update of the device's bytes from this rank's piece: a copy where staged, nothing but the order
        in place. Nobody may write the bytes in the piece before the point is reached."""
        return self._move("pintle_symmetric_heap_to_device", buffer, queue, after, timeout)

    def from_device(self, buffer: SymmetricBuffer, queue: Queue, *, after: Iterable[Point] = (), timeout: float | None = None) -> Point:
        """Submits the update of this rank's piece from the device's bytes. Nobody may use the bytes in the piece before the point is reached."""
        return self._move("pintle_symmetric_heap_from_device", buffer, queue, after, timeout)

    def __repr__(self) -> str:
        return f"<pintle.SymmetricHeap of rank {self.group.rank}{' closed' if self.closed else ''}>"


def create(group: Group, nbytes: int, device: Device | None, timeout: float | None, label: str | None) -> SymmetricHeap:
    """What Group.heap answers."""
    options = struct(_c.pintle_symmetric_options, label=encoded(label), timeout=option_nanoseconds(timeout))
    if device is not None:
        options.device = _c.pintle_device(device.handle)
    size, made = u64(nbytes, "size of a heap"), _c.pintle_symmetric_heap()
    uncut(lambda: group._call("pintle_symmetric_heap_create", size, byref(options), byref(made)), lambda: call("pintle_symmetric_heap_release", made))
    return SymmetricHeap(made.id, group, device)
