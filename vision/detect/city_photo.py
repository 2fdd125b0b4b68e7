"""A city on a mat that this camera has never seen empty: read by what its tiles show and by the lines around its slots.

The lamp is told from the white that is printed on every tile; an empty slot by its whole printed line and its plain
ground; what lies beside the mat by how it differs from the table right around it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from rules.words import Cell
from vision.detect.city import BuildingSeen, CitySeen, building_of
from vision.detect.city_beside import REACH_MM, BesideSeen, Surroundings, see_beside
from vision.detect.city_faces import CROP_MM, PX_PER_MM, TileSet, white_of
from vision.detect.city_floors import floors_together
from vision.detect.city_lamp import FlatMat, flat_mat
from vision.detect.city_slots import MatView, SlotSeen, see_slot, upright_fits
from vision.detect.city_square import Spot, crop
from vision.detect.city_tokens import TokenColours, colours_of, see_tokens
from vision.frame import Image, Mask, Points
from vision.kits.quadropolis import INHABITANT, SIDE, QuadropolisKit
from vision.light import quality
from vision.locate.mats import FoundMat
from vision.observation import BoardState, Quality
from vision.pose import BoardPose, CameraModel

Floats = NDArray[np.float32]
_PLAIN = 0.045
"""So small a share of an empty slot is of another colour than its ground."""
_MAYBE_PLAIN = 0.2
_ANOTHER = 0.2
_USUAL_TILE = 0.35
_SURELY_UP = 0.7
"""By so much more must tiles agree with what was taught one way up than any other."""
_SURE_TILE = 0.5
"""A face that agrees so well is a tile, whatever the slot's lines say."""
_LINE_OF_EMPTY = 0.6
_TRIED = 5
"""So many slots say which way up the tiles lie."""
_TABLE_MM = 61
"""What lies beside a mat is smaller than half of this, and the table there is what is usual within it."""
_PATTERN = 2.5
_EDGE_PX = 4
_MAT_MM = 22.0
"""A mat's margin is hardly wider."""
_BRIGHT = np.float32(2.2)


@dataclass(frozen=True, slots=True, eq=False)
class PhotoMat:
    """A mat of a photograph with row 1 where most tiles have their top; `sure`: how clearly they say so, 0 to 1.
    For each of 16 slots the share that is unlike its ground, `filled`, and the share of its printed line that is
    `seen`. `doubt`: as `FoundMat`; `flat`: the mat straightened."""

    pose: BoardPose
    sure: float
    filled: tuple[float, ...]
    seen: tuple[float, ...]
    doubt: float
    flat: FlatMat

    @property
    def empty(self) -> tuple[bool, ...]:
        """(16,): slots where surely nothing lies."""
        return tuple(share < _PLAIN for share in self.filled)


def turned_pose(pose: BoardPose, kit: QuadropolisKit, quarters: int) -> BoardPose:
    """The same mat with its frame turned clockwise by quarters, seen from above: the row named 1 is the next side."""
    span = SIDE * kit.pitch_mm
    a = -np.pi / 2 * quarters
    turn = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1.0]])
    middle = np.array([span / 2, span / 2, 0])
    rotation, _ = cv2.Rodrigues(np.asarray(pose.rvec, np.float64))
    tvec = np.asarray(pose.tvec, np.float64).reshape(3) + rotation @ (middle - turn @ middle)
    rvec = np.asarray(cv2.Rodrigues(rotation @ turn)[0], np.float64).reshape(3)
    return replace(pose, rvec=rvec, tvec=np.asarray(tvec, np.float64))


def windowed(image: Image, pose: BoardPose, kit: QuadropolisKit, beyond_mm: float) -> tuple[Image, BoardPose]:
    """The part of a picture that shows a mat and so much around it, and the pose as seen in that part."""
    low, high = -beyond_mm, SIDE * kit.pitch_mm + beyond_mm
    middle = (low + high) / 2
    ring = pose.to_px(np.array([[low, low], [middle, low], [high, low], [high, middle], [high, high], [middle, high],
                                [low, high], [low, middle]]))
    height, width = image.shape[:2]
    x0, y0 = (max(int(v) - _EDGE_PX, 0) for v in np.floor(ring.min(axis=0)))
    x1, y1 = np.ceil(ring.max(axis=0)).astype(int) + _EDGE_PX
    part = image[y0 : max(min(y1, height), y0 + 1), x0 : max(min(x1, width), x0 + 1)]
    matrix = np.asarray(pose.camera.matrix, np.float64).copy()
    matrix[:2, 2] -= x0, y0
    return part, replace(pose, camera=CameraModel(matrix, pose.camera.distortion, (part.shape[1], part.shape[0])))


