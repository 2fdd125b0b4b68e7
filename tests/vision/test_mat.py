"""The Quadropolis mat: found by its printed slots in any rotation, posed, followed; on painted mats."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.frame import Image
from vision.kits.quadropolis import SIDE, QuadropolisKit
from vision.locate.board import NoBoard
from vision.locate.mat import find_mat, fit_mat, orient_mat
from vision.locate.mat_follow import MatFollower
from vision.locate.taps import BadTaps
from vision.observation import BoardState
from vision.pose import BoardPose, CameraModel

KIT = QuadropolisKit()
SIZE = (960, 720)
DISTRICTS = ((150, 90, 120), (170, 140, 80), (90, 160, 150), (160, 120, 190))


def mat_drawing(px_per_mm: float) -> Image:
    """The mat from straight above, 18 mm of margin around its slots."""
    def px(mm: float) -> int:
        return round(mm * px_per_mm)

    size = px(4 * KIT.pitch_mm + 36)
    mat = np.full((size, size, 3), (190, 200, 185), np.uint8)
    for n, colour in enumerate(DISTRICTS):
        x, y = px(18 + (n % 2) * 110), px(18 + (n // 2) * 110)
        cv2.rectangle(mat, (x, y), (x + px(110), y + px(110)), colour, -1)
    for row in range(SIDE):
        for col in range(SIDE):
            x, y = px(18 + col * 55 + 4), px(18 + row * 55 + 4)
            cv2.rectangle(mat, (x, y), (x + px(47), y + px(47)), (50, 45, 40), px(0.6))
        cv2.putText(mat, str(row + 1), (px(5), px(18 + row * 55 + 32)), 0, 0.3 * px_per_mm, (30, 30, 30), px(0.8))
        cv2.putText(mat, str(row + 1), (px(18 + row * 55 + 24), px(13)), 0, 0.3 * px_per_mm, (30, 30, 30), px(0.8))
    return mat


def pose_at(turn_deg: float, tilt_deg: float, shift_mm: tuple[float, float] = (0.0, 0.0)) -> BoardPose:
    """A camera half a metre above the mat's middle, the mat turned, the camera tilted."""
    lens = CameraModel(np.array([[880.0, 0, 479.5], [0, 880.0, 359.5], [0, 0, 1]]), np.zeros(5), SIZE)
    flip = np.diag([1.0, -1.0, -1.0])
    tilt = cv2.Rodrigues(np.array([np.deg2rad(tilt_deg), 0, 0]))[0]
    turn = cv2.Rodrigues(np.array([0, 0, np.deg2rad(turn_deg)]))[0]
    rotation = tilt @ flip @ turn
    middle = np.array([110.0 + shift_mm[0], 110.0 + shift_mm[1], 0.0])
    tvec = np.array([0.0, 0.0, 500.0]) - rotation @ middle
    return BoardPose(lens, cv2.Rodrigues(rotation)[0].reshape(3), tvec)


def cloth(pose: BoardPose, check_mm: float) -> Image:
    """A chequered cloth under the mat, its lines in line with the mat's."""
    squares = np.indices((24, 24)).sum(axis=0) % 2
    tile = 20
    drawing = np.where(np.kron(squares, np.ones((tile, tile)))[..., None] > 0, (30, 55, 35), (60, 110, 170))
    far, n = 12 * check_mm, 24 * tile
    mm = np.array([[-far, far], [far, far], [far, -far], [-far, -far]]) + np.array([104.0, 112.0])
    matrix = cv2.getPerspectiveTransform(np.array([[0, 0], [n, 0], [n, n], [0, n]], np.float32),
                                         pose.to_px(mm).astype(np.float32))
    return np.asarray(cv2.warpPerspective(drawing.astype(np.uint8), matrix, SIZE), np.uint8)


def painted(pose: BoardPose, rng: np.random.Generator, table: Image | None = None) -> Image:
    """A picture of the empty mat on a plain table, or on another, with a little noise."""
    scale = 4.0
    drawing = mat_drawing(scale)
    end = 4 * KIT.pitch_mm + 18
    corners_mm = np.array([[-18.0, end], [end, end], [end, -18.0], [-18.0, -18.0]])
    n = drawing.shape[0] - 1
    source = np.array([[0, 0], [n, 0], [n, n], [0, n]], np.float32)
    matrix = cv2.getPerspectiveTransform(source, pose.to_px(corners_mm).astype(np.float32))
    table = np.full((SIZE[1], SIZE[0], 3), (70, 95, 130), np.uint8) if table is None else table.copy()
    cv2.warpPerspective(drawing, matrix, SIZE, dst=table, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_TRANSPARENT)
    noise = rng.normal(0, 2.5, table.shape)
    return np.asarray(np.clip(cv2.GaussianBlur(table, (0, 0), 0.7) + noise, 0, 255), np.uint8)


