"""What one look at a followed city says of each slot and of the tokens, and how it differs from what is known. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum

from rules.quadropolis.state import MOST_FLOORS, SLOTS
from rules.quadropolis.tiles import CODE_WRITTEN
from table.city_history import SURE_TOKENS, History
from table.city_read import ReadCity, SlotRead

SURE = 0.85
"""A face so likely is as good as seen."""
_SAME = 0.3
"""So likely, the known face may still lie on top."""
_TALLER = 0.8
"""So likely, a tower of the same face has a floor more."""
_GREW = 0.4
"""So much likelier than it looked up to now: the same stack looks the same as long as nobody touches it."""
SURE_BESIDE = 0.9
"""What lies beside the mat is the weakest reading: only so sure, it counts."""
_LIKELY_BESIDE = 0.65
_UNDER_HAND = 0.5
_FLOOR_THERE = 0.5
"""So likely at least, the new floor of a tower is where it must be."""


@dataclass(frozen=True, slots=True)
class SlotLook:
    """A slot in a look. `tops`: face and floors with probabilities that add up to 1, likeliest first; none where
    nothing lies. `tokens`: the likeliest inhabitants and energy, and whether they are `counted` surely."""

    hidden: bool = False
    tops: tuple[tuple[str, int, float], ...] = ()
    tokens: tuple[int, int] = (0, 0)
    counted: bool = True

    def of_face(self, face: str) -> float:
        """How likely that face lies on top."""
        return sum(p for word, _, p in self.tops if word == face)

    def of_floors(self, face: str, least: int) -> float:
        """How likely there are so many floors or more, if that face lies on top."""
        there = self.of_face(face)
        return sum(p for word, floors, p in self.tops if word == face and floors >= least) / there if there else 0.0

    @property
    def faces(self) -> tuple[tuple[str, float], ...]:
        """The faces that may lie on top, likeliest first."""
        chances = {word: self.of_face(word) for word, _, _ in self.tops}
        return tuple(sorted(chances.items(), key=lambda item: -item[1]))


@dataclass(frozen=True, slots=True)
class CityLook:
    """A settled look at the followed city. `beside`: inhabitants and energy beside the mat, and how sure that is."""

    slots: tuple[SlotLook, ...] = (SlotLook(),) * SLOTS
    beside: tuple[int, int] = (0, 0)
    beside_sure: float = 1.0

    @property
    def hides(self) -> bool:
        """Whether a hand, or anything else, hides a slot."""
        return any(one.hidden for one in self.slots)

    @property
    def has_hand(self) -> bool:
        """Whether somebody may be at work: a hand that hides no slot still leaves what lies beside the mat in doubt."""
        return self.hides or self.beside_sure <= _UNDER_HAND

    @property
    def is_counted(self) -> bool:
        """Whether all tokens are surely counted."""
        return not self.hides and self.beside_sure >= SURE_BESIDE and all(one.counted for one in self.slots)

    @property
    def is_nearly_counted(self) -> bool:
        """Whether they are counted, though not surely."""
        return not self.hides and self.beside_sure >= _LIKELY_BESIDE

    @property
    def counts(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The likeliest inhabitants and energy by slot and, last, beside."""
        people, energy = zip(*(one.tokens for one in self.slots), self.beside, strict=True)
        return people, energy

    @property
    def likely_total(self) -> tuple[int, int]:
        """All inhabitants and all energy, as they are likeliest."""
        people, energy = self.counts
        return sum(people), sum(energy)

    @property
    def total(self) -> tuple[int, int] | None:
        """The same; None where they are not surely counted."""
        return self.likely_total if self.is_counted else None


def look_of(read: ReadCity, beside_sure: float) -> CityLook:
    """A reading as a look; `beside_sure`: how sure it is of what lies beside the mat."""
    return CityLook(tuple(map(_slot_of, read.slots)), read.beside, beside_sure)


