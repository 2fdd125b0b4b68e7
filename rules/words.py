"""The words every room speaks: seats, cells, pieces and how a table must look.

All types are frozen and slotted; all but `Layout` hash. A cell is named by whole
numbers; what those numbers mean on a real table (millimetres, a storey's height)
is the business of `vision.kit`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NewType

Seat = NewType("Seat", int)
"""A side of the table: 0 south, 1 west, 2 north, 3 east; clockwise seen from above."""

NATURE = Seat(-1)
"""The bag or the deck: moves that nobody chose."""

Colour = NewType("Colour", str)
"""A piece's colour by the name the players give it; "" where a piece has none."""

SOUTH, WEST, NORTH, EAST = Seat(0), Seat(1), Seat(2), Seat(3)
SEATS: tuple[Seat, ...] = (SOUTH, WEST, NORTH, EAST)
SEAT_NAMES: tuple[str, ...] = ("south", "west", "north", "east")


def seat_name(seat: Seat) -> str:
    """The seat's name in files and protocols.

    >>> seat_name(WEST), seat_name(NATURE)
    ('west', 'nature')
    """
    return "nature" if seat == NATURE else SEAT_NAMES[seat]


def seat_named(name: str) -> Seat:
    """The seat of that name; `ValueError` if there is none.

    >>> seat_named("north")
    2
    """
    if name == "nature":
        return NATURE
    if name not in SEAT_NAMES:
        raise ValueError(f"wanted a seat ({', '.join(SEAT_NAMES)}), found {name!r}: name one of them")
    return Seat(SEAT_NAMES.index(name))


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """A place where a piece may stand. `col` and `row` may be negative (a plank, an arm).

    `zone` parts places that have coordinates of their own: "board", a player's mat,
    "van" (in front of which seat the Mystery Machine stands: `col` is the seat).
    """

    col: int
    row: int
    level: int = 0
    zone: str = "board"


@dataclass(frozen=True, slots=True, order=True)
class Piece:
    """A piece as a person would describe it.

    `facing` counts quarter turns clockwise from north (0 north, 1 east, 2 south, 3 west);
    None: it stands, or has no front.
    """

    kind: str
    colour: Colour
    facing: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One cell that differs between two layouts."""

    cell: Cell
    before: Piece | None
    after: Piece | None


def _no_pieces() -> Mapping[Cell, Piece]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Layout:
    """How a table looks, or must look. An absent cell is empty."""

    pieces: Mapping[Cell, Piece] = field(default_factory=_no_pieces)

    def changes_to(self, other: Layout) -> Iterator[Change]:
        """The cells in which `other` differs, in the order of cells.

        >>> a, b = Cell(0, 0), Cell(1, 0)
        >>> red = Piece("small", Colour("red"))
        >>> [c.cell.col for c in Layout({a: red}).changes_to(Layout({b: red}))]
        [0, 1]
        """
        ours, theirs = self.pieces, other.pieces
        cells = {cell for cell, piece in ours.items() if theirs.get(cell) != piece}
        cells.update(cell for cell in theirs if cell not in ours)
        for cell in sorted(cells):
            yield Change(cell, ours.get(cell), theirs.get(cell))


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence for people, in English and in Brazilian Portuguese; neither can be left out."""

    en: str
    pt: str

    def in_language(self, language: str) -> str:
        """The sentence in "pt" or "pt-BR", else in English."""
        return self.pt if language.startswith("pt") else self.en

    def ended(self) -> Said:
        """The same with a full stop, so that another sentence may follow."""
        return Said(*(text if text.endswith((".", "!", "?")) else f"{text}." for text in (self.en, self.pt)))
