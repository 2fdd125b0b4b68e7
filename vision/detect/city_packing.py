"""How many tokens make a patch of colour: tops of known size laid into it, as many as pay.

Tokens of one kind are equally high, so their tops lie in one plane and never cover each other; their sides, which the
camera sees towards its foot, may be in the patch of colour or, when dark or clear, not.
Frame of reference: mm beside a crop's middle, x right and y up, on the ground plane as the camera projects it.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Mask
from vision.kits.quadropolis import TokenShape

Floats = NDArray[np.float64]
PX_PER_MM = 2.0
_MOST = 6
_ROUND_PX = 8
"""Fraction bits of polygon corners are 3: eighths of a pixel."""


@dataclass(frozen=True, slots=True)
class Top:
    """A token's top: its middle in mm, and its turn in degrees."""

    x_mm: float
    y_mm: float
    turn_deg: float


@dataclass(frozen=True, slots=True)
class Packing:
    """The tops that explain a patch best; `gains`: by how much each number of tops, from 1 on, explains more than
    one less, in areas of a top."""

    tops: tuple[Top, ...]
    gains: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """How a kind of token looks here: its `outline` (n, 2) mm about its middle, larger by its height; and `lean` (2,)
    mm, from where its foot is to where its top appears."""

    outline: Floats
    lean: Floats
    area_mm2: float
    is_round: bool


def seen_token(shape: TokenShape, lean: Floats, larger: float) -> Seen:
    """A token whose top appears `lean` mm beside its foot and `larger` times as large."""
    angle = np.linspace(0, 2 * np.pi, 25)[:-1]
    power = 1.0 if shape.length_mm == shape.width_mm else 0.62
    x = np.sign(np.cos(angle)) * np.abs(np.cos(angle)) ** power * shape.length_mm / 2
    y = np.sign(np.sin(angle)) * np.abs(np.sin(angle)) ** power * shape.width_mm / 2
    outline = np.stack([x, y], axis=1) * larger
    area = float(cv2.contourArea(outline.astype(np.float32)))
    return Seen(outline, np.asarray(lean, np.float64), area, power == 1.0)


def packed(mask: Mask, ignored: Mask, token: Seen, most: int = _MOST) -> Packing:
    """Tokens in `mask` (n, n) at `PX_PER_MM`; what lies in `ignored` (n, n) speaks neither for nor against."""
    area_px = token.area_mm2 * PX_PER_MM**2
    rows, cols = np.nonzero(mask & ~ignored)
    if len(rows) < 0.3 * area_px:
        return Packing((), ())
    values = np.where(mask, 1.0, -0.8).astype(np.float32)
    values[ignored] = 0
    gains: list[float] = []
    best: tuple[Top, ...] = ()
    score = _cost_of_rest(values, token, ())
    for count in range(1, min(most, int(len(rows) / (0.45 * area_px)) + 1) + 1):
        tops, after = _fitted(values, rows, cols, token, count, best)
        gain = (after - score) / area_px
        gains.append(gain)
        if gain < 0.05:
            break
        best, score = tops, after
    return Packing(best, tuple(gains))


def _cost_of_rest(values: NDArray[np.float32], token: Seen, tops: tuple[Top, ...]) -> float:
    """Pixels of colour under tops, less those missing there, less those of colour that no token explains."""
    n = values.shape[0]
    on_top, on_side = np.zeros((n, n), np.uint8), np.zeros((n, n), np.uint8)
    overlap = 0
    for top in tops:
        corners = _corners(token, top, n)
        one = cv2.fillPoly(np.zeros((n, n), np.uint8), [corners], 1, lineType=cv2.LINE_8, shift=3)
        overlap += int((on_top & one).sum())
        on_top |= one
        foot = corners - np.round(np.array([token.lean[0], -token.lean[1]]) * PX_PER_MM * 8).astype(np.int32)
        hull = cv2.convexHull(np.vstack([corners, foot]))
        cv2.fillConvexPoly(on_side, hull, 1, lineType=cv2.LINE_8, shift=3)
    top_score = float(values[on_top > 0].sum())
    rest = values[(on_top == 0) & (on_side == 0)]
    return top_score - float(rest[rest > 0].sum()) - 2.0 * overlap


