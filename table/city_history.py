"""What is known of a city because its growth was followed: every tile, every floor, what came with them. Pure.

The facts of following are here too; `table.cities` folds them with all others. What a person says counts before what
was followed, and that before what is read later: a later picture confirms.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rules.quadropolis.growth import Spent, fitting, spent_unseen
from rules.quadropolis.state import SLOTS
from rules.quadropolis.tiles import CODE_WRITTEN, ENERGY, INHABITANTS, TILE
from webui.city_desk import Building, Offer

TURNED: tuple[int, ...] = tuple(4 * (3 - col) + row for row in range(4) for col in range(4))
"""By slot of a city turned by a quarter, clockwise: the slot that it was."""
CONFIRMS = 0.05
"""So likely, what was followed is among what a later picture shows."""
FIRM_FLOORS = 0.9
"""So sure, a picture's count of floors speaks against the followed one."""
SURE_TOKENS = 0.8
UNKNOWN_FLOOR = CODE_WRITTEN["T1"]
"""Stands for a tower's floor that nobody saw: of it only that it is there matters."""


@dataclass(frozen=True, slots=True)
class FollowBegun:
    """From here on the camera follows how this city grows; no other is followed."""

    city: int


@dataclass(frozen=True, slots=True)
class FollowEnded:
    """The city is followed no longer. What was seen of it stays known."""

    city: int


@dataclass(frozen=True, slots=True)
class TileBuilt:
    """A tile was seen to be built, legally; `numbers`: the architects that could have taken it."""

    city: int
    slot: int
    face: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BuildRefused:
    """Something was seen that the rules do not allow: the rules' reason codes, the one that matters first, and where.
    `inhabitants` and `energy`: how many are too many or missing, where that is the reason."""

    city: int
    codes: tuple[str, ...]
    slots: tuple[int, ...]
    inhabitants: int = 0
    energy: int = 0


@dataclass(frozen=True, slots=True)
class BuildPutRight:
    """What was refused is as it should be."""

    city: int


@dataclass(frozen=True, slots=True)
class BuildAsked:
    """The camera cannot tell what a slot has become: likely answers, best first."""

    city: int
    slot: int
    offers: tuple[Offer, ...]


FollowFact = FollowBegun | FollowEnded | TileBuilt | BuildRefused | BuildPutRight | BuildAsked
Verdict = TileBuilt | BuildRefused | BuildPutRight | BuildAsked


@dataclass(frozen=True, slots=True)
class History:
    """A city's tiles from the ground up, as they were built. `unseen`: how many of them lay there before; `log`: slot
    and storey of each build since. `brought`: the inhabitants and the energy that the city must have."""

    floors: tuple[bytes, ...] = (b"",) * SLOTS
    unseen: int = 0
    log: tuple[tuple[int, int], ...] = ()
    brought: tuple[int, int] = (0, 0)

    @property
    def spent(self) -> Spent:
        """What sets of architects can be used up. A build that only a person's word explains uses up none."""
        spent = spent_unseen(self.unseen)
        for slot, level in self.log:
            after = spent.after(fitting(slot, bytes([UNKNOWN_FLOOR]) * level))
            spent = after if after.ways else spent
        return spent

    @property
    def is_possible(self) -> bool:
        """Whether a game can have so many tiles."""
        return sum(map(len, self.floors)) <= SLOTS

    def face(self, slot: int) -> str:
        """The top tile's; "" on an empty slot."""
        return TILE[self.floors[slot][-1]].face if self.floors[slot] else ""

    def built(self, slot: int, code: int) -> History:
        """After a build, with what the tile brings."""
        people, energy = self.brought
        floors = _with(self.floors, slot, self.floors[slot] + bytes((code,)))
        return History(floors, self.unseen, (*self.log, (slot, len(self.floors[slot]))),
                       (people + INHABITANTS[code], energy + ENERGY[code]))

    def corrected(self, slot: int, building: Building | None) -> History:
        """After a person said what stands there: floors above are builds that were missed, or were none."""
        was, people, energy = self.floors[slot], *self.brought
        now = b"" if building is None else bytes(
            [*(was + bytes([UNKNOWN_FLOOR]) * 4)[: building.floors - 1], CODE_WRITTEN[building.face]])
        kept = len([1 for a, b in zip(was, now, strict=False) if TILE[a].face == TILE[b].face])
        for code in now[kept:]:
            people, energy = people + INHABITANTS[code], energy + ENERGY[code]
        for code in was[kept:]:
            people, energy = people - INHABITANTS[code], energy - ENERGY[code]
        fresh = tuple((slot, level) for level in range(len(was), len(now)))
        log = tuple(one for one in self.log if one[0] != slot or one[1] < len(now))
        fewer = max(0, len(was) - len(now) - (len(self.log) - len(log)))
        return History(_with(self.floors, slot, now), self.unseen - fewer, (*log, *fresh),
                       (max(0, people), max(0, energy)))

    def counted(self, inhabitants: int, energy: int) -> History:
        """After a person counted what lies there."""
        return replace(self, brought=(inhabitants, energy))

    def turned(self) -> History:
        """With the rows counted from the next side."""
        return replace(self, floors=tuple(self.floors[old] for old in TURNED),
                       log=tuple((TURNED.index(slot), level) for slot, level in self.log))


