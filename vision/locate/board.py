"""What a search for a chessboard ends with: a board, or the likely reason why not.

Frame of reference: px of the whole picture, x right and y down, centre of the top-left pixel at (0, 0).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from vision.frame import Mask, Points

_Kind = TypeVar("_Kind", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Chessboard:
    """An 8x8 chessboard in one picture.

    `corners_px` (4, 2): the outer corners of the playing area, clockwise as the picture shows them.
    `crossings_px` (9, 9, 2): every lattice point; first index along the side from `corners_px[0]` to
    `corners_px[1]`, second along the side from `corners_px[0]` to `corners_px[3]`. After `taps.orient` index
    [0, 0] is a1's outer corner, the first index counts files, the second ranks, and `corners_px` runs
    a1, a8, h8, h1, which is clockwise for a camera above the board.
    `seen` (9, 9): which of them were measured in the picture; the others follow from their neighbours.
    `confidence`: 0 to 1. `square_px`: mean edge of a square.
    """

    corners_px: Points
    crossings_px: Points
    seen: Mask
    confidence: float
    square_px: float


@dataclass(frozen=True, slots=True)
class NoBoard:
    """No 8x8 board, and `why`: a sentence that names the likely reason and what to do about it."""

    why: str


def chessboard(crossings_px: Points, seen: Mask, confidence: float) -> Chessboard:
    """A board from its (9, 9, 2) lattice, put in clockwise order with the top-left corner first."""
    grid, mask = np.asarray(crossings_px, dtype=np.float64), np.asarray(seen, dtype=bool)
    a, b = grid[8, 0] - grid[0, 0], grid[0, 8] - grid[0, 0]
    if a[0] * b[1] - a[1] * b[0] < 0:
        grid, mask = grid.transpose(1, 0, 2), mask.T
    corners = outer_corners(grid)
    first = int(np.argmin(corners.sum(axis=1)))
    grid, mask = turned(grid, first), turned(mask, first)
    steps = np.concatenate([
        np.linalg.norm(np.diff(grid, axis=0), axis=2).ravel(), np.linalg.norm(np.diff(grid, axis=1), axis=2).ravel()
    ])
    return Chessboard(outer_corners(grid), grid, mask, float(confidence), float(steps.mean()))


def outer_corners(grid: Points) -> Points:
    """(4, 2) px: [0,0], [8,0], [8,8], [0,8] of a (9, 9, 2) lattice."""
    return np.array([grid[0, 0], grid[8, 0], grid[8, 8], grid[0, 8]], dtype=np.float64)


def turned(grid: NDArray[_Kind], quarters: int) -> NDArray[_Kind]:
    """The lattice with corner number `quarters` (in `outer_corners` order) as its new [0, 0]; same handedness."""
    return np.rot90(grid, -quarters, axes=(0, 1))

