"""Gridopolis: positions and setups that cannot be, each fault with its place; and those of other hands that can."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from rules.game import ImpossibleState, SetupError
from rules.gridopolis import GRIDOPOLIS
from rules.gridopolis.speech import SPEECH
from rules.protocol import Conversation
from rules.words import NORTH, SEATS, SOUTH
from tests.rules.test_gridopolis import Json, played, shown, start
from tests.rules.test_gridopolis_reasons import at


def changed(**changes: Any) -> Callable[[Json], None]:
    return lambda saved: saved.update(changes)


def moved_marker(node: list[int]) -> Callable[[Json], None]:
    def change(saved: Json) -> None:
        saved["markers"][0]["node"] = node

    return change


def added(key: str, *values: Any) -> Callable[[Json], None]:
    return lambda saved: saved[key].extend(copy.deepcopy(values))


def pad_of(part: str | None, *node: int, **more: str) -> Json:
    return {"node": list(node), "part": part, **more}


FAULTS: list[tuple[str, Callable[[Json], None], set[str]]] = [
    ("a floating pad", added("pads", pad_of(None, 5, 5, 1)), {"floating-pad [5, 5, 1]"}),
    ("a pad in the air above another", added("pads", pad_of(None, 0, 0, 3)), {"floating-pad [0, 0, 3]"}),
    ("a link in the air", added("links", [[5, 5, 1], [6, 5, 1]]), {"loose-link [[5, 5, 1], [6, 5, 1]]"}),
    ("a link twice", added("links", [[1, 0, 0], [0, 0, 0]]), {"link-twice [[0, 0, 0], [1, 0, 0]]"}),
    ("a slanting link", added("links", [[0, 0, 0], [1, 1, 0]]), {"bad-link [[0, 0, 0], [1, 1, 0]]"}),
    ("an upright link", added("links", [[0, 0, 0], [0, 0, 1]]), {"bad-link [[0, 0, 0], [0, 0, 1]]"}),
    ("a post on no link", added("posts", [[2, 2, 2], [3, 2, 2]]), {"post-without-link [[2, 2, 2], [3, 2, 2]]"}),
    ("a post under no link", added("posts", [[1, 2, 2], [2, 2, 2]]), {"post-without-link [[1, 2, 2], [2, 2, 2]]"}),
    ("a pad twice", added("pads", pad_of(None, 0, 0, 0)), {"pad-twice [0, 0, 0]"}),
    ("an unknown part", lambda s: s["pads"][0].update(part="spring"), {"bad-part [0, -2, 1]"}),
    ("a kingerizer of nobody's colour", lambda s: s["pads"][0].update(colour="red"), {"no-such-colour [0, -2, 1]"}),
    ("two teleporters too many", lambda s: [p.update(part="teleporter") for p in s["pads"] if p["node"][2] == 2][:2],
     {"too-many-parts teleporters"}),
    ("a marker off the pads", moved_marker([7, 7, 1]), {"no-pad-there [7, 7, 1]"}),
    ("two markers on a pad", moved_marker([1, -1, 1]), {"markers-on-one-pad [1, -1, 1]"}),
    ("a pawn on the opponent's home row",
     lambda s: s["markers"].__delitem__(-1) or s["markers"][0].update(node=[2, 4, 1]), {"pawn-on-home-row [2, 4, 1]"}),
    ("a marker too many", lambda s: s["captured"]["south"].append({"colour": "green", "rank": "king"}),
     {"too-many-markers north"}),
    ("a marker of no colour in play", lambda s: s["markers"][0].update(colour="pink"), {"no-such-colour [0, -2, 1]"}),
    ("a queen", lambda s: s["markers"][0].update(rank="queen"), {"bad-rank [0, -2, 1]"}),
    ("too much in reserve", lambda s: s["reserve"]["south"].update(pads=4),
     {'bad-count ["reserve", "south", "pads"]'}),
    ("one's own marker captured", lambda s: s["captured"]["south"].append({"colour": "blue", "rank": "pawn"}),
     {'own-captured ["captured", "south", 1]'}),
    ("moved without a marker", added("moved", [1, 1, 1]), {"no-marker-there [1, 1, 1]"}),
    ("a mover with two moves left", changed(mover=[0, -2, 1]), {"wrong-mover mover"}),
    ("no mover with one move left", changed(moves_left=1), {"wrong-mover mover"}),
    ("a pawn as mover", changed(mover=[0, -2, 1], moves_left=1), {"wrong-mover [0, -2, 1]"}),
    ("turns not taken in turn", changed(turns={"south": 3, "north": 0}), {"wrong-turns turns"}),
    ("a seat to move that is not in play", changed(to_move="west"), {"no-such-seat to_move"}),
    ("over before its time", changed(to_move=None), {"wrong-turn to_move"}),
    ("a winner while markers are left", changed(won_by="south"), {"wrong-winner won_by"}),
    ("an unknown option", changed(options={"speed": 1}), {"unknown-option speed"}),
    ("a wrong ending", changed(options={"ending": {"turns": 0}}), {"bad-option ending"}),
    ("four teleporters named", changed(options={"teleporters": [[0, 0, 0]] * 4}), {"bad-option teleporters"}),
    ("a teleporter named twice", changed(options={"teleporters": [[x, y, 1] for x, y in
                                         ((0, -1), (0, 0), (1, 0), (2, 0), (2, 0))]}),
     {'teleporter-twice ["teleporters", [2, 0, 1]]'}),
]  # fmt: skip


def faults_in(saved: Any) -> set[str]:
    talk = Conversation(GRIDOPOLIS)
    answer = json.loads(talk.answer(json.dumps({"op": "load", "state": saved})))
    assert all(": " in fault["text"] for fault in answer.get("faults", ()))
    return {
        f"{fault['code']} {fault['at'] if isinstance(fault['at'], str) else json.dumps(fault['at'])}"
        for fault in answer.get("faults", ())
    }


@pytest.mark.parametrize(("name", "change", "wanted"), FAULTS, ids=[case[0] for case in FAULTS])
def test_a_fault_of_a_position(name: str, change: Callable[[Json], None], wanted: set[str]) -> None:
    saved = shown(start())
    change(saved)
    assert faults_in(saved) == wanted


def test_all_faults_are_told_at_once() -> None:
    saved = shown(start())
    added("pads", pad_of(None, 5, 5, 1))(saved)
    added("links", [[1, 0, 0], [0, 0, 0]])(saved)
    moved_marker([7, 7, 1])(saved)
    changed(turns={"south": 3, "north": 0}, options={"speed": 1}, moves_left=1)(saved)
    assert {word.partition(" ")[0] for word in faults_in(saved)} == {
        "floating-pad", "link-twice", "no-pad-there", "wrong-turns", "unknown-option", "wrong-mover",
    }  # fmt: skip


def test_more_parts_than_the_box_has() -> None:
    """Issue 4: a blueprint with more parts than the box has; rulebook, "In the box"."""
    saved = shown(start(*SEATS))
    row = [[x, -3, 1] for x in range(3)]
    saved["pads"] += [pad_of(None, *node) for node in row]
    saved["links"] += [[[x, -3, 1], [x, -2, 1]] for x in range(3)]
    assert faults_in(saved) == {"too-many-parts pads", "too-many-parts links"}
    saved["pads"][-1]["part"] = "kingerizer"
    saved["pads"][-1]["colour"] = "blue"
    assert "too-many-parts kingerizers" in faults_in(saved)


def test_a_setup_that_cannot_be_is_refused_with_every_fault() -> None:
    with pytest.raises(SetupError) as caught:
        SPEECH.setup({"seats": ["south"], "options": {"speed": 1, "ending": "soon", "blocked_is_off": "true"}})
    assert [fault.at for fault in caught.value.faults] == [(), ("speed",), ("ending",), ("blocked_is_off",)]
    with pytest.raises(ImpossibleState):
        GRIDOPOLIS.load({})


def test_teleporters_named_one_by_one() -> None:
    nodes = [[0, 0, 0], [2, 2, 0], [1, 1, 1], [0, 2, 2], [2, 0, 2]]
    state = GRIDOPOLIS.start(SPEECH.setup({"seats": ["north", "south"], "options": {"teleporters": nodes}}))
    saved = shown(state)
    assert sorted(pad["node"] for pad in saved["pads"] if pad["part"] == "teleporter") == sorted(nodes)
    assert sorted(saved["options"]["teleporters"]) == sorted(nodes)
    assert saved["to_move"] == "north"


def test_teleporters_may_be_on_every_pad_without_a_kingerizer() -> None:
    """Rulebook, "Node parts" ("All nodes go on the pads") and "Teleporter" ("placed on the grid-set before play"); a
    saved position may stand on another grid-set, where its option's nodes are pads or not."""
    front = [[0, -1, 1], [2, 3, 1], [1, 1, 1], [0, 0, 0], [2, 2, 2]]
    state = GRIDOPOLIS.start(SPEECH.setup({"seats": ["south", "north"], "options": {"teleporters": front}}))
    assert sorted(pad["node"] for pad in shown(state)["pads"] if pad["part"] == "teleporter") == sorted(front)
    assert GRIDOPOLIS.load(shown(state)) == state
    assert played(state, "S:0,-1,1>0,0,1").markers != state.markers
    elsewhere = [[0, -2, 1], [-1, 0, 1], [9, 9, 9], [1, 1, 1], [0, 0, 0]]
    with pytest.raises(SetupError) as caught:
        SPEECH.setup({"seats": ["south", "north"], "options": {"teleporters": elsewhere, "ending": 3}})
    found = [(fault.code, fault.at[-1]) for fault in caught.value.faults]
    wanted = [("no-such-pad", place) for place in ((-1, 0, 1), (0, -2, 1), (9, 9, 9))]
    assert found == [("bad-option", "ending"), *wanted]
    saved = shown(start())
    saved["options"]["teleporters"] = elsewhere
    assert not faults_in(saved)


