"""Follows a city by the table's camera: waits until nothing moves, reads the picture, tells the scored cities.

A thread of its own, that works only while a city is followed. What decides is `table.city_following`; what it says is
written by the desk, and is dropped where a person has changed the city meanwhile.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

import cv2
import numpy as np

from rules.words import Said
from table.cities import Sheet
from table.cities_desk import NO_CAMERA, Cities
from table.city_following import Followed, Patience, look
from table.city_history import History
from table.city_looks import CityLook, look_of
from table.city_read import agreement, as_known
from table.city_told import fact_of
from vision.frame import Gray, Image

LOG: Final = logging.getLogger(__name__)
LIVE: Final = Patience()
LOOK_S: Final = 0.8
"""Between two pictures; they must look alike before one is read."""
MOST_PAUSE_S: Final = 30.0
"""Between two looks while each ends in a fault: pauses grow to it, or a log would fill a card."""
FAULT: Final = Said("Reading the city failed; the log says why. Tap what is built; the camera tries again.",
                    "A leitura da cidade falhou; o registro diz por quê. Toque o que for construído; a câmera tenta "
                    "de novo.")
_SMALL_PX = 320
_BLUR_PX = 3
_DIFFERS = 16
_FEWEST_PX = 10
"""So many pixels of the small picture differ when a token was laid down."""


class CityWatch:
    """Watches for one followed city. `step` is one look, for tests too; `start` does it again and again."""

    def __init__(self, cities: Cities, camera: Callable[[], Image | None], patience: Patience = LIVE) -> None:
        self._cities, self._camera, self._patience = cities, camera, patience
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        self._city, self._seq = 0, 0
        self._followed = Followed(History())
        self._last: Gray | None = None
        self._read: tuple[Gray, CityLook] | None = None

    def start(self) -> None:
        """Begins to look. Safe to call once."""
        self._thread = threading.Thread(target=self._watch, name="city-watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends looking, and waits briefly for a picture that is being read."""
        self._ending.set()
        if self._thread is not None:
            self._thread.join(1.0)

    def _watch(self) -> None:
        pause_s = LOOK_S
        while not self._ending.wait(pause_s):
            if self._cities.followed() is None:
                self._city, pause_s = 0, LOOK_S
                continue
            try:
                self.step(self._camera(), time.monotonic_ns())
                pause_s = LOOK_S
            except Exception:
                # A fault of the reader ends neither the evening nor the page.
                pause_s = min(2 * pause_s, MOST_PAUSE_S)
                LOG.exception("wanted to follow a city, found a fault: look again in %.0f s", pause_s)
                self._lost(FAULT)

    def step(self, image: Image | None, now_ns: int) -> None:
        """One look at what the camera sees now."""
        sheet = self._cities.followed()
        if sheet is None or sheet.history is None:
            self._city = 0
            return
        self._begin(sheet, sheet.history)
        if image is None:
            self._lost(NO_CAMERA)
            return
        small = _small(image)
        before, self._last = self._last, small
        if before is None or _differ(before, small):
            return
        if self._read is None or _differ(self._read[0], small):
            seen = self._seen(image, sheet.history)
            if seen is None:
                return
            self._read = small, seen
        self._cities.troubled(None)
        followed, rulings = look(self._followed, self._read[1], now_ns, self._patience)
        facts = [fact for ruling in rulings if (fact := fact_of(sheet, ruling)) is not None]
        seq = self._cities.followed_told(sheet, facts)
        if seq:
            self._followed, self._seq = followed, seq

    def _begin(self, sheet: Sheet, history: History) -> None:
        """Another city, or one that a person has changed: what was seen is held against that now."""
        if sheet.city != self._city:
            self._followed, self._last, self._read = Followed(history).lost(), None, None
        elif sheet.changed_seq != self._seq:
            self._followed, self._read = self._followed.corrected(history), None
        self._city, self._seq = sheet.city, sheet.changed_seq

    def _seen(self, image: Image, history: History) -> CityLook | None:
        """The city in a picture: of several mats the one that agrees best with what is known."""
        found = self._cities.watched(image)
        if isinstance(found, Said):
            self._lost(found)
            return None
        looks = [(as_known(history, one.read), one.beside_sure) for one in found]
        return look_of(*max(looks, key=lambda one: agreement(history, one[0])))

    def _lost(self, why: Said) -> None:
        self._cities.troubled(why)
        self._followed, self._read = self._followed.lost(), None


def _small(image: Image) -> Gray:
    """A picture shrunken and smoothed, gray."""
    height = max(1, round(image.shape[0] * _SMALL_PX / image.shape[1]))
    gray = cv2.cvtColor(cv2.resize(image, (_SMALL_PX, height), interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.blur(gray, (_BLUR_PX, _BLUR_PX)), np.uint8)


def _differ(one: Gray, other: Gray) -> bool:
    """Whether something moved between two pictures."""
    if one.shape != other.shape:
        return True
    return int((cv2.absdiff(one, other) > _DIFFERS).sum()) >= _FEWEST_PX
