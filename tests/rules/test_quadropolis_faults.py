"""Quadropolis positions that cannot be: refused, with their faults."""

from __future__ import annotations

import json
import random

import pytest

from rules.game import ImpossibleState
from rules.quadropolis import QUADROPOLIS, State
from rules.quadropolis.speech import setup_for
from rules.words import EAST, NORTH, SOUTH, WEST
from tests.rules.quadropolis_cities import Json, filled, tile


def play_on(state: State, count: int, seed: int = 2) -> State:
    """So many builds later, of what is built whenever it can be."""
    rng = random.Random(seed)
    while count or state.phase != "take":
        moves = list(QUADROPOLIS.moves(state))
        move = rng.choice(moves[:-1] or moves) if state.phase == "build" else rng.choice(moves)
        count -= state.phase == "build"
        state = QUADROPOLIS.play(state, move)
    return state


def damage(name: str, state: Json) -> tuple[str, ...]:
    """Does something impossible to a saved position of two players in round 1; the codes that must be told."""
    slots = state["cities"]["south"]["slots"]
    built = next(slot for row in slots for slot in row if slot)
    standing = state["architects"]
    match name:
        case "five floors":
            built["floors"] = [tile("T1")] * 5
            return "too-high", "too-many-tiles", "too-many-built"
        case "a park on a tower":
            built["floors"] = [{**tile("T1"), "mark": None}, tile("P")]
            return ("not-stackable",)
        case "a tile of no box":
            built["floors"] = [{**tile("T1"), "inhabitants": 4}]
            return ("no-such-tile",)
        case "a marked tile with two players":
            built["floors"] = [{**tile("T2"), "mark": "4"}]
            return ("too-many-tiles",)
        case "an inhabitant too many":
            state["cities"]["south"]["beside"]["inhabitants"] += 1
            return ("wrong-resources",)
        case "less than none":
            state["cities"]["south"]["beside"]["energy"] = -1
            return ("bad-count",)
        case "two at one position":
            standing[1].update(side=standing[0]["side"], line=standing[0]["line"])
            return ("position-twice",)
        case "one architect twice":
            standing.append({**standing[0], "line": standing[0]["line"] % 5 + 1})
            return ("architect-twice",)
        case "an architect of nobody":
            standing[0]["seat"] = "west"
            return ("no-such-architect",)
        case "a missing architect":
            del standing[0]
            return ("wrong-turn-number",)
        case "the urbanist elsewhere":
            state["urbanist"] = [state["urbanist"][0] % 5 + 1, state["urbanist"][1] % 5 + 1]
            return ("wrong-urbanist",)
        case "no urbanist":
            state["urbanist"] = None
            return ("wrong-urbanist",)
        case "a tile still there":
            row, col = state["urbanist"]
            state["site"][row - 1][col - 1] = {**tile("P"), "mark": None}
            return ("not-taken",)
        case "a face-down tile gone":
            row, col = next((r, c) for r in range(5) for c in range(5) if state["site"][r][c] == "down")
            state["site"][row][col] = None
            return ("wrong-down",)
        case "the other's turn":
            state["to_move"] = "north" if state["to_move"] == "south" else "south"
            return ("wrong-urbanist",)
        case "turn five":
            state["turn"] = 5
            return ("bad-value",)
        case "nothing taken":
            state["phase"] = "build"
            return ("wrong-taken",)
        case "not cleared":
            state["phase"], state["to_move"] = "fill", "nature"
            return "site-not-cleared", "architects-left", "wrong-urbanist"
        case "over in round 1":
            state["phase"], state["to_move"] = "over", None
            return "wrong-round", "site-not-cleared"
        case "a bad tile and a wrong count elsewhere":
            state["site"][0][0] = {"type": "palace"}
            state["cities"]["north"]["beside"]["energy"] += 2
            return "no-such-tile", "wrong-resources"
        case "a tile that no architect's number reaches":
            numbers = {one["number"] for one in standing if one["seat"] == "south"}
            row, col = next((r, c) for r in range(4) for c in range(4) if slots[r][c] == built)
            far = next(n for n in range(1, 5) if n not in numbers)
            slots[row][col], slots[far - 1][far - 1] = None, built
            return ("wrong-slot",)
        case "everything at once":
            state.update(round=9, mayor="west", phase="lunch", urbanist=[0, 6], options={"tempo": 1})
            return "bad-value", "no-such-seat", "bad-phase", "bad-urbanist", "unknown-option"
        case _:
            del state["site"], state["architects"]
            return ("missing-key",)


