"""What a blueprint makes of the board in each position of the frame: spaces, their shapes, what touches what.

Everything is worked out once for a position of the frame; the rules only look it up. Squares are numbered row by row
from the south-west: `y * squares + x`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product

from rules.ido.blueprint import Blueprint
from rules.words import SEATS, Cell

SMALL, LARGE = 0, 1
SIZES: tuple[str, ...] = ("small", "large")
DIRECTIONS: tuple[tuple[int, int], ...] = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""North, east, south, west, as (dx, dy)."""


@dataclass(frozen=True, slots=True)
class Space:
    """Squares that no line parts. `fits` is the size of block that may be moved there: small for a small square,
    large for a rectangle, None for an L-space, a large square and whatever else a blueprint makes."""

    squares: tuple[int, ...]
    fits: int | None


@dataclass(frozen=True, slots=True)
class Field:
    """The board with the frame in one position. All lists go by the number of a space, but for `space_of` (square).

    `near[size]` has, for each space, the spaces that share a piece of edge with it and that a block of this size may
    enter, each with its squares; `at_target[seat]` tells which spaces touch a seat's target; `starts[seat][size]`
    lists those on which a block may start. `swept[direction]` has the squares that the bars crosswise to it run over
    when the frame is shifted that way, None where the frame cannot go.
    """

    spaces: tuple[Space, ...]
    space_of: tuple[int, ...]
    near: tuple[tuple[tuple[tuple[int, tuple[int, ...]], ...], ...], ...]
    at_target: tuple[tuple[bool, ...], ...]
    starts: tuple[tuple[tuple[int, ...], ...], ...]
    swept: tuple[tuple[int, ...] | None, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """A blueprint with all that follows from it. Two are equal if their blueprints are.

    `fields` keeps the positions of the frame that `at` has worked out. `cells` names each square,
    `ahead[direction]` has the square beyond each one, -1 past the border; `target_past[direction]` the seat whose
    target lies past that border of a square, -1 where none does.
    """

    blueprint: Blueprint
    fields: dict[tuple[int, int], Field] = field(compare=False, repr=False)
    cells: tuple[Cell, ...] = field(compare=False, repr=False)
    index: dict[Cell, int] = field(compare=False, repr=False)
    ahead: tuple[tuple[int, ...], ...] = field(compare=False, repr=False)
    target_past: tuple[tuple[int, ...], ...] = field(compare=False, repr=False)

    def at(self, offset: tuple[int, int]) -> Field:
        """The board with the frame at an offset, which must be one of the blueprint's."""
        found = self.fields.get(offset)
        if found is None:
            found = self.fields[offset] = _field(self.blueprint, *offset)
        return found


Edge = tuple[str, int, int]
"""`("v", x, y)`: the edge left of square (x, y); `("h", x, y)`: the one below it."""


def walls(blueprint: Blueprint, dx: int, dy: int) -> frozenset[Edge]:
    """The edges that carry a printed line or, with the frame at this offset, a bar (facts 3.8)."""
    n, size = range(blueprint.squares), range(blueprint.frame)
    ox, oy = blueprint.corner + dx, blueprint.corner + dy
    found: set[Edge] = {("v", x, y) for x in blueprint.lines_x for y in n}
    found |= {("h", x, y) for y in blueprint.lines_y for x in n}
    found |= {("v", bar + ox, y + oy) for bar in blueprint.bars_x for y in size}
    found |= {("h", x + ox, bar + oy) for bar in blueprint.bars_y for x in size}
    return frozenset(found)


def _neighbours(n: int, square: int) -> Iterator[tuple[int, Edge]]:
    """The squares beside one, each with the edge between."""
    y, x = divmod(square, n)
    if x + 1 < n:
        yield square + 1, ("v", x + 1, y)
    if x:
        yield square - 1, ("v", x, y)
    if y + 1 < n:
        yield square + n, ("h", x, y + 1)
    if y:
        yield square - n, ("h", x, y)


def _spaces(n: int, lines: frozenset[Edge]) -> list[tuple[int, ...]]:
    """Squares joined where no line is between them; each space's squares from the south-west on."""
    found: list[tuple[int, ...]] = []
    done: set[int] = set()
    for first in range(n * n):
        if first in done:
            continue
        squares, todo = {first}, [first]
        while todo:
            for there, edge in _neighbours(n, todo.pop()):
                if there not in squares and edge not in lines:
                    squares.add(there)
                    todo.append(there)
        done |= squares
        found.append(tuple(sorted(squares)))
    return found


def start_squares(blueprint: Blueprint, seat: int) -> list[int]:
    """The squares of the board beside a seat's start: at the right end of its own edge (facts 3.2)."""
    n = blueprint.squares
    return [_turned(n, n - 1 - i, 0, seat) for i in range(blueprint.start)]


def target_squares(blueprint: Blueprint, seat: int) -> list[int]:
    """The squares beside a seat's target: the far end of the edge to its left."""
    n = blueprint.squares
    return [_turned(n, 0, n - 1 - i, seat) for i in range(blueprint.target)]


def target_direction(seat: int) -> int:
    """Which way a block leaves the board onto a seat's target: south's lies past the west edge, west's past the
    north edge, and so on round the table."""
    return (seat + 3) % 4


def _turned(n: int, x: int, y: int, seat: int) -> int:
    """South's square as the same one of another seat."""
    for _ in range(seat):
        x, y = y, n - 1 - x
    return y * n + x


def _swept(blueprint: Blueprint, dx: int, dy: int, way: int) -> tuple[int, ...] | None:
    """The squares just ahead of the bars crosswise to a shift (facts 3.6)."""
    n, (sx, sy) = blueprint.squares, DIRECTIONS[way]
    if dx + sx not in blueprint.offsets or dy + sy not in blueprint.offsets:
        return None
    ox, oy = blueprint.corner + dx, blueprint.corner + dy
    if sx:
        columns = [ox + bar - (sx < 0) for bar in blueprint.bars_x]
        found = [(y + oy) * n + x for x in columns for y in range(blueprint.frame)]
    else:
        rows = [oy + bar - (sy < 0) for bar in blueprint.bars_y]
        found = [y * n + x + ox for y in rows for x in range(blueprint.frame)]
    return tuple(sorted(found))


def _field(blueprint: Blueprint, dx: int, dy: int) -> Field:
    n = blueprint.squares
    groups = _spaces(n, walls(blueprint, dx, dy))
    spaces = tuple(Space(squares, {1: SMALL, 2: LARGE}.get(len(squares))) for squares in groups)
    space_of = [0] * (n * n)
    for number, squares in enumerate(groups):
        for square in squares:
            space_of[square] = number
    beside = [
        sorted({space_of[there] for square in squares for there, _ in _neighbours(n, square)} - {number})
        for number, squares in enumerate(groups)
    ]
    touching = [sorted({space_of[square] for square in start_squares(blueprint, seat)}) for seat in SEATS]
    crossing = [{space_of[square] for square in target_squares(blueprint, seat)} for seat in SEATS]
    sizes = (SMALL, LARGE)
    return Field(
        spaces,
        tuple(space_of),
        tuple(
            tuple(tuple((s, groups[s]) for s in others if spaces[s].fits == size) for others in beside)
            for size in sizes
        ),
        tuple(tuple(number in mine for number in range(len(spaces))) for mine in crossing),
        tuple(tuple(tuple(s for s in mine if spaces[s].fits == size) for size in sizes) for mine in touching),
        tuple(_swept(blueprint, dx, dy, way) for way in range(4)),
    )


def _ahead(n: int, way: int) -> tuple[int, ...]:
    sx, sy = DIRECTIONS[way]
    return tuple(
        (y + sy) * n + x + sx if 0 <= x + sx < n and 0 <= y + sy < n else -1 for y, x in product(range(n), repeat=2)
    )


@lru_cache(maxsize=16)
def board_of(blueprint: Blueprint) -> Board:
    """The board that a blueprint describes.

    >>> from rules.ido.blueprint import D1
    >>> [len(space.squares) for space in board_of(D1).at((0, 0)).spaces].count(3)  # L-spaces, the frame centred
    4
    """
    n = blueprint.squares
    cells = tuple(Cell(i % n, i // n) for i in range(n * n))
    past = [[-1] * (n * n) for _ in DIRECTIONS]
    for seat in SEATS:
        for square in target_squares(blueprint, seat):
            past[target_direction(seat)][square] = seat
    return Board(
        blueprint,
        {},
        cells,
        {cell: i for i, cell in enumerate(cells)},
        tuple(_ahead(n, way) for way in range(4)),
        tuple(tuple(line) for line in past),
    )
