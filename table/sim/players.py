"""People at a Gridlock table: they play sensibly, pass now and then, and sometimes do wrong and put it right.

Games are told as deeds: what one hand did, and how the table looks before and after. Only the rules
are asked (`rules.game.Game`); nothing here knows pictures. Everything is drawn from one seeded generator.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from rules.catalogue import game_named
from rules.game import AnyGame, Move, Setup
from rules.match import Match, Play
from rules.words import Cell, Colour, Layout, Piece, Seat, seat_name

AHEAD: tuple[tuple[int, int], ...] = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""Steps by facing, and by seat: a seat's pieces point away from it."""
REACH = {"small": 1, "medium": 2, "large": 3}
_CLOSER_LOOKS = 6
_PLACES_WEIGHED = 40


class Act(Enum):
    """What sort of deed it was."""

    PLAYED = "played"
    """A legal action."""
    WRONG = "wrong"
    """An action the rules refuse."""
    PUT_RIGHT = "put right"
    """The wrong action taken back."""


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing that a hand did. `reason` is the code of the rules against a wrong one.

    `to_move` is who acts next by the rules; after the last action, whose turn would have come.
    `turned` are the cells of the fallen pieces within reach of a legal drop, those that pointed its way before too.
    """

    act: Act
    seat: Seat
    move: Move
    before: Layout
    after: Layout
    to_move: Seat
    reason: str = ""
    turned: tuple[Cell, ...] = ()

    @property
    def reached(self) -> Cell:
        """The cell that the hand goes to."""
        found = self.move.target if self.move.target is not None else self.move.source
        return found if found is not None else Cell(int(self.seat), 0, 0, "van")


@dataclass(frozen=True, slots=True)
class Habits:
    """How people behave: `slips` wrong actions a game, the first right after the first action if `early`;
    `passes` is how likely a turn is passed by who may."""

    slips: int = 3
    early: bool = False
    passes: float = 0.25


def gridlock_setup(
    colours: tuple[tuple[Seat, Colour], ...], per_size: int, first: Seat, van: Seat
) -> Setup:
    """Everybody plays one side, with `per_size` pyramids of each size."""
    options = (("per_size", str(per_size)), ("van", seat_name(van)))
    return Setup(colours, tuple((seat,) for seat, _ in colours), first, options)


class Evening:
    """A game of Gridlock as it is played at one table. `match` grows while `deeds` is walked."""

    def __init__(self, setup: Setup, rng: np.random.Generator, habits: Habits | None = None) -> None:
        self.match = Match.begun(game_named("gridlock"), setup)
        self._rng, self._habits = rng, habits or Habits()
        hands = self.match.game.hands(self.match.state).values()
        pieces = sum(count for hand in hands for _, count in hand)
        self._slips = planned_slips(pieces, self._habits, rng)

    def deeds(self) -> Iterator[Deed]:
        """Every deed until the game is over."""
        acted = 0
        while (seat := self.match.game.to_move(self.match.state)) is not None:
            if self._slips and self._slips[0] <= acted:
                slip = list(self._slip())
                yield from slip
                del self._slips[: 1 if slip else 0]
            move = choose(self.match.game, self.match.state, self._rng, self._habits.passes)
            before = self.match
            self.match = before.after(Play(move))
            acted += move.verb != "pass"
            if move.verb != "keep":
                yield self._played(before, move, seat)

    def scores(self) -> dict[Seat, int]:
        """The points of each side as the table lies."""
        return totals(self.match.game, self.match.state)

    def _layout(self) -> Layout:
        return self.match.game.layout(self.match.state)

    def _next(self) -> Seat:
        seat = self.match.game.to_move(self.match.state)
        if seat is not None:
            return seat
        sides = [side for side, _ in self.match.setup.colours]
        return sides[(sides.index(self.match.plays[-1].move.seat) + 1) % len(sides)]

    def _played(self, before: Match, move: Move, seat: Seat) -> Deed:
        was, now = before.game.layout(before.state), self._layout()
        turned: tuple[Cell, ...] = ()
        if move.verb == "drop":
            turned = fallen_in_reach(was, move)
        return Deed(Act.PLAYED, seat, move, was, now, self._next(), turned=turned)

    def _slip(self) -> Iterator[Deed]:
        wrong = wrong_move(self.match.game, self.match.state, self._rng)
        if wrong is None:
            return
        move, reason, hand = wrong
        was = self._layout()
        now = after_wrong(was, move)
        yield Deed(Act.WRONG, hand, move, was, now, self._next(), reason)
        yield Deed(Act.PUT_RIGHT, hand, move, now, was, self._next())


def planned_slips(pieces: int, habits: Habits, rng: np.random.Generator) -> list[int]:
    """After how many placements and drops a wrong action comes: one in three while placing, the rest after.

    >>> planned_slips(12, Habits(1, early=True), np.random.default_rng(1))
    [1]
    """
    placing = (habits.slips + 2) // 3
    first = [1] if habits.early and placing else []
    rest = placing - len(first)
    at = first + [int(n) for n in rng.integers(2, max(pieces, 3), rest)]
    at += [int(n) for n in rng.integers(pieces, max(2 * pieces - 2, pieces + 1), habits.slips - placing)]
    return sorted(at)


def totals(game: AnyGame, state: Any) -> dict[Seat, int]:
    """Points by side as the table lies; sides without any are left out."""
    points: dict[Seat, int] = {}
    for line in game.score(state):
        points[line.seat] = points.get(line.seat, 0) + line.points
    return points


def _lead(game: AnyGame, state: Any, seat: Seat) -> float:
    """How far a side is ahead of the best other."""
    points = totals(game, state)
    return points.get(seat, 0) - max((p for other, p in points.items() if other != seat), default=0)


def choose(game: AnyGame, state: Any, rng: np.random.Generator, passes: float = 0.25) -> Move:
    """A legal move: a pass sometimes, else a placement in good company, or the drop that leaves
    the side best off once the next has answered. The game must not be over."""
    moves: list[Move] = list(game.moves(state))
    passing = [move for move in moves if move.verb == "pass"]
    acting = [move for move in moves if move.verb not in ("pass", "keep")]
    if passing and (not acting or rng.random() < passes):
        return passing[0]
    if not acting:
        return moves[0]
    if acting[0].verb == "place":
        few = [acting[int(i)] for i in rng.choice(len(acting), min(_PLACES_WEIGHED, len(acting)), replace=False)]
        layout = game.layout(state)
        return few[int(np.argmax([company(layout, move) + rng.uniform(0, 0.9) for move in few]))]
    looks = [_lead(game, game.play(state, move), move.seat) + float(rng.uniform(0, 0.5)) for move in acting]
    best = sorted(range(len(acting)), key=lambda i: -looks[i])[:_CLOSER_LOOKS]
    worth = [_after_answer(game, state, acting[i]) + 0.01 * looks[i] for i in best]
    return acting[best[int(np.argmax(worth))]]


def _after_answer(game: AnyGame, state: Any, move: Move) -> float:
    """The side's lead after the best drop that the next side has against it."""
    then = game.play(state, move)
    answerer = game.to_move(then)
    if answerer is None or answerer == move.seat:
        return _lead(game, then, move.seat)
    answers = [game.play(then, m) for m in game.moves(then) if m.verb == "drop"]
    if not answers:
        return _lead(game, then, move.seat)
    return _lead(game, max(answers, key=lambda s: _lead(game, s, answerer)), move.seat)


