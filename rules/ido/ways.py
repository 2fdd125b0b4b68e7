"""Where a block may be moved, and what it costs ("Move blocks" in the rulebook).

A step goes to a space of the block's own shape that shares a piece of edge with its space. Spaces that are filled
are passed through, each for a step, but nothing may land there. The space where a block is moved from may have any
shape: a shift may have put it there.
"""

from __future__ import annotations

from rules.ido.geometry import Field
from rules.ido.readings import Readings

HOME = -1
"""The way's end that is no space: across the block's own target."""


def ways(
    field: Field, squares: bytes, square: int, size: int, seat: int, budget: int, readings: Readings
) -> dict[int, int]:
    """The spaces, and `HOME`, that one action may bring the block on a square to, each with the steps it costs.

    It costs no more than `budget`, and the cheapest way counts. Only filled spaces lie between.
    """
    origin = field.space_of[square]
    near, at_target = field.near[size], field.at_target[seat]
    found: dict[int, int] = {}
    leaving = readings.leaving_costs
    own_shape = field.spaces[origin].fits == size
    if at_target[origin] and leaving <= budget and (own_shape or readings.leave_from == "any_space"):
        found[HOME] = leaving
    seen = {origin}
    level, cost = [origin], 0
    while level and cost < budget:
        cost += 1
        filled: list[int] = []
        for here in level:
            for space, its in near[here]:
                if space in seen:
                    continue
                seen.add(space)
                if squares[its[0]] and squares[its[-1]]:  # one square or two: no others may be entered
                    filled.append(space)
                    if at_target[space] and HOME not in found and cost + leaving <= budget:
                        found[HOME] = cost + leaving
                else:
                    found[space] = cost
        level = filled
    return found


def walk(field: Field, square: int, size: int, goal: int) -> int | None:
    """How many spaces a block on a square enters to come to a space of its own shape, whatever stands there; None
    where no way leads. It tells a refusal for want of steps from one for want of a way."""
    near = field.near[size]
    seen = {field.space_of[square]}
    level, cost = [field.space_of[square]], 0
    while level:
        cost += 1
        level = sorted({space for here in level for space, _ in near[here]} - seen)
        if goal in level:
            return cost
        seen.update(level)
    return None


def free_square(squares: bytes, its: tuple[int, ...]) -> int:
    """The first empty square of a space, which stands for all of them; -1 where it is filled."""
    for square in its:
        if not squares[square]:
            return square
    return -1
