"""Saddles that belong together: chequered lattices, grown from one cell outwards.

A cell is four saddles at the corners of a parallelogram whose phases alternate. From there each step predicts where the
next crossings must be, from all found so far, and takes the saddle that lies there with the right phase.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Matrix, Points
from vision.locate.saddles import Saddles

Whole = NDArray[np.int64]
"""Whole numbers: nodes of a lattice (N, 2), or indices."""

_OPPOSITE = -0.45
_NEAR = 0.2
_FAINT = 0.3
_ALIKE = 0.6
_WIDEST = 14
_SEEDS = 160
_NEIGHBOURS = 10
_RIM = 0.2


@dataclass(frozen=True, slots=True)
class Lattice:
    """Crossings in a common numbering: `nodes` (N, 2) int, `points_px` (N, 2)."""

    nodes: Whole
    points_px: Points

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def extent(self) -> tuple[int, int]:
        """How many lines it has each way."""
        span = np.ptp(self.nodes, axis=0) + 1
        return int(span[0]), int(span[1])


def grow_lattices(saddles: Saddles) -> Iterator[Lattice]:
    """The lattices of a picture with at least nine crossings, those with the cleanest seeds first.

    Cells with nothing inside come first: over every other crossing of a board, or partly over the cloth it lies on, a
    cell may fit as well, and its lattice would take the board's crossings. Pieces may leave no cell empty, so the
    others follow.
    """
    used = np.zeros(len(saddles), dtype=bool)
    for empty, seed in product((True, False), range(min(len(saddles), _SEEDS))):
        if used[seed]:
            continue
        best: dict[tuple[int, int], int] = {}
        for cell in _cells(saddles, seed, used):
            if _is_empty(saddles, cell) != empty:
                continue
            grown = _grown(saddles, cell)
            if len(grown) > len(best):
                best = grown
            if len(best) >= 12:
                break
        if len(best) < 9:
            continue
        taken = np.array(list(best.values()))
        used[taken] = True
        nodes = np.array(list(best.keys()))
        yield Lattice(nodes, saddles.points_px[taken])


def homography(nodes: Matrix | Whole, points_px: Points) -> Matrix:
    """(3, 3) from lattice numbers to px, least squares; needs four points in general position."""
    found, _ = cv2.findHomography(np.asarray(nodes, dtype=np.float64), np.asarray(points_px, dtype=np.float64), 0)
    if found is None:
        return np.full((3, 3), np.nan)
    return np.asarray(found, dtype=np.float64)


def mapped(matrix: Matrix, nodes: Matrix | Whole) -> Points:
    """(N, 2) lattice numbers -> (N, 2) px."""
    at = np.asarray(nodes, dtype=np.float64)
    out = at @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(out[:, :2] / out[:, 2:], dtype=np.float64)


def _cells(saddles: Saddles, seed: int, used: NDArray[np.bool_]) -> Iterator[dict[tuple[int, int], int]]:
    """Cells with the seed at one corner, nearest neighbours first."""
    points, phase = saddles.points_px, saddles.phase
    away = points - points[seed]
    distance = np.hypot(away[:, 0], away[:, 1])
    agreement = (phase * np.conj(phase[seed])).real
    order = np.argsort(np.where((agreement < _OPPOSITE) & ~used & (distance > 6), distance, np.inf))[:_NEIGHBOURS]
    order = order[(agreement[order] < _OPPOSITE) & (distance[order] > 6) & ~used[order]]
    same = (agreement > -_OPPOSITE) & ~used
    for n, b in enumerate(order):
        for a in order[:n]:
            da, db = away[a], away[b]
            turn = abs(float(da[0] * db[1] - da[1] * db[0])) / (distance[a] * distance[b])
            if turn < 0.4 or not 0.4 < distance[a] / distance[b] < 2.5:
                continue
            gap = np.hypot(away[:, 0] - da[0] - db[0], away[:, 1] - da[1] - db[1])
            gap[~same] = np.inf
            far = int(np.argmin(gap))
            if gap[far] < 0.3 * min(distance[a], distance[b]):
                yield {(0, 0): seed, (1, 0): int(a), (0, 1): int(b), (1, 1): far}


def _is_empty(saddles: Saddles, cell: dict[tuple[int, int], int]) -> bool:
    """Whether no plain crossing lies well inside the cell."""
    corner, first, second = (saddles.points_px[cell[node]] for node in ((0, 0), (1, 0), (0, 1)))
    shares = np.linalg.solve(np.stack([first - corner, second - corner], axis=1), (saddles.points_px - corner).T)
    inside = ((shares > _RIM) & (shares < 1 - _RIM)).all(axis=0)
    return not (inside & (saddles.contrast > _FAINT * np.median(saddles.contrast[list(cell.values())]))).any()


def _grown(saddles: Saddles, cell: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
    """All saddles that continue the cell."""
    known = dict(cell)
    everyone = np.arange(len(saddles))
    for _ in range(2 * _WIDEST):
        nodes = np.array(list(known.keys()))
        taken = np.array(list(known.values()))
        wanted = _frontier(known, reach=1 if len(known) < 12 else 2)
        places, spacing = _predicted(nodes, saddles.points_px[taken], wanted)
        gap = np.linalg.norm(places[:, None] - saddles.points_px[None], axis=2) / spacing[:, None]
        nearest = np.argmin(np.abs(wanted[:, None] - nodes[None]).sum(axis=2), axis=1)
        like = saddles.phase[taken[nearest]] * (1 - 2 * (np.abs(wanted - nodes[nearest]).sum(axis=1) % 2))
        faint = saddles.contrast < _FAINT * np.median(saddles.contrast[taken])
        gap[(saddles.phase[None] * np.conj(like)[:, None]).real < _ALIKE] = np.inf
        gap[:, faint | np.isin(everyone, taken)] = np.inf
        added = False
        for row in np.argsort(gap.min(axis=1)):
            col = int(np.argmin(gap[row]))
            if not gap[row, col] < _NEAR:
                break
            known[int(wanted[row, 0]), int(wanted[row, 1])] = col
            gap[:, col] = np.inf
            added = True
        if not added:
            break
        known = _agreeing(saddles, known)
    return known


def _frontier(known: dict[tuple[int, int], int], reach: int) -> Whole:
    """Unknown nodes within `reach` steps of a known one, inside the widest lattice that matters."""
    nodes = np.array(list(known.keys()))
    low, high = nodes.min(axis=0), nodes.max(axis=0)
    wanted: set[tuple[int, int]] = set()
    for i, j in known:
        for step in range(1, reach + 1):
            wanted.update({(i + step, j), (i - step, j), (i, j + step), (i, j - step)})
    fits = [n for n in wanted if n not in known and all(
        max(high[k], n[k]) - min(low[k], n[k]) < _WIDEST for k in range(2))]
    return np.array(sorted(fits)).reshape(-1, 2)


def _predicted(nodes: Whole, points: Points, wanted: Whole) -> tuple[Points, Matrix]:
    """Where the wanted nodes must be (N, 2), and the lattice's spacing there (N,), px."""
    if len(nodes) >= 8:
        matrix = homography(nodes, points)
    else:
        design = np.hstack([nodes, np.ones((len(nodes), 1))])
        solved, *_ = np.linalg.lstsq(design, points, rcond=None)
        matrix = np.vstack([solved.T, [0.0, 0.0, 1.0]])
    places = mapped(matrix, wanted)
    halves = (np.array([0.5, 0.0]), np.array([0.0, 0.5]))
    sides = [np.linalg.norm(mapped(matrix, wanted + half) - mapped(matrix, wanted - half), axis=1) for half in halves]
    side = np.minimum(*sides)
    return places, np.maximum(np.nan_to_num(side, nan=1e-3), 1e-3)


def _agreeing(saddles: Saddles, known: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
    """Without the saddles that do not fit the plane through the others."""
    if len(known) < 10:
        return known
    nodes = np.array(list(known.keys()))
    points = saddles.points_px[np.array(list(known.values()))]
    matrix = homography(nodes, points)
    off = np.linalg.norm(mapped(matrix, nodes) - points, axis=1)
    step = np.linalg.norm(mapped(matrix, nodes + np.array([1, 0])) - mapped(matrix, nodes), axis=1)
    return {node: index for (node, index), bad in zip(known.items(), off > 0.3 * step, strict=True) if not bad}
