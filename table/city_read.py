"""A city as one picture of it was read, and such a reading held against what is known of the city. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rules.quadropolis.state import SLOTS
from table.city_history import TURNED, History, confirmed
from webui.city_desk import Building, Offer

_LIKE = 0.3
"""So likely at least, a reading agrees with what is known of a slot."""
_TURNED_BY = 2
"""So many more slots must agree for a reading to be turned."""


@dataclass(frozen=True, slots=True)
class SlotRead:
    """What the camera says of a slot. `ranked`: likeliest first, empty where it says nothing; `outline_px`: four
    corners in the kept picture, clockwise from the top left."""

    outline_px: tuple[tuple[float, float], ...] = ()
    ranked: tuple[Offer, ...] = ()
    asked: bool = False
    hidden: bool = False

    @property
    def building(self) -> Building | None:
        """The likeliest."""
        return self.ranked[0].building if self.ranked else None


@dataclass(frozen=True, slots=True)
class ReadCity:
    """One city as read from one picture of `size_px` (width, height); `beside`: inhabitants, energy. `print` is the
    digest of the picture's file, "" by hand: the same file is not read twice into one result."""

    slots: tuple[SlotRead, ...] = (SlotRead(),) * SLOTS
    beside: tuple[int, int] = (0, 0)
    beside_asked: bool = False
    size_px: tuple[int, int] = (0, 0)
    print: str = ""


def turned_read(read: ReadCity, quarters: int) -> ReadCity:
    """The same reading with its rows counted from another side, by so many quarters clockwise."""
    slots = read.slots
    for _ in range(quarters % 4):
        slots = tuple(slots[old] for old in TURNED)
    return replace(read, slots=slots)


def agreement(history: History, read: ReadCity) -> int:
    """How many slots show what is known of them."""
    return sum(_agrees(history.face(slot), one) for slot, one in enumerate(read.slots))


def _agrees(face: str, one: SlotRead) -> bool:
    if one.hidden:
        return False
    if not face:
        return one.building is None
    total = sum(offer.probability for offer in one.ranked) or 1.0
    like = sum(offer.probability for offer in one.ranked if offer.building is not None and offer.building.face == face)
    return like / total >= _LIKE


def as_known(history: History, read: ReadCity) -> ReadCity:
    """A reading turned so that its rows are those of the history: a picture may be taken from any side."""
    turned = [turned_read(read, quarters) for quarters in range(4)]
    best = max(turned, key=lambda one: agreement(history, one))
    return best if agreement(history, best) >= agreement(history, read) + _TURNED_BY else read


def held_against(
    history: History, slots: Sequence[Building | None], read: ReadCity, is_followed: bool
) -> tuple[History, ReadCity]:
    """A reading with what is known of the city, asked about only where the picture contradicts it. `slots`: what
    counted up to now. Once nobody follows the city any more, it may have grown on: what then stands on a slot that was
    empty is believed."""
    read = as_known(history, read)
    told = []
    for slot, one in enumerate(read.slots):
        if not is_followed and not history.floors[slot] and one.building is not None:
            history = history.corrected(slot, one.building)
            told.append(one)
            continue
        was = slots[slot]
        laid = (0, 0) if was is None else (was.inhabitants, was.energy)
        known = confirmed(history.floors[slot], one.ranked, one.asked, one.hidden, laid)
        ranked = known.ranked if known.building is not None or known.asked else ()
        told.append(replace(one, ranked=ranked, asked=known.asked, hidden=one.hidden and known.asked))
    return history, replace(read, slots=tuple(told))
