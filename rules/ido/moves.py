"""What may be done, and what it does to the position."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from rules.game import IllegalMove, Move, Reason, Verdict
from rules.ido.geometry import DIRECTIONS, LARGE, SIZES, SMALL
from rules.ido.pushing import home_with, push_of, pushed_on
from rules.ido.refusals import DONE, PASS, SHIFT, START, STEP, reasons_against
from rules.ido.state import FRAME, HOME_CELLS, SIZE, State, Table, code_of, frame_cell
from rules.ido.ways import HOME, free_square, ways
from rules.words import Cell, Colour, Piece, Seat


@lru_cache(maxsize=4096)
def start_move(seat: Seat, colour: Colour, size: int, col: int, row: int) -> Move:
    """A block started on a square."""
    return Move(seat, START, Piece(SIZES[size], colour), None, Cell(col, row))


@lru_cache(maxsize=65536)
def step_move(seat: Seat, colour: Colour, size: int, squares: int, here: int, there: int) -> Move:
    """A block moved from a square to a square, or `HOME`, of a board with so many squares a side."""
    target = HOME_CELLS[seat] if there == HOME else Cell(there % squares, there // squares)
    return Move(seat, STEP, Piece(SIZES[size], colour), Cell(here % squares, here // squares), target)


@lru_cache(maxsize=4096)
def shift_move(seat: Seat, dx: int, dy: int, way: int) -> Move:
    """The frame shifted one square in a direction from where it lies at this offset."""
    sx, sy = DIRECTIONS[way]
    return Move(seat, SHIFT, FRAME, frame_cell(dx, dy), frame_cell(dx + sx, dy + sy))


def moves(state: State) -> Iterator[Move]:
    """Every legal move: starts, steps, shifts, then `done` after a step, or `pass` where there is nothing else.

    Of the squares of a space on which a block may come to stand the first empty one is listed.
    """
    seat = state.turn
    if seat is None:
        return
    found = False
    if state.steps_left is None:
        for move in (*_starts(state, seat), *_steps(state, seat), *_shifts(state, seat)):
            found = True
            yield move
        if not found:
            yield Move(seat, PASS)
    else:
        yield from _steps(state, seat)
        yield Move(seat, DONE)


def _starts(state: State, seat: Seat) -> Iterator[Move]:
    table, squares = state.table, state.squares
    field, cells = table.board.at(state.offset), table.board.cells
    for size in (SMALL, LARGE):
        if state.in_supply(seat, size) > 0:
            for space in field.starts[seat][size]:
                square = free_square(squares, field.spaces[space].squares)
                if square >= 0:
                    yield start_move(seat, table.colours[seat], size, cells[square].col, cells[square].row)


def own_blocks(squares: bytes, seat: int) -> Iterator[int]:
    """The squares on which a seat's blocks stand, the small ones first."""
    for size in (SMALL, LARGE):
        code = code_of(seat, size)
        square = squares.find(code)
        while square >= 0:
            yield square
            square = squares.find(code, square + 1)


def _steps(state: State, seat: Seat) -> Iterator[Move]:
    table, squares = state.table, state.squares
    budget = state.on_board(seat) if state.steps_left is None else state.steps_left
    field, n, colour = table.board.at(state.offset), table.board.blueprint.squares, table.colours[seat]
    for square in own_blocks(squares, seat):
        size = SIZE[squares[square]]
        for space in ways(field, squares, square, size, seat, budget, table.readings):
            there = HOME if space == HOME else free_square(squares, field.spaces[space].squares)
            yield step_move(seat, colour, size, n, square, there)


def _shifts(state: State, seat: Seat) -> Iterator[Move]:
    if state.shifted_by is not None:
        return
    table = state.table
    field = table.board.at(state.offset)
    for way in range(4):
        if field.swept[way] is None:
            continue
        if table.readings.chain_push == "refuse" and push_of(table.board, field, state.squares, way).chained:
            continue
        yield shift_move(seat, *state.offset, way)


def judge(state: State, move: Move) -> Verdict:
    """Legal, or every reason why not, the one that matters most first. Never raises."""
    return Verdict(move, reasons_against(state, move, must_pass))


