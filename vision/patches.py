"""The board straightened: one mosaic of its plane at a fixed scale, and one patch of it per cell.

Mosaic frame of reference: column to the east, row to the south, `MM_PER_PX` millimetres a pixel, so a
piece of so many millimetres has so many pixels under any camera. A patch is centred between a cell's
ground and where the camera sees the tip of a tall piece there, since pieces lean outwards (parallax).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image, Matrix, Points
from vision.kit import Place
from vision.pose import BoardPose

MM_PER_PX = 1.25
PATCH_PX = 64
MARGIN_MM = 72.0
LEAN_HEIGHT_MM = 44.45
"""Lean is told for a piece of this height: Gridlock's large pyramid."""
LEAN_SHARE = 0.4

Floats = NDArray[np.float32]


def lean_mm(pose: BoardPose, ground_mm: Points, height_mm: float = LEAN_HEIGHT_MM) -> Points:
    """(N, 2) ground -> (N, 2) mm: how far the tip of a piece of `height_mm` appears beside its foot."""
    eye = pose.eye_mm
    return np.asarray((ground_mm - eye[:2]) * (height_mm / (eye[2] - height_mm)))


@dataclass(frozen=True, slots=True)
class Straightener:
    """Straightens pictures taken from one pose. `map_x`, `map_y` (H, W) float32 px of the scaled picture."""

    map_x: Floats
    map_y: Floats
    scale: float
    origin_mm: tuple[float, float]
    z_mm: float = 0.0

    def mosaic(self, image: Image) -> Image:
        """(H, W, 3) uint8 BGR: the plane as from straight above. What no pixel shows is black."""
        small = image
        if self.scale < 0.999:
            small = np.asarray(
                cv2.resize(image, None, fx=self.scale, fy=self.scale, interpolation=cv2.INTER_AREA), np.uint8
            )
        return np.asarray(cv2.remap(small, self.map_x, self.map_y, cv2.INTER_LINEAR), np.uint8)

    def px_of(self, points_mm: Points) -> Points:
        """(N, 2) mm -> (N, 2) px (column, row) of the mosaic."""
        return np.stack(
            [(points_mm[:, 0] - self.origin_mm[0]) / MM_PER_PX, (self.origin_mm[1] - points_mm[:, 1]) / MM_PER_PX], 1
        )


def straightener(
    pose: BoardPose, low_mm: tuple[float, float], high_mm: tuple[float, float], z_mm: float = 0.0
) -> Straightener:
    """For the rectangle `low_mm`..`high_mm` (x, y) of the plane at height `z_mm`, with a margin around it."""
    x0, y0 = low_mm[0] - MARGIN_MM, low_mm[1] - MARGIN_MM
    width = int(np.ceil((high_mm[0] + MARGIN_MM - x0) / MM_PER_PX))
    height = int(np.ceil((high_mm[1] + MARGIN_MM - y0) / MM_PER_PX))
    top = y0 + height * MM_PER_PX
    # Straight lines bend little between knots 16 px apart: project those and interpolate.
    cols, rows = np.arange(0, width + 16, 16.0), np.arange(0, height + 16, 16.0)
    u, v = np.meshgrid(cols, rows)
    knots = np.stack([x0 + u.ravel() * MM_PER_PX, top - v.ravel() * MM_PER_PX, np.full(u.size, z_mm)], axis=1)
    px = pose.to_px(knots)
    middle = np.array([(low_mm[0] + high_mm[0]) / 2, (low_mm[1] + high_mm[1]) / 2])
    pair = pose.to_px(np.array([[middle[0] - 20, middle[1] - 20, z_mm], [middle[0] + 20, middle[1] + 20, z_mm]]))
    px_per_mm = float(np.linalg.norm(pair[1] - pair[0])) / 56.57
    scale = min(1.0, 1.3 / (MM_PER_PX * px_per_mm))
    grid = ((px + 0.5) * scale - 0.5).reshape(len(rows), len(cols), 2).astype(np.float32)
    at_x, at_y = np.meshgrid(np.arange(width, dtype=np.float32) / 16, np.arange(height, dtype=np.float32) / 16)
    map_x = cv2.remap(np.ascontiguousarray(grid[..., 0]), at_x, at_y, cv2.INTER_LINEAR)
    map_y = cv2.remap(np.ascontiguousarray(grid[..., 1]), at_x, at_y, cv2.INTER_LINEAR)
    return Straightener(np.asarray(map_x, np.float32), np.asarray(map_y, np.float32), scale, (x0, top), z_mm)


@dataclass(frozen=True, slots=True)
class PatchPlan:
    """Where each place's patch lies in the mosaic. `corner_px` (N, 2) top-left; `lean_px` (N, 2), row down;
    `ground_px` (N, 2): the cell's centre within its patch; `half_px` (N,): half the cell's width."""

    corner_px: NDArray[np.int64]
    lean_px: Matrix
    ground_px: Matrix
    half_px: Matrix


def plan_patches(pose: BoardPose, flat: Straightener, places: Sequence[Place]) -> PatchPlan:
    """One patch for each place, shifted part of the way along the lean."""
    ground = np.array([p.centre_mm[:2] for p in places], dtype=np.float64)
    lean = lean_mm(pose, ground)
    middle = flat.px_of(ground + LEAN_SHARE * lean)
    corner = np.round(middle - PATCH_PX / 2).astype(np.int64)
    half = np.array([p.width_mm for p in places]) / (2 * MM_PER_PX)
    return PatchPlan(corner, lean * (1 / MM_PER_PX, -1 / MM_PER_PX), flat.px_of(ground) - corner, half)


def cut(mosaic: NDArray[np.generic], corner_px: NDArray[np.int64]) -> NDArray[np.generic]:
    """(N, PATCH_PX, PATCH_PX, C): the patches of a mosaic; beyond its edge the edge repeats."""
    h, w = mosaic.shape[:2]
    span = np.arange(PATCH_PX)
    rows = np.clip(corner_px[:, 1, None] + span, 0, h - 1)
    cols = np.clip(corner_px[:, 0, None] + span, 0, w - 1)
    return np.asarray(mosaic[rows[:, :, None], cols[:, None, :]])
