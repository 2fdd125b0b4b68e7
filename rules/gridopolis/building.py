"""Whether a grid-set can be built, and out of one box: every fault of a blueprint or of a loaded position at once.

Source: rulebook, "Building parts", "In the box there are 217 parts", "Assembly tips".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from rules.game import At, Fault
from rules.gridopolis.grids import BLOCKER, KINGERIZER, TELEPORTER
from rules.gridopolis.nodes import UP, Link, place_of
from rules.words import SEATS, seat_name

BOX: dict[str, int] = {
    "pads": 63, "links": 88, "posts": 16, "teleporters": 6, "kingerizers": 12, "blockers": 8, "markers": 24,
}  # fmt: skip
"""How many of each part the box has."""
KINGERIZERS_EACH = 3


def ends_of(link: Link) -> tuple[At, At]:
    """A link's place, as a fault names it."""
    return place_of(link[0]), place_of(link[1])


def built_faults(parts: Mapping[int, int], links: frozenset[Link], posts: frozenset[Link]) -> Iterator[Fault]:
    """Everything that keeps these pads, links and posts from standing as one piece."""
    for link in sorted(links):
        if link[0] not in parts and link[1] not in parts:
            text = f"wanted a pad at one end at least of the link {ends_of(link)}, found none: add one or take it away"
            yield Fault("loose-link", ends_of(link), text)
    for post in sorted(posts):
        if post not in links:
            text = f"wanted a link under the post on {ends_of(post)}, found none: add it or take the post away"
            yield Fault("post-without-link", ends_of(post), text)
        if (post[0] + UP, post[1] + UP) not in links:
            text = f"wanted a link above the post on {ends_of(post)}, found none: add it or take the post away"
            yield Fault("post-without-link", ends_of(post), text)
    yield from _floating(parts, links, posts)


def _floating(parts: Mapping[int, int], links: frozenset[Link], posts: frozenset[Link]) -> Iterator[Fault]:
    """Each pad that does not hang together with the rest: with the greater part, or the first of two as great."""
    group: dict[object, object] = {thing: thing for thing in (*parts, *links)}

    def head(thing: object) -> object:
        while group[thing] != thing:
            group[thing] = group[group[thing]]
            thing = group[thing]
        return thing

    for link in links:
        for end in link:
            if end in parts:
                group[head(end)] = head(link)
    for post in posts:
        upper = (post[0] + UP, post[1] + UP)
        if post in links and upper in links:
            group[head(post)] = head(upper)
    heads = {node: head(node) for node in sorted(parts)}
    sizes = Counter(heads.values())
    greatest = max(sizes, key=lambda one: sizes[one], default=None)
    for node, theirs in heads.items():
        if theirs != greatest:
            text = f"wanted every pad joined to the rest by links and posts, found {place_of(node)} floating: join it"
            yield Fault("floating-pad", (place_of(node),), text)


def count_faults(
    parts: Mapping[int, int], links: frozenset[Link], posts: frozenset[Link], reserve: bytes, markers: int
) -> Iterator[Fault]:
    """Each sort of part of which there are more than the box has, on the table and in the reserves together."""
    kinds = Counter(min(part, KINGERIZER) for part in parts.values())
    there = {
        "pads": len(parts) + sum(reserve[0::4]),
        "links": len(links) + sum(reserve[1::4]),
        "posts": len(posts) + sum(reserve[2::4]),
        "blockers": kinds[BLOCKER] + sum(reserve[3::4]),
        "teleporters": kinds[TELEPORTER],
        "kingerizers": kinds[KINGERIZER],
        "markers": markers,
    }
    for name, count in there.items():
        if count > BOX[name]:
            text = f"wanted at most {BOX[name]} {name}, as in the box, reserves included, found {count}: take some away"
            yield Fault("too-many-parts", (name,), text)
    for seat in SEATS:
        count = list(parts.values()).count(KINGERIZER + seat)
        if count > KINGERIZERS_EACH and there["kingerizers"] <= BOX["kingerizers"]:
            text = f"wanted {KINGERIZERS_EACH} kingerizers of a colour, found {count} of {seat_name(seat)}'s: change"
            yield Fault("too-many-parts", ("kingerizers", seat_name(seat)), text + " some")