def upright_mat(image: Image, found: FoundMat, kit: QuadropolisKit, tiles: TileSet) -> PhotoMat:
    """Which way up the tiles lie, and which slots are empty."""
    flat = flat_mat(*windowed(image, found.pose, kit, _MAT_MM), kit)
    filled = [_unlike_ground(flat, kit, n) for n in range(SIDE * SIDE)]
    # Those that are half covered by tokens say least: the plainest tiles first.
    order = [n for n in np.argsort(np.abs(np.array(filled) - _USUAL_TILE)) if filled[n] >= _PLAIN][:_TRIED]
    view, white = _view(image, found.pose, flat, kit, tiles, [int(n) for n in order])
    view = replace(view, lamp=np.broadcast_to(np.median(view.lamp[::8, ::8], axis=(0, 1)), view.lamp.shape))
    fits = np.zeros(4)
    for n in order:
        fits += np.maximum(upright_fits(view, kit.places[n], tiles, white), 0.0)
        if fits.max() - np.sort(fits)[-2] > _SURELY_UP:
            break
    best = int(fits.argmax())
    sure = float(np.clip((fits[best] - np.sort(fits)[-2]) / max(float(fits[best]), 1e-6), 0, 1))
    back = [turned_index(n, -best) for n in range(SIDE * SIDE)]
    return PhotoMat(turned_pose(found.pose, kit, best), sure, tuple(filled[n] for n in back),
                    tuple(float(found.seen[n]) for n in back), found.doubt,
                    replace(flat, light=np.ascontiguousarray(np.rot90(flat.light, best))))


def turned_index(n: int, quarters: int) -> int:
    """The index of a slot once the mat's frame was turned clockwise by quarters."""
    row, col = divmod(n, SIDE)
    for _ in range(quarters % 4):
        row, col = SIDE - 1 - col, row
    return row * SIDE + col


def read_photo_mats(image: Image, mats: Sequence[PhotoMat], kit: QuadropolisKit, tiles: TileSet,
                    ) -> tuple[CitySeen, ...]:
    """The cities of a photograph. Floors are told for all together, and tokens beside belong to the nearest mat."""
    began = time.perf_counter()
    light, colours = _light(image), colours_of(tiles)
    looks = [_look(image, mat, kit, tiles) for mat in mats]
    if not looks:
        return ()
    floors = floors_together([(look.slots, mat.pose) for look, mat in zip(looks, mats, strict=True)], mats[0].doubt)
    told: list[CitySeen] = []
    for mat, look, stacks in zip(mats, looks, floors, strict=True):
        buildings: list[BuildingSeen] = []
        for n, slot in enumerate(look.slots):
            if slot.tile is not None:
                tokens = see_tokens(look.view, slot.tile, slot.tile.reading.ranked[0][0], colours)
                buildings.append(building_of(look.view, slot, stacks.get(n, ((1, 1.0),)), tokens))
        others = [other.pose for other in mats if other is not mat]
        beside = _beside(image, mat.pose, kit, _local_white(look.view, look.white), others, colours)
        hidden: frozenset[Cell] = frozenset(slot.place.cell for slot in look.slots if slot.covered)
        corners = mat.pose.to_px(np.array(kit.outline_mm))
        took = {"read": (time.perf_counter() - began) * 1e3}
        told.append(CitySeen(BoardState.STEADY, tuple(buildings), hidden, beside, corners, light, took))
    return tuple(told)


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    """A mat's slots, what they were seen in, and the white of the taught tiles."""

    slots: tuple[SlotSeen, ...]
    view: MatView
    white: Floats


def _look(image: Image, mat: PhotoMat, kit: QuadropolisKit, tiles: TileSet) -> _Look:
    filled = [n for n in range(SIDE * SIDE) if not mat.empty[n]]
    view, white = _view(image, mat.pose, mat.flat, kit, tiles, filled)
    slots: list[SlotSeen] = []
    for n, place in enumerate(kit.places):
        if mat.empty[n]:
            slots.append(SlotSeen(place, 0.0))
            continue
        slot = see_slot(view, place, tiles, white)
        if (slot.tile is None or slot.tile.reading.fit < _SURE_TILE) and mat.seen[n] > _LINE_OF_EMPTY \
                and mat.filled[n] < _MAYBE_PLAIN:
            slot = SlotSeen(place, 0.0)
        slots.append(slot)
    return _Look(tuple(slots), view, white)


def _unlike_ground(flat: FlatMat, kit: QuadropolisKit, n: int) -> float:
    """The share of a slot's inside that is of another colour than what it mostly is: a slow change of light is none."""
    x, y, _ = kit.places[n].centre_mm
    values = np.log(flat.light[flat.window(x, y, 0.36 * kit.pitch_mm)] + np.float32(0.01)).reshape(-1, 3)
    side = round(float(np.sqrt(len(values))))
    at = np.linspace(-1, 1, side)
    design = np.stack([np.ones(side * side), np.repeat(at, side), np.tile(at, side)], 1)
    if len(values) != len(design):
        return 1.0
    weight = np.ones(len(values))
    off = np.zeros_like(values)
    for _ in range(4):
        normal = design.T @ (weight[:, None] * design)
        off = values - design @ np.linalg.solve(normal, design.T @ (weight[:, None] * values))
        weight = 1 / (1 + (np.abs(off).max(axis=1) / 0.08) ** 2)
    return float((np.abs(off).max(axis=1) > _ANOTHER).mean())


def _light(image: Image) -> Quality:
    """How a photograph is lit."""
    small = cv2.resize(image, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    return quality(np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8), None)


