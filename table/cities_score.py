"""What the cities of a scoring count: parts, reasons, points on each building, the best allocation and the way to it,
and who has won. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from rules.quadropolis.allocating import best
from rules.quadropolis.scoring import LABELS, PARTS, city_lines, is_active, total
from rules.quadropolis.state import BESIDE, SLOTS, City
from rules.words import Cell, Said, Seat
from table.cities import Book, Closed, Scoring, Sheet
from table.city_told import follow_view
from webui.city_desk import CityView, Kept, Reason, SlotView, Transfer

HARBOURS: tuple[str, ...] = ("best_line", "row_plus_column")
TIES: tuple[str, ...] = ("all", "placed")
SHARED_LABELS = frozenset({"districts", "harbor-line", "harbor-row", "harbor-column"})
"""Lines of the score that several buildings make together."""
_SEAT = Seat(0)
KINDS: tuple[str, str] = ("inhabitants", "energy")


def reasons_of(city: City, harbours: str) -> tuple[Reason, ...]:
    """Every line of a city's score that is not 0."""
    lines = city_lines(city, _SEAT, harbours == HARBOURS[1])
    return tuple(
        Reason(LABELS[line.label], line.label, line.points, tuple(map(_slot_of, line.cells)))
        for line in lines if line.points
    )


def _slot_of(cell: Cell) -> int:
    return BESIDE if cell.col < 0 else 4 * cell.row + cell.col


def points_of(city: City, harbours: str) -> int:
    """What a city scores in all."""
    return total(city, _SEAT, harbours == HARBOURS[1])


@lru_cache(maxsize=256)
def best_near(city: City, harbours: str) -> City:
    """The best allocation, and of equally good ones one that few moves lead to: what `best` moved without need is put
    back, one by one, while the total and the inhabitants at work stay."""
    found = best(city, harbours)
    target, busy = points_of(found, harbours), sum(found.people[:SLOTS])
    if points_of(city, harbours) == target:
        return city
    changed = True
    while changed:
        changed = False
        for other in _nearer(city, found):
            if points_of(other, harbours) == target and sum(other.people[:SLOTS]) >= busy:
                found, changed = other, True
                break
    return found


def _nearer(city: City, found: City) -> Iterator[City]:
    """Allocations a piece nearer to how they lie."""
    for kind in (0, 1):
        lie, then = (city.people, found.people) if kind == 0 else (city.energy, found.energy)
        less = [place for place in range(SLOTS + 1) if then[place] < lie[place]]
        more = [place for place in range(SLOTS + 1) if then[place] > lie[place]]
        for back in less:
            for away in more:
                amounts = bytearray(then)
                amounts[back] += 1
                amounts[away] -= 1
                yield (City(found.floors, bytes(amounts), found.energy) if kind == 0
                       else City(found.floors, found.people, bytes(amounts)))


def transfers(lie: City, then: City) -> tuple[Transfer, ...]:
    """The moves that lead from one allocation to another, equal amounts first, so that they are few."""
    moves: list[Transfer] = []
    for kind, (now, wanted) in zip(KINDS, ((lie.people, then.people), (lie.energy, then.energy)), strict=True):
        spare = {place: now[place] - wanted[place] for place in range(SLOTS + 1) if now[place] > wanted[place]}
        short = {place: wanted[place] - now[place] for place in range(SLOTS + 1) if now[place] < wanted[place]}
        pairs = [(a, b) for a in spare for b in short if spare[a] == short[b]]
        for source, target in [*pairs, *((a, b) for a in spare for b in short)]:
            count = min(spare[source], short[target])
            if count:
                moves.append(Transfer(kind, count, source, target))
                spare[source] -= count
                short[target] -= count
    return tuple(moves)


def city_view(sheet: Sheet, harbours: str) -> CityView:
    """A city as the page shows it; `rank` and `wins` come with the others."""
    city = sheet.counted
    reasons = reasons_of(city, harbours)
    parts = {part: sum(one.points for one in reasons if one.part == part) for part in PARTS}
    then = best_near(city, harbours)
    return CityView(
        sheet.city, sheet.player, sheet.changed_seq, sheet.picture_seq, sheet.read.size_px,
        tuple(_slot_view(sheet, city, reasons, slot) for slot in range(SLOTS)), sheet.beside, sheet.is_beside_asked,
        reasons, tuple(parts.items()), sum(parts.values()), points_of(then, harbours), transfers(city, then),
        sum(city.people), city.empty_slots, follow=follow_view(sheet),
    )


def _slot_view(sheet: Sheet, city: City, reasons: Sequence[Reason], slot: int) -> SlotView:
    own = [one for one in reasons if one.label not in SHARED_LABELS and one.part != "penalty" and one.slots[0] == slot]
    read, building = sheet.read.slots[slot], sheet.slots[slot]
    return SlotView(read.outline_px, building, None if building is None else sum(one.points for one in own),
                    is_active(city, slot), read.ranked, sheet.is_asked(slot), read.hidden, slot in sheet.settled)


def ranked(scoring: Scoring) -> tuple[CityView, ...]:
    """Every city, in the order they were added, with its place in the result.

    Equal points: more inhabitants (of the whole city, or of its buildings), then fewer empty slots; who is still equal
    shares the place (rulebook, Desempate; readings A8 to A10).
    """
    views = [city_view(sheet, scoring.harbours) for sheet in scoring.sheets]
    keys = []
    for view, sheet in zip(views, scoring.sheets, strict=True):
        people = sum(sheet.counted.people[:SLOTS]) if scoring.tie == "placed" else view.inhabitants
        keys.append((view.total, people, -view.empty))
    return tuple(
        replace(view, inhabitants=key[1], rank=1 + sum(other > key for other in keys), wins=key == max(keys))
        for view, key in zip(views, keys, strict=True)
    )


def result_of(scoring: Scoring) -> tuple[tuple[str, int, bool], ...]:
    """The result as it is kept: player, points, whether they won."""
    return tuple((view.player, view.total, view.wins) for view in ranked(scoring))


def kept(book: Book) -> tuple[Kept, ...]:
    """The earlier results, newest first."""
    return tuple(_kept(one) for one in reversed(book.closed))


def _kept(closed: Closed) -> Kept:
    return Kept(closed.at_utc, closed.result)


def player_said(view: CityView, number: int) -> Said:
    """Whose city: the name that was given, or a number."""
    return Said(view.player or f"City {number}", view.player or f"Cidade {number}")
