"""Gridopolis' setups for the tests that every game must pass."""

from __future__ import annotations

from collections import Counter
from typing import Any

from rules.game import Setup
from rules.gridopolis import GRIDOPOLIS
from rules.gridopolis.speech import setup_for
from rules.words import EAST, NORTH, SOUTH, WEST

SETUPS: dict[str, Setup] = {
    "two": setup_for([SOUTH, NORTH]),
    "four, timed": setup_for([WEST, NORTH, EAST, SOUTH], [("ending", '{"turns":25}'), ("teleporters", "twisted")]),
    "three, chains go on": setup_for(
        [NORTH, EAST, SOUTH], [("chain_after_teleport", "true"), ("blocked_is_off", "true")]
    ),
    "two neighbours, pads only above pads": setup_for(
        [WEST, SOUTH],
        [("needs_pad_below", "always"), ("teleporters", "[[0,0,0],[1,1,1],[2,0,2],[0,2,2],[2,2,0]]")],
        {WEST: "black", SOUTH: "blue"},
    ),
}
MAX_PLAYS = 600


def conserved(state: Any) -> Any:
    """Markers by colour, on the grid-set and captured; pads, links, posts and blocker-boxes, built and in reserve."""
    saved = GRIDOPOLIS.dump(state)
    held = Counter(marker["colour"] for marker in saved["markers"])
    held.update(marker["colour"] for theirs in saved["captured"].values() for marker in theirs)
    for key in ("pads", "links", "posts"):
        held[key] = len(saved[key])
    held["blockers"] = sum(pad["part"] == "blocker" for pad in saved["pads"])
    for reserve in saved["reserve"].values():
        held.update({key: count for key, count in reserve.items()})
    return held
