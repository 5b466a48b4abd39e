"""Plans: where values lie in an arena, in bytes and without a device."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from ctypes import POINTER, byref, c_uint32, c_uint64, cast

from pintle import _c, _native, errors
from pintle._call import call, decoded, encoded, expect, one_of, option_nanoseconds, struct, u32, u64
from pintle._records import NamedTuple
from pintle.packs import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pintle.devices import Device

KIND = 10  # of the handle
_ASSIGNMENTS = {_c.PINTLE_ASSIGNMENT_PLANNED: "planned", _c.PINTLE_ASSIGNMENT_FIXED: "fixed", _c.PINTLE_ASSIGNMENT_EXTERNAL: "external"}
_NUMBERS = {word: number for number, word in _ASSIGNMENTS.items()}


class PlanValue:
    """A value to lay out. `nbytes` is its size, and its offset is a multiple of `alignment`, a power of two. It is in use from step `lower` on, and
    no more at step `upper`; where the problem has a relation of steps, `uses` lists those that use it. `persistent`: it is in use at all steps. `at`:
    the chunk and the offset where it lies already. `external`: it takes no bytes of the arena."""

    def __init__(self, name: str, nbytes: int, *, alignment: int = 1, lower: int = 0, upper: int = 1, uses: Iterable[int] = (),
                 persistent: bool = False, at: tuple[int, int] | None = None, external: bool = False) -> None:
        self.name, self.nbytes, self.alignment = name, u64(nbytes, "size of a value"), u64(alignment, "alignment of a value")
        self.lower, self.upper = u64(lower, "first step of a value"), u64(upper, "end of a value")
        self.uses, self.persistent, self.at, self.external = tuple(uses), persistent, at, external
        if at is not None and external:
            raise errors.InvalidArgument(f"[Value {name!r}] has a place and is external.")

    def _struct(self) -> _c.pintle_plan_value:
        uses = _u32s(self.uses, "step")
        its = struct(_c.pintle_plan_value, name=encoded(self.name), bytes=self.nbytes, alignment=self.alignment, lower=self.lower, upper=self.upper,
                     uses=cast(uses, POINTER(c_uint32)), use_count=len(uses))
        its.lifetime = _c.PINTLE_LIFETIME_PERSISTENT if self.persistent else _c.PINTLE_LIFETIME_STEPS
        its.assignment = _c.PINTLE_ASSIGNMENT_PLANNED
        if self.external:
            its.assignment = _c.PINTLE_ASSIGNMENT_EXTERNAL
        if self.at is not None:
            chunk, offset = self.at
            its.assignment, its.chunk, its.offset = _c.PINTLE_ASSIGNMENT_FIXED, u32(chunk, "chunk"), u64(offset, "offset")
        return its

    def __repr__(self) -> str:
        return f"pintle.PlanValue({self.name!r}, {self.nbytes}, alignment={self.alignment}, lower={self.lower}, upper={self.upper})"


def _u32s(values: Iterable[object], what: str) -> Any:
    numbers = [u32(each, what) for each in values]
    return (c_uint32 * len(numbers))(*numbers)


class PlannedValue(NamedTuple):
    """The place of a value."""

    name: str
    nbytes: int
    alignment: int  # bytes
    assignment: str  # "planned", "fixed" or "external", which has no place
    chunk: int
    offset: int  # bytes from the beginning of its chunk


class PlanProblem:
    """Values to lay out, and the rules. `in_place`: pairs of names (from, to): `to` may begin where `from` does if the last use of `from` is the
    first of `to`, and it is not larger. `steps`: the number of steps of a relation, whose pairs (earlier, later) are `before`; 0: the steps are one
    line of time. `largest_chunk`: bytes of the largest allocation; None: no limit. A name that occurs twice or that no value has is
    pintle.InvalidArgument."""

    def __init__(self, values: Iterable[PlanValue], *, in_place: Iterable[tuple[str, str]] = (), steps: int = 0,
                 before: Iterable[tuple[int, int]] = (), largest_chunk: int | None = None) -> None:
        self.values = tuple(expect(each, PlanValue, "A value of a problem") for each in values)
        places = {each.name: i for i, each in enumerate(self.values)}
        pairs = [self._place(places, name) for pair in in_place for name in pair]
        orders = [step for pair in before for step in pair]
        if len(pairs) % 2 or len(orders) % 2:
            raise errors.InvalidArgument("in_place and before are pairs.")
        self._structs = (_c.pintle_plan_value * len(self.values))(*(each._struct() for each in self.values))
        self._pairs, self._orders = _u32s(pairs, "value"), _u32s(orders, "step")
        self._problem = struct(_c.pintle_plan_problem, steps=u32(steps, "number of steps"), values=self._structs, value_count=len(self.values),
                               in_place=cast(self._pairs, POINTER(c_uint32)), in_place_count=len(pairs) // 2,
                               before=cast(self._orders, POINTER(c_uint32)), before_count=len(orders) // 2,
                               largest_chunk=0 if largest_chunk is None else u64(largest_chunk, "largest chunk"))

    @staticmethod
    def _place(places: Mapping[str, int], name: str) -> int:
        if name not in places:
            raise errors.InvalidArgument(f"The name ({name!r:.80}) is that of no value of the problem.")
        return places[name]

    def lay_out(self, time: float | None = None, nodes: int = 0, enough: int = 0) -> Plan:
        """The best of several greedy plans. `time`, in seconds, or `nodes` let an exact search look for a smaller one, until it has a total of at
        most `enough` bytes; with nodes alone the plan is the same on every machine. Blocks for as long as `time` says. pintle.InvalidArgument names
        the values or steps that cannot be."""
        budget = struct(_c.pintle_plan_budget, time=0 if time is None else option_nanoseconds(time), nodes=u64(nodes, "number of nodes"),
                        enough=u64(enough, "total that is enough"))
        made = _c.pintle_plan()
        call("pintle_plan_lay_out", byref(self._problem), byref(budget), byref(made))
        return Plan(made.id)

    def check(self, plan: Plan) -> None:
        """Checks by a sweep of its own that the plan is right for the problem. pintle.InvalidArgument names the two values that overlap, or the one
        that is misaligned, outside its chunk or not where it is fixed."""
        call("pintle_plan_check", expect(plan, Plan, "The plan of check()")._struct, byref(self._problem))

    def picture(self, plan: Plan) -> str:
        """The plan as an SVG picture: lifetimes from left to right, offsets from the bottom up."""
        return text_of("pintle_plan_picture", expect(plan, Plan, "The plan of picture()")._struct, byref(self._problem))

    def __repr__(self) -> str:
        return f"<pintle.PlanProblem of {len(self.values)} values>"


class ArenaRequirements(NamedTuple):
    """The memory that an arena takes from a device."""

    total: int  # bytes of all chunks
    largest_chunk: int  # bytes
    alignment: int  # bytes, of each chunk


def requirements_of(function: str, *arguments: object) -> ArenaRequirements:
    its = struct(_c.pintle_arena_requirements)
    call(function, *arguments, byref(its))
    return ArenaRequirements(its.total, its.largest_chunk, its.alignment)


class Plan(_native.Handle, Mapping[str, PlannedValue]):
    """Where each value of a problem lies, by name. PlanProblem.lay_out, Plan.create and parse_plan make one; Device.arena makes the memory. `str()`
    is the text that parse_plan reads. A use after close() is pintle.Stale."""

    def __new__(cls, handle: int) -> Plan:
        return super().__new__(cls, handle, KIND)

    @classmethod
    def create(cls, values: Iterable[PlannedValue], chunks: Iterable[int], lower_bound: int = 0) -> Plan:
        """A plan of places that the caller has found; `chunks` has the bytes of each chunk. pintle.InvalidArgument for a name that occurs twice, a
        value that is misaligned or leaves its chunk, and a bound beyond the total."""
        structs = [struct(_c.pintle_planned_value, name=encoded(each.name), bytes=u64(each.nbytes, "size of a value"),
                          offset=u64(each.offset, "offset"), alignment=u64(each.alignment, "alignment of a value"),
                          chunk=u32(each.chunk, "chunk"), assignment=one_of(each.assignment, _NUMBERS, "assignment")) for each in values]
        sizes = [u64(each, "size of a chunk") for each in chunks]
        made = _c.pintle_plan()
        call("pintle_plan_create", (_c.pintle_planned_value * len(structs))(*structs), len(structs), (c_uint64 * len(sizes))(*sizes), len(sizes),
             u64(lower_bound, "lower bound"), byref(made))
        return cls(made.id)

    @property
    def _struct(self) -> _c.pintle_plan:
        return _c.pintle_plan(self.handle)

    @property
    def _info(self) -> _c.pintle_plan_info:
        info = struct(_c.pintle_plan_info)
        call("pintle_plan_get_info", self._struct, byref(info))
        return info

    @property
    def total(self) -> int:
        """Bytes of all chunks together."""
        return self._info.total

    @property
    def lower_bound(self) -> int:
        """Bytes: no plan of the problem has a smaller total."""
        return self._info.lower_bound

    @property
    def is_optimal(self) -> bool:
        """Whether the total is the lower bound."""
        return bool(self._info.is_optimal)

    @property
    def chunks(self) -> tuple[int, ...]:
        """Bytes of each chunk, which is one allocation of an arena."""
        info = self._info
        return tuple(info.chunks[:info.chunk_count])

    def requirements(self, device: Device) -> ArenaRequirements:
        """The memory that an arena of the plan would take; nothing is allocated. pintle.InvalidArgument for an alignment beyond 4096 bytes."""
        return requirements_of("pintle_plan_get_requirements", self._struct, _c.pintle_device(device.handle))

    def can_fit(self, device: Device) -> None:
        """Checks that an arena of the plan can be made now; nothing is allocated. pintle.Unsupported for a chunk beyond the device's largest
        allocation, pintle.OutOfMemory where the whole exceeds the free bytes of the roomiest heap, pintle.InvalidArgument for an offset that a kernel
        cannot bind."""
        call("pintle_plan_can_fit", self._struct, _c.pintle_device(device.handle))

    def _value(self, index: int) -> PlannedValue:
        its = struct(_c.pintle_planned_value)
        call("pintle_plan_get_value", self._struct, index, byref(its))
        return PlannedValue(decoded(its.name), its.bytes, its.alignment, _ASSIGNMENTS[its.assignment], its.chunk, its.offset)

    def __getitem__(self, name: str) -> PlannedValue:
        """The place of a value. pintle.NotFound for a name that the plan does not have."""
        index = c_uint32()
        call("pintle_plan_find", self._struct, encoded(name), byref(index))
        return self._value(index.value)

    def get(self, name: str, default: Any = None) -> Any:
        """The place of a value, or `default` where there is none of this name."""
        return self[name] if name in self else default

    def __contains__(self, name: object) -> bool:
        return name in tuple(self)

    def __iter__(self) -> Iterator[str]:
        return iter([self._value(i).name for i in range(len(self))])

    def __len__(self) -> int:
        return self._info.value_count

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __str__(self) -> str:
        return repr(self) if self.closed else text_of("pintle_plan_text", self._struct)

    def __repr__(self) -> str:
        return "<pintle.Plan closed>" if self.closed else f"<pintle.Plan of {len(self)} values in {self.total} bytes>"


def parse_plan(text: str) -> Plan:
    """Reads the text of a plan. pintle.InvalidArgument names the line of the mistake."""
    made = _c.pintle_plan()
    call("pintle_plan_parse", encoded(text), byref(made))
    return Plan(made.id)
