"""Likely answers for a slot that a person corrects: what the camera thinks, then what that is mistaken for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rules.quadropolis.state import MOST_FLOORS
from table.cities import FACE_WORDS, Sheet
from webui.city_desk import Building, Offer

MOST_OFFERS = 4


def offers_for(sheet: Sheet, slot: int) -> tuple[Offer, ...]:
    """At most so many offers, likeliest first. While a slot is asked, what was read is the first of them, to be
    confirmed; afterwards what counts now is left out, since nobody corrects that."""
    now, asked = sheet.slots[slot], sheet.is_asked(slot)
    offers = list(sheet.read.slots[slot].ranked)
    offers += [Offer(other, 0.0) for other in _mistaken_for(now)]
    if not offers or now is not None:
        offers.append(Offer(None, 0.0))
    kept: dict[Building | None, Offer] = {}
    for offer in offers:
        if asked or offer.building != now:
            kept.setdefault(offer.building, offer)
    found = list(kept.values())
    if len(found) > MOST_OFFERS and None in kept:
        # An empty slot is always among them: a tile that is no tile is a common error.
        found = [*[one for one in found if one.building is not None][: MOST_OFFERS - 1], kept[None]]
    return tuple(found[:MOST_OFFERS])


def _mistaken_for(now: Building | None) -> Iterator[Building]:
    """What a camera takes a building for: a floor more or less, a token more or less, another face of its type."""
    if now is None:
        return
    if now.face[0] == "T":
        for floors in (now.floors - 1, now.floors + 1):
            if 1 <= floors <= MOST_FLOORS:
                yield replace(now, floors=floors)
        yield replace(now, energy=0 if now.energy else 1)
        return
    if now.face == "S":
        for people in (now.inhabitants - 1, now.inhabitants + 1):
            if people >= 0:
                yield replace(now, inhabitants=people)
    elif now.face != "P":
        yield replace(now, inhabitants=0 if now.inhabitants else 1)
    for face in FACE_WORDS:
        if face[0] == now.face[0] and face != now.face:
            yield replace(now, face=face)
