"""The lines printed around a mat's sixteen slots, found piece by piece where a rough place expects them.

A printed line is thin and dark with the same colour on both its sides; a tile's edge has two. Tiles cover many pieces,
and edges of tiles lie near others, so a mat's lines are those that one plane explains together.

Frame of reference: mm as `QuadropolisKit`; px of the whole picture. The straightened mat has `_PX_PER_MM` px a mm.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Gray, Matrix, Points
from vision.kits.quadropolis import SIDE, QuadropolisKit
from vision.locate.lattice import homography, mapped
from vision.locate.pose_fit import fit_points
from vision.pose import BoardPose

Floats = NDArray[np.float32]
_PX_PER_MM = 4.0
_MARGIN_MM = 12.0
_PIECES = 10
_ACROSS_MM = 0.75
"""From a line's middle to the print's ground on both sides."""
_REACH_MM = (4.5, 3.0, 2.0, 1.2, 0.9)
_DARKER = 0.10
"""Of the ground's brightness: a line is so much darker."""
_USUAL_OF_TILE = 47 / 45
_NEAR_MM = 0.55
FRAME_RANGE = (0.78, 0.94)
"""Of the pitch: sides of printed slots that are believed."""
_CANDIDATES = 3


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Where the lines are: `from_mm` (3, 3) mm to px; `frame_mm` a slot's side; for each of 16 slots, 4 sides and
    `_PIECES` pieces whether it was `seen`."""

    from_mm: Matrix
    frame_mm: float
    seen: NDArray[np.bool_]


def share_seen(lines: Lines) -> Floats:
    """(16,): the share of each slot's printed line that was seen."""
    return np.asarray(lines.seen.reshape(SIDE * SIDE, -1).mean(axis=1), np.float32)


def lines_of(gray: Gray, kit: QuadropolisKit, from_cells: Matrix, frame_mm: float | None) -> Lines:
    """The lines near a rough place: `from_cells` maps (column, row) of a slot's middle to px."""
    p = kit.pitch_mm
    cells = np.array([[1 / p, 0, -0.5], [0, -1 / p, SIDE - 0.5], [0, 0, 1.0]])
    lines = Lines(from_cells @ cells, frame_mm or kit.tile_mm * _USUAL_OF_TILE, np.zeros(0, bool))
    for reach in _REACH_MM:
        lines = _nearer(gray, kit, lines, reach, frame_mm is not None)
    return lines


