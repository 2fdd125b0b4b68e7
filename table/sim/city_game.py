"""A followed Quadropolis city as a folder of kind `game`, as scenes/FORMAT.md describes it: one mat, one evening."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from table.evaluate_truth import TRUTH
from table.sim.city_evening import Deed, Player
from table.sim.city_folder import (
    Progress,
    calmer,
    camera_over,
    corners_of,
    exposed_for,
    laid_out,
    random_blocks,
    random_room,
    told_camera,
    told_tiles,
    truth_of,
)
from table.sim.city_moments import Moment, covered, random_arm
from table.sim.city_paint import CityPainter, CityRoom, CityScene, Spotted, TileLaid, TokenLaid
from table.sim.looks import random_light, random_sensor
from table.sim.room import bumped
from table.sim.scene import SimCamera
from table.sim.setup_files import FORMAT, measured_lens, write_json, write_picture
from vision.kits.quadropolis import SIDE, QuadropolisKit

_FEWEST_DEEDS = 6
"""In a shorter evening nothing is bumped and no lamp is switched."""


@dataclass(frozen=True, slots=True)
class CityGamePlan:
    """An evening to paint: so many builds and mistakes; `size_px` (w, h); `lens`: whether the camera was calibrated,
    None lets the seed decide."""

    seed: int = 1
    builds: int = 12
    wrongs: int = 4
    size_px: tuple[int, int] = (1640, 1232)
    lens: bool | None = None


@dataclass(frozen=True, slots=True)
class _Shot:
    """One picture to paint: what was done, how it is taken, and by which lamp."""

    deed: Deed
    moment: Moment
    is_other_light: bool


def simulate_city_game(out: Path, plan: CityGamePlan | None = None, progress: Progress | None = None) -> Path:
    """Writes a folder and gives its path back: tiles, empty mat, the evening, truth. The same plan gives the same."""
    plan = plan or CityGamePlan()
    rng = np.random.default_rng(plan.seed)
    kit = QuadropolisKit()
    room, sensor = random_room(kit, rng), calmer(random_sensor(rng))
    margin = room.edition.margin_mm
    out.mkdir(parents=True, exist_ok=True)
    tiles = laid_out(kit, -room.mat_mm, rng)
    camera = _camera(kit, margin, plan, rng)
    has_lens = bool(rng.random() < 0.5) if plan.lens is None else plan.lens
    blocks = random_blocks(kit, 0.75 * SIDE * kit.pitch_mm + 60, rng)
    mat = Spotted(0.0, 0.0)
    shots = _shots(list(Player(kit, margin, rng).evening(plan.builds, plan.wrongs)), camera, kit, rng)
    other = exposed_for(random_light(SIDE * kit.pitch_mm, rng), kit, rng)
    frames = [f"{n:04d}.jpg" for n in range(2 + len(shots))]
    painter = CityPainter(room, camera)
    told: list[Mapping[str, Any]] = []
    for n, (tag, scene) in enumerate((("tiles", CityScene((), tiles, (), blocks)), ("empty", CityScene((mat,), (), (),
                                                                                                      blocks)))):
        write_picture(out / frames[n], painter.paint(scene, sensor, rng, room.light), sensor.jpeg)
        told.append({"frame": frames[n], "tag": tag, "light": room.light.name, "hand": False,
                     "camera": told_camera(camera), "corners": corners_of(kit, camera, mat),
                     **({"tiles": told_tiles(tiles, camera, 0.0, rng)} if tag == "tiles" else {})})
    for n, shot in enumerate(shots, start=2):
        if shot.moment.camera is not painter.camera:
            painter = CityPainter(room, shot.moment.camera)
        light = other if shot.is_other_light else room.light
        scene = CityScene((shot.moment.mat,), *_on(shot), blocks, shot.moment.arm)
        write_picture(out / frames[n], painter.paint(scene, sensor, rng, light), sensor.jpeg)
        told.append({"frame": frames[n], "light": light.name, **_told(kit, shot)})
        if progress is not None:
            progress(n + 1, len(frames))
    _write(out, kit, room, told, frames, camera, has_lens, tiles, rng)
    return out


def _camera(kit: QuadropolisKit, margin: float, plan: CityGamePlan, rng: np.random.Generator) -> SimCamera:
    """Above one mat and what lies around it."""
    span, wide = SIDE * kit.pitch_mm, margin + 50
    seen = np.array([[x, y, 0.0] for x in (-wide, span + wide) for y in (-wide, span + wide - 20)])
    target = span / 2 + float(rng.normal(0, 12)), span / 2 + float(rng.normal(0, 12))
    tilt = float(min(abs(rng.normal(0, 8)), 20))
    return camera_over(seen, target, plan.size_px, tilt, float(rng.uniform(0.72, 1.1)), rng, 0.95,
                       float(rng.uniform(-0.2, 0.03)), float(rng.choice([0, 90, 180, 270]) + rng.normal(0, 9)))


def _shots(deeds: list[Deed], camera: SimCamera, kit: QuadropolisKit, rng: np.random.Generator) -> list[_Shot]:
    """The pictures of an evening: one a deed, and between them a bump and, later, another lamp."""
    bump = light = len(deeds)
    if len(deeds) > _FEWEST_DEEDS:
        # Not while a hand is at work: the tile that it has set down is told with the picture after it.
        free = [n for n in range(2, len(deeds) - 1) if deeds[n - 1].reach is None]
        bump, light = (int(n) for n in rng.choice(free, 2, replace=False))
    shots: list[_Shot] = []
    mat = Spotted(0.0, 0.0)
    for n, deed in enumerate(deeds):
        if n == bump:
            quiet = Deed(deeds[n - 1].laid)
            if rng.random() < 0.5:
                camera = bumped(camera, rng)
            else:
                mat = Spotted(float(rng.uniform(-8, 8)), float(rng.uniform(-8, 8)), float(rng.uniform(-2.5, 2.5)))
            shots.append(_Shot(quiet, Moment("bump", mat, camera), n > light))
        arm, tag = None, "turn" if deed.verdict else "still"
        if deed.reach is not None:
            x, y, _ = kit.places[deed.reach].centre_mm
            arm, tag = random_arm(kit, rng, (x, y)), "hand"
        shots.append(_Shot(deed, Moment(tag, mat, camera, arm), n >= light))
    return shots


def _on(shot: _Shot) -> tuple[tuple[TileLaid, ...], tuple[TokenLaid, ...]]:
    """Tiles and tokens on the table. Those beside the mat stay where they are when it is pushed."""
    mat, laid = shot.moment.mat, shot.deed.laid

    def carried(at: Spotted) -> Spotted:
        x, y = mat.on_table(np.array([[at.x_mm, at.y_mm]]))[0]
        return Spotted(float(x), float(y), at.turn_deg + mat.turn_deg)

    tiles = tuple(replace(tile, at=carried(tile.at)) for tile in laid.tiles)
    tokens = tuple(one.token if one.token.z_mm < 0 else replace(one.token, at=carried(one.token.at))
                   for one in laid.tokens)
    return tiles, tokens


def _told(kit: QuadropolisKit, shot: _Shot) -> dict[str, Any]:
    """What is true of a picture, in the words of the files."""
    moment, deed = shot.moment, shot.deed
    told: dict[str, Any] = {
        "tag": moment.tag, "hand": moment.arm is not None, "camera": told_camera(moment.camera),
        "corners": corners_of(kit, moment.camera, moment.mat), **truth_of(deed.laid.position),
    }
    if moment.arm is not None:
        told["covered"] = covered(kit, moment)
    if deed.verdict:
        told |= {"move": deed.move, "verdict": deed.verdict}
    return told


def _write(out: Path, kit: QuadropolisKit, room: CityRoom, told: list[Mapping[str, Any]], frames: list[str],
           camera: SimCamera, has_lens: bool, tiles: tuple[TileLaid, ...], rng: np.random.Generator) -> None:
    write_json(out / TRUTH, {"format": FORMAT, "game": "quadropolis", "kind": "game", "board": {
        "slots": SIDE, "pitch_mm": kit.pitch_mm, "tile_mm": kit.tile_mm}, "frames": told})
    corners = corners_of(kit, camera, Spotted(0.0, 0.0))
    write_json(out / "setup.json", {
        "format": FORMAT, "game": "quadropolis", "kind": "game",
        "lens": [measured_lens(camera, rng)] if has_lens else None, "pitch_mm": kit.pitch_mm, "tile_mm": kit.tile_mm,
        "taps": {n: [float(round(v + rng.normal(0, 6))) for v in corners[n]] for n in ("row1col1", "row1col4")},
        "tiles": {"frame": frames[0], "tiles": told_tiles(tiles, camera, 6.0, rng)}, "empty": frames[1],
        "frames": frames[2:],
    })