def _corners(token: Seen, top: Top, n: int) -> NDArray[np.int32]:
    turn = np.deg2rad(top.turn_deg)
    c, s = np.cos(turn), np.sin(turn)
    x = top.x_mm + c * token.outline[:, 0] - s * token.outline[:, 1]
    y = top.y_mm + s * token.outline[:, 0] + c * token.outline[:, 1]
    middle = (n - 1) / 2
    px = np.stack([x * PX_PER_MM + middle, middle - y * PX_PER_MM], axis=1)
    return np.round(px * 8).astype(np.int32)


def _fitted(
    values: NDArray[np.float32], rows: NDArray[np.intp], cols: NDArray[np.intp], token: Seen, count: int,
    before: tuple[Top, ...],
) -> tuple[tuple[Top, ...], float]:
    """The best found place for `count` tops: from clusters of the pixels, and from the tops that one less had."""
    n = values.shape[0]
    middle = (n - 1) / 2
    points = np.stack([(cols - middle) / PX_PER_MM, (middle - rows) / PX_PER_MM], axis=1).astype(np.float32)
    starts = [_clusters(points, count)]
    if before:
        left = _unexplained(values, token, before)
        if left is not None:
            starts.append((*before, left))
    best: tuple[tuple[Top, ...], float] | None = None
    for start in starts:
        tops, score = _climbed(values, token, start)
        if best is None or score > best[1]:
            best = (tops, score)
    if best is None:
        return (), -1e9
    return best


def _clusters(points: NDArray[np.float32], count: int) -> tuple[Top, ...]:
    if count == 1:
        groups = [points]
    else:
        rule = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 20, 0.1)
        cv2.setRNGSeed(7)
        _, labels, _ = cv2.kmeans(points, count, np.zeros((len(points), 1), np.int32), rule, 2, cv2.KMEANS_PP_CENTERS)
        groups = [points[labels.ravel() == k] for k in range(count)]
    return tuple(_start(group) for group in groups if len(group))


def _start(group: NDArray[np.float32]) -> Top:
    centre = group.mean(axis=0)
    spread = np.cov((group - centre).T) if len(group) > 2 else np.eye(2)
    turn = np.rad2deg(0.5 * np.arctan2(2 * spread[0, 1], spread[0, 0] - spread[1, 1]))
    return Top(float(centre[0]), float(centre[1]), float(turn))


def _unexplained(values: NDArray[np.float32], token: Seen, tops: tuple[Top, ...]) -> Top | None:
    n = values.shape[0]
    covered = np.zeros((n, n), np.uint8)
    for top in tops:
        cv2.fillPoly(covered, [_corners(token, top, n)], 1, lineType=cv2.LINE_8, shift=3)
    rest = ((values > 0) & (covered == 0)).astype(np.uint8)
    rest = cv2.morphologyEx(rest, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    number, labels, stats, centres = cv2.connectedComponentsWithStats(rest)
    if number < 2:
        return None
    largest = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
    middle = (n - 1) / 2
    points = np.argwhere(labels == largest)[:, ::-1]
    return _start(((points - middle) * np.array([1, -1]) / PX_PER_MM).astype(np.float32))


def _climbed(values: NDArray[np.float32], token: Seen, tops: tuple[Top, ...]) -> tuple[tuple[Top, ...], float]:
    """Each top moved and turned while that pays, in ever smaller steps."""
    score = _cost_of_rest(values, token, tops)
    for step in (2.5, 1.2, 0.6):
        for _ in range(3):
            before = score
            for k, top in enumerate(tops):
                for other in _moves(top, step, token.is_round):
                    tried = (*tops[:k], other, *tops[k + 1 :])
                    after = _cost_of_rest(values, token, tried)
                    if after > score:
                        tops, score, top = tried, after, other
            if score - before < 1:
                break
    return tops, score


def _moves(top: Top, step: float, is_round: bool) -> list[Top]:
    moves = [Top(top.x_mm + dx * step, top.y_mm + dy * step, top.turn_deg)
             for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    if not is_round:
        moves += [Top(top.x_mm, top.y_mm, top.turn_deg + sign * step * 12) for sign in (1, -1)]
        if step > 2:
            moves.append(Top(top.x_mm, top.y_mm, top.turn_deg + 90))
    return moves
