"""Icons that differ by a few pixels: a star with a 1, a 2 or a 3 in it.

They are compared in brightness alone, since JPEG keeps colour at half the resolution; each laid on the others to a
fraction of a pixel; and learned from all tiles that have the same icon, whatever their type, which halves the noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
_LUMA = np.array([0.114, 0.587, 0.299], np.float32)
_EDGE_PX = 4
"""Of an icon's window, left out: there the ground begins, which differs from type to type."""
_MOST_SHIFT_PX = 3.0


class _Window(Protocol):
    @property
    def rows(self) -> tuple[int, int]: ...

    @property
    def cols(self) -> tuple[int, int]: ...


@dataclass(frozen=True, slots=True)
class Icon:
    """What a face `gives`, as brightness (h, w), mean 0 and spread 1, and how many tiles it was learned from.
    All icons of a set with the same `size` lie on each other."""

    gives: tuple[int, int, int]
    luma: Floats
    tiles: int


def luma_of(image: Floats) -> Floats:
    """(H, W, 3) BGR -> (H, W)."""
    return np.asarray(image @ _LUMA, np.float32)


def even(luma: Floats) -> Floats:
    """Mean 0, spread 1."""
    return np.asarray((luma - luma.mean()) / (luma.std() + 1e-6), np.float32)


def learned(samples: Sequence[tuple[tuple[int, int, int], Floats]]) -> tuple[Icon, ...]:
    """Icons of one shape from patches (H, W, 3) around them, each with what it gives."""
    rows, cols = min(patch.shape[0] for _, patch in samples), min(patch.shape[1] for _, patch in samples)
    lumas = [(gives, even(_middle(luma_of(patch), (rows, cols)))) for gives, patch in samples]
    upon = lumas[0][1]
    means: dict[tuple[int, int, int], Floats] = {}
    for _ in range(3):
        laid = [(gives, even(laid_on(luma, upon))) for gives, luma in lumas]
        means = {g: np.mean([luma for gives, luma in laid if gives == g], axis=0) for g in {g for g, _ in laid}}
        upon = even(np.mean([luma for _, luma in laid], axis=0))
    return tuple(Icon(g, means[g], sum(gives == g for gives, _ in lumas)) for g in sorted(means))


def _middle(luma: Floats, size: tuple[int, int]) -> Floats:
    top, left = (luma.shape[0] - size[0]) // 2, (luma.shape[1] - size[1]) // 2
    return luma[top : top + size[0], left : left + size[1]]


def laid_on(luma: Floats, upon: Floats) -> Floats:
    """`luma` (H, W) shifted by a fraction of a pixel to lie on `upon` (H, W): Gauss-Newton, light free."""
    inner = (slice(3, -3), slice(3, -3))
    slopes = np.gradient(upon)
    gy, gx = np.asarray(slopes[0]), np.asarray(slopes[1])
    design = np.stack([gx[inner].ravel(), gy[inner].ravel(), upon[inner].ravel(), np.ones(upon[inner].size)], axis=1)
    normal = np.linalg.inv(design.T @ design + 1e-6 * np.eye(4)) @ design.T
    shift, out = np.zeros(2), luma
    for _ in range(5):
        solution = normal @ out[inner].ravel()
        shift = np.clip(shift + np.clip(solution[:2] / max(solution[2], 0.1), -1, 1), -_MOST_SHIFT_PX, _MOST_SHIFT_PX)
        warp = np.array([[1.0, 0.0, shift[0]], [0.0, 1.0, shift[1]]])
        out = np.asarray(cv2.warpAffine(luma, warp, (luma.shape[1], luma.shape[0]), flags=cv2.INTER_CUBIC,
                                        borderMode=cv2.BORDER_REPLICATE), np.float32)
    return out


def duel(values: Floats, icons: Sequence[Icon], window: _Window, shift_px: tuple[float, float]) -> list[float]:
    """For each icon how much worse than the best it fits, in shares of what the two most alike differ.

    `values` (H, W, 3): a crop; `window`: where the icon lies in it, but for `shift_px` (x, y).
    """
    height, width = icons[0].luma.shape
    middle = ((window.cols[0] + window.cols[1] - 1) / 2 + shift_px[0],
              (window.rows[0] + window.rows[1] - 1) / 2 + shift_px[1])
    seen = luma_of(np.asarray(cv2.getRectSubPix(values, (width, height), middle), np.float32))
    mean = np.asarray(np.mean([icon.luma for icon in icons], axis=0), np.float32)
    inner = (slice(_EDGE_PX, -_EDGE_PX), slice(_EDGE_PX, -_EDGE_PX))
    laid = laid_on(even(seen), mean)[inner]
    flat = mean[inner]
    design = np.stack([flat.ravel(), np.ones(flat.size)], axis=1)
    gain, offset = np.linalg.lstsq(design, laid.ravel(), rcond=None)[0]
    laid = (laid - offset) / max(float(gain), 0.2)
    weight = np.var([icon.luma[inner] for icon in icons], axis=0)
    weight = weight / (weight.max() + 1e-9)
    misfit = [float((weight * (laid - icon.luma[inner]) ** 2).sum()) for icon in icons]
    apart = min(float((weight * (a.luma[inner] - b.luma[inner]) ** 2).sum())
                for n, a in enumerate(icons) for b in icons[n + 1 :])
    return [(one - min(misfit)) / max(apart, 1e-6) for one in misfit]
