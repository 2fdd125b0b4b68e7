"""Tiles, sites and amounts as the line protocol's JSON values, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.game import NotationError
from rules.quadropolis.notation import Amounts
from rules.quadropolis.state import SITE, SLOTS
from rules.quadropolis.tiles import CODE_OF, DOWN, EMPTY, KINDS, TILE, TYPES, Tile

TILE_KEYS: tuple[str, ...] = ("type", "inhabitants", "energy", "vp", "mayor", "mark")


def as_json_tile(code: int) -> Any:
    """A space of the site or a tile as the protocol has it.

    >>> as_json_tile(0), as_json_tile(1), as_json_tile(2)["mayor"]
    (None, 'down', True)
    """
    if code in (EMPTY, DOWN):
        return None if code == EMPTY else "down"
    tile = TILE[code]
    return {
        "type": TYPES[tile.type],
        "inhabitants": tile.inhabitants,
        "energy": tile.energy,
        "vp": tile.vp,
        "mayor": tile.mayor,
        "mark": tile.mark,
    }


def as_json_site(site: bytes) -> list[list[Any]]:
    """The site as five rows of five."""
    return [[as_json_tile(code) for code in site[row * SITE : row * SITE + SITE]] for row in range(SITE)]


def tile_read(given: object) -> int | None:
    """The number of a tile; None where the box has no such one. What is left out is 0, false or null; a face whose
    tiles all have a mark is read without one too."""
    if not isinstance(given, Mapping) or given.get("type") not in TYPES:
        return None
    numbers = [given.get(key, 0) for key in ("inhabitants", "energy", "vp")]
    mayor, mark = given.get("mayor", False), given.get("mark")
    if any(isinstance(n, bool) or not isinstance(n, int) for n in numbers) or not isinstance(mayor, bool):
        return None
    if mark is not None and not isinstance(mark, str):
        return None
    tile = Tile(TYPES.index(given["type"]), numbers[0], numbers[1], numbers[2], mayor, mark)
    if tile in CODE_OF:
        return CODE_OF[tile]
    if "mark" in given:
        return None
    return next((CODE_OF[kind] for kind in KINDS if kind.face == tile.face and _values(kind) == _values(tile)), None)


def _values(tile: Tile) -> tuple[int, int, int, int, bool]:
    return tile.type, tile.inhabitants, tile.energy, tile.vp, tile.mayor


def site_read(given: object) -> tuple[bytes, bool]:
    """The site that a fill lists, and whether every tile says its mark. Raises `NotationError`."""
    rows = given if isinstance(given, list) else []
    if len(rows) != SITE or any(not isinstance(row, list) or len(row) != SITE for row in rows):
        raise NotationError("wanted a site of 5 rows of 5, found none: write it whole")
    codes = []
    marked = True
    for word in (word for row in rows for word in row):
        code = EMPTY if word is None else DOWN if word == "down" else tile_read(word)
        if code is None:
            raise NotationError(f"wanted a tile of the box, null or down, found {word!r:.80}: correct it")
        marked = marked and (code in (EMPTY, DOWN) or "mark" in word)
        codes.append(code)
    return bytes(codes), marked


def amounts_read(given: object) -> Amounts:
    """The inhabitants and the energy on each slot that an allocation lists. Raises `NotationError`."""
    rows = given if isinstance(given, list) else []
    if len(rows) != 4 or any(not isinstance(row, list) or len(row) != 4 for row in rows):
        raise NotationError(f"wanted 4 rows of 4 slots or 'best', found {given!r:.60}: write them whole")
    people, energy = [], []
    for slot in (slot for row in rows for slot in row):
        values = {} if slot is None else slot
        counts = [values.get(key, 0) for key in ("inhabitants", "energy")] if isinstance(values, Mapping) else [None]
        if any(isinstance(n, bool) or not isinstance(n, int) or not 0 <= n < 100 for n in counts):
            raise NotationError(f"wanted null or counts of inhabitants and energy, found {slot!r:.60}: correct it")
        people.append(int(counts[0] or 0))
        energy.append(int(counts[1] or 0))
    return tuple(people), tuple(energy)


def as_json_amounts(people: tuple[int, ...], energy: tuple[int, ...]) -> list[list[Any]]:
    """An allocation as 4 rows of 4, null where nothing lies."""
    slots = [
        {"inhabitants": people[slot], "energy": energy[slot]} if people[slot] or energy[slot] else None
        for slot in range(SLOTS)
    ]
    return [slots[row : row + 4] for row in range(0, SLOTS, 4)]
