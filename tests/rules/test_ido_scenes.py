"""The truth of the pictured Ido games, replayed through the rules: who is to move, the frame, every block, supply."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rules.ido import IDO, State
from rules.ido.speech import SPEECH
from rules.words import Cell, Colour, Layout, Piece, seat_name, seat_named

Json = dict[str, Any]
SCENES = Path(__file__).parents[3] / "shared" / "scenes" / "dev"
GAMES = sorted(path.parent for path in SCENES.glob("ido-game-*/scene.json"))


def table(frame: Json) -> Layout:
    """How the table looked."""
    pieces = {Cell(*block["square"]): Piece(block["size"], Colour(block["colour"])) for block in frame["blocks"]}
    pieces[Cell(*frame["frame_offset"], 0, "frame")] = Piece("frame", Colour(""))
    return Layout(pieces)


def started(folder: Path) -> State:
    """The position that the setup tells, its board read as the protocol does: from a state."""
    setup = json.loads((folder / "setup.json").read_text(encoding="utf-8"))
    seats = sorted(setup["seats"], key=lambda name: (seat_named(name) - seat_named(setup["first_seat"])) % 4)
    state = IDO.start(SPEECH.setup({"seats": seats, "colours": setup["seats"]}))
    return IDO.load({**IDO.dump(state), "blueprint": setup["board"]})


def actions(move: Json) -> Iterator[Json]:
    """The truth's turn as actions of the protocol."""
    if move["kind"] == "shift":
        yield {"kind": "shift", "seat": move["seat"], "by": move["step"]}
    elif move["kind"] == "move":
        for one in move["moves"]:
            here = one["from"]
            for there in one["path"]:
                yield {"kind": "step", "seat": move["seat"], "from": here, "to": there}
                here = there
    else:
        yield move


def played(state: State, move: Json) -> State:
    """The position after a turn; `done` where the truth stops before its steps are used up."""
    seat = move["seat"]
    for action in actions(move):
        state = IDO.play(state, SPEECH.move(action, state))
    if state.steps_left is not None:
        state = IDO.play(state, SPEECH.move({"kind": "done", "seat": seat}, state))
    return state


def check_position(state: State, frame: Json) -> None:
    assert list(IDO.layout(state).changes_to(table(frame))) == [], frame["frame"]
    saved = IDO.dump(state)
    assert saved["supply"] == frame["supply"], frame["frame"]
    for seat, counts in frame["home"].items():
        assert {size: saved["home"][seat].count(size) for size in counts} == counts, frame["frame"]


@pytest.mark.skipif(not GAMES, reason="the shared scenes are not beside this checkout")
@pytest.mark.parametrize("folder", GAMES, ids=[folder.name for folder in GAMES])
def test_a_pictured_game_replayed(folder: Path) -> None:
    scene = json.loads((folder / "scene.json").read_text(encoding="utf-8"))
    state = started(folder)
    legal = 0
    for frame in scene["frames"]:
        if frame["tag"] in ("empty", "palette", "partial"):
            continue
        verdict = frame.get("verdict")
        if verdict == "legal":
            state = played(state, frame["move"])
            legal += 1
        elif verdict == "illegal":
            guesses = IDO.guess(state, table(frame))
            assert len(guesses) == 1, frame["frame"]
            assert IDO.judge(state, guesses[0]).reasons[0].code == frame["move"]["reason"]
        if verdict != "illegal":
            check_position(state, frame)
        assert state.turn is not None
        assert seat_name(state.turn) == frame["to_move"], frame["frame"]
    assert legal > 10


@pytest.mark.skipif(not GAMES, reason="the shared scenes are not beside this checkout")
@pytest.mark.parametrize("folder", GAMES, ids=[folder.name for folder in GAMES])
def test_what_the_truth_says_was_pushed(folder: Path) -> None:
    """Each shift of the truth names the blocks it pushed and where they came to; so do the rules, and no others."""
    scene = json.loads((folder / "scene.json").read_text(encoding="utf-8"))
    state, shifts = started(folder), 0
    for frame in scene["frames"]:
        if frame.get("verdict") != "legal":
            continue
        before, move = state, frame["move"]
        state = played(state, move)
        if move["kind"] != "shift":
            continue
        shifts += 1
        blocks = dict(IDO.layout(before).pieces)
        for pushed in move["pushed"]:
            assert blocks.pop(Cell(*pushed["from"])) == Piece(pushed["size"], Colour(pushed["colour"]))
        for pushed in move["pushed"]:
            if isinstance(pushed["to"], list):
                blocks[Cell(*pushed["to"])] = Piece(pushed["size"], Colour(pushed["colour"]))
        after = {cell: piece for cell, piece in IDO.layout(state).pieces.items() if cell.zone == "board"}
        assert after == {cell: piece for cell, piece in blocks.items() if cell.zone == "board"}, frame["frame"]
    assert shifts > 2
