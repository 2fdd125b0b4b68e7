"""Setting up a table in the terminal: the wizard's steps as questions, over pictures of a painted table."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from calibration.eyes import GridlockEyes
from calibration.profile import load, save
from calibration.wizard import Table as WizardTable
from calibration.wizard import started
from rules.words import Piece
from table.calibrating import PICTURE, SQUARES, learn_with, walk
from table.setup_folder import read_setup
from table.sim.source import SimPlan, SimSource
from vision.detect.pyramid_net import MODEL
from vision.frame import Image, read_picture
from vision.kits.gridlock import GridlockKit

pytestmark = pytest.mark.skipif(not MODEL.exists(), reason="the trained reader is not here")
Answer = Callable[[str], str]


@pytest.fixture(scope="module")
def painted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The empty board and the palette picture of a painted table."""
    return SimSource(SimPlan(5), live=False).write_setup(tmp_path_factory.mktemp("painted"))


def walked(painted: Path, data: Path, answer: Answer) -> tuple[object, list[str]]:
    """The wizard from its first step; `answer` gets each question."""
    setup = read_setup(painted)
    assert setup.square_mm is not None
    assert setup.palette is not None
    kit = GridlockKit(setup.square_mm)
    cell_of = {piece.colour: cell for cell, piece in setup.palette.pieces}
    pieces = tuple((kit.cell_name(cell), cell, Piece("large", colour)) for colour, cell in cell_of.items())
    pictures: list[Image] = [read_picture(painted / "0000.jpg"), read_picture(painted / "0001.jpg")]
    said: list[str] = []
    done = walk(started(WizardTable("gridlock", setup.square_mm, pieces)), GridlockEyes(kit, learn_with(kit)),
                lambda: pictures.pop(0), answer, lambda line: said.append(line), data)
    return done, said


def nearest_corner(painted: Path) -> str:
    """The number, as the wizard draws them, of the corner that a person would call a1's."""
    from vision.locate import Chessboard, find_chessboard

    board = find_chessboard(read_picture(painted / "0000.jpg"))
    assert isinstance(board, Chessboard)
    a1 = np.array(dict(read_setup(painted).taps)["a1"])
    return str(int(np.argmin(np.linalg.norm(board.corners_px - a1, axis=1))) + 1)


def test_two_pictures_and_one_answer_make_a_profile(painted: Path, tmp_path: Path) -> None:
    number = nearest_corner(painted)
    asked: list[str] = []

    def answer(question: str) -> str:
        asked.append(question)
        return number if "a1?" in question else ""

    done, said = walked(painted, tmp_path, answer)
    assert len(asked) == 3
    assert (tmp_path / PICTURE).stat().st_size > 1000
    save(done.profile, tmp_path / "profile.json", done.reference)  # type: ignore[attr-defined]
    profile = load(tmp_path / "profile.json")
    assert sorted(profile.palette.colours) == ["blue", "green", "red", "yellow"]
    a1 = profile.pose.to_px(np.array([[0.0, 0.0]]))[0]
    assert float(np.linalg.norm(a1 - dict(read_setup(painted).taps)["a1"])) < 30
    assert any("found" in line for line in said)


def test_wrong_answers_are_asked_again_and_corners_may_be_typed(painted: Path, tmp_path: Path) -> None:
    """A number that is none, then "the corners are wrong", three points, four points the wrong way round, and right."""
    from vision.locate import Chessboard, find_chessboard

    board = find_chessboard(read_picture(painted / "0000.jpg"))
    assert isinstance(board, Chessboard)
    right = np.roll(board.corners_px, 1 - int(nearest_corner(painted)), axis=0)
    typed = " ".join(f"{x:.0f},{y:.0f}" for x, y in right)
    backwards = " ".join(f"{x:.0f},{y:.0f}" for x, y in right[::-1])
    orientation = iter(["9", "x", "0"])
    corners = iter(["1,2 3,4", backwards, typed])

    def answer(question: str) -> str:
        if "a1?" in question:
            return next(orientation)
        return next(corners) if "a8, h8" in question else ""

    done, said = walked(painted, tmp_path, answer)
    assert any("clockwise" in line for line in said)
    pose = done.profile.pose  # type: ignore[attr-defined]
    assert float(np.linalg.norm(pose.to_px(np.array([[0.0, 0.0]]))[0] - right[0])) < 5


def test_the_palette_stands_on_squares_that_are_apart() -> None:
    kit = GridlockKit()
    cells = [kit.cell_named(name) for name in SQUARES]
    assert len({cell.col for cell in cells}) == len({cell.row for cell in cells}) == len(SQUARES)
    assert all(re.fullmatch("[a-h][1-8]", name) for name in SQUARES)
