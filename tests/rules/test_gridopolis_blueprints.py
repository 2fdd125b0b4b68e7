"""Blueprints: the Matrix as files, a grid-set that somebody drew, and every fault of one at once."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import rules.gridopolis
from rules.catalogue import game_named
from rules.game import SetupError
from rules.gridopolis import GRIDOPOLIS
from rules.gridopolis.speech import SPEECH
from rules.match import Match, Play, read_match, write_match
from rules.protocol import Conversation
from rules.words import SEAT_NAMES

Json = dict[str, Any]
ROOM = Path(rules.gridopolis.__file__).parent
SEATED = {2: ["south", "north"], 3: ["south", "west", "north"], 4: list(SEAT_NAMES)}


def blueprint(players: int = 2) -> Json:
    value: Json = json.loads((ROOM / f"matrix-{players}.json").read_text(encoding="utf-8"))
    return value


def bridge() -> Json:
    """A row of seven pads on one storey, a home row of one at each end, one pawn each."""
    nodes = [[x, 0, 0] for x in range(7)]
    pads: list[Json] = [{"node": node, "part": None} for node in nodes]
    pads[0].update(part="kingerizer", colour="black")
    pads[6].update(part="kingerizer", colour="white")
    return {
        "pads": pads, "links": [list(pair) for pair in pairwise(nodes)], "posts": [],
        "markers": [{"node": nodes[0], "colour": "black", "rank": "pawn"},
                    {"node": nodes[6], "colour": "white", "rank": "pawn"}],
        "colours": {"west": "black", "east": "white"},
    }  # fmt: skip


@pytest.mark.parametrize("players", SEATED)
def test_the_shipped_files_are_the_matrix(players: int) -> None:
    seats = SEATED[players]
    drawn = GRIDOPOLIS.start(SPEECH.setup({"seats": seats, "blueprint": blueprint(players)}))
    assert drawn == GRIDOPOLIS.start(SPEECH.setup({"seats": seats}))


def test_a_drawn_grid_set_is_played_and_written_down() -> None:
    request = {"seats": ["east", "west"], "options": {"blueprint": bridge()}, "colours": {"east": "red"}}
    match = Match.begun(GRIDOPOLIS, SPEECH.setup(request))
    saved = GRIDOPOLIS.dump(match.state)
    assert [marker["colour"] for marker in saved["markers"]] == ["purple", "red"]
    assert saved["pads"][6] == {"node": [6, 0, 0], "part": "kingerizer", "colour": "red"}
    assert "blueprint" not in saved["options"]
    for word in ("E:6,0,0>5,0,0", "W:0,0,0>1,0,0", "E:5,0,0>4,0,0", "W:1,0,0>2,0,0", "E:4,0,0>3,0,0"):
        match = match.after(Play(GRIDOPOLIS.read(word, match.state)))
    match = match.after(Play(GRIDOPOLIS.read("W:2,0,0>4,0,0x3,0,0", match.state)))
    outcome = GRIDOPOLIS.outcome(match.state)
    assert outcome is not None
    assert outcome.winners == (1,)
    assert read_match(write_match(match), game_named) == match


def test_every_fault_of_a_blueprint_is_told_at_once() -> None:
    """Issue 4: a floating pad, more parts than the box has."""
    drawn = bridge()
    drawn["pads"] += [{"node": [x, 9, 0], "part": None} for x in range(60)]
    drawn["links"].append([[0, 0, 0], [0, 1, 1]])
    drawn["markers"][0]["node"] = [0, 5, 0]
    talk = Conversation(GRIDOPOLIS)
    answer = json.loads(talk.answer(json.dumps({"op": "new", "seats": ["south", "west"], "blueprint": drawn})))
    codes = {fault["code"] for fault in answer["faults"]}
    assert codes == {"bad-link", "floating-pad", "too-many-parts", "no-pad-there", "seats"}
    drawn["links"].pop()
    answer = json.loads(talk.answer(json.dumps({"op": "new", "seats": ["west", "east"], "blueprint": drawn})))
    floating = [fault["at"] for fault in answer["faults"] if fault["code"] == "floating-pad"]
    assert floating == [[x, 9, 0] for x in range(60)]


@pytest.mark.parametrize("bad", [3, "matrix", [], True, {}, {"pads": 1}, {"colours": {"up": "red"}}])
def test_what_is_no_blueprint_is_refused(bad: object) -> None:
    for request in ({"blueprint": bad}, {"options": {"blueprint": bad}}):
        with pytest.raises(SetupError):
            SPEECH.setup({"seats": ["south", "north"], **request})
