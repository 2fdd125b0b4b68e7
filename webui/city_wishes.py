"""JSON of a phone -> `CityRequest`, checked at the door."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from webui.city_desk import (
    AddByHand,
    Building,
    ChooseReadings,
    ChooseTiles,
    CityRequest,
    CityWish,
    CorrectBeside,
    CorrectSlot,
    DropCity,
    FollowCity,
    LayBest,
    NameCity,
    NewScoring,
    ReadCamera,
    ReadPicture,
    TurnCity,
    UnfollowCity,
)
from webui.errors import BadRequest
from webui.phrases import PHRASES
from webui.wishes import bad

LONGEST_TEXT: Final = 200


def city_request_from(body: object, phone: str, taken: Callable[[str], bytes | None]) -> CityRequest:
    """The request in a JSON body: {"key": text, "on_seq": number, "wish": {"kind": ...}}. `taken` gives the uploaded
    picture of a key. Raises `BadRequest`."""
    fields = _mapping(body, "body")
    key = _text(fields, "key")
    if len(key) < 8:
        raise bad("key: wanted 8 signs or more")
    on_seq = _number(fields, "on_seq")
    return CityRequest(f"{phone}:{key}", on_seq, _wish(_mapping(fields.get("wish"), "wish"), taken))


def _wish(fields: Mapping[str, object], taken: Callable[[str], bytes | None]) -> CityWish:
    match fields.get("kind"):
        case "read":
            city, name = _number(fields, "city"), _text(fields, "name")
            data = taken(_text(fields, "upload"))
            if data is None:
                raise BadRequest(PHRASES["city.upload-lost"], 409)
            return ReadPicture(data, last_part(name), city)
        case "camera":
            return ReadCamera(_number(fields, "city"))
        case "by-hand":
            return AddByHand()
        case "slot":
            return CorrectSlot(_number(fields, "city"), _number(fields, "slot"), _building(fields))
        case "beside":
            return CorrectBeside(_number(fields, "city"), _number(fields, "inhabitants"), _number(fields, "energy"))
        case "turn":
            return TurnCity(_number(fields, "city"))
        case "best":
            return LayBest(_number(fields, "city"))
        case "name":
            return NameCity(_number(fields, "city"), _text(fields, "player"))
        case "drop":
            return DropCity(_number(fields, "city"))
        case "follow":
            return FollowCity(_number(fields, "city"))
        case "unfollow":
            return UnfollowCity(_number(fields, "city"))
        case "readings":
            return ChooseReadings(_text(fields, "harbours"), _text(fields, "tie"))
        case "tiles":
            return ChooseTiles(_text(fields, "name"))
        case "new":
            return NewScoring()
        case _:
            raise bad("kind: wanted read, camera, by-hand, slot, beside, turn, best, name, drop, follow, unfollow, "
                      "readings, tiles, new")


def _building(fields: Mapping[str, object]) -> Building | None:
    if fields.get("building", "missing") is None:
        return None
    one = _mapping(fields.get("building"), "building")
    return Building(_text(one, "face"), _number(one, "floors"), _number(one, "inhabitants"), _number(one, "energy"))


def last_part(name: str) -> str:
    """A file's name without folders, of either kind of computer: it is only told to people.

    >>> last_part("../../etc/passwd"), last_part("C:\\\\photos\\\\a.jpg")
    ('passwd', 'a.jpg')
    """
    return name.replace("\\", "/").rpartition("/")[2][:80]


def _mapping(value: object, name: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise bad(f"{name}: wanted an object")
    return value


def _text(fields: Mapping[str, object], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise bad(f"{name}: wanted a text")
    return value


def _number(fields: Mapping[str, object], name: str) -> int:
    value = fields.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise bad(f"{name}: wanted a whole number")
    return value
