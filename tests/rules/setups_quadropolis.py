"""Quadropolis' setups for the tests that every game must pass."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rules.game import Move, Setup
from rules.quadropolis import QUADROPOLIS
from rules.quadropolis.notation import write_amounts
from rules.quadropolis.speech import SPEECH, setup_for
from rules.words import EAST, NATURE, NORTH, SOUTH, WEST

SETUPS: dict[str, Setup] = {
    "two": setup_for([NORTH, SOUTH]),
    "three": setup_for([EAST, SOUTH, WEST], [("allocation", "as_placed"), ("tie_inhabitants", "placed")]),
    "four": setup_for([WEST, NORTH, EAST, SOUTH]),
    "neighbours, other readings": setup_for(
        [EAST, NORTH], [("harbours", "row_plus_column"), ("stacking", "floor_only")]
    ),
}


def next_moves(state: Any, rng: random.Random) -> Sequence[Move]:
    """What is listed; a fill drawn from the tile list; beside the best allocation a random one."""
    if state.turn == NATURE:
        drawn = SPEECH.draw(state, rng)
        return [] if drawn is None else [drawn]
    listed = list(QUADROPOLIS.moves(state))
    if state.phase == "allocate":
        listed.append(Move(state.turn, "allocate", note=random_allocation(state, rng)))
    return listed


def random_allocation(state: Any, rng: random.Random) -> str:
    """Some of a city's pieces on buildings that have room for them."""
    city = state.city(state.turn)
    people, energy = [0] * 16, [0] * 16
    left = {"inhabitants": sum(city.people), "energy": sum(city.energy)}
    room = {"T": (0, 1), "S": (4, 1), "P": (0, 1), "V": (1, 0), "F": (1, 0), "H": (1, 0)}
    pieces = QUADROPOLIS.layout(state).pieces
    zone = f"city-{('south', 'west', 'north', 'east')[state.turn]}"
    for cell, piece in pieces.items():
        if cell.zone == zone and cell.level == 0:
            slot = cell.row * 4 + cell.col
            for amounts, most, kind in zip((people, energy), room[piece.kind[0]], left, strict=True):
                amounts[slot] = rng.randint(0, min(most, left[kind]))
                left[kind] -= amounts[slot]
    return write_amounts(tuple(people), tuple(energy))


def also_legal(state: Any, move: Move) -> bool:
    """Fills with just the round's tiles, and allocations of no more than there is, each where there is room."""
    if move.seat != state.turn or move != Move(move.seat, move.verb, note=move.note):
        return False
    if move.verb == "fill" and state.phase == "fill":
        drawn = SPEECH.draw(state, random.Random(0))
        assert drawn is not None
        words = (Counter(note.replace("/", ",").split(",")) for note in (move.note, drawn.note))
        return next(words) == next(words)
    if move.verb != "allocate" or state.phase != "allocate":
        return False
    try:
        action = SPEECH.action(QUADROPOLIS.read(f"S:allocate={move.note}", state))
    except ValueError:
        return False
    if action["slots"] == "best":
        return False  # listed
    city = QUADROPOLIS.dump(state)["cities"][("south", "west", "north", "east")[state.turn]]
    room = {"tower": (0, 1), "shop": (4, 1), "park": (0, 1), "service": (1, 0), "factory": (1, 0), "harbor": (1, 0)}
    own = Counter(city["beside"])
    for row, lies in zip(city["slots"], action["slots"], strict=True):
        for slot, amounts in zip(row, lies, strict=True):
            there = (amounts or {}).get("inhabitants", 0), (amounts or {}).get("energy", 0)
            most = room[slot["floors"][0]["type"]] if slot else (0, 0)
            if there[0] > most[0] or there[1] > most[1]:
                return False
            own.update({"inhabitants": slot["inhabitants"], "energy": slot["energy"]} if slot else {})
            own.subtract({"inhabitants": there[0], "energy": there[1]})
    return min(own.values()) >= 0