def corners_of(pose: BoardPose) -> dict[str, tuple[float, float]]:
    px = pose.to_px(np.array(KIT.outline_mm))
    return {name: (float(x), float(y)) for name, (x, y) in zip(KIT.corner_names, px, strict=True)}


@pytest.mark.parametrize("tilt_deg", [0, 12], ids=["from above", "tilted"])
@pytest.mark.parametrize("turn_deg", [0, 40, 90, 135, 185, 275])
def test_the_mat_is_found_whichever_way_it_lies(turn_deg: float, tilt_deg: float) -> None:
    pose = pose_at(turn_deg, tilt_deg)
    image = painted(pose, np.random.default_rng(3))
    found = find_mat(image)
    assert not isinstance(found, NoBoard)
    corners = corners_of(pose)
    taps = {"row1col1": (corners["row1col1"][0] + 7, corners["row1col1"][1] - 6)}
    turned = orient_mat(found, taps)
    assert not isinstance(turned, BadTaps)
    fitted = fit_mat(turned, KIT, SIZE, pose.camera)
    off = fitted.to_px(np.array(KIT.outline_mm)) - np.array(list(corners.values()))
    assert np.abs(off).max() < 1.0


@pytest.mark.parametrize("check_mm", [46, 50, 55, 60])
def test_a_cloth_whose_squares_continue_the_rows_of_the_mat_does_not_hide_it(check_mm: float) -> None:
    pose = pose_at(3, 6)
    found = find_mat(painted(pose, np.random.default_rng(8), cloth(pose, check_mm)))
    assert not isinstance(found, NoBoard)
    tap = corners_of(pose)["row1col1"]
    turned = orient_mat(found, {"row1col1": tap})
    assert not isinstance(turned, BadTaps)
    off = fit_mat(turned, KIT, SIZE, pose.camera).to_px(np.array(KIT.outline_mm)) - np.array(
        list(corners_of(pose).values()))
    assert np.abs(off).max() < 1.0


@pytest.mark.parametrize(("taps", "says"), [
    ({}, "found none"),
    ({"a1": (1.0, 1.0)}, "found a1"),
    ({"row1col1": (480.0, 360.0)}, "tap the outer corner"),
], ids=["no tap", "a tap of another game", "a tap in the mat's middle"])
def test_taps_that_do_not_help_are_told(taps: dict[str, tuple[float, float]], says: str) -> None:
    found = find_mat(painted(pose_at(0, 5), np.random.default_rng(4)))
    assert not isinstance(found, NoBoard)
    answer = orient_mat(found, taps)
    assert isinstance(answer, BadTaps)
    assert says in answer.why


def test_a_picture_without_a_mat_is_refused() -> None:
    rng = np.random.default_rng(5)
    answer = find_mat(np.asarray(rng.integers(80, 120, (480, 640, 3)), np.uint8))
    assert isinstance(answer, NoBoard)
    assert "16 printed slots" in answer.why


@pytest.mark.parametrize(("turn_deg", "shift_mm", "state"), [
    (20.0, (0.0, 0.0), BoardState.STEADY),
    (21.0, (1.5, -1.0), BoardState.MOVED),
    (30.0, (25.0, -18.0), BoardState.MOVED),
], ids=["left alone", "bumped", "pushed and turned"])
def test_a_mat_that_moved_is_found_again(turn_deg: float, shift_mm: tuple[float, float], state: BoardState) -> None:
    rng = np.random.default_rng(6)
    before = pose_at(20.0, 8)
    follower = MatFollower(painted(before, rng), before, KIT)
    now = pose_at(turn_deg, 8, shift_mm)
    followed = follower.follow(painted(now, rng))
    assert followed.state is state
    off = followed.pose.to_px(np.array(KIT.outline_mm)) - now.to_px(np.array(KIT.outline_mm))
    assert np.abs(off).max() < 2.0


def test_a_mat_that_is_gone_is_lost_and_the_reason_told() -> None:
    rng = np.random.default_rng(7)
    pose = pose_at(0, 5)
    follower = MatFollower(painted(pose, rng), pose, KIT)
    followed = follower.follow(np.full((SIZE[1], SIZE[0], 3), 90, np.uint8))
    assert followed.state is BoardState.LOST
    assert "wanted the mat" in followed.why
