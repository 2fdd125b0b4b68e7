"""What may be done, what a move does to the position, and why a move is refused."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from rules.game import IllegalMove, Move, Reason, Verdict
from rules.gridlock.readings import Readings
from rules.gridlock.state import (
    CELLS,
    DROP,
    INDEX,
    LIE,
    OVER,
    OWNER,
    PLACEMENT,
    SIZE,
    SIZES,
    SQUARES,
    VAN,
    VAN_CELLS,
    State,
    Table,
    code_of,
    pieces_by_code,
)
from rules.words import SEATS, Colour, Piece, Seat

PLACE, DROP_IT, PASS, KEEP = "place", "drop", "pass", "keep"
SHIFT, REMOVE, TURN = "shift", "remove", "turn"
"""Never legal, but seen on tables: a piece moved, taken off, or turned (stood up) by hand."""


def _ray(index: int, facing: int) -> tuple[int, ...]:
    col, row = index % 8, index // 8
    step_col, step_row = ((0, 1), (1, 0), (0, -1), (-1, 0))[facing]
    squares = []
    while 0 <= (col := col + step_col) < 8 and 0 <= (row := row + step_row) < 8:
        squares.append(row * 8 + col)
    return tuple(squares)


RAYS: tuple[tuple[tuple[int, ...], ...], ...] = tuple(tuple(_ray(i, f) for i in range(SQUARES)) for f in range(4))
"""By facing and square: the squares ahead, nearest first. A seat's pieces point away from it, and the
facings are numbered so that a seat's number is its facing."""

_UPRIGHT: tuple[frozenset[int], ...] = tuple(
    frozenset(code for code in range(1, 61) if OWNER[code] == seat and LIE[code] == 0) for seat in range(4)
)


def turned_by(board: bytes, index: int, seat: Seat, readings: Readings) -> list[int]:
    """The squares whose pieces a drop on square `index` by `seat` turns: those that lie within reach and do
    not point the seat's way already. Reach is 1, 2 or 3 pieces by size (B1 to B5)."""
    reach = SIZE[board[index]] + 1
    turned: list[int] = []
    for ahead in RAYS[seat][index]:
        code = board[ahead]
        if not code:
            if readings.gaps == "stop":
                break
            if readings.gaps == "skip":
                continue
        elif LIE[code] == 0:
            if readings.upright == "blocks":
                break
            if readings.upright == "skipped":
                continue
        elif LIE[code] != seat + 1:
            turned.append(ahead)
        reach -= 1
        if not reach:
            break
    return turned


def has_pieces(board: bytes, hands: tuple[tuple[int, int, int], ...], phase: str, seat: Seat) -> bool:
    """Whether a seat has anything left to place, or to drop."""
    if phase == PLACEMENT:
        return hands[seat] != (0, 0, 0)
    return not _UPRIGHT[seat].isdisjoint(board)


@lru_cache(maxsize=1024)
def _places(seat: Seat, colour: Colour, size: int) -> tuple[Move, ...]:
    piece = Piece(SIZES[size], colour, None)
    return tuple(Move(seat, PLACE, piece, None, cell) for cell in CELLS)


@lru_cache(maxsize=1024)
def _drops(seat: Seat, colour: Colour, size: int) -> tuple[Move, ...]:
    piece = Piece(SIZES[size], colour, int(seat))
    return tuple(Move(seat, DROP_IT, piece, None, cell) for cell in CELLS)


def pass_move(table: Table, holder: Seat) -> Move:
    """The holder hands the Mystery Machine to the next side in play, with pieces left or not (B11)."""
    return Move(holder, PASS, VAN, VAN_CELLS[holder], VAN_CELLS[table.after(holder)])


def moves(state: State) -> Iterator[Move]:
    """Every legal move: placements or drops by square, then the pass; `keep` only where there is nothing else."""
    seat = state.turn
    if seat is None:
        return
    colour = state.table.colours[seat]
    acted = False
    if state.phase == PLACEMENT:
        tables = [_places(seat, colour, size) for size in range(3) if state.hands[seat][size]]
        acted = bool(tables)
        for index, code in enumerate(state.board):
            if not code:
                for table in tables:
                    yield table[index]
    else:
        mine = _UPRIGHT[seat]
        for index, code in enumerate(state.board):
            if code in mine:
                acted = True
                yield _drops(seat, colour, SIZE[code])[index]
    if not acted:
        yield Move(seat, KEEP)
    if state.van == seat and not state.just_handed:
        yield pass_move(state.table, seat)


