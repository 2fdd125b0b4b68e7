"""Which corner of the board is covered, when a picture of the bare board is wanted. Field report O6.

Before anybody said which corner is a1's, a corner is named by its place in the picture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from types import MappingProxyType

import cv2
import numpy as np

from rules.words import Said
from vision.frame import Gray, Image, Points, checked_image
from vision.locate import Chessboard, find_chessboard
from vision.locate.exact import reduced
from vision.locate.lattice import Lattice, grow_lattices, homography, mapped
from vision.locate.saddles import find_saddles

WORK_PX = 900
TRIES = 4
FEWEST = 24
"""Crossings of a lattice that may be a board's."""
EXTENT = (6, 11)
"""Lines that such a lattice has each way: 7 inside the board, and more where a border or frame looks alike."""
BLOCK = 3
"""Of a lattice of which no board could be made: lines each way that make a corner."""
FREE, COVERED = 0.65, 0.5
"""Of the crossings of a corner: at least so many are seen of one that is free, at most so many of a covered one."""
OFF = 0.45
"""A corner square differs from those like it by more than this share of what light and dark squares differ by."""
PLACES: Mapping[str, Said] = MappingProxyType({said.en: said for said in (
    Said("right", "à direita"), Said("lower right", "embaixo à direita"), Said("bottom", "embaixo"),
    Said("lower left", "embaixo à esquerda"), Said("left", "à esquerda"), Said("upper left", "em cima à esquerda"),
    Said("top", "em cima"), Said("upper right", "em cima à direita"))})
SIDES = tuple(PLACES)
"""Eighths of a turn, clockwise as the picture shows them."""


def covered_corners(image: Image) -> tuple[str, ...]:
    """Where in the picture a corner of the board is covered, in words of `SIDES`; none if all are free, or if there
    is nothing like a board. Raises `BadPicture`."""
    found = find_chessboard(checked_image(image, "picture"))
    if isinstance(found, Chessboard):
        corners = found.corners_px
        return _named(corners.mean(axis=0), [corners[i] for i in range(4) if _is_off(image, found, i)])
    gray: Gray = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    lattices = islice(grow_lattices(find_saddles(reduced(gray, WORK_PX))), TRIES)
    best = max(lattices, key=len, default=None)
    return () if best is None or len(best) < FEWEST else _missing(best)


def _named(middle_px: Points, corners_px: Sequence[Points]) -> tuple[str, ...]:
    names = []
    for corner in corners_px:
        x, y = corner - middle_px
        names.append(SIDES[round(float(np.arctan2(y, x)) / (np.pi / 4)) % 8])
    return tuple(names)


def _missing(lattice: Lattice) -> tuple[str, ...]:
    """The corners in which the crossings of a lattice are missing, if at most two of them are."""
    if not all(EXTENT[0] <= lines <= EXTENT[1] for lines in lattice.extent):
        return ()
    low, high = lattice.nodes.min(axis=0), lattice.nodes.max(axis=0)
    there = np.zeros(high - low + 1, dtype=bool)
    there[tuple((lattice.nodes - low).T)] = True
    ends = np.array([[low[0], low[1]], [low[0], high[1]], [high[0], high[1]], [high[0], low[1]]])
    blocks = (slice(0, BLOCK), slice(-BLOCK, None))
    shares = [float(there[blocks[i], blocks[j]].mean()) for i, j in ((0, 0), (0, 1), (1, 1), (1, 0))]
    covered = [k for k in range(4) if shares[k] <= COVERED]
    if not 1 <= len(covered) <= 2 or any(COVERED < share < FREE for share in shares):
        return ()
    px = mapped(homography(lattice.nodes, lattice.points_px), np.vstack([ends, (low + high) / 2]))
    return _named(px[4], [px[k] for k in covered])


def _is_off(image: Image, board: Chessboard, corner: int) -> bool:
    """Whether the square at a corner looks like none of its kind: its own crossing is not seen, or its colour is not
    that of the three squares of its kind next to it."""
    i, j = ((0, 0), (7, 0), (7, 7), (0, 7))[corner]
    step_i, step_j = (1 if i == 0 else -1), (1 if j == 0 else -1)
    if not board.seen[1 if i == 0 else 7, 1 if j == 0 else 7]:
        return True
    like = [_colour(image, board, i + a * step_i, j + b * step_j) for a, b in ((1, 1), (0, 2), (2, 0))]
    unlike = [_colour(image, board, i + a * step_i, j + b * step_j) for a, b in ((0, 1), (1, 0))]
    usual = np.median(like, axis=0)
    contrast = float(np.linalg.norm(usual - np.mean(unlike, axis=0)))
    return float(np.linalg.norm(_colour(image, board, i, j) - usual)) > OFF * contrast


def _colour(image: Image, board: Chessboard, i: int, j: int) -> Points:
    """The median colour, BGR, of the middle of a square."""
    ring = board.crossings_px[i:i + 2, j:j + 2].reshape(4, 2)
    inner = (ring + ring.mean(axis=0)) / 2
    x0, y0 = np.floor(inner.min(axis=0)).astype(int)
    x1, y1 = np.ceil(inner.max(axis=0)).astype(int) + 1
    h, w = image.shape[:2]
    mask = np.zeros((h, w), np.uint8)
    cv2.fillConvexPoly(mask, cv2.convexHull(inner.astype(np.int32)), (255,))
    box = slice(max(0, y0), max(0, y1)), slice(max(0, x0), max(0, x1))
    pixels = image[box][mask[box] > 0]
    return np.asarray(np.median(pixels, axis=0) if len(pixels) else np.zeros(3), np.float64)
