"""A set-up folder is read whole or refused in one sentence that says what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rules.words import Cell, Colour, Piece, Seat
from table.errors import BadFolder
from table.record import setup_words
from table.setup_folder import read_setup
from tests.table.scripted import SCENES

GOOD: dict[str, Any] = {
    "format": 1, "game": "gridlock", "kind": "game",
    "seats": {"north": "green", "south": "red", "west": "yellow", "east": "blue"},
    "per_size": 3, "square_mm": 50.2,
    "lens": [{"size": [1280, 960], "matrix": [1000, 0, 640, 0, 1000, 480, 0, 0, 1], "distortion": [0, 0, 0, 0, 0]}],
    "taps": {"a1": [410.0, 838.0], "h1": [986, 729]},
    "empty": "0000.jpg",
    "palette": {"frame": "0001.jpg", "pieces": [
        {"square": "d3", "colour": "red", "size": "large", "facing": "up"},
        {"square": "c5", "colour": "yellow", "size": "large", "facing": "up"},
        {"square": "e6", "colour": "green", "size": "large", "facing": "up"},
        {"square": "f4", "colour": "blue", "size": "large", "facing": "east"},
    ]},
    "frames": ["0002.jpg", "0003.jpg"], "first_seat": "south", "van": "north",
}


def folder_with(tmp_path: Path, words: Any, pictures: tuple[str, ...] = ("0000", "0001", "0002", "0003")) -> Path:
    text = words if isinstance(words, str) else json.dumps(words, indent=1)
    (tmp_path / "setup.json").write_text(text)
    for name in pictures:
        (tmp_path / f"{name}.jpg").write_bytes(b"x")
    return tmp_path


def changed(**changes: Any) -> dict[str, Any]:
    return {**json.loads(json.dumps(GOOD)), **changes}


def test_a_whole_folder_is_read(tmp_path: Path) -> None:
    setup = read_setup(folder_with(tmp_path, GOOD))
    assert setup.seats == tuple((Seat(i), Colour(c)) for i, c in enumerate(("red", "yellow", "green", "blue")))
    assert (setup.per_size, setup.square_mm, setup.first_seat, setup.van) == (3, 50.2, Seat(0), Seat(2))
    assert setup.palette is not None
    assert (Cell(5, 3), Piece("large", Colour("blue"), 1)) in setup.palette.pieces
    camera = setup.camera()
    assert camera is not None
    assert camera.size_px == (1280, 960)
    assert camera.matrix[0, 2] == 640
    assert setup.paths == (tmp_path / "0002.jpg", tmp_path / "0003.jpg")


def test_what_a_recording_writes_reads_back(tmp_path: Path) -> None:
    setup = read_setup(folder_with(tmp_path, GOOD))
    again = read_setup(folder_with(tmp_path, setup_words(setup, list(setup.frames))))
    assert again == setup


def _two_of_a_colour() -> Any:
    return changed(seats={"south": "red", "west": "red", "north": "green", "east": "blue"})


def _without(key: str) -> Callable[[], Any]:
    def made() -> Any:
        words = changed()
        del words[key]
        return words

    return made


def _palette_without_blue() -> Any:
    words = changed()
    words["palette"]["pieces"].pop()
    return words


@pytest.mark.parametrize(
    ("make", "says"),
    [
        pytest.param(lambda: json.dumps(GOOD, indent=1).replace('"per_size": 3,', '"per_size": 3'), "line 12",
                     id="a missing comma is named with its line"),
        pytest.param(lambda: "[]", "wanted an object", id="a list is no set-up"),
        pytest.param(lambda: changed(format=2), "wanted format 1", id="a newer format"),
        pytest.param(lambda: changed(squre_mm=5), "'squre_mm'", id="an unknown key"),
        pytest.param(lambda: json.dumps(changed(squre_mm=5), indent=1), "line 85", id="an unknown key has its line"),
        pytest.param(lambda: changed(game="chess"), "wanted a game", id="an unknown game"),
        pytest.param(lambda: changed(kind="city"), "wanted a kind", id="a kind of another game"),
        pytest.param(_two_of_a_colour, "'red' for south and west", id="two seats of one colour"),
        pytest.param(lambda: changed(seats={"south": "red", "up": "blue"}), "wanted a seat", id="a seat that is none"),
        pytest.param(lambda: changed(first_seat="up"), "wanted a seat", id="a first seat that is none"),
        pytest.param(lambda: changed(van=3), "van: wanted a seat", id="a van without a seat's name"),
        pytest.param(_palette_without_blue, "found none of blue", id="a palette without a seat's colour"),
        pytest.param(lambda: changed(palette={"frame": "0001.jpg"}), "palette: wanted frame and pieces",
                     id="a palette without pieces"),
        pytest.param(lambda: changed(palette={"frame": "0001.jpg", "pieces": [{"square": "z9", "colour": "red",
                     "size": "large", "facing": "up"}]}), "'z9'", id="a square that is none"),
        pytest.param(lambda: changed(frames=["0002.jpg", "0009.jpg"]), "0009.jpg is missing", id="a missing picture"),
        pytest.param(lambda: changed(empty="0007.jpg"), "0007.jpg is missing", id="a missing empty picture"),
        pytest.param(lambda: changed(frames=[]), "frames: wanted a list", id="no pictures at all"),
        pytest.param(lambda: changed(frames=["../secret.jpg"]), "in this folder", id="a picture outside the folder"),
        pytest.param(lambda: changed(frames=["0002.jpg", "0002.jpg"]), "twice", id="a picture twice"),
        pytest.param(lambda: changed(square_mm="50"), "square_mm: wanted a number", id="a size in quotes"),
        pytest.param(lambda: changed(per_size=True), "per_size", id="a flag for a number"),
        pytest.param(lambda: changed(lens=[{"size": [1, 2]}]), "lens[0]", id="half a lens"),
        pytest.param(lambda: changed(taps={"a1": [1]}), "taps.a1", id="half a tap"),
        pytest.param(_without("seats"), "wanted seats", id="no seats"),
        pytest.param(_without("van"), "wanted van in a game", id="a game without its van"),
    ],
)
def test_a_faulty_setup_is_refused_in_one_sentence(tmp_path: Path, make: Callable[[], Any], says: str) -> None:
    folder = folder_with(tmp_path, make())
    with pytest.raises(BadFolder) as refused:
        read_setup(folder)
    text = str(refused.value)
    assert says in text
    assert "wanted" in text
    assert "\n" not in text


def test_no_folder_and_no_setup_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(BadFolder, match="no such folder"):
        read_setup(tmp_path / "nowhere")
    with pytest.raises(BadFolder, match="found none"):
        read_setup(tmp_path)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "setup.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadFolder, match="unreadable"):
        read_setup(tmp_path)


@pytest.mark.skipif(not SCENES.exists(), reason="the shared scenes are not here")
def test_every_shared_scene_can_be_opened_without_its_truth() -> None:
    for path in sorted(SCENES.iterdir()):
        setup = read_setup(path)
        assert setup.frames
        assert all(picture.exists() for picture in setup.paths)