def judge(state: State, move: Move) -> Verdict:
    """Legal, or every reason why not, the one that matters most first. Never raises."""
    return Verdict(move, reasons_against(state, move))


def reasons_against(state: State, move: Move) -> tuple[Reason, ...]:
    """Why a move is refused; empty when it is legal."""
    if state.turn is None:
        return (Reason("over"),)
    if move.seat not in SEATS or not state.table.colours[move.seat]:
        return (Reason("no-such-seat"),)
    if move.seat != state.turn:  # what else may be wrong with it does not matter then
        return (Reason("out-of-turn", () if move.target is None else (move.target,), move.seat),)
    found: list[Reason] = []
    match move.verb:
        case "place":
            found.extend(_against_place(state, move))
        case "drop":
            found.extend(_against_drop(state, move))
        case "pass":
            found.extend(_against_pass(state, move))
        case "keep":
            if has_pieces(state.board, state.hands, state.phase, move.seat):
                found.append(Reason("must-act", (), move.seat))
            elif any((move.piece, move.source, move.target, move.note)):
                found.append(Reason("malformed"))
        case "shift":
            found.append(Reason("moved-piece", tuple(c for c in (move.source, move.target) if c is not None)))
        case "remove":
            found.append(Reason("removed-piece", () if move.source is None else (move.source,)))
        case "turn":
            code = "stood-up" if move.piece is not None and move.piece.facing is None else "turned-by-hand"
            found.append(Reason(code, () if move.target is None else (move.target,)))
        case _:
            found.append(Reason("no-such-action"))
    if not found and (move.path or move.taken or move.laid):  # words of other games
        found.append(Reason("malformed"))
    return tuple(found)


def _against_place(state: State, move: Move) -> Iterator[Reason]:
    seat, piece, cell = move.seat, move.piece, move.target
    at = () if cell is None else (cell,)
    index = None if cell is None else INDEX.get(cell)
    if piece is None or piece.kind not in SIZES:
        yield Reason("no-such-piece", at)
        return
    if index is None:
        yield Reason("off-board", at)
        return
    if state.phase != PLACEMENT:
        yield Reason("wrong-phase", at, state.turn)
        return
    if piece.colour != state.table.colours[seat]:
        owner = state.table.owner_of(piece.colour)
        yield Reason("not-own-piece", at) if owner is None else Reason("out-of-turn", at, owner)
        return
    if not state.hands[seat][SIZES.index(piece.kind)]:
        yield Reason("not-in-hand", at, seat)
    if piece.facing is not None:
        yield Reason("lying-down", at)
    if state.board[index]:
        yield Reason("square-taken", at)
    if move.note:
        yield Reason("one-a-turn", at)
    if move.source is not None:
        yield Reason("malformed", at)


def _against_drop(state: State, move: Move) -> Iterator[Reason]:
    seat, piece, cell = move.seat, move.piece, move.target
    at = () if cell is None else (cell,)
    index = None if cell is None else INDEX.get(cell)
    if index is None:
        yield Reason("off-board", at)
        return
    code = state.board[index]
    if not code:
        yield Reason("nothing-there", at)
        return
    if state.phase != DROP:
        yield Reason("wrong-phase", at, state.turn)
        return
    if LIE[code]:
        yield Reason("already-fallen", at)
        return
    if OWNER[code] != seat:  # whichever way it points: that it is another's is the reason
        yield Reason("not-own-piece", at, Seat(OWNER[code]))
        return
    if piece is None or piece.kind != SIZES[SIZE[code]] or piece.colour != state.table.colours[seat]:
        yield Reason("not-that-piece", at)
    elif piece.facing != seat:
        yield Reason("wrong-direction", at, seat)
    elif move.note:
        turned = turned_by(state.board, index, seat, state.table.readings)
        yield Reason("wrong-turned", (*at, *(CELLS[i] for i in turned)), seat)
    if move.source is not None:
        yield Reason("malformed", at)


