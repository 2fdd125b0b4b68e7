"""What users of such systems complain about, on painted tables: red and orange (L5), a shadow next door (L7)."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.teach import Sample, learn_palette
from rules.words import Cell, Colour, Piece
from table.sim.looks import SetLook, random_board
from table.sim.paint import Painter
from table.sim.scene import Lamp, Light, Sensor, SimCamera, Surface, TableLook, camera_above, linear
from table.sim.solids import standing_pyramid
from vision.detect.pyramids import PyramidDetector
from vision.frame import Image
from vision.kits.gridlock import PYRAMIDS, GridlockKit
from vision.observe import Taught, View
from vision.pose import BoardPose, CameraModel

SQUARE_MM = 52.0
KIT = GridlockKit(SQUARE_MM)
COLOURS = {"red": (38, 25, 205), "orange": (15, 105, 240), "green": (45, 140, 20), "blue": (200, 70, 20)}
LOOK = SetLook({name: linear(bgr) for name, bgr in COLOURS.items()}, 1.0, 1.0, 0.1, False)
SENSOR = Sensor(jpeg=92)
KELVIN = {"2700 K": (0.45, 0.8, 1.3), "4000 K": (0.8, 0.95, 1.1), "6500 K": (1.15, 1.0, 0.9)}
"""White balance held as at set-up: a warm lamp is warm in the picture; linear BGR."""


def camera() -> SimCamera:
    middle = 4 * SQUARE_MM
    return camera_above((middle, middle), 700.0, 6.0, 40.0, 0.0, (960, 720), 900.0, (-0.05, 0.01, 0.0, 0.0, 0.0))


def table() -> TableLook:
    rng = np.random.default_rng(11)
    board, side = random_board(SQUARE_MM, 20.0, rng)
    cloth = Surface(np.full((2000, 2000, 3), 0.12, np.float32), 0.5)
    return TableLook(SQUARE_MM, 20.0, 8.0, board, cloth, side)


def pose() -> BoardPose:
    seen = camera()
    return BoardPose(CameraModel(seen.matrix, np.array(seen.distortion), seen.size_px), seen.rvec, seen.tvec)


def light(azimuth_deg: float, height_mm: float, tint: tuple[float, float, float], radius_mm: float = 20.0) -> Light:
    a, middle = np.radians(azimuth_deg), 4 * SQUARE_MM
    at = np.array([middle + 800 * np.cos(a), middle + 800 * np.sin(a), height_mm])
    return Light("lamp", (Lamp(at, radius_mm, np.array(tint)),), 0.35 * np.array(tint), 0.55)


@pytest.fixture(scope="module")
def painter() -> Painter:
    return Painter(table(), camera())


def picture(painter: Painter, pieces: dict[Cell, tuple[str, int]], lamp: Light) -> Image:
    solids = tuple(
        standing_pyramid(
            PYRAMIDS[size].base_mm, PYRAMIDS[size].height_mm,
            ((cell.col + 0.5) * SQUARE_MM, (cell.row + 0.5) * SQUARE_MM), 20.0, LOOK.albedo_of[name], 1.0, LOOK.gloss,
        )
        for cell, (name, size) in pieces.items()
    )
    return painter.paint(lamp, solids, np.random.default_rng(len(pieces)), SENSOR)


def detector(painter: Painter, lamp: Light) -> PyramidDetector:
    """Taught once, under this lamp."""
    samples = [Sample(Cell(2 + i, 3), Colour(name)) for i, name in enumerate(COLOURS)]
    empty = picture(painter, {}, lamp)
    shown = picture(painter, {s.cell: (str(s.colour), 2) for s in samples}, lamp)
    palette = learn_palette(KIT, shown, pose(), empty, pose(), samples)
    return PyramidDetector(KIT, Taught(KIT, pose(), empty, palette))


@pytest.mark.parametrize("lamp", KELVIN)
def test_l5_red_and_orange_are_not_swapped_under_another_lamp(painter: Painter, lamp: str) -> None:
    reader = detector(painter, light(30, 900, KELVIN["4000 K"], 60))
    names = list(COLOURS)
    pieces = {Cell(col, row): (names[(col + row) % 4], 1 + (col % 2)) for col in range(1, 7) for row in (1, 3, 6)}
    seen = reader.look(View(picture(painter, pieces, light(200, 950, KELVIN[lamp], 80)), pose()))
    read = {s.cell: s.best for s in seen.sightings}
    colours = {cell: piece.colour if (piece := read[cell]) is not None else None for cell in pieces}
    assert colours == {cell: name for cell, (name, _) in pieces.items()}


@pytest.mark.parametrize("azimuth_deg", range(0, 360, 45))
def test_l7_a_hard_shadow_in_the_next_cell_is_no_piece(painter: Painter, azimuth_deg: int) -> None:
    reader = detector(painter, light(30, 900, KELVIN["4000 K"], 60))
    cell = Cell(3, 4)
    image = picture(painter, {cell: ("blue", 2)}, light(azimuth_deg, 420, KELVIN["4000 K"], 8))
    seen = reader.look(View(image, pose()))
    read = {s.cell: s.best for s in seen.sightings if s.best is not None}
    assert read == {cell: Piece("large", Colour("blue"))}
