"""Tapped corners are drawn to the board's own crossings, and refused where there is no board."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from calibration.eyes import GridlockEyes
from calibration.tapped import CORNERS, tapped_board
from rules.words import Said
from vision.kits.gridlock import GridlockKit
from vision.locate import Chessboard
from vision.palette import Palette
from vision.pose import BoardPose

NOWHERE = "wanted a chessboard of 8x8 squares, found nothing like one: point the camera at the board"


def taps(corners_px: Any, off_px: float, seed: int) -> dict[str, tuple[float, float]]:
    moved = corners_px + np.random.default_rng(seed).normal(0, off_px / np.sqrt(2), (4, 2))
    return {name: (float(x), float(y)) for name, (x, y) in zip(CORNERS, moved, strict=True)}


@pytest.mark.parametrize("turn", range(4))
@pytest.mark.parametrize("off_px", [0.0, 5.0, 10.0])
def test_taps_some_px_off_give_the_board_to_a_fiftieth_of_a_square(drawn: Any, off_px: float, turn: int) -> None:
    corners = np.roll(drawn.corners_px(), -turn, axis=0)
    board = tapped_board(drawn.image, taps(corners, off_px, turn))
    assert isinstance(board, Chessboard)
    assert np.linalg.norm(board.corners_px - corners, axis=1).max() < 0.02 * board.square_px
    assert board.seen.sum() >= 45
    np.testing.assert_allclose(board.crossings_px[[0, 0, 8, 8], [0, 8, 8, 0]], board.corners_px)


@pytest.mark.parametrize("kind", ["bare table", "noise", "taps far from the board"])
def test_no_board_between_the_taps_is_a_sentence(drawn: Any, kind: str) -> None:
    corners = drawn.corners_px()
    image = drawn.image
    if kind == "bare table":
        image = np.full_like(image, 120)
    elif kind == "noise":
        image = np.random.default_rng(1).integers(0, 255, image.shape, dtype=np.uint8)
    else:
        corners = corners.mean(axis=0) + (corners - corners.mean(axis=0)) * 0.55
    board = tapped_board(image, taps(corners, 0.0, 0))
    assert isinstance(board, Said)
    assert board.en.startswith("Wanted a chessboard between the four taps, found only ")
    assert board.pt.startswith("Entre os quatro toques só se veem ")


def test_the_eyes_use_the_taps_where_the_board_is_not_found(drawn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from calibration import eyes as room
    from vision.locate import NoBoard

    monkeypatch.setattr(room, "find_chessboard", lambda image: NoBoard(NOWHERE))

    def learn(*_: Any) -> Palette:
        raise AssertionError("no colours are learned where only the board is looked for")

    eyes = GridlockEyes(GridlockKit(50.0), learn, drawn.pose.camera)
    assert eyes.corners(drawn.image) == Said(
        NOWHERE, "não se vê o tabuleiro: aponte a câmera para que os quatro cantos apareçam")
    pose = eyes.pose(drawn.image, taps(drawn.corners_px(), 8.0, 3))
    assert isinstance(pose, BoardPose)
    points = np.array([[0.0, 0], [400, 400], [200, 200]])
    assert np.linalg.norm(pose.to_px(points) - drawn.pose.to_px(points), axis=1).max() < 2.0