def test_positions_of_other_hands() -> None:
    """What the protocol's keys alone say is enough: who jumped where no marker is left (`won_by` is ours) follows from
    the turns, and that the king whose second move it is has moved goes without saying."""
    saved = shown(played(at("1,0,2", "2,0,2"), "S:1,0,2*2,0,2"))
    del saved["won_by"]
    assert saved["turns"] == {"south": 1, "north": 0}
    outcome = GRIDOPOLIS.outcome(GRIDOPOLIS.load(saved))
    assert outcome is not None
    assert outcome.winners == (SOUTH,)
    saved["turns"]["north"] = 1
    outcome = GRIDOPOLIS.outcome(GRIDOPOLIS.load(saved))
    assert outcome is not None
    assert outcome.winners == (SOUTH, NORTH)
    saved = shown(played(at("K1,1,1", "0,4,1"), "S:1,1,1>1,1,2"))
    assert saved["mover"] == [1, 1, 2]
    saved["moved"] = []
    state = GRIDOPOLIS.load(saved)
    assert shown(state) == saved
    assert played(state, "S:done").turn == NORTH


def test_every_pad_that_may_be_added_can_be_named() -> None:
    """Nodes go to 99 in each direction, and so does what is built at the edge."""
    saved = shown(start())
    for entry in (*saved["pads"], *saved["markers"]):
        entry["node"][0] += 97
    for link in (*saved["links"], *saved["posts"]):
        for end in link:
            end[0] += 97
    state = GRIDOPOLIS.load(saved)
    listed = list(GRIDOPOLIS.moves(state))
    assert all(GRIDOPOLIS.read(GRIDOPOLIS.write(move), state) == move for move in listed)
    assert all(SPEECH.move(SPEECH.action(move), state) == move for move in listed)
    assert all(GRIDOPOLIS.judge(state, move).legal for move in listed)
