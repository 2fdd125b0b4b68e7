"""An arm over the table: tapered capsules, shaded as round things, with their shadow."""

from __future__ import annotations

import itertools

import cv2
import numpy as np
from numpy.typing import NDArray

from table.sim.scene import Arm, Field, Light, SimCamera
from table.sim.solids import Array

Mask8 = NDArray[np.uint8]

_STEPS = 14


def reaching_arm(
    start_mm: tuple[float, float], tip_mm: tuple[float, float, float], skin: Array, sleeve: Array | None,
    rng: np.random.Generator, thickness: float = 1.0,
) -> Arm:
    """An arm that comes in from `start_mm` at table height and holds its fingertips at `tip_mm`."""
    tip = np.array(tip_mm)
    start = np.array([*start_mm, float(rng.uniform(60, 120))])
    along = (tip - start) / np.linalg.norm(tip - start)
    side = np.array([-along[1], along[0], 0.0])
    up = np.array([0.0, 0.0, 1.0])
    wrist = tip - along * 130 * thickness + up * float(rng.uniform(25, 45))
    palm = tip - along * 75 * thickness + up * float(rng.uniform(20, 32))
    parts: list[tuple[Array, Array, float, float, Array]] = []
    split = float(rng.uniform(0.3, 0.9))
    elbow = start + (wrist - start) * split
    parts.append((start, elbow, 42 * thickness, 36 * thickness, sleeve if sleeve is not None else skin))
    parts.append((elbow, wrist, 34 * thickness, 25 * thickness, skin))
    parts.append((wrist, palm, 26 * thickness, 34 * thickness, skin))
    spread = float(rng.uniform(6, 13))
    for i in range(4):
        root = palm + side * (i - 1.5) * 15 * thickness
        end = tip + side * (i - 1.5) * spread * thickness - along * abs(i - 1.2) * 6 + up * float(rng.uniform(0, 8))
        parts.append((root, end, 9.5 * thickness, 7.0 * thickness, skin * float(rng.uniform(0.93, 1.05))))
    thumb = palm + side * 30 * thickness * (1 if rng.random() < 0.5 else -1)
    parts.append((thumb, tip + side * float(rng.uniform(-14, 14)) - along * 8, 10 * thickness, 7.5 * thickness, skin))
    return Arm(tuple(parts))


def paint_arm(total: Field, arm: Arm, light: Light, camera: SimCamera) -> None:
    """Draws the arm into a linear picture (H, W, 3)."""
    ambient = light.ambient.astype(np.float32)
    for a, b, ra, rb, colour in arm.capsules:
        outline, scale_px = _outline(a, b, ra, rb, camera)
        x0, y0, x1, y1 = _window(outline, total.shape[1], total.shape[0])
        if x1 < x0 + 2 or y1 < y0 + 2:
            continue
        mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
        cv2.fillPoly(mask, [p - np.array([x0, y0]) for p in outline], (255,))
        depth = cv2.distanceTransform(mask, cv2.DIST_L2, 3)
        height = np.sqrt(np.clip(1 - (1 - np.clip(depth / max(scale_px, 1.0), 0, 1)) ** 2, 0, 1)).astype(np.float32)
        gy, gx = np.gradient(cv2.GaussianBlur(height, (0, 0), max(scale_px / 6, 0.8)) * scale_px)
        normal = np.stack([-gx, -gy, np.ones_like(gx)], axis=2)
        normal /= np.linalg.norm(normal, axis=2, keepdims=True)
        shade = np.zeros((*mask.shape, 3), np.float32) + ambient
        for lamp in light.lamps:
            to = lamp.at_mm - (a + b) / 2
            d = float(np.linalg.norm(to))
            seen = camera.rotation @ (to / d)
            toward = np.array([seen[0], seen[1], -seen[2]])
            lit = np.maximum(normal @ toward, 0)[..., None]
            shade += lit * lamp.power.astype(np.float32) * (1000.0 / d) ** 2
        share = cv2.GaussianBlur(mask.astype(np.float32) / 255, (0, 0), 0.7)[..., None]
        region = total[y0:y1, x0:x1]
        region[:] = region * (1 - share) + colour.astype(np.float32) * shade * share


def shade_arm(arm: Arm, lamp_mm: Array, camera: SimCamera) -> Field:
    """(H, W): 1 where the lamp reaches the ground past the arm, towards 0 in its shadow."""
    w, h = camera.size_px
    mask = np.zeros((h, w), np.uint8)
    for a, b, ra, rb, _ in arm.capsules:
        rings = []
        for t in np.linspace(0, 1, _STEPS):
            p, r = a + (b - a) * t, ra + (rb - ra) * t
            reach = lamp_mm[2] / max(lamp_mm[2] - p[2], 80.0)
            ground = lamp_mm + (p - lamp_mm) * reach
            angles = np.linspace(0, 2 * np.pi, 13)[:-1]
            ring = np.stack([ground[0] + r * reach * np.cos(angles), ground[1] + r * reach * np.sin(angles)], axis=1)
            rings.append(camera.project(np.c_[ring, np.zeros(12)]))
        for one, two in itertools.pairwise(rings):
            hull = cv2.convexHull(np.vstack([one, two]).astype(np.float32)).astype(np.int32)
            cv2.fillConvexPoly(mask, hull, (255,))
    small = cv2.resize(mask, (w // 4, h // 4), interpolation=cv2.INTER_AREA)
    soft = cv2.resize(cv2.GaussianBlur(small, (0, 0), 3.5), (w, h))
    return np.asarray(1 - 0.92 * soft.astype(np.float32) / 255, dtype=np.float32)


def _outline(a: Array, b: Array, ra: float, rb: float, camera: SimCamera) -> tuple[list[Array], float]:
    """Polygons that cover a tapered capsule in the picture, and its mean radius in px."""
    steps = np.linspace(0, 1, _STEPS)[:, None]
    centres = a + (b - a) * steps
    radii = ra + (rb - ra) * steps[:, 0]
    px = camera.project(centres)
    depth = (centres - camera.eye_mm) @ camera.rotation[2]
    radii_px = radii * camera.focal_px / depth
    angles = np.linspace(0, 2 * np.pi, 21)[:-1]
    unit = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    rings = [p + r * unit for p, r in zip(px, radii_px, strict=True)]
    hulls = [
        cv2.convexHull(np.vstack([one, two]).astype(np.float32)).astype(np.int32).reshape(-1, 2)
        for one, two in itertools.pairwise(rings)
    ]
    merged = cv2.convexHull(np.vstack(hulls).astype(np.int32)).reshape(-1, 2)
    return [np.asarray(merged)], float(radii_px.mean())


def _window(polygons: list[Array], width: int, height: int) -> tuple[int, int, int, int]:
    everything = np.vstack(polygons)
    x0, y0 = np.maximum(everything.min(axis=0) - 3, 0)
    x1, y1 = np.minimum(everything.max(axis=0) + 4, (width, height))
    return int(x0), int(y0), int(x1), int(y1)


def arm_mask(arm: Arm, camera: SimCamera) -> Mask8:
    """(H, W) uint8: 255 where the arm hides what is behind it."""
    mask = np.zeros((camera.size_px[1], camera.size_px[0]), np.uint8)
    for a, b, ra, rb, _ in arm.capsules:
        cv2.fillPoly(mask, _outline(a, b, ra, rb, camera)[0], (255,))
    return mask
