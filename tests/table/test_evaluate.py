"""The report's figures, on lines made by hand whose figures are known."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from rules.words import Cell, Colour, Piece
from table.errors import BadFolder
from table.evaluate import Report, evaluate, evaluate_folder, lines_of
from table.evaluate_cells import Share, corner_error, picture_figures, read_figures
from table.evaluate_moves import ReplayFigures, replay_figures, same_move
from table.evaluate_text import aligned, report_text
from table.evaluate_truth import TRUTH, TruePicture, read_truth

CORNERS = {"a1": (100.0, 500.0), "h1": (500.0, 500.0), "h8": (500.0, 100.0), "a8": (100.0, 100.0)}
RED = {"square": "a1", "colour": "red", "size": "large", "facing": "up"}
BLUE = {"square": "c4", "colour": "blue", "size": "small", "facing": "east"}
PIECES = {Cell(0, 0): Piece("large", Colour("red")), Cell(2, 3): Piece("small", Colour("blue"), 1)}
Said = dict[str, Any]


def picture(frame: str = "0002.jpg", hand: bool = False, **changed: Any) -> TruePicture:
    given: Said = {"tag": "turn", "pieces": PIECES, "van": "west", "corners": CORNERS, "move": {}, "verdict": "",
                   "to_move": "", "scores": None}
    return TruePicture(frame=frame, hand=hand, **{**given, **changed})


def line(frame: str = "0002.jpg", pieces: tuple[Said, ...] = (RED, BLUE), **changed: Any) -> Said:
    given: Said = {"frame": frame, "corners": CORNERS, "position": {"pieces": list(pieces), "van": "west"},
                   "hidden": [], "unsure": [], "ms": 40.0}
    return {**given, **changed}


# --- reading


def test_a_picture_read_without_fault() -> None:
    figures = picture_figures(picture(), line())
    assert figures.cells == Share(64, 64)
    assert dict(figures.by_kind) == {"empty": Share(62, 62), "large up": Share(1, 1), "small lying": Share(1, 1)}
    assert dict(figures.by_colour) == {"empty": Share(62, 62), "red": Share(1, 1), "blue": Share(1, 1)}
    assert (figures.positions, figures.van, figures.wrong) == (Share(1, 1), Share(1, 1), ())
    assert figures.corners[0].px == 0.0


@pytest.mark.parametrize(
    ("read", "square", "was"),
    [
        ((RED,), "c4", "empty"), ((RED, {**BLUE, "colour": "red"}), "c4", "red small east"),
        ((RED, {**BLUE, "size": "medium"}), "c4", "blue medium east"),
        ((RED, {**BLUE, "facing": "west"}), "c4", "blue small west"),
        ((RED, {**BLUE, "facing": "up"}), "c4", "blue small up"),
        ((RED, BLUE, {**BLUE, "square": "h8"}), "h8", "blue small east"),
    ],
    ids=["missed", "wrong colour", "wrong size", "wrong way", "standing", "invented"],
)
def test_one_cell_read_wrong_in_any_way_makes_the_position_wrong(read: tuple[Said, ...], square: str, was: str) -> None:
    figures = picture_figures(picture(), line(pieces=read, unsure=[{"at": square, "alternatives": []}]))
    assert figures.cells == Share(63, 64)
    assert figures.positions == Share(0, 1)
    assert [(wrong.square, wrong.read, wrong.asked) for wrong in figures.wrong] == [(square, was, True)]
    assert figures.unsure == 1


def test_hidden_cells_are_not_counted_and_a_wrong_one_beside_them_is() -> None:
    said = line(pieces=(RED,), hidden=["c4", "c5", "east"], position={"pieces": [], "van": None})
    figures = picture_figures(picture(hand=True), said)
    assert figures.cells == Share(61, 62)
    assert (figures.hand_pictures, figures.hand_hidden, figures.hand_wrong) == (1, 2, 1)
    assert figures.positions == Share()
    assert figures.van == Share()
    assert figures.hidden_elsewhere == 0


def test_a_cell_hidden_without_a_hand_spoils_the_position_but_no_cell() -> None:
    figures = picture_figures(picture(), line(hidden=["d4"]))
    assert (figures.cells, figures.positions, figures.hidden_elsewhere) == (Share(63, 63), Share(0, 1), 1)


@pytest.mark.parametrize(
    ("said", "wanted"), [("west", Share(1, 1)), ("north", Share(0, 1)), (None, Share(0, 1))],
    ids=["where it is", "elsewhere", "not seen"],
)
def test_the_van_counts_for_the_position(said: str | None, wanted: Share) -> None:
    figures = picture_figures(picture(), line(position={"pieces": [RED, BLUE], "van": said}))
    assert (figures.van, figures.positions) == (wanted, wanted)


@pytest.mark.parametrize(
    "lines", [[], [line(corners={}, position={}, why="too dark")]], ids=["no line", "no board found"]
)
def test_a_picture_that_was_not_read_is_a_wrong_position(lines: list[Said]) -> None:
    figures = read_figures([picture()], lines)
    assert (figures.pictures, figures.found, figures.cells) == (1, 0, Share())
    assert (figures.positions, figures.van) == (Share(0, 1), Share(0, 1))


def test_the_worst_corner_counts_in_px_and_in_widths_of_a_cell() -> None:
    error = corner_error(picture(), {**CORNERS, "h1": (503.0, 504.0), "a8": (101.0, 100.0)})
    assert (error.px, error.cells) == (5.0, pytest.approx(0.1))
    assert corner_error(picture(), {"a1": CORNERS["a1"]}).cells == 8.0


def test_figures_add_up_over_pictures() -> None:
    truths = [picture("a.jpg"), picture("b.jpg")]
    figures = read_figures(truths, [line("a.jpg", ms=10.0), line("b.jpg", (RED,), ms=30.0), line("c.jpg")])
    assert (figures.pictures, figures.cells, figures.ms) == (2, Share(127, 128), (10.0, 30.0))
    assert dict(figures.by_kind)["small lying"] == Share(1, 2)


# --- replay

PLACE = {"kind": "place", "seat": "south", "square": "a1", "size": "large"}
NEXT = {"kind": "place", "seat": "west", "square": "b1", "size": "small"}
DROP = {"kind": "drop", "seat": "north", "square": "d7", "turned": ["c7", "b7"]}
FOUL = {"reason": "out-of-turn", "square": "b5", "colour": "green"}
STORY = [
    picture("0.jpg", move=PLACE, verdict="legal", to_move="west"),
    picture("1.jpg", move=FOUL, verdict="illegal", to_move="west"),
    picture("2.jpg", hand=True, to_move="west"),
    picture("3.jpg", move={"kind": "restore"}, verdict="restored", to_move="west"),
    picture("4.jpg", move=NEXT, verdict="legal", to_move="north"),
    picture("5.jpg", move=DROP, verdict="legal", to_move="east", scores={"south": 1, "west": 2}),
]


def accepted(frame: str, move: Said, to_move: str = "", **more: Any) -> Said:
    return {"frame": frame, "said": "accepted", "move": move, "to_move": to_move, "ms": 5.0, **more}


def said(frame: str, what: str, to_move: str = "west", **more: Any) -> Said:
    return {"frame": frame, "said": what, "move": None, "to_move": to_move, "ms": 5.0, **more}


RIGHT = [
    accepted("0.jpg", PLACE, "west"),
    said("1.jpg", "refused", move={"kind": "place", "square": "b5"}, reasons=["out-of-turn"]),
    said("2.jpg", "unchanged"),
    said("3.jpg", "restored", move={"kind": "restore"}),
    accepted("4.jpg", NEXT, "north"),
    accepted("5.jpg", {**DROP, "turned": ["b7", "c7"]}, "east"),
    {"said": "over", "scores": {"west": 2, "south": 1}, "winners": ["west"]},
]


def without(at: int, *instead: Said) -> list[Said]:
    return [*RIGHT[:at], *instead, *RIGHT[at + 1 :]]


def slips(figures: ReplayFigures) -> list[tuple[str, str]]:
    return [(slip.frame, slip.what) for slip in figures.slips]


def test_a_game_told_without_fault() -> None:
    figures = replay_figures(STORY, RIGHT)
    assert (figures.moves, figures.late, figures.invented, figures.missed) == (Share(3, 3), 0, 0, 0)
    assert (figures.alarms, figures.reasons, figures.restored) == (Share(1, 1), Share(1, 1), Share(1, 1))
    assert (figures.false_alarms, figures.missed_alarms, figures.questions) == (0, 0, 0)
    assert (figures.turns, figures.scores, figures.slips) == (Share(6, 6), Share(1, 1), ())
    assert figures.ms == (5.0,) * 6


@pytest.mark.parametrize(
    ("lines", "moves", "invented", "late", "told"),
    [
        (without(4, said("4.jpg", "unchanged")), Share(2, 3), 0, 0, [("4.jpg", "missed")]),
        (without(4, accepted("4.jpg", {**NEXT, "square": "b2"})), Share(2, 3), 1, 0,
         [("4.jpg", "invented"), ("4.jpg", "missed")]),
        ([*RIGHT[:2], accepted("2.jpg", NEXT), RIGHT[3], *RIGHT[5:]], Share(2, 3), 1, 0,
         [("2.jpg", "invented"), ("4.jpg", "missed")]),
        (without(2, accepted("2.jpg", NEXT)), Share(3, 3), 1, 0, [("2.jpg", "invented")]),
        (without(4, accepted("5.jpg", NEXT)), Share(3, 3), 0, 1, []),
        (without(5, accepted("5.jpg", {**DROP, "turned": ["b7"]})), Share(2, 3), 1, 0, None),
        ([*RIGHT[:4], *RIGHT[5:4:-1], RIGHT[4], *RIGHT[6:]], Share(2, 3), 1, 0, None),
    ],
    ids=["missed", "another square", "before it was played", "before and again when it was",
         "a picture late", "one turned too few", "out of order"],
)
def test_moves_are_paired_in_order(
    lines: list[Said], moves: Share, invented: int, late: int, told: list[tuple[str, str]] | None
) -> None:
    figures = replay_figures(STORY, lines)
    assert (figures.moves, figures.invented, figures.late) == (moves, invented, late)
    if told is not None:
        assert sorted(slips(figures)) == told


def test_a_move_corrected_later_counts_as_right_and_is_told() -> None:
    lines = without(0, accepted("0.jpg", {**PLACE, "size": "small"}))
    lines[2] = said("2.jpg", "unchanged", corrected={"index": 0, **PLACE})
    figures = replay_figures(STORY, lines)
    assert (figures.moves, figures.corrected, figures.invented) == (Share(3, 3), 1, 0)


def refusal(frame: str, code: str = "out-of-turn", square: str = "b5") -> Said:
    return said(frame, "refused", move={"kind": "place", "square": square}, reasons=[code, "lying-down"])


@pytest.mark.parametrize(
    ("lines", "alarms", "reasons", "false_alarms", "told"),
    [
        (without(1, said("1.jpg", "unchanged")), Share(0, 1), Share(), 0, [("1.jpg", "missed alarm")]),
        (without(1, refusal("1.jpg", "not-own-piece")), Share(1, 1), Share(0, 1), 0, [("1.jpg", "wrong reason")]),
        (without(1, refusal("1.jpg", square="b6")), Share(1, 1), Share(0, 1), 0, [("1.jpg", "wrong reason")]),
        (without(1, refusal("2.jpg")), Share(1, 1), Share(1, 1), 0, []),
        (without(2, refusal("2.jpg")), Share(1, 1), Share(1, 1), 1, [("2.jpg", "false alarm")]),
        ([refusal("0.jpg"), *RIGHT], Share(1, 1), Share(1, 1), 1, [("0.jpg", "false alarm")]),
        (without(1, refusal("3.jpg")), Share(0, 1), Share(), 1, [("1.jpg", "missed alarm"), ("3.jpg", "false alarm")]),
    ],
    ids=["nothing said", "another reason", "another square", "a picture late", "told twice", "nothing wrong there",
         "only when it was put right"],
)
def test_alarms_are_held_against_what_lay_there(
    lines: list[Said], alarms: Share, reasons: Share, false_alarms: int, told: list[tuple[str, str]]
) -> None:
    figures = replay_figures(STORY, lines)
    assert (figures.alarms, figures.reasons, figures.false_alarms) == (alarms, reasons, false_alarms)
    assert sorted(slips(figures)) == told


def test_putting_right_questions_turns_and_score_are_counted() -> None:
    lines = without(3, said("3.jpg", "unclear", to_move="north"))
    lines[-1] = {"said": "over", "scores": {"south": 2, "west": 2}, "winners": []}
    figures = replay_figures(STORY, lines)
    assert (figures.restored, figures.questions, figures.turns) == (Share(0, 1), 1, Share(5, 6))
    assert figures.scores == Share(0, 1)
    assert slips(figures) == [("3.jpg", "not restored"), ("5.jpg", "wrong score")]


def test_a_game_that_broke_off_has_no_score_to_get_wrong() -> None:
    assert replay_figures(STORY[:3], RIGHT[:3]).scores == Share()


@pytest.mark.parametrize(
    ("told", "same"),
    [({**DROP, "turned": ["b7", "c7"]}, True), ({**DROP, "extra": 1}, True), ({**DROP, "seat": "east"}, False),
     ({**DROP, "turned": None}, False), ({}, False)],
    ids=["turned in another order", "more said", "another seat", "turned left out", "nothing"],
)
def test_a_move_is_the_same_when_all_that_the_truth_tells_was_said(told: Said, same: bool) -> None:
    assert same_move(DROP, told) is same


# --- folders


@dataclass(frozen=True)
class Printed:
    """A line as the product has them: it knows its own text."""

    body: Said

    def to_json(self) -> str:
        return json.dumps(self.body)


def written(folder: Path, kind: str = "stills", game: str = "gridlock", frames: tuple[str, ...] = ("2.jpg",)) -> Path:
    folder.mkdir()
    told = {"frame": "2.jpg", "tag": "still", "hand": False, "corners": CORNERS, "pieces": [RED, BLUE], "van": "west"}
    truth = {"format": 1, "game": game, "kind": kind,
             "frames": [{**told, "frame": name, "verdict": "", "to_move": "west"} for name in frames]}
    (folder / TRUTH).write_text(json.dumps(truth))
    setup = {"format": 1, "game": game, "kind": kind, "frames": list(frames), "lens": None, "taps": {}}
    if game == "gridlock":
        palette = {"frame": frames[0], "pieces": [RED, {**BLUE, "size": "large", "facing": "up"}]}
        setup |= {"seats": {"south": "red", "west": "blue"}, "square_mm": 50, "palette": palette, "per_size": 1,
                  "first_seat": "south", "van": "west"}
    (folder / "setup.json").write_text(json.dumps(setup))
    for name in frames:
        (folder / name).write_bytes(b"a picture; nobody opens it here")
    return folder


def nothing_said(folder: Path) -> Iterator[object]:
    raise AssertionError(f"{folder} must not be asked about")
    yield


def test_folders_are_reported_one_by_one_and_together(tmp_path: Path) -> None:
    stills = written(tmp_path / "stills")
    game = written(tmp_path / "game", "game", frames=("2.jpg", "3.jpg"))
    progress: list[tuple[int, int]] = []

    def read(folder: Path) -> Iterator[Printed]:
        yield Printed(line("2.jpg"))
        yield Printed(line("3.jpg", (RED,)))

    report = evaluate([stills, game], read, lambda _: [said("2.jpg", "unchanged"), refusal("3.jpg")],
                      lambda done, of: progress.append((done, of)))
    assert [one.reading and one.reading.cells for one in report.folders] == [Share(64, 64), Share(127, 128)]
    assert report.reading.cells == Share(191, 192)
    assert report.folders[0].replay is None
    assert (report.replay.games, report.replay.false_alarms) == (1, 1)
    assert progress == [(1, 2), (2, 2)]


def report_of(tmp_path: Path) -> Report:
    game = written(tmp_path / "game-7", "game", frames=("2.jpg", "3.jpg"))
    other = written(tmp_path / "ido-1", "stills", "ido")
    lines = [line("2.jpg", ms=10), line("3.jpg", (RED,), ms=20)]
    told = [said("2.jpg", "unchanged"), refusal("3.jpg")]
    return evaluate([game, other], lambda _: lines, lambda _: told)


def test_the_text_has_a_line_a_folder_the_totals_and_what_was_wrong(tmp_path: Path) -> None:
    text = report_text(report_of(tmp_path))
    row = next(one for one in text.splitlines() if one.startswith("game-7"))
    assert row.split() == ["game-7", "2/2", "127/128", "99.22", "1/2", "2/2", "0.0/0.0", "0.000/0.000", "-", "0",
                           "15/20"]
    assert "small lying 1/2 (50.00 %)" in text
    assert "ido-1: ido: not read yet" in text
    assert "game-7/3.jpg c4: is blue small east, read empty" in text
    assert "game-7/3.jpg false alarm: -, said out-of-turn, lying-down b5" in text


def test_the_text_lists_no_more_errors_than_asked_for(tmp_path: Path) -> None:
    text = report_text(report_of(tmp_path), errors=1)
    assert "... and 1 more" in text
    assert "false alarm:" not in text


def test_the_json_says_the_same(tmp_path: Path) -> None:
    told = json.loads(json.dumps(report_of(tmp_path).to_json()))
    assert told["total"]["reading"]["cells"] == {"right": 127, "of": 128, "percent": 99.219}
    assert told["total"]["reading"]["ms"] == {"p50": 15.0, "p95": 19.5}
    assert "wrong" not in told["total"]["reading"]
    game, other = told["folders"]
    assert game["reading"]["wrong"] == [
        {"frame": "3.jpg", "square": "c4", "truth": "blue small east", "read": "empty", "asked": False}
    ]
    assert game["replay"]["false_alarms"] == 1
    assert (other["note"], other["reading"], other["replay"]) == ("ido: not read yet", None, None)


def test_other_games_are_said_not_to_be_read_and_nothing_is_asked_of_the_product(tmp_path: Path) -> None:
    report = evaluate_folder(written(tmp_path / "blocks", "stills", "ido"), nothing_said, nothing_said)
    assert report.note == "ido: not read yet"


@pytest.mark.parametrize(
    ("break_it", "says"),
    [
        (lambda folder: (folder / TRUTH).unlink(), "wanted the truth beside the pictures, found none"),
        (lambda folder: (folder / TRUTH).write_text("{"), "wanted the truth of each picture, found a fault"),
        (lambda folder: (folder / TRUTH).write_text('{"game": "gridlock", "kind": "stills", "frames": []}'),
         "found none of 2.jpg"),
    ],
    ids=["no truth", "no JSON", "a picture without truth"],
)
def test_a_folder_whose_truth_will_not_do(tmp_path: Path, break_it: Any, says: str) -> None:
    folder = written(tmp_path / "stills")
    break_it(folder)
    with pytest.raises(BadFolder, match=says):
        evaluate_folder(folder, lambda _: [line("2.jpg")], nothing_said)


def test_lines_may_be_mappings_dataclasses_or_know_their_own_text(tmp_path: Path) -> None:
    assert lines_of([{"a": 1}, Printed({"a": 1}), '{"a": 1}'], tmp_path) == [{"a": 1}] * 3
    with pytest.raises(BadFolder, match="wanted JSON objects as lines"):
        lines_of([3], tmp_path)


def test_the_truth_keeps_all_pictures_and_gives_those_asked_for_in_their_order(tmp_path: Path) -> None:
    truth = read_truth(written(tmp_path / "game", "game", frames=("2.jpg", "3.jpg")))
    assert [one.frame for one in truth.of(("3.jpg", "2.jpg"))] == ["3.jpg", "2.jpg"]
    assert truth.pictures[0].pieces == PIECES


def test_columns_stand_under_each_other() -> None:
    lines = aligned([("name", "n"), ("a", "1"), ("bcdef", "10"), ("all", "11")]).splitlines()
    assert lines == ["name    n", "---------", "a       1", "bcdef  10", "---------", "all    11"]
