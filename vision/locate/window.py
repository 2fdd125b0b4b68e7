"""Which 8x8 squares of a lattice are the board, and is it one at all.

The evidence is the contrast across every edge between two neighbouring squares, signed so that a chequered pattern
reads +1 everywhere: 112 edges inside the board. In a strip of the frame or table beside the board the same edges read
about 0, whatever its colour, and where the pattern goes on beyond eight squares they read +1 there too. Each edge is
looked at in several places and counts those that look chequered, so a piece or its shadow across a part of it does
little harm.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Matrix, Points
from vision.locate.lattice import Lattice, Whole, homography, mapped
from vision.locate.saddles import Plane

_ALONG = np.linspace(0.1, 0.9, 11)
_ACROSS = np.array([0.11, 0.17, 0.23])
_DARK = 8.0
"""Brightness below which a ratio says little."""


@dataclass(frozen=True, slots=True)
class Window:
    """The best 8x8 of a lattice.

    `origin`: its outer corner in the lattice's numbers. `matrix` (3, 3): window numbers (0..8) to px.
    `strips` (16,): mean signed contrast within each rank and each file; `outside` (4,): the same in the strips just
    beyond; both in units of the board's own contrast, `contrast` (of brightness, 0 to 1). `beyond` (4,): about 1
    where a border line looks like an inner one; `ends` (4,): about 1 where the first inner line looks like a border.
    `margin`: how far the next best window is behind, in edges. `inner` (M, 2): nodes in window numbers that were
    seen, `inner_px` where.
    """

    origin: tuple[int, int]
    matrix: Matrix
    strips: Matrix
    outside: Matrix
    beyond: Matrix
    ends: Matrix
    contrast: float
    margin: float
    inner: Whole
    inner_px: Points


def best_window(root: Plane, lattice: Lattice) -> Window | None:
    """The window with the most chequered inside and the least chequered surroundings; None if nothing fits.

    `root` (H, W): square root of brightness, in the picture that the lattice was found in.
    """
    matrix = homography(lattice.nodes, lattice.points_px)
    window: Window | None = None
    for _ in range(2):
        found = _search(root, matrix, lattice.nodes, lattice.points_px)
        if found is None or (window is not None and found.origin == window.origin):
            return found
        window = found
        matrix = window.matrix @ _shift(-np.array(window.origin))
    return window


def _search(root: Plane, matrix: Matrix, nodes: Whole, points: Points) -> Window | None:
    low = nodes.min(axis=0) - 8
    size = nodes.max(axis=0) - low + 9
    ratios = _edge_ratios(root, matrix, low, size)
    unit = _unit(ratios[0], nodes - low)
    if abs(unit) < 0.01:
        return None
    a, b = _chequered(ratios[0], unit), _chequered(ratios[1], unit)
    scores = _scores(a, b, nodes - low)
    i, j = (int(n) for n in np.unravel_index(int(np.argmax(scores)), scores.shape))
    best = float(scores[i, j])
    if not np.isfinite(best):
        return None
    scores[i, j] = -np.inf
    origin = low + np.array([i, j])
    inner = nodes - origin
    within = np.all((inner >= 1) & (inner <= 7), axis=1)
    inner, inner_px = inner[within], points[within]
    if len(inner) < 8:
        return None
    shifted = matrix @ _shift(origin)
    side = np.linalg.norm(np.diff(mapped(shifted, np.array([[3.5, 4.0], [4.5, 4.0]])), axis=0))
    fitted, _ = cv2.findHomography(inner.astype(np.float64), inner_px, cv2.RANSAC, 0.12 * float(side) + 0.5)
    return Window(
        origin=(int(origin[0]), int(origin[1])),
        matrix=shifted if fitted is None else np.asarray(fitted, dtype=np.float64),
        strips=np.concatenate([b[i:i + 8, j + 1:j + 8].mean(axis=1), a[i + 1:i + 8, j:j + 8].mean(axis=0)]),
        outside=_outside(a, b, i, j) / 7.0,
        beyond=_evenness(a, b, i, j),
        ends=_unevenness(a, b, i, j, 1),
        contrast=abs(unit),
        margin=best - float(scores.max()),
        inner=inner,
        inner_px=inner_px,
    )


def _shift(by: Matrix | Whole) -> Matrix:
    return np.array([[1.0, 0.0, by[0]], [0.0, 1.0, by[1]], [0.0, 0.0, 1.0]])


def _edge_ratios(root: Plane, matrix: Matrix, low: Whole, cells: Whole) -> tuple[Matrix, Matrix]:
    """Signed contrast along the edges of a patch of lattice, NaN where the picture ends.

    First (cells[0] + 1, cells[1], T): across the lines of the first direction, at line low[0] + n; second (cells[0],
    cells[1] + 1, T) across those of the second. Positive where the square with an even sum of numbers is brighter.
    """
    n0, n1 = int(cells[0]), int(cells[1])
    lines, squares = np.meshgrid(np.arange(n0 + 1) + low[0], np.arange(n1) + low[1], indexing="ij")
    first = _ratios(root, matrix, lines, squares, 0)
    squares, lines = np.meshgrid(np.arange(n0) + low[0], np.arange(n1 + 1) + low[1], indexing="ij")
    return first, _ratios(root, matrix, squares, lines, 1)


def _ratios(root: Plane, matrix: Matrix, first: NDArray[np.int64], second: NDArray[np.int64], axis: int) -> Matrix:
    along, across = np.eye(2)[1 - axis], np.eye(2)[axis]
    base = np.stack([first, second], axis=-1).astype(np.float64)[:, :, None, None, None]
    side = np.array([1.0, -1.0])[:, None, None, None]
    at = base + (side * _ACROSS[None, None, :, None] * across + _ALONG[None, :, None, None] * along)
    places = mapped(matrix, at.reshape(-1, 2)).reshape(at.shape).astype(np.float32)
    height, width = root.shape
    away = (places < 0).any(axis=-1) | (places[..., 0] > width - 1) | (places[..., 1] > height - 1)
    flat = places.reshape(len(first), -1, 2)
    values = cv2.remap(root, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR).reshape(away.shape).mean(axis=4)
    bright = values.astype(np.float64) ** 2
    ratio = (bright[:, :, 0] - bright[:, :, 1]) / (bright[:, :, 0] + bright[:, :, 1] + _DARK)
    parity = 1 - 2 * ((first + second) % 2)
    return np.where(away.any(axis=(2, 3, 4))[:, :, None], np.nan, ratio * parity[:, :, None])


def _unit(first: Matrix, nodes: Whole) -> float:
    """The board's own contrast, from the edges at its crossings, with the sign that makes it positive."""
    values = np.median(first[nodes[:, 0], nodes[:, 1]], axis=1)
    values = values[np.isfinite(values)]
    if len(values) < 4:
        return 0.0
    sign = 1.0 if float(np.median(values)) >= 0 else -1.0
    return sign * float(np.percentile(values * sign, 60))


