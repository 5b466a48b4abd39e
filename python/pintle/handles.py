"""Handles: named, typed memory that stays on a device, such as weights, a cache, an optimiser's moments. C calls one a pintle_state."""

from __future__ import annotations

from _thread import get_ident
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_int32, c_size_t, c_void_p, cast, memmove

from pintle import _c, _native, errors
from pintle._call import call, encoded, expect, in_slices, one_of, path_bytes, struct, waited
from pintle.dtypes import DType, dtype_of
from pintle.hosts import dims_of, elements_of, pinned, shape_of
from pintle.lent import Lent, Owner, note
from pintle.listing import words
from pintle.points import Point
from pintle.queues import Queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from typing import Any

    import numpy

    from pintle.buffers import View
    from pintle.devices import Device

_PLACEMENTS = words("PINTLE_PLACEMENT_")
_KEEPS = words("PINTLE_KEEP_")
_SIDES = 2  # the front and the back


class _Filler:
    """Makes what a handle holds, by a function of the user's. It runs before the library is called, which then copies what it has made: so it may use
    the queue, and its exceptions go to the caller."""

    def __init__(self, fill: Callable[[numpy.ndarray[Any, Any]], object], dtype: DType, shape: tuple[int, ...]) -> None:
        self._fill, self._dtype, self._shape = fill, dtype, shape
        made: dict[int, tuple[int, int]] = {}  # by thread: the address and the size of what it has prepared

        def copy(_data: Any, to: int, size: int) -> int:
            address, prepared = made.get(get_ident(), (0, -1))
            if prepared != size:
                return _c.PINTLE_INTERNAL
            memmove(to, address, size)
            return _c.PINTLE_OK

        self._made = made
        self.function = CFUNCTYPE(c_int32, c_void_p, c_void_p, c_size_t)(copy)

    def prepare(self) -> Any:
        """Calls the user's function. What is answered has the elements and is to live until the library has been called."""
        import numpy
        elements: numpy.ndarray[Any, Any] = numpy.zeros(self._shape, self._dtype.numpy)
        self._fill(elements)
        self._made[get_ident()] = (elements.ctypes.data, elements.nbytes)
        return elements


