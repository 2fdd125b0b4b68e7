"""Reads a position out of JSON values and gathers its faults as it goes; what cannot be read is left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rules.game import At, Fault
from rules.gridopolis.building import built_faults, count_faults, ends_of
from rules.gridopolis.checking import faults_of
from rules.gridopolis.grids import BLOCKER, KINGERIZER, PLAIN, TELEPORTER, grid_of
from rules.gridopolis.nodes import FARTHEST, SIDES, Link, link_between, place_of
from rules.gridopolis.readings import MOST_TURNS, Readings, node_read, option_faults, readings_of
from rules.gridopolis.state import (
    CROWNED,
    MOVED,
    RANKS,
    RESERVE,
    START_RESERVE,
    Colours,
    State,
    Table,
)
from rules.words import SEAT_NAMES, SEATS, Colour, Seat, seat_name, seat_named

KEYS: tuple[str, ...] = (
    "pads", "links", "posts", "markers", "colours", "reserve", "captured", "moved", "moves_left", "mover", "turns",
    "to_move",
)  # fmt: skip
"""The keys a saved position must have; `options` and `won_by` have defaults, other keys are not read."""
_PARTS = {None: PLAIN, "teleporter": TELEPORTER, "blocker": BLOCKER}


class Reader:
    """One saved position. `faults` is filled by `state`; `spoilt` names the keys that could not be read whole, of
    which nothing else is asked; `owners` and `ranks` of markers, `parts` of pads and the option `ending` are told apart
    from the keys that hold them. `marked` has every node that a marker is listed with."""

    def __init__(self, saved: object) -> None:
        self.saved: Mapping[str, Any] = saved if isinstance(saved, Mapping) else {}
        self.faults: list[Fault] = []
        self.spoilt: set[str] = set()
        self.marked: set[int] = set()
        if not isinstance(saved, Mapping):
            self.fault("not-a-state", (), f"wanted a state as an object with keys, found {shown(saved)}: write one")
            return
        for key in KEYS:
            if key not in self.saved:
                self.spoil(key, "missing-key", (key,), f"wanted the key {key} in the state, found none: add it")

    def fault(self, code: str, at: tuple[At, ...], text: str) -> None:
        self.faults.append(Fault(code, at, text))

    def spoil(self, key: str, code: str, at: tuple[At, ...], text: str) -> None:
        """Notes a fault and that nothing more can be asked of this key."""
        self.spoilt.add(key)
        self.fault(code, at, text)

    def state(self) -> State:
        colours, readings = self._colours(), self._options()
        parts = self._pads(colours)
        links, posts = self._links("links"), self._links("posts")
        markers = self._markers(colours)
        reserve, captured = self._reserve(colours), self._captured(colours)
        turns = self._turns(colours)
        self._moved(markers)
        mover = self._mover(markers)
        turn, won = self._seat("to_move", colours), self._seat("won_by", colours)
        if self.spoilt.isdisjoint(("pads", "links", "posts")):
            self.faults.extend(built_faults(parts, links, posts))
        self.faults.extend(count_faults(parts, links, posts, reserve, len(markers)))
        state = State(
            grid_of(parts, links, posts),
            tuple(sorted(markers.items())),
            reserve,
            captured,
            (turns[0], turns[1], turns[2], turns[3]),
            mover,
            turn,
            won,
            Table(colours, readings),
        )
        self.faults.extend(faults_of(state, frozenset(self.spoilt)))
        return state

    def _entries(self, key: str) -> Iterator[tuple[int, Any]]:
        given = self.saved.get(key, [])
        if isinstance(given, list):
            yield from enumerate(given, start=1)
        else:
            self.spoil(key, "bad-value", (key,), f"wanted a list of {key}, found {shown(given)}: write one")

    def _by_seat(self, key: str, colours: Colours) -> Iterator[tuple[Seat, Any]]:
        """What a key has for each seat in play; a seat that is missing or is none is a fault."""
        given = self.saved.get(key, {})
        if not isinstance(given, Mapping):
            self.spoil(key, "bad-value", (key,), f"wanted {key} by seat, found {shown(given)}: write an object")
            return
        for name in given:
            if name not in SEAT_NAMES or ("colours" not in self.spoilt and not colours[seat_named(name)]):
                text = f"wanted seats in play in {key}, found {shown(name)}: take it away"
                self.spoil(key, "no-such-seat", (key, str(name)), text)
        for seat in SEATS:
            if colours[seat] and seat_name(seat) in given:
                yield seat, given[seat_name(seat)]
            elif colours[seat] and key in self.saved:
                text = f"wanted {key} of {seat_name(seat)}, found none: add them"
                self.spoil(key, "missing-key", (key, seat_name(seat)), text)

    def _colours(self) -> Colours:
        given = self.saved.get("colours", {})
        found = [Colour("")] * 4
        if not isinstance(given, Mapping):
            text = f"wanted a colour by seat, found {shown(given)}: write an object"
            self.spoil("colours", "bad-value", ("colours",), text)
            given = {}
        for name, colour in given.items():
            if name not in SEAT_NAMES:
                text = f"wanted a seat ({', '.join(SEAT_NAMES)}), found {shown(name)}: name one of them"
                self.spoil("colours", "no-such-seat", ("colours", str(name)), text)
            elif not isinstance(colour, str) or not colour.strip() or not colour.isprintable():
                text = f"wanted a colour for {name}, found {shown(colour)}: name it"
                self.spoil("colours", "bad-colour", ("colours", name), text)
            else:
                found[seat_named(name)] = Colour(colour)
        theirs = [colour for colour in found if colour]
        if "colours" not in self.spoilt and not 2 <= len(theirs) <= 4:
            text = f"wanted two, three or four seats with a colour, found {len(theirs)}: name the seats in play"
            self.spoil("colours", "seats", ("colours",), text)
        for colour in sorted({colour for colour in theirs if theirs.count(colour) > 1}):
            at = tuple(seat_name(seat) for seat in SEATS if found[seat] == colour)
            text = f"wanted a different colour for each seat, found {colour} at {' and '.join(at)}: change one"
            self.spoil("colours", "same-colour", at, text)
        return (found[0], found[1], found[2], found[3])

    def _options(self) -> Readings:
        given = self.saved.get("options", {})
        if not isinstance(given, Mapping):
            self.fault("bad-value", ("options",), f"wanted options by name, found {shown(given)}: write an object")
            return Readings()
        faults = option_faults((str(name), value) for name, value in given.items())
        self.faults.extend(faults)
        bad = {fault.at[0] for fault in faults}
        self.spoilt |= {"ending"} & bad
        return readings_of((name, value) for name, value in given.items() if name not in bad)

    def _node(self, key: str, number: int, value: object) -> int | None:
        node = node_read(value)
        if node is not None:
            return node
        wanted = f"wanted a node [x, y, z] of whole numbers from {-FARTHEST} to {FARTHEST}"
        self.spoil(key, "bad-node", (key, number), f"{wanted} in {key}, entry {number}, found {shown(value)}: name one")
        return None

    def _of_colour(self, spoils: str, key: str, at: tuple[At, ...], value: object, colours: Colours) -> Seat | None:
        if isinstance(value, str) and value and value in colours:
            return SEATS[colours.index(Colour(value))]
        if "colours" not in self.spoilt:
            wanted = ", ".join(colour for colour in colours if colour)
            text = f"wanted the colour of a seat in play ({wanted}) in {key}, found {shown(value)}: correct it"
            self.spoil(spoils, "no-such-colour", at, text)
        return None

    def _pads(self, colours: Colours) -> dict[int, int]:
        parts: dict[int, int] = {}
        for number, entry in self._entries("pads"):
            pad = entry if isinstance(entry, Mapping) else {}
            node = self._node("pads", number, pad.get("node"))
            if node is None:
                continue
            at: tuple[At, ...] = (place_of(node),)
            part = pad.get("part")
            code: int = PLAIN
            if part == "kingerizer":
                seat = self._of_colour("parts", "pads", at, pad.get("colour"), colours)
                code = PLAIN if seat is None else KINGERIZER + seat
            elif part is None or (isinstance(part, str) and part in _PARTS):
                code = _PARTS[part]
            else:
                text = f"wanted null, teleporter, blocker or kingerizer on {at[0]}, found {shown(part)}: correct it"
                self.spoil("parts", "bad-part", at, text)
            if node in parts:
                self.fault("pad-twice", at, f"wanted one pad at {at[0]}, found another: take one away")
            else:
                parts[node] = code
        if not parts and "pads" not in self.spoilt:
            self.spoil("pads", "no-pads", ("pads",), "wanted a grid-set with pads, found none: add them")
        return parts

    def _links(self, key: str) -> frozenset[Link]:
        found: set[Link] = set()
        for number, entry in self._entries(key):
            ends = entry if isinstance(entry, list) and len(entry) == 2 else [None, None]
            nodes = [node for node in map(node_read, ends) if node is not None]
            if len(nodes) < 2:
                text = f"wanted two nodes in {key}, entry {number}, found {shown(entry)}: name both ends"
                self.spoil(key, "bad-link", (key, number), text)
                continue
            link = link_between(nodes[0], nodes[1])
            if nodes[1] - nodes[0] not in SIDES:
                text = f"wanted two nodes beside each other on one storey in {key}, found {ends_of(link)}: correct it"
                self.fault("bad-link", ends_of(link), text)
            elif link in found:
                code, what = ("link-twice", "link") if key == "links" else ("post-twice", "post")
                self.fault(code, ends_of(link), f"wanted one {what} at {ends_of(link)}, found two: take one away")
            found.add(link)
        return frozenset(link for link in found if link[1] - link[0] in SIDES)

    def _rank(self, spoils: str, key: str, at: tuple[At, ...], value: object) -> int:
        if isinstance(value, str) and value in RANKS:
            return RANKS.index(value)
        self.spoil(spoils, "bad-rank", at, f"wanted pawn or king in {key}, found {shown(value)}: write one")
        return 0

    def _markers(self, colours: Colours) -> dict[int, int]:
        found: dict[int, int] = {}
        for number, entry in self._entries("markers"):
            marker = entry if isinstance(entry, Mapping) else {}
            node = self._node("markers", number, marker.get("node"))
            if node is None:
                continue
            at: tuple[At, ...] = (place_of(node),)
            seat = self._of_colour("owners", "markers", at, marker.get("colour"), colours)
            rank = self._rank("ranks", "markers", at, marker.get("rank"))
            if node in self.marked:
                self.fault("markers-on-one-pad", at, f"wanted one marker on {at[0]}, found two: move one")
            elif seat is not None:
                found[node] = 4 * seat + CROWNED * rank
            self.marked.add(node)
        return found

    def _reserve(self, colours: Colours) -> bytes:
        found = bytearray(16)
        for seat, given in self._by_seat("reserve", colours):
            for place, kind in enumerate(RESERVE):
                count = given.get(kind) if isinstance(given, Mapping) else None
                most = START_RESERVE[place]
                if is_number(count) and 0 <= count <= most:  # type: ignore[operator]  # a number
                    found[4 * seat + place] = int(str(count))
                else:
                    text = f"wanted {kind} from 0 to {most} in the reserve of {seat_name(seat)}, found {shown(count)}"
                    self.spoil("reserve", "bad-count", ("reserve", seat_name(seat), kind), text + ": correct it")
        return bytes(found)

    def _captured(self, colours: Colours) -> bytes:
        found = [0] * 32
        for seat, given in self._by_seat("captured", colours):
            at: tuple[At, ...] = ("captured", seat_name(seat))
            if not isinstance(given, list):
                text = f"wanted a list of the markers that {seat_name(seat)} captured, found {shown(given)}: write one"
                self.spoil("captured", "bad-value", at, text)
                continue
            for number, entry in enumerate(given, start=1):
                marker = entry if isinstance(entry, Mapping) else {}
                other = self._of_colour("captured", "captured", (*at, number), marker.get("colour"), colours)
                rank = self._rank("captured", "captured", (*at, number), marker.get("rank"))
                if other == seat:
                    text = f"wanted markers of others in what {seat_name(seat)} captured, found its own: take them away"
                    self.fault("own-captured", (*at, number), text)
                elif other is not None:
                    found[8 * seat + 2 * other + rank] += 1
        return bytes(min(count, 255) for count in found)

    def _turns(self, colours: Colours) -> list[int]:
        found = [0] * 4
        for seat, given in self._by_seat("turns", colours):
            if is_number(given) and 0 <= given <= MOST_TURNS**2:
                found[seat] = given
            else:
                text = f"wanted the turns that {seat_name(seat)} has taken, 0 or more, found {shown(given)}: correct it"
                self.spoil("turns", "bad-count", ("turns", seat_name(seat)), text)
        return found

    def _moved(self, markers: dict[int, int]) -> None:
        for number, entry in self._entries("moved"):
            node = self._node("moved", number, entry)
            if node is None:
                continue
            at: tuple[At, ...] = (place_of(node),)
            if node in markers:
                if markers[node] & MOVED:
                    self.fault("moved-twice", at, f"wanted {at[0]} once in moved, found it twice: take one away")
                markers[node] |= MOVED
            elif node not in self.marked and "markers" not in self.spoilt:
                text = f"wanted in moved only nodes with a marker, found {at[0]} without: take it away"
                self.fault("no-marker-there", at, text)

    def _mover(self, markers: dict[int, int]) -> int:
        left, given = self.saved.get("moves_left"), self.saved.get("mover")
        if "moves_left" in self.saved and not (is_number(left) and left in (1, 2)):
            text = f"wanted moves_left to be 1 or 2, found {shown(left)}: write one"
            self.spoil("moves_left", "bad-value", ("moves_left",), text)
        node = None if given is None else self._node("mover", 1, given)
        if self.spoilt.isdisjoint(("moves_left", "mover")) and (left == 1) != (node is not None):
            text = f"wanted a mover just when moves_left is 1, found {shown(given)} with {left}: correct one"
            self.spoil("mover", "wrong-mover", ("mover",), text)
        return 0 if node is None or "mover" in self.spoilt else node

    def _seat(self, key: str, colours: Colours) -> Seat | None:
        name = self.saved.get(key)
        if name is None:
            return None
        if isinstance(name, str) and name in SEAT_NAMES and ("colours" in self.spoilt or colours[seat_named(name)]):
            return seat_named(name)
        names = ", ".join(seat_name(seat) for seat in SEATS if colours[seat])
        self.spoil(key, "no-such-seat", (key,), f"wanted a seat in play ({names}), found {shown(name)}: name one")
        return None


def is_number(value: object) -> bool:
    """Whether a JSON value is a whole number; true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def shown(value: object) -> str:
    """A value as it is quoted in a sentence: short."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
