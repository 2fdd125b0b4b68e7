"""From a Quadropolis folder as `scenes/FORMAT.md` describes it to a reader of its cities, and what is printed of them.

Only `setup.json` and the pictures are opened; never the truth beside them.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from calibration.errors import CalibrationFailed
from calibration.tiles import TileSample, teach_tiles
from table.errors import BadFolder
from table.score import score_line
from table.setup_folder import TableSetup, read_setup
from vision.detect.city import BuildingSeen, CityReader, CitySeen, TaughtCity
from vision.frame import Image, read_picture
from vision.kits.quadropolis import SIDE, TYPES, Face, QuadropolisKit
from vision.locate.board import NoBoard
from vision.locate.mat import find_mat, fit_mat, orient_mat
from vision.locate.taps import BadTaps
from vision.pose import BoardPose, CameraModel

ASK_FACE_BELOW, ASK_FLOORS_BELOW, ASK_TOKENS_BELOW, ASK_BESIDE_BELOW = 0.88, 0.8, 0.8, 0.8
"""What is less likely than this is rather asked about."""
ALTERNATIVES = 4
LEAST_ALTERNATIVE = 0.005


def city_reader_for(setup: TableSetup) -> CityReader:
    """The reader that a folder's own set-up pictures teach. Raises `BadFolder`, `CalibrationFailed`, `BadPicture`."""
    if setup.empty is None or not setup.taps or "tiles" not in setup.rest:
        missing = [n for n, there in (("empty", setup.empty), ("taps", setup.taps), ("tiles", setup.rest.get("tiles")))
                   if not there]
        raise BadFolder(f"{setup.folder}: wanted {', '.join(missing)} in setup.json, found none: add what is missing")
    kit = QuadropolisKit(_millimetres(setup, "pitch_mm", 55.0), _millimetres(setup, "tile_mm", 45.0))
    frame, samples = tile_samples(setup)
    empty, tiles = read_picture(setup.folder / setup.empty), read_picture(setup.folder / frame)
    if tiles.shape != empty.shape:
        raise CalibrationFailed(f"wanted the picture of tiles as large as the empty one ({empty.shape[1]}x"
                                f"{empty.shape[0]}), found {tiles.shape[1]}x{tiles.shape[0]}: take both with the "
                                "same camera")
    lens = setup.camera()
    pose = mat_pose(empty, kit, dict(setup.taps), lens)
    return CityReader(TaughtCity(kit, pose, empty, teach_tiles(tiles, pose, samples, kit.tile_mm), lens is not None))


def mat_pose(
    empty: Image, kit: QuadropolisKit, taps: Mapping[str, tuple[float, float]], lens: CameraModel | None
) -> BoardPose:
    """The mat in the empty picture, row 1 where the taps say. Raises `CalibrationFailed`."""
    found = find_mat(empty)
    if isinstance(found, NoBoard):
        raise CalibrationFailed(found.why)
    turned = orient_mat(found, taps)
    if isinstance(turned, BadTaps):
        raise CalibrationFailed(turned.why)
    return fit_mat(turned, kit, (empty.shape[1], empty.shape[0]), lens)


def _millimetres(setup: TableSetup, name: str, usual: float) -> float:
    value = setup.rest.get(name, usual)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 15 <= value <= 200:
        raise BadFolder(f"{setup.folder}: {name}: wanted a number from 15 to 200, found {value!r}: measure it again")
    return float(value)


def tile_samples(setup: TableSetup) -> tuple[str, list[TileSample]]:
    """The picture of tiles and what lies where in it. Raises `BadFolder`."""
    tiles = setup.rest["tiles"]
    where = f"{setup.folder}: tiles"
    kinds = (type(tiles.get("frame")), type(tiles.get("tiles"))) if isinstance(tiles, dict) else None
    if kinds != (str, list):
        raise BadFolder(f"{where}: wanted frame and tiles, found {str(tiles)[:60]!r}: say which faces a picture shows")
    if "/" in tiles["frame"] or tiles["frame"].startswith(".") or not (setup.folder / tiles["frame"]).is_file():
        raise BadFolder(f"{where}: wanted a picture of this folder, found {tiles['frame']!r}: copy the whole folder "
                        "again or correct the name")
    samples = []
    for n, entry in enumerate(tiles["tiles"]):
        at = entry.get("near_px") if isinstance(entry, dict) else None
        if not isinstance(at, list) or len(at) != 2 or not all(isinstance(v, int | float) for v in at):
            raise BadFolder(f"{where}[{n}]: wanted face and near_px, found {str(entry)[:80]}: tap that tile again")
        samples.append(TileSample(face_named(entry.get("face"), f"{where}[{n}]"), (float(at[0]), float(at[1]))))
    return tiles["frame"], samples


