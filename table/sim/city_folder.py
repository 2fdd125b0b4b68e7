"""Random Quadropolis rooms and cities, as folders that scenes/FORMAT.md describes and as phones' photographs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from table.evaluate_truth import TRUTH
from table.score import HARBOURS, city_of, parts_of
from table.score_folder import face_words
from table.sim.city_art import random_edition
from table.sim.city_moments import Moment, carelessly, covered, moments
from table.sim.city_paint import BlockLaid, CityPainter, CityRoom, CityScene, Spotted, TileLaid, TokenLaid
from table.sim.looks import random_light, random_sensor, random_table
from table.sim.scene import Light, Sensor, SimCamera, camera_above
from table.sim.setup_files import FORMAT, measured_lens, write_json, write_picture
from table.sim.solids import Array
from vision.frame import Image
from vision.kits.quadropolis import (
    CLASSIC_FACES,
    ENERGY,
    FLOOR_MM,
    INHABITANT,
    MOST_FLOORS,
    SIDE,
    Face,
    QuadropolisKit,
)

LAID_OUT: tuple[int, ...] = (5, 5, 5, 3)
_FLOORS = np.array([0.5, 0.25, 0.15, 0.1])
_EDGE_PX = 8.0
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class CityPlan:
    """A folder to simulate: so many cities, `size_px` (w, h); `lens`: whether the camera was calibrated, None lets the
    seed decide; `own_art`: in the picture of tiles each has a picture of its own, not one for each type; `troubled`:
    hands, bumps and lamps come and go; `careless`: tiles and tokens are laid in a hurry."""

    seed: int = 1
    pictures: int = 5
    size_px: tuple[int, int] = (1640, 1232)
    lens: bool | None = None
    own_art: bool = False
    troubled: bool = False
    careless: bool = False


@dataclass(frozen=True, slots=True)
class LaidCity:
    """A city on a mat: its parts in the mat's own frame, and what is true of it in the words of the files."""

    tiles: tuple[TileLaid, ...]
    tokens: tuple[TokenLaid, ...]
    truth: Mapping[str, Any]

    def on(self, mat: Spotted) -> tuple[tuple[TileLaid, ...], tuple[TokenLaid, ...]]:
        """The same on a mat that lies elsewhere."""
        return (tuple(replace(tile, at=_moved(tile.at, mat)) for tile in self.tiles),
                tuple(replace(token, at=_moved(token.at, mat)) for token in self.tokens))


def _moved(at: Spotted, mat: Spotted) -> Spotted:
    x, y = mat.on_table(np.array([[at.x_mm, at.y_mm]]))[0]
    return Spotted(float(x), float(y), at.turn_deg + mat.turn_deg)


def random_room(kit: QuadropolisKit, rng: np.random.Generator) -> CityRoom:
    """An edition on a table under a lamp, as it may be in anybody's home."""
    light = random_light(SIDE * kit.pitch_mm, rng)
    colours = {INHABITANT.kind: _near((205, 85, 25), rng), ENERGY.kind: _near((35, 28, 195), rng)}
    return CityRoom(kit, random_edition(kit, rng), random_table(rng), exposed_for(light, kit, rng),
                    float(rng.choice([0.0, 0.02, 0.06])), colours, float(rng.uniform(0.05, 0.35)),
                    float(rng.uniform(1.6, 2.5)), int(rng.integers(1 << 30)))


def _near(colour: tuple[int, int, int], rng: np.random.Generator) -> tuple[float, float, float]:
    b, g, r = np.clip(np.array(colour) * rng.uniform(0.85, 1.12) + rng.normal(0, 8, 3), 5, 250)
    return float(b), float(g), float(r)


def exposed_for(light: Light, kit: QuadropolisKit, rng: np.random.Generator) -> Light:
    """With the exposure of an automatic camera: white card a little below the brightest that it keeps."""
    mid = np.array([SIDE * kit.pitch_mm / 2] * 2 + [0.0])
    flux = light.ambient.copy()
    for lamp in light.lamps:
        to = lamp.at_mm - mid
        far = float(np.linalg.norm(to))
        flux = flux + lamp.power * (to[2] / far) * (1000 / far) ** 2
    return replace(light, exposure=float(rng.uniform(0.45, 0.85)) / max(float(flux.max()), 1e-6))


