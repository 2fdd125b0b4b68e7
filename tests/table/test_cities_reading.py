"""From a picture to what is kept of it: cut out, upright, outlines and offers in its own px."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from rules.words import Cell
from table.cities import FACE_WORDS
from table.cities_reading import KEPT_PX, cut_of, kept_city, offers_of, upright_part
from vision.detect.city import BuildingSeen, CitySeen
from vision.detect.city_beside import BesideSeen
from vision.kits.quadropolis import Face, QuadropolisKit
from vision.observation import BoardState

RED, GREEN = (0, 0, 220), (0, 200, 0)
TOWER, SHOP = Face("tower", 1), Face("shop")


def mat_at(quarters: int, size_px: int = 1200) -> tuple[np.ndarray, np.ndarray]:
    """A picture of a mat whose row 1 lies at the left (1), the bottom (2) or the right (3), and its corners. The
    slot at row 1, column 1 is red, that at row 1, column 4 green."""
    image = np.full((size_px, size_px + 200, 3), 90, np.uint8)
    corners = np.array([[400.0, 300], [800, 300], [800, 700], [400, 700]]) * (size_px / 1200)
    cv2.fillPoly(image, [np.round(corners).astype(np.int32)], (200, 200, 200))
    ring = np.roll(corners, quarters, axis=0)  # row1col1, row1col4, row4col4, row4col1
    middle = ring.mean(axis=0)
    for corner, colour in ((ring[0], RED), (ring[1], GREEN)):
        spot = corner + (middle - corner) / 4
        cv2.circle(image, (round(spot[0]), round(spot[1])), round(30 * size_px / 1200), colour, -1)
    return image, ring


@pytest.mark.parametrize("quarters", range(4))
@pytest.mark.parametrize("size_px", [1200, 4800])
def test_row_1_is_on_top_whichever_way_the_mat_lies(quarters: int, size_px: int) -> None:
    image, corners = mat_at(quarters, size_px)
    part, move = upright_part(image, corners)
    assert max(part.shape) <= KEPT_PX
    moved = corners @ move[:, :2].T + move[:, 2]
    assert moved[0][1] == pytest.approx(moved[1][1], abs=2)
    assert moved[0][0] < moved[1][0]
    assert moved[0][1] < moved[3][1]
    middle = moved.mean(axis=0)
    for corner, colour in ((moved[0], RED), (moved[1], GREEN)):
        x, y = corner + (middle - corner) / 4
        assert np.abs(part[round(y), round(x)].astype(int) - colour).max() < 25


def test_a_mat_at_the_edge_is_cut_out_within_the_picture() -> None:
    image = np.zeros((500, 600, 3), np.uint8)
    part, move = upright_part(image, np.array([[5.0, 5], [590, 8], [595, 490], [3, 495]]))
    assert part.shape == (500, 600, 3)
    assert np.allclose(move, [[1, 0, 0], [0, 1, 0]])


def building(cell: Cell, **other: object) -> BuildingSeen:
    values = {
        "faces": ((TOWER, 0.9), (Face("tower", 2), 0.1)), "floors": ((2, 0.7), (3, 0.3)),
        "inhabitants": ((0, 1.0),), "energy": ((1, 0.8), (0, 0.2)),
        "corners_px": np.array([[410.0, 310], [490, 310], [490, 390], [410, 390]]),
    }
    return BuildingSeen(cell, **{**values, **other})  # type: ignore[arg-type]


def test_what_is_kept_of_a_city_is_what_was_seen() -> None:
    image, corners = mat_at(0)
    shop = building(Cell(3, 0), faces=((SHOP, 1.0),), floors=((1, 1.0),), inhabitants=((4, 1.0),),
                    energy=((1, 1.0),))
    seen = CitySeen(BoardState.STEADY, (building(Cell(0, 0)), shop), frozenset({Cell(1, 1)}), BesideSeen(2, 1, 0.5),
                    corners)
    kept = kept_city(image, seen, QuadropolisKit())
    read = kept.read
    assert (read.beside, read.beside_asked) == ((2, 1), True)
    assert [n for n, slot in enumerate(read.slots) if slot.ranked] == [0, 3]
    assert [n for n, slot in enumerate(read.slots) if slot.hidden] == [5]
    assert (read.slots[0].asked, read.slots[3].asked) == (True, False), "0.7 for the floors is not enough"
    found = read.slots[3].building
    assert found is not None
    assert (found.face, found.floors, found.inhabitants, found.energy) == ("S", 1, 4, 1)
    picture = cv2.imdecode(np.frombuffer(kept.jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert picture.shape[1::-1] == read.size_px
    x, y = np.mean(read.slots[0].outline_px, axis=0)
    assert np.abs(picture[round(y), round(x)].astype(int) - RED).max() < 40
    assert all(len(slot.outline_px) == 4 for slot in read.slots), "an empty slot can be tapped too"
    with pytest.raises(ValueError, match="no"):
        kept_city(image, CitySeen(BoardState.LOST), QuadropolisKit())


def test_offers_are_ranked_and_only_of_the_box() -> None:
    offers = offers_of(building(Cell(0, 0), faces=((TOWER, 0.8), (Face("harbor", 5), 0.15), (SHOP, 0.05))))
    assert offers[0].building is not None
    assert (offers[0].building.face, offers[0].building.floors, offers[0].building.energy) == ("T1", 2, 1)
    assert [one.probability for one in offers] == sorted((one.probability for one in offers), reverse=True)
    assert {one.building.face for one in offers if one.building} == {"T1", "S"}
    assert {one.building.floors for one in offers if one.building and one.building.face == "S"} == {1}
    assert set(FACE_WORDS) >= {one.building.face for one in offers if one.building}


@pytest.mark.parametrize(("ring", "is_cut"), [
    (((410.0, 310.0), (490.0, 310.0), (490.0, 390.0), (410.0, 390.0)), True),
    (((-50.0, -50.0), (30.0, -50.0), (30.0, 30.0), (-50.0, 30.0)), True), ((), False),
])  # fmt: skip
def test_a_slot_is_cut_out_large_enough_to_look_at(ring: tuple[tuple[float, float], ...], is_cut: bool) -> None:
    jpeg = cv2.imencode(".jpg", mat_at(0)[0])[1].tobytes()
    cut = cut_of(jpeg, ring)
    assert (cut is not None) == is_cut
    if cut is not None:
        assert max(cv2.imdecode(np.frombuffer(cut, np.uint8), cv2.IMREAD_COLOR).shape) >= 320
    assert cut_of(b"no picture", ring) is None
