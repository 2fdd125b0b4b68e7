"""Gridlock's notation: one short word a move, legal or not.

    S:Lb4            south places a large piece on b4          S:Lb4/e     it was placed lying down, pointing east
    S:xb4            south drops its piece on b4               S:xb4/e     it fell to the east
    S:xb4[b5n b6-]   the drop, but just b5 was turned and b6 taken off; [] nothing was turned
    S:pass>W         south hands the van on to west; S:pass is read as to whom it must go
    S:keep           south, without pieces, keeps the van
    S:b4-c5  S:-b4  S:b4@e  S:b4@u    never legal: a piece moved, taken off, turned, stood up

Seats are S W N E, sizes s m l in capitals (S M L), facings n e s w, u is upright.
"""

from __future__ import annotations

import re

from rules.game import Move, NotationError
from rules.gridlock.moves import DROP_IT, KEEP, PASS, PLACE, REMOVE, SHIFT, TURN, pass_move, piece_at
from rules.gridlock.state import CELLS, INDEX, INDEX_NAMED, NAMES, SIZES, VAN, VAN_CELLS, State
from rules.words import SEATS, Cell, Piece, Seat

_SEAT_MARKS = "SWNE"
_SIZE_MARKS = "SML"
_FACING_MARKS = "nesw"

_SQUARE = "([a-h][1-8])"
_FACING = "(?:/([nesw]))?"
_NOTE = r"(\[[^\[\]]*\])?"
_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (PLACE, re.compile(f"([SML]){_SQUARE}{_FACING}{_NOTE}")),
    (DROP_IT, re.compile(f"x{_SQUARE}{_FACING}{_NOTE}")),
    (PASS, re.compile(f"pass(?:>([SWNE]))?{_NOTE}")),
    (KEEP, re.compile("keep")),
    (SHIFT, re.compile(f"{_SQUARE}-{_SQUARE}")),
    (REMOVE, re.compile(f"-{_SQUARE}")),
    (TURN, re.compile(f"{_SQUARE}@([neswu])")),
)


def square_name(cell: Cell) -> str:
    """The name players give a cell; a place of the van has its seat's letter.

    >>> square_name(Cell(1, 3)), square_name(Cell(2, 0, 0, "van"))
    ('b4', 'N')
    """
    if cell.zone == "van":
        return _SEAT_MARKS[cell.col] if 0 <= cell.col < 4 else "?"
    index = INDEX.get(cell)
    return f"({cell.col},{cell.row})" if index is None else NAMES[index]


def write(move: Move) -> str:
    """A move as a word; `read` gives every move back that `moves` or `guess` may name.

    >>> from rules.words import Colour
    >>> write(Move(Seat(0), "place", Piece("large", Colour("red")), None, Cell(1, 3)))
    'S:Lb4'
    """
    seat = _SEAT_MARKS[move.seat] if move.seat in SEATS else "?"
    target = "" if move.target is None else square_name(move.target)
    source = "" if move.source is None else square_name(move.source)
    piece = move.piece
    lie = "" if piece is None or piece.facing is None else f"/{_FACING_MARKS[piece.facing % 4]}"
    match move.verb:
        case "place":
            size = _SIZE_MARKS[SIZES.index(piece.kind)] if piece is not None and piece.kind in SIZES else "?"
            return f"{seat}:{size}{target}{lie}{move.note}"
        case "drop":
            if piece is not None and piece.facing == move.seat:
                lie = ""
            return f"{seat}:x{target}{lie}{move.note}"
        case "pass":
            return f"{seat}:pass>{target}{move.note}"
        case "shift":
            return f"{seat}:{source}-{target}"
        case "remove":
            return f"{seat}:-{source}"
        case "turn":
            return f"{seat}:{target}@{lie[1:] or 'u'}"
        case _:
            return f"{seat}:{move.verb}"


def read(text: str, state: State) -> Move:
    """The move a word stands for in this position, legal or not. Raises `NotationError`."""
    mark, colon, rest = text.strip().partition(":")
    if not colon or mark not in ("S", "W", "N", "E"):
        raise NotationError(f"wanted a seat (S, W, N, E) and a colon as in S:Lb4, found {text!r:.60}: correct the move")
    seat = Seat(_SEAT_MARKS.index(mark))
    for verb, shape in _SHAPES:
        if found := shape.fullmatch(rest):
            return _built(verb, seat, found, state)
    raise NotationError(
        f"wanted a move like S:Lb4 (place), S:xb4 (drop), S:pass or S:keep, found {text!r:.60}: correct the move"
    )


def _facing(mark: str | None) -> int | None:
    return None if mark is None or mark == "u" else _FACING_MARKS.index(mark)


def _built(verb: str, seat: Seat, found: re.Match[str], state: State) -> Move:
    colour = state.table.colours[seat]
    parts = found.groups()
    if verb == PLACE:
        size, square, lie, note = parts
        piece = Piece(SIZES[_SIZE_MARKS.index(size)], colour, _facing(lie))
        return Move(seat, verb, piece, None, CELLS[INDEX_NAMED[square]], note or "")
    if verb == DROP_IT:
        square, lie, note = parts
        index = INDEX_NAMED[square]
        facing = int(seat) if lie is None else _facing(lie)
        return Move(seat, verb, _lying(piece_at(state, index), facing), None, CELLS[index], note or "")
    if verb == PASS:
        to, note = parts
        target = pass_move(state.table, seat).target if to is None else VAN_CELLS[_SEAT_MARKS.index(to)]
        return Move(seat, verb, VAN, VAN_CELLS[state.van], target, note or "")
    if verb == SHIFT:
        here, there = (INDEX_NAMED[square] for square in parts)
        return Move(seat, verb, piece_at(state, here), CELLS[here], CELLS[there])
    if verb == REMOVE:
        index = INDEX_NAMED[parts[0]]
        return Move(seat, verb, piece_at(state, index), CELLS[index])
    if verb == TURN:
        index = INDEX_NAMED[parts[0]]
        return Move(seat, verb, _lying(piece_at(state, index), _facing(parts[1])), None, CELLS[index])
    return Move(seat, verb)


def _lying(piece: Piece | None, facing: int | None) -> Piece | None:
    return None if piece is None else Piece(piece.kind, piece.colour, facing)
