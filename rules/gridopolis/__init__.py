"""Gridopolis: `GRIDOPOLIS` is its rules, whole and stateless."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rules.game import Facts, Move, Outcome, Reason, ScoreLine, Setup, Verdict
from rules.gridopolis import guessing, moves, notation, reasons, scoring, starting
from rules.gridopolis import saved as saving
from rules.gridopolis import state as positions
from rules.gridopolis.readings import OPTIONS
from rules.gridopolis.state import State
from rules.words import Cell, Layout, Seat

__all__ = ["GRIDOPOLIS", "Gridopolis", "State"]


class Gridopolis:
    """The rules of Gridopolis as every room asks for them; see `rules.game.Game`."""

    facts = Facts("gridopolis", "Gridopolis", (2, 3, 4), (7, 7), OPTIONS)

    def start(self, setup: Setup) -> State:
        return starting.start(setup)

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
        if state.turn is None:
            return "over"
        return "second-move" if state.mover else "turn"

    def hands(self, state: State) -> Mapping[Seat, tuple[tuple[str, int], ...]]:
        return positions.in_hand(state)

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
        return ""

    def dump(self, state: State) -> Mapping[str, Any]:
        return saving.dump(state)

    def load(self, saved: Mapping[str, Any]) -> State:
        return saving.load(saved)


GRIDOPOLIS = Gridopolis()
