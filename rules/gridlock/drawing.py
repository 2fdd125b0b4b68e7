"""A Gridlock position as lines of text, for the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rules.gridlock.moves import left_to_play
from rules.gridlock.state import SIDE, State, layout_of
from rules.words import Cell, Colour, Layout, Piece, seat_name

_ARROWS = "^>v<"


def drawing(state: State) -> list[str]:
    """The board, the far row first, then what each side has left and where the Mystery Machine stands."""
    colours = [state.table.colours[seat] for seat in state.table.seats]
    marks = colour_marks(colours)
    lines = board_lines(layout_of(state), (SIDE, SIDE), marks)
    for seat, left in left_to_play(state).items():
        colour = state.table.colours[seat]
        pieces = ", ".join(f"{count} {kind}" for kind, count in left)
        lines.append(f"{seat_name(seat):5} {marks[colour]} {colour}: {pieces} left")
    lines.append(f"The van is at {seat_name(state.van)}.")
    return lines


def colour_marks(colours: Iterable[Colour]) -> dict[Colour, str]:
    """A letter for each colour: its first one that no colour before it has taken.

    >>> "".join(colour_marks(Colour(c) for c in ("black", "blue", "red", "green")).values())
    'blrg'
    """
    marks: dict[Colour, str] = {}
    for colour in colours:
        letters = [letter for letter in colour.lower() if letter.isalpha()]
        free = [letter for letter in [*letters, *"abcdefghijklmnopqrstuvwxyz"] if letter not in marks.values()]
        marks[colour] = free[0]
    return marks


def board_lines(layout: Layout, board: tuple[int, int], marks: dict[Colour, str]) -> list[str]:
    """The board as text, the far row first. A piece is its colour's letter, its kind's in capitals, and an
    arrow where it points; `o` where it stands.

    >>> board_lines(Layout({Cell(1, 0): Piece("large", Colour("red"), 0)}), (2, 1), {Colour("red"): "r"})
    ['1   .  rL^', '   a   b  ']
    """
    columns, rows = board
    lines = []
    for row in reversed(range(rows)):
        words = [_square(layout.pieces.get(Cell(col, row)), marks) for col in range(columns)]
        lines.append(f"{row + 1}  {' '.join(words)}")
    lines.append("   " + " ".join(f"{chr(ord('a') + col)}  " for col in range(columns)))
    return lines


def _square(piece: Piece | None, marks: dict[Colour, str]) -> str:
    if piece is None:
        return " . "
    lie = "o" if piece.facing is None else _ARROWS[piece.facing % 4]
    return f"{marks.get(piece.colour, '?')}{piece.kind[:1].upper()}{lie}"
