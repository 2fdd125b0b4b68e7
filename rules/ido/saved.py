"""A position as JSON values, and back: what cannot be is refused with all its faults at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rules.game import At, Fault, ImpossibleState
from rules.ido import blueprint as blueprints
from rules.ido import readings as chosen
from rules.ido.blueprint import D1, Blueprint
from rules.ido.checking import faults_of
from rules.ido.geometry import SIZES
from rules.ido.readings import PER_SIZE, Readings
from rules.ido.state import OWNER, SIZE, State, code_of, seats_faults, table_of
from rules.words import SEAT_NAMES, SEATS, Colour, Seat, seat_name, seat_named

KEYS: tuple[str, ...] = (
    "frame_offset", "blocks", "colours", "supply", "home", "steps_left", "shifted_by", "to_move",
)  # fmt: skip
"""The keys a saved position must have. Without `blueprint` its board is `D1`, `options` have defaults; other keys
are not read."""
Supply = tuple[tuple[int, int], ...]
"""By seat: how many small and large blocks lie in its supply."""


def dump(state: State) -> dict[str, Any]:
    """The position as JSON values, seats by name, squares as [x, y]; `load` gives it back."""
    table, n = state.table, state.table.board.blueprint.squares
    return {
        "blueprint": blueprints.as_json(table.board.blueprint),
        "frame_offset": list(state.offset),
        "blocks": [
            {"square": [i % n, i // n], "colour": table.colours[OWNER[code]], "size": SIZES[SIZE[code]]}
            for i, code in enumerate(state.squares)
            if code
        ],
        "colours": {seat_name(seat): table.colours[seat] for seat in table.seats},
        "supply": {
            seat_name(seat): {size: state.in_supply(seat, number) for number, size in enumerate(SIZES)}
            for seat in table.seats
        },
        "home": {seat_name(seat): list(state.home[seat]) for seat in table.seats},
        "steps_left": state.steps_left,
        "shifted_by": None if state.shifted_by is None else seat_name(state.shifted_by),
        "to_move": None if state.turn is None else seat_name(state.turn),
        "options": chosen.as_json(table.readings),
    }


def load(saved: Mapping[str, Any]) -> State:
    """The position that `dump` wrote, or anybody else in the same words. Raises `ImpossibleState` with every fault."""
    reader = _Reader(saved)
    state = reader.state()
    if reader.faults:
        raise ImpossibleState(reader.faults)
    return state


class _Reader:
    """Reads one saved position and gathers its faults as it goes; what cannot be read is left out.

    `spoilt` names the keys that could not be read whole, so that nothing else is held against them; options by their
    names, and what goes by seat also as in `home-south`. `there` counts the blocks listed, by seat and size, wherever
    they are.
    """

    def __init__(self, saved: object) -> None:
        self.saved: Mapping[str, Any] = saved if isinstance(saved, Mapping) else {}
        self.faults: list[Fault] = []
        self.spoilt: set[str] = set()
        self.there = [[0, 0] for _ in SEATS]
        if not isinstance(saved, Mapping):
            self.fault("not-a-state", (), f"wanted a state as an object with keys, found {saved!r:.40}: write one")
            return
        for key in KEYS:
            if key not in saved:
                self.fault("missing-key", (key,), f"wanted the key {key} in the state, found none: add it", key)
        if "blocks" in self.spoilt:
            self.spoilt.add("there")

    def fault(self, code: str, at: tuple[At, ...], text: str, spoils: str = "") -> None:
        self.faults.append(Fault(code, at, text))
        self.spoilt |= {spoils} - {""}

    def state(self) -> State:
        blueprint, readings = self._blueprint(), self._options()
        colours = self._colours()
        table = table_of(colours, blueprint, readings)
        offset = self._offset(blueprint)
        squares = self._blocks(blueprint, colours)
        supply, home = self._supply(table.seats), self._home(table.seats)
        steps_left = self._steps_left()
        shifted_by, turn = self._seat("shifted_by", table.seats), self._seat("to_move", table.seats)
        state = State(squares, offset, home, steps_left, shifted_by, turn, table)
        if self.saved:
            self.faults.extend(faults_of(state, self.there, supply, frozenset(self.spoilt)))
        return state

    def _blueprint(self) -> Blueprint:
        if "blueprint" not in self.saved:
            return D1
        blueprint, faults = blueprints.read(self.saved["blueprint"])
        self.faults.extend(faults)
        if faults:
            self.spoilt.add("blueprint")
        return blueprint

    def _options(self) -> Readings:
        given = self.saved.get("options", {})
        if not isinstance(given, Mapping):
            text = f"wanted options by name, found {given!r:.40}: write an object"
            self.fault("bad-value", ("options",), text)
            self.spoilt.update(option.name for option in chosen.OPTIONS)
            return Readings()
        readings, faults = chosen.from_json(given)
        if not faults:
            return readings
        self.faults.extend(faults)
        bad = {str(fault.at[0]) for fault in faults}
        self.spoilt |= bad
        return chosen.from_json({name: value for name, value in given.items() if name not in bad})[0]

    def _colours(self) -> list[Colour]:
        colours = [Colour("")] * 4
        before = len(self.faults)
        for name, colour in self._by_seat("colours", None):
            if not isinstance(colour, str) or not colour.strip() or not colour.isprintable():
                text = f"wanted a colour for {name}, found {colour!r:.40}: name it"
                self.fault("bad-colour", (name,), text, "colours")
            elif colour in colours:
                text = f"wanted a colour of its own for {name}, found {colour} again: change one"
                self.fault("same-colour", (name,), text, "colours")
            else:
                colours[seat_named(name)] = Colour(colour)
        if "colours" in self.saved and len(self.faults) == before:
            self.faults.extend(seats_faults([seat for seat in SEATS if colours[seat]]))
        return colours

    def _by_seat(self, key: str, seats: tuple[Seat, ...] | None) -> Iterator[tuple[str, Any]]:
        """The entries of an object by seat; with `seats` just one for each of them."""
        given = self.saved.get(key, {})
        if not isinstance(given, Mapping):
            self.fault("bad-value", (key,), f"wanted {key} by seat, found {given!r:.40}: write an object", key)
            return
        names = SEAT_NAMES if seats is None else tuple(seat_name(seat) for seat in seats)
        if seats is not None and "colours" in self.spoilt:
            names = SEAT_NAMES
        for name, value in given.items():
            if name in names:
                yield name, value
            else:
                text = f"wanted a seat in play ({', '.join(names)}) in {key}, found {name!r:.40}: correct it"
                self.fault("no-such-seat", (key, str(name)), text, key)
        for name in names if key in self.saved and seats is not None and "colours" not in self.spoilt else ():
            if name not in given:
                text = f"wanted {name} in {key}, found none: add it"
                self.fault("missing-key", (key, name), text, f"{key}-{name}")

    def _offset(self, blueprint: Blueprint) -> tuple[int, int]:
        value = self.saved.get("frame_offset", [0, 0])
        if isinstance(value, list | tuple) and len(value) == 2 and all(type(one) is int for one in value):
            if "blueprint" in self.spoilt:
                return (0, 0)
            if value[0] in blueprint.offsets and value[1] in blueprint.offsets:
                return value[0], value[1]
        least, most = blueprint.offsets[0], blueprint.offsets[-1]
        text = f"wanted frame_offset as [dx, dy], each from {least} to {most}, found {value!r:.40}: correct it"
        self.fault("bad-offset", ("frame_offset",), text, "frame_offset")
        return (0, 0)

    def _blocks(self, blueprint: Blueprint, colours: list[Colour]) -> bytes:
        n = blueprint.squares
        squares = bytearray(n * n)
        taken: set[tuple[int, int]] = set()
        given = self.saved.get("blocks", [])
        if not isinstance(given, list | tuple):
            text = f"wanted a list of blocks, found {given!r:.40}: write a list"
            self.fault("bad-value", ("blocks",), text, "blocks")
            self.spoilt.add("there")
            return bytes(squares)
        for number, entry in enumerate(given, start=1):
            block = entry if isinstance(entry, Mapping) else {}
            square, colour, size = (block.get(key) for key in ("square", "colour", "size"))
            before = len(self.faults)
            at: tuple[At, ...] = (f"block {number}",)
            place = (-1, -1)
            if isinstance(square, list | tuple) and len(square) == 2 and all(type(one) is int for one in square):
                place = (square[0], square[1])
                at = (place,)
            if "blueprint" not in self.spoilt and not (0 <= place[0] < n and 0 <= place[1] < n):
                text = f"wanted a square from [0, 0] to [{n - 1}, {n - 1}], found {square!r:.40}: correct it"
                self.fault("no-such-square", at, text)
            elif place in taken:
                text = f"wanted one block on the square {list(place)}, found two: take one away"
                self.fault("square-twice", at, text)
            taken.add(place)
            known = isinstance(colour, str) and bool(colour) and colour in colours
            if not known and ("colours" not in self.spoilt or not isinstance(colour, str)):
                self.fault("no-such-colour", at, f"wanted a colour in play, found {colour!r:.40}: correct it")
            if not isinstance(size, str) or size not in SIZES:
                self.fault("no-such-size", at, f"wanted {' or '.join(SIZES)}, found {size!r:.40}: correct it")
            if not known or size not in SIZES:
                self.spoilt |= {"blocks", "there"}
                continue
            owner, number_of_size = colours.index(Colour(str(colour))), SIZES.index(str(size))
            self.there[owner][number_of_size] += 1
            if len(self.faults) > before or "blueprint" in self.spoilt:
                self.spoilt.add("blocks")
            else:
                squares[place[1] * n + place[0]] = code_of(owner, number_of_size)
        return bytes(squares)

    def _supply(self, seats: tuple[Seat, ...]) -> Supply:
        supply = [[0, 0] for _ in SEATS]
        for name, counts in self._by_seat("supply", seats):
            if not isinstance(counts, Mapping) or set(counts) != set(SIZES):
                text = f"wanted counts of small and large in the supply of {name}, found {counts!r:.40}: write both"
                self.fault("bad-count", ("supply", name), text, f"supply-{name}")
                continue
            for number, size in enumerate(SIZES):
                n = counts[size]
                if type(n) is int and 0 <= n <= PER_SIZE:
                    supply[seat_named(name)][number] = n
                else:
                    text = f"wanted {size} from 0 to {PER_SIZE} in the supply of {name}, found {n!r:.40}: correct it"
                    self.fault("bad-count", ("supply", name), text, f"supply-{name}")
        return tuple((small, large) for small, large in supply)

    def _home(self, seats: tuple[Seat, ...]) -> tuple[tuple[str, ...], ...]:
        home: list[tuple[str, ...]] = [()] * 4
        for name, sizes in self._by_seat("home", seats):
            if isinstance(sizes, list | tuple) and all(isinstance(size, str) and size in SIZES for size in sizes):
                home[seat_named(name)] = tuple(sizes)
            else:
                text = f"wanted a list of sizes ({', '.join(SIZES)}) at home of {name}, found {sizes!r:.40}: write one"
                self.fault("bad-home", ("home", name), text, f"home-{name}")
        return tuple(home)

    def _steps_left(self) -> int | None:
        value = self.saved.get("steps_left")
        if value is None or (type(value) is int and 0 <= value <= 2 * PER_SIZE):
            return value
        text = f"wanted steps_left null or from 0 to {2 * PER_SIZE}, found {value!r:.40}: correct it"
        self.fault("bad-steps", ("steps_left",), text, "steps_left")
        return None

    def _seat(self, key: str, seats: tuple[Seat, ...]) -> Seat | None:
        name = self.saved.get(key)
        if name is None:
            return None
        if isinstance(name, str) and name in SEAT_NAMES and ("colours" in self.spoilt or seat_named(name) in seats):
            return seat_named(name)
        names = ", ".join(seat_name(seat) for seat in seats)
        text = f"wanted null or a seat in play ({names}) in {key}, found {name!r:.40}: name one"
        self.fault("no-such-seat", (key,), text, key)
        return None
