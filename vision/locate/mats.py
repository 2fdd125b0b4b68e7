"""Finds every Quadropolis mat in a photograph taken by hand: any rotation, oblique, tiles on most of its slots.

Squares (printed slots and tiles alike) are laid on a lattice of slots; then the printed lines themselves are sought
along all sixteen slots, and a camera is fitted to them. Nothing is known of the lens but what the file may say.

Frame of reference: px of the whole picture. A mat's index (row, column) is any of the four ways round.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Gray, Image, Matrix, Points
from vision.kits.quadropolis import SIDE, QuadropolisKit
from vision.locate.board import NoBoard
from vision.locate.exact import lifted, reduced
from vision.locate.lattice import homography, mapped
from vision.locate.mat import squares_in
from vision.locate.mats_beside import FEWEST, lattices_beside
from vision.locate.mats_lines import Lines, Pieces, fine_lines, rough_lines, share_seen
from vision.locate.mats_pose import Posed, plane_matrix, posed_together
from vision.pose import BoardPose

_WORK_PX = 1600
_FEWEST = 5
"""Squares of a mat's sixteen must be seen, whole, to begin with."""
_PITCH_OF_SIDE = 1.2
_SIDE_OF_PITCH = (0.62, 0.94)
"""Tiles and printed slots leave gaps; a chequered cloth has none."""
_SLACK = 0.24
"""Of a pitch: a tile lies so far from its slot's middle."""
_MOST_PITCHES = 3 * SIDE
_MOST_SQUARES, _MOST_SEEDS, _MOST_GROUPS, _MOST_WINDOWS = 240, 90, 10, 5
"""Pictures full of squares are looked through in bounded time: the largest first."""
_LEAST_SLOT = 0.22
"""Share of a slot's printed line that must be seen for it to be there; tiles cover the rest."""
_LEAST_MEAN, _PLAIN_MEAN, _CLEAR_MEAN = 0.34, 0.45, 0.55
_CLEAR_SIDE, _PLAIN_SIDE = 0.65, 0.4
"""Of what is seen of all slots, so much of the outer ones on each side: no other place fits; it may be a mat."""
_INSIDE_PX = 2.0
_BLOCKS = (110, 45)
"""Brightness is compared with that of its surroundings, a so-manieth of the picture wide."""
_LEAST_SHARE = 1 / 4000
_LEAST_OF_HULL = 0.72
Whole = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class FoundMat:
    """One mat: `pose` with row 1 anywhere of the four sides, `frame_mm` the side of its printed slots, and `seen` (16,)
    the share of each slot's printed line that was seen, 0 to 1, row by row. `doubt`: by what share heights above the
    mat may be wrong together, for the lens is not known."""

    pose: BoardPose
    frame_mm: float
    seen: Floats
    doubt: float

    def corners_px(self, kit: QuadropolisKit) -> Points:
        """(4, 2): the outer corners of the slots, clockwise in the picture."""
        return self.pose.to_px(np.array(kit.outline_mm))


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Squares on one lattice: `cells` (N, 2) whole (column, row), `matrix` (3, 3) from cells to px, and the side of a
    square over the pitch."""

    cells: Whole
    members: Whole
    matrix: Matrix
    side_of_pitch: float


def find_mats(
    image: Image, kit: QuadropolisKit, focal_px: float | None = None, frame_mm: float | None = None
) -> tuple[FoundMat, ...] | NoBoard:
    """Every whole mat, left to right. `frame_mm`: the side of the printed slots, where it was taught."""
    gray = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    small = reduced(gray, _WORK_PX)
    squares = _distinct(np.concatenate([squares_in(small), _nicked_squares(small)]))
    lift = lifted(gray.shape[1] / small.shape[1])
    first, cut, left = _first(gray, kit, squares, lift, frame_mm)
    if first is not None:
        found, posed = _others(gray, kit, squares, left, lift, first, focal_px, frame_mm)
        mats = [FoundMat(pose, lines.frame_mm, share_seen(lines), posed.doubt)
                for pose, (lines, _) in zip(posed.poses, found, strict=True)]
        return tuple(sorted(mats, key=lambda mat: float(mat.corners_px(kit)[:, 0].mean())))
    if cut:
        return NoBoard("wanted a whole mat with its 16 slots, found one that the picture cuts off: step back and take "
                       "it again")
    return NoBoard(f"wanted a mat with 16 printed slots, found {len(squares)} squares that form none: show the whole "
                   "mat from above, sharp and without glare")


def _first(gray: Gray, kit: QuadropolisKit, squares: Points, lift: Matrix, frame_mm: float | None,
           ) -> tuple[tuple[Lines, Pieces] | None, int, NDArray[np.bool_]]:
    """The mat that is seen best, how many were cut off by the picture's edge, and which squares are left."""
    left = np.ones(len(squares), dtype=bool)
    cut, poor = 0, None
    for _ in range(_MOST_GROUPS):
        group = _largest_group(squares, left)
        if group is None:
            break
        best, is_cut = _placed(gray, kit, lift @ group.matrix, group.cells, frame_mm)
        cut += is_cut and best is None
        if best is None:
            left[group.members] = False
            continue
        lines, pieces = fine_lines(gray, kit, best, frame_mm)
        seen = share_seen(lines)
        left[group.members[0]] = False
        if seen.min() >= _LEAST_SLOT and seen.mean() >= _CLEAR_MEAN:
            poor = lines, pieces
            break
        if poor is None and seen.min() >= _LEAST_SLOT / 2 and seen.mean() >= _LEAST_MEAN:
            poor = lines, pieces
        left &= ~_on_mat(squares, lift, lines, kit)
    if poor is not None:
        left = ~_on_mat(squares, lift, poor[0], kit)
    return poor, cut, left


