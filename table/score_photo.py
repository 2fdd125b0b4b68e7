"""Cities in a photograph: every mat that it shows, read and ready to be scored.

The phone sees mats for the first time, with tiles on most of their slots, and tells nothing of its lens.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from calibration.tile_sets import TaughtTiles
from table.photo import Photo
from table.score import HARBOURS, score_line
from table.score_folder import city_line
from vision.detect.city import CitySeen
from vision.kits.quadropolis import QuadropolisKit
from webui.desk import Said


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

    `row1_px`: a tap on the photograph at the corner where row 1 and column 1 meet, or near the middle of row 1's side;
    of several mats it turns the nearest.
    """
    raise NotImplementedError
