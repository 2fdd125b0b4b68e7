"""The Mystery Machine: in front of which seat it stands.

The surroundings of the board, straightened coarsely, are compared with how they were at set-up, relit to the
same lamp. What is new there, about as large as a toy van and apart from any arm, speaks for its side. Colour
counts for more than brightness, for a shadow only darkens.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from rules.words import SEATS, Colour, Piece
from vision.frame import Image
from vision.kits.gridlock import SIDE, VAN_KIND, GridlockKit, van_cell
from vision.light import encoded, linear, relight
from vision.observation import Sighting
from vision.observe import Looked, Taught, View
from vision.pose import BoardPose

SPAN_PX = 176
MM_PER_PX = 5.0
MEAN_LIGHT = 0.25
LEAST_CHANGE = 0.07
"""On the square-root scale, where the board's mean is 0.5."""
LEVELS = (1.0, 2.0, 3.5)
MOST_CHANGE = 0.4
"""More than this counts no more: size speaks too."""
FRAME_PX = 4
"""Around the squares: their frame has glare of its own, and the van stands off it."""
AREA_MM2 = (500.0, 11000.0)
EXTENT_MM = 190.0
"""A van with its shadow is no longer than this; an arm is."""
EDGE_PX = 4
"""An arm comes from the edge of what is known, give or take so much."""
NOWHERE = 2.5
"""What speaks for "not in the picture", in the measure of `_strengths`."""

Floats = NDArray[np.float32]


def surroundings_maps(pose: BoardPose, square_mm: float) -> tuple[Floats, Floats]:
    """Maps (SPAN_PX, SPAN_PX) for `cv2.remap`: the board's middle in the middle, north up, 5 mm a pixel."""
    mid = SIDE * square_mm / 2
    offset = (np.arange(SPAN_PX) - (SPAN_PX - 1) / 2) * MM_PER_PX
    x, y = np.meshgrid(mid + offset, mid - offset)
    px = pose.to_px(np.stack([x.ravel(), y.ravel()], axis=1)).reshape(SPAN_PX, SPAN_PX, 2).astype(np.float32)
    return np.ascontiguousarray(px[..., 0]), np.ascontiguousarray(px[..., 1])