def random_city(kit: QuadropolisKit, margin_mm: float, rng: np.random.Generator, fill: float | None = None) -> LaidCity:
    """Tiles set down by people, tokens on most of them, some beside the mat."""
    fill = float(rng.uniform(0.45, 0.95)) if fill is None else fill
    tiles: list[TileLaid] = []
    tokens: list[TokenLaid] = []
    city: list[list[dict[str, Any] | None]] = [[None] * SIDE for _ in range(SIDE)]
    for place in kit.places:
        if rng.random() > fill:
            continue
        stack = _stack(place.centre_mm, rng)
        laid = _on_tile(kit, stack[-1], rng)
        tiles += stack
        tokens += laid
        people = sum(token.kind == INHABITANT.kind for token in laid)
        city[place.cell.row][place.cell.col] = {
            "floors": [face_words(one.face) for one in stack if one.face is not None],
            "inhabitants": people, "energy": len(laid) - people,
        }
    beside = _beside(kit, margin_mm, rng)
    tokens += beside
    people = sum(token.kind == INHABITANT.kind for token in beside)
    position = {"city": city, "beside": {"inhabitants": people, "energy": len(beside) - people}}
    return LaidCity(tuple(tiles), tuple(tokens), truth_of(position))


def truth_of(position: Mapping[str, Any]) -> Mapping[str, Any]:
    """A position with what it scores, in the words of the files."""
    scored = city_of(position)
    return {**position, "score": parts_of(scored, HARBOURS[0]),
            "score_row_plus_column": parts_of(scored, HARBOURS[1])["total"]}


def _stack(centre_mm: tuple[float, float, float], rng: np.random.Generator) -> list[TileLaid]:
    kind = str(rng.choice(["tower", "shop", "service", "park", "factory", "harbor"]))
    faces = [face for face in CLASSIC_FACES if face.type == kind]
    floors = 1 + int(rng.choice(MOST_FLOORS, p=_FLOORS)) if kind == "tower" else 1
    x, y = (float(v) for v in np.array(centre_mm[:2]) + np.clip(rng.normal(0, 1.3, 2), -3.5, 3.5))
    turn = float(np.clip(rng.normal(0, 2.3), -7, 7))
    stack = []
    for n in range(floors):
        dx, dy = (0.0, 0.0) if n == 0 else (float(v) for v in np.clip(rng.normal(0, 0.7, 2), -2, 2))
        at = Spotted(x + dx, y + dy, turn + (0.0 if n == 0 else float(rng.normal(0, 1.2))))
        stack.append(TileLaid(at, n * FLOOR_MM, kind, faces[int(rng.integers(len(faces)))], int(rng.integers(1 << 30))))
    return stack


def _on_tile(kit: QuadropolisKit, tile: TileLaid, rng: np.random.Generator) -> list[TokenLaid]:
    """The token that activates a building, on or near its printed cost; more where a shop or a park takes them."""
    half, kind = kit.tile_mm / 2, tile.kind
    pays = ENERGY.kind if kind in ("tower", "shop", "park") else INHABITANT.kind
    side = -1 if kind == "park" and rng.random() < 0.15 else 1
    if rng.random() < 0.35:
        return []
    own = [(pays, side * (half - 7.2) + float(rng.normal(0, 1.3)), 7.2 - half + float(rng.normal(0, 1.3)))]
    more, most = {"shop": (INHABITANT.kind, 4), "park": (ENERGY.kind, 2)}.get(kind, (pays, 0))
    for _ in range(int(rng.integers(0, most + 1)) if kind == "shop" or rng.random() < 0.2 else 0):
        for _ in range(30):
            x, y = (float(v) for v in rng.uniform(-half + 6, half - 6, 2))
            if y < half - 13 and all(np.hypot(x - a, y - b) > 12.5 for _, a, b in own):
                own.append((more, x, y))
                break
    out = []
    for what, x, y in own:
        at = tile.at.on_table(np.array([[x, y]]))[0]
        spot = Spotted(float(at[0]), float(at[1]), float(rng.uniform(0, 360)))
        out.append(TokenLaid(what, spot, tile.z_mm + FLOOR_MM))
    return out


def _beside(kit: QuadropolisKit, margin_mm: float, rng: np.random.Generator) -> list[TokenLaid]:
    """Tokens that nobody placed, in a loose heap next to the mat."""
    if rng.random() < 0.3:
        return []
    span = SIDE * kit.pitch_mm
    along, out = float(rng.uniform(30, span - 30)), margin_mm + float(rng.uniform(16, 45))
    middle = ((along, -out), (along, span + out), (-out, along), (span + out, along))[int(rng.integers(4))]
    kinds = [INHABITANT.kind] * int(rng.integers(0, 5)) + [ENERGY.kind] * int(rng.integers(0, 4))
    laid: list[TokenLaid] = []
    for kind in kinds:
        for _ in range(60):
            x, y = (float(v) for v in np.array(middle) + np.clip(rng.normal(0, 15, 2), -28, 28))
            beyond = max(-x, x - span, -y, y - span)
            if beyond > margin_mm + 8 and all(np.hypot(x - o.at.x_mm, y - o.at.y_mm) > 13 for o in laid):
                laid.append(TokenLaid(kind, Spotted(x, y, float(rng.uniform(0, 360))), -2.0))
                break
    return laid


