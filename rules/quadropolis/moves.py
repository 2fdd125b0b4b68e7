"""What may be done, what an action does to the position, and why an action is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from rules.game import IllegalMove, Move, Reason, Verdict
from rules.quadropolis.allocating import best
from rules.quadropolis.notation import BEST, read_amounts, read_site
from rules.quadropolis.state import (
    ALLOCATE,
    BESIDE,
    BUILD,
    CITY_ZONES,
    FILL,
    HAND_CELLS,
    LINES,
    MOST_FLOORS,
    OPEN,
    OVER,
    POSITION_CELLS,
    POSITION_OF,
    POSITIONS,
    ROUNDS_IN_ALL,
    SITE_CELLS,
    SLOTS,
    SPACES,
    TAKE,
    URBANIST_CELLS,
    City,
    State,
    architect_pieces,
    holds,
    is_tower,
    slot_cell,
)
from rules.quadropolis.tables import MOST_CUSTOMERS
from rules.quadropolis.tiles import DOWN, DOWN_COUNT, EMPTY, MAYOR_TOWER, PIECES, TOWER, TYPE, UP
from rules.words import NATURE, SEATS, Cell, Colour, Seat

DISCARD = "discard"
LIFT, SHIFT, REMOVE, SWAP = "lift", "shift", "remove", "swap"
"""Never legal, but seen on tables: a tile lifted off the site without an architect, a building moved to another slot,
a building taken away, the urbanist set somewhere by hand."""
_KINDS = {FILL: FILL, TAKE: TAKE, BUILD: BUILD, DISCARD: BUILD, ALLOCATE: ALLOCATE}
"""By verb: the phase it belongs to."""


@lru_cache(maxsize=256)
def take_moves(seat: Seat, number: int, colours: tuple[Colour, ...]) -> tuple[Move, ...]:
    """By position: a seat's architect of that number is set down there."""
    piece = architect_pieces(colours)[4 * seat + number]
    return tuple(Move(seat, TAKE, piece, None, cell) for cell in POSITION_CELLS)


@lru_cache(maxsize=8192)
def build_move(seat: Seat, code: int, slot: int, level: int) -> Move:
    """The tile in a seat's hand goes to a slot, at that storey."""
    return Move(seat, BUILD, PIECES[code], None, slot_cell(seat, slot, level))


def discard_move(seat: Seat, code: int) -> Move:
    """The tile in a seat's hand goes back to the box."""
    return Move(seat, DISCARD, PIECES[code], HAND_CELLS[seat])


