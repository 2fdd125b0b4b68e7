"""One case for each reason against an action and for each fault of a position, and what a wrong board is taken for."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from rules.game import LANGUAGES, ImpossibleState, Move, Reason, SetupError
from rules.ido import IDO, State
from rules.ido.blueprint import D1, as_json, read
from rules.ido.reasons import SENTENCES
from rules.ido.speech import SPEECH, setup_for
from rules.ido.state import FRAME, frame_cell
from rules.words import EAST, NORTH, SEATS, SOUTH, WEST, Cell, Colour, Layout, Piece, Seat
from tests.rules.setups_ido import at, position

Json = dict[str, Any]


def codes(state: State, word: str) -> list[str]:
    return [reason.code for reason in IDO.judge(state, IDO.read(word, state)).reasons]


CHAIN = {"chain_push": "refuse"}
OWN = {"leave_from": "own_shape"}
WON = {"south": ["small", "small", "small", "large"]}


@pytest.mark.parametrize(
    ("state", "word", "wanted"),
    [
        (at(), "S:s5,0", []),
        (at(), "N:s2,7", ["out-of-turn"]),
        (at(), "N:>n", ["out-of-turn"]),
        (at(), "W:s0,0", ["no-such-seat"]),
        (at(), "S:s9,0", ["off-board"]),
        (at(), "S:s4,0", ["needs-small-square"]),
        (at(), "S:s2,0", ["not-at-start"]),
        (at(), "S:L4,0", ["not-at-start"]),
        (at(), "S:L5,0", ["needs-rectangle"]),
        (at("ys5,0"), "S:s5,0", ["square-taken"]),
        (at("ys5,0"), "S:L5,0", ["square-taken", "needs-rectangle"]),
        (at("rs2,2", "rs2,3", "rs3,3"), "S:s5,0", ["none-in-supply"]),
        (at("rs2,2", "rs2,3", steps_left=1), "S:s5,0", ["steps-begun"]),
        (at("rs2,2", "rs2,3", steps_left=1), "S:>n", ["steps-begun"]),
        (at("rs2,2", "rs2,3", steps_left=1), "S:pass", ["must-act"]),
        (at("rs2,2", "rs2,3", steps_left=1), "S:done", []),
        (at("rs2,2"), "S:done", ["no-step-yet"]),
        (at("rs2,2"), "S:pass", ["must-act"]),
        (at("rs2,2"), "S:2,1-2,2", ["nothing-there"]),
        (at("rs2,2", "ys3,2"), "S:3,2-2,3", ["not-own-block"]),
        (at("rs2,2"), "S:2,2-2,9", ["off-board"]),
        (at("rs2,2"), "S:2,9-2,2", ["off-board"]),
        (at("rs2,2", "ys2,1"), "S:2,2-2,1", ["square-taken"]),
        (at("rs2,2"), "S:2,2-3,2", ["needs-small-square"]),
        (at("rs2,5"), "S:2,5-2,7", ["too-few-steps"]),
        (at("rs2,5"), "S:2,5-home", ["not-at-target"]),
        (at("rL3,2"), "S:3,2-4,2", ["same-space"]),
        (at("rL3,2"), "S:3,2-2,2", ["needs-rectangle"]),
        (at("rL2,2"), "S:2,2-6,0", ["needs-rectangle"]),
        (at("rs7,7"), "S:7,7-5,7", []),  # an L-space may be left
        (at("rs5,0", "rs7,7"), "S:5,0-7,2", ["too-few-steps"]),
        (at("rL0,6", options=OWN), "S:0,6-home", ["leaves-own-shape"]),
        (at("rL0,6"), "S:0,6-home", []),
        (at(shifted_by="north"), "S:>n", ["shift-after-shift"]),
        (at(shifted_by="south"), "S:>n", ["shift-after-shift"]),
        (at(), "S:>nn", ["shift-not-by-one"]),
        (at(), "S:>en", ["shift-not-by-one"]),
        (at(frame_offset=[0, 1]), "S:>n", ["frame-off-field"]),
        (at("rs1,1", "ys2,1", options=CHAIN), "S:>e", ["chain-push"]),
        (at("rs1,1", "ys2,1"), "S:>e", []),
        (at("rs1,1"), "S:>e[1,1]", ["wrongly-pushed"]),
        (at("rs1,1"), "S:-1,1", ["lifted-block"]),
        (at("rs1,1"), "S:1,1=LN", ["not-that-block"]),
        (at(home=WON, to_move=None), "S:s5,0", ["over"]),
    ],
)
def test_reasons_in_play(state: State, word: str, wanted: list[str]) -> None:
    assert codes(state, word) == wanted


def test_a_reason_of_every_sort_of_step() -> None:
    """Three ways in which a step leads too far: no way of the right shape, more steps than are left, an empty space
    on the way, which makes it several steps."""
    assert codes(at("rs2,5", "rs7,7", "rs7,0"), "S:2,5-2,4") == ["needs-small-square"]
    centre = at("rs2,2", frame_offset=[-1, -1])
    assert codes(centre, "S:2,2-7,1") == ["needs-small-square"]
    assert codes(at("rs2,5", "rs6,2", "rs7,2"), "S:2,5-2,7") == ["several-steps"]


@pytest.mark.parametrize(
    ("move", "wanted"),
    [
        (Move(SOUTH, "start", Piece("giant", Colour("red")), None, Cell(5, 0)), ["no-such-block"]),
        (Move(SOUTH, "start", Piece("small", Colour("yellow")), None, Cell(5, 0)), ["not-own-block"]),
        (Move(SOUTH, "start", Piece("small", Colour("red")), Cell(1, 1), Cell(5, 0)), ["malformed"]),
        (Move(SOUTH, "step", Piece("large", Colour("red")), Cell(2, 2), Cell(2, 3)), ["not-that-block"]),
        (Move(SOUTH, "shift", FRAME, frame_cell(1, 1), frame_cell(1, 0)), ["malformed"]),
        (Move(SOUTH, "fly"), ["no-such-action"]),
        (Move(Seat(9), "pass"), ["no-such-seat"]),
    ],
)
def test_moves_that_no_word_writes(move: Move, wanted: list[str]) -> None:
    assert [reason.code for reason in IDO.judge(at("rs2,2"), move).reasons] == wanted


@pytest.mark.parametrize("code", sorted(SENTENCES))
def test_every_sentence_is_whole_in_both_languages(code: str) -> None:
    for some in ((), (Cell(5, 0),), (Cell(5, 0), Cell(5, 1), Cell(0, 0, 0, "home"))):
        told = [IDO.say(Reason(code, some, seat), language) for language in LANGUAGES for seat in (None, WEST)]
        for sentence in told:
            assert re.fullmatch(r"[A-ZÀ-Ú][^{}]+[:.] ?[^{}]+\.", sentence)
        assert told[0] != told[2]


def test_every_code_in_the_source_has_a_sentence_and_every_sentence_a_code() -> None:
    """`unreadable` is the line protocol's; `needs-` is followed by a shape."""
    source = (Path(__file__).parents[2] / "rules" / "ido" / "refusals.py").read_text(encoding="utf-8")
    named = set(re.findall(r'Reason\(\s*"([a-z-]+)"', source))
    assert named | {"needs-small-square", "needs-rectangle", "unreadable"} == set(SENTENCES)


