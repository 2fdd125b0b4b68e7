"""Ido's notation: one short word a move, legal or not.

    S:s5,0           south starts a small block on the square 5,0 (x to the east, y to the north, from 0)
    S:L5,0           a large one
    S:5,0-5,1        south moves its block from 5,0 to 5,1
    S:0,6-home       over its own target
    S:>n             south shifts the frame to the north (n e s w); S:>n[2,7,3,7] but not just what must was pushed
    S:done           south ends its turn after a step
    S:pass           south can do nothing
    S:-5,0           never legal: a block taken off the board
    S:5,0=LN         never legal: another block, north's large one, stands where one was

Seats are S W N E, sizes s and L.
"""

from __future__ import annotations

import re

from rules.game import Move, NotationError
from rules.ido.geometry import DIRECTIONS, SIZES
from rules.ido.refusals import DONE, LIFT, PASS, SHIFT, START, STEP, SWAP
from rules.ido.state import FRAME, HOME_CELLS, State, block_at, frame_cell
from rules.words import SEATS, Cell, Piece, Seat

_SEAT_MARKS = "SWNE"
_SIZE_MARKS = "sL"
_WAY_MARKS = "nesw"

_SQUARE = r"(\d{1,3},\d{1,3})"
_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (START, re.compile(f"([sL]){_SQUARE}", re.ASCII)),
    (STEP, re.compile(f"{_SQUARE}-(?:{_SQUARE}|(home))", re.ASCII)),
    (SHIFT, re.compile(r">([nesw])([nesw]*)(\[[0-9,]*\])?", re.ASCII)),
    (DONE, re.compile("done")),
    (PASS, re.compile("pass")),
    (LIFT, re.compile(f"-{_SQUARE}", re.ASCII)),
    (SWAP, re.compile(f"{_SQUARE}=([sL])([SWNE])", re.ASCII)),
)


def square_name(cell: Cell) -> str:
    """The name players give a cell.

    >>> square_name(Cell(5, 0)), square_name(HOME_CELLS[2])
    ('5,0', 'home')
    """
    if cell.zone == "home":
        return "home"
    return f"{cell.col},{cell.row}" if cell.zone == "board" else f"({cell.col},{cell.row})"


def write(move: Move) -> str:
    """A move as a word; `read` gives every move back that `moves` or `guess` may name.

    Whose block stands in another's place is told by `Move.note`, the seat's letter.

    >>> from rules.words import Colour
    >>> write(Move(Seat(0), "start", Piece("large", Colour("red")), None, Cell(5, 0)))
    'S:L5,0'
    """
    seat = _SEAT_MARKS[move.seat] if move.seat in SEATS else "?"
    source = "" if move.source is None else square_name(move.source)
    target = "" if move.target is None else square_name(move.target)
    match move.verb:
        case "start":
            return f"{seat}:{_size_mark(move.piece)}{target}"
        case "step":
            return f"{seat}:{source}-{target}"
        case "shift":
            return f"{seat}:>{_ways(move)}{move.note}"
        case "lift":
            return f"{seat}:-{source}"
        case "swap":
            return f"{seat}:{target}={_size_mark(move.piece)}{move.note}"
        case _:
            return f"{seat}:{move.verb}"


def _size_mark(piece: Piece | None) -> str:
    return _SIZE_MARKS[SIZES.index(piece.kind)] if piece is not None and piece.kind in SIZES else "?"


def _ways(move: Move) -> str:
    """The squares the frame went, each by its direction: one for a legal shift."""
    if move.source is None or move.target is None:
        return "?"
    dx, dy = move.target.col - move.source.col, move.target.row - move.source.row
    return ("e" if dx > 0 else "w") * abs(dx) + ("n" if dy > 0 else "s") * abs(dy) or "?"


def read(text: str, state: State) -> Move:
    """The move a text of `write` stands for in this position. Raises `NotationError`."""
    mark, colon, rest = text.strip().partition(":")
    if colon and len(mark) == 1 and mark in _SEAT_MARKS:
        seat = SEATS[_SEAT_MARKS.index(mark)]
        for verb, shape in _SHAPES:
            if found := shape.fullmatch(rest):
                return _built(verb, seat, found, state)
    raise NotationError(
        "wanted a move like S:s5,0 (start), S:5,0-5,1 (step), S:0,6-home, S:>n (shift), S:done or S:pass, "
        f"found {text!r:.60}: correct the move"
    )


def _cell(text: str) -> Cell:
    col, _, row = text.partition(",")
    return Cell(int(col), int(row))


def _built(verb: str, seat: Seat, found: re.Match[str], state: State) -> Move:
    parts = found.groups()
    if verb == START:
        return Move(seat, verb, Piece(_size(parts[0]), state.table.colours[seat]), None, _cell(parts[1]))
    if verb == STEP:
        source = _cell(parts[0])
        return Move(seat, verb, block_at(state, source), source, HOME_CELLS[seat] if parts[2] else _cell(parts[1]))
    if verb == SHIFT:
        dx, dy = state.offset
        steps = [DIRECTIONS[_WAY_MARKS.index(mark)] for mark in parts[0] + parts[1]]
        target = frame_cell(dx + sum(sx for sx, _ in steps), dy + sum(sy for _, sy in steps))
        return Move(seat, verb, FRAME, frame_cell(dx, dy), target, parts[2] or "")
    if verb == LIFT:
        source = _cell(parts[0])
        return Move(seat, verb, block_at(state, source), source)
    if verb == SWAP:
        return swap_move(state, seat, _size(parts[1]), SEATS[_SEAT_MARKS.index(parts[2])], _cell(parts[0]))
    return Move(seat, verb)


def _size(mark: str) -> str:
    return SIZES[_SIZE_MARKS.index(mark)]


def swap_move(state: State, seat: Seat, size: str, owner: Seat, cell: Cell) -> Move:
    """A block of another seat, or of another size, that stands where one was; never legal."""
    return Move(seat, SWAP, Piece(size, state.table.colours[owner]), None, cell, _SEAT_MARKS[owner])