def fits_number(slot: int, floors: bytes, number: int, stacking: str) -> bool:
    """Whether an architect of this number may build on a slot, as far as row, column and floor go (A4).

    >>> fits_number(5, b"", 2, "row_column_or_floor"), fits_number(5, b"", 3, "row_column_or_floor")
    (True, False)
    """
    if floors and number == len(floors) + 1:
        return True
    if floors and stacking == "floor_only":
        return False
    return number in (slot // 4 + 1, slot % 4 + 1)


def building_slots(state: State, seat: Seat) -> list[int]:
    """The slots on which the tile in a seat's hand may be built, in order."""
    code, number, stacking = state.taken, state.by, state.table.readings.stacking
    stacks = TYPE[code] == TOWER
    return [
        slot
        for slot, floors in enumerate(state.city(seat).floors)
        if (not floors or (stacks and len(floors) < MOST_FLOORS and is_tower(floors)))
        and fits_number(slot, floors, number, stacking)
    ]


def moves(state: State) -> Iterator[Move]:
    """Every legal move; of the fills, which are seen and not chosen, none; of the allocations the best."""
    seat = state.turn
    match state.phase:
        case "take" if seat is not None:
            free = [p for p in OPEN[state.urbanist] if not state.architects[p]]
            for number in range(1, 5):
                if 4 * seat + number not in state.architects:
                    table = take_moves(seat, number, state.table.colours)
                    for position in free:
                        yield table[position]
        case "build" if seat is not None:
            floors = state.city(seat).floors
            for slot in building_slots(state, seat):
                yield build_move(seat, state.taken, slot, len(floors[slot]))
            yield discard_move(seat, state.taken)
        case "allocate" if seat is not None:
            yield Move(seat, ALLOCATE, note=BEST)
        case _:
            return


def judge(state: State, move: Move) -> Verdict:
    """Legal, or every reason why not, the one that matters most first. Never raises."""
    return Verdict(move, reasons_against(state, move))


def reasons_against(state: State, move: Move) -> tuple[Reason, ...]:
    """Why a move is refused; empty when it is legal."""
    if state.turn is None:
        return (Reason("over"),)
    if move.seat != NATURE and (move.seat not in SEATS or not state.table.colours[move.seat]):
        return (Reason("no-such-seat"),)
    if move.seat != state.turn:  # what else may be wrong with it does not matter then
        return (Reason("out-of-turn", () if move.target is None else (move.target,), move.seat),)
    if move.verb in _KINDS and _KINDS[move.verb] != state.phase:
        return (Reason(f"time-to-{state.phase}", () if move.target is None else (move.target,), move.seat),)
    match move.verb:
        case "fill":
            found = _against_fill(state, move)
        case "take":
            found = _against_take(state, move)
        case "build":
            found = _against_build(state, move)
        case "discard":
            found = [] if move == discard_move(move.seat, state.taken) else [Reason("malformed")]
        case "allocate":
            found = _against_allocation(state, move)
        case "lift":
            found = [Reason("lifted", () if move.source is None else (move.source,))]
        case "shift" | "remove":
            found = [Reason("moved-building", tuple(c for c in (move.source, move.target) if c is not None))]
        case "swap":
            found = [Reason("moved-urbanist", (URBANIST_CELLS[state.urbanist],))]
        case _:
            found = [Reason("no-such-action")]
    return tuple(found)


def _against_fill(state: State, move: Move) -> list[Reason]:
    site = read_site(move.note)
    if site is None or move != Move(NATURE, FILL, note=move.note):
        return [Reason("malformed")]
    found: list[Reason] = []
    players = len(state.table.seats)
    empty = tuple(SITE_CELLS[space] for space, code in enumerate(site) if code == EMPTY)
    if empty:
        found.append(Reason("space-empty", empty))
    left = Counter(UP[state.round, players])
    left[DOWN] = DOWN_COUNT[players]
    strangers = []
    for space, code in enumerate(site):
        if code != EMPTY:
            left[code] -= 1
            if left[code] < 0:
                strangers.append(space)
    down = tuple(SITE_CELLS[space] for space in strangers if site[space] == DOWN)
    up = tuple(SITE_CELLS[space] for space in strangers if site[space] != DOWN)
    if up:
        found.append(Reason("not-of-this-round", up))
    if down:
        found.append(Reason("not-turned-up", down))
    return found


def _against_take(state: State, move: Move) -> list[Reason]:
    seat = move.seat
    at = () if move.target is None else (move.target,)
    position = None if move.target is None else POSITION_OF.get(move.target)
    if position is None:
        return [Reason("no-such-position", at)]
    mine = architect_pieces(state.table.colours)[4 * seat + 1 : 4 * seat + 5]
    if move.piece not in mine:
        return [Reason("not-own-architect", at, seat)]
    number = mine.index(move.piece) + 1
    found = []
    if 4 * seat + number in state.architects:
        found.append(Reason("architect-used", at, seat))
    if state.architects[position]:
        found.append(Reason("position-taken", at))
    if position not in OPEN[state.urbanist]:
        found.append(Reason("at-urbanist", (*at, SITE_CELLS[state.urbanist])))
    if move != take_moves(seat, number, state.table.colours)[position]:
        found.append(Reason("malformed"))
    return found


def _against_build(state: State, move: Move) -> list[Reason]:
    seat, cell = move.seat, move.target
    at = () if cell is None else (cell,)
    if cell is None or cell.zone not in CITY_ZONES or not (0 <= cell.col < 4 and 0 <= cell.row < 4):
        return [Reason("no-such-slot", at)]
    if cell.zone != CITY_ZONES[seat]:
        return [Reason("not-own-city", at, seat)]
    slot = cell.row * 4 + cell.col
    floors = state.city(seat).floors[slot]
    found = []
    if floors and not is_tower(floors):
        found.append(Reason("slot-taken", at))
    elif floors and TYPE[state.taken] != TOWER:
        found.append(Reason("only-towers-stack", at))
    elif len(floors) >= MOST_FLOORS:
        found.append(Reason("too-high", at))
    if not fits_number(slot, floors, state.by, state.table.readings.stacking):
        found.append(Reason("wrong-number", (*at, *_position_of(state, seat))))
    if not found and move.piece != PIECES[state.taken]:
        found.append(Reason("not-that-tile", at))
    if not found and move != build_move(seat, state.taken, slot, len(floors)):
        found.append(Reason("malformed", at))
    return found


def _position_of(state: State, seat: Seat) -> tuple[Cell, ...]:
    """Where the architect stands that took the tile in hand."""
    return (POSITION_CELLS[state.architects.index(4 * seat + state.by)],)


def capacity(floors: bytes) -> tuple[int, int]:
    """How many inhabitants and units of energy a building has room for.

    >>> capacity(b"")
    (0, 0)
    """
    match holds(floors):
        case -1:
            return 0, 0
        case 0 | 3:  # a tower's energy; what a park takes in
            return 0, 1
        case 1:
            return MOST_CUSTOMERS, 1
        case _:
            return 1, 0


def _against_allocation(state: State, move: Move) -> list[Reason]:
    seat, city = move.seat, state.city(move.seat)
    amounts = read_amounts(move.note)
    if amounts is None or move != Move(seat, ALLOCATE, note=move.note):
        return [Reason("malformed")]
    if move.note == BEST:
        return []
    people, energy = amounts
    found = []
    bare, full = [], []
    for slot, floors in enumerate(city.floors):
        most_people, most_energy = capacity(floors)
        if not floors and (people[slot] or energy[slot]):
            bare.append(slot_cell(seat, slot))
        elif people[slot] > most_people or energy[slot] > most_energy:
            full.append(slot_cell(seat, slot))
    if bare:
        found.append(Reason("nothing-built-there", tuple(bare)))
    if full:
        found.append(Reason("no-room-there", tuple(full)))
    if sum(people) > sum(city.people) or sum(energy) > sum(city.energy):
        found.append(Reason("more-than-there-is", (), seat))
    return found


def play(state: State, move: Move) -> State:
    """The position after a legal move. Raises `IllegalMove` for any other."""
    reasons = reasons_against(state, move)
    if reasons:
        codes = ", ".join(reason.code for reason in reasons)
        raise IllegalMove(f"wanted a legal move, found {move} ({codes}): ask `judge` first")
    seat, cell = move.seat, move.target
    match move.verb:
        case "take" if cell is not None and move.piece is not None:
            return _taken(state, seat, POSITION_OF[cell], int(move.piece.kind[-1]))
        case "build" if cell is not None:
            city = state.city(seat).built(cell.row * 4 + cell.col, state.taken)
            mayor = seat if state.taken == MAYOR_TOWER else state.mayor
            cities = (*state.cities[:seat], city, *state.cities[seat + 1 :])
            return _passed_on(state, state.site, state.architects, state.urbanist, mayor, cities)
        case "discard":
            return _passed_on(state, state.site, state.architects, state.urbanist, state.mayor, state.cities)
        case "allocate":
            city = allocated(state.city(seat), move.note, state.table.readings.harbours)
            return _allocated(state, seat, (*state.cities[:seat], city, *state.cities[seat + 1 :]))
        case _:
            site = read_site(move.note) or bytes(SPACES)
            return State(
                state.round, state.mayor, site, state.architects, -1, 0, 0, state.cities, TAKE, state.mayor, state.table
            )


def _taken(state: State, seat: Seat, position: int, number: int) -> State:
    """An architect set down, the urbanist moved to where it points; an empty or face-down space ends the turn (A5)."""
    space = LINES[position][number - 1]
    code = state.site[space]
    who = bytes((4 * seat + number,))
    architects = state.architects[:position] + who + state.architects[position + 1 :]
    if code in (EMPTY, DOWN):
        return _passed_on(state, state.site, architects, space, state.mayor, state.cities)
    site = state.site[:space] + b"\0" + state.site[space + 1 :]
    return State(
        state.round, state.mayor, site, architects, space, code, number, state.cities, BUILD, seat, state.table
    )


def _passed_on(
    state: State, site: bytes, architects: bytes, urbanist: int, mayor: Seat, cities: tuple[City | None, ...]
) -> State:
    """The turn goes to the next seat; once all architects stand, the round ends and the site is cleared."""
    table, seat = state.table, state.turn
    if architects.count(0) > POSITIONS - 4 * len(table.seats):
        following = None if seat is None else table.after(seat)
        return State(state.round, mayor, site, architects, urbanist, 0, 0, cities, TAKE, following, table)
    cleared = (bytes(SPACES), bytes(POSITIONS), -1, 0, 0, cities)
    if state.round < ROUNDS_IN_ALL:
        return State(state.round + 1, mayor, *cleared, FILL, NATURE, table)
    return State(state.round, mayor, *cleared, ALLOCATE, mayor, table)


def _allocated(state: State, seat: Seat, cities: tuple[City | None, ...]) -> State:
    """Each seat allocates once, the mayor's first, clockwise; then the game is over."""
    following: Seat | None = state.table.after(seat)
    if following == state.mayor:
        following = None
    return State(
        state.round,
        state.mayor,
        state.site,
        state.architects,
        state.urbanist,
        0,
        0,
        cities,
        OVER if following is None else ALLOCATE,
        following,
        state.table,
    )


def allocated(city: City, note: str, harbours: str) -> City:
    """The city with its pieces laid out as an allocation says, the rest beside."""
    amounts = None if note == BEST else read_amounts(note)
    if amounts is None:
        return best(city, harbours)
    people, energy = amounts
    return City(
        city.floors,
        bytes((*people[:SLOTS], city.people[BESIDE] + sum(city.people[:BESIDE]) - sum(people))),
        bytes((*energy[:SLOTS], city.energy[BESIDE] + sum(city.energy[:BESIDE]) - sum(energy))),
    )


def in_hand(state: State) -> dict[Seat, tuple[tuple[str, int], ...]]:
    """By seat in play: the architects that do not stand around the site, and the tile in hand."""
    found = {}
    for seat in state.table.seats:
        used = state.numbers_used(seat)
        left = [(f"architect-{number}", 1) for number in range(1, 5) if number not in used]
        if state.taken and seat == state.turn:
            left.append((PIECES[state.taken].kind, 1))
        found[seat] = tuple(left)
    return found
