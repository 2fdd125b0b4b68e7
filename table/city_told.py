"""What following a city says: rulings -> facts of the journal, and the last fact as the page shows it. Pure."""

from __future__ import annotations

from rules.game import Reason
from rules.quadropolis.reasons import say
from rules.quadropolis.state import BESIDE, resource_cell, slot_cell
from rules.words import Cell, Said, Seat
from table.cities import CityFact, PiecesLaid, Sheet
from table.city_following import Built, Counted, PutRight, Refused, Ruling, Unsure, Waiting
from table.city_history import BuildAsked, BuildPutRight, BuildRefused, TileBuilt
from webui.city_desk import FollowView

_SEAT = Seat(0)


def fact_of(sheet: Sheet, ruling: Ruling) -> CityFact | None:
    """What is written down of a ruling; None where nothing has happened."""
    city = sheet.city
    match ruling:
        case Built(build, face):
            return TileBuilt(city, build.slot, face, build.numbers)
        case Refused(reasons, slots, _, amount):
            return BuildRefused(city, tuple(reason.code for reason in reasons), slots, *amount)
        case PutRight():
            return BuildPutRight(city)
        case Unsure(slot, offers):
            return BuildAsked(city, slot, offers)
        case Counted(inhabitants, energy):
            lies, total = sheet.counted, (sum(inhabitants), sum(energy))
            if (tuple(lies.people), tuple(lies.energy)) == (inhabitants, energy):
                return None
            # A count that does not add up is not believed: it may be a misreading, and a person may have said better.
            if sheet.history is None or sheet.history.brought != total:
                return None
            return PiecesLaid(city, inhabitants, energy)
        case Waiting():
            return None


def follow_view(sheet: Sheet) -> FollowView | None:
    """What the page shows of a followed city; None where it is not followed."""
    if not sheet.is_followed:
        return None
    match sheet.verdict:
        case None:
            return FollowView()
        case TileBuilt(_, slot, face, numbers):
            return FollowView("built", (slot,), face, numbers)
        case BuildRefused() as refused:
            return FollowView("refused", refused.slots, said=refused_said(refused))
        case BuildPutRight():
            return FollowView("put-right")
        case BuildAsked(_, slot):
            return FollowView("asked", (slot,))


def refused_said(refused: BuildRefused) -> Said:
    """The reason that matters most, and what to do."""
    reason = Reason(refused.codes[0], _cells(refused), _SEAT)
    return Said(say(reason, "en"), say(reason, "pt"))


def _cells(refused: BuildRefused) -> tuple[Cell, ...]:
    if refused.slots == (BESIDE,):
        amount = refused.inhabitants, refused.energy
        return tuple(resource_cell(_SEAT, BESIDE, kind, n) for kind in (0, 1) for n in range(amount[kind]))
    return tuple(slot_cell(_SEAT, slot) for slot in refused.slots)

