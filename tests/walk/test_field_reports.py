"""Field reports on a painted table with the whole product watching: clouds, mains bands, covered corners, bumps, lamps.

Each is found by looking at pictures, so that the chain from the camera's picture to the journal is held, not a part.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from rules.words import Cell, Piece, Seat
from tests.walk.painted_table import SIZE_PX, PaintedRoom, PaintedTable
from vision.detect.pyramid_net import MODEL
from vision.frame import Image, Points

pytestmark = pytest.mark.skipif(not MODEL.exists(), reason="the trained reader is not here")


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> PaintedRoom:
    return PaintedRoom.of(tmp_path_factory.mktemp("room"))


@pytest.fixture
def table(tmp_path: Path, room: PaintedRoom) -> Iterator[PaintedTable]:
    """Three actions old. After the test its recording is replayed and must give the same journal."""
    painted = PaintedTable(tmp_path, room)
    painted.begin()
    assert painted.kinds() == ["MatchOpened", "SetUp", *["PlayAccepted"] * 3]
    yield painted
    painted.assert_replays()
    painted.journal.close()


def brighter(image: Image, factor: float) -> Image:
    """As under so much more light, in linear light."""
    code = np.arange(256) / 255.0
    light = np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4) * factor
    back = np.where(light <= 0.0031308, light * 12.92, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - 0.055)
    return np.asarray(cv2.LUT(image, np.clip(back * 255 + 0.5, 0, 255).astype(np.uint8)), np.uint8)


def moved(image: Image, shift_px: tuple[float, float], turn_deg: float = 0.0) -> Image:
    """As from a camera that was pushed."""
    middle = (SIZE_PX[0] / 2, SIZE_PX[1] / 2)
    matrix = cv2.getRotationMatrix2D(middle, turn_deg, 1.0)
    matrix[:, 2] += shift_px
    return np.asarray(cv2.warpAffine(image, matrix, SIZE_PX, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def off_px(table: PaintedTable, before: Points, shift_px: tuple[float, float], turn_deg: float) -> float:
    """By how much the board is believed elsewhere than where a pushed camera sees it, px at the worst corner."""
    assert table.seen.corners_px is not None
    matrix = cv2.getRotationMatrix2D((SIZE_PX[0] / 2, SIZE_PX[1] / 2), turn_deg, 1.0)
    matrix[:, 2] += shift_px
    truth = before @ matrix[:, :2].T + matrix[:, 2]
    return float(np.linalg.norm(table.seen.corners_px - truth, axis=1).max())


def board_looks(table: PaintedTable) -> dict[Cell, Piece | None]:
    """How each square is read in the newest picture."""
    return {sighting.cell: sighting.best for sighting in table.seen.sightings if sighting.cell.zone == "board"}


def test_l3_clouds_for_twenty_minutes_are_no_event(table: PaintedTable) -> None:
    """L3: brightness up and down by 30 % over 20 minutes, nothing moved: no move, no question, no beep."""
    last = table.evening.story.seq
    for look in range(50):
        factor = 1 + 0.3 * np.sin(2 * np.pi * look / 9.3) * np.sin(2 * np.pi * look / 25.3)
        table.bend = lambda image, factor=float(factor): brighter(image, factor)
        table.look(ms=24_000)
        table.look()
    assert table.ms > 20 * 60 * 1000
    assert table.kinds(last) == []
    table.play(5)
    assert table.kinds(last) == ["PlayAccepted"]


@pytest.mark.parametrize("pulse_hz", [100, 120])
def test_l6_mains_bands_that_roll_over_the_picture_are_no_event(table: PaintedTable, pulse_hz: int) -> None:
    """L6: rolling bands of 15 %: no move invented, and the one that is made is found."""
    last = table.evening.story.seq
    rows_s = np.arange(SIZE_PX[1]) * (0.033 / SIZE_PX[1])  # a rolling shutter of 33 ms

    def banded(image: Image) -> Image:
        phase = 2 * np.pi * pulse_hz * (rows_s + table.ms / 1000.0 * 1.003)
        return np.clip(image * (1 + 0.075 * np.sin(phase))[:, None, None] + 0.5, 0, 255).astype(np.uint8)

    table.bend = banded
    table.rest(1500)
    assert table.kinds(last) == []
    table.play(5)
    assert table.kinds(last) == ["PlayAccepted"]


@pytest.mark.parametrize("corners", [(Cell(0, 0),), (Cell(0, 0), Cell(7, 0))], ids=["one corner", "two corners"])
def test_o4_o6_a_covered_corner_is_named_the_grid_holds_and_play_goes_on(
    table: PaintedTable, corners: tuple[Cell, ...]
) -> None:
    """O4: the grid shifts by less than 2 px and play goes on. O6: within 2 s the page says which corner is hidden."""
    last, before = table.evening.story.seq, table.seen.corners_px
    assert before is not None
    napkin = table.room.painter().camera.project(
        np.array([[*table.top.centre_mm(corner), 1.0] for corner in corners])).astype(int)

    def covered(image: Image) -> Image:
        out = image.copy()
        for x, y in napkin:
            cv2.circle(out, (int(x), int(y)), 34, (96, 128, 190), -1)
        return out

    table.bend = covered
    table.rest(2000)
    assert table.seen.corners_px is not None
    assert float(np.linalg.norm(table.seen.corners_px - before, axis=1).max()) < 2.0
    said = table.session.view().health.said.en
    assert all(name in said for name in ("a1", "h1")[: len(corners)])
    assert "last position" in said
    assert table.kinds(last) == []
    table.play(5)
    table.rest(3000)
    assert "PlayAccepted" in table.kinds(last), "play goes on, if more slowly"
    table.bend = lambda image: image
    table.rest(1500)
    assert set(table.kinds(last)) <= {"PlayAccepted"}


@pytest.mark.parametrize(
    ("shift_px", "turn_deg"),
    [((3.0, 0.0), 0.0), ((-7.0, 7.0), 0.0), ((20.0, 0.0), 0.0), ((0.0, -39.0), 0.0), ((0.0, 0.0), 2.0)],
    ids=["3 px", "10 px", "half a square", "a square", "2 degrees"],
)
def test_b1_a_nudge_is_noticed_within_three_seconds_and_invents_nothing(
    table: PaintedTable, shift_px: tuple[float, float], turn_deg: float
) -> None:
    """B1: noticed, re-registered, no move committed, the game goes on by itself."""
    last, before = table.evening.story.seq, table.seen.corners_px
    assert before is not None
    table.bend = lambda image: moved(image, shift_px, turn_deg)
    table.rest(3000)
    assert "BoardFound" in table.kinds(last)
    assert set(table.kinds(last)) <= {"BoardFound", "BoardLost"}
    assert off_px(table, before, shift_px, turn_deg) < 2.0
    table.play(5)
    assert table.kinds(last)[-1] == "PlayAccepted"


def test_b2_a_slow_drift_is_followed_all_the_way(table: PaintedTable) -> None:
    """B2: 0.3 px a second for two minutes, nothing touched: no action, and the board is known where it is."""
    last, before = table.evening.story.seq, table.seen.corners_px
    for second in range(0, 120, 4):
        table.bend = lambda image, px=0.3 * second: moved(image, (px, 0.0))
        table.look(ms=4000)
    assert set(table.kinds(last)) <= {"BoardFound"}
    assert before is not None
    assert table.seen.corners_px is not None
    gap = table.seen.corners_px - before - np.array([0.3 * 116, 0.0])
    assert float(np.linalg.norm(gap, axis=1).max()) < 2.0
    table.play(5)
    assert table.kinds(last)[-1] == "PlayAccepted"


@pytest.mark.parametrize(
    ("shift_px", "turn_deg"), [((14.0, -9.0), 4.0), ((6.0, 10.0), 15.0), ((-8.0, 4.0), -15.0)],
    ids=["a little elsewhere", "turned by 15 degrees", "turned by 15 degrees the other way"],
)
def test_a_camera_lifted_and_set_down_goes_on_by_itself(
    table: PaintedTable, shift_px: tuple[float, float], turn_deg: float
) -> None:
    """Within 3 s it is noticed and the board registered anew: no tap, no action, every piece in its old colour."""
    last, before, looked = table.evening.story.seq, table.seen.corners_px, board_looks(table)
    assert before is not None
    table.bend = lambda image: np.full_like(image, 30)
    table.rest(2000)
    assert table.session.view().health.state == "board-lost"
    table.bend = lambda image: moved(image, shift_px, turn_deg)
    table.rest(3000)
    assert table.kinds(last) == ["BoardLost", "BoardFound"]
    assert off_px(table, before, shift_px, turn_deg) < 2.0
    assert board_looks(table) == looked
    table.play(5)
    assert table.kinds(last)[2:] == ["PlayAccepted"]


@pytest.mark.parametrize("turn_deg", [15.0, -15.0])
def test_a_camera_turned_by_15_degrees_between_two_pictures_is_no_action(table: PaintedTable, turn_deg: float) -> None:
    last, before, looked = table.evening.story.seq, table.seen.corners_px, board_looks(table)
    assert before is not None
    table.bend = lambda image: moved(image, (0.0, 0.0), turn_deg)
    table.rest(3000)
    assert set(table.kinds(last)) <= {"BoardLost", "BoardFound"}
    assert table.kinds(last)[-1] == "BoardFound"
    assert off_px(table, before, (0.0, 0.0), turn_deg) < 2.0
    assert board_looks(table) == looked
    table.play(5)
    assert table.kinds(last)[-1] == "PlayAccepted"


def test_a_lamp_switched_in_the_same_second_as_a_move_hides_no_move(table: PaintedTable) -> None:
    last = table.evening.story.seq

    def switched() -> None:
        table.light = 1

    table.play(5, during=switched)
    table.rest(2000)
    assert table.kinds(last) == ["PlayAccepted"]


def test_a_hand_that_rests_on_the_board_hides_what_is_under_it_and_nothing_else(table: PaintedTable) -> None:
    """It lies there for half a minute; nothing under it is missed, nothing is invented."""
    last = table.evening.story.seq
    arm = table.arm_to(Seat(0), Cell(3, 4))
    for _ in range(30):
        table.look(arm, ms=1000)
    assert table.kinds(last) == []
    assert table.session.view().health.state == "hand"
    table.rest()
    table.play(5)
    assert table.kinds(last) == ["PlayAccepted"]
