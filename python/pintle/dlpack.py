"""DLPack, both ways, over memory of the host."""

from __future__ import annotations


from pintle import _c, _native, errors
from pintle.buffers import Buffer, View, made, mapped
from pintle.points import Point

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pintle.devices import Device

_CPU = 1
_HOST = (_CPU, 3, 11)  # and pinned memory of CUDA and of ROCm


def shared(buffer: Buffer, stream: object, max_version: tuple[int, int] | None, dl_device: tuple[int, int] | None, copy: bool | None) -> object:
    """What Buffer.__dlpack__ answers."""
    if stream is not None:
        raise BufferError(f"The stream ({stream!r:.40}) is none of the CPU's, which has None.")
    if dl_device is not None and tuple(dl_device) != (_CPU, 0):
        raise BufferError(f"The device ({dl_device!r:.40}) is not (1, 0), the CPU: a buffer's tensor lies in memory of the host.")
    is_versioned = max_version is not None and max_version[0] >= 1
    if not is_versioned and buffer.dtype.name.startswith("f8"):
        raise BufferError(f"The dtype ({buffer.dtype}) is in DLPack from version 1 on, which the consumer does not take.")
    memory = None if copy else mapped(buffer)
    if memory is None and copy is False:
        raise BufferError("The device's memory is not the host's, so a tensor is a copy.")
    if memory is None:
        return _native.dlpack_share(_copy(buffer), buffer.dtype_number, buffer.shape, is_versioned, True)
    if buffer.sealed and not is_versioned:
        raise BufferError("The buffer is sealed, and a tensor is read-only from version 1 on, which the consumer does not take; copy=True copies.")
    return _native.dlpack_share(memory, buffer.dtype_number, buffer.shape, is_versioned, False)


def _copy(buffer: Buffer) -> bytearray:
    buffer.wait()
    memory = bytearray(buffer.nbytes)
    buffer.device._read(memory, View(buffer, 0, buffer.nbytes, buffer.dtype_number, buffer.shape), None)
    return memory


def _capsule(tensor: object) -> object:
    """The producer's capsule, of the newest version that it has."""
    try:
        return tensor.__dlpack__(max_version=(1, 0))  # type: ignore[attr-defined]
    except TypeError:
        return tensor.__dlpack__()  # type: ignore[attr-defined]


def taken(device: Device, tensor: object, copy: bool | None) -> Buffer:
    """What Device.from_dlpack answers."""
    if not hasattr(tensor, "__dlpack__") or not hasattr(tensor, "__dlpack_device__"):
        raise TypeError(f"from_dlpack() takes what has __dlpack__ and __dlpack_device__, not a {type(tensor).__name__}.")
    kind = tensor.__dlpack_device__()[0]
    if kind not in _HOST:
        raise errors.Unsupported(f"The tensor's device (DLPack's kind {int(kind)}) is not 1, the CPU, nor pinned memory (3 or 11).")
    how = {None: _c.PINTLE_DLPACK_COPY_ALLOWED, True: _c.PINTLE_DLPACK_COPY_ALWAYS, False: 0}[copy]
    queue = device._transfers() if how else None
    handle, value = _native.dlpack_take(device.handle, _capsule(tensor), queue, how)
    buffer = made(device, handle)
    if queue is not None and value:  # a copy reads the tensor until then
        point = Point(queue.signal, value)
        buffer.used(point)
        point.wait()
    return buffer


_devices: list[Device] = []


def received(capsule: object) -> Buffer:
    """A buffer of the cpu over a tensor that another library's C code hands over. The extension calls it."""
    if not _devices:
        from pintle.devices import open
        _devices.append(open("cpu"))
    handle, _ = _native.dlpack_take(_devices[0].handle, capsule, None, 0)
    return made(_devices[0], handle)
