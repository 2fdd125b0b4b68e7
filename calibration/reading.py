"""JSON that is read with care: each value knows its place, and a wrong one is refused there."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, NoReturn

from calibration.errors import ProfileRefused


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a JSON file, with the way to it. `text` is the file's, "" where it is not known."""

    value: Any
    name: str
    source: str
    way: tuple[str | int, ...]

    def refuse(self, wanted: str, do: str) -> NoReturn:
        """Raise `ProfileRefused`, naming the place."""
        found = json.dumps(self.value, ensure_ascii=False)
        found = found if len(found) <= 60 else found[:57] + "..."
        raise ProfileRefused(f"{self.name}{self._place()}: {self._called()}wanted {wanted}, found {found}: {do}")

    def _called(self) -> str:
        words = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.way).lstrip(".")
        return f"{words}: " if words else ""

    def _place(self) -> str:
        """Line and column of the last key on the way, found by walking the text from key to key."""
        at, repeats = 0, 0
        for step in self.way:
            if isinstance(step, int):
                repeats = step
                continue
            pattern = re.compile(re.escape(json.dumps(step)) + r"\s*:")
            for _ in range(repeats + 1):
                found = pattern.search(self.source, at)
                if found is None:
                    return ""
                at = found.start() + 1
            repeats = 0
        if not self.way or not self.source:
            return ""
        line = self.source.count("\n", 0, at) + 1
        return f", line {line}, column {at - (self.source.rfind(chr(10), 0, at) + 1)}"

    def has(self, key: str) -> bool:
        """Whether this is an object with that key."""
        return isinstance(self.value, dict) and key in self.value

    def get(self, key: str) -> Node:
        """The value under a key; refused if there is none."""
        if not self.has(key):
            self.refuse(f"an object with {key!r}", "calibrate again")
        return Node(self.value[key], self.name, self.source, (*self.way, key))

    def keys(self, *known: str) -> None:
        """Refuse unless these and no other keys are there."""
        for key in known:
            self.get(key)
        for key in self.value:
            if key not in known:
                unknown = Node(self.value[key], self.name, self.source, (*self.way, key))
                unknown.refuse("no such key", "remove it, or calibrate again")

    def entries(self) -> list[Node]:
        """The values of a list."""
        if not isinstance(self.value, list):
            self.refuse("a list", "calibrate again")
        return [Node(value, self.name, self.source, (*self.way, n)) for n, value in enumerate(self.value)]

    def number(self) -> float:
        """A finite number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float) or not math.isfinite(self.value):
            self.refuse("a number", "calibrate again")
        return float(self.value)

    def integer(self) -> int:
        """A whole number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            self.refuse("a whole number", "calibrate again")
        return int(self.value)

    def numbers(self, count: int) -> list[float]:
        """So many finite numbers."""
        entries = self.entries()
        if len(entries) != count:
            self.refuse(f"{count} numbers", "calibrate again")
        return [entry.number() for entry in entries]

    def text(self) -> str:
        """A string."""
        if not isinstance(self.value, str):
            self.refuse("text", "calibrate again")
        return str(self.value)


def parsed(text: str, name: str) -> Node:
    """The JSON object in a text. Raises `ProfileRefused`: no JSON, a key twice, NaN, or no object."""

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in found]
        for key in keys:
            if keys.count(key) > 1:
                raise ProfileRefused(f"{name}: wanted each key once, found {key!r} twice: remove one")
        return dict(found)

    def constant(word: str) -> NoReturn:
        raise ProfileRefused(f"{name}: wanted numbers, found {word}: calibrate again")

    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=constant)
    except json.JSONDecodeError as error:
        raise ProfileRefused(f"{name}, line {error.lineno}, column {error.colno}: wanted JSON, found a fault "
                             f"({error.msg}): correct it there, or calibrate again") from error
    except RecursionError as error:
        raise ProfileRefused(f"{name}: wanted a profile, found JSON nested without end: calibrate again") from error
    if not isinstance(value, dict):
        raise ProfileRefused(f"{name}: wanted a JSON object, found {type(value).__name__}: name a calibration profile")
    return Node(value, name, text, ())
