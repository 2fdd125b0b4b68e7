"""Reads a picture's cities with a tile set of the shelf: what `table.photo` opens, `table.score_photo` finds."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from calibration.errors import CalibrationFailed
from calibration.tile_sets import TaughtTiles
from rules.words import Said
from table.cities_desk import Cities
from table.cities_reading import KeptCity, kept_city
from table.city_watch import CityWatch
from table.errors import BadJournal
from table.journal import Journal
from table.photo import NoPhoto, Photo, opened
from table.score_photo import NoCity, cities_in
from vision.frame import Image

LOG: Final = logging.getLogger(__name__)
BROKEN_SET: Final = Said("The tile set {name} cannot be read. Teach it again with `overboard calibrate tiles`.",
                         "O conjunto de peças {name} não pode ser lido. Ensine-o de novo com "
                         "`overboard calibrate tiles`.")


class Shelf(Protocol):
    """The tile sets that were taught."""

    def names(self) -> tuple[str, ...]:
        """Their names, the newest first."""
        ...

    def taken(self, name: str) -> TaughtTiles:
        """The set of that name. Raises `CalibrationFailed`."""
        ...


class PhotoEyes:
    """Implements `table.cities_desk.Eyes`."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def names(self) -> tuple[str, ...]:
        return self._shelf.names()

    def cities(self, picture: bytes | Image, name: str, tiles: str) -> tuple[KeptCity, ...] | Said:
        photo = opened(picture, name) if isinstance(picture, bytes) else Photo(picture, name)
        if isinstance(photo, NoPhoto):
            return photo.said
        try:
            taught = self._shelf.taken(tiles)
        except CalibrationFailed as error:
            LOG.warning("%s", error)
            return Said(BROKEN_SET.en.format(name=tiles), BROKEN_SET.pt.format(name=tiles))
        found = cities_in(photo, taught)
        if isinstance(found, NoCity):
            return found.said
        return tuple(kept_city(photo.image, one.seen, one.kit) for one in found)


@dataclass(frozen=True, slots=True)
class OpenCities:
    """The scored cities of a table. `journal` is theirs alone, or None where they share the table's; `watch` follows a
    city by the camera, where there is one."""

    cities: Cities
    journal: Journal | None
    watch: CityWatch | None = None

    def start(self) -> None:
        """Begins to look whether a city is to be followed."""
        if self.watch is not None:
            self.watch.start()

    def close(self) -> None:
        """Ends watching and closes what is theirs; safe to call twice."""
        if self.watch is not None:
            self.watch.stop()
        if self.journal is not None:
            self.journal.close()


def open_cities(
    path: Path, table: Journal, shelf: Shelf, camera: Callable[[], Image | None] | None
) -> OpenCities | None:
    """The scored cities kept in the journal at `path`. It is the real table's whatever is watched now, so that a
    simulated evening does not hide them; it may be `table`, which is open. None where it cannot be used: the table
    plays without."""
    is_shared = table.path.resolve() == path.resolve()
    try:
        journal = table if is_shared else Journal(path)
    except BadJournal as error:
        LOG.warning("cities cannot be scored: %s", error)
        return None
    try:
        cities = Cities(journal, PhotoEyes(shelf), camera)
        watch = None if camera is None else CityWatch(cities, camera)
        return OpenCities(cities, None if is_shared else journal, watch)
    except BadJournal as error:
        LOG.warning("cities cannot be scored: %s", error)
        if not is_shared:
            journal.close()
        return None
