"""Lessons for the van reader: surroundings of painted boards, with and without the Mystery Machine.

`python -m table.sim.van_lessons OUT --count 300` writes one .npz a room. A mug may have been moved since
set-up, an arm may reach in, the lamp may be another: none of these is a van.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from table.sim.lessons import jittered_pose, random_arm, stand, toy_van
from table.sim.looks import (
    PIECE_COLOURS,
    exposed,
    random_camera,
    random_clutter,
    random_light,
    random_sensor,
    random_set,
    random_table_look,
)
from table.sim.paint import Painter
from table.sim.scene import SimCamera
from table.sim.solids import Solid
from vision.detect.van import pair_of, surroundings, surroundings_maps
from vision.kits.gridlock import GridlockKit

NOWHERE = 4


def van_lesson(seed: int) -> dict[str, NDArray[np.generic]]:
    """One room: `pairs` (F, S, S, 7) uint8, `seats` (F,) with 4 for none, `square_mm`."""
    rng = np.random.default_rng(seed)
    square_mm = float(rng.uniform(45, 62))
    table = random_table_look(square_mm, rng)
    camera = random_camera(square_mm, (640, 480), rng)
    painter = Painter(table, camera)
    names = tuple(str(n) for n in rng.choice(list(PIECE_COLOURS), 4, replace=False))
    box_look = random_set(names, rng)
    first, second = (exposed(random_light(8 * square_mm, rng), table, rng) for _ in range(2))
    sensor = random_sensor(rng)
    cells = [p.cell for p in GridlockKit(square_mm).places]
    before = surroundings(
        painter.paint(first, (), rng, sensor), surroundings_maps(jittered_pose(camera, rng), square_mm)
    )
    pairs, seats = [], []
    for n in range(6):
        seat = int(rng.integers(4)) if rng.random() < 0.8 else NOWHERE
        solids: tuple[Solid, ...] = tuple(
            stand(cells[k], int(rng.integers(3)), c := int(rng.integers(4)), None, box_look, names[c], square_mm,
                  rng).solid
            for k in rng.choice(64, int(rng.integers(0, 14)), replace=False)
        )
        van = toy_van(table, seat, rng) if seat != NOWHERE else ()
        solids += van
        if rng.random() < 0.25:
            solids += random_clutter(8 * square_mm, table.border_mm, table.thickness_mm, rng)[:1]
        arm, held = random_arm(table, rng, box_look) if rng.random() < 0.3 else (None, ())
        light = second if n >= 3 and rng.random() < 0.8 else first
        image = painter.paint(light, solids + held, rng, sensor, arm)
        if van and not _seen(van[0], camera):
            seat = NOWHERE
        now = surroundings(image, surroundings_maps(jittered_pose(camera, rng), square_mm))
        pairs.append(pair_of(now, before))
        seats.append(seat)
    return {"pairs": np.stack(pairs), "seats": np.array(seats), "square_mm": np.array(square_mm)}


def _seen(van: Solid, camera: SimCamera) -> bool:
    """Whether at least half of the van's corners lie in the picture."""
    px = camera.project(van.vertices)
    inside = ((px > 8) & (px < np.array(camera.size_px) - 8)).all(axis=1)
    return float(inside.mean()) >= 0.5


def main() -> None:
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--first", type=int, default=500_000)
    parser.add_argument("--count", type=int, default=300)
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    for seed in range(chosen.first, chosen.first + chosen.count):
        path = chosen.out / f"{seed}.npz"
        if not path.exists():
            arrays: dict[str, Any] = dict(van_lesson(seed))
            np.savez_compressed(path, **arrays)


if __name__ == "__main__":
    main()
