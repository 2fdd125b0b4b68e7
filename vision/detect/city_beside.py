"""Inhabitants and energy that lie beside the mat: patches of their colours that the empty picture does not have.

Frame of reference: a map of the table around the mat, mm as the mat's frame, straightened on the ground plane.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect.city_packing import PX_PER_MM, packed, seen_token
from vision.detect.city_square import Spot, crop_map, sampled
from vision.detect.city_tokens import (
    GAIN_SPREAD,
    USUAL,
    Hues,
    TokenColours,
    colour_mask,
    hsv_against,
    in_hues,
    lean_of,
    needed_gain,
)
from vision.frame import Image, Mask
from vision.kits.quadropolis import ENERGY, INHABITANT, SIDE, QuadropolisKit, TokenShape
from vision.pose import BoardPose

Floats = NDArray[np.float32]
REACH_MM = 130.0
"""Beyond the slots, on every side."""
_SLOTS_MM = 4.0
_LEANS_MM = 6.0
_COARSE_PX_PER_MM = 1.0
_LEAST_MM2 = 24.0
_MOST_MM2 = 2600.0
_GROUP_MM = 6.0
_DIFFERS = 24.0
_LIKE_SHARE = 0.25
_SURE_ON_LIKE = 0.6
_SURE_AT_EDGE = 0.6
_EDGE_MM = 5
_SOLID, _WIDE, _STRIPE = 1.2, 0.72, 0.4
"""Of a token's long side, long side and short side: a patch that has room for a circle of this radius is a book or a
coaster; may be one; must have it, or is a stripe of the cloth, a shadow's rim."""
_WIDE_DOUBT = 0.3
_LEAST_AT_EDGE_MM2 = 4.0
"""So much of a token's colour where the picture ends: one may lie there that is not seen whole."""
_ONE = (0.8, 1.4)
"""Areas of a top: so large is what has one token, with what of its sides is of its colour."""


