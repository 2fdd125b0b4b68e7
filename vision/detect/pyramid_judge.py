"""Doubtful squares are measured: outlines against edges, walls against the taught colours.

The network says what a square looks like; it measures badly. For each piece that it thinks possible the outline is
fitted (`pyramid_fit`), and what the fit says is added to what the network says. The colour of a piece is then held
against the taught piece wall by wall: a wall in the shade has the colour of the taught piece's wall in the shade,
which for the network is another colour now and then. All weights were fitted by `table.sim.weigh_outlines` on
painted rooms.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect.pyramid_fit import EdgeFields, Fitted, edges_of, fit
from vision.detect.pyramid_net import EMPTY, HIDDEN, LYING, PIXEL_SCALE, STANDING
from vision.detect.pyramid_outline import Outline, outline_of
from vision.frame import Matrix
from vision.kits.gridlock import PYRAMIDS
from vision.patches import LEAN_HEIGHT_MM, MM_PER_PX, PATCH_PX

Floats = NDArray[np.float32]
Squares = NDArray[np.int64]

SURE_OF_PIECE, SURE_OF_COLOUR = 0.99, 0.985
"""A square of which the network is so sure is not measured."""
POSSIBLE = 1e-3
MOST_TRIED = 5
MOST_MEASURED = 20
"""Squares of one picture, the most doubtful first: its time is bounded."""
SURE_AFTER, MOST_AGAIN = 0.9, 5
"""So sure of a square needs no other look; so many squares of one picture get one."""
WEIGHT_SHAPE, WEIGHT_COLOUR, NET_DOUBT = 0.92, 1.0, 0.01
"""The network's log probabilities count so much, but it is never surer than its own share of errors."""
WEIGHT_WALLS = np.array([0.97, 2.2, 1.3], np.float32)
"""Tint, too dark, too bright."""

_WALLS = ((0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4))
_BASE = (0, 1, 2, 3)
_LEAST_WALL_PX = 6
_DARK = 0.006
_NOISE = 0.004
"""Of linear light, where the empty board has about a quarter."""
_TINT = 0.25
"""How far the tint of one piece's walls differs in log light, between places on the board and kinds of light."""
_MOST_MISFIT, _MOST_OFF = 6.0, 2.0
_SLACK = 0.5
"""In log light: a wall turned to the lamp, or away from it, as none of the taught ones is."""


@dataclass(frozen=True, slots=True)
class Walls:
    """The visible walls of one piece: `light` (k, 3) linear BGR as on the relit patch, `area_px` (k,)."""

    light: Floats
    area_px: Floats


def walls_of(pair: NDArray[np.uint8], fitted: Fitted) -> Walls:
    """The middles of the walls (and of the base, where the camera sees it) of a fitted piece."""
    light, area = [], []
    for corners in (*_WALLS, _BASE):
        px = fitted.px[list(corners)]
        x, y = px.T
        # Corners go round so that a wall seen from outside runs clockwise in the picture, the base the other way.
        signed = float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
        if (signed > 0) != (corners is _BASE):
            continue
        inside = np.zeros((PATCH_PX, PATCH_PX), np.uint8)
        cv2.fillConvexPoly(inside, np.rint(px * 8).astype(np.int32), (1,), shift=3)
        there = cv2.erode(inside, np.ones((3, 3), np.uint8)) > 0
        if there.sum() >= _LEAST_WALL_PX:
            seen = np.median(pair[there][:, :3], axis=0).astype(np.float32)
            light.append((seen / np.float32(PIXEL_SCALE)) ** 2)
            area.append(float(there.sum()))
    return Walls(np.array(light, np.float32).reshape(-1, 3), np.array(area, np.float32))


