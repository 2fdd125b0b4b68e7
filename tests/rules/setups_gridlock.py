"""Gridlock's setups for the tests that every game must pass."""

from __future__ import annotations

from rules.game import Setup
from rules.gridlock.speech import setup_for
from rules.words import EAST, NORTH, SEATS, SOUTH, WEST

SETUPS: dict[str, Setup] = {
    "four, short, west first": setup_for([WEST, NORTH, EAST, SOUTH], [("per_size", "3"), ("van", "south")]),
    "four, full": setup_for(SEATS),
    "two": setup_for([NORTH, SOUTH], [("per_size", "2")]),
    "three": setup_for([EAST, SOUTH, WEST], [("per_size", "2")]),
    "other readings": setup_for(
        SEATS,
        [
            ("per_size", "2"),
            ("upright", "skipped"),
            ("gaps", "count"),
            ("chain", "group"),
            ("empty_holder", "may_pass"),
            ("drop_starter", "first"),
            ("tie", "longest_chain"),
        ],
    ),
    "blocking readings": setup_for(SEATS, [("per_size", "1"), ("upright", "blocks"), ("gaps", "stop")]),
}
