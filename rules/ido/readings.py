"""The readings of the rulebook, and its variants, that a table may choose (facts 3.6; "Game end and variants")."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rules.game import Fault, Option
from rules.ido.geometry import SIZES

PER_SIZE = 3
"""Blocks of each size that a seat has."""

OPTIONS: tuple[Option, ...] = (
    Option("goal", ("4", "3", "5"), "How many blocks a seat must bring home to win."),
    Option(
        "order",
        ("null", '["large","small","large","small"]'),
        "The sizes in which blocks must come home, one a block of the goal; null for any order. A block that comes "
        "out of order goes back to the supply.",
    ),
    Option(
        "leave_from",
        ("any_space", "own_shape"),
        "From where a block may go home: from any space that touches its target, or only from one of the shape that "
        "it may be moved on.",
    ),
    Option("leaving_costs", ("1", "0"), "How many steps it costs to go home from a space that touches the target."),
    Option(
        "chain_push",
        ("push", "refuse"),
        "A shift that would push a block onto one that no bar pushes: that one is pushed too, or the shift is refused.",
    ),
)
"""In the order of the protocol, the default first; values as JSON, words without quotation marks."""
_KNOWN: dict[str, Option] = {option.name: option for option in OPTIONS}


@dataclass(frozen=True, slots=True)
class Readings:
    """The chosen readings, each already known to be allowed. `order` is empty where there is none."""

    goal: int = 4
    order: tuple[str, ...] = ()
    leave_from: str = "any_space"
    leaving_costs: int = 1
    chain_push: str = "push"


def as_value(name: str, text: str) -> Any:
    """An option's text as the JSON value it stands for; what is no JSON is a word.

    >>> as_value("goal", "3"), as_value("order", '["small"]'), as_value("leave_from", "own_shape")
    (3, ['small'], 'own_shape')
    """
    if name in ("leave_from", "chain_push"):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def as_text(value: object) -> str:
    """A JSON value as an option's text; `as_value` reads it back."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def option_faults(options: Iterable[tuple[str, object]]) -> list[Fault]:
    """Everything wrong with these options, given as JSON values.

    >>> [fault.at for fault in option_faults([("goals", 4), ("order", ["small"]), ("leaving_costs", True)])]
    [('goals',), ('leaving_costs',), ('order',)]
    """
    faults: list[Fault] = []
    given = list(options)
    counts = Counter(name for name, _ in given)
    for name in sorted(name for name, count in counts.items() if count > 1):
        faults.append(Fault("option-twice", (name,), f"wanted option {name} once, found it twice: give it once"))
    for name, value in given:
        if name not in _KNOWN:
            text = f"wanted an option ({', '.join(_KNOWN)}), found {name!r:.40}: correct it"
            faults.append(Fault("unknown-option", (name,), text))
        elif name != "order" and not any(_is_same(as_value(name, text), value) for text in _KNOWN[name].values):
            text = f"wanted {name} to be {' or '.join(_KNOWN[name].values)}, found {value!r:.40}: choose one"
            faults.append(Fault("bad-option", (name,), text))
    chosen = dict(given)
    if chosen.get("order") is not None:
        faults.extend(_order_faults(chosen["order"], chosen.get("goal", Readings().goal)))
    return faults


def _is_same(one: object, other: object) -> bool:
    """Equal, and of one kind: 1 is not true."""
    return type(one) is type(other) and one == other


def _order_faults(order: object, goal: object) -> list[Fault]:
    sizes = order if isinstance(order, list | tuple) else ()
    if not sizes or any(not isinstance(size, str) or size not in SIZES for size in sizes):
        text = f"wanted order to be null or a list of {' and '.join(SIZES)}, found {order!r:.40}: write one"
        return [Fault("bad-option", ("order",), text)]
    if any(_is_same(goal, one) for one in (3, 4, 5)) and len(sizes) != goal:
        text = f"wanted an order of {goal} sizes, one a block of the goal, found {len(sizes)}: make it as long"
        return [Fault("bad-option", ("order",), text)]
    if any(sizes.count(size) > PER_SIZE for size in SIZES):
        text = f"wanted at most {PER_SIZE} of each size in order, as many as a seat has, found more: change some"
        return [Fault("bad-option", ("order",), text)]
    return []


@lru_cache(maxsize=256)
def readings_of(options: tuple[tuple[str, str], ...]) -> Readings:
    """The readings that checked options stand for, given as text; what is not named has its default.

    >>> readings_of((("goal", "3"), ("order", '["small","large","small"]'))).order
    ('small', 'large', 'small')
    """
    chosen = {name: as_value(name, text) for name, text in options}
    return Readings(**{**chosen, "order": tuple(chosen.get("order") or ())})


def from_json(options: Mapping[str, Any]) -> tuple[Readings, list[Fault]]:
    """The readings that options in JSON stand for, and what is wrong with them; the defaults where there are faults."""
    faults = option_faults((str(name), value) for name, value in options.items())
    if faults:
        return Readings(), faults
    return readings_of(tuple((name, as_text(value)) for name, value in options.items())), []


def as_json(readings: Readings) -> dict[str, Any]:
    """The readings as the protocol's options.

    >>> as_json(Readings())["order"] is None
    True
    """
    return {
        "goal": readings.goal,
        "order": list(readings.order) or None,
        "leave_from": readings.leave_from,
        "leaving_costs": readings.leaving_costs,
        "chain_push": readings.chain_push,
    }
