"""The painter's physics: tips lean outwards, shadows fall away from the lamp, seeds repeat and noise does not."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from rules.words import SOUTH, WEST, Cell, Colour, Layout, Piece
from table.sim.arm import arm_mask
from table.sim.paint import Painter, Surroundings
from table.sim.room import FreshNoise, Reach, Room, TableTop, calm_room, still_sensor
from table.sim.scene import Lamp, Light, Sensor
from table.sim.solids import lying_pyramid, standing_pyramid
from vision.frame import Image

SIZE_PX = (480, 360)
COLOURS = (Colour("red"), Colour("blue"), Colour("green"), Colour("yellow"))
GREY = np.full(3, 0.4)


@pytest.fixture(scope="module")
def room() -> Room:
    return calm_room(COLOURS, SIZE_PX, np.random.default_rng(3))


@pytest.fixture(scope="module")
def painter(room: Room) -> Painter:
    return room.painter()


def painted(painter: Painter, room: Room, seed: int, light: Light | None = None, lift_mm: float | None = None) -> Image:
    """A grey pyramid in the middle of the board, or nothing, without any noise."""
    middle = (room.board_mm / 2, room.board_mm / 2)
    solids = () if lift_mm is None else (standing_pyramid(25.4, 44.45, middle, 0.0, GREY, lift_mm=lift_mm),)
    return painter.paint(light or room.lights[0], solids, np.random.default_rng(seed), still_sensor(room.sensor))


@pytest.mark.parametrize("at_mm", [(25.0, 25.0), (375.0, 60.0), (200.0, 390.0)], ids=["a1", "h2", "d8"])
def test_the_tip_of_a_standing_pyramid_leans_outwards(room: Room, at_mm: tuple[float, float]) -> None:
    camera = room.cameras[0]
    foot, tip = camera.project(np.array([[*at_mm, 0.0], [*at_mm, 44.45]]))
    under_eye = camera.project(np.array([[camera.eye_mm[0], camera.eye_mm[1], 0.0]]))[0]
    outwards = (foot - under_eye) / np.linalg.norm(foot - under_eye)
    assert float((tip - foot) @ outwards) > 2.0
    along = float((tip - foot) @ outwards) / float(np.linalg.norm(tip - foot))
    assert along > 0.97


def test_a_lying_pyramid_points_along_its_heading_and_touches_the_board() -> None:
    solid = lying_pyramid(25.4, 44.45, (100.0, 100.0), 90.0, GREY)
    corners = solid.vertices
    tip = corners[np.argmax(corners[:, 1])]
    assert tip[1] > 115.0
    assert abs(tip[0] - 100.0) < 3.0
    assert abs(float(corners[:, 2].min())) < 0.5
    assert float(corners[:, 2].max()) > 20.0


@pytest.mark.parametrize(
    ("lamp_mm", "away"),
    [((-500.0, 200.0), (1.0, 0.0)), ((900.0, 200.0), (-1.0, 0.0)), ((200.0, 900.0), (0.0, -1.0))],
    ids=["lamp in the west", "lamp in the east", "lamp in the north"],
)
def test_the_shadow_falls_away_from_the_lamp(
    painter: Painter, room: Room, lamp_mm: tuple[float, float], away: tuple[float, float]
) -> None:
    light = Light("side", (Lamp(np.array([*lamp_mm, 500.0]), 20.0, np.full(3, 1.2)),), np.full(3, 0.15), 1.0)
    bare = painted(painter, room, 1, light).astype(float).mean(axis=2)
    with_piece = painted(painter, room, 1, light, 0.0).astype(float).mean(axis=2)
    darkening = bare - with_piece

    def darker(direction: float) -> float:
        x, y = (room.board_mm / 2 + direction * 34.0 * part for part in away)
        px = np.round(room.cameras[0].project(np.array([[x, y, 0.0]]))[0]).astype(int)
        return float(darkening[px[1] - 1 : px[1] + 2, px[0] - 1 : px[0] + 2].mean())

    assert darker(1.0) > 8.0
    assert abs(darker(-1.0)) < 3.0


def test_the_same_seed_paints_the_same_picture_and_another_seed_other_noise(painter: Painter, room: Room) -> None:
    noisy = replace(room.sensor, jpeg=100, shot_noise=0.01)
    first, again, other = (
        painter.paint(room.lights[0], (), np.random.default_rng(seed), noisy) for seed in (4, 4, 5)
    )
    assert np.array_equal(first, again)
    difference = np.abs(first.astype(int) - other)
    assert 0.3 < float(difference.mean()) < 12.0
    assert float((difference > 0).mean()) > 0.3


def test_an_arm_hides_what_is_under_it_and_comes_from_its_seat(painter: Painter, room: Room) -> None:
    reach = Reach(room, SOUTH, (200.0, 250.0), 9)
    mask = arm_mask(reach.arm(1.0), room.cameras[0])
    spots = room.cameras[0].project(np.array([[200.0, 200.0, 0.0], [200.0, 330.0, 0.0]]))
    hidden, free = (mask[round(y), round(x)] > 0 for x, y in spots)
    assert hidden
    assert not free
    farther = arm_mask(reach.arm(0.5), room.cameras[0])
    assert np.count_nonzero(farther) < np.count_nonzero(mask)
    picture = painter.paint(room.lights[0], (), np.random.default_rng(1), still_sensor(room.sensor), reach.arm(1.0))
    bare = painted(painter, room, 1)
    changed = np.abs(picture.astype(int) - bare).max(axis=2) > 15
    assert float(changed[mask > 0].mean()) > 0.8


def test_pieces_stay_exactly_where_they_were_put_while_others_move(room: Room) -> None:
    top = TableTop(room, np.random.default_rng(2))
    red, blue = Piece("large", Colour("red")), Piece("small", Colour("blue"))
    van = Piece("van", Colour(""))
    top.show(Layout({Cell(0, 0): red, Cell(0, 0, 0, "van"): van}))
    before = top.solids()
    top.show(Layout({Cell(0, 0): red, Cell(5, 5): blue, Cell(0, 0, 0, "van"): van}))
    after = top.solids()
    assert after[0] is before[0]
    assert after[2] is before[1]
    top.show(Layout({Cell(0, 0): replace(red, facing=1), Cell(5, 5): blue, Cell(1, 0, 0, "van"): van}))
    fallen = top.solids()
    assert fallen[0] is not after[0]
    assert fallen[1] is after[1]
    assert top.centre_mm(Cell(int(WEST), 0, 0, "van"))[0] < 0


@pytest.mark.parametrize("seed", range(3))
def test_a_bump_moves_the_picture_by_some_pixels_and_loses_no_corner(seed: int) -> None:
    room = calm_room(COLOURS, SIZE_PX, np.random.default_rng(seed))
    before, after = (np.array(list(room.corners_px(bumped).values())) for bumped in (False, True))
    assert 1.0 < float(np.linalg.norm(after - before, axis=1).max()) < 40.0
    assert bool((after > 0).all())
    assert bool((after < SIZE_PX).all())


def test_fresh_noise_differs_each_time_and_has_the_sensors_spread() -> None:
    sensor = Sensor(read_noise=0.004, shot_noise=0.01)
    noise = FreshNoise(sensor, SIZE_PX, np.random.default_rng(1))
    base = np.full((SIZE_PX[1], SIZE_PX[0], 3), 128, np.uint8)
    pictures = [noise.on(base) for _ in range(4)]
    for one, two in itertools.pairwise(pictures):
        assert not np.array_equal(one, two)
    # 128 of 255 is 0.216 of full light; its slope there is 1.17, as sRGB has it.
    wanted = 255 * 1.17 * float(np.sqrt(0.004**2 + 0.01**2 * 0.216))
    assert float(pictures[0].std()) == pytest.approx(wanted, rel=0.1)
    assert float(pictures[0].mean()) == pytest.approx(128, abs=0.2)


def test_a_wall_mirrors_little_from_the_front_and_nearly_all_from_the_side() -> None:
    around = Surroundings(below=np.full(3, 0.5), above=np.full(3, 0.1))
    steep, flat = np.radians(2.0), np.radians(88.0)
    ahead = np.array([[[np.sin(steep), 0, np.cos(steep)]]])
    aside = np.array([[[np.sin(flat), 0, np.cos(flat)]]])
    up = np.array([0.0, 0.0, 1.0])
    assert around.mirrored(ahead, up) == pytest.approx(np.full((1, 1, 3), 0.04 * 0.1), rel=0.02)
    assert float(around.mirrored(aside, up).min()) > 0.7 * 0.1
    wall = np.array([1.0, 0.0, 0.0])
    assert float(around.mirrored(ahead, wall).min()) > 0.6 * 0.5, "a steep wall seen from above shows the board"


def test_black_walls_are_brighter_on_a_bright_board() -> None:
    rng = np.random.default_rng(2)
    rooms = (calm_room(COLOURS, SIZE_PX, np.random.default_rng(3)) for _ in range(2))
    black = np.full(3, 0.003)
    levels = []
    for room, ground in zip(rooms, (0.02, 0.8), strict=True):
        board = replace(room.table.board, albedo=np.full_like(room.table.board.albedo, ground))
        look = replace(room.table, board=board)
        painter = Painter(look, room.cameras[0])
        middle = (room.board_mm / 2, room.board_mm / 2)
        solid = standing_pyramid(25.4, 44.45, middle, 0.0, black, gloss=0.4)
        sensor = replace(still_sensor(room.sensor), blur_px=0.0)
        image = painter.paint(Light("sky", (), np.full(3, 0.6)), (solid,), rng, sensor)
        x, y = np.rint(room.cameras[0].project(np.array([[middle[0], middle[1] - 5.0, 26.0]]))[0]).astype(int)
        levels.append(float(image[y, x].mean()))
    assert levels[1] > levels[0] + 8
