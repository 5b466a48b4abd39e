"""Devices: opening them, and all that is made on one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from ctypes import byref, c_size_t, c_uint64
from os import PathLike

from pintle import _c, _native, buffers, errors, hosts, programs, queues
from pintle._call import call, decoded, encoded, one_of, option_nanoseconds, path_bytes, struct, u64
from pintle._records import NamedTuple
from pintle.buffers import Buffer, View
from pintle.dtypes import dtype_of
from pintle.listing import Capability, DeviceInfo, capabilities_of, capability_of, facts_of, info_of, words
from pintle.packs import Pack
from pintle.programs import Program
from pintle.queues import Queue
from pintle.recordings import Recording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pintle.arenas import Arena
    from pintle.commands import Command
    from pintle.images import Image, ImageLimits, TexelSupport
    from pintle.natives import NativeDevice, NativeMemory, NativeQueue
    from pintle.plans import Plan
    from pintle.pools import Pool, PoolExhaustion

KIND = 1  # of the handle
_PLACEMENTS = words("PINTLE_PLACEMENT_")
_ALLOCATIONS = words("PINTLE_ALLOCATION_")


class Heap(NamedTuple):
    """Memory that a device allocates from, at one moment."""

    name: str
    total: int  # bytes
    available: int | None  # bytes that are free for this process, as far as the driver tells; None: it does not
    used: int  # bytes that this device holds
    source: str  # where the figures come from: "/proc/meminfo", "VK_EXT_memory_budget"


def open(id: str = "best", pack: Pack | None = None) -> Device:
    """Opens a device by its id; "best" is the one that PINTLE_DEVICE names, else the best hardware, else "cpu". With a pack: one that takes a
    variant of it. pintle.InvalidArgument for an id that does not parse; pintle.Unavailable, with the valid ids, where there is none."""
    if not isinstance(id, str) or not (pack is None or isinstance(pack, Pack)):
        raise TypeError(f"open() takes an id, which is a str, and a pack, not a {type(id).__name__} and a {type(pack).__name__}.")
    made = _c.pintle_device()
    if pack is None:
        call("pintle_device_open", encoded(id), byref(made))
    else:
        call("pintle_device_open_for", encoded(id), _c.pintle_pack(pack.handle), byref(made))
    return Device(made.id)


class Device(_native.Handle):
    """A device that is open. What is made on it keeps it open. Any thread may use it."""

    def __new__(cls, handle: int) -> Device:
        return super().__new__(cls, handle, KIND)

    def __init__(self, handle: int) -> None:
        self._queue: Queue | None = None
        self._ask()

    @property
    def _struct(self) -> _c.pintle_device:
        return _c.pintle_device(self.handle)

    def _ask(self) -> None:
        info = struct(_c.pintle_device_info)
        call("pintle_device_get_info", self._struct, byref(info))
        self._facts = facts_of(info)
        self._info: DeviceInfo | None = None

    @property
    def info(self) -> DeviceInfo:
        """The facts about the device. They are asked for at the first use, and stay after close()."""
        info = self._info
        if info is None:
            info = self._info = info_of(self._facts, capabilities_of(self._struct), "pintle_device", self._struct)
        return info

    @property
    def id(self) -> str:
        """What pintle.open takes for this device."""
        return str(self._facts["id"])

    @property
    def name(self) -> str:
        """What the hardware is called."""
        return str(self._facts["name"])

    @property
    def _backend(self) -> str:
        return str(self._facts["backend"])

    @property
    def _is_driven(self) -> bool:
        return bool(self._facts["is_driven"])

    @property
    def generation(self) -> int:
        """The number of the current generation, which rises by one with each recovery."""
        number = c_uint64()
        call("pintle_device_generation", self._struct, byref(number))
        return number.value

    def supports(self, feature: str) -> Capability:
        """How the device supports a feature: "copy_queue", "timestamp", "indirect", "host_import", "mapped_memory" ... pintle.InvalidArgument lists
        them."""
        return capability_of(feature, "pintle_device", self._struct)

    def budget(self) -> tuple[Heap, ...]:
        """The total, available and used bytes of each heap of the device now."""
        found, count, heaps = _c.pintle_heap_list(), c_size_t(), []
        call("pintle_device_budget", self._struct, byref(found))
        try:
            call("pintle_heap_list_count", found, byref(count))
            for i in range(count.value):
                its = struct(_c.pintle_heap)
                call("pintle_heap_list_heap", found, i, byref(its))
                heaps.append(Heap(decoded(its.name), its.total, its.available if its.is_available_known else None, its.used, decoded(its.source)))
        finally:
            call("pintle_heap_list_release", found)
        return tuple(heaps)

    @property
    def native(self) -> NativeDevice:
        """What lies behind the device: a CpuDevice, a CudaDevice, a HipDevice, an OpenClDevice or a VulkanDevice. It belongs to the device, and is
        valid while that is open. pintle.Unsupported on another backend."""
        from pintle import natives
        return natives.device_of(self)

    def queue(self, kind: str = "compute", label: str | None = None) -> Queue:
        """A queue for kernels and copies ("compute") or for copies alone ("copy"). pintle.Unsupported for a kind that the device does not have."""
        return queues.create(self, kind, label, self)

    def wrap_queue(self, native: NativeQueue | int, kind: str = "compute", label: str | None = None) -> Queue:
        """A queue over a native one of this device's context: a CudaQueue, a HipQueue, an OpenClQueue or a VulkanQueue; on cuda and hip also the
        stream's number (0: the default stream), on opencl the cl_command_queue's. It stays the caller's, and outlives the last submission. Its last
        point is behind what the caller has put into it: `queue.launch(..., after=[device.wrap_queue(stream).submit()])`. pintle.InvalidArgument,
        with the reason, for one that does not fit; pintle.Unsupported for one of another backend."""
        from pintle import natives
        return natives.wrap_queue(self, native, kind, label)

    def load(self, pack: Pack, constants: Mapping[str, object] = {}, macros: Mapping[str, object] = {},
             include: Iterable[str | PathLike[str]] = (), language: str | None = None, *, timeout: float | None = None) -> Program:
        """Loads the best variant of a pack. Blocks while it compiles. `constants` fixes numbers of the program; a source also has macros, folders for
        #include and a language ("CL2.0", "c17", "460"). `timeout`: seconds that loading may take where the driver loads on a thread of its device, behind
        a kernel that runs. pintle.BuildFailed says why each variant was refused, or has the log."""
        return programs.load(self, pack, constants, macros, include, language, timeout)

    def empty(self, shape: int | Sequence[int], dtype: object = "f32", *, placement: str = "device", allocation: str = "eager",
              alignment: int | None = None, label: str | None = None, timeout: float | None = None) -> Buffer:
        """A buffer with undefined contents. `placement` "host": in memory that the host can map. `allocation` "lazy": it gets its memory at its first
        use. `alignment`, in bytes, of its first byte: a power of two, at most 4096; None: the device's own. `timeout`: seconds that it
        may take where the driver waits for its device. pintle.OutOfMemory poisons nothing."""
        sides = hosts.shape_of(shape)
        options = struct(_c.pintle_buffer_options, placement=one_of(placement, _PLACEMENTS, "placement"),
                         allocation=one_of(allocation, _ALLOCATIONS, "allocation"), alignment=0 if alignment is None else u64(alignment, "alignment"),
                         label=encoded(label), timeout=option_nanoseconds(timeout))
        dims, made = hosts.dims_of(sides), _c.pintle_buffer()
        call("pintle_buffer_allocate", self._struct, dtype_of(dtype).number, len(sides), dims, byref(options), byref(made))
        return buffers.made(self, made.id)

    def map_file(self, path: str | PathLike[str], shape: int | Sequence[int], dtype: object = "f32", *, offset: int = 0,
                 label: str | None = None) -> Buffer:
        """A sealed buffer over a part of a file, from byte `offset` on. The file is mapped into memory, and read when the buffer is used; one that is
        cut short meanwhile kills the process. pintle.IOFailed for the file; pintle.InvalidArgument for a part beyond its end; else as wrap."""
        sides, made = hosts.shape_of(shape), _c.pintle_buffer()
        call("pintle_buffer_map_file", self._struct, path_bytes(path), u64(offset, "offset"), dtype_of(dtype).number, len(sides),
             hosts.dims_of(sides), encoded(label), byref(made))
        return buffers.made(self, made.id)

    def buffer(self, array: object, dtype: object = None, *, label: str | None = None) -> Buffer:
        """A buffer with a copy of an array, of what has the buffer protocol, or of numbers in lists. `dtype` converts the elements. Blocks until they
        are copied."""
        its = hosts.copied(array, dtype)
        made = self.empty(its.shape, its.dtype, label=label)
        self._write(made, its.memory)
        return made

    def wrap(self, array: object) -> Buffer:
        """A buffer over an array's own memory, which it keeps until the last use; sealed where the array is read-only. Points order what the host
        does with the elements before a submission, or after its point. pintle.InvalidArgument for an array that is not in C order;
        pintle.Unsupported where the device cannot use memory of the host in place."""
        its = hosts.in_place(array, "the array")
        handle = _native.host_import(self.handle, its.memory, its.dtype.number, its.shape)
        return buffers.made(self, handle)

    def wrap_memory(self, native: NativeMemory | int, shape: int | Sequence[int], dtype: object = "f32", *, nbytes: int | None = None,
                    owner: object = None, label: str | None = None) -> Buffer:
        """A buffer over native memory, without a copy: a CpuMemory, a CudaMemory, a HipMemory, an OpenClMemory or a VulkanMemory; on cpu, cuda and
        hip also the address of the first byte, on opencl the cl_mem. `nbytes`: how much memory is there, for a check. `owner` is kept until the last
        use; without one the caller keeps the memory until then. Two buffers over the same bytes are two memories: points order their commands.
        pintle.InvalidArgument, with the reason, for memory that does not fit; pintle.Unsupported for memory of another backend."""
        from pintle import natives
        return natives.wrap_memory(self, native, shape, dtype, nbytes, owner, label)

    def from_dlpack(self, tensor: object, copy: bool | None = None) -> Buffer:
        """A buffer over a tensor of another library, in memory of the host, or of the device itself on cuda and hip. `copy`: False: never; True:
        always; None: where the device cannot use the memory in place. Blocks until the producer's work on the tensor is done: of a type with
        DLPack 1.3's functions for C, what is in its current stream. Memory of a CUDA context belongs to it, and PyTorch and CuPy use the primary
        one: open "cuda:0?primary". Otherwise as wrap."""
        from pintle import dlpack
        return dlpack.taken(self, tensor, copy)

    def pool(self, *, cap: int | None = None, block: int | None = None, patience: float | None = None, scrub: str = "none",
             placement: str = "device", on_exhausted: Callable[[PoolExhaustion], object] | None = None, label: str | None = None) -> Pool:
        """Memory that is reused in the order of queues, for Queue.allocate. `cap`: the most bytes that the pool holds at any time; None: there is no
        cap. `block`: the least bytes that it takes from the device at a time; None: 2 MiB. `patience`: seconds that a request waits, where the pool
        has nothing, for memory that work in flight still uses; None: the library's default. `scrub` "zeros": buffers begin with zeros. `on_exhausted`
        is called on the requesting thread when nothing is left: it may close or free something, and True makes the pool try again; its exceptions go
        to the caller. pintle.InvalidArgument for a block beyond the cap."""
        from pintle import pools
        return pools.create(self, cap, block, patience, scrub, placement, on_exhausted, label)

    def arena(self, plan: Plan, values: Mapping[str, tuple[object, int | Sequence[int]]] = {}, *, placement: str = "device",
              label: str | None = None) -> Arena:
        """The memory of a plan, with undefined contents. `values` has the dtype and shape of each value by name; one that is not there is bytes (u8).
        pintle.NotFound for a name that the plan does not have; pintle.InvalidArgument for a dtype and shape whose bytes are not exactly the
        planned ones; else as Plan.can_fit. Where it fails, nothing is allocated."""
        from pintle import arenas
        return arenas.create(self, plan, values, placement, label)

    def image(self, size: Sequence[int], texel: str = "rgba8", *, access: str = "read_write", label: str | None = None,
              timeout: float | None = None) -> Image:
        """An image with undefined contents. `size` is (width, height) or (width, height, depth), in texels. `access`: what kernels will do with it,
        "read", "write" or "read_write". `timeout`: as in empty. pintle.Unsupported where the device has no such images, with those that it has;
        pintle.InvalidArgument for a side beyond the limit; pintle.NotFound for a texel that is none; pintle.OutOfMemory, which poisons nothing."""
        from pintle import images
        return images.create(self, size, texel, access, label, timeout)

    def texel_support(self, texel: str) -> TexelSupport:
        """What the device can do with a texel. pintle.NotFound lists the texels."""
        from pintle import images
        return images.support(self, texel)

    @property
    def image_limits(self) -> ImageLimits:
        """The device's limits on images and texel buffers."""
        from pintle import images
        return images.limits(self)

    def record(self, *commands: Command) -> Recording:
        """Checks and orders commands once, for Queue.replay."""
        return Recording(self, self.handle, commands)

    def poll(self) -> None:
        """Makes progress without blocking; a device with info.is_driven makes progress only in calls."""
        call("pintle_device_poll", self._struct)

    def wait_idle(self, timeout: float | None = None) -> None:
        """Blocks until everything that was submitted has ended, for `timeout` seconds at most; then raises the first failure among the queues."""
        _native.wait_idle(self, timeout)

    def health(self) -> None:
        """Raises the first cause of the device's loss; a healthy device: nothing."""
        call("pintle_device_health", self._struct)

    def recover(self) -> None:
        """Opens the next generation after a loss; objects of the old one are then pintle.Stale. Does nothing on a healthy device."""
        self._queue = None
        call("pintle_device_recover", self._struct)
        self._ask()

    def close(self) -> None:
        """Lets go of the device. Its queues and buffers keep it open. A second call does nothing."""
        self._queue = None
        super().close()

    def _transfers(self) -> Queue:
        """The queue of the copies that this package makes. Whoever submits to it waits for the copy."""
        queue = self._queue
        if queue is None:
            queue = self._queue = queues.create(self, "compute", "transfers", None)  # the device keeps it, not it the device
        return queue

    def _write(self, buffer: Buffer, memory: Any) -> None:
        try:
            mapping = buffer.map(False)
        except errors.Unsupported:
            self._transfers().submit(_native.command_upload(buffer, memory, None)).wait()
        else:
            memoryview(mapping)[:] = memoryview(memory).cast("B")

    def _read(self, memory: Any, part: View, timeout: float | None) -> None:
        self._transfers().submit(_native.command_download(part, memory, None), timeout=timeout).wait(timeout)

    def __repr__(self) -> str:
        return f"<pintle.Device {self.id}: {self.name}{' closed' if self.closed else ''}>"
