"""Convex solids on the painted table: pyramids, boxes and prisms, in millimetres.

The board's frame: x east, y north, z up, z = 0 on the playing surface.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

TIP_SHARE = 0.10
"""Real pyramids are blunt: the tip is about a tenth as wide as the base."""


@dataclass(frozen=True, slots=True)
class Facet:
    """A flat face: `corners` (n, 3) mm, counter-clockwise seen from outside; `albedo` (3,) linear BGR.
    `clearness` weighs how much a clear solid lets through here: walls are never equally thick or clean."""

    corners: Array
    albedo: Array
    hollow: bool = False
    clearness: float = 1.0

    @property
    def normal(self) -> Array:
        a, b, c = self.corners[0], self.corners[1], self.corners[2]
        n = np.cross(b - a, c - a)
        return np.asarray(n / max(float(np.linalg.norm(n)), 1e-12))


@dataclass(frozen=True, slots=True)
class Solid:
    """A convex solid. `alpha` 1 is opaque; below that, what lies behind shines through, tinted: through thin
    walls, or, when `massive`, through a body that takes away the more light the longer the way through it."""

    facets: tuple[Facet, ...]
    alpha: float = 1.0
    gloss: float = 0.3
    massive: bool = False

    @property
    def polish(self) -> float:
        """The share of Fresnel's reflection that a wall shows: all of it when glossy, some even when dull."""
        return min(1.0, 0.35 + 1.5 * self.gloss)

    @property
    def vertices(self) -> Array:
        return np.vstack([f.corners for f in self.facets])

    @property
    def centre(self) -> Array:
        return np.asarray(self.vertices.mean(axis=0))

    def way_through_mm(self, points: Array, rays: Array) -> Array:
        """(...,) how far rays (..., 3) that enter at `points` (..., 3) mm run inside."""
        normals, limits = self.planes()
        unit = rays / np.linalg.norm(rays, axis=-1, keepdims=True)
        speed = unit @ normals.T
        gap = np.maximum(limits - points @ normals.T, 0.0)
        return np.asarray(np.where(speed > 1e-6, gap / np.maximum(speed, 1e-6), np.inf).min(axis=-1))

    def planes(self) -> tuple[Array, Array]:
        """Half-spaces n . p <= d of the solid: (m, 3), (m,)."""
        normals = np.array([f.normal for f in self.facets])
        return normals, np.einsum("ij,ij->i", normals, np.array([f.corners[0] for f in self.facets]))


def _rotation(yaw_rad: float) -> Array:
    c, s = np.cos(yaw_rad), np.sin(yaw_rad)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _outward(facets: list[tuple[Array, Array, bool]]) -> tuple[Facet, ...]:
    centre = np.vstack([f[0] for f in facets]).mean(axis=0)
    out = []
    for corners, albedo, hollow in facets:
        facet = Facet(corners, albedo, hollow)
        if float(facet.normal @ (corners.mean(axis=0) - centre)) < 0:
            facet = Facet(corners[::-1].copy(), albedo, hollow)
        out.append(facet)
    return tuple(out)


def _frustum(ring: Array, tip: Array, albedo: Array, hollow: bool) -> tuple[Facet, ...]:
    """A blunt pyramid from its base `ring` (4, 3) to the apex `tip` (3,)."""
    top = tip + (ring - ring.mean(axis=0)) * TIP_SHARE - (tip - ring.mean(axis=0)) * TIP_SHARE
    faces: list[tuple[Array, Array, bool]] = [
        (np.array([ring[i], ring[(i + 1) % 4], top[(i + 1) % 4], top[i]]), albedo, False) for i in range(4)
    ]
    faces += [(top, albedo, False), (ring, albedo, hollow)]
    return _outward(faces)


def standing_pyramid(
    base_mm: float, height_mm: float, at_mm: tuple[float, float], yaw_deg: float, albedo: Array,
    alpha: float = 1.0, gloss: float = 0.3, lift_mm: float = 0.0,
) -> Solid:
    """Upright, its base on the board around `at_mm`, turned by `yaw_deg`."""
    h = base_mm / 2
    ring = np.array([[-h, -h, 0.0], [h, -h, 0.0], [h, h, 0.0], [-h, h, 0.0]]) @ _rotation(np.radians(yaw_deg)).T
    shift = np.array([at_mm[0], at_mm[1], lift_mm])
    return Solid(_frustum(ring + shift, np.array([0, 0, height_mm]) + shift, albedo, False), alpha, gloss)


def lying_pyramid(
    base_mm: float, height_mm: float, at_mm: tuple[float, float], heading_deg: float, albedo: Array,
    alpha: float = 1.0, gloss: float = 0.3, hollow: bool = True, lift_mm: float = 0.0,
) -> Solid:
    """On one face, the tip pointing along `heading_deg` (counter-clockwise from east), its middle at `at_mm`.

    The lower edge of the base and the tip touch the board; the axis rises by half the apex angle.
    """
    half = np.arctan2(base_mm / 2, height_mm)
    slant = float(np.hypot(height_mm, base_mm / 2))
    centre = np.array([-height_mm * np.cos(half), 0.0, height_mm * np.sin(half)])
    up = np.array([np.sin(half), 0.0, np.cos(half)]) * base_mm / 2
    side = np.array([0.0, base_mm / 2, 0.0])
    ring = np.array([centre - up - side, centre - up + side, centre + up + side, centre + up - side])
    turn = _rotation(np.radians(heading_deg))
    shift = np.array([at_mm[0], at_mm[1], lift_mm])
    middle = np.array([slant / 2, 0.0, 0.0])
    return Solid(
        _frustum((ring + middle) @ turn.T + shift, turn @ middle + shift, albedo, hollow), alpha, gloss
    )


def box(
    size_mm: tuple[float, float, float], at_mm: tuple[float, float, float], yaw_deg: float, albedo: Array,
    gloss: float = 0.2,
) -> Solid:
    """A box standing on z = `at_mm`[2], its middle over `at_mm`."""
    x, y, z = size_mm[0] / 2, size_mm[1] / 2, size_mm[2]
    ring = np.array([[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]])
    return prism(ring, z, at_mm, yaw_deg, albedo, gloss)


def cylinder(radius_mm: float, height_mm: float, at_mm: tuple[float, float, float], albedo: Array) -> Solid:
    """A mug, more or less."""
    angles = np.linspace(0, 2 * np.pi, 25)[:-1]
    ring = np.stack([radius_mm * np.cos(angles), radius_mm * np.sin(angles), np.zeros(24)], axis=1)
    return prism(ring, height_mm, at_mm, 0.0, albedo, 0.3)


def prism(
    ring: Array, height_mm: float, at_mm: tuple[float, float, float], yaw_deg: float, albedo: Array, gloss: float
) -> Solid:
    """A straight prism over a convex `ring` (n, 3) at z = 0."""
    low = ring @ _rotation(np.radians(yaw_deg)).T + np.array(at_mm)
    high = low + np.array([0, 0, height_mm])
    n = len(ring)
    faces = [(np.array([low[i], low[(i + 1) % n], high[(i + 1) % n], high[i]]), albedo, False) for i in range(n)]
    return Solid(_outward([*faces, (low, albedo, False), (high, albedo, False)]), 1.0, gloss)