@dataclass(frozen=True, slots=True)
class BesideSeen:
    """How many lie beside the mat, and how sure that is, 0 to 1."""

    inhabitants: int
    energy: int
    sure: float


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The table around a mat as seen in the picture of the empty one: `image` (n, n, 3), `inside` (n, n) where the
    picture reaches, and `is_like` by kind of token: whether the table itself is of its colour. `as_moved` (n, n, 3):
    the same picture around the place where the mat is now, if only the mat has moved."""

    image: Image
    inside: Mask
    kit: QuadropolisKit
    is_like: Mapping[str, bool]
    colours: TokenColours = USUAL
    as_moved: Image | None = None

    def moved(self, image: Image, pose: BoardPose) -> Surroundings:
        """The same for a mat that is elsewhere: a bump moves the camera, or the mat but not what lies around it."""
        return replace(self, as_moved=_around(image, pose, self.kit)[0])

    @staticmethod
    def of(image: Image, pose: BoardPose, kit: QuadropolisKit, white: Floats,
           colours: TokenColours = USUAL) -> Surroundings:
        """From the picture of the empty mat; `white` (3,) BGR of card there."""
        flat, inside = _around(image, pose, kit)
        known = inside & ~_slots(flat.shape[0], kit)
        like = {shape.kind: bool(colour_mask(flat, white, hues)[known].mean() > _LIKE_SHARE)
                for shape, hues in colours.shapes}
        return Surroundings(flat, inside, kit, like, colours)


def _around(image: Image, pose: BoardPose, kit: QuadropolisKit) -> tuple[Image, Mask]:
    span = SIDE * kit.pitch_mm
    ends = pose.to_px(np.array([[0.0, span / 2], [span, span / 2]]))
    scale = min(1.0, 1.4 * _COARSE_PX_PER_MM * span / float(np.linalg.norm(ends[1] - ends[0])))
    small = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    grid = crop_map(pose, Spot(span / 2, span / 2), span + 2 * REACH_MM, _COARSE_PX_PER_MM, scale, knots=19)
    height, width = small.shape[:2]
    inside = (grid[..., 0] > 0) & (grid[..., 1] > 0) & (grid[..., 0] < width - 1) & (grid[..., 1] < height - 1)
    return sampled(small, grid, border=cv2.BORDER_CONSTANT), np.asarray(inside)


def see_beside(image: Image, pose: BoardPose, before: Surroundings, white: Floats, lamp: Floats,
               tiles: Sequence[tuple[Spot, float]] = (), now: Image | None = None) -> BesideSeen:
    """Counts both kinds. `white` (3,): of card in the empty picture; `lamp` (3,): this picture's light over it;
    `tiles`: where tiles lie, and their side in mm: what is on them is not beside, even beyond the slots; `now`:
    the same map as `before.image` of this picture, where it is known already."""
    kit = before.kit
    flat, inside = _around(image, pose, kit) if now is None else (now, before.inside)
    gain = np.asarray(lamp, np.float32) ** np.float32(1 / 2.2)
    here = np.clip(white * gain, 12, 255).astype(np.float32)
    differs = np.abs(flat.astype(np.float32) - before.image * gain).max(axis=2) > _DIFFERS
    if before.as_moved is not None:
        differs &= np.abs(flat.astype(np.float32) - before.as_moved * gain).max(axis=2) > _DIFFERS
    known = inside & ~_slots(flat.shape[0], kit) & ~_on_tiles(flat.shape[0], kit, tiles)
    wide = 2 * round(_EDGE_MM * _COARSE_PX_PER_MM) + 1
    ends = np.asarray(cv2.erode(inside.astype(np.uint8), np.ones((wide, wide), np.uint8)) == 0)
    sure = 0.98
    counts = {}
    hsv = hsv_against(flat, here)
    for shape, hues in before.colours.shapes:
        there = in_hues(hsv, _stricter(hues)) & known & differs
        count = 0
        for group in _groups(there):
            top, left = max(group.row - 4, 0), max(group.column - 4, 0)
            ground = before.image[top : group.row + 5, left : group.column + 5].reshape(-1, 3)
            bare = np.median(ground, axis=0) * gain
            number, doubt = _in_group(image, pose, group, here, bare.astype(np.float32), shape, hues, kit)
            count += number
            sure = min(sure, 1 - doubt)
        at_edge = float((there & ends).sum()) / _COARSE_PX_PER_MM**2
        if at_edge > _LEAST_AT_EDGE_MM2 and not before.is_like[shape.kind]:
            sure = min(sure, _SURE_AT_EDGE)
        if before.is_like[shape.kind]:
            sure = min(sure, _SURE_ON_LIKE)
        counts[shape.kind] = count
    return BesideSeen(counts[INHABITANT.kind], counts[ENERGY.kind], sure)


def _stricter(hues: Hues) -> Hues:
    return Hues(hues.middle, hues.reach, max(hues.saturation, 0.5), hues.value)


def _slots(n: int, kit: QuadropolisKit) -> Mask:
    """(n, n): the slots and a little around them; tokens there lie on tiles."""
    out = np.zeros((n, n), bool)
    middle = n / 2
    half = (SIDE * kit.pitch_mm / 2 + _SLOTS_MM) * _COARSE_PX_PER_MM
    out[round(middle - half) : round(middle + half), round(middle - half) : round(middle + half)] = True
    return out


def _on_tiles(n: int, kit: QuadropolisKit, tiles: Sequence[tuple[Spot, float]]) -> Mask:
    """(n, n): the tiles and what leans out over their sides."""
    out, span = np.zeros((n, n), np.uint8), SIDE * kit.pitch_mm
    for spot, side_mm in tiles:
        x = (spot.x_mm - span / 2) * _COARSE_PX_PER_MM + (n - 1) / 2
        y = (span / 2 - spot.y_mm) * _COARSE_PX_PER_MM + (n - 1) / 2
        side = (side_mm + 2 * _LEANS_MM) * _COARSE_PX_PER_MM
        corners = cv2.boxPoints(((x, y), (side, side), -spot.turn_deg))
        cv2.fillConvexPoly(out, np.round(corners).astype(np.int32), (1,))
    return np.asarray(out > 0)


@dataclass(frozen=True, slots=True)
class _Group:
    """Patches of colour that lie together: `column` and `row` of its middle in the map, and `reach` (n, n) bool, n
    odd, the map around it: what belongs to it."""

    column: int
    row: int
    reach: Mask


def _groups(there: Mask) -> list[_Group]:
    clean = cv2.morphologyEx(there.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    near = round(_GROUP_MM * _COARSE_PX_PER_MM) | 1
    joined = cv2.dilate(clean, np.ones((near, near), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined)
    found = []
    for n in range(1, count):
        x, y, w, h, _ = (int(v) for v in stats[n])
        area = int(clean[labels == n].sum()) / _COARSE_PX_PER_MM**2
        if _LEAST_MM2 <= area <= _MOST_MM2:
            half = max(w, h) // 2 + 3
            padded = np.pad(labels == n, half + 1)
            row, col = y + h // 2, x + w // 2
            top, left = row + 1, col + 1
            found.append(_Group(col, row, padded[top : top + 2 * half + 1, left : left + 2 * half + 1]))
    return found


def _in_group(image: Image, pose: BoardPose, group: _Group, white: Floats, bare: Floats, shape: TokenShape,
              hues: Hues, kit: QuadropolisKit) -> tuple[int, float]:
    """How many tokens a group has, and how doubtful that is. `bare` (3,): the table's colour there, BGR."""
    span = SIDE * kit.pitch_mm
    middle = ((span + 2 * REACH_MM) * _COARSE_PX_PER_MM - 1) / 2
    spot = Spot(span / 2 + (group.column - middle) / _COARSE_PX_PER_MM,
                span / 2 + (middle - group.row) / _COARSE_PX_PER_MM)
    grid = crop_map(pose, spot, group.reach.shape[0] / _COARSE_PX_PER_MM, PX_PER_MM)
    patch = sampled(image, grid)
    height, width = image.shape[:2]
    outside = (grid[..., 0] < 1) | (grid[..., 1] < 1) | (grid[..., 0] > width - 2) | (grid[..., 1] > height - 2)
    patch = np.asarray(cv2.GaussianBlur(patch, (0, 0), 0.8), np.uint8)
    mask = colour_mask(patch, white, _stricter(hues))
    mask &= _unlike(patch, mask, bare)
    mask &= cv2.resize(group.reach.astype(np.uint8), mask.shape[::-1], interpolation=cv2.INTER_NEAREST) > 0
    mask = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)) > 0
    lean, larger = lean_of(pose, spot, shape)
    token = seen_token(shape, lean, larger)
    if not outside.any() and _ONE[0] < float(mask.sum()) / (token.area_mm2 * PX_PER_MM**2) < _ONE[1]:
        return 1, 0.02
    # The largest circle that is all of the colour: a token holds one half as wide as its short side, some that touch
    # hardly a larger one than its long side.
    room_mm = float(cv2.distanceTransform(np.pad(mask, 1).astype(np.uint8), cv2.DIST_L2, 5).max()) / PX_PER_MM
    if room_mm > _SOLID * shape.length_mm or room_mm < _STRIPE * shape.width_mm:
        return 0, 0.1
    packing = packed(np.asarray(mask), np.asarray(outside), token, most=12)
    count, doubt = 0, _WIDE_DOUBT if room_mm > _WIDE * shape.length_mm else 0.02
    for n, gain in enumerate(packing.gains):
        needed = needed_gain(packing.shown[n])
        doubt = max(doubt, float(0.5 * np.exp(-abs(gain - needed) / GAIN_SPREAD)))
        if gain < needed:
            break
        count = n + 1
    return count, doubt


def _unlike(patch: Image, mask: Mask, bare: Floats) -> Mask:
    """(H, W): pixels whose colour, brightness apart, is nearer to that of the patch's most vivid ones than to the
    table's: a brown table in a shadow is somewhat red too."""
    values = patch.astype(np.float32) + 4
    vivid = (values.max(axis=2) - values.min(axis=2)) / values.max(axis=2)
    if not mask.any():
        return mask
    core = values[mask & (vivid >= np.quantile(vivid[mask], 0.6))].mean(axis=0)
    table = bare + 4
    to_core = np.abs(values / values.sum(axis=2, keepdims=True) - core / core.sum()).sum(axis=2)
    to_table = np.abs(values / values.sum(axis=2, keepdims=True) - table / table.sum()).sum(axis=2)
    return np.asarray(to_core < to_table)
