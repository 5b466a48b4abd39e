"""Programs: packs that a device has loaded, and their kernels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from ctypes import POINTER, byref, c_char_p, c_size_t, cast
from os import PathLike, fsencode, fspath

from pintle import _c, _native, errors
from pintle._call import call, decoded, encoded, option_nanoseconds, struct
from pintle._records import NamedTuple
from pintle.dtypes import DType, dtype_of, numbered
from pintle.packs import Pack, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pintle.devices import Device

KIND = 3  # of a program's handle
_KINDS = {_c.PINTLE_PARAMETER_BUFFER: "buffer", _c.PINTLE_PARAMETER_SCALAR: "scalar", _c.PINTLE_PARAMETER_VALUE: "value",
          _c.PINTLE_PARAMETER_LOCAL: "local", _c.PINTLE_PARAMETER_IMAGE: "image", _c.PINTLE_PARAMETER_SAMPLER: "sampler",
          _c.PINTLE_PARAMETER_TEXEL_BUFFER: "texel buffer"}
_WITHOUT_DTYPE = (_c.PINTLE_PARAMETER_IMAGE, _c.PINTLE_PARAMETER_SAMPLER, _c.PINTLE_PARAMETER_TEXEL_BUFFER)
_ACCESSES = {_c.PINTLE_ACCESS_READ: "read", _c.PINTLE_ACCESS_WRITE: "write", _c.PINTLE_ACCESS_READ_WRITE: "read_write"}


class Parameter(NamedTuple):
    """A parameter of a kernel."""

    name: str
    kind: str  # "buffer", "scalar", "value", "local", "image", "sampler" or "texel buffer"
    dtype: DType | None  # of an image, a sampler or a texel buffer: None
    access: str  # what the kernel does with it: "read", "write" or "read_write"
    is_optional: bool  # of a buffer: a launch may give None


class Kernel(_native.Kernel):
    """An entry point of a program. Queue.launch runs it."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What a launch takes, in order."""
        infos = _parameters(_c.pintle_kernel(self.handle))
        return tuple(Parameter(decoded(info.name), _KINDS[info.kind], None if info.kind in _WITHOUT_DTYPE else numbered(info.dtype),
                               _ACCESSES.get(info.access, "read"), info.is_optional != 0) for info in infos)

    @property
    def group_size(self) -> tuple[int, int, int]:
        """Work-items of a work-group, by dimension."""
        info = struct(_c.pintle_entry_info)
        call("pintle_kernel_get_info", _c.pintle_kernel(self.handle), byref(info))
        return (info.group_size[0], info.group_size[1], info.group_size[2])

    def __repr__(self) -> str:
        return f"<pintle.Kernel {self.signature}{' closed' if self.closed else ''}>"


def _parameters(kernel: _c.pintle_kernel) -> list[_c.pintle_parameter_info]:
    info = struct(_c.pintle_entry_info)
    call("pintle_kernel_get_info", kernel, byref(info))
    found = []
    for i in range(info.parameter_count):
        parameter = struct(_c.pintle_parameter_info)
        call("pintle_kernel_parameter", kernel, i, byref(parameter))
        found.append(parameter)
    return found


def _made(device: Device, kernel: _c.pintle_kernel) -> Kernel:
    """The object of a handle, which it owns from now on."""
    try:
        name = struct(_c.pintle_entry_info)
        call("pintle_kernel_get_info", kernel, byref(name))
        parameters = tuple((decoded(info.name), info.kind, info.dtype, info.bytes, info.lanes, info.is_optional) for info in _parameters(kernel))
        signature = text_of("pintle_kernel_signature", kernel)
    except BaseException:
        call("pintle_kernel_release", kernel)
        raise
    return Kernel(kernel.id, device, decoded(name.name), signature, parameters)


