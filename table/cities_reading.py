"""From an uploaded picture to the cities that are kept of it: each with its own upright part of the picture.

Frame of reference: px of that part. A city is cut out with what lies around it and turned by quarters so that row 1
is on top; the photograph itself is not kept.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from rules.quadropolis.state import SLOTS
from table.cities import FACE_WORDS
from table.city_read import ReadCity, SlotRead
from table.score_folder import city_line
from vision.detect.city import BuildingSeen, CitySeen
from vision.frame import Image, Points
from vision.kits.quadropolis import SIDE, QuadropolisKit
from webui.city_desk import Building, Offer

KEPT_PX = 1600
"""The longer side of a kept picture, at most: a phone shows no more, and four of them are a megabyte."""
_AROUND = 0.4
"""Of the mat's size, on each side: pieces beside the mat belong to the city."""
_JPEG_QUALITY = 86
_OFFERS = 6
_LEAST_OFFER = 0.002
_SLOT_SHARE = 0.86
"""Of a slot, drawn where no tile lies."""
_CUT_AROUND = 0.5
Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class KeptCity:
    """A city of a picture: what was read, and its part of the picture as JPEG; `beside_sure`: how sure what lies beside
    the mat is."""

    read: ReadCity
    jpeg: bytes
    beside_sure: float = 1.0


def kept_city(image: Image, seen: CitySeen, kit: QuadropolisKit) -> KeptCity:
    """What is kept of a city that was seen in a picture. `ValueError` for one whose mat was not found."""
    part, move = upright_part(image, _corners_of(seen))
    read = replace(read_city(seen, kit, move), size_px=(part.shape[1], part.shape[0]))
    return KeptCity(read, jpeg_of(part), seen.beside.sure)


def read_city(seen: CitySeen, kit: QuadropolisKit, move: Matrix | None = None) -> ReadCity:
    """What was read of a city. `move`: (2, 3), from px of the picture to those of the outlines, None for the same.
    `ValueError` for one whose mat was not found."""
    corners = _corners_of(seen)
    move = np.eye(2, 3) if move is None else move
    asked = {str(one["at"]) for one in city_line("", seen, kit, 0.0)["unsure"]}
    by_slot = {SIDE * one.cell.row + one.cell.col: one for one in seen.buildings}
    hidden = {SIDE * cell.row + cell.col for cell in seen.hidden}
    slots = []
    for slot in range(SLOTS):
        row, col = divmod(slot, SIDE)
        building = by_slot.get(slot)
        ground = building.corners_px if building is not None else _slot_px(corners, row, col)
        outline = tuple((round(float(x), 1), round(float(y), 1)) for x, y in _moved(np.asarray(ground), move))
        ranked = () if building is None else offers_of(building)
        slots.append(SlotRead(outline, ranked, str([row + 1, col + 1]) in asked, slot in hidden))
    return ReadCity(tuple(slots), (seen.beside.inhabitants, seen.beside.energy), "beside" in asked)


def _corners_of(seen: CitySeen) -> Points:
    if seen.corners_px is None:
        raise ValueError("wanted a city whose mat was found, found none: keep only those")
    return np.asarray(seen.corners_px, np.float64)


def jpeg_of(image: Image) -> bytes:
    """The picture as JPEG."""
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])[1])


def offers_of(building: BuildingSeen) -> tuple[Offer, ...]:
    """What may stand in a slot, likeliest first; only faces of the box."""
    found = []
    for (face, p), (floors, q), (people, r), (energy, s) in itertools.product(
        building.faces[:4], building.floors[:4], building.inhabitants[:2], building.energy[:2]
    ):
        is_tower = face.type == "tower"
        if face.word in FACE_WORDS and (is_tower or (floors, q) == building.floors[0]):
            chance = p * r * s * (q if is_tower else 1.0)
            found.append(Offer(Building(face.word, floors if is_tower else 1, people, energy), round(chance, 4)))
    found.sort(key=lambda offer: -offer.probability)
    return tuple(one for n, one in enumerate(found[:_OFFERS]) if n == 0 or one.probability >= _LEAST_OFFER)


def upright_part(image: Image, corners_px: Points) -> tuple[Image, Matrix]:
    """The part of a picture that is kept of a mat, turned by quarters so that row 1 is on top; and (2, 3), the way
    there from px of the picture."""
    low, high = corners_px.min(axis=0), corners_px.max(axis=0)
    around = _AROUND * (high - low)
    limits = np.array([image.shape[1], image.shape[0]])
    left, top = np.clip(np.floor(low - around), 0, limits - 2).astype(int)
    right, bottom = np.clip(np.ceil(high + around), [left + 2, top + 2], limits).astype(int)
    part = image[top:bottom, left:right]
    height, width = part.shape[:2]
    quarter = _quarter(corners_px)
    c, s = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarter]
    over = ((0, 0), (height, 0), (width, height), (0, width))[quarter]
    scale = min(1.0, KEPT_PX / max(width, height))
    turn = np.array([[c, -s], [s, c]], np.float64)
    shift = turn @ np.array([-left, -top], np.float64) + np.array(over, np.float64)
    turned = np.ascontiguousarray(np.rot90(part, -quarter))
    if scale < 1:
        turned = np.asarray(cv2.resize(turned, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    return turned, np.hstack([turn, shift.reshape(2, 1)]) * scale


def _quarter(corners_px: Points) -> int:
    """How many quarters clockwise bring row 1 to the top."""
    down = corners_px[2:].sum(axis=0) - corners_px[:2].sum(axis=0)
    if abs(down[1]) >= abs(down[0]):
        return 0 if down[1] > 0 else 2
    return 1 if down[0] > 0 else 3


def _moved(points: Points, move: Matrix) -> Points:
    return np.asarray(points, np.float64) @ move[:, :2].T + move[:, 2]


def _slot_px(corners_px: Points, row: int, col: int) -> Points:
    """A slot's corners by the mat's alone, clockwise from the top left."""
    whole = np.array([[0, 0], [SIDE, 0], [SIDE, SIDE], [0, SIDE]], np.float32)
    plane = cv2.getPerspectiveTransform(whole, np.asarray(corners_px, np.float32))
    a, b = (1 - _SLOT_SHARE) / 2, (1 + _SLOT_SHARE) / 2
    ring = np.array([[[col + a, row + a], [col + b, row + a], [col + b, row + b], [col + a, row + b]]], np.float32)
    return np.asarray(cv2.perspectiveTransform(ring, plane)[0], np.float64)


def cut_of(jpeg: bytes, outline_px: Sequence[tuple[float, float]]) -> bytes | None:
    """A slot and what is around it as JPEG, the slot outlined; None where the picture cannot be read."""
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    if image is None or len(outline_px) != 4:
        return None
    ring = np.asarray(outline_px, np.float64)
    low, high = ring.min(axis=0), ring.max(axis=0)
    around = _CUT_AROUND * (high - low)
    low = np.clip(low - around, 0, [image.shape[1] - 2, image.shape[0] - 2]).astype(int)
    high = np.clip(high + around, low + 1, [image.shape[1], image.shape[0]]).astype(int)
    scale = max(1.0, 320 / float(max(high - low)))
    part = cv2.resize(image[low[1] : high[1], low[0] : high[0]], None, fx=scale, fy=scale,
                      interpolation=cv2.INTER_CUBIC)
    drawn = np.round((ring - low) * scale).astype(np.int32)
    for colour, width in (((255, 255, 255), 5), ((0, 0, 0), 2)):
        cv2.polylines(part, [drawn], True, colour, width, cv2.LINE_AA)
    return jpeg_of(np.asarray(part, np.uint8))
