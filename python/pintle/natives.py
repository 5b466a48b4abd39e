"""Native objects, out and in: what lies behind a device, a queue and a buffer, and those over what is there already, such as one's own stream and
memory. Each class is a struct of the C interface (pintle/c/native.h), with addresses and handles as numbers; 0 is none."""

from __future__ import annotations

from ctypes import byref, sizeof
from math import prod

from pintle import _c, _native, buffers, errors
from pintle._call import call, encoded, u64
from pintle._records import NamedTuple
from pintle.dtypes import dtype_of
from pintle.hosts import dims_of, shape_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, TypeAlias, TypeVar

    from pintle.buffers import Buffer
    from pintle.devices import Device
    from pintle.queues import Queue


class CpuDevice(NamedTuple):
    """A device of the cpu backend. It cannot be wrapped."""

    threads: int  # that may execute at once; 0: the calling one
    quota: float  # processors that the process's cgroup pays for; 0: it has no limit


class CpuMemory(NamedTuple):
    """A buffer of the cpu backend: memory of the host."""

    address: int  # the first byte


class OpenClDevice(NamedTuple):
    """A device of the opencl backend."""

    platform: int  # cl_platform_id
    device: int  # cl_device_id
    context: int  # cl_context; one that is wrapped may have other devices in it


class OpenClQueue(NamedTuple):
    """A queue of the opencl backend, in order. No point covers commands that others enqueue to it. One that is wrapped is of the device's context;
    made without profiling it takes no timestamps where the device's clock needs that."""

    queue: int  # cl_command_queue


class OpenClMemory(NamedTuple):
    """A buffer of the opencl backend. One that is wrapped needs `memory` alone, of the device's context."""

    memory: int  # cl_mem
    address: int = 0  # for kernels that take one; 0 outside shared virtual memory
    offset: int = 0  # the first byte's place in the cl_mem, in bytes; `address` has it already


class VulkanDevice(NamedTuple):
    """A device of the vulkan backend, which uses `queue` too: submit to it only while everything else on the device is idle. One that is wrapped
    needs `create_info`, which is read before the call returns, and has timelineSemaphore on."""

    instance: int  # VkInstance
    physical_device: int  # VkPhysicalDevice
    device: int  # VkDevice
    queue: int  # VkQueue of the compute family
    queue_family: int
    create_info: int = 0  # the address of the VkDeviceCreateInfo that made the device; 0 where it is handed out
    get_instance_proc_addr: int = 0  # 0: that of libvulkan.so.1


class VulkanQueue(NamedTuple):
    """A queue of the vulkan backend, of which several may share one VkQueue. One that is wrapped is of a family in the device's `create_info`, and
    nothing else submits to it."""

    queue: int  # VkQueue
    family: int


class VulkanMemory(NamedTuple):
    """A buffer of the vulkan backend: a part of a VkBuffer. One that is wrapped has the usages transfer source, transfer destination and storage, and
    is bound to memory; its `offset` is a multiple of the device's offset alignment."""

    buffer: int  # VkBuffer
    memory: int  # VkDeviceMemory, which begins where the VkBuffer does; may be 0 where it is wrapped
    offset: int  # bytes from the start of both
    nbytes: int  # from there on; at least the next multiple of 4 of those that are wanted
    address: int = 0  # for kernels that take one; 0 where the device has none


class CudaDevice(NamedTuple):
    """A device of the cuda backend. One that is wrapped may have the primary context, which CUDA's runtime and PyTorch use."""

    device: int  # CUdevice
    context: int  # CUcontext


class CudaQueue(NamedTuple):
    """A queue of the cuda backend. No point covers work that others give to the stream. One that is wrapped is of the device's context."""

    stream: int = 0  # CUstream; 0 is the default stream


class CudaMemory(NamedTuple):
    """A buffer of the cuda backend. One that is wrapped is memory, or a part of memory, that the driver has given in the device's context."""

    address: int  # CUdeviceptr
    host: int = 0  # the same bytes for the host; 0 where it cannot see them
    device: int = 0  # CUdevice; ignored where it is wrapped


class HipDevice(NamedTuple):
    """A device of the hip backend."""

    device: int  # hipDevice_t


class HipQueue(NamedTuple):
    """A queue of the hip backend, as CudaQueue is one of cuda."""

    stream: int = 0  # hipStream_t; 0 is the default stream


class HipMemory(NamedTuple):
    """A buffer of the hip backend, as CudaMemory is one of cuda."""

    address: int  # hipDeviceptr_t
    host: int = 0  # the same bytes for the host; 0 where it cannot see them
    device: int = 0  # hipDevice_t; ignored where it is wrapped


if TYPE_CHECKING:
    NativeDevice: TypeAlias = CpuDevice | OpenClDevice | VulkanDevice | CudaDevice | HipDevice
    NativeQueue: TypeAlias = OpenClQueue | VulkanQueue | CudaQueue | HipQueue
    NativeMemory: TypeAlias = CpuMemory | OpenClMemory | VulkanMemory | CudaMemory | HipMemory
    Native = TypeVar("Native", bound=NativeDevice | NativeQueue | NativeMemory)
