"""Other mats on the table where one was found: that one says how every square millimetre of the table is seen.

With the plane known a lattice of slots has its pitch already; only where it lies and how it is turned is left to tell,
and three squares do that, whatever is printed on the cloth.

Frame of reference: mm as `QuadropolisKit`, of the mat that was found; px of the whole picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.frame import Matrix, Points
from vision.kits.quadropolis import SIDE, QuadropolisKit
from vision.locate.lattice import mapped

FEWEST = 3
_SIDE_OF_PITCH = (0.66, 0.94)
_SLACK = 0.2
"""Of a pitch: a tile lies so far from its slot's middle."""
_REACHES = (1, 1, 2, SIDE, SIDE)
_MOST_UNEVEN = 1.25
Whole = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """Squares that lie as slots do: `cells` (N, 2) whole (column, row), `members` (N,) which squares, the first the one
    that it was begun from, and `from_cells` (3, 3) from cells to px."""

    cells: Whole
    members: Whole
    from_cells: Matrix


def lattices_beside(
    squares_px: Points, left: Mask, from_mm: Sequence[Matrix], kit: QuadropolisKit
) -> tuple[Lattice, ...]:
    """Lattices of squares among those that are `left` (N,), that of most squares first. `squares_px` (N, 4, 2);
    `from_mm`: of each mat that was found, to px."""
    middle = np.array([[SIDE * kit.pitch_mm / 2] * 2])
    mats_px = np.concatenate([mapped(one, middle) for one in from_mm])
    near = np.linalg.norm(squares_px.mean(axis=1)[:, None] - mats_px[None], axis=2).argmin(axis=1)
    found: list[Lattice] = []
    for n, one in enumerate(from_mm):
        to_mm = np.asarray(np.linalg.inv(one), np.float64)
        quads = mapped(to_mm, squares_px.reshape(-1, 2)).reshape(-1, 4, 2)
        sides = np.linalg.norm(np.roll(quads, -1, axis=1) - quads, axis=2)
        size = sides.mean(axis=1) / kit.pitch_mm
        like = left & (size > _SIDE_OF_PITCH[0]) & (size < _SIDE_OF_PITCH[1])
        like &= sides.max(axis=1) < _MOST_UNEVEN * sides.min(axis=1)
        tried = ~(like & (near == n))
        for seed in range(len(tried)):
            if tried[seed]:
                continue
            lattice = _grown(quads, np.flatnonzero(like), seed, kit, one)
            if lattice is not None:
                found.append(lattice)
                # Whoever belongs to a lattice of many grows much the same.
                if len(lattice.cells) > 2 * FEWEST:
                    tried[lattice.members[1::2]] = True
    return tuple(sorted(found, key=lambda lattice: -len(lattice.cells)))


def _grown(quads: Points, like: Whole, seed: int, kit: QuadropolisKit, from_mm: Matrix) -> Lattice | None:
    """The lattice around one square: turned as that one at first, then as all say together."""
    at = quads[like].mean(axis=1)
    begun = quads[seed]
    side = begun[1] - begun[0] + begun[2] - begun[3]
    angle = float(np.arctan2(side[1], side[0]))
    middle = begun.mean(axis=0)
    first = int(np.flatnonzero(like == seed)[0])
    for reach in _REACHES:
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[c, s], [-s, c]])
        where = (at - middle) @ turn.T / kit.pitch_mm
        cells = np.round(where)
        off = np.linalg.norm(where - cells, axis=1)
        good = (off < _SLACK) & (np.abs(cells).max(axis=1) <= reach)
        good[first] = True
        known = np.flatnonzero(good)
        _, once = np.unique(cells[known[np.argsort(off[known])]], axis=0, return_index=True)
        known = known[np.argsort(off[known])][once]
        if len(known) < 2:
            continue
        # The turn and place that bring those cells nearest to their squares.
        a, b = cells[known] * kit.pitch_mm, at[known]
        ca, cb = a - a.mean(axis=0), b - b.mean(axis=0)
        angle = float(np.arctan2((ca[:, 0] * cb[:, 1] - ca[:, 1] * cb[:, 0]).sum(), (ca * cb).sum()))
        c, s = np.cos(angle), np.sin(angle)
        middle = b.mean(axis=0) - np.array([[c, -s], [s, c]]) @ a.mean(axis=0)
    inside = _in_window(cells[known].astype(np.int64))
    if inside.sum() < FEWEST:
        return None
    known = known[inside]
    order = np.argsort(like[known] != seed, kind="stable")
    p = kit.pitch_mm
    # Rows count downwards, millimetres upwards.
    to_mm = np.array([[c * p, s * p, middle[0]], [s * p, -c * p, middle[1]], [0, 0, 1.0]])
    down = cells[known][order].astype(np.int64) * (1, -1)
    return Lattice(down, like[known][order], np.asarray(from_mm @ to_mm))


def _in_window(cells: Whole) -> Mask:
    """(N,): the cells of the four by four that hold most of them, cell (0, 0) among them."""
    masks: list[Mask] = [np.asarray(((cells >= (left, top)) & (cells < (left + SIDE, top + SIDE))).all(axis=1))
                         for left in range(1 - SIDE, 1) for top in range(1 - SIDE, 1)]
    return max(masks, key=lambda mask: int(mask.sum()))
