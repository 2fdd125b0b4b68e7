"""The readings of the rulebook that a table may choose (A1, A4, A8, A11)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from rules.game import Fault, Option

OPTIONS: tuple[Option, ...] = (
    Option(
        "harbours",
        ("best_line", "row_plus_column"),
        "What harbours score: the one longest line of them in a row or column, or the longest in a row and the "
        "longest in a column together.",
    ),
    Option(
        "stacking",
        ("row_column_or_floor", "floor_only"),
        "When a tower may grow: if its row, its column or the new floor has the architect's number, or only if "
        "the floor has.",
    ),
    Option(
        "tie_inhabitants",
        ("all", "placed"),
        "Equal points: who has more inhabitants wins, counting all of the city, or only those on buildings.",
    ),
    Option(
        "allocation",
        ("best", "as_placed"),
        "Which allocation of inhabitants and energy counts: the best there is, or the pieces as they lie.",
    ),
)
"""In the order of the protocol, the default first."""


@dataclass(frozen=True, slots=True)
class Readings:
    """The chosen readings, each already known to be allowed."""

    harbours: str = "best_line"
    stacking: str = "row_column_or_floor"
    tie_inhabitants: str = "all"
    allocation: str = "best"


def option_faults(options: Iterable[tuple[str, object]]) -> list[Fault]:
    """Everything wrong with these options.

    >>> [fault.at for fault in option_faults([("harbors", "best_line"), ("stacking", 4)])]
    [('harbors',), ('stacking',)]
    """
    known = {option.name: option for option in OPTIONS}
    faults: list[Fault] = []
    seen: set[str] = set()
    for name, value in options:
        if name in seen:
            faults.append(Fault("option-twice", (name,), f"option {name} is given twice: give it once"))
        seen.add(name)
        if name not in known:
            text = f"wanted an option ({', '.join(known)}), found {name!r}: correct it"
            faults.append(Fault("unknown-option", (name,), text))
        elif value not in known[name].values:
            text = f"wanted {name} to be {' or '.join(known[name].values)}, found {value!r:.40}: choose one"
            faults.append(Fault("bad-option", (name,), text))
    return faults


@lru_cache(maxsize=64)
def readings_of(options: tuple[tuple[str, str], ...]) -> Readings:
    """The readings that checked options stand for; what is not named has its default.

    >>> readings_of((("harbours", "row_plus_column"),)).stacking
    'row_column_or_floor'
    """
    return Readings(**dict(options))
