"""The Matrix: the blueprint in the box, for two, three or four players.

Source: rulebook, "Building the Matrix Grid-Set"; facts/gridopolis-ido.md 2.2 (three fully linked floors of 3 x 3, a
plank of 3 x 2 for each player on the middle floor, four posts a storey gap) and 2.4 (teleporters, posts around the
middle pad).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

from rules.gridopolis.grids import PLAIN, TELEPORTER, GridSet, grid_of, home_part
from rules.gridopolis.nodes import SIDES, UP, link_between, node_at
from rules.words import Seat

TOWER: frozenset[int] = frozenset(node_at(x, y, z) for x, y, z in product(range(3), repeat=3))
"""The pads on which no marker stands at the start: those of the three floors."""
_MIDDLE = node_at(1, 1, 1)
_Place = tuple[int, int, int]
PRESETS: dict[str, tuple[_Place, ...]] = {
    "middle_corners": ((0, 0, 1), (2, 0, 1), (1, 1, 1), (0, 2, 1), (2, 2, 1)),
    "middle_edges": ((1, 0, 1), (0, 1, 1), (1, 1, 1), (2, 1, 1), (1, 2, 1)),
    "twisted": ((1, 1, 1), (0, 0, 2), (2, 2, 2), (2, 0, 0), (0, 2, 0)),
}
"""By name: where the five teleporters may be, since the rulebook's figure of them is lost."""


def plank(seat: Seat) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A seat's plank: its front row and its home row, in order of the nodes' numbers.

    >>> plank(Seat(0))[0] == (node_at(0, -1, 1), node_at(1, -1, 1), node_at(2, -1, 1))
    True
    """
    front, home = ((-1, -2), (-1, -2), (3, 4), (3, 4))[seat]
    along_x = seat in (0, 2)
    rows = [tuple(node_at(i, row, 1) if along_x else node_at(row, i, 1) for i in range(3)) for row in (front, home)]
    return rows[0], rows[1]


def open_pads(seats: tuple[Seat, ...]) -> frozenset[int]:
    """The pads that have no kingerizer, on any of which a teleporter may be: those of the floors and the front rows.

    >>> len(open_pads((Seat(0), Seat(2))))
    33
    """
    return TOWER.union(*(plank(seat)[0] for seat in seats))


@lru_cache(maxsize=256)
def matrix(seats: tuple[Seat, ...], teleporters: tuple[_Place, ...]) -> GridSet:
    """The grid-set before the first move: 39, 45 or 51 pads, 56, 66 or 76 links, 8 posts.

    >>> grid = matrix((Seat(0), Seat(2)), PRESETS["middle_corners"])
    >>> len(grid.pads), len(grid.links), len(grid.posts)
    (39, 56, 8)
    """
    parts = dict.fromkeys(open_pads(seats), PLAIN)
    for place in teleporters:
        parts[node_at(*place)] = TELEPORTER
    for seat in seats:
        parts.update(dict.fromkeys(plank(seat)[1], home_part(seat)))
    links = {link_between(node, node + side) for node in parts for side in SIDES if node + side in parts}
    spokes = {link_between(_MIDDLE + floor, _MIDDLE + floor + side) for side in SIDES for floor in (0, -UP)}
    return grid_of(parts, links, spokes)
