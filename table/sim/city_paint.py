"""Paints Quadropolis cities as a camera would deliver them: mats, stacks of tiles, translucent tokens, lamp and lens.

Frame of reference: the table's, mm, z up from the mats; a mat's own frame is the kit's, laid on the table by
`MatLaid`. Flat things are looked up pixel by pixel on their own plane, so that heights show parallax as they should.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np

from table.sim.arm import paint_arm, shade_arm
from table.sim.city_art import Edition, mat_texture, tile_texture
from table.sim.paint import develop
from table.sim.scene import Arm, Field, Light, Sensor, SimCamera, Surface, linear
from table.sim.solids import Array
from vision.frame import Image
from vision.kits.quadropolis import ENERGY, FLOOR_MM, INHABITANT, SIDE, Face, QuadropolisKit, TokenShape

_GRID_PX = 16
_LAMP_POINTS = 5
_SHIFT = 4
SHAPES: dict[str, TokenShape] = {INHABITANT.kind: INHABITANT, ENERGY.kind: ENERGY}


@dataclass(frozen=True, slots=True)
class Spotted:
    """Where something lies on the table: mm, and its turn anticlockwise in degrees."""

    x_mm: float
    y_mm: float
    turn_deg: float = 0.0

    def on_table(self, points_mm: Array) -> Array:
        """(N, 2) of its own frame -> (N, 2) of the table's."""
        a = np.radians(self.turn_deg)
        c, s = np.cos(a), np.sin(a)
        p = np.asarray(points_mm, np.float64)
        return np.stack([self.x_mm + c * p[:, 0] - s * p[:, 1], self.y_mm + s * p[:, 0] + c * p[:, 1]], axis=1)

    def its_own(self, points_mm: Field) -> Field:
        """(..., 2) of the table -> (..., 2) of its own frame."""
        a = np.radians(self.turn_deg)
        c, s = np.float32(np.cos(a)), np.float32(np.sin(a))
        x, y = points_mm[..., 0] - np.float32(self.x_mm), points_mm[..., 1] - np.float32(self.y_mm)
        return np.stack([c * x + s * y, -s * x + c * y], axis=-1)


@dataclass(frozen=True, slots=True)
class TileLaid:
    """One tile on the table, its underside at `z_mm`; only the top one of a stack needs its `face`."""

    at: Spotted
    z_mm: float
    kind: str
    face: Face | None
    art: int = 0


@dataclass(frozen=True, slots=True)
class TokenLaid:
    """One inhabitant or energy on its foot, which is at `z_mm`."""

    kind: str
    at: Spotted
    z_mm: float


@dataclass(frozen=True, slots=True)
class BlockLaid:
    """Something that is none of the game: a book, a phone, a coaster. `size_mm` (x, y, z); `colour` BGR 0..255."""

    at: Spotted
    size_mm: tuple[float, float, float]
    colour: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class CityScene:
    """What lies on the table: `mats` by where their frame begins, everything on and beside them, and an arm over it."""

    mats: tuple[Spotted, ...] = ()
    tiles: tuple[TileLaid, ...] = ()
    tokens: tuple[TokenLaid, ...] = ()
    blocks: tuple[BlockLaid, ...] = ()
    arm: Arm | None = None


@dataclass(frozen=True, slots=True)
class CityRoom:
    """A room: the box's edition, the table, its lamp, and how tokens look (BGR 0..255, how much light they pass). The
    table lies `mat_mm` below the mats' upper side, which is z = 0."""

    kit: QuadropolisKit
    edition: Edition
    table: Surface
    light: Light
    gloss: float
    token_colours: dict[str, tuple[float, float, float]]
    token_clear: float
    mat_mm: float = 2.0
    print_seed: int = 0
    mat_px_per_mm: float = 6.0
    textures: dict[str, Field] = field(default_factory=dict)