def shades_of(pairs: NDArray[np.uint8], extra: Floats, camera_height_mm: float) -> Floats:
    """(N, 2, 3) linear BGR: the darkest and the brightest wall of large standing pyramids, one a patch; NaN where
    none can be measured. `extra` (N, 5): see `pyramid_net.extra_of`."""
    out = np.full((len(pairs), 2, 3), np.nan, np.float32)
    for n, (pair, (lean_x, lean_y, x, y, _)) in enumerate(zip(pairs, extra, strict=True)):
        away = np.array([lean_x, -lean_y]) * MM_PER_PX * (camera_height_mm - LEAN_HEIGHT_MM) / LEAN_HEIGHT_MM
        eye = np.array([-away[0], -away[1], camera_height_mm])
        walls = walls_of(pair, fit(edges_of(pair), outline_of(PYRAMIDS[2], None, eye, np.array([x, y], np.float64))))
        if len(walls.light):
            order = np.log(walls.light + _DARK).mean(axis=1).argsort()
            out[n] = walls.light[order[[0, -1]]]
    return out


def misfits(walls: Walls, shades: Floats) -> Floats:
    """(C, 3): how badly the walls fit each colour's `shades` (C, 2, 3), 0 fits: by tint (at most 6), by being darker
    and by being brighter than it ever is (at most 2 in log light each). Between its darkest and brightest wall a
    colour's tint changes evenly; all colours have as wide a range as the widest seen, since one lamp lights them."""
    level, tint, doubt = _tinted(walls.light)
    dark, bright = _tinted(shades[:, 0]), _tinted(shades[:, 1])
    range_ = bright[0] - dark[0]
    share = np.clip((level - dark[0][:, None]) / np.maximum(range_, 0.3)[:, None], 0, 1)[..., None]
    between = dark[1][:, None] + (bright[1] - dark[1])[:, None] * share
    noise = dark[2][:, None] + (bright[2] - dark[2])[:, None] * share + doubt + _TINT**2
    widest = float(range_.max()) + _SLACK
    each = np.stack([
        np.minimum(((tint - between) ** 2 / noise).sum(axis=2), _MOST_MISFIT),
        np.clip(bright[0][:, None] - widest - level, 0, _MOST_OFF),
        np.clip(level - dark[0][:, None] - widest, 0, _MOST_OFF),
    ], axis=2)
    weight = np.sqrt(walls.area_px)
    return np.asarray((each * weight[:, None]).sum(axis=1) / max(float(weight.sum()), 1.0), np.float32)


def _tinted(light: Floats) -> tuple[Floats, Floats, Floats]:
    """(n, 3) -> brightness (n,), tint (n, 2) and its variance by noise (n, 2), all of log light."""
    log, noise = np.log(light + _DARK), (_NOISE / (light + _DARK)) ** 2
    return log.mean(axis=1), log[:, [0, 2]] - log[:, 1:2], noise[:, [0, 2]] + noise[:, 1:2]


class SquareFits:
    """What was measured of one square of one picture."""

    def __init__(self, pair: NDArray[np.uint8]) -> None:
        self.fields: EdgeFields = edges_of(pair)
        self.by_kind: dict[int, Fitted] = {}


Fits = dict[int, SquareFits]


