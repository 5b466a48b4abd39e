"""DLPack, both ways: over memory of the host, and over a GPU's own on cuda (kDLCUDA) and hip (kDLROCM)."""

from __future__ import annotations

from pintle import _c, _native, errors
from pintle.buffers import Buffer, View, made, mapped
from pintle.points import Point

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pintle.devices import Device
    from pintle.queues import Queue

_CPU, _CUDA, _CUDA_HOST, _ROCM, _ROCM_HOST = 1, 2, 3, 10, 11
_HOST = (_CPU, _CUDA_HOST, _ROCM_HOST)
_PINNED = {"cuda": _CUDA_HOST, "hip": _ROCM_HOST}
_GPUS = {_CUDA: "CUDA", _ROCM: "ROCm"}
_NO_SYNC = -1


def place(buffer: Buffer) -> tuple[int, int]:
    """What Buffer.__dlpack_device__ answers."""
    found = _native.dlpack_place(buffer) if buffer.device._backend in _PINNED else None
    return found or (_CPU, 0)


def shared(buffer: Buffer, stream: int | None, max_version: tuple[int, int] | None, dl_device: tuple[int, int] | None, copy: bool | None) -> object:
    """What Buffer.__dlpack__ answers."""
    own = place(buffer)
    wanted = own if dl_device is None else tuple(dl_device)
    is_versioned = max_version is not None and max_version[0] >= 1
    if not is_versioned and buffer.dtype.name.startswith("f8"):
        raise BufferError(f"The dtype ({buffer.dtype}) is in DLPack from version 1 on, which the consumer does not take.")
    if wanted[0] in _GPUS and wanted == own:
        return _on_device(buffer, stream, is_versioned, copy)
    pinned = _PINNED.get(buffer.device._backend, _CPU)
    if wanted not in ((_CPU, 0), (pinned, 0)):
        raise BufferError(f"The device ({dl_device!r:.40}) is not (1, 0), the CPU, and not the buffer's own {own}.")
    if stream is not None:
        raise BufferError(f"The stream ({stream!r:.40}) is none of the CPU's, which has None.")
    return _on_host(buffer, wanted[0], is_versioned, copy)


def _sealed(buffer: Buffer, is_versioned: bool) -> bool:
    """Whether the buffer is sealed, which the consumer must be able to read."""
    sealed = buffer.sealed
    if sealed and not is_versioned:
        raise BufferError("The buffer is sealed, and a tensor is read-only from version 1 on, which the consumer does not take; copy=True copies.")
    return sealed


def _on_host(buffer: Buffer, kind: int, is_versioned: bool, copy: bool | None) -> object:
    memory = None if copy else mapped(buffer)
    if memory is None and (copy is False or kind != _CPU):
        raise BufferError("The device's memory is not the host's, so a tensor is a copy.")
    if memory is None:
        return _native.dlpack_share(_copy(buffer), _CPU, buffer.dtype_number, buffer.shape, is_versioned, True)
    _sealed(buffer, is_versioned)
    return _native.dlpack_share(memory, kind, buffer.dtype_number, buffer.shape, is_versioned, False)


def _copy(buffer: Buffer) -> bytearray:
    buffer.wait()
    memory = bytearray(buffer.nbytes)
    buffer.device._read(memory, View(buffer, 0, buffer.nbytes, buffer.dtype_number, buffer.shape), None)
    return memory


def _on_device(buffer: Buffer, stream: int | None, is_versioned: bool, copy: bool | None) -> object:
    """The work that uses the buffer is done when this returns, so that every stream may use the tensor."""
    if stream is not None and (not isinstance(stream, int) or stream < _NO_SYNC):
        raise BufferError(f"The stream ({stream!r:.40}) is none: -1, None, or a number from 0 on.")
    if copy:
        buffer.wait()
        alone = buffer.device.empty(buffer.shape, buffer.dtype)
        buffer.device._transfers().submit(_native.command_copy(alone, buffer, None)).wait()
        return _native.dlpack_lend(alone, is_versioned, False, True)
    sealed = _sealed(buffer, is_versioned)
    if stream != _NO_SYNC:
        buffer.wait()
    return _native.dlpack_lend(buffer, is_versioned, sealed, False)


def _capsule(tensor: object, **stream: int) -> object:
    """The producer's capsule, of the newest version that it has."""
    try:
        return tensor.__dlpack__(max_version=(1, 0), **stream)  # type: ignore[attr-defined]
    except TypeError:
        return tensor.__dlpack__(**stream)  # type: ignore[attr-defined]


