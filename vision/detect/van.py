"""The Mystery Machine: in front of which seat it stands.

The surroundings of the board, straightened coarsely, now and as they were at set-up, go through a small
network (trained by `table.sim.van_train`) that gives a heat of "a toy van is here"; the hottest place of each
side, against none at all, gives the seats' probabilities.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from rules.words import SEATS, Colour, Piece
from vision.frame import Image, VisionError
from vision.kits.gridlock import SIDE, VAN_KIND, GridlockKit, van_cell
from vision.light import encoded, linear, relight
from vision.observation import Sighting
from vision.observe import Looked, Taught, View
from vision.pose import BoardPose

SPAN_PX = 176
MM_PER_PX = 5.0
STRIDE = 8
MEAN_LIGHT = 0.25
MODEL = Path(__file__).with_name("van.onnx")
AROUND_MM = 14.0
"""The van may stand so near to the squares' edge that it overlaps the frame, never the squares."""

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


def pair_of(now: Image, before: Image) -> NDArray[np.uint8]:
    """(SPAN_PX, SPAN_PX, 7) uint8: relit now, before (square-root scale, 200 is 1), and 200 where both are known."""
    known = (now.max(axis=2) > 0) & (before.max(axis=2) > 0)
    now_light, before_light = linear(now), linear(before)
    gain = relight(now_light, before_light).gain
    level = np.float32(MEAN_LIGHT / max(float(before_light[44:-44, 44:-44].mean()), 1e-4))
    both = np.concatenate([encoded(now_light / gain * level), encoded(before_light * level)], axis=2)
    both = np.concatenate([both * known[..., None], known[..., None].astype(np.float32)], axis=2)
    return np.asarray(np.clip(both * 200, 0, 255), np.uint8)


def sides(square_mm: float) -> NDArray[np.bool_]:
    """(4, n, n) over the heat's cells: in front of south, west, north, east; none of them over the squares."""
    n = SPAN_PX // STRIDE
    at = (np.arange(n) + 0.5) * STRIDE * MM_PER_PX - SPAN_PX * MM_PER_PX / 2
    x, y = np.meshgrid(at, -at)
    out = np.maximum(np.abs(x), np.abs(y)) > SIDE * square_mm / 2 + AROUND_MM - STRIDE * MM_PER_PX / 2
    tall, wide = np.abs(y) >= np.abs(x), np.abs(x) > np.abs(y)
    return np.stack([tall & (y < 0) & out, wide & (x < 0) & out, tall & (y > 0) & out, wide & (x > 0) & out])


class VanReader:
    """The trained network, loaded once."""

    def __init__(self, square_mm: float, model: Path = MODEL) -> None:
        if not model.exists():
            raise VisionError(f"wanted the trained reader {model.name}, found none: install the package again")
        self._net = cv2.dnn.readNetFromONNX(str(model))
        self._sides = sides(square_mm)

    def read(self, pair: NDArray[np.uint8]) -> Floats:
        """(5,) probabilities: south, west, north, east, nowhere in the picture."""
        x = pair.transpose(2, 0, 1)[None].astype(np.float32) * np.float32(1 / 100) - 1
        self._net.setInput(x)
        heat = np.asarray(self._net.forward(), np.float32).reshape(self._sides.shape[1:])
        scores = np.array([heat[side].max() for side in self._sides] + [0.0])
        e = np.exp(scores - scores.max())
        return np.asarray(e / e.sum(), np.float32)


class VanDetector:
    """The Mystery Machine around a Gridlock board; prepared once from what set-up taught."""

    name = "van"

    def __init__(self, kit: GridlockKit, taught: Taught) -> None:
        self._kit = kit
        self._net = VanReader(kit.square_mm)
        self._before = surroundings(taught.reference, surroundings_maps(taught.pose, kit.square_mm))
        self._maps: tuple[BoardPose, tuple[Floats, Floats]] | None = None

    def look(self, view: View) -> Looked:
        """One sighting for the place in front of each seat."""
        if self._maps is None or self._maps[0] is not view.pose:
            self._maps = (view.pose, surroundings_maps(view.pose, self._kit.square_mm))
        share = self._net.read(pair_of(surroundings(view.image, self._maps[1]), self._before))
        van = Piece(VAN_KIND, Colour(""))
        sightings = []
        for seat in SEATS:
            here = float(share[int(seat)])
            both: list[tuple[Piece | None, float]] = [(van, here), (None, 1 - here)]
            sightings.append(Sighting(van_cell(seat), tuple(sorted(both, key=lambda pair: -pair[1]))))
        return Looked(tuple(sightings))
