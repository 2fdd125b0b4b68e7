"""A room with a simulated table: its look, camera and lamps, what stands where, and arms that come and go.

A piece keeps the exact place and turn it was set down with for as long as it stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from rules.words import SEATS, Cell, Colour, Layout, Piece, Seat
from table.sim.arm import reaching_arm
from table.sim.looks import (
    SKINS,
    SetLook,
    exposed,
    random_camera,
    random_light,
    random_sensor,
    random_set,
    random_table_look,
)
from table.sim.paint import Painter
from table.sim.scene import Arm, Light, Sensor, SimCamera, Surface, TableLook, camera_above, linear
from table.sim.setting_down import set_down, toy_van
from table.sim.solids import Array, Solid, standing_pyramid
from vision.frame import Image
from vision.kits.gridlock import PYRAMIDS, VAN_ZONE

SIZES: tuple[str, ...] = tuple(shape.kind for shape in PYRAMIDS)
_EDGE_PX = 8.0
_PLAIN_BOARDS: tuple[tuple[tuple[int, int, int], tuple[int, int, int]], ...] = (
    ((40, 40, 42), (205, 215, 220)), ((40, 58, 90), (160, 200, 222)), ((52, 60, 74), (196, 208, 214)),
)
"""Dark and light squares, sRGB BGR 0..255."""
_PLAIN_TABLES: tuple[tuple[int, int, int], ...] = ((96, 116, 138), (110, 108, 104), (92, 100, 84))


@dataclass(frozen=True, slots=True)
class Person:
    """Whose arm it is: skin (3,) linear BGR, a sleeve or none, and how thick the arm is."""

    skin: Array
    sleeve: Array | None
    thickness: float


@dataclass(frozen=True, slots=True)
class Room:
    """Everything that stays the same during an evening. `lights`: the usual one, then what a switch makes of it.

    `cameras`: where it hangs, then where a bump leaves it.
    """

    table: TableLook
    cameras: tuple[SimCamera, SimCamera]
    box: SetLook
    lights: tuple[Light, Light]
    sensor: Sensor
    people: tuple[Person, ...]

    @property
    def board_mm(self) -> float:
        return 8 * self.table.square_mm

    def painter(self, bumped: bool = False) -> Painter:
        """A painter for the camera before or after the bump."""
        return Painter(self.table, self.cameras[1 if bumped else 0])

    def corners_px(self, bumped: bool = False) -> dict[str, tuple[float, float]]:
        """Where the board's outer corners are in the picture."""
        e = self.board_mm
        ring = np.array([[0, 0, 0], [e, 0, 0], [e, e, 0], [0, e, 0]], dtype=np.float64)
        px = self.cameras[1 if bumped else 0].project(ring)
        return {name: (float(x), float(y)) for name, (x, y) in zip(("a1", "h1", "h8", "a8"), px, strict=True)}


def any_room(colours: Sequence[Colour], size_px: tuple[int, int], rng: np.random.Generator) -> Room:
    """A room as it may be in anybody's home, seen so that the van is in the picture before every seat."""
    square_mm = float(rng.uniform(45, 60))
    table = random_table_look(square_mm, rng)
    camera = random_camera(square_mm, size_px, rng)
    for _ in range(60):
        if _sees_vans(camera, table):
            break
        camera = random_camera(square_mm, size_px, rng)
    lights = tuple(exposed(random_light(8 * square_mm, rng), table, rng) for _ in range(2))
    return _furnished(table, camera, lights[0], lights[1], random_sensor(rng), random_set(_names(colours), rng), rng)


