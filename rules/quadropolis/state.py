"""The position: the construction site, the architects around it, the cities, whose turn it is.

Places are numbers. A space of the site is 5 * row + column and a slot of a city 4 * row + column, both from 0, row 0
the far row seen from south. A position beside the site is 5 * side + line, sides north, east, south, west.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from rules.game import Fault, Setup, SetupError
from rules.quadropolis.readings import Readings, option_faults, readings_of
from rules.quadropolis.tiles import ENERGY, INHABITANTS, PIECES, TOWER, TYPE
from rules.setups import colour_faults
from rules.words import NATURE, SEATS, Cell, Colour, Layout, Piece, Seat, seat_name

SITE, CITY = 5, 4
SPACES, SLOTS, POSITIONS = SITE * SITE, CITY * CITY, 4 * SITE
BESIDE = SLOTS
"""The place of a city's pieces that lie on no building: the last of 17."""
ROUNDS_IN_ALL = TURNS = 4
MOST_FLOORS = 4
SUPPLY_INHABITANTS, SUPPLY_ENERGY = 65, 50

FILL, TAKE, BUILD, ALLOCATE, OVER = "fill", "take", "build", "allocate", "over"
PHASES: tuple[str, ...] = (FILL, TAKE, BUILD, ALLOCATE, OVER)
SIDES: tuple[str, ...] = ("north", "east", "south", "west")

URBANIST = Piece("urbanist", Colour(""))
MAYOR = Piece("mayor", Colour(""))
PERSON = Piece("inhabitant", Colour(""))
POWER = Piece("energy", Colour(""))


def _line_of(position: int) -> tuple[int, ...]:
    side, line = divmod(position, SITE)
    forth = range(SITE) if side in (0, 3) else range(SITE - 1, -1, -1)
    return tuple(step * SITE + line if side in (0, 2) else line * SITE + step for step in forth)


LINES: tuple[tuple[int, ...], ...] = tuple(_line_of(position) for position in range(POSITIONS))
"""By position: the spaces an architect there points along, nearest first."""
OPEN: tuple[tuple[int, ...], ...] = (
    *(tuple(p for p in range(POSITIONS) if space not in LINES[p]) for space in range(SPACES)),
    tuple(range(POSITIONS)),
)
"""By the urbanist's space (-1, the last: it is beside the site): the positions that do not point at it (A3)."""

