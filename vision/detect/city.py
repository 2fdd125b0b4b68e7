"""A whole city in one picture: mat, tiles, floors, tokens and what lies beside, as an observation of its own kind.

Functions take a picture, never a folder. A `CityReader` is made once for a taught mat and reads pictures of it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from rules.words import Cell
from vision.detect.city_beside import BesideSeen, Surroundings, see_beside
from vision.detect.city_covers import foreign, has_arm, uncovered
from vision.detect.city_faces import TaughtFace, TileSet
from vision.detect.city_floors import floors_of, focal_doubt
from vision.detect.city_lamp import changed, flat_mat, lamp_between
from vision.detect.city_slots import MatView, SlotSeen, see_slot
from vision.detect.city_tokens import TokensSeen, colours_of, see_tokens
from vision.frame import Image, Points
from vision.kits.quadropolis import Face, QuadropolisKit
from vision.light import quality
from vision.locate.follow import Followed
from vision.locate.mat_follow import MatFollower
from vision.observation import BoardState, Quality
from vision.pose import BoardPose

Floats = NDArray[np.float32]
_NOTHING_BESIDE = BesideSeen(0, 0, 0.0)
_UNKNOWN = Quality()
_SURE_UNDER_ARM = 0.5
"""What lies beside a mat while an arm is in the picture may lie under it too."""


@dataclass(frozen=True, slots=True)
class TaughtCity:
    """What set-up gave: the empty mat `reference` as seen from `pose`, and the faces of the tiles."""

    kit: QuadropolisKit
    pose: BoardPose
    reference: Image
    tiles: TileSet
    lens_known: bool = False


@dataclass(frozen=True, slots=True)
class BuildingSeen:
    """What stands in a slot: faces of its top tile, numbers of floors, and tokens on it, each with probabilities,
    best first. `corners_px` (4, 2): the top tile's ground, clockwise from its top left. `fit`: how well its print
    agrees with the taught face, -1 to 1; `faces` says only which of the taught faces it is."""

    cell: Cell
    faces: tuple[tuple[Face, float], ...]
    floors: tuple[tuple[int, float], ...]
    inhabitants: tuple[tuple[int, float], ...]
    energy: tuple[tuple[int, float], ...]
    corners_px: Points
    fit: float = 1.0

    @property
    def face(self) -> Face:
        return self.faces[0][0]


@dataclass(frozen=True, slots=True)
class CitySeen:
    """One picture of a city. `buildings` has the slots that are not empty; `hidden` slots could not be read.

    `corners_px` (4, 2): the mat's outer corners as `QuadropolisKit.corner_names`; None: no mat, and `why`.
    """

    board: BoardState
    buildings: tuple[BuildingSeen, ...] = ()
    hidden: frozenset[Cell] = frozenset()
    beside: BesideSeen = _NOTHING_BESIDE
    corners_px: Points | None = None
    quality: Quality = _UNKNOWN
    took_ms: Mapping[str, float] = field(default_factory=dict)
    why: str = ""


class CityReader:
    """Reads pictures of one taught mat from one camera, in their order."""

    def __init__(self, taught: TaughtCity) -> None:
        self.taught = taught
        kit, pose = taught.kit, taught.pose
        self._follower = MatFollower(taught.reference, pose, kit)
        self._empty = flat_mat(taught.reference, pose, kit)
        self._white = np.mean([face.white for face in taught.tiles.faces], axis=0).astype(np.float32)
        self._colours = colours_of(taught.tiles)
        self._around = Surroundings.of(taught.reference, pose, kit, self._white, self._colours)
        self._doubt = focal_doubt(pose, kit, taught.lens_known)

    def look(self, image: Image) -> CitySeen:
        """What one picture shows. Trouble in the world (no mat, too dark) is told in `board` and `why`."""
        began = time.perf_counter()
        took: dict[str, float] = {}

        def lap(name: str) -> None:
            nonlocal began
            now = time.perf_counter()
            took[name], began = (now - began) * 1e3, now

        small = cv2.resize(image, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
        light = quality(np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8), None)
        lap("light")
        followed = self._follower.follow(image)
        lap("locate")
        if followed.state is BoardState.LOST:
            return CitySeen(followed.state, quality=light, took_ms=took, why=light.trouble or followed.why)
        view = self._view(image, followed.pose)
        lap("lamp")
        slots = tuple(see_slot(view, place, self.taught.tiles, self._white) for place in self.taught.kit.places)
        other = foreign(view, [slot.tile for slot in slots if slot.tile], self._colours, self._white)
        slots = uncovered(view, slots, other)
        lap("tiles")
        floors = floors_of(slots, view.pose, self._doubt)
        tokens = {n: see_tokens(view, slot.tile, _taught(slot), self._colours)
                  for n, slot in enumerate(slots) if slot.tile}
        lap("tokens")
        lamp = np.median(view.lamp[::8, ::8].reshape(-1, 3), axis=0).astype(np.float32)
        laid = [(slot.tile.border.spot, slot.tile.border.side_mm) for slot in slots if slot.tile]
        beside = see_beside(image, view.pose, self._around_at(followed), self._white, lamp, laid)
        if has_arm(other):
            beside = replace(beside, sure=min(beside.sure, _SURE_UNDER_ARM))
        lap("beside")
        buildings = tuple(
            building_of(view, slot, floors.get(n, ((1, 1.0),)), tokens[n])
            for n, slot in enumerate(slots) if n in tokens
        )
        hidden = frozenset(slot.place.cell for slot in slots if slot.covered)
        corners = view.pose.to_px(np.array(self.taught.kit.outline_mm))
        return CitySeen(followed.state, buildings, hidden, beside, corners, light, took, followed.why)

    def _around_at(self, followed: Followed) -> Surroundings:
        """What lay around the mat when it was empty, for where it is now."""
        if followed.state is BoardState.MOVED:
            self._around = self._around.moved(self.taught.reference, followed.pose)
        return self._around

    def _view(self, image: Image, pose: BoardPose) -> MatView:
        flat = flat_mat(image, pose, self.taught.kit)
        lamp = lamp_between(flat, self._empty, self.taught.kit)
        return MatView(image, pose, flat, self._empty, changed(flat, self._empty, lamp), lamp)


def _taught(slot: SlotSeen) -> TaughtFace:
    if slot.tile is None:
        raise ValueError("wanted a slot with a tile, found none: ask only for those")
    return slot.tile.reading.ranked[0][0]


def building_of(
    view: MatView, slot: SlotSeen, floors: tuple[tuple[int, float], ...], tokens: TokensSeen
) -> BuildingSeen:
    """What was seen of one slot with a tile, put together. Raises `ValueError` for a slot without one."""
    if slot.tile is None:
        raise ValueError("wanted a slot with a tile, found none: ask only for those")
    border = slot.tile.border
    half = border.side_mm / 2
    angle = np.deg2rad(border.spot.turn_deg)
    c, s = np.cos(angle), np.sin(angle)
    ring = np.array([[-half, half], [half, half], [half, -half], [-half, -half]])
    turned = np.stack([c * ring[:, 0] - s * ring[:, 1], s * ring[:, 0] + c * ring[:, 1]], axis=1)
    corners = view.pose.to_px(turned + np.array([border.spot.x_mm, border.spot.y_mm]))
    faces = tuple((taught.face, share) for taught, share in slot.tile.reading.ranked)
    return BuildingSeen(slot.place.cell, faces, floors, tokens.inhabitants_ranked, tokens.energy_ranked, corners,
                        slot.tile.reading.fit)
