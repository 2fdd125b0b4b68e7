"""Points a person tapped on the phone: they name the corners, and are the way out where nothing is found.

Boards are seen from above, so a picture never mirrors them: one named corner fixes all four.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from vision.locate.board import Chessboard, turned

CORNER_NAMES = ("a1", "a8", "h8", "h1")
"""Clockwise as a camera above the board sees them."""
_NEAR_SQUARES = 1.5


@dataclass(frozen=True, slots=True)
class BadTaps:
    """Taps that name no corner of the board, and `why`: a sentence with what to do."""

    why: str


def orient(board: Chessboard, taps: Mapping[str, tuple[float, float]]) -> Chessboard | BadTaps:
    """`board` with a1's outer corner at [0, 0], files along the first index and ranks along the second.

    `taps` has one to four of a1, h1, h8, a8, in px; each must lie within a square and a half of a corner, and all
    must agree. `corners_px` of the result runs a1, a8, h8, h1.
    """
    unknown = sorted(set(taps) - set(CORNER_NAMES))
    if unknown or not taps:
        found = ", ".join(unknown) or "none"
        return BadTaps(f"wanted taps on a1, h1, h8 or a8, found {found}: tap a corner of the board")
    points = np.array(list(taps.values()), dtype=np.float64)
    places = [CORNER_NAMES.index(name) for name in taps]
    named = [np.roll(board.corners_px, -turn, axis=0)[places] for turn in range(4)]
    gaps = [np.linalg.norm(corners - points, axis=1).max() for corners in named]
    turn = int(np.argmin(gaps))
    if not gaps[turn] <= _NEAR_SQUARES * board.square_px:
        names = " and ".join(taps)
        return BadTaps(f"wanted {names} tapped within {_NEAR_SQUARES:g} squares of a corner of the board, found "
                       f"{gaps[turn] / board.square_px:.1f} squares: tap the outer corner of {names} again")
    grid, seen = turned(board.crossings_px, turn), turned(board.seen, turn)
    return replace(board, corners_px=np.roll(board.corners_px, -turn, axis=0),
                   crossings_px=grid.transpose(1, 0, 2).copy(), seen=seen.T.astype(bool))
