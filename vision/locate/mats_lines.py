"""The lines printed around a mat's sixteen slots, found piece by piece where a rough place expects them.

A printed line is thin and dark with the same colour on both its sides; a tile's edge has two. Tiles cover many pieces,
and edges of tiles lie near others, so a mat's lines are those that one plane explains together.

Frame of reference: mm as `QuadropolisKit`; px of the whole picture.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Gray, Matrix, Points
from vision.kits.quadropolis import SIDE, QuadropolisKit
from vision.locate.lattice import homography, mapped

Floats = NDArray[np.float32]
_FINE_PX_PER_MM, _COARSE_PX_PER_MM = 4.0, 8 / 3
"""A straightened mat's: three and two px across a line's side. The coarse one also where the picture has no more."""
_MARGIN_MM = 12.0
_PIECES = 10
_SOFT_MM = 0.2
_LOG = np.log(np.arange(256) + 8).astype(np.float32)
_ACROSS_MM = 1.05
"""From a line's middle to the print's ground on both sides."""
_ROUGH_REACH_MM, _REACH_MM = (4.5, 3.0, 2.0), (2.0, 1.2, 0.9)
_STIFF_MM = 2.5
"""On a known plane a mat is only shifted and turned while it is sought so far."""
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


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Pieces of a mat's lines: where each is on the mat, `at_mm` (M, 2), where it was `seen_px` (M, 2), across which
    way `across_px` (M, 2) it was measured there (unit length), and whether it was `seen` (M,) at all."""

    at_mm: Points
    seen_px: Points
    across_px: Points
    seen: NDArray[np.bool_]


def share_seen(lines: Lines) -> Floats:
    """(16,): the share of each slot's printed line that was seen."""
    return np.asarray(lines.seen.reshape(SIDE * SIDE, -1).mean(axis=1), np.float32)


def rough_lines(gray: Gray, kit: QuadropolisKit, from_cells: Matrix, frame_mm: float | None,
                on_plane: bool = False) -> Lines:
    """The lines near a rough place: `from_cells` maps (column, row) of a slot's middle to px. Good enough to tell
    whether a mat lies there. `on_plane`: how the table's plane is seen is known."""
    p = kit.pitch_mm
    cells = np.array([[1 / p, 0, -0.5], [0, -1 / p, SIDE - 0.5], [0, 0, 1.0]])
    lines = Lines(from_cells @ cells, frame_mm or kit.tile_mm * _USUAL_OF_TILE, np.zeros(0, bool))
    sheet = _sheet(gray, kit, lines.from_mm, _COARSE_PX_PER_MM)
    for reach in _ROUGH_REACH_MM:
        lines = _nearer(sheet, kit, lines, reach, frame_mm is not None, on_plane and reach > _STIFF_MM)
    return lines


def fine_lines(gray: Gray, kit: QuadropolisKit, rough: Lines, frame_mm: float | None) -> tuple[Lines, Pieces]:
    """The same lines as exactly as the picture shows them, and where each piece was seen."""
    span = SIDE * kit.pitch_mm
    ends = mapped(rough.from_mm, np.array([[0, 0], [span, span], [0, span], [span, 0]]))
    density = float(np.linalg.norm(ends[1] - ends[0]) + np.linalg.norm(ends[3] - ends[2])) / (2 * 2**0.5 * span)
    fine = _FINE_PX_PER_MM if density > _COARSE_PX_PER_MM * 1.1 else _COARSE_PX_PER_MM
    lines, sheet = rough, _sheet(gray, kit, rough.from_mm, fine)
    for reach in _REACH_MM:
        lines = _nearer(sheet, kit, lines, reach, frame_mm is not None)
    at, normal = _pieces(kit, lines.frame_mm)
    offsets, strength = _offsets(sheet, lines, at, normal, 1.2)
    near = np.where(strength > 0, np.abs(offsets), 9)
    pick, rows = near.argmin(axis=1), np.arange(len(at))
    good = near[rows, pick] < _NEAR_MM
    seen_px = mapped(lines.from_mm, at + normal * np.where(good, offsets[rows, pick], 0)[:, None])
    across = mapped(lines.from_mm, at + normal) - mapped(lines.from_mm, at)
    tangent = np.stack([-normal[:, 1], normal[:, 0]], 1)
    along = mapped(lines.from_mm, at + tangent) - mapped(lines.from_mm, at)
    out = np.stack([along[:, 1], -along[:, 0]], 1)
    out *= np.sign((out * across).sum(axis=1))[:, None]
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    return replace(lines, seen=good), Pieces(at, seen_px, out, good)


@dataclass(frozen=True, slots=True, eq=False)
class _Sheet:
    """A mat straightened by `from_mm` (3, 3): how much each place is darker than both its sides, `across` columns and
    across rows (`down`)."""

    across: Floats
    down: Floats
    from_mm: Matrix
    px_per_mm: float
    top_mm: float


