"""A Quadropolis position as lines of text, for the terminal: the site with its architects, and the cities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.drawing import side_by_side

LEGEND = (
    "To tower, Sh shop, Sv service, Pa park, Fa factory, Ha harbor; i inhabitants, e energy, v points, * Mayor;",
    "## face down, [U] Urbanist, S2 an architect of south; To3 a tower of 3 floors, +1i1e lie on it.",
)
_KINDS = {"tower": "To", "shop": "Sh", "service": "Sv", "park": "Pa", "factory": "Fa", "harbor": "Ha"}
_WIDE = 8


def drawing(saved: Mapping[str, Any]) -> list[str]:
    """The round, the site with the architects where they stand, whose architects are left, and the cities in pairs.

    A lone city, loaded to be scored, has no more than itself.
    """
    lines = []
    if saved.get("site"):
        lines.append(f"Round {saved['round']}, turn {saved['turn']}. The Mayor is {saved['mayor']}'s.")
        lines.extend(_site_lines(saved))
        lines.extend(_left_lines(saved))
    if saved.get("taken"):
        lines.append(f"In hand: {tile_text(saved['taken'])}, taken by architect {saved['taken']['architect']}.")
    cities = [_city_lines(seat, city) for seat, city in saved["cities"].items()]
    for pair in range(0, len(cities), 2):
        lines.extend(["", *side_by_side(cities[pair : pair + 2])])
    return [*lines, "", *LEGEND]


def tile_text(tile: Mapping[str, Any]) -> str:
    """A tile in short: its kind and what it gives.

    >>> tile_text({"type": "harbor", "inhabitants": 1, "energy": 1, "vp": 0, "mayor": False})
    'Ha1i1e'
    """
    return _KINDS[tile["type"]] + _amounts(tile) + _points(tile) + ("*" if tile.get("mayor") else "")


def _amounts(of: Mapping[str, Any]) -> str:
    return "".join(f"{of[key]}{key[0]}" for key in ("inhabitants", "energy") if of.get(key))


def _points(tile: Mapping[str, Any]) -> str:
    return f"{tile['vp']}v" if tile.get("vp") else ""


def _site_lines(saved: Mapping[str, Any]) -> list[str]:
    stand = {(a["side"], a["line"]): f"{a['seat'][0].upper()}{a['number']}" for a in saved["architects"]}
    lines_of = range(1, 6)

    def edge(side: str) -> str:
        return (" " * 8 + "".join(stand.get((side, line), "").ljust(_WIDE) for line in lines_of)).rstrip()

    lines = [edge("north"), " " * 8 + "".join(str(line).ljust(_WIDE) for line in lines_of).rstrip()]
    for row, tiles in enumerate(saved["site"], start=1):
        words = [_space_text(tile, saved["urbanist"] == [row, col]) for col, tile in enumerate(tiles, start=1)]
        west, east = stand.get(("west", row), ""), stand.get(("east", row), "")
        lines.append(f"{west:2}   {row}  {''.join(word.ljust(_WIDE) for word in words)} {east}".rstrip())
    return [*lines, edge("south")]


def _space_text(tile: Any, is_urbanist: bool) -> str:
    if is_urbanist:
        return "[U]"
    return "." if tile is None else "##" if tile == "down" else tile_text(tile)


def _left_lines(saved: Mapping[str, Any]) -> list[str]:
    if saved["phase"] not in ("fill", "take", "build"):
        return []
    lines = []
    for seat in saved["cities"]:
        placed = {a["number"] for a in saved["architects"] if a["seat"] == seat}
        left = " ".join(str(number) for number in range(1, 5) if number not in placed)
        lines.append(f"{seat:5} architects left: {left or 'none'}")
    return lines


def _city_lines(seat: str, city: Mapping[str, Any]) -> list[str]:
    lines = [f"{seat:8}" + "".join(str(col).ljust(_WIDE + 1) for col in range(1, 5)).rstrip()]
    for row, slots in enumerate(city["slots"], start=1):
        words = "".join(_slot_text(slot).ljust(_WIDE + 1) for slot in slots)
        lines.append(f"     {row}  {words}".rstrip())
    lines.append(f"     beside: {_amounts(city['beside']) or 'nothing'}")
    return lines


def _slot_text(slot: Mapping[str, Any] | None) -> str:
    if slot is None:
        return "."
    ground = slot["floors"][0]
    name = _KINDS[ground["type"]] + (str(len(slot["floors"])) if ground["type"] == "tower" else _points(ground))
    lying = _amounts(slot)
    return f"{name}+{lying}" if lying else name
