"""Groups of ranks, which run collective operations together: on arrays of the host, or in a queue on memory of a device."""

from __future__ import annotations

from collections.abc import Iterable
from ctypes import byref, c_uint32
from os import environ

from pintle import _c, _native, errors
from pintle._aside import uncut
from pintle._call import call, decoded, encoded, expect, one_of, option_nanoseconds, struct, u32, u64
from pintle._records import NamedTuple
from pintle.buffers import Buffer, View, view_of
from pintle.dtypes import DType
from pintle.hosts import elements_of
from pintle.listing import words
from pintle.points import Point, Signal, submit_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from pintle.devices import Device
    from pintle.heaps import SymmetricHeap

    Host: TypeAlias = tuple[DType, memoryview, tuple[int, int]]  # elements, what keeps them in their place, and their address and size

_KINDS = words("PINTLE_COLLECTIVE_")
_OPERATORS = words("PINTLE_REDUCE_")
_ALGORITHMS = words("PINTLE_ALGORITHM_")
GROUP_KIND, QUEUE_KIND = 15, 16  # of the handles


class Collective:
    """One operation of a group, as a value. Group.run runs it on arrays, GroupQueue.submit enqueues it on buffers and views. `to` is written, `from_`
    is read; they may be the same, or one this rank's part where it lies in the other; for a rank that needs none, None. A part is what one rank gives
    or gets. `root` and ranks count within the group. `op`: "sum", "prod", "min", "max", "mean", "bit_and", "bit_or", "bit_xor", "logical_and",
    "logical_or" or "logical_xor". `algorithm`: how bytes travel: "automatic", "direct", "ring", "halving_doubling", "tree" or "native".
    `reproducible`: the result has the same bits for any algorithm, transport and order of arrival. Another word is pintle.InvalidArgument."""

    def __init__(self, kind: str, to: object = None, from_: object = None, *, op: str = "sum", rank: int = 0, algorithm: str = "automatic",
                 reproducible: bool = False) -> None:
        self.kind, self.to, self.from_ = kind, to, from_
        self._operation = struct(_c.pintle_collective, kind=one_of(kind, _KINDS, "kind of collective"), op=one_of(op, _OPERATORS, "operator"),
                                 rank=u32(rank, "rank"), algorithm=one_of(algorithm, _ALGORITHMS, "algorithm"),
                                 is_reproducible=int(bool(reproducible)))

    @classmethod
    def all_reduce(cls, to: object, from_: object = None, op: str = "sum", *, algorithm: str = "automatic", reproducible: bool = False) -> Collective:
        """`to` becomes `from_` of all ranks, folded. Without `from_`: in place."""
        return cls("all_reduce", to, to if from_ is None else from_, op=op, algorithm=algorithm, reproducible=reproducible)

    @classmethod
    def reduce(cls, to: object, from_: object, root: int, op: str = "sum", *, algorithm: str = "automatic", reproducible: bool = False) -> Collective:
        """`to` of the root becomes `from_` of all ranks, folded; another rank has no `to`."""
        return cls("reduce", to, from_, op=op, rank=root, algorithm=algorithm, reproducible=reproducible)

    @classmethod
    def reduce_scatter(cls, to: object, from_: object, op: str = "sum", *, algorithm: str = "automatic", reproducible: bool = False) -> Collective:
        """`from_` has a part for each rank; `to` becomes this rank's part of all ranks, folded."""
        return cls("reduce_scatter", to, from_, op=op, algorithm=algorithm, reproducible=reproducible)

    @classmethod
    def all_gather(cls, to: object, from_: object, *, algorithm: str = "automatic") -> Collective:
        """Part i of `to` becomes `from_` of rank i."""
        return cls("all_gather", to, from_, algorithm=algorithm)

    @classmethod
    def gather(cls, to: object, from_: object, root: int, *, algorithm: str = "automatic") -> Collective:
        """Part i of the root's `to` becomes `from_` of rank i; another rank has no `to`."""
        return cls("gather", to, from_, rank=root, algorithm=algorithm)

    @classmethod
    def scatter(cls, to: object, from_: object, root: int, *, algorithm: str = "automatic") -> Collective:
        """`to` of rank i becomes part i of the root's `from_`; another rank has no `from_`."""
        return cls("scatter", to, from_, rank=root, algorithm=algorithm)

    @classmethod
    def broadcast(cls, memory: object, root: int, *, algorithm: str = "automatic") -> Collective:
        """`memory` of every rank becomes that of the root."""
        return cls("broadcast", memory, rank=root, algorithm=algorithm)

    @classmethod
    def all_to_all(cls, to: object, from_: object, *, algorithm: str = "automatic") -> Collective:
        """Part i of `from_` becomes this rank's part in `to` of rank i. The two do not overlap."""
        return cls("all_to_all", to, from_, algorithm=algorithm)

    @classmethod
    def send(cls, from_: object, rank: int) -> Collective:
        """Sends `from_` to one rank, which receives as many elements. Messages between two ranks stay in order."""
        return cls("send", None, from_, rank=rank)

    @classmethod
    def recv(cls, to: object, rank: int) -> Collective:
        """Receives `to` from one rank."""
        return cls("recv", to, rank=rank)

    @classmethod
    def barrier(cls) -> Collective:
        """Done when every rank has come to it."""
        return cls("barrier")

    def __repr__(self) -> str:
        return f"<pintle.Collective {self.kind}>"


