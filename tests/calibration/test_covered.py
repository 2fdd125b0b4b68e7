"""O6: during set-up it is said which corner of the board is covered."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from calibration.covered import covered_corners

PLACES = ("lower left", "upper left", "upper right", "lower right")
"""Of the drawn board's a1, a8, h8, h1."""


def covered(drawn: Any, corners: list[int], squares: float) -> Any:
    """The drawn board with a round thing so many squares wide in each direction at these corners."""
    px = drawn.corners_px()
    square_px = float(np.linalg.norm(px[1] - px[0])) / 8
    image = drawn.image.copy()
    for corner in corners:
        x, y = px[corner] + 0.1 * (px.mean(axis=0) - px[corner])
        cv2.circle(image, (int(x), int(y)), int(squares * square_px), (90, 120, 180), -1)
    return image


@pytest.mark.parametrize("squares", [0.7, 1.5, 3.5], ids=["a coin", "a cup", "a hand"])
@pytest.mark.parametrize("corner", range(4), ids=PLACES)
def test_o6_a_covered_corner_is_named_by_its_place_in_the_picture(drawn: Any, corner: int, squares: float) -> None:
    assert covered_corners(covered(drawn, [corner], squares)) == (PLACES[corner],)


def test_two_covered_corners_are_both_named(drawn: Any) -> None:
    assert set(covered_corners(covered(drawn, [0, 2], 1.5))) == {PLACES[0], PLACES[2]}


def test_a_bare_board_and_a_picture_without_one_have_none(drawn: Any) -> None:
    assert covered_corners(drawn.image) == ()
    assert covered_corners(np.rot90(drawn.image).copy()) == ()
    assert covered_corners(np.full_like(drawn.image, 90)) == ()
    darker_on_one_side = drawn.image * np.linspace(0.5, 1.0, drawn.image.shape[1])[None, :, None]
    assert covered_corners(darker_on_one_side.astype(np.uint8)) == ()