def test_no_way_of_the_right_shape() -> None:
    """Facts 3.5: in no fixed position can a block walk from its start to its target."""
    for offset in [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]:
        state = at(frame_offset=list(offset))
        field = state.table.board.at(state.offset)
        for size in (0, 1):
            reached = set(field.starts[SOUTH][size])
            grew = True
            while grew:
                more = {space for here in reached for space, _ in field.near[size][here]}
                grew = not more <= reached
                reached |= more
            assert not any(field.at_target[SOUTH][space] for space in reached)
    far = at("rs6,0", "rs1,0", "rs2,0", frame_offset=[0, 1])
    assert codes(far, "S:6,0-0,5") in (["no-way"], ["needs-small-square"])


FULL = {"small": 3, "large": 3}
FAULTS: list[tuple[str, Json, list[str]]] = [
    ("a block too many", position("rs2,2", supply={"south": FULL, "north": FULL}), ["too-many"]),
    ("a block too few", position(supply={"south": {"small": 2, "large": 3}, "north": FULL}), ["too-few"]),
    ("two on a square", position("rs2,2", "ys2,2"), ["square-twice"]),
    ("off the board", position("rs8,2"), ["no-such-square"]),
    ("a foreign colour", {**position(), "blocks": [{"square": [1, 1], "colour": "blue", "size": "small"}]},
     ["no-such-colour"]),
    ("a foreign size", {**position(), "blocks": [{"square": [1, 1], "colour": "red", "size": "giant"}]},
     ["no-such-size"]),
    ("a frame off the field", position(frame_offset=[0, 2]), ["bad-offset"]),
    ("a frame of three numbers", position(frame_offset=[0, 1, 0]), ["bad-offset"]),
    ("neighbours alone", position(seats="south west"), ["seats"]),
    ("one colour twice", position(colours={"south": "red", "north": "red"}), ["same-colour"]),
    ("no colour", position(colours={"south": "red", "north": ""}), ["bad-colour"]),
    ("more steps than blocks", position("rs2,2", "rs2,3", steps_left=2), ["bad-steps"]),
    ("steps of nobody", position(steps_left=1), ["bad-steps"]),
    ("steps below nothing", position(steps_left=-1), ["bad-steps"]),
    ("a turn that is over", position("rL0,0", "rL1,0", steps_left=1), ["turn-over"]),
    ("no step is left", position("rs2,2", "rs2,3", steps_left=0), ["turn-over"]),
    ("goal reached and somebody to move", position(home=WON), ["wrong-turn"]),
    ("nobody to move and no goal reached", position(to_move=None), ["wrong-turn"]),
    ("two winners", position(home={**WON, "north": ["large"] * 3 + ["small"]}, to_move=None), ["two-winners"]),
    ("more home than can be", position(home={"south": ["small"] * 3 + ["large"] * 3}, to_move=None,
                                       options={"goal": 3}), ["too-many-home"]),
    ("out of order", position(home={"south": ["small"]}, options={"order": ["large", "small", "large", "small"]}),
     ["wrong-order"]),
    ("a shift too long ago", position(seats="south west north", shifted_by="west"), ["wrong-shift"]),
    ("one's own shift with three", position(seats="south west north", shifted_by="south"), ["wrong-shift"]),
    ("a seat that is not there", position(to_move="west"), ["no-such-seat"]),
    ("a shift by nobody", position(shifted_by="nature"), ["no-such-seat"]),
    ("an unknown option", position(options={"goals": 3}), ["unknown-option"]),
    ("a bad option", position(options={"goal": True}), ["bad-option"]),
    ("an order too short", position(options={"goal": 3, "order": ["small"]}), ["bad-option"]),
    ("a line off the board", position(blueprint={**as_json(D1), "board_lines_x": [2, 9]}), ["bad-blueprint"]),
    ("a bar off the frame", position(blueprint={**as_json(D1), "frame_bars_y": [0, 7]}), ["bad-blueprint"]),
    ("a frame wider than the board", position(blueprint={**as_json(D1), "frame_squares": 9}), ["bad-blueprint"]),
    ("a missing key", {key: value for key, value in position().items() if key != "home"}, ["missing-key"]),
    ("no state", {}, ["missing-key"] * 8),
]  # fmt: skip


