"""Ido, a game of blocks, a board of lines and a frame that shifts: `IDO` is its rules, whole and stateless."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rules.game import Facts, Move, Outcome, Reason, ScoreLine, Setup, Verdict
from rules.ido import guessing, moves, notation, reasons, scoring
from rules.ido import saved as saving
from rules.ido import state as positions
from rules.ido.blueprint import D1
from rules.ido.geometry import LARGE
from rules.ido.readings import OPTIONS
from rules.ido.state import State
from rules.words import Cell, Layout, Seat

__all__ = ["IDO", "Ido", "State"]


class Ido:
    """The rules of Ido as every room asks for them; see `rules.game.Game`. The facts tell of the default board."""

    facts = Facts("ido", "Ido", (2, 3, 4), (D1.squares, D1.squares), OPTIONS)

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

    def places(self, state: State, seen: Layout) -> Iterator[tuple[Cell, ...]]:
        """The two halves of each rectangle of the match's own board: a large block may be set down in either."""
        board = state.table.board
        for cell, piece in seen.pieces.items():
            if piece == positions.FRAME and {cell.col, cell.row} <= set(board.blueprint.offsets):
                for space in board.at((cell.col, cell.row)).spaces:
                    if space.fits == LARGE:
                        yield tuple(board.cells[square] for square in space.squares)

    def guess(self, state: State, seen: Layout) -> Sequence[Move]:
        return guessing.guess(state, seen)

    def phase(self, state: State) -> str:
        return positions.phase_of(state)

    def hands(self, state: State) -> Mapping[Seat, tuple[tuple[str, int], ...]]:
        return scoring.left_to_play(state)

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


IDO = Ido()
