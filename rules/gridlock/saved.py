"""A position as JSON values, and back: what cannot be is refused with all its faults at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from rules.game import Fault, ImpossibleState
from rules.gridlock.moves import can_act, has_pieces
from rules.gridlock.readings import OPTIONS, option_faults, readings_of
from rules.gridlock.state import (
    DROP,
    INDEX_NAMED,
    LIE,
    NAMES,
    OVER,
    OWNER,
    PHASES,
    PLACEMENT,
    SIZE,
    SIZES,
    SQUARES,
    State,
    Table,
    code_of,
    player_faults,
)
from rules.words import SEAT_NAMES, SEATS, Colour, Seat, seat_name, seat_named

FACING_NAMES: tuple[str, ...] = ("north", "east", "south", "west")
T = TypeVar("T")
KEYS: tuple[str, ...] = ("colours", "pieces", "hands", "van", "just_handed", "first", "phase", "to_move")
"""The keys a saved position must have; `players` and `options` have defaults, other keys are not read."""


def dump(state: State) -> dict[str, Any]:
    """The position as JSON values, seats and squares by name; `load` gives it back."""
    table = state.table
    return {
        "colours": {seat_name(seat): [table.colours[seat]] for seat in table.seats},
        "players": [[seat_name(seat) for seat in player] for player in table.players],
        "pieces": [
            {
                "square": NAMES[i],
                "colour": table.colours[OWNER[code]],
                "size": SIZES[SIZE[code]],
                "facing": FACING_NAMES[LIE[code] - 1] if LIE[code] else "up",
            }
            for i, code in enumerate(state.board)
            if code
        ],
        "hands": {table.colours[seat]: dict(zip(SIZES, state.hands[seat], strict=True)) for seat in table.seats},
        "van": seat_name(state.van),
        "just_handed": state.just_handed,
        "first": seat_name(table.first),
        "phase": state.phase,
        "to_move": None if state.turn is None else seat_name(state.turn),
        "options": options_of(state),
    }


def options_of(state: State) -> dict[str, str | int]:
    """The readings by name. `per_size` is left out where pieces are missing from the set (a position
    that was loaded to try a reading on), so that the position can be loaded again."""
    readings = state.table.readings
    options: dict[str, str | int] = {
        option.name: getattr(readings, option.name) for option in OPTIONS if option.name != "van"
    }
    if _counts(state.board, state.hands) != _whole_set(state.table):
        del options["per_size"]
    return options


def _counts(board: bytes, hands: tuple[tuple[int, int, int], ...]) -> list[list[int]]:
    """By seat and size: how many pieces there are, on the board and in hand."""
    counts = [list(hand) for hand in hands]
    for code in board:
        if code:
            counts[OWNER[code]][SIZE[code]] += 1
    return counts


def _whole_set(table: Table) -> list[list[int]]:
    return [[table.readings.per_size] * 3 if table.colours[seat] else [0, 0, 0] for seat in SEATS]


def load(saved: Mapping[str, Any]) -> State:
    """The position that `dump` wrote, or anybody else in the same words.

    A position whose options name `per_size` must have the whole set, on the board and in hand. One that
    does not may lack pieces, as a lone position to try a reading on does, but may have none too many.

    Raises `ImpossibleState` with every fault found.
    """
    reader = _Reader(saved)
    state = reader.state()
    if reader.faults:
        raise ImpossibleState(reader.faults)
    return state


class _Reader:
    """Reads one saved position and gathers its faults as it goes; what cannot be read is left out, and `spoilt` names
    the keys of which nothing else is asked. `there` counts the pieces listed, by seat and size, wherever they are."""

    def __init__(self, saved: object) -> None:
        self.saved: Mapping[str, Any] = saved if isinstance(saved, Mapping) else {}
        self.faults: list[Fault] = []
        self.spoilt: set[str] = set()
        self.there = [[0, 0, 0] for _ in SEATS]
        if not isinstance(saved, Mapping):
            self.fault("not-a-state", (), f"wanted a state as an object with keys, found {_shown(saved)}: write one")
            return
        for key in KEYS:
            if key not in self.saved:
                self.spoilt |= {key, "there"} if key == "pieces" else {key}
                self.fault("missing-key", (key,), f"wanted the key {key} in the state, found none: add it")

    def fault(self, code: str, at: tuple[str, ...], text: str) -> None:
        self.faults.append(Fault(code, at, text))

    def state(self) -> State:
        colours = self._part("colours", self._colours)
        seats = [seat for seat in SEATS if colours[seat]]
        players = self._part("players", lambda: self._players(seats))
        options = self._options(len(seats), seats)
        first = self._part("first", lambda: self._seat("first", seats))
        van = self._part("van", lambda: self._seat("van", seats))
        just_handed = self._part("just_handed", self._just_handed)
        board = self._part("pieces", lambda: self._board(colours))
        hands = self._part("hands", lambda: self._hands(colours))
        phase = self._part("phase", self._phase)
        to_move = self._part("to_move", lambda: self._to_move(seats))
        table = Table(colours, players, SEATS[0] if first is None else first, readings_of(options))
        state = State(board, hands, SEATS[0] if van is None else van, just_handed, phase, to_move, table)
        if self.saved and self._is_whole("per_size"):
            self._check_set(table, hands, "per_size" in dict(options))
        if self.saved:
            self._check_turn(state, self._check_phase(state))
        return state

    def _part(self, key: str, read: Callable[[], T]) -> T:
        """A part of the position; spoilt where it could not be read whole."""
        before = len(self.faults)
        value = read()
        if len(self.faults) > before:
            self.spoilt.add(key)
        return value

    def _is_whole(self, *keys: str) -> bool:
        return self.spoilt.isdisjoint(keys)

    def _just_handed(self) -> bool:
        value = self.saved.get("just_handed", False)
        if not isinstance(value, bool):
            self.fault("bad-value", ("just_handed",), f"wanted true or false, found {_shown(value)}: write one")
        return value is True

    def _phase(self) -> str:
        phase = self.saved.get("phase")
        if phase in PHASES:
            return str(phase)
        if "phase" in self.saved:
            self.fault("bad-phase", ("phase",), f"wanted {', '.join(PHASES)}, found {_shown(phase)}: write one")
        return PLACEMENT

    def _colours(self) -> tuple[Colour, Colour, Colour, Colour]:
        given = self.saved.get("colours", {})
        colours = [Colour("")] * 4
        if not isinstance(given, Mapping):
            self.fault("bad-value", ("colours",), f"wanted colours by seat, found {_shown(given)}: write an object")
            given = {}
        for name, theirs in given.items():
            if name not in SEAT_NAMES:
                self.fault("no-such-seat", (str(name),), f"wanted {', '.join(SEAT_NAMES)}, found {name!r}: correct it")
            elif not (isinstance(theirs, list | tuple) and len(theirs) == 1 and _is_word(theirs[0])):
                text = f'wanted one colour in a list for {name}, found {_shown(theirs)}: write it like ["red"]'
                self.fault("bad-colour", (name,), text)
            elif theirs[0] in colours:
                text = f"wanted a colour of its own for {name}, found {theirs[0]} again: change one"
                self.fault("same-colour", (name,), text)
            else:
                colours[seat_named(name)] = Colour(theirs[0])
        if "colours" in self.saved and len(given) not in (3, 4):
            self.fault("sides", ("colours",), f"wanted three or four sides, found {len(given)}: name the sides in play")
        return (colours[0], colours[1], colours[2], colours[3])

    def _players(self, seats: list[Seat]) -> tuple[tuple[Seat, ...], ...]:
        given = self.saved.get("players")
        if given is None:
            return tuple((seat,) for seat in seats)
        ok = isinstance(given, list | tuple) and all(
            isinstance(player, list | tuple) and all(name in SEAT_NAMES for name in player) for player in given
        )
        if not ok:
            self.fault("players", ("players",), f"wanted lists of seats, found {_shown(given)}: write them by name")
            return ()
        players = tuple(tuple(seat_named(name) for name in player) for player in given)
        if self._is_whole("colours"):
            self.faults.extend(player_faults(seats, players))
        return players

    def _options(self, sides: int, seats: list[Seat]) -> tuple[tuple[str, str], ...]:
        """The options that can be read; the names of the others are spoilt."""
        given = self.saved.get("options", {})
        if not isinstance(given, Mapping):
            self.fault("bad-value", ("options",), f"wanted options by name, found {_shown(given)}: write an object")
            self.spoilt |= {"per_size", "empty_holder"}
            return ()
        options, faults = options_read(given, sides, [seat_name(seat) for seat in seats])
        self.faults.extend(faults)
        bad = {str(fault.at[0]) for fault in faults}
        self.spoilt |= bad
        return tuple((name, value) for name, value in options if name != "van" and name not in bad)

    def _seat(self, key: str, seats: list[Seat]) -> Seat | None:
        name = self.saved.get(key)
        if name in SEAT_NAMES and seat_named(str(name)) in seats:
            return seat_named(str(name))
        if key in self.saved:
            names = ", ".join(seat_name(seat) for seat in seats)
            self.fault("no-such-seat", (key,), f"wanted a side in play ({names}), found {_shown(name)}: name one")
        return None

    def _to_move(self, seats: list[Seat]) -> Seat | None:
        return None if self.saved.get("to_move") is None else self._seat("to_move", seats)

    def _board(self, colours: tuple[Colour, ...]) -> bytes:
        board = bytearray(SQUARES)
        given = self.saved.get("pieces", [])
        if not isinstance(given, list | tuple):
            self.fault("bad-value", ("pieces",), f"wanted a list of pieces, found {_shown(given)}: write a list")
            self.spoilt.add("there")
            return bytes(board)
        for number, entry in enumerate(given, start=1):
            piece = entry if isinstance(entry, Mapping) else {}
            square, colour, size, facing = (piece.get(k) for k in ("square", "colour", "size", "facing"))
            known = isinstance(square, str) and square in INDEX_NAMED
            at = (str(square),) if known else (f"piece {number}",)
            before = len(self.faults)
            if not known:
                self.fault("no-such-square", at, f"wanted a square from a1 to h8, found {_shown(square)}: correct it")
            elif board[INDEX_NAMED[str(square)]]:
                self.fault("square-twice", at, f"wanted one piece at {square}, found two: take one away")
            if not _is_word(colour) or (colour not in colours and self._is_whole("colours")):
                self.fault("no-such-colour", at, f"wanted a colour in play, found {_shown(colour)}: correct it")
            if size not in SIZES:
                self.fault("no-such-size", at, f"wanted {', '.join(SIZES)}, found {_shown(size)}: correct it")
            if facing != "up" and facing not in FACING_NAMES:
                wanted = ", ".join(("up", *FACING_NAMES))
                self.fault("no-such-facing", at, f"wanted {wanted}, found {_shown(facing)}: correct it")
            elif facing != "up" and not colours[FACING_NAMES.index(facing)] and self._is_whole("colours"):
                text = f"wanted a piece pointing away from a side in play, found {facing} at {at[0]}: turn it"
                self.fault("facing-nobody", at, text)
            if not (colour in colours and size in SIZES and colour):
                self.spoilt.add("there")
                continue
            owner = colours.index(Colour(colour))
            self.there[owner][SIZES.index(size)] += 1
            if len(self.faults) == before:
                lie = None if facing == "up" else FACING_NAMES.index(str(facing))
                board[INDEX_NAMED[str(square)]] = code_of(owner, SIZES.index(size), lie)
        return bytes(board)

    def _hands(self, colours: tuple[Colour, ...]) -> tuple[tuple[int, int, int], ...]:
        hands = [[0, 0, 0] for _ in SEATS]
        given = self.saved.get("hands", {})
        if not isinstance(given, Mapping):
            self.fault("bad-value", ("hands",), f"wanted pieces by colour, found {_shown(given)}: write an object")
            given = {}
        for colour, sizes in given.items():
            if colour not in colours and not self._is_whole("colours"):
                continue
            if not colour or colour not in colours:
                self.fault("no-such-colour", (str(colour),), f"wanted a colour in play, found {colour!r}: correct it")
                continue
            for size, n in (sizes if isinstance(sizes, Mapping) else {"?": sizes}).items():
                if size not in SIZES:
                    self.fault("no-such-size", (colour,), f"wanted {', '.join(SIZES)}, found {size!r}: correct it")
                elif isinstance(n, bool) or not isinstance(n, int) or n < 0:
                    self.fault("bad-count", (colour,), f"wanted a count from 0 up, found {_shown(n)}: correct it")
                else:
                    hands[colours.index(colour)][SIZES.index(size)] = n
        return tuple((hand[0], hand[1], hand[2]) for hand in hands)

    def _check_set(self, table: Table, hands: tuple[tuple[int, int, int], ...], exact: bool) -> None:
        """No seat has pieces too many; nor, with `exact`, too few, which is asked only where all could be read."""
        n = table.readings.per_size
        exact = exact and self._is_whole("colours", "there", "hands")
        for seat in table.seats:
            for size, count in zip(SIZES, map(int.__add__, self.there[seat], hands[seat]), strict=True):
                if count > n or (exact and count < n):
                    which = f"{table.colours[seat]} {size}"
                    text = f"wanted {n} {which} pieces on the board and in hand, found {count}: correct the count"
                    self.fault("too-many" if count > n else "too-few", (table.colours[seat],), text)

    def _check_phase(self, state: State) -> str | None:
        """The phase that the pieces in hand and those standing tell of; None if some that could tell were not read."""
        lying = tuple(NAMES[i] for i, code in enumerate(state.board) if code and LIE[code])
        standing = any(code and not LIE[code] for code in state.board)
        in_hand = any(any(hand) for hand in state.hands)
        if in_hand and lying:
            text = "wanted all pieces upright while some are still in hand, found lying ones: stand them up"
            self.fault("lying-in-placement", lying, text)
        proper = PLACEMENT if in_hand else DROP if standing else OVER
        if not self._is_whole("colours", *(() if in_hand else ("hands",) if standing else ("hands", "pieces"))):
            return None
        if self._is_whole("phase") and state.phase != proper:
            text = f"wanted the phase {proper} with these pieces in hand and standing, found {state.phase}: correct one"
            self.fault("wrong-phase", ("phase",), text)
        return proper

    def _check_turn(self, state: State, proper: str | None) -> None:
        """Whether the seat to move can act, in the phase as it was saved or else in the `proper` one."""
        table, turn = state.table, state.turn
        phase = state.phase if self._is_whole("phase") else proper
        if phase is None or not self._is_whole("to_move"):
            return
        if (turn is None) != (phase == OVER):
            found = "null" if turn is None else seat_name(turn)
            text = f"wanted to_move null just when the game is over, found {found}: correct it"
            self.fault("wrong-turn", ("to_move",), text)
            return
        counted = "hands" if phase == PLACEMENT else "pieces"
        if turn is None or phase != proper or not self._is_whole("colours", counted):
            return
        if not has_pieces(state.board, state.hands, phase, turn) and not (
            not self._is_whole("van", "empty_holder")
            or can_act(table, state.board, state.hands, state.van, phase, turn)
        ):
            text = f"wanted a seat that can act, found {seat_name(turn)} with nothing to play: name another"
            self.fault("wrong-turn", ("to_move",), text)
        elif (
            self._is_whole("van", "just_handed")
            and phase == PLACEMENT
            and state.just_handed
            and turn != state.van
            and has_pieces(state.board, state.hands, phase, state.van)
        ):
            text = (
                f"wanted {seat_name(state.van)} to act, who was just handed the Mystery Machine, "
                f"found {seat_name(turn)}: correct to_move or just_handed"
            )
            self.fault("wrong-turn", ("to_move",), text)


def options_read(
    given: Mapping[str, Any], sides: int, seats: list[str]
) -> tuple[tuple[tuple[str, str], ...], list[Fault]]:
    """Options from JSON as pairs of text, and what is wrong with them. A whole number may be given as such."""
    options: list[tuple[str, str]] = []
    faults: list[Fault] = []
    for name, value in given.items():
        if value is None and name == "van":  # not named: the seat after the first
            continue
        if isinstance(value, bool) or not isinstance(value, str | int):
            text = f"wanted a word or a number for {name}, found {_shown(value)}: write one"
            faults.append(Fault("bad-option", (str(name),), text))
        else:
            options.append((str(name), str(value)))
    faults.extend(option_faults(options, sides, seats))
    return tuple(options), faults


def _is_word(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _shown(value: object) -> str:
    """A value as it is quoted in a sentence: short."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
