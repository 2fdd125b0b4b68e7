"""Places where four squares may meet: saddles of brightness, with the direction of their bright squares.

A crossing of a chequered pattern is a saddle: the determinant of the Hessian is strongly negative, and on a ring
round it brightness rises and falls twice. The second harmonic of that ring says how clean the crossing is and, by its
phase, which way the bright squares lie; neighbours on a chequered lattice have opposite phases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Gray, Matrix, Points

Plane = NDArray[Any]
"""(H, W) float32."""
Waves = NDArray[np.complex128]

_RING = 24
_MOST = 1400
_BLUR_PX = 1.6


@dataclass(frozen=True, slots=True)
class Saddles:
    """Candidates, best first: `points_px` (N, 2), `phase` (N,) complex of length 1, `quality` (N,) 0 to 1, and
    `contrast` (N,), the swing of the square root of brightness round them."""

    points_px: Points
    phase: Waves
    quality: Matrix
    contrast: Matrix

    def __len__(self) -> int:
        return len(self.points_px)


def evened(gray: Gray) -> Plane:
    """(H, W) float32: brightness minus its neighbourhood's mean, over its neighbourhood's swing; so a dark corner of
    the table speaks as loudly as a lit one. The floor keeps noise on an even table quiet."""
    values = np.asarray(gray, dtype=np.float32)
    size = (61, 61)
    mean = cv2.boxFilter(values, -1, size, borderType=cv2.BORDER_REFLECT)
    square = cv2.boxFilter(values * values, -1, size, borderType=cv2.BORDER_REFLECT)
    swing = np.sqrt(np.maximum(square - mean * mean, 0.0))
    return np.asarray((values - mean) / (swing + 4.0), dtype=np.float32)


def find_saddles(gray: Gray, ring_px: tuple[float, ...] = (4.5, 7.0), best: int = _MOST) -> Saddles:
    """The saddles of a picture, refined to a fraction of a pixel, judged on rings of the given radii."""
    even = np.asarray(cv2.GaussianBlur(evened(gray), (0, 0), _BLUR_PX), dtype=np.float32)
    xx, yy, xy = (np.asarray(cv2.Sobel(even, cv2.CV_32F, *order, ksize=3)) for order in ((2, 0), (0, 2), (1, 1)))
    strength = xy * xy - xx * yy
    peak = cv2.dilate(strength, np.ones((7, 7), np.uint8))
    margin = int(max(ring_px)) + 2
    keep = (strength >= peak) & (strength > 0.003)
    keep[:margin], keep[-margin:], keep[:, :margin], keep[:, -margin:] = False, False, False, False
    rows, cols = np.nonzero(keep)
    order = np.argsort(-strength[rows, cols])[: 3 * best]
    if not len(order):
        return Saddles(np.zeros((0, 2)), np.zeros(0, dtype=np.complex128), np.zeros(0), np.zeros(0))
    points = _settled(even, xx, yy, xy, np.stack([cols[order], rows[order]], axis=1))
    second, quality = _ring_harmonics(even, points, ring_px)
    good = np.nonzero((quality > 0.45) & (np.abs(second) > 0.1))[0]
    good = good[np.argsort(-quality[good] * np.minimum(np.abs(second[good]), 0.6))][:best]
    if not len(good):
        return Saddles(points[good], second[good], quality[good], np.zeros(0))
    root = np.asarray(cv2.GaussianBlur(np.sqrt(gray.astype(np.float32)), (0, 0), _BLUR_PX))
    contrast, _ = _ring_harmonics(root, points[good], ring_px[-1:])
    return Saddles(points[good], second[good] / np.abs(second[good]), quality[good], np.abs(contrast))


def _settled(even: Plane, xx: Plane, yy: Plane, xy: Plane, at: NDArray[np.int64]) -> Points:
    """One Newton step from the pixel to the point where the gradient vanishes, if that is within a pixel or so."""
    cols, rows = at[:, 0], at[:, 1]
    dx = (even[rows, cols + 1] - even[rows, cols - 1]) / 2
    dy = (even[rows + 1, cols] - even[rows - 1, cols]) / 2
    a, b, c = xx[rows, cols] / 4, xy[rows, cols] / 4, yy[rows, cols] / 4
    det = a * c - b * b
    det = np.where(np.abs(det) < 1e-6, -1e-6, det)
    step = np.stack([-(c * dx - b * dy) / det, -(a * dy - b * dx) / det], axis=1)
    step[np.linalg.norm(step, axis=1) > 2.0] = 0.0
    return np.asarray(at + step, dtype=np.float64)


def _ring_harmonics(even: Plane, points: Points, ring_px: tuple[float, ...]) -> tuple[Waves, Matrix]:
    """Second harmonic (N,) complex and its share of the ring's whole swing (N,), the better of the given radii."""
    turns = np.arange(_RING) * (2 * np.pi / _RING)
    waves = np.stack([np.exp(-1j * k * turns) for k in range(1, 7)], axis=1) * (2 / _RING)
    best_second = np.zeros(len(points), dtype=np.complex128)
    best_share = np.zeros(len(points))
    for radius in ring_px:
        x = points[:, :1] + radius * np.cos(turns)
        y = points[:, 1:] + radius * np.sin(turns)
        ring = cv2.remap(even, x.astype(np.float32), y.astype(np.float32), cv2.INTER_LINEAR)
        harmonics = ring.astype(np.float64) @ waves
        power = np.abs(harmonics) ** 2
        share = power[:, 1] / (power.sum(axis=1) + 1e-9)
        better = share > best_share
        best_share = np.where(better, share, best_share)
        best_second = np.where(better, harmonics[:, 1], best_second)
    return best_second, best_share
