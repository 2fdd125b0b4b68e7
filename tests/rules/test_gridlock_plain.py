"""A second Gridlock, slow and plain, written from the rulebook's text and the protocol's words alone.

It works on the JSON state and shares nothing with `rules.gridlock`. On random positions, under random
readings, both must list the same actions, come to the same state, and count the same chains.
"""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from rules.catalogue import game_named
from rules.gridlock import GRIDLOCK
from rules.gridlock.speech import SPEECH
from rules.match import read_match

HERE = Path(__file__).parent
Json = dict[str, Any]
CLOCKWISE = ["south", "west", "north", "east"]
AWAY = {"south": "north", "west": "east", "north": "south", "east": "west"}
TOWARDS = {"south": "south", "west": "west", "north": "north", "east": "east"}
STEP = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}
REACH = {"small": 1, "medium": 2, "large": 3}


def on(state: Json, square: str) -> Json | None:
    return next((piece for piece in state["pieces"] if piece["square"] == square), None)


def squares() -> list[str]:
    return [f + r for f in "abcdefgh" for r in "12345678"]


def ahead(square: str, facing: str) -> str | None:
    file, rank = "abcdefgh".index(square[0]) + STEP[facing][0], int(square[1]) + STEP[facing][1]
    return f"{'abcdefgh'[file]}{rank}" if 0 <= file < 8 and 1 <= rank <= 8 else None


def colour_of(state: Json, seat: str) -> str:
    colour: str = state["colours"][seat][0]
    return colour


def next_seat(state: Json, seat: str) -> str:
    while True:
        seat = CLOCKWISE[(CLOCKWISE.index(seat) + 1) % 4]
        if seat in state["colours"]:
            return seat


def has_something(state: Json, seat: str) -> bool:
    colour = colour_of(state, seat)
    if state["phase"] == "placement":
        return any(state["hands"][colour].values())
    return any(piece["colour"] == colour and piece["facing"] == "up" for piece in state["pieces"])


def plain_actions(state: Json) -> list[Json]:
    seat = state["to_move"]
    if seat is None:
        return []
    colour, found = colour_of(state, seat), []
    if state["phase"] == "placement":
        for size, count in state["hands"][colour].items():
            if count:
                found += [{"kind": "place", "square": s, "size": size} for s in squares() if on(state, s) is None]
    else:
        mine = [p for p in state["pieces"] if p["colour"] == colour and p["facing"] == "up"]
        found += [{"kind": "drop", "square": piece["square"]} for piece in mine]
    if not found:
        found.append({"kind": "keep"})
    if state["van"] == seat and not state["just_handed"]:
        found.append({"kind": "pass"})
    return [{**action, "seat": seat} for action in found]


def drop(state: Json, seat: str, square: str) -> None:
    piece = on(state, square)
    assert piece is not None
    piece["facing"] = AWAY[seat]
    left, here = REACH[piece["size"]], ahead(square, AWAY[seat])
    options = state["options"]
    while left and here is not None:
        other = on(state, here)
        if other is None:
            if options["gaps"] == "stop":
                return
            left -= options["gaps"] == "count"
        elif other["facing"] == "up":
            if options["upright"] == "blocks":
                return
            left -= options["upright"] == "counts"
        else:
            other["facing"] = AWAY[seat]
            left -= 1
        here = ahead(here, AWAY[seat])


def plain_play(state: Json, action: Json) -> Json:
    state = copy.deepcopy(state)
    seat = action["seat"]
    if action["kind"] == "pass":
        state["van"], state["just_handed"] = next_seat(state, seat), True
    else:
        if action["kind"] == "place":
            colour = colour_of(state, seat)
            state["hands"][colour][action["size"]] -= 1
            piece = {"square": action["square"], "colour": colour, "size": action["size"], "facing": "up"}
            state["pieces"].append(piece)
        elif action["kind"] == "drop":
            drop(state, seat, action["square"])
        if seat == state["van"]:
            state["just_handed"] = False
    following = next_seat(state, seat)
    if state["phase"] == "placement" and not any(any(hand.values()) for hand in state["hands"].values()):
        state["phase"] = "drop"
        if state["options"]["drop_starter"] == "first":
            following = state["first"]
    if state["phase"] == "drop" and not any(piece["facing"] == "up" for piece in state["pieces"]):
        state["phase"], state["to_move"] = "over", None
        return state
    while not has_something(state, following):
        if state["options"]["empty_holder"] == "may_pass" and following == state["van"]:
            break
        following = next_seat(state, following)
    state["to_move"] = following
    return state