def face_named(raw: object, where: str) -> Face:
    """A face in the words of the files. Raises `BadFolder`."""
    if isinstance(raw, Mapping) and raw.get("type") in TYPES:
        numbers = [raw.get(key, 0) for key in ("inhabitants", "energy", "vp")]
        if all(type(n) is int and 0 <= n <= 9 for n in numbers):
            inhabitants, energy, vp = numbers
            return Face(str(raw["type"]), inhabitants, energy, vp, bool(raw.get("mayor", False)))
    raise BadFolder(f"{where}: wanted a face (type, inhabitants, energy, vp, mayor), found {str(raw)[:80]}: correct it")


def face_words(face: Face) -> dict[str, Any]:
    """A face in the words of FORMAT.md."""
    return {"type": face.type, "inhabitants": face.inhabitants, "energy": face.energy, "vp": face.vp,
            "mayor": face.mayor}


def lower_floor_words() -> dict[str, Any]:
    """A floor under another: a tower's, what it gave is not to be seen."""
    return {"type": "tower", "inhabitants": None, "energy": 0, "vp": 0, "mayor": None}


def read_cities(setup: TableSetup) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every picture of a folder's `frames`, read, in order: its name and the JSON object of FORMAT.md."""
    reader = city_reader_for(setup)
    for name in setup.frames:
        image = read_picture(setup.folder / name)
        began = time.perf_counter()
        seen = reader.look(image)
        yield name, city_line(name, seen, reader.taught.kit, (time.perf_counter() - began) * 1e3)


def scored_folder(folder: Path, harbours: str) -> Iterator[dict[str, Any]]:
    """Every picture of a Quadropolis folder, read and scored, as JSON objects. Raises as `city_reader_for` does."""
    setup = read_setup(folder)
    if setup.game != "quadropolis":
        raise BadFolder(f"{folder}: wanted a quadropolis folder, found {setup.game}: only its cities are scored")
    for _, line in read_cities(setup):
        yield score_line(line, harbours)


def city_line(name: str, seen: CitySeen, kit: QuadropolisKit, ms: float) -> dict[str, Any]:
    """A city as seen, in the words of FORMAT.md."""
    if seen.corners_px is None:
        return {"frame": name, "corners": {}, "position": {}, "hidden": [], "unsure": [], "why": seen.why,
                "ms": round(ms, 1)}
    corners = {n: [round(float(v), 2) for v in xy] for n, xy in zip(kit.corner_names, seen.corners_px, strict=True)}
    city: list[list[dict[str, Any] | None]] = [[None] * SIDE for _ in range(SIDE)]
    unsure: list[dict[str, Any]] = []
    for building in seen.buildings:
        row, col = building.cell.row, building.cell.col
        ranked = _ranked(building)
        city[row][col] = ranked[0][0]
        if _is_asked(building):
            unsure.append({"at": [row + 1, col + 1], "alternatives": [[what, round(p, 4)] for what, p in ranked]})
    beside = {"inhabitants": seen.beside.inhabitants, "energy": seen.beside.energy}
    if seen.beside.sure < ASK_BESIDE_BELOW:
        unsure.append({"at": "beside", "alternatives": [[beside, round(seen.beside.sure, 4)]]})
    hidden = sorted([cell.row + 1, cell.col + 1] for cell in seen.hidden)
    return {"frame": name, "corners": corners, "position": {"city": city, "beside": beside}, "hidden": hidden,
            "unsure": unsure, "ms": round(ms, 1)}


def _is_asked(building: BuildingSeen) -> bool:
    return (building.faces[0][1] < ASK_FACE_BELOW or building.floors[0][1] < ASK_FLOORS_BELOW
            or min(building.inhabitants[0][1], building.energy[0][1]) < ASK_TOKENS_BELOW)


def _ranked(building: BuildingSeen) -> list[tuple[dict[str, Any], float]]:
    """What may stand in a slot, best first: the likely faces, floors and tokens in every combination."""
    found = []
    for (face, p), (floors, q), (people, r), (energy, s) in itertools.product(
        building.faces[:3], building.floors[:3], building.inhabitants[:2], building.energy[:2]
    ):
        stack = floors if face.type == "tower" else 1
        if face.type != "tower" and (floors, q) != building.floors[0]:
            continue
        chance = p * (q if face.type == "tower" else 1.0) * r * s
        words = [lower_floor_words() for _ in range(stack - 1)] + [face_words(face)]
        found.append(({"floors": words, "inhabitants": people, "energy": energy}, chance))
    found.sort(key=lambda one: -one[1])
    least = LEAST_ALTERNATIVE
    return [one for n, one in enumerate(found[:ALTERNATIVES]) if n == 0 or one[1] > least]