SITE_CELLS: tuple[Cell, ...] = tuple(Cell(i % SITE, i // SITE, 0, "site") for i in range(SPACES))
POSITION_CELLS: tuple[Cell, ...] = (
    *(Cell(line, -1, 0, "site") for line in range(SITE)),
    *(Cell(SITE, line, 0, "site") for line in range(SITE)),
    *(Cell(line, SITE, 0, "site") for line in range(SITE)),
    *(Cell(-1, line, 0, "site") for line in range(SITE)),
)
"""Where an architect stands: one step outside the site."""
URBANIST_CELLS: tuple[Cell, ...] = (*(Cell(c.col, c.row, 1, "site") for c in SITE_CELLS), Cell(0, 0, 0, "urbanist"))
"""On the space, which may hold a tile that lies face down; the last beside the site, so that -1 finds it."""
POSITION_OF: dict[Cell, int] = {cell: position for position, cell in enumerate(POSITION_CELLS)}
SPACE_OF: dict[Cell, int] = {cell: space for space, cell in enumerate(SITE_CELLS)}


def slot_cell(seat: int, slot: int, level: int = 0) -> Cell:
    """A slot of a seat's city, at the storey on which a tile lies there.

    >>> slot_cell(0, 6).col, slot_cell(0, 6).row
    (2, 1)
    """
    return Cell(slot % CITY, slot // CITY, level, CITY_ZONES[seat])


CITY_ZONES: tuple[str, ...] = tuple(f"city-{seat_name(seat)}" for seat in SEATS)
HAND_CELLS: tuple[Cell, ...] = tuple(Cell(seat, 0, 0, "hand") for seat in SEATS)
MAYOR_CELLS: tuple[Cell, ...] = tuple(Cell(seat, 0, 0, "mayor") for seat in SEATS)


@dataclass(frozen=True, slots=True)
class City:
    """A city. `floors`: by slot the tiles from the ground up; `people` and `energy`: by slot, and beside, how many
    inhabitants and units of energy lie there."""

    floors: tuple[bytes, ...] = (b"",) * SLOTS
    people: bytes = bytes(SLOTS + 1)
    energy: bytes = bytes(SLOTS + 1)

    @property
    def empty_slots(self) -> int:
        """Slots without a building (A9)."""
        return self.floors.count(b"")

    def built(self, slot: int, code: int) -> City:
        """The city with a tile more; what it brings comes to lie beside (A12)."""
        floors = (*self.floors[:slot], self.floors[slot] + bytes((code,)), *self.floors[slot + 1 :])
        people, energy = self.people, self.energy
        if INHABITANTS[code]:
            people = people[:BESIDE] + bytes((people[BESIDE] + INHABITANTS[code],))
        if ENERGY[code]:
            energy = energy[:BESIDE] + bytes((energy[BESIDE] + ENERGY[code],))
        return City(floors, people, energy)


def holds(floors: bytes) -> int:
    """The type of the building on a slot; -1 where there is none.

    >>> holds(b"")
    -1
    """
    return TYPE[floors[0]] if floors else -1


def is_tower(floors: bytes) -> bool:
    """Whether residential blocks stand on a slot."""
    return bool(floors) and TYPE[floors[0]] == TOWER


@dataclass(frozen=True, slots=True)
class Table:
    """What does not change during a match. `colours` has an entry for each of the four sides, "" where nobody plays;
    `is_lone`: cities as somebody drew them, without a match before."""

    colours: tuple[Colour, Colour, Colour, Colour]
    readings: Readings
    is_lone: bool = False

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The sides in play, clockwise from south."""
        return tuple(seat for seat in SEATS if self.colours[seat])

    def after(self, seat: Seat) -> Seat:
        """The next side in play, clockwise."""
        for step in range(1, 5):
            if self.colours[(seat + step) % 4]:
                return Seat((seat + step) % 4)
        return seat

    def before(self, seat: Seat) -> Seat:
        """The seat in play whose turn comes before, counter-clockwise."""
        for step in range(1, 5):
            if self.colours[(seat - step) % 4]:
                return Seat((seat - step) % 4)
        return seat


@dataclass(frozen=True, slots=True)
class State:
    """A position.

    `site`: by space what lies there. `architects`: by position 0, or 1 + 4 * seat + number - 1. `urbanist`: its space,
    -1 beside the site. `taken` and `by`: the tile in the hand of who moves, and the architect's number; 0 for none.
    `cities`: by seat. `turn` is `NATURE` while the site is filled, None when the game is over.
    """

    round: int
    mayor: Seat
    site: bytes
    architects: bytes
    urbanist: int
    taken: int
    by: int
    cities: tuple[City | None, ...]
    phase: str
    turn: Seat | None
    table: Table = field(hash=False)

    def city(self, seat: Seat) -> City:
        """The city of a seat in play."""
        city = self.cities[seat]
        return City() if city is None else city

    def numbers_used(self, seat: Seat) -> list[int]:
        """The numbers of a seat's architects that stand around the site."""
        return [number for number in range(1, 5) if 4 * seat + number in self.architects]

    @property
    def turn_number(self) -> int:
        """The turn of the round, 1 to 4; 1 while the site is filled, 4 once the last round is over."""
        if self.turn is None or self.phase == ALLOCATE:
            return TURNS
        if self.phase == FILL:
            return 1
        return len(self.numbers_used(self.turn)) + (self.phase == TAKE)


@lru_cache(maxsize=64)
def architect_pieces(colours: tuple[Colour, ...]) -> tuple[Piece, ...]:
    """By 1 + 4 * seat + number - 1: an architect as a piece."""
    pieces = [Piece(f"architect-{number}", colours[seat]) for seat in SEATS for number in range(1, 5)]
    return (Piece("", Colour("")), *pieces)


def layout_of(state: State) -> Layout:
    """How the table must look: the site, the architects, the urbanist, the mayor, a tile in a hand, the cities."""
    pieces = {SITE_CELLS[i]: PIECES[code] for i, code in enumerate(state.site) if code}
    architects = architect_pieces(state.table.colours)
    pieces.update((POSITION_CELLS[p], architects[who]) for p, who in enumerate(state.architects) if who)
    pieces[URBANIST_CELLS[state.urbanist]] = URBANIST
    pieces[MAYOR_CELLS[state.mayor]] = MAYOR
    if state.taken and state.turn is not None:
        pieces[HAND_CELLS[state.turn]] = PIECES[state.taken]
    for seat in state.table.seats:
        city = state.city(seat)
        for slot, floors in enumerate(city.floors):
            for level, code in enumerate(floors):
                pieces[slot_cell(seat, slot, level)] = PIECES[code]
        for place in range(SLOTS + 1):
            for kind, piece, count in ((0, PERSON, city.people[place]), (1, POWER, city.energy[place])):
                pieces.update((resource_cell(seat, place, kind, n), piece) for n in range(count))
    return Layout(pieces)


def resource_cell(seat: Seat, place: int, kind: int, n: int) -> Cell:
    """Where the n-th inhabitant (kind 0) or unit of energy (1) of a slot lies, or of those beside the city.

    >>> resource_cell(Seat(0), BESIDE, 1, 2).zone
    'energy-south'
    """
    zone = f"{('inhabitants', 'energy')[kind]}-{seat_name(seat)}"
    return Cell(-1, -1, n, zone) if place == BESIDE else Cell(place % CITY, place // CITY, n, zone)


def setup_faults(setup: Setup) -> list[Fault]:
    """Everything wrong with a setup, as faults; empty when a game can start with it."""
    faults: list[Fault] = []
    sides = [seat for seat, _ in setup.colours]
    names = tuple(seat_name(seat) if seat in SEATS else str(seat) for seat in sides)
    if any(seat not in SEATS for seat in sides) or len(set(sides)) < len(sides) or len(sides) not in (2, 3, 4):
        text = f"wanted two, three or four different seats, found {', '.join(names) or 'none'}: name each once"
        faults.append(Fault("seats", names, text))
    faults.extend(colour_faults(setup))
    if sorted(setup.players) != sorted((seat,) for seat in sides):
        faults.append(Fault("players", (), "wanted one seat for each player: share the seats out anew"))
    if setup.first not in sides:
        faults.append(Fault("first", (), "wanted the first seat to be one in play: name one of the seats"))
    faults.extend(option_faults(setup.options))
    return faults


def start(setup: Setup) -> State:
    """The position before the first fill of the site. Raises `SetupError` with every fault."""
    faults = setup_faults(setup)
    if faults:
        raise SetupError(faults)
    by_side = dict(setup.colours)
    colours = tuple(by_side.get(seat, Colour("")) for seat in SEATS)
    table = Table((colours[0], colours[1], colours[2], colours[3]), readings_of(setup.options))
    cities = tuple(City() if colour else None for colour in colours)
    return State(1, setup.first, bytes(SPACES), bytes(POSITIONS), -1, 0, 0, cities, FILL, NATURE, table)