def _others(gray: Gray, kit: QuadropolisKit, squares: Points, left: NDArray[np.bool_], lift: Matrix,
            first: tuple[Lines, Pieces], focal_px: float | None, frame_mm: float | None,
            ) -> tuple[list[tuple[Lines, Pieces]], Posed]:
    """The first mat and those that lie on the same table, and the camera that sees them all."""
    size_px = (gray.shape[1], gray.shape[0])
    found, posed = [first], posed_together([first[1]], size_px, focal_px)
    squares_px = mapped(lift, squares.reshape(-1, 2)).reshape(-1, 4, 2)
    left = left.copy()
    tries = iter(range(_MOST_GROUPS))
    while True:
        planes = [plane_matrix(pose) for pose in posed.poses]
        for group, _ in zip(lattices_beside(squares_px, left, planes, kit), tries, strict=False):
            best, _ = _placed(gray, kit, group.from_cells, group.cells, frame_mm, on_plane=True)
            if best is None:
                continue
            lines, pieces = fine_lines(gray, kit, best, frame_mm)
            if _is_mat_on_plane(share_seen(lines)):
                found.append((lines, pieces))
                break
        else:
            return found, posed
        posed = posed_together([one for _, one in found], size_px, focal_px)
        left &= ~_on_mat(squares, lift, found[-1][0], kit)


def _on_mat(squares: Points, lift: Matrix, lines: Lines, kit: QuadropolisKit) -> NDArray[np.bool_]:
    """(N,): squares that lie on a mat; what of a lattice lies beyond belongs to another mat that lies in line."""
    return _on(squares, mapped(np.asarray(np.linalg.inv(lift) @ lines.from_mm), np.array(kit.outline_mm)))