def _slot_of(one: SlotRead) -> SlotLook:
    tops: dict[tuple[str, int], float] = {}
    tokens: dict[tuple[int, int], float] = {}
    for offer in one.ranked:
        if offer.building is not None:
            what = offer.building
            tops[what.face, what.floors] = tops.get((what.face, what.floors), 0.0) + offer.probability
            laid = what.inhabitants, what.energy
            tokens[laid] = tokens.get(laid, 0.0) + offer.probability
    total = sum(tops.values()) or 1.0
    ranked = tuple((face, floors, p / total) for (face, floors), p in sorted(tops.items(), key=lambda item: -item[1]))
    best = max(tokens, key=lambda laid: tokens[laid], default=(0, 0))
    return SlotLook(one.hidden, ranked, best, not tokens or tokens[best] / total >= SURE_TOKENS)


class How(Enum):
    """How a slot differs from what is known of it."""

    LAID = "laid"
    """A tile on an empty slot."""
    OVER = "over"
    """Another face where one lay: a tile on a tile."""
    TALLER = "taller"
    """The same face, a floor more."""
    GONE = "gone"
    """Nothing where a tile lay."""


@dataclass(frozen=True, slots=True)
class SlotChange:
    """A slot that looks otherwise than it is known. `faces`: what may lie on top, likeliest first; `is_floor_seen`:
    whether its height says so too."""

    slot: int
    how: How
    faces: tuple[tuple[str, float], ...] = ()
    is_floor_seen: bool = True

    @property
    def face(self) -> str:
        return self.faces[0][0] if self.faces else ""

    @property
    def is_sure(self) -> bool:
        """Whether one look is enough to believe it."""
        return self.how in (How.LAID, How.OVER) and self.faces[0][1] >= SURE and self.is_floor_seen

    @property
    def key(self) -> tuple[int, str, str]:
        """The same in another look of the same table."""
        return self.slot, self.how.value, self.face


Heights = tuple[float | None, ...]
"""By slot: how likely a tower looked to have a floor more than it has, while nobody touched it; None: not known."""
UNKNOWN_HEIGHTS: Heights = (None,) * SLOTS


def changes(history: History, look: CityLook, heights: Heights = UNKNOWN_HEIGHTS) -> tuple[SlotChange, ...]:
    """Every slot that is seen and looks otherwise."""
    found = (_change(history, slot, one, heights[slot]) for slot, one in enumerate(look.slots) if not one.hidden)
    return tuple(one for one in found if one is not None)


def heights_in(history: History, look: CityLook, heights: Heights, changed: Collection[int]) -> Heights:
    """How high the towers look in a look in which these slots have changed."""
    return tuple(
        heights[slot] if one.hidden or slot in changed or not history.face(slot).startswith("T")
        else one.of_floors(history.face(slot), len(history.floors[slot]) + 1)
        for slot, one in enumerate(look.slots)
    )


def _change(history: History, slot: int, one: SlotLook, height: float | None) -> SlotChange | None:
    floors, face = history.floors[slot], history.face(slot)
    if not floors:
        return SlotChange(slot, How.LAID, one.faces) if one.tops else None
    if not one.tops:
        return SlotChange(slot, How.GONE)
    is_tower = face[0] == "T"
    if one.of_face(face) >= _SAME:
        more = one.of_floors(face, len(floors) + 1)
        if not is_tower or len(floors) >= MOST_FLOORS or more < (_TALLER if height is None else height + _GREW):
            return None
        return SlotChange(slot, How.TALLER, ((face, 1.0),), height is not None)
    top = one.faces[0][0]
    is_seen = top[0] != "T" or not is_tower or len(floors) >= MOST_FLOORS or \
        one.of_floors(top, len(floors) + 1) >= _FLOOR_THERE
    return SlotChange(slot, How.OVER, one.faces, is_seen and (top[0] == "T" or top[0] != face[0]))


def floors_after(history: History, change: SlotChange, face: str = "") -> bytes:
    """A slot's tiles as a change shows them."""
    if change.how is How.GONE:
        return b""
    return history.floors[change.slot] + bytes((CODE_WRITTEN[face or change.face],))