class GroupStatistics(NamedTuple):
    """Counts of what a rank has done in its group since the group was made."""

    operations: int
    bytes_sent: int  # to other ranks; bytes that another rank reads here in place count on that rank
    bytes_received: int  # from other ranks


def _host(array: object, dtype: object, what: str, is_written: bool) -> Host:
    """An array's memory."""
    its, kind = elements_of(array, dtype, what)
    memory = memoryview(its.memory)
    if is_written and memory.readonly:
        raise errors.InvalidArgument(f"The array of {what} is read-only.")
    return kind, memory, _native.host_bytes(memory, is_written)


class Group(_native.Handle):
    """A rank's place in a group. pintle.group and Group.threads make one. Operations are collective: every rank runs the same ones in the same order,
    with sizes that fit. So they come from one thread; where another one calls the group or a heap of it, too, they take turns, and a call waits until
    that of another thread has ended. Only health() waits for nobody.

    pintle.InvalidArgument, with nothing sent, for a mistake that this rank can see. Other errors come on every rank: pintle.InvalidArgument with both
    calls, for calls that do not match; pintle.Timeout with the rank that is late; pintle.PeerLost with the rank that has died or left. After any
    of these the group has failed and answers the same error: shrink or rebuild it. The memory that was being written is undefined then.

    Ctrl-C interrupts whoever waits, and not the operation, since a rank that gives up fails the group: it goes on by itself, with the memory that it
    uses, until it is done or its timeout has failed the group. The next call of the group waits for it. close() comes back at once, and the group is
    left when the operation has ended.

    close() leaves the group, when its queues and heaps of this rank are closed, too. A use afterwards is pintle.Stale."""

    rank: int
    ranks: int
    generation: int
    transport: str

    def __new__(cls, handle: int) -> Group:
        self = super().__new__(cls, handle, GROUP_KIND)
        info = struct(_c.pintle_rank_group_info)
        call("pintle_rank_group_get_info", _c.pintle_rank_group(handle), byref(info))
        self.rank, self.ranks, self.generation, self.transport = info.rank, info.ranks, info.generation, decoded(info.transport)
        return self

    def __init__(self, handle: int) -> None:
        pass

    @classmethod
    def threads(cls, ranks: int, *, timeout: float | None = None, label: str | None = None) -> list[Group]:
        """Makes a group of `ranks` ranks (1 to 1024) in this process: one object for each thread that takes part. Blocks until all are made."""
        count = u64(ranks, "number of ranks")
        if not 1 <= count <= 1024:
            raise errors.InvalidArgument(f"The number of ranks ({count}) is not from 1 to 1024.")
        options, made = _options(None, timeout, label), (_c.pintle_rank_group * count)()
        call("pintle_rank_group_threads", count, byref(options), made)
        return [cls(each.id) for each in made]

    @property
    def _struct(self) -> _c.pintle_rank_group:
        return _c.pintle_rank_group(self.handle)

    def _call(self, function: str, *arguments: object) -> None:
        """Calls the library while no other thread uses the group."""
        with _native.turn(self):
            call(function, self._struct, *arguments)

    def _make(self, function: str, *arguments: object) -> _c.pintle_rank_group:
        """What a call makes in which the ranks meet."""
        made = _c.pintle_rank_group()
        uncut(lambda: self._call(function, *arguments, byref(made)), lambda: _leave(made))
        return made

    def run(self, operation: Collective, *, dtype: object = None, timeout: float | None = None) -> None:
        """Runs an operation on arrays in C order, of one dtype. `dtype` says what their elements are, where that is a dtype that NumPy does not have,
        whose bits they hold. Blocks until this rank's part is done and its memory may be reused, for `timeout` seconds at most; None: the library's
        default. After Ctrl-C it goes on, and the arrays are kept until it ends; health() says whether it has failed the group."""
        its = expect(operation, Collective, "The operation of run()")
        to = None if its.to is None else _host(its.to, dtype, "to", True)
        from_ = None if its.from_ is None else _host(its.from_, dtype, "from_", False)
        kinds = {side[0] for side in (to, from_) if side is not None}
        if len(kinds) > 1:
            raise errors.InvalidArgument(f"The dtypes ({', '.join(sorted(map(str, kinds)))}) of the two arrays are not the same.")
        bound = _native.nanoseconds(timeout)
        uncut(lambda: self._run(its, next(iter(kinds)).number if kinds else 0, to, from_, bound))

    def _run(self, operation: Collective, dtype: int, to: Host | None, from_: Host | None, nanoseconds: int) -> None:
        """Keeps the memory while the call lasts."""
        written, read = (0, 0) if to is None else to[2], (0, 0) if from_ is None else from_[2]
        self._call("pintle_rank_group_run", byref(operation._operation), dtype, written[0] or None, written[1], read[0] or None, read[1], nanoseconds)

    def queue(self, device: Device, *, label: str | None = None) -> GroupQueue:
        """A queue of the group's operations on memory of a device. It has the group to itself until it is closed or has failed: until then other
        operations of the group, and a second queue of it, are pintle.InvalidArgument. It takes 4 MiB of host memory."""
        made, timeline = _c.pintle_group_queue(), _c.pintle_signal()
        options = struct(_c.pintle_group_queue_options, label=encoded(label))
        self._call("pintle_group_queue_create", _c.pintle_device(device.handle), byref(options), byref(made))
        try:
            call("pintle_group_queue_timeline", made, byref(timeline))
        except BaseException:
            call("pintle_group_queue_release", made)
            raise
        return GroupQueue(made.id, self, device, Signal._timeline(timeline.id, device))

    def heap(self, nbytes: int, *, device: Device | None = None, timeout: float | None = None, label: str | None = None) -> SymmetricHeap:
        """Collective. Makes a heap of `nbytes` bytes on each rank. `device`: the one that uses this rank's piece. pintle.InvalidArgument, with the
        rank and both sizes, where one rank asks for another number. A failure on one rank is the same error on every rank."""
        from pintle import heaps
        return heaps.create(self, nbytes, device, timeout, label)

    @property
    def statistics(self) -> GroupStatistics:
        """Counts of what this rank has done since the group was made."""
        its = struct(_c.pintle_rank_group_statistics)
        self._call("pintle_rank_group_get_statistics", byref(its))
        return GroupStatistics(its.operations, its.bytes_sent, its.bytes_received)

    def health(self) -> None:
        """Raises the error that the group has failed with; looks at every rank, and waits for none."""
        call("pintle_rank_group_health", self._struct)

    def split(self, color: int | None, key: int = 0, *, timeout: float | None = None, label: str | None = None) -> Group | None:
        """Collective. Ranks that give the same color become a new group, ordered by `key`, then by their rank here. A rank whose color is None calls,
        too, and gets None. A failure on one rank is the same error on every rank."""
        options = _options(None, timeout, label)
        chosen = None if color is None else byref(c_uint32(u32(color, "color")))
        made = self._make("pintle_rank_group_split", chosen, u32(key, "key"), byref(options))
        return Group(made.id) if made.id else None

    def _again(self, function: str, timeout: float | None) -> Group:
        return Group(self._make(function, _native.nanoseconds(timeout)).id)

    def shrink(self, *, timeout: float | None = None) -> Group:
        """Makes a new group of the ranks that are there, in their order, after a failure. Each of them calls it. This group fails, if it had not
        failed before. A rank that does not come in time is left out and gets pintle.PeerLost. pintle.Unsupported over mpi."""
        return self._again("pintle_rank_group_shrink", timeout)

    def rebuild(self, *, timeout: float | None = None) -> Group:
        """Makes a new group of the same number of ranks, after a failure. Each rank that is there calls it; for each that is not, a new process with
        its rank calls pintle.group. pintle.Unsupported over mpi, and for a group that split() or shrink() made."""
        return self._again("pintle_rank_group_rebuild", timeout)

    def __repr__(self) -> str:
        return f"<pintle.Group rank {self.rank} of {self.ranks} over {self.transport}{' closed' if self.closed else ''}>"


