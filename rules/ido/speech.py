"""Ido's words in the line protocol."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from rules.game import Move, NotationError, Setup, SetupError
from rules.ido import blueprint as blueprints
from rules.ido.geometry import SIZES
from rules.ido.notation import square_name
from rules.ido.readings import OPTIONS, as_text, as_value, option_faults
from rules.ido.refusals import DONE, PASS, SHIFT, START, STEP
from rules.ido.state import BLUEPRINT, FRAME, HOME_CELLS, State, block_at, frame_cell, seats_faults
from rules.speech import asked, seat_in
from rules.words import SEATS, Cell, Colour, Piece, Seat, seat_name

COLOURS: tuple[str, ...] = ("red", "blue", "yellow", "green")
"""The colours of south, west, north and east where nobody names others: red faces yellow, blue faces green."""
KINDS: tuple[str, ...] = (START, STEP, SHIFT, DONE, PASS)


def setup_for(
    seats: Sequence[Seat], options: Sequence[tuple[str, str]] = (), colours: Mapping[Seat, str] | None = None
) -> Setup:
    """The setup of two (opposite), three or four seats, of which the first named begins.

    What a game cannot start with is for `start` to refuse.

    >>> setup_for([Seat(2), Seat(0)]).players
    ((0,), (2,))
    """
    named = dict(colours or {})
    chosen = tuple((seat, Colour(named.get(seat, COLOURS[seat % 4]))) for seat in sorted(seats))
    players = tuple((seat,) for seat in sorted(seats))
    return Setup(chosen, players, seats[0] if seats else Seat(0), tuple(options))


class IdoSpeech:
    """See `rules.speech.Speech`."""

    def setup(self, request: Mapping[str, Any]) -> Setup:
        """Beside seats, options and colours a request may hold a `blueprint`; it may stand among the options too."""
        new = asked(request)
        faults = [*new.faults, *(seats_faults(new.seats) if new.seats else ())]
        chosen = [(str(name), value) for name, value in new.options.items() if name != BLUEPRINT]
        faults.extend(option_faults(chosen))
        board = new.options.get(BLUEPRINT, request.get(BLUEPRINT))
        if board is not None:
            blueprint, wrong = blueprints.read(board)
            faults.extend(wrong)
            chosen.append((BLUEPRINT, blueprints.as_text(blueprint)))
        if faults:
            raise SetupError(faults)
        texts = [(name, value if name == BLUEPRINT else as_text(value)) for name, value in chosen]
        return setup_for(new.seats, texts, new.colours)

    def action(self, move: Move) -> dict[str, Any]:
        action: dict[str, Any] = {"kind": move.verb, "seat": seat_name(move.seat)}
        if move.verb == START and move.piece is not None and move.target is not None:
            action.update(size=move.piece.kind, square=self.name(move.target))
        if move.verb == STEP and move.source is not None and move.target is not None:
            action.update({"from": self.name(move.source), "to": self.name(move.target)})
        if move.verb == SHIFT and move.source is not None and move.target is not None:
            action["by"] = [move.target.col - move.source.col, move.target.row - move.source.row]
        return action

    def move(self, action: Mapping[str, Any], state: State) -> Move:
        seat = seat_in(action, state.table.seats[0] if state.turn is None else state.turn)
        kind = action.get("kind")
        if kind in (DONE, PASS):
            return Move(seat, str(kind))
        if kind == START:
            size = action.get("size")
            if not isinstance(size, str) or size not in SIZES:
                raise NotationError(f"wanted the size {' or '.join(SIZES)}, found {size!r:.40}: correct it")
            colour = state.table.colours[seat] if seat in SEATS else Colour("")
            return Move(seat, START, Piece(size, colour), None, Cell(*_pair(action, "square")))
        if kind == STEP:
            source = Cell(*_pair(action, "from"))
            home = action.get("to") == "home"
            target = HOME_CELLS[seat % 4] if home else Cell(*_pair(action, "to"))
            return Move(seat, STEP, block_at(state, source), source, target)
        if kind == SHIFT:
            (dx, dy), (bx, by) = state.offset, _pair(action, "by")
            return Move(seat, SHIFT, FRAME, frame_cell(dx, dy), frame_cell(dx + bx, dy + by))
        raise NotationError(f"wanted the kind {', '.join(KINDS)}, found {kind!r:.40}: correct it")

    def name(self, cell: Cell) -> Any:
        return [cell.col, cell.row] if cell.zone == "board" else square_name(cell) if cell.zone == "home" else cell.zone

    def as_scored(self, state: State, best: bool) -> State:
        return state

    def draw(self, state: State, chance: random.Random) -> None:
        return None

    def part(self, label: str) -> str:
        return "home"

    def parts(self) -> tuple[str, ...]:
        return ()

    def options(self) -> list[dict[str, Any]]:
        return [
            {
                "name": option.name,
                "values": [as_value(option.name, value) for value in option.values],
                "default": as_value(option.name, option.default),
                "says": option.says,
            }
            for option in OPTIONS
        ]


def _pair(action: Mapping[str, Any], key: str) -> tuple[int, int]:
    """Two whole numbers of an action: a square, or how far the frame goes."""
    value = action.get(key)
    if isinstance(value, list) and len(value) == 2 and all(type(one) is int for one in value):
        return value[0], value[1]
    raise NotationError(f"wanted {key} to be two whole numbers like [0, 1], found {value!r:.40}: correct it")


SPEECH = IdoSpeech()
