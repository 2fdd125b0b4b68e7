"""The printed face of a tile to a tenth of a millimetre: where its ground colour ends, on all four sides.

A tile's ground is one colour up to a dark printed line; beyond it come the card's edge, the mat or another tile. The
distance in colour from the ground, cut off where it is plainly another colour, rises once from inside to outside,
whatever lies beyond.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect.city_square import Spot, crop, crop_map, sampled, turned
from vision.frame import Image, Matrix
from vision.pose import BoardPose

Floats = NDArray[np.float32]
BORDER_PX_PER_MM = 5.0
_SIZE_MM = 52.0
_REACH_MM = 3.4
_BAND_MM = 17.0
"""Along a side, so far from its middle: beyond it corners are rounded."""
_PARTS = 6
_LINES = 9
_KNOTS_PER_MM = 0.25
_LEAST_CONTRAST = 12.0
"""In grey levels between a ground and what lies beyond."""
"""A side is measured in so many parts."""


@dataclass(frozen=True, slots=True)
class Border:
    """A face as measured: `spot`, the side of its ground in mm on the plane of `spot.z_mm`, how well the parts of
    the four sides agree (`rms_mm`), how many were seen (of 24), and the ground's colour, BGR."""

    spot: Spot
    side_mm: float
    rms_mm: float
    seen: int
    ground: Floats


def ground_of(patch: Image, side_mm: float, px_per_mm: float) -> tuple[Floats, float]:
    """(3,) BGR: the colour that most of a face has, and its share of the face."""
    half = round(0.42 * side_mm * px_per_mm)
    middle = patch.shape[0] // 2
    inner = patch[middle - half : middle + half : 3, middle - half : middle + half : 3].reshape(-1, 3)
    values = inner.astype(np.float32)
    bins = (inner >> 4).astype(np.int64)
    counts = np.bincount(bins[:, 0] * 256 + bins[:, 1] * 16 + bins[:, 2], minlength=4096).astype(np.float32)
    smooth = cv2.blur(counts.reshape(256, 16), (3, 1)).reshape(16, 16, 16)
    smooth = smooth + np.roll(smooth, 1, 0) + np.roll(smooth, -1, 0)
    smooth = smooth + np.roll(smooth, 1, 1) + np.roll(smooth, -1, 1)
    peak = np.array(np.unravel_index(int(smooth.argmax()), smooth.shape), np.float32) * 16 + 8
    for reach in (36.0, 28.0, 24.0):
        near = np.abs(values - peak).max(axis=1) < reach
        if near.sum() < 20:
            break
        peak = values[near].mean(axis=0)
    return peak.astype(np.float32), float(near.mean())


def measured(image: Image, pose: BoardPose, spot: Spot, side_mm: float, fixed: bool = False,
             rounds: int = 3) -> Border | None:
    """The face near `spot`, whose ground has about `side_mm` a side; None where its sides are not to be seen.

    `fixed`: the side is known and only place and turn are sought.
    """
    border = None
    for _ in range(rounds):
        coarse = crop(image, pose, spot, _SIZE_MM, 1.0)
        ground, _ = ground_of(coarse, side_mm, 1.0)
        offsets = _offsets(image, crop_map(pose, spot, _SIZE_MM, _KNOTS_PER_MM), ground, side_mm)
        solved = _solved(offsets, fixed)
        if solved is None:
            return border
        (dx, dy, turn, wider), rms, seen = solved
        moved = turned(spot, Spot(dx, dy, turn))
        border = Border(moved, side_mm + 2 * wider, rms, seen, ground)
        if not fixed:
            side_mm = border.side_mm
        if np.hypot(dx, dy) < 0.02 and abs(turn) < 0.05:
            break
        spot = moved
    return border


