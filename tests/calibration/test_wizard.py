"""Setting up a table, step by step, with made-up eyes; and once with the real ones."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibration.check import Grade
from calibration.errors import NotTaught
from calibration.eyes import GridlockEyes
from calibration.profile import load, save
from calibration.tapped import CORNERS
from calibration.wizard import LOOKING, Ask, Doing, Done, Stuck, Table, Want, Wizard, Working, started
from rules.words import Cell, Colour, Piece, Said
from vision.frame import Image, Points, read_picture
from vision.kits.gridlock import GridlockKit
from vision.palette import Palette
from vision.pose import BoardPose

SHARED = Path(__file__).parents[2].parent / "shared" / "scenes" / "dev"
NOW = "2026-05-04T19:30:00Z"
TABLE = Table("gridlock", 50.0, (
    ("d3", Cell(3, 2), Piece("large", Colour("red"))), ("c5", Cell(2, 4), Piece("large", Colour("blue")))))


@dataclass
class MadeUpEyes:
    """Sees what the test says; remembers what it was asked."""

    found: Points | Said
    where: BoardPose | Said
    colours: Palette | Said
    asked: list[Any] = field(default_factory=list)
    lies_on: tuple[str, ...] = ()

    def covered(self, image: Image) -> Sequence[str]:
        return self.lies_on

    def corners(self, image: Image) -> Points | Said:
        return self.found

    def pose(self, image: Image, corners_px: Mapping[str, tuple[float, float]]) -> BoardPose | Said:
        self.asked.append(dict(corners_px))
        return self.where

    def palette(self, empty: Image, image: Image, pose: BoardPose,
                pieces: Sequence[tuple[Cell, Piece]]) -> Palette | Said:
        self.asked.append(list(pieces))
        return self.colours


@pytest.fixture
def eyes(drawn: Any, palette: Palette) -> MadeUpEyes:
    return MadeUpEyes(np.roll(drawn.corners_px(), 2, axis=0), drawn.pose, palette)


def wants(wizard: Wizard) -> Want | None:
    return wizard.step.want if isinstance(wizard.step, Ask) else None


def near(point: Sequence[float], off: float = 9.0) -> tuple[float, float]:
    return float(point[0]) + off, float(point[1]) - off


def to_palette(drawn: Any, eyes: MadeUpEyes) -> Wizard:
    wizard = started(TABLE).took(drawn.image).work(eyes, NOW)
    return wizard.tapped([near(drawn.corners_px()[0])]).work(eyes, NOW)


def test_a_table_is_set_up_from_beginning_to_end(drawn: Any, eyes: MadeUpEyes, tmp_path: Any) -> None:
    wizard = started(TABLE)
    assert wants(wizard) is Want.EMPTY_PICTURE
    wizard = wizard.took(drawn.image)
    assert wizard.step == Working(Doing.FINDING_BOARD, LOOKING)
    wizard = wizard.work(eyes, NOW)
    assert isinstance(wizard.step, Ask)
    assert wizard.step.want is Want.ORIENTATION
    assert len(wizard.step.marks_px) == 4
    wizard = wizard.tapped([near(drawn.corners_px()[0])])
    assert isinstance(wizard.step, Working)
    wizard = wizard.work(eyes, NOW)
    assert isinstance(wizard.step, Ask)
    assert "red on d3, blue on c5" in wizard.step.said.en
    wizard = wizard.took(drawn.image).work(eyes, NOW)
    assert isinstance(wizard.step, Done)
    profile = wizard.step.profile
    assert (profile.made_utc, profile.game, profile.square_mm) == (NOW, "gridlock", 50.0)
    assert profile.picture == "reference.png"
    assert profile.report.grade is Grade.GOOD
    assert eyes.asked[1] == [(cell, piece) for _, cell, piece in TABLE.pieces]
    save(profile, tmp_path / "p.json", wizard.step.reference)
    assert load(tmp_path / "p.json").report == profile.report


@pytest.mark.parametrize("corner", range(4))
@pytest.mark.parametrize("first", range(4))
def test_c5_one_tap_names_all_corners_whichever_was_found_first(drawn: Any, eyes: MadeUpEyes, corner: int,
                                                                first: int) -> None:
    """W3: the camera may stand at any side; the tap alone says where a1 is."""
    corners = drawn.corners_px()
    eyes.found = np.roll(corners, first, axis=0)
    wizard = started(TABLE).took(drawn.image).work(eyes, NOW).tapped([near(corners[corner])])
    wizard.work(eyes, NOW)
    expected = np.roll(corners, -corner, axis=0)
    assert list(eyes.asked[0]) == list(CORNERS)
    np.testing.assert_allclose(np.array(list(eyes.asked[0].values())), expected)


def test_a_tap_between_two_corners_is_asked_again(drawn: Any, eyes: MadeUpEyes) -> None:
    middle = drawn.corners_px()[:2].mean(axis=0)
    wizard = started(TABLE).took(drawn.image).work(eyes, NOW).tapped([tuple(middle)])
    assert isinstance(wizard.step, Stuck)
    assert "between two corners" in wizard.step.why.en
    assert "entre dois cantos" in wizard.step.why.pt
    assert wants(wizard.again()) is Want.ORIENTATION


def test_a_board_that_is_not_found_is_tapped_by_hand(drawn: Any, eyes: MadeUpEyes) -> None:
    eyes.found = Said("no board is in the picture: move the lamp", "não há tabuleiro na foto: mude a lâmpada")
    wizard = started(TABLE).took(drawn.image).work(eyes, NOW)
    assert isinstance(wizard.step, Ask)
    assert wizard.step.want is Want.CORNERS
    assert wizard.step.said == Said(
        "no board is in the picture: move the lamp. Or tap the board's four corners, in this order: a1, a8, h8, h1.",
        "não há tabuleiro na foto: mude a lâmpada. Ou toque nos quatro cantos do tabuleiro, nesta ordem: a1, a8, h8, "
        "h1.")
    taps = [near(corner) for corner in drawn.corners_px()]
    assert wants(wizard.tapped(taps).work(eyes, NOW)) is Want.PALETTE_PICTURE
    assert list(eyes.asked[0].values()) == [pytest.approx(tap) for tap in taps]
    mirrored = wizard.tapped(taps[::-1])
    assert isinstance(mirrored.step, Stuck)
    assert "clockwise" in mirrored.step.why.en
    assert "sentido do relógio" in mirrored.step.why.pt
    assert wants(mirrored.again()) is Want.CORNERS


def test_c3_a_grid_beside_the_board_is_noticed_before_the_pieces_are_set_up(drawn: Any, eyes: MadeUpEyes) -> None:
    eyes.where = drawn.shifted(1 / 3, 0.0)
    wizard = to_palette(drawn, eyes)
    assert isinstance(wizard.step, Stuck)
    assert "33% of a square beside the board's lines" in wizard.step.why.en
    assert "deslocada 33% de uma casa em relação às linhas do tabuleiro" in wizard.step.why.pt
    assert wants(wizard.again()) is Want.EMPTY_PICTURE
    assert wants(wizard.by_hand()) is Want.CORNERS


@pytest.mark.parametrize(("spoil", "why", "then"), [
    ({"where": Said("The pose does not fit.", "Não encaixa.")}, Said("The pose does not fit.", "Não encaixa."),
     Want.CORNERS),
    ({"colours": Said("No red piece on d3.", "Falta d3.")}, Said("No red piece on d3.", "Falta d3."),
     Want.PALETTE_PICTURE),
    ({"colours": Palette((Colour("red"), Colour("blue")), np.array([[50.0, 0, 0], [50.0, 5, 0]]), np.zeros(2))},
     Said("red and blue look too much alike in this light", "vermelho e azul são parecidos demais nesta luz"),
     Want.PALETTE_PICTURE),
], ids=["no pose", "no piece", "colours too close"])
def test_what_goes_wrong_is_said_and_leads_back_to_its_step(drawn: Any, eyes: MadeUpEyes, spoil: dict[str, Any],
                                                            why: Said, then: Want) -> None:
    wizard = to_palette(drawn, replace(eyes, **spoil))
    wizard = wizard.took(drawn.image).work(replace(eyes, **spoil), NOW)
    assert isinstance(wizard.step, Stuck)
    assert why.en in wizard.step.why.en
    assert why.pt in wizard.step.why.pt
    assert wants(wizard.again()) is then


def test_o6_a_covered_corner_is_named_and_a_board_that_only_looks_so_is_not_asked_about_twice(
    drawn: Any, eyes: MadeUpEyes
) -> None:
    eyes.lies_on = ("lower left",)
    wizard = started(TABLE).took(drawn.image).work(eyes, NOW)
    assert isinstance(wizard.step, Stuck)
    assert "corner at the lower left of the picture covered: take away" in wizard.step.why.en
    assert "um canto está coberto (na foto, embaixo à esquerda): tire" in wizard.step.why.pt
    wizard = wizard.again()
    assert wants(wizard) is Want.EMPTY_PICTURE
    assert wants(wizard.took(drawn.image).work(eyes, NOW)) is Want.ORIENTATION
    bare = replace(eyes, lies_on=())
    assert wants(wizard.took(drawn.image).work(bare, NOW)) is Want.ORIENTATION
    both = replace(eyes, lies_on=("lower left", "upper left"))
    again = wizard.took(drawn.image).work(both, NOW)
    assert isinstance(again.step, Stuck)
    assert "corners at the lower left and the upper left of the picture" in again.step.why.en
    assert "há cantos cobertos (na foto, embaixo à esquerda e em cima à esquerda)" in again.step.why.pt


def test_two_pictures_of_different_size_are_refused(drawn: Any, eyes: MadeUpEyes) -> None:
    wizard = to_palette(drawn, eyes).took(np.ascontiguousarray(drawn.image[:400])).work(eyes, NOW)
    assert isinstance(wizard.step, Stuck)
    assert "(640x480 and 640x400 px)" in wizard.step.why.en
    assert "(640x480 e 640x400 px)" in wizard.step.why.pt


def test_an_answer_that_does_not_fit_the_step_changes_nothing(drawn: Any, eyes: MadeUpEyes) -> None:
    tap, picture = [near(drawn.corners_px()[0])], drawn.image
    asked = started(TABLE)
    working = asked.took(picture)
    found = working.work(eyes, NOW)
    unmoved = [
        (asked, asked.tapped(tap)), (asked, asked.work(eyes, NOW)), (asked, asked.again()), (asked, asked.by_hand()),
        (working, working.took(picture)), (working, working.tapped(tap)), (found, found.took(picture)),
        (found, found.tapped(tap * 4)), (found, found.tapped([])), (found, found.again()),
    ]
    assert all(before is after for before, after in unmoved)


def test_any_order_of_answers_ends_in_a_known_step(drawn: Any, eyes: MadeUpEyes) -> None:
    """Five answers in every order of five kinds: never an exception, always a step."""
    taps = [near(corner) for corner in drawn.corners_px()]
    answers: dict[str, Callable[[Wizard], Wizard]] = {
        "picture": lambda w: w.took(drawn.image), "tap": lambda w: w.tapped(taps[:1]),
        "taps": lambda w: w.tapped(taps), "again": lambda w: w.again(), "by hand": lambda w: w.by_hand()}
    ends = set()
    for order in itertools.permutations(answers.values()):
        wizard = started(TABLE)
        for answer in order:
            wizard = answer(wizard).work(eyes, NOW)
        ends.add(type(wizard.step).__name__)
        assert wants(wizard.back()) is Want.EMPTY_PICTURE
    assert ends == {"Ask"}


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared scenes are not here")
@pytest.mark.parametrize("folder", sorted(SHARED.glob("gridlock-*")), ids=lambda path: path.name)
def test_a_shared_table_is_set_up_with_its_one_tap(folder: Path, palette: Palette) -> None:
    setup = json.loads((folder / "setup.json").read_text())
    eyes = GridlockEyes(GridlockKit(setup["square_mm"]), lambda *_: palette)
    table = replace(TABLE, square_mm=setup["square_mm"])
    wizard = started(table).took(read_picture(folder / setup["empty"])).work(eyes, NOW)
    assert wants(wizard) is Want.ORIENTATION
    wizard = wizard.tapped([setup["taps"]["a1"]]).work(eyes, NOW)
    assert wants(wizard) is Want.PALETTE_PICTURE, wizard.step
    wizard = wizard.took(read_picture(folder / setup["palette"]["frame"])).work(eyes, NOW)
    assert isinstance(wizard.step, Done)
    assert wizard.step.profile.report.grade is Grade.GOOD
    truth = json.loads((folder / "scene.json").read_text())["frames"]
    corners = next(frame["corners"] for frame in truth if frame["frame"] == setup["empty"])
    edge = 8 * table.square_mm
    found = wizard.step.profile.pose.to_px(np.array([[0, 0], [0, edge], [edge, edge], [edge, 0]], np.float64))
    off = np.linalg.norm(found - np.array([corners[name] for name in CORNERS]), axis=1)
    assert off.max() < 0.12 * np.linalg.norm(found[1] - found[0]) / 8


def test_the_real_eyes_find_the_drawn_board_and_fit_it(drawn: Any, palette: Palette) -> None:
    def learn(empty: Image, image: Image, pose: BoardPose, pieces: Sequence[tuple[Cell, Piece]]) -> Palette:
        if image.mean() < 10:
            raise NotTaught(Said("no pieces: bring a lamp", "sem peças: traga uma lâmpada"))
        return palette

    eyes = GridlockEyes(GridlockKit(50.0), learn, drawn.pose.camera)
    corners = drawn.corners_px()
    wizard = started(TABLE).took(drawn.image).work(eyes, NOW)
    assert isinstance(wizard.step, Ask)
    assert wizard.step.want is Want.ORIENTATION
    wizard = wizard.tapped([near(corners[0])]).work(eyes, NOW)
    assert wants(wizard) is Want.PALETTE_PICTURE
    dark = wizard.took(drawn.image // 50).work(eyes, NOW)
    assert isinstance(wizard.step, Ask)
    assert dark.step == Stuck(Said("no pieces: bring a lamp", "sem peças: traga uma lâmpada"), wizard.step)
    wizard = wizard.took(drawn.image).work(eyes, NOW)
    assert isinstance(wizard.step, Done)
    assert wizard.step.profile.report.grade is Grade.GOOD
    points = np.array([[0.0, 0], [400, 0], [400, 400], [0, 400], [200, 200]])
    off = np.linalg.norm(wizard.step.profile.pose.to_px(points) - drawn.pose.to_px(points), axis=1)
    assert off.max() < 2.0