def _sheet(gray: Gray, kit: QuadropolisKit, from_mm: Matrix, px_per_mm: float) -> _Sheet:
    size = SIDE * kit.pitch_mm + 2 * _MARGIN_MM
    n = round(size * px_per_mm)
    px = np.array([[1 / px_per_mm, 0, -_MARGIN_MM], [0, -1 / px_per_mm, SIDE * kit.pitch_mm + _MARGIN_MM], [0, 0, 1]])
    flat = cv2.warpPerspective(gray, from_mm @ px, (n, n), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    bright = cv2.LUT(cv2.GaussianBlur(flat, (0, 0), _SOFT_MM * px_per_mm), _LOG)
    step = round(_ACROSS_MM * px_per_mm)
    out = []
    for dx, dy in ((step, 0), (0, step)):
        wide = cv2.copyMakeBorder(bright, dy, dy, dx, dx, cv2.BORDER_REPLICATE)
        one, two = wide[: n, : n], wide[2 * dy :, 2 * dx :]
        # The nearer side less the line, less half of what the sides differ.
        out.append(np.asarray(cv2.min(one, two) - bright - 0.5 * cv2.absdiff(one, two), np.float32))
    return _Sheet(out[0], out[1], from_mm, px_per_mm, SIDE * kit.pitch_mm + _MARGIN_MM)


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


def _offsets(sheet: _Sheet, lines: Lines, at: Points, normal: Points, reach: float) -> tuple[Floats, Floats]:
    """(M, K) mm beyond each piece's place at which a line may run, the strongest first, and how strong; 0: none.

    `lines`: where the mat is thought to lie now, a little beside where the sheet was straightened.
    """
    scale = sheet.px_per_mm
    steps = np.arange(-reach, reach + 1e-6, 1 / scale)
    length = 0.94 * lines.frame_mm / _PIECES
    along = np.linspace(-0.4, 0.4, 5) * length
    tangent = np.stack([-normal[:, 1], normal[:, 0]], 1)
    there = np.asarray(np.linalg.inv(sheet.from_mm) @ lines.from_mm)
    place = mapped(there, at)
    out, beside = mapped(there, at + normal) - place, mapped(there, at + tangent) - place
    where = place[:, None, None] + steps[None, :, None, None] * out[:, None, None] \
        + along[None, None, :, None] * beside[:, None, None]
    x = ((where[..., 0] + _MARGIN_MM) * scale).astype(np.float32)
    y = ((sheet.top_mm - where[..., 1]) * scale).astype(np.float32)
    shape = (x.shape[0], x.shape[1] * x.shape[2])
    profile = np.zeros(x.shape[:2], np.float32)
    for axis, ridges in ((0, sheet.across), (1, sheet.down)):
        rows = np.abs(normal[:, axis]) > 0.5
        seen = cv2.remap(ridges, x.reshape(shape)[rows], y.reshape(shape)[rows], cv2.INTER_LINEAR)
        profile[rows] = _middle_of_five(np.asarray(seen, np.float32).reshape(-1, x.shape[1], x.shape[2]))
    best, strength = np.zeros((len(at), _CANDIDATES), np.float32), np.zeros((len(at), _CANDIDATES), np.float32)
    each = np.arange(len(at))
    for k in range(_CANDIDATES):
        peak = profile.argmax(axis=1)
        high = profile[each, peak]
        a, b = profile[each, np.maximum(peak - 1, 0)], profile[each, np.minimum(peak + 1, len(steps) - 1)]
        bend = np.minimum(a - 2 * high + b, -1e-6)
        fine = np.clip(0.5 * (a - b) / bend, -0.5, 0.5)
        good = high > _DARKER
        best[:, k] = np.where(good, steps[peak] + fine / scale, 0)
        strength[:, k] = np.where(good, high, 0)
        near = np.abs(np.arange(len(steps)) - peak[:, None]) <= round(0.8 * scale)
        profile[near] = -1
    return best, strength


def _middle_of_five(values: Floats) -> Floats:
    """(M, K, 5) -> (M, K): the medians, by comparing pairs: many times as fast as sorting each."""
    a, b, c, d, e = (values[..., n] for n in range(5))
    one = np.maximum(np.minimum(a, b), np.minimum(c, d))
    two = np.minimum(np.maximum(a, b), np.maximum(c, d))
    return np.asarray(np.maximum(np.minimum(one, two), np.minimum(np.maximum(one, two), e)), np.float32)


def _nearer(sheet: _Sheet, kit: QuadropolisKit, lines: Lines, reach: float, frame_known: bool,
            stiff: bool = False) -> Lines:
    """One round: pieces sought within `reach`, a small change of the plane that explains most of them."""
    at, normal = _pieces(kit, lines.frame_mm)
    offsets, strength = _offsets(sheet, lines, at, normal, reach)
    change, wider, good = _explained(kit, at, normal, offsets, strength, reach, frame_known, stiff)
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
               frame_known: bool, stiff: bool) -> tuple[Points, float, NDArray[np.bool_]]:
    """(M, 2) mm by which the places move, by how much half a side grows, and which pieces fit.

    Each piece chooses the candidate nearest to what all say; all say what most choose. Begun from several places, since
    tiles' edges are lines too.
    """
    design = _design(at, normal, kit)
    there = strength > 0
    loose = np.eye(9)
    if stiff:
        # Shifted in x, shifted in y, turned.
        loose = np.zeros((9, 3))
        loose[0, 0] = loose[3, 1] = loose[2, 2] = 1.0
        loose[4, 2] = -1.0
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
            right = loose.T @ (design.T @ (weight * value))
            values = loose @ np.linalg.solve(loose.T @ normal_ @ loose, right)
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
