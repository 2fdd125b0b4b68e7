"""A city that is followed: looks come in, and what the rules say of each change comes out. Pure.

The verdict is `rules.quadropolis.growth`'s. Here is only patience and doubt: what one look is not enough for, what a
hand may hide, what was told already. A weak reading never refuses; what cannot be told is asked, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rules.game import Reason
from rules.quadropolis.growth import Build, Growth, grown
from rules.quadropolis.state import BESIDE, SLOTS, City
from rules.quadropolis.tiles import CODE_WRITTEN, ENERGY, INHABITANTS
from table.city_history import History
from table.city_looks import (
    SURE,
    UNKNOWN_HEIGHTS,
    CityLook,
    Heights,
    How,
    SlotChange,
    changes,
    floors_after,
    heights_in,
)
from webui.city_desk import Building, Offer

_CAME, _NOT_YET, _OTHER = 1.0, 0.6, 0.1
"""How well a tile fits the tokens that came since: just what it brings, none yet, others."""
_UNCOUNTED = 0.7
_LEAST_OFFER = 0.02
_OFFERS = 4


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a thing must go on looking the same until it is believed, by the looks' own times. `again_ms`: what one
    look is not enough for; `resources_ms`: that inhabitants or energy are missing or too many: people take their
    time. `at_once`: what is surely seen needs no second look."""

    again_ms: float = 2500.0
    resources_ms: float = 20000.0
    at_once: bool = False


NEXT_LOOK = Patience(1.0, 1.0, at_once=True)
"""For pictures that are settled looks of their own: a second one must agree."""


@dataclass(frozen=True, slots=True)
class Built:
    """A legal build was seen."""

    build: Build
    face: str


@dataclass(frozen=True, slots=True)
class Refused:
    """Something that the rules do not allow lies there. `face`: the tile that was set down wrongly, "" for none;
    `amount`: the inhabitants and energy that are too many or missing."""

    reasons: tuple[Reason, ...]
    slots: tuple[int, ...]
    face: str = ""
    amount: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class PutRight:
    """What was refused is as it should be."""


