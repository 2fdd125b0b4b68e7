"""Gridopolis' setups for the tests that every game must pass."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rules.game import Move, Setup
from rules.gridopolis import GRIDOPOLIS
from rules.gridopolis.speech import setup_for
from rules.words import EAST, NORTH, SOUTH, WEST

SETUPS: dict[str, Setup] = {
    "two": setup_for([SOUTH, NORTH]),
    "four, timed": setup_for([WEST, NORTH, EAST, SOUTH], [("ending", '{"turns":12}'), ("teleporters", "twisted")]),
    "three, chains go on": setup_for(
        [NORTH, EAST, SOUTH], [("chain_after_teleport", "true"), ("blocked_is_off", "true")]
    ),
    "two neighbours, pads only above pads": setup_for(
        [WEST, SOUTH],
        [("needs_pad_below", "always"), ("teleporters", "[[0,0,0],[1,1,1],[2,0,2],[0,2,2],[2,2,0]]")],
        {WEST: "black", SOUTH: "blue"},
    ),
}
MAX_PLAYS = 400
"""Kings can wander for ever."""


def next_moves(state: Any, rng: random.Random) -> Sequence[Move]:
    """Half of the time what captures, if anything does, so that most matches end; half of the rest what moves."""
    listed = list(GRIDOPOLIS.moves(state))
    captures = [move for move in listed if move.taken]
    if captures and rng.random() < 0.5:
        return captures
    return [move for move in listed if move.verb == "move" or rng.random() < 0.5] or listed


def conserved(state: Any) -> Any:
    """Markers by colour, on the grid-set and captured; pads, links, posts and blocker-boxes, built and in reserve."""
    saved = GRIDOPOLIS.dump(state)
    held = Counter(marker["colour"] for marker in saved["markers"])
    held.update(marker["colour"] for theirs in saved["captured"].values() for marker in theirs)
    for key in ("pads", "links", "posts"):
        held[key] = len(saved[key])
    held["blockers"] = sum(pad["part"] == "blocker" for pad in saved["pads"])
    for reserve in saved["reserve"].values():
        held.update(reserve)
    return held
