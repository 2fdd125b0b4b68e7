"""Cities in a photograph: every mat that it shows, read and ready to be scored.

The phone sees mats for the first time, with tiles on most of their slots, and tells little of its lens.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from calibration.tile_sets import MAT_MARGIN_MM, TaughtTiles, printed_turn
from rules.words import Cell, Said
from table.photo import Photo
from table.score import HARBOURS, score_line
from table.score_folder import city_line
from vision.detect.city import BuildingSeen, CitySeen
from vision.detect.city_photo import PhotoMat, read_photo_mats, turned_index, upright_mat, windowed
from vision.frame import Points
from vision.kits.quadropolis import SIDE, QuadropolisKit
from vision.locate.board import NoBoard
from vision.locate.mats import find_mats

_NEAR_PITCHES = 1.5
"""A tap may lie so far from the corner or side that it means."""
_FEWEST_READ = 0.5
"""Of the slots that are not empty: fewer read, and these are not the tiles that were taught."""
_ALIKE = 0.78
"""A tile's print agrees so well with the face that was taught, soft and oblique too; that of another box does not. A
single tile may agree less, where a token lies on its print."""


class Row1(Enum):
    """How it is known which side of a mat is row 1. No point of the score depends on it; names of slots do."""

    TAPPED = "tapped"
    PRINTED = "printed"
    """What is printed on the mat lies as on the empty mat that was taught."""
    TILES = "tiles"
    """Nobody said: the top is where most tiles have theirs."""


@dataclass(frozen=True, slots=True, eq=False)
class CityRead:
    """One city of a photograph. `seen` is as from a fixed camera, its px those of the photograph; `mat` counts the
    photograph's mats from 1, left to right; `ms`: for the whole photograph, shared by its cities."""

    mat: int
    seen: CitySeen
    kit: QuadropolisKit
    row1: Row1
    name: str
    ms: float

    def line(self, harbours: str = HARBOURS[0]) -> dict[str, Any]:
        """The JSON object of FORMAT.md's `score`, with `mat` and `row1` added."""
        read = city_line(self.name, self.seen, self.kit, self.ms)
        return {**score_line(read, harbours), "mat": self.mat, "row1": self.row1.value}


@dataclass(frozen=True, slots=True)
class NoCity:
    """Why no city can be read, and what to do: one sentence in each language."""

    said: Said

    @property
    def why(self) -> str:
        return self.said.en


def cities_in(
    photo: Photo, taught: TaughtTiles, row1_px: tuple[float, float] | None = None
) -> tuple[CityRead, ...] | NoCity:
    """Every city of a photograph, left to right, or why there is none.

    `row1_px`: a tap on the photograph (px of `photo.image`) at the corner where row 1 and column 1 meet; of several
    mats it turns the nearest.
    """
    began = time.perf_counter()
    kit, tiles = taught.kit, taught.tiles
    found = find_mats(photo.image, kit, photo.focal_px, taught.frame_mm)
    if isinstance(found, NoBoard):
        return _no(photo, found)
    mats = [upright_mat(photo.image, one, kit, tiles) for one in found]
    read: list[tuple[CitySeen, Row1]] = []
    tapped = _tapped(row1_px, mats, kit)
    for n, (mat, seen) in enumerate(zip(mats, read_photo_mats(photo.image, mats, kit, tiles), strict=True)):
        filled = SIDE * SIDE - sum(mat.empty)
        alike = sum(one.fit >= _ALIKE for one in seen.buildings)
        if filled and alike < _FEWEST_READ * filled:
            return _untaught(photo, taught, filled, alike)
        if tapped is not None and tapped[0] == n:
            read.append((turned_city(seen, tapped[1]), Row1.TAPPED))
            continue
        printed = printed_turn(*windowed(photo.image, mat.pose, kit, MAT_MARGIN_MM), taught)
        if printed is None:
            read.append((seen, Row1.TILES))
        else:
            read.append((turned_city(seen, printed), Row1.PRINTED))
    ms = (time.perf_counter() - began) * 1e3
    return tuple(CityRead(n + 1, seen, kit, row1, photo.name, ms) for n, (seen, row1) in enumerate(read))


def _tapped(row1_px: tuple[float, float] | None, mats: list[PhotoMat], kit: QuadropolisKit) -> tuple[int, int] | None:
    """Which mat was tapped, and by how many quarters its frame must be turned clockwise; None: none near."""
    if row1_px is None:
        return None
    best: tuple[float, int, int] | None = None
    for n, mat in enumerate(mats):
        corners = mat.pose.to_px(np.array(kit.outline_mm))
        pitch = float(np.linalg.norm(corners[1] - corners[0])) / SIDE
        off = np.linalg.norm(corners - np.array(row1_px), axis=1) / pitch
        if best is None or off.min() < best[0]:
            best = float(off.min()), n, int(off.argmin())
    return None if best is None or best[0] > _NEAR_PITCHES else (best[1], best[2])


def turned_city(seen: CitySeen, quarters: int) -> CitySeen:
    """The same city with its rows counted from another side: corner number `quarters` of `corners_px` comes first."""
    if quarters % 4 == 0 or seen.corners_px is None:
        return seen
    buildings = tuple(replace(one, cell=_turned(one.cell, quarters)) for one in seen.buildings)
    hidden = frozenset(_turned(cell, quarters) for cell in seen.hidden)
    corners: Points = np.roll(seen.corners_px, -quarters, axis=0)
    return replace(seen, buildings=tuple(sorted(buildings, key=_by_row)), hidden=hidden, corners_px=corners)


def _turned(cell: Cell, quarters: int) -> Cell:
    row, col = divmod(turned_index(cell.row * SIDE + cell.col, quarters), SIDE)
    return Cell(col, row)


def _by_row(building: BuildingSeen) -> tuple[int, int]:
    return building.cell.row, building.cell.col


def _no(photo: Photo, found: NoBoard) -> NoCity:
    cut = "cuts off" in found.why
    pt = ("precisava de um tabuleiro inteiro com suas 16 casas, encontrou um cortado pela foto: afaste-se e tire de "
          "novo" if cut else "precisava de um tabuleiro com 16 casas impressas, não encontrou nenhum: mostre o "
          "tabuleiro inteiro, de cima, nítido e sem reflexos")
    return NoCity(Said(f"{photo.name}: {found.why}", f"{photo.name}: {pt}"))


def _untaught(photo: Photo, taught: TaughtTiles, filled: int, read: int) -> NoCity:
    return NoCity(Said(
        f"{photo.name}: wanted tiles of the set {taught.name}, found {read} of {filled} that look like it: come "
        "nearer, hold still, or teach this box's tiles",
        f"{photo.name}: precisava de peças do conjunto {taught.name}, encontrou {read} de {filled} parecidas: chegue "
        "mais perto, segure firme ou ensine as peças desta caixa"))
