"""The readings of the rulebook that a table may choose (B1, B2, B6, B10, B16, B19 and the size of a set)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from rules.game import Fault, Option
from rules.words import SEAT_NAMES

OPTIONS: tuple[Option, ...] = (
    Option(
        "upright",
        ("counts", "skipped", "blocks"),
        "A standing piece in the path of a drop: it uses up one of the pieces turned, is passed over free, "
        "or ends the path.",
    ),
    Option(
        "gaps",
        ("skip", "stop", "count"),
        "An empty square in the path of a drop: it is passed over free, ends the path, or uses up one of the "
        "pieces turned.",
    ),
    Option(
        "chain",
        ("column", "group"),
        "What scores as a chain: an unbroken run in the line of pointing, or any group joined edge to edge.",
    ),
    Option(
        "empty_holder",
        ("keep", "may_pass"),
        "Who holds the Mystery Machine and has no piece left: is passed over and keeps it, or may pass it on.",
    ),
    Option(
        "drop_starter",
        ("continue", "first"),
        "Who drops first: the seat after the last one that placed, or the seat that placed first.",
    ),
    Option(
        "tie",
        ("shared", "longest_chain"),
        "Equal totals: a shared win, or the longest chain decides, then the next longest, and so on.",
    ),
    Option(
        "per_size",
        ("5", "3", "1", "2", "4", "6", "7"),
        "Pyramids of each size a seat has: 5 the full game, 3 the short one, or any number that fits the board "
        "(6 and 7 with three sides only).",
    ),
    Option("van", ("", *SEAT_NAMES), "Where the Mystery Machine starts; if not named, at the seat after the first."),
)
"""In the order of the protocol. `van` belongs to the setup alone: it is no part of a position's readings."""


@dataclass(frozen=True, slots=True)
class Readings:
    """The chosen readings, each already known to be allowed."""

    upright: str = "counts"
    gaps: str = "skip"
    chain: str = "column"
    empty_holder: str = "keep"
    drop_starter: str = "continue"
    tie: str = "shared"
    per_size: int = 5


def largest_set(sides: int) -> int:
    """The largest `per_size` with which the pieces of so many sides fit on 64 squares.

    >>> largest_set(4), largest_set(3)
    (5, 7)
    """
    return 64 // (3 * sides)


def option_faults(options: Iterable[tuple[str, str]], sides: int, seats: Iterable[str] = SEAT_NAMES) -> list[Fault]:
    """Everything wrong with these options at a table with so many sides, the sides in play being `seats`.

    >>> [fault.at for fault in option_faults([("gap", "skip"), ("tie", "none")], 4)]
    [('gap',), ('tie',)]
    """
    known = {option.name: option for option in OPTIONS}
    faults: list[Fault] = []
    seen: set[str] = set()
    for name, value in options:
        if name in seen:
            faults.append(Fault("option-twice", (name,), f"option {name} is given twice: give it once"))
        seen.add(name)
        if name not in known:
            faults.append(
                Fault("unknown-option", (name,), f"wanted an option ({', '.join(known)}), found {name!r}: correct it")
            )
        elif name == "per_size":
            most = largest_set(max(sides, 1))
            if not (value.isascii() and value.isdigit() and len(value) < 3 and 1 <= int(value) <= most):
                text = f"wanted per_size from 1 to {most} with {sides} sides, found {value!r}: choose one that fits"
                faults.append(Fault("bad-option", (name,), text))
        elif name == "van":
            if value and value not in tuple(seats):
                text = f"wanted van at a side in play ({', '.join(seats)}), found {value!r}: name one of them"
                faults.append(Fault("bad-option", (name,), text))
        elif value not in known[name].values:
            text = f"wanted {name} to be {' or '.join(known[name].values)}, found {value!r}: choose one"
            faults.append(Fault("bad-option", (name,), text))
    return faults


@lru_cache(maxsize=256)
def readings_of(options: tuple[tuple[str, str], ...]) -> Readings:
    """The readings that checked options stand for; what is not named has its default.

    >>> readings_of((("gaps", "stop"), ("per_size", "3"))).per_size
    3
    """
    chosen = {name: value for name, value in options if name not in ("per_size", "van")}
    return Readings(**chosen, per_size=int(dict(options).get("per_size", "5")))