def laid_out(
    kit: QuadropolisKit, table_mm: float, rng: np.random.Generator, own_art: bool = False
) -> tuple[TileLaid, ...]:
    """The 18 faces on the bare table, in rows."""
    art_of = {face.type: int(rng.integers(1 << 30)) for face in CLASSIC_FACES}
    step = kit.tile_mm * float(rng.uniform(1.22, 1.36))
    tiles = []
    for row, count in enumerate(LAID_OUT):
        for col in range(count):
            n = sum(LAID_OUT[:row]) + col
            x, y = np.array([(col + 0.4) * step, SIDE * kit.pitch_mm - (row + 0.4) * step]) + rng.normal(0, 1.6, 2)
            at = Spotted(float(x) - 15, float(y), float(np.clip(rng.normal(0, 4), -10, 10)))
            art = int(rng.integers(1 << 30)) if own_art else art_of[CLASSIC_FACES[n].type]
            tiles.append(TileLaid(at, table_mm, CLASSIC_FACES[n].type, CLASSIC_FACES[n], art))
    return tuple(tiles)


def laid_on_mat(kit: QuadropolisKit, faces: Sequence[Face], rng: np.random.Generator) -> tuple[TileLaid, ...]:
    """Faces on the slots of a mat, row 1 first, set down by somebody."""
    tiles = []
    for place, face in zip(kit.places, faces, strict=False):
        x, y = (float(v) for v in np.array(place.centre_mm[:2]) + np.clip(rng.normal(0, 1.2, 2), -3, 3))
        at = Spotted(x, y, float(np.clip(rng.normal(0, 2), -6, 6)))
        tiles.append(TileLaid(at, 0.0, face.type, face, int(rng.integers(1 << 30))))
    return tuple(tiles)


def random_blocks(kit: QuadropolisKit, far_mm: float, rng: np.random.Generator, most: int = 4) -> tuple[BlockLaid, ...]:
    """Books, phones, coasters and cards around."""
    mid, out = SIDE * kit.pitch_mm / 2, []
    for _ in range(int(rng.integers(0, most + 1))):
        long = float(rng.uniform(20, 150))
        size = (long, long * float(rng.choice([1.0, 0.7, 0.5])), float(rng.uniform(1, 18)))
        a, r = rng.uniform(0, 2 * np.pi), far_mm + 0.75 * long + float(rng.uniform(0, 120))
        b, g, red = rng.uniform(15, 235, 3)
        at = Spotted(mid + float(r * np.cos(a)), mid + float(r * np.sin(a)), float(rng.uniform(0, 360)))
        out.append(BlockLaid(at, size, (float(b), float(g), float(red))))
    return tuple(out)


def camera_over(points_mm: Array, target_mm: tuple[float, float], size_px: tuple[int, int], tilt_deg: float,
                focal_of_width: float, rng: np.random.Generator, share: float = 0.75, k1: float = 0.0,
                roll_deg: float | None = None) -> SimCamera:
    """A camera tilted by `tilt_deg`, as near as it may be while all `points_mm` are in its picture."""
    w, h = size_px
    focal, azimuth = focal_of_width * max(w, h), float(rng.uniform(0, 360))
    roll = float(rng.uniform(0, 360)) if roll_deg is None else roll_deg
    wide = float(np.ptp(points_mm, axis=0)[:2].max())
    lens = (k1, -0.15 * k1, 0.0, 0.0, 0.0)
    height = focal * wide / (share * min(w, h)) * float(np.cos(np.radians(tilt_deg)))
    for _ in range(40):
        camera = camera_above(target_mm, height, tilt_deg, azimuth, roll, size_px, focal, lens)
        px = camera.project(points_mm)
        if bool((px > _EDGE_PX).all() and (px < np.array(size_px) - 1 - _EDGE_PX).all()):
            return camera
        height *= 1.05
    return camera


