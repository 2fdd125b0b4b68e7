"""Whether a position can have come about: every law that play keeps, asked of a loaded position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

from rules.game import Fault
from rules.quadropolis.moves import fits_number
from rules.quadropolis.state import (
    ALLOCATE,
    BUILD,
    FILL,
    LINES,
    OVER,
    ROUNDS_IN_ALL,
    SITE,
    SPACES,
    TAKE,
    State,
)
from rules.quadropolis.tiles import (
    DOWN,
    DOWN_COUNT,
    EMPTY,
    ENERGY,
    INHABITANTS,
    MAYOR_TOWER,
    UP,
    WORDS,
)
from rules.words import Seat, seat_name


def faults_of(state: State, turn: int | None, lone: bool, spoilt: frozenset[str]) -> list[Fault]:
    """Everything that cannot be in a position; `turn` as it was saved. Nothing is asked of the parts in `spoilt`,
    the keys that could not be read, nor of others by them."""

    def whole(*keys: str) -> bool:
        return spoilt.isdisjoint(keys)

    found = list(_phase(state, lone, spoilt)) if whole("phase") else []
    if lone:
        return found
    if whole("round", "cities", "phase", "site") and len(state.table.seats) > 1:
        found.extend(_site(state))
        found.extend(_tiles(state))
    if whole("round", "cities", "phase", "architects"):
        found.extend(_built(state))
    readable = [seat for seat in state.table.seats if whole(f"city-{seat_name(seat)}")]
    found.extend(_resources(state, readable))
    if whole("round", "cities", "phase", "architects", "to_move") and len(state.table.seats) > 1:
        found.extend(fault for seat in readable for fault in _numbers(state, seat))
    if state.phase not in (TAKE, BUILD) or not whole("phase", "architects", "cities"):
        return found
    if whole("site"):
        found.extend(_architects(state))
    if whole("urbanist") and (state.urbanist < 0) != (not any(state.architects)):
        text = "wanted the urbanist beside the site just when no architect stands there: correct one"
        found.append(Fault("wrong-urbanist", ("urbanist",), text))
    if whole("to_move", "taken"):
        order = list(_order(state, whole("urbanist", "site")))
        found.extend(order)
        if not order and whole("mayor", "site", f"city-{seat_name(state.mayor)}"):
            found.extend(_mayor(state))
        if whole("turn") and turn is not None and turn != state.turn_number:
            text = f"wanted turn {state.turn_number} with these architects and this phase, found {turn}: correct it"
            found.append(Fault("wrong-turn-number", ("turn",), text))
    return found


def _phase(state: State, lone: bool, spoilt: frozenset[str]) -> Iterator[Fault]:
    """What each phase asks of the site, the urbanist, the architects and the tile in hand."""
    phase = state.phase
    if "taken" not in spoilt and (phase == BUILD) != bool(state.taken):
        text = f"wanted a taken tile just when one is to be built, found {WORDS[state.taken]} in {phase}: correct one"
        yield Fault("wrong-taken", ("taken",), text)
    if "round" not in spoilt and phase in (ALLOCATE, OVER) and state.round != ROUNDS_IN_ALL:
        text = f"wanted round {ROUNDS_IN_ALL} in the phase {phase}, found {state.round}: correct one"
        yield Fault("wrong-round", ("round",), text)
    if phase in (TAKE, BUILD):
        return
    if any(state.site):
        yield Fault("site-not-cleared", ("site",), f"wanted an empty site in the phase {phase}, found tiles: clear it")
    if any(state.architects):
        text = f"wanted all architects taken back in the phase {phase}, found some at the site: take them back"
        yield Fault("architects-left", ("architects",), text)
    if state.urbanist >= 0:
        text = f"wanted the urbanist beside the site in the phase {phase}, found it on a space: write null"
        yield Fault("wrong-urbanist", ("urbanist",), text)


def _left(state: State) -> Counter[int]:
    """By tile: how many of the round are not on the site; less than none where there are too many."""
    if state.phase == FILL:
        return Counter()
    left = Counter(UP[state.round, len(state.table.seats)])
    left.subtract(code for code in state.site if code not in (EMPTY, DOWN))
    return left


def _site(state: State) -> Iterator[Fault]:
    """On the site lies just what this round can leave there."""
    if state.phase not in (TAKE, BUILD):
        return
    players = len(state.table.seats)
    left = Counter(UP[state.round, players])
    for space, code in enumerate(state.site):
        if code not in (EMPTY, DOWN):
            left[code] -= 1
            if left[code] < 0:
                at = (space // SITE + 1, space % SITE + 1)
                text = (
                    f"wanted on the site only tiles of round {state.round} for {players} players, "
                    f"found {WORDS[code]} too many at {at[0]},{at[1]}: take it away"
                )
                yield Fault("wrong-tile", ("site", at), text)
    down = state.site.count(DOWN)
    if down != DOWN_COUNT[players]:
        text = f"wanted {DOWN_COUNT[players]} tiles face down with {players} players, found {down}: correct them"
        yield Fault("wrong-down", ("site",), text)


def _tiles(state: State) -> Iterator[Fault]:
    """In hand and in the cities there is no tile more than the box has had to give up to now."""
    before = Counter(code for n in range(1, state.round) for code in UP[n, len(state.table.seats)])
    left = _left(state)
    if state.taken:
        left[state.taken] -= 1
        if left[state.taken] < 0:
            text = f"wanted a taken tile of this round that is not on the site, found {WORDS[state.taken]}: correct it"
            yield Fault("wrong-tile", ("taken",), text)
    built = Counter(code for seat in state.table.seats for floors in state.city(seat).floors for code in floors)
    for code, count in sorted(built.items()):
        most = before[code] + max(0, left[code])
        if count > most:
            at_cities = tuple(
                seat_name(seat) for seat in state.table.seats if any(code in f for f in state.city(seat).floors)
            )
            text = f"wanted at most {most} of the tile {WORDS[code]} in all cities, found {count}: take some away"
            yield Fault("too-many-tiles", at_cities, text)


def _built(state: State) -> Iterator[Fault]:
    """In no city there are more tiles than turns in which one could have been built."""
    for seat in state.table.seats:
        count = sum(map(len, state.city(seat).floors))
        most = _turns_built(state, seat)
        if count > most:
            text = f"wanted at most {most} tiles in the city of {seat_name(seat)} by now, found {count}: take some away"
            yield Fault("too-many-built", (seat_name(seat),), text)


def _turns_built(state: State, seat: Seat) -> int:
    """The turns in which a seat could have built something."""
    if state.phase in (ALLOCATE, OVER):
        return 4 * ROUNDS_IN_ALL
    now = len(state.numbers_used(seat)) - (state.phase == BUILD and seat == state.turn)
    return 4 * (state.round - 1) + now


def _numbers(state: State, seat: Seat) -> Iterator[Fault]:
    """Each tile of a city was built in a round that had it, with an architect of that round for each, whose number
    was that of the slot's row or column or of the floor: found by matching the tiles with rounds and numbers.

    The reading of `stacking` is not asked: it may have been changed beside the position.
    """
    free = 0
    now = _numbers_built(state, seat)
    for past, number in product(range(state.round), range(1, 5)):
        if past + 1 < state.round or state.phase in (ALLOCATE, OVER) or number in now:
            free |= 1 << 4 * past + number - 1
    if sum(map(len, state.city(seat).floors)) > free.bit_count():
        return  # too many, which is told elsewhere
    tiles = []
    for slot, floors in enumerate(state.city(seat).floors):
        for level, code in enumerate(floors):
            numbers = [n for n in range(1, 5) if fits_number(slot, floors[:level], n, "row_column_or_floor")]
            rounds = [n for n in range(state.round) if free >> 4 * n & 15 and code in UP[n + 1, len(state.table.seats)]]
            if rounds:  # else it cannot have been built up to now, which is told elsewhere
                tiles.append((slot, free & sum(1 << 4 * n + number - 1 for n in rounds for number in numbers)))
    holders: dict[int, int] = {}

    def place(tile: int, tried: set[int]) -> bool:
        for bit in range(16):
            if tiles[tile][1] >> bit & 1 and bit not in tried:
                tried.add(bit)
                if bit not in holders or place(holders[bit], tried):
                    holders[bit] = tile
                    return True
        return False

    for tile, (slot, _) in enumerate(tiles):
        if not place(tile, set()):
            at = (slot // 4 + 1, slot % 4 + 1)
            text = (
                f"wanted on {seat_name(seat)}'s slot {at[0]},{at[1]} what an architect of its row, its column or the "
                "floor can have built by now, found more: take a tile away"
            )
            yield Fault("wrong-slot", (seat_name(seat), at), text)


def _numbers_built(state: State, seat: Seat) -> list[int]:
    """The numbers with which a seat could have built in this round."""
    if state.phase not in (TAKE, BUILD):
        return []
    in_hand = state.by if state.phase == BUILD and seat == state.turn else 0
    return [number for number in state.numbers_used(seat) if number != in_hand]


def _resources(state: State, seats: list[Seat]) -> Iterator[Fault]:
    """Each city has what its tiles brought, no more and no less (A12)."""
    for seat in seats:
        city = state.city(seat)
        built = [code for floors in city.floors for code in floors]
        for name, brings, there in (("inhabitants", INHABITANTS, city.people), ("energy", ENERGY, city.energy)):
            wanted = sum(brings[code] for code in built)
            if sum(there) != wanted:
                text = (
                    f"wanted {wanted} {name} in the city of {seat_name(seat)}, as its tiles brought, "
                    f"found {sum(there)}: correct the count"
                )
                yield Fault("wrong-resources", (seat_name(seat), name), text)


def _aim(state: State, position: int) -> int:
    """The space at which the architect at a position points."""
    return LINES[position][(state.architects[position] - 1) % 4]


def _architects(state: State) -> Iterator[Fault]:
    """Where an architect points nothing is left to take; every other space still has its tile."""
    aims = {_aim(state, position): position for position, who in enumerate(state.architects) if who}
    for space in range(SPACES):
        code, at = state.site[space], (space // SITE + 1, space % SITE + 1)
        if code == EMPTY and space not in aims:
            text = f"wanted a tile at {at[0]},{at[1]}, at which no architect points, found none: put it back"
            yield Fault("space-empty", ("site", at), text)
        elif code not in (EMPTY, DOWN) and space in aims:
            text = f"wanted no tile at {at[0]},{at[1]}, which an architect took, found {WORDS[code]}: take it away"
            yield Fault("not-taken", ("site", at), text)


def _order(state: State, urbanist: bool) -> Iterator[Fault]:
    """Seats act in turn, so that their architects differ by one at most; the urbanist is where the last one
    points, which is asked only where `urbanist` says that it can be."""
    table, turn = state.table, state.turn
    if turn is None or turn < 0:
        return
    used = {seat: len(state.numbers_used(seat)) for seat in table.seats}
    acted = state.turn_number
    if acted > 4:
        text = f"wanted a seat to move that has an architect left, found {seat_name(turn)}: name another"
        yield Fault("wrong-turn", ("to_move",), text)
        return
    counts = []
    seat = table.after(turn)
    while seat != turn:
        counts.append(used[seat])
        seat = table.after(seat)
    ahead = [n for n in counts if n == acted]
    late = [n for n in counts if n == acted - 1]
    if counts != [*late, *ahead]:
        text = (
            f"wanted architects set down seat by seat, {seat_name(turn)} to move, "
            f"found {', '.join(f'{seat_name(s)} {n}' for s, n in used.items())}: correct them or to_move"
        )
        yield Fault("wrong-count", ("architects",), text)
        return
    if not any(state.architects):
        if state.phase == BUILD:
            text = "wanted the architect that took the tile beside the site, found none: set it down"
            yield Fault("wrong-taken", ("taken",), text)
        return
    last = turn if state.phase == BUILD else table.before(turn)
    aims = {
        (who - 1) % 4 + 1: _aim(state, position)
        for position, who in enumerate(state.architects)
        if who and (who - 1) // 4 == last
    }
    if state.phase == BUILD and state.by not in aims:
        text = f"wanted architect {state.by} of {seat_name(turn)}, which took the tile, at the site: set it down"
        yield Fault("wrong-taken", ("taken",), text)
    elif urbanist and state.urbanist >= 0:
        wanted = [aims[state.by]] if state.phase == BUILD else list(aims.values())
        if state.urbanist not in wanted:
            text = f"wanted the urbanist where {seat_name(last)}'s last architect points, found it elsewhere: move it"
            yield Fault("wrong-urbanist", ("urbanist",), text)
        elif state.phase == BUILD and state.site[state.urbanist] != EMPTY:
            text = "wanted the space empty from which the tile was taken, found a tile there: take it away"
            yield Fault("wrong-taken", ("taken",), text)


def _mayor(state: State) -> Iterator[Fault]:
    """The mayor passes only to who builds a tower with the symbol; until then its holder is who began the round."""
    table, turn = state.table, state.turn
    if turn is None:
        return
    first = turn
    for _ in table.seats[1:]:
        if len(state.numbers_used(table.before(first))) != state.turn_number:
            break
        first = table.before(first)
    if state.phase == BUILD and all(len(state.numbers_used(seat)) == state.turn_number for seat in table.seats):
        first = table.after(turn)
    if state.mayor == first:
        return
    unbuilt = state.round == ROUNDS_IN_ALL or MAYOR_TOWER in (*state.site, state.taken)
    if unbuilt or not any(MAYOR_TOWER in floors for floors in state.city(state.mayor).floors):
        text = (
            f"wanted the mayor with {seat_name(first)}, who began the round, found {seat_name(state.mayor)}, "
            "who has built no tower with its symbol since: correct it"
        )
        yield Fault("wrong-mayor", ("mayor",), text)