def calm_room(colours: Sequence[Colour], size_px: tuple[int, int], rng: np.random.Generator) -> Room:
    """A well-lit table with a plain board and a camera right above: what a demonstration wants."""
    square_mm = 50.0
    table = plain_table(square_mm, rng)
    w, h = size_px
    focal = 0.9 * w
    camera = camera_above(
        (4 * square_mm, 4 * square_mm), focal * 8 * square_mm / (0.66 * h), 4.0, float(rng.uniform(0, 360)),
        float(rng.normal(0, 2)), size_px, focal, (-0.06, 0.01, 0.0, 0.0, 0.0),
    )
    lights = [random_light(8 * square_mm, rng) for _ in range(60)]
    soft = [light for light in lights if light.name in ("pendant", "panel")][:2] or lights[:2]
    usual, switched = (_well_exposed(light, table, rng) for light in soft)
    box = replace(random_set(_names(colours), rng), alpha_standing=0.92, alpha_lying=1.0, gloss=0.1)
    sensor = Sensor(blur_px=0.6, vignette=0.12, shot_noise=0.006, read_noise=0.002)
    return _furnished(table, camera, usual, switched, sensor, box, rng)


def _well_exposed(light: Light, table: TableLook, rng: np.random.Generator) -> Light:
    """Nearly white, with enough light from everywhere, and the longest of a few exposures."""
    lamps = tuple(replace(lamp, power=_paled(lamp.power)) for lamp in light.lamps)
    fuller = replace(light, lamps=lamps, ambient=np.maximum(_paled(light.ambient), 0.4))
    return max((exposed(fuller, table, rng) for _ in range(5)), key=lambda one: one.exposure)


def _paled(colour: Array) -> Array:
    """(3,): most of the tint gone, the brightness kept."""
    return np.asarray(0.2 * colour + 0.8 * colour.mean())


def _names(colours: Sequence[Colour]) -> tuple[str, ...]:
    return tuple(str(colour) for colour in colours)


def _furnished(
    table: TableLook, camera: SimCamera, usual: Light, switched: Light, sensor: Sensor, box: SetLook,
    rng: np.random.Generator,
) -> Room:
    people = tuple(
        Person(
            linear(np.clip(np.array(SKINS[rng.integers(len(SKINS))], float) * rng.uniform(0.85, 1.1), 8, 250)),
            linear(rng.uniform(15, 235, 3)) if rng.random() < 0.6 else None, float(rng.uniform(0.8, 1.1)),
        )
        for _ in SEATS
    )
    ring = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]) * 8 * table.square_mm
    after = bumped(camera, rng)
    for _ in range(40):
        if _is_inside(after.project(ring), camera.size_px):
            break
        after = bumped(camera, rng)
    return Room(table, (camera, after), box, (usual, switched), sensor, people)


def plain_table(square_mm: float, rng: np.random.Generator) -> TableLook:
    """A matt board, dark and light squares far apart, on a quiet table top; quickly made."""
    border_mm, px_per_mm = 20.0, 2.0
    dark8, light8 = _PLAIN_BOARDS[int(rng.integers(len(_PLAIN_BOARDS)))]
    at = np.arange(round((8 * square_mm + 2 * border_mm) * px_per_mm) + 1) / px_per_mm - border_mm
    index = np.floor(at / square_mm).astype(int)
    inside = (index >= 0) & (index < 8)
    is_light = (index[:, None] + index[None, :]) % 2 == 1
    on = inside[:, None] & inside[None, :]
    frame = linear(dark8) * 1.4
    colour = np.where(on[..., None], np.where(is_light[..., None], linear(light8), linear(dark8)), frame)
    board = Surface((colour * _speckle(colour.shape[:2], 0.03, rng)).astype(np.float32), px_per_mm, 0.02, 20.0)
    top = linear(_PLAIN_TABLES[int(rng.integers(len(_PLAIN_TABLES)))])
    ground = np.broadcast_to(top, (800, 800, 3)) * _speckle((800, 800), 0.05, rng)
    return TableLook(square_mm, border_mm, 8.0, board, Surface(ground.astype(np.float32), 0.2), frame)


def _speckle(shape: tuple[int, ...], spread: float, rng: np.random.Generator) -> Array:
    """(H, W, 1) around 1."""
    noise = cv2.GaussianBlur(rng.standard_normal(shape[:2]).astype(np.float32), (0, 0), 1.2)
    return np.asarray(1 + spread * noise / max(float(noise.std()), 1e-6), dtype=np.float64)[..., None]


