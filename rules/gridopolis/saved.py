"""A position as JSON values, and back: what cannot be is refused with all its faults at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.game import ImpossibleState
from rules.gridopolis.grids import BLOCKER, KINGERIZER, TELEPORTER, GridSet
from rules.gridopolis.loading import Reader
from rules.gridopolis.nodes import place_of
from rules.gridopolis.readings import as_json_options
from rules.gridopolis.state import MOVED, RANKS, RESERVE, State, is_king
from rules.words import seat_name


def as_json_node(node: int) -> list[int]:
    """A node as the protocol has it."""
    return list(place_of(node))


def _grid_dumped(grid: GridSet, colours: tuple[str, ...]) -> dict[str, Any]:
    """The grid-set in the protocol's words; also how a blueprint is written."""
    pads: list[dict[str, Any]] = []
    for node, part in grid.pads:
        pad: dict[str, Any] = {"node": as_json_node(node), "part": None}
        if part >= KINGERIZER:
            pad.update(part="kingerizer", colour=colours[part - KINGERIZER])
        elif part:
            pad["part"] = {TELEPORTER: "teleporter", BLOCKER: "blocker"}[part]
        pads.append(pad)
    return {
        "pads": pads,
        "links": [[as_json_node(end) for end in link] for link in sorted(grid.links)],
        "posts": [[as_json_node(end) for end in link] for link in sorted(grid.posts)],
    }


def dump(state: State) -> dict[str, Any]:
    """The position as JSON values, seats by name; `load` gives it back.

    `won_by` is who jumped, where the last two markers went in a kamikaze; else null.
    """
    colours, seats = state.table.colours, state.table.seats
    markers = [
        {"node": as_json_node(node), "colour": colours[code >> 2], "rank": RANKS[is_king(code)]}
        for node, code in state.markers
    ]
    captured = {
        seat_name(seat): [
            {"colour": colours[other], "rank": RANKS[king]}
            for other in seats
            for king in (1, 0)
            for _ in range(state.captured[8 * seat + 2 * other + king])
        ]
        for seat in seats
    }
    reserve = {
        seat_name(seat): dict(zip(RESERVE, state.reserve[4 * seat : 4 * seat + 4], strict=True)) for seat in seats
    }
    return {
        **_grid_dumped(state.grid, colours),
        "markers": markers,
        "colours": {seat_name(seat): colours[seat] for seat in seats},
        "reserve": reserve,
        "captured": captured,
        "moved": [as_json_node(node) for node, code in state.markers if code & MOVED],
        "moves_left": 1 if state.mover else 2,
        "mover": as_json_node(state.mover) if state.mover else None,
        "turns": {seat_name(seat): state.turns[seat] for seat in seats},
        "to_move": None if state.turn is None else seat_name(state.turn),
        "won_by": None if state.won is None else seat_name(state.won),
        "options": as_json_options(state.table.readings),
    }


def load(saved: Mapping[str, Any]) -> State:
    """The position that `dump` wrote, or anybody else in the same words. Raises `ImpossibleState` with every fault.

    What has no bearing on play is not asked for: a position may have been drawn, with fewer markers than six a seat.
    """
    reader = Reader(saved)
    state = reader.state()
    if reader.faults:
        raise ImpossibleState(reader.faults)
    return state