DAMAGES = [
    "five floors", "a park on a tower", "a tile of no box", "a marked tile with two players", "an inhabitant too many",
    "less than none", "two at one position", "one architect twice", "an architect of nobody", "a missing architect",
    "the urbanist elsewhere", "no urbanist", "a tile still there", "a face-down tile gone", "the other's turn",
    "turn five", "nothing taken", "not cleared", "over in round 1",
    "a bad tile and a wrong count elsewhere", "a tile that no architect's number reaches", "everything at once", "keys",
]  # fmt: skip


@pytest.mark.parametrize("name", DAMAGES)
def test_what_cannot_be_is_refused(name: str) -> None:
    state = json.loads(json.dumps(QUADROPOLIS.dump(play_on(filled(), 3))))
    QUADROPOLIS.load(state)
    codes = damage(name, state)
    with pytest.raises(ImpossibleState) as caught:
        QUADROPOLIS.load(state)
    found = [fault.code for fault in caught.value.faults]
    assert set(codes) <= set(found)
    assert all(fault.text.startswith("wanted ") for fault in caught.value.faults)


def lone_slots(state: Json, *places: tuple[int, int, str]) -> Json:
    """South's city with these tiles and nothing else, what they bring beside it; north's empty."""
    city = state["cities"]["south"]
    city["slots"] = [[None] * 4 for _ in range(4)]
    for row, col, word in places:
        slot = city["slots"][row - 1][col - 1] or {"floors": [], "inhabitants": 0, "energy": 0}
        slot["floors"].append(tile(word))
        city["slots"][row - 1][col - 1] = slot
        for key in ("inhabitants", "energy"):
            city["beside"][key] += tile(word)[key]
    return state


@pytest.mark.parametrize(
    ("round_", "places", "wrong"),
    [
        (2, [(1, 1, "P")], []),
        (2, [(1, 1, "P"), (1, 2, "P")], []),
        (2, [(1, 1, "P"), (1, 1, "P")], ["not-stackable"]),
        (2, [(1, 1, "P"), (2, 2, "S"), (1, 2, "F1")], ["wrong-slot"]),  # just 1 and 2 fit, once each
        (3, [(1, 1, "P"), (2, 2, "S"), (1, 2, "F1")], []),
        (2, [(1, 1, "T1"), (1, 1, "T1"), (1, 1, "T2")], []),  # 1, then 2 and 3 by the floor
        (2, [(1, 1, "T1"), (1, 1, "T1"), (2, 2, "T2")], ["wrong-slot"]),  # the second floor and 2,2: both want a 2
        (4, [(3, 3, "P"), (4, 4, "T3")], []),
        (2, [(3, 4, "H2v")], ["too-many-tiles"]),  # a tile of rounds 2 and 3
        (3, [(3, 3, "H2v"), (4, 3, "T1"), (4, 4, "V2")], []),
    ],
)
def test_what_architects_can_have_built(round_: int, places: list[tuple[int, int, str]], wrong: list[str]) -> None:
    """Rulebook, "Coloque a Construção em sua cidade": by row, column or floor, each number once."""
    state = json.loads(json.dumps(QUADROPOLIS.dump(QUADROPOLIS.start(setup_for((SOUTH, NORTH))))))
    state["round"] = round_
    try:
        QUADROPOLIS.load(lone_slots(state, *places))
        found = []
    except ImpossibleState as error:
        found = sorted({fault.code for fault in error.faults})
    assert found == wrong


def test_a_mayor_who_built_no_symbol() -> None:
    state = json.loads(json.dumps(QUADROPOLIS.dump(filled((WEST, EAST)))))
    state["mayor"] = "east"
    with pytest.raises(ImpossibleState, match="who began the round"):
        QUADROPOLIS.load(state)
