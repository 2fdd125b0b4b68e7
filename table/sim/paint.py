"""Paints a physical table as a camera would deliver it: parallax, lamps, soft shadows, lens and noise.

Per-pixel ray casting for the flat things, projected facets with per-pixel light for the solids. It
shares nothing with the detectors; only the kit's millimetres and the colours' names come from outside.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from table.sim.arm import paint_arm, shade_arm
from table.sim.scene import Arm, Field, Lamp, Light, Sensor, SimCamera, Surface, TableLook
from table.sim.solids import Array, Facet, Solid
from vision.frame import Image, Mask

NDArrayInt = NDArray[np.int32]

LAMP_SAMPLES = 7
_SHIFT = 4
_METRE = 1000.0
_MIRRORED_AT_RIGHT_ANGLES = 0.04
"""Of plastic, with a refractive index of 1.5."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a smooth wall mirrors: the mean light (3,) of the board `below`, and of the room `above`."""

    below: Array
    above: Array

    def mirrored(self, view: Array, normal: Array) -> Array:
        """(h, w, 3) light that a wall sends along `view` (h, w, 3), unit, to the eye: Fresnel's reflection after
        Schlick (1994), of the board where the mirrored ray goes down."""
        cos = np.clip(view @ normal, 0, 1)
        share = _MIRRORED_AT_RIGHT_ANGLES + (1 - _MIRRORED_AT_RIGHT_ANGLES) * (1 - cos) ** 5
        up = np.clip((2 * cos * normal[2] - view[..., 2]) * 4 + 0.5, 0, 1)[..., None]
        return np.asarray(share[..., None] * (self.below + (self.above - self.below) * up))


