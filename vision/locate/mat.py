"""Finds a Quadropolis mat by its printed slots: sixteen thin squares in a lattice of four by four.

Frame of reference: px of the whole picture. A slot's index is (row, column) counted from 0 at row 1, column 1 once
`orient_mat` has turned the mat; before that it is any of the four ways round.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.frame import Gray, Image, Mask, Matrix, Points, checked_image
from vision.kits.quadropolis import SIDE, QuadropolisKit
from vision.locate.board import NoBoard
from vision.locate.exact import lifted, reduced
from vision.locate.lattice import homography, mapped
from vision.locate.pose_fit import fit_points
from vision.locate.saddles import Plane
from vision.locate.taps import BadTaps
from vision.pose import BoardPose, CameraModel

_WORK_PX = 1600
_FEWEST = 8
_LEAST_SHARE = 1 / 4000
"""Of the picture's area: a smaller square is no slot."""
_PITCH_OF_SIDE = 1.16
_LATTICE_SLACK = 0.3
_LARGER = 1.35
"""A slot's side is at most so much larger than its neighbour's: a district of four slots, or the mat, is no slot."""
_BETTER = 0.8
"""A fit whose residual is so much smaller than another's shows that that one has gone astray."""
_FOCALS = (0.6, 0.75, 0.95, 1.2)
"""Of the picture's longer side: where to begin again."""
_NEAR_TAP = 0.6
"""A tap may lie so many pitches from its corner."""


@dataclass(frozen=True, slots=True)
class Mat:
    """A mat in one picture: `frames_px` (4, 4, 4, 2) the corners of each slot's printed square, clockwise as seen on
    the mat from its top-left, and which were `seen` (4, 4). `pitch_px`: mean distance of two slots."""

    frames_px: Points
    seen: Mask
    pitch_px: float


def find_mat(image: Image) -> Mat | NoBoard:
    """The mat of an empty or nearly empty picture, whichever way round."""
    checked_image(image, "picture")
    gray = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    small = reduced(gray, _WORK_PX)
    squares = squares_in(small)
    placed = _lattice(squares)
    if placed is None:
        return NoBoard(f"wanted a mat with 16 printed slots, found {len(squares)} squares that form none: show the "
                       "whole mat, empty, sharp and without glare")
    index, rough = placed
    rough = mapped(lifted(gray.shape[1] / small.shape[1]), rough.reshape(-1, 2)).reshape(-1, 4, 2)
    frames, seen = np.zeros((SIDE, SIDE, 4, 2)), np.zeros((SIDE, SIDE), dtype=bool)
    fine = np.asarray(cv2.GaussianBlur(gray.astype(np.float32), (0, 0), 0.8), np.float32)
    for (row, col), quad in zip(index, rough, strict=True):
        refined = _refined(fine, quad)
        if refined is not None:
            frames[row, col], seen[row, col] = refined, True
    if seen.sum() < _FEWEST:
        return NoBoard(f"wanted the lines of at least {_FEWEST} slots, found {int(seen.sum())}: show the mat sharp "
                       "and without glare")
    return _whole(frames, seen)


