"""The position: what stands where, what is left in hand, who holds the Mystery Machine, whose turn it is.

A square's content is one number, so that a board is 64 bytes: cheap to copy, compare and hash.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from rules.game import Fault, Setup, SetupError
from rules.gridlock.readings import Readings, option_faults, readings_of
from rules.setups import colour_faults
from rules.words import SEATS, Cell, Colour, Layout, Piece, Seat, seat_name, seat_named

SIDE = 8
SQUARES = SIDE * SIDE
SIZES: tuple[str, ...] = ("small", "medium", "large")
VAN = Piece("van", Colour(""), None)
"""The Mystery Machine as a piece."""

PLACEMENT, DROP, OVER = "placement", "drop", "over"
PHASES: tuple[str, ...] = (PLACEMENT, DROP, OVER)

CELLS: tuple[Cell, ...] = tuple(Cell(i % SIDE, i // SIDE) for i in range(SQUARES))
"""Square number (a1 is 0, b1 is 1, h8 is 63) to cell."""
INDEX: dict[Cell, int] = {cell: i for i, cell in enumerate(CELLS)}
NAMES: tuple[str, ...] = tuple(f"{'abcdefgh'[i % SIDE]}{i // SIDE + 1}" for i in range(SQUARES))
INDEX_NAMED: dict[str, int] = {name: i for i, name in enumerate(NAMES)}
VAN_CELLS: tuple[Cell, ...] = tuple(Cell(int(seat), 0, 0, "van") for seat in SEATS)

# A square's number: 0 empty, else 1 + (owner * 3 + size) * 5 + lie; lie is 0 upright, 1 + facing when it lies.
OWNER: tuple[int, ...] = (-1, *((code - 1) // 15 for code in range(1, 61)))
SIZE: tuple[int, ...] = (-1, *((code - 1) // 5 % 3 for code in range(1, 61)))
LIE: tuple[int, ...] = (-1, *((code - 1) % 5 for code in range(1, 61)))


def code_of(owner: int, size: int, facing: int | None) -> int:
    """The number of a square on which this piece stands (`facing` None) or lies.

    >>> LIE[code_of(2, 1, None)], SIZE[code_of(2, 1, 3)], OWNER[code_of(2, 1, 3)]
    (0, 1, 2)
    """
    return 1 + (owner * 3 + size) * 5 + (0 if facing is None else 1 + facing)


@dataclass(frozen=True, slots=True)
class Table:
    """What does not change during a match. `colours` has an entry for each of the four sides, "" where
    nobody plays; `players` groups the sides a person plays; `first` placed the first piece."""

    colours: tuple[Colour, Colour, Colour, Colour]
    players: tuple[tuple[Seat, ...], ...]
    first: Seat
    readings: Readings

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The sides in play, clockwise from south."""
        return tuple(seat for seat in SEATS if self.colours[seat])

    @property
    def unopposed(self) -> Seat | None:
        """With three sides in play, the one that nobody sits opposite: an advantage, says the rulebook."""
        absent = [seat for seat in SEATS if not self.colours[seat]]
        return Seat((absent[0] + 2) % 4) if absent else None

    def owner_of(self, colour: Colour) -> Seat | None:
        """The side whose pieces have this colour."""
        return Seat(self.colours.index(colour)) if colour and colour in self.colours else None

    def after(self, seat: Seat) -> Seat:
        """The next side in play, clockwise."""
        for step in range(1, 5):
            if self.colours[(seat + step) % 4]:
                return Seat((seat + step) % 4)
        return seat


@dataclass(frozen=True, slots=True)
class State:
    """A position. `hands` counts small, medium and large for each of the four sides;
    `just_handed`: the van's holder has had no turn since it came; `turn` is None when the game is over."""

    board: bytes
    hands: tuple[tuple[int, int, int], ...]
    van: Seat
    just_handed: bool
    phase: str
    turn: Seat | None
    table: Table = field(hash=False)


@lru_cache(maxsize=64)
def pieces_by_code(colours: tuple[Colour, ...]) -> tuple[Piece | None, ...]:
    """What each square number means at a table with these colours."""
    return (
        None,
        *(
            Piece(SIZES[SIZE[code]], colours[OWNER[code]], None if LIE[code] == 0 else LIE[code] - 1)
            for code in range(1, 61)
        ),
    )


def layout_of(state: State) -> Layout:
    """How the table must look: the pyramids, and the van in front of its holder."""
    meaning = pieces_by_code(state.table.colours)
    pieces = {CELLS[i]: piece for i, code in enumerate(state.board) if code and (piece := meaning[code]) is not None}
    pieces[VAN_CELLS[state.van]] = VAN
    return Layout(pieces)


def setup_faults(setup: Setup) -> list[Fault]:
    """Everything wrong with a setup, as faults; empty when a game can start with it."""
    faults: list[Fault] = []
    sides = [seat for seat, _ in setup.colours]
    names = [seat_name(seat) if seat in SEATS else str(seat) for seat in sides]
    if any(seat not in SEATS for seat in sides) or len(set(sides)) < len(sides) or len(sides) not in (3, 4):
        text = f"wanted three or four different sides, found {', '.join(names) or 'none'}: name each side once"
        faults.append(Fault("sides", tuple(names), text))
    faults.extend(colour_faults(setup))
    faults.extend(player_faults(sides, setup.players))
    if setup.first not in sides:
        faults.append(Fault("first", (), "wanted the first seat to be a side in play: name one of the sides"))
    faults.extend(option_faults(setup.options, len(sides), [name for name in names if name in _seat_names()]))
    return faults


def _seat_names() -> tuple[str, ...]:
    return tuple(seat_name(seat) for seat in SEATS)


def player_faults(sides: list[Seat], players: tuple[tuple[Seat, ...], ...]) -> list[Fault]:
    """Whether the players share the sides out: one each, or two people with two neighbouring sides each."""
    if sorted(side for player in players for side in player) != sorted(sides):
        return [Fault("players", (), "wanted each side in play with exactly one player: share the sides out anew")]
    shape = sorted(len(player) for player in players)
    neighbours = all(len(player) == 1 or (player[0] - player[1]) % 2 == 1 for player in players)
    if shape not in ([1, 1, 1, 1], [1, 1, 1], [2, 2]) or not neighbours:
        text = (
            "wanted one side for each of three or four players, or two neighbouring sides for each of two: "
            "share the sides out anew"
        )
        return [Fault("players", (), text)]
    return []


def start(setup: Setup) -> State:
    """The position before the first placement. Raises `SetupError` with every fault."""
    faults = setup_faults(setup)
    if faults:
        raise SetupError(faults)
    readings = readings_of(tuple((name, value) for name, value in setup.options if name != "van"))
    by_side = dict(setup.colours)
    colours = tuple(by_side.get(seat, Colour("")) for seat in SEATS)
    table = Table((colours[0], colours[1], colours[2], colours[3]), setup.players, setup.first, readings)
    n = readings.per_size
    hands = tuple((n, n, n) if colour else (0, 0, 0) for colour in colours)
    van_name = setup.option("van", "")
    van = seat_named(van_name) if van_name else table.after(setup.first)
    return State(bytes(SQUARES), hands, van, False, PLACEMENT, setup.first, table)
