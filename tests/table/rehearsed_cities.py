"""Cities for tests without a camera: made-up readings, and eyes that find them in made-up picture files."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import count

import cv2
import numpy as np

from rules.words import Said
from table.cities_desk import NO_TILES, Cities
from table.cities_reading import KeptCity, jpeg_of
from table.city_read import ReadCity, SlotRead
from vision.frame import Image
from webui.city_desk import Building, CityRequest, CityWish, Offer

SIZE_PX = 900
NOT_A_PICTURE = Said("photo: wanted a picture, found none: take one.", "foto: era esperada uma foto: tire uma.")
WORKED: tuple[Building | None, ...] = (
    Building("T1", 3, 0, 1), Building("P"), Building("T2", 1, 0, 1), None,
    Building("P"), Building("T3", 2, 0, 1), None, None,
    Building("H2i", 1, 1, 0), Building("S", 1, 3, 1), Building("F1", 1, 1, 0), Building("S", 1, 4, 1),
    Building("H3v", 1, 1, 0), Building("H2e", 1, 1, 0), Building("H2v", 1, 1, 0), Building("F1", 1, 1, 0),
)  # fmt: skip
"""The first worked city of the facts: 56 points, 59 with row and column."""


def outline(slot: int) -> tuple[tuple[float, float], ...]:
    row, col = divmod(slot, 4)
    step, left, top = 150.0, 150.0 + col * 150, 150.0 + row * 150
    return ((left + 10, top + 10), (left + step - 10, top + 10), (left + step - 10, top + step - 10),
            (left + 10, top + step - 10))


def read_of(
    buildings: Sequence[Building | None] = WORKED, beside: tuple[int, int] = (0, 0), asked: Sequence[int] = (),
    hidden: Sequence[int] = (), beside_asked: bool = False, print_: str = "a-print",
) -> ReadCity:
    """A city as read; what is asked has a second answer."""
    slots = []
    for slot, building in enumerate(buildings):
        offers = [] if building is None else [Offer(building, 0.97)]
        if building is not None and slot in asked:
            other = Building(building.face, building.floors % 4 + 1 if building.face[0] == "T" else 1,
                             building.inhabitants, 1 - min(1, building.energy))
            offers = [Offer(building, 0.62), Offer(other, 0.36)]
        slots.append(SlotRead(outline(slot), tuple(offers), slot in asked, slot in hidden))
    return ReadCity(tuple(slots), beside, beside_asked, (SIZE_PX, SIZE_PX), print_)


def painted(buildings: Sequence[Building | None] = WORKED) -> Image:
    """A picture that shows plain tiles where buildings stand."""
    image = np.full((SIZE_PX, SIZE_PX, 3), (70, 92, 120), np.uint8)
    cv2.rectangle(image, (145, 145), (755, 755), (150, 178, 190), -1)
    for slot, building in enumerate(buildings):
        if building is None:
            continue
        ring = np.asarray(outline(slot), np.int32)
        shade = 40 + 35 * "TSVPFH".index(building.face[0])
        cv2.fillPoly(image, [ring], (shade, 220 - shade, 160))
        cv2.polylines(image, [ring], True, (245, 250, 250), 6)
    return image


class RehearsedEyes:
    """Finds the readings that were laid out for a file of bytes; anything else is no picture. `hold` stops it in the
    middle of reading until it is set; `asked` counts how often it read."""

    def __init__(self, sets: tuple[str, ...] = ("my box",)) -> None:
        self.sets = sets
        self.shows: dict[bytes, tuple[ReadCity, ...]] = {}
        self.asked: list[tuple[str, str]] = []
        self.hold: threading.Event | None = None

    def names(self) -> tuple[str, ...]:
        return self.sets

    def cities(self, picture: bytes | Image, name: str, tiles: str) -> tuple[KeptCity, ...] | Said:
        self.asked.append((name, tiles))
        if self.hold is not None:
            self.hold.wait(10)
        data = picture if isinstance(picture, bytes) else b"camera"
        if data == b"breaks":
            raise ZeroDivisionError("a fault of the reader")
        found = self.shows.get(data)
        if found is None:
            return NOT_A_PICTURE if self.sets else NO_TILES
        return tuple(KeptCity(read, jpeg_of(painted([slot.building for slot in read.slots]))) for read in found)


KEYS = count()


def rehearsed_eyes() -> RehearsedEyes:
    """Eyes for which the bytes `a` to `f` are pictures of a city each, and `two` one of two cities."""
    found = RehearsedEyes()
    found.shows = {name.encode(): (read_of(print_=name),) for name in "abcdef"}
    found.shows[b"two"] = (read_of(print_="t1"), read_of(print_="t2"))
    return found


def ask(cities: Cities, wish: CityWish, on_seq: int | None = None) -> tuple[str, str]:
    now = cities.view().seq if on_seq is None else on_seq
    receipt = cities.request(CityRequest(f"key-{next(KEYS)}", now, wish))
    assert receipt.accepted == (receipt.code == "done")
    return receipt.code, receipt.said.en
