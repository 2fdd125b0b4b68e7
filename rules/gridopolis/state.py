"""A position of Gridopolis: the grid-set, the markers on it, reserves, captures, and whose turn it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from rules.gridopolis.grids import BLOCKER, KINGERIZER, PLAIN, TELEPORTER, GridSet
from rules.gridopolis.nodes import LINK_ZONES, PADS, POST_ZONES, cell_of, link_cell
from rules.gridopolis.readings import Readings
from rules.words import SEATS, Cell, Colour, Layout, Piece, Seat

PAWN, KING = "pawn", "king"
RANKS: tuple[str, str] = (PAWN, KING)
RESERVE: tuple[str, ...] = ("pads", "links", "posts", "blockers")
START_RESERVE = bytes((3, 3, 2, 2))
"""What each player gets before the game, in the order of `RESERVE` (rulebook, "Pass out parts")."""
MARKERS_EACH = 6
MOVED, CROWNED = 1, 2
"""A marker is its seat * 4, and with these bits: it has made its first move; it is a king."""
LINK, POST = Piece("link", Colour("")), Piece("post", Colour(""))
_FITTINGS = {
    PLAIN: Piece("pad", Colour("")),
    TELEPORTER: Piece("teleporter", Colour("")),
    BLOCKER: Piece("blocker", Colour("")),
}
Colours = tuple[Colour, Colour, Colour, Colour]


@dataclass(frozen=True, slots=True)
class Table:
    """What stays the same in a match: the colour of each seat, "" for a seat that is empty, and the readings."""

    colours: Colours
    readings: Readings

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats in play, clockwise from south."""
        return seats_of(self.colours)


@lru_cache(maxsize=256)
def seats_of(colours: Colours) -> tuple[Seat, ...]:
    """The seats that have a colour."""
    return tuple(seat for seat in SEATS if colours[seat])


@dataclass(frozen=True, slots=True)
class State:
    """A position; a value that hashes.

    `markers`: node and marker, in order of nodes. `reserve`: four counts a seat, as `RESERVE` has them. `captured`: by
    the seat that captured and the seat captured, pawns and kings: the count is at 8 * captor + 2 * captured + is king.
    `turns`: those taken, by seat. `mover`: the node of the king that may move once more, 0 for none. `turn` is None
    when the game is over. `won`: who jumped, where the last two markers went in a kamikaze.
    """

    grid: GridSet
    markers: tuple[tuple[int, int], ...]
    reserve: bytes
    captured: bytes
    turns: tuple[int, int, int, int]
    mover: int
    turn: Seat | None
    won: Seat | None
    table: Table = field(hash=False)

    @property
    def seats_left(self) -> tuple[Seat, ...]:
        """The seats that have a marker on the grid-set, clockwise from south."""
        there = {code >> 2 for _, code in self.markers}
        return tuple(seat for seat in SEATS if seat in there)


def is_king(code: int) -> bool:
    """Whether a marker is a king."""
    return bool(code & CROWNED)


@lru_cache(maxsize=1024)
def marker_piece(colours: Colours, code: int) -> Piece:
    """A marker as a piece: its rank and its seat's colour."""
    return Piece(RANKS[is_king(code)], colours[code >> 2])


@lru_cache(maxsize=1024)
def fitting(colours: Colours, part: int) -> Piece:
    """A pad as a piece: what is on it, and the colour of a kingerizer."""
    return _FITTINGS[part] if part < KINGERIZER else Piece("kingerizer", colours[part - KINGERIZER])


@lru_cache(maxsize=4096)
def _built(grid: GridSet, colours: Colours) -> dict[Cell, Piece]:
    """The grid-set as pieces."""
    pieces = {cell_of(node, PADS): fitting(colours, part) for node, part in grid.pads}
    pieces.update((link_cell(link, LINK_ZONES), LINK) for link in grid.links)
    pieces.update((link_cell(link, POST_ZONES), POST) for link in grid.posts)
    return pieces


def layout_of(state: State) -> Layout:
    """How the table must look: markers (zone `board`), pads with what is on them (`pad`), links and posts."""
    colours = state.table.colours
    pieces = dict(_built(state.grid, colours))
    pieces.update((cell_of(node), marker_piece(colours, code)) for node, code in state.markers)
    return Layout(pieces)


def in_hand(state: State) -> dict[Seat, tuple[tuple[str, int], ...]]:
    """By seat in play: what is left of its reserve."""
    return {
        seat: tuple(
            (kind, count) for kind, count in zip(RESERVE, state.reserve[4 * seat : 4 * seat + 4], strict=True) if count
        )
        for seat in state.table.seats
    }