class GroupQueue(_native.Handle):
    """Runs a group's operations in order on memory of one device, beside its compute. Group.queue makes one. Every rank enqueues the same operations
    in the same order; ranks may have devices of different kinds. close() cancels what has not begun, and blocks while an operation is among the
    ranks; the group is free again where nothing was left to do. A use afterwards is pintle.Stale."""

    group: Group
    device: Device
    signal: Signal

    def __new__(cls, handle: int, group: Group, device: Device, signal: Signal) -> GroupQueue:
        self = super().__new__(cls, handle, QUEUE_KIND)
        self.group, self.device, self.signal = group, device, signal
        return self

    def __init__(self, *made: object) -> None:
        pass

    def submit(self, operation: Collective, *, after: Iterable[Point] = (), signal: Iterable[Point] = (), timeout: float | None = None,
               label: str | None = None) -> Point:
        """Enqueues an operation on buffers or views, and answers its point: it is reached when the result is in the device's memory and what was read
        may be overwritten. Never blocks. The operation begins when every point of `after` is reached; `signal`: points that are reached when
        it is done, and fail with it. `timeout`, in seconds, counts from the end of the operation before; None: the library's default. A buffer that
        is closed before the point fails the operation, or stays until then. pintle.InvalidArgument, with nothing enqueued, for a mistake that
        this rank can see; the first cause, once the queue has failed. The point fails with its operation's error; every later point then fails
        with the same cause, the group has failed, and other ranks get pintle.PeerLost."""
        its = expect(operation, Collective, "The operation of submit()")
        to, from_ = _view_of(its.to, "to"), _view_of(its.from_, "from_")
        options, done = submit_options(after, signal, timeout, label), struct(_c.pintle_point)
        buffers = {each.handle: each for each in (to[0], from_[0]) if each is not None}
        with _native.turn(self, *(buffers[handle] for handle in sorted(buffers))):
            call("pintle_group_queue_submit", _c.pintle_group_queue(self.handle), byref(its._operation), to[1], from_[1], byref(options), byref(done))
        point = Point(self.signal, done.value)
        for each in buffers.values():
            each.used(point)
        self.signal.lend(done.value, (its.to, its.from_))
        return point

    def last(self) -> Point:
        """The point of the operation that was enqueued last; reached on a fresh queue."""
        last = struct(_c.pintle_point)
        with _native.turn(self):
            call("pintle_group_queue_last", _c.pintle_group_queue(self.handle), byref(last))
        return Point(self.signal, last.value)

    def __repr__(self) -> str:
        return f"<pintle.GroupQueue of {self.device.id}{' closed' if self.closed else ''}>"


