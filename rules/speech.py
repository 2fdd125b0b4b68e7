"""What a game needs beside its rules to be spoken with in JSON (see `rules.protocol`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from rules.game import Move, Setup
from rules.words import Cell


class Speech(Protocol):
    """A game's own words in the line protocol."""

    def setup(self, request: Mapping[str, Any]) -> Setup:
        """The setup that a `new` request asks for. Raises `SetupError` with every fault."""
        ...

    def action(self, move: Move) -> dict[str, Any]:
        """A move as a JSON action."""
        ...

    def move(self, action: Mapping[str, Any], state: Any) -> Move:
        """The move that a JSON action stands for. Raises `NotationError`."""
        ...

    def name(self, cell: Cell) -> Any:
        """A cell as the protocol names it: a square, a slot, a node."""
        ...

    def part(self, label: str) -> str:
        """The part of the score under which a line of this label counts."""
        ...

    def options(self) -> Sequence[Mapping[str, Any]]:
        """Each option with its name, allowed values, default and a sentence."""
        ...
