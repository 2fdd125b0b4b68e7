"""A second Quadropolis, slow and plain, written from the rulebook's text and the protocol's words alone.

It works on the JSON state and shares nothing with `rules.quadropolis` but the list of tiles as drawn. On random
positions, under random readings, both must list the same actions, come to the same state, and count the same points.
"""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from rules.catalogue import game_named
from rules.match import read_match
from rules.quadropolis import QUADROPOLIS
from rules.quadropolis.speech import SPEECH
from tests.rules.setups_quadropolis import next_moves

HERE = Path(__file__).parent
Json = dict[str, Any]
CLOCKWISE = ["south", "west", "north", "east"]


def aims_at(side: str, line: int, number: int) -> tuple[int, int]:
    """The space, as row and column from 1, to which an architect at a side counts inwards."""
    return {
        "north": (number, line),
        "south": (6 - number, line),
        "west": (line, number),
        "east": (line, 6 - number),
    }[side]


def crosses(side: str, line: int, urbanist: list[int] | None) -> bool:
    return urbanist is not None and line == (urbanist[1] if side in ("north", "south") else urbanist[0])


def plain_actions(state: Json) -> list[Json]:
    seat, phase = state["to_move"], state["phase"]
    if phase == "take":
        mine = [one["number"] for one in state["architects"] if one["seat"] == seat]
        there = [(one["side"], one["line"]) for one in state["architects"]]
        return [
            {"kind": "take", "seat": seat, "number": number, "side": side, "line": line}
            for number in (1, 2, 3, 4)
            for side in ("north", "east", "south", "west")
            for line in (1, 2, 3, 4, 5)
            if number not in mine and (side, line) not in there and not crosses(side, line, state["urbanist"])
        ]
    if phase == "build":
        number, tower = state["taken"]["architect"], state["taken"]["type"] == "tower"
        found: list[Json] = []
        for row in (1, 2, 3, 4):
            for col in (1, 2, 3, 4):
                slot = state["cities"][seat]["slots"][row - 1][col - 1]
                beside = number in (row, col)
                if slot is None:
                    fits = beside
                else:
                    fits = tower and slot["floors"][0]["type"] == "tower" and len(slot["floors"]) < 4
                    by_floor = number == len(slot["floors"]) + 1
                    fits = fits and (by_floor or (beside and state["options"]["stacking"] != "floor_only"))
                if fits:
                    found.append({"kind": "build", "seat": seat, "slot": [row, col]})
        return [*found, {"kind": "discard", "seat": seat}]
    return [{"kind": "allocate", "seat": seat, "slots": "best"}] if phase == "allocate" else []


def next_seat(state: Json, seat: str) -> str:
    while True:
        seat = CLOCKWISE[(CLOCKWISE.index(seat) + 1) % 4]
        if seat in state["cities"]:
            return seat


def end_turn(state: Json) -> None:
    seat = state["to_move"]
    state["taken"], state["phase"] = None, "take"
    if len(state["architects"]) < 4 * len(state["cities"]):
        state["to_move"] = next_seat(state, seat)
        state["turn"] = 1 + sum(one["seat"] == state["to_move"] for one in state["architects"])
        return
    state["architects"], state["urbanist"] = [], None
    state["site"] = [[None] * 5 for _ in range(5)]
    if state["round"] == 4:
        state["phase"], state["to_move"] = "allocate", state["mayor"]
    else:
        state["round"], state["turn"] = state["round"] + 1, 1
        state["phase"], state["to_move"] = "fill", "nature"


