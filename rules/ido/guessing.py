"""What players may have meant by a board that no legal move explains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rules.game import Move
from rules.ido.geometry import DIRECTIONS, SIZES
from rules.ido.moves import must_pass
from rules.ido.notation import square_name, swap_move
from rules.ido.pushing import push_of, pushed_on
from rules.ido.refusals import LIFT, SHIFT, START, STEP, reasons_against
from rules.ido.state import FRAME, HOME_CELLS, State, blocks_by_code, frame_cell, layout_of
from rules.words import SEATS, Cell, Change, Layout, Piece, Seat


def guess(state: State, seen: Layout) -> Sequence[Move]:
    """Moves that may have led to `seen`, none of them legal, likeliest first; none when nothing changed, when the
    game is over, or when the board makes no sense as a move.

    A frame that is not seen counts as not moved, and which way a block is turned does not matter.
    """
    if state.turn is None:
        return ()
    table = {
        cell: Piece(piece.kind, piece.colour) if cell in state.table.board.index else piece
        for cell, piece in seen.pieces.items()
    }
    changes = list(layout_of(state).changes_to(Layout(table)))
    frames = [change.cell for change in changes if change.cell.zone == "frame" and change.after == FRAME]
    blocks = [change for change in changes if change.cell in state.table.board.index]
    if frames:
        found = [_shift(state, state.turn, cell, table) for cell in frames]
    else:
        found = list(_of_blocks(state, state.turn, blocks))
    return tuple(move for move in dict.fromkeys(found) if reasons_against(state, move, must_pass))


def _shift(state: State, turn: Seat, target: Cell, seen: dict[Cell, Piece]) -> Move:
    """The shift, with a note of the squares that look otherwise than it must leave them."""
    board, offset = state.table.board, state.offset
    by = (target.col - offset[0], target.row - offset[1])
    note = ""
    if by in DIRECTIONS:
        field, way = board.at(offset), DIRECTIONS.index(by)
        push = push_of(board, field, state.squares, way)
        meaning = blocks_by_code(state.table.colours)
        must = [meaning[code] for code in pushed_on(board, state.squares, push, way)]
        wrong = [cell for cell, block in zip(board.cells, must, strict=True) if seen.get(cell) != block]
        note = f"[{','.join(square_name(cell) for cell in wrong)}]" if wrong else ""
    return Move(turn, SHIFT, FRAME, frame_cell(*offset), frame_cell(*(target.col, target.row)), note)


def _owner(state: State, block: Piece | None) -> Seat | None:
    """The seat whose block this is."""
    if block is None or block.kind not in SIZES or not block.colour or block.colour not in state.table.colours:
        return None
    return SEATS[state.table.colours.index(block.colour)]


def _of_blocks(state: State, turn: Seat, changes: list[Change]) -> Iterator[Move]:
    """Blocks that went from one square to another; else those that came, that stand in another's place, that left."""
    left = [change for change in changes if change.before is not None]
    came = [change for change in changes if change.after is not None]
    walked: set[Cell] = set()
    for change in left:
        for other in came:
            owner = _owner(state, change.before)
            if owner is not None and change.before == other.after and other.before is None:
                walked |= {change.cell, other.cell}
                yield Move(owner, STEP, change.before, change.cell, other.cell)
    for change in came:
        owner = _owner(state, change.after)
        if owner is None or change.after is None or change.cell in walked:
            continue
        if change.before is None:
            yield Move(owner, START, change.after, None, change.cell)
        else:
            yield swap_move(state, turn, change.after.kind, owner, change.cell)
    for change in left:
        if change.after is None and change.cell not in walked:
            yield from _gone(state, turn, change)


def _gone(state: State, turn: Seat, change: Change) -> Iterator[Move]:
    """A block that is on the board no more: taken home too early if it stood at its target, else just lifted."""
    board, owner = state.table.board, _owner(state, change.before)
    space = board.at(state.offset).space_of[board.index[change.cell]]
    if owner is not None and board.at(state.offset).at_target[owner][space]:
        yield Move(owner, STEP, change.before, change.cell, HOME_CELLS[owner])
    else:
        yield Move(turn, LIFT, change.before, change.cell)
