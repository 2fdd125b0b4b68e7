"""Parts of the reading of cities on painted pieces: borders, tokens packed into colour, lamps, kits."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from rules.words import Cell, Colour, Layout, Piece
from vision.detect.city_border import measured
from vision.detect.city_packing import PX_PER_MM, Packing, packed, seen_token
from vision.detect.city_square import Spot
from vision.detect.city_tokens import BLUE, RED, _only_on_cost, colour_mask, needed_gain
from vision.frame import Image
from vision.kits.quadropolis import ENERGY, INHABITANT, Face, QuadropolisKit, TokenShape
from vision.pose import BoardPose, CameraModel

N = 129


def painted_tokens(shape: TokenShape, at: list[tuple[float, float, float]], lean: tuple[float, float]) -> np.ndarray:
    """(N, N) bool: tops and sides of tokens at x, y (mm), turned."""
    token = seen_token(shape, np.array(lean), 1.02)
    mask = np.zeros((N, N), np.uint8)
    for x, y, turn_deg in at:
        turn = np.deg2rad(turn_deg)
        c, s = np.cos(turn), np.sin(turn)
        corners = token.outline @ np.array([[c, s], [-s, c]]) + np.array([x, y])
        foot = corners - token.lean
        hull = cv2.convexHull(np.vstack([corners, foot]).astype(np.float32)).reshape(-1, 2)
        px = np.stack([hull[:, 0] * PX_PER_MM + N // 2, N // 2 - hull[:, 1] * PX_PER_MM], 1)
        cv2.fillPoly(mask, [np.round(px).astype(np.int32)], (1,))
    return mask > 0


@pytest.mark.parametrize(("shape", "at"), [
    (INHABITANT, []),
    (INHABITANT, [(0, 0, 30)]),
    (ENERGY, [(4, -5, 0)]),
    (INHABITANT, [(0, 0, 0), (12, 1, 80)]),
    (INHABITANT, [(-8, 4, 20), (3, 5, 10), (-2, -8, 70)]),
    (INHABITANT, [(-10, 8, 0), (4, 9, 90), (-8, -8, 45), (9, -7, 10)]),
    (ENERGY, [(-5, 0, 0), (4.2, 1, 0)]),
], ids=["none", "an inhabitant", "an energy", "two side by side", "three that touch", "four apart", "two energies"])
def test_tokens_are_counted_by_how_many_tops_fit(shape: TokenShape, at: list[tuple[float, float, float]]) -> None:
    lean = (2.5, -1.5)
    token = seen_token(shape, np.array(lean), 1.02)
    packing = packed(painted_tokens(shape, at, lean), np.zeros((N, N), bool), token)
    assert sum(gain > 0.4 for gain in packing.gains) == len(at)


@pytest.mark.parametrize(("bgr", "white", "blue", "red"), [
    ((160, 60, 15), (230, 225, 185), True, False),
    ((40, 42, 135), (195, 253, 186), False, True),
    ((10, 9, 128), (150, 150, 145), False, True),
    ((167, 82, 112), (232, 226, 185), False, False),
    ((45, 224, 200), (195, 253, 186), False, False),
    ((90, 90, 90), (180, 180, 180), False, False),
], ids=["blue by lamplight", "red by greenish light", "red by day", "a shop's purple", "a tower's yellow", "grey"])
def test_hues_are_told_against_white(bgr: tuple[int, int, int], white: tuple[int, int, int], blue: bool,
                                     red: bool) -> None:
    patch = np.full((8, 8, 3), bgr, np.uint8)
    lamp = np.array(white, np.float32)
    assert bool(colour_mask(patch, lamp, BLUE).all()) is blue
    assert bool(colour_mask(patch, lamp, RED).all()) is red


def camera() -> BoardPose:
    lens = CameraModel(np.array([[900.0, 0, 319.5], [0, 900.0, 239.5], [0, 0, 1]]), np.zeros(5), (640, 480))
    return BoardPose(lens, np.array([np.pi, 0.0, 0.0]), np.array([0.0, 0.0, 300.0]))


def painted_tile(spot: Spot, rng: np.random.Generator) -> Image:
    """A red tile with a dark line around its ground of 42 mm, on a green table, three pixels a mm."""
    pose = camera()
    image = np.full((480, 640, 3), (80, 120, 70), np.uint8)
    turn = np.deg2rad(spot.turn_deg)
    c, s = np.cos(turn), np.sin(turn)
    for half, colour in ((22.5, (150, 190, 180)), (21.6, (20, 30, 30)), (21.0, (40, 50, 190))):
        ring = np.array([[-half, half], [half, half], [half, -half], [-half, -half]])
        mm = ring @ np.array([[c, s], [-s, c]]) + np.array([spot.x_mm, spot.y_mm])
        cv2.fillPoly(image, [np.round(pose.to_px(mm) * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)
    return np.asarray(np.clip(cv2.GaussianBlur(image, (0, 0), 0.8) + rng.normal(0, 3, image.shape), 0, 255), np.uint8)


@pytest.mark.parametrize("turn_deg", [-8.0, 0.0, 5.0])
def test_a_border_is_measured_to_a_quarter_of_a_millimetre(turn_deg: float) -> None:
    there = Spot(6.0, -4.0, turn_deg)
    image = painted_tile(there, np.random.default_rng(2))
    border = measured(image, camera(), Spot(4.9, -3.2, turn_deg + 1.5), 41.0)
    assert border is not None
    assert border.spot.x_mm == pytest.approx(there.x_mm, abs=0.25)
    assert border.spot.y_mm == pytest.approx(there.y_mm, abs=0.25)
    assert border.spot.turn_deg == pytest.approx(turn_deg, abs=0.3)
    assert border.side_mm == pytest.approx(42.0, abs=0.5)


def test_a_plain_table_has_no_border() -> None:
    assert measured(np.full((480, 640, 3), 120, np.uint8), camera(), Spot(0, 0), 42.0) is None


def test_the_kit_names_its_slots_and_shows_only_the_top_of_a_tower() -> None:
    kit = QuadropolisKit()
    assert [kit.cell_named(kit.cell_name(place.cell)) for place in kit.places] == [p.cell for p in kit.places]
    low, high = Cell(0, 0, 0), Cell(0, 0, 2)
    layout = Layout({low: Face("tower", 1).piece, high: Face("tower", 2).piece})
    assert kit.visible(layout).pieces == {high: Piece("T2", Colour(""))}
    with pytest.raises(ValueError, match="wanted a slot"):
        kit.cell_named("5,1")


@pytest.mark.parametrize(("gains", "on_cost", "count", "asked"), [
    ((), True, 1, False), ((), False, 0, False), ((0.8,), False, 0, False), ((2.4, 0.7), True, 1, False),
    ((2.4, 2.3), True, 1, True), ((2.3,), False, 0, True),
], ids=["on its cost", "none", "a picture of blue", "and a picture", "a second one, plainly", "one beside its cost"])
def test_what_the_rules_leave_no_room_for_is_rather_a_picture(
    gains: tuple[float, ...], on_cost: bool, count: int, asked: bool
) -> None:
    ranked = _only_on_cost(Packing((), gains, (1.0,) * len(gains)), on_cost)
    assert ranked[0][0] == count
    assert (ranked[0][1] < 0.8) is asked


def test_tokens_far_apart_are_all_counted() -> None:
    token = seen_token(INHABITANT, np.array((1.0, 0.0)), 1.02)
    mask = painted_tokens(INHABITANT, [(-14, 12, 0), (13, -12, 60)], (1.0, 0.0))
    packing = packed(mask, np.zeros((N, N), bool), token)
    counted = [gain > needed_gain(shown) for gain, shown in zip(packing.gains, packing.shown, strict=True)]
    assert sum(counted) == 2
