"""Gridlock positions for its tests: played on by words, and read off."""

from __future__ import annotations

from collections.abc import Callable

from rules.gridlock import GRIDLOCK, State
from rules.gridlock.speech import setup_for
from rules.words import SEATS, Cell, Seat

Drawn = Callable[..., State]
"""What the fixture `drawn` gives: a position from rows of words."""
FOUR = setup_for(SEATS)


def play(state: State, *words: str) -> State:
    for word in words:
        state = GRIDLOCK.play(state, GRIDLOCK.read(word, state))
    return state


def facings(state: State, *squares: str) -> str:
    pieces = GRIDLOCK.layout(state).pieces
    marks = {None: "o", 0: "^", 1: ">", 2: "v", 3: "<"}
    return "".join(
        marks[pieces[cell].facing] if (cell := Cell("abcdefgh".index(s[0]), int(s[1]) - 1)) in pieces else "."
        for s in squares
    )


def totals(state: State) -> dict[Seat, int]:
    found = dict.fromkeys(state.table.seats, 0)
    for line in GRIDLOCK.score(state):
        found[line.seat] += line.points
    return found