def plain_chains(state: Json, seat: str) -> list[list[str]]:
    mine = {piece["square"] for piece in state["pieces"] if piece["facing"] == AWAY[seat]}
    directions = list(STEP) if state["options"]["chain"] == "group" else [AWAY[seat], TOWARDS[seat]]
    found = []
    while mine:
        chain, edge = set(), {min(mine)}
        while edge:
            chain |= edge
            near = {ahead(square, facing) for square in edge for facing in directions}
            edge = {square for square in near if square in mine and square not in chain}
        mine -= chain
        found.append(sorted(chain))
    return sorted(found)


def normal(state: Json) -> Json:
    """The JSON state with its pieces in a fixed order."""
    return {**state, "pieces": sorted(state["pieces"], key=lambda piece: piece["square"])}


def random_request(rng: random.Random) -> Json:
    seats = rng.choice([["south", "north"], ["east", "west"], CLOCKWISE, CLOCKWISE, ["north", "east", "west"]])
    seats = rng.sample(seats, len(seats))
    choose = {
        "upright": ["counts", "skipped", "blocks"],
        "gaps": ["skip", "stop", "count"],
        "chain": ["column", "group"],
        "empty_holder": ["keep", "may_pass"],
        "drop_starter": ["continue", "first"],
    }
    options: Json = {name: rng.choice(values) for name, values in choose.items()}
    return {"seats": seats, "options": {**options, "per_size": rng.choice([1, 1, 2, 3, 5])}}


@pytest.mark.parametrize("seed", range(60))
def test_both_play_alike(seed: int) -> None:
    rng = random.Random(seed)
    state = GRIDLOCK.start(SPEECH.setup(random_request(rng)))
    plain = json.loads(json.dumps(GRIDLOCK.dump(state)))
    kinds = set()
    while plain["to_move"] is not None:
        listed = {json.dumps(SPEECH.action(move), sort_keys=True): move for move in GRIDLOCK.moves(state)}
        actions = {json.dumps(action, sort_keys=True): action for action in plain_actions(plain)}
        assert set(listed) == set(actions)
        weights = [9 if '"pass"' in text else 1 for text in sorted(actions)]
        choice = rng.choices(sorted(actions), weights)[0]
        kinds.add(actions[choice]["kind"])
        state, plain = GRIDLOCK.play(state, listed[choice]), plain_play(plain, actions[choice])
        assert normal(json.loads(json.dumps(GRIDLOCK.dump(state)))) == normal(plain)
    assert GRIDLOCK.to_move(state) is None
    assert kinds >= {"place", "drop", "pass"}
    lines = GRIDLOCK.score(state)
    for seat in plain["colours"]:
        ours = [line for line in lines if CLOCKWISE[line.seat] == seat]
        chains = plain_chains(plain, seat)
        assert sorted(sorted(SPEECH.name(cell) for cell in line.cells) for line in ours) == chains
        assert sum(line.points for line in ours) == sum(2 ** (len(chain) - 1) for chain in chains)


def plain_perft(state: Json, depth: int) -> int:
    if depth == 0:
        return 1
    actions = plain_actions(state)
    return len(actions) if depth == 1 else sum(plain_perft(plain_play(state, action), depth - 1) for action in actions)


PERFT = [
    (*line.split()[:2], *count.split(":"))
    for line in (HERE / "perft" / "gridlock.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
    for count in line.split()[2:]
    if int(count.split(":")[1]) < 3000
]


@pytest.mark.parametrize(("name", "plays", "depth", "leaves"), PERFT)
def test_perft_counted_plainly(name: str, plays: str, depth: str, leaves: str) -> None:
    match = read_match((HERE / "games" / name).read_text(encoding="utf-8"), game_named)
    state = GRIDLOCK.dump(match.undone(len(match.plays) - int(plays)).state)
    assert plain_perft(dict(state), int(depth)) == int(leaves)
