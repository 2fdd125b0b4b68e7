"""Lessons for the piece reader: painted tables, straightened as the product does it, with labels.

`python -m table.sim.lessons OUT --first 0 --count 400` writes one .npz a room. The rooms, lamps, boards,
colours and cameras are all drawn at random (`looks`); no photograph and no judged picture is used.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from rules.words import Cell
from table.sim.arm import arm_mask, reaching_arm
from table.sim.looks import (
    PIECE_COLOURS,
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
from table.sim.scene import Arm, Light, SimCamera, TableLook, linear
from table.sim.setting_down import set_down
from table.sim.setting_down import toy_van as toy_van
from table.sim.solids import Array, Solid, standing_pyramid
from vision.detect.pyramid_net import EMPTY, HIDDEN, LYING, STANDING, patches_of
from vision.frame import Image
from vision.kits.gridlock import PYRAMIDS, GridlockKit
from vision.pose import BoardPose, CameraModel

IGNORED = -1


@dataclass(frozen=True, slots=True)
class Stood:
    """A pyramid on the painted board: which, where, and as the solid it is."""

    cell: Cell
    size: int
    colour: int
    facing: int | None
    solid: Solid

    @property
    def label(self) -> int:
        return STANDING + self.size if self.facing is None else LYING + 4 * self.size + self.facing


def stand(
    cell: Cell, size: int, colour: int, facing: int | None, look: SetLook, name: str, square_mm: float,
    rng: np.random.Generator,
) -> Stood:
    """Set down as people do: a little off the middle, a little turned."""
    solid = set_down(cell, size, facing, look, name, square_mm, rng)
    return Stood(cell, size, colour, facing, solid)


def random_arm(
    table: TableLook, rng: np.random.Generator, names: SetLook
) -> tuple[Arm, tuple[Solid, ...]]:
    """An arm from one side, its fingertips over the board, often with a piece in them."""
    end = 8 * table.square_mm
    tip = (*(float(v) for v in rng.uniform(0.03, 0.97, 2) * end), float(rng.uniform(14, 70)))
    side = int(rng.integers(4))
    slide = float(rng.uniform(-0.1, 1.1)) * end
    far = 330.0
    start = ((slide, -far), (-far, slide), (slide, end + far), (end + far, slide))[side]
    skin = linear(np.clip(np.array(SKINS[rng.integers(len(SKINS))], float) * rng.uniform(0.85, 1.1), 8, 250))
    sleeve = linear(rng.uniform(15, 235, 3)) if rng.random() < 0.6 else None
    arm = reaching_arm(start, (tip[0], tip[1], tip[2]), skin, sleeve, rng, float(rng.uniform(0.75, 1.15)))
    if rng.random() < 0.4:
        return arm, ()
    shape = PYRAMIDS[rng.integers(3)]
    albedo = list(names.albedo_of.values())[rng.integers(len(names.albedo_of))]
    held = standing_pyramid(
        shape.base_mm, shape.height_mm, (tip[0], tip[1]), float(rng.uniform(0, 90)), albedo, names.alpha_standing,
        names.gloss, max(tip[2] - shape.height_mm * 0.7, 0.5),
    )
    return arm, (held,)


def jittered_pose(camera: SimCamera, rng: np.random.Generator) -> BoardPose:
    """The true pose with the small errors of a real registration and a real lens calibration."""
    model = CameraModel(camera.matrix, np.array(camera.distortion), camera.size_px)
    rvec = camera.rvec + rng.normal(0, 0.0006, 3)
    tvec = camera.tvec + rng.normal(0, 0.35, 3) * (1, 1, 3)
    return BoardPose(model, rvec, tvec)


def labels_of(
    stood: list[Stood], camera: SimCamera, square_mm: float, covered: NDArray[np.uint8] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(64,) classes and (64,) colours in the order of the kit's places."""
    classes, colours = np.full(64, EMPTY), np.full(64, IGNORED)
    by_cell = {s.cell: s for s in stood}
    for i, place in enumerate(GridlockKit(square_mm).places):
        there = by_cell.get(place.cell)
        if there is not None:
            classes[i], colours[i] = there.label, there.colour
        if covered is None:
            continue
        x, y = place.centre_mm[:2]
        h = 0.35 * square_mm
        ring = np.array([[x - h, y - h, 0], [x + h, y - h, 0], [x + h, y + h, 0], [x - h, y + h, 0]])
        share = _share(covered, camera.project(ring if there is None else there.solid.vertices))
        if share > (0.25 if there is None else 0.4):
            classes[i], colours[i] = HIDDEN, IGNORED
        elif share > 0.05:
            classes[i], colours[i] = IGNORED, IGNORED
    return classes, colours


