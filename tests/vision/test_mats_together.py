"""Several mats on one table: one camera for all their lines, and lattices of slots beside a mat that was found."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.kits.quadropolis import SIDE, QuadropolisKit
from vision.locate.lattice import mapped
from vision.locate.mats_beside import lattices_beside
from vision.locate.mats_lines import Pieces
from vision.locate.mats_pose import plane_matrix, posed_together
from vision.pose import BoardPose, CameraModel

KIT = QuadropolisKit()
SIZE_PX = (3200, 2400)
STEP_MM = 330.0


def camera(focal_px: float, tilt_deg: float) -> BoardPose:
    """Over the middle of four mats, the first of which lies up and left."""
    matrix = np.array([[focal_px, 0, (SIZE_PX[0] - 1) / 2], [0, focal_px, (SIZE_PX[1] - 1) / 2], [0, 0, 1.0]])
    tilt = np.deg2rad(tilt_deg)
    lean = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    rotation = lean @ np.diag([1.0, -1.0, -1.0])
    eye = np.array([110 + STEP_MM / 2, 110 - STEP_MM / 2, 0]) + rotation.T @ np.array([0, 0, -800.0])
    lens = CameraModel(matrix, np.array([0.012, -0.002, 0, 0, 0]), SIZE_PX)
    return BoardPose(lens, np.asarray(cv2.Rodrigues(rotation)[0]).ravel(), -rotation @ eye)


def laid(pose: BoardPose, x_mm: float, y_mm: float, turn_deg: float) -> BoardPose:
    """The same camera in the frame of a mat that lies elsewhere."""
    c, s = np.cos(np.deg2rad(turn_deg)), np.sin(np.deg2rad(turn_deg))
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    rotation = cv2.Rodrigues(np.asarray(pose.rvec))[0]
    tvec = np.asarray(pose.tvec) + rotation @ np.array([x_mm, y_mm, 0])
    return BoardPose(pose.camera, np.asarray(cv2.Rodrigues(rotation @ turn)[0]).ravel(), tvec)


def mats(pose: BoardPose, count: int) -> list[BoardPose]:
    return [laid(pose, (n % 2) * STEP_MM, -(n // 2) * STEP_MM, 4.0 * n - 3) for n in range(count)]


def pieces(pose: BoardPose, rng: np.random.Generator) -> Pieces:
    """Lines along all slots' sides, as a picture shows them, a tenth of them taken for something else."""
    at, normal = [], []
    for place in KIT.places:
        for n in range(4):
            turn = np.array([[np.cos(n * np.pi / 2), -np.sin(n * np.pi / 2)],
                             [np.sin(n * np.pi / 2), np.cos(n * np.pi / 2)]])
            for along in np.linspace(-20, 20, 6):
                at.append(np.array(place.centre_mm[:2]) + turn @ np.array([23.5, along]))
                normal.append(turn[:, 0])
    at_mm, out_mm = np.array(at), np.array(normal)
    px = pose.to_px(at_mm)
    along_px = pose.to_px(at_mm + np.stack([-out_mm[:, 1], out_mm[:, 0]], 1)) - px
    out = np.stack([along_px[:, 1], -along_px[:, 0]], 1) / np.linalg.norm(along_px, axis=1, keepdims=True)
    off = rng.normal(0, 0.3, len(px)) + np.where(rng.random(len(px)) < 0.1, rng.normal(0, 2, len(px)), 0)
    # Of where along its line a piece is nothing is known.
    slid = along_px * rng.uniform(-0.5, 0.5, (len(px), 1))
    return Pieces(at_mm, px + off[:, None] * out + slid, out, np.ones(len(px), bool))