def bumped(camera: SimCamera, rng: np.random.Generator) -> SimCamera:
    """The camera after somebody knocked its stand: turned by up to a degree or so, moved by some millimetres."""
    twist = rng.normal(0, 0.5, 3)
    twist *= np.radians(0.9) / max(float(np.linalg.norm(twist)), 1e-6)
    knocked = np.asarray(cv2.Rodrigues(twist)[0], dtype=np.float64)
    return replace(camera, rotation=knocked @ camera.rotation, eye_mm=camera.eye_mm + rng.normal(0, 4, 3) * (1, 1, 0.5))


def _van_spots(table: TableLook) -> Array:
    """(4, 3) mm: the middle of the nearest strip in front of each seat."""
    mid, out, end = 4 * table.square_mm, table.border_mm + 45.0, 8 * table.square_mm
    z = -table.thickness_mm + 15
    return np.array([[mid, -out, z], [-out, mid, z], [mid, end + out, z], [end + out, mid, z]])


def _is_inside(px: Array, size_px: tuple[int, int]) -> bool:
    return bool((px > _EDGE_PX).all() and (px < np.array(size_px) - 1 - _EDGE_PX).all())


def _sees_vans(camera: SimCamera, table: TableLook) -> bool:
    spots = _van_spots(table)
    around = np.array([[dx, dy, 0] for dx in (-25, 25) for dy in (-25, 25)], dtype=np.float64)
    return _is_inside(camera.project((spots[:, None] + around[None]).reshape(-1, 3)), camera.size_px)


class TableTop:
    """What stands on the table now. `show` sets it to a layout and touches only what differs."""

    def __init__(self, room: Room, rng: np.random.Generator) -> None:
        self._room, self._rng = room, rng
        self._stood: dict[Cell, tuple[Piece, Solid]] = {}
        self._van: tuple[Seat, tuple[Solid, ...]] | None = None

    def show(self, layout: Layout) -> None:
        """Sets down what is new or lies otherwise, takes away what is gone."""
        for cell in [c for c, (piece, _) in self._stood.items() if layout.pieces.get(c) != piece]:
            del self._stood[cell]
        van = None
        for cell, piece in sorted(layout.pieces.items()):
            if cell.zone == VAN_ZONE:
                van = Seat(cell.col)
            elif cell not in self._stood:
                self._stood[cell] = (piece, self._set_down(cell, piece))
        if van is None:
            self._van = None
        elif self._van is None or self._van[0] != van:
            self._van = (van, self._park(van))

    def _set_down(self, cell: Cell, piece: Piece) -> Solid:
        square_mm = self._room.table.square_mm
        return set_down(
            cell, SIZES.index(piece.kind), piece.facing, self._room.box, piece.colour, square_mm, self._rng
        )

    def _park(self, seat: Seat) -> tuple[Solid, ...]:
        """The van where the camera sees it, if there is such a place."""
        parts = toy_van(self._room.table, int(seat), self._rng)
        for _ in range(40):
            corners = np.vstack([part.vertices for part in parts])
            if all(_is_inside(camera.project(corners), camera.size_px) for camera in self._room.cameras):
                break
            parts = toy_van(self._room.table, int(seat), self._rng)
        return parts

    def solids(self) -> tuple[Solid, ...]:
        """Everything on the table but its clutter."""
        standing = tuple(solid for _, (_, solid) in sorted(self._stood.items()))
        return standing + (self._van[1] if self._van is not None else ())

    def centre_mm(self, cell: Cell) -> tuple[float, float]:
        """Where a hand goes to reach a cell, or the van's place before a seat."""
        if cell.zone == VAN_ZONE:
            if self._van is not None and self._van[0] == cell.col:
                at = self._van[1][0].centre
                return float(at[0]), float(at[1])
            x, y, _ = _van_spots(self._room.table)[cell.col]
            return float(x), float(y)
        square = self._room.table.square_mm
        return (cell.col + 0.5) * square, (cell.row + 0.5) * square