def squares_in(gray: Gray) -> Points:
    """(N, 4, 2) px: four-cornered outlines of dark lines, one for each centre; clockwise in the picture."""
    block = max(max(gray.shape) // 110, 7) | 1
    smooth = cv2.GaussianBlur(gray, (0, 0), 1.0)
    dark = cv2.adaptiveThreshold(smooth, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, block, 5)
    outlines, _ = cv2.findContours(dark, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    least = gray.size * _LEAST_SHARE
    found: list[Points] = []
    for outline in outlines:
        if len(outline) < 60 or cv2.contourArea(outline) < least:
            continue
        corners = cv2.approxPolyDP(outline, 0.04 * cv2.arcLength(outline, True), True)
        if len(corners) == 4 and cv2.isContourConvex(corners):
            quad = corners.reshape(4, 2).astype(np.float64)
            sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
            if sides.max() < 1.8 * sides.min():
                found.append(_clockwise(quad))
    return _merged(found)


def _clockwise(quad: Points) -> Points:
    """Clockwise as the picture shows it, the corner nearest the picture's top-left first."""
    a, b = quad[1] - quad[0], quad[2] - quad[1]
    if a[0] * b[1] - a[1] * b[0] < 0:
        quad = quad[::-1]
    return np.asarray(np.roll(quad, -int(np.argmin(quad.sum(axis=1))), axis=0))


def _merged(quads: list[Points]) -> Points:
    """A line has two outlines, inside and outside: their mean."""
    kept: list[list[Points]] = []
    middles = np.zeros((len(quads), 2))
    for quad in sorted(quads, key=lambda q: float(cv2.contourArea(q.astype(np.float32)))):
        side = float(np.linalg.norm(quad[1] - quad[0]))
        middle = quad.mean(axis=0)
        near = np.flatnonzero(np.abs(middles[: len(kept)] - middle).max(axis=1) < 0.2 * side)
        same = next((kept[n] for n in near if np.abs(kept[n][0] - _like(quad, kept[n][0])).max() < 0.2 * side), None)
        if same is None:
            middles[len(kept)] = middle
            kept.append([quad])
        else:
            same.append(_like(quad, same[0]))
    return np.array([np.mean(k, axis=0) for k in kept]).reshape(-1, 4, 2)


def _lattice(squares: Points) -> tuple[list[tuple[int, int]], Points] | None:
    """(row, column) of the squares that form a mat, with these squares; None if none do."""
    squares = squares.copy()
    left = set(range(len(squares)))
    best: tuple[float, float, dict[int, tuple[int, int]]] | None = None
    while left:
        group = _hung_together(squares, left.pop())
        left -= set(group)
        for window in _windows(group):
            grid = np.array([(col, row) for row, col in window.values()], np.float64)
            middles = squares[list(window)].mean(axis=1)
            off = mapped(homography(grid, middles), grid) - middles
            # The squares of a cloth may continue a mat's rows; they lie on its lattice less well.
            score = len(window), -float((off**2).mean())
            if np.isfinite(score[1]) and (best is None or score > best[:2]):
                best = (*score, window)
    return None if best is None else (list(best[2].values()), squares[list(best[2])])


def _hung_together(squares: Points, start: int) -> dict[int, tuple[int, int]]:
    """(row, column) of all squares that hang together with one, which has (0, 0). `squares` are turned like it."""
    centres = squares.mean(axis=1)
    sides = np.linalg.norm(np.roll(squares, -1, axis=1) - squares, axis=2).mean(axis=1)
    group = {start: (0, 0)}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        across = (squares[here][1] - squares[here][0] + squares[here][2] - squares[here][3]) / 2 * _PITCH_OF_SIDE
        down = (squares[here][3] - squares[here][0] + squares[here][2] - squares[here][1]) / 2 * _PITCH_OF_SIDE
        for dr, dc in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            off = np.linalg.norm(centres - (centres[here] + dc * across + dr * down), axis=1)
            off[(sides > _LARGER * sides[here]) | (_LARGER * sides < sides[here])] = np.inf
            near = int(np.argmin(off))
            if near not in group and off[near] < _LATTICE_SLACK * np.linalg.norm(across):
                squares[near] = _like(squares[near], squares[here])
                group[near] = (group[here][0] + dr, group[here][1] + dc)
                queue.append(near)
    return group


def _windows(group: Mapping[int, tuple[int, int]]) -> Iterator[dict[int, tuple[int, int]]]:
    """Every four by four cells of a lattice that may be a mat: enough squares, one a cell, on all four sides."""
    rows, cols = [row for row, _ in group.values()], [col for _, col in group.values()]
    for top in range(min(rows), max(rows) - SIDE + 2):
        for left in range(min(cols), max(cols) - SIDE + 2):
            inside = {n: (row - top, col - left) for n, (row, col) in group.items()
                      if 0 <= row - top < SIDE and 0 <= col - left < SIDE}
            at = set(inside.values())
            on_sides = all({0, SIDE - 1} <= {cell[axis] for cell in at} for axis in (0, 1))
            if len(inside) >= _FEWEST and len(at) == len(inside) and on_sides:
                yield inside


def _like(quad: Points, other: Points) -> Points:
    """`quad` beginning at the corner that `other` begins at: turned by an eighth, the top-left one is anybody's."""
    rolls = [np.roll(quad, turn, axis=0) for turn in range(4)]
    sides = [float(((roll - roll.mean(axis=0)) * (other - other.mean(axis=0))).sum()) for roll in rolls]
    return rolls[int(np.argmax(sides))]


def _refined(gray: Plane, quad: Points) -> Points | None:
    """The corners of a thin dark square to a fraction of a pixel: its four sides fitted, and crossed."""
    side = float(np.linalg.norm(quad[1] - quad[0]))
    reach = max(3.0, 0.035 * side)
    lines = []
    for a, b in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        along = (b - a) / np.linalg.norm(b - a)
        across = np.array([-along[1], along[0]])
        steps = np.linspace(0.08, 0.92, 32)[:, None]
        offsets = np.arange(-reach, reach + 0.25, 0.25)
        at = (a + (b - a) * steps)[:, None] + offsets[None, :, None] * across
        profile = cv2.remap(gray, at[..., 0].astype(np.float32), at[..., 1].astype(np.float32), cv2.INTER_LINEAR)
        depth = np.clip(np.median(profile, axis=1, keepdims=True) - profile, 0, None)
        low = depth.argmax(axis=1)
        weight = np.where(np.abs(np.arange(len(offsets)) - low[:, None]) <= 8, depth, 0.0)
        total = weight.sum(axis=1)
        good = depth.max(axis=1) > max(4.0, 0.4 * float(np.median(depth.max(axis=1))))
        if good.sum() < 12:
            return None
        peak = (weight * offsets).sum(axis=1)[good] / total[good]
        points = (a + (b - a) * steps)[good] + peak[:, None] * across
        lines.append(cv2.fitLine(points.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel().astype(float))
    return np.array([_crossed(lines[n - 1], lines[n]) for n in range(4)])


def _crossed(one: Matrix, two: Matrix) -> Points:
    shares = np.linalg.solve(np.array([one[:2], -two[:2]]).T, two[2:] - one[2:])
    return np.asarray(one[2:] + shares[0] * one[:2])


def _whole(frames: Points, seen: Mask) -> Mat:
    """Slots that were not seen, put where the others say."""
    where = np.argwhere(seen)
    centres = frames[seen].mean(axis=1)
    matrix = homography(where[:, ::-1].astype(np.float64), centres)
    half = 0.5 / _PITCH_OF_SIDE
    ring = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    filled = frames.copy()
    for row, col in np.argwhere(~seen):
        filled[row, col] = mapped(matrix, ring + np.array([col, row]))
    step = mapped(matrix, np.array([[1.0, 1.5], [2.0, 1.5], [1.5, 1.0], [1.5, 2.0]]))
    pitch = float(np.linalg.norm(step[1] - step[0]) + np.linalg.norm(step[3] - step[2])) / 2
    return Mat(filled, seen, pitch)


def outer_corners_px(mat: Mat) -> Points:
    """(4, 2) px, roughly: the corners of the sixteen slots, half a pitch beyond the outer slots' centres."""
    centres = mat.frames_px.mean(axis=2).reshape(-1, 2)
    grid = np.array([[c, r] for r in range(SIDE) for c in range(SIDE)], dtype=np.float64)
    matrix = homography(grid, centres)
    return mapped(matrix, np.array([[-0.5, -0.5], [3.5, -0.5], [3.5, 3.5], [-0.5, 3.5]]))


def orient_mat(mat: Mat, taps: Mapping[str, tuple[float, float]]) -> Mat | BadTaps:
    """`mat` with row 1, column 1 at index [0, 0]; taps name corners as `QuadropolisKit.corner_names`, px."""
    names = QuadropolisKit().corner_names
    unknown = sorted(set(taps) - set(names))
    if unknown or not taps:
        found = ", ".join(unknown) or "none"
        return BadTaps(f"wanted taps on corners of the mat ({', '.join(names)}), found {found}: tap the corner where "
                       "row 1 and column 1 meet")
    points = np.array(list(taps.values()), dtype=np.float64)
    places = [names.index(name) for name in taps]
    turns = [turned_mat(mat, quarters) for quarters in range(4)]
    gaps = [float(np.linalg.norm(outer_corners_px(t)[places] - points, axis=1).max()) for t in turns]
    best = int(np.argmin(gaps))
    if gaps[best] > _NEAR_TAP * mat.pitch_px:
        return BadTaps(f"wanted {' and '.join(taps)} tapped within {_NEAR_TAP:g} slots of a corner of the mat, found "
                       f"{gaps[best] / mat.pitch_px:.1f} slots: tap the outer corner of the slots again")
    return turns[best]


def turned_mat(mat: Mat, quarters: int) -> Mat:
    """The same mat with its rows counted from another side."""
    frames = np.rot90(mat.frames_px, quarters, axes=(0, 1))
    return replace(mat, frames_px=np.roll(frames, -quarters, axis=2), seen=np.rot90(mat.seen, quarters))


def fit_mat(mat: Mat, kit: QuadropolisKit, size_px: tuple[int, int], lens: CameraModel | None) -> BoardPose:
    """The pose of a mat that `orient_mat` has turned. The side of the printed squares is found along with it."""
    centres_mm = np.array([place.centre_mm for place in kit.places])
    ring = np.array([[-0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.5, -0.5, 0.0], [-0.5, -0.5, 0.0]])
    px, seen = mat.frames_px.reshape(64, 2), np.repeat(mat.seen.ravel(), 4)
    middles = homography(centres_mm[:, :2], mat.frames_px.mean(axis=2).reshape(16, 2))
    on_mat = mapped(np.asarray(np.linalg.inv(middles), np.float64), px).reshape(16, 4, 2)
    side_mm = _side_mm(on_mat, mat.seen.ravel())
    focal_px: float | None = None
    for _ in range(2):
        mm = (centres_mm[:, None] + ring[None] * side_mm).reshape(64, 3)
        pose = fit_points(mm, px, seen.astype(np.float64), seen, size_px, lens, mat.pitch_px, focal_px)
        if lens is None and focal_px is None:
            # From a wrong focal length the search may lean the mat the other way and stay there.
            others = [fit_points(mm, px, seen.astype(np.float64), seen, size_px, lens, mat.pitch_px,
                                 share * max(size_px)) for share in _FOCALS]
            best = min((pose, *others), key=lambda one: one.residual_px)
            if best.residual_px < _BETTER * pose.residual_px:
                pose, focal_px = best, float(best.camera.matrix[0, 0])
        side_mm = _side_mm(pose.to_mm(px).reshape(16, 4, 2), mat.seen.ravel())
    return pose


def _side_mm(corners_mm: Points, seen: Mask) -> float:
    sides = np.linalg.norm(np.roll(corners_mm, -1, axis=1) - corners_mm, axis=2)
    return float(np.median(sides[seen]))