def surroundings(image: Image, maps: tuple[Floats, Floats]) -> Image:
    """(SPAN_PX, SPAN_PX, 3): black where the picture does not reach. Smoothed first: 5 mm are many pixels."""
    shrink = 0.25 if image.shape[1] > 1100 else 0.5
    small = cv2.resize(image, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    x, y = ((m + np.float32(0.5)) * np.float32(shrink) - np.float32(0.5) for m in maps)
    return np.asarray(cv2.remap(small, x, y, cv2.INTER_LINEAR), np.uint8)


def change(now: Image, before: Image) -> Floats:
    """(SPAN_PX, SPAN_PX): how much each place differs from set-up once the lamp is allowed for; 0 where unknown."""
    # Channel by channel: numpy is slow along an axis of three.
    known = ((now[..., 0] | now[..., 1] | now[..., 2]) > 0) & ((before[..., 0] | before[..., 1] | before[..., 2]) > 0)
    now_light, before_light = linear(now), linear(before)
    gain = relight(now_light, before_light).gain
    level = np.float32(MEAN_LIGHT / max(float(before_light[44:-44, 44:-44].mean()), 1e-4))
    off = encoded(now_light / gain * level) - encoded(before_light * level)
    even = (off[..., 0] + off[..., 1] + off[..., 2]) / 3
    hue = np.maximum(np.maximum(np.abs(off[..., 0] - even), np.abs(off[..., 1] - even)), np.abs(off[..., 2] - even))
    # Where only one of the two pictures reaches, an edge seems to have moved.
    sure = cv2.erode(known.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    return np.asarray(np.where(sure, np.minimum(2.0 * hue + 0.5 * np.abs(even), MOST_CHANGE), 0), np.float32)


def strengths(changed: Floats, square_mm: float) -> NDArray[np.float64]:
    """(4,) what speaks for a van in front of south, west, north, east: the change summed over the best blob.

    Under another lamp the table changes too and a van melts into it: what stands out at a higher level counts as well.
    """
    half = SIDE * square_mm / 2 / MM_PER_PX
    first, last = round((SPAN_PX - 1) / 2 - half), round((SPAN_PX - 1) / 2 + half) + 1
    least = max(LEAST_CHANGE, 3.0 * float(np.median(changed)))
    elsewhere = (_arms(changed, _stirred(changed, least), first, last) == 0).astype(np.uint8)
    elsewhere[first - FRAME_PX : last + FRAME_PX, first - FRAME_PX : last + FRAME_PX] = 0
    levels = [_best_blobs(changed, _stirred(changed, least * factor) * elsewhere) for factor in LEVELS]
    return np.asarray(np.max(levels, axis=0), np.float64)


def _best_blobs(changed: Floats, stirred: NDArray[np.uint8]) -> NDArray[np.float64]:
    """(4,) as `strengths`, of the blobs of one mask."""
    count, labels, stats, centres = cv2.connectedComponentsWithStats(stirred, connectivity=8)
    sums = np.bincount(labels.ravel(), weights=changed.ravel().astype(np.float64), minlength=count)
    out = np.zeros(4)
    for k in range(1, count):
        x, y = centres[k][0] - (SPAN_PX - 1) / 2, (SPAN_PX - 1) / 2 - centres[k][1]
        area_mm2 = float(stats[k, cv2.CC_STAT_AREA]) * MM_PER_PX**2
        longest_mm = float(max(stats[k, cv2.CC_STAT_WIDTH], stats[k, cv2.CC_STAT_HEIGHT])) * MM_PER_PX
        if not AREA_MM2[0] <= area_mm2 <= AREA_MM2[1] or longest_mm > EXTENT_MM:
            continue
        seat = (2 if y > 0 else 0) if abs(y) >= abs(x) else (3 if x > 0 else 1)
        out[seat] = max(out[seat], sums[k])
    return out


def _stirred(changed: Floats, least: float) -> NDArray[np.uint8]:
    """(H, W) 1 where something surely differs."""
    mask = (changed > least).astype(np.uint8)
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8)


def _arms(changed: Floats, stirred: NDArray[np.uint8], first: int, last: int) -> NDArray[np.uint8]:
    """(H, W) 1 on what reaches from the edge of what is known (elsewhere nothing changed at all) into the squares
    `first` to `last`, or to their frame when it is too large for a van, which may stand between the two."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(stirred, connectivity=8)
    beyond = cv2.copyMakeBorder((changed == 0).astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=(1,))
    beyond = cv2.morphologyEx(beyond, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    rim = cv2.dilate(beyond, np.ones((2 * EDGE_PX + 1, 2 * EDGE_PX + 1), np.uint8))[1:-1, 1:-1]
    frame, squares = slice(first - FRAME_PX, last + FRAME_PX), slice(first + EDGE_PX, last - EDGE_PX)
    long = stats[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(axis=1) * MM_PER_PX > EXTENT_MM
    large = np.flatnonzero(long | (stats[:, cv2.CC_STAT_AREA] * MM_PER_PX**2 > AREA_MM2[1]))
    there = np.union1d(labels[squares, squares], np.intersect1d(labels[frame, frame], large))
    both = np.intersect1d(labels[rim > 0], there)
    return np.isin(labels, both[both > 0]).astype(np.uint8)


class VanDetector:
    """The Mystery Machine around a Gridlock board; prepared once from what set-up taught."""

    name = "van"

    def __init__(self, kit: GridlockKit, taught: Taught) -> None:
        self._kit = kit
        self._before = surroundings(taught.reference, surroundings_maps(taught.pose, kit.square_mm))
        self._maps: tuple[BoardPose, tuple[Floats, Floats]] | None = None

    def look(self, view: View) -> Looked:
        """One sighting for the place in front of each seat."""
        if self._maps is None or self._maps[0] is not view.pose:
            self._maps = (view.pose, surroundings_maps(view.pose, self._kit.square_mm))
        found = strengths(change(surroundings(view.image, self._maps[1]), self._before), self._kit.square_mm) ** 2
        share = found / (found.sum() + NOWHERE**2)
        van = Piece(VAN_KIND, Colour(""))
        sightings = []
        for seat in SEATS:
            here = float(np.clip(share[int(seat)], 0.001, 0.999))
            both: list[tuple[Piece | None, float]] = [(van, here), (None, 1 - here)]
            sightings.append(Sighting(van_cell(seat), tuple(sorted(both, key=lambda pair: -pair[1]))))
        return Looked(tuple(sightings))
