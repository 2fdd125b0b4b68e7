"""Where the disc with a type's symbol is printed: the same place and size on every tile of a box.

Illustrations may reach up to the disc. What of them were learned as print would pull the symbol aside by a tenth of a
millimetre on other tiles, whose illustrations differ; that is a floor of a tower.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect.city_faces import CROP_MM, CROP_PX, PX_PER_MM
from vision.frame import Image, Mask

Floats = NDArray[np.float32]
_MIDDLE_MM, _USUAL_RADIUS_MM = 15.9, 4.6
_RADII_MM = np.arange(3.0, 5.6, 0.125)
_BESIDE_MM = np.arange(-0.75, 0.76, 0.25)
_STEP_MM = 0.5
"""A disc's edge, blurred by a lens, rises within so much on both sides."""
_ANGLES = np.deg2rad(np.arange(0, 360, 10))
_LEAST_RISE = 0.35
"""Just inside its edge a disc is by so much further from the ground than just outside, where black is 1."""


def symbol_disc(tiles: Sequence[tuple[Image, Floats]]) -> Mask:
    """(n, n) of an upright crop: the disc in the top right corner, up to its edge; where none is seen, what is usual.

    `tiles`: upright crops (n, n, 3), each with the BGR of its ground (3,).
    Its edge is where ground begins: at most angles, on most tiles, whatever an illustration does at some.
    """
    far = [_off_ground(patch, ground) for patch, ground in tiles]
    best = (0.0, _MIDDLE_MM, _MIDDLE_MM, _USUAL_RADIUS_MM)
    for dx, dy in itertools.product(_BESIDE_MM, _BESIDE_MM):
        x, y = _MIDDLE_MM + float(dx), _MIDDLE_MM + float(dy)
        profile = np.median([_profile(values, x, y) for values in far], axis=0)
        rises = profile[: len(_RADII_MM)] - profile[len(_RADII_MM):]
        n = int(rises.argmax())
        if rises[n] > best[0]:
            best = (float(rises[n]), x, y, float(_RADII_MM[n]))
    rise, x, y, radius = best
    if rise < _LEAST_RISE:
        x, y, radius = _MIDDLE_MM, _MIDDLE_MM, _USUAL_RADIUS_MM
    v, u = np.mgrid[:CROP_PX, :CROP_PX]
    middle = (CROP_PX - 1) / 2
    u_mm, v_mm = (u - middle) / PX_PER_MM, (middle - v) / PX_PER_MM
    return np.asarray((u_mm - x) ** 2 + (v_mm - y) ** 2 <= radius**2)


def _off_ground(patch: Image, ground: Floats) -> Floats:
    """(n, n): how far each pixel is from a tile's ground, as a share of how far black is."""
    values = cv2.GaussianBlur(patch, (0, 0), 0.7).astype(np.float32)
    return np.asarray(np.clip(np.linalg.norm(values - ground, axis=2) / (np.linalg.norm(ground) + 1), 0, 1), np.float32)


def _profile(off: Floats, x_mm: float, y_mm: float) -> Floats:
    """Just inside circles of `_RADII_MM` around a point, then just outside them: the medians over all angles."""
    radii = np.concatenate([_RADII_MM - _STEP_MM, _RADII_MM + _STEP_MM])
    middle = (CROP_MM * PX_PER_MM - 1) / 2
    x = middle + PX_PER_MM * (x_mm + radii[:, None] * np.cos(_ANGLES))
    y = middle - PX_PER_MM * (y_mm + radii[:, None] * np.sin(_ANGLES))
    rings = cv2.remap(off, x.astype(np.float32), y.astype(np.float32), cv2.INTER_LINEAR,
                      borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(np.median(rings, axis=1), np.float32)