class Program(_native.Handle, Mapping[str, Kernel]):
    """A program that a device has loaded: its kernels by name. The same name is the same kernel."""

    device: Device
    _kernels: dict[str, Kernel]

    def __new__(cls, handle: int, device: Device) -> Program:
        self = super().__new__(cls, handle, KIND)
        self.device = device
        self._kernels = {}
        return self

    def __init__(self, handle: int, device: Device) -> None:
        pass

    @property
    def format(self) -> str:
        """The format of the variant that the device has picked."""
        info = struct(_c.pintle_program_info)
        call("pintle_program_get_info", _c.pintle_program(self.handle), byref(info))
        return decoded(info.format)

    def __getitem__(self, name: str) -> Kernel:
        """The kernel of an entry. pintle.NotFound lists the entries; pintle.Unsupported says why the device cannot run it."""
        found = self._kernels.get(name)
        if found is not None and not found.closed:
            return found
        if not isinstance(name, str):
            raise TypeError(f"A kernel's name is a str, not a {type(name).__name__}.")
        made = _c.pintle_kernel()
        call("pintle_program_kernel", _c.pintle_program(self.handle), encoded(name), byref(made))
        kernel = self._kernels[name] = _made(self.device, made)
        return kernel

    def get(self, name: str, default: Any = None) -> Any:
        """The kernel of an entry, or `default` where there is none."""
        return self[name] if name in self else default

    def __contains__(self, name: object) -> bool:
        return name in tuple(self)

    def __iter__(self) -> Iterator[str]:
        names = []
        for i in range(len(self)):
            name = c_char_p()
            call("pintle_program_entry_name", _c.pintle_program(self.handle), i, byref(name))
            names.append(decoded(name.value))
        return iter(names)

    def __len__(self) -> int:
        count = c_size_t()
        call("pintle_program_entry_count", _c.pintle_program(self.handle), byref(count))
        return count.value

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return "<pintle.Program closed>" if self.closed else f"<pintle.Program {self.format}: {', '.join(self)}>"


def _constant(name: str, value: object) -> _c.pintle_constant:
    """A number as the library takes it. One with a dtype of NumPy keeps that."""
    constant = struct(_c.pintle_constant, name=encoded(name))
    dtype = getattr(value, "dtype", None)
    if dtype is not None:
        constant.dtype = dtype_of(dtype).number
        raw = value.tobytes()  # type: ignore[attr-defined]
        if len(raw) > 8:
            raise TypeError(f"The constant {name} is a number, not an array.")
        constant.value.u = int.from_bytes(raw, "little")
    elif isinstance(value, bool):
        constant.dtype, constant.value.u = _c.PINTLE_BOOL, int(value)
    elif isinstance(value, int):
        if not -(1 << 63) <= value < 1 << 64:
            raise errors.InvalidArgument(f"The value of the constant ({name}) is not from -2^63 to 2^64 - 1.")
        constant.dtype = _c.PINTLE_I64 if value < 1 << 63 else _c.PINTLE_U64
        constant.value.u = value & ((1 << 64) - 1)
    elif isinstance(value, float):
        constant.dtype, constant.value.f64 = _c.PINTLE_F64, value
    else:
        raise TypeError(f"The constant {name} is a number, not a {type(value).__name__}.")
    return constant


def load(device: Device, pack: Pack, constants: Mapping[str, object], macros: Mapping[str, object], include: Iterable[str | PathLike[str]],
         language: str | None, timeout: float | None) -> Program:
    """What Device.load answers."""
    if not isinstance(pack, Pack):
        raise TypeError(f"load() takes a pack, which pintle.open_pack reads, not a {type(pack).__name__}.")
    options, made = struct(_c.pintle_load_options, language=encoded(language), timeout=option_nanoseconds(timeout)), _c.pintle_program()
    fixed = [_constant(name, value) for name, value in constants.items()]
    texts = [struct(_c.pintle_macro, name=encoded(name), text=encoded(str(text))) for name, text in macros.items()]
    folders = [fsencode(fspath(folder)) for folder in include]
    arrays = ((_c.pintle_constant * len(fixed))(*fixed), (_c.pintle_macro * len(texts))(*texts), (c_char_p * len(folders))(*folders))
    options.constants, options.constant_count = cast(arrays[0], POINTER(_c.pintle_constant)), len(fixed)
    options.macros, options.macro_count = cast(arrays[1], POINTER(_c.pintle_macro)), len(texts)
    options.include_folders, options.include_folder_count = cast(arrays[2], POINTER(c_char_p)), len(folders)
    call("pintle_program_load_with", _c.pintle_device(device.handle), _c.pintle_pack(pack.handle), byref(options), byref(made))
    return Program(made.id, device)