def _checked(kind: int) -> None:
    """pintle.Unsupported for a kind of device whose memory nobody here can use."""
    if kind not in _HOST and kind not in _GPUS:
        raise errors.Unsupported(f"The tensor's device (DLPack's kind {kind}) is none of: the CPU (1), CUDA (2), ROCm (10), and their pinned memory.")


def _elsewhere(device: Device, kind: int, number: int) -> errors.Unsupported:
    return errors.Unsupported(f"The tensor lies on {_GPUS[kind]} device {number}, and {device.id} is another one.")


def _stream_of(queue: Queue, kind: int) -> int:
    """The driver's handle of a queue, which a producer lets wait for its own work."""
    from pintle import natives
    backend: type[natives.CudaQueue] | type[natives.HipQueue] = natives.CudaQueue if kind == _CUDA else natives.HipQueue
    with _native.turn(queue):
        return natives.asked("pintle_queue_get_native", _c.pintle_queue(queue.handle), backend).stream


def _is_of(device: Device, kind: int, number: int) -> bool:
    """Whether the device is the GPU that DLPack calls so."""
    from pintle import natives
    backend: type[natives.CudaDevice] | type[natives.HipDevice] = natives.CudaDevice if kind == _CUDA else natives.HipDevice
    try:
        return natives.asked("pintle_device_get_native", device._struct, backend).device == number
    except errors.Unsupported:
        return False


def _finish(device: Device, kind: int, stream: int) -> None:
    """Blocks until everything is done that another library has put into a stream of the device's context so far."""
    from pintle import natives
    with device.wrap_queue(natives.CudaQueue(stream) if kind == _CUDA else natives.HipQueue(stream)) as theirs:
        theirs.submit().wait()


def _by_functions(device: Device, tensor: object) -> object | None:
    """The capsule of a tensor whose type has DLPack's functions for C, when its producer's work is done; None where __dlpack__ has to do it."""
    found = _native.dlpack_borrow(tensor)
    if found is None:
        return None
    capsule, kind, number, stream = found
    _checked(kind)
    if stream is None:
        return capsule
    if not _is_of(device, kind, number):
        raise _elsewhere(device, kind, number)
    try:
        _finish(device, kind, stream)
    except (errors.InvalidArgument, errors.Unsupported):  # a stream that cannot be wrapped, as that of each thread
        return None
    return capsule


def _by_methods(device: Device, tensor: object) -> object:
    """The capsule of a tensor that has __dlpack__, when its producer's work is done: on a GPU it is told a stream that waits for that."""
    if not hasattr(tensor, "__dlpack__") or not hasattr(tensor, "__dlpack_device__"):
        raise TypeError(f"from_dlpack() takes what has __dlpack__ and __dlpack_device__, not a {type(tensor).__name__}.")
    kind, number = (int(each) for each in tensor.__dlpack_device__())
    _checked(kind)
    if kind not in _GPUS:
        return _capsule(tensor)
    queue = device._transfers()
    try:
        stream = _stream_of(queue, kind)
    except errors.Unsupported:
        raise _elsewhere(device, kind, number) from None
    capsule = _capsule(tensor, stream=stream)
    queue.submit().wait()  # behind what the producer has put into the stream
    return capsule


def taken(device: Device, tensor: object, copy: bool | None) -> Buffer:
    """What Device.from_dlpack answers."""
    capsule = _by_functions(device, tensor)
    if capsule is None:
        capsule = _by_methods(device, tensor)
    how = {None: _c.PINTLE_DLPACK_COPY_ALLOWED, True: _c.PINTLE_DLPACK_COPY_ALWAYS, False: 0}[copy]
    queue = device._transfers() if how else None
    handle, value = _native.dlpack_take(device.handle, capsule, queue, how)
    buffer = made(device, handle)
    if queue is not None and value:  # a copy reads the tensor until then
        point = Point(queue.signal, value)
        buffer.used(point)
        point.wait()
    return buffer


_devices: dict[tuple[int, int], Device] = {}


def _device_of(kind: int, number: int) -> Device:
    """cpu, or the GPU with the context that other libraries use."""
    key = (kind, number) if kind in _GPUS else (_CPU, 0)
    if key not in _devices:
        from pintle.devices import open
        _devices[key] = open({_CUDA: f"cuda:{number}?primary", _ROCM: f"hip:{number}"}.get(kind, "cpu"))
    return _devices[key]


def received(capsule: object, kind: int, number: int) -> Buffer:
    """A buffer over a tensor that another library's C code hands over, when the stream that it was told has done its work. The extension calls
    this."""
    device = _device_of(kind, number)
    if kind in _GPUS:
        _finish(device, kind, 0)
    handle, _ = _native.dlpack_take(device.handle, capsule, None, 0)
    return made(device, handle)
