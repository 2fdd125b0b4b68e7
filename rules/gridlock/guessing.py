"""What players may have meant by a table that no legal move explains."""

from __future__ import annotations

from collections.abc import Sequence

from rules.game import Move
from rules.gridlock.moves import DROP_IT, PASS, PLACE, REMOVE, SHIFT, TURN, reasons_against, turned_by
from rules.gridlock.state import (
    DROP,
    INDEX,
    NAMES,
    PLACEMENT,
    SIZES,
    VAN,
    VAN_CELLS,
    State,
    layout_of,
)
from rules.words import Change, Layout, Seat

_MARKS = "nesw"


def guess(state: State, seen: Layout) -> Sequence[Move]:
    """Moves that may have led to `seen`, none of them legal, likeliest first; none when nothing changed,
    when the game is over, or when the table makes no sense as a move.

    A van that is not seen (in somebody's hand) counts as not moved.
    """
    if state.turn is None:
        return ()
    squares: list[Change] = []
    van_at: list[Seat] = []
    for change in layout_of(state).changes_to(seen):
        if change.cell in INDEX:
            squares.append(change)
        elif change.cell in VAN_CELLS and change.after is not None:
            van_at.append(Seat(change.cell.col))
    candidates: list[Move] = []
    if van_at:
        note = _note(squares) if squares else ""
        candidates.extend(Move(state.van, PASS, VAN, VAN_CELLS[state.van], VAN_CELLS[to], note) for to in van_at)
    candidates.extend(_of_squares(state, state.turn, squares))
    return tuple(move for move in dict.fromkeys(candidates) if reasons_against(state, move))


def _of_squares(state: State, turn: Seat, changes: list[Change]) -> list[Move]:
    """Guesses from the squares alone. A drop explains pieces turned beside it, a placement does not."""
    fallen = [change for change in changes if _is_fallen(change)]
    placed = [c for c in changes if c.after is not None and (c.before is None or not _is_same_piece(c))]
    gone = [change for change in changes if change.after is None]
    lain = [c for c in changes if _is_same_piece(c) and c not in fallen]
    moved = [
        Move(turn, SHIFT, left.before, left.cell, came.cell)
        for left in gone
        for came in placed
        if came.before is None and left.before is not None and came.after is not None
        if (left.before.kind, left.before.colour) == (came.after.kind, came.after.colour)
    ]
    if moved:
        return moved
    found: list[Move] = []
    found.extend(_drops(state, turn, fallen, changes))
    found.extend(_placements(state, turn, placed))
    if not found:
        found.extend(Move(turn, TURN, change.after, None, change.cell) for change in lain)
        found.extend(Move(turn, REMOVE, change.before, change.cell) for change in gone)
    return found


def _is_same_piece(change: Change) -> bool:
    before, after = change.before, change.after
    return before is not None and after is not None and (before.kind, before.colour) == (after.kind, after.colour)


def _is_fallen(change: Change) -> bool:
    return (
        _is_same_piece(change)
        and change.before is not None
        and change.before.facing is None
        and change.after is not None
        and change.after.facing is not None
    )


def _drops(state: State, turn: Seat, fallen: list[Change], changes: list[Change]) -> list[Move]:
    """Other people's pieces first: they are wrong whatever else was done. Then one's own, wrongly pointed;
    then one's own, rightly pointed, with what was turned in the note."""
    others: list[Move] = []
    askew: list[Move] = []
    right: list[Move] = []
    for change in fallen:
        piece = change.after
        if piece is None:
            continue
        move = Move(turn, DROP_IT, piece, None, change.cell)
        if piece.colour != state.table.colours[turn]:
            others.append(move)
        elif piece.facing != turn:
            askew.append(move)
        else:
            rest = [other for other in changes if other is not change]
            right.append(_with_turned(state, move, rest))
    return [*others, *askew, *right]


def _with_turned(state: State, move: Move, rest: list[Change]) -> Move:
    """The drop with a note of what changed beside it, where that is not just what must."""
    if state.phase != DROP or move.target is None:
        return move
    wanted = dict.fromkeys(turned_by(state.board, INDEX[move.target], move.seat, state.table.readings), move.seat)
    seen = {INDEX[c.cell]: None if c.after is None or not _is_same_piece(c) else c.after.facing for c in rest}
    if seen == wanted:
        return move
    return Move(move.seat, move.verb, move.piece, None, move.target, _note(rest))


def _placements(state: State, turn: Seat, placed: list[Change]) -> list[Move]:
    """Each new piece as a placement by the side whose colour it has; all by the side to move, in one move."""
    found: list[Move] = []
    own: list[Move] = []
    for change in placed:
        piece = change.after
        owner = None if piece is None else state.table.owner_of(piece.colour)
        if piece is None or owner is None or piece.kind not in SIZES:
            continue
        move = Move(owner, PLACE, piece, None, change.cell)
        (own if owner == turn else found).append(move)
    if state.phase == PLACEMENT and len(own) > 1 and not found:
        first = own[0]
        others = [change for change in placed if change.cell != first.target]
        return [Move(first.seat, PLACE, first.piece, None, first.target, _note(others))]
    return [*found, *own]


def _note(changes: list[Change]) -> str:
    """What else changed, for the notation: each square with how its piece lies now, `u` upright, `-` gone."""
    words = []
    for change in changes:
        piece = change.after
        mark = "-" if piece is None else "u" if piece.facing is None else _MARKS[piece.facing % 4]
        words.append(f"{NAMES[INDEX[change.cell]]}{mark}")
    return f"[{' '.join(words)}]"
