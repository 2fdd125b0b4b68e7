"""What a city as read scores, part by part, with what was counted where, and what the best reallocation would give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.quadropolis.allocating import best
from rules.quadropolis.jsonwords import as_json_amounts, tile_read
from rules.quadropolis.scoring import LABELS, PARTS, city_lines
from rules.quadropolis.state import BESIDE, SLOTS, City
from rules.quadropolis.tiles import CODE_WRITTEN
from rules.words import Cell, Seat
from table.errors import BadFolder
from vision.kits.quadropolis import SIDE

HARBOURS: tuple[str, ...] = ("best_line", "row_plus_column")
"""How a table counts its harbours: the one best line, or the best row and the best column."""
_SEAT = Seat(0)
_UNKNOWN_FLOOR = CODE_WRITTEN["T1"]


def city_of(position: Mapping[str, Any]) -> City:
    """The city of a `position` in the words of FORMAT.md. Raises `BadFolder` for a face that the box has not."""
    floors: list[bytes] = [b""] * SLOTS
    people, energy = bytearray(SLOTS + 1), bytearray(SLOTS + 1)
    for row, slots in enumerate(position["city"]):
        for col, slot in enumerate(slots):
            if slot is None:
                continue
            at = row * SIDE + col
            floors[at] = bytes(_code(face) for face in slot["floors"])
            people[at], energy[at] = slot["inhabitants"], slot["energy"]
    beside = position["beside"]
    people[BESIDE], energy[BESIDE] = beside["inhabitants"], beside["energy"]
    return City(tuple(floors), bytes(people), bytes(energy))


def _code(face: Mapping[str, Any]) -> int:
    """A tile's number; of a floor that is not to be seen only that it is a tower's matters."""
    if face["type"] == "tower" and face.get("inhabitants") is None:
        return _UNKNOWN_FLOOR
    code = tile_read(face)
    if code is None:
        raise BadFolder(f"wanted a face that the box has, found {dict(face)}: correct it in setup.json's tiles")
    return code


def parts_of(city: City, harbours: str = HARBOURS[0]) -> dict[str, int]:
    """Every part of the score, also those of 0, and the total."""
    parts = dict.fromkeys(PARTS, 0)
    for line in city_lines(city, _SEAT, harbours == HARBOURS[1]):
        parts[LABELS[line.label]] += line.points
    return {**parts, "total": sum(parts.values())}


def score_line(line: Mapping[str, Any], harbours: str = HARBOURS[0]) -> dict[str, Any]:
    """A line of `overboard read` with `score`, `reasons` and `best` added; unchanged where no mat was found.

    `reasons`: each line of the score, under which part it counts, its points, and at which slots `[row, column]` or
    `beside`: the building first, then what it counts. `best`: what the same pieces would score laid best, and where
    they lie then.
    """
    if not line["position"]:
        return dict(line)
    city = city_of(line["position"])
    reasons = [
        {"part": LABELS[one.label], "label": one.label, "points": one.points, "at": [_at(cell) for cell in one.cells]}
        for one in city_lines(city, _SEAT, harbours == HARBOURS[1])
    ]
    better = best(city, harbours)
    laid = {
        "total": parts_of(better, harbours)["total"],
        "city": as_json_amounts(tuple(better.people[:SLOTS]), tuple(better.energy[:SLOTS])),
        "beside": {"inhabitants": better.people[BESIDE], "energy": better.energy[BESIDE]},
    }
    return {**line, "score": parts_of(city, harbours), "reasons": reasons, "best": laid}


def _at(cell: Cell) -> list[int] | str:
    return "beside" if cell.col < 0 else [cell.row + 1, cell.col + 1]
