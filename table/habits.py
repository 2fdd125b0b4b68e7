"""How cells are misread: what a piece that nobody touched was taken for until now.

A camera that reads a small upright piece as a lying one does so again in the next picture, and a little more or
less of it is no act of anybody's. What a cell looked like while it is known to have held what the match says is
its habit, and only what a look shows beyond it is evidence for a change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rules.words import Cell, Piece

FADES = 0.8
"""So much of a habit is left after another action in which it did not show."""
LEAST = 0.05
"""A habit weaker than this is forgotten; natural logarithm of odds, as all of them."""
FEWEST = 2
"""A cell is steady if it was looked at so often while it held what it holds."""


@dataclass(frozen=True, slots=True)
class Habit:
    """Of one cell while it holds `held`: for other readings, how much likelier than `held` each has looked.

    `least`: the least that the logarithm of `held`'s own probability has been, in so many `actions`.
    """

    held: Piece | None
    looks: Mapping[Piece | None, float]
    least: float = 0.0
    actions: int = 0


@dataclass(frozen=True, slots=True)
class Habits:
    """Of all cells. What is kept of a cell is void as soon as something else is thought to be there."""

    cells: Mapping[Cell, Habit] = field(default_factory=dict)

    def of(self, cell: Cell, held: Piece | None, look: Piece | None) -> float:
        """By how much `look` has been likelier than `held` in this cell with nobody touching it; 0 if never."""
        habit = self.cells.get(cell)
        return habit.looks.get(look, 0.0) if habit is not None and habit.held == held else 0.0

    def fallen(self, cell: Cell, held: Piece | None, now: float) -> float:
        """By how much the logarithm `now` of `held`'s probability is below all that it has been; 0 if it was never
        steady."""
        habit = self.cells.get(cell)
        if habit is None or habit.held != held or habit.actions < FEWEST:
            return 0.0
        return max(0.0, habit.least - now)

    def with_looks(self, fresh: Mapping[Cell, Habit]) -> Habits:
        """After an action more, in a look at which each of these cells held what it held."""
        cells = dict(self.cells)
        for cell, habit in fresh.items():
            before = cells.get(cell)
            if before is None or before.held != habit.held:
                cells[cell] = Habit(habit.held, _most(habit.looks, {}), habit.least, 1)
                continue
            old = {look: weight * FADES for look, weight in before.looks.items()}
            cells[cell] = Habit(habit.held, _most(habit.looks, old), min(before.least, habit.least),
                                before.actions + 1)
        return Habits(cells)


def _most(one: Mapping[Piece | None, float], other: Mapping[Piece | None, float]) -> dict[Piece | None, float]:
    most = {look: max(one.get(look, 0.0), other.get(look, 0.0)) for look in {**other, **one}}
    return {look: weight for look, weight in most.items() if weight >= LEAST}


NO_HABITS = Habits()
"""At the first look nothing is known of a cell."""
