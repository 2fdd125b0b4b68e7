"""What the first bytes of a JPEG, PNG or WebP file say: its size, which way up it was taken, and the lens.

Written out here since OpenCV tells a picture's size only after decoding it. Sources: ITU-T T.81 (JPEG markers), the
PNG specification, third edition, chapter 11, RFC 9649 (WebP), CIPA DC-008 (EXIF).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

_ORIENTATION, _EXIF_POINTER, _FOCAL_35 = 0x0112, 0x8769, 0xA405
_DIAGONAL_OF_35_MM = 43.27
_MOST_ENTRIES = 400
_MOST_SEGMENTS = 4000


@dataclass(frozen=True, slots=True)
class Header:
    """`kind` (jpeg, png, webp, heic); the size as stored; `orientation` of EXIF, 1 if upright; `focal_of_diagonal`:
    focal length over the picture's diagonal, or None; `ends`: whether a JPEG has its end marker (phones put
    films and depth maps behind it)."""

    kind: str
    width_px: int
    height_px: int
    orientation: int = 1
    focal_of_diagonal: float | None = None
    ends: bool = True


def header_of(data: bytes) -> Header | None:
    """None where the bytes are none of these pictures, or their header is cut short."""
    try:
        if data[:2] == b"\xff\xd8":
            return _jpeg(data)
        if data[:8] == b"\x89PNG\r\n\x1a\n":
            return _png(data)
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            return _webp(data)
    except (struct.error, IndexError):
        return None
    return None


def _jpeg(data: bytes) -> Header | None:
    at, exif = 2, b""
    for _ in range(_MOST_SEGMENTS):
        while data[at] == 0xFF and data[at + 1] == 0xFF:
            at += 1
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        length = int(struct.unpack_from(">H", data, at + 2)[0])
        if marker == 0xE1 and data[at + 4 : at + 10] == b"Exif\0\0" and not exif:
            exif = data[at + 10 : at + 2 + length]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, at + 5)
            orientation, focal = exif_of(exif)
            return Header("jpeg", width, height, orientation, focal, data.find(b"\xff\xd9", at + length) >= 0)
        at += 2 + length
    return None


def _png(data: bytes) -> Header | None:
    if data[12:16] != b"IHDR":
        return None
    width, height = struct.unpack_from(">II", data, 16)
    at, exif = 8, b""
    for _ in range(_MOST_SEGMENTS):
        if at + 8 > len(data):
            break
        (length,) = struct.unpack_from(">I", data, at)
        kind = data[at + 4 : at + 8]
        if kind == b"eXIf":
            exif = data[at + 8 : at + 8 + length]
        if kind in (b"eXIf", b"IDAT"):
            break
        at += 12 + length
    orientation, focal = exif_of(exif)
    return Header("png", width, height, orientation, focal)


def _webp(data: bytes) -> Header | None:
    kind = data[12:16]
    if kind == b"VP8X":
        width = 1 + int.from_bytes(data[24:27], "little")
        height = 1 + int.from_bytes(data[27:30], "little")
    elif kind == b"VP8 ":
        width, height = (v & 0x3FFF for v in struct.unpack_from("<HH", data, 26))
    elif kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        width, height = 1 + (bits & 0x3FFF), 1 + ((bits >> 14) & 0x3FFF)
    else:
        return None
    orientation, focal = exif_of(_riff_part(data, b"EXIF"))
    return Header("webp", width, height, orientation, focal)


def _riff_part(data: bytes, wanted: bytes) -> bytes:
    at = 12
    for _ in range(_MOST_SEGMENTS):
        if at + 8 > len(data):
            break
        (length,) = struct.unpack_from("<I", data, at + 4)
        if data[at : at + 4] == wanted:
            part = data[at + 8 : at + 8 + length]
            return part[6:] if part[:6] == b"Exif\0\0" else part
        at += 8 + length + length % 2
    return b""


def exif_of(block: bytes) -> tuple[int, float | None]:
    """Orientation (1 where nothing is said) and focal length over the diagonal, from a TIFF block."""
    order = {b"II": "<", b"MM": ">"}.get(block[:2])
    if order is None:
        return 1, None
    try:
        first = _entries(block, order, int(struct.unpack_from(order + "I", block, 4)[0]))
        orientation = first.get(_ORIENTATION, 1)
        pointer = first.get(_EXIF_POINTER)
        more = _entries(block, order, pointer) if pointer else {}
    except struct.error:
        return 1, None
    focal = more.get(_FOCAL_35, 0)
    usable = 10 <= focal <= 300
    return orientation if 1 <= orientation <= 8 else 1, focal / _DIAGONAL_OF_35_MM if usable else None


def _entries(block: bytes, order: str, at: int) -> dict[int, int]:
    """Tags with one whole number, of type SHORT or LONG."""
    (count,) = struct.unpack_from(order + "H", block, at)
    found: dict[int, int] = {}
    for n in range(min(count, _MOST_ENTRIES)):
        tag, kind, many = struct.unpack_from(order + "HHI", block, at + 2 + 12 * n)
        if many == 1 and kind in (3, 4):
            (value,) = struct.unpack_from(order + ("H" if kind == 3 else "I"), block, at + 10 + 12 * n)
            found[tag] = int(value)
    return found