def plain_play(state: Json, action: Json) -> Json:
    state = copy.deepcopy(state)
    seat, kind = action["seat"], action["kind"]
    if kind == "fill":
        state.update(site=copy.deepcopy(action["site"]), phase="take", to_move=state["mayor"])
    elif kind == "take":
        row, col = aims_at(action["side"], action["line"], action["number"])
        state["architects"].append({key: action[key] for key in ("seat", "number", "side", "line")})
        state["urbanist"] = [row, col]
        tile = state["site"][row - 1][col - 1]
        if tile in (None, "down"):
            end_turn(state)
        else:
            state["site"][row - 1][col - 1] = None
            state["taken"], state["phase"] = {**tile, "architect": action["number"]}, "build"
    elif kind == "allocate":
        plain_allocate(state, seat, action["slots"])
    else:
        if kind == "build":
            tile = {key: value for key, value in state["taken"].items() if key != "architect"}
            city, (row, col) = state["cities"][seat], action["slot"]
            here = city["slots"][row - 1][col - 1] or {"floors": [], "inhabitants": 0, "energy": 0}
            here["floors"].append(tile)
            city["slots"][row - 1][col - 1] = here
            city["beside"]["inhabitants"] += tile["inhabitants"]
            city["beside"]["energy"] += tile["energy"]
            if tile["mayor"]:
                state["mayor"] = seat
        end_turn(state)
    return state


def flat(rows: list[list[Any]]) -> list[Any]:
    return [slot for row in rows for slot in row]


def plain_allocate(state: Json, seat: str, slots: list[list[Json | None]]) -> None:
    city = state["cities"][seat]
    for slot, lies in zip(flat(city["slots"]), flat(slots), strict=True):
        if slot is not None:
            for key in ("inhabitants", "energy"):
                city["beside"][key] += slot[key] - (lies or {}).get(key, 0)
                slot[key] = (lies or {}).get(key, 0)
    state["to_move"] = next_seat(state, seat)
    if state["to_move"] == state["mayor"]:
        state["phase"], state["to_move"] = "over", None