def _offsets(image: Image, knots: Floats, ground: Floats, side_mm: float) -> Matrix:
    """(4, parts) mm: how far beyond the expected side the ground ends, right, up, left, down; NaN: not seen.

    `knots`: px of the picture on a coarse grid over the tile.
    """
    reach = np.arange(-_REACH_MM, _REACH_MM + 0.01, 1 / BORDER_PX_PER_MM)
    along = np.linspace(-_BAND_MM, _BAND_MM, _PARTS * _LINES)
    out, up = np.meshgrid(side_mm / 2 + reach, along)
    middle = (knots.shape[0] - 1) / 2
    x = np.stack([out, -up, -out, up]).reshape(4 * len(along), -1)
    y = np.stack([up, out, -up, -out]).reshape(4 * len(along), -1)
    at = cv2.remap(knots, (x * _KNOTS_PER_MM + middle).astype(np.float32),
                   (middle - y * _KNOTS_PER_MM).astype(np.float32), cv2.INTER_LINEAR)
    seen = sampled(image, np.asarray(at, np.float32)).astype(np.float32)
    lines = cv2.blur(seen, (3, 1)).reshape(4 * _PARTS, _LINES, len(reach), 3)
    middle_of = np.median(lines, axis=1)
    away = np.sqrt(((middle_of - ground) ** 2).mean(axis=2))
    return _ends_of_ground(away, reach).reshape(4, _PARTS)


def _ends_of_ground(profiles: Floats, reach: Matrix) -> Matrix:
    """(N, R) colour distances from inside to outside -> (N,) mm where each rises for good; NaN where none does."""
    top = np.percentile(profiles, 90, axis=1)
    share = np.clip(profiles / np.clip(top, 1, 70)[:, None], 0, 1)
    run = round(1.0 * BORDER_PX_PER_MM)
    steps = share.shape[1] - run
    lasting = np.min([share[:, n : n + steps] for n in range(run)], axis=0) >= 0.42
    begun = np.minimum.accumulate(share, axis=1)[:, :steps] < 0.35
    rises = np.zeros_like(lasting)
    rises[:, 1:] = (share[:, : steps - 1] < 0.5) & (share[:, 1:steps] >= 0.5) & lasting[:, 1:] & begun[:, :-1]
    at = np.maximum(rises.argmax(axis=1), 1)
    line = np.arange(len(share))
    before, after = share[line, at - 1], share[line, at]
    ends = reach[at - 1] + (0.5 - before) / (after - before + 1e-9) * (reach[1] - reach[0])
    return np.where(rises.any(axis=1) & (top >= _LEAST_CONTRAST), ends, np.nan)


def _solved(offsets: Matrix, fixed: bool) -> tuple[tuple[float, float, float, float], float, int] | None:
    """(dx, dy, turn in degrees, half of what the side is larger), misfit in mm, parts that agree."""
    at = (np.arange(_PARTS) + 0.5) / _PARTS * 2 * _BAND_MM - _BAND_MM
    rows, values = [], []
    for quarter in range(4):
        c, s = np.cos(quarter * np.pi / 2), np.sin(quarter * np.pi / 2)
        for part in range(_PARTS):
            rows.append([c, s, at[part] * np.pi / 180 * -1.0, 1.0])
            values.append(offsets[quarter, part])
    design, value = np.array(rows), np.array(values)
    known = np.isfinite(value)
    if known.sum() < 10 or any(not known[q * _PARTS : (q + 1) * _PARTS].any() for q in range(4)):
        return None
    if fixed:
        design = design[:, :3]
    weight = known.astype(float)
    value = np.where(known, value, 0.0)
    solution = np.zeros(design.shape[1])
    for scale in (2.0, 0.8, 0.4, 0.3):
        normal = design.T @ (weight[:, None] * design) + 1e-6 * np.eye(design.shape[1])
        solution = np.linalg.solve(normal, design.T @ (weight * value))
        off = np.abs(design @ solution - value)
        weight = known / (1 + (off / scale) ** 2) ** 2
    agree = known & (off < 0.5)
    if agree.sum() < 8:
        return None
    rms = float(np.sqrt((off[agree] ** 2).mean()))
    wider = 0.0 if fixed else float(solution[3])
    return (float(solution[0]), float(solution[1]), float(solution[2]), wider), rms, int(agree.sum())