def _share(covered: NDArray[np.uint8], px: Array) -> float:
    hull = cv2.convexHull(px.astype(np.float32)).astype(np.int32)
    mask = np.zeros_like(covered)
    cv2.fillConvexPoly(mask, hull, (255,))
    inside = mask > 0
    return float((covered[inside] > 0).mean()) if inside.any() else 0.0


def _light_for(kind: str, square_mm: float, rng: np.random.Generator) -> Light:
    light = random_light(8 * square_mm, rng)
    while kind == "shadow" and light.name != "side":
        light = random_light(8 * square_mm, rng)
    return light


def lesson(seed: int, kind: str = "any") -> dict[str, NDArray[np.generic]]:
    """One room: `pairs` (F, 64, P, P, 6) uint8, `extra` (F, 64, 5), labels; and the palette's four patches.

    The hardest rooms can be asked for: `clear`, a set that light shines through; `shadow`, lamps from the side
    and mostly white and black among the colours, which look like light and shadow.
    """
    rng = np.random.default_rng(seed)
    square_mm = float(rng.uniform(45, 62))
    table = random_table_look(square_mm, rng)
    size_px = (960, 720) if rng.random() < 0.8 else (1280, 960)
    camera = random_camera(square_mm, size_px, rng)
    painter = Painter(table, camera)
    names = tuple(str(n) for n in rng.choice(list(PIECE_COLOURS), 4, replace=False))
    if kind == "shadow" and rng.random() < 0.8:
        names = ("white", "black", *[n for n in names if n not in ("white", "black")][:2])
    box_look = random_set(names, rng)
    while kind == "clear" and box_look.alpha_standing > 0.9:
        box_look = random_set(names, rng)
    box_look = replace(box_look, massive=bool(rng.random() < 0.5))
    first, second = (exposed(_light_for(kind, square_mm, rng), table, rng) for _ in range(2))
    sensor = random_sensor(rng)
    kit = GridlockKit(square_mm)
    reference = (painter.paint(first, (), rng, sensor), jittered_pose(camera, rng))

    def patches(image: Image) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        return patches_of(kit, image, jittered_pose(camera, rng), *reference)

    cells = [p.cell for p in kit.places]
    chosen = rng.choice(64, 4, replace=False)
    stood = [stand(cells[k], 2, i, None, box_look, names[i], square_mm, rng) for i, k in enumerate(chosen)]
    pairs, extra = patches(painter.paint(first, tuple(s.solid for s in stood), rng, sensor))
    out: dict[str, NDArray[np.generic]] = {"palette_pairs": pairs[chosen], "palette_extra": extra[chosen]}
    rows: list[tuple[NDArray[np.generic], ...]] = []
    for n in range(4):
        light = second if n >= 2 and rng.random() < 0.75 else first
        count = int(rng.choice([4, 12, 24, 40, 58]))
        where = rng.choice(64, count, replace=False)
        stood = [
            stand(
                cells[k], int(rng.integers(3)), int(c := rng.integers(4)),
                None if rng.random() < 0.35 else int(rng.integers(4)), box_look, names[c], square_mm, rng,
            )
            for k in where
        ]
        arm, held = random_arm(table, rng, box_look) if rng.random() < 0.35 else (None, ())
        solids = tuple(s.solid for s in stood) + held + toy_van(table, int(rng.integers(4)), rng)
        image = painter.paint(light, solids, rng, sensor, arm)
        covered = None if arm is None else arm_mask(arm, camera)
        if covered is not None and held:
            hull = cv2.convexHull(camera.project(held[0].vertices).astype(np.float32)).astype(np.int32)
            cv2.fillConvexPoly(covered, hull, (255,))
        pairs, extra = patches(image)
        rows.append((pairs, extra, *labels_of(stood, camera, square_mm, covered)))
    for key, parts in zip(("pairs", "extra", "classes", "colours"), zip(*rows, strict=True), strict=True):
        out[key] = np.stack(parts)
    return out


def main() -> None:
    """Writes lessons, a room a file; what is there already is kept."""
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--kind", choices=("any", "clear", "shadow"), default="any")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    for seed in range(chosen.first, chosen.first + chosen.count, chosen.step):
        path = chosen.out / f"{seed:06d}.npz"
        if not path.exists():
            np.savez(path, **lesson(seed, chosen.kind))  # type: ignore[arg-type]  # numpy takes any names; its stub does not


if __name__ == "__main__":
    main()
