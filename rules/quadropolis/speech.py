"""Quadropolis' words in the line protocol."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rules.game import Move, NotationError, Setup, SetupError
from rules.quadropolis.allocating import best as best_city
from rules.quadropolis.jsonwords import amounts_read, as_json_amounts, as_json_site, site_read
from rules.quadropolis.moves import DISCARD, discard_move
from rules.quadropolis.notation import BEST, build_piece, read_amounts, read_site, write_amounts, write_site
from rules.quadropolis.readings import OPTIONS, option_faults
from rules.quadropolis.scoring import LABELS, PARTS
from rules.quadropolis.state import (
    ALLOCATE,
    BUILD,
    CITY_ZONES,
    FILL,
    HAND_CELLS,
    POSITION_CELLS,
    POSITION_OF,
    SIDES,
    SPACES,
    TAKE,
    State,
    architect_pieces,
    slot_cell,
)
from rules.quadropolis.tiles import DOWN, UP, with_marks
from rules.speech import asked, seat_in
from rules.words import NATURE, SEAT_NAMES, SEATS, Cell, Colour, Seat, seat_name

COLOURS: tuple[str, ...] = ("red", "yellow", "green", "blue")
"""The colours of south, west, north and east where nobody names others."""


def setup_for(
    seats: Sequence[Seat], options: Sequence[tuple[str, str]] = (), colours: Mapping[Seat, str] | None = None
) -> Setup:
    """The setup of these seats, of which the first named holds the mayor and begins.

    >>> setup_for([Seat(2), Seat(0)]).first
    2
    """
    named = dict(colours or {})
    sides = sorted(seats)
    chosen = tuple((side, Colour(named.get(side, COLOURS[side % 4]))) for side in sides)
    return Setup(chosen, tuple((side,) for side in sides), seats[0] if seats else Seat(0), tuple(options))


class QuadropolisSpeech:
    """See `rules.speech.Speech`."""

    def setup(self, request: Mapping[str, Any]) -> Setup:
        new = asked(request)
        faults = [*new.faults, *option_faults((str(name), value) for name, value in new.options.items())]
        if faults:
            raise SetupError(faults)
        return setup_for(new.seats, list(new.options.items()), new.colours)

    def action(self, move: Move) -> dict[str, Any]:
        action: dict[str, Any] = {"kind": move.verb, "seat": seat_name(move.seat)}
        target = move.target
        if move.verb == TAKE and move.piece is not None and target in POSITION_OF:
            side, line = divmod(POSITION_OF[target], 5)
            action.update(number=int(move.piece.kind[-1]), side=SIDES[side], line=line + 1)
        elif move.verb == BUILD and target is not None:
            action["slot"] = [target.row + 1, target.col + 1]
        elif move.verb == FILL:
            action["site"] = as_json_site(read_site(move.note) or bytes(SPACES))
        elif move.verb == ALLOCATE:
            amounts = None if move.note == BEST else read_amounts(move.note)
            action["slots"] = BEST if amounts is None else as_json_amounts(*amounts)
        return action

    def move(self, action: Mapping[str, Any], state: State) -> Move:
        seat = seat_in(action, state.mayor if state.turn is None else state.turn, ("nature",))
        kind = action.get("kind")
        if kind == TAKE:
            number, side, line = (action.get(key) for key in ("number", "side", "line"))
            if not (_is_from_1(number, 4) and side in SIDES and _is_from_1(line, 5)):
                raise NotationError(
                    "wanted a number from 1 to 4, a side and a line from 1 to 5, "
                    f"found {number!r:.20}, {side!r:.20}, {line!r:.20}: correct them"
                )
            piece = architect_pieces(state.table.colours)[4 * seat + int(str(number))] if seat in SEATS else None
            position = SIDES.index(str(side)) * 5 + int(str(line)) - 1
            return Move(seat, TAKE, piece, None, POSITION_CELLS[position])
        if kind == BUILD:
            place = action.get("slot")
            if not (isinstance(place, list) and len(place) == 2 and all(_is_from_1(n, 4) for n in place)):
                raise NotationError(f"wanted a slot [row, column] from 1 to 4, found {place!r:.40}: correct it")
            owner = seat if seat in SEATS else SEATS[0]
            slot = place[0] * 4 + place[1] - 5
            level = len(state.city(owner).floors[slot])
            return Move(seat, BUILD, build_piece(state, None), None, slot_cell(owner, slot, level))
        if kind == DISCARD:
            if seat in SEATS and state.taken:
                return discard_move(seat, state.taken)
            return Move(seat, DISCARD, build_piece(state, None), HAND_CELLS[seat] if seat in SEATS else None)
        if kind == FILL:
            site, marked = site_read(action.get("site"))
            if not marked:
                site = bytes(with_marks(list(site), state.round, len(state.table.seats)))
            return Move(seat, FILL, note=write_site(site))
        if kind == ALLOCATE:
            slots = action.get("slots")
            return Move(seat, ALLOCATE, note=BEST if slots == BEST else write_amounts(*amounts_read(slots)))
        raise NotationError(f"wanted the kind fill, take, build, discard or allocate, found {kind!r:.40}: correct it")

    def name(self, cell: Cell) -> Any:
        if cell in POSITION_OF:
            side, line = divmod(POSITION_OF[cell], 5)
            return f"{SIDES[side]} {line + 1}"
        if cell.zone in ("hand", "mayor") and 0 <= cell.col < 4:
            return SEAT_NAMES[cell.col]
        if cell.zone in CITY_ZONES or cell.col >= 0:
            return [cell.row + 1, cell.col + 1] if cell.zone != "urbanist" else "beside"
        return "beside"

    def as_scored(self, state: State, best: bool) -> State:
        readings = state.table.readings
        cities = state.cities
        if best:
            cities = tuple(None if city is None else best_city(city, readings.harbours) for city in cities)
        table = replace(state.table, readings=replace(readings, allocation="as_placed"))
        return replace(state, cities=cities, table=table)

    def draw(self, state: State, chance: random.Random) -> Move | None:
        if state.turn != NATURE:
            return None
        players = len(state.table.seats)
        up = UP[state.round, players]
        tiles = [*up, *(DOWN for _ in range(SPACES - len(up)))]
        chance.shuffle(tiles)
        return Move(NATURE, FILL, note=write_site(bytes(tiles)))

    def part(self, label: str) -> str:
        return LABELS[label]

    def parts(self) -> tuple[str, ...]:
        return PARTS

    def options(self) -> list[dict[str, Any]]:
        return [
            {"name": option.name, "values": list(option.values), "default": option.default, "says": option.says}
            for option in OPTIONS
        ]


def _is_from_1(value: object, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most


SPEECH = QuadropolisSpeech()
