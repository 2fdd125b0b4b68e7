"""Points a person tapped on the phone: they name the corners, and are the way out where nothing is found.

Boards are seen from above, so a picture never mirrors them: one named corner fixes all four.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.frame import Image, Points, checked_image
from vision.locate.board import Chessboard, chessboard, turned
from vision.locate.exact import lifted, reduced, refined_board
from vision.locate.lattice import Whole, homography, mapped
from vision.locate.saddles import Saddles, find_saddles

CORNER_NAMES = ("a1", "a8", "h8", "h1")
"""Clockwise as a camera above the board sees them."""
_NEAR_SQUARES = 1.5
_WORK_PX = 900
_ALL = np.array([[i, j] for i in range(9) for j in range(9)], dtype=np.int64)


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


def from_taps(image: Image, taps: Mapping[str, tuple[float, float]]) -> Chessboard | BadTaps:
    """The board whose four named outer corners were tapped, refined to the crossings that the picture shows.

    Turned like the result of `orient`. Where no crossings are to be seen the taps themselves are the corners, with a
    confidence of 0.1 and nothing `seen`.
    """
    checked_image(image, "picture")
    if set(taps) != set(CORNER_NAMES):
        found = ", ".join(sorted(taps)) or "none"
        return BadTaps(f"wanted taps on a1, h1, h8 and a8, found {found}: tap all four corners")
    corners = np.array([taps[name] for name in CORNER_NAMES], dtype=np.float64)
    sides = np.roll(corners, -1, axis=0) - corners
    bends = sides[:, 0] * np.roll(sides, -1, axis=0)[:, 1] - sides[:, 1] * np.roll(sides, -1, axis=0)[:, 0]
    if (bends < 0).all():
        return BadTaps("wanted a1, a8, h8 and h1 clockwise as the picture shows them, found them the other way round: "
                       "check the letters on the board's edge and tap the corners again")
    if not (bends > 0).all() or np.linalg.norm(sides, axis=1).min() < 8 * 6:
        return BadTaps("wanted the four corners of a board, found taps that enclose none: "
                       "tap each outer corner of the playing area once")
    gray = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    small = reduced(gray, _WORK_PX)
    lift = lifted(gray.shape[1] / small.shape[1])
    rough = homography(np.array([[0, 0], [8, 0], [8, 8], [0, 8]]), corners)
    matched = _matched(find_saddles(small), np.linalg.inv(lift) @ rough)
    if matched is not None:
        nodes, points = matched
        points = mapped(lift, points)
        fitted, _ = cv2.findHomography(nodes.astype(np.float64), points, cv2.RANSAC, 0.06 * _square_px(corners))
        whole = np.asarray(rough if fitted is None else fitted, dtype=np.float64)
        board = refined_board(gray, nodes, points, whole, 0.9)
        if board is not None and _still_there(board, corners):
            return orient(board, taps)
    grid = mapped(rough, _ALL).reshape(9, 9, 2)
    return orient(chessboard(grid, np.zeros((9, 9), dtype=bool), 0.1), taps)


def _matched(saddles: Saddles, rough: Points) -> tuple[Whole, Points] | None:
    """Saddles near the inner crossings that the taps promise, all shifted alike; None if fewer than nine."""
    if len(saddles) < 9:
        return None
    inner = _ALL[((_ALL > 0) & (_ALL < 8)).all(axis=1)]
    expected = mapped(rough, inner)
    step = np.linalg.norm(mapped(rough, inner + np.array([1, 0])) - expected, axis=1)
    gap = np.linalg.norm(saddles.points_px[None] - expected[:, None], axis=2) / step[:, None]
    sign = 1 - 2 * (inner.sum(axis=1) % 2)
    close = gap < 0.35
    common = (np.where(close, saddles.quality, 0.0) * saddles.phase * sign[:, None]).sum()
    agree = (saddles.phase[None] * sign[:, None] * np.conj(common)).real / (abs(common) + 1e-9)
    gap[~close | (agree < 0.5) | (saddles.quality[None] < 0.6)] = np.inf
    best = np.argmin(gap, axis=1)
    found = np.isfinite(gap[np.arange(len(inner)), best])
    if found.sum() < 9:
        return None
    return inner[found], saddles.points_px[best[found]]


def _square_px(corners: Points) -> float:
    return float(np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1).mean()) / 8


def _still_there(board: Chessboard, corners: Points) -> bool:
    """Whether the refined corners stayed within three quarters of a square of the tapped ones."""
    gaps = [np.linalg.norm(np.roll(board.corners_px, -turn, axis=0) - corners, axis=1).max() for turn in range(4)]
    return bool(min(gaps) < 0.75 * board.square_px)
