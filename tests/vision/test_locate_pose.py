"""The camera from the lattice: with a lens, and without."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.vision.locate_painter import SIZE_PX, SQUARE_MM, Table, camera, corners, paint
from vision.frame import read_picture
from vision.locate import Chessboard, find_chessboard, fit_pose, orient
from vision.pose import BoardPose, CameraModel

DEV = Path(__file__).parents[3] / "shared" / "scenes" / "dev"
SPOTS = np.array([[0.0, 0.0], [8.0, 0.0], [8.0, 8.0], [0.0, 8.0], [4.0, 4.0]])


def found(pose: BoardPose, pieces: int = 10) -> Chessboard:
    board = find_chessboard(paint(Table(pieces=pieces), pose))
    assert isinstance(board, Chessboard)
    tap = corners(pose)[0]
    named = orient(board, {"a1": (float(tap[0]), float(tap[1]))})
    assert isinstance(named, Chessboard)
    return named


def off_px(pose: BoardPose, truth: BoardPose, height_mm: float) -> float:
    points = np.hstack([SPOTS * SQUARE_MM, np.full((5, 1), height_mm)])
    return float(np.linalg.norm(pose.to_px(points) - truth.to_px(points), axis=1).max())


@pytest.mark.parametrize("tilt_deg", [0.0, 8.0, 25.0])
def test_with_a_lens_that_is_a_little_wrong(tilt_deg: float) -> None:
    truth = camera(tilt_deg, 16.0, k1=-0.15)
    lens = replace(truth.camera, matrix=truth.camera.matrix + np.array([[2.0, 0, 2.0], [0, 2.0, -1.0], [0, 0, 0]]),
                   distortion=truth.camera.distortion + np.array([0.002, -0.002, 0, 0, 0]))
    pose = fit_pose(found(truth), SQUARE_MM, SIZE_PX, lens)
    assert pose.residual_px < 0.5
    assert off_px(pose, truth, 0.0) < 1.0
    assert off_px(pose, truth, 44.0) < 1.5
    assert np.linalg.norm(pose.eye_mm - truth.eye_mm) < 0.01 * np.linalg.norm(truth.eye_mm)


@pytest.mark.parametrize(("tilt_deg", "bound_px"), [(0.0, 3.0), (12.0, 3.0), (30.0, 3.0)])
def test_without_a_lens(tilt_deg: float, bound_px: float) -> None:
    truth = camera(tilt_deg, -20.0, k1=-0.12, focal=1.02)
    pose = fit_pose(found(truth), SQUARE_MM, SIZE_PX, None)
    assert off_px(pose, truth, 0.0) < 1.0
    assert off_px(pose, truth, 44.0) < bound_px


def test_a_lens_of_another_size_is_scaled() -> None:
    truth = camera(10.0, 0.0)
    doubled = truth.camera.matrix * np.array([[2.0], [2.0], [1.0]])
    lens = CameraModel(doubled, truth.camera.distortion, (SIZE_PX[0] * 2, SIZE_PX[1] * 2))
    pose = fit_pose(found(truth), SQUARE_MM, SIZE_PX, lens)
    assert off_px(pose, truth, 44.0) < 1.5


def test_the_eye_is_above_the_board_and_sees_it_unmirrored() -> None:
    pose = fit_pose(found(camera(20.0, 77.0)), SQUARE_MM, SIZE_PX, None)
    assert pose.eye_mm[2] > 300
    x, y = pose.to_px(np.array([[0.0, 0.0], [0.0, 8.0], [8.0, 8.0], [8.0, 0.0]]) * SQUARE_MM).T
    assert float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum()) > 0


@pytest.mark.skipif(not DEV.exists(), reason="the shared scenes are not here")
@pytest.mark.parametrize("folder", sorted(DEV.glob("gridlock-stills-*")), ids=lambda path: path.name[-3:])
def test_painted_installations(folder: Path) -> None:
    setup = json.loads((folder / "setup.json").read_text())
    truth = json.loads((folder / "scene.json").read_text())
    given = setup["lens"][0] if setup["lens"] else None
    lens = given and CameraModel(np.array(given["matrix"]).reshape(3, 3), np.array(given["distortion"]),
                                 tuple(given["size"]))
    for frame in truth["frames"][::4]:
        picture = read_picture(folder / frame["frame"])
        board = find_chessboard(picture)
        assert isinstance(board, Chessboard)
        named = orient(board, {name: tuple(at) for name, at in setup["taps"].items()})
        assert isinstance(named, Chessboard)
        pose = fit_pose(named, setup["square_mm"], (picture.shape[1], picture.shape[0]), lens)
        outline = np.array([[0.0, 0.0], [8.0, 0.0], [8.0, 8.0], [0.0, 8.0]]) * setup["square_mm"]
        wanted = np.array([frame["corners"][name] for name in ("a1", "h1", "h8", "a8")])
        assert np.linalg.norm(pose.to_px(outline) - wanted, axis=1).max() < 0.12 * board.square_px
