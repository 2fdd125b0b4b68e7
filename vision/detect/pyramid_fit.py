"""How well the outline of one pyramid fits what a square shows.

Every place and turn that people give a piece is tried. Three figures say how well the best of them fits: the share
of its visible edges that lie on edges of the picture, the same on the crests of edges alone (which tells sizes
apart), and the share of the picture's edges that it explains.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect.pyramid_net import PIXEL_SCALE
from vision.detect.pyramid_outline import ALONG, EDGES, Outline
from vision.patches import PATCH_PX

Floats = NDArray[np.float32]
Field = NDArray[np.complex64]

WEIGHT_FOUND, WEIGHT_EXPLAINED, WEIGHT_SHARP = 16.3, 22.1, 15.9

_PAD_PX = 32
_WIDE_PX = PATCH_PX + 2 * _PAD_PX
_REACH_PX = 12
_KEPT = 4
_BLUR_PX = 0.7
_DARK = 0.005
_LEAST_LOG_STEP = 0.03
"""Change of log light a pixel that counts half as an edge, before noise."""
_LEAST_STEP = 1.0
_NOISES = 0.6
"""Levels a pixel on the square-root scale, before noise; and noise, in medians of its second difference."""
_AROUND = np.ones((5, 5), np.uint8)
"""The crest of an edge is the plainest so near."""


@dataclass(frozen=True, slots=True)
class EdgeFields:
    """The edges of one patch, padded: at each pixel the direction across the edge (east + i south), as long as the
    edge is plain, 0 to 1. In `broad` (flat, W * W) every edge that noise does not make is nearly as good as another;
    in `sharp` (W, W, 2) only its crest is."""

    broad: Field
    sharp: Floats
    size: Floats
    """(P, P) length of `broad`; `whole`: its sum."""
    whole: float


def edges_of(pair: NDArray[np.uint8]) -> EdgeFields:
    """`pair` (P, P, 6): relit now and empty board, square-root scale. An edge counts that the picture has and that
    changes its ratio to the empty board: so neither the printed squares around a piece nor those under it do."""
    middle = pair[::2, :, 1].astype(np.int16)
    noise = float(np.median(np.abs(middle[:, 2:] + middle[:, :-2] - 2 * middle[:, 1:-1])))
    now, empty = _softened(pair[..., :3]), _softened(pair[..., 3:])
    light, before = _log_light(now), _log_light(empty)
    bright = now[..., 1] * np.float32(1 / PIXEL_SCALE)
    grain = bright * np.float32(0.6 * noise / PIXEL_SCALE) / (bright * bright + np.float32(_DARK))
    dx, dy, size = _steepest(*_gradient(light))
    kept = np.minimum(size, _steepest(*_gradient(light - before))[2])
    broad = _padded(dx, dy, kept / ((kept + np.float32(_LEAST_LOG_STEP) + grain) * (size + np.float32(1e-6))))

    gain = now / (empty + np.float32(4))
    gx, gy = _gradient(now)
    ex, ey = _gradient(empty)
    dx, dy, size = _steepest(gx, gy)
    kept = np.minimum(size, _steepest(gx - gain * ex, gy - gain * ey)[2])
    crest = cv2.dilate(kept, _AROUND) + np.float32(_LEAST_STEP + _NOISES * noise)
    sharp = _padded(dx, dy, kept / (crest * (size + np.float32(1e-6))))
    inner = slice(_PAD_PX, -_PAD_PX)
    length = np.abs(broad[inner, inner])
    crests = sharp.view(np.float32).reshape(_WIDE_PX, _WIDE_PX, 2)
    return EdgeFields(broad.ravel(), crests, length, float(length.sum()))


def _softened(half: NDArray[np.uint8]) -> Floats:
    return np.asarray(cv2.GaussianBlur(half.astype(np.float32), (0, 0), _BLUR_PX), np.float32)


def _log_light(root: Floats) -> Floats:
    return np.asarray(cv2.log(root * root * np.float32(1 / PIXEL_SCALE**2) + np.float32(_DARK)), np.float32)


def _gradient(values: NDArray[Any]) -> tuple[Floats, Floats]:
    """A step a pixel, east and south."""
    return (np.asarray(cv2.Scharr(values, cv2.CV_32F, 1, 0, scale=1 / 32), np.float32),
            np.asarray(cv2.Scharr(values, cv2.CV_32F, 0, 1, scale=1 / 32), np.float32))


def _steepest(dx: NDArray[Any], dy: NDArray[Any]) -> tuple[Floats, Floats, Floats]:
    """Of the channel that changes most: east, south, length."""
    square = cv2.multiply(dx, dx)
    cv2.accumulateProduct(dy, dy, square)
    east, south, best = dx[..., 0], dy[..., 0], square[..., 0]
    for channel in (1, 2):
        steeper = square[..., channel] > best
        east, south = np.where(steeper, dx[..., channel], east), np.where(steeper, dy[..., channel], south)
        best = np.maximum(best, square[..., channel])
    return east, south, np.sqrt(best)


def _padded(dx: Floats, dy: Floats, scale: NDArray[Any]) -> Field:
    field = np.zeros((_WIDE_PX, _WIDE_PX), np.complex64)
    inner = field[_PAD_PX:-_PAD_PX, _PAD_PX:-_PAD_PX]
    inner.real, inner.imag = dx * scale, dy * scale
    return field


@dataclass(frozen=True, slots=True)
class Fitted:
    """The best place and turn of one outline: each figure from 0 to 1; `px` (5, 2) its corners in the patch."""

    found: float
    explained: float
    sharp: float
    px: Floats

    @property
    def weight(self) -> float:
        """In log odds."""
        return WEIGHT_FOUND * self.found + WEIGHT_EXPLAINED * self.explained + WEIGHT_SHARP * self.sharp


_COARSE = np.arange(-_REACH_PX, _REACH_PX + 1, 3)
_COARSE_SHIFTS = (_COARSE[:, None] * _WIDE_PX + _COARSE).ravel().astype(np.int32)
_FINE = np.arange(-1, 2)
_FINE_SHIFTS = (_FINE[:, None] * _WIDE_PX + _FINE).ravel().astype(np.int32)
_COARSE_SPOTS = np.arange(len(EDGES) * len(ALONG)) % len(ALONG) % 2 == 1


def _square(reach_px: float, count: int) -> Floats:
    """(count * count, 2): a square of moves around none."""
    steps = np.linspace(-reach_px, reach_px, count, dtype=np.float32)
    return np.stack(np.meshgrid(steps, steps), axis=2).reshape(-1, 2)


_NUDGES, _SHARP_NUDGES = _square(0.6, 3), _square(1.0, 3)
_SHARP_TURNS = np.array([[(np.cos(a), np.sin(a)), (-np.sin(a), np.cos(a))] for a in (-0.04, 0.0, 0.04)], np.float32)
_ALONG = ALONG.astype(np.float32)


def fit(fields: EdgeFields, outline: Outline) -> Fitted:
    """The best over all places and turns: first every third pixel and turn, then around the best few."""
    flat = np.rint(np.clip(outline.spots, -18, PATCH_PX + 18)).astype(np.int32) + _PAD_PX
    at = flat[..., 1] * _WIDE_PX + flat[..., 0]
    across = (outline.across[..., 0] - 1j * outline.across[..., 1]).astype(np.complex64)
    turns = np.arange(0, len(at), 3)
    rough = _met(fields.broad, at[turns][:, None, _COARSE_SPOTS] + _COARSE_SHIFTS[:, None],
                 across[turns][:, None, _COARSE_SPOTS], outline.weight[turns][:, None, _COARSE_SPOTS]).ravel()
    top = np.argpartition(rough, -_KEPT)[-_KEPT:]
    near = np.arange(-2, 3)
    which = turns[top // len(_COARSE_SHIFTS)][:, None] + near
    which = (which % len(at) if outline.closed else np.clip(which, 0, len(at) - 1)).ravel()
    shift = np.repeat(_COARSE_SHIFTS[top % len(_COARSE_SHIFTS)], len(near))[:, None] + _FINE_SHIFTS
    fine = _met(fields.broad, at[which][:, None] + shift[:, :, None], across[which][:, None],
                outline.weight[which][:, None])
    turn, place = np.unravel_index(int(fine.argmax()), fine.shape)
    row, col = divmod(int(shift[turn, place]) + _PAD_PX * (_WIDE_PX + 1), _WIDE_PX)
    return _refined(fields, outline, int(which[turn]), np.array([col - _PAD_PX, row - _PAD_PX], np.float32))


def _met(field: Field, at: NDArray[np.int32], across: Field, weight: Floats) -> Floats:
    seen = field[at]
    return np.asarray((np.abs((seen * across).real) * weight).sum(axis=-1), np.float32)


def _refined(fields: EdgeFields, outline: Outline, turn: int, shift_px: Floats) -> Fitted:
    """Between pixels and between turns."""
    count = len(outline.px)
    beside = [(turn + n) % count if outline.closed else min(max(turn + n, 0), count - 1) for n in (-1, 1)]
    spots = np.stack([outline.spots[turn], *((outline.spots[turn] + outline.spots[b]) / 2 for b in beside)])
    at = spots[:, None] + (_NUDGES + shift_px)[:, None]
    plane = fields.broad.view(np.float32).reshape(_WIDE_PX, _WIDE_PX, 2)
    met = _sampled(plane, at, outline.across[turn]) @ outline.weight[turn]
    which, nudge = np.unravel_index(int(met.argmax()), met.shape)
    px = outline.px[turn] if which == 0 else (outline.px[turn] + outline.px[beside[which - 1]]) / 2
    px = np.asarray(px + _NUDGES[nudge] + shift_px, np.float32)
    return Fitted(float(met[which, nudge]), _explained(fields, px), _sharp(fields, outline, turn, px), px)


def _sampled(plane: Floats, at_px: Floats, across: Floats) -> Floats:
    """(..., M): how plain an edge across `across` (..., M, 2) the field shows at `at_px` (..., M, 2)."""
    flat = at_px.reshape(-1, at_px.shape[-2], 2) + np.float32(_PAD_PX)
    here = cv2.remap(plane, np.ascontiguousarray(flat[..., 0]), np.ascontiguousarray(flat[..., 1]), cv2.INTER_LINEAR)
    here = np.asarray(here, np.float32).reshape(at_px.shape)
    return np.abs(here[..., 0] * across[..., 0] + here[..., 1] * across[..., 1])


def _sharp(fields: EdgeFields, outline: Outline, turn: int, px: Floats) -> float:
    """How much of the outline lies on crests, tried a little to all sides and turned a little."""
    ends, middle = px[EDGES], px.mean(axis=0)
    spots = (ends[:, 0, None] + _ALONG[:, None] * (ends[:, 1] - ends[:, 0])[:, None]).reshape(-1, 2)
    at = ((spots - middle) @ _SHARP_TURNS)[:, None] + (middle + _SHARP_NUDGES)[:, None]
    across = (outline.across[turn] @ _SHARP_TURNS)[:, None]
    return float((_sampled(fields.sharp, at, across) @ outline.weight[turn]).max())


def _explained(fields: EdgeFields, px: Floats) -> float:
    """Hidden edges count too: they are seen through clear pieces."""
    near = np.zeros((PATCH_PX, PATCH_PX), np.uint8)
    cv2.polylines(near, list(np.rint(px[EDGES] * 8).astype(np.int32)), False, (1,), 3, shift=3)
    return cv2.mean(fields.size, near)[0] * cv2.countNonZero(near) / max(fields.whole, 1.0)
