"""Quadropolis cities and positions for its tests: from words, loaded, and counted."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

from rules.quadropolis import QUADROPOLIS, State
from rules.quadropolis.speech import SPEECH, setup_for
from rules.quadropolis.tiles import CODE_WRITTEN, TILE, TYPES
from rules.words import NORTH, SOUTH, Seat

TYPE_OF = {"T": "tower", "S": "shop", "V": "service", "P": "park", "F": "factory", "H": "harbor"}
Json = dict[str, Any]


def tile(word: str) -> Json:
    """A tile by its word of the notation, as JSON without its mark."""
    found = TILE[CODE_WRITTEN.get(word, CODE_WRITTEN.get(word + "+4", 0))]
    kind = TYPES[found.type]
    return {"type": kind, "inhabitants": found.inhabitants, "energy": found.energy, "vp": found.vp, "mayor": False}


def city(rows: list[str], people: int = 0, energy: int = 0, active: bool = True) -> Json:
    """A city from rows of words: `T3` a tower of three floors, else a tile of the notation; `S:4` with four
    customers; `!` after a word: not active."""
    slots: list[list[Json | None]] = []
    for row in rows:
        slots.append([])
        for word in row.split():
            if word == ".":
                slots[-1].append(None)
                continue
            idle = word.endswith("!")
            name, _, customers = word.rstrip("!").partition(":")
            kind = TYPE_OF[name[0]]
            floors = [tile("T1")] * int(name[1:]) if kind == "tower" else [tile(name)]
            on = not idle and active
            persons = int(customers or 0) + (on and kind in ("service", "factory", "harbor"))
            power = int(on and kind in ("tower", "shop"))
            slots[-1].append({"floors": floors, "inhabitants": persons, "energy": power})
    slots += [[None] * 4 for _ in range(4 - len(slots))]
    return {"slots": slots, "beside": {"inhabitants": people, "energy": energy}}


def loaded(cities: Json, phase: str = "allocate", **options: str) -> State:
    return QUADROPOLIS.load(json.loads(json.dumps({"phase": phase, "cities": cities, "options": options})))


def parts(state: State, seat: Seat = SOUTH) -> dict[str, int]:
    found: Counter[str] = Counter()
    for line in QUADROPOLIS.score(state):
        if line.seat == seat:
            found[SPEECH.part(line.label)] += line.points
    return {part: points for part, points in found.items() if points}


def filled(seats: tuple[Seat, ...] = (SOUTH, NORTH), seed: int = 5, **options: str) -> State:
    """A first round, its site filled by chance."""
    state = QUADROPOLIS.start(setup_for(list(seats), list(options.items())))
    drawn = SPEECH.draw(state, random.Random(seed))
    assert drawn is not None
    return QUADROPOLIS.play(state, drawn)
