"""Why a move is refused: the codes, and the squares they speak of."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rules.game import Move, Reason
from rules.ido.geometry import DIRECTIONS, SIZES
from rules.ido.pushing import push_of
from rules.ido.state import FRAME, HOME_CELLS, OWNER, SIZE, State, block_at, frame_cell
from rules.ido.ways import HOME, walk, ways
from rules.words import Cell, Seat

START, STEP, SHIFT, DONE, PASS = "start", "step", "shift", "done", "pass"
LIFT, SWAP = "lift", "swap"
"""Never legal, but seen on tables: a block taken off the board, or another one standing in its place."""


def reasons_against(state: State, move: Move, must_pass: Callable[[State], bool]) -> tuple[Reason, ...]:
    """Why a move is refused; empty when it is legal. `must_pass` tells whether nothing else is possible."""
    if state.turn is None:
        return (Reason("over"),)
    if move.seat not in state.table.seats:
        return (Reason("no-such-seat"),)
    if move.seat != state.turn:  # what else may be wrong with it does not matter then
        return (Reason("out-of-turn", _place(move), move.seat),)
    found: list[Reason] = []
    match move.verb:
        case "start":
            found.extend(_against_start(state, move))
        case "step":
            found.extend(_against_step(state, move))
        case "shift":
            found.extend(_against_shift(state, move))
        case "done":
            if state.steps_left is None:
                found.append(Reason("no-step-yet", (), move.seat))
        case "pass":
            if state.steps_left is not None or not must_pass(state):
                found.append(Reason("must-act", (), move.seat))
        case "lift":
            found.append(Reason("lifted-block", _place(move)))
        case "swap":
            found.append(Reason("not-that-block", _place(move)))
        case _:
            found.append(Reason("no-such-action"))
    if not found and not _is_plain(move):
        found.append(Reason("malformed", _place(move)))
    return tuple(found)


def _is_plain(move: Move) -> bool:
    """Whether a move says no more than its kind may."""
    if move.path or move.taken or move.laid or move.note:
        return False
    return move.verb not in (DONE, PASS) or (move.piece, move.source, move.target) == (None, None, None)


def _place(move: Move) -> tuple[Cell, ...]:
    """The place a move is about: where it went, else where it came from; of a shift none."""
    cells = [cell for cell in (move.target, move.source) if cell is not None and cell.zone == "board"]
    return tuple(cells[:1])


def _against_start(state: State, move: Move) -> Iterator[Reason]:
    table, cell, block = state.table, move.target, move.piece
    at = () if cell is None else (cell,)
    square = None if cell is None else table.board.index.get(cell)
    if block is None or block.kind not in SIZES or block.facing is not None:
        yield Reason("no-such-block", at)
        return
    if square is None:
        yield Reason("off-board", at)
        return
    if block.colour != table.colours[move.seat]:
        yield Reason("not-own-block", at, move.seat)
        return
    if state.steps_left is not None:
        yield Reason("steps-begun", at, move.seat)
    size, field = SIZES.index(block.kind), table.board.at(state.offset)
    space = field.space_of[square]
    if not state.in_supply(move.seat, size):
        yield Reason("none-in-supply", at, move.seat)
    if state.squares[square]:
        yield Reason("square-taken", at)
    if field.spaces[space].fits != size:
        yield Reason(f"needs-{_SHAPES[size]}", at)
    elif space not in field.starts[move.seat][size]:
        yield Reason("not-at-start", at, move.seat)
    if move.source is not None:
        yield Reason("malformed", at)


_SHAPES = ("small-square", "rectangle")
"""By size: the shape of the spaces a block is moved on."""


def _against_step(state: State, move: Move) -> Iterator[Reason]:
    board = state.table.board
    here = None if move.source is None else board.index.get(move.source)
    if here is None or move.source is None:
        yield Reason("off-board", () if move.source is None else (move.source,))
        return
    code = state.squares[here]
    if not code:
        yield Reason("nothing-there", (move.source,))
    elif OWNER[code] != move.seat:
        yield Reason("not-own-block", (move.source,), move.seat)
    elif move.piece != block_at(state, move.source):
        yield Reason("not-that-block", (move.source,))
    elif move.target == HOME_CELLS[move.seat]:
        yield from _against_leaving(state, here, move.seat)
    elif move.target is None or move.target not in board.index:
        yield Reason("off-board", (move.source,))
    else:
        yield from _against_landing(state, here, move.target, move.seat)


def steps_of(state: State, seat: Seat) -> int:
    """How many steps a seat may still make: as many as it has blocks on the field when its turn begins."""
    return state.on_board(seat) if state.steps_left is None else state.steps_left


def _against_leaving(state: State, here: int, seat: Seat) -> Iterator[Reason]:
    table, at = state.table, (state.table.board.cells[here],)
    field, size = table.board.at(state.offset), SIZE[state.squares[here]]
    readings, budget = table.readings, steps_of(state, seat)
    if HOME in ways(field, state.squares, here, size, seat, budget, readings):
        return
    if HOME in ways(field, state.squares, here, size, seat, 99, readings):
        yield Reason("too-few-steps", at, seat)
    elif field.at_target[seat][field.space_of[here]]:
        yield Reason("leaves-own-shape", at, seat)
    else:
        yield Reason("not-at-target", at, seat)


def _against_landing(state: State, here: int, target: Cell, seat: Seat) -> Iterator[Reason]:
    table, squares = state.table, state.squares
    board = table.board
    there, at = board.index[target], (board.cells[here], target)
    field, size = board.at(state.offset), SIZE[squares[here]]
    space = field.space_of[there]
    if squares[there]:
        yield Reason("square-taken", (target,))
    if field.spaces[space].fits != size:
        yield Reason(f"needs-{_SHAPES[size]}", (target,))
    elif space == field.space_of[here]:
        yield Reason("same-space", at)
    elif not squares[there] and space not in ways(field, squares, here, size, seat, steps_of(state, seat),
                                                  table.readings):
        steps = walk(field, here, size, space)
        if steps is None:
            yield Reason("no-way", at)
        elif steps > steps_of(state, seat):
            yield Reason("too-few-steps", at, seat)
        else:
            yield Reason("several-steps", at)


def _against_shift(state: State, move: Move) -> Iterator[Reason]:
    table, target = state.table, move.target
    if move.piece != FRAME or move.source != frame_cell(*state.offset) or target is None or target.zone != "frame":
        yield Reason("malformed")
        return
    if state.steps_left is not None:
        yield Reason("steps-begun", (), move.seat)
    if state.shifted_by is not None:
        yield Reason("shift-after-shift", (), state.shifted_by)
    by, field = (target.col - state.offset[0], target.row - state.offset[1]), table.board.at(state.offset)
    if by not in DIRECTIONS or target.level:
        yield Reason("shift-not-by-one", ())
        return
    way = DIRECTIONS.index(by)
    if field.swept[way] is None:
        yield Reason("frame-off-field", ())
        return
    cells, push = table.board.cells, push_of(table.board, field, state.squares, way)
    if table.readings.chain_push == "refuse" and push.chained:
        yield Reason("chain-push", tuple(cells[square] for square in push.chained))
    elif move.note:
        yield Reason("wrongly-pushed", tuple(cells[square] for square in push.pushed))
