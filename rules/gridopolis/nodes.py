"""Nodes: places where a pad is or may be, as numbers, and the 26 directions in which a marker may go.

Source: facts/gridopolis-ido.md 2.2. A node is [x, y, z]: x grows to the east, y to the north, z upwards. Within the
rules a node is one whole number, so that a direction is a number too, to be added; numbers go in the order of the
coordinates, x before y before z.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

from rules.words import Cell, Seat

FARTHEST = 99
"""How far from 0 a coordinate may be; a box of 63 pads in one piece reaches less far."""
_MIDDLE = 128
UP = 1
"""From a node to the one straight above it."""
EAST = 1 << 16
"""From a node to its neighbour in the east."""
MARKERS, PADS = "board", "pad"
"""The zones of a node's cells: where the marker on it stands, and where the pad itself is."""
LINK_ZONES, POST_ZONES = ("link-x", "link-y"), ("post-x", "post-y")
"""The zones of links, and of the posts that stand on them, along x and along y; the cell is that of the lower end."""


def node_at(x: int, y: int, z: int) -> int:
    """The number of a node.

    >>> node_at(0, 0, 1) - node_at(0, 0, 0) == UP
    True
    """
    return (x + _MIDDLE) << 16 | (y + _MIDDLE) << 8 | (z + _MIDDLE)


@lru_cache(maxsize=1 << 16)
def place_of(node: int) -> tuple[int, int, int]:
    """A node's coordinates.

    >>> place_of(node_at(2, -1, 1))
    (2, -1, 1)
    """
    return (node >> 16) - _MIDDLE, (node >> 8 & 255) - _MIDDLE, (node & 255) - _MIDDLE


@lru_cache(maxsize=1 << 16)
def cell_of(node: int, zone: str = MARKERS) -> Cell:
    """The cell of a node.

    >>> cell_of(node_at(2, -1, 1))
    Cell(col=2, row=-1, level=1, zone='board')
    """
    x, y, z = place_of(node)
    return Cell(x, y, z, zone)


def is_near(node: int) -> bool:
    """Whether a node, which may be one beside a pad, is no farther off than any may be."""
    return max(map(abs, place_of(node))) <= FARTHEST


def node_of(cell: Cell) -> int | None:
    """The node of a cell, whatever its zone; None if it is farther off than any node may be."""
    if max(abs(cell.col), abs(cell.row), abs(cell.level)) > FARTHEST:
        return None
    return node_at(cell.col, cell.row, cell.level)


Direction = tuple[int, int, int]
_DIRECTIONS: tuple[Direction, ...] = tuple(
    (x, y, z) for x, y, z in product((-1, 0, 1), repeat=3) if (x, y, z) != (0, 0, 0)
)


def delta(direction: Direction) -> int:
    """A direction as the number to be added to a node."""
    x, y, z = direction
    return (x << 16) + (y << 8) + z


def ahead(seat: Seat, direction: Direction) -> int:
    """How far a direction leads away from a seat's home row: 1 forward, 0 sideways or between storeys, -1 backwards.

    >>> ahead(Seat(0), (1, 1, -1)), ahead(Seat(1), (0, 1, 0)), ahead(Seat(2), (0, 1, 1))
    (1, 0, -1)
    """
    x, y, _ = direction
    return (y, x, -y, -x)[seat]


EVERY: tuple[int, ...] = tuple(delta(d) for d in _DIRECTIONS)
"""The directions of a king."""
ONWARD: tuple[tuple[int, ...], ...] = tuple(
    tuple(delta(d) for d in _DIRECTIONS if ahead(Seat(s), d) >= 0) for s in range(4)
)
"""By seat: the directions of a pawn, never backwards."""
FORWARD: tuple[tuple[int, ...], ...] = tuple(
    tuple(delta(d) for d in _DIRECTIONS if ahead(Seat(s), d) > 0) for s in range(4)
)
"""By seat: the directions of a pawn's first move."""
LEVEL: frozenset[int] = frozenset(delta(d) for d in _DIRECTIONS if d[2] == 0)
"""The directions that stay on a storey."""
SIDES: tuple[int, ...] = tuple(delta(d) for d in ((-1, 0, 0), (0, -1, 0), (0, 1, 0), (1, 0, 0)))
"""The directions of links."""

Link = tuple[int, int]


def link_between(one: int, two: int) -> Link:
    """A link by its ends, the lower number first."""
    return (one, two) if one < two else (two, one)


@lru_cache(maxsize=1 << 14)
def link_cell(link: Link, zones: tuple[str, str]) -> Cell:
    """The cell of a link, or of the post on it."""
    return cell_of(link[0], zones[0] if link[1] - link[0] == EAST else zones[1])