def _against_pass(state: State, move: Move) -> Iterator[Reason]:
    seat = move.seat
    if state.van != seat:
        yield Reason("not-holder", (VAN_CELLS[state.van],), state.van)
        return
    proper = pass_move(state.table, seat)
    if state.just_handed:
        yield Reason("just-handed", (VAN_CELLS[seat],), seat)
    if move.target != proper.target:
        yield Reason("wrong-neighbour", (VAN_CELLS[seat],), state.table.after(seat))
    elif move.note:
        yield Reason("one-a-turn", (VAN_CELLS[seat],), seat)
    elif move != proper:
        yield Reason("malformed")


def play(state: State, move: Move) -> State:
    """The position after a legal move. Raises `IllegalMove` for any other."""
    reasons = reasons_against(state, move)
    if reasons:
        codes = ", ".join(reason.code for reason in reasons)
        raise IllegalMove(f"wanted a legal move, found {move} ({codes}): ask `judge` first")
    seat, board, hands = move.seat, state.board, state.hands
    match move.verb:
        case "place" if move.target is not None and move.piece is not None:
            size = SIZES.index(move.piece.kind)
            board = _with(board, INDEX[move.target], code_of(seat, size, None))
            left = list(hands[seat])
            left[size] -= 1
            hands = (*hands[:seat], (left[0], left[1], left[2]), *hands[seat + 1 :])
        case "drop" if move.target is not None:
            board = board_after_drop(board, INDEX[move.target], seat, state.table.readings)
        case "pass":
            return _handed_on(state, board, hands, state.table.after(seat), True)
        case _:
            pass
    return _handed_on(state, board, hands, state.van, state.just_handed and seat != state.van)


def _with(board: bytes, index: int, code: int) -> bytes:
    return board[:index] + bytes((code,)) + board[index + 1 :]


def board_after_drop(board: bytes, index: int, seat: Seat, readings: Readings) -> bytes:
    """The board once `seat` has dropped the piece on square `index` and turned what it must."""
    changed = bytearray(board)
    for square in (index, *turned_by(board, index, seat, readings)):
        code = changed[square]
        changed[square] = code - LIE[code] + 1 + seat
    return bytes(changed)


def _handed_on(
    state: State, board: bytes, hands: tuple[tuple[int, int, int], ...], van: Seat, just_handed: bool
) -> State:
    """The state with the turn given to whoever acts next; seats that cannot act are passed over (B9, B10)."""
    table, phase, seat = state.table, state.phase, state.turn
    start = table.first if seat is None else table.after(seat)
    if phase == PLACEMENT and all(hand == (0, 0, 0) for hand in hands):
        phase = DROP
        if table.readings.drop_starter == "first":
            start = table.first
    if phase == DROP and not any(LIE[code] == 0 for code in board):
        return State(board, hands, van, just_handed, OVER, None, table)
    return State(board, hands, van, just_handed, phase, next_able(table, board, hands, van, phase, start), table)


def next_able(
    table: Table, board: bytes, hands: tuple[tuple[int, int, int], ...], van: Seat, phase: str, seat: Seat
) -> Seat:
    """The first seat from `seat` on, clockwise, that can act; some seat always can while a phase lasts."""
    for _ in range(4):
        if can_act(table, board, hands, van, phase, seat):
            return seat
        seat = table.after(seat)
    return seat


def can_act(
    table: Table, board: bytes, hands: tuple[tuple[int, int, int], ...], van: Seat, phase: str, seat: Seat
) -> bool:
    """Whether a turn comes to this seat: it has pieces, or it holds the van and `empty_holder` lets it pass."""
    if seat == van and table.readings.empty_holder == "may_pass":
        return True
    return has_pieces(board, hands, phase, seat)


def left_to_play(state: State) -> dict[Seat, tuple[tuple[str, int], ...]]:
    """By side in play: the pieces in hand during the placement, those still standing during the drops."""
    if state.phase == PLACEMENT:
        counts = [list(hand) for hand in state.hands]
    else:
        counts = [[0, 0, 0] for _ in SEATS]
        for code in state.board:
            if LIE[code] == 0:
                counts[OWNER[code]][SIZE[code]] += 1
    return {seat: tuple(zip(SIZES, counts[seat], strict=True)) for seat in state.table.seats}


def piece_at(state: State, index: int) -> Piece | None:
    """What stands or lies on a square."""
    return pieces_by_code(state.table.colours)[state.board[index]]
