"""The position: where the frame and the blocks are, who is home, what the turn still allows.

A square's content is one number, so that a board is a few bytes: cheap to copy, compare and hash.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from rules.game import Fault, Setup, SetupError
from rules.ido import blueprint as blueprints
from rules.ido.blueprint import D1, Blueprint
from rules.ido.geometry import LARGE, SIZES, SMALL, Board, board_of
from rules.ido.readings import PER_SIZE, Readings, as_value, option_faults, readings_of
from rules.setups import colour_faults
from rules.words import SEATS, Cell, Colour, Layout, Piece, Seat, seat_name

FRAME = Piece("frame", Colour(""))
"""The frame as a piece: it lies at the cell of its offset from the centre, zone `frame`."""
HOME_CELLS: tuple[Cell, ...] = tuple(Cell(int(seat), 0, 0, "home") for seat in SEATS)
"""Where a seat's blocks go when they have crossed."""
TURN, STEPS, OVER = "turn", "steps", "over"
"""Phases: a turn begins; steps were made and more are possible; the game has ended."""
BLUEPRINT = "blueprint"
"""The name under which a setup's options hold a board other than `D1`, as a line of JSON."""


def code_of(seat: int, size: int) -> int:
    """The number of a square on which this seat's block of this size stands; 0 is an empty square.

    >>> [OWNER[code_of(2, 1)], SIZE[code_of(2, 1)]]
    [2, 1]
    """
    return 1 + seat * 2 + size


OWNER: tuple[int, ...] = (-1, 0, 0, 1, 1, 2, 2, 3, 3)
SIZE: tuple[int, ...] = (-1, *(SMALL, LARGE) * 4)


@dataclass(frozen=True, slots=True)
class Table:
    """What does not change during a match. `colours` has an entry for each of the four sides, "" where nobody sits;
    `seats` are those in play, clockwise from south."""

    colours: tuple[Colour, Colour, Colour, Colour]
    board: Board
    readings: Readings
    seats: tuple[Seat, ...]

    def after(self, seat: Seat) -> Seat:
        """The next seat in play, clockwise."""
        for step in range(1, 5):
            if self.colours[(seat + step) % 4]:
                return Seat((seat + step) % 4)
        return seat


def table_of(colours: Sequence[Colour], blueprint: Blueprint, readings: Readings) -> Table:
    """A table with a colour for each of the four sides, "" where nobody sits."""
    seats = tuple(seat for seat in SEATS if colours[seat])
    return Table((colours[0], colours[1], colours[2], colours[3]), board_of(blueprint), readings, seats)


@dataclass(frozen=True, slots=True)
class State:
    """A position. `offset` is the frame's; `home` the sizes that have crossed, for each of the four sides in order;
    `steps_left` None before a turn's first step; `shifted_by` whose shift still keeps the one to move from shifting;
    `turn` None when the game is over. What is neither on the board nor at home is in the supply."""

    squares: bytes
    offset: tuple[int, int]
    home: tuple[tuple[str, ...], ...]
    steps_left: int | None
    shifted_by: Seat | None
    turn: Seat | None
    table: Table = field(hash=False)

    def on_board(self, seat: int) -> int:
        """How many blocks a seat has on the playing field."""
        return self.squares.count(code_of(seat, SMALL)) + self.squares.count(code_of(seat, LARGE))

    def in_supply(self, seat: int, size: int) -> int:
        """How many blocks of a size a seat has beside its start."""
        return PER_SIZE - self.squares.count(code_of(seat, size)) - self.home[seat].count(SIZES[size])


@lru_cache(maxsize=64)
def blocks_by_code(colours: tuple[Colour, ...]) -> tuple[Piece | None, ...]:
    """What each square number means at a table with these colours."""
    return (None, *(Piece(SIZES[SIZE[code]], colours[OWNER[code]]) for code in range(1, 9)))


def block_at(state: State, cell: Cell | None) -> Piece | None:
    """The block on a square; None on an empty one, and where there is no square."""
    square = None if cell is None else state.table.board.index.get(cell)
    return None if square is None else blocks_by_code(state.table.colours)[state.squares[square]]


def frame_cell(dx: int, dy: int) -> Cell:
    """Where the frame lies at this offset, as a cell."""
    return Cell(dx, dy, 0, "frame")


def layout_of(state: State) -> Layout:
    """How the board must look: the frame and the blocks. What lies beside the board is not looked at."""
    meaning, cells = blocks_by_code(state.table.colours), state.table.board.cells
    pieces = {cells[i]: block for i, code in enumerate(state.squares) if code and (block := meaning[code]) is not None}
    pieces[frame_cell(*state.offset)] = FRAME
    return Layout(pieces)


def phase_of(state: State) -> str:
    """Which part of a turn this is."""
    return OVER if state.turn is None else TURN if state.steps_left is None else STEPS


def seats_faults(seats: Sequence[Seat]) -> list[Fault]:
    """Whether these seats can play: two that face each other, three or four."""
    names = tuple(seat_name(seat) if seat in SEATS else str(seat) for seat in seats)
    if any(seat not in SEATS for seat in seats) or len(set(seats)) < len(seats) or len(seats) not in (2, 3, 4):
        text = f"wanted two, three or four different seats, found {', '.join(names) or 'none'}: name each seat once"
        return [Fault("seats", names, text)]
    if len(seats) == 2 and (seats[0] - seats[1]) % 2:
        text = f"wanted two seats that face each other, found {names[0]} and {names[1]}: name opposite ones"
        return [Fault("seats", names, text)]
    return []


def setup_faults(setup: Setup) -> list[Fault]:
    """Everything wrong with a setup, as faults; empty when a game can start with it."""
    seats = [seat for seat, _ in setup.colours]
    faults = seats_faults(seats)
    faults.extend(colour_faults(setup))
    if sorted(setup.players) != sorted((seat,) for seat in seats):
        text = "wanted one seat for each player, found them shared out otherwise: give each player a seat"
        faults.append(Fault("players", (), text))
    if setup.first not in seats:
        faults.append(Fault("first", (), "wanted the first seat to be one in play, found another: name one of them"))
    faults.extend(option_faults((name, as_value(name, text)) for name, text in setup.options if name != BLUEPRINT))
    faults.extend(_blueprint_of(setup)[1])
    return faults


def _blueprint_of(setup: Setup) -> tuple[Blueprint, list[Fault]]:
    """The board that a setup asks for, `D1` where it names none, and what is wrong with it."""
    text = setup.option(BLUEPRINT, "null")
    return (D1, []) if text == "null" else blueprints.read(as_value(BLUEPRINT, text))


def start(setup: Setup) -> State:
    """The position before the first turn: the frame centred, all blocks in supply. Raises `SetupError`."""
    faults = setup_faults(setup)
    if faults:
        raise SetupError(faults)
    by_seat = dict(setup.colours)
    blueprint, _ = _blueprint_of(setup)
    readings = readings_of(tuple((name, text) for name, text in setup.options if name != BLUEPRINT))
    table = table_of([by_seat.get(seat, Colour("")) for seat in SEATS], blueprint, readings)
    return State(bytes(blueprint.squares**2), (0, 0), ((),) * 4, None, None, setup.first, table)