@pytest.mark.parametrize(("saved", "wanted"), [(s, w) for _, s, w in FAULTS], ids=[name for name, _, _ in FAULTS])
def test_faults(saved: Json, wanted: list[str]) -> None:
    with pytest.raises(ImpossibleState) as refused:
        IDO.load(saved)
    assert [fault.code for fault in refused.value.faults] == wanted


def test_all_faults_of_a_position_come_at_once() -> None:
    broken = position("rs2,2", "ys2,2", "rs9,9", frame_offset=[3, 0], steps_left="some", options={"goal": 7})
    broken["home"]["north"] = ["giant"]
    with pytest.raises(ImpossibleState) as refused:
        IDO.load(broken)
    found = {(fault.code, fault.at) for fault in refused.value.faults}
    assert found >= {
        ("square-twice", ((2, 2),)),
        ("no-such-square", ((9, 9),)),
        ("bad-offset", ("frame_offset",)),
        ("bad-steps", ("steps_left",)),
        ("bad-option", ("goal",)),
        ("bad-home", ("home", "north")),
    }


@pytest.mark.parametrize("seats", [[], [SOUTH], [SOUTH, WEST], [EAST, SOUTH], [SOUTH, SOUTH], [*SEATS, Seat(4)]])
def test_seats_that_cannot_play(seats: list[Seat]) -> None:
    """Rulebook, "Preparation": just two start in opposite corners."""
    with pytest.raises(SetupError):
        IDO.start(setup_for(seats))


