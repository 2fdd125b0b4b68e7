"""The 100 tiles of the Classic game and what is printed on them (facts 1.4; values in `quadropolis-tiles.csv`).

A tile is one number in a position: 0 is no tile, `DOWN` one that lies face down, and from 2 on each kind of tile
(its face, and the mark on its back) has its own.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from rules.words import Colour, Piece

TYPES: tuple[str, ...] = ("tower", "shop", "service", "park", "factory", "harbor")
TOWER, SHOP, SERVICE, PARK, FACTORY, HARBOR = range(6)
MARKS: tuple[str | None, ...] = (None, "3-4", "4")
"""On the back: for every number of players, for three and four, for four alone."""
EMPTY, DOWN = 0, 1
ROUNDS = (1, 2, 3, 4)


@dataclass(frozen=True, slots=True)
class Tile:
    """A kind of tile: what its face shows, and the mark on its back."""

    type: int
    inhabitants: int = 0
    energy: int = 0
    vp: int = 0
    mayor: bool = False
    mark: str | None = None

    @property
    def face(self) -> str:
        """The face as a short word.

        >>> Tile(TOWER, 1, mayor=True).face, Tile(HARBOR, 1, 1, mark="4").face, Tile(SERVICE, vp=2).face
        ('T1m', 'H1i1e', 'V2')
        """
        match self.type:
            case 0:
                return f"T{self.inhabitants}{'m' if self.mayor else ''}"
            case 2:
                return f"V{self.vp}"
            case 4:
                return f"F{self.energy}"
            case 5:
                parts = ((self.inhabitants, "i"), (self.energy, "e"), (self.vp, "v"))
                return "H" + "".join(f"{n}{letter}" for n, letter in parts if n)
            case _:
                return "SP"[self.type == PARK]

    @property
    def word(self) -> str:
        """The face with the mark: `+3` for three and four players, `+4` for four."""
        return self.face + ("" if self.mark is None else f"+{self.mark[0]}")


# Face, then the marks of its tiles in each round: - every number of players, 3 three and four, 4 four alone.
_LIST: tuple[tuple[Tile, str, str, str, str], ...] = (
    (Tile(TOWER, 1, mayor=True), "-", "-", "-", ""),
    (Tile(TOWER, 1), "--", "--", "-", "--"),
    (Tile(TOWER, 2), "-34", "-34", "-34", "-34"),
    (Tile(TOWER, 3), "-", "-", "-", "-"),
    (Tile(SHOP), "--4", "--4", "--4", "--4"),
    (Tile(SERVICE), "-", "-", "-", "-"),
    (Tile(SERVICE, vp=1), "34", "34", "34", "34"),
    (Tile(SERVICE, vp=2), "-", "-", "-", "-"),
    (Tile(PARK), "--4", "--4", "---4", "--4"),
    (Tile(FACTORY, energy=1), "-3", "-", "-", "-"),
    (Tile(FACTORY, energy=2), "-", "-3", "-3", "-3"),
    (Tile(FACTORY, energy=3), "-", "-", "-", "-"),
    (Tile(HARBOR, 2), "-", "3", "-", "3"),
    (Tile(HARBOR, energy=2), "-", "", "3", "-"),
    (Tile(HARBOR, 1, 1), "3", "-4", "4", "-4"),
    (Tile(HARBOR, vp=1), "4", "", "", ""),
    (Tile(HARBOR, vp=2), "", "-", "-", ""),
    (Tile(HARBOR, vp=3), "", "", "", "-"),
)
_MARK_OF = {"-": None, "3": "3-4", "4": "4"}


def _marked(tile: Tile, mark: str | None) -> Tile:
    return Tile(tile.type, tile.inhabitants, tile.energy, tile.vp, tile.mayor, mark)


FACES: tuple[Tile, ...] = tuple(entry[0] for entry in _LIST)
"""The 18 faces, without marks."""
KINDS: tuple[Tile, ...] = tuple(
    _marked(face, mark)
    for face, *rounds in _LIST
    for mark in MARKS
    if any(mark == _MARK_OF[m] for m in "".join(rounds))
)
CODE_OF: dict[Tile, int] = {tile: number for number, tile in enumerate(KINDS, start=2)}
_NOTHING = Tile(-1)
TILE: tuple[Tile, ...] = (_NOTHING, _NOTHING, *KINDS)
"""By number: the kind of tile; 0 and `DOWN` have no face."""
TYPE: tuple[int, ...] = tuple(tile.type for tile in TILE)
INHABITANTS: tuple[int, ...] = tuple(tile.inhabitants for tile in TILE)
ENERGY: tuple[int, ...] = tuple(tile.energy for tile in TILE)
VP: tuple[int, ...] = tuple(tile.vp for tile in TILE)
WORDS: tuple[str, ...] = (".", "x", *(tile.word for tile in KINDS))
CODE_WRITTEN: dict[str, int] = {
    **{tile.face: code for code, tile in reversed(list(enumerate(KINDS, start=2)))},
    **{word: code for code, word in enumerate(WORDS)},
}
"""By word; also by face alone where no tile with that face is without a mark."""
PIECES: tuple[Piece, ...] = (
    Piece("", Colour("")),
    Piece("down", Colour("")),
    *(Piece(tile.face, Colour("")) for tile in KINDS),
)
"""By number: the tile as a camera sees it. The mark is on the back and not part of it."""


MAYOR_TOWER: int = CODE_WRITTEN["T1m"]
"""The tile with the mayor's symbol: one in each of the first three rounds."""


def tiles_of(round_: int) -> tuple[int, ...]:
    """The 25 tiles of a round, in the order of the list.

    >>> len(tiles_of(1)), WORDS[tiles_of(4)[-1]]
    (25, 'H3v')
    """
    return tuple(CODE_OF[_marked(face, _MARK_OF[mark])] for face, *rounds in _LIST for mark in rounds[round_ - 1])


def _is_up(code: int, players: int) -> bool:
    mark = TILE[code].mark
    return mark is None or players == 4 or (players == 3 and mark == "3-4")


UP: dict[tuple[int, int], bytes] = {
    (round_, players): bytes(sorted(code for code in tiles_of(round_) if _is_up(code, players)))
    for round_ in ROUNDS
    for players in (2, 3, 4)
}
"""By round and number of players: the tiles that are turned up, sorted (16, 20 or 25 of them)."""
DOWN_COUNT: dict[int, int] = {2: 9, 3: 5, 4: 0}
"""By number of players: how many tiles stay face down."""


def with_marks(codes: list[int], round_: int, players: int) -> list[int]:
    """The same faces with the marks that this round's tiles have: who sees a table cannot see the backs.

    A face of which there are not enough keeps its number.
    """
    left = Counter(UP[round_, players])
    for code in codes:
        left[code] -= 1
    found = list(codes)
    for at, code in enumerate(codes):
        if left[code] < 0 and code > DOWN:
            other = next((c for c, n in left.items() if n > 0 and TILE[c].face == TILE[code].face), None)
            if other is not None:
                left[code] += 1
                left[other] -= 1
                found[at] = other
    return found
