"""The truth of the pictured games, replayed through the rules: who is to move, the van, every piece, the score."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rules.gridlock import GRIDLOCK, State
from rules.gridlock.speech import SPEECH
from rules.words import Cell, Colour, Layout, Piece, seat_name, seat_named

SCENES = Path(__file__).parents[3] / "shared" / "scenes" / "dev"
GAMES = sorted(path.parent for path in SCENES.glob("gridlock-game-*/scene.json"))
FACINGS = {"up": None, "north": 0, "east": 1, "south": 2, "west": 3}


def table(frame: dict[str, Any]) -> Layout:
    """How the table looked."""
    pieces = {
        Cell("abcdefgh".index(piece["square"][0]), int(piece["square"][1]) - 1): Piece(
            piece["size"], Colour(piece["colour"]), FACINGS[piece["facing"]]
        )
        for piece in frame["pieces"]
    }
    pieces[Cell(int(seat_named(frame["van"])), 0, 0, "van")] = Piece("van", Colour(""))
    return Layout(pieces)


def started(folder: Path) -> State:
    setup = json.loads((folder / "setup.json").read_text(encoding="utf-8"))
    seats = sorted(setup["seats"], key=lambda name: (seat_named(name) - seat_named(setup["first_seat"])) % 4)
    options = {"per_size": setup["per_size"], "van": setup["van"]}
    return GRIDLOCK.start(SPEECH.setup({"seats": seats, "options": options, "colours": setup["seats"]}))


@pytest.mark.skipif(not GAMES, reason="the shared scenes are not beside this checkout")
@pytest.mark.parametrize("folder", GAMES, ids=[folder.name for folder in GAMES])
def test_a_pictured_game_replayed(folder: Path) -> None:
    scene = json.loads((folder / "scene.json").read_text(encoding="utf-8"))
    state = started(folder)
    legal = 0
    for frame in scene["frames"]:
        if frame["tag"] in ("empty", "palette"):
            continue
        verdict = frame.get("verdict")
        if verdict == "legal":
            state = GRIDLOCK.play(state, SPEECH.move(frame["move"], state))
            legal += 1
        elif verdict == "illegal":
            guesses = GRIDLOCK.guess(state, table(frame))
            assert len(guesses) == 1, frame["frame"]
            (reason,) = GRIDLOCK.judge(state, guesses[0]).reasons
            assert reason.code == frame["move"]["reason"]
            assert SPEECH.name(reason.cells[0]) == frame["move"]["square"]
        if verdict != "illegal":
            assert list(GRIDLOCK.layout(state).changes_to(table(frame))) == [], frame["frame"]
        turn = GRIDLOCK.to_move(state)
        if turn is not None:  # the last frame names the seat that would be next
            assert seat_name(turn) == frame["to_move"], frame["frame"]
        if "scores" in frame:
            assert turn is None
            totals = {seat_name(seat): 0 for seat in state.table.seats}
            for line in GRIDLOCK.score(state):
                totals[seat_name(line.seat)] += line.points
            assert totals == frame["scores"]
            assert GRIDLOCK.outcome(state) is not None
    assert legal > 20
