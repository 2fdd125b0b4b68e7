"""What the drawings of all games share: a letter for a colour, and blocks of lines beside each other.

A game's drawing (`rules/NAME/drawing.py`) is a function from a position as the protocol writes it to lines of
text that can be read in a terminal without colours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest


def colour_marks(colours: Iterable[str]) -> dict[str, str]:
    """A letter for each colour: its first one that no colour before it has taken.

    >>> "".join(colour_marks(("black", "blue", "red", "green")).values())
    'blrg'
    """
    marks: dict[str, str] = {}
    for colour in colours:
        letters = [letter for letter in colour.lower() if letter.isalpha()]
        free = [letter for letter in [*letters, *"abcdefghijklmnopqrstuvwxyz"] if letter not in marks.values()]
        marks[colour] = free[0]
    return marks


def side_by_side(blocks: Sequence[Sequence[str]], gap: int = 4) -> list[str]:
    """Blocks of lines beside each other, the tops level.

    >>> side_by_side([["ab", "c"], ["d"]], 1)
    ['ab d', 'c']
    """
    widths = [max(map(len, block), default=0) for block in blocks]
    rows = zip_longest(*blocks, fillvalue="")
    return [(" " * gap).join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
            for row in rows]


def counted(counts: Iterable[tuple[str, int]]) -> str:
    """Kinds and how many of each there are; those of which there is none are left out.

    >>> counted([("small", 2), ("large", 0)]), counted([])
    ('2 small', 'nothing')
    """
    return ", ".join(f"{number} {kind}" for kind, number in counts if number) or "nothing"