def must_pass(state: State) -> bool:
    """Whether whoever begins a turn has nothing to do but to pass."""
    return next(moves(state)).verb == PASS


def play(state: State, move: Move) -> State:
    """The position after a legal move. Raises `IllegalMove` for any other."""
    reasons: tuple[Reason, ...] = reasons_against(state, move, must_pass)
    if reasons:
        codes = ", ".join(reason.code for reason in reasons)
        raise IllegalMove(f"wanted a legal move, found {move} ({codes}): ask `judge` first")
    index = state.table.board.index
    match move.verb:
        case "start" if move.target is not None and move.piece is not None:
            code = code_of(move.seat, SIZES.index(move.piece.kind))
            squares = _with(state.squares, index[move.target], code)
            return _turn_over(state, squares, state.offset, state.home, False)
        case "step" if move.source is not None and move.target is not None:
            there = HOME if move.target == HOME_CELLS[move.seat] else index[move.target]
            return _stepped(state, move.seat, index[move.source], there)
        case "shift" if move.target is not None:
            return _shifted(state, (move.target.col, move.target.row))
        case _:
            return _turn_over(state, state.squares, state.offset, state.home, False)


def _with(squares: bytes, square: int, code: int) -> bytes:
    return squares[:square] + bytes((code,)) + squares[square + 1 :]


def _stepped(state: State, seat: Seat, here: int, there: int) -> State:
    """The position after a step; the turn ends by itself when no further one is possible."""
    table, squares, home = state.table, state.squares, state.home
    budget = state.on_board(seat) if state.steps_left is None else state.steps_left
    field, code = table.board.at(state.offset), squares[here]
    cost = ways(field, squares, here, SIZE[code], seat, budget, table.readings)
    left = budget - cost[HOME if there == HOME else field.space_of[there]]
    after = _with(squares, here, 0)
    if there == HOME:
        home = home_with(home, squares, (here,), table.readings)
        if len(home[seat]) >= table.readings.goal:
            return _turn_over(state, after, state.offset, home, False)
    else:
        after = _with(after, there, code)
    stepped = State(after, state.offset, home, left, state.shifted_by, seat, table)
    if can_step(stepped, seat, left):
        return stepped
    return _turn_over(state, after, state.offset, home, False)


def can_step(state: State, seat: Seat, budget: int) -> bool:
    """Whether any of a seat's blocks may be moved with so many steps."""
    field, squares, readings = state.table.board.at(state.offset), state.squares, state.table.readings
    return any(
        ways(field, squares, square, SIZE[squares[square]], seat, budget, readings)
        for square in own_blocks(squares, seat)
    )


def _shifted(state: State, offset: tuple[int, int]) -> State:
    """The position after a shift; the blocks that it pushes over their own target are home, even another seat's."""
    table, squares = state.table, state.squares
    way = DIRECTIONS.index((offset[0] - state.offset[0], offset[1] - state.offset[1]))
    push = push_of(table.board, table.board.at(state.offset), squares, way)
    home = home_with(state.home, squares, push.crossed, table.readings)
    return _turn_over(state, pushed_on(table.board, squares, push, way), offset, home, True)


def _turn_over(
    state: State, squares: bytes, offset: tuple[int, int], home: tuple[tuple[str, ...], ...], shifted: bool
) -> State:
    """The position with the turn at the next seat, or the game over if somebody has reached the goal."""
    table, seat = state.table, state.turn
    if seat is None or any(len(theirs) >= table.readings.goal for theirs in home):
        return State(squares, offset, home, None, None, None, table)
    by = seat if shifted else _still_keeps(table, seat, state.shifted_by)
    return State(squares, offset, home, None, by, table.after(seat), table)


def _still_keeps(table: Table, seat: Seat, shifted_by: Seat | None) -> Seat | None:
    """Whose shift keeps the next player from shifting once this seat's turn is over: with two players a shift is
    remembered through the opponent's turn and the shifter's own next one, else through the next turn only."""
    return shifted_by if len(table.seats) == 2 and seat != shifted_by else None
