"""Following: steady, bumped, covered, gone, and never turned or shifted by a whole square unnoticed."""

from __future__ import annotations

import time
from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.locate_painter import SQUARE_MM, Table, camera, corners, paint
from vision.frame import Image
from vision.locate import Follower, grid_shift
from vision.observation import BoardState
from vision.pose import BoardPose

START = camera(10.0, 6.0)
TABLE = Table(pieces=14)
REFERENCE = paint(TABLE, START)


def corner_gap_px(pose: BoardPose, truth: BoardPose) -> float:
    return float(np.linalg.norm(corners(pose) - corners(truth), axis=1).max())


def covered(picture: Image, from_px: int, to_px: int) -> Image:
    arm = picture.copy()
    arm[:, from_px:to_px] = (90, 120, 180)
    return arm


def test_the_same_table_is_steady_and_the_pose_stays_the_same() -> None:
    follower = Follower(REFERENCE, START, SQUARE_MM)
    for seed in (2, 3):
        followed = follower.follow(paint(replace(TABLE, seed=seed, pieces=30), START))
        assert followed.state is BoardState.STEADY
        assert followed.pose is START
        assert followed.why == ""


@pytest.mark.parametrize(
    ("shift_mm", "turn_deg"),
    [((1.6, 0.0), 6.0), ((0.0, -4.0), 7.0), ((12.0, 9.0), 8.0), ((24.0, -20.0), 4.0), ((-40.0, 25.0), 9.0)],
)
def test_a_bump_is_followed(shift_mm: tuple[float, float], turn_deg: float) -> None:
    truth = camera(10.0, turn_deg, shift_mm=shift_mm)
    follower = Follower(REFERENCE, START, SQUARE_MM)
    picture = paint(replace(TABLE, seed=5), truth)
    followed = follower.follow(picture)
    assert followed.state is BoardState.MOVED
    assert "moved" in followed.why
    assert corner_gap_px(followed.pose, truth) < 1.5
    assert follower.follow(picture).state is BoardState.STEADY


@pytest.mark.parametrize("shift_mm", [(50.0, 0.0), (50.0, 50.0), (100.0, 0.0), (0.0, -50.0)])
def test_a_slide_by_whole_squares_is_not_taken_for_rest(shift_mm: tuple[float, float]) -> None:
    truth = camera(10.0, 6.0, shift_mm=shift_mm, fill=0.5)
    start = camera(10.0, 6.0, fill=0.5)
    followed = Follower(paint(TABLE, start), start, SQUARE_MM).follow(paint(replace(TABLE, seed=6), truth))
    assert followed.state is BoardState.MOVED
    assert corner_gap_px(followed.pose, truth) < 1.5


def test_a_board_turned_by_an_eighth_is_asked_about_and_not_guessed() -> None:
    followed = Follower(REFERENCE, START, SQUARE_MM).follow(paint(TABLE, camera(10.0, 6.0 + 45.0)))
    assert followed.state is BoardState.LOST
    assert "a1" in followed.why
    assert followed.pose is START


def test_a_covered_board_is_held() -> None:
    follower = Follower(REFERENCE, START, SQUARE_MM)
    followed = follower.follow(covered(REFERENCE, 0, 580))
    assert followed.state is BoardState.HELD
    assert followed.pose is START
    assert "hand" in followed.why
    assert follower.follow(REFERENCE).state is BoardState.STEADY


@pytest.mark.parametrize(("level", "word"), [(0, "dark"), (120, "contrast"), (255, "bright")])
def test_a_lost_board_has_a_reason_and_comes_back(level: int, word: str) -> None:
    follower = Follower(REFERENCE, START, SQUARE_MM)
    followed = follower.follow(np.full_like(REFERENCE, level))
    assert followed.state is BoardState.LOST
    assert word in followed.why
    assert follower.follow(REFERENCE).state is BoardState.STEADY


def test_a_picture_of_another_size_is_told() -> None:
    followed = Follower(REFERENCE, START, SQUARE_MM).follow(cv2.resize(REFERENCE, (500, 380)))
    assert followed.state is BoardState.LOST
    assert "500x380" in followed.why


@pytest.mark.parametrize(("part", "wanted"), [(0.0, 0.0), (1 / 3, 1 / 3), (0.2, 0.2)])
def test_c3_a_grid_that_lies_beside_the_board_is_noticed(part: float, wanted: float) -> None:
    """Field report C3: the whole grid sits a bit to one side."""
    beside = camera(10.0, 6.0, shift_mm=(part * SQUARE_MM, 0.0))
    assert grid_shift(REFERENCE, beside, SQUARE_MM) == pytest.approx(wanted, abs=0.03)


def test_c3_a_picture_without_a_grid_says_nothing() -> None:
    assert np.isnan(grid_shift(np.full_like(REFERENCE, 120), START, SQUARE_MM))


def test_a_steady_look_is_cheap() -> None:
    follower = Follower(REFERENCE, START, SQUARE_MM)
    cv2.setNumThreads(1)
    took = []
    for _ in range(7):
        started = time.process_time()
        follower.follow(REFERENCE)
        took.append(time.process_time() - started)
    assert float(np.median(took)) < 0.03
