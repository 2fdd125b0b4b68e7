"""Painted Quadropolis tables for the tests: one room, its tiles taught by one camera, photographed by another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from calibration.tile_lessons import Page, lesson_from, pages_of
from calibration.tile_sets import TaughtTiles
from calibration.tile_wizard import taught_from
from table.sim.city_folder import camera_over, exposed_for, laid_on_mat, painted_photo, random_room
from table.sim.city_paint import CityPainter, CityRoom, CityScene, Spotted
from table.sim.looks import random_light
from table.sim.scene import Sensor
from vision.frame import Image
from vision.kits.quadropolis import QuadropolisKit

KIT = QuadropolisKit()
CLEAN = Sensor(blur_px=0.6, vignette=0.1, shot_noise=0.005, read_noise=0.002, sharpen=0.3)


@dataclass(frozen=True)
class Painted:
    """A room, what its `pages` of tiles taught, and those pictures."""

    room: CityRoom
    taught: TaughtTiles
    shown: tuple[Image, ...]


def painted_room(seed: int, name: str = "painted") -> Painted:
    """A room whose tiles were taught by a phone."""
    room = random_room(KIT, np.random.default_rng(seed))
    shown = pages(room, seed)
    lessons = tuple(lesson_from(image, KIT, page) for image, page in zip(shown, pages_of(), strict=True))
    return Painted(room, taught_from(name, "2026-01-01T00:00:00Z", KIT, lessons), shown)


def photographed(room: CityRoom, seed: int, tilt_deg: float, mats: int = 1, fill: float | None = None,
                 size_px: tuple[int, int] = (2000, 1500)) -> tuple[bytes, Any]:
    """A JPEG under another lamp, and what is true of it."""
    rng = np.random.default_rng(seed)
    light = exposed_for(random_light(220, rng), KIT, rng)
    photo = painted_photo(room, rng, tilt_deg, mats, size_px, fill, light)
    return jpeg(photo.image), photo


def page_picture(room: CityRoom, page: Page, seed: int, roll_deg: float = 5.0) -> Image:
    """A page of tiles on a mat, as a phone sees it."""
    rng = np.random.default_rng(seed)
    tiles = laid_on_mat(KIT, [face for _, face in page.laid], rng)
    low, high = -room.edition.margin_mm, 220 + room.edition.margin_mm
    rim = np.array([[x, y, 0.0] for x in (low, high) for y in (low, high)])
    camera = camera_over(rim, (110, 110), (1800, 1350), 8.0, 0.75, rng, 0.92, roll_deg=roll_deg)
    return CityPainter(room, camera).paint(CityScene((Spotted(0, 0),), tiles), CLEAN, rng)


def pages(room: CityRoom, seed: int) -> tuple[Image, ...]:
    """Both pages of the order."""
    return tuple(page_picture(room, page, seed + n) for n, page in enumerate(pages_of()))


def jpeg(image: Image) -> bytes:
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes())


def wrong_slots(city: Any, truth: Any) -> list[str]:
    """Slots whose top tile was read wrongly, as a sentence each."""
    found = []
    for row in range(4):
        for col in range(4):
            is_there, was_read = (one[row][col] and one[row][col]["floors"][-1] for one in (truth, city))
            if is_there != was_read:
                found.append(f"{row + 1},{col + 1}: is {is_there}, read {was_read}")
    return found
