"""The box of a game in millimetres: what there is to see, and where.

A kit knows sizes, colours and places; it does not know how the game is played.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from rules.words import Cell, Layout


@dataclass(frozen=True, slots=True)
class Place:
    """Where a cell is: the centre of its ground, and how wide it is. mm in the board's frame."""

    cell: Cell
    centre_mm: tuple[float, float, float]
    width_mm: float


@dataclass(frozen=True, slots=True)
class PieceShape:
    """A pyramid: square base of `base_mm`, apex `height_mm` above it."""

    kind: str
    base_mm: float
    height_mm: float

    @property
    def slant_mm(self) -> float:
        """Length of a face from the middle of a base edge to the apex: how long it is when lying."""
        return float((self.height_mm**2 + (self.base_mm / 2) ** 2) ** 0.5)


class Kit(Protocol):
    """One game's box on one table."""

    @property
    def name(self) -> str: ...

    @property
    def places(self) -> tuple[Place, ...]:
        """Every cell that a detector looks at."""
        ...

    @property
    def outline_mm(self) -> tuple[tuple[float, float], ...]:
        """Named corners of the playing area (for Gridlock a1, h1, h8, a8), mm at z = 0."""
        ...

    @property
    def corner_names(self) -> tuple[str, ...]: ...

    def visible(self, layout: Layout) -> Layout:
        """What a camera above can tell of a layout."""
        ...

    def cell_name(self, cell: Cell) -> str:
        """The cell's name for people and files, as "a1"."""
        ...

    def cell_named(self, name: str) -> Cell:
        """Raises `ValueError`."""
        ...
