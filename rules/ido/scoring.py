"""Who is home, and who has won ("Game end and variants")."""

from __future__ import annotations

from rules.game import Outcome, ScoreLine
from rules.ido.geometry import SIZES
from rules.ido.state import State
from rules.words import Seat


def score(state: State) -> list[ScoreLine]:
    """A point for each block at home, a line for each, in the order in which they came."""
    return [ScoreLine(seat, size, 1) for seat in state.table.seats for size in state.home[seat]]


def outcome(state: State) -> Outcome | None:
    """The one seat that has as many blocks home as the goal asks; None while nobody has.

    A shift pushes blocks over one edge only, and each edge holds one target: two seats never come home at once.
    """
    goal = state.table.readings.goal
    winners = tuple(seat for seat in state.table.seats if len(state.home[seat]) >= goal)
    return Outcome(winners, "complete") if winners else None


def left_to_play(state: State) -> dict[Seat, tuple[tuple[str, int], ...]]:
    """By seat: the blocks in its supply."""
    return {
        seat: tuple((size, state.in_supply(seat, number)) for number, size in enumerate(SIZES))
        for seat in state.table.seats
    }
