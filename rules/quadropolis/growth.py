"""How a city grew between two looks at it: the build that explains the change, or why there is none.

For who sees only a city: neither the site nor the architects. Which architect took a tile is not seen then, only which
could have; `Spent` keeps what sets of them can be used up. A discard uses one too, unseen, and may be of any number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rules.game import Reason
from rules.quadropolis.moves import fits_number
from rules.quadropolis.readings import Readings
from rules.quadropolis.state import (
    BESIDE,
    MOST_FLOORS,
    ROUNDS_IN_ALL,
    SLOTS,
    TURNS,
    City,
    is_tower,
    resource_cell,
    slot_cell,
)
from rules.quadropolis.tiles import ENERGY, INHABITANTS, TILE, TOWER, TYPE
from rules.words import SEATS, Cell, Seat

NUMBERS: tuple[int, ...] = (1, 2, 3, 4)
_USUAL = Readings()
_SOUTH = SEATS[0]


@dataclass(frozen=True, slots=True)
class Spent:
    """Every way in which the builds so far can share rounds and architects: the round, and of its architects those
    that built in it, as bits (1 for the first). The end of a round is not seen: any build may begin the next."""

    ways: frozenset[tuple[int, int]] = frozenset({(1, 0)})

    def after(self, numbers: Sequence[int]) -> Spent:
        """With one build more, by an architect of one of these numbers; `ways` is empty where that cannot be.

        >>> one = Spent().after((1,))
        >>> sorted(one.ways), Spent(frozenset({(4, 0b0001)})).after((1,)).ways
        ([(1, 1), (2, 1)], frozenset())
        """
        found: set[tuple[int, int]] = set()
        for round_, used in self.ways:
            for number in numbers:
                bit = 1 << number - 1
                if not used & bit:
                    found.add((round_, used | bit))
                if round_ < ROUNDS_IN_ALL:
                    found.add((round_ + 1, bit))
        return Spent(frozenset(found))

    def able(self, numbers: Sequence[int]) -> tuple[int, ...]:
        """Those of the numbers whose architect can have built next."""
        return tuple(number for number in numbers if self.after((number,)).ways)

    @property
    def maybe_unused(self) -> tuple[int, ...]:
        """The architects that may still be unused in the round under way."""
        return tuple(n for n in NUMBERS if any(not used >> n - 1 & 1 for _, used in self.ways))


def spent_unseen(tiles: int) -> Spent:
    """What can be used up in a city of so many tiles whose building nobody saw: nothing more is known than that each
    took an architect.

    >>> spent_unseen(0) == Spent(), len(spent_unseen(5).ways), spent_unseen(17).ways
    (True, 4, frozenset())
    """
    round_, more = divmod(tiles, TURNS)
    if tiles and not more:  # the round is full, which is the same as an empty next one, were there one
        round_, more = round_ - 1, TURNS
    sets = (used for used in range(16) if used.bit_count() == more)
    return Spent(frozenset((round_ + 1, used) for used in sets if round_ < ROUNDS_IN_ALL))


@dataclass(frozen=True, slots=True)
class Build:
    """A tile set down on a slot at that storey; `numbers`: the architects that could have taken it."""

    slot: int
    level: int
    code: int
    numbers: tuple[int, ...]

    @property
    def gives(self) -> tuple[int, int]:
        """The inhabitants and the energy that come with it."""
        return INHABITANTS[self.code], ENERGY[self.code]


@dataclass(frozen=True, slots=True)
class Growth:
    """What became of a city. `build`: the legal one that explains the change, and `spent` after it. Without one,
    `reasons` say why not, the one that matters most first; without a change neither is there.

    `to_come`: inhabitants and energy that came with what was built and lie neither on the city nor beside it;
    `too_many`: those that lie there and came from nowhere.
    """

    build: Build | None
    reasons: tuple[Reason, ...]
    spent: Spent
    to_come: tuple[int, int] = (0, 0)
    too_many: tuple[int, int] = (0, 0)

    @property
    def legal(self) -> bool:
        return not self.reasons

    def about_resources(self, seat: Seat = _SOUTH) -> tuple[Reason, ...]:
        """What is wrong with the resources (A12: they must be taken; the rulebook, Receba os Recursos)."""
        found = []
        if any(self.too_many):
            found.append(Reason("resources-too-many", _named(self.too_many, seat), seat))
        if any(self.to_come):
            found.append(Reason("resources-missing", _named(self.to_come, seat), seat))
        return tuple(found)


def _named(counts: tuple[int, int], seat: Seat) -> tuple[Cell, ...]:
    """So many inhabitants and units of energy as cells beside a city."""
    return tuple(resource_cell(seat, BESIDE, kind, n) for kind in (0, 1) for n in range(counts[kind]))


def fitting(slot: int, floors: bytes, stacking: str = _USUAL.stacking) -> tuple[int, ...]:
    """The architects that may build next on a slot with these floors: of its row, its column, or the new floor (A4).

    >>> fitting(5, b""), fitting(2, b""), fitting(0, b"\\x03\\x03")
    ((2,), (1, 3), (1, 3))
    """
    return tuple(number for number in NUMBERS if fits_number(slot, floors, number, stacking))


def grown(
    before: City, after: City, spent: Spent, readings: Readings = _USUAL, unused: Sequence[int] | None = None,
    seat: Seat = _SOUTH,
) -> Growth:
    """What explains the change from one look to the next.

    `unused`: the architects of this round that have not been used, where that is known; else what `spent` allows.
    """
    changed = [slot for slot in range(SLOTS) if not _same(before.floors[slot], after.floors[slot])]
    laid = [slot for slot in changed if _is_longer(before.floors[slot], after.floors[slot])]
    gone = [slot for slot in changed if slot not in laid]
    too_many, to_come = _resources(before, after, laid)
    if not changed:
        return Growth(None, (), spent, to_come, too_many)
    reasons = [*_moved(before, after, gone, laid, seat)]
    tiles = sum(len(after.floors[slot]) - len(before.floors[slot]) for slot in laid)
    for slot in laid:
        reasons += _against(before.floors[slot], after.floors[slot][len(before.floors[slot])], slot, seat)
    if tiles > 1 and not gone:
        reasons.append(Reason("two-at-once", tuple(slot_cell(seat, slot, len(before.floors[slot])) for slot in laid)))
    if reasons:
        return Growth(None, tuple(reasons), spent, to_come, too_many)
    slot = laid[0]
    floors = before.floors[slot]
    cell = slot_cell(seat, slot, len(floors))
    numbers = fitting(slot, floors, readings.stacking)
    if unused is not None and not set(numbers) & set(unused):
        return Growth(None, (Reason("wrong-number", (cell,)),), spent, to_come, too_many)
    able = spent.able([n for n in numbers if unused is None or n in unused])
    if not able:
        return Growth(None, (Reason("architects-spent", (cell,)),), spent, to_come, too_many)
    build = Build(slot, len(floors), after.floors[slot][-1], able)
    return Growth(build, (), spent.after(able), to_come, too_many)


def _same(before: bytes, after: bytes) -> bool:
    return [TILE[code].face for code in before] == [TILE[code].face for code in after]


def _is_longer(before: bytes, after: bytes) -> bool:
    return len(after) > len(before) and _same(before, after[: len(before)])


def _moved(before: City, after: City, gone: Sequence[int], laid: Sequence[int], seat: Seat) -> list[Reason]:
    """Tiles that lie no longer where they were built, each with where it went, if it went anywhere."""
    found, left = [], list(laid)
    for slot in gone:
        was = before.floors[slot]
        tile = TILE[was[-1]].face
        to = next((other for other in left if TILE[after.floors[other][-1]].face == tile), None)
        if to is not None:
            left.remove(to)
        cells = [slot_cell(seat, slot, len(was) - 1)]
        cells += [] if to is None else [slot_cell(seat, to, len(after.floors[to]) - 1)]
        found.append(Reason("moved-building", tuple(cells)))
    return found


def _against(floors: bytes, code: int, slot: int, seat: Seat) -> list[Reason]:
    """Why a tile may not lie on these floors."""
    at = (slot_cell(seat, slot, len(floors)),)
    if not floors:
        return []
    if not is_tower(floors):
        return [Reason("slot-taken", at)]
    if TYPE[code] != TOWER:
        return [Reason("only-towers-stack", at)]
    return [Reason("too-high", at)] if len(floors) >= MOST_FLOORS else []


def _resources(before: City, after: City, laid: Sequence[int]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Too many, and still to come: inhabitants and energy."""
    fresh = [code for slot in laid for code in after.floors[slot][len(before.floors[slot]) :]]
    people = sum(after.people) - sum(before.people) - sum(INHABITANTS[code] for code in fresh)
    energy = sum(after.energy) - sum(before.energy) - sum(ENERGY[code] for code in fresh)
    return (max(people, 0), max(energy, 0)), (max(-people, 0), max(-energy, 0))