def _ridges(gray: Gray, kit: QuadropolisKit, from_mm: Matrix) -> tuple[Floats, Floats]:
    """How much a place of the straightened mat is darker than both its sides: across columns, and across rows."""
    size = SIDE * kit.pitch_mm + 2 * _MARGIN_MM
    n = round(size * _PX_PER_MM)
    px = np.array([[1 / _PX_PER_MM, 0, -_MARGIN_MM], [0, -1 / _PX_PER_MM, SIDE * kit.pitch_mm + _MARGIN_MM], [0, 0, 1]])
    flat = cv2.warpPerspective(gray, from_mm @ px, (n, n), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    bright = np.log(cv2.GaussianBlur(flat, (0, 0), 0.8).astype(np.float32) + 8)
    step = round(_ACROSS_MM * _PX_PER_MM)
    out = []
    for axis in (1, 0):
        one, two = np.roll(bright, step, axis=axis), np.roll(bright, -step, axis=axis)
        out.append(np.asarray(np.minimum(one, two) - bright - 0.5 * np.abs(one - two), np.float32))
    return out[0], out[1]


def _pieces(kit: QuadropolisKit, frame_mm: float) -> tuple[Points, Points]:
    """(M, 2) mm each: the middles of all pieces of all lines, and the outward normal of each."""
    half = frame_mm / 2
    along = ((np.arange(_PIECES) + 0.5) / _PIECES * 2 - 1) * half * 0.94
    sides, normals = [], []
    for nx, ny in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        sides.append(np.stack([nx * half - ny * along, ny * half + nx * along], 1))
        normals.append(np.tile([nx, ny], (_PIECES, 1)))
    ring, out = np.concatenate(sides), np.concatenate(normals).astype(np.float64)
    middles = np.array([place.centre_mm[:2] for place in kit.places])
    return (middles[:, None] + ring[None]).reshape(-1, 2), np.tile(out, (len(middles), 1))


def _offsets(ridges: tuple[Floats, Floats], kit: QuadropolisKit, at: Points, normal: Points, reach: float,
             ) -> tuple[Floats, Floats]:
    """(M, K) mm beyond each piece's place at which a line may run, the strongest first, and how strong; 0: none."""
    steps = np.arange(-reach, reach + 1e-6, 1 / _PX_PER_MM)
    length = 0.94 * kit.pitch_mm * 0.85 / _PIECES
    along = np.linspace(-0.4, 0.4, 5) * length
    tangent = np.stack([-normal[:, 1], normal[:, 0]], 1)
    where = at[:, None, None] + steps[None, :, None, None] * normal[:, None, None] \
        + along[None, None, :, None] * tangent[:, None, None]
    x = ((where[..., 0] + _MARGIN_MM) * _PX_PER_MM).astype(np.float32)
    y = ((SIDE * kit.pitch_mm + _MARGIN_MM - where[..., 1]) * _PX_PER_MM).astype(np.float32)
    shape = (x.shape[0], x.shape[1] * x.shape[2])
    profile = np.zeros(x.shape[:2], np.float32)
    for axis in (0, 1):
        rows = np.abs(normal[:, axis]) > 0.5
        seen = cv2.remap(ridges[axis], x.reshape(shape)[rows], y.reshape(shape)[rows], cv2.INTER_LINEAR)
        profile[rows] = np.median(seen.reshape(-1, x.shape[1], x.shape[2]), axis=2)
    best, strength = np.zeros((len(at), _CANDIDATES), np.float32), np.zeros((len(at), _CANDIDATES), np.float32)
    lines = np.arange(len(at))
    for k in range(_CANDIDATES):
        peak = profile.argmax(axis=1)
        high = profile[lines, peak]
        a, b = profile[lines, np.maximum(peak - 1, 0)], profile[lines, np.minimum(peak + 1, len(steps) - 1)]
        bend = np.minimum(a - 2 * high + b, -1e-6)
        fine = np.clip(0.5 * (a - b) / bend, -0.5, 0.5)
        good = high > _DARKER
        best[:, k] = np.where(good, steps[peak] + fine / _PX_PER_MM, 0)
        strength[:, k] = np.where(good, high, 0)
        near = np.abs(np.arange(len(steps)) - peak[:, None]) <= round(0.8 * _PX_PER_MM)
        profile[near] = -1
    return best, strength


def _nearer(gray: Gray, kit: QuadropolisKit, lines: Lines, reach: float, frame_known: bool) -> Lines:
    """One round: pieces sought within `reach`, a small change of the plane that explains most of them."""
    at, normal = _pieces(kit, lines.frame_mm)
    offsets, strength = _offsets(_ridges(gray, kit, lines.from_mm), kit, at, normal, reach)
    change, wider, good = _explained(kit, at, normal, offsets, strength, reach, frame_known)
    moved = at + change
    corners = np.array(kit.outline_mm)
    design = np.concatenate([at, corners])
    shift = np.concatenate([moved, _warped(corners, kit, at, change)])
    bend = homography(design, shift)
    frame = float(np.clip(lines.frame_mm + 2 * wider, *(np.array(FRAME_RANGE) * kit.pitch_mm)))
    return Lines(lines.from_mm @ bend, frame, good)


def _basis(at: Points, kit: QuadropolisKit) -> Points:
    """(M, 6): 1, x, y, and the squares, of places scaled to -1..1."""
    x, y = ((at / (SIDE * kit.pitch_mm)) * 2 - 1).T
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], 1)


def _design(at: Points, normal: Points, kit: QuadropolisKit) -> Points:
    """(M, 9): how each piece moves along its normal with the eight numbers of a small homography, and the side."""
    b = _basis(at, kit)
    x, y = b[:, 1], b[:, 2]
    zero = np.zeros_like(x)
    dx = np.stack([b[:, 0], x, y, zero, zero, zero, x * x, x * y], 1)
    dy = np.stack([zero, zero, zero, b[:, 0], x, y, x * y, y * y], 1)
    return np.column_stack([dx * normal[:, :1] + dy * normal[:, 1:], np.ones(len(at))])


