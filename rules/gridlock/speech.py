"""Gridlock's words in the line protocol."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from rules.game import Fault, Move, NotationError, Setup, SetupError
from rules.gridlock.moves import DROP_IT, KEEP, PASS, PLACE, pass_move, piece_at
from rules.gridlock.notation import square_name
from rules.gridlock.readings import OPTIONS
from rules.gridlock.saved import options_read
from rules.gridlock.state import CELLS, INDEX_NAMED, SIZES, VAN_CELLS, State
from rules.speech import asked, seat_in
from rules.words import SEAT_NAMES, SEATS, Cell, Colour, Piece, Seat, seat_name

COLOURS: tuple[str, ...] = ("red", "yellow", "green", "blue")
"""The colours of south, west, north and east where nobody names others."""


def setup_for(
    seats: Sequence[Seat], options: Sequence[tuple[str, str]] = (), colours: Mapping[Seat, str] | None = None
) -> Setup:
    """The setup of two (opposite), three or four seats, of which the first named begins.

    Two seats get the next side clockwise too. What a game cannot start with is for `start` to refuse.

    >>> setup_for([Seat(2), Seat(0)]).players
    ((2, 3), (0, 1))
    """
    players: tuple[tuple[Seat, ...], ...] = tuple((seat,) for seat in sorted(seats))
    if len(seats) == 2 and set(seats) <= set(SEATS):
        players = tuple((seat, Seat((seat + 1) % 4)) for seat in seats)
    named = dict(colours or {})
    sides = sorted({side for player in players for side in player})
    chosen = tuple((side, Colour(named.get(side, COLOURS[side % 4]))) for side in sides)
    return Setup(chosen, players, seats[0] if seats else Seat(0), tuple(options))


class GridlockSpeech:
    """See `rules.speech.Speech`."""

    def setup(self, request: Mapping[str, Any]) -> Setup:
        new = asked(request)
        faults = list(new.faults)
        if len(new.seats) == 2 and (new.seats[0] - new.seats[1]) % 2:
            names = tuple(seat_name(seat) for seat in new.seats)
            text = f"wanted two seats that face each other, found {names[0]} and {names[1]}: name opposite ones"
            faults.append(Fault("seats", names, text))
        sides = [seat_name(seat) for seat in (new.seats if len(new.seats) == 3 else SEATS)]
        read, wrong = options_read(new.options, len(sides), sides)
        faults.extend(wrong)
        if faults:
            raise SetupError(faults)
        return setup_for(new.seats, read, new.colours)

    def action(self, move: Move) -> dict[str, Any]:
        action: dict[str, Any] = {"kind": move.verb, "seat": seat_name(move.seat)}
        if move.target is not None and move.verb in (PLACE, DROP_IT):
            action["square"] = square_name(move.target)
        if move.piece is not None and move.verb == PLACE:
            action["size"] = move.piece.kind
        return action

    def move(self, action: Mapping[str, Any], state: State) -> Move:
        seat = seat_in(action, state.van if state.turn is None else state.turn)
        kind = action.get("kind")
        if kind == PASS:
            proper = pass_move(state.table, seat)
            return Move(seat, PASS, proper.piece, VAN_CELLS[state.van], proper.target)
        if kind == KEEP:
            return Move(seat, KEEP)
        if kind not in (PLACE, DROP_IT):
            raise NotationError(f"wanted the kind place, drop, pass or keep, found {kind!r}: correct it")
        square = action.get("square")
        if not isinstance(square, str) or square not in INDEX_NAMED:
            raise NotationError(f"wanted a square from a1 to h8, found {square!r}: correct it")
        index = INDEX_NAMED[square]
        if kind == PLACE:
            size = action.get("size")
            if size not in SIZES:
                raise NotationError(f"wanted the size {', '.join(SIZES)}, found {size!r}: correct it")
            return Move(seat, PLACE, Piece(str(size), state.table.colours[seat], None), None, CELLS[index])
        piece = piece_at(state, index)
        lying = None if piece is None else Piece(piece.kind, piece.colour, int(seat))
        return Move(seat, DROP_IT, lying, None, CELLS[index])

    def name(self, cell: Cell) -> str:
        return SEAT_NAMES[cell.col] if cell.zone == "van" and 0 <= cell.col < 4 else square_name(cell)

    def as_scored(self, state: State, best: bool) -> State:
        return state

    def draw(self, state: State, chance: random.Random) -> None:
        return None

    def part(self, label: str) -> str:
        return "chains"

    def parts(self) -> tuple[str, ...]:
        return ()

    def options(self) -> list[dict[str, Any]]:
        return [
            {
                "name": option.name,
                "values": [_as_json(option.name, value) for value in option.values],
                "default": _as_json(option.name, option.default),
                "says": option.says,
            }
            for option in OPTIONS
        ]


def _as_json(name: str, value: str) -> str | int | None:
    if name == "per_size":
        return int(value)
    return value or None


SPEECH = GridlockSpeech()
