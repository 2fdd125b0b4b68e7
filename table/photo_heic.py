"""HEIC as phones send it, by pillow-heif (libheif), which need not be installed: the extra `photos`.

libheif itself turns the picture upright (its own rotation, not EXIF's, counts), so what comes out is upright.
"""

from __future__ import annotations

import io
from enum import Enum
from typing import Any

import numpy as np

from table.photo_header import Header, exif_of
from vision.frame import Image

_BRANDS = (b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"mif1", b"msf1")


class NoHeic(Enum):
    """Why a HEIC file cannot be opened."""

    NO_LIBRARY = "no-library"
    BROKEN = "broken"


def is_heic(data: bytes) -> bool:
    """Whether the bytes begin as a HEIC file does (ISO/IEC 23008-12: the brands of the `ftyp` box)."""
    if data[4:8] != b"ftyp":
        return False
    length = min(int.from_bytes(data[:4], "big"), 256)
    brands = [data[8:12], *(data[n : n + 4] for n in range(16, length, 4))]
    return any(brand in _BRANDS for brand in brands)


def heic_header(data: bytes) -> Header | NoHeic:
    """The size and the lens; no pixel is decoded."""
    file = _file(data)
    if isinstance(file, NoHeic):
        return file
    exif = bytes(file.info.get("exif") or b"")
    block = exif[6:] if exif[:6] == b"Exif\0\0" else exif
    width, height = file.size
    return Header("heic", int(width), int(height), 1, exif_of(block)[1])


def heic_picture(data: bytes) -> Image | None:
    """(H, W, 3) BGR, upright; None where it is damaged."""
    file = _file(data)
    if isinstance(file, NoHeic):
        return None
    try:
        pixels = np.asarray(file)
    except (OSError, ValueError, RuntimeError, EOFError):
        return None
    if pixels.ndim != 3 or pixels.shape[2] not in (3, 4):
        return None
    return np.ascontiguousarray(pixels[..., :3], dtype=np.uint8)


def _file(data: bytes) -> Any:
    """An open HEIC file whose pixels are blue, green, red, or `NoHeic`."""
    try:
        import pillow_heif
    except ImportError:
        return NoHeic.NO_LIBRARY
    try:
        return pillow_heif.open_heif(io.BytesIO(data), convert_hdr_to_8bit=True, bgr_mode=True)
    except (OSError, ValueError, RuntimeError, EOFError):
        return NoHeic.BROKEN