# By backend.
_DEVICES: dict[str, type[NativeDevice]] = {"cpu": CpuDevice, "opencl": OpenClDevice, "vulkan": VulkanDevice, "cuda": CudaDevice, "hip": HipDevice}
_QUEUES: dict[str, type[NativeQueue]] = {"opencl": OpenClQueue, "vulkan": VulkanQueue, "cuda": CudaQueue, "hip": HipQueue}
_MEMORIES: dict[str, type[NativeMemory]] = {"cpu": CpuMemory, "opencl": OpenClMemory, "vulkan": VulkanMemory, "cuda": CudaMemory, "hip": HipMemory}
_NAMES: dict[type[Any], str] = {kind: f"{backend}_{word}" for word, kinds in (("device", _DEVICES), ("queue", _QUEUES), ("memory", _MEMORIES))
                                for backend, kind in kinds.items()}  # in the C interface


def _empty(kind: type[Any]) -> Any:
    """The struct of C, which says what it is."""
    made = getattr(_c, f"pintle_{_NAMES[kind]}")()
    made.native.size, made.native.kind = sizeof(made), getattr(_c, f"PINTLE_NATIVE_{_NAMES[kind].upper()}")
    return made


def _member(field: str) -> str:
    return "bytes" if field == "nbytes" else field


def _filled(native: Any) -> Any:
    """The struct of C with what a tuple has. pintle.InvalidArgument for a number that its member does not hold."""
    made = _empty(type(native))
    for field, value in zip(native._fields, native):
        number = value if isinstance(value, float) else u64(value, f"{field} of a {type(native).__name__}")
        setattr(made, _member(field), number)
        if (getattr(made, _member(field)) or 0) != number:
            raise errors.InvalidArgument(f"The {field} ({value}) of a {type(native).__name__} is beyond what the backend has.")
    return made


def asked(function: str, handle: Any, kind: type[Native]) -> Native:
    """What lies behind an object, as a tuple of this kind. pintle.Unsupported for an object of another backend."""
    made = _empty(kind)
    call(function, handle, byref(made.native))
    return kind(*(getattr(made, _member(field)) or 0 for field in kind._fields))


def _found(function: str, handle: Any, kinds: dict[str, type[Native]], device: Device, what: str) -> Native:
    """What lies behind an object, whichever backend it is of: that of a layer's device is the one inside."""
    backend = device._backend
    for kind in sorted(kinds, key=lambda each: each != backend):
        try:
            return asked(function, handle, kinds[kind])
        except errors.Unsupported:
            continue
    raise errors.Unsupported(f"The {what} of [{device.id}] has no native object that Python knows: {', '.join(kinds)} have one.")


def device_of(device: Device) -> NativeDevice:
    """What Device.native answers."""
    return _found("pintle_device_get_native", device._struct, _DEVICES, device, "device")


def queue_of(queue: Queue) -> NativeQueue:
    """What Queue.native answers."""
    with _native.turn(queue):
        return _found("pintle_queue_get_native", _c.pintle_queue(queue.handle), _QUEUES, queue.device, "queue")


def memory_of(buffer: Buffer) -> NativeMemory:
    """What Buffer.native answers."""
    with _native.turn(buffer):
        return _found("pintle_buffer_get_native", _c.pintle_buffer(buffer.handle), _MEMORIES, buffer.device, "buffer")


def _given(native: object, kinds: Iterable[type[Any]], what: str) -> Any:
    if type(native) not in kinds:
        raise TypeError(f"{what} is one of {', '.join(f'pintle.{kind.__name__}' for kind in kinds)}, not a {type(native).__name__}.")
    return native


def _of_number(native: object, kinds: Mapping[str, type[Any]], device: Device) -> object:
    """A number, where the backend needs no more than one."""
    kind = kinds.get(device._backend)
    if kind is None or not isinstance(native, int) or len(kind._fields) - len(kind._field_defaults) > 1:
        return native
    return kind(native)


def wrap_device(native: NativeDevice) -> Device:
    """A device over a native one, which stays the caller's and outlives the device and all that was made on it. It is in no list, and its recover()
    is pintle.Unavailable: wrap a new one. pintle.InvalidArgument, with the reason, for objects that lack what their class says; pintle.Unsupported
    for one that its backend does not wrap."""
    from pintle.devices import Device
    made = _c.pintle_device()
    call("pintle_device_wrap", byref(_filled(_given(native, _DEVICES.values(), "What wrap_device() takes")).native), byref(made))
    return Device(made.id)


def wrap_queue(device: Device, native: NativeQueue | int, kind: str, label: str | None) -> Queue:
    """What Device.wrap_queue answers."""
    from pintle import queues
    its = _filled(_given(_of_number(native, _QUEUES, device), _QUEUES.values(), "What wrap_queue() takes"))
    made = _c.pintle_queue()
    call("pintle_queue_wrap", device._struct, byref(its.native), byref(queues.options_of(kind, label)), byref(made))
    return queues.made(made, device)


def wrap_memory(device: Device, native: NativeMemory | int, shape: int | Sequence[int], dtype: object, nbytes: int | None, owner: object,
                label: str | None) -> Buffer:
    """What Device.wrap_memory answers."""
    its = _filled(_given(_of_number(native, _MEMORIES, device), _MEMORIES.values(), "What wrap_memory() takes"))
    kind, sides, made = dtype_of(dtype), shape_of(shape), _c.pintle_buffer()
    if nbytes is not None and nbytes < prod(sides) * kind.itemsize:
        raise errors.InvalidArgument(f"The memory ({nbytes} bytes) is smaller than {sides} of {kind}: {prod(sides) * kind.itemsize} bytes.")
    call("pintle_buffer_wrap", device._struct, byref(its.native), kind.number, len(sides), dims_of(sides), encoded(label), byref(made))
    buffer = buffers.made(device, made.id)
    if owner is not None:
        buffer.keep(owner)
    return buffer
