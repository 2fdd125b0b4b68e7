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

from vision.frame import Gray, Mask
from vision.kits.quadropolis import TokenShape

Floats = NDArray[np.float64]
PX_PER_MM = 2.0
_MOST = 6
SHORT_SIDE_MM, LONG_SIDE_MM = 3.2, 5.5
"""A side that is seen shorter than this may be in a shadow of its own; one that is longer is taken for colour, or
each side would make room for another token."""
_SIDE_SURE = 0.9
_NOT = -0.8
"""What a pixel without colour under a top counts, where one with it counts 1."""
_WORTH_TRYING = 0.22
"""Of a top's area: less cannot make another token."""


@dataclass(frozen=True, slots=True)
class Top:
    """A token's top: its middle in mm, and its turn in degrees."""

    x_mm: float
    y_mm: float
    turn_deg: float


@dataclass(frozen=True, slots=True)
class Packing:
    """The tops that explain a patch best; `gains`: by how much each number of tops, from 1 on, explains more than
    one less, in areas of a top; `shown` (as many): the share of the newest top that is not ignored."""

    tops: tuple[Top, ...]
    gains: tuple[float, ...]
    shown: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """How a kind of token looks here: its `outline` (n, 2) mm about its middle, larger by its height; and `lean` (2,)
    mm, from where its foot is to where its top appears. `side`, 0 to 1: how surely its side is of its colour too."""

    outline: Floats
    lean: Floats
    area_mm2: float
    is_round: bool
    side: float = 0.0


def seen_token(shape: TokenShape, lean: Floats, larger: float) -> Seen:
    """A token whose top appears `lean` mm beside its foot and `larger` times as large."""
    angle = np.linspace(0, 2 * np.pi, 25)[:-1]
    power = 1.0 if shape.length_mm == shape.width_mm else 0.62
    x = np.sign(np.cos(angle)) * np.abs(np.cos(angle)) ** power * shape.length_mm / 2
    y = np.sign(np.sin(angle)) * np.abs(np.sin(angle)) ** power * shape.width_mm / 2
    outline = np.stack([x, y], axis=1) * larger
    area = float(cv2.contourArea(outline.astype(np.float32)))
    long = float(np.hypot(*lean))
    side = float(np.clip((long - SHORT_SIDE_MM) / (LONG_SIDE_MM - SHORT_SIDE_MM), 0, 1)) * _SIDE_SURE
    return Seen(outline, np.asarray(lean, np.float64), area, power == 1.0, side)


def packed(mask: Mask, ignored: Mask, token: Seen, most: int = _MOST) -> Packing:
    """Tokens in `mask` (n, n) at `PX_PER_MM`; what lies in `ignored` (n, n) speaks neither for nor against."""
    area_px = token.area_mm2 * PX_PER_MM**2
    rows, cols = np.nonzero(mask & ~ignored)
    if len(rows) < 0.3 * area_px:
        return Packing((), ())
    field = _Field.of(mask, ignored, rows, cols)
    gains: list[float] = []
    shown: list[float] = []
    best: tuple[Top, ...] = ()
    score = field.score(token, ())
    for count in range(1, most + 1):
        if field.unexplained(token, best) < _WORTH_TRYING * area_px:
            break
        tops, after = _fitted(field, token, count, best)
        gain = (after - score) / area_px
        gains.append(gain)
        shown.append(field.shown(token, tops[-1]) if tops else 0.0)
        if gain < _WORTH_TRYING:
            break
        best, score = tops, after
    return Packing(best, tuple(gains), tuple(shown))


