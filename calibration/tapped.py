"""A board that was tapped, not found: four taps, some px off, drawn to the board's crossings."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np

from rules.words import Said
from vision.frame import Image
from vision.locate.board import Chessboard
from vision.locate.refine import refine_crossings
from vision.locate.surface import fit_bend, fit_flat

CORNERS = ("a1", "a8", "h8", "h1")
"""Clockwise as a camera above the board sees them."""
COARSE_SQUARE_PX = (10, 20, 40)
"""Widths of a square at which tapped corners are drawn to the crossings: a tap is off by some ten px,
which is a small part of a square only in a small picture."""
LEAST_CROSSINGS = 16
_CORNER_NODES = np.array([[0, 0], [0, 8], [8, 8], [8, 0]], dtype=np.float64)
"""Lattice numbers of a1, a8, h8, h1: files first."""


def tapped_board(image: Image, corners_px: Mapping[str, tuple[float, float]]) -> Chessboard | Said:
    """The board whose outer corners a1, a8, h8, h1 were tapped, some px off, drawn to its 49 crossings.

    [0, 0] of the lattice is a1's outer corner, the first number counts files. A sentence if fewer than 16
    crossings are where the taps say.
    """
    gray = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    taps = np.array([corners_px[name] for name in CORNERS], dtype=np.float64)
    whole = fit_flat(_CORNER_NODES, taps, (gray.shape[1], gray.shape[0])).square_px
    nodes, points = _CORNER_NODES, taps
    for square_px in (*COARSE_SQUARE_PX, whole):
        scale = min(1.0, square_px / whole)
        size = (max(64, round(gray.shape[1] * scale)), max(64, round(gray.shape[0] * scale)))
        small = np.asarray(cv2.resize(gray, size, interpolation=cv2.INTER_AREA), np.uint8)
        surface = fit_flat(nodes, (points + 0.5) * scale - 0.5, size)
        if len(nodes) > len(_CORNER_NODES):
            surface = fit_bend(surface, nodes, (points + 0.5) * scale - 0.5)
        crossings = refine_crossings(small, surface, 0.5 if nodes is _CORNER_NODES else 0.2)
        if crossings.seen.sum() < LEAST_CROSSINGS:
            seen = int(crossings.seen.sum())
            return Said(f"Wanted a chessboard between the four taps, found only {seen} of its 49 crossings: clear the "
                        "board, avoid glare, and tap the outer corners of a1, a8, h8 and h1 again.",
                        f"Entre os quatro toques só se veem {seen} dos 49 cruzamentos de um tabuleiro de xadrez: "
                        "esvazie o tabuleiro, evite reflexos e toque de novo nos cantos de fora de a1, a8, h8 e h1.")
        nodes = crossings.nodes[crossings.seen]
        points = (crossings.points_px[crossings.seen] + 0.5) / scale - 0.5
    surface = fit_bend(fit_flat(nodes, points, (gray.shape[1], gray.shape[0])), nodes, points)
    grid = surface.at(np.array([[i, j] for i in range(9) for j in range(9)], dtype=np.float64)).reshape(9, 9, 2)
    there = np.zeros((9, 9), dtype=bool)
    for (i, j), point in zip(nodes.astype(int), points, strict=True):
        grid[i, j], there[i, j] = point, True
    corners = grid[[0, 0, 8, 8], [0, 8, 8, 0]]
    return Chessboard(corners, grid, there, float(there.sum() / 49), float(surface.square_px))
