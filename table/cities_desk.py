"""The scored cities as the page has them: one writer, one journal, one picture read at a time."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, Protocol

from rules.quadropolis.state import SLOTS
from rules.words import Said
from table.cities import MOST_CITIES, VERSION, Book, CityFact, CityRead, Sheet, book_of, told, written
from table.cities_export import csv_of, png_of
from table.cities_offers import offers_for
from table.cities_reading import KeptCity, cut_of
from table.cities_score import kept, ranked
from table.cities_wishes import FULL, GONE, Refusal, decided, may_read
from table.errors import JournalFull
from table.journal import Journal
from vision.frame import Image
from webui.city_desk import CitiesView, CityRequest, FollowCity, Offer, ReadCamera, ReadPicture
from webui.desk import Receipt

LOG: Final = logging.getLogger(__name__)
DONE: Final = Said("Done.", "Feito.")
BUSY: Final = Said("Another picture is being read. Send yours again in a moment.",
                   "Outra foto está sendo lida. Envie a sua de novo daqui a pouco.")
DISK: Final = Said("That could not be written down: the disk is full or broken. Free some space and tap again.",
                   "Não foi possível anotar: o disco está cheio ou com defeito. Libere espaço e toque de novo.")
NO_CAMERA: Final = Said("The table's camera gives no picture now. Take one with the phone.",
                        "A câmera da mesa não dá imagem agora. Fotografe com o celular.")
BROKEN: Final = Said("Reading this picture failed; it is written down in the log. Take another, from right above.",
                     "A leitura desta foto falhou; está anotado no registro. Tire outra, bem de cima.")
TWO: Final = Said("Wanted one city in this picture, found {n}. Take it anew with only that city.",
                  "Era esperada uma cidade nesta foto, há {n}. Fotografe de novo só essa cidade.")
ROOM: Final = Said("This picture shows {n} cities; there is room for {room}. Remove one first, or photograph fewer.",
                   "Esta foto mostra {n} cidades e há lugar para {room}. Retire uma antes, ou fotografe menos.")
ONE_READ: Final = Said("One city read.", "Uma cidade lida.")
MORE_READ: Final = Said("{n} cities read.", "{n} cidades lidas.")
NO_TILES: Final = Said(
    "No tile set is taught, so pictures cannot be read: run `overboard calibrate tiles`, or enter a city by hand.",
    "Nenhum conjunto de peças foi ensinado, por isso fotos não são lidas: rode `overboard calibrate tiles` ou monte a "
    "cidade à mão.")
_WAIT_S = 20.0
"""A second picture waits so long for the first."""


class Eyes(Protocol):
    """What reads pictures with the tile sets that were taught."""

    def names(self) -> tuple[str, ...]:
        """The tile sets, the newest first."""
        ...

    def cities(self, picture: bytes | Image, name: str, tiles: str) -> tuple[KeptCity, ...] | Said:
        """Every city of a picture, a file or what the camera took, read with the tile set of that name; or why there
        is none."""
        ...


class Cities:
    """Implements `webui.city_desk.CityDesk` over a journal. What is in the journal has happened; all else is a view."""

    def __init__(self, journal: Journal, eyes: Eyes, camera: Callable[[], Image | None] | None = None) -> None:
        """Folds what the journal has. `camera` gives what the table's camera sees now. Raises `BadJournal`."""
        self._journal, self._eyes, self._camera = journal, eyes, camera
        self._book = book_of(journal)
        self._lock = threading.Lock()
        self._reading = threading.Lock()
        self._trouble: Said | None = None

    def view(self) -> CitiesView:
        return view_of(self._book, self._eyes.names(), self._camera is not None, self._trouble)

    def request(self, request: CityRequest) -> Receipt:
        try:
            if isinstance(request.wish, ReadPicture):
                return self._read(request.on_seq, request.wish, request.wish.data, request.wish.name)
            if isinstance(request.wish, ReadCamera):
                image = None if self._camera is None else self._camera()
                if image is None:
                    return self._refused(Refusal("refused", NO_CAMERA))
                return self._read(request.on_seq, request.wish, image, "camera")
            if isinstance(request.wish, FollowCity) and (why := self._cannot_follow()) is not None:
                return self._refused(Refusal("refused", why))
            with self._lock:
                fact = decided(self._book, request.on_seq, request.wish, self._eyes.names())
                if isinstance(fact, Refusal):
                    return self._refused(fact)
                self._write(fact)
            return Receipt(True, self._book.now.seq, "done", DONE)
        except JournalFull as error:
            LOG.error("%s", error)
            return Receipt(False, self._book.now.seq, "refused", DISK)

    def _cannot_follow(self) -> Said | None:
        """Why no city can be followed."""
        if self._camera is None or self._camera() is None:
            return NO_CAMERA
        return None if self._eyes.names() else NO_TILES

    def followed(self) -> Sheet | None:
        """The city that the camera follows; None where there is none."""
        return next((sheet for sheet in self._book.now.sheets if sheet.is_followed), None)

    def watched(self, image: Image) -> tuple[KeptCity, ...] | Said:
        """Every city of a picture of the camera, nothing kept; or why there is none."""
        with self._reading:
            return self._seen(image, "camera")

    def followed_told(self, sheet: Sheet, facts: Sequence[CityFact]) -> int:
        """Writes down what was seen of a followed city as `sheet` shows it, and gives the number of its last fact;
        0, and nothing written, where a person has changed it meanwhile or the disk is full."""
        with self._lock:
            now = self.followed()
            if now is None or (now.city, now.changed_seq) != (sheet.city, sheet.changed_seq):
                return 0
            try:
                for fact in facts:
                    self._write(fact)
            except JournalFull as error:
                LOG.error("%s", error)
                return 0
            return self._book.now.seq if facts else sheet.changed_seq

    def troubled(self, why: Said | None) -> None:
        """Why nothing is seen of the followed city now; None: it is seen."""
        self._trouble = why

    def _refused(self, refusal: Refusal) -> Receipt:
        return Receipt(False, self._book.now.seq, refusal.code, refusal.said)

    def _write(self, fact: CityFact, picture: bytes | None = None) -> None:
        """Writes a fact down; only then has it happened. Raises `JournalFull`."""
        kind, body = written(fact)
        seq, at_utc = self._journal.append_city(self._book.now.scoring, kind, VERSION, body, picture)
        self._book = told(self._book, seq, at_utc, fact)

    def _read(self, on_seq: int, wish: ReadPicture | ReadCamera, picture: bytes | Image, name: str) -> Receipt:
        digest = hashlib.sha256(picture if isinstance(picture, bytes) else picture.tobytes()).hexdigest()
        refusal = may_read(self._book, on_seq, wish, digest)
        if refusal:
            return self._refused(refusal)
        if not self._reading.acquire(timeout=_WAIT_S):
            return Receipt(False, self._book.now.seq, "busy", BUSY)
        try:
            found = self._seen(picture, name)
        finally:
            self._reading.release()
        if isinstance(found, Said):
            return self._refused(Refusal("refused", found))
        with self._lock:
            refusal = may_read(self._book, on_seq, wish, digest) or _no_room(self._book, wish, len(found))
            if refusal:
                return self._refused(refusal)
            for one in found:
                self._write(CityRead(wish.city, replace(one.read, print=digest)), one.jpeg)
        said = ONE_READ if len(found) == 1 else _with(MORE_READ, n=len(found))
        return Receipt(True, self._book.now.seq, "done", said)

    def _seen(self, picture: bytes | Image, name: str) -> tuple[KeptCity, ...] | Said:
        tiles = self.view().tiles
        if not tiles:
            return NO_TILES
        try:
            return self._eyes.cities(picture, name, tiles)
        except Exception:
            # Whatever a strange picture does to the reader, the page answers, and the table plays on.
            LOG.exception("wanted to read %r, found a fault of the reader: read on", name[:80])
            return BROKEN

    def _sheet(self, city: int) -> Sheet | None:
        return self._book.now.sheet(city)

    def picture(self, city: int) -> bytes | None:
        sheet = self._sheet(city)
        return None if sheet is None or not sheet.picture_seq else self._journal.city_picture(sheet.picture_seq)

    def cut(self, city: int, slot: int) -> bytes | None:
        sheet, jpeg = self._sheet(city), self.picture(city)
        if sheet is None or jpeg is None or not 0 <= slot < SLOTS:
            return None
        return cut_of(jpeg, sheet.read.slots[slot].outline_px)

    def offers(self, city: int, slot: int) -> Sequence[Offer]:
        sheet = self._sheet(city)
        return () if sheet is None or not 0 <= slot < SLOTS else offers_for(sheet, slot)

    def export_png(self, language: str) -> bytes:
        view = self.view()
        return png_of(view, {one.city: self.picture(one.city) for one in view.cities}, language)

    def export_csv(self, language: str) -> str:
        return csv_of(self.view(), language)


