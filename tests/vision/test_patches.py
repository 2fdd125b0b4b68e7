"""The straightened board: millimetres, parallax, and patches that hold what stands on their square."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from rules.words import Cell
from vision.kits.gridlock import GridlockKit
from vision.patches import MM_PER_PX, PATCH_PX, cut, lean_mm, plan_patches, straightener
from vision.pose import BoardPose, CameraModel

KIT = GridlockKit(50.0)
END = (400.0, 400.0)


def pose_above(height_mm: float, tilt_deg: float = 0.0, k1: float = 0.0) -> BoardPose:
    """A camera over the board's middle, tilted about the picture's horizontal axis; north is up in the picture."""
    matrix = np.array([[1000, 0, 640], [0, 1000, 480], [0, 0, 1.0]])
    camera = CameraModel(matrix, np.array([k1, 0, 0, 0, 0.0]), (1280, 960))
    down = np.diag([1.0, -1.0, -1.0])
    tilt, _ = cv2.Rodrigues(np.array([np.radians(tilt_deg), 0.0, 0.0]))
    rotation = tilt @ down
    middle = np.array([200.0, 200.0, 0.0])
    return BoardPose(camera, cv2.Rodrigues(rotation)[0].reshape(3), np.array([0, 0, height_mm]) - rotation @ middle)


@pytest.mark.parametrize("tilt_deg", [0.0, 12.0, 25.0])
@pytest.mark.parametrize("k1", [0.0, -0.2])
def test_a_mark_on_the_board_lands_on_its_millimetre(tilt_deg: float, k1: float) -> None:
    pose = pose_above(700.0, tilt_deg, k1)
    image = np.full((960, 1280, 3), 40, np.uint8)
    marks = np.array([[25.0, 25.0], [375.0, 60.0], [210.0, 330.0]])
    for x, y in pose.to_px(marks):
        cv2.circle(image, (round(x * 16), round(y * 16)), 5 * 16, (255, 255, 255), -1, cv2.LINE_AA, 4)
    flat = straightener(pose, (0.0, 0.0), END)
    mosaic = flat.mosaic(image)[..., 0].astype(float) - 40
    for col, row in flat.px_of(marks):
        spot = mosaic[round(row) - 7 : round(row) + 8, round(col) - 7 : round(col) + 8]
        v, u = np.mgrid[-7:8, -7:8]
        off = np.array([(spot * u).sum(), (spot * v).sum()]) / spot.sum() + (round(col) - col, round(row) - row)
        assert np.abs(off).max() * MM_PER_PX < 0.8


def test_lean_points_away_from_under_the_camera_and_matches_the_projection() -> None:
    pose = pose_above(700.0, 10.0)
    ground = np.array([[25.0, 375.0], [375.0, 25.0], [200.0, 200.0]])
    lean = lean_mm(pose, ground, 44.45)
    tips = pose.to_px(np.hstack([ground, np.full((3, 1), 44.45)]))
    assert pose.to_px(ground + lean) == pytest.approx(tips, abs=1e-6)
    away = ground - pose.eye_mm[:2]
    assert (np.einsum("ij,ij->i", lean, away) > 0).all()


def test_a_patch_holds_its_square_and_the_tip_of_a_tall_piece() -> None:
    pose = pose_above(650.0, 24.0)
    flat = straightener(pose, (0.0, 0.0), END)
    plan = plan_patches(pose, flat, KIT.places)
    base = 12.7 / MM_PER_PX
    low, high = plan.ground_px - base, plan.ground_px + base
    tips = plan.ground_px + plan.lean_px
    assert low.min() >= 0
    assert high.max() <= PATCH_PX
    assert tips.min() >= -1
    assert tips.max() <= PATCH_PX + 1
    assert KIT.places[0].cell == Cell(0, 0)
    assert plan.half_px == pytest.approx(20.0)


def test_cutting_beyond_the_edge_repeats_the_edge() -> None:
    mosaic = np.arange(100, dtype=np.uint8).reshape(10, 10, 1)
    patch = cut(mosaic, np.array([[-5, -5]]))
    assert patch.shape == (1, PATCH_PX, PATCH_PX, 1)
    assert [int(patch[0, r, c, 0]) for r, c in ((0, 0), (-1, -1), (5, 6))] == [0, 99, 1]
