"""The commands: what they print, how they end, and that bad input is one sentence and no traceback."""

from __future__ import annotations

import io
import json
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np
import pytest

from rules.catalogue import GAMES
from table.cli import ROOTS, cli, main
from table.cli_words import WATCHED, named_options, named_seats
from table.journal import SCHEMA_VERSION, Journal
from tests.table.commanded import SEATS, folder, is_one_sentence, picture, ran, setup_words
from tests.table.scripted import SCENES
from tests.table.scripted_evening import ScriptedEvening

Capture = pytest.CaptureFixture[str]
CHARUCO = SCENES / "charuco-301"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own: no `overboard.toml`, no journal, no setting in the environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("OVERBOARD_WEB_PORT", "OVERBOARD_TABLE_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def cut_short(path: Path) -> Path:
    """A picture whose second half never came."""
    data = picture(path).read_bytes()
    path.write_bytes(data[: len(data) // 2])
    return path


def no_json(path: Path) -> Path:
    folder(path)
    (path / "setup.json").write_text('{"format": 1,\n "game": }', encoding="utf-8")
    return path


def broken_picture(path: Path) -> Path:
    folder(path)
    cut_short(path / "0000.jpg")
    return path


def other_size(path: Path) -> Path:
    folder(path)
    picture(path / "0001.jpg", (200, 160))
    return path


def palette_without_a_colour(path: Path) -> Path:
    pieces = setup_words()["palette"]["pieces"][:3]
    return folder(path, palette={"frame": "0001.jpg", "pieces": pieces})


BAD_FOLDERS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "no such folder": (lambda path: path, "no such folder"),
    "a folder without setup.json": (lambda path: (path.mkdir(), path)[1], "setup.json"),
    "a fault in the JSON": (no_json, "line 2"),
    "an unknown key": (lambda path: folder(path, colour="red"), "colour"),
    "two seats of one colour": (lambda path: folder(path, seats={**SEATS, "west": "red"}), "'red'"),
    "a palette without a colour": (palette_without_a_colour, "blue"),
    "a picture that is missing": (lambda path: folder(path, frames=["0009.jpg"]), "0009.jpg"),
    "a picture cut short": (broken_picture, "cut short"),
    "a palette picture of another size": (other_size, "200x160"),
    "another game": (
        lambda path: folder(path, game="ido", per_size=None, square_mm=None, van=None, board={}), "gridlock"),
}


@pytest.mark.parametrize("command", ["read", "replay"])
@pytest.mark.parametrize("name", BAD_FOLDERS)
def test_a_bad_folder_is_one_sentence(command: str, name: str, tmp_path: Path, capfd: Capture) -> None:
    make, told = BAD_FOLDERS[name]
    end = ran(capfd, command, make(tmp_path / "table"), "--json")
    assert (end.code, end.out) == (1, "")
    assert is_one_sentence(end.err)
    assert told in end.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["frob"], "frob"),
        (["read"], "DIR"),
        (["locate", "gridlock"], "PICTURE"),
        (["run", "--seats", "9"], "9"),
        (["play", "chess"], "gridlock"),
        (["rules", "chess"], "gridlock"),
        (["locate", "chess", "a.jpg"], "'chess': take gridlock"),
        *[(["locate", game.facts.name, "a.jpg"], f"`overboard play {game.facts.name}`") for game in GAMES
          if game.facts.name not in WATCHED],
        (["run", "--game", "ido"], "gridlock"),
        (["run", "--port", "0"], "web.port"),
        (["play", "gridlock", "--options", "gaps"], "NAME=VALUE"),
        (["play", "gridlock", "--options", "gaps=maybe"], "gaps"),
        (["play", "gridlock", "--option", "gaps"], "--option: wanted NAME=VALUE"),
        (["play", "gridlock", "--option", "gaps=[1]"], "gaps"),
        (["play", "gridlock", "--load", "none.game"], "none.game"),
        (["play", "gridlock", "--seats", "south,west"], "face"),
        (["simulate"], "--out"),
        (["journal", "show", "first"], "first"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_wrong_words_end_with_2(words: list[str], told: str, capfd: Capture) -> None:
    end = ran(capfd, *words)
    assert (end.code, end.out) == (2, "")
    assert is_one_sentence(end.err)
    assert told in end.err


def test_a_setting_that_nobody_knows_is_told_with_its_line(tmp_path: Path, capfd: Capture) -> None:
    (tmp_path / "overboard.toml").write_text("[web]\nporta = 80\n", encoding="utf-8")
    end = ran(capfd, "run")
    assert end.code == 2
    assert is_one_sentence(end.err)
    assert "line 2" in end.err


@pytest.mark.parametrize("words", [["run", "--config"], ["journal", "list", "--config"]], ids=" ".join)
def test_a_config_file_that_is_not_there(words: list[str], capfd: Capture) -> None:
    end = ran(capfd, *words, "none.toml")
    assert end.code == 1
    assert "none.toml" in end.err


@pytest.mark.parametrize(
    "words", [["record", "out"], ["run"], ["calibrate", "table", "--square-mm", "50"]], ids=" ".join
)
def test_a_camera_that_is_not_there(words: list[str], capfd: Capture) -> None:
    end = ran(capfd, *words, "--source", "usb:nowhere")
    assert end.code == 1
    assert is_one_sentence(end.err)


def test_record_keeps_off_a_folder_with_files(tmp_path: Path, capfd: Capture) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    end = ran(capfd, "record", tmp_path, "--source", "sim")
    assert end.code == 1
    assert is_one_sentence(end.err)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_record_keeps_pictures_times_and_set_up(tmp_path: Path, capfd: Capture) -> None:
    from table.record import read_frames
    from table.setup_folder import read_setup

    out = tmp_path / "kept"
    end = ran(capfd, "record", out, "--source", "sim", "--seconds", "1")
    for thread in threading.enumerate():
        if thread.name == "painter":
            thread.join(20)
    assert end.code == 0
    kept = read_frames(out)
    times_ns = [one["taken_ns"] for one in kept]
    assert len(kept) > 1
    assert times_ns == sorted(set(times_ns))
    assert read_setup(out).frames == tuple(one["file"] for one in kept)
    assert f"{len(kept)} pictures" in end.out


def test_locate_tells_the_bad_pictures_and_goes_on(tmp_path: Path, capfd: Capture) -> None:
    words = tmp_path / "words.jpg"
    words.write_text("no picture", encoding="utf-8")
    small = picture(tmp_path / "small.png", (20, 20))
    pictures = [cut_short(tmp_path / "half.jpg"), words, small, tmp_path / "none.jpg", picture(tmp_path / "noise.jpg")]
    end = ran(capfd, "locate", "gridlock", *pictures, "--json")
    assert end.code == 1
    assert [one["frame"] for one in end.objects] == [path.name for path in pictures]
    assert [one["path"] for one in end.objects] == [str(path) for path in pictures]
    assert all(one["found"] is False and len(one["why"].split()) > 4 for one in end.objects)
    assert "Traceback" not in end.err


def test_locate_finds_a_board_and_a_picture_without_one_is_no_fault(tmp_path: Path, capfd: Capture) -> None:
    import cv2

    board = np.full((600, 800, 3), 90, np.uint8)
    for col in range(8):
        for row in range(8):
            x, y = 200 + 50 * col, 100 + 50 * row
            board[y : y + 50, x : x + 50] = 230 if (col + row) % 2 else 30
    cv2.imwrite(str(tmp_path / "board.png"), cv2.GaussianBlur(board, (0, 0), 1.0))
    end = ran(capfd, "locate", "gridlock", tmp_path / "board.png", picture(tmp_path / "noise.png"), "--json")
    assert end.code == 0
    found, none = end.objects
    assert none["found"] is False
    assert found["found"] is True
    assert 0 < found["confidence"] <= 1
    corners = np.array(found["corners"])
    wanted = np.array([[199.5, 99.5], [599.5, 99.5], [599.5, 499.5], [199.5, 499.5]])
    turns = [np.roll(corners, k, axis=0) for k in range(4)]
    assert min(float(np.abs(turn - wanted).max()) for turn in turns) < 1.5


def test_play_takes_lines_and_saves_the_match(tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("S:La1\nS:La2\nquit\n"))
    end = ran(capfd, "play", "gridlock", "--options", "per_size=3", "--save", tmp_path / "evening.game")
    assert end.code == 0
    text = (tmp_path / "evening.game").read_text(encoding="utf-8")
    assert text.startswith("game gridlock\n")
    assert "option per_size 3" in text
    assert text.strip().endswith("S:La1 script"), "the second is out of turn"


def test_play_goes_on_with_a_saved_match(tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("S:La1\n"))
    assert ran(capfd, "play", "gridlock", "--option", "per_size=1", "--save", tmp_path / "evening.game").code == 0
    monkeypatch.setattr("sys.stdin", io.StringIO("W:Lb1\n"))
    end = ran(capfd, "play", "gridlock", "--load", tmp_path / "evening.game", "--save", tmp_path / "later.game")
    assert end.code == 0
    assert (tmp_path / "later.game").read_text(encoding="utf-8").endswith("S:La1 script\nW:Lb1 script\n")


def test_play_ends_where_the_lines_end(capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("board"))
    assert ran(capfd, "play", "gridlock").code == 0


def test_rules_answers_a_line_with_a_line(capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    request = json.dumps({"op": "new", "seats": list(SEATS)}) + "\nnonsense\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(request.encode())))
    end = ran(capfd, "rules", "gridlock")
    assert end.code == 0
    assert [one["ok"] for one in end.objects] == [True, False]


@pytest.mark.skipif(not CHARUCO.exists(), reason="the shared scenes are not here")
def test_calibrate_camera_prints_a_lens_that_calibrate_table_reads(tmp_path: Path, capfd: Capture) -> None:
    from table.calibrating import read_lens

    end = ran(capfd, "calibrate", "camera", CHARUCO, "--json")
    assert end.code == 0
    told = end.objects[0]
    assert set(told["lens"][0]) == {"size", "matrix", "distortion"}
    assert set(told["per_picture_px"]) | set(told["dropped"]) == {p.name for p in CHARUCO.glob("*.jpg")}
    (tmp_path / "lens.json").write_text(end.out, encoding="utf-8")
    assert read_lens(tmp_path / "lens.json").size_px == tuple(told["lens"][0]["size"])


def test_calibrate_camera_refuses_a_folder_of_another_kind(tmp_path: Path, capfd: Capture) -> None:
    end = ran(capfd, "calibrate", "camera", folder(tmp_path / "game"))
    assert end.code == 1
    assert is_one_sentence(end.err)


@pytest.mark.parametrize("words", [["camera", "any"], ["sheet", "any.pdf"]], ids=" ".join)
def test_an_opencv_without_the_sheet_is_told(
    words: list[str], capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian 12 has OpenCV 4.6, with another reader of such sheets."""
    monkeypatch.delattr("cv2.aruco.CharucoDetector")
    end = ran(capfd, "calibrate", *words)
    assert (end.code, end.out) == (1, "")
    assert is_one_sentence(end.err)
    assert "4.7" in end.err


def test_calibrate_sheet_writes_a_pdf(tmp_path: Path, capfd: Capture) -> None:
    assert ran(capfd, "calibrate", "sheet", tmp_path / "sheet.pdf").code == 0
    assert (tmp_path / "sheet.pdf").read_bytes().startswith(b"%PDF-1.4")


@pytest.mark.parametrize("text", ['{"lens": null}', "[]", "no JSON", '{"lens": [{"size": [1, 2], "matrix": [1]}]}'])
def test_a_file_that_is_no_lens(text: str, tmp_path: Path, capfd: Capture) -> None:
    (tmp_path / "lens.json").write_text(text, encoding="utf-8")
    words = ("calibrate", "table", "--source", "usb:nowhere", "--square-mm", "50", "--lens")
    end = ran(capfd, *words, tmp_path / "lens.json")
    assert end.code == 1
    assert "lens.json" in end.err


def test_the_journal_is_listed_shown_and_exported(tmp_path: Path, capfd: Capture) -> None:
    path = tmp_path / "overboard-data" / "journal.sqlite"
    path.parent.mkdir()
    evening = ScriptedEvening(path)
    evening.journal.close()
    listed = ran(capfd, "journal", "list", "--json")
    assert [(one["match"], one["game"], one["ending"]) for one in listed.objects] == [(1, "gridlock", None)]
    shown = ran(capfd, "journal", "show", "1", "--json")
    assert shown.objects[0]["kind"] == "MatchOpened"
    assert "MatchOpened" in ran(capfd, "journal", "show", "1").out
    assert "gridlock" in ran(capfd, "journal", "list").out
    exported = ran(capfd, "journal", "export", "1")
    assert exported.out.startswith("game gridlock\n")
    assert ran(capfd, "journal", "export", "1", tmp_path / "one.game").code == 0
    assert (tmp_path / "one.game").read_text(encoding="utf-8").strip() == exported.out.strip()
    missing = ran(capfd, "journal", "show", "7")
    assert missing.code == 1
    assert is_one_sentence(missing.err)
    assert "match 7" in missing.err


def test_a_journal_of_a_newer_version_is_refused_and_left_as_it_is(tmp_path: Path, capfd: Capture) -> None:
    path = tmp_path / "journal.sqlite"
    Journal(path).close()
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version={SCHEMA_VERSION + 1}")
    db.close()
    before = path.read_bytes()
    end = ran(capfd, "journal", "list", "--file", path)
    assert end.code == 1
    assert is_one_sentence(end.err)
    assert "newer program" in end.err
    assert path.read_bytes() == before


def test_a_missing_journal_is_not_made(tmp_path: Path, capfd: Capture) -> None:
    end = ran(capfd, "journal", "list")
    assert end.code == 1
    assert is_one_sentence(end.err)
    assert list(tmp_path.iterdir()) == []


def test_simulate_paints_a_folder_that_reads_back(tmp_path: Path, capfd: Capture) -> None:
    from table.setup_folder import read_setup

    end = ran(capfd, "simulate", "--kind", "stills", "--plays", "1", "--seed", "3", "--out", tmp_path / "painted")
    assert end.code == 0
    setup = read_setup(tmp_path / "painted")
    assert (setup.game, setup.kind, len(setup.frames)) == ("gridlock", "stills", 1)
    again = ran(capfd, "simulate", "--out", tmp_path / "painted")
    assert again.code == 1
    assert is_one_sentence(again.err)


def test_a_fault_of_the_program_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence is for what people can put right; a bug keeps its traceback."""
    @click.command()
    def broken() -> None:
        raise KeyError("bug")

    monkeypatch.setitem(cli.commands, "broken", broken)
    with pytest.raises(KeyError):
        main(["broken"])


def test_opencv_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch, capfd: Capture) -> None:
    @click.command()
    def blind() -> None:
        raise ModuleNotFoundError("No module named 'cv2'", name="cv2")

    monkeypatch.setitem(cli.commands, "blind", blind)
    end = ran(capfd, "blind")
    assert end.code == 1
    assert "OpenCV" in end.err


@pytest.mark.parametrize("room", ROOTS)
def test_every_root_of_errors_is_there(room: str) -> None:
    import importlib

    assert issubclass(getattr(importlib.import_module(room), ROOTS[room]), Exception)


@pytest.mark.parametrize(
    ("text", "names"),
    [("4", ["south", "west", "north", "east"]), ("2", ["south", "north"]), (" North , south", ["north", "south"])],
)
def test_seats_are_named_or_counted(text: str, names: list[str]) -> None:
    assert named_seats(text) == names


def test_options_are_json_where_they_look_like_it() -> None:
    assert named_options("per_size=3, gaps=stop") == {"per_size": 3, "gaps": "stop"}
    assert named_options("") == {}
    assert named_options("goal=3", ['order=["small","large"]', "goal=4", "ending=null", "teleporters=[[0,0,1]"]) == {
        "goal": 4, "order": ["small", "large"], "ending": None, "teleporters": "[[0,0,1]"}
