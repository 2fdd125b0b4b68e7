"""Where a tile lies in its slot: the square that its printed border makes, by the edges along its four sides.

Frame of reference: mm on the plane of the tile's face, as the mat's frame; a turn is in degrees, counted
anticlockwise as seen from above. A crop has its row axis down, so y is up in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image, Matrix
from vision.pose import BoardPose

Floats = NDArray[np.float32]
EDGE_PX_PER_MM = 2.0
"""Fine enough to find a square in a patch; half of it will do where its turn is nearly known."""
_BAND = 0.36
"""Edges are looked for within this share of a side on both sides of its middle: corners are rounded."""
_OFF_MIDDLE = 0.3
_PEAKS = 2
_APART_MM = 4.0


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a tile lies: its middle in mm, its turn, and the height of its face above the mat."""

    x_mm: float
    y_mm: float
    turn_deg: float = 0.0
    z_mm: float = 0.0


@dataclass(frozen=True, slots=True)
class Square:
    """A square of `side_mm` and how clear its weakest side is, in grey levels a px."""

    spot: Spot
    side_mm: float
    clearness: float


def crop_map(pose: BoardPose, spot: Spot, size_mm: float, px_per_mm: float, scale: float = 1.0,
             knots: int = 7) -> Floats:
    """(n, n, 2) float32 px of the picture (`scale` times as large): a square of `size_mm` turned with the tile."""
    n = round(size_mm * px_per_mm)
    at = (np.linspace(0, n - 1, knots) - (n - 1) / 2) / px_per_mm
    u, v = np.meshgrid(at, -at)
    turn = np.deg2rad(spot.turn_deg)
    x = spot.x_mm + np.cos(turn) * u - np.sin(turn) * v
    y = spot.y_mm + np.sin(turn) * u + np.cos(turn) * v
    mm = np.stack([x.ravel(), y.ravel(), np.full(x.size, spot.z_mm)], axis=1)
    px = ((pose.to_px(mm) + 0.5) * scale - 0.5).reshape(knots, knots, 2).astype(np.float32)
    steps = (np.arange(n, dtype=np.float32) * np.float32((knots - 1) / (n - 1)))
    gx, gy = np.meshgrid(steps, steps)
    return np.asarray(cv2.remap(px, gx, gy, cv2.INTER_LINEAR), np.float32)


def crop(image: Image, pose: BoardPose, spot: Spot, size_mm: float, px_per_mm: float) -> Image:
    """(n, n, 3) uint8: the picture of that square, as from straight above, the tile upright."""
    return sampled(image, crop_map(pose, spot, size_mm, px_per_mm), cv2.INTER_CUBIC)


def sampled(image: Image, at_px: Floats, how: int = cv2.INTER_LINEAR, border: int = cv2.BORDER_REPLICATE) -> Image:
    """(h, w, 3) uint8: the picture at the places `at_px` (h, w, 2)."""
    # Two maps: OpenCV 5.0.0 does not interpolate when one of two channels comes with an empty second one.
    x, y = (np.ascontiguousarray(at_px[..., axis]) for axis in (0, 1))
    return np.asarray(cv2.remap(image, x, y, how, borderMode=border), np.uint8)


