"""Setting up a table in the terminal: the wizard's steps as questions, over pictures of a painted table."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from calibration.errors import NotTaught
from calibration.eyes import GridlockEyes
from calibration.profile import load, save
from calibration.said import joined
from calibration.wizard import Table as WizardTable
from calibration.wizard import started
from rules.words import Piece, Said
from table.at_terminal import Terminal, ending_in, ending_pt
from table.calibrating import PICTURE, SQUARES, learn_with, read_lens, walk
from table.errors import BadFolder, NotReady
from table.setup_folder import read_setup
from table.sim.source import SimPlan, SimSource
from tests.table.commanded import ran
from vision.detect.pyramid_net import MODEL
from vision.frame import Image, read_picture
from vision.kits.gridlock import GridlockKit

pytestmark = pytest.mark.skipif(not MODEL.exists(), reason="the trained reader is not here")
Answer = Callable[[str], str]


@pytest.fixture(scope="module")
def painted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The empty board and the palette picture of a painted table."""
    return SimSource(SimPlan(5), live=False).write_setup(tmp_path_factory.mktemp("painted"))


def walked(painted: Path, data: Path, answer: Answer, language: str = "en") -> tuple[object, list[str]]:
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
                lambda: pictures.pop(0), Terminal(answer, said.append, language), data)
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


def test_the_whole_wizard_speaks_portuguese(painted: Path, tmp_path: Path) -> None:
    """From the first sentence to the last, mishaps too: four points the wrong way round."""
    from vision.locate import Chessboard, find_chessboard

    board = find_chessboard(read_picture(painted / "0000.jpg"))
    assert isinstance(board, Chessboard)
    right = np.roll(board.corners_px, 1 - int(nearest_corner(painted)), axis=0)
    corners = iter([" ".join(f"{x:.0f},{y:.0f}" for x, y in ring) for ring in (right[::-1], right)])
    asked: list[str] = []

    def answer(question: str) -> str:
        asked.append(question)
        if "Que número está em a1?" in question:
            return "0"
        return next(corners) if "a8, h8" in question else ""

    done, said = walked(painted, tmp_path, answer, "pt")
    assert asked[0] == asked[-1] == "Aperte Enter para tirar a foto."
    begun = [line.split()[0] for line in said]
    assert begun == ["Esvazie", "Procurando", "Achei", "Os", "Toque", "A", "Os", "Toque", "A", "Medindo", "Ponha",
                     "Aprendendo"], said
    assert "uma peça grande de cada cor: " in said[-2]
    assert "vermelho em " in said[-2]
    english = re.compile(r"\b(the|wanted|found|picture|board|take|is|are|corners?)\b")
    assert [line for line in (*said, *asked) if english.search(line.replace(str(tmp_path), ""))] == []
    verdict = joined(done.profile.report.verdict)  # type: ignore[attr-defined]
    assert verdict.pt
    assert not english.search(verdict.pt), verdict.pt


@pytest.mark.parametrize(("flag", "setting", "said"), [
    ((), None, "USB camera nowhere: wanted to open it"), ((), "pt", "a câmera USB nowhere não está lá"),
    (("--language", "pt"), None, "a câmera USB nowhere não está lá"),
    (("--language", "en"), "pt", "USB camera nowhere: wanted to open it"),
], ids=["nobody said", "the settings", "the flag", "the flag before the settings"])
def test_the_flag_or_the_settings_choose_the_language(
    flag: tuple[str, ...], setting: str | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("click.prompt", lambda *_, **__: "")
    if setting is not None:
        monkeypatch.setenv("OVERBOARD_TABLE_LANGUAGE", setting)
    end = ran(capfd, "calibrate", "table", "--square-mm", "50", "--source", "usb:nowhere", *flag)
    assert end.code == 1
    assert said in end.err
    assert ("Esvazie o tabuleiro" in end.out) == ("não" in said)
    assert ("Clear the board" in end.out) == ("não" not in said)


@pytest.mark.parametrize(("error", "pt"), [
    (NotReady("wanted a picture, found none in 30 s: look at the camera's cable, then run `overboard doctor`"),
     "nenhuma foto em 30 s"),
    (NotReady("wanted a camera (pi, usb or usb:NUMBER), found the source 'sim': name one with --source"),
     "a fonte 'sim' não é uma câmera"),
    (BadFolder("lens.json: wanted a lens as `overboard calibrate camera DIR --json` prints it, found none"),
     "lens.json: não é uma lente"),
    (NotTaught(Said("no", "não ensina")), "não ensina"),
    (OSError(28, "No space left on device", "profile.json"), "profile.json: não deu para ler ou gravar"),
    (NotReady("a new trouble"), "a new trouble"),
], ids=["no picture", "no camera", "no lens", "not taught", "a full disk", "unknown"])
def test_what_ends_the_wizard_is_said_in_its_language(error: Exception, pt: str) -> None:
    with pytest.raises(NotReady) as ended, ending_in("pt"):
        raise error
    assert str(ended.value).startswith(pt)
    with pytest.raises(type(error)) as same, ending_in("en"):
        raise error
    assert same.value is error


def test_a_file_that_is_no_lens_is_told_in_portuguese(tmp_path: Path) -> None:
    (tmp_path / "lens.json").write_text("[]", encoding="utf-8")
    with pytest.raises(BadFolder) as found:
        read_lens(tmp_path / "lens.json")
    assert ending_pt(found.value).startswith(f"{tmp_path / 'lens.json'}: não é uma lente")


def test_the_palette_stands_on_squares_that_are_apart() -> None:
    kit = GridlockKit()
    cells = [kit.cell_named(name) for name in SQUARES]
    assert len({cell.col for cell in cells}) == len({cell.row for cell in cells}) == len(SQUARES)
    assert all(re.fullmatch("[a-h][1-8]", name) for name in SQUARES)