@dataclass(frozen=True, slots=True)
class Reach:
    """One arm's way to a cell and back. `arm(share)` has its fingertips on the way there: 1 is the cell itself."""

    room: Room
    seat: Seat
    target_mm: tuple[float, float]
    shape_seed: int

    def _start(self, rng: np.random.Generator) -> tuple[float, float]:
        end, far = self.room.board_mm, 330.0
        slide = end * float(rng.uniform(0.3, 0.7))
        return ((slide, -far), (-far, slide), (slide, end + far), (end + far, slide))[self.seat]

    def tip_mm(self, share: float) -> tuple[float, float, float]:
        """Where the fingertips are."""
        start = np.array(self._start(np.random.default_rng(self.shape_seed)))
        at = start + (np.array(self.target_mm) - start) * share
        return float(at[0]), float(at[1]), 30.0 + 55.0 * (1 - share)

    def arm(self, share: float) -> Arm:
        """The same arm each time, nearer or farther."""
        rng = np.random.default_rng(self.shape_seed)
        start, person = self._start(rng), self.room.people[self.seat]
        return reaching_arm(start, self.tip_mm(share), person.skin, person.sleeve, rng, person.thickness)

    def held(self, piece: Piece, share: float) -> Solid:
        """A pyramid between the fingers."""
        shape, box, tip = PYRAMIDS[SIZES.index(piece.kind)], self.room.box, self.tip_mm(share)
        return standing_pyramid(
            shape.base_mm, shape.height_mm, (tip[0], tip[1]), float(self.shape_seed % 90), box.albedo_of[piece.colour],
            box.alpha_standing, box.gloss, max(tip[2] - 0.7 * shape.height_mm, 0.5),
        )


def still_sensor(sensor: Sensor) -> Sensor:
    """The same camera without noise and without JPEG, for a picture that noise is added to later."""
    return replace(sensor, shot_noise=0.0, read_noise=0.0, jpeg=100)


class FreshNoise:
    """Adds sensor noise to a noiseless picture, cheaply: a field of noise made once, cut anew each time.

    No picture has the noise of the one before it.
    """

    _SPARE_PX = 96

    def __init__(self, sensor: Sensor, size_px: tuple[int, int], rng: np.random.Generator) -> None:
        w, h = size_px
        self._rng = rng
        self._last = (-1, -1)
        self._field = rng.standard_normal((h + self._SPARE_PX, w + self._SPARE_PX, 3), dtype=np.float32)
        self._sigma_of_level = _sigma_by_level(sensor)

    def on(self, base: Image) -> Image:
        """`base` with noise as it would be at each pixel's brightness; never as in the picture before."""
        h, w = base.shape[:2]
        at = self._last
        while at == self._last:
            at = (int(self._rng.integers(self._SPARE_PX)), int(self._rng.integers(self._SPARE_PX)))
        self._last = (y, x) = at
        noise = self._field[y : y + h, x : x + w]
        sigma = cv2.LUT(base, self._sigma_of_level)
        noisy = cv2.add(base, cv2.multiply(sigma, noise), dtype=cv2.CV_8U)
        return np.asarray(noisy, dtype=np.uint8)


def _sigma_by_level(sensor: Sensor) -> Array:
    """(256,) float32: the noise's spread in grey levels at each level, as `paint.develop` would make it."""
    level = np.arange(256) / 255.0
    light = np.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4)
    spread = np.sqrt(sensor.read_noise**2 + sensor.shot_noise**2 * light)
    slope = np.where(level <= 0.04045, 12.92, 1.055 / 2.4 * np.maximum(light, 1e-4) ** (1 / 2.4 - 1))
    sigma = np.maximum(spread * slope * 255 * (1 + sensor.sharpen), 0.35)
    return np.asarray(sigma, dtype=np.float32)
