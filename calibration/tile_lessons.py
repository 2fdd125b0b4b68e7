"""Teaching a tile set with any camera: tiles laid on the slots of a mat in a shown order, a picture of each page.

The mat's own lines give the plane and the scale, so nothing must be known of the camera. Sixteen slots and eighteen
faces make two pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.errors import NotTaught
from calibration.seen_said import seen_said
from calibration.tile_sets import straight_mat
from calibration.tile_words import in_slot
from calibration.tiles import SquaredTile, TileSample, squared_tile
from rules.words import Cell, Said
from vision.detect.city_photo import turned_pose
from vision.frame import Image
from vision.kits.quadropolis import CLASSIC_FACES, FLOOR_MM, SIDE, Face, QuadropolisKit
from vision.locate.board import NoBoard
from vision.locate.mats import FoundMat, find_mats
from vision.pose import BoardPose

_CLEARLY_UP = 0.5
"""Of half a mat's side: so much higher in the picture than any other must row 1's side be, if nobody said which."""
_NEAR_PITCHES = 1.5


@dataclass(frozen=True, slots=True)
class Page:
    """What lies where in one picture: slots with their faces, row 1 first."""

    laid: tuple[tuple[Cell, Face], ...]

    @property
    def rows(self) -> tuple[tuple[Face, ...], ...]:
        """The faces, a row of the mat at a time."""
        return tuple(tuple(face for cell, face in self.laid if cell.row == row)
                     for row in sorted({cell.row for cell, _ in self.laid}))


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """What one page taught: the tiles that were found, the side of the mat's printed slots, and the straight mat."""

    squared: tuple[SquaredTile, ...]
    frame_mm: float
    mat: Image


def pages_of(faces: Sequence[Face] = CLASSIC_FACES) -> tuple[Page, ...]:
    """The faces on the slots of one mat after another.

    >>> [len(page.laid) for page in pages_of()]
    [16, 2]
    """
    slots = [Cell(n % SIDE, n // SIDE) for n in range(SIDE * SIDE)]
    return tuple(Page(tuple(zip(slots, faces[n : n + len(slots)], strict=False)))
                 for n in range(0, len(faces), len(slots)))


def lesson_from(
    image: Image, kit: QuadropolisKit, page: Page, focal_px: float | None = None,
    row1_px: tuple[float, float] | None = None,
) -> Lesson:
    """The tiles of a page in its picture. `row1_px`: where row 1 and column 1 meet; else row 1 is the picture's upper
    side. Raises `NotTaught`, which names each tile that is not found, and its slot."""
    found = find_mats(image, kit, focal_px)
    if isinstance(found, NoBoard):
        raise NotTaught(seen_said(found.why))
    if len(found) > 1:
        raise NotTaught(Said(f"wanted one mat with the tiles to teach, found {len(found)}: take the others away",
                             f"só pode haver um tabuleiro na foto, o das peças a ensinar, e há {len(found)}: tire os "
                             "outros"))
    pose = _row1_first(found[0], kit, row1_px)
    on_tiles = _lifted(pose, FLOOR_MM)
    squared: list[SquaredTile] = []
    missing: list[Said] = []
    for cell, face in page.laid:
        place = next(place for place in kit.places if place.cell == cell)
        at = on_tiles.to_px(np.array([place.centre_mm[:2]]))[0]
        try:
            squared.append(squared_tile(image, on_tiles, TileSample(face, (float(at[0]), float(at[1]))), kit.tile_mm))
        except NotTaught:
            missing.append(in_slot(face, cell, kit))
    if missing:
        raise NotTaught(Said(
            f"wanted {len(page.laid)} tiles in the order shown, found {len(squared)}; not found: "
            f"{', '.join(one.en for one in missing)}: lay them upright in their slots and take the picture again",
            f"achei {len(squared)} das {len(page.laid)} peças na ordem mostrada; não achei: "
            f"{'; '.join(one.pt for one in missing)}: ponha-as nas suas casas, com o desenho em pé, e tire de novo"))
    return Lesson(tuple(squared), found[0].frame_mm, straight_mat(image, pose, kit))


def _lifted(pose: BoardPose, z_mm: float) -> BoardPose:
    """The same camera over the plane at a height."""
    rotation, _ = cv2.Rodrigues(np.asarray(pose.rvec, np.float64))
    return replace(pose, tvec=np.asarray(pose.tvec, np.float64).reshape(3) + rotation[:, 2] * z_mm)


def _row1_first(mat: FoundMat, kit: QuadropolisKit, row1_px: tuple[float, float] | None) -> BoardPose:
    poses = [turned_pose(mat.pose, kit, quarters) for quarters in range(4)]
    corners = [pose.to_px(np.array(kit.outline_mm)) for pose in poses]
    side = float(np.mean([np.linalg.norm(c[1] - c[0]) for c in corners]))
    if row1_px is not None:
        off = [float(np.linalg.norm(c[0] - np.array(row1_px))) for c in corners]
        best = int(np.argmin(off))
        if off[best] > _NEAR_PITCHES * side / SIDE:
            raise NotTaught(Said(
                f"wanted a tap near a corner of the mat, found one {off[best]:.0f} px away: tap where row 1 and column "
                "1 meet",
                f"o ponto indicado fica a {off[best]:.0f} px do canto mais próximo do tabuleiro: indique onde a linha "
                "1 encontra a coluna 1"))
        return poses[best]
    height = [float(c[:2, 1].mean()) for c in corners]
    order = np.argsort(height)
    if height[order[1]] - height[order[0]] < _CLEARLY_UP * side * 0.5:
        raise NotTaught(Said(
            "wanted row 1 of the mat at the upper side of the picture, found the mat lying diagonally: turn the camera "
            "or the mat, or say where row 1 begins",
            "a linha 1 deve ficar no lado de cima da foto, mas o tabuleiro está na diagonal: vire a câmera ou o "
            "tabuleiro, ou diga onde começa a linha 1"))
    return poses[int(order[0])]
