"""From a rough lattice to the exact board in the whole picture."""

from __future__ import annotations

import cv2
import numpy as np

from vision.frame import Gray, Mask, Matrix, Points
from vision.locate.board import Chessboard, chessboard
from vision.locate.lattice import Whole
from vision.locate.refine import Crossings, refine_border, refine_crossings
from vision.locate.saddles import Plane
from vision.locate.surface import Surface, fit_bend, fit_flat

_ALL = np.array([[i, j] for i in range(9) for j in range(9)], dtype=np.float64)
_FEWEST = 16
_FLAT_SPREAD, _BENT_SPREAD = 0.04, 0.15
"""How far the border may lie from its extrapolation, in squares: on a flat board, on a curled mat."""


def root_of(gray: Gray) -> Plane:
    """(H, W) float32: square root of brightness, its noise smoothed."""
    return np.asarray(cv2.GaussianBlur(np.sqrt(gray.astype(np.float32)), (0, 0), 1.0), dtype=np.float32)


def reduced(gray: Gray, longest_px: int) -> Gray:
    """The picture made smaller, if it is larger than that."""
    scale = longest_px / max(gray.shape)
    if scale >= 1.0:
        return gray
    return np.asarray(cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def lifted(scale: float) -> Matrix:
    """(3, 3) from px of a reduced picture to px of the whole one, `scale` times as large."""
    shift = 0.5 * scale - 0.5
    return np.array([[scale, 0.0, shift], [0.0, scale, shift], [0.0, 0.0, 1.0]])


def refined_board(gray: Gray, nodes: Whole, points_px: Points, matrix: Matrix, trust: float) -> Chessboard | None:
    """The board near the crossings `points_px` (N, 2) at `nodes` (N, 2); None if too few of them are really there.

    `matrix` maps nodes to px roughly; `trust`, 0 to 1, is how chequered the board looked.
    """
    size_px = (gray.shape[1], gray.shape[0])
    flat = fit_flat(nodes, points_px, size_px, matrix)
    surface = fit_bend(flat, nodes, points_px)
    for _ in range(2):
        crossings = refine_crossings(gray, surface)
        seen = crossings.seen
        if seen.sum() < _FEWEST:
            return None
        flat = fit_flat(crossings.nodes[seen], crossings.points_px[seen], size_px, flat.matrix)
        surface = fit_bend(flat, crossings.nodes[seen], crossings.points_px[seen])
    off = np.linalg.norm(flat.at(crossings.nodes[seen]) - crossings.points_px[seen], axis=1) / flat.square_px
    spread = float(np.clip(_FLAT_SPREAD + 3.0 * np.sqrt(np.mean(off**2)), _FLAT_SPREAD, _BENT_SPREAD))
    border = refine_border(root_of(gray), surface, crossings.light_even, spread).seen_from(flat, surface)
    surface = fit_bend(flat, crossings.nodes[seen], crossings.points_px[seen], border)
    grid, measured = _measured(surface, crossings)
    return chessboard(grid, measured, float(np.clip(trust, 0.0, 1.0)) * float(measured.sum()) / 49.0)


def _measured(surface: Surface, crossings: Crossings) -> tuple[Points, Mask]:
    """All 81 lattice points (9, 9, 2), the measured crossings where they lie near the surface."""
    grid = surface.at(_ALL).reshape(9, 9, 2)
    mask = np.zeros((9, 9), dtype=bool)
    for (i, j), point, ok in zip(crossings.nodes.astype(int), crossings.points_px, crossings.seen, strict=True):
        if ok and np.linalg.norm(grid[i, j] - point) < 0.08 * surface.square_px:
            grid[i, j], mask[i, j] = point, True
    return grid, mask

