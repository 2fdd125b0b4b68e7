"""Gridlock, a game of Looney pyramids on a chessboard: `GRIDLOCK` is its rules, whole and stateless."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rules.game import Facts, Move, Outcome, Reason, ScoreLine, Setup, Verdict
from rules.gridlock import guessing, moves, notation, reasons, scoring
from rules.gridlock import saved as saving
from rules.gridlock import state as positions
from rules.gridlock.readings import OPTIONS
from rules.gridlock.state import State
from rules.words import Cell, Layout, Seat

__all__ = ["GRIDLOCK", "Gridlock", "State"]


class Gridlock:
    """The rules of Gridlock as every room asks for them; see `rules.game.Game`."""

    facts = Facts("gridlock", "Gridlock", (2, 3, 4), (positions.SIDE, positions.SIDE), OPTIONS)

    def start(self, setup: Setup) -> State:
        return positions.start(setup)

    def to_move(self, state: State) -> Seat | None:
        return state.turn

    def moves(self, state: State) -> Iterable[Move]:
        return moves.moves(state)

    def judge(self, state: State, move: Move) -> Verdict:
        return moves.judge(state, move)

    def play(self, state: State, move: Move) -> State:
        return moves.play(state, move)

    def layout(self, state: State) -> Layout:
        return positions.layout_of(state)

    def places(self, state: State, seen: Layout) -> Iterable[tuple[Cell, ...]]:
        return ()

    def guess(self, state: State, seen: Layout) -> Sequence[Move]:
        return guessing.guess(state, seen)

    def phase(self, state: State) -> str:
        return state.phase

    def hands(self, state: State) -> Mapping[Seat, tuple[tuple[str, int], ...]]:
        return moves.left_to_play(state)

    def score(self, state: State) -> Sequence[ScoreLine]:
        return scoring.score(state)

    def outcome(self, state: State) -> Outcome | None:
        return scoring.outcome(state)

    def read(self, text: str, state: State) -> Move:
        return notation.read(text, state)

    def write(self, move: Move) -> str:
        return notation.write(move)

    def say(self, reason: Reason, language: str = "en") -> str:
        return reasons.say(reason, language)

    def remark(self, state: State, language: str = "en") -> str:
        return reasons.unopposed_remark(state.table.unopposed, language)

    def dump(self, state: State) -> Mapping[str, Any]:
        return saving.dump(state)

    def load(self, saved: Mapping[str, Any]) -> State:
        return saving.load(saved)


GRIDLOCK = Gridlock()