def plain_score(city: Json, both: bool) -> dict[str, int]:
    """The rulebook's Contagem de Pontos, for the pieces as they lie."""
    points = dict.fromkeys(("towers", "shops", "services", "parks", "factories", "harbors", "penalty"), 0)
    live: dict[tuple[int, int], Json] = {}
    idle = dict(city["beside"])
    for row in range(4):
        for col in range(4):
            slot = city["slots"][row][col]
            if slot is None:
                continue
            kind = slot["floors"][0]["type"]
            needs = {"tower": "energy", "shop": "energy", "park": None}.get(kind, "inhabitants")
            on = needs is None or slot[needs] > 0
            if on:
                live[row, col] = slot
            takes = {"tower": (0, 1), "park": (0, 1), "shop": (4, 1)}.get(kind, (1, 0)) if on else (0, 0)
            idle["inhabitants"] += max(0, slot["inhabitants"] - takes[0])
            idle["energy"] += max(0, slot["energy"] - takes[1])
    kinds = {place: slot["floors"][0]["type"] for place, slot in live.items()}

    def beside(place: tuple[int, int], kind: str) -> int:
        row, col = place
        return sum(kinds.get((row + r, col + c)) == kind for r, c in ((1, 0), (-1, 0), (0, 1), (0, -1)))

    for place, slot in live.items():
        kind = kinds[place]
        if kind == "tower":
            points["towers"] += [0, 1, 3, 6, 10][len(slot["floors"])]
        elif kind == "shop":
            points["shops"] += [0, 1, 2, 4, 7][min(4, slot["inhabitants"])]
        elif kind == "park":
            points["parks"] += [0, 2, 4, 7, 11][beside(place, "tower")]
        elif kind == "factory":
            points["factories"] += 2 * beside(place, "shop") + 3 * beside(place, "harbor")
        else:
            points["services" if kind == "service" else "harbors"] += slot["floors"][0]["vp"]
    districts = {(row // 2, col // 2) for (row, col), kind in kinds.items() if kind == "service"}
    points["services"] += [0, 2, 5, 9, 14][len(districts)]
    rows = ["".join("H" if kinds.get((r, c)) == "harbor" else " " for c in range(4)) for r in range(4)]
    columns = ["".join(row[c] for row in rows) for c in range(4)]
    longest = [max(len(run) for line in lines for run in line.split(" ")) for lines in (rows, columns)]
    worth = [[0, 0, 3, 7, 12][length] for length in longest]
    points["harbors"] += sum(worth) if both else max(worth)
    points["penalty"] = -sum(idle.values())
    return points


def normal(state: Json) -> Json:
    return {**state, "architects": sorted(state["architects"], key=lambda one: (one["seat"], one["number"]))}


def shown(state: Any) -> Json:
    return normal(json.loads(json.dumps(QUADROPOLIS.dump(state))))


def random_request(rng: random.Random) -> Json:
    choose = {
        "harbours": ["best_line", "row_plus_column"],
        "stacking": ["row_column_or_floor", "floor_only"],
        "tie_inhabitants": ["all", "placed"],
        "allocation": ["best", "as_placed"],
    }
    seats = rng.sample(CLOCKWISE, rng.choice((2, 3, 4)))
    return {"seats": seats, "options": {name: rng.choice(values) for name, values in choose.items()}}


@pytest.mark.parametrize("seed", range(40))
def test_both_play_alike(seed: int) -> None:
    rng = random.Random(seed)
    state = QUADROPOLIS.start(SPEECH.setup(random_request(rng)))
    plain, kinds = shown(state), set()
    while plain["to_move"] is not None:
        listed = [json.dumps(SPEECH.action(move), sort_keys=True) for move in QUADROPOLIS.moves(state)]
        wanted = [json.dumps(action, sort_keys=True) for action in plain_actions(plain)]
        assert sorted(listed) == sorted(wanted)
        moves = list(next_moves(state, rng))
        if plain["phase"] == "allocate":
            moves = moves[1:]  # the plain engine finds no best
        if plain["phase"] == "build" and rng.random() < 0.9:
            moves = moves[:-1] or moves  # rather not discard
        move = rng.choice(moves)
        kinds.add(move.verb)
        action = SPEECH.action(move)
        state, plain = QUADROPOLIS.play(state, move), normal(plain_play(plain, action))
        assert shown(state) == plain
    assert kinds >= {"fill", "take", "build", "allocate"}
    both = plain["options"]["harbours"] == "row_plus_column"
    lying = SPEECH.as_scored(state, False)
    ranks = {}
    for number, seat in enumerate(CLOCKWISE):
        if seat in plain["cities"]:
            lines = [line for line in QUADROPOLIS.score(lying) if line.seat == number]
            parts = {part: sum(x.points for x in lines if SPEECH.part(x.label) == part) for part in SPEECH.parts()}
            assert parts == plain_score(plain["cities"][seat], both)
            ranks[seat] = plain_rank(plain, seat, sum(parts.values()))
    if plain["options"]["allocation"] == "as_placed":
        outcome = QUADROPOLIS.outcome(state)
        assert outcome is not None
        winners = [CLOCKWISE[seat] for seat in outcome.winners]
        assert winners == [seat for seat, rank in ranks.items() if rank == max(ranks.values())]


def plain_rank(state: Json, seat: str, points: int) -> tuple[int, int, int]:
    city = state["cities"][seat]
    slots = flat(city["slots"])
    people = sum(slot["inhabitants"] for slot in slots if slot)
    if state["options"]["tie_inhabitants"] == "all":
        people += city["beside"]["inhabitants"]
    return points, people, -slots.count(None)


def plain_perft(state: Json, depth: int) -> int:
    actions = plain_actions(state)
    if depth == 1:
        return len(actions)
    return sum(plain_perft(plain_play(state, action), depth - 1) for action in actions)


PERFT = [
    (*line.split()[:2], *count.split(":"))
    for line in (HERE / "perft" / "quadropolis.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
    for count in line.split()[2:]
    if not count.startswith("0:")
    if 0 < int(count.split(":")[1]) < 3000
]


@pytest.mark.parametrize(("name", "plays", "depth", "leaves"), PERFT)
def test_perft_counted_plainly(name: str, plays: str, depth: str, leaves: str) -> None:
    match = read_match((HERE / "games" / name).read_text(encoding="utf-8"), game_named)
    state = shown(match.undone(len(match.plays) - int(plays)).state)
    assert plain_perft(state, int(depth)) == int(leaves)