def _chequered(ratios: Matrix, unit: float) -> Matrix:
    """For each edge how much of it is chequered, -1 to 1; 0 where the picture ends."""
    shares = np.nan_to_num(ratios / unit, nan=0.0)
    for_it = ((shares > 0.45) & (shares < 1.9)).mean(axis=2)
    against = ((shares < -0.45) & (shares > -1.9)).mean(axis=2)
    return np.asarray(np.clip(1.5 * (for_it - against), -1.0, 1.0))


def _scores(a: Matrix, b: Matrix, nodes: Whole) -> Matrix:
    """How well each window fits: chequered edges inside, crossings inside, plain strips outside, and a border.

    A border line reads 1, 0, 1, 0 along its eight squares (its frame has one colour), an inner line 1, 1, 1, 1.
    """
    count = np.zeros((a.shape[0] + 1, b.shape[1] + 1))
    np.add.at(count, (nodes[:, 0] + 1, nodes[:, 1] + 1), 1)
    count = count.cumsum(axis=0).cumsum(axis=1)
    height, width = a.shape[0] - 8, b.shape[1] - 8
    inside = (count[8:8 + height, 8:8 + width] - count[1:1 + height, 8:8 + width]
              - count[8:8 + height, 1:1 + width] + count[1:1 + height, 1:1 + width])
    scores = np.full((height, width), -np.inf)
    for i, j in zip(*np.nonzero(inside >= max(8.0, 0.5 * inside.max())), strict=True):
        if not (1 <= i < height - 1 and 1 <= j < width - 1):
            continue
        edges = a[i + 1:i + 8, j:j + 8].sum() + b[i:i + 8, j + 1:j + 8].sum()
        border = _unevenness(a, b, int(i), int(j), 0).sum() - _unevenness(a, b, int(i), int(j), 1).sum()
        outside = np.maximum(_outside(a, b, int(i), int(j)), 0.0).sum()
        scores[i, j] = edges + inside[i, j] - outside + 6.0 * border
    return scores


def _outside(a: Matrix, b: Matrix, i: int, j: int) -> Matrix:
    """(4,) sums of signed contrast along the strips beside the window at (i, j): before, after, each way."""
    strips = (b[i - 1, j + 1:j + 8], b[i + 8, j + 1:j + 8], a[i + 1:i + 8, j - 1], a[i + 1:i + 8, j + 8])
    return np.array([strip.sum() for strip in strips])


def _unevenness(a: Matrix, b: Matrix, i: int, j: int, step: int) -> Matrix:
    """(4,) how much the lines `step` inside each side look like a border, 0 to 1.

    Every other square stands out there and the others do not. (Where odd and even squares stand out with opposite
    signs, a plain edge runs along the line: the rim of the frame, or an arm.)
    """
    lines = _lines(a, b, i, j, step)
    means = np.stack([lines[:, ::2].mean(axis=1), lines[:, 1::2].mean(axis=1)])
    return np.asarray(np.clip(means.max(axis=0) - np.abs(means.min(axis=0)), 0.0, 1.0))


def _evenness(a: Matrix, b: Matrix, i: int, j: int) -> Matrix:
    """(4,) the weaker of odd and even squares along each border line: about 1 if the pattern goes on beyond it."""
    lines = _lines(a, b, i, j, 0)
    return np.asarray(np.minimum(lines[:, ::2].mean(axis=1), lines[:, 1::2].mean(axis=1)))


def _lines(a: Matrix, b: Matrix, i: int, j: int, step: int) -> Matrix:
    """(4, 8) the edges along the lines `step` inside each side of the window."""
    return np.array([a[i + step, j:j + 8], a[i + 8 - step, j:j + 8], b[i:i + 8, j + step], b[i:i + 8, j + 8 - step]])