def _view_of(memory: object, what: str) -> tuple[Buffer | None, Any]:
    """The buffer of what an operation takes, and its view for C."""
    if memory is None:
        return None, None
    if not isinstance(memory, (Buffer, View)):
        raise TypeError(f"{what} is a buffer or a view, not a {type(memory).__name__}; Group.run takes arrays.")
    buffer, view = view_of(memory, what)
    return buffer, byref(view)


def _options(transport: str | None, timeout: float | None, label: str | None) -> _c.pintle_rank_group_options:
    return struct(_c.pintle_rank_group_options, label=encoded(label), transport=encoded(transport),
                  timeout=option_nanoseconds(timeout))


def _is_mpi(transport: str | None) -> bool:
    """Whether the process may become a rank of MPI."""
    return transport == "mpi" or (transport is None and "PINTLE_RANK" not in environ)


def _leave(group: _c.pintle_rank_group) -> None:
    if group.id:
        call("pintle_rank_group_release", group)


def group(transport: str | None = None, *, timeout: float | None = None, label: str | None = None) -> Group:
    """Takes this process's place in the group that it was started for, by `pintle launch` or mpirun; a process that was started by neither is a group
    of one. `transport`: "shm" or "mpi"; None: the one that it was started for. Blocks until every rank is there, for `timeout` seconds at most; None:
    the library's default. Over mpi Ctrl-C waits for it. pintle.Unavailable, with what is missing; pintle.InvalidArgument for a transport that does not
    exist; pintle.Timeout, with the missing ranks."""
    options, made = _options(transport, timeout, label), _c.pintle_rank_group()
    if _is_mpi(transport):
        call("pintle_rank_group_join", byref(options), byref(made))  # which starts MPI, and the thread that ends it is the one that has started it
    else:
        uncut(lambda: call("pintle_rank_group_join", byref(options), byref(made)), lambda: _leave(made))
    return Group(made.id)
