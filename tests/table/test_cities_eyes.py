"""The page's eyes: from the bytes a phone sends to a city in the result, or to one sentence why not."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.tile_sets import TaughtTiles, TileShelf
from rules.quadropolis.state import SLOTS
from table.cities_desk import Cities
from table.cities_eyes import PhotoEyes, open_cities
from table.journal import Journal
from table.score_tiles import tiles_of_folder
from table.sim.city_folder import CityPlan, painted_photo, random_room, simulate_city_folder
from vision.detect.city_faces import TileSet
from vision.frame import Image
from vision.kits.quadropolis import QuadropolisKit
from webui.city_desk import CityRequest, ReadCamera, ReadPicture
from webui.desk import Receipt

KIT = QuadropolisKit()


class OneSet:
    """A shelf with a set of no tiles: enough for pictures that show no city."""

    def names(self) -> tuple[str, ...]:
        return ("my box",)

    def taken(self, name: str) -> TaughtTiles:
        return TaughtTiles(name, "2030-01-01T00:00:00Z", KIT, (), TileSet((), KIT.tile_mm, ()))


def jpeg(image: Image) -> bytes:
    return cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 85])[1].tobytes()


def cloth(shade: float = 1.0) -> Image:
    """A sharp picture of something else."""
    image = np.random.default_rng(5).integers(60, 200, (60, 80, 3)).astype(np.float32)
    return np.asarray(np.clip(cv2.resize(image, (1600, 1200), interpolation=cv2.INTER_NEAREST) * shade, 0, 255),
                      np.uint8)


def bomb() -> bytes:
    """A PNG of a few bytes that says it has two thousand million pixels."""
    head = struct.pack(">IIBBBBB", 60_000, 40_000, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + head
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (lambda: b"", "0 bytes"),
        (lambda: b"#!/bin/sh\nrm -rf /\n" * 50, "bytes that are none"),
        (lambda: jpeg(cloth())[:9000], "cut short"),
        (bomb, "60000x40000"),
        (lambda: jpeg(cloth(0.02)), "too dark"),
        (lambda: jpeg(np.asarray(cv2.GaussianBlur(cloth(), (0, 0), 40), np.uint8)), "blurred"),
        (lambda: jpeg(cloth()), "found"),
    ],
    ids=["nothing", "a script", "half a file", "bomb", "dark", "blurred", "something else"],
)
def test_what_is_no_city_is_said_in_one_sentence_in_each_language(
    data: Callable[[], bytes], found: str, tmp_path: Path
) -> None:
    cities = Cities(Journal(tmp_path / "journal.sqlite"), PhotoEyes(OneSet()))
    receipt = cities.request(CityRequest("a-tap", 0, ReadPicture(data(), "../../x.jpg")))
    assert receipt.code == "refused"
    assert found in receipt.said.en
    assert receipt.said.en.startswith("x.jpg: wanted ")
    assert receipt.said.pt.startswith("x.jpg: precisava de ")
    assert cities.view().seq == 0
    assert sorted(path.name.partition("-")[0] for path in tmp_path.iterdir()) == ["journal.sqlite"] * 3


def test_the_camera_of_the_table_is_read_too_and_may_be_lost(tmp_path: Path) -> None:
    sees: list[Image | None] = [None, cloth()]
    cities = Cities(Journal(tmp_path / "journal.sqlite"), PhotoEyes(OneSet()), lambda: sees.pop(0))
    assert cities.view().has_camera
    said = [cities.request(CityRequest(f"tap-{n}", 0, ReadCamera())).said.en for n in range(2)]
    assert said[0].startswith("The table's camera gives no picture now.")
    assert said[1].startswith("camera: wanted ")


def test_a_broken_tile_set_is_said_and_stays_as_it_was(tmp_path: Path) -> None:
    shelf = TileShelf(tmp_path)
    shelf.path_of("my box").write_text('{"kind": "overboard-tiles"', encoding="utf-8")
    cities = Cities(Journal(tmp_path / "journal.sqlite"), PhotoEyes(shelf))
    receipt = cities.request(CityRequest("a-tap", 0, ReadPicture(jpeg(cloth()), "x.jpg")))
    assert "The tile set my box cannot be read" in receipt.said.en
    assert shelf.path_of("my box").read_text(encoding="utf-8") == '{"kind": "overboard-tiles"'


def test_cities_stand_in_the_real_journal_whatever_is_watched(tmp_path: Path) -> None:
    simulated, real = Journal(tmp_path / "sim-journal.sqlite"), Journal(tmp_path / "journal.sqlite")
    opened = open_cities(tmp_path / "journal.sqlite", simulated, OneSet(), None)
    shared = open_cities(tmp_path / "journal.sqlite", real, OneSet(), None)
    assert opened is not None
    assert opened.journal is not None
    assert opened.journal.path == real.path
    assert shared is not None
    assert shared.journal is None
    opened.close()
    opened.close()
    (tmp_path / "other.sqlite").write_text("no journal")
    assert open_cities(tmp_path / "other.sqlite", simulated, OneSet(), None) is None, "the table plays without"


@pytest.mark.slow
def test_a_phones_photograph_becomes_a_city_of_the_result(tmp_path: Path) -> None:
    """Both ends together: a painted room teaches its tiles, a photograph of the same room is read from its bytes."""
    folder = simulate_city_folder(tmp_path / "room", CityPlan(5, 1))
    room = random_room(KIT, np.random.default_rng(5))
    shelf = TileShelf(tmp_path / "tiles")
    shelf.keep(tiles_of_folder(folder, "my box", "2030-01-01T00:00:00Z"))
    cities = Cities(Journal(tmp_path / "journal.sqlite"), PhotoEyes(shelf))
    photo = painted_photo(room, np.random.default_rng(50), 20, size_px=(2400, 1800))
    receipt: Receipt = cities.request(CityRequest("a-tap", 0, ReadPicture(jpeg(photo.image), "x.jpg")))
    assert receipt.said.en == "One city read."
    (city,) = cities.view().cities
    truth = photo.truths[0]["city"]
    faces = sorted(slot["floors"][-1]["type"] for row in truth for slot in row if slot)
    kinds = {"T": "tower", "S": "shop", "V": "service", "P": "park", "F": "factory", "H": "harbor"}
    seen = sorted(kinds[slot.building.face[0]] for slot in city.slots if slot.building)
    assert len(seen) >= len(faces) - 1
    assert sum(one in faces for one in seen) >= len(faces) - 1
    assert len([slot for slot in city.slots if len(slot.outline_px) == 4]) == SLOTS
    width, height = city.size_px
    assert all(0 <= x <= width and 0 <= y <= height for slot in city.slots for x, y in slot.outline_px)