class Handle(Owner, kind=12):
    """Named, typed memory that outlives programs, recordings and queues and, where `keep` says so, the loss of the device. `shape` counts elements,
    outermost dimension first. `keep`: "lost": nothing remains; "host_shadow": a copy on the host, which write() and checkpoint() refresh;
    a function: it is called with an array of zeros of the handle's shape and fills it, whenever the handle is restored. The contents are undefined
    until they are written or restored. After Device.recover the handle is stale until restore(), write() or renew(). A view keeps the memory,
    unless the handle is closed. pintle.InvalidArgument for a name that no safetensors file can hold; else as Device.empty."""

    def __init__(self, device: Device, name: str, shape: int | Sequence[int], dtype: object = "f32", *,
                 keep: str | Callable[[numpy.ndarray[Any, Any]], object] = "lost", placement: str = "device") -> None:
        kind, sides = dtype_of(dtype), shape_of(shape)
        self._filler = _Filler(keep, kind, sides) if callable(keep) else None
        number = _c.PINTLE_KEEP_REFILL if callable(keep) else one_of(keep, {word: _KEEPS[word] for word in ("lost", "host_shadow")}, "keep")
        options = struct(_c.pintle_state_options, keep=number, placement=one_of(placement, _PLACEMENTS, "placement"))
        if self._filler is not None:
            options.fill = cast(self._filler.function, c_void_p)
        made = _c.pintle_state()
        call("pintle_state_create", _c.pintle_device(device.handle), encoded(name), kind.number, len(sides), dims_of(sides),
             byref(options), byref(made))
        super().__init__(made.id)
        self.device, self.name, self.dtype, self.shape = device, name, kind, sides
        self._keep, self._turns = number, self._held
        self._lent = Lent(self._held, device, _SIDES)

    @property
    def _struct(self) -> _c.pintle_state:
        return _c.pintle_state(self.handle)

    @property
    def _info(self) -> _c.pintle_state_info:
        info = struct(_c.pintle_state_info)
        with _native.turn(self._turns):
            call("pintle_state_get_info", self._struct, byref(info))
        return info

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._info.bytes

    @property
    def keep(self) -> str:
        """What remains of the handle when its device is lost: "lost", "host_shadow" or "refill"."""
        return next(word for word, number in _KEEPS.items() if number == self._keep)

    @property
    def generation(self) -> int:
        """The generation of the device that the memory belongs to."""
        return self._info.generation

    @property
    def stale(self) -> bool:
        """Whether the device is at another generation than the memory."""
        return bool(self._info.is_stale)

    def _side(self, function: str) -> View:
        view = struct(_c.pintle_view)
        with _native.turn(self._turns):
            call(function, self._struct, byref(view))
        return self._lent.view(view, self.dtype, self.shape)

    def view(self) -> View:
        """The front: the handle as it is. It is pintle.Stale once the handle has other memory after a loss."""
        return self._side("pintle_state_view")

    def next(self) -> View:
        """The back: the handle as it will be after flip(). The first call allocates it, with undefined contents. pintle.Stale for a stale handle;
        else as Device.empty."""
        return self._side("pintle_state_next")

    def flip(self) -> None:
        """Exchanges the back and the front, on the host only: nothing is copied, submitted or waited for. Views keep the memory that they had.
        pintle.InvalidArgument where there is no back; pintle.Stale for a stale handle."""
        with _native.turn(self._turns):
            call("pintle_state_flip", self._struct)

    def renew(self) -> None:
        """Gives a stale handle memory of the new generation with undefined contents; a shadow stays. Does nothing on any other."""
        with _native.turn(self._turns):
            call("pintle_state_renew", self._struct)

    def _submit(self, function: str, queue: Queue, timeout: float | None, *arguments: Any) -> Point:
        on = _c.pintle_queue(expect(queue, Queue, "The queue of a handle").handle)
        done = in_slices(lambda nanoseconds: _point(function, self._turns, queue, self._struct, on, *arguments, nanoseconds), timeout)
        note(self.view(), done)
        return done

    def write(self, queue: Queue, array: object, *, timeout: float | None = None) -> Point:
        """Replaces the whole front, after everything submitted to the queue before, and answers the point at which the bytes are there. The array, in
        C order, may change at once. With a host shadow it is a checkpoint as well, and blocks like one. A stale handle gets memory of the new
        generation first. pintle.InvalidArgument, with nothing written, for another dtype or size."""
        its, given = elements_of(array, None, "the array", self.dtype)
        memory, address, nbytes = pinned(its)
        return self._submit("pintle_state_write", queue, timeout, given.number, address, nbytes)

    def checkpoint(self, queue: Queue, *, timeout: float | None = None) -> Point:
        """Copies the front to the host, after everything submitted to the queue before. The copy becomes the shadow when the point is reached, so a
        loss before that leaves the shadow of before. Blocks while another copy is on its way, for `timeout` seconds at most; None: the library's
        default. pintle.InvalidArgument without a host shadow; pintle.Stale for a stale handle."""
        return self._submit("pintle_state_checkpoint", queue, timeout)

    def restore(self, queue: Queue, *, timeout: float | None = None) -> Point:
        """Puts back what is kept: the bytes of the last checkpoint or write whose point was reached, or what the function fills, whose exceptions
        come from here. A stale handle gets memory of the new generation, without a back; any other is restored in place. Blocks as checkpoint() does.
        Where nothing is kept: pintle.Stale for a stale handle, else pintle.InvalidArgument. After an error the handle is as before."""
        elements = None if self._filler is None else self._filler.prepare()
        done = self._submit("pintle_state_restore", queue, timeout)
        del elements
        return done

    def __repr__(self) -> str:
        return f"<pintle.Handle {self.name!r}: {self.dtype}{list(self.shape)} on {self.device.id}{' closed' if self.closed else ''}>"


def _point(function: str, turns: _native.Handle, queue: Queue, *arguments: Any) -> Point:
    """What a call submits to a queue."""
    done = struct(_c.pintle_point)
    with _native.turn(turns, queue):
        call(function, *arguments, byref(done))
    return Point(queue.signal, done.value)


