"""How a game begins: on the Matrix, or on a blueprint that players drew or downloaded.

A blueprint is JSON in the words of a saved position: `pads`, `links`, `posts`, `markers`, and `colours`, which say to
which seats its kingerizers and markers belong; in the game each seat has the colour that its player chose. The
Matrix for two, three and four players lies beside this file (`matrix-2.json` ...), to be copied and changed.
Source: rulebook, "Game Set-Up" ("You can also design your own game from scratch!").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rules.game import Fault, Setup, SetupError
from rules.gridopolis.loading import Reader
from rules.gridopolis.matrix import matrix, open_pads, plank
from rules.gridopolis.nodes import place_of
from rules.gridopolis.readings import node_read, option_faults, places_of, readings_of, values_of
from rules.gridopolis.state import RESERVE, START_RESERVE, State, Table
from rules.setups import colour_faults
from rules.words import SEAT_NAMES, SEATS, Colour, Seat, seat_name

BLUEPRINT = "blueprint"
"""The option of a setup that has a blueprint, as compact JSON. It is no reading: a position brings its own grid-set."""
BLUEPRINT_KEYS: tuple[str, ...] = ("pads", "links", "posts", "markers", "colours")


def parted(options: Iterable[tuple[str, Any]]) -> tuple[list[tuple[str, Any]], Any]:
    """The readings among a setup's options, and the blueprint, None if there is none."""
    readings, blueprint = [], None
    for name, value in options:
        if name == BLUEPRINT:
            blueprint = value
        else:
            readings.append((name, value))
    return readings, blueprint


def read_blueprint(value: object, seats: tuple[Seat, ...], first: Seat) -> tuple[State | None, list[Fault]]:
    """The position before the first move on a blueprint, with the blueprint's own colours; and every fault of it.

    The seats of the blueprint must be those in play, and whoever begins must have a marker.
    """
    if not isinstance(value, Mapping):
        text = f"wanted a blueprint as an object with {', '.join(BLUEPRINT_KEYS)}, found {value!r:.40}: write one"
        return None, [Fault("bad-value", (BLUEPRINT,), text)]
    given = {key: value[key] for key in BLUEPRINT_KEYS if key in value}
    colours = given.get("colours")
    names = [name for name in colours if name in SEAT_NAMES] if isinstance(colours, Mapping) else []
    reader = Reader(
        {
            **given,
            "reserve": {name: dict(zip(RESERVE, START_RESERVE, strict=True)) for name in names},
            "captured": {name: [] for name in names},
            "moved": [],
            "moves_left": 2,
            "mover": None,
            "turns": dict.fromkeys(names, 0),
            "to_move": seat_name(first) if seat_name(first) in names else (names or [None])[0],
        }
    )
    state, faults = reader.state(), list(reader.faults)
    if names and sorted(names) != sorted(seat_name(seat) for seat in seats):
        wanted, found = ", ".join(seat_name(seat) for seat in seats), ", ".join(names)
        text = f"wanted a blueprint for {wanted}, found one for {found}: seat the players so, or change its colours"
        faults.append(Fault("seats", (BLUEPRINT, "colours"), text))
    return state, faults


def setup_faults(setup: Setup) -> list[Fault]:
    """Everything wrong with a setup, as faults; empty when a game can start with it."""
    faults: list[Fault] = []
    sides = [seat for seat, _ in setup.colours]
    names = tuple(seat_name(seat) if seat in SEATS else str(seat) for seat in sides)
    if any(seat not in SEATS for seat in sides) or len(set(sides)) < len(sides) or len(sides) not in (2, 3, 4):
        text = f"wanted two, three or four different seats, found {', '.join(names) or 'none'}: name each once"
        faults.append(Fault("seats", names, text))
    faults.extend(colour_faults(setup))
    if sorted(setup.players) != sorted((seat,) for seat in sides):
        faults.append(Fault("players", (), "wanted one seat for each player: share the seats out anew"))
    if setup.first not in sides:
        faults.append(Fault("first", (), "wanted the first seat to be one in play: name one of the seats"))
    options, blueprint = parted(values_of(setup.options))
    faults.extend(option_faults(options))
    if blueprint is None:
        faults.extend(teleporter_faults(options, tuple(seat for seat in sides if seat in SEATS)))
    elif not faults:
        faults.extend(read_blueprint(blueprint, tuple(sorted(sides)), setup.first)[1])
    return faults


def teleporter_faults(options: Iterable[tuple[str, Any]], seats: tuple[Seat, ...]) -> list[Fault]:
    """Where on the Matrix for these seats teleporters that are named one by one cannot be.

    >>> [fault.at for fault in teleporter_faults([("teleporters", [[0, -2, 1], [0, -1, 1]])], (Seat(0), Seat(2)))]
    [('teleporters', (0, -2, 1))]
    """
    chosen = dict(options).get("teleporters")
    nodes = [node for node in map(node_read, chosen) if node is not None] if isinstance(chosen, list) else []
    there = open_pads(seats)
    faults = []
    for place in (place_of(node) for node in sorted(set(nodes)) if node not in there):
        text = f"wanted teleporters on pads without a kingerizer, found {place}: name another pad"
        faults.append(Fault("no-such-pad", ("teleporters", place), text))
    return faults


def start(setup: Setup) -> State:
    """The position before the first move. Raises `SetupError` with every fault."""
    faults = setup_faults(setup)
    if faults:
        raise SetupError(faults)
    by_side = dict(setup.colours)
    colours = tuple(by_side.get(seat, Colour("")) for seat in SEATS)
    options, blueprint = parted(values_of(setup.options))
    table = Table((colours[0], colours[1], colours[2], colours[3]), readings_of(options))
    drawn = None if blueprint is None else read_blueprint(blueprint, table.seats, setup.first)[0]
    if drawn is None:
        grid = matrix(table.seats, places_of(table.readings))
        markers = tuple(sorted((node, 4 * seat) for seat in table.seats for row in plank(seat) for node in row))
    else:
        grid, markers = drawn.grid, drawn.markers
    reserve = b"".join(START_RESERVE if colours[seat] else bytes(4) for seat in SEATS)
    return State(grid, markers, reserve, bytes(32), (0, 0, 0, 0), 0, setup.first, None, table)
