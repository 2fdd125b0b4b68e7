"""A position as JSON values, and back: what cannot be is refused with all its faults at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from rules.game import At, Fault, ImpossibleState
from rules.quadropolis.checking import faults_of
from rules.quadropolis.jsonwords import as_json_site, as_json_tile, tile_read
from rules.quadropolis.readings import OPTIONS, Readings, option_faults, readings_of
from rules.quadropolis.state import (
    ALLOCATE,
    BUILD,
    FILL,
    MOST_FLOORS,
    OVER,
    PHASES,
    POSITIONS,
    ROUNDS_IN_ALL,
    SIDES,
    SITE,
    SLOTS,
    SPACES,
    SUPPLY_ENERGY,
    SUPPLY_INHABITANTS,
    TAKE,
    TURNS,
    City,
    State,
    Table,
    is_tower,
)
from rules.quadropolis.tiles import DOWN, EMPTY, TOWER, TYPE
from rules.words import NATURE, SEAT_NAMES, SEATS, Colour, Seat, seat_name, seat_named

KEYS: tuple[str, ...] = (
    "round", "turn", "mayor", "site", "urbanist", "architects", "cities", "taken", "phase", "to_move",
)  # fmt: skip
"""The keys a saved position must have; `colours` and `options` have defaults, other keys are not read. A lone city
(phase allocate or over, no site and no architects) needs `cities` and `phase` only."""
T = TypeVar("T")
_OF_A_MATCH = ("site", "urbanist", "architects", "taken")
_COLOURS = ("red", "yellow", "green", "blue")


def dump(state: State) -> dict[str, Any]:
    """The position as JSON values, seats by name, places counted from 1; `load` gives it back.

    Of cities that were drawn without a match, what a match has around them is left out again.
    """
    table = state.table
    architects = [
        {
            "seat": seat_name(SEATS[(who - 1) // 4]),
            "number": (who - 1) % 4 + 1,
            "side": SIDES[position // SITE],
            "line": position % SITE + 1,
        }
        for position, who in enumerate(state.architects)
        if who
    ]
    whole = {
        "round": state.round,
        "turn": state.turn_number,
        "mayor": seat_name(state.mayor),
        "site": as_json_site(state.site),
        "urbanist": None if state.urbanist < 0 else [state.urbanist // SITE + 1, state.urbanist % SITE + 1],
        "architects": architects,
        "cities": {seat_name(seat): _city_dumped(state.city(seat)) for seat in table.seats},
        "taken": {**as_json_tile(state.taken), "architect": state.by} if state.taken else None,
        "phase": state.phase,
        "to_move": None if state.turn is None else seat_name(state.turn),
        "colours": {seat_name(seat): table.colours[seat] for seat in table.seats},
        "options": {option.name: getattr(table.readings, option.name) for option in OPTIONS},
    }
    return {key: value for key, value in whole.items() if not (table.is_lone and key in _OF_A_MATCH)}


def _city_dumped(city: City) -> dict[str, Any]:
    slots = [
        {
            "floors": [as_json_tile(code) for code in floors],
            "inhabitants": city.people[slot],
            "energy": city.energy[slot],
        }
        if floors
        else None
        for slot, floors in enumerate(city.floors)
    ]
    return {
        "slots": [slots[row : row + 4] for row in range(0, SLOTS, 4)],
        "beside": {"inhabitants": city.people[SLOTS], "energy": city.energy[SLOTS]},
    }


def load(saved: Mapping[str, Any]) -> State:
    """The position that `dump` wrote, or anybody else in the same words. Raises `ImpossibleState` with every fault.

    A lone city is taken as it is drawn: its tiles must be faces of the box, but not of one box together, and its
    pieces need not be those that the tiles brought.
    """
    reader = _Reader(saved)
    state = reader.state()
    if state is None or reader.faults:
        raise ImpossibleState(reader.faults)
    return state


class _Reader:
    """Reads one saved position and gathers its faults as it goes; what cannot be read is left out. `spoilt` names the
    keys that could not be read whole, and cities by seat as in `city-south`."""

    def __init__(self, saved: object) -> None:
        self.saved: Mapping[str, Any] = saved if isinstance(saved, Mapping) else {}
        self.faults: list[Fault] = []
        self.spoilt: set[str] = set()
        self.is_lone = "site" not in self.saved and "architects" not in self.saved
        self.is_lone = self.is_lone and self.saved.get("phase") in (ALLOCATE, OVER)
        if not isinstance(saved, Mapping):
            self.fault("not-a-state", (), f"wanted a state as an object with keys, found {_shown(saved)}: write one")
            return
        for key in ("cities", "phase") if self.is_lone else KEYS:
            if key not in self.saved:
                self.spoilt.add(key)
                self.fault("missing-key", (key,), f"wanted the key {key} in the state, found none: add it")

    def fault(self, code: str, at: tuple[At, ...], text: str) -> None:
        self.faults.append(Fault(code, at, text))

    def state(self) -> State | None:
        lone = self.is_lone
        cities = self._cities()
        seats = [seat for seat in SEATS if cities[seat] is not None]
        colours, readings = self._colours(seats), self._options()
        phase = self._part("phase", self._phase)
        round_, turn_number, mayor = ROUNDS_IN_ALL, None, seats[0] if seats else SEATS[0]
        if not lone or "round" in self.saved:
            round_ = self._part("round", lambda: self._number("round", ROUNDS_IN_ALL))
        if not lone or "turn" in self.saved:
            turn_number = self._part("turn", lambda: self._number("turn", TURNS))
        if not lone or "mayor" in self.saved:
            mayor = self._part("mayor", lambda: self._seat("mayor", seats)) or mayor
        site = bytes(SPACES) if lone else self._part("site", self._site)
        architects = bytes(POSITIONS) if lone else self._part("architects", lambda: self._architects(seats))
        urbanist = self._part("urbanist", self._urbanist)
        taken, by = self._part("taken", self._taken)
        if "phase" in self.spoilt and (any(site) or any(architects)):  # then it can only be one of these
            phase = BUILD if taken else TAKE
            self.spoilt.discard("phase")
        turn = self._part("to_move", lambda: self._turn(seats, mayor, phase))
        state = State(
            round_, mayor, site, architects, urbanist, taken, by, cities, phase, turn, Table(colours, readings, lone)
        )
        if seats:
            self.faults.extend(faults_of(state, turn_number, lone, frozenset(self.spoilt)))
        return state

    def _part(self, key: str, read: Callable[[], T]) -> T:
        """A part of the position; it is noted as spoilt where it could not be read whole, so that nothing else is
        held against it."""
        before = len(self.faults)
        value = read()
        missing = key in KEYS and key not in self.saved and not self.is_lone
        if missing or any(fault.code not in ("too-high", "not-stackable") for fault in self.faults[before:]):
            self.spoilt.add(key)
        return value

    def _phase(self) -> str:
        phase = self.saved.get("phase")
        if phase in PHASES:
            return str(phase)
        if "phase" in self.saved:
            self.fault("bad-phase", ("phase",), f"wanted {', '.join(PHASES)}, found {_shown(phase)}: write one")
        return TAKE

    def _number(self, key: str, most: int) -> int:
        value = self.saved.get(key)
        if _is_count(value) and 1 <= value <= most:  # type: ignore[operator]  # a count is an int
            return int(str(value))
        if key in self.saved:
            self.fault("bad-value", (key,), f"wanted {key} from 1 to {most}, found {_shown(value)}: correct it")
        return 1

    def _seat(self, key: str, seats: list[Seat]) -> Seat | None:
        name = self.saved.get(key)
        if isinstance(name, str) and name in SEAT_NAMES and seat_named(name) in seats:
            return seat_named(name)
        if key in self.saved:
            names = ", ".join(seat_name(seat) for seat in seats)
            self.fault("no-such-seat", (key,), f"wanted a seat with a city ({names}), found {_shown(name)}: name one")
        return None

    def _turn(self, seats: list[Seat], mayor: Seat, phase: str) -> Seat | None:
        name = self.saved.get("to_move")
        if self.is_lone and "to_move" not in self.saved:
            return None if phase == OVER else mayor
        if "phase" in self.spoilt and (name is None or name == "nature"):
            return None if name is None else NATURE
        if name is None or phase == OVER:
            if "to_move" in self.saved and (name is None) != (phase == OVER):
                text = f"wanted to_move null just when the game is over, found {_shown(name)}: correct it"
                self.fault("wrong-turn", ("to_move",), text)
            return None
        if name == "nature" or phase == FILL:
            if (name == "nature") != (phase == FILL):
                text = f"wanted nature to move just when the site is filled, found {_shown(name)}: correct it"
                self.fault("wrong-turn", ("to_move",), text)
            return NATURE
        return self._seat("to_move", seats)

    def _colours(self, seats: list[Seat]) -> tuple[Colour, Colour, Colour, Colour]:
        given = self.saved.get("colours", {})
        if not isinstance(given, Mapping):
            self.fault("bad-value", ("colours",), f"wanted a colour by seat, found {_shown(given)}: write an object")
            given = {}
        colours = [Colour(_COLOURS[seat]) if seat in seats else Colour("") for seat in SEATS]
        for name, colour in given.items():
            if name not in SEAT_NAMES or seat_named(name) not in seats:
                self.fault("no-such-seat", (str(name),), f"wanted a seat with a city, found {name!r:.40}: correct it")
            elif not isinstance(colour, str) or not colour.strip() or not colour.isprintable():
                self.fault("bad-colour", (name,), f"wanted a colour for {name}, found {_shown(colour)}: name it")
            else:
                colours[seat_named(name)] = Colour(colour)
        theirs = [colour for colour in colours if colour]
        if len(set(theirs)) < len(theirs):
            self.fault("same-colour", ("colours",), "wanted a different colour for each seat, found one twice: change")
        return (colours[0], colours[1], colours[2], colours[3])

    def _options(self) -> Readings:
        given = self.saved.get("options", {})
        if not isinstance(given, Mapping):
            self.fault("bad-value", ("options",), f"wanted options by name, found {_shown(given)}: write an object")
            return Readings()
        faults = option_faults((str(name), value) for name, value in given.items())
        self.faults.extend(faults)
        return Readings() if faults else readings_of(tuple(given.items()))

    def _cities(self) -> tuple[City | None, ...]:
        given = self.saved.get("cities", {})
        cities: list[City | None] = [None] * 4
        if not isinstance(given, Mapping):
            self.fault("bad-value", ("cities",), f"wanted cities by seat, found {_shown(given)}: write an object")
            self.spoilt.add("cities")
            return tuple(cities)
        for name, city in given.items():
            if name not in SEAT_NAMES:
                text = f"wanted {', '.join(SEAT_NAMES)}, found {name!r:.40}: correct it"
                self.fault("no-such-seat", (str(name),), text)
                self.spoilt.add("cities")
            else:
                cities[seat_named(name)] = self._part(f"city-{name}", partial(self._city, name, city))
        if "cities" in self.saved and not (1 if self.is_lone else 2) <= len(given) <= 4:
            self.fault("seats", ("cities",), f"wanted two, three or four cities, found {len(given)}: name the seats")
            self.spoilt.add("cities")
        return tuple(cities)

    def _city(self, name: str, given: object) -> City:
        city = given if isinstance(given, Mapping) else {}
        rows = city.get("slots")
        floors: list[bytes] = [b""] * SLOTS
        people, energy = [0] * (SLOTS + 1), [0] * (SLOTS + 1)
        if not isinstance(rows, list) or [len(r) if isinstance(r, list) else 0 for r in rows] != [4] * 4:
            self.fault("bad-city", (name,), f"wanted 4 rows of 4 slots in the city of {name}, found none: write them")
            return City()
        for slot, entry in enumerate(entry for row in rows for entry in row):
            if entry is None:
                continue
            at: tuple[At, ...] = (name, (slot // 4 + 1, slot % 4 + 1))
            where = f"{name}'s slot {slot // 4 + 1},{slot % 4 + 1}"
            if not isinstance(entry, Mapping) or not isinstance(entry.get("floors"), list) or not entry["floors"]:
                text = f"wanted null or a building with floors on {where}, found {_shown(entry)}: correct it"
                self.fault("bad-slot", at, text)
                continue
            floors[slot] = self._floors(at, where, entry["floors"])
            people[slot] = self._count(entry, "inhabitants", at, where, SUPPLY_INHABITANTS)
            energy[slot] = self._count(entry, "energy", at, where, SUPPLY_ENERGY)
        beside = city.get("beside", {})
        if not isinstance(beside, Mapping):
            self.fault("bad-value", (name, "beside"), f"wanted what lies beside {name}'s city, found none: write it")
            beside = {}
        at, where = (name, "beside"), f"the place beside {name}'s city"
        people[SLOTS] = self._count(beside, "inhabitants", at, where, SUPPLY_INHABITANTS)
        energy[SLOTS] = self._count(beside, "energy", at, where, SUPPLY_ENERGY)
        return City(tuple(floors), bytes(people), bytes(energy))

    def _floors(self, at: tuple[At, ...], where: str, given: list[Any]) -> bytes:
        codes = []
        for tile in given:
            code = tile_read(tile)
            if code is None and self.is_lone and isinstance(tile, Mapping):  # the backs do not matter here
                code = tile_read({key: value for key, value in tile.items() if key != "mark"})
            if code is None:
                self.fault("no-such-tile", at, f"wanted a tile of the box on {where}, found {_shown(tile)}: correct it")
            else:
                codes.append(code)
        floors = bytes(codes)
        if len(codes) > 1 and not (is_tower(floors) and all(TYPE[code] == TOWER for code in codes)):
            self.fault("not-stackable", at, f"wanted only residential blocks on each other, found others on {where}")
        elif len(codes) > MOST_FLOORS:
            self.fault("too-high", at, f"wanted four floors at most on {where}, found {len(codes)}: take some off")
        return floors

    def _count(self, given: Mapping[str, Any], key: str, at: tuple[At, ...], where: str, most: int) -> int:
        n = given.get(key, 0)
        if _is_count(n) and n <= most:
            return int(n)
        self.fault("bad-count", at, f"wanted {key} from 0 to {most} on {where}, found {_shown(n)}: correct it")
        return 0

    def _site(self) -> bytes:
        rows = self.saved.get("site", [])
        if not isinstance(rows, list) or [len(r) if isinstance(r, list) else 0 for r in rows] != [SITE] * SITE:
            if "site" in self.saved:
                self.fault("bad-site", ("site",), f"wanted a site of 5 rows of 5, found {_shown(rows)}: write it whole")
            return bytes(SPACES)
        codes = bytearray()
        for space, word in enumerate(word for row in rows for word in row):
            code = EMPTY if word is None else DOWN if word == "down" else tile_read(word)
            if code is None:
                place = (space // SITE + 1, space % SITE + 1)
                where = f"{place[0]},{place[1]}"
                text = f"wanted a tile of the box, null or down at {where}, found {_shown(word)}: correct it"
                self.fault("no-such-tile", ("site", place), text)
            codes.append(code or EMPTY)
        return bytes(codes)

    def _architects(self, seats: list[Seat]) -> bytes:
        given = self.saved.get("architects", [])
        found = bytearray(POSITIONS)
        if not isinstance(given, list):
            self.fault("bad-value", ("architects",), f"wanted a list of architects, found {_shown(given)}: write it")
            return bytes(found)
        for order, entry in enumerate(given, start=1):
            words = entry if isinstance(entry, Mapping) else {}
            seat, number, side, line = (words.get(key) for key in ("seat", "number", "side", "line"))
            known = isinstance(seat, str) and seat in SEAT_NAMES and seat_named(seat) in seats
            if not (known and _is_count(number) and 1 <= int(str(number)) <= 4):
                text = f"wanted an architect 1 to 4 of a seat with a city, found {_shown(entry)}: correct it"
                self.fault("no-such-architect", ("architects", order), text)
                continue
            name = f"{seat}'s architect {number}"
            if not (isinstance(side, str) and side in SIDES and _is_count(line) and 1 <= int(str(line)) <= SITE):
                text = f"wanted a side and a line 1 to 5 for {name}, found {_shown((side, line))}: correct it"
                self.fault("no-such-position", ("architects", order), text)
                continue
            who = 4 * seat_named(str(seat)) + int(str(number))
            position = SIDES.index(side) * SITE + int(str(line)) - 1
            if who in found:
                self.fault("architect-twice", (name,), f"wanted {name} once, found it again: take one away")
            elif found[position]:
                text = f"wanted one architect at {side} {line}, found two: move one"
                self.fault("position-twice", (f"{side} {line}",), text)
            else:
                found[position] = who
        return bytes(found)

    def _urbanist(self) -> int:
        given = self.saved.get("urbanist")
        if given is None:
            return -1
        if isinstance(given, list) and len(given) == 2 and all(_is_count(n) and 1 <= n <= SITE for n in given):
            return int(given[0]) * SITE + int(given[1]) - SITE - 1
        self.fault("bad-urbanist", ("urbanist",), f"wanted null or [row, column], found {_shown(given)}: correct it")
        return -1

    def _taken(self) -> tuple[int, int]:
        given = self.saved.get("taken")
        if given is None:
            return 0, 0
        code, by = tile_read(given), given.get("architect") if isinstance(given, Mapping) else None
        if code is None or not _is_count(by) or not 1 <= int(str(by)) <= 4:
            text = f"wanted null or a tile with the number of its architect, found {_shown(given)}: correct it"
            self.fault("bad-taken", ("taken",), text)
            return 0, 0
        return code, int(str(by))


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _shown(value: object) -> str:
    """A value as it is quoted in a sentence: short."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