def _explained(kit: QuadropolisKit, at: Points, normal: Points, offsets: Floats, strength: Floats, reach: float,
               frame_known: bool) -> tuple[Points, float, NDArray[np.bool_]]:
    """(M, 2) mm by which the places move, by how much half a side grows, and which pieces fit.

    Each piece chooses the candidate nearest to what all say; all say what most choose. Begun from several places, since
    tiles' edges are lines too.
    """
    design = _design(at, normal, kit)
    there = strength > 0
    spread = np.array([0.6, 0.3, 0.3, 0.6, 0.3, 0.3, 0.12, 0.12, 1e-4 if frame_known else 0.25]) * reach
    best: tuple[float, Points] | None = None
    starts = [(0.0, 0.0)] if reach < 1.5 else [(a, b) for a in (-0.5, 0, 0.5) for b in (-0.5, 0, 0.5)]
    for dx, dy in starts:
        values = np.zeros(9)
        values[[0, 3]] = np.array([dx, dy]) * reach * 0.8
        for scale in (0.35 * reach, 0.25 * reach, max(0.15 * reach, 0.25), 0.25):
            off = np.where(there, offsets - (design @ values)[:, None], 1e3)
            pick = np.abs(off).argmin(axis=1)
            rows = np.arange(len(at))
            value = offsets[rows, pick].astype(np.float64)
            weight = np.where(there[rows, pick], 1 / (1 + (off[rows, pick] / scale) ** 2) ** 2, 0.0)
            weight *= np.clip(strength[rows, pick], 0, 0.6)
            normal_ = design.T @ (weight[:, None] * design) + np.diag(1e-3 / spread**2 * (weight.sum() + 1))
            values = np.linalg.solve(normal_, design.T @ (weight * value))
        off = offsets - (design @ values)[:, None]
        fit = float(np.where(there, np.exp(-((off / 0.4) ** 2)), 0).max(axis=1).sum())
        if best is None or fit > best[0]:
            best = (fit, values)
    if best is None:
        raise ValueError("wanted places to begin from, found none")
    values = best[1]
    off = np.where(there, offsets - (design @ values)[:, None], 1e3)
    pick = np.abs(off).argmin(axis=1)
    rows = np.arange(len(at))
    good = np.abs(off[rows, pick]) < _NEAR_MM
    return _moved(at, kit, values), float(values[8]), good


def _moved(at: Points, kit: QuadropolisKit, values: Matrix) -> Points:
    b = _basis(at, kit)
    x, y = b[:, 1], b[:, 2]
    return np.stack([values[0] + values[1] * x + values[2] * y + values[6] * x * x + values[7] * x * y,
                     values[3] + values[4] * x + values[5] * y + values[6] * x * y + values[7] * y * y], 1)


def _warped(points: Points, kit: QuadropolisKit, at: Points, change: Points) -> Points:
    """Points moved as their surroundings were."""
    fitted = np.linalg.lstsq(_basis(at, kit), change, rcond=None)[0]
    return np.asarray(points + _basis(points, kit) @ fitted)


def posed(gray: Gray, kit: QuadropolisKit, lines: Lines, focal_px: float | None) -> tuple[BoardPose, Lines]:
    """The camera that explains the lines, its lens with them; `focal_px` as the file says, or None."""
    size = (gray.shape[1], gray.shape[0])
    p = kit.pitch_mm
    grid = np.array([[c * p, r * p] for r in range(SIDE + 1) for c in range(SIDE + 1)])
    px = mapped(lines.from_mm, grid)
    step = float(np.linalg.norm(px[1] - px[0]))
    at, normal = _pieces(kit, lines.frame_mm)
    offsets, strength = _offsets(_ridges(gray, kit, lines.from_mm), kit, at, normal, 1.2)
    near = np.where(strength > 0, np.abs(offsets), 9)
    pick, rows = near.argmin(axis=1), np.arange(len(at))
    good = near[rows, pick] < _NEAR_MM
    seen_px = mapped(lines.from_mm, at + normal * np.where(good, offsets[rows, pick], 0)[:, None])
    tangent = np.stack([-normal[:, 1], normal[:, 0]], 1)
    mm = np.c_[at, np.zeros(len(at))]
    weight = good.astype(np.float64)
    pose = fit_points(mm, seen_px, weight, good, size, None, step, focal_px)
    for _ in range(3):
        # A line says nothing of how far along it a piece lies: there the fit is believed.
        ahead = pose.to_px(at + tangent) - pose.to_px(at)
        ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
        off = ((pose.to_px(at) - seen_px) * ahead).sum(axis=1)
        seen_px = seen_px + off[:, None] * ahead
        pose = fit_points(mm, seen_px, weight, good, size, None, step, focal_px)
    return pose, replace(lines, seen=good)
