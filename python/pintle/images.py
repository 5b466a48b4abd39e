"""Images: texels in a layout that the device chooses; samplers, and buffers as texels."""

from __future__ import annotations

from ctypes import byref, c_uint32

from pintle import _c, _native, errors
from pintle._call import call, decoded, encoded, one_of, option_nanoseconds, struct, u32, u64
from pintle._records import NamedTuple
from pintle.buffers import Buffer, View
from pintle.listing import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pintle.devices import Device

KIND = 14  # of the handle
_ACCESSES = words("PINTLE_ACCESS_")
_WORDS = {number: word for word, number in _ACCESSES.items()}
_FILTERS = words("PINTLE_FILTER_")
_ADDRESSES = words("PINTLE_ADDRESS_")
_COORDINATES = words("PINTLE_COORDINATES_")


def texel_number(name: str) -> int:
    """The number of a texel. pintle.NotFound lists the names."""
    number = c_uint32()
    call("pintle_texel_parse", encoded(name), byref(number))
    return number.value


def _texel_name(number: int) -> str:
    info = struct(_c.pintle_texel_info)
    call("pintle_texel_get_info", number, byref(info))
    return decoded(info.name)


class TexelSupport(NamedTuple):
    """What a device can do with a texel."""

    image_access: str | None  # what kernels may do with an image of it: "read", "write" or "read_write"; None: there are no such images
    is_filtered: bool  # whether filter="linear" may read such an image
    buffer_access: str | None  # what kernels may do with a texel buffer of it; None: there are no such texel buffers


class ImageLimits(NamedTuple):
    """The limits of a device on images and texel buffers. 0: there are none."""

    max_image_2d: int  # texels of a side of an image of two dimensions
    max_image_3d: int  # texels of a side of an image of three dimensions
    max_texel_buffer: int  # texels of a texel buffer
    texel_alignment: int  # bytes: the offset of a texel buffer is a multiple of it


class Image(_native.Handle):
    """Texels in a layout that the device chooses. Device.image makes one; pintle.copy fills it from a buffer, and reads it into one. A kernel takes
    it alone, or as a tuple of it and its Sampler. A use after close() is pintle.Stale."""

    device: Device

    def __new__(cls, handle: int, device: Device) -> Image:
        self = super().__new__(cls, handle, KIND)
        self.device = device
        return self

    def __init__(self, *made: object) -> None:
        pass

    @property
    def _info(self) -> _c.pintle_image_info:
        info = struct(_c.pintle_image_info)
        call("pintle_image_get_info", _c.pintle_image(self.handle), byref(info))
        return info

    @property
    def size(self) -> tuple[int, ...]:
        """Texels: (width, height) or (width, height, depth)."""
        info = self._info
        return (info.width, info.height, info.depth) if info.depth else (info.width, info.height)

    @property
    def texel(self) -> str:
        """What a texel is, for example "rgba8"."""
        return _texel_name(self._info.texel)

    @property
    def access(self) -> str:
        """What kernels may do with the image: "read", "write" or "read_write"."""
        return _WORDS[self._info.access]

    @property
    def nbytes(self) -> int:
        """Bytes of all texels, one behind another."""
        return self._info.bytes

    def __repr__(self) -> str:
        return "<pintle.Image closed>" if self.closed else f"<pintle.Image of {' x '.join(map(str, self.size))} {self.texel} on {self.device.id}>"


class Sampler(_native.Sampler):
    """How a kernel reads an image. `filter`: "nearest" or "linear". `address`, outside of the image: "edge", "border", "repeat" or "mirror".
    `coordinates`: "normalized", from 0 to 1 over each side, or "texels". Another word is pintle.InvalidArgument."""

    __slots__ = ()

    def __new__(cls, filter: str = "nearest", address: str = "edge", coordinates: str = "normalized") -> Sampler:
        return super().__new__(cls, one_of(filter, _FILTERS, "filter"), one_of(address, _ADDRESSES, "address"),
                               one_of(coordinates, _COORDINATES, "kind of coordinates"))

    def __repr__(self) -> str:
        numbers = ((self.filter_number, _FILTERS), (self.address_number, _ADDRESSES), (self.coordinates_number, _COORDINATES))
        return f"pintle.Sampler({', '.join(repr(word) for number, known in numbers for word in known if known[word] == number)})"


class TexelBuffer(_native.TexelBuffer):
    """A buffer's or view's bytes as texels, one behind another: an argument of a kernel. `texel`: "rgba32f" and the like; pintle.NotFound lists
    them."""

    __slots__ = ()

    def __new__(cls, memory: Buffer | View, texel: str) -> TexelBuffer:
        return super().__new__(cls, memory, texel_number(texel))

    @property
    def texel(self) -> str:
        """What a texel is, for example "rgba32f"."""
        return _texel_name(self.texel_number)

    def __repr__(self) -> str:
        return f"<pintle.TexelBuffer {self.texel} over {self.memory!r}>"


class ImagePart:
    """The part of an image from texel (x, y, z) on, and how its rows lie in a buffer, for pintle.copy. Sides count texels: where all three are 0, the
    part reaches to the end of the image, and a depth of 0 beside a width is one slice. `row_bytes` and `slice_bytes`: from one row or slice in the
    buffer to the next; 0: no gaps. pintle.InvalidArgument for a number that is none of 32 bits, or of 64 for bytes."""

    def __init__(self, x: int = 0, y: int = 0, z: int = 0, *, width: int = 0, height: int = 0, depth: int = 0, row_bytes: int = 0,
                 slice_bytes: int = 0) -> None:
        self._numbers = (*(u32(each, "place or side of a part") for each in (x, y, z, width, height, depth)),
                         u64(row_bytes, "number of bytes of a row"), u64(slice_bytes, "number of bytes of a slice"))

    def __repr__(self) -> str:
        x, y, z, width, height, depth, row_bytes, slice_bytes = self._numbers
        return (f"pintle.ImagePart({x}, {y}, {z}, width={width}, height={height}, depth={depth}, row_bytes={row_bytes}, "
                f"slice_bytes={slice_bytes})")


def create(device: Device, size: Sequence[int], texel: str, access: str, label: str | None, timeout: float | None) -> Image:
    """What Device.image answers."""
    sides = tuple(u32(side, "side of an image") for side in size)
    if len(sides) not in (2, 3) or 0 in sides:
        raise errors.InvalidArgument(f"The size {sides} of an image is not two or three sides of at least 1 texel.")
    options, made = struct(_c.pintle_image_options, access=one_of(access, _ACCESSES, "access"), label=encoded(label)), _c.pintle_image()
    options.timeout = option_nanoseconds(timeout)
    call("pintle_image_create", _c.pintle_device(device.handle), texel_number(texel), sides[0], sides[1], sides[2] if len(sides) == 3 else 0,
         byref(options), byref(made))
    return Image(made.id, device)


def support(device: Device, texel: str) -> TexelSupport:
    """What Device.texel_support answers."""
    its = struct(_c.pintle_texel_support)
    call("pintle_device_texel_support", _c.pintle_device(device.handle), texel_number(texel), byref(its))
    return TexelSupport(_WORDS.get(its.image_access), bool(its.is_filtered), _WORDS.get(its.buffer_access))


def limits(device: Device) -> ImageLimits:
    """What Device.image_limits answers."""
    its = struct(_c.pintle_image_limits)
    call("pintle_device_image_limits", _c.pintle_device(device.handle), byref(its))
    return ImageLimits(*(getattr(its, name) for name in ImageLimits._fields))
