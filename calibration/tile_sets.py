"""A Quadropolis tile set under a name: what teaching learned, kept in one file, matched later from any camera.

A file that is broken, has an unknown part or comes from a newer version is refused, the place in it is named, and it
stays as it was. Saving never leaves half a file.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect.city_faces import TileSet
from vision.detect.city_square import Spot, crop
from vision.frame import Image
from vision.kits.quadropolis import SIDE, QuadropolisKit
from vision.pose import BoardPose

Floats = NDArray[np.float32]
MAT_PX_PER_MM = 1.0
MAT_MARGIN_MM = 24.0
_ALIKE = 0.25
_CLEARER = 0.12
"""What is printed on a mat must agree so well one way up, and so much better than any other."""


@dataclass(frozen=True, slots=True, eq=False)
class TaughtTiles:
    """A tile set and the box's millimetres. `made_utc` is ISO 8601. If the empty mat was taught: `frame_mm`, the side
    of its printed slots, and `mat` (n, n, 3) BGR, straightened, `MAT_PX_PER_MM` px a mm, its slots and
    `MAT_MARGIN_MM` around them, row 1 in the first rows."""

    name: str
    made_utc: str
    kit: QuadropolisKit
    tiles: TileSet
    frame_mm: float | None = None
    mat: Image | None = None


def straight_mat(image: Image, pose: BoardPose, kit: QuadropolisKit) -> Image:
    """The mat as `TaughtTiles.mat` has it."""
    middle = SIDE * kit.pitch_mm / 2
    size = SIDE * kit.pitch_mm + 2 * MAT_MARGIN_MM
    ends = pose.to_px(np.array([[0.0, middle], [2 * middle, middle]]))
    blur = float(np.linalg.norm(ends[1] - ends[0])) / (2 * middle) / MAT_PX_PER_MM / 2.5
    soft = cv2.GaussianBlur(image, (0, 0), blur) if blur > 0.4 else image
    return crop(np.asarray(soft, np.uint8), pose, Spot(middle, middle), size, MAT_PX_PER_MM)


def printed_turn(image: Image, pose: BoardPose, taught: TaughtTiles) -> int | None:
    """By how many quarters a mat's frame must be turned clockwise for what is printed around and between its slots to
    lie as on the taught mat; None where that does not tell."""
    if taught.mat is None:
        return None
    open_ = _gaps(taught.kit, taught.mat.shape[0])
    before = _detail(taught.mat)[open_]
    seen = _detail(straight_mat(image, pose, taught.kit))
    fits = []
    for quarters in range(4):
        # The frame turned clockwise: its content turns anticlockwise.
        now = np.rot90(seen, quarters)[open_]
        fits.append(float((now * before).sum() / np.sqrt((now**2).sum() * (before**2).sum() + 1e-9)))
    best = int(np.argmax(fits))
    clear = fits[best] - sorted(fits)[-2]
    return best if fits[best] > _ALIKE and clear > _CLEARER else None


def _detail(mat: Image) -> Floats:
    """(n, n, 3): the colours of a mat, brightness and lamp evened out."""
    light = np.log(mat.astype(np.float32) + 8)
    lamp = light.mean(axis=(0, 1))
    return np.asarray(np.clip(light - lamp, -0.8, 0.8), np.float32)


def _gaps(kit: QuadropolisKit, n: int) -> NDArray[np.bool_]:
    """(n, n): the mat's margin where digits stand, and the strips between slots."""
    at = (np.arange(n) + 0.5) / MAT_PX_PER_MM - MAT_MARGIN_MM
    span = SIDE * kit.pitch_mm
    strip = np.abs((at / kit.pitch_mm + 0.5) % 1 - 0.5) * kit.pitch_mm < 3.0
    inside = (at > 0) & (at < span)
    slots = (inside & ~strip)[:, None] & (inside & ~strip)[None, :]
    near = (at > -15) & (at < span + 15)
    return np.asarray(~slots & near[:, None] & near[None, :])
