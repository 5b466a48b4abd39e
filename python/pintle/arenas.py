"""Arenas: memory of a device that a plan has laid out. Whole values are fed and read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from ctypes import byref, c_uint32

from pintle import _c, _native, errors
from pintle._call import call, decoded, encoded, expect, in_slices, one_of, struct, waited
from pintle._records import NamedTuple
from pintle.conversions import Conversion
from pintle.dtypes import DType, dtype_of, numbered
from pintle.hosts import elements_of, pinned, shape_of
from pintle.lent import Lent, Owner, note
from pintle.listing import words
from pintle.plans import ArenaRequirements, Plan, requirements_of
from pintle.points import Point
from pintle.queues import Queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy

    from pintle.buffers import View
    from pintle.devices import Device

_PLACEMENTS = words("PINTLE_PLACEMENT_")


class ArenaValue(NamedTuple):
    """A value of an arena."""

    name: str
    dtype: DType
    shape: tuple[int, ...]  # outermost dimension first


class Arena(Owner, kind=11):
    """Memory that a plan has laid out. Device.arena makes one. Two values that are never in use at one time may share bytes, so a value holds what
    was last written to it or to one that shares its bytes. A use after close() is pintle.Stale."""

    device: Device

    def __init__(self, handle: int, device: Device, plan: Plan) -> None:
        super().__init__(handle)
        self.device = device
        self._lent = Lent(self._held, device, len(plan))
        self._found: dict[str, tuple[int, ArenaValue]] = {}

    @property
    def _struct(self) -> _c.pintle_arena:
        return _c.pintle_arena(self.handle)

    @property
    def requirements(self) -> ArenaRequirements:
        """The memory that was allocated."""
        return requirements_of("pintle_arena_get_requirements", self._struct)

    def _find(self, name: str) -> tuple[int, ArenaValue]:
        found = self._found.get(name)
        if found is None:
            index, its = c_uint32(), struct(_c.pintle_arena_value)
            call("pintle_arena_find", self._struct, encoded(name), byref(index))
            call("pintle_arena_get_value", self._struct, index, byref(its))
            found = self._found[name] = (index.value, ArenaValue(decoded(its.name), numbered(its.dtype), tuple(its.dims[:its.rank])))
        return found

    def value(self, name: str) -> ArenaValue:
        """The dtype and shape of a value. pintle.NotFound for a name that the plan does not have, and for an external value."""
        return self._find(name)[1]

    def view(self, name: str) -> View:
        """A value's bytes, for kernels and commands. The view keeps the memory, unless the arena is closed. pintle.NotFound as for value();
        pintle.InvalidArgument for a value of 0 bytes."""
        index, value = self._find(name)
        view = struct(_c.pintle_view)
        call("pintle_arena_view", self._struct, index, byref(view))
        return self._lent.view(view, value.dtype, value.shape)

    def feed(self, queue: Queue, name: str, array: object, dtype: object = None, *, convert: Conversion | None = None,
             timeout: float | None = None) -> Point:
        """Writes a whole value: after everything submitted to the queue before, and before everything submitted next. The array, in C order, may
        change when this returns; the point is reached when the bytes are there. `dtype` says what the array's elements are, where that is a dtype
        that NumPy does not have; bits of the value's own need none. `convert` converts them to the value's dtype. Blocks while the queue is full, and
        for a value of more than 256 KiB that the host can address until the queue's work is done, for `timeout` seconds at most; None: the library's
        default. pintle.InvalidArgument, with nothing written, for another dtype, an element too many or too few, one beyond the range under
        overflow="error", and a queue of another device; pintle.NotFound as for value()."""
        index, value = self._find(name)
        on = _c.pintle_queue(expect(queue, Queue, "The queue of feed()").handle)
        its, given = elements_of(array, dtype, "the array", value.dtype)
        how = None if convert is None else byref(expect(convert, Conversion, "convert")._struct(given, value.dtype))
        memory, address, nbytes = pinned(its)

        def attempt(nanoseconds: int) -> Point:
            done = struct(_c.pintle_point)
            with _native.turn(self._held, queue):
                call("pintle_arena_feed", self._struct, on, index, given.number, address, nbytes, how, nanoseconds, byref(done))
            return Point(queue.signal, done.value)

        done = in_slices(attempt, timeout)
        if nbytes != 0:
            note(self.view(name), done)
        return done

    def read(self, queue: Queue, name: str, dtype: object = None, *, convert: Conversion | None = None,
             timeout: float | None = None) -> numpy.ndarray[Any, Any]:
        """A copy of a whole value, as it is when everything submitted to the queue before is done, as an array of the value's shape. `convert`
        converts the elements to `dtype`; None: the value's. bf16 and f8 come as their bits, uint16 and uint8. Blocks for `timeout` seconds at most;
        None: the library's default. pintle.InvalidArgument for another dtype without a conversion, an element beyond the range under
        overflow="error", and a queue of another device; pintle.NotFound as for value()."""
        import numpy
        index, value = self._find(name)
        on = _c.pintle_queue(expect(queue, Queue, "The queue of read()").handle)
        wanted = value.dtype if dtype is None else dtype_of(dtype)
        how = None if convert is None else byref(expect(convert, Conversion, "convert")._struct(value.dtype, wanted))
        elements: numpy.ndarray[Any, Any] = numpy.empty(value.shape, wanted.numpy)
        left = waited(queue, timeout)
        with _native.turn(queue):
            call("pintle_arena_read", self._struct, on, index, wanted.number, elements.ctypes.data, elements.nbytes, how, left)
        return elements

    def __repr__(self) -> str:
        return f"<pintle.Arena of {self.device.id}{' closed' if self.closed else ''}>"


def create(device: Device, plan: Plan, values: Mapping[str, tuple[object, int | Sequence[int]]], placement: str, label: str | None) -> Arena:
    """What Device.arena answers."""
    expect(plan, Plan, "The plan of arena()")
    structs = []
    for name, (dtype, shape) in values.items():
        sides = shape_of(shape)
        its = struct(_c.pintle_arena_value, dtype=dtype_of(dtype).number, name=encoded(name), rank=len(sides))
        if len(sides) > len(its.dims):
            raise errors.InvalidArgument(f"The shape of [Value {name!r}] has {len(sides)} dimensions, and at most {len(its.dims)} are possible.")
        its.dims[:len(sides)] = sides
        structs.append(its)
    options = struct(_c.pintle_arena_options, placement=one_of(placement, _PLACEMENTS, "placement"), label=encoded(label))
    made = _c.pintle_arena()
    call("pintle_arena_create", _c.pintle_device(device.handle), plan._struct, (_c.pintle_arena_value * len(structs))(*structs), len(structs),
         byref(options), byref(made))
    return Arena(made.id, device, plan)
