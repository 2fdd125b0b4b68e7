"""How people set things down on a board: a little off the middle, a little turned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rules.words import Cell
from table.sim.looks import SetLook
from table.sim.scene import TableLook, linear
from table.sim.solids import Solid, box, lying_pyramid, standing_pyramid
from vision.kits.gridlock import PYRAMIDS, VAN_SIZE_MM

HEADING_DEG = (90.0, 0.0, 270.0, 180.0)
"""By facing: counter-clockwise from east."""


def set_down(
    cell: Cell, size: int, facing: int | None, look: SetLook, name: str, square_mm: float, rng: np.random.Generator
) -> Solid:
    """A pyramid of that size (0 to 2) and colour on a cell, standing or lying."""
    shape = PYRAMIDS[size]
    extent = shape.base_mm * 1.2 if facing is None else shape.slant_mm
    loose = max((square_mm - extent) / 2, 1.0) * (0.75 if rng.random() < 0.9 else 1.3)
    at = (
        (cell.col + 0.5) * square_mm + float(np.clip(rng.normal(0, 0.4), -1, 1)) * loose,
        (cell.row + 0.5) * square_mm + float(np.clip(rng.normal(0, 0.4), -1, 1)) * loose,
    )
    albedo = look.albedo_of[name]
    if facing is None:
        yaw = float(rng.uniform(0, 90)) if rng.random() < 0.6 else float(rng.normal(0, 8))
        solid = standing_pyramid(shape.base_mm, shape.height_mm, at, yaw, albedo, look.alpha_standing, look.gloss)
    else:
        heading = HEADING_DEG[facing] + float(np.clip(rng.normal(0, 9), -27, 27))
        solid = lying_pyramid(
            shape.base_mm, shape.height_mm, at, heading, albedo, look.alpha_lying, look.gloss, look.hollow
        )
    if look.massive and solid.alpha < 0.9:
        solid = replace(solid, massive=True)
    elif solid.alpha < 0.9 and rng.random() < 0.7:
        facets = tuple(replace(f, clearness=float(rng.uniform(0.05, 1.3))) for f in solid.facets)
        solid = replace(solid, facets=facets)
    return solid


def toy_van(table: TableLook, seat: int, rng: np.random.Generator) -> tuple[Solid, ...]:
    """The Mystery Machine in front of a seat: two boxes in two colours."""
    mid, out = 4 * table.square_mm, table.border_mm + float(rng.uniform(30, 90))
    along = float(rng.normal(0, 60))
    end = 8 * table.square_mm
    x, y = ((mid + along, -out), (-out, mid + along), (mid + along, end + out), (end + out, mid + along))[seat]
    yaw, low = float(rng.uniform(0, 360)), -table.thickness_mm
    size = (VAN_SIZE_MM[0] * float(rng.uniform(0.85, 1.25)), VAN_SIZE_MM[1] * float(rng.uniform(0.85, 1.2)), 18.0)
    body = box(size, (x, y, low), yaw, linear(rng.uniform(15, 235, 3)))
    cabin = (size[0] * float(rng.uniform(0.5, 0.85)), size[1] * 0.9, 13.0)
    return body, box(cabin, (x, y, low + 18.0), yaw, linear(rng.uniform(15, 235, 3)))
