"""What a game needs beside its rules to be spoken with in JSON (see `rules.protocol`)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from rules.game import Move, Setup
from rules.words import Cell


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

    def options(self) -> Sequence[Mapping[str, Any]]:
        """Each option as an object with `name`, `values` (the allowed ones, or examples where there are too many
        to list), `default` (one of them) and `says`, a sentence."""
        ...
