"""A hand covers a tile if it reaches over its border; what passes by in the gap beside it does not."""

from __future__ import annotations

import numpy as np
import pytest

from vision.detect.city_border import Border
from vision.detect.city_covers import is_covered
from vision.detect.city_faces import CROP_PX, FaceReading
from vision.detect.city_lamp import FlatMat
from vision.detect.city_slots import MatView, Tile
from vision.detect.city_square import Spot
from vision.frame import Mask
from vision.kits.quadropolis import QuadropolisKit
from vision.pose import BoardPose, CameraModel

SIZE_MM, MIDDLE_MM, SIDE_MM = 252, 110.0, 42.0
OPEN_MM = 5.2
SPOT = Spot(82.5, 137.5, 0.0)
"""In the second slot of the second row."""


def view() -> MatView:
    flat = FlatMat(np.zeros((SIZE_MM, SIZE_MM, 3), np.float32), SIZE_MM, MIDDLE_MM)
    lens = CameraModel(np.array([[900.0, 0, 320], [0, 900, 240], [0, 0, 1]]), np.zeros(5), (640, 480))
    pose = BoardPose(lens, np.zeros(3), np.array([0.0, 0, 800]), 0.1)
    image = np.zeros((480, 640, 3), np.uint8)
    return MatView(image, pose, flat, flat, np.zeros((SIZE_MM, SIZE_MM), np.float32), flat.light)


def tile(seen: int) -> Tile:
    """With so many of 24 parts of its border seen."""
    white = np.full(3, 200, np.float32)
    reading = FaceReading((), np.zeros((0, 4), np.float32), 0.95)
    return Tile(Border(SPOT, SIDE_MM, 0.05, seen, white), reading, np.zeros((CROP_PX, CROP_PX, 3), np.uint8), white)


def arm(tip_mm: float, wide_mm: float = 12.0) -> Mask:
    """From the right, its tip so far right of the tile's side (less than 0: over the tile). Where a tile lies nothing
    is said: the first millimetres beside it are left out, as they are in painted rooms (3 mm and a pixel or two)."""
    other = np.zeros((SIZE_MM, SIZE_MM), bool)
    right = SPOT.x_mm + SIDE_MM / 2 - MIDDLE_MM + SIZE_MM / 2
    row = MIDDLE_MM - SPOT.y_mm + SIZE_MM / 2
    other[round(row - wide_mm / 2) : round(row + wide_mm / 2), round(right + max(tip_mm, OPEN_MM)) :] = True
    return other


@pytest.mark.parametrize(("tip_mm", "wide_mm", "seen", "covered"), [
    (-10.0, 12.0, 17, True), (-2.0, 12.0, 20, True), (-10.0, 12.0, 23, False), (6.6, 60.0, 20, False),
    (6.6, 60.0, 16, False), (6.6, 60.0, 12, True), (-2.0, 3.0, 18, False),
], ids=["over it", "at its border", "over it and the border seen", "passing by", "its shadow on the border",
        "hardly a border seen", "a speck"])
def test_what_passes_by_a_tile_does_not_cover_it(tip_mm: float, wide_mm: float, seen: int, covered: bool) -> None:
    assert is_covered(view(), tile(seen), arm(tip_mm, wide_mm)) is covered


def test_the_tile_lies_where_the_test_says() -> None:
    place = next(p for p in QuadropolisKit().places if p.centre_mm[:2] == (SPOT.x_mm, SPOT.y_mm))
    assert (place.cell.row, place.cell.col) == (1, 1)
