"""Taps name the corners, whichever way round the picture is, and stand in where nothing is found."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.locate_painter import Table, camera, corners, paint
from vision.locate import BadTaps, Chessboard, find_chessboard, from_taps, orient

NAMES = ("a1", "a8", "h8", "h1")
POSE = camera(14.0, 11.0)
PICTURE = paint(Table(pieces=12), POSE)
TRUTH = corners(POSE)


def taps_of(points: np.ndarray, names: tuple[str, ...], off: float = 12.0) -> dict[str, tuple[float, float]]:
    return {name: (points[NAMES.index(name)][0] + off, points[NAMES.index(name)][1] - off) for name in names}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_w3_one_tap_is_enough_whichever_way_the_picture_is_turned(name: str, quarters: int) -> None:
    """Field report W3: the grid it printed looks turned by a quarter."""
    picture = np.ascontiguousarray(np.rot90(PICTURE, quarters))
    truth, (height, width) = TRUTH.copy(), PICTURE.shape[:2]
    for _ in range(quarters):
        truth, width, height = np.stack([truth[:, 1], width - 1 - truth[:, 0]], axis=1), height, width
    board = find_chessboard(picture)
    assert isinstance(board, Chessboard)
    named = orient(board, taps_of(truth, (name,)))
    assert isinstance(named, Chessboard)
    assert np.abs(named.corners_px - truth).max() < 4.0
    for corner, (i, j) in zip(truth, ((0, 0), (0, 8), (8, 8), (8, 0)), strict=True):
        assert np.abs(named.crossings_px[i, j] - corner).max() < 4.0


def test_several_taps_must_agree() -> None:
    board = find_chessboard(PICTURE)
    assert isinstance(board, Chessboard)
    assert isinstance(orient(board, taps_of(TRUTH, ("a1", "h1", "h8"))), Chessboard)
    swapped = taps_of(TRUTH, ("a1", "h1"))
    swapped["a1"], swapped["h1"] = swapped["h1"], swapped["a1"]
    mirrored = orient(board, swapped)
    assert isinstance(mirrored, BadTaps)
    assert "tap" in mirrored.why


@pytest.mark.parametrize("taps", [{}, {"e4": (10.0, 10.0)}, {"a1": (500.0, 380.0)}, {"a1": (float("nan"), 3.0)}])
def test_taps_off_the_corners_are_told(taps: dict[str, tuple[float, float]]) -> None:
    board = find_chessboard(PICTURE)
    assert isinstance(board, Chessboard)
    assert isinstance(orient(board, taps), BadTaps)


def test_four_taps_are_refined_to_the_crossings() -> None:
    rng = np.random.default_rng(4)
    taps = {name: tuple(TRUTH[n] + rng.normal(0, 8, 2)) for n, name in enumerate(NAMES)}
    board = from_taps(PICTURE, taps)
    assert isinstance(board, Chessboard)
    assert board.seen.sum() > 40
    assert np.abs(board.corners_px - TRUTH).max() < 2.5


def test_four_taps_stand_where_nothing_can_be_seen() -> None:
    taps = taps_of(TRUTH, NAMES, off=0.0)
    board = from_taps(cv2.GaussianBlur(PICTURE, (0, 0), 30), taps)
    assert isinstance(board, Chessboard)
    assert not board.seen.any()
    assert board.confidence <= 0.1
    assert np.abs(board.corners_px - TRUTH).max() < 1e-3


@pytest.mark.parametrize(
    ("points", "word"),
    [
        (TRUTH[:3], "h1"),
        (TRUTH[::-1], "way round"),
        (TRUTH[[0, 2, 1, 3]], "enclose"),
        (TRUTH * 0.01 + 300, "enclose"),
    ],
    ids=["three", "mirrored", "crossed", "tiny"],
)
def test_four_taps_that_are_no_board(points: np.ndarray, word: str) -> None:
    found = from_taps(PICTURE, {name: tuple(p) for name, p in zip(NAMES, points, strict=False)})
    assert isinstance(found, BadTaps)
    assert word in found.why
