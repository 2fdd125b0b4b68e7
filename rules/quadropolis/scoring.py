"""What a city scores, point by point, and who has won (rulebook, Contagem de Pontos, Penalidades, Desempate)."""

from __future__ import annotations

from collections.abc import Iterator

from rules.game import Outcome, ScoreLine
from rules.quadropolis.allocating import best
from rules.quadropolis.state import BESIDE, OVER, SLOTS, City, State, holds, resource_cell, slot_cell
from rules.quadropolis.tables import (
    BESIDE_SLOT,
    COLUMNS,
    CUSTOMERS,
    DISTRICT,
    HARBOR_BESIDE,
    HARBOR_LINE,
    HEIGHT,
    MOST_CUSTOMERS,
    PARK_TOWERS,
    ROWS,
    SERVICE_DISTRICTS,
    SHOP_BESIDE,
    runs,
)
from rules.quadropolis.tiles import FACTORY, HARBOR, PARK, SERVICE, SHOP, TOWER, VP
from rules.words import Cell, Seat

PARTS: tuple[str, ...] = ("towers", "shops", "services", "parks", "factories", "harbors", "penalty")
LABELS: dict[str, str] = {
    "tower": "towers",
    "shop": "shops",
    "districts": "services",
    "service-points": "services",
    "park": "parks",
    "factory": "factories",
    "harbor-line": "harbors",
    "harbor-row": "harbors",
    "harbor-column": "harbors",
    "harbor-points": "harbors",
    "idle-inhabitants": "penalty",
    "idle-energy": "penalty",
}
"""By a line's label: the part of the score under which it counts."""


def is_active(city: City, slot: int) -> bool:
    """Whether a building has what it needs: towers and shops energy, parks nothing, all others an inhabitant."""
    match holds(city.floors[slot]):
        case -1:
            return False
        case 0 | 1:
            return city.energy[slot] > 0
        case 3:
            return True
        case _:
            return city.people[slot] > 0


def city_counted(state: State, seat: Seat) -> City:
    """A seat's city with the allocation that counts: the best, or the pieces as they lie (A11)."""
    readings = state.table.readings
    return best(state.city(seat), readings.harbours) if readings.allocation == "best" else state.city(seat)


def score(state: State) -> list[ScoreLine]:
    """The score of every city, a line for each building or line of buildings that scores.

    A line's cells are the building first, then what it counts. Buildings that are not active count for nothing,
    as neighbours either (A2).
    """
    both = state.table.readings.harbours == "row_plus_column"
    return [line for seat in state.table.seats for line in city_lines(city_counted(state, seat), seat, both)]


def city_lines(city: City, seat: Seat, both: bool) -> Iterator[ScoreLine]:
    """One city's score; `both`: harbors score their longest row and their longest column (A1)."""
    active = [holds(city.floors[slot]) if is_active(city, slot) else -1 for slot in range(SLOTS)]

    def line(label: str, points: int, slots: list[int]) -> ScoreLine:
        return ScoreLine(seat, label, points, tuple(slot_cell(seat, slot) for slot in slots))

    def at(kind: int) -> list[int]:
        return [slot for slot in range(SLOTS) if active[slot] == kind]

    def beside(slot: int, kind: int) -> list[int]:
        return [other for other in BESIDE_SLOT[slot] if active[other] == kind]

    for slot in at(TOWER):
        yield line("tower", HEIGHT[len(city.floors[slot])], [slot])
    for slot in at(SHOP):
        yield line("shop", CUSTOMERS[min(MOST_CUSTOMERS, city.people[slot])], [slot])
    services = at(SERVICE)
    if services:
        yield line("districts", SERVICE_DISTRICTS[len({DISTRICT[slot] for slot in services})], services)
    for slot in services:
        if VP[city.floors[slot][0]]:
            yield line("service-points", VP[city.floors[slot][0]], [slot])
    for slot in at(PARK):
        towers = beside(slot, TOWER)
        yield line("park", PARK_TOWERS[len(towers)], [slot, *towers])
    for slot in at(FACTORY):
        shops, harbors = beside(slot, SHOP), beside(slot, HARBOR)
        yield line("factory", SHOP_BESIDE * len(shops) + HARBOR_BESIDE * len(harbors), [slot, *shops, *harbors])
    row, column = (_longest(lines, at(HARBOR)) for lines in (ROWS, COLUMNS))
    one = [("harbor-line", max(row, column, key=len))]
    for label, run in [("harbor-row", row), ("harbor-column", column)] if both else one:
        if run:
            yield line(label, HARBOR_LINE[len(run)], run)
    for slot in at(HARBOR):
        if VP[city.floors[slot][0]]:
            yield line("harbor-points", VP[city.floors[slot][0]], [slot])
    yield from _penalties(city, seat, active)


def _longest(lines: tuple[tuple[int, ...], ...], harbors: list[int]) -> list[int]:
    """The longest unbroken run of harbors; the first of several."""
    return max((list(run) for run in runs(lines) if set(run) <= set(harbors)), key=len, default=[])


def _penalties(city: City, seat: Seat, active: list[int]) -> Iterator[ScoreLine]:
    """A point less for each inhabitant and each unit of energy that nothing uses. A park takes in one unit."""
    room = [
        (0, 0) if kind == -1 else (0, 1) if kind in (TOWER, PARK) else (MOST_CUSTOMERS, 1) if kind == SHOP else (1, 0)
        for kind in active
    ]
    room.append((0, 0))
    for kind, label in enumerate(("idle-inhabitants", "idle-energy")):
        idle: list[Cell] = []
        amounts = (city.people, city.energy)[kind]
        for place in range(SLOTS + 1):
            used = min(room[place][kind], amounts[place])
            idle.extend(resource_cell(seat, place, kind, n) for n in range(used, amounts[place]))
        if idle:
            yield ScoreLine(seat, label, -len(idle), tuple(idle))


def total(city: City, seat: Seat, both: bool) -> int:
    """What a city scores in all."""
    return sum(line.points for line in city_lines(city, seat, both))


def outcome(state: State) -> Outcome | None:
    """The winners, or None while the game goes on.

    Equal points: more inhabitants (A8), then fewer empty slots (A9); who is still equal shares the win (A10).
    """
    if state.phase != OVER:
        return None
    readings = state.table.readings
    ranks = {}
    for seat in state.table.seats:
        city = city_counted(state, seat)
        people = sum(city.people[:BESIDE] if readings.tie_inhabitants == "placed" else city.people)
        points = total(city, seat, readings.harbours == "row_plus_column")
        ranks[seat] = (points, people, -city.empty_slots)
    return Outcome(tuple(seat for seat, rank in ranks.items() if rank == max(ranks.values())), "complete")
