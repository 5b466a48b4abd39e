"""Small PNG files, written and read without a library."""

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GRAY, RGB, PALETTE, GRAY_ALPHA, RGBA = 0, 2, 3, 4, 6


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def header(width, height, depth, colour):
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))


def encode(width, height, depth, colour, rows, palette=None):
    """`rows` are the bytes of each row, as they are in the file; they are not filtered."""
    data = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))
    colours = chunk(b"PLTE", bytes(palette)) if palette else b""
    return SIGNATURE + header(width, height, depth, colour) + colours + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def chunks(file):
    at = len(SIGNATURE)
    while at < len(file):
        (length,) = struct.unpack_from(">I", file, at)
        yield file[at + 4:at + 8], file[at + 8:at + 8 + length]
        at += length + 12


def paeth(a, b, c):
    estimate = a + b - c
    return min((abs(estimate - a), 0, a), (abs(estimate - b), 1, b), (abs(estimate - c), 2, c))[2]


def unfilter(kind, row, above):
    """A row of single-byte pixels."""
    out = []
    for i, value in enumerate(row):
        left, up, corner = (out[i - 1] if i else 0), above[i], (above[i - 1] if i else 0)
        out.append((value + (0, left, up, (left + up) // 2, paeth(left, up, corner))[kind]) & 255)
    return out


def decode_gray(file):
    """(width, height, rows) of an 8-bit gray PNG."""
    parts = list(chunks(file))
    width, height, depth, colour = struct.unpack_from(">IIBB", dict(parts)[b"IHDR"])
    if file[:8] != SIGNATURE or (depth, colour) != (8, GRAY):
        raise ValueError("no 8-bit gray PNG")
    data = zlib.decompress(b"".join(content for kind, content in parts if kind == b"IDAT"))
    rows, above = [], [0] * width
    for y in range(height):
        line = data[y * (width + 1):(y + 1) * (width + 1)]
        above = unfilter(line[0], line[1:], above)
        rows.append(above)
    return width, height, rows
