"""An evening as video: arms that come, hover, set down, slide, turn pieces one by one, and go.

As `table.sim.shots`, but every picture in which something moves is a shot of its own. Deeds are done as people do
them: a dropped pyramid's neighbours are turned one after the other, some with a pause of seconds and the hand away;
a piece is pushed on over squares before it is let go; a hand hovers over the board and does nothing; somebody
switches the lamp in the very moment of a move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rules.words import Cell, Layout
from table.sim.players import Act, Deed, Evening
from table.sim.room import Reach, Room, TableTop
from table.sim.scene import Arm
from table.sim.shots import Disturbances, Shot
from table.sim.solids import Solid

STEP_MS = 100.0
"""A picture's time: what moves looks different in each."""


@dataclass(frozen=True, slots=True)
class Ways:
    """How people use their hands. Shares are of deeds. `pause_ms`: the hand is away between two parts of an action;
    `slide_ms`: a piece that is pushed on rests so long; `first_ms`, `rest_ms`, `thinking_ms`, `puzzled_ms` as in
    `table.sim.shots.Pace`."""

    coming: int = 5
    there: int = 2
    going: int = 4
    hovers: float = 0.12
    slides: float = 0.12
    pauses: float = 0.3
    slide_ms: float = 500.0
    pause_ms: tuple[float, float] = (800.0, 2500.0)
    first_ms: float = 1500.0
    rest_ms: float = 2400.0
    thinking_ms: float = 600.0
    puzzled_ms: float = 5000.0


class _Camera:
    """Makes shots under the lamp and from the place of the moment."""

    def __init__(self, room: Room, top: TableTop) -> None:
        self.room, self.top = room, top
        self.light, self.bumped = 0, False

    def still(self, layout: Layout, hold_ms: float, deed: Deed | None = None) -> Shot:
        return Shot(self.top.solids(), layout, hold_ms, None, self.light, self.bumped, deed)

    def moving(self, layout: Layout, arm: Arm, held: Sequence[Solid] = (), hold_ms: float = STEP_MS) -> Shot:
        return Shot((*self.top.solids(), *held), layout, hold_ms, arm, self.light, self.bumped)


def moving_shots(
    room: Room, evening: Evening, rng: np.random.Generator, ways: Ways, disturbances: Disturbances | None = None
) -> Iterator[Shot]:
    """Every shot of the evening; a deed is told by the first shot in which its last hand is gone."""
    when = disturbances or Disturbances()
    top, start = TableTop(room, rng), evening.match.game.layout(evening.match.state)
    camera = _Camera(room, top)
    top.show(start)
    yield camera.still(start, ways.first_ms)
    for done, deed in enumerate(evening.deeds()):
        if when.bump_after is not None and done == when.bump_after:
            camera.bumped = True
            yield camera.still(deed.before, ways.rest_ms)
        if rng.random() < ways.hovers:
            yield from _hover(camera, deed, ways, rng)
        # The lamp is switched while the piece is being set down: in the same second as the move.
        yield from _done(camera, deed, ways, rng, when.switch_after == done)
        rest_ms = ways.puzzled_ms if deed.act is Act.WRONG else ways.rest_ms + float(rng.uniform(0, ways.thinking_ms))
        yield camera.still(deed.after, rest_ms, deed)


def stages(deed: Deed, ways: Ways, rng: np.random.Generator) -> list[tuple[Cell, Layout]]:
    """Where the hand goes, one cell after the other, and how the table lies once it has been there.

    The last one is the table after the deed. A placed piece may be set down beside its square first.
    """
    before, after = deed.before.pieces, deed.after.pieces
    changed = [c for c in sorted({*before, *after}) if before.get(c) != after.get(c)]
    order = sorted(changed, key=lambda c: (c.zone != "board", c != deed.reached, _far(c, deed.reached)))
    out: list[tuple[Cell, Layout]] = []
    pieces = dict(before)
    for cell in order:
        if cell.zone == "van" and cell not in after:
            continue  # it leaves one place as it comes to the other
        pieces = {c: p for c, p in pieces.items() if c.zone == "board" or cell.zone == "board"}
        if cell in after:
            pieces[cell] = after[cell]
        else:
            pieces.pop(cell, None)
        out.append((cell, Layout(dict(pieces))))
    if deed.act is Act.PLAYED and deed.move.verb == "place" and rng.random() < ways.slides:
        out = [*_slid(deed, rng), *out]
    return out


