"""What devices there are: the facts about each, and why others are absent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ctypes import byref, c_char_p, c_size_t, sizeof

from pintle import _c
from pintle._call import call, decoded, one_of, struct
from pintle._records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, overload


def words(prefix: str) -> dict[str, int]:
    """The numbers of an enum of the C interface, by the ends of their names."""
    return {name.removeprefix(prefix).lower(): number for name, number in vars(_c).items() if name.startswith(prefix)}


_KINDS = {number: word for word, number in words("PINTLE_DEVICE_").items()}
_FEATURES = words("PINTLE_FEATURE_")
_SUPPORTS = {number: word for word, number in words("PINTLE_SUPPORT_").items()}
_ASKED = ("formats", "absent_formats", "targets", "capabilities")  # facts that functions have, and not the struct


class Capability(NamedTuple):
    """How a device supports a feature. It is true unless the feature is absent."""

    support: str  # "native", "emulated" or "absent"
    detail: str  # emulated: how, and at what cost; absent: why

    def __bool__(self) -> bool:
        return self.support != "absent"


class AbsentFormat(NamedTuple):
    """A program format that a device would take, were all there that it needs."""

    format: str  # "opencl_c"
    reason: str  # what is missing, with the next step


class DeviceInfo(NamedTuple):
    """The facts about a device."""

    id: str  # "cpu", "vulkan:0": pintle.open takes it
    kind: str  # "cpu", "discrete_gpu", "integrated_gpu", "accelerator", "software" or "simulated"
    backend: str
    uuid: str  # empty where the driver gives none
    name: str
    driver: str  # the driver's name and version
    target: str  # what native code is built for: "x86_64-linux"
    max_allocation: int  # bytes of one buffer
    max_binding: int  # bytes of one kernel argument's range
    offset_alignment: int  # bytes: the offset of a kernel argument is a multiple of it
    max_groups: tuple[int, int, int]  # work-groups of a launch
    max_group: tuple[int, int, int]  # work-items of a group, by dimension
    max_group_items: int  # work-items of a group in all
    max_local_bytes: int  # bytes of scratch memory of a group
    max_buffers: int  # buffers that a kernel takes
    max_scalar_bytes: int  # bytes of the scalars that a kernel takes
    max_in_flight: int  # unfinished submissions of one queue; a submission waits for room
    min_subgroup: int  # work-items of a subgroup
    max_subgroup: int
    is_driven: bool  # only a thread that submits, waits or polls makes progress
    nanoseconds_per_tick: float  # of the device clock, which timestamps read
    formats: tuple[str, ...]  # of programs that the device takes, best first
    absent_formats: tuple[AbsentFormat, ...]  # those that it would take, and what is missing
    targets: tuple[str, ...]  # that it takes besides `target`, best first, and better: "x86_64-v4-linux"
    capabilities: tuple[tuple[str, Capability], ...]  # of each feature

    def supports(self, feature: str) -> Capability:
        """How the device supports a feature: "copy_queue", "timestamp", "indirect", "images" ... pintle.InvalidArgument lists them."""
        one_of(feature, _FEATURES, "feature")
        return dict(self.capabilities)[feature]


class Absence(NamedTuple):
    """Why a backend has no device here."""

    backend: str
    reason: str
    next_step: str  # what to do about it


class DeviceList(Sequence[DeviceInfo]):
    """The devices that can be opened, and in `absences` why others cannot. Printed, it is a table."""

    def __init__(self, found: Iterable[DeviceInfo], absences: Iterable[Absence]) -> None:
        self._found = tuple(found)
        self.absences = list(absences)

    if TYPE_CHECKING:
        @overload
        def __getitem__(self, index: int) -> DeviceInfo: ...
        @overload
        def __getitem__(self, index: slice) -> Sequence[DeviceInfo]: ...

    def __getitem__(self, index: int | slice) -> DeviceInfo | Sequence[DeviceInfo]:
        return self._found[index]

    def __len__(self) -> int:
        return len(self._found)

    def __str__(self) -> str:
        rows = [("device", "kind", "name"), *((each.id, each.kind, each.name) for each in self._found),
                *((each.backend, "absent", f"{each.reason} {each.next_step}") for each in self.absences)]
        widths = [max(len(row[i]) for row in rows) for i in range(2)]
        return "\n".join(f"{row[0]:<{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]}" for row in rows)

    def __repr__(self) -> str:
        return f"<pintle.DeviceList: {', '.join(each.id for each in self._found)}>"


def _texts(function: str, count: str, *where: object) -> tuple[str, ...]:
    """The names that a function has by number."""
    number, names = c_size_t(), []
    call(count, *where, byref(number))
    for i in range(number.value):
        name = c_char_p()
        call(function, *where, i, byref(name))
        names.append(decoded(name.value))
    return tuple(names)


def _absent_formats(prefix: str, *where: object) -> tuple[AbsentFormat, ...]:
    number, found = c_size_t(), []
    call(f"{prefix}_absent_format_count", *where, byref(number))
    for i in range(number.value):
        its = struct(_c.pintle_absent_format)
        call(f"{prefix}_absent_format", *where, i, byref(its))
        found.append(AbsentFormat(decoded(its.format), decoded(its.reason)))
    return tuple(found)


def _capability(its: _c.pintle_capability) -> Capability:
    return Capability(_SUPPORTS[its.support], decoded(its.detail))


def capability_of(feature: str, prefix: str, *where: object) -> Capability:
    """How a device supports a feature. pintle.InvalidArgument lists the features."""
    number, its = one_of(feature, _FEATURES, "feature"), struct(_c.pintle_capability)
    call(f"{prefix}_capability", *where, number, byref(its))
    return _capability(its)


def capabilities_of(device: _c.pintle_device) -> tuple[tuple[str, Capability], ...]:
    """How a device supports each feature."""
    found, count = (_c.pintle_capability * len(_FEATURES))(), c_size_t()
    found[0].size = sizeof(_c.pintle_capability)
    call("pintle_device_capabilities", device, found, len(found), byref(count))
    return tuple((feature, _capability(found[number - 1])) for feature, number in _FEATURES.items())


def facts_of(info: _c.pintle_device_info) -> dict[str, Any]:
    """The facts about a device that the struct has."""
    facts: dict[str, Any] = {}
    for name in DeviceInfo._fields:
        if name not in _ASKED:
            value = getattr(info, name)
            facts[name] = decoded(value) if isinstance(value, bytes) or value is None else value
    facts.update(kind=_KINDS.get(info.kind, str(info.kind)), max_groups=tuple(info.max_groups), max_group=tuple(info.max_group),
                 is_driven=bool(info.is_driven))
    return facts


def info_of(facts: dict[str, Any], capabilities: tuple[tuple[str, Capability], ...], prefix: str, *where: object) -> DeviceInfo:
    """All facts; functions of C that begin with `prefix` have those that are not in the struct, of what is at `where`."""
    return DeviceInfo(**facts, formats=_texts(f"{prefix}_format_name", f"{prefix}_format_count", *where),
                      absent_formats=_absent_formats(prefix, *where), targets=_texts(f"{prefix}_target_name", f"{prefix}_target_count", *where),
                      capabilities=capabilities)


def _listed(found: _c.pintle_device_list, index: int) -> DeviceInfo:
    info = struct(_c.pintle_device_info)
    call("pintle_device_list_device", found, index, byref(info))
    capabilities = tuple((feature, capability_of(feature, "pintle_device_list", found, index)) for feature in _FEATURES)
    return info_of(facts_of(info), capabilities, "pintle_device_list", found, index)


def _absence(found: _c.pintle_device_list, index: int) -> Absence:
    absence = struct(_c.pintle_absence)
    call("pintle_device_list_absence", found, index, byref(absence))
    return Absence(decoded(absence.backend), decoded(absence.reason), decoded(absence.next_step))


def devices() -> DeviceList:
    """Lists the devices that can be opened, and why others cannot. Opens nothing. Blocks while drivers are asked."""
    found = _c.pintle_device_list()
    call("pintle_devices_list", byref(found))
    try:
        counts = c_size_t(), c_size_t()
        call("pintle_device_list_count", found, byref(counts[0]), byref(counts[1]))
        return DeviceList([_listed(found, i) for i in range(counts[0].value)], [_absence(found, i) for i in range(counts[1].value)])
    finally:
        call("pintle_device_list_release", found)
