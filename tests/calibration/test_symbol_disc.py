"""The disc of a type's symbol is found where it is printed, whatever is drawn beside it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.symbol_disc import symbol_disc
from vision.detect.city_faces import CROP_PX, PX_PER_MM
from vision.frame import Image

GROUNDS = ((40, 180, 210), (120, 60, 90), (60, 140, 50), (40, 40, 170))


def tile(
    ground: tuple[int, int, int], disc: tuple[float, float, float] | None, drawn: bool
) -> tuple[Image, NDArray[np.float32]]:
    """A tile of one ground, with a black disc (x, y, radius in mm) and a white symbol in it; `drawn`: an
    illustration as dark as the disc lies under its lower left."""
    patch = np.full((CROP_PX, CROP_PX, 3), ground, np.uint8)
    middle = (CROP_PX - 1) / 2

    def px(x: float, y: float) -> tuple[int, int]:
        return round(middle + x * PX_PER_MM), round(middle - y * PX_PER_MM)

    if drawn:
        cv2.rectangle(patch, px(8.0, 15.0), px(14.0, 6.0), (20, 20, 20), -1)
    if disc is not None:
        x, y, radius = disc
        cv2.circle(patch, px(x, y), round(radius * PX_PER_MM), (20, 20, 20), -1, cv2.LINE_AA)
        cv2.rectangle(patch, px(x - 1.2, y + 2.2), px(x + 1.2, y - 2.2), (235, 235, 235), -1)
    return np.asarray(cv2.GaussianBlur(patch, (0, 0), 1.2), np.uint8), np.array(ground, np.float32)


@pytest.mark.parametrize("drawn", [0, 1, 4], ids=["nothing beside it", "one illustration", "all illustrations"])
@pytest.mark.parametrize("disc", [(15.9, 15.9, 4.0), (15.4, 15.65, 4.25), (16.4, 16.15, 3.5)])
def test_the_disc_is_found_to_a_quarter_of_a_millimetre(disc: tuple[float, float, float], drawn: int) -> None:
    mask = symbol_disc([tile(ground, disc, n < drawn) for n, ground in enumerate(GROUNDS)])
    rows, cols = np.nonzero(mask)
    middle = (CROP_PX - 1) / 2
    found_px = np.array([cols.mean() - middle, middle - rows.mean(), np.sqrt(mask.sum() / np.pi)])
    assert found_px / PX_PER_MM == pytest.approx(disc, abs=0.26)


def test_where_no_disc_is_printed_the_usual_place_is_learned() -> None:
    mask = symbol_disc([tile(ground, None, False) for ground in GROUNDS])
    assert np.sqrt(mask.sum() / np.pi) / PX_PER_MM == pytest.approx(4.6, abs=0.05)