@pytest.mark.parametrize("focal_px", [2150.0, 2600.0, 3000.0])
@pytest.mark.parametrize("tilt_deg", [12.0, 33.0])
def test_one_camera_sees_all_mats(focal_px: float, tilt_deg: float) -> None:
    rng = np.random.default_rng(3)
    true = mats(camera(focal_px, tilt_deg), 4)
    posed = posed_together([pieces(one, rng) for one in true], SIZE_PX, None)
    assert posed.poses[0].camera.matrix[0, 0] == pytest.approx(focal_px, rel=0.015)
    assert posed.doubt < 0.04
    for found, one in zip(posed.poses, true, strict=True):
        np.testing.assert_allclose(found.to_px(np.array(KIT.outline_mm)), one.to_px(np.array(KIT.outline_mm)), atol=0.6)
        assert found.residual_px < 1.5
        # A tower's top is where it is.
        high = np.array([[110.0, 110.0, 8.4]])
        np.testing.assert_allclose(found.to_px(high), one.to_px(high), atol=0.6)


def test_a_mat_off_the_middle_leans_the_right_way() -> None:
    """With a focal length half as long again to begin from, it once leaned the other way and stayed so."""
    rng = np.random.default_rng(5)
    true = mats(camera(2100.0, 4.0), 4)[3]
    [found] = posed_together([pieces(true, rng)], SIZE_PX, None).poses
    assert found.residual_px < 1.5
    np.testing.assert_allclose(found.to_px(np.array(KIT.outline_mm)), true.to_px(np.array(KIT.outline_mm)), atol=0.8)


def test_straight_from_above_the_focal_length_is_doubtful() -> None:
    rng = np.random.default_rng(4)
    doubts = [posed_together([pieces(one, rng) for one in mats(camera(2600.0, tilt), 2)], SIZE_PX, None).doubt
              for tilt in (0.5, 30.0)]
    assert doubts[0] > 3 * doubts[1]
    told = posed_together([pieces(one, rng) for one in mats(camera(2600.0, 0.5), 2)], SIZE_PX, 2600.0)
    assert told.doubt < 0.05


def squares(pose: BoardPose, slots: list[int], rng: np.random.Generator) -> np.ndarray:
    """(N, 4, 2) px: tiles as people lay them, on some slots."""
    ring = np.array([[-22.5, 22.5], [22.5, 22.5], [22.5, -22.5], [-22.5, -22.5]])
    out = []
    for n in slots:
        turn = np.deg2rad(rng.normal(0, 3))
        turned = ring @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        out.append(pose.to_px(turned + KIT.places[n].centre_mm[:2] + rng.normal(0, 1.2, 2)))
    return np.array(out).reshape(-1, 4, 2)


def test_a_lattice_is_found_beside_a_mat_on_a_chequered_cloth() -> None:
    rng = np.random.default_rng(6)
    one, other = mats(camera(2600.0, 30.0), 2)
    tiles = squares(other, [0, 2, 5, 7, 8, 11], rng)
    # The cloth's squares: half as large again as a tile may be, and turned.
    check = np.array([[0, 0], [60, 0], [60, -60], [0, -60.0]])
    cloth = np.array([one.to_px(check + np.array([x, y]))
                      for x in range(-120, 600, 60) for y in (-80, -200)])
    both = np.concatenate([cloth, tiles])
    found = lattices_beside(both, np.ones(len(both), bool), [plane_matrix(one)], KIT)[0]
    assert sorted(found.members) == list(range(len(cloth), len(both)))
    np.testing.assert_allclose(mapped(found.from_cells, found.cells.astype(float)), tiles[found.members - len(cloth)]
                               .mean(axis=1), atol=14)
    # Rows count downwards as columns count to the right: no mirror.
    right, down = (mapped(found.from_cells, np.array([(0.0, 0.0), step])) for step in ((1.0, 0.0), (0.0, 1.0)))
    a, b = right[1] - right[0], down[1] - down[0]
    assert a[0] * b[1] - a[1] * b[0] > 0
    assert np.ptp(found.cells, axis=0).max() < SIDE


def test_two_squares_are_no_lattice() -> None:
    one, other = mats(camera(2600.0, 20.0), 2)
    two = squares(other, [0, 1], np.random.default_rng(7))
    assert lattices_beside(two, np.ones(2, bool), [plane_matrix(one)], KIT) == ()
