"""A grid-set as it stands: pads with what is on them, links and posts; and how it may be built on.

Source: rulebook, "Building parts", "Node parts", "Add-a-pad".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from rules.gridopolis.nodes import SIDES, UP, Link, is_near, link_between
from rules.words import Seat

PLAIN, TELEPORTER, BLOCKER, KINGERIZER = 0, 1, 2, 3
"""What is on a pad; `KINGERIZER + seat` is a kingerizer of that seat's colour."""


@dataclass(frozen=True, slots=True)
class GridSet:
    """Pads in order with what is on them, links by their two ends, and the links on which a post stands.

    The rest follows from these: `landing` is every pad where a marker may land, `plain` those with nothing on them,
    `teleporters` those with one, `standing` every pad there is.
    """

    pads: tuple[tuple[int, int], ...]
    links: frozenset[Link]
    posts: frozenset[Link]
    landing: dict[int, int] = field(init=False, repr=False, compare=False)
    standing: dict[int, int] = field(init=False, repr=False, compare=False)
    plain: tuple[int, ...] = field(init=False, repr=False, compare=False)
    teleporters: tuple[int, ...] = field(init=False, repr=False, compare=False)
    number: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "standing", dict(self.pads))
        put(self, "landing", {node: part for node, part in self.pads if part != BLOCKER})
        put(self, "plain", tuple(node for node, part in self.pads if part == PLAIN))
        put(self, "teleporters", tuple(node for node, part in self.pads if part == TELEPORTER))
        put(self, "number", hash((self.pads, self.links, self.posts)))

    def __hash__(self) -> int:
        return self.number


def grid_of(parts: dict[int, int], links: Iterable[Link], posts: Iterable[Link]) -> GridSet:
    """A grid-set from what is on each pad."""
    return GridSet(tuple(sorted(parts.items())), frozenset(links), frozenset(posts))


def home_part(seat: Seat) -> int:
    """What is on the pads of a seat's home row."""
    return KINGERIZER + seat


@lru_cache(maxsize=1 << 14)
def with_blocker(grid: GridSet, node: int) -> GridSet:
    """The grid-set with a blocker-box on a pad."""
    return grid_of({**grid.standing, node: BLOCKER}, grid.links, grid.posts)


@lru_cache(maxsize=1 << 14)
def with_pad(grid: GridSet, node: int, post: bool) -> GridSet:
    """The grid-set with a pad more, which must be one that `beside` or `above` has.

    Which link is used is left to the engine: the first in order of its ends.
    """
    links, posts = grid.links, grid.posts
    if post:
        lower = post_links(grid, node)[0]
        links, posts = links | {(lower[0] + UP, lower[1] + UP)}, posts | {lower}
    elif not ends_at(grid, node):
        links = links | {min(link_between(node, node + side) for side in SIDES if node + side in grid.standing)}
    return grid_of({**grid.standing, node: PLAIN}, links, posts)


def ends_at(grid: GridSet, node: int) -> bool:
    """Whether a link ends at a node already."""
    return any(link_between(node, node + side) in grid.links for side in SIDES)


def post_links(grid: GridSet, node: int) -> list[Link]:
    """The links of the pad straight below a node on which a post may be set, for a link to lie above, in order."""
    below = node - UP
    return sorted(
        link
        for link in (link_between(below, below + side) for side in SIDES)
        if link in grid.links and link not in grid.posts and (link[0] + UP, link[1] + UP) not in grid.links
    )


@lru_cache(maxsize=1 << 14)
def beside(grid: GridSet) -> tuple[tuple[int, bool], ...]:
    """Each free node beside a pad, in order, and whether a link must be taken for it from the reserve."""
    standing = grid.standing
    free = {node + side for node in standing for side in SIDES}
    return tuple((node, not ends_at(grid, node)) for node in sorted(free) if node not in standing and is_near(node))


@lru_cache(maxsize=1 << 14)
def above(grid: GridSet) -> tuple[int, ...]:
    """Each free node straight above a pad that has a link for a post, in order."""
    standing = grid.standing
    return tuple(
        node + UP
        for node, _ in grid.pads
        if node + UP not in standing and is_near(node + UP) and post_links(grid, node + UP)
    )