def test_blueprints_that_cannot_be() -> None:
    for key, value in (("squares", 1), ("frame_bars_x", [1, 1]), ("frame_bars_x", "no"), ("squares", 40),
                       ("target_squares_from_far_left_corner", 6), ("start_squares_from_right_corner", 0)):
        _, faults = read({**as_json(D1), key: value})
        assert [fault.code for fault in faults][:1] == ["bad-blueprint"], key
    assert len(read({})[1]) == 6
    assert len(read(None)[1]) == 1
    with pytest.raises(SetupError):
        SPEECH.setup({"seats": ["south", "north"], "blueprint": {"squares": 8}})


def seen(state: State, frame: tuple[int, int] | None = None, **changes: tuple[Cell, Piece | None]) -> Layout:
    pieces = dict(IDO.layout(state).pieces)
    if frame is not None:
        pieces = {cell: piece for cell, piece in pieces.items() if piece != FRAME}
        pieces[frame_cell(*frame)] = FRAME
    for cell, piece in changes.values():
        pieces.pop(cell, None)
        if piece is not None:
            pieces[cell] = piece
    return Layout(pieces)


RED, YELLOW = Piece("small", Colour("red")), Piece("large", Colour("yellow"))


@pytest.mark.parametrize(
    ("state", "table", "wanted"),
    [
        (at("rs2,2"), {"a": (Cell(2, 2), None), "b": (Cell(3, 2), RED)}, ["S:2,2-3,2"]),
        (at("rs2,2"), {"a": (Cell(2, 2), None)}, ["S:-2,2"]),
        (at("rs2,2"), {"a": (Cell(2, 2), YELLOW)}, ["S:2,2=LN"]),
        (at("rs2,2"), {"a": (Cell(4, 4), YELLOW)}, ["N:L4,4"]),
        (at("rs2,2"), {"a": (Cell(4, 4), RED)}, ["S:s4,4"]),
        (at("rs2,2"), {"a": (Cell(5, 0), RED)}, []),  # legal
        (at("rs2,2"), {"a": (Cell(2, 2), Piece("small", Colour("red"), 1))}, []),  # the same block, turned
        (at("rs2,2"), {"frame": (0, 1)}, []),  # legal
        (at("rs2,2", shifted_by="north"), {"frame": (0, 1)}, ["S:>n"]),
        (at("rs2,2"), {"frame": (1, 1)}, ["S:>en"]),
        (at("rs1,2"), {"frame": (1, 0)}, ["S:>e[1,2,2,2]"]),  # the block was held back
        (at("yL7,1", seats="south north"), {"a": (Cell(7, 1), None)}, ["N:7,1-home"]),
    ],
)
def test_guesses(state: State, table: Json, wanted: list[str]) -> None:
    """What players are told when the board shows an action that may not be."""
    guesses = IDO.guess(state, seen(state, **table))
    assert [IDO.write(move) for move in guesses] == wanted
    assert all(IDO.read(IDO.write(move), state) == move for move in guesses)


def test_actions_that_cannot_be_read_are_refused() -> None:
    state = at("rs2,2")
    for action in ({}, {"kind": "place"}, {"kind": "start", "size": "giant", "square": [5, 0]},
                   {"kind": "start", "size": "small", "square": "5,0"}, {"kind": "step", "from": [2, 2], "to": "away"},
                   {"kind": "shift", "by": [True, 0]}, {"kind": "done", "seat": "up"}):
        with pytest.raises(ValueError, match="wanted"):
            SPEECH.move(json.loads(json.dumps(action)), state)


def test_colours_face_as_the_rulebook_has_them() -> None:
    """Rulebook, "Preparation": two play red and yellow, or blue and green."""
    pairs = [dict(setup_for(seats).colours) for seats in ([SOUTH, NORTH], [EAST, WEST])]
    assert [set(pair.values()) for pair in pairs] == [{"red", "yellow"}, {"blue", "green"}]
