"""Pieces, colours, van and hands, read from whole pictures whose truth is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibration.errors import CalibrationFailed
from calibration.teach import Sample, teach
from rules.words import Cell, Colour
from table.reading import ReadLine, line_of, read_folder, reader_of, taught_by
from table.setup_folder import read_setup
from vision.detect.pyramid_net import CLASSES, LYING, _class_order, quiet, turned
from vision.frame import Frame, read_picture
from vision.kits.gridlock import GridlockKit
from vision.observe import unchanged

DATA = Path(__file__).parents[1] / "data"
STILLS, GAME = DATA / "gridlock-stills-102", DATA / "gridlock-game-111"


def truth_of(folder: Path) -> dict[str, Any]:
    return {f["frame"]: f for f in json.loads((folder / "scene.json").read_text())["frames"]}


def compared(line: ReadLine, truth: dict[str, Any]) -> tuple[int, int]:
    """Squares seen and squares right, in one picture."""
    said = {p["square"]: p for p in line.body["position"]["pieces"]}
    real = {p["square"]: p for p in truth["pieces"]}
    names = [f"{c}{r}" for c in "abcdefgh" for r in range(1, 9)]
    seen = [n for n in names if n not in line.body["hidden"]]
    return len(seen), sum(said.get(n) == real.get(n) for n in seen)


@pytest.fixture(scope="module")
def stills() -> list[ReadLine]:
    return list(read_folder(STILLS))


def test_squares_are_read_right_under_two_lamps_and_beside_hands(stills: list[ReadLine]) -> None:
    truth = truth_of(STILLS)
    counts = np.array([compared(line, truth[line.frame]) for line in stills])
    assert counts[:, 1].sum() / counts[:, 0].sum() >= 0.99
    open_ = [c for c, line in zip(counts, stills, strict=True) if not truth[line.frame]["hand"]]
    assert sum(a == b for a, b in open_) >= len(open_) - 1


def test_corners_are_found_to_an_eighth_of_a_square(stills: list[ReadLine]) -> None:
    truth = truth_of(STILLS)
    for line in stills:
        real = truth[line.frame]["corners"]
        side = np.linalg.norm(np.subtract(real["a1"], real["h1"])) / 8
        worst = max(np.linalg.norm(np.subtract(line.body["corners"][n], real[n])) for n in real)
        assert worst / side < 0.12, line.frame


def test_the_van_is_seen_in_front_of_its_seat(stills: list[ReadLine]) -> None:
    truth = truth_of(STILLS)
    right = [line.body["position"]["van"] == truth[line.frame]["van"] for line in stills]
    assert sum(right) >= len(right) - 1


def test_a_hand_hides_some_squares_and_no_hand_hides_none(stills: list[ReadLine]) -> None:
    truth = truth_of(STILLS)
    for line in stills:
        hidden = len(line.body["hidden"])
        assert (3 <= hidden <= 30) if truth[line.frame]["hand"] else hidden <= 1, line.frame


def test_a_picture_in_which_nothing_changed_is_answered_with_the_last_reading() -> None:
    setup = read_setup(STILLS)
    reader = reader_of(taught_by(setup))
    image = read_picture(STILLS / setup.frames[0])
    noise = np.random.default_rng(5).normal(0, 2.0, image.shape)
    again = np.clip(image + noise, 0, 255).astype(np.uint8)
    first = reader.observe(Frame(0, 0, image, ""))
    second = reader.observe(Frame(1, 1, again, ""))
    assert [first.unchanged, second.unchanged] == [False, True]
    assert second.sightings == first.sightings
    assert second.frame_seq == 1


def test_a_lost_board_is_told_and_reads_as_nothing() -> None:
    setup = read_setup(STILLS)
    reader = reader_of(taught_by(setup))
    image = read_picture(STILLS / setup.frames[0])
    grey = np.full_like(image, 90) + np.random.default_rng(1).integers(0, 9, image.shape, dtype=np.uint8)
    seen = reader.observe(Frame(0, 0, grey, ""))
    assert seen.corners_px is None
    assert not seen.sightings
    assert seen.why
    assert line_of("x", seen, GridlockKit(50.0), 1.0)["position"] == {}


def test_a_small_change_is_not_taken_for_noise() -> None:
    rng = np.random.default_rng(0)
    small = rng.integers(80, 90, (308, 410, 3), dtype=np.uint8)
    moved = small.copy()
    moved[100:106, 200:206] += 30
    assert unchanged(small, small)
    assert unchanged(small, small + 2)
    assert not unchanged(moved, small)
    assert not unchanged(small[:300], small)


def teach_with(samples: tuple[Sample, ...]) -> None:
    setup = read_setup(STILLS)
    assert setup.empty is not None
    assert setup.palette is not None
    teach(
        GridlockKit(setup.square_mm or 50.0), read_picture(STILLS / setup.empty),
        read_picture(STILLS / setup.palette.frame), samples, dict(setup.taps),
    )


def test_a_palette_without_its_piece_is_refused_by_name() -> None:
    with pytest.raises(CalibrationFailed, match=r"found none for teal on a1"):
        teach_with((Sample(Cell(0, 0), Colour("teal")),))


def test_one_colour_taught_under_two_names_is_too_close() -> None:
    setup = read_setup(STILLS)
    assert setup.palette is not None
    cell, piece = setup.palette.pieces[0]
    with pytest.raises(CalibrationFailed, match="too close"):
        teach_with((Sample(cell, piece.colour), Sample(cell, Colour("the same again"))))


@pytest.mark.parametrize("k", range(4))
@pytest.mark.parametrize("flip", [False, True], ids=["as it is", "mirrored"])
def test_turning_a_patch_back_gives_the_patch_and_its_class(k: int, flip: bool) -> None:
    rng = np.random.default_rng(k)
    pairs = rng.integers(0, 255, (2, 64, 64, 6), dtype=np.uint8)
    extra = rng.uniform(-10, 40, (2, 5)).astype(np.float32)
    there = turned(pairs, extra, k, flip)
    back = turned(*there, k if flip else -k % 4, flip)
    assert np.array_equal(back[0], pairs)
    assert back[1] == pytest.approx(extra, abs=1e-4)
    order = _class_order(k, flip)
    assert sorted(order) == list(range(CLASSES))
    north_turned_left = LYING + (3 if not flip else 1)
    if k == 1:
        assert order[LYING] == north_turned_left


def test_only_a_square_that_shows_just_noise_is_quiet() -> None:
    rng = np.random.default_rng(4)
    empty = rng.integers(90, 94, (8, 64, 64, 3), dtype=np.uint8)
    pairs = np.concatenate([empty + rng.integers(0, 3, empty.shape, dtype=np.uint8), empty], axis=3)
    extra = np.tile(np.array([[3, -2, 32, 32, 20]], np.float32), (8, 1))
    pairs[2, 28:36, 28:36, :3] += 25
    assert list(quiet(pairs, extra)) == [True, True, False, True, True, True, True, True]