class Painter:
    """One camera above one table. Pictures of it are painted with `paint`."""

    def __init__(self, look: TableLook, camera: SimCamera) -> None:
        self.look, self.camera = look, camera
        self._rays = camera.rays()
        self._albedo, self._points, self._sheen, self._shine = self._ground()
        self._lit: tuple[Light, list[Field], list[Field]] | None = None

    def _ground(self) -> tuple[Field, Field, Field, Field]:
        """Reflectance, place and sheen of what each pixel sees of board and table."""
        look, eye = self.look, self.camera.eye_mm.astype(np.float32)
        top = self._hit(0.0, eye)
        lo, hi = -look.border_mm, 8 * look.square_mm + look.border_mm
        on = (top[..., 0] >= lo) & (top[..., 0] <= hi) & (top[..., 1] >= lo) & (top[..., 1] <= hi)
        low = self._hit(-look.thickness_mm, eye)
        board = _sampled(look.board, top - np.float32(lo))
        table = _sampled(look.table, low + np.float32(2000.0))
        soft = cv2.GaussianBlur(on.astype(np.float32), (0, 0), 0.5)[..., None]
        albedo = board * soft + table * (1 - soft)
        points = np.where(on[..., None], top, low)
        sheen = np.where(on, look.board.gloss, look.table.gloss).astype(np.float32)
        shine = np.where(on, look.board.shininess, look.table.shininess).astype(np.float32)
        self._sides(albedo, on)
        self._board = on
        return albedo.astype(np.float32), points, sheen, shine

    def _hit(self, z_mm: float, eye: Field) -> Field:
        scale = (z_mm - eye[2]) / self._rays[..., 2]
        return np.asarray(eye + self._rays * scale[..., None], dtype=np.float32)

    def _sides(self, albedo: Field, on: Mask) -> None:
        """The board's edge, where the camera sees it below the playing surface."""
        lo, hi = -self.look.border_mm, 8 * self.look.square_mm + self.look.border_mm
        ring = np.array([[lo, lo], [hi, lo], [hi, hi], [lo, hi]])
        down = -self.look.thickness_mm
        for i in range(4):
            a, b = ring[i], ring[(i + 1) % 4]
            t = np.linspace(0, 1, 12)[:, None]
            edge = a + (b - a) * t
            strip = np.vstack([np.c_[edge, np.zeros(12)], np.c_[edge, np.full(12, down)][::-1]])
            normal = np.array([b[1] - a[1], a[0] - b[0]]) / np.linalg.norm(b - a)
            if float(normal @ (self.camera.eye_mm[:2] - a)) <= 0:
                continue
            mask = np.zeros(albedo.shape[:2], np.uint8)
            cv2.fillPoly(mask, [_fixed(self.camera.project(strip))], (255,), cv2.LINE_AA, _SHIFT)
            share = (mask.astype(np.float32) / 255 * ~on)[..., None]
            albedo[:] = albedo * (1 - share) + self.look.side_albedo.astype(np.float32) * 0.6 * share

    def _shading(self, light: Light) -> tuple[list[Field], list[Field]]:
        """Per lamp: irradiance (H, W) and highlight (H, W) of the flat things, unshadowed; kept per light."""
        if self._lit is not None and self._lit[0] is light:
            return self._lit[1], self._lit[2]
        view = -self._rays / np.linalg.norm(self._rays, axis=2, keepdims=True)
        diffuse, glare = [], []
        for lamp in light.lamps:
            to = lamp.at_mm.astype(np.float32) - self._points
            d = np.linalg.norm(to, axis=2)
            to /= d[..., None]
            diffuse.append(np.asarray(np.maximum(to[..., 2], 0) * (_METRE / d) ** 2, np.float32))
            half = to + view
            half_z = half[..., 2] / np.linalg.norm(half, axis=2)
            glare.append(np.asarray(self._sheen * np.maximum(half_z, 0) ** self._shine * (_METRE / d) ** 2, np.float32))
        self._lit = (light, diffuse, glare)
        return diffuse, glare

    def paint(
        self, light: Light, solids: tuple[Solid, ...], rng: np.random.Generator,
        sensor: Sensor, arm: Arm | None = None,
    ) -> Image:
        """The picture of this table now: (H, W, 3) uint8 BGR."""
        everything = solids + self.look.clutter
        diffuse, glare = self._shading(light)
        total = self._albedo * light.ambient.astype(np.float32) * self._occlusion(everything)[..., None]
        offsets = _lamp_offsets(rng)
        for lamp, flat, shine in zip(light.lamps, diffuse, glare, strict=True):
            open_ = self._shadow(lamp, everything, offsets)
            if arm is not None:
                open_ *= shade_arm(arm, lamp.at_mm, self.camera)[..., None]
            power = lamp.power.astype(np.float32)
            total += (self._albedo * flat[..., None] + shine[..., None]) * open_ * power
        order = sorted(everything, key=lambda s: -float(np.linalg.norm(s.centre - self.camera.eye_mm)))
        boxes = [(s, *s.planes()) for s in everything]
        around = Surroundings(total[self._board].mean(axis=0).astype(np.float64), light.ambient)
        for solid in order:
            self._draw(total, solid, light, boxes, offsets, around)
        if arm is not None:
            paint_arm(total, arm, light, self.camera)
        return develop(total, light.exposure, sensor, rng)

    def _occlusion(self, solids: tuple[Solid, ...]) -> Field:
        """Things darken the ground right around them."""
        mask = np.zeros(self._albedo.shape[:2], np.uint8)
        for s in solids:
            foot = s.vertices.copy()
            foot[:, 2] = np.minimum(foot[:, 2], 3.0)
            cv2.fillConvexPoly(mask, _hull(self.camera.project(foot)), (255,), cv2.LINE_AA, _SHIFT)
        small = cv2.resize(mask, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
        soft = cv2.resize(cv2.GaussianBlur(small, (0, 0), 3.0), mask.shape[::-1])
        return np.asarray(1 - 0.35 * soft.astype(np.float32) / 255, dtype=np.float32)

    def _shadow(self, lamp: Lamp, solids: tuple[Solid, ...], offsets: Array) -> Field:
        """(H, W, 3): the share of the lamp's light that reaches each pixel of the flat things."""
        h, w = self._albedo.shape[:2]
        out = np.zeros((h, w, 3), np.float32)
        for offset in offsets:
            at = lamp.at_mm + offset * lamp.radius_mm
            solid_mask = np.zeros((h, w), np.uint8)
            tinted: list[tuple[NDArrayInt, Array]] = []
            for s in solids:
                v = s.vertices
                z = 0.0 if float(v[:, 2].min()) > -0.5 else -self.look.thickness_mm
                reach = np.clip((at[2] - z) / np.maximum(at[2] - v[:, 2], 60.0), None, 12.0)
                ground = at + (v - at) * reach[:, None]
                ground[:, 2] = z
                hull = _hull(self.camera.project(ground))
                if s.alpha < 0.95:
                    through = 0.75 * (1 - s.alpha) * (0.35 + 0.65 * s.facets[0].albedo / s.facets[0].albedo.max())
                    tinted.append((hull, through))
                else:
                    cv2.fillConvexPoly(solid_mask, hull, (255,), cv2.LINE_AA, _SHIFT)
            part: Field = np.repeat((1 - solid_mask.astype(np.float32) / 255)[..., None], 3, axis=2)
            for cast, through in tinted:
                _dim(part, cast, through)
            out += part / np.float32(len(offsets))
        return out

    def _draw(
        self, total: Field, solid: Solid, light: Light, boxes: list[tuple[Solid, Array, Array]], offsets: Array,
        around: Surroundings,
    ) -> None:
        eye = self.camera.eye_mm
        near = [b for b in boxes if b[0] is not solid and np.linalg.norm(b[0].centre[:2] - solid.centre[:2]) < 160]
        facets = [f for f in solid.facets if float(f.normal @ (eye - f.corners.mean(axis=0))) > 0]
        if solid.alpha < 0.95 and not solid.massive:
            # Through a clear wall the far walls are seen from inside.
            facets += [
                replace(f, corners=f.corners[::-1]) for f in solid.facets
                if not f.hollow and float(f.normal @ (eye - f.corners.mean(axis=0))) < 0 and f.normal[2] > -0.9
            ]
        for facet in sorted(facets, key=lambda f: -float(np.linalg.norm(f.corners.mean(axis=0) - eye))):
            self._facet(total, facet, solid, light, near, offsets, around)

    def _facet(
        self, total: Field, facet: Facet, solid: Solid, light: Light, near: list[tuple[Solid, Array, Array]],
        offsets: Array, around: Surroundings,
    ) -> None:
        px = self.camera.project(facet.corners)
        h, w = total.shape[:2]
        x0, y0 = np.maximum(np.floor(px.min(axis=0)).astype(int) - 1, 0)
        x1, y1 = np.minimum(np.ceil(px.max(axis=0)).astype(int) + 2, (w, h))
        if x1 <= x0 or y1 <= y0:
            return
        mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
        cv2.fillConvexPoly(mask, _fixed(px - (x0, y0)), (255,), cv2.LINE_AA, _SHIFT)
        n, eye = facet.normal, self.camera.eye_mm
        rays = self._rays[y0:y1, x0:x1].astype(np.float64)
        slope = rays @ n
        slope = np.where(np.abs(slope) < 1e-9, -1e-9, slope)
        points = eye + rays * (float((facet.corners[0] - eye) @ n) / slope)[..., None]
        albedo = np.broadcast_to(facet.albedo, points.shape)
        if facet.hollow:
            albedo = albedo * self._cavity(facet, (x0, y0, x1, y1))[..., None]
        colour = albedo * light.ambient * (0.7 + 0.3 * n[2])
        view = -rays / np.linalg.norm(rays, axis=2, keepdims=True)
        if not facet.hollow:
            colour = colour + solid.polish * around.mirrored(view, n)
        for lamp in light.lamps:
            to = lamp.at_mm - points
            d = np.linalg.norm(to, axis=2)
            to = to / d[..., None]
            lit = _visible(points, lamp, _between(solid, lamp, near), offsets)
            falloff = (_METRE / d) ** 2 * lit
            half = to + view
            cos_half = np.maximum((half @ n) / np.linalg.norm(half, axis=2), 0)
            diffuse = np.maximum(to @ n, 0) * falloff
            sheen = solid.gloss * cos_half**40 * falloff
            colour = colour + (albedo * diffuse[..., None] + sheen[..., None]) * lamp.power
        region = total[y0:y1, x0:x1]
        tint = facet.albedo / max(float(facet.albedo.max()), 1e-6)
        alpha = np.clip(1 - _let_through(solid, points, rays) * facet.clearness, 0.1, 1.0)[..., None]
        colour = alpha * colour + (1 - alpha) * region * (0.25 + 0.75 * tint)
        share = (mask.astype(np.float32) / 255)[..., None]
        region[:] = region * (1 - share) + colour * share

    def _cavity(self, facet: Facet, window: tuple[int, int, int, int]) -> Array:
        """Darkness inside the hollow base: 1 on the rim, less within."""
        x0, y0, x1, y1 = window
        inner = facet.corners.mean(axis=0) + (facet.corners - facet.corners.mean(axis=0)) * 0.82
        mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
        cv2.fillConvexPoly(mask, _fixed(self.camera.project(inner) - (x0, y0)), (255,), cv2.LINE_AA, _SHIFT)
        return np.asarray(1 - 0.5 * mask.astype(np.float64) / 255)


def _let_through(solid: Solid, points: Array, rays: Array) -> Array:
    """(h, w): the share of the light from behind that passes; of a massive body by Beer and Lambert's law."""
    if not solid.massive or solid.alpha >= 0.95:
        return np.full(points.shape[:2], 1 - solid.alpha)
    middling_mm = 0.4 * float(np.ptp(solid.vertices, axis=0).max())
    return np.asarray((1 - solid.alpha) ** (solid.way_through_mm(points, rays) / middling_mm))


def _between(
    solid: Solid, lamp: Lamp, near: list[tuple[Solid, Array, Array]]
) -> list[tuple[Solid, Array, Array]]:
    """Those of `near` that may stand in the lamp's way to `solid`."""
    way = lamp.at_mm - solid.centre
    far = float(np.linalg.norm(way[:2]))
    steep = float(way[2]) / max(far, 1.0)
    slack = 30.0 + lamp.radius_mm * 0.1
    out = []
    for other in near:
        offset = other[0].centre[:2] - solid.centre[:2]
        ahead = float(offset @ way[:2]) / max(far, 1.0)
        top = float(other[0].vertices[:, 2].max())
        if ahead > -slack and ahead * steep < top + slack:
            out.append(other)
    return out


def _visible(points: Array, lamp: Lamp, near: list[tuple[Solid, Array, Array]], offsets: Array) -> Array:
    """Share of a lamp's light at (h, w, 3) points among neighbouring solids; sampled coarsely."""
    if not near:
        return np.ones(points.shape[:2])
    coarse = points[::3, ::3].reshape(-1, 3)
    seen = np.zeros(len(coarse))
    for offset in offsets[::2]:
        at = lamp.at_mm + offset * lamp.radius_mm
        direction = at - coarse
        blocked = np.zeros(len(coarse))
        for solid, normals, limits in near:
            slope = direction @ normals.T
            gap = limits - coarse @ normals.T
            t = gap / np.where(np.abs(slope) < 1e-9, 1e-9, slope)
            enter = np.where(slope < 0, t, -np.inf).max(axis=1)
            leave = np.where(slope > 0, t, np.inf).min(axis=1)
            outside = ((np.abs(slope) < 1e-9) & (gap < 0)).any(axis=1)
            hit = (enter < leave) & (leave > 0.002) & (enter < 1) & ~outside
            blocked = np.maximum(blocked, hit * (1 - 0.5 * (1 - solid.alpha)))
        seen += 1 - blocked
    seen /= len(offsets[::2])
    shape = points[::3, ::3].shape[:2]
    return np.asarray(cv2.resize(seen.reshape(shape), points.shape[1::-1], interpolation=cv2.INTER_LINEAR))


def _lamp_offsets(rng: np.random.Generator) -> Array:
    """Points on a lamp's disc and depth, unit radius, shuffled anew for each picture."""
    angle = np.arange(LAMP_SAMPLES) * 2.39996 + rng.uniform(0, 6.28)
    r = np.sqrt((np.arange(LAMP_SAMPLES) + 0.5) / LAMP_SAMPLES)
    return np.stack([r * np.cos(angle), r * np.sin(angle), rng.uniform(-0.3, 0.3, LAMP_SAMPLES)], axis=1)


def _dim(part: Field, hull: NDArrayInt, through: Array) -> None:
    x, y, w, h = cv2.boundingRect(hull.reshape(-1, 2) // (1 << _SHIFT))
    x0, y0, x1, y1 = max(x - 1, 0), max(y - 1, 0), min(x + w + 2, part.shape[1]), min(y + h + 2, part.shape[0])
    if x1 <= x0 or y1 <= y0:
        return
    mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
    cv2.fillConvexPoly(mask, hull - np.array([x0, y0]) * (1 << _SHIFT), (255,), cv2.LINE_AA, _SHIFT)
    share = (mask.astype(np.float32) / 255)[..., None]
    part[y0:y1, x0:x1] *= 1 - share * (1 - through.astype(np.float32))


def _fixed(px: Array) -> NDArrayInt:
    return np.round(np.clip(px, -8000, 8000) * (1 << _SHIFT)).astype(np.int32)


def _hull(px: Array) -> NDArrayInt:
    return np.asarray(cv2.convexHull(_fixed(px).reshape(-1, 1, 2)), dtype=np.int32)


def _sampled(surface: Surface, at_mm: Field) -> Field:
    u = np.ascontiguousarray(at_mm[..., 0] * surface.px_per_mm)
    v = np.ascontiguousarray(at_mm[..., 1] * surface.px_per_mm)
    return np.asarray(cv2.remap(surface.albedo, u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101))


def develop(light_image: Field, exposure: float, sensor: Sensor, rng: np.random.Generator) -> Image:
    """Linear light -> the camera's 8-bit JPEG-like picture."""
    h, w = light_image.shape[:2]
    out = light_image * exposure * sensor.balance.astype(np.float32)
    if sensor.blur_px > 0:
        out = np.asarray(cv2.GaussianBlur(out, (0, 0), sensor.blur_px))
    y, x = np.ogrid[:h, :w]
    r2 = ((x - w / 2) ** 2 + (y - h / 2) ** 2) / ((w / 2) ** 2 + (h / 2) ** 2)
    out = out * (1 - sensor.vignette * r2).astype(np.float32)[..., None]
    if sensor.read_noise > 0 or sensor.shot_noise > 0:
        noise = rng.standard_normal(out.shape, dtype=np.float32)
        out = out + noise * np.sqrt(sensor.read_noise**2 + sensor.shot_noise**2 * np.maximum(out, 0))
    out = np.clip(out, 0, 1) ** np.float32(sensor.gamma)
    out = np.where(out <= 0.0031308, out * 12.92, 1.055 * np.maximum(out, 1e-6) ** (1 / 2.4) - 0.055)
    if sensor.sharpen > 0:
        out = out + sensor.sharpen * (out - cv2.GaussianBlur(out, (0, 0), 1.2))
    picture: Image = np.clip(out * 255 + 0.5, 0, 255).astype(np.uint8)
    if sensor.jpeg < 100:
        _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, sensor.jpeg])
        picture = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.uint8)
    return picture
