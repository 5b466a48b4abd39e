"""Inputs of a kernel, made from its own parameters: buffers of small whole numbers, integers that are small sizes."""
import re

import numpy

ELEMENTS = 1 << 16
UNIFORM_BYTES = 1 << 14
LOCAL_BYTES = 4096
SIDE = 16
GENTLE_ELEMENTS, GENTLE_SIDE = 1 << 18, 2  # where the kernel leaves its buffers otherwise
IMAGE_SIDES = [32, 32, 4]
TEXELS = 1 << 16  # of a texel buffer
KINDS = {"f16": "f2", "f32": "f4", "f64": "f8", "bool": "u1", "complex64": "f4"}


def kind_of(dtype):
    """numpy's name for a dtype; bytes for what numpy lacks."""
    if dtype in KINDS:
        return KINDS[dtype]
    return f"{dtype[0]}{int(dtype[1:]) // 8}" if re.fullmatch(r"[iu]\d+", dtype) else "u1"


def values(dtype, count, seed):
    """Small whole numbers, exact in every type."""
    return ((numpy.arange(count) * 7 + seed * 3) % 13 + 1).astype(kind_of(dtype))


def number(dtype, count, seed, side=SIDE):
    """What comes by value: integers are sizes."""
    made = values(dtype, count, seed)
    if made.dtype.kind in "iu":
        made[:] = side
    return made.tobytes()


def by_value(parameter, seed, side=SIDE):
    """The bytes of a number, a vector, a struct, or plain bytes, which become words."""
    if parameter["kind"] == "scalar":
        return number(parameter["dtype"], 1, seed, side)
    if parameter["members"]:
        made = bytearray(parameter["bytes"])
        for at, member in enumerate(parameter["members"]):
            data = number(member["dtype"], member["lanes"], seed + at, side)
            made[member["offset"]:member["offset"] + len(data)] = data
        return bytes(made)
    if parameter["lanes"] > 1:
        return number(parameter["dtype"], parameter["lanes"], seed, side)
    return (number("u32", parameter["bytes"] // 4 + 1, seed, side))[:parameter["bytes"]]


def texel_of(parameter, text):
    """The texel of an image or a texel buffer; where the kernel takes any, one that the source's own functions read and write.

    For a texel buffer these are the functions that get it by name; it has one channel where they use the first alone."""
    read = {"f": "rgba32f", "h": "rgba16f", "ui": "rgba32ui", "i": "rgba32i"}
    which = rf"\s*{parameter['name']}\b" if parameter["kind"] == "texel_buffer" else ""
    for letters, texel in read.items():
        if not parameter["texel"] and re.search(rf"\b(read|write)_image{letters}\s*\({which}", text):
            is_one = which and re.search(rf"\bread_image{letters}\s*\({which}[^;]*\)\s*\.(x|s0)\b", text)
            return texel.replace("rgba", "r") if is_one else texel
    return parameter["texel"] or "rgba32f"


def body_of(kernel, text):
    """What of a source is one kernel's; all of it where it is not found."""
    found = re.search(rf"\b{kernel}\s*\(", text)
    return re.split(r"\b(?:__)?kernel\b", text[found.start():])[0] if found else text


def image(parameter, text):
    """What a host needs to make the image or the texel buffer; nothing of what is none."""
    if parameter["kind"] == "texel_buffer":
        return {"texel": texel_of(parameter, text), "sides": [TEXELS]}
    if parameter["kind"] != "image":
        return None
    return {"texel": texel_of(parameter, text), "sides": IMAGE_SIDES[:parameter["dimensions"]], "sampled": parameter["sampled"]}


def channel_of(texel):
    """How many channels a texel has, the dtype of each, and whether it is a part of 1."""
    name, bits, kind = re.fullmatch(r"(r|rg|rgba)(\d+)(ui|i|f|_snorm|)", texel).groups()
    dtype = {"ui": "u", "f": "f", "": "u"}.get(kind, "i") + bits
    return len(name), dtype, kind in ("", "_snorm")


def dtype_of(parameter, made):
    """What the bytes of an argument are compared as."""
    if made is None:
        return parameter["dtype"]
    _, dtype, is_part = channel_of(made["texel"])
    return "part " + dtype if is_part else dtype


def texels(made, seed):
    """Small whole numbers in every channel."""
    channels, dtype, _ = channel_of(made["texel"])
    return values(dtype, channels * numpy.prod(made["sides"]), seed).tobytes()


def argument(index, parameter, folder, made=None, is_uniform=False, is_gentle=False):
    """A file with the bytes of a parameter, or the bytes of local memory; nothing for a sampler. `made` is the image or the texel buffer, if it is one."""
    if parameter["kind"] in ("local", "sampler"):
        return LOCAL_BYTES if parameter["kind"] == "local" else None
    path = folder / f"argument{index}.bin"
    if made is not None:
        path.write_bytes(texels(made, index))
    elif parameter["kind"] != "buffer":
        path.write_bytes(by_value(parameter, index, GENTLE_SIDE if is_gentle else SIDE))
    elif is_uniform:
        dtype = "u32" if parameter["dtype"] == "u8" else parameter["dtype"]
        path.write_bytes((number(dtype, UNIFORM_BYTES, index))[:UNIFORM_BYTES])
    else:
        dtype = "u64" if is_gentle and parameter["dtype"] in ("u8", "i8") else parameter["dtype"]  # char: bytes, too
        path.write_bytes(values(dtype, GENTLE_ELEMENTS if is_gentle else ELEMENTS, index).tobytes())
    return str(path)


def groups(group, text):
    """How many groups: several in each direction that the source names."""
    has_second = re.search(r"get_(global|group)_id\s*\(\s*1|(InvocationID|WorkGroupID)\.(y|xy|yx)", text) is not None
    has_third = re.search(r"get_(global|group)_id\s*\(\s*2|(InvocationID|WorkGroupID)\.(z|xyz)", text) is not None
    sides = [max(1, min(4, 256 // group[0])), 2 if has_second or has_third or group[1] > 1 else 1, 2 if has_third or group[2] > 1 else 1]
    return sides


def is_close(ours, theirs, dtype):
    """Whether two results agree to rounding. Bytes may hold floats: words that are no small integers are compared as such."""
    if ours == theirs:
        return True
    if dtype.startswith("part "):  # drivers may round to either neighbour
        a, b = (numpy.frombuffer(one, dtype=kind_of(dtype[5:])).astype("i4") for one in (ours, theirs))
        return bool((abs(a - b) <= 1).all())
    dtype = "u8" if dtype == "i8" else dtype  # char: bytes, too
    if dtype not in ("f16", "f32", "f64", "u8"):
        return False
    kind = {"f16": "f2", "f32": "f4", "f64": "f8", "u8": "f4"}[dtype]
    usable = len(ours) // numpy.dtype(kind).itemsize * numpy.dtype(kind).itemsize
    a, b = (numpy.frombuffer(one[:usable], dtype=kind).astype("f8") for one in (ours, theirs))
    with numpy.errstate(all="ignore"):
        close = numpy.isclose(a, b, rtol={"f16": 2e-2, "u8": 1e-6}.get(dtype, 1e-4), atol=0 if dtype == "u8" else 1e-5, equal_nan=True)
    if dtype == "u8":  # a word below 2^23 is a float that is not normal: an integer, which is compared exactly
        same = numpy.frombuffer(ours[:usable], dtype="u4") == numpy.frombuffer(theirs[:usable], dtype="u4")
        close = same | (close & ~(numpy.minimum(abs(a), abs(b)) < 1.17e-38))
    return bool(close.all()) and ours[usable:] == theirs[usable:]