def _far(cell: Cell, other: Cell) -> int:
    return abs(cell.col - other.col) + abs(cell.row - other.row)


def _slid(deed: Deed, rng: np.random.Generator) -> list[tuple[Cell, Layout]]:
    """The piece on one or two free squares in a line before its own."""
    at, piece = deed.reached, deed.move.piece
    if piece is None:
        return []
    col, row = ((0, 1), (1, 0), (0, -1), (-1, 0))[int(rng.integers(4))]
    way = [Cell(at.col + step * col, at.row + step * row) for step in (2, 1)]
    free = [c for c in way if 0 <= c.col < 8 and 0 <= c.row < 8 and c not in deed.before.pieces]
    return [(cell, Layout({**deed.before.pieces, cell: piece})) for cell in free]


def _done(camera: _Camera, deed: Deed, ways: Ways, rng: np.random.Generator, switches: bool) -> Iterator[Shot]:
    """One deed, hand in and hand out, in as many parts as it has."""
    parts = stages(deed, ways, rng)
    now = deed.before
    is_away = True
    for number, (cell, layout) in enumerate(parts):
        reach = Reach(camera.room, deed.seat, camera.top.centre_mm(cell), int(rng.integers(2**31)))
        is_brought = number == 0 and deed.move.verb == "place" and deed.act is not Act.PUT_RIGHT
        piece = deed.move.piece if is_brought else None
        for share in _shares(ways.coming if is_away else 2, rising=True):
            held = () if piece is None else (reach.held(piece, share),)
            yield camera.moving(now, reach.arm(share), held)
        if switches and number == 0:
            camera.light = 1
        camera.top.show(layout)
        now = layout
        is_sliding = deed.move.verb == "place" and number < len(parts) - 1
        there_ms = ways.slide_ms if is_sliding else ways.there * STEP_MS
        yield camera.moving(now, reach.arm(1.0), hold_ms=there_ms)
        pauses = number < len(parts) - 1 and not is_sliding and rng.random() < ways.pauses
        is_away = number == len(parts) - 1 or pauses
        if is_away:
            for share in _shares(ways.going, rising=False):
                yield camera.moving(now, reach.arm(share))
        if pauses:
            yield camera.still(now, float(rng.uniform(*ways.pause_ms)))


def _shares(count: int, rising: bool) -> list[float]:
    """How near the fingertips are, picture by picture; an arm that goes is soon out of sight."""
    shares = [float(s) for s in np.linspace(0.25, 0.9, count)]
    return shares if rising else shares[::-1]


def _hover(camera: _Camera, deed: Deed, ways: Ways, rng: np.random.Generator) -> Iterator[Shot]:
    """A hand comes, rests over some square, and goes; nothing was done."""
    cell = Cell(int(rng.integers(8)), int(rng.integers(8)))
    reach = Reach(camera.room, deed.seat, camera.top.centre_mm(cell), int(rng.integers(2**31)))
    for share in _shares(ways.coming, rising=True):
        yield camera.moving(deed.before, reach.arm(share))
    yield camera.moving(deed.before, reach.arm(0.95), hold_ms=float(rng.uniform(300, 2500)))
    for share in _shares(ways.going, rising=False):
        yield camera.moving(deed.before, reach.arm(share))
    yield camera.still(deed.before, float(rng.uniform(300, 1500)))
