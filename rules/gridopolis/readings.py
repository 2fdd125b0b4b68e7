"""The readings of the rulebook that a table may choose (facts/gridopolis-ido.md 2.4), and how they are written.

An option's value is a JSON value in the line protocol and one word of text in a match's file: what is no word there
(a list, an object, true) is written as compact JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rules.game import At, Fault, Option
from rules.gridopolis.matrix import PRESETS
from rules.gridopolis.nodes import FARTHEST, node_at, place_of

LAST_STANDING = "last_standing"
MOST_TURNS = 10_000
OPTIONS: tuple[Option, ...] = (
    Option(
        "teleporters",
        ("middle_corners", "middle_edges", "twisted"),
        "Where the five teleporters are: in the middle of the middle floor and on its corners or edges, in a twist "
        "over three floors, or on any five pads but home rows, named one by one.",
    ),
    Option(
        "needs_pad_below",
        ("with_post_only", "always"),
        "When an added pad must be straight above another: only if it stands on a post, or always.",
    ),
    Option(
        "ending",
        (LAST_STANDING, '{"turns":10}'),
        "How the game ends: with the last player standing, or after so many turns each, when most points win.",
    ),
    Option(
        "chain_after_teleport",
        ("false", "true"),
        "Whether a chain of captures that lands on a teleporter may go on from where it comes out.",
    ),
    Option(
        "blocked_is_off",
        ("false", "true"),
        "Whether a kamikaze may land on a pad with a blocker-box, as if it were off the grid-set.",
    ),
)
"""In the order of the protocol, the default first. `teleporters` also takes five nodes, `ending` any number
of turns."""


@dataclass(frozen=True, slots=True)
class Readings:
    """The chosen readings, each already known to be allowed. `turns`: how many each has in a timed game, 0 in others.
    `teleporters` is a preset's name or the five nodes."""

    teleporters: str | tuple[tuple[int, int, int], ...] = "middle_corners"
    needs_pad_below: str = "with_post_only"
    turns: int = 0
    chain_after_teleport: bool = False
    blocked_is_off: bool = False


def places_of(readings: Readings) -> tuple[tuple[int, int, int], ...]:
    """The pads of the teleporters."""
    chosen = readings.teleporters
    return PRESETS[chosen] if isinstance(chosen, str) else chosen


def values_of(options: Iterable[tuple[str, str]]) -> list[tuple[str, Any]]:
    """Options of a setup as the protocol's values.

    >>> values_of([("ending", '{"turns":3}'), ("blocked_is_off", "true"), ("teleporters", "twisted")])
    [('ending', {'turns': 3}), ('blocked_is_off', True), ('teleporters', 'twisted')]
    """
    return [(name, _value(text)) for name, text in options]


def _value(text: str) -> Any:
    if text in ("true", "false") or text[:1] in ("[", "{"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def word_of(value: object) -> str:
    """A value of the protocol as a setup's text; what cannot be a value is written somehow, to be refused."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def option_faults(options: Iterable[tuple[str, object]]) -> list[Fault]:
    """Everything wrong with these options, given as the protocol's values.

    >>> [fault.at for fault in option_faults([("teleporter", "twisted"), ("ending", {"turns": 0})])]
    [('teleporter',), ('ending',)]
    """
    known = {option.name: option for option in OPTIONS}
    faults: list[Fault] = []
    seen: set[str] = set()
    for name, value in options:
        if name in seen:
            faults.append(Fault("option-twice", (name,), f"option {name} is given twice: give it once"))
        seen.add(name)
        if name not in known:
            text = f"wanted an option ({', '.join(known)}), found {name!r:.60}: correct it"
            faults.append(Fault("unknown-option", (name,), text))
        elif name == "teleporters" and isinstance(value, list):
            faults.extend(_node_faults(value))
        elif name == "ending" and isinstance(value, Mapping):
            turns = value.get("turns")
            if set(value) != {"turns"} or not _is_number(turns) or not 1 <= int(str(turns)) <= MOST_TURNS:
                text = f'wanted ending to be {{"turns": n}}, n from 1 to {MOST_TURNS}, found {value!r:.60}: correct it'
                faults.append(Fault("bad-option", (name,), text))
        elif not _is_among(value, known[name]):
            wanted = " or ".join(known[name].values)
            text = f"wanted {name} to be {wanted}, found {value!r:.60}: choose one"
            faults.append(Fault("bad-option", (name,), text))
    return faults


def _is_among(value: object, option: Option) -> bool:
    if option.values[0] == "false":
        return isinstance(value, bool)
    return isinstance(value, str) and value in option.values and not value.startswith("{")


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def node_read(value: object) -> int | None:
    """The node that a JSON value names: three whole numbers, none too far off; None if it names none.

    >>> node_read([0, 0, 1]) == node_at(0, 0, 1), node_read([0, 0])
    (True, None)
    """
    if not isinstance(value, list) or len(value) != 3:
        return None
    x, y, z = value
    if type(x) is not int or type(y) is not int or type(z) is not int:  # true and false are no numbers
        return None
    if not (-FARTHEST <= x <= FARTHEST and -FARTHEST <= y <= FARTHEST and -FARTHEST <= z <= FARTHEST):
        return None
    return node_at(x, y, z)


def _node_faults(value: list[Any]) -> list[Fault]:
    """What is wrong with teleporters that are named one by one, wherever there are pads."""
    where = "teleporters"
    nodes = [node for node in map(node_read, value) if node is not None]
    if len(value) != 5 or len(nodes) != 5:
        text = f"wanted five nodes [x, y, z] as teleporters, found {value!r:.60}: name five"
        return [Fault("bad-option", (where,), text)]
    faults = []
    for node in sorted(set(nodes)):
        at: tuple[At, ...] = (where, place_of(node))
        if nodes.count(node) > 1:
            text = f"wanted five different pads as teleporters, found {place_of(node)} twice: name another"
            faults.append(Fault("teleporter-twice", at, text))
    return faults


def readings_of(options: Iterable[tuple[str, Any]]) -> Readings:
    """The readings that checked options stand for; what is not named has its default.

    >>> readings_of([("ending", {"turns": 4})]).turns
    4
    """
    given = dict(options)
    chosen = given.get("teleporters", "middle_corners")
    ending = given.get("ending", LAST_STANDING)
    return _interned(
        chosen if isinstance(chosen, str) else tuple(place_of(node_at(*one)) for one in chosen),
        given.get("needs_pad_below", "with_post_only"),
        0 if ending == LAST_STANDING else int(ending["turns"]),
        given.get("chain_after_teleport", False),
        given.get("blocked_is_off", False),
    )


@lru_cache(maxsize=256)
def _interned(
    teleporters: str | tuple[tuple[int, int, int], ...], below: str, turns: int, chain: bool, blocked: bool
) -> Readings:
    return Readings(teleporters, below, turns, chain, blocked)


def as_json_options(readings: Readings) -> dict[str, Any]:
    """The readings as the protocol's options, all of them."""
    chosen = readings.teleporters
    return {
        "teleporters": chosen if isinstance(chosen, str) else [list(place) for place in chosen],
        "needs_pad_below": readings.needs_pad_below,
        "ending": {"turns": readings.turns} if readings.turns else LAST_STANDING,
        "chain_after_teleport": readings.chain_after_teleport,
        "blocked_is_off": readings.blocked_is_off,
    }