def simulate_city_folder(out: Path, plan: CityPlan | None = None, progress: Progress | None = None) -> Path:
    """Writes a folder and gives its path back: tiles, empty mat, cities, truth. The same plan gives the same folder."""
    plan = plan or CityPlan()
    rng = np.random.default_rng(plan.seed)
    kit = QuadropolisKit()
    room, sensor = random_room(kit, rng), calmer(random_sensor(rng))
    span, margin = SIDE * kit.pitch_mm, room.edition.margin_mm
    out.mkdir(parents=True, exist_ok=True)
    tiles = laid_out(kit, -room.mat_mm, rng, plan.own_art)
    wide = margin + 50
    seen = np.array([[x, y, 0.0] for x in (-wide, span + wide) for y in (20 - wide, span + wide - 20)])
    tilt = float(min(abs(rng.normal(0, 8)), 20))
    camera = camera_over(seen, (span / 2 + float(rng.normal(0, 12)), span / 2 + float(rng.normal(0, 12))),
                         plan.size_px, tilt, float(rng.uniform(0.72, 1.1)), rng, 0.95, float(rng.uniform(-0.2, 0.03)),
                         float(rng.choice([0, 90, 180, 270]) + rng.normal(0, 9)))
    has_lens = bool(rng.random() < 0.5) if plan.lens is None else plan.lens
    blocks = random_blocks(kit, 0.75 * span + 60, rng)
    mat = Spotted(0.0, 0.0)
    still = Moment("city", mat, camera)
    scenes: list[tuple[Moment, CityScene, Mapping[str, Any] | None]] = [
        (replace(still, tag="tiles"), CityScene((), tiles, (), blocks), None),
        (replace(still, tag="empty"), CityScene((mat,), (), (), blocks), None),
    ]
    for moment in moments(plan.pictures, camera, kit, rng) if plan.troubled else (still,) * plan.pictures:
        city = random_city(kit, margin, rng)
        if plan.careless:
            city = LaidCity(*carelessly(kit, city.tiles, city.tokens, rng), city.truth)
        scenes.append((moment, CityScene((moment.mat,), *city.on(moment.mat), blocks, moment.arm), city.truth))
    other = exposed_for(random_light(span, rng), kit, rng) if plan.troubled or rng.random() < 0.5 else room.light
    frames, told = [f"{n:04d}.jpg" for n in range(len(scenes))], []
    painter = CityPainter(room, camera)
    for n, (moment, scene, truth) in enumerate(scenes):
        if moment.camera is not painter.camera:
            painter = CityPainter(room, moment.camera)
        switched = moment.tag == "light" if plan.troubled else n > 1 + plan.pictures // 2
        light = other if switched else room.light
        write_picture(out / frames[n], painter.paint(scene, sensor, rng, light), sensor.jpeg)
        told.append({"frame": frames[n], "tag": moment.tag, "light": light.name, "hand": moment.arm is not None,
                     "camera": told_camera(moment.camera), "corners": corners_of(kit, moment.camera, moment.mat),
                     **(truth or {}), **({"covered": covered(kit, moment)} if moment.arm is not None else {}),
                     **({"tiles": told_tiles(tiles, camera, 0.0, rng)} if moment.tag == "tiles" else {})})
        if progress is not None:
            progress(n + 1, len(scenes))
    write_json(out / TRUTH, {"format": FORMAT, "game": "quadropolis", "kind": "city", "board": {
        "slots": SIDE, "pitch_mm": kit.pitch_mm, "tile_mm": kit.tile_mm}, "frames": told})
    corners = corners_of(kit, camera, mat)
    write_json(out / "setup.json", {
        "format": FORMAT, "game": "quadropolis", "kind": "city",
        "lens": [measured_lens(camera, rng)] if has_lens else None, "pitch_mm": kit.pitch_mm, "tile_mm": kit.tile_mm,
        "taps": {n: [float(round(v + rng.normal(0, 6))) for v in corners[n]] for n in ("row1col1", "row1col4")},
        "tiles": {"frame": frames[0], "tiles": told_tiles(tiles, camera, 6.0, rng)}, "empty": frames[1],
        "frames": frames[2:],
    })
    return out


def calmer(sensor: Sensor) -> Sensor:
    """A camera that was held still and focused."""
    return replace(sensor, blur_px=min(sensor.blur_px, 0.9), shot_noise=min(sensor.shot_noise, 0.014),
                   vignette=min(sensor.vignette, 0.3))


def told_tiles(tiles: Sequence[TileLaid], camera: SimCamera, off_px: float, rng: np.random.Generator,
               ) -> list[dict[str, Any]]:
    """The laid-out tiles in the words of the files, each tapped off by so much."""
    px = camera.project(np.array([[t.at.x_mm, t.at.y_mm, t.z_mm + FLOOR_MM] for t in tiles]))
    name = "near_px" if off_px else "centre_px"
    return [{"face": face_words(tile.face), name: [round(float(v + rng.normal(0, off_px)), 1) for v in xy]}
            for tile, xy in zip(tiles, px, strict=True) if tile.face is not None]


