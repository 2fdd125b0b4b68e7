"""The best final allocation of inhabitants and energy to a city's buildings, found exactly.

The method. Points come from four groups that share nothing but the two supplies, so each group is solved for every
amount it may use, and the amounts are then shared out in every way:

- *Towers and parks* use energy only. Towers are added one by one; of two choices that activate as many towers and
  leave each park as many active neighbours the worse is dropped, since nothing later can tell them apart.
- *Services* use inhabitants. For each number of services and of districts, the most printed points.
- *Factories, harbors and shops* are tied by neighbourhood. Either the active factories are enumerated: then a
  harbor or shop is worth a fixed sum (its printed points, and 3 or 2 for each active factory beside it) plus the
  harbors' line, so for every line that could be the longest its harbors are forced and the dearest others added. Or the
  active harbors and shops are enumerated: then each factory is worth a fixed sum and the dearest are taken. Whichever
  enumeration is smaller is used; with 16 slots one of them always is small.
- *Customers*: a shop's points grow faster with each customer (1, 1, 2, 3), so filling one shop after the other is best,
  and another customer is never worse than an idle one.

Idle pieces cost a point each; each park takes in one idle energy. Among equal totals the one with the most inhabitants
at work is taken, which is what the option `tie_inhabitants=placed` asks about. `tests/rules/test_quadropolis_best.py`
holds it against every allocation there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import accumulate

from rules.quadropolis.state import BESIDE, SLOTS, City, holds
from rules.quadropolis.tables import (
    COLUMNS,
    CUSTOMERS,
    DISTRICT,
    DISTRICTS,
    HARBOR_BESIDE,
    HARBOR_LINE,
    HEIGHT,
    MOST_CUSTOMERS,
    NEAR,
    PARK_TOWERS,
    ROWS,
    SERVICE_DISTRICTS,
    SHOP_BESIDE,
    line_points,
    runs,
)
from rules.quadropolis.tiles import FACTORY, HARBOR, PARK, SERVICE, SHOP, TOWER, VP

Choice = tuple[int, int]
"""Points, and the slots that are active for them as bits."""


@lru_cache(maxsize=4096)
def best(city: City, harbours: str) -> City:
    """The city with its pieces moved to where they score most; `harbours` is the option's value.

    >>> from rules.quadropolis.tiles import CODE_WRITTEN
    >>> tower, shop = (bytes((CODE_WRITTEN[word],)) for word in ("T2", "S"))
    >>> found = best(City((tower, shop, *(b"",) * 14)).built(2, CODE_WRITTEN["F1"]), "best_line")
    >>> list(found.energy[:3]), found.energy[BESIDE]
    ([1, 0, 0], 0)
    """
    people, energy = sum(city.people), sum(city.energy)
    at = [[slot for slot in range(SLOTS) if holds(city.floors[slot]) == kind] for kind in range(6)]
    powered = _towers(city, at[TOWER], at[PARK])
    working = _with_services(_tied(city, at, harbours == "row_plus_column"), _services(city, at[SERVICE]))
    found = (-10**6, 0)
    chosen = (0, 0)
    for (used, shops), (points, slots) in working.items():
        if used > people or shops > energy:
            continue
        customers = min(MOST_CUSTOMERS * shops, people - used)
        busy = used + customers
        points += _customer_points(customers) - (people - busy)
        towers, mask = max(
            (powered[count][0] - max(0, energy - shops - count - len(at[PARK])), -powered[count][1])
            for count in range(min(len(powered) - 1, energy - shops) + 1)
        )
        if (points + towers, busy) > found:
            found, chosen = (points + towers, busy), (slots | -mask, shops)
    return _laid_out(city, at, chosen[0], people, energy)


def _customer_points(customers: int) -> int:
    """The most that so many customers bring, in as many active shops as they need."""
    full, rest = divmod(customers, MOST_CUSTOMERS)
    return full * CUSTOMERS[MOST_CUSTOMERS] + CUSTOMERS[rest]


def _laid_out(city: City, at: list[list[int]], active: int, people: int, energy: int) -> City:
    """The pieces on the active slots, customers in one shop after the other, idle energy in the parks."""
    persons, power = [0] * (SLOTS + 1), [0] * (SLOTS + 1)
    for kind in (TOWER, SHOP, SERVICE, FACTORY, HARBOR):
        for slot in at[kind]:
            if active >> slot & 1:
                (power if kind in (TOWER, SHOP) else persons)[slot] = 1
    for slot in at[SHOP]:
        if power[slot]:
            persons[slot] = min(MOST_CUSTOMERS, people - sum(persons))
    for slot in at[PARK]:
        power[slot] = int(sum(power) < energy)
    persons[BESIDE], power[BESIDE] = people - sum(persons), energy - sum(power)
    return City(city.floors, bytes(persons), bytes(power))


def _towers(city: City, towers: list[int], parks: list[int]) -> list[Choice]:
    """By number of active towers: the most points of towers and parks."""
    states: dict[tuple[int, tuple[int, ...]], Choice] = {(0, (0,) * len(parks)): (0, 0)}
    for slot in towers:
        height = HEIGHT[len(city.floors[slot])]
        beside = [NEAR[slot] >> park & 1 for park in parks]
        for (count, near), (points, mask) in list(states.items()):
            key = (count + 1, tuple(map(int.__add__, near, beside)) if any(beside) else near)
            if points + height > states.get(key, (-1, 0))[0]:
                states[key] = (points + height, mask | 1 << slot)
    found: list[Choice] = [(-1, 0)] * (len(towers) + 1)
    for (count, near), (points, mask) in states.items():
        found[count] = max(found[count], (points + sum(PARK_TOWERS[n] for n in near), mask))
    return found


def _services(city: City, services: list[int]) -> list[Choice]:
    """By number of active services: the most points of districts and printed points."""
    states: dict[tuple[int, int], Choice] = {(0, 0): (0, 0)}
    for district in range(DISTRICTS):
        here = sorted((VP[city.floors[slot][0]], slot) for slot in services if DISTRICT[slot] == district)[::-1]
        taken = [(0, 0), *accumulate(((vp, 1 << slot) for vp, slot in here), lambda a, b: (a[0] + b[0], a[1] | b[1]))]
        for (count, districts), (points, mask) in list(states.items()):
            for more, (vp, slots) in enumerate(taken[1:], start=1):
                key = (count + more, districts + 1)
                states[key] = max(states.get(key, (-1, 0)), (points + vp, mask | slots))
    found: list[Choice] = [(-1, 0)] * (len(services) + 1)
    for (count, districts), (points, mask) in states.items():
        found[count] = max(found[count], (points + SERVICE_DISTRICTS[districts], mask))
    return found


def _with_services(tied: dict[tuple[int, int], Choice], services: list[Choice]) -> dict[tuple[int, int], Choice]:
    """By inhabitants at work (customers apart) and active shops: the most points of all but towers and parks."""
    found: dict[tuple[int, int], Choice] = {}
    for (used, shops), (points, slots) in tied.items():
        for count, (more, mask) in enumerate(services):
            key = (used + count, shops)
            if key not in found or found[key][0] < points + more:
                found[key] = (points + more, slots | mask)
    return found


def _tied(city: City, at: list[list[int]], both: bool) -> dict[tuple[int, int], Choice]:
    """By active factories and harbors, and active shops: the most points of these three without customers."""
    factories, harbors, shops = at[FACTORY], at[HARBOR], at[SHOP]
    industry = sum(1 << slot for slot in factories)
    near = [shop for shop in shops if NEAR[shop] & industry]
    far = [0, *accumulate(1 << shop for shop in shops if not NEAR[shop] & industry)]
    lines = _lines(harbors, both)
    vp = {slot: VP[city.floors[slot][0]] for slot in harbors}
    if len(lines) << len(factories) < 2 << len(harbors) + len(near):
        choices = _by_factories(factories, vp, near, lines)
    else:
        choices = _by_neighbours(factories, vp, near, both)
    found: dict[tuple[int, int], Choice] = {}
    for used, count, points, slots in choices:
        if points > found.get((used, count), (-1, 0))[0]:
            found[used, count] = points, slots
    spread: dict[tuple[int, int], Choice] = {}
    for (used, count), (points, slots) in found.items():
        for more, mask in enumerate(far):
            if points > spread.get((used, count + more), (-1, 0))[0]:
                spread[used, count + more] = points, slots | mask
    return spread


def _lines(harbors: list[int], both: bool) -> list[Choice]:
    """Each set of harbors that could be the longest line (or the longest row and column), with its points."""
    there = sum(1 << slot for slot in harbors)
    rows, columns = (
        [(0, 0), *((HARBOR_LINE[len(run)], mask) for run in runs(lines) if not (mask := _mask(run)) & ~there)]
        for lines in (ROWS, COLUMNS)
    )
    found: dict[int, int] = {}
    pairs = ((a, b) for a in rows for b in columns) if both else ((line, (0, 0)) for line in (*rows, *columns))
    for (points, row), (more, column) in pairs:
        found[row | column] = max(found.get(row | column, 0), points + more)
    return [(points, mask) for mask, points in found.items()]


def _mask(slots: Iterable[int]) -> int:
    return sum(1 << slot for slot in slots)


def _by_factories(
    factories: list[int], vp: dict[int, int], shops: list[int], lines: list[Choice]
) -> Iterator[tuple[int, int, int, int]]:
    """Every set of active factories with the best harbors and shops beside it, for every number of these.

    Gives inhabitants at work, active shops, points and slots; `vp` has the harbors with their printed points.
    """
    for working in _subsets(factories):
        staff = working.bit_count()
        worth = sorted(((points + HARBOR_BESIDE * (NEAR[h] & working).bit_count(), 1 << h) for h, points in vp.items()))
        lined = _lined(worth[::-1], lines)
        sold = list(_dearest((SHOP_BESIDE * (NEAR[s] & working).bit_count(), 1 << s) for s in shops))
        for count, (points, slots) in lined.items():
            for opened, (more, mask) in enumerate(sold):
                yield staff + count, opened, points + more, working | slots | mask


def _lined(worth: list[Choice], lines: list[Choice]) -> dict[int, Choice]:
    """By number of active harbors, each worth a fixed sum (the dearest first): the most points with a line."""
    found: dict[int, Choice] = {}
    for points, slots in lines:
        count = slots.bit_count()
        rest = []
        for choice in worth:
            if choice[1] & slots:
                points += choice[0]
            else:
                rest.append(choice)
        for more, bit in (*rest, (0, 0)):
            if points > found.get(count, (-1, 0))[0]:
                found[count] = points, slots
            count, points, slots = count + 1, points + more, slots | bit
    return found


def _by_neighbours(
    factories: list[int], vp: dict[int, int], shops: list[int], both: bool
) -> Iterator[tuple[int, int, int, int]]:
    """Every set of active harbors and shops with the best factories beside it, for every number of these."""
    for docked in _subsets(list(vp)):
        docks = docked.bit_count()
        printed = sum(points for slot, points in vp.items() if docked >> slot & 1)
        printed += line_points(docked, both)
        for selling in _subsets(shops):
            worth = (
                (
                    HARBOR_BESIDE * (NEAR[f] & docked).bit_count() + SHOP_BESIDE * (NEAR[f] & selling).bit_count(),
                    1 << f,
                )
                for f in factories
            )
            opened, active = selling.bit_count(), docked | selling
            for count, (more, mask) in enumerate(_dearest(worth)):
                yield docks + count, opened, printed + more, active | mask


def _dearest(worth: Iterable[Choice]) -> Iterator[Choice]:
    """The sum of the dearest none, one, two and so on, with their slots."""
    points, slots = 0, 0
    yield points, slots
    for more, bit in sorted(worth, reverse=True):
        points, slots = points + more, slots | bit
        yield points, slots


def _subsets(slots: list[int]) -> list[int]:
    """Every subset of some slots."""
    found = [0]
    for slot in slots:
        found += [chosen | 1 << slot for chosen in found]
    return found
