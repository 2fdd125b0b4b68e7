"""The blueprint of an Ido board: printed lines, frame bars, starts and targets as numbers, never as code.

The game's figures are lost, so the board is data: `D1` is the one derived in the facts (3.4), any other loads from
JSON in the same words. Lines and bars are straight and full-length; a line at 2 runs between squares 1 and 2.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rules.game import Fault

LARGEST, SMALLEST = 32, 2
"""How many squares a side may have."""
KEYS: tuple[str, ...] = (
    "squares", "board_lines_x", "board_lines_y", "frame_squares", "frame_bars_x", "frame_bars_y",
)  # fmt: skip
"""The keys a blueprint must have."""
START_KEY, TARGET_KEY = "start_squares_from_right_corner", "target_squares_from_far_left_corner"
USUAL_WIDTH = 3
"""How wide starts and targets are where a blueprint does not say (facts 3.2)."""


@dataclass(frozen=True, slots=True)
class Blueprint:
    """A board and its frame, counted in small squares from the south-west corner.

    `lines_x` stand upright at these x on the whole board (at its ends they are the border), `lines_y` lie at these y;
    `bars_x` and `bars_y` likewise on the frame, counted from the frame's own corner. Starts and targets lie along the
    edges of the board.
    """

    squares: int
    lines_x: tuple[int, ...]
    lines_y: tuple[int, ...]
    frame: int
    bars_x: tuple[int, ...]
    bars_y: tuple[int, ...]
    start: int = USUAL_WIDTH
    target: int = USUAL_WIDTH

    @property
    def corner(self) -> int:
        """Where the frame's corner lies when it is centred."""
        return (self.squares - self.frame) // 2

    @property
    def offsets(self) -> range:
        """How far the frame may be from its centre, along either axis: flush with the border at the ends."""
        return range(-self.corner, self.squares - self.frame - self.corner + 1)


D1 = Blueprint(8, (2, 3, 5, 6), (2, 3, 5, 6), 6, (0, 2, 4, 6), (0, 2, 4, 6))
"""The default board: the derivation of facts 3.4."""


def as_json(blueprint: Blueprint) -> dict[str, Any]:
    """The blueprint in the words of the protocol; `read` gives it back.

    >>> read(as_json(D1)) == (D1, [])
    True
    """
    return {
        "squares": blueprint.squares,
        "board_lines_x": list(blueprint.lines_x),
        "board_lines_y": list(blueprint.lines_y),
        "frame_bars_x": list(blueprint.bars_x),
        "frame_bars_y": list(blueprint.bars_y),
        "frame_squares": blueprint.frame,
        START_KEY: blueprint.start,
        TARGET_KEY: blueprint.target,
    }


def as_text(blueprint: Blueprint) -> str:
    """The blueprint as one line of JSON, for the head of a match's file."""
    return json.dumps(as_json(blueprint), separators=(",", ":"))


def read(given: object) -> tuple[Blueprint, list[Fault]]:
    """The blueprint that JSON values tell, and everything wrong with it; `D1` stands in where there are faults.

    Keys that are not a blueprint's (millimetres) are passed over.

    >>> [fault.at for fault in read({**as_json(D1), "squares": 0, "frame_bars_x": [7, 7]})[1]]
    [('blueprint', 'squares'), ('blueprint', 'frame_bars_x'), ('blueprint', 'frame_bars_x')]
    """
    reader = _Reader(given)
    blueprint = reader.blueprint()
    return (D1 if reader.faults else blueprint), reader.faults


class _Reader:
    """Reads one blueprint and gathers its faults."""

    def __init__(self, given: object) -> None:
        self.faults: list[Fault] = []
        self.given: Mapping[str, Any] = {}
        if not isinstance(given, Mapping):
            text = f"wanted a blueprint as an object ({', '.join(KEYS)}), found {given!r:.40}: write one"
            self.faults.append(Fault("bad-blueprint", ("blueprint",), text))
            return
        self.given = given
        for key in KEYS:
            if key not in given:
                self.fault(key, f"wanted the key {key} in the blueprint, found none: add it")

    def fault(self, key: str, text: str) -> None:
        self.faults.append(Fault("bad-blueprint", ("blueprint", key), text))

    def blueprint(self) -> Blueprint:
        squares = self.number("squares", SMALLEST, LARGEST, D1.squares)
        sound = self.given.get("squares") == squares
        most = squares if sound else LARGEST
        frame = self.number("frame_squares", 1, most, min(D1.frame, most))
        inside = frame if self.given.get("frame_squares") == frame else most
        lines = [self.numbers(key, 0, most) for key in ("board_lines_x", "board_lines_y")]
        bars = [self.numbers(key, 0, inside) for key in ("frame_bars_x", "frame_bars_y")]
        start = self.number(START_KEY, 1, most, min(USUAL_WIDTH, most))
        target = self.number(TARGET_KEY, 1, most, min(USUAL_WIDTH, most))
        if sound and not self.faults and start + target > squares:
            text = (
                f"wanted start and target beside each other on a side of {squares} squares, "
                f"found {start} and {target}: make one narrower"
            )
            self.fault(TARGET_KEY, text)
        return Blueprint(squares, lines[0], lines[1], frame, bars[0], bars[1], start, target)

    def number(self, key: str, least: int, most: int, usual: int) -> int:
        value = self.given.get(key, usual)
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        self.fault(key, f"wanted {key} from {least} to {most}, found {value!r:.40}: correct it")
        return usual

    def numbers(self, key: str, least: int, most: int) -> tuple[int, ...]:
        values = self.given.get(key, [])
        if not isinstance(values, list | tuple):
            self.fault(key, f"wanted a list of numbers for {key}, found {values!r:.40}: write one")
            return ()
        wrong = [v for v in values if not isinstance(v, int) or isinstance(v, bool) or not least <= v <= most]
        if wrong:
            text = f"wanted {key} from {least} to {most}, found {', '.join(map(repr, wrong))[:40]}: correct them"
            self.fault(key, text)
        sound = [v for v in values if isinstance(v, int) and not isinstance(v, bool)]
        if len(set(sound)) < len(sound):
            self.fault(key, f"wanted each of {key} once, found one twice: take it away")
        return tuple(sorted(sound))