def view_of(
    book: Book, names: tuple[str, ...] = (), has_camera: bool = False, trouble: Said | None = None
) -> CitiesView:
    """The scored cities as they are shown; `names` are the tile sets that were taught, `trouble` is why nothing is seen
    of the one that is followed."""
    now = book.now
    cities = tuple(one if one.follow is None else replace(one, follow=replace(one.follow, trouble=trouble))
                   for one in ranked(now))
    tiles = now.tiles if now.tiles in names else (names[0] if names else "")
    return CitiesView(now.seq, now.scoring, now.harbours, now.tie, tiles, names, cities, MOST_CITIES,
                      None if names else NO_TILES, kept(book), has_camera)


def _no_room(book: Book, wish: ReadPicture | ReadCamera, count: int) -> Refusal | None:
    """Why so many cities of one picture cannot be taken in."""
    if wish.city:
        if book.now.sheet(wish.city) is None:
            return GONE
        return None if count == 1 else Refusal("refused", _with(TWO, n=count))
    room = MOST_CITIES - len(book.now.sheets)
    if count <= room:
        return None
    return FULL if room <= 0 else Refusal("refused", _with(ROOM, n=count, room=room))


def _with(said: Said, **values: object) -> Said:
    return Said(said.en.format(**values), said.pt.format(**values))
