"""The edges of a pyramid as a camera sees it on one square: its known size, projected.

Pixels are those of a patch (see `vision.patches`), column and row; millimetres are x east, y north, z up from the
square's centre.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from vision.frame import Matrix
from vision.kit import PieceShape
from vision.patches import MM_PER_PX

Floats = NDArray[np.float32]

EDGES = np.array([(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4), (2, 4), (3, 4)])
"""Corners of the base are 0 to 3, the tip is 4."""
ALONG = np.linspace(0.08, 0.92, 9)
"""Where an edge is looked at, as shares of its length: near its ends other edges begin."""
STEP_DEG = 5.0
MOST_TURN_DEG = 30.0
"""Of a lying piece: beyond it nobody could say which way it faces."""
_FACES = np.array([(0, 1, 2), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)])
"""Three corners of the base and of each wall."""
_BESIDE = np.array([(0, 1), (0, 2), (0, 3), (0, 4), (4, 1), (1, 2), (2, 3), (3, 4)])
"""The two faces that meet in each edge."""
_WEIGHT_BY_FACES = np.array([0.0, 1.0, 0.6])
"""A hidden edge, one of the silhouette, and one between two faces that are both seen, which is fainter."""
_SHORTEST_PX = 1.5


def corners_mm(shape: PieceShape, facing: int | None) -> Matrix:
    """(5, 3) mm: four corners of the base, then the tip, which points to `facing` (0 north, clockwise) when it lies."""
    half, high = shape.base_mm / 2, shape.height_mm
    if facing is None:
        return np.array([(-half, -half, 0), (half, -half, 0), (half, half, 0), (-half, half, 0), (0, 0, high)])
    slant = float(np.hypot(high, half))
    # Base and wall meet at the angle whose cosine is half / slant: so far the base leans over the wall it lies on.
    over, up = -slant / 2 + shape.base_mm * half / slant, shape.base_mm * high / slant
    back, tip = -slant / 2, slant / 2
    flat = np.array([(back, -half, 0), (back, half, 0), (over, half, up), (over, -half, up), (tip, 0, 0)])
    east, north = ((0, 1), (1, 0), (0, -1), (-1, 0))[facing]
    x, y = flat[:, 0], flat[:, 1]
    return np.stack([x * east - y * north, x * north + y * east, flat[:, 2]], axis=1)


@dataclass(frozen=True, slots=True)
class Outline:
    """One piece on one square in K turns, its edges looked at in M places (8 edges times `ALONG`).

    `px` (K, 5, 2) corners; `spots` (K, M, 2) places; `across` (K, M, 2) unit normals of the edges there; `weight`
    (K, M), summing to 1: by length, less between two visible faces, 0 where hidden. `closed`: whether the last turn
    is beside the first, as with a square base.
    """

    px: Floats
    spots: Floats
    across: Floats
    weight: Floats
    closed: bool


@dataclass(frozen=True, slots=True)
class _Turned:
    """A piece in all its turns, wherever it stands: (K, 5, 3) mm corners; the walls' outward normals (K, 5, 3) and
    how far along them each wall lies (K, 5)."""

    placed: Matrix
    outwards: Matrix
    far: Matrix


@cache
def _turned(shape: PieceShape, facing: int | None) -> _Turned:
    solid = corners_mm(shape, facing)
    turns = np.radians(
        np.arange(0, 90, STEP_DEG) if facing is None else np.arange(-MOST_TURN_DEG, MOST_TURN_DEG + 1, STEP_DEG)
    )
    cos, sin = np.cos(turns)[:, None], np.sin(turns)[:, None]
    x, y, z = solid.T
    placed = np.stack([cos * x - sin * y, sin * x + cos * y, np.broadcast_to(z, (len(turns), 5))], axis=2)
    a, b, c = (placed[:, _FACES[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    inside = ((placed.mean(axis=1)[:, None] - a) * normal).sum(axis=2, keepdims=True)
    outwards = np.where(inside > 0, -normal, normal)
    return _Turned(placed, outwards, (a * outwards).sum(axis=2))


def outline_of(shape: PieceShape, facing: int | None, eye_mm: Matrix, ground_px: Matrix) -> Outline:
    """`eye_mm` (3,): the camera, from the square's centre; `ground_px` (2,): that centre in its patch."""
    solid = _turned(shape, facing)
    flat, z = solid.placed[..., :2], solid.placed[0, :, 2]
    # The ray from the camera through a corner meets the board beyond it: parallax.
    px = ground_px + (flat + (flat - eye_mm[:2]) * (z / (eye_mm[2] - z))[:, None]) * (1 / MM_PER_PX, -1 / MM_PER_PX)
    start, step = px[:, EDGES[:, 0]], px[:, EDGES[:, 1]] - px[:, EDGES[:, 0]]
    long = np.hypot(step[..., 0], step[..., 1])
    across = np.stack([-step[..., 1], step[..., 0]], axis=2) / np.maximum(long, 1e-6)[..., None]
    shown = (solid.outwards @ eye_mm > solid.far)[:, _BESIDE].sum(axis=2)
    weight = np.where(long < _SHORTEST_PX, 0.0, long) * _WEIGHT_BY_FACES[shown]
    weight = weight / (weight.sum(axis=1, keepdims=True) * len(ALONG))
    spots = start[:, :, None] + ALONG[:, None] * step[:, :, None]
    count, many = len(px), len(EDGES) * len(ALONG)
    return Outline(
        px.astype(np.float32),
        spots.reshape(count, many, 2).astype(np.float32),
        np.repeat(across.astype(np.float32), len(ALONG), axis=1),
        np.repeat(weight.astype(np.float32), len(ALONG), axis=1),
        facing is None,
    )
