"""A Quadropolis tile set under a name: what teaching learned, kept in one file, matched later from any camera.

A file that is broken, has an unknown part or comes from a newer version is refused, the place in it is named, and it
stays as it was. Saving never leaves half a file.
"""

from __future__ import annotations

from dataclasses import dataclass

from vision.detect.city_faces import TileSet
from vision.frame import Image
from vision.kits.quadropolis import QuadropolisKit


@dataclass(frozen=True, slots=True, eq=False)
class TaughtTiles:
    """A tile set, the box's millimetres, and the empty `mat` if it was taught: straightened, `MAT_PX_PER_MM` px a mm,
    its slots and `MAT_MARGIN_MM` around them, row 1 in the first rows. `made_utc` is ISO 8601."""

    name: str
    made_utc: str
    kit: QuadropolisKit
    tiles: TileSet
    mat: Image | None = None