class HandleSet(Owner, Mapping[str, Handle], kind=13):
    """Handles of one device by their names: a model's whole state. A call that concerns all of them is one submission, so it happens to all or to
    none. pintle.NotFound, which lists the names, for one that it does not have. A use after close() is pintle.Stale."""

    def __init__(self, handles: Iterable[Handle] = ()) -> None:
        made = _c.pintle_state_set()
        call("pintle_state_set_create", byref(made))
        super().__init__(made.id)
        self._handles: dict[str, Handle] = {}
        for each in handles:
            self.add(each)

    @property
    def _struct(self) -> _c.pintle_state_set:
        return _c.pintle_state_set(self.handle)

    def add(self, handle: Handle) -> None:
        """Adds a handle, whose memory stays with the set from now on. No other thread may use the handle meanwhile. pintle.InvalidArgument for a name
        that is there already, and for a handle of a set."""
        expect(handle, Handle, "What add() takes")
        with _native.turn(self._held, handle._held):
            call("pintle_state_set_add", self._struct, handle._struct)
            handle._turns = self._held
            self._handles[handle.name] = handle

    def __getitem__(self, name: str) -> Handle:
        if name in self._handles:
            return self._handles[name]
        with _native.turn(self._held):
            call("pintle_state_set_find", self._struct, encoded(name), byref(_c.pintle_state()))
        raise errors.NotFound(f"The set has no handle of the name ({name!r:.80}).")

    def get(self, name: str, default: Any = None) -> Any:
        """The handle of a name, or `default` where there is none."""
        return self._handles.get(name, default)

    def __contains__(self, name: object) -> bool:
        return name in self._handles

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._handles))

    def __len__(self) -> int:
        return len(self._handles)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def _noted(self, done: Point) -> Point:
        for each in self._handles.values():
            if not each.stale:
                note(each.view(), done)
        return done

    def _submit(self, function: str, queue: Queue, timeout: float | None) -> Point:
        on = _c.pintle_queue(expect(queue, Queue, "The queue of a set").handle)
        return self._noted(in_slices(lambda nanoseconds: _point(function, self._held, queue, self._struct, on, nanoseconds), timeout))

    def checkpoint(self, queue: Queue, *, timeout: float | None = None) -> Point:
        """Makes a checkpoint of every handle with a host shadow, at one point: after a loss all of them go back to the same one. Blocks as
        Handle.checkpoint does."""
        return self._submit("pintle_state_set_checkpoint", queue, timeout)

    def restore(self, queue: Queue, *, timeout: float | None = None) -> Point:
        """Restores each handle by its `keep`. pintle.Stale lists those of lost(), and then none is restored: write or renew them first. A handle that
        is not stale and has nothing kept stays as it is."""
        elements = [each._filler.prepare() for each in self._handles.values() if each._filler is not None]
        done = self._submit("pintle_state_set_restore", queue, timeout)
        del elements
        return done

    def lost(self) -> tuple[str, ...]:
        """The names of the handles that are stale and have nothing kept."""
        names, count = POINTER(c_char_p)(), c_size_t()
        with _native.turn(self._held):
            call("pintle_state_set_lost", self._struct, byref(names), byref(count))
            return tuple((names[i] or b"").decode("utf-8", "replace") for i in range(count.value))

    def save(self, queue: Queue, path: str | PathLike[str], *, timeout: float | None = None) -> None:
        """Writes the front of every handle to a safetensors file, as it is after everything submitted to the queue before. The file appears whole or
        not at all, also where it replaces an old one. Blocks for `timeout` seconds at most; None: the library's default. pintle.Stale for a stale
        handle; pintle.InvalidArgument for a bool that is neither 0 nor 1; pintle.IOFailed."""
        on, text = _c.pintle_queue(expect(queue, Queue, "The queue of save()").handle), path_bytes(path)
        left = waited(queue, timeout)
        with _native.turn(self._held, queue):
            call("pintle_state_set_save", self._struct, on, text, left)

    def load(self, queue: Queue, path: str | PathLike[str], *, reuse_last: Iterable[str] = (), ignore: Iterable[str] = (),
             timeout: float | None = None) -> Point:
        """Writes every handle from a safetensors file, as Handle.write does. The file has a tensor for each handle, of its dtype and shape, and no
        other; handles of `reuse_last` may be missing, and tensors of `ignore` are left out. After an error nothing is written: pintle.NotFound lists
        the names that are missing on either side, pintle.InvalidArgument has both dtypes or shapes. The file must not be cut short before the point
        is reached. Blocks while the queue is full, for `timeout` seconds at most; Ctrl-C waits for it."""
        on, text = _c.pintle_queue(expect(queue, Queue, "The queue of load()").handle), path_bytes(path)
        lists = [[encoded(each) for each in names] for names in (reuse_last, ignore)]
        arrays = [(c_char_p * len(names))(*names) for names in lists]
        options = struct(_c.pintle_state_load_options, reuse_last=cast(arrays[0], POINTER(c_char_p)), reuse_last_count=len(lists[0]),
                         ignore=cast(arrays[1], POINTER(c_char_p)), ignore_count=len(lists[1]))
        return self._noted(_point("pintle_state_set_load", self._held, queue, self._struct, on, text, byref(options), _native.nanoseconds(timeout)))

    def __repr__(self) -> str:
        return f"<pintle.HandleSet of {', '.join(self)}{' closed' if self.closed else ''}>"