def _view(image: Image, pose: BoardPose, flat: FlatMat, kit: QuadropolisKit, tiles: TileSet, filled: Sequence[int],
          ) -> tuple[MatView, Floats]:
    """The mat as `see_slot` wants it, and the taught white: the lamp is a slope through the whites of the tiles."""
    taught = np.mean([face.white for face in tiles.faces], axis=0).astype(np.float32)
    size = flat.light.shape[0]
    places = [kit.places[n].centre_mm for n in filled]
    whites = [white_of(crop(image, pose, Spot(x, y), CROP_MM, PX_PER_MM)) for x, y, _ in places]
    lamp = np.ones((size, size, 3), np.float32)
    if whites:
        field = _slope(np.array([[x, y] for x, y, _ in places]), np.log(np.array(whites) + 1), flat)
        lamp = ((np.exp(field) - 1) / taught) ** _BRIGHT
    return MatView(image, pose, flat, flat, np.ones((size, size), np.float32), lamp.astype(np.float32)), taught


def _slope(at_mm: Points, values: NDArray[np.float64], flat: FlatMat) -> Floats:
    """(n, n, 3): a plane through (N, 3) values. A tile whose white is covered has too low a one, and counts less."""
    scaled = (at_mm - flat.middle_mm) / flat.size_mm * 2
    design = np.column_stack([np.ones(len(scaled)), scaled])
    level = np.median(values.sum(axis=1))
    weight = np.where(values.sum(axis=1) > level - 0.6, 1.0, 0.1)
    solution = np.zeros((3, 3))
    for _ in range(4):
        normal = design.T @ (weight[:, None] * design) + np.diag([1e-6, 0.3, 0.3])
        solution = np.linalg.solve(normal, design.T @ (weight[:, None] * values))
        off = (values - design @ solution).sum(axis=1)
        weight = np.where(off < 0, 1 / (1 + (off / 0.25) ** 2), 1 / (1 + (off / 0.6) ** 2))
    line = np.linspace(-1, 1, flat.light.shape[0])
    y, x = np.meshgrid(-line, line, indexing="ij")
    field = solution[0] + x[..., None] * solution[1] + y[..., None] * solution[2]
    return np.asarray(field, np.float32)


def _local_white(view: MatView, white: Floats) -> Floats:
    gain = np.median(view.lamp[::8, ::8].reshape(-1, 3), axis=0)
    return np.clip(white * gain ** (1 / _BRIGHT), 12, 255).astype(np.float32)


def _beside(image: Image, pose: BoardPose, kit: QuadropolisKit, white: Floats, others: Sequence[BoardPose],
            colours: TokenColours) -> BesideSeen:
    """The table is what is usual around each place; what lies nearer to another mat is that one's."""
    mats_mm = [pose.to_mm(other.to_px(np.array([[SIDE * kit.pitch_mm / 2] * 2])))[0] for other in others]
    image, pose = windowed(image, pose, kit, REACH_MM)
    around = Surroundings.of(image, pose, kit, white, colours)
    table = np.asarray(cv2.medianBlur(around.image, _TABLE_MM), np.uint8)
    beyond = _beyond(kit, around.image.shape[0])
    off = np.abs(around.image.astype(np.float32) - table).max(axis=2)
    bare = around.inside & (beyond > _MAT_MM)
    # A cloth with a pattern differs from itself; a token, from that too.
    pattern = _PATTERN * float(np.quantile(off[bare], 0.75)) if bare.any() else 0.0
    # Seen obliquely, a token on an outer tile stands out over the mat's margin.
    eye = pose.eye_mm
    lean = INHABITANT.height_mm * float(np.abs(eye[:2] - SIDE * kit.pitch_mm / 2).max()) / max(float(eye[2]), 1.0)
    same = (off < pattern) | (beyond < min(lean, _MAT_MM)) | _nearer_to(mats_mm, kit, around.inside)
    table[same] = around.image[same]
    usual = Surroundings(table, around.inside, kit, around.is_like, colours)
    return see_beside(image, pose, usual, white, np.ones(3, np.float32), now=around.image)


def _beyond(kit: QuadropolisKit, n: int) -> Floats:
    """(n, n): mm beyond the slots, on the map around a mat."""
    span = SIDE * kit.pitch_mm
    line = np.linspace(-REACH_MM, span + REACH_MM, n)
    out = np.maximum(np.maximum(-line, line - span), 0)
    return np.maximum(out[:, None], out[None, :]).astype(np.float32)


def _nearer_to(mats_mm: Sequence[Points], kit: QuadropolisKit, inside: Mask) -> Mask:
    """(n, n): where the map around a mat is nearer to another mat's middle (2,), or beyond the picture."""
    span = SIDE * kit.pitch_mm
    line = np.linspace(-REACH_MM, span + REACH_MM, inside.shape[0])
    out = ~inside
    own = np.array([span / 2, span / 2])
    for there in mats_mm:
        # Beyond the line halfway between both middles.
        ahead = there - own
        far = (line * ahead[0])[None, :] + (line[::-1] * ahead[1])[:, None]
        out |= far > float(ahead @ (there + own)) / 2
    return np.asarray(out)