class PieceJudge:
    """Measures the doubtful squares of pictures taken from one pose."""

    def __init__(self, eyes_mm: Matrix, ground_px: Matrix, shades: Floats) -> None:
        """`eyes_mm` (N, 3): the camera, from each square's centre; `ground_px` (N, 2): that centre in its patch;
        `shades` (C, 2, 3): see `shades_of`; where one is missing, colours are left as they are."""
        self._eyes, self._ground = eyes_mm, ground_px
        self._shades = shades if np.isfinite(shades).all() else shades[:0]
        self._outlines: dict[tuple[int, int], Outline] = {}

    def outline(self, square: int, kind: int) -> Outline:
        """Of the piece that a class stands for; kept, since the camera rarely moves."""
        key = (square, kind)
        if key not in self._outlines:
            size, facing = (kind - STANDING, None) if kind < LYING else divmod(kind - LYING, 4)
            self._outlines[key] = outline_of(PYRAMIDS[size], facing, self._eyes[square], self._ground[square])
        return self._outlines[key]

    def measured(
        self, pairs: NDArray[np.uint8], classes: Floats, colours: Floats, fits: Fits, only: Squares | None = None
    ) -> tuple[Floats, Floats]:
        """(N, 17) and (N, C) probabilities of the network, bettered by what was measured; that a square is empty or
        hidden stays as it was. `pairs` (N, P, P, 6). `fits`: what was measured in this picture already; it grows.
        `only`: no squares but these."""
        classes, colours = classes.copy(), colours.copy()
        for square in self._doubtful(classes, colours, only).tolist():
            seen = fits.get(square) or fits.setdefault(square, SquareFits(pairs[square]))
            pieces = classes[square, EMPTY + 1 : HIDDEN]
            share = pieces / max(float(pieces.sum()), 1e-6)
            if share.max() < SURE_OF_PIECE:
                pieces[:] = self._weighed(seen, square, share) * pieces.sum()
            if len(self._shades) and colours[square].max() < SURE_OF_COLOUR:
                walls = walls_of(pairs[square], self.fitted(seen, square, int(pieces.argmax())))
                colours[square] = self._coloured(walls, colours[square])
        return classes, colours

    def fitted(self, seen: SquareFits, square: int, kind: int) -> Fitted:
        """The outline of a piece (0 to 14: a class less `EMPTY` and one) fitted once."""
        if kind not in seen.by_kind:
            seen.by_kind[kind] = fit(seen.fields, self.outline(square, kind + EMPTY + 1))
        return seen.by_kind[kind]

    def _weighed(self, seen: SquareFits, square: int, share: Floats) -> Floats:
        """(15,) shares of the pieces."""
        tried = [int(k) for k in np.argsort(-share)[:MOST_TRIED] if share[k] > POSSIBLE]
        if len(tried) < 2:
            return share
        odds = np.array(
            [WEIGHT_SHAPE * np.log(share[k] + NET_DOUBT) + self.fitted(seen, square, k).weight for k in tried]
        )
        likely = np.exp(odds - odds.max())
        out = np.minimum(share, np.float32(POSSIBLE))
        out[tried] = 0
        out[tried] = likely / likely.sum() * (1 - out.sum())
        return np.asarray(out, np.float32)

    def _coloured(self, walls: Walls, share: Floats) -> Floats:
        if not len(walls.light):
            return share
        odds = WEIGHT_COLOUR * np.log(share + NET_DOUBT) - misfits(walls, self._shades) @ WEIGHT_WALLS
        likely = np.exp(odds - odds.max())
        return np.asarray(likely / likely.sum(), np.float32)

    def unsure(self, classes: Floats, colours: Floats) -> Squares:
        """Squares worth another look after all, the most doubtful first."""
        best = classes.max(axis=1)
        there = np.isin(classes.argmax(axis=1), (EMPTY, HIDDEN), invert=True)
        best = np.where(there, np.minimum(best, colours.max(axis=1)), best)
        chosen = np.flatnonzero(best < SURE_AFTER)
        return np.asarray(chosen[np.argsort(best[chosen])][:MOST_AGAIN])

    def _doubtful(self, classes: Floats, colours: Floats, only: Squares | None) -> Squares:
        """Squares with a piece, likelier than none and than a hand, which is not surely known; most doubtful first."""
        pieces = classes[:, EMPTY + 1 : HIDDEN]
        whole = pieces.sum(axis=1)
        sure = pieces.max(axis=1) / np.maximum(whole, 1e-6)
        doubt = np.minimum(sure, SURE_OF_PIECE) / SURE_OF_PIECE
        if len(self._shades):
            doubt = np.minimum(doubt, np.minimum(colours.max(axis=1), SURE_OF_COLOUR) / SURE_OF_COLOUR)
        there = whole > np.maximum(classes[:, EMPTY], classes[:, HIDDEN])
        chosen = np.flatnonzero(there & (doubt < 1))
        chosen = chosen if only is None else np.intersect1d(chosen, only)
        return np.asarray(chosen[np.argsort(doubt[chosen])][:MOST_MEASURED])
