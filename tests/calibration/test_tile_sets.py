"""A tile set is kept whole or not at all, under a plain name, and read with care."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.errors import CalibrationFailed
from calibration.tile_sets import ENDING, TaughtTiles, TileShelf, shelf_in, taught_tiles
from calibration.tiles import SquaredTile
from table.sim.city_art import random_edition, tile_texture
from vision.detect.city_border import Border, ground_of
from vision.detect.city_faces import CROP_PX, PX_PER_MM, white_of
from vision.detect.city_square import Spot
from vision.kits.quadropolis import CLASSIC_FACES, Face, QuadropolisKit

KIT = QuadropolisKit()


def squared(faces: tuple[Face, ...]) -> list[SquaredTile]:
    """Drawn tiles as they would be found: upright, sharp, each type with its own illustration."""
    look = random_edition(KIT, np.random.default_rng(11))
    found = []
    for face in faces:
        art = len(face.type)
        fine, _ = tile_texture(KIT, look, face, face.type, art, 4 * PX_PER_MM)
        side = round(KIT.tile_mm * PX_PER_MM)
        tile = cv2.resize(fine, (side, side), interpolation=cv2.INTER_AREA)
        patch = np.full((CROP_PX, CROP_PX, 3), 90, np.uint8)
        edge = (CROP_PX - side) // 2
        patch[edge : edge + side, edge : edge + side] = tile
        ground, _ = ground_of(patch, 42.0, PX_PER_MM)
        found.append(SquaredTile(face, patch, Border(Spot(3.0, 4.0, 0.5), 42.3, 0.05, 24, ground), white_of(patch)))
    return found


@pytest.fixture(scope="module")
def taught() -> TaughtTiles:
    mat = np.random.default_rng(2).integers(0, 255, (268, 268, 3), np.uint8)
    return taught_tiles("my box", "2026-01-01T00:00:00Z", KIT, squared(CLASSIC_FACES), 46.9, mat)


def test_what_is_kept_is_taken(taught: TaughtTiles, tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path / "new")
    assert shelf.names() == ()
    path = shelf.keep(taught)
    again = TileShelf(path.parent).taken("my box")
    assert (again.name, again.made_utc, again.kit, again.frame_mm) == ("my box", taught.made_utc, KIT, 46.9)
    np.testing.assert_array_equal(np.asarray(again.mat), np.asarray(taught.mat))
    assert [face.face for face in again.tiles.faces] == list(CLASSIC_FACES)
    for one, two in zip(again.squared, taught.squared, strict=True):
        np.testing.assert_array_equal(one.patch, two.patch)
        assert one.border.spot == two.border.spot
        np.testing.assert_array_equal(one.white, two.white)
    assert shelf.names() == ("my box",)
    assert shelf.taken("my box") is shelf.taken("my box")


def test_the_newest_set_comes_first(taught: TaughtTiles, tmp_path: Path) -> None:
    shelf = TileShelf(tmp_path)
    path = shelf.keep(taught)
    (tmp_path / ("older" + ENDING)).write_text("{}", encoding="utf-8")
    os.utime(tmp_path / ("older" + ENDING), ns=(1, 1))
    (tmp_path / (".hidden" + ENDING)).write_text("{}", encoding="utf-8")
    assert shelf.names() == ("my box", "older")
    assert path.name == "my box" + ENDING


@pytest.mark.parametrize("name", ["../x", "a/b", "a\\b", ".x", "", " x", "x" * 41, "a\nb", "..", "C:x", "x\0y"])
def test_a_name_that_leads_elsewhere_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(CalibrationFailed, match="wanted 1 to 40 letters, digits, spaces or hyphens"):
        TileShelf(tmp_path).taken(name)
    with pytest.raises(CalibrationFailed, match="wanted 1 to 40 letters"):
        taught_tiles(name, "", KIT, ())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_save_that_fails_leaves_the_old_set(taught: TaughtTiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                              step: str) -> None:
    path = TileShelf(tmp_path).keep(taught)
    before = path.read_bytes()

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match="No space"):
        TileShelf(tmp_path).keep(taught)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def changed(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    body = json.loads(path.read_text(encoding="utf-8"))
    change(body)
    path.write_text(json.dumps(body), encoding="utf-8")


BROKEN: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "newer": (lambda b: b.update(version=2), "version: wanted version 1, found 2"),
    "another file": (lambda b: b.update(kind="overboard-profile"), "kind: wanted 'overboard-tiles'"),
    "an unknown key": (lambda b: b.update(extra=1), "extra: wanted no such key"),
    "no tiles": (lambda b: b.update(tiles=[]), "tiles: wanted 1 to 60 tiles"),
    "a side": (lambda b: b["tiles"][2].update(side_mm=400), r"tiles\[2\].side_mm: wanted a length from 15 to 200 mm"),
    "a face": (lambda b: b["tiles"][1]["face"].update(type="castle"), r"tiles\[1\].face.type: wanted tower or shop"),
    "a count": (lambda b: b["tiles"][1]["face"].update(vp=12), r"tiles\[1\].face: wanted counts from 0 to 9"),
    "no picture": (lambda b: b["tiles"][0].update(patch="%%"), r"tiles\[0\].patch: wanted a PNG picture of 192x192"),
    "another picture": (lambda b: b.update(mat=b["tiles"][0]["patch"]), "mat: wanted a PNG picture of 268x268"),
    "a white": (lambda b: b["tiles"][3].update(white=[1, 2]), r"tiles\[3\].white: wanted 3 numbers"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_set_is_refused_with_its_place(name: str, taught: TaughtTiles, tmp_path: Path) -> None:
    path = TileShelf(tmp_path).keep(taught)
    change, words = BROKEN[name]
    changed(path, change)
    before = path.read_bytes()
    with pytest.raises(CalibrationFailed, match=words) as refused:
        TileShelf(tmp_path).taken("my box")
    assert str(path) in str(refused.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b"[]", b'{"kind": "overboard-tiles"}'])
def test_what_is_no_set_is_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / ("x" + ENDING)).write_bytes(data)
    with pytest.raises(CalibrationFailed, match=r"teach the tiles again|correct it there|name a calibration profile"):
        TileShelf(tmp_path).taken("x")


def test_a_set_that_is_not_there_names_those_that_are(taught: TaughtTiles, tmp_path: Path) -> None:
    TileShelf(tmp_path).keep(taught)
    with pytest.raises(CalibrationFailed, match=r"wanted the tile set 'other', found none .*there are: my box"):
        TileShelf(tmp_path).taken("other")


def test_two_faces_that_look_alike_are_reported() -> None:
    tiles = squared(CLASSIC_FACES)
    twin = SquaredTile(Face("factory", energy=2), tiles[9].patch, tiles[9].border, tiles[9].white)
    alike = taught_tiles("x", "", KIT, [*tiles[:10], twin, *tiles[11:]]).alike
    assert [{one.word, other.word} for one, other in alike] == [{"F1", "F2"}]


def test_a_clear_set_has_none_alike(taught: TaughtTiles) -> None:
    assert taught.alike == ()