class CityPainter:
    """One camera above one room's table."""

    def __init__(self, room: CityRoom, camera: SimCamera) -> None:
        self.room, self.camera = room, camera
        self._rays = _rays(camera)
        w, h = camera.size_px
        near = camera.project(np.array([[0.0, 0, 0], [10.0, 0, 0]]))
        self._px_per_mm = max(float(np.linalg.norm(near[1] - near[0])) / 10, 0.5)
        self._shape = (h, w)

    def paint(self, scene: CityScene, sensor: Sensor, rng: np.random.Generator, light: Light | None = None) -> Image:
        """The picture of a scene now: (H, W, 3) uint8 BGR."""
        light = light or self.room.light
        albedo, raised = self._flat(scene)
        total = albedo * self._ambient(light)
        for lamp in light.lamps:
            flat, glare = self._lit(light, lamp.at_mm)
            open_ = self._shadows(scene, lamp.at_mm, lamp.radius_mm, raised, rng)
            if scene.arm is not None:
                open_ = open_ * shade_arm(scene.arm, lamp.at_mm, self.camera)
            power = lamp.power.astype(np.float32)
            total += albedo * (flat * open_)[..., None] * power + (glare * open_)[..., None] * power
        if scene.arm is not None:
            paint_arm(total, scene.arm, light, self.camera)
        return develop(total, light.exposure, sensor, rng)

    def _ambient(self, light: Light) -> Field:
        return light.ambient.astype(np.float32)

    def _points(self, z_mm: float, window: tuple[int, int, int, int]) -> Field:
        """(h, w, 2) mm: where each pixel's line of sight meets a height."""
        x0, y0, x1, y1 = window
        u, v = np.meshgrid(np.arange(x0, x1, dtype=np.float32), np.arange(y0, y1, dtype=np.float32))
        rays = cv2.remap(self._rays, u / _GRID_PX, v / _GRID_PX, cv2.INTER_LINEAR)
        eye = self.camera.eye_mm.astype(np.float32)
        share = (np.float32(z_mm) - eye[2]) / rays[..., 2]
        return np.asarray(eye[:2] + rays[..., :2] * share[..., None], np.float32)

    def _window(self, points_mm: Array) -> tuple[int, int, int, int] | None:
        px = self.camera.project(points_mm)
        h, w = self._shape
        x0, y0 = np.maximum(np.floor(px.min(axis=0)).astype(int) - 2, 0)
        x1, y1 = np.minimum(np.ceil(px.max(axis=0)).astype(int) + 3, (w, h))
        return None if x1 <= x0 or y1 <= y0 else (int(x0), int(y0), int(x1), int(y1))

    def _flat(self, scene: CityScene) -> tuple[Field, Field]:
        """Reflectance (H, W, 3) of all that is seen, and (H, W) where it stands above the mats."""
        h, w = self._shape
        room = self.room
        albedo = np.empty((h, w, 3), np.float32)
        for top in range(0, h, 512):
            window = (0, top, w, min(top + 512, h))
            at = (self._points(-room.mat_mm, window) + np.float32(2000)) * np.float32(room.table.px_per_mm)
            albedo[top : window[3]] = cv2.remap(room.table.albedo, at[..., 0], at[..., 1], cv2.INTER_LINEAR,
                                                borderMode=cv2.BORDER_REFLECT_101)
        raised = np.zeros((h, w), np.float32)
        lo, hi = -room.edition.margin_mm, SIDE * room.kit.pitch_mm + room.edition.margin_mm
        for mat in scene.mats:
            ring = mat.on_table(np.array([[lo, lo], [hi, lo], [hi, hi], [lo, hi]]))
            self._prism(albedo, raised, ring, -room.mat_mm, room.mat_mm, linear(room.edition.edge) * 0.6, 0.0, False)
            self._lay(albedo, None, mat, *self._mat())
        raised[:] = 0
        for block in scene.blocks:
            x, y, z = block.size_mm
            ring = np.array([[-x, -y], [x, -y], [x, y], [-x, y]]) / 2
            self._prism(albedo, raised, block.at.on_table(ring), -room.mat_mm, z, linear(block.colour), 0.0)
        for tile in sorted(scene.tiles, key=lambda one: one.z_mm):
            self._tile(albedo, raised, tile)
        eye = self.camera.eye_mm[:2]
        for token in sorted(scene.tokens, key=lambda t: -float(np.hypot(t.at.x_mm - eye[0], t.at.y_mm - eye[1]))):
            colour = linear(room.token_colours[token.kind])
            self._prism(albedo, raised, token.at.on_table(ring_of(SHAPES[token.kind])), token.z_mm,
                        SHAPES[token.kind].height_mm, colour, room.token_clear)
        return albedo, raised

    def _mat(self) -> tuple[Field, Field | None, float, tuple[float, float]]:
        """The mat's texture, opacity, px per mm, and its top left corner in its own frame."""
        room = self.room
        if "mat" not in room.textures:
            image = mat_texture(room.kit, room.edition, room.mat_px_per_mm, np.random.default_rng(room.print_seed))
            room.textures["mat"] = linear8(image)
        margin = room.edition.margin_mm
        texture = room.textures["mat"]
        scale = texture.shape[0] / (SIDE * room.kit.pitch_mm + 2 * margin)
        return texture, None, scale, (-margin, SIDE * room.kit.pitch_mm + margin)

    def _tile(self, albedo: Field, raised: Field, tile: TileLaid) -> None:
        room, half = self.room, self.room.kit.tile_mm / 2
        ring = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
        edge = linear(room.edition.edge) * 0.55
        self._prism(albedo, raised, tile.at.on_table(ring), tile.z_mm, FLOOR_MM, edge, 0.0, top=False)
        fine = 12.0 if tile.face is not None else 6.0
        image, opacity = tile_texture(room.kit, room.edition, tile.face, tile.kind, tile.art, fine)
        coarse = min(1.0, 1.6 * self._px_per_mm / fine)
        if coarse < 1.0:
            image = np.asarray(cv2.resize(image, None, fx=coarse, fy=coarse, interpolation=cv2.INTER_AREA), np.uint8)
            opacity = np.asarray(cv2.resize(opacity, image.shape[1::-1], interpolation=cv2.INTER_AREA), np.float32)
        self._lay(albedo, raised, tile.at, linear8(image), opacity, image.shape[0] / (2 * half), (-half, half),
                  tile.z_mm + FLOOR_MM)

    def _lay(self, albedo: Field, raised: Field | None, at: Spotted, texture: Field, opacity: Field | None,
             px_per_mm: float, corner_mm: tuple[float, float], z_mm: float = 0.0) -> None:
        """Lays a texture on the plane at `z_mm`."""
        wide, high = texture.shape[1] / px_per_mm, texture.shape[0] / px_per_mm
        x, y = corner_mm
        ring = at.on_table(np.array([[x, y], [x + wide, y], [x + wide, y - high], [x, y - high]]))
        window = self._window(np.c_[ring, np.full(4, z_mm)])
        if window is None:
            return
        own = at.its_own(self._points(z_mm, window))
        u = (own[..., 0] - np.float32(x)) * np.float32(px_per_mm) - np.float32(0.5)
        v = (np.float32(y) - own[..., 1]) * np.float32(px_per_mm) - np.float32(0.5)
        seen = cv2.remap(texture, u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        whole = np.ones(texture.shape[:2], np.float32) if opacity is None else opacity
        share = cv2.remap(whole, u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(0.0,))
        x0, y0, x1, y1 = window
        part = albedo[y0:y1, x0:x1]
        part += (seen - part) * share[..., None]
        if raised is not None:
            raised[y0:y1, x0:x1] = np.maximum(raised[y0:y1, x0:x1], share)

    def _prism(self, albedo: Field, raised: Field, ring: Array, z_mm: float, high: float, colour: Array,
               clear: float, top: bool = True) -> None:
        """A straight body over a convex ring (n, 2), counter-clockwise: sides first, then its top."""
        n = len(ring)
        low, up = np.c_[ring, np.full(n, z_mm)], np.c_[ring, np.full(n, z_mm + high)]
        eye = self.camera.eye_mm
        faces: list[tuple[Array, float]] = []
        for i in range(n):
            j = (i + 1) % n
            normal = np.array([ring[j, 1] - ring[i, 1], ring[i, 0] - ring[j, 0], 0.0])
            normal /= max(float(np.linalg.norm(normal)), 1e-9)
            if float(normal @ (eye - low[i])) > 0:
                faces.append((np.array([low[i], low[j], up[j], up[i]]), self._shade(normal, low[i])))
        if top:
            faces.append((up, 1.0))
        for corners, shade in faces:
            window = self._window(corners)
            if window is None:
                continue
            x0, y0, x1, y1 = window
            mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
            at = np.round((self.camera.project(corners) - (x0, y0)) * (1 << _SHIFT)).astype(np.int32)
            cv2.fillConvexPoly(mask, at, (255,), cv2.LINE_AA, _SHIFT)
            share = (mask.astype(np.float32) / 255)[..., None]
            part = albedo[y0:y1, x0:x1]
            tint = (colour / max(float(colour.max()), 1e-6)).astype(np.float32)
            shown = (1 - clear) * colour.astype(np.float32) * np.float32(shade) + clear * part * tint
            part += (shown - part) * share
            raised[y0:y1, x0:x1] = np.maximum(raised[y0:y1, x0:x1], share[..., 0])

    def _shade(self, normal: Array, at: Array) -> float:
        """How a side is lit, over how the ground there is."""
        light = self.room.light
        side, ground = float(light.ambient.mean()) * 0.7, float(light.ambient.mean())
        for lamp in light.lamps:
            to = lamp.at_mm - at
            to = to / np.linalg.norm(to)
            power = float(lamp.power.mean()) * (1000 / float(np.linalg.norm(lamp.at_mm - at))) ** 2
            side += power * max(float(normal @ to), 0.0)
            ground += power * float(to[2])
        return side / ground

    def _lit(self, light: Light, lamp_mm: Array) -> tuple[Field, Field]:
        """(H, W): a lamp's light on the table's plane, and its glare into the camera."""
        eye = self.camera.eye_mm.astype(np.float32)
        share = -eye[2] / self._rays[..., 2]
        points = eye + self._rays * share[..., None]
        to = lamp_mm.astype(np.float32) - points
        far = np.linalg.norm(to, axis=2)
        flat = np.maximum(to[..., 2], 0) / far * (np.float32(1000) / far) ** 2
        view = -self._rays / np.linalg.norm(self._rays, axis=2, keepdims=True)
        half = to / far[..., None] + view
        glare = np.float32(self.room.gloss) * (half[..., 2] / np.linalg.norm(half, axis=2)) ** 40
        glare = glare * (np.float32(1000) / far) ** 2
        h, w = self._shape
        at = np.meshgrid(np.arange(w, dtype=np.float32), np.arange(h, dtype=np.float32))
        u, v = (axis * np.float32(1 / _GRID_PX) for axis in at)
        return (np.asarray(cv2.remap(flat.astype(np.float32), u, v, cv2.INTER_LINEAR), np.float32),
                np.asarray(cv2.remap(glare.astype(np.float32), u, v, cv2.INTER_LINEAR), np.float32))

    def _shadows(self, scene: CityScene, lamp_mm: Array, radius_mm: float, raised: Field,
                 rng: np.random.Generator) -> Field:
        """(H, W): the share of a lamp's light that arrives: stacks and blocks shade the table, tokens all around."""
        h, w = self._shape
        half = self.room.kit.tile_mm / 2
        square = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
        casts = [(tile.at.on_table(square), tile.z_mm, tile.z_mm + FLOOR_MM, 0.0, True) for tile in scene.tiles]
        table_mm = -self.room.mat_mm
        for block in scene.blocks:
            x, y, z = block.size_mm
            ring = block.at.on_table(np.array([[-x, -y], [x, -y], [x, y], [-x, y]]) / 2)
            casts.append((ring, table_mm, table_mm + z, table_mm, True))
        casts += [(t.at.on_table(ring_of(SHAPES[t.kind])), t.z_mm, t.z_mm + SHAPES[t.kind].height_mm, t.z_mm, False)
                  for t in scene.tokens]
        low, high = np.zeros((h, w), np.float32), np.zeros((h, w), np.float32)
        turn = rng.uniform(0, 6.28)
        for k in range(_LAMP_POINTS):
            a, r = turn + k * 2.39996, np.sqrt((k + 0.5) / _LAMP_POINTS) * radius_mm
            at = lamp_mm + np.array([r * np.cos(a), r * np.sin(a), 0.0])
            for out, is_low in ((low, True), (high, False)):
                mask = np.zeros((h, w), np.uint8)
                for ring, foot, top, ground, lies in casts:
                    if lies is is_low:
                        self._cast(mask, ring, foot, top, ground, at)
                cv2.accumulateWeighted(mask, out, 1 / (k + 1))
        low, high = low * np.float32(1 / 255), high * np.float32(1 / 255)
        dark = np.float32(1 - 0.6 * self.room.token_clear)
        tokens = self._token_mask(scene)
        return (1 - low * (1 - raised)) * (1 - dark * high * (1 - tokens))

    def _cast(self, mask: Image, ring: Array, foot: float, top: float, ground: float, lamp_mm: Array) -> None:
        points = np.vstack([np.c_[ring, np.full(len(ring), z)] for z in (foot, top)])
        reach = (lamp_mm[2] - ground) / np.maximum(lamp_mm[2] - points[:, 2], 60.0)
        fallen = lamp_mm + (points - lamp_mm) * reach[:, None]
        fallen[:, 2] = ground
        px = np.clip(self.camera.project(fallen), -9000, 9000)
        hull = cv2.convexHull(np.round(px * (1 << _SHIFT)).astype(np.int32).reshape(-1, 1, 2))
        cv2.fillConvexPoly(mask, hull, (255,), cv2.LINE_AA, _SHIFT)

    def _token_mask(self, scene: CityScene) -> Field:
        mask = np.zeros(self._shape, np.uint8)
        for t in scene.tokens:
            ring = t.at.on_table(ring_of(SHAPES[t.kind]))
            body = np.vstack([np.c_[ring, np.full(len(ring), z)]
                              for z in (t.z_mm, t.z_mm + SHAPES[t.kind].height_mm)])
            px = np.clip(self.camera.project(body), -9000, 9000)
            hull = cv2.convexHull(np.round(px * (1 << _SHIFT)).astype(np.int32).reshape(-1, 1, 2))
            cv2.fillConvexPoly(mask, hull, (255,), cv2.LINE_AA, _SHIFT)
        return mask.astype(np.float32) / np.float32(255)


def linear8(image: Image) -> Field:
    """An sRGB texture as linear reflectance, float32."""
    codes = np.arange(256) / 255.0
    table = np.where(codes <= 0.04045, codes / 12.92, ((codes + 0.055) / 1.055) ** 2.4).astype(np.float32)
    return np.asarray(cv2.LUT(image, table), np.float32)


def ring_of(shape: TokenShape) -> Array:
    """(n, 2) mm, counter-clockwise: a token from above, its corners rounded."""
    x, y = shape.length_mm / 2, shape.width_mm / 2
    angle = np.linspace(0, 2 * np.pi, 25)[:-1]
    power = 1.0 if abs(x - y) < 0.1 else 0.55
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([x * np.sign(c) * np.abs(c) ** power, y * np.sign(s) * np.abs(s) ** power], axis=1)


def _rays(camera: SimCamera) -> Field:
    """Directions of lines of sight on every `_GRID_PX`th pixel, with one more beyond the picture's end."""
    w, h = camera.size_px
    coarse = SimCamera(
        (w // _GRID_PX + 2, h // _GRID_PX + 2), camera.focal_px / _GRID_PX,
        (camera.centre_px[0] / _GRID_PX, camera.centre_px[1] / _GRID_PX), camera.distortion, camera.rotation,
        camera.eye_mm,
    )
    return coarse.rays()
