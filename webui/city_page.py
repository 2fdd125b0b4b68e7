"""The page "Score a city": what its templates may call, and its one changing part rendered for one kind of looker."""

from __future__ import annotations

import json
import secrets
from typing import Any, Final

from flask import render_template
from markupsafe import Markup

from rules.quadropolis.scoring import PARTS
from rules.quadropolis.state import BESIDE, SLOTS
from rules.quadropolis.tiles import FACES
from webui.city_desk import Building, CitiesView, CityView, FollowView, Offer, Reason, SlotView, Transfer
from webui.city_svg import city_svg, face_svg, gives, type_of
from webui.phrases import PHRASES, say

FACE_GROUPS: Final = tuple(
    tuple(tile.face for tile in FACES if tile.face[0] == letter) for letter in "TSVPFH"
)
"""The faces of the box by type."""
MOST_SHOWN = 5
"""Inhabitants or energy offered in the grid of a face; more than these stand below it."""
_BOOT: Final = secrets.token_hex(3)


class CityWords:
    """What a template may call, for one view, language and right to touch."""

    def __init__(self, view: CitiesView, language: str, may: bool) -> None:
        self.view, self.language, self.may = view, language, may

    def t(self, key: str, **values: object) -> str:
        return say(key, self.language, **values)

    def player(self, city: CityView) -> str:
        number = 1 + [one.city for one in self.view.cities].index(city.city)
        return city.player or self.t("city.number", n=number)

    def place(self, place: int) -> str:
        if place == BESIDE:
            return self.t("city.beside")
        return self.t("city.at", row=place // 4 + 1, column=place % 4 + 1)

    def face(self, face: str) -> str:
        """ "Harbour, gives 2 inhabitants"."""
        words = [say(f"city.type.{type_of(face)}", self.language)]
        people, energy, points = gives(face)
        if people:
            words.append(self._count(people, "city.gives-person", "city.gives-people"))
        if energy:
            words.append(self.t("city.gives-energy", n=energy))
        if points:
            words.append(self._count(points, "city.gives-point", "city.gives-points"))
        if face.endswith("m"):
            words.append(self.t("city.mayor"))
        return ", ".join(words)

    def tokens(self, inhabitants: int, energy: int) -> str:
        words = []
        if inhabitants:
            words.append(self._count(inhabitants, "city.one-person", "city.n-people"))
        if energy:
            words.append(self._count(energy, "city.one-energy", "city.n-energy"))
        return f" {self.t('and')} ".join(words)

    def building(self, building: Building | None) -> str:
        """The whole of it: "Tower, gives 1 inhabitant, 3 floors, 1 energy"; or "Empty"."""
        if building is None:
            return self.t("city.empty")
        words = [self.face(building.face)]
        if building.face[0] == "T":
            words.append(self._count(building.floors, "city.floor", "city.floors"))
        tokens = self.tokens(building.inhabitants, building.energy)
        return ", ".join([*words, self.t("city.with", what=tokens)] if tokens else words)

    def otherwise(self, building: Building | None, now: Building | None) -> str:
        """A building beside what stands there now: of the same face only how it differs."""
        if building is None or now is None or building.face != now.face:
            return self.building(building)
        words = []
        if building.face[0] == "T":
            words.append(self._count(building.floors, "city.floor", "city.floors"))
        tokens = self.tokens(building.inhabitants, building.energy)
        words.append(self.t("city.with", what=tokens) if tokens else self.t("city.bare"))
        return ", ".join(words).capitalize()

    def slot_name(self, number: int, slot: SlotView) -> str:
        idle = f" ({self.t('city.idle')})" if slot.building is not None and not slot.active else ""
        return f"{self.place(number)}: {self.building(slot.building)}{idle}"

    def _count(self, n: int, one: str, many: str) -> str:
        return say(one if n == 1 else many, self.language, n=n)

    def face_sign(self, face: str | None) -> Markup:
        return Markup(face_svg(face))

    def picture(self, city: CityView) -> Markup:
        names = [self.slot_name(n, slot) for n, slot in enumerate(city.slots)]
        return Markup(city_svg(city, self.may, self.may, names))

    def beside(self, city: CityView) -> str:
        return self.tokens(*city.beside) or self.t("city.nothing")

    def transfer(self, one: Transfer) -> str:
        key = f"city.move.{one.kind}" + (".1" if one.count == 1 else "")
        ends = [
            self.t(f"city.{way}-beside") if place == BESIDE
            else say(f"city.{way}", self.language, row=place // 4 + 1, column=place % 4 + 1)
            for way, place in (("from", one.source), ("to", one.target))
        ]
        return say(key, self.language, n=one.count, source=ends[0], target=ends[1])

    def reason(self, city: CityView, one: Reason) -> str:
        """A line of the score in words, with what was counted."""
        first = city.slots[one.slots[0]].building if one.slots and one.slots[0] < SLOTS else None
        kinds = [b.face[0] for slot in one.slots[1:] if slot < SLOTS and (b := city.slots[slot].building)]
        match one.label:
            case "tower":
                n = first.floors if first else 0
            case "shop":
                n = first.inhabitants if first else 0
            case "districts":
                n = len({slot // 8 * 2 + slot % 4 // 2 for slot in one.slots})
            case "park":
                n = len(one.slots) - 1
            case "idle-inhabitants" | "idle-energy":
                n = -one.points
            case _:
                n = len(one.slots)
        key = f"city.reason.{one.label}"
        key = f"{key}.1" if n == 1 and f"{key}.1" in PHRASES else key
        return say(key, self.language, n=n, shops=kinds.count("S"), harbors=kinds.count("H"))

    def reason_places(self, one: Reason) -> str:
        """Where: the scoring building, or all of a line that several make."""
        return "; ".join(self.place(slot) for slot in dict.fromkeys(one.slots))

    def winners(self) -> str:
        """ "Ana wins with 56"."""
        names = [self.player(city) for city in self.view.cities if city.wins]
        best = max((city.total for city in self.view.cities), default=0)
        if len(names) < 2:
            return self.t("city.wins", who=names[0] if names else "", n=best)
        return self.t("city.shared", who=f"{', '.join(names[:-1])} {self.t('and')} {names[-1]}", n=best)

    @property
    def is_tied(self) -> bool:
        totals = [city.total for city in self.view.cities]
        return len(set(totals)) < len(totals)

    def part(self, name: str) -> str:
        return say(f"city.part.{name}", self.language)

    def follow_sign(self, follow: FollowView) -> str:
        """The sign beside what is said of a followed city."""
        if follow.trouble is not None:
            return "camera"
        return {"built": "good", "put-right": "good", "refused": "warn", "asked": "ask"}.get(follow.kind, "eye")

    def follow_head(self, follow: FollowView) -> str:
        """What is said of a followed city, in a few words."""
        match "trouble" if follow.trouble is not None else follow.kind:
            case "trouble":
                return self.t("city.follow.trouble")
            case "built":
                return f"{self.t('city.follow.built')}: {self.face(follow.face)}"
            case "refused":
                return self.t("city.follow.refused")
            case "put-right":
                return self.t("city.follow.put-right")
            case "asked":
                return self.t("city.follow.asked")
            case _:
                return self.t("city.follow.begun")

    def follow_help(self, follow: FollowView) -> str:
        """Where, why, and what to do."""
        if follow.trouble is not None:
            return follow.trouble.in_language(self.language)
        where = "; ".join(self.place(slot) for slot in follow.slots)
        match follow.kind:
            case "built":
                numbers = f" {self.t('or')} ".join(str(number) for number in follow.numbers)
                words = f"{where}. {self.t('city.follow.built-by', n=numbers)}."
            case "refused":
                said = "" if follow.said is None else follow.said.in_language(self.language)
                words = said if follow.slots == (BESIDE,) else f"{where}: {said}"
            case "put-right":
                words = self.t("city.follow.put-right-help")
            case "asked":
                words = f"{where}. {self.t('city.follow.asked-help' if self.may else 'city.follow.asked-look')}"
            case _:
                words = self.t("city.follow.begun-help")
        return words[:1].upper() + words[1:]

    def asked_slots(self, city: CityView) -> list[tuple[int, SlotView]]:
        return [(n, slot) for n, slot in enumerate(city.slots) if slot.asked]

    def wish(self, kind: str, **fields: Any) -> str:
        """A wish as the script sends it, for `data-wish`."""
        return json.dumps({"kind": kind, **fields}, separators=(",", ":"))

    def slot_wish(self, city: CityView, slot: int, building: Building | None) -> str:
        what = None if building is None else {
            "face": building.face, "floors": building.floors, "inhabitants": building.inhabitants,
            "energy": building.energy,
        }
        return self.wish("slot", city=city.city, slot=slot, building=what)

    def tokens_wish(self, city: CityView, slot: int, now: Building, inhabitants: int, energy: int) -> str:
        """The same building with so much on it."""
        return self.slot_wish(city, slot, Building(now.face, now.floors, inhabitants, energy))

    def grid(self, face: str, now: Building | None) -> list[list[Building]]:
        """The buildings of a face that occur: of towers floors by energy, of others inhabitants by energy; with what
        lies there now, should it be more."""
        energy = range(max(2, 0 if now is None else min(now.energy, MOST_SHOWN) + 1))
        if face[0] == "T":
            people = now.inhabitants if now is not None and now.face[0] == "T" else 0
            return [[Building(face, floors, people, e) for floors in (1, 2, 3, 4)] for e in reversed(energy)]
        return [[Building(face, 1, people, e) for people in range(MOST_SHOWN)] for e in energy]

    def values(self) -> dict[str, Any]:
        return {"w": self, "t": self.t, "view": self.view, "may": self.may, "language": self.language,
                "parts": PARTS, "face_groups": FACE_GROUPS, "slots": range(SLOTS), "beside_place": BESIDE}


def token(words: CityWords) -> str:
    """Names what a phone shows."""
    view = words.view
    sets = f"{len(view.tile_sets)}{int(view.trouble is None)}"
    blind = int(any(city.follow is not None and city.follow.trouble is not None for city in view.cities))
    return f"{_BOOT}.{view.seq}.{sets}{blind}.{words.language}.{int(words.may)}"


def body_html(words: CityWords) -> str:
    """The part of the page that changes."""
    return render_template("city_body.html", **words.values())


def slot_html(words: CityWords, city: CityView, slot: int, offers: list[Offer]) -> str:
    """The sheet in which a slot is corrected, or what lies beside the mat."""
    return render_template("city_slot.html", city=city, slot=slot, offers=offers, **words.values())
