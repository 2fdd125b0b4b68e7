"""An evening as a line of shots: what the camera would see, and for how long.

Every deed is three shots: a hand comes (with the piece in its fingers when one is placed), the hand is
there and the piece stands, the hand is gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rules.words import Layout
from table.sim.players import Act, Deed, Evening
from table.sim.room import Reach, Room, TableTop
from table.sim.scene import Arm
from table.sim.solids import Solid


@dataclass(frozen=True, slots=True)
class Pace:
    """How long things last. `rest_ms`: the table lies still after a deed, at least; `thinking_ms`: and up to so
    much longer; `puzzled_ms`: after a wrong one, until it is put right."""

    first_ms: float = 300.0
    coming_ms: float = 350.0
    there_ms: float = 400.0
    rest_ms: float = 2300.0
    thinking_ms: float = 600.0
    puzzled_ms: float = 4500.0


@dataclass(frozen=True, slots=True)
class Shot:
    """What stands where, under which lamp (0 the usual, 1 the switched one), before or after the bump.

    `layout` is the table as it lies. `deed` is what has just been done, in the shot of the table at rest after it.
    """

    solids: tuple[Solid, ...]
    layout: Layout
    hold_ms: float
    arm: Arm | None = None
    light: int = 0
    bumped: bool = False
    deed: Deed | None = None


@dataclass(frozen=True, slots=True)
class Disturbances:
    """After how many deeds somebody switches the lamp, and knocks the camera; None: never."""

    switch_after: int | None = None
    bump_after: int | None = None


def shots_of(
    room: Room, evening: Evening, rng: np.random.Generator, pace: Pace, disturbances: Disturbances | None = None
) -> Iterator[Shot]:
    """Every shot of the evening; the last one is the table when the game is over."""
    when = disturbances or Disturbances()
    top, start = TableTop(room, rng), evening.match.game.layout(evening.match.state)
    top.show(start)
    yield Shot(top.solids(), start, pace.first_ms)
    for done, deed in enumerate(evening.deeds()):
        light = int(when.switch_after is not None and done >= when.switch_after)
        bumped = when.bump_after is not None and done >= when.bump_after
        if done in (when.switch_after, when.bump_after):
            yield Shot(top.solids(), deed.before, pace.rest_ms, None, light, bumped)
        reach = reach_for(room, top, deed, rng)
        before = coming(top, reach, deed)
        yield Shot(before, deed.before, pace.coming_ms, reach.arm(0.72), light, bumped)
        top.show(deed.after)
        there = top.solids()
        yield Shot(there, deed.after, pace.there_ms, reach.arm(1.0), light, bumped)
        rest = pace.puzzled_ms if deed.act is Act.WRONG else pace.rest_ms + float(rng.uniform(0, pace.thinking_ms))
        yield Shot(there, deed.after, rest, None, light, bumped, deed)


def reach_for(room: Room, top: TableTop, deed: Deed, rng: np.random.Generator) -> Reach:
    """The arm that does a deed: of the side whose hand it is, to the cell it concerns."""
    return Reach(room, deed.seat, top.centre_mm(deed.reached), int(rng.integers(2**31)))


def coming(top: TableTop, reach: Reach, deed: Deed) -> tuple[Solid, ...]:
    """The table before a deed, with the piece that the coming hand brings."""
    brings = deed.move.piece is not None and deed.move.verb == "place" and deed.act is not Act.PUT_RIGHT
    if brings and deed.move.piece is not None:
        return (*top.solids(), reach.held(deed.move.piece, 0.72))
    return top.solids()
