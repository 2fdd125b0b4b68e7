"""Gridopolis' words in the line protocol."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from typing import Any

from rules.game import Move, NotationError, Setup, SetupError
from rules.gridopolis.moves import ADD, BLOCK, BOX, DONE, PAD, PAD_ON_POST
from rules.gridopolis.nodes import LINK_ZONES, PADS, POST_ZONES, cell_of
from rules.gridopolis.notation import piece_at, way
from rules.gridopolis.readings import OPTIONS, node_read, option_faults, word_of
from rules.gridopolis.scoring import POINTS
from rules.gridopolis.starting import BLUEPRINT, parted, read_blueprint, teleporter_faults
from rules.gridopolis.state import State
from rules.speech import asked, seat_in
from rules.words import SEATS, Cell, Colour, Seat, seat_name

COLOURS: tuple[str, ...] = ("blue", "purple", "green", "yellow")
"""The colours of south, west, north and east where nobody names others; the rulebook's figures have blue and green."""


def setup_for(
    seats: Sequence[Seat], options: Sequence[tuple[str, str]] = (), colours: Mapping[Seat, str] | None = None
) -> Setup:
    """The setup of these seats, of which the first named begins; options as a setup has them, in text.

    >>> setup_for([Seat(2), Seat(0)]).first
    2
    """
    named = dict(colours or {})
    sides = sorted(seats)
    chosen = tuple((side, Colour(named.get(side, COLOURS[side % 4]))) for side in sides)
    return Setup(chosen, tuple((side,) for side in sides), seats[0] if seats else Seat(0), tuple(options))


class GridopolisSpeech:
    """See `rules.speech.Speech`."""

    def setup(self, request: Mapping[str, Any]) -> Setup:
        """Beside seats, options and colours a request may hold a `blueprint`; it may stand among the options too."""
        new = asked(request)
        readings, blueprint = parted((str(name), value) for name, value in new.options.items())
        faults = [*new.faults, *option_faults(readings)]
        blueprint = request.get(BLUEPRINT, blueprint)
        if blueprint is None and new.seats:
            faults.extend(teleporter_faults(readings, new.seats))
        elif blueprint is not None:
            first = new.seats[0] if new.seats else SEATS[0]
            wrong = read_blueprint(blueprint, tuple(sorted(new.seats)), first)[1]
            faults.extend(wrong if new.seats else [fault for fault in wrong if fault.code != "seats"])
            readings.append((BLUEPRINT, blueprint))
        if faults:
            raise SetupError(faults)
        return setup_for(new.seats, [(name, word_of(value)) for name, value in readings], new.colours)

    def action(self, move: Move) -> dict[str, Any]:
        action: dict[str, Any] = {"kind": move.verb, "seat": seat_name(move.seat)}
        match move.verb:
            case "move":
                action["from"] = self._named(move.source)
                action["path"] = [self.name(cell) for cell in move.path]
                action["captures"] = [self.name(cell) for cell in move.taken]
                stays = not move.path or move.target == move.path[-1]
                action["teleport"] = None if stays else self._named(move.target)
            case "kamikaze":
                action["from"] = self._named(move.source)
                action["over"] = self._named(move.taken[0] if move.taken else None)
            case "blocker":
                action["node"] = self._named(move.target)
            case "add_pad":
                action.update(node=self._named(move.target), post=move.piece == PAD_ON_POST)
            case _:
                if move.source is not None:
                    action["from"] = self._named(move.source)
        return action

    def _named(self, cell: Cell | None) -> Any:
        return None if cell is None else self.name(cell)

    def move(self, action: Mapping[str, Any], state: State) -> Move:
        seat = seat_in(action, state.table.seats[0] if state.turn is None else state.turn)
        kind = action.get("kind")
        if kind == "move":
            out = action.get("teleport")
            return way(
                state,
                seat,
                _node(action.get("from"), "from"),
                _nodes(action.get("path"), "path"),
                _nodes(action.get("captures", []), "captures"),
                None if out is None else _node(out, "teleport"),
            )
        if kind == "kamikaze":
            source = _node(action.get("from"), "from")
            gone = (cell_of(_node(action.get("over"), "over")),)
            return Move(seat, "kamikaze", piece_at(state, source), cell_of(source), taken=gone)
        if kind == BLOCK:
            return Move(seat, BLOCK, BOX, None, cell_of(_node(action.get("node"), "node"), PADS))
        if kind == ADD:
            post = action.get("post")
            if not isinstance(post, bool):
                raise NotationError(f"wanted post to be true or false, found {post!r:.20}: write one")
            node = _node(action.get("node"), "node")
            return Move(seat, ADD, PAD_ON_POST if post else PAD, None, cell_of(node, PADS))
        if kind == DONE:
            return Move(seat, DONE)
        raise NotationError(
            f"wanted the kind move, kamikaze, blocker, add_pad or done, found {kind!r:.40}: correct it"
        )

    def name(self, cell: Cell) -> Any:
        node = [cell.col, cell.row, cell.level]
        if cell.zone in (LINK_ZONES[0], POST_ZONES[0]):
            return [node, [cell.col + 1, cell.row, cell.level]]
        if cell.zone in (LINK_ZONES[1], POST_ZONES[1]):
            return [node, [cell.col, cell.row + 1, cell.level]]
        return node

    def as_scored(self, state: State, best: bool) -> State:
        return state

    def draw(self, state: State, chance: random.Random) -> Move | None:
        return None

    def part(self, label: str) -> str:
        return label

    def parts(self) -> tuple[str, ...]:
        return tuple(POINTS)

    def options(self) -> list[dict[str, Any]]:
        return [
            {
                "name": option.name,
                "values": [_json_value(value) for value in option.values],
                "default": _json_value(option.default),
                "says": option.says,
            }
            for option in OPTIONS
        ]


def _json_value(word: str) -> Any:
    return json.loads(word) if word in ("true", "false") or word.startswith("{") else word


def _node(value: object, key: str) -> int:
    node = node_read(value)
    if node is None:
        raise NotationError(f"wanted a node [x, y, z] as {key}, found {value!r:.40}: name one")
    return node


def _nodes(value: object, key: str) -> list[int]:
    if not isinstance(value, list):
        raise NotationError(f"wanted a list of nodes as {key}, found {value!r:.40}: write one")
    return [_node(one, key) for one in value]


SPEECH = GridopolisSpeech()
