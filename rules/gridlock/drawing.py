"""A Gridlock position as lines of text, for the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.drawing import colour_marks
from rules.gridlock.state import SIDE, SIZES

_ARROWS = {"up": "o", "north": "^", "east": ">", "south": "v", "west": "<"}


def drawing(saved: Mapping[str, Any]) -> list[str]:
    """The board, the far row first, then what each side has left to play and where the Mystery Machine stands.

    A piece is its colour's letter, its size's in capitals, and an arrow where it points; `o` where it stands.
    """
    colours = {seat: theirs[0] for seat, theirs in saved["colours"].items()}
    marks = colour_marks(colours.values())
    words = {
        piece["square"]: marks[piece["colour"]] + piece["size"][0].upper() + _ARROWS[piece["facing"]]
        for piece in saved["pieces"]
    }
    files = "abcdefgh"[:SIDE]
    lines = [
        f"{row}  " + " ".join(words.get(f"{file}{row}", " . ") for file in files) for row in range(SIDE, 0, -1)
    ]
    lines.append("   " + " ".join(f"{file}  " for file in files))
    placing = saved["phase"] == "placement"
    for seat, colour in colours.items():
        left = dict(saved["hands"][colour])
        if not placing:
            standing = [p["size"] for p in saved["pieces"] if p["colour"] == colour and p["facing"] == "up"]
            left = {size: standing.count(size) for size in SIZES}
        pieces = ", ".join(f"{left[size]} {size}" for size in SIZES)
        lines.append(f"{seat:5} {marks[colour]} {colour}: {pieces} left")
    lines.append(f"The van is at {saved['van']}.")
    return lines