def fallen_in_reach(layout: Layout, move: Move) -> tuple[Cell, ...]:
    """The fallen pieces that a drop reaches by the default readings: gaps are free, standing pieces use reach up."""
    cell, piece = move.target, move.piece
    if cell is None or piece is None:
        return ()
    col, row = AHEAD[move.seat]
    ahead = (Cell(cell.col + step * col, cell.row + step * row) for step in range(1, 8))
    reached = [there for there in ahead if there in layout.pieces][: REACH[piece.kind]]
    return tuple(sorted(there for there in reached if layout.pieces[there].facing is not None))


def company(layout: Layout, move: Move) -> float:
    """How promising a placement is: own pieces before and behind it in the line of pointing, others within reach
    of its fall, and not itself within the reach of another side's piece."""
    cell, piece = move.target, move.piece
    if cell is None or piece is None:
        return 0.0
    col, row = AHEAD[move.seat]
    worth = 0.0
    for side in (-1, 1):
        there = layout.pieces.get(Cell(cell.col + side * col, cell.row + side * row))
        worth += 1.5 if there is not None and there.colour == piece.colour else 0.0
    for step in range(1, REACH[piece.kind] + 1):
        there = layout.pieces.get(Cell(cell.col + step * col, cell.row + step * row))
        worth += 1.0 if there is not None and there.colour != piece.colour else 0.0
    inner = 3.5 - max(abs(cell.col - 3.5), abs(cell.row - 3.5))
    return worth + 0.15 * inner


def wrong_move(game: AnyGame, state: Any, rng: np.random.Generator) -> tuple[Move, str, Seat] | None:
    """Something the rules refuse, the reason's code, and whose hand does it; None where nothing offers itself."""
    seat = game.to_move(state)
    if seat is None:
        return None
    if game.phase(state) == "placement":
        kinds = [_out_of_turn]
    else:
        kinds = [_not_own, _wrong_direction]
        if rng.random() < 0.5:
            kinds.reverse()
    for kind in kinds:
        moves = kind(game, state, seat)
        if moves:
            move = moves[int(rng.integers(len(moves)))]
            reasons = game.judge(state, move).reasons
            return (move, reasons[0].code, move.seat) if reasons else None
    return None


def _out_of_turn(game: AnyGame, state: Any, seat: Seat) -> list[Move]:
    """Placements by sides whose turn it is not."""
    free = [c for c in _board() if c not in game.layout(state).pieces]
    return [
        Move(other, "place", Piece(kind, state.table.colours[other], None), None, cell)
        for other, hand in game.hands(state).items()
        if other != seat
        for kind, count in hand
        if count
        for cell in free
    ]


def _not_own(game: AnyGame, state: Any, seat: Seat) -> list[Move]:
    """Somebody else's standing piece, dropped the mover's way."""
    return [
        Move(seat, "drop", Piece(piece.kind, piece.colour, int(seat)), None, cell)
        for cell, piece in _standing(game, state)
        if piece.colour != state.table.colours[seat]
    ]


def _wrong_direction(game: AnyGame, state: Any, seat: Seat) -> list[Move]:
    """One's own standing piece, dropped another way."""
    return [
        Move(seat, "drop", Piece(piece.kind, piece.colour, facing), None, cell)
        for cell, piece in _standing(game, state)
        if piece.colour == state.table.colours[seat]
        for facing in range(4)
        if facing != seat
    ]


def _standing(game: AnyGame, state: Any) -> list[tuple[Cell, Piece]]:
    layout = game.layout(state)
    return [(c, p) for c, p in sorted(layout.pieces.items()) if c.zone == "board" and p.facing is None]


def _board() -> list[Cell]:
    return [Cell(col, row) for row in range(8) for col in range(8)]


def after_wrong(before: Layout, move: Move) -> Layout:
    """The table after a wrong action: just the one piece differs, nobody turns anything else."""
    if move.target is None or move.piece is None:
        return before
    return Layout({**before.pieces, move.target: move.piece})
