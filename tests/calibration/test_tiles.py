"""What is print on a taught tile: a card is found whole, whatever its icons leave of it and whatever lies beside it."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.tiles import SquaredTile, learned_tiles
from tests.table.painted_cities import painted_room
from vision.detect.city_border import Border
from vision.detect.city_faces import CROP_PX, TaughtFace, white_of
from vision.detect.city_square import Spot
from vision.kits.quadropolis import Face

TOP_PX, BOTTOM_PX, LEFT_PX = 15, 43, 15
"""Of a card drawn at the top left."""
WINDOW_PX, STRIP_PX = 14, 4
SIDE_MM = 42.9


def factory(windows: int, rim_px: int | None, strip_px: int = STRIP_PX) -> SquaredTile:
    """A red tile whose card is `windows` large icons with strips of `strip_px` around and between them, below a light
    rim whose first row is `rim_px`."""
    rng = np.random.default_rng(windows)
    patch = np.full((CROP_PX, CROP_PX, 3), (30, 20, 120), np.uint8)
    if rim_px is not None:
        patch[rim_px : rim_px + 3] = 210
    right = LEFT_PX + windows * (WINDOW_PX + strip_px) + strip_px
    patch[TOP_PX:BOTTOM_PX, LEFT_PX:right] = 220
    for n in range(windows):
        left = LEFT_PX + strip_px + n * (WINDOW_PX + strip_px)
        patch[TOP_PX + strip_px : BOTTOM_PX - strip_px, left : left + WINDOW_PX] = (30, 20, 100)
    patch[140:176, 140:176] = 220
    noisy = np.clip(patch + rng.normal(0, 2, patch.shape), 0, 255).astype(np.uint8)
    ground = np.array([30.0, 20.0, 120.0], np.float32)
    return SquaredTile(Face("factory", energy=windows), noisy, Border(Spot(0.0, 0.0), SIDE_MM, 0.05, 24, ground),
                       white_of(noisy))


def gives(taught: TaughtFace) -> tuple[tuple[int, int], tuple[int, int]]:
    """The rows and columns of the card at the top left."""
    part = taught.print_at("gives")
    assert part is not None
    return part.rows, part.cols


@pytest.mark.parametrize("rim_px", [None, 4, 6, 8], ids=["no rim", "a rim", "a rim near the card", "at the border"])
@pytest.mark.parametrize("strip_px", [3, 4, 6])
def test_a_card_of_strips_is_learned_whole_and_without_the_rim(rim_px: int | None, strip_px: int) -> None:
    tiles = learned_tiles([factory(windows, rim_px, strip_px) for windows in (1, 2, 3)])
    for windows, taught in zip((1, 2, 3), tiles.faces, strict=True):
        rows, cols = gives(taught)
        right = LEFT_PX + windows * (WINDOW_PX + strip_px) + strip_px
        np.testing.assert_allclose(rows, (TOP_PX, BOTTOM_PX), atol=2)
        np.testing.assert_allclose(cols, (LEFT_PX, right), atol=2)


def test_a_painted_set_whose_rim_is_as_light_as_its_cards_is_taught() -> None:
    """Room 105: on one OpenCV the rim and the upper strip of F3's card were taken for the card, and F3 for F2."""
    painted = painted_room(105)
    heights = {}
    for taught in painted.taught.tiles.faces:
        if taught.face.type == "factory":
            rows, _ = gives(taught)
            heights[taught.face.word] = rows[1] - rows[0]
    assert all(27 <= height <= 32 for height in heights.values()), heights
    assert painted.taught.alike == ()
