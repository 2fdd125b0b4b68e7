"""What a game needs beside its rules to be spoken with in JSON (see `rules.protocol`)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rules.game import Fault, Move, NotationError, Setup
from rules.words import SEAT_NAMES, Cell, Seat, seat_named


class Speech(Protocol):
    """A game's own words in the line protocol."""

    def setup(self, request: Mapping[str, Any]) -> Setup:
        """The setup that a `new` request asks for. Raises `SetupError` with every fault.

        Options come as JSON values and stand in `Setup.options` as pairs of text, which a match's file keeps
        on one line: a value that is no word (null, a list, an object) as compact JSON, like `["small","large"]`.
        `Game.start` reads them back. Beside a loaded state they go to `Game.load` as JSON values in its `options`.
        """
        ...

    def action(self, move: Move) -> dict[str, Any]:
        """A move as a JSON action."""
        ...

    def move(self, action: Mapping[str, Any], state: Any) -> Move:
        """The move that a JSON action stands for. Raises `NotationError`."""
        ...

    def name(self, cell: Cell) -> Any:
        """A cell as the protocol names it, as a JSON value: a square, a slot, a node."""
        ...

    def as_scored(self, state: Any, best: bool) -> Any:
        """The position that `score` means when it is asked for the best, or for the pieces as they lie.

        A game in which nothing is allocated gives the state back. Without `best` a request scores the
        state itself, and the game's own options say what that means.
        """
        ...

    def draw(self, state: Any, chance: random.Random) -> Move | None:
        """A legal move of `NATURE`, drawn with the randomness given, for play without a real bag.

        None where it is not nature's turn, and in games without one.
        """
        ...

    def part(self, label: str) -> str:
        """The part of the score under which a line of this label counts."""
        ...

    def parts(self) -> Sequence[str]:
        """The parts that a seat's score names even where they are 0, so that nobody has to ask for them."""
        ...

    def options(self) -> Sequence[Mapping[str, Any]]:
        """Each option as an object with `name`, `values` (the allowed ones, or examples where there are too many
        to list), `default` (one of them) and `says`, a sentence."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """What every `new` request says alike. What could not be read is empty, and `faults` tell of it."""

    seats: tuple[Seat, ...]
    colours: Mapping[Seat, str]
    options: Mapping[str, Any]
    faults: tuple[Fault, ...]


def asked(request: Mapping[str, Any]) -> Asked:
    """The seats (the first of them begins), colours by seat and options of a `new` request.

    >>> asked({"seats": ["north", "south"], "colours": {"south": "pink"}}).seats
    (2, 0)
    >>> [fault.code for fault in asked({"seats": ["up"], "options": 3}).faults]
    ['seats', 'options']
    """
    faults: list[Fault] = []
    given = request.get("seats")
    names = given if isinstance(given, list) and all(name in SEAT_NAMES for name in given) else []
    if len(names) not in (2, 3, 4) or len(set(names)) < len(names):
        wanted = f"two, three or four different seats ({', '.join(SEAT_NAMES)})"
        faults.append(Fault("seats", (), f"wanted {wanted}, found {given!r:.60}: name them"))
        names = []
    colours = request.get("colours", {})
    if not isinstance(colours, Mapping) or any(
        name not in SEAT_NAMES or not isinstance(colour, str) for name, colour in colours.items()
    ):
        text = f"wanted a colour by seat, found {colours!r:.60}: write it like south: red"
        faults.append(Fault("colours", (), text))
        colours = {}
    options = request.get("options", {})
    if not isinstance(options, Mapping):
        faults.append(Fault("options", (), f"wanted options by name, found {options!r:.60}: write an object"))
        options = {}
    named = {seat_named(name): colour for name, colour in colours.items()}
    return Asked(tuple(map(seat_named, names)), named, options, tuple(faults))


def seat_in(action: Mapping[str, Any], otherwise: Seat, others: tuple[str, ...] = ()) -> Seat:
    """The seat that an action names, or `otherwise` if it names none; `others` may be named too (`nature`).

    Raises `NotationError`.
    """
    name = action.get("seat")
    if name is None:
        return otherwise
    if not isinstance(name, str) or name not in (*SEAT_NAMES, *others):
        raise NotationError(f"wanted a seat ({', '.join(SEAT_NAMES)}), found {name!r:.40}: name one of them")
    return seat_named(name)
