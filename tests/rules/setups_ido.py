"""Ido's setups for the tests that every game must pass."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rules.game import Move, Setup
from rules.ido import IDO, State
from rules.ido.blueprint import D1, Blueprint, as_json, as_text
from rules.ido.geometry import SIZES
from rules.ido.speech import setup_for
from rules.ido.state import HOME_CELLS
from rules.words import EAST, NORTH, SEATS, SOUTH, WEST, Cell

TEN = Blueprint(10, (2, 3, 5, 7, 8), (2, 3, 5, 7, 8), 6, (0, 1, 3, 5, 6), (0, 1, 3, 5, 6), 4, 2)
"""Another board: ten squares, a frame that goes two squares either way, wide starts and narrow targets."""
Json = dict[str, Any]
ORDER = '["large","small","large","small"]'

SETUPS: dict[str, Setup] = {
    "two": setup_for([NORTH, SOUTH]),
    "three": setup_for([EAST, SOUTH, WEST], [("goal", "3"), ("leave_from", "own_shape")]),
    "four": setup_for([WEST, NORTH, EAST, SOUTH]),
    "neither chains nor costs": setup_for([WEST, EAST], [("chain_push", "refuse"), ("leaving_costs", "0")]),
    "in order": setup_for([EAST, WEST], [("order", ORDER), ("goal", "4")]),
    "another board, in order": setup_for(
        SEATS, [("goal", "3"), ("order", '["small","large","small"]'), ("blueprint", as_text(TEN))]
    ),
}

COLOURS = {"south": "red", "west": "blue", "north": "yellow", "east": "green"}
LETTERS = {"s": "small", "L": "large"}
MAX_PLAYS = 700
"""Where no block pushes another, or with an order on a wide board, a match can go on for very long, even in a
blockade for ever: two players who both can only pass. All others end long before."""


def next_moves(state: State, rng: random.Random) -> Sequence[Move]:
    """What random play chooses from: now everything, now just what brings the seat on. Blind play seldom comes home."""
    listed = list(IDO.moves(state))
    if rng.random() < 0.4:
        return listed
    seat = listed[0].seat
    home = len(state.home[seat])
    crossing = [move for move in listed if move.verb in ("step", "shift") and (
        move.target in HOME_CELLS if move.verb == "step" else len(IDO.play(state, move).home[seat]) > home)]
    forward = [move for move in listed if move.verb == "start" or (move.verb == "step" and _gain(state, move) > 0)]
    return crossing or forward or listed


def _gain(state: State, move: Move) -> int:
    """By how many squares a step brings a block nearer to the corner where its target lies."""
    assert move.source is not None
    assert move.target is not None
    far = state.table.board.blueprint.squares - 1
    col, row = ((0, far), (far, far), (far, 0), (0, 0))[move.seat]
    here, there = (abs(cell.col - col) + abs(cell.row - row) for cell in (move.source, move.target))
    return here - there


def also_legal(state: State, move: Move) -> bool:
    """The other half of a rectangle whose first half is listed: a large block may stand in either."""
    if move.target is None or move.target in IDO.layout(state).pieces:
        return False
    for pair in halves(state):
        if move.target in pair:
            return any(replace(move, target=half) in IDO.moves(state) for half in pair)
    return False


def halves(state: State) -> list[tuple[Cell, ...]]:
    """The pairs of cells that are one rectangle now."""
    return list(IDO.places(state, IDO.layout(state)))


def conserved(state: State) -> Counter[tuple[int, str]]:
    """Blocks by seat and size, on the board, at home and in supply; none in supply below 0."""
    count: Counter[tuple[int, str]] = Counter()
    for seat in state.table.seats:
        for number, size in enumerate(SIZES):
            supply = state.in_supply(seat, number)
            assert supply >= 0
            count[seat, size] = supply + state.home[seat].count(size)
    for piece in IDO.layout(state).pieces.values():
        if piece.kind != "frame":
            count[state.table.colours.index(piece.colour), piece.kind] += 1
    return count


def position(*blocks: str, seats: str = "south north", home: Json | None = None, **changes: Any) -> Json:
    """A position with blocks like `rs5,0` (red, small, on 5,0), south to move; what is nowhere else is in supply."""
    names = seats.split()
    colours = {name: COLOURS[name] for name in names}
    placed = []
    for block in blocks:
        col, row = block[2:].split(",")
        colour = next(colour for colour in colours.values() if colour[0] == block[0])
        placed.append({"square": [int(col), int(row)], "colour": colour, "size": LETTERS[block[1]]})
    crossed = {name: list((home or {}).get(name, [])) for name in names}
    supply = {
        name: {
            size: 3 - crossed[name].count(size) - sum((b["colour"], b["size"]) == (colour, size) for b in placed)
            for size in LETTERS.values()
        }
        for name, colour in colours.items()
    }
    return {
        "blueprint": as_json(D1),
        "frame_offset": [0, 0],
        "blocks": placed,
        "colours": colours,
        "supply": supply,
        "home": crossed,
        "steps_left": None,
        "shifted_by": None,
        "to_move": names[0],
        **changes,
    }


def at(*blocks: str, **changes: Any) -> State:
    """The position that `position` tells."""
    return IDO.load(position(*blocks, **changes))