def squares_in(patch: Image, sides_mm: Sequence[float], turns_deg: Sequence[float], reach_mm: float,
               px_per_mm: float = EDGE_PX_PER_MM) -> list[Square]:
    """Squares in a patch of `px_per_mm` whose middle is at most `reach_mm` from its own, the clearest first; a few
    of each turn and side. What lies off the middle must be a little clearer. Spots are relative to the middle."""
    n = patch.shape[0]
    middle = (n - 1) / 2
    found = []
    values = cv2.GaussianBlur(patch, (0, 0), 0.8).astype(np.float32)
    for turn in turns_deg:
        # The content turned back by `turn`: an anticlockwise tile becomes upright.
        warp = cv2.getRotationMatrix2D((middle, middle), -turn, 1.0)
        flat = cv2.warpAffine(values, warp, (n, n), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        across, down = _edges(np.asarray(flat, np.float32))
        for side in sides_mm:
            found.extend(_best(across, down, side, turn, reach_mm, px_per_mm))
    return sorted(found, key=lambda square: -square.clearness)


def _edges(flat: Floats) -> tuple[Floats, Floats]:
    """(n, n) each: how strongly the picture changes to the right, and downwards."""
    dx = np.abs(flat[:, 2:] - flat[:, :-2]).sum(axis=2) / 6
    dy = np.abs(flat[2:] - flat[:-2]).sum(axis=2) / 6
    return (np.pad(dx, ((0, 0), (1, 1))).astype(np.float32), np.pad(dy, ((1, 1), (0, 0))).astype(np.float32))


def _best(
    across: Floats, down: Floats, side_mm: float, turn: float, reach_mm: float, px_per_mm: float
) -> list[Square]:
    """The clearest upright squares of one side: all four of its sides counted, the weakest twice."""
    n = across.shape[0]
    half, band = np.float32(side_mm * px_per_mm / 2), round(side_mm * px_per_mm * _BAND)
    reach = round(reach_mm * px_per_mm)
    columns = cv2.blur(across, (1, 2 * band + 1), borderType=cv2.BORDER_CONSTANT)
    rows = cv2.blur(down, (2 * band + 1, 1), borderType=cv2.BORDER_CONSTANT)
    middle = (n - 1) / 2
    at = np.arange(-reach, reach + 1)
    dy, dx = np.meshgrid(at, at, indexing="ij")
    x, y = (dx + middle).astype(np.float32), (dy + middle).astype(np.float32)
    sides = np.stack([cv2.remap(columns, x - half, y, cv2.INTER_LINEAR),
                      cv2.remap(columns, x + half, y, cv2.INTER_LINEAR),
                      cv2.remap(rows, x, y - half, cv2.INTER_LINEAR), cv2.remap(rows, x, y + half, cv2.INTER_LINEAR)])
    score = (sides.mean(axis=0) + sides.min(axis=0)) * (1 - _OFF_MIDDLE * (dx**2 + dy**2) / max(reach, 1) ** 2)
    angle = np.deg2rad(turn)
    found = []
    for _ in range(_PEAKS):
        row, col = np.unravel_index(int(score.argmax()), score.shape)
        x_mm, y_mm = dx[row, col] / px_per_mm, -dy[row, col] / px_per_mm
        spot = Spot(float(np.cos(angle) * x_mm - np.sin(angle) * y_mm),
                    float(np.sin(angle) * x_mm + np.cos(angle) * y_mm), float(turn))
        found.append(Square(spot, side_mm, float(score[row, col])))
        score[(dx - dx[row, col]) ** 2 + (dy - dy[row, col]) ** 2 < (_APART_MM * px_per_mm) ** 2] = -1
    return found


def turned(spot: Spot, by: Spot) -> Spot:
    """`by`, which is relative to a patch around `spot` (turned with it), in mm of the mat."""
    angle = np.deg2rad(spot.turn_deg)
    x = spot.x_mm + np.cos(angle) * by.x_mm - np.sin(angle) * by.y_mm
    y = spot.y_mm + np.sin(angle) * by.x_mm + np.cos(angle) * by.y_mm
    return Spot(float(x), float(y), spot.turn_deg + by.turn_deg, spot.z_mm)


def in_patch(points_mm: Matrix, size_mm: float, px_per_mm: float) -> Matrix:
    """(N, 2) mm relative to a crop's middle, y up -> (N, 2) px (column, row) of the crop."""
    middle = (round(size_mm * px_per_mm) - 1) / 2
    return np.stack([points_mm[:, 0] * px_per_mm + middle, middle - points_mm[:, 1] * px_per_mm], axis=1)
