"""Gridlock's setups for the tests that every game must pass."""

from __future__ import annotations

from collections import Counter

from rules.game import Setup
from rules.gridlock import GRIDLOCK, State
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


def conserved(state: State) -> Counter[tuple[str, str]]:
    """Pyramids by colour and size: those on the board, and in the placement those in hand."""
    pieces = GRIDLOCK.layout(state).pieces.values()
    count = Counter((str(piece.colour), piece.kind) for piece in pieces if piece.kind != "van")
    for seat, sizes in enumerate(state.hands):
        for size, number in zip(("small", "medium", "large"), sizes, strict=True):
            if number:
                count[(str(state.table.colours[seat]), size)] += number
    return count