@dataclass(frozen=True, slots=True)
class _Field:
    """The part of a crop where a patch of colour is: `values` (h, w) float32, 1 where a token may be, -0.8 where not,
    0 where nothing is said; `may` and `may_not` (h, w): these places as 1 or 0; `points` (N, 2) mm of
    the patch; `origin_px` (2,): column and row that mm (0, 0) has."""

    values: NDArray[np.float32]
    may: Gray
    may_not: Gray
    points: NDArray[np.float32]
    origin_px: tuple[float, float]

    @staticmethod
    def of(mask: Mask, ignored: Mask, rows: NDArray[np.intp], cols: NDArray[np.intp]) -> _Field:
        edge = round(7 * PX_PER_MM)
        top, left = max(int(rows.min()) - edge, 0), max(int(cols.min()) - edge, 0)
        window = (slice(top, int(rows.max()) + edge), slice(left, int(cols.max()) + edge))
        values = np.where(mask[window], 1.0, _NOT).astype(np.float32)
        values[ignored[window]] = 0
        middle = (mask.shape[0] - 1) / 2
        points = np.stack([(cols - middle) / PX_PER_MM, (middle - rows) / PX_PER_MM], axis=1).astype(np.float32)
        return _Field(values, (values > 0).astype(np.uint8), (values < 0).astype(np.uint8), points,
                      (middle - left, middle - top))

    def corners(self, token: Seen, top: Top) -> NDArray[np.int32]:
        """(n, 2) corners of a top in eighths of a pixel."""
        turn, fine = np.deg2rad(top.turn_deg), PX_PER_MM * 8
        c, s = fine * float(np.cos(turn)), fine * float(np.sin(turn))
        px = token.outline @ np.array([[c, -s], [s, c]]).T
        px *= (1.0, -1.0)
        px += (top.x_mm * fine + self.origin_px[0] * 8, self.origin_px[1] * 8 - top.y_mm * fine)
        return np.asarray(np.rint(px), np.int32)

    def drawn(self, token: Seen, top: Top) -> tuple[Gray, Gray]:
        """(h, w) each: a top, and the top with the side below it."""
        on_top, on_side = np.zeros(self.values.shape, np.uint8), np.zeros(self.values.shape, np.uint8)
        corners = self.corners(token, top)
        fine = PX_PER_MM * 8
        foot = corners - np.array([round(token.lean[0] * fine), round(-token.lean[1] * fine)], np.int32)
        cv2.fillConvexPoly(on_top, corners, (1,), lineType=cv2.LINE_8, shift=3)
        hull = cv2.convexHull(np.concatenate([corners, foot]))
        cv2.fillConvexPoly(on_side, hull, (1,), lineType=cv2.LINE_8, shift=3)
        return on_top, on_side

    def layers(self, token: Seen, tops: tuple[Top, ...]) -> tuple[Gray, Gray]:
        """(h, w) each: how many tops, and tops with sides, cover each pixel."""
        on_top, on_side = np.zeros(self.values.shape, np.uint8), np.zeros(self.values.shape, np.uint8)
        for top in tops:
            one, side = self.drawn(token, top)
            on_top += one
            on_side += side
        return on_top, on_side

    def weighed(self, on_top: Gray, on_side: Gray, side: float) -> float:
        """Pixels of colour under tops (and, as much as `side` says, under sides), less those missing there, less those
        of colour that no token explains."""
        may, may_not = self.may, self.may_not
        top, no_top = _both(may, on_top), _both(may_not, on_top)
        colour, none = _both(may, on_side), _both(may_not, on_side)
        under = top + _NOT * no_top + side * (colour - top + _NOT * (none - no_top))
        overlap = int(np.count_nonzero(on_top > 1))
        return under - (cv2.countNonZero(may) - colour) - 2.0 * overlap

    def score(self, token: Seen, tops: tuple[Top, ...]) -> float:
        return self.weighed(*self.layers(token, tops), token.side)

    def shown(self, token: Seen, top: Top) -> float:
        """Of a top: the share that lies where something is said."""
        on_top, _ = self.drawn(token, top)
        return float(((on_top > 0) & (self.values != 0)).sum()) / max(float((on_top > 0).sum()), 1.0)

    def unexplained(self, token: Seen, tops: tuple[Top, ...]) -> float:
        """Pixels of colour outside all tops: sides may be of it too, so this is the most that one more can gain."""
        on_top, _ = self.layers(token, tops)
        return float(((self.values > 0) & (on_top == 0)).sum())


def _both(one: Gray, two: Gray) -> int:
    """Pixels where both are more than 0; `one` is 1 or 0."""
    return cv2.countNonZero(cv2.min(one, two))


def _fitted(field: _Field, token: Seen, count: int, before: tuple[Top, ...]) -> tuple[tuple[Top, ...], float]:
    """The best found place for `count` tops: from the tops that one less had, and from clusters of the pixels."""
    starts = []
    left = _left_over(field, token, before)
    if left is not None:
        starts.append((*before, left))
    if count < 3 or not starts:
        starts.append(_clusters(field.points, count))
    best: tuple[tuple[Top, ...], float] = ((), -1e9)
    for start in starts:
        tops, score = _climbed(field, token, start)
        if score > best[1]:
            best = (tops, score)
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


def _left_over(field: _Field, token: Seen, tops: tuple[Top, ...]) -> Top | None:
    """A start for one more top: where the largest piece of colour is left."""
    on_top, _ = field.layers(token, tops)
    rest = ((field.values > 0) & (on_top == 0)).astype(np.uint8)
    rest = cv2.morphologyEx(rest, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    number, labels, stats, _ = cv2.connectedComponentsWithStats(rest)
    if number < 2:
        return None
    largest = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
    at = np.argwhere(labels == largest)[:, ::-1]
    x = (at[:, 0] - field.origin_px[0]) / PX_PER_MM
    y = (field.origin_px[1] - at[:, 1]) / PX_PER_MM
    return _start(np.stack([x, y], axis=1).astype(np.float32))


def _climbed(field: _Field, token: Seen, tops: tuple[Top, ...]) -> tuple[tuple[Top, ...], float]:
    """Each top moved and turned while that pays, in ever smaller steps."""
    score = field.score(token, tops)
    for step in (2.5, 1.2, 0.6):
        for _ in range(2):
            before = score
            for k in range(len(tops)):
                on_top, on_side = field.layers(token, (*tops[:k], *tops[k + 1 :]))
                for other in _moves(tops[k], step, token.is_round):
                    one, side = field.drawn(token, other)
                    after = field.weighed(on_top + one, on_side + side, token.side)
                    if after > score:
                        tops, score = (*tops[:k], other, *tops[k + 1 :]), after
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
