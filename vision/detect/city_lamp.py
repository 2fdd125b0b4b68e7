"""The lamp over a mat: how the light of a picture differs from that under which the empty mat was taken.

Tiles cover most of a mat, so only its margin and the gaps between the slots are compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect.city_square import Spot, crop_map, sampled
from vision.frame import Image
from vision.kits.quadropolis import QuadropolisKit
from vision.light import linear
from vision.pose import BoardPose

Floats = NDArray[np.float32]
MARGIN_MM = 16.0
"""The mat goes on so far beyond its slots."""
_GAP_MM = 3.0
"""Each side of the border between two slots: tiles seldom reach so far."""
_FLOOR = np.float32(0.006)
_CHANGED = 0.055
_CHANGED_HUE = 0.035


@dataclass(frozen=True, slots=True)
class FlatMat:
    """The mat as from straight above, 1 px a mm, linear light (n, n, 3) float32; row 0 is the far side of row 1."""

    light: Floats
    size_mm: float
    middle_mm: float

    def window(self, x_mm: float, y_mm: float, half_mm: float) -> tuple[slice, slice]:
        """Rows and columns of a square around a point of the mat."""
        col = x_mm - self.middle_mm + self.size_mm / 2
        row = self.middle_mm - y_mm + self.size_mm / 2
        n = self.light.shape[0]
        return (slice(max(round(row - half_mm), 0), min(round(row + half_mm), n)),
                slice(max(round(col - half_mm), 0), min(round(col + half_mm), n)))


def flat_mat(image: Image, pose: BoardPose, kit: QuadropolisKit) -> FlatMat:
    """The mat and its margin, straightened at a millimetre a pixel."""
    span = 4 * kit.pitch_mm
    size = span + 2 * MARGIN_MM
    ends = pose.to_px(np.array([[0.0, span / 2], [span, span / 2]]))
    scale = min(1.0, 1.3 * span / float(np.linalg.norm(ends[1] - ends[0])))
    small = image if scale == 1.0 else cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    grid = crop_map(pose, Spot(span / 2, span / 2), size, 1.0, scale, knots=13)
    return FlatMat(linear(sampled(np.asarray(small, np.uint8), grid)), size, span / 2)


def lamp_between(now: FlatMat, before: FlatMat, kit: QuadropolisKit) -> Floats:
    """(n, n, 3) float32: light of `now` over that of `before`, smooth; robust against what lies in the gaps."""
    gaps = _gaps(now, kit)
    a, b = (cv2.boxFilter(flat.light * gaps[..., None], -1, (5, 5), normalize=False) for flat in (now, before))
    count = cv2.boxFilter(gaps, -1, (5, 5), normalize=False)
    at = np.argwhere(count[2::5, 2::5] > 9) * 5 + 2
    rows, cols = at[:, 0], at[:, 1]
    n = count[rows, cols][:, None]
    ratio = np.log((a[rows, cols] / n + _FLOOR) / (b[rows, cols] / n + _FLOOR)).astype(np.float64)
    size = now.light.shape[0]
    basis = _basis(rows / size * 2 - 1, cols / size * 2 - 1)
    fitted = np.zeros_like(ratio) + np.median(ratio, axis=0)
    solution = np.zeros((basis.shape[1], 3))
    for scale in (0.5, 0.3, 0.2, 0.14, 0.1, 0.08):
        weight = 1 / (1 + (((ratio - fitted) / scale) ** 2).sum(axis=1))
        normal = (basis * weight[:, None]).T @ basis + 1e-2 * np.eye(basis.shape[1])
        solution = np.linalg.solve(normal, (basis * weight[:, None]).T @ ratio)
        fitted = basis @ solution
    coarse = np.linspace(-1, 1, 24)
    y, x = np.meshgrid(coarse, coarse, indexing="ij")
    field = np.exp(_basis(y.ravel(), x.ravel()) @ solution).reshape(24, 24, 3).astype(np.float32)
    return np.asarray(cv2.resize(field, (size, size), interpolation=cv2.INTER_LINEAR), np.float32)


def _basis(y: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y, x * x * x, x * x * y, x * y * y, y * y * y], axis=1)


def _gaps(flat: FlatMat, kit: QuadropolisKit) -> Floats:
    """(n, n): 1 where no tile should lie."""
    n = flat.light.shape[0]
    gaps = np.ones((n, n), np.float32)
    half = kit.pitch_mm / 2 - _GAP_MM
    for place in kit.places:
        gaps[flat.window(place.centre_mm[0], place.centre_mm[1], half)] = 0
    return gaps


def changed(now: FlatMat, before: FlatMat, lamp: Floats) -> Floats:
    """(n, n) 0 to 1: where another thing is seen than the empty mat. A shadow alone is little."""
    expected = np.sqrt(np.clip(cv2.blur(before.light, (3, 3)) * lamp, 0, 1.2))
    seen = np.sqrt(np.clip(cv2.blur(now.light, (3, 3)), 0, 1.2))
    off = seen - expected
    bright = off.mean(axis=2, keepdims=True)
    hue = np.abs(off - bright * expected / (expected.mean(axis=2, keepdims=True) + 1e-3)).max(axis=2)
    return np.asarray(((np.abs(bright[..., 0]) > _CHANGED) | (hue > _CHANGED_HUE)).astype(np.float32))