def begun(slots: tuple[Building | None, ...], beside: tuple[int, int]) -> History:
    """The history of a city that is followed from here on."""
    floors = tuple(b"" if one is None else bytes([UNKNOWN_FLOOR] * (one.floors - 1) + [CODE_WRITTEN[one.face]])
                   for one in slots)
    people = beside[0] + sum(one.inhabitants for one in slots if one)
    energy = beside[1] + sum(one.energy for one in slots if one)
    return History(floors, sum(map(len, floors)), (), (people, energy))


def _with(floors: tuple[bytes, ...], slot: int, now: bytes) -> tuple[bytes, ...]:
    return (*floors[:slot], now, *floors[slot + 1 :])


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A slot of a later reading held against the history: what counts, the answers if it is asked, the known first."""

    building: Building | None
    ranked: tuple[Offer, ...]
    asked: bool


def confirmed(floors: bytes, ranked: tuple[Offer, ...], asked: bool, hidden: bool, laid: tuple[int, int]) -> Confirmed:
    """What a slot holds once a picture of it was read anew. `ranked` and `asked`: as read; `laid`: the inhabitants and
    the energy that lay there as last seen, for a slot that is hidden.

    Where the known tile is among what the picture may show, it counts, and only its tokens may be asked about. A
    clear contradiction is asked with both answers.
    """
    if not floors:
        if not ranked or ranked[0].building is None:
            return Confirmed(None, ranked, False)
        return Confirmed(None, (Offer(None, 0.0), *ranked), not hidden)
    face = TILE[floors[-1]].face
    known = Building(face, len(floors), *laid)
    total = sum(one.probability for one in ranked) or 1.0
    same = [one for one in ranked if one.building is not None and one.building.face == face]
    share = sum(one.probability for one in same) / total
    if hidden and not same:
        return Confirmed(known, (Offer(known, 1.0),), True)
    if share < CONFIRMS or _firmly_other(same, len(floors)):
        return Confirmed(known, (Offer(known, 0.0), *(ranked or (Offer(None, 0.0),))), True)
    told = _by_tokens(same, face, len(floors))
    building = told[0].building
    return Confirmed(building, told, (asked and told[0].probability < SURE_TOKENS) or hidden)


def _firmly_other(same: list[Offer], height: int) -> bool:
    """Whether the known face is surely read with another count of floors."""
    total = sum(one.probability for one in same)
    fits = sum(one.probability for one in same if one.building is not None and one.building.floors == height)
    return total > 0 and fits / total < 1 - FIRM_FLOORS and fits / total < CONFIRMS


def _by_tokens(same: list[Offer], face: str, height: int) -> tuple[Offer, ...]:
    """What may lie on the known building, likeliest first; the probabilities add up to 1."""
    chances: dict[tuple[int, int], float] = {}
    for one in same:
        if one.building is not None:
            tokens = one.building.inhabitants, one.building.energy
            chances[tokens] = chances.get(tokens, 0.0) + one.probability
    total = sum(chances.values()) or 1.0
    best = sorted(chances.items(), key=lambda item: -item[1])
    return tuple(Offer(Building(face, height, *tokens), round(chance / total, 4)) for tokens, chance in best)
