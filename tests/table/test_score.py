"""Cities in the words of FORMAT.md: scored with reasons, held against the truth, and the dev folders read whole."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from calibration.errors import CalibrationFailed
from table.errors import BadFolder
from table.evaluate_city import city_figures, picture_figures
from table.reading import read_folder
from table.score import city_of, parts_of, score_line
from table.score_folder import city_reader_for, face_named, face_words, lower_floor_words, scored_folder
from table.score_words import city_words, score_words
from table.setup_folder import TableSetup, read_setup

DATA = Path(__file__).parents[1] / "data"
DEV = Path(__file__).parents[3] / "shared" / "scenes" / "dev"
Words = dict[str, Any]


def slot(kind: str, floors: int = 1, people: int = 0, energy: int = 0, **shown: int) -> Words:
    face = {"type": kind, "inhabitants": 0, "energy": 0, "vp": 0, "mayor": False} | shown
    return {"floors": [lower_floor_words()] * (floors - 1) + [face], "inhabitants": people, "energy": energy}


def tower(floors: int, energy: int = 1) -> Words:
    return slot("tower", floors, 0, energy, inhabitants=1)


def line_with(city: list[list[Words | None]], people: int = 0, energy: int = 0) -> Words:
    position = {"city": city, "beside": {"inhabitants": people, "energy": energy}}
    return {"frame": "0002.jpg", "corners": {"row1col1": [0, 0], "row1col4": [400, 0], "row4col4": [400, 400],
                                             "row4col1": [0, 400]},
            "position": position, "hidden": [], "unsure": [], "ms": 100.0}


EMPTY: list[Words | None] = [None] * 4
WORKED: list[list[Words | None]] = [
    [tower(3), slot("park"), tower(1), None],
    [slot("park"), tower(2), None, None],
    [slot("harbor", people=1, inhabitants=2), slot("shop", people=3, energy=1), slot("factory", people=1, energy=0),
     slot("shop", people=4, energy=1)],
    [slot("harbor", people=1, vp=3), slot("harbor", people=1, energy=0), slot("harbor", people=1, vp=2),
     slot("factory", people=1, energy=0)],
]
"""The first worked city of the facts."""
for _row in WORKED[2:]:
    for _slot in _row:
        if _slot is not None and _slot["floors"][0]["type"] == "factory":
            _slot["floors"][0]["energy"] = 1
if WORKED[3][1] is not None:
    WORKED[3][1]["floors"][0]["energy"] = 2


@pytest.mark.parametrize(("harbours", "harbors", "total"), [("best_line", 12, 56), ("row_plus_column", 15, 59)])
def test_the_worked_city_scores_what_the_facts_say(harbours: str, harbors: int, total: int) -> None:
    line = score_line(line_with(WORKED), harbours)
    assert line["score"] == {"towers": 10, "shops": 11, "services": 0, "parks": 11, "factories": 12,
                             "harbors": harbors, "penalty": 0, "total": total}
    assert sum(one["points"] for one in line["reasons"]) == total
    assert {"part": "towers", "label": "tower", "points": 6, "at": [[1, 1]]} in line["reasons"]
    assert line["best"]["total"] >= total


def test_idle_pieces_beside_cost_points_and_the_best_allocation_uses_them() -> None:
    line = score_line(line_with([[tower(4, 0), None, None, None], EMPTY, EMPTY, EMPTY], 0, 1))
    assert line["score"]["penalty"] == -1
    assert line["best"]["total"] == 10
    assert line["best"]["city"][0][0] == {"inhabitants": 0, "energy": 1}
    text = score_words(line)
    assert "-1 points" in text
    assert "-1 idle-energy at beside" in text
    assert "laid best: 10 points" in text


def test_a_picture_without_a_mat_has_no_score() -> None:
    line = {"frame": "0002.jpg", "corners": {}, "position": {}, "hidden": [], "unsure": [], "why": "too dark"}
    assert score_line(line) == line
    assert score_words(line) == "0002.jpg: no mat. too dark"


def test_a_city_is_told_in_words() -> None:
    line = line_with([[tower(2), None, None, None], EMPTY, EMPTY, EMPTY], 2)
    line |= {"hidden": [[4, 4]], "unsure": [{"at": [1, 1], "alternatives": []}]}
    assert city_words(line) == ("0002.jpg: 1,1 tower T1 of 2 floors with 1 energy, beside 2 inhabitants, hidden: 4,4, "
                                "unsure: 1,1 (100 ms)")


def truth_of(line: Words) -> Words:
    parts = parts_of(city_of(line["position"]))
    return {"frame": line["frame"], "corners": line["corners"], "score": parts, **copy.deepcopy(line["position"])}


def test_what_was_read_right_counts_as_right() -> None:
    line = line_with(WORKED)
    figures = city_figures([truth_of(line)], [line])
    assert (figures.slots.right, figures.floors.right, figures.floors.of, figures.tokens.right) == (16, 3, 3, 16)
    assert (figures.beside.right, figures.totals.right, figures.answered.right, figures.wrong) == (1, 1, 1, ())
    assert figures.corner_px == (0.0,)


@pytest.mark.parametrize(("asked", "floors", "answered"), [(False, 2, 0), (True, 3, 1)], ids=["not asked", "asked"])
def test_a_floor_too_many_is_right_only_where_it_was_asked(asked: bool, floors: int, answered: int) -> None:
    line = line_with(WORKED)
    truth = truth_of(line)
    truth["city"][0][0] = tower(2)
    truth["score"] = parts_of(city_of(truth))
    if asked:
        line["unsure"] = [{"at": [1, 1], "alternatives": []}]
    figures = picture_figures(truth, line)
    assert (figures.floors.right, figures.floors_asked.right, figures.totals.right) == (floors, int(asked), 0)
    assert figures.answered.right == answered
    assert [wrong.where for wrong in figures.wrong] == ["1,1", "total"]


def test_a_picture_that_was_not_read_is_wrong_in_all() -> None:
    figures = picture_figures(truth_of(line_with(WORKED)), None)
    assert (figures.found, figures.slots.of, figures.slots.right, figures.totals.of) == (0, 16, 0, 1)


@pytest.mark.parametrize("raw", [None, {}, {"type": "castle"}, {"type": "tower", "inhabitants": "1"},
                                 {"type": "tower", "inhabitants": True}], ids=str)
def test_a_face_that_is_none_is_refused(raw: object) -> None:
    with pytest.raises(BadFolder, match="wanted a face"):
        face_named(raw, "tiles[0]")


def test_faces_are_written_as_they_are_read() -> None:
    words = {"type": "harbor", "inhabitants": 1, "energy": 1, "vp": 0, "mayor": False}
    assert face_words(face_named(words, "here")) == words


def test_a_folder_without_tiles_is_told_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(BadFolder, match=r"wanted empty, taps, tiles in setup\.json"):
        city_reader_for(TableSetup(tmp_path, "quadropolis", "city", ("0002.jpg",)))


def test_a_folder_of_another_game_has_no_score(tmp_path: Path) -> None:
    with pytest.raises(BadFolder):
        list(scored_folder(tmp_path, "best_line"))


def test_a_city_of_the_small_set_is_read_and_scored_without_a_fault() -> None:
    folder = DATA / "quadropolis-city-202"
    truth = {f["frame"]: f for f in json.loads((folder / "scene.json").read_text(encoding="utf-8"))["frames"]}
    lines = list(scored_folder(folder, "best_line"))
    figures = city_figures([truth["0004.jpg"]], lines)
    assert figures.wrong == ()
    assert figures.slots.right == 16
    assert lines[0]["score"] == truth["0004.jpg"]["score"]
    assert max(figures.corner_px) < 1.0


@pytest.mark.skipif(not DEV.exists(), reason="the dev scenes are not here")
@pytest.mark.parametrize("name", ["quadropolis-city-201", "quadropolis-city-202", "quadropolis-city-203"])
def test_the_cities_of_the_dev_scenes_are_read(name: str) -> None:
    folder = DEV / name
    frames = {f["frame"]: f for f in json.loads((folder / "scene.json").read_text(encoding="utf-8"))["frames"]}
    lines = [dict(line.body) for line in read_folder(folder)]
    figures = city_figures([frames[name] for name in read_setup(folder).frames], lines)
    assert figures.found == figures.pictures
    assert figures.slots.of - figures.slots.right <= 2
    assert figures.floors.right == figures.floors.of
    # One in five over all folders; a folder has only a handful of towers.
    assert figures.floors_asked.right <= 0.2 * figures.floors_asked.of + 1
    assert figures.tokens.right == figures.tokens.of
    assert figures.beside.right == figures.beside.of
    assert figures.totals.right >= 0.75 * figures.totals.of
    assert max(figures.corner_px) < 1.0


@pytest.mark.skipif(not DEV.exists(), reason="the dev scenes are not here")
def test_a_tile_that_is_not_where_it_was_said_to_be_is_told(tmp_path: Path) -> None:
    folder = DEV / "quadropolis-city-203"
    for name in ("0000.jpg", "0001.jpg", "0002.jpg"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    raw = json.loads((folder / "setup.json").read_text(encoding="utf-8"))
    raw["frames"] = ["0002.jpg"]
    raw["tiles"]["tiles"][4]["near_px"] = [1180.0, 100.0]
    (tmp_path / "setup.json").write_text(json.dumps(raw), encoding="utf-8")
    with pytest.raises(CalibrationFailed, match=r"wanted the tile S near \(1180, 100\)"):
        next(iter(read_folder(tmp_path)))
