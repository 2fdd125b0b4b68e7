"""The readings of one look against what the match expects: which cells look different, and by how much.

All weights are natural logarithms of odds.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rules.words import Cell, Change, Colour, Layout, Piece
from table.habits import NO_HABITS, Habit, Habits
from table.seen import Seen, Standing, Why


@dataclass(frozen=True, slots=True)
class Strictness:
    """How much evidence the referee wants. Costs and margins are natural logarithms of odds."""

    misread: float = 0.02
    """How often a cell is read as anything at all, whatever stands there."""
    kin: float = 0.15
    """How often the colour is right and the size or the way it lies is not: those are harder to see."""
    moved: float = 0.7
    """From here on a cell counts as looking different from the match."""
    accept: float = 1.5
    """An action must be this much likelier than that nothing happened."""
    close: float = 0.5
    """Two legal explanations nearer than this are asked, not guessed: a wrong guess mends itself when the piece
    is read better (`agains`), a needless question stops the game;"""
    clear: float = 2.0
    """From here on a cell may carry a refusal."""
    close_wrong: float = 1.0
    """a legal and an illegal one nearer than this (the illegal one has paid `mistake_cost` already)."""
    refuse: float = 0.5
    """A mistake must be this much likelier than that nothing happened."""
    sure: float = 0.9
    """A refusal needs every cell it speaks of to look changed with this probability,"""
    likely: float = 0.6
    """and what stands there to be read with this one."""
    hand_accept: float = 4.0
    """As `accept`, while an arm is in the picture."""
    absence: float = 1.0
    """The most that not seeing something beside the board may weigh: it may be out of the picture."""
    pair_cost: float = 1.5
    partway_cost: float = 1.0
    reread_cost: float = 2.0
    slide_cost: float = 1.0
    takeback_cost: float = 1.0
    mistake_cost: float = 2.0
    spare_cost: float = 0.5
    """More for a mistake with a piece that the set does not hold: people do have spare ones."""
    foul_cost: float = 2.0
    """More for what is no action of the game at all."""
    told_cost: float = 5.5
    """For a thing refused before that has become legal as it stands: believed only with the next action."""
    both_cost: float = 1.0
    """A legal action and, in the same look, a mistake."""
    fallen: float = 2.5
    """At most so much is it worth that a steady cell does not look as it used to."""
    firm: float = 3.5
    """An action less likely than this, with a cell of it that is hardly read, must look so for longer;"""
    hardly: float = 0.7
    """hardly, that is, colour and posture less surely than this."""


WORTH_TRYING = 0.2
"""A reading as likely as this is tried in place of the best one."""
KIN = 15
"""A piece of one colour may be of three sizes and stand or lie four ways."""
SETTLED = Strictness()
"""For one look at a table that has come to rest."""


class Evidence:
    """The readings of one look against the layout that the match expects (`now`)."""

    def __init__(
        self, seen: Seen, now: Layout, standings: Sequence[Standing], strictness: Strictness,
        habits: Habits = NO_HABITS,
    ) -> None:
        self.seen, self.now, self._strictness, self._habits = seen, now, strictness, habits
        self._floor = strictness.misread / 20
        self._logs: dict[Cell, dict[Piece | None, float]] = {}
        self._of_colour: dict[Cell, dict[Colour, float]] = {}
        self._now_log: dict[Cell, float] = {}
        told = {cell: (look, standing.why) for standing in standings for cell, look in standing.looks}
        self.told: set[Cell] = set()
        """Cells that were refused and still look so: no news, but part of what may have become legal."""
        shown = {cell.zone for cell, ranked in seen.cells.items() if ranked and ranked[0][0] is not None}
        for cell, ranked in seen.cells.items():
            expected = now.pieces.get(cell)
            if cell in seen.hidden or not ranked:
                continue
            if cell in told and ranked[0][0] in (told[cell][0], expected):
                if told[cell][1] not in (Why.REFUSED, Why.MISREAD) or ranked[0][0] == expected:
                    continue
                self.told.add(cell)
            colours: dict[Colour, float] = defaultdict(float)
            for piece, p in ranked:
                if piece is not None and cell.zone == "board":
                    colours[piece.colour] += p
            self._of_colour[cell] = {colour: strictness.kin * p / KIN for colour, p in colours.items()}
            logs = {piece: self._log(cell, piece, p) for piece, p in ranked}
            if cell.zone != "board":
                self._weaken_absence(logs, strictness.absence if cell.zone in shown else 0.0)
            now_log = self._now_log[cell] = logs.get(expected, self._log(cell, expected, 0.0))
            self._logs[cell] = {  # a habit explains what it explains, and speaks for no change
                piece: max(min(value, now_log), value - habits.of(cell, expected, piece))
                for piece, value in logs.items()
            }
        self.moved: dict[Cell, float] = {}
        """The cells that look different, with how much their best reading beats the expected one."""
        for cell, logs in self._logs.items():
            gain = max(logs.values()) - self._now_log[cell]
            if gain > strictness.moved and cell not in self.told:
                self.moved[cell] = gain

    def _log(self, cell: Cell, piece: Piece | None, p: float) -> float:
        """Of the probability that `piece` is there, allowing for errors: of any kind, and of size or facing alone."""
        if piece is not None and cell.zone == "board":
            p = (1 - self._strictness.kin) * max(p, 0.0) + self._of_colour[cell].get(piece.colour, 0.0)
        return math.log((1 - self._strictness.misread) * max(p, 0.0) + self._floor)

    def _weaken_absence(self, logs: dict[Piece | None, float], most: float) -> None:
        """What is not seen beside the board may be out of the picture; seen nowhere, it tells nothing at all."""
        pieces = [value for piece, value in logs.items() if piece is not None]
        present = max(pieces, default=math.log(self._floor))
        if None in logs:
            logs[None] = min(logs[None], present + most)
        if not pieces:
            logs[None] = math.log(self._floor) + most

    def gain(self, cell: Cell, piece: Piece | None) -> float:
        """How much likelier `piece` is there than what the match expects; 0 where nothing was seen."""
        logs = self._logs.get(cell)
        if logs is None:
            return 0.0
        return logs.get(piece, self._log(cell, piece, 0.0)) - self._now_log[cell]

    def weigh(self, changes: Iterable[Change]) -> float:
        """How much likelier all these changes are than that nothing happened."""
        gains = [(change.cell, self.gain(change.cell, change.after)) for change in changes]
        uses_told = any(cell in self.told and gain > 0 for cell, gain in gains)
        return sum(gain for _, gain in gains) - (self._strictness.told_cost if uses_told else 0.0)

    def touches(self, changes: Iterable[Change]) -> bool:
        """Whether any of the changes is where the table looks different."""
        return any(change.cell in self.moved or change.cell in self.told for change in changes)

    def best(self, cell: Cell) -> Piece | None:
        logs = self._logs[cell]
        return max(logs, key=lambda piece: logs[piece])

    def is_sure(self, cell: Cell) -> bool:
        """Whether the cell surely is not as the match says, and what stands there is more than a guess: its colour
        and posture, that is, since a size is harder to see."""
        best = self.seen.best(cell)
        as_expected = self.seen.probability(cell, self.now.pieces.get(cell))
        return (1 - as_expected >= self._strictness.sure and self.alike(cell, best) >= self._strictness.likely
                and best == self.best(cell))

    def alike(self, cell: Cell, piece: Piece | None) -> float:
        """The probability of what has this piece's colour and, where something stood before, its posture; 1 of a cell
        that was not seen or is beside the board."""
        if cell.zone != "board" or cell not in self.seen.cells:
            return 1.0
        is_new = self.now.pieces.get(cell) is None
        return sum(p for what, p in self.seen.cells[cell] if _is_alike(what, piece, is_new))

    def sorts(self, cell: Cell) -> list[Piece | None]:
        """The best reading of a cell, and others of its colour that are nearly as likely."""
        best = self.best(cell)
        if best is None:
            return [best]
        others = [piece for piece, p in self.seen.cells[cell]
                  if piece is not None and piece != best and piece.colour == best.colour and p >= WORTH_TRYING]
        return [best, *others]

    def fallen(self, changes: Iterable[Change]) -> float:
        """How much less the changed cells look as the match says than they ever did while they were steady: something
        was done there, whatever it was."""
        return sum(
            min(self._habits.fallen(change.cell, change.before, self._now_log[change.cell]), self._strictness.fallen)
            for change in changes if change.cell in self._now_log
        )

    def habits(self) -> dict[Cell, Habit]:
        """How each cell looks that holds what the match says, though it may not look so. What surely looks
        otherwise is left out: that has a better explanation, or will be asked about."""
        return {
            cell: Habit(self.now.pieces.get(cell), {
                piece: value - self._now_log[cell] for piece, value in logs.items()
                if value > self._now_log[cell] and cell.zone == "board"
            }, self._now_log[cell])
            for cell, logs in self._logs.items() if not self.is_sure(cell)
        }


def _is_alike(one: Piece | None, other: Piece | None, is_new: bool) -> bool:
    """Whether two readings agree but for the size, and, of a piece where there was none, for the posture."""
    if one is None or other is None:
        return one == other
    return one.colour == other.colour and (is_new or one.facing == other.facing)
