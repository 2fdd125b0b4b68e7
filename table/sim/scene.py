"""A physical table: board, cloth, lamps, camera and the things that stand on it.

Colours are linear BGR reflectances in 0..1 unless the name says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from table.sim.solids import Array, Solid

Field = NDArray[np.float32]


def linear(bgr8: tuple[float, float, float] | Array) -> Array:
    """An sRGB colour, 0..255 BGR, as linear reflectance."""
    c = np.asarray(bgr8, dtype=np.float64) / 255.0
    return np.asarray(np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4))


@dataclass(frozen=True, slots=True)
class SimCamera:
    """A pinhole with Brown's lens distortion, above the table; written apart from `vision.pose` on purpose."""

    size_px: tuple[int, int]
    focal_px: float
    centre_px: tuple[float, float]
    distortion: tuple[float, float, float, float, float]
    rotation: Array
    eye_mm: Array

    def project(self, points_mm: Array) -> Array:
        """(n, 3) mm -> (n, 2) px."""
        cam = (np.asarray(points_mm, dtype=np.float64) - self.eye_mm) @ self.rotation.T
        x, y = cam[:, 0] / cam[:, 2], cam[:, 1] / cam[:, 2]
        k1, k2, p1, p2, k3 = self.distortion
        r2 = x * x + y * y
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        xd = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
        yd = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
        return np.stack([self.focal_px * xd + self.centre_px[0], self.focal_px * yd + self.centre_px[1]], axis=1)

    def rays(self) -> Field:
        """(H, W, 3) directions in the board's frame of every pixel's line of sight."""
        w, h = self.size_px
        u, v = np.meshgrid(np.arange(w, dtype=np.float64), np.arange(h, dtype=np.float64))
        xd, yd = (u - self.centre_px[0]) / self.focal_px, (v - self.centre_px[1]) / self.focal_px
        x, y = xd.copy(), yd.copy()
        k1, k2, p1, p2, k3 = self.distortion
        for _ in range(6):
            r2 = x * x + y * y
            radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
            x, y = (
                (xd - (2 * p1 * x * y + p2 * (r2 + 2 * x * x))) / radial,
                (yd - (p1 * (r2 + 2 * y * y) + 2 * p2 * x * y)) / radial,
            )
        cam = np.stack([x, y, np.ones_like(x)], axis=2)
        return np.asarray(cam @ self.rotation, dtype=np.float32)

    @property
    def matrix(self) -> Array:
        f, (cx, cy) = self.focal_px, self.centre_px
        return np.array([[f, 0, cx], [0, f, cy], [0, 0, 1.0]])

    @property
    def rvec(self) -> Array:
        return np.asarray(cv2.Rodrigues(self.rotation)[0], dtype=np.float64).reshape(3)

    @property
    def tvec(self) -> Array:
        return np.asarray(-self.rotation @ self.eye_mm)


def camera_above(
    target_mm: tuple[float, float], height_mm: float, tilt_deg: float, azimuth_deg: float, roll_deg: float,
    size_px: tuple[int, int], focal_px: float, distortion: tuple[float, float, float, float, float],
    centre_px: tuple[float, float] | None = None,
) -> SimCamera:
    """A camera `height_mm` up that looks at `target_mm`, tilted off the vertical towards `azimuth_deg`."""
    tilt, azimuth = np.radians(tilt_deg), np.radians(azimuth_deg)
    away = height_mm * np.tan(tilt)
    eye = np.array([target_mm[0] + away * np.cos(azimuth), target_mm[1] + away * np.sin(azimuth), height_mm])
    forward = np.array([target_mm[0], target_mm[1], 0.0]) - eye
    forward /= np.linalg.norm(forward)
    hint = np.array([np.cos(np.radians(roll_deg)), np.sin(np.radians(roll_deg)), 0.0])
    right = hint - forward * float(hint @ forward)
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    rotation = np.array([right, down, forward])
    mid = centre_px or ((size_px[0] - 1) / 2, (size_px[1] - 1) / 2)
    return SimCamera(size_px, focal_px, mid, distortion, rotation, eye)


@dataclass(frozen=True, slots=True)
class Lamp:
    """A lamp of some size: the larger, the softer its shadows. `power` (3,) linear BGR at 1 m."""

    at_mm: Array
    radius_mm: float
    power: Array


@dataclass(frozen=True, slots=True)
class Light:
    """All the light in the room. `ambient` (3,) linear BGR."""

    name: str
    lamps: tuple[Lamp, ...]
    ambient: Array
    exposure: float = 1.0


@dataclass(frozen=True, slots=True)
class Surface:
    """What a flat thing looks like: `albedo` (H, W, 3) float32 linear BGR at `px_per_mm`, and its sheen."""

    albedo: Field
    px_per_mm: float
    gloss: float = 0.0
    shininess: float = 20.0


@dataclass(frozen=True, slots=True)
class TableLook:
    """A board on a table. The board's texture begins at (-border, -border) mm, row 0 in the south."""

    square_mm: float
    border_mm: float
    thickness_mm: float
    board: Surface
    table: Surface
    side_albedo: Array
    clutter: tuple[Solid, ...] = ()


@dataclass(frozen=True, slots=True)
class Arm:
    """A sleeve, a forearm and a hand: capsules from `points_mm` to `points_mm` with radii, and their colours."""

    capsules: tuple[tuple[Array, Array, float, float, Array], ...]


@dataclass(frozen=True, slots=True)
class Sensor:
    """What the camera does to the light: blur, vignette, noise, white balance, JPEG."""

    blur_px: float = 0.6
    vignette: float = 0.2
    shot_noise: float = 0.006
    read_noise: float = 0.004
    balance: Array = field(default_factory=lambda: np.ones(3))
    gamma: float = 1.0
    sharpen: float = 0.0
    jpeg: int = 92
