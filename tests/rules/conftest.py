"""Positions drawn as text, and seeded randomness, for the tests of the rules."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from rules.gridlock import GRIDLOCK, State

COLOURS = {"south": "red", "west": "yellow", "north": "green", "east": "blue"}
FACINGS = {"o": "up", "^": "north", ">": "east", "v": "south", "<": "west"}
SIZES = {"S": "small", "M": "medium", "L": "large"}
Drawn = Callable[..., State]


@pytest.fixture
def rng() -> random.Random:
    return random.Random(20250811)


@pytest.fixture
def drawn() -> Drawn:
    """Makes a Gridlock position from rows of words, the last row of the list being rank 1, file a first.

    A word is the colour's letter, S, M or L, and `o` for upright or an arrow; `.` is an empty square.
    """

    def draw(
        rows: list[str],
        turn: str | None = "south",
        van: str = "east",
        just_handed: bool = False,
        hands: Mapping[str, Mapping[str, int]] | None = None,
        options: Mapping[str, Any] | None = None,
        players: list[list[str]] | None = None,
        without: tuple[str, ...] = (),
    ) -> State:
        colours = {seat: [colour] for seat, colour in COLOURS.items() if seat not in without}
        letters = {theirs[0][0]: theirs[0] for theirs in colours.values()}
        pieces = [
            {
                "square": f"{'abcdefgh'[col]}{len(rows) - row}",
                "colour": letters[word[0]],
                "size": SIZES[word[1]],
                "facing": FACINGS[word[2]],
            }
            for row, words in enumerate(rows)
            for col, word in enumerate(words.split())
            if word != "."
        ]
        standing = any(piece["facing"] == "up" for piece in pieces)
        saved: dict[str, Any] = {
            "colours": colours,
            "pieces": pieces,
            "hands": dict(hands or {}),
            "van": van,
            "just_handed": just_handed,
            "first": "south",
            "phase": "placement" if hands else "drop" if standing else "over",
            "to_move": turn,
            "options": dict(options or {}),
        }
        if players is not None:
            saved["players"] = players
        return GRIDLOCK.load(saved)

    return draw
