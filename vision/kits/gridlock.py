"""Gridlock's box: a chessboard, Looney pyramids in three sizes, and the Mystery Machine.

Sizes: 9/16, 25/32 and 1 inch of base; 1, 1 3/8 and 1 3/4 inch of height.
"""

from __future__ import annotations

from dataclasses import dataclass

from rules.words import SEATS, Cell, Layout, Seat
from vision.kit import PieceShape, Place

SIDE = 8
PYRAMIDS: tuple[PieceShape, ...] = (
    PieceShape("small", 14.3, 25.4),
    PieceShape("medium", 19.8, 34.9),
    PieceShape("large", 25.4, 44.45),
)
VAN_KIND = "van"
VAN_ZONE = "van"
VAN_SIZE_MM = (60.0, 28.0, 30.0)
"""A toy van: about so long, wide and high; any colours."""


def van_cell(seat: Seat) -> Cell:
    """The place in front of a seat where the Mystery Machine may stand."""
    return Cell(int(seat), 0, 0, VAN_ZONE)


@dataclass(frozen=True, slots=True)
class GridlockKit:
    """A Gridlock table whose squares measure `square_mm`."""

    square_mm: float = 50.0
    name: str = "gridlock"

    @property
    def places(self) -> tuple[Place, ...]:
        s = self.square_mm
        return tuple(
            Place(Cell(col, row), ((col + 0.5) * s, (row + 0.5) * s, 0.0), s)
            for row in range(SIDE)
            for col in range(SIDE)
        )

    @property
    def van_places(self) -> tuple[Place, ...]:
        """In front of each seat: the middle of the strip beside the board."""
        s, mid = self.square_mm, SIDE * self.square_mm / 2
        out = 1.5 * s
        centres = {0: (mid, -out), 1: (-out, mid), 2: (mid, SIDE * s + out), 3: (SIDE * s + out, mid)}
        return tuple(Place(van_cell(seat), (*centres[int(seat)], 0.0), SIDE * s) for seat in SEATS)

    @property
    def outline_mm(self) -> tuple[tuple[float, float], ...]:
        e = SIDE * self.square_mm
        return ((0.0, 0.0), (e, 0.0), (e, e), (0.0, e))

    @property
    def corner_names(self) -> tuple[str, ...]:
        return ("a1", "h1", "h8", "a8")

    def visible(self, layout: Layout) -> Layout:
        """All of it: nothing in Gridlock stands on anything else."""
        return layout

    def cell_name(self, cell: Cell) -> str:
        if cell.zone == VAN_ZONE:
            return ("south", "west", "north", "east")[cell.col]
        return f"{'abcdefgh'[cell.col]}{cell.row + 1}"

    def cell_named(self, name: str) -> Cell:
        if len(name) != 2 or name[0] not in "abcdefgh" or name[1] not in "12345678":
            raise ValueError(f"wanted a square from a1 to h8, found {name!r}: correct the name")
        return Cell("abcdefgh".index(name[0]), int(name[1]) - 1)
