"""The box of Quadropolis (Classic): a mat of four rows of four slots, tiles, inhabitants and energy.

Frame of reference: mm has x along a row (column 1 to 4), y from row 4 to row 1, z up from the mat, origin at the
outer corner of row 4, column 1. Sizes that no source gives (tokens, thickness of card) were measured on pictures
of the box; see `facts` in the documentation of the scenes.
"""

from __future__ import annotations

from dataclasses import dataclass

from rules.words import Cell, Colour, Layout, Piece
from vision.kit import Place

SIDE = 4
MOST_FLOORS = 4
FLOOR_MM = 2.1
"""Thickness of a tile."""
TYPES: tuple[str, ...] = ("tower", "shop", "service", "park", "factory", "harbor")


@dataclass(frozen=True, slots=True, order=True)
class Face:
    """What a tile's front shows: its type, what it gives when built, printed points, and the Mayor's symbol."""

    type: str
    inhabitants: int = 0
    energy: int = 0
    vp: int = 0
    mayor: bool = False

    @property
    def word(self) -> str:
        """As the rules name it.

        >>> Face("tower", 1, mayor=True).word, Face("harbor", 1, 1).word, Face("service", vp=2).word
        ('T1m', 'H1i1e', 'V2')
        """
        match self.type:
            case "tower":
                return f"T{self.inhabitants}{'m' if self.mayor else ''}"
            case "service":
                return f"V{self.vp}"
            case "factory":
                return f"F{self.energy}"
            case "harbor":
                parts = ((self.inhabitants, "i"), (self.energy, "e"), (self.vp, "v"))
                return "H" + "".join(f"{n}{letter}" for n, letter in parts if n)
            case _:
                return "S" if self.type == "shop" else "P"

    @property
    def gives(self) -> tuple[int, int, int]:
        """Inhabitants, energy, points: what the icon at its top left says."""
        return self.inhabitants, self.energy, self.vp

    @property
    def piece(self) -> Piece:
        """The tile as the rules' layouts have it."""
        return Piece(self.word, Colour(""))


@dataclass(frozen=True, slots=True)
class TokenShape:
    """A token as it stands on a tile: `length_mm` by `width_mm` seen from above, `height_mm` high, corners rounded."""

    kind: str
    length_mm: float
    width_mm: float
    height_mm: float


INHABITANT = TokenShape("inhabitant", 10.3, 8.0, 10.0)
ENERGY = TokenShape("energy", 8.6, 8.6, 9.0)


@dataclass(frozen=True, slots=True)
class QuadropolisKit:
    """A Quadropolis mat whose slots are `pitch_mm` apart, and tiles of `tile_mm`."""

    pitch_mm: float = 55.0
    tile_mm: float = 45.0
    name: str = "quadropolis"

    @property
    def places(self) -> tuple[Place, ...]:
        """The 16 slots, row 1 first; `Cell(col, row)` with `row` 0 for row 1."""
        p = self.pitch_mm
        return tuple(
            Place(Cell(col, row), ((col + 0.5) * p, (SIDE - row - 0.5) * p, 0.0), p)
            for row in range(SIDE)
            for col in range(SIDE)
        )

    @property
    def outline_mm(self) -> tuple[tuple[float, float], ...]:
        e = SIDE * self.pitch_mm
        return ((0.0, e), (e, e), (e, 0.0), (0.0, 0.0))

    @property
    def corner_names(self) -> tuple[str, ...]:
        return ("row1col1", "row1col4", "row4col4", "row4col1")

    def visible(self, layout: Layout) -> Layout:
        """What lies on top in each slot."""
        top: dict[tuple[int, int, str], Cell] = {}
        for cell in layout.pieces:
            place = (cell.col, cell.row, cell.zone)
            if place not in top or cell.level > top[place].level:
                top[place] = cell
        return Layout({cell: layout.pieces[cell] for cell in top.values()})

    def cell_name(self, cell: Cell) -> str:
        """As "2,3": row and column, counted from 1."""
        return f"{cell.row + 1},{cell.col + 1}"

    def cell_named(self, name: str) -> Cell:
        row, sign, col = name.partition(",")
        if not sign or row not in "1234" or col not in "1234" or len(row) != 1 or len(col) != 1:
            raise ValueError(f"wanted a slot from 1,1 to 4,4, found {name!r}: correct the name")
        return Cell(int(col) - 1, int(row) - 1)


CLASSIC_FACES: tuple[Face, ...] = (
    Face("tower", 1), Face("tower", 1, mayor=True), Face("tower", 2), Face("tower", 3), Face("shop"),
    Face("service"), Face("service", vp=1), Face("service", vp=2), Face("park"),
    Face("factory", energy=1), Face("factory", energy=2), Face("factory", energy=3),
    Face("harbor", 2), Face("harbor", 0, 2), Face("harbor", 1, 1),
    Face("harbor", vp=1), Face("harbor", vp=2), Face("harbor", vp=3),
)
"""The distinct faces of the Classic box, in the order in which they are laid out for teaching."""
