"""From a folder as `scenes/FORMAT.md` describes it to a reader, and what `overboard read` prints.

Only `setup.json` and the pictures are opened; never the truth beside them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from calibration.teach import Sample, teach
from rules.words import Piece
from table.errors import BadFolder
from table.score_folder import read_cities
from table.setup_folder import TableSetup, facing_name, read_setup
from vision.detect.pyramids import PyramidDetector
from vision.detect.van import VanDetector
from vision.frame import Frame, read_picture
from vision.kits.gridlock import VAN_ZONE, GridlockKit
from vision.locate import Follower
from vision.observation import Observation
from vision.observe import Reader, Taught
from vision.pose import CameraModel

UNSURE_BELOW = 0.75
"""A best reading less likely than this is rather asked about."""
ALTERNATIVES = 3
PERIOD_NS = 1_000_000_000
SIZES = ("small", "medium", "large")


@dataclass(frozen=True, slots=True)
class ReadLine:
    """One picture, read: `body` is the JSON object of FORMAT.md."""

    frame: str
    body: Mapping[str, Any]

    def to_json(self) -> str:
        return json.dumps(self.body)


def reader_of(taught: Taught) -> Reader:
    """The reader of a taught Gridlock table."""
    kit = taught.kit
    if not isinstance(kit, GridlockKit):
        raise BadFolder(f"wanted a game that can be read, found {kit.name}: only gridlock can be, so far")
    follower = Follower(taught.reference, taught.pose, kit.square_mm)
    return Reader(taught, follower, (PyramidDetector(kit, taught), VanDetector(kit, taught)))


def lens_of(setup: TableSetup) -> CameraModel | None:
    """The lens of camera a, if it was calibrated."""
    if not setup.lens:
        return None
    lens = setup.lens[0]
    matrix = np.array(lens.matrix, dtype=np.float64).reshape(3, 3)
    return CameraModel(matrix, np.array(lens.distortion, dtype=np.float64), lens.size_px)


def taught_by(setup: TableSetup) -> Taught:
    """What a folder's empty board and palette picture teach. Raises `BadFolder`, `CalibrationFailed`, `BadPicture`."""
    if setup.game != "gridlock":
        raise BadFolder(
            f"{setup.folder}: wanted a gridlock or quadropolis folder, found {setup.game}: only these can be read, "
            "so far"
        )
    if setup.empty is None or setup.palette is None or setup.square_mm is None or not setup.taps:
        missing = [
            name for name, there in (
                ("empty", setup.empty), ("palette", setup.palette), ("square_mm", setup.square_mm), ("taps", setup.taps)
            ) if not there
        ]
        raise BadFolder(f"{setup.folder}: wanted {', '.join(missing)} in setup.json, found none: add what is missing")
    samples = tuple(Sample(cell, piece.colour) for cell, piece in setup.palette.pieces)
    return teach(
        GridlockKit(setup.square_mm), read_picture(setup.folder / setup.empty),
        read_picture(setup.folder / setup.palette.frame), samples, dict(setup.taps), lens_of(setup),
    )


def watcher_for_folder(setup: TableSetup) -> Reader:
    """The reader that a folder's own set-up pictures teach."""
    return reader_of(taught_by(setup))


def read_folder(folder: Path) -> Iterator[ReadLine]:
    """Every picture of a folder's `frames`, read, in order."""
    setup = read_setup(folder)
    if setup.game == "quadropolis":
        yield from (ReadLine(name, body) for name, body in read_cities(setup))
        return
    reader = watcher_for_folder(setup)
    kit = GridlockKit(setup.square_mm or 50.0)
    for seq, name in enumerate(setup.frames):
        image = read_picture(folder / name)
        began = time.perf_counter()
        observation = reader.observe(Frame(seq, seq * PERIOD_NS, image, "folder"))
        yield ReadLine(name, line_of(name, observation, kit, (time.perf_counter() - began) * 1e3))


def line_of(name: str, seen: Observation, kit: GridlockKit, ms: float) -> dict[str, Any]:
    """An observation in the words of FORMAT.md."""
    if seen.corners_px is None:
        return {"frame": name, "corners": {}, "position": {}, "hidden": [], "unsure": [], "why": seen.why,
                "ms": round(ms, 1)}
    corners = {n: [round(float(v), 2) for v in xy] for n, xy in zip(kit.corner_names, seen.corners_px, strict=True)}
    squares = [s for s in seen.sightings if s.cell.zone != VAN_ZONE]
    pieces = [{"square": kit.cell_name(s.cell), **piece_words(s.best)} for s in squares if s.best is not None]
    unsure = [
        {"at": kit.cell_name(s.cell),
         "alternatives": [["empty" if p is None else piece_words(p), round(share, 4)]
                          for p, share in s.ranked[:ALTERNATIVES]]}
        for s in squares if s.ranked[0][1] < UNSURE_BELOW
    ]
    van = max(
        ((s.probability(s.best), kit.cell_name(s.cell)) for s in seen.sightings
         if s.cell.zone == VAN_ZONE and s.best is not None),
        default=(0.0, None),
    )[1]
    return {
        "frame": name, "corners": corners, "position": {"pieces": pieces, "van": van},
        "hidden": sorted(kit.cell_name(c) for c in seen.hidden if c.zone != VAN_ZONE), "unsure": unsure,
        "ms": round(ms, 1),
    }


def piece_words(piece: Piece) -> dict[str, str]:
    """A pyramid in the words of FORMAT.md."""
    return {"colour": piece.colour, "size": piece.kind, "facing": facing_name(piece)}