@dataclass(frozen=True, slots=True)
class Unsure:
    """A person must say what stands in a slot; what is known of it is among the answers."""

    slot: int
    offers: tuple[Offer, ...]


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something is under way, or one more look is needed."""


@dataclass(frozen=True, slots=True)
class Counted:
    """All tokens were surely counted, and this is where they lie: by slot and, last, beside."""

    inhabitants: tuple[int, ...]
    energy: tuple[int, ...]


Ruling = Built | Refused | PutRight | Unsure | Waiting | Counted
Key = tuple[tuple[int, str, str], ...]


@dataclass(frozen=True, slots=True)
class Followed:
    """A city and what stands of what was told. `standing`: the changes that were refused and still lie there; `asked`:
    those that were asked about; `suspected`: those that need more looks, and since when; `owed`: what was told of the
    tokens, and stands, `owed_before`: what stood before that; `unwatched`: the slots that the looks before did not show
    as they were known, so that two tiles there need not have come at once; `heights`: how high towers look that nobody
    touched; `question`: the slot of the question that nobody has answered."""

    history: History
    standing: Key = ()
    asked: frozenset[tuple[int, str, str]] = frozenset()
    suspected: tuple[tuple[tuple[int, str, str], int], ...] = ()
    owed: tuple[int, int] = (0, 0)
    owed_before: tuple[int, int] = (0, 0)
    owed_since: tuple[tuple[int, int], int, bool] | None = None
    unwatched: frozenset[int] = frozenset()
    heights: Heights = UNKNOWN_HEIGHTS
    question: int | None = None

    def corrected(self, history: History) -> Followed:
        """After a person said something of the city."""
        return replace(self, history=history, question=None)

    def lost(self) -> Followed:
        """After a time in which nothing was seen."""
        return replace(self, unwatched=frozenset(range(SLOTS)))


def look(
    followed: Followed, seen: CityLook, taken_ns: int, patience: Patience = NEXT_LOOK
) -> tuple[Followed, tuple[Ruling, ...]]:
    """What one settled look tells, in order; nothing where all is as it was."""
    told: list[Ruling] = []
    found = changes(followed.history, seen, followed.heights)
    if followed.standing and not _stands(followed.standing, found, seen):
        was = {key[0] for key in followed.standing}
        followed = replace(followed, standing=())
        if not any(change.slot in was for change in found) or _is_less(found, was):
            told.append(PutRight())
    if followed.question is not None and _is_as_known(followed.question, found, seen):
        followed = replace(followed, question=None)
        told.append(PutRight())
    standing = {key[0] for key in followed.standing}
    fresh = [one for one in found if one.slot not in standing and one.key not in followed.asked]
    since = dict(followed.suspected)
    suspected = {one.key: since.get(one.key, taken_ns) for one in fresh}
    if seen.hides:  # what a hand hides is as suspect as before
        suspected |= {key: at for key, at in since.items() if seen.slots[key[0]].hidden}
    followed = replace(followed, suspected=tuple(suspected.items()))
    if fresh:
        ripe = [one for one in fresh if (taken_ns - since.get(one.key, taken_ns)) / 1e6 >= patience.again_ms
                and not (seen.hides and one.how is How.GONE)]
        followed, rulings = _judged(followed, seen, fresh, ripe, patience.at_once)
        told += rulings
    left = changes(followed.history, seen, followed.heights)
    if not followed.standing and not any(_explains(followed, seen, one) for one in left):
        is_fresh = any(isinstance(one, Built) for one in told)
        followed, rulings = _tokens(followed, seen, taken_ns, patience, is_fresh)
        told += rulings
    heights = heights_in(followed.history, seen, followed.heights, {one.slot for one in left})
    followed = replace(followed, heights=heights)
    return _watched(followed, seen, [one.slot for one in fresh]), tuple(told)


def _explains(followed: Followed, seen: CityLook, change: SlotChange) -> bool:
    """Whether tokens must wait until it is known what a change is. A tower that looks higher explains only that
    inhabitants came."""
    return change.how is not How.TALLER or seen.likely_total[0] > followed.history.brought[0] + followed.owed[0]


def _stands(standing: Key, found: Sequence[SlotChange], seen: CityLook) -> bool:
    """Whether what was refused still lies there, as far as it can be seen."""
    keys = {change.key for change in found}
    return all(key in keys or seen.slots[key[0]].hidden for key in standing)


def _is_as_known(slot: int, found: Sequence[SlotChange], seen: CityLook) -> bool:
    return not seen.slots[slot].hidden and all(change.slot != slot for change in found)


def _is_less(found: Sequence[SlotChange], was: set[int]) -> bool:
    """Whether of several tiles that lay there at once one is left: that is a build."""
    left = [change for change in found if change.slot in was]
    return len(was) > 1 and len(left) == 1 and left[0].how is not How.GONE


def _judged(
    followed: Followed, seen: CityLook, fresh: Sequence[SlotChange], ripe: Sequence[SlotChange], may_at_once: bool
) -> tuple[Followed, list[Ruling]]:
    """What the rules say of changes. One look may be enough where all of them are sure; not where a hand hides slots,
    nor where something is gone: a tile may be on its way. `ripe`: those that have looked so for long enough."""
    may_at_once &= not seen.has_hand
    # A tower that only looks higher is the weakest of signs: it waits, and holds up no other tile.
    plain = [change for change in fresh if change.how is not How.TALLER]
    if plain and len(plain) < len(fresh):
        fresh, ripe = plain, [change for change in ripe if change.how is not How.TALLER]
    elif not plain:
        fresh, ripe = fresh[:1], [change for change in ripe if change is fresh[0]]
    at_once = may_at_once and all(change.is_sure for change in fresh)
    clear = list(fresh) if at_once else list(ripe)
    has_lasted = len(ripe) == len(clear)
    if not clear:
        lone = [change for change in fresh if change.how is not How.GONE]
        if len(fresh) == len(lone) == 1 and may_at_once:
            return _doubted(followed, seen, lone[0], False)
        return followed, [Waiting()]
    growth = grown(City(followed.history.floors), _shown(followed.history, clear), followed.history.spent)
    if len(clear) == 1 and (growth.build is not None or not clear[0].is_sure) and clear[0].how is not How.GONE:
        return _doubted(followed, seen, clear[0], has_lasted)
    if (order := _one_by_one(followed, clear)) is not None:
        return _accepted(followed, order)
    return _against(followed, seen, clear, growth)


def _shown(history: History, clear: Sequence[SlotChange]) -> City:
    """The city as it looks now; tokens are counted apart."""
    floors = list(history.floors)
    for change in clear:
        floors[change.slot] = floors_after(history, change)
    return City(tuple(floors))


def _doubted(
    followed: Followed, seen: CityLook, change: SlotChange, has_lasted: bool
) -> tuple[Followed, list[Ruling]]:
    """One change that may be a build: accepted where the tile is clear, or becomes clear by the tokens that came with
    it; else asked, once it has lasted."""
    history = followed.history
    chances = _chances(followed, seen, change)
    legal = [(face, p) for face, p in chances if _growth(history, change, face).build is not None]
    best, share = chances[0]
    came = _fit(followed, seen, best) == _CAME and any(_brings(best))
    if legal and legal[0][0] == best and share >= SURE and (change.is_sure or came):
        return _accepted(followed, [(change.slot, best)])
    if not has_lasted or (change.how is How.TALLER and _came(followed, seen) == (0, 0)):
        return followed, [Waiting()]  # a new floor brings somebody; a wrong count of floors does not
    is_plain = change.how is How.LAID or (change.how is How.TALLER and change.is_floor_seen)
    if is_plain and legal and legal[0][0] == best and share >= SURE:
        return _accepted(followed, [(change.slot, best)])
    return _asked(followed, change, chances)


def _growth(history: History, change: SlotChange, face: str) -> Growth:
    floors = list(history.floors)
    floors[change.slot] = floors_after(history, change, face)
    return grown(City(history.floors), City(tuple(floors)), history.spent)


def _chances(followed: Followed, seen: CityLook, change: SlotChange) -> list[tuple[str, float]]:
    """The faces that a change may show, weighed with the tokens that came; they add up to 1."""
    weighed = [(face, p * _fit(followed, seen, face)) for face, p in change.faces]
    total = sum(p for _, p in weighed) or 1.0
    return sorted(((face, p / total) for face, p in weighed), key=lambda one: -one[1])


def _brings(face: str) -> tuple[int, int]:
    code = CODE_WRITTEN[face]
    return INHABITANTS[code], ENERGY[code]


def _fit(followed: Followed, seen: CityLook, face: str) -> float:
    """How well the tokens that came since fit a tile."""
    came = _came(followed, seen)
    if came is None:
        return _UNCOUNTED
    if came == _brings(face):
        return _CAME
    return _NOT_YET if came == (0, 0) else _OTHER


def _came(followed: Followed, seen: CityLook) -> tuple[int, int] | None:
    """The inhabitants and energy that came since the last build, as far as nothing was told of them; None where they
    cannot be counted."""
    total, had, owed = seen.total, followed.history.brought, followed.owed
    return None if total is None else (total[0] - had[0] - owed[0], total[1] - had[1] - owed[1])


def _accepted(followed: Followed, order: Sequence[tuple[int, str]]) -> tuple[Followed, list[Ruling]]:
    told: list[Ruling] = []
    for slot, face in order:
        history = followed.history
        after = history.built(slot, CODE_WRITTEN[face])
        growth = grown(City(history.floors), City(after.floors), history.spent)
        if growth.build is None:
            raise ValueError(f"wanted a legal build of {face} on slot {slot}, found none: judge it first")
        followed = replace(followed, history=after, owed_since=None)
        heights = (*followed.heights[:slot], None, *followed.heights[slot + 1 :])
        question = None if followed.question == slot else followed.question
        followed = replace(followed, heights=heights, question=question)
        told.append(Built(growth.build, face))
    return followed, told


def _one_by_one(followed: Followed, clear: Sequence[SlotChange]) -> list[tuple[int, str]] | None:
    """Several builds that can have come one after the other, because the looks before did not show all their slots;
    None where they came at once, or are none."""
    if len(clear) < 2 or any(change.how is How.GONE or not change.is_sure for change in clear):
        return None
    if sum(change.slot not in followed.unwatched for change in clear) > 1:
        return None
    history, order = followed.history, []
    for change in sorted(clear, key=lambda one: one.slot not in followed.unwatched):
        if _growth(history, change, change.face).build is None:
            return None
        history = history.built(change.slot, CODE_WRITTEN[change.face])
        order.append((change.slot, change.face))
    return order


def _against(
    followed: Followed, seen: CityLook, clear: Sequence[SlotChange], growth: Growth
) -> tuple[Followed, list[Ruling]]:
    """What the rules do not allow is refused if it is surely so; what may be misread is asked about."""
    weak = next((change for change in clear if not change.is_sure and change.how is not How.GONE), None)
    if weak is not None:
        return _asked(followed, weak, _chances(followed, seen, weak))
    if not growth.reasons:
        return followed, [Waiting()]
    laid = [change for change in clear if change.how is not How.GONE]
    slots = tuple(dict.fromkeys(4 * cell.row + cell.col for cell in growth.reasons[0].cells))
    refused = Refused(growth.reasons, slots, laid[0].face if laid else followed.history.face(clear[0].slot))
    standing = (*followed.standing, *(change.key for change in clear))
    return replace(followed, standing=standing), [refused]


def _asked(
    followed: Followed, change: SlotChange, chances: Sequence[tuple[str, float]]
) -> tuple[Followed, list[Ruling]]:
    """The question what a slot has become. What is known of it comes first where a tile lay there."""
    history, slot = followed.history, change.slot
    height = len(history.floors[slot])
    known = Building(history.face(slot), height) if height else None
    offers: list[Offer] = []
    for face, p in chances:
        stacks = height and face[0] == "T" and history.face(slot)[0] == "T" and height < 4
        if p >= _LEAST_OFFER:
            offers.append(Offer(Building(face, height + 1 if stacks else 1), round(p, 3)))
    known_offer = Offer(known, 0.0)
    kept = tuple([known_offer, *offers][:_OFFERS] if known else [*offers[: _OFFERS - 1], known_offer])
    asked = followed.asked | {change.key}
    return replace(followed, asked=asked, question=slot), [Unsure(slot, kept)]


def _tokens(
    followed: Followed, seen: CityLook, taken_ns: int, patience: Patience, is_fresh: bool
) -> tuple[Followed, list[Ruling]]:
    """Whether the tokens on and beside the city are those that its tiles brought. That they are is believed of any
    look; that they are not, only of several of which one is sure. `is_fresh`: a tile was built just now, and what it
    brings need not be here yet."""
    if seen.hides:
        return followed, []
    history, total = followed.history, seen.likely_total
    off = total[0] - history.brought[0], total[1] - history.brought[1]
    told: list[Ruling] = [Counted(*seen.counts)] if seen.is_counted else []
    if off == followed.owed:
        return replace(followed, owed_since=None), told
    if off in ((0, 0), followed.owed_before):
        return replace(followed, owed=off, owed_before=(0, 0), owed_since=None), [PutRight(), *told]
    if all(min(0, was) <= now <= max(0, was) for now, was in zip(off, followed.owed, strict=True)):
        return replace(followed, owed=off, owed_since=None), told  # some came, or were put back
    since = followed.owed_since
    if not seen.is_nearly_counted or (is_fresh and min(off) < 0):
        return followed, told
    if since is None or since[0] != off:
        return replace(followed, owed_since=(off, taken_ns, seen.is_counted)), told
    if (taken_ns - since[1]) / 1e6 < patience.resources_ms or not (since[2] or seen.is_counted):
        return replace(followed, owed_since=(off, since[1], since[2] or seen.is_counted)), told
    had, has = City(history.floors, *_beside(history.brought)), City(history.floors, *_beside(total))
    growth = grown(had, has, history.spent)
    reasons = growth.about_resources()
    amount = growth.too_many if any(growth.too_many) else growth.to_come
    followed = replace(followed, owed=off, owed_before=followed.owed, owed_since=None)
    return followed, [*told, Refused(reasons, (BESIDE,), "", amount)]


def _beside(amount: tuple[int, int]) -> tuple[bytes, bytes]:
    return bytes((*[0] * SLOTS, amount[0])), bytes((*[0] * SLOTS, amount[1]))


def _watched(followed: Followed, seen: CityLook, fresh: Sequence[int]) -> Followed:
    """With the slots that this look did not show, or not as they are known."""
    hidden = {slot for slot, one in enumerate(seen.slots) if one.hidden}
    standing = {key[0] for key in followed.standing}
    return replace(followed, unwatched=frozenset((hidden | set(fresh)) - standing))
