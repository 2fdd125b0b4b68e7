"""Pyramids: what stands on each square, from a patch of now and the same patch of the empty board.

A small network (trained by `table.sim.train` on painted tables) looks at both patches, the lean of tall
things there and the outline of the square. It gives a class (empty; standing or lying four ways in three
sizes; hidden by a hand) and a colour code; the code nearest to one of the palette's codes names the colour.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.kits.gridlock import SIDE, GridlockKit
from vision.light import encoded, linear, relight
from vision.patches import PATCH_PX, PatchPlan, cut, plan_patches, straightener
from vision.pose import BoardPose

EMPTY, STANDING, LYING, HIDDEN = 0, 1, 4, 16
CLASSES = 17
CODE = 16
PIXEL_SCALE = 200.0
LEAN_SCALE = 24.0
MEAN_LIGHT = 0.25

Floats = NDArray[np.float32]


def patches_of(
    kit: GridlockKit, image: Image, pose: BoardPose, reference: Image, reference_pose: BoardPose
) -> tuple[NDArray[np.uint8], Floats]:
    """`pairs` (64, P, P, 6) uint8: relit now and empty board, square-root scale; `extra` (64, 5): see `extra_of`."""
    end = SIDE * kit.square_mm
    flat = straightener(pose, (0.0, 0.0), (end, end))
    empty = straightener(reference_pose, (0.0, 0.0), (end, end))
    before = linear(empty.mosaic(reference))
    plan = plan_patches(pose, flat, kit.places)
    return cut_pairs(linear(flat.mosaic(image)), before, plan), extra_of(plan)


def cut_pairs(now: Floats, before: Floats, plan: PatchPlan) -> NDArray[np.uint8]:
    """(N, P, P, 6) uint8 from two linear mosaics: the first relit to the lamp of the second."""
    h, w = before.shape[:2]
    middle = before[h // 4 : -h // 4, w // 4 : -w // 4]
    level = np.float32(MEAN_LIGHT / max(float(middle.mean()), 1e-4))
    relit = now / relight(now, before).gain
    both = np.concatenate([encoded(relit * level), encoded(before * level)], axis=2)
    mosaic = np.clip(both * PIXEL_SCALE, 0, 255).astype(np.uint8)
    return np.asarray(cut(mosaic, plan.corner_px), np.uint8)


def extra_of(plan: PatchPlan) -> Floats:
    """(N, 5): lean east and south, the cell's centre in the patch (column, row), half the cell's width; px."""
    return np.concatenate([plan.lean_px, plan.ground_px, plan.half_px[:, None]], axis=1).astype(np.float32)


def network_input(pairs: NDArray[np.uint8], extra: Floats) -> Floats:
    """(N, 9, P, P) float32: now BGR, empty BGR, inside the square, lean east, lean south."""
    n = len(pairs)
    out = np.empty((n, 9, PATCH_PX, PATCH_PX), np.float32)
    out[:, :6] = pairs.transpose(0, 3, 1, 2) * np.float32(2 / PIXEL_SCALE) - 1
    span = np.arange(PATCH_PX, dtype=np.float32)
    in_x = np.clip(extra[:, 4, None] + 0.5 - np.abs(span - extra[:, 2, None]), 0, 1)
    in_y = np.clip(extra[:, 4, None] + 0.5 - np.abs(span - extra[:, 3, None]), 0, 1)
    out[:, 6] = in_y[:, :, None] * in_x[:, None, :]
    out[:, 7] = (extra[:, 0] / LEAN_SCALE)[:, None, None]
    out[:, 8] = (extra[:, 1] / LEAN_SCALE)[:, None, None]
    return out


_ = cv2
