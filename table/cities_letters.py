"""Text in pictures by cv2's stroke letters, with the accents of Portuguese, which they lack."""

from __future__ import annotations

import unicodedata
from typing import Final

import cv2
import numpy as np

from vision.frame import Image

FONT: Final = cv2.FONT_HERSHEY_SIMPLEX
_CAP_PX: Final = 21.0
"""Height of a capital at scale 1."""
Bgr = tuple[int, int, int]
_MARKS: Final[dict[str, tuple[tuple[float, float], ...]]] = {
    "\N{COMBINING ACUTE ACCENT}": ((-0.05, 0.0), (0.22, -0.24)),
    "\N{COMBINING GRAVE ACCENT}": ((0.05, 0.0), (-0.22, -0.24)),
    "\N{COMBINING CIRCUMFLEX ACCENT}": ((-0.24, 0.0), (0.0, -0.22), (0.24, 0.0)),
    "\N{COMBINING TILDE}": ((-0.28, -0.04), (-0.1, -0.16), (0.1, -0.04), (0.28, -0.16)),
    "\N{COMBINING CEDILLA}": ((0.02, 0.0), (0.06, 0.12), (0.0, 0.24), (-0.14, 0.24)),
}
"""Strokes of each mark about the middle of its letter, in heights of a capital, y down."""
_UNDER: Final = "\N{COMBINING CEDILLA}"


def width_px(text: str, height_px: float, thick_px: int = 2) -> int:
    """How wide a text is that is `height_px` high."""
    return int(cv2.getTextSize(_plain(text), FONT, height_px / _CAP_PX, thick_px)[0][0])


def write(
    image: Image, text: str, at_px: tuple[float, float], height_px: float, colour: Bgr, thick_px: int = 2,
    anchor: float = 0.0,
) -> None:
    """Writes on the picture, the base line at `at_px`; `anchor` 0 begins there, 0.5 centres, 1 ends there."""
    x = at_px[0] - anchor * width_px(text, height_px, thick_px)
    y = at_px[1]
    cv2.putText(image, _plain(text), (round(x), round(y)), FONT, height_px / _CAP_PX, colour, thick_px, cv2.LINE_AA)
    so_far = ""
    for sign in unicodedata.normalize("NFD", unicodedata.normalize("NFC", text)):
        if not unicodedata.combining(sign):
            so_far += sign
        elif sign in _MARKS and so_far:
            middle = x + width_px(so_far, height_px, thick_px) - width_px(so_far[-1], height_px, thick_px) / 2
            is_tall = so_far[-1].isupper()
            level = y if sign == _UNDER else y - height_px * (1.14 if is_tall else 0.86)
            ring = np.array([(middle + dx * height_px, level + dy * height_px) for dx, dy in _MARKS[sign]])
            cv2.polylines(image, [np.round(ring).astype(np.int32)], False, colour, thick_px, cv2.LINE_AA)


def _plain(text: str) -> str:
    """Letters that the font has, one for each letter of the text.

    >>> _plain("Prédios, Ação")
    'Predios, Acao'
    """
    parted = unicodedata.normalize("NFD", text)
    return "".join(sign if sign.isascii() else "?" for sign in parted if not unicodedata.combining(sign))
