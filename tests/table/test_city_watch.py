"""A city followed by the table's camera: from pictures to facts of the journal, by the real desk, rehearsed eyes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from rules.words import Said
from table.cities import Sheet, book_of
from table.cities_desk import NO_CAMERA, Cities
from table.city_following import Patience
from table.city_history import BuildAsked, BuildRefused
from table.city_read import SlotRead, turned_read
from table.city_watch import FAULT, CityWatch
from table.journal import Journal
from tests.table.rehearsed_cities import NOT_A_PICTURE, RehearsedEyes, painted, read_of
from vision.frame import Image
from webui.city_desk import AddByHand, Building, CityRequest, CityWish, CorrectSlot, FollowCity, Offer, UnfollowCity
from webui.desk import Receipt

KEYS = count()
EMPTY: list[Building | None] = [None] * 16


class Table:
    """A desk, its camera and a watch whose time is told."""

    def __init__(self, path: Path) -> None:
        self.journal = Journal(path)
        self.eyes = RehearsedEyes()
        self.image: Image | None = painted(EMPTY)
        self.cities = Cities(self.journal, self.eyes, lambda: self.image)
        self.watch = CityWatch(self.cities, lambda: self.image, Patience(1000, 3000))
        self.now_ms = 0

    def ask(self, wish: CityWish) -> Receipt:
        return self.cities.request(CityRequest(f"key-{next(KEYS):06}", self.cities.view().seq, wish))

    def show(self, slots: dict[int, Building], beside: tuple[int, int] = (0, 0), **more: tuple[int, ...]) -> None:
        """What the camera sees from now on."""
        lies = [slots.get(slot) for slot in range(16)]
        self.eyes.shows[b"camera"] = (read_of(lies, beside, **more),)
        self.image = painted(lies)
        for kind in (0, 1):
            self.image[10 : 10 + 20 * beside[kind], 10 + 30 * kind : 30 + 30 * kind] = 255

    def rest(self, ms: int = 3000) -> None:
        """Nothing moves for so long."""
        for _ in range(ms // 500):
            self.now_ms += 500
            self.watch.step(self.image, self.now_ms * 1_000_000)

    @property
    def trouble(self) -> Said | None:
        """Why nothing is seen, as the page tells it."""
        follow = self.cities.view().cities[0].follow
        assert follow is not None
        return follow.trouble

    @property
    def sheet(self) -> Sheet:
        found = self.cities.followed()
        assert found is not None
        return found


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    """An empty mat that is followed."""
    made = Table(tmp_path / "journal.sqlite")
    assert made.ask(AddByHand()).accepted
    assert made.ask(FollowCity(1)).accepted
    made.show({})
    made.rest()
    yield made
    made.journal.close()


def test_what_is_built_is_written_down_and_shown(table: Table) -> None:
    table.show({0: Building("T2")}, beside=(2, 0))
    table.rest()
    (city,) = table.cities.view().cities
    assert city.follow is not None
    assert (city.follow.kind, city.follow.slots, city.follow.face, city.follow.numbers) == ("built", (0,), "T2", (1,))
    assert city.slots[0].building == Building("T2")
    assert city.beside == (2, 0)
    table.show({0: Building("T1", 2)}, beside=(3, 0))
    table.rest()
    table.show({0: Building("T1", 2, 0, 0), 5: Building("S", 1, 2, 0)}, beside=(1, 0))
    table.rest()
    assert table.sheet.slots[5] == Building("S", 1, 2, 0), "where the pieces lie is known too"
    assert table.sheet.slots[0] == Building("T1", 2)
    assert book_of(table.journal).now.sheets[0] == table.sheet


def test_nothing_is_read_while_something_moves_and_a_still_picture_is_read_once(table: Table) -> None:
    read = len(table.eyes.asked)
    for n in range(6):
        table.show({0: Building("T2")})
        assert table.image is not None
        table.image[100 * n : 100 * n + 90, :90] = 200
        table.rest(500)
    assert len(table.eyes.asked) == read
    table.rest(4000)
    assert len(table.eyes.asked) == read + 1


def test_what_is_not_allowed_is_told_in_both_languages_until_it_is_put_right(table: Table) -> None:
    table.show({5: Building("P")})
    table.rest()
    table.show({5: Building("S")})
    table.rest()
    assert table.sheet.verdict == BuildRefused(1, ("slot-taken",), (5,))
    follow = table.cities.view().cities[0].follow
    assert follow is not None
    assert follow.said is not None
    assert "2,2 is taken" in follow.said.en
    assert "2,2 está ocupado" in follow.said.pt
    table.show({5: Building("P")})
    table.rest()
    follow = table.cities.view().cities[0].follow
    assert follow is not None
    assert follow.kind == "put-right"


def test_a_person_may_say_otherwise_while_it_is_followed(table: Table) -> None:
    table.show({5: Building("P")})
    table.rest()
    table.show({5: Building("S")})
    table.rest()
    assert table.ask(CorrectSlot(1, 5, Building("S"))).accepted
    table.rest()
    follow = table.cities.view().cities[0].follow
    assert follow is not None
    assert follow.kind == "put-right"
    table.show({5: Building("S"), 2: Building("V1")})
    table.rest()
    assert table.sheet.slots[2] == Building("V1")
    assert table.sheet.slots[5] == Building("S")


def test_an_unsure_tile_is_asked_and_the_answer_counts(table: Table) -> None:
    table.show({7: Building("V1")})
    (read,) = table.eyes.shows[b"camera"]
    offers = (Offer(Building("V1"), 0.55), Offer(Building("V2"), 0.4))
    slots = (*read.slots[:7], SlotRead((), offers, True), *read.slots[8:])
    table.eyes.shows[b"camera"] = (replace(read, slots=slots),)
    table.rest()
    assert isinstance(table.sheet.verdict, BuildAsked)
    assert table.cities.view().cities[0].slots[7].asked
    assert table.ask(CorrectSlot(1, 7, Building("V2"))).accepted
    table.rest()
    (city,) = table.cities.view().cities
    assert (city.to_answer, city.slots[7].building) == (0, Building("V2"))


def test_a_mat_that_is_not_seen_is_told_and_nothing_is_lost(table: Table) -> None:
    table.show({0: Building("T2")}, beside=(2, 0))
    table.rest()
    del table.eyes.shows[b"camera"]
    table.image = np.full_like(painted(EMPTY), 90)
    table.rest()
    follow = table.cities.view().cities[0].follow
    assert follow is not None
    assert follow.trouble == NOT_A_PICTURE
    table.image = None
    table.rest(500)
    follow = table.cities.view().cities[0].follow
    assert follow is not None
    assert follow.trouble == NO_CAMERA
    table.show({0: Building("T2"), 5: Building("P"), 6: Building("P")}, beside=(2, 0))
    table.rest()
    follow = table.cities.view().cities[0].follow
    assert follow is not None
    assert (follow.kind, follow.trouble) == ("built", None), "two tiles while nothing was seen came one by one"
    assert sum(one is not None for one in table.sheet.slots) == 3


def test_of_several_mats_the_one_that_agrees_is_followed_from_any_side(table: Table) -> None:
    tiles = {0: Building("T2"), 5: Building("P"), 6: Building("V1")}
    for n in range(1, 4):
        table.show(dict(list(tiles.items())[:n]), beside=(2, 0))
        table.rest()
    table.show({**tiles, 3: Building("S")}, beside=(2, 0))
    (mine,) = table.eyes.shows[b"camera"]
    other = read_of([Building("F1")] * 9 + [None] * 7)
    table.eyes.shows[b"camera"] = (other, turned_read(mine, 1))
    table.rest()
    assert table.sheet.slots[3] == Building("S")
    assert table.sheet.slots[:3] == (Building("T2"), None, None)


def test_following_ends_and_goes_on_after_a_restart(table: Table, tmp_path: Path) -> None:
    table.show({0: Building("T2")}, beside=(2, 0))
    table.rest()
    again = Cities(table.journal, table.eyes, lambda: table.image)
    assert again.followed() == table.cities.followed()
    assert table.ask(UnfollowCity(1)).accepted
    table.show({0: Building("T2"), 5: Building("P")}, beside=(2, 0))
    table.rest()
    (city,) = table.cities.view().cities
    assert city.follow is None
    assert city.slots[5].building is None
    assert not table.ask(UnfollowCity(1)).accepted


def test_without_a_camera_or_tiles_nothing_is_followed(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    cities = Cities(journal, RehearsedEyes())
    cities.request(CityRequest("key-by-hand", 0, AddByHand()))
    refused = cities.request(CityRequest("key-follow-it", 1, FollowCity(1)))
    assert (refused.accepted, refused.said) == (False, NO_CAMERA)
    journal.close()


def test_the_thread_looks_by_itself_and_ends(table: Table) -> None:
    seen = threading.Event()
    watch = CityWatch(table.cities, lambda: seen.set() or table.image)
    watch.start()
    assert seen.wait(10)
    watch.stop()


def test_a_fault_that_stays_is_told_and_looked_at_ever_more_seldom(
    table: Table, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("table.city_watch.LOOK_S", 0.02)
    times: list[float] = []
    well, enough = threading.Event(), threading.Event()

    def camera() -> Image | None:
        times.append(time.monotonic())
        if well.is_set():
            return table.image
        if len(times) >= 5:
            enough.set()
        raise RuntimeError("a fault of the reader")

    watch = CityWatch(table.cities, camera)
    watch.start()
    assert enough.wait(10)
    assert table.trouble == FAULT
    pauses = np.diff(times[:5])
    assert (pauses[1:] > 1.5 * pauses[:-1]).all()
    assert "look again in" in caplog.text
    well.set()
    until = time.monotonic() + 10
    while table.trouble is not None and time.monotonic() < until:
        time.sleep(0.02)
    watch.stop()
    assert table.trouble is None
