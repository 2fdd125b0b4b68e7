"""Which 8x8 squares of a lattice are the board, and is it one at all.

The evidence is the contrast across every edge between two neighbouring squares, signed so that a chequered pattern
reads +1 everywhere: 112 edges inside the board. In a strip of the frame or table beside the board the same edges read
about 0, whatever its colour, and where the pattern goes on beyond eight squares they read +1 there too.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.frame import Matrix
from vision.locate.lattice import Lattice, homography, mapped

_ALONG = np.linspace(0.16, 0.84, 7)
_ACROSS = np.array([0.14, 0.23, 0.32])
_DARK = 2.0


@dataclass(frozen=True, slots=True)
class Window:
    """The best 8x8 of a lattice.

    `origin`: its outer corner in the lattice's numbers. `matrix` (3, 3): window numbers (0..8) to px.
    `strips` (16,): mean signed contrast within each rank and each file; `outside` (4,): the same in the strips just
    beyond; both in units of the board's own contrast, `contrast` (of brightness, 0 to 1). `beyond` (4,): about 1 where a
    border line looks like an inner one; `ends` (4,): about 1 where the first inner line looks like a border. `margin`: how far the next
    best window is behind, in edges. `inner` (M, 2): nodes in window numbers that were seen, `inner_px` where.
    """

    origin: tuple[int, int]
    matrix: Matrix
    strips: Matrix
    outside: Matrix
    beyond: Matrix
    ends: Matrix
    contrast: float
    margin: float
    inner: Matrix
    inner_px: Matrix


def edge_contrasts(root: Matrix, matrix: Matrix, low: tuple[int, int], cells: tuple[int, int]) -> tuple[Matrix, Matrix]:
    """Signed contrast of the edges of a patch of lattice; `root` is the square root of brightness.

    First (cells[0] + 1, cells[1]): across the lines of the first direction, at line low[0] + n; second (cells[0],
    cells[1] + 1) across those of the second. NaN where the picture ends. Positive where the square with an even sum
    of numbers is the brighter one.
    """
    n0, n1 = cells
    lines, squares = np.meshgrid(np.arange(n0 + 1) + low[0], np.arange(n1) + low[1], indexing="ij")
    across = _contrast(root, matrix, lines, squares, 0)
    squares, lines = np.meshgrid(np.arange(n0) + low[0], np.arange(n1 + 1) + low[1], indexing="ij")
    return across, _contrast(root, matrix, squares, lines, 1)


def _contrast(root: Matrix, matrix: Matrix, first: Matrix, second: Matrix, axis: int) -> Matrix:
    base = np.stack([first, second], axis=-1).astype(np.float64)[:, :, None, None, None]
    along = np.array([0.0, 1.0]) if axis == 0 else np.array([1.0, 0.0])
    across = np.array([1.0, 0.0]) if axis == 0 else np.array([0.0, 1.0])
    side = np.array([1.0, -1.0])[:, None, None, None]
    at = base + (side * _ACROSS[None, None, :, None] * across + _ALONG[None, :, None, None] * along)
    places = mapped(matrix, at.reshape(-1, 2)).reshape(at.shape)
    height, width = root.shape
    away = (places[..., 0] < 0) | (places[..., 0] > width - 1) | (places[..., 1] < 0) | (places[..., 1] > height - 1)
    x = places[..., 0].astype(np.float32).reshape(len(first), -1)
    y = places[..., 1].astype(np.float32).reshape(len(first), -1)
    values = cv2.remap(root, x, y, cv2.INTER_LINEAR).reshape(away.shape).mean(axis=4)
    values = values**2
    ratio = (values[:, :, 0] - values[:, :, 1]) / (values[:, :, 0] + values[:, :, 1] + 2 * _DARK**2)
    parity = 1 - 2 * ((first + second) % 2)
    signed = np.median(ratio, axis=2) * parity
    return np.where(away.any(axis=(2, 3, 4)), np.nan, signed)


def best_window(root: Matrix, lattice: Lattice) -> Window | None:
    """The window with the most chequered inside and the least chequered surroundings; None if nothing fits."""
    matrix = homography(lattice.nodes, lattice.points_px)
    nodes, points = lattice.nodes, lattice.points_px
    window: Window | None = None
    for _ in range(2):
        found = _search(root, matrix, nodes, points)
        if found is None:
            return None
        if window is not None and found.origin == window.origin:
            return found
        window = found
        matrix = window.matrix @ _shift(-np.array(window.origin))
    return window


def _shift(by: Matrix) -> Matrix:
    return np.array([[1.0, 0.0, by[0]], [0.0, 1.0, by[1]], [0.0, 0.0, 1.0]])


def _search(root: Matrix, matrix: Matrix, nodes: Matrix, points: Matrix) -> Window | None:
    low = nodes.min(axis=0) - 8
    size = nodes.max(axis=0) - low + 9
    first, second = edge_contrasts(root, matrix, (int(low[0]), int(low[1])), (int(size[0]), int(size[1])))
    unit, sign = _unit(first, nodes - low)
    if unit < 0.01:
        return None
    first, second = sign * first / unit, sign * second / unit
    a = np.nan_to_num(np.clip(first, -1.0, 1.0), nan=0.0)
    b = np.nan_to_num(np.clip(second, -1.0, 1.0), nan=0.0)
    scores = _scores(a, b, nodes - low)
    at = np.unravel_index(int(np.argmax(scores)), scores.shape)
    if not np.isfinite(scores[at]):
        return None
    i, j = int(at[0]), int(at[1])
    best = float(scores[i, j])
    scores[i, j] = -np.inf
    strips = np.concatenate([b[i:i + 8, j + 1:j + 8].mean(axis=1), a[i + 1:i + 8, j:j + 8].mean(axis=0)])
    origin = low + np.array([i, j])
    inner = nodes - origin
    inside_nodes = np.all((inner >= 1) & (inner <= 7), axis=1)
    inner, inner_px = inner[inside_nodes], points[inside_nodes]
    if len(inner) < 8:
        return None
    fitted, _ = cv2.findHomography(inner.astype(np.float64), inner_px, cv2.RANSAC,
                                   0.15 * float(np.sqrt(abs(np.linalg.det(matrix[:2, :2])))) + 1.5)
    shifted = matrix @ _shift(origin) if fitted is None else np.asarray(fitted, dtype=np.float64)
    return Window((int(origin[0]), int(origin[1])), shifted, strips, _outside(a, b, i, j) / 7.0,
                  _evenness(a, b, i, j), _unevenness(a, b, i, j, 1), unit, best - float(scores.max()), inner, inner_px)


def _scores(a: Matrix, b: Matrix, nodes: Matrix) -> Matrix:
    """How well each window fits: chequered edges inside, crossings inside, plain strips outside, and a border.

    A border line reads 1, 0, 1, 0 along its eight squares (its frame has one colour), an inner line 1, 1, 1, 1.
    """
    count = np.zeros((a.shape[0] + 1, b.shape[1] + 1))
    np.add.at(count, (nodes[:, 0] + 1, nodes[:, 1] + 1), 1)
    count = count.cumsum(axis=0).cumsum(axis=1)
    scores = np.full((a.shape[0] - 8, b.shape[1] - 8), -np.inf)
    inside = np.array([[count[i + 8, j + 8] - count[i + 1, j + 8] - count[i + 8, j + 1] + count[i + 1, j + 1]
                        for j in range(scores.shape[1])] for i in range(scores.shape[0])])
    for i, j in zip(*np.nonzero(inside >= max(8.0, 0.5 * inside.max())), strict=True):
        if not (1 <= i < a.shape[0] - 9 and 1 <= j < b.shape[1] - 9):
            continue
        edges = a[i + 1:i + 8, j:j + 8].sum() + b[i:i + 8, j + 1:j + 8].sum()
        scores[i, j] = edges + inside[i, j] - np.maximum(_outside(a, b, i, j), 0.0).sum() + 6.0 * (
            _unevenness(a, b, i, j, 0).sum() - _unevenness(a, b, i, j, 1).sum())
    return scores


def _unevenness(a: Matrix, b: Matrix, i: int, j: int, step: int) -> Matrix:
    """(4,) how differently odd and even squares stand out along the lines `step` inside each side, 0 to 1."""
    lines = np.array([a[i + step, j:j + 8], a[i + 8 - step, j:j + 8], b[i:i + 8, j + step], b[i:i + 8, j + 8 - step]])
    return np.asarray(np.abs(lines[:, ::2].mean(axis=1) - lines[:, 1::2].mean(axis=1)))


def _evenness(a: Matrix, b: Matrix, i: int, j: int) -> Matrix:
    """(4,) the weaker of odd and even squares along each border line: about 1 if the pattern goes on beyond it."""
    lines = np.array([a[i, j:j + 8], a[i + 8, j:j + 8], b[i:i + 8, j], b[i:i + 8, j + 8]])
    return np.asarray(np.minimum(lines[:, ::2].mean(axis=1), lines[:, 1::2].mean(axis=1)))


def _unit(first: Matrix, nodes: Matrix) -> tuple[float, float]:
    """The board's own contrast, from the edges at its crossings, and the sign that makes it positive."""
    values = first[nodes[:, 0], nodes[:, 1]]
    values = values[np.isfinite(values)]
    if len(values) < 4:
        return 0.0, 1.0
    middle = float(np.median(values))
    sign = 1.0 if middle >= 0 else -1.0
    return float(np.percentile(values * sign, 60)), sign


def _outside(a: Matrix, b: Matrix, i: int, j: int) -> Matrix:
    """(4,) sums of signed contrast along the strips beside the window at (i, j): before, after, each way."""
    return np.array([
        b[i - 1, j + 1:j + 8].sum(), b[i + 8, j + 1:j + 8].sum(), a[i + 1:i + 8, j - 1].sum(), a[i + 1:i + 8, j + 8].sum()
    ])