def told_camera(camera: SimCamera) -> dict[str, Any]:
    """A camera in the words of the files."""
    return {name: [round(float(v), 6) for v in np.ravel(value)] if name != "size" else list(camera.size_px)
            for name, value in (("size", ()), ("matrix", camera.matrix), ("distortion", camera.distortion),
                                ("rvec", camera.rvec), ("tvec", camera.tvec))}


def corners_of(kit: QuadropolisKit, camera: SimCamera, mat: Spotted) -> dict[str, list[float]]:
    """The outer corners of a mat's slots, px."""
    ring = mat.on_table(np.array(kit.outline_mm))
    px = camera.project(np.c_[ring, np.zeros(4)])
    return {name: [round(float(x), 2), round(float(y), 2)] for name, (x, y) in zip(kit.corner_names, px, strict=True)}


@dataclass(frozen=True, slots=True)
class PaintedPhoto:
    """A phone's photograph and what is true of its mats, left to right: the corners of each, and its city's truth."""

    image: Image
    corners: tuple[Mapping[str, list[float]], ...]
    truths: tuple[Mapping[str, Any], ...]
    focal_px: float


def painted_photo(room: CityRoom, rng: np.random.Generator, tilt_deg: float, mats: int = 1,
                  size_px: tuple[int, int] = (4032, 3024), fill: float | None = None,
                  light: Light | None = None) -> PaintedPhoto:
    """A room's table photographed obliquely, `mats` of them on it, in any rotation."""
    kit, margin = room.kit, room.edition.margin_mm
    span = SIDE * kit.pitch_mm
    step = span + 2 * margin + 75
    places: list[Spotted] = []
    cities: list[LaidCity] = []
    tiles: list[TileLaid] = []
    tokens: list[TokenLaid] = []
    for n in range(mats):
        turn = float(rng.uniform(0, 360)) if mats == 1 else float(rng.choice([0, 90, 180, 270]) + rng.normal(0, 5))
        at = Spotted((n % 2) * step, (n // 2) * step, turn)
        corner = at.on_table(np.array([[-span / 2, -span / 2]]))[0]
        mat = Spotted(float(corner[0]), float(corner[1]), turn)
        city = random_city(kit, margin, rng, fill)
        on = city.on(mat)
        places.append(mat)
        cities.append(city)
        tiles += on[0]
        tokens += [token for token in on[1] if mats == 1 or token.z_mm >= 0]
    low, high = -margin, span + margin
    outline = np.array([[low, low], [high, low], [high, high], [low, high]])
    hull = np.vstack([mat.on_table(outline) for mat in places])
    rim = np.vstack([hull, np.array([[t.at.x_mm, t.at.y_mm] for t in tokens]).reshape(-1, 2)])
    middle = hull.mean(axis=0)
    focal = float(rng.uniform(0.66, 0.95))
    camera = camera_over(np.c_[rim, np.zeros(len(rim))], (float(middle[0]), float(middle[1])), size_px, tilt_deg, focal,
                         rng, float(rng.uniform(0.75, 0.95)), float(rng.normal(0, 0.015)))
    far = float(np.linalg.norm(hull - middle, axis=1).max())
    blocks = tuple(replace(b, at=Spotted(b.at.x_mm - span / 2 + float(middle[0]), b.at.y_mm - span / 2 +
                                         float(middle[1]), b.at.turn_deg)) for b in random_blocks(kit, far, rng))
    sensor = Sensor(float(rng.uniform(0.5, 1.2)), 0.15, float(rng.uniform(0.003, 0.012)), 0.002,
                    np.clip(rng.normal(1, 0.04, 3), 0.9, 1.1), 1.0, float(rng.choice([0.3, 0.7])), 92)
    scene = CityScene(tuple(places), tuple(tiles), tuple(tokens), blocks)
    image = CityPainter(room, camera).paint(scene, sensor, rng, light)
    corners = [corners_of(kit, camera, mat) for mat in places]
    truths = [city.truth if mats == 1 else truth_of({**city.truth, "beside": {"inhabitants": 0, "energy": 0}})
              for city in cities]
    order = sorted(range(mats), key=lambda n: float(np.mean([xy[0] for xy in corners[n].values()])))
    return PaintedPhoto(image, tuple(corners[n] for n in order), tuple(truths[n] for n in order), camera.focal_px)