def _nicked_squares(gray: Gray) -> Points:
    """(N, 4, 2) px: squares whose outline a token or another tile interrupts, by the hull of what is left of them."""
    smooth = cv2.GaussianBlur(gray, (0, 0), 1.0)
    least = gray.size * _LEAST_SHARE
    found: list[Points] = []
    for part in _BLOCKS:
        block = max(max(gray.shape) // part, 7) | 1
        dark = cv2.adaptiveThreshold(smooth, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, block, 4)
        outlines, _ = cv2.findContours(dark, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
        for outline in outlines:
            if len(outline) < 60:
                continue
            hull = cv2.convexHull(outline)
            area = cv2.contourArea(hull)
            if area < least or cv2.contourArea(outline) < _LEAST_OF_HULL * area:
                continue
            quad = _quad_of(hull, area)
            if quad is not None:
                found.append(quad)
    return np.array(found).reshape(-1, 4, 2)


def _quad_of(hull: cv2.typing.MatLike, area: float) -> Points | None:
    """A hull's four corners, clockwise in the picture, if it has four and about equal sides."""
    length = cv2.arcLength(hull, True)
    for share in (0.03, 0.045, 0.06, 0.08):
        corners = cv2.approxPolyDP(hull, share * length, True)
        if len(corners) < 4:
            return None
        if len(corners) > 4:
            continue
        quad = corners.reshape(4, 2).astype(np.float64)
        sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
        if sides.max() > 1.8 * sides.min() or cv2.contourArea(corners) < 0.88 * area:
            return None
        a, b = quad[1] - quad[0], quad[2] - quad[1]
        quad = quad if a[0] * b[1] - a[1] * b[0] > 0 else quad[::-1]
        return np.asarray(np.roll(quad, -int(np.argmin(quad.sum(axis=1))), axis=0))
    return None


def _distinct(squares: Points) -> Points:
    """Each square once, the first of those that are alike; at most `_MOST_SQUARES`, the largest first."""
    areas = np.array([cv2.contourArea(q.astype(np.float32)) for q in squares])
    order = np.argsort(-areas)[: 3 * _MOST_SQUARES]
    squares, areas = squares[order], areas[order]
    centres = squares.mean(axis=1)
    kept: list[int] = []
    for n in range(len(squares)):
        near = np.linalg.norm(centres[kept] - centres[n], axis=1) < 0.06 * np.sqrt(areas[n])
        alike = np.abs(np.log(areas[kept] / areas[n])) < 0.2
        if not (near & alike).any():
            kept.append(n)
    return squares[kept[:_MOST_SQUARES]]


def _on(squares: Points, corners_px: Points) -> NDArray[np.bool_]:
    """(N,): squares whose middles lie within an outline."""
    outline = corners_px.astype(np.float32)
    return np.array([cv2.pointPolygonTest(outline, (float(x), float(y)), False) > 0
                     for x, y in squares.mean(axis=1)], dtype=bool).reshape(-1)


def _largest_group(squares: Points, left: NDArray[np.bool_]) -> _Group | None:
    """The lattice of most squares among those that are `left`."""
    areas = np.array([cv2.contourArea(quad.astype(np.float32)) for quad in squares])
    best: _Group | None = None
    tried = np.zeros(len(squares), dtype=bool)
    grown = 0
    for seed in np.flatnonzero(left):
        if tried[seed]:
            continue
        grown += 1
        if grown > _MOST_SEEDS:
            break
        group = _grown(squares, areas, left, int(seed))
        if group is None:
            continue
        if not _SIDE_OF_PITCH[0] < group.side_of_pitch < _SIDE_OF_PITCH[1]:
            tried[group.members] = True
            continue
        # Whoever belongs to a lattice grows much the same.
        tried[group.members[1::2]] = True
        if best is None or len(group.cells) > len(best.cells):
            best = group
        if len(best.cells) >= SIDE * SIDE:
            break
    return best


def _grown(squares: Points, areas: Matrix, left: NDArray[np.bool_], seed: int) -> _Group | None:
    """The lattice around one square: from its own corners at first, from all that was found later."""
    centres = squares.mean(axis=1)
    half = 0.5 / _PITCH_OF_SIDE
    ring = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    near = np.flatnonzero(left & (areas > 0.4 * areas[seed]) & (areas < 2.5 * areas[seed]))
    matrix = homography(ring, squares[seed])
    taken = {(0, 0): seed}
    for reach in (1, 1, 2, SIDE, SIDE, SIDE):
        taken = _taken(matrix, centres, near, seed, reach, taken)
        fitted = _fitted(taken, squares, ring) if len(taken) >= 3 else None
        if fitted is None:
            return None
        matrix = fitted
    if len(taken) < _FEWEST:
        return None
    cells, members = np.array(list(taken)), np.array(list(taken.values()))
    corner = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    whole = mapped(matrix, (cells[:, None] + corner[None]).reshape(-1, 2)).reshape(-1, 4, 2)
    shares = [areas[m] / max(cv2.contourArea(w.astype(np.float32)), 1.0) for m, w in zip(members, whole, strict=True)]
    return _Group(cells.astype(np.int64), members.astype(np.int64), matrix, float(np.sqrt(np.median(shares))))


def _taken(matrix: Matrix, centres: Points, near: Whole, seed: int, reach: int,
           before: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
    """The squares whose middles lie on whole cells, each cell's nearest, at most `reach` beyond those before."""
    try:
        at = mapped(np.asarray(np.linalg.inv(matrix), np.float64), centres[near])
    except np.linalg.LinAlgError:
        return {}
    cells = np.round(at)
    off = np.linalg.norm(at - cells, axis=1)
    known = np.array(list(before))
    low, high = known.min(axis=0) - reach, known.max(axis=0) + reach
    good = (off < _SLACK) & ((cells >= low) & (cells <= high)).all(axis=1) & (np.abs(cells) < _MOST_PITCHES).all(axis=1)
    out: dict[tuple[int, int], int] = {(0, 0): seed}
    for n in np.flatnonzero(good)[np.argsort(off[good])]:
        out.setdefault((int(cells[n, 0]), int(cells[n, 1])), int(near[n]))
    return _joined(out)


def _joined(taken: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
    """Those that hang together with the first, over gaps of one cell: a mat in line with another is not the same."""
    cells = np.array(list(taken))
    inside = np.zeros(len(cells), dtype=bool)
    inside[0] = True
    while True:
        reach = np.abs(cells[:, None] - cells[inside][None]).max(axis=2).min(axis=1) <= 2
        if reach.sum() == inside.sum():
            return {key: value for key, value, keep in zip(taken, taken.values(), inside, strict=True) if keep}
        inside = reach


def _fitted(taken: dict[tuple[int, int], int], squares: Points, ring: Points) -> Matrix | None:
    """Cells to px: by the middles where they span a plane, else by the corners of the squares."""
    cells = np.array(list(taken), dtype=np.float64)
    quads = squares[list(taken.values())]
    if len(cells) >= 6 and np.ptp(cells, axis=0).min() >= 1:
        matrix, _ = cv2.findHomography(cells, quads.mean(axis=1), cv2.RANSAC,
                                       0.12 * float(np.sqrt(cv2.contourArea(quads[0].astype(np.float32)))))
    else:
        # Each square's corners begin anywhere: turned until they lie like those of the first.
        first = quads[0] - quads[0].mean(axis=0)
        turned = [max((np.roll(q, k, axis=0) for k in range(4)),
                      key=lambda r: float(((r - r.mean(axis=0)) * first).sum())) for q in quads]
        matrix, _ = cv2.findHomography((cells[:, None] + ring[None]).reshape(-1, 2), np.concatenate(turned))
    return None if matrix is None or not np.isfinite(matrix).all() else np.asarray(matrix, np.float64)


def _placed(gray: Gray, kit: QuadropolisKit, matrix: Matrix, cells: Whole, frame_mm: float | None,
            on_plane: bool = False) -> tuple[Lines | None, bool]:
    """The four by four cells of a lattice that are a mat, by the lines printed around them; and whether the best place
    is cut off by the picture's edge. `on_plane`: how the table is seen is known, and where the mat lies is not."""
    spans = []
    for axis in (0, 1):
        low, high = int(cells[:, axis].min()), int(cells[:, axis].max())
        spans.append(range(high - SIDE + 1, low + 1) if high - low < SIDE else range(low, high - SIDE + 2))
    best: tuple[float, Lines | None, bool] = (0.0, None, False)
    height, width = gray.shape
    windows = [(int(((cells >= (left, top)) & (cells < (left + SIDE, top + SIDE))).all(axis=1).sum()), left, top)
               for left in spans[0] for top in spans[1]]
    for inside, left, top in sorted(windows, reverse=True)[:_MOST_WINDOWS]:
        if inside < (FEWEST if on_plane else _FEWEST):
            continue
        corners = mapped(matrix, np.array([[left, top], [left + SIDE, top], [left + SIDE, top + SIDE],
                                           [left, top + SIDE]]) - 0.5)
        is_cut = bool((corners < _INSIDE_PX).any() or (corners > np.array([width, height]) - 1 - _INSIDE_PX).any())
        if is_cut and on_plane:
            continue
        there = matrix @ np.array([[1.0, 0, left], [0, 1.0, top], [0, 0, 1]])
        lines = rough_lines(gray, kit, there, frame_mm, on_plane)
        seen = share_seen(lines)
        score = float(seen.mean()) + 0.02 * inside
        if score > best[0] and not (is_cut and best[1] is not None and not best[2]):
            best = (score, None if is_cut or seen.mean() < _LEAST_MEAN / 2 else lines, is_cut)
        if best[1] is lines and seen.mean() > _CLEAR_MEAN and _least_side(seen) > _CLEAR_SIDE * seen.mean():
            break
    return best[1], best[2]


def _is_mat_on_plane(seen: Floats) -> bool:
    """Where so much else fits, a tall tower may hide all lines of one slot."""
    if seen.min() >= _LEAST_SLOT / 2 and seen.mean() >= _LEAST_MEAN:
        return True
    return bool(seen.mean() >= _PLAIN_MEAN and _least_side(seen) > _PLAIN_SIDE * seen.mean())


def _least_side(seen: Floats) -> float:
    """What is seen of the four outer slots of the side where least is."""
    slots = seen.reshape(SIDE, SIDE)
    return float(min(slots[0].mean(), slots[-1].mean(), slots[:, 0].mean(), slots[:, -1].mean()))
