"""The search for a chessboard with nothing else known: painted, lamps, other sizes, real pictures."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.locate_painter import Table, camera, corners, lit, paint, worst_error
from vision.frame import BadPicture, read_picture
from vision.locate import Chessboard, NoBoard, find_chessboard

SHARED = Path(__file__).parents[3] / "shared"
PHOTOS = SHARED / "photos"
DATA = Path(__file__).parents[1] / "data" / "locate"
needs_photos = pytest.mark.skipif(not PHOTOS.exists(), reason="the shared photographs are not here")


@pytest.mark.parametrize("tilt_deg", [0.0, 15.0, 30.0, 42.0])
@pytest.mark.parametrize("turn_deg", [3.0, 45.0, 100.0])
def test_finds_a_board_from_any_side(tilt_deg: float, turn_deg: float) -> None:
    pose = camera(tilt_deg, turn_deg, fill=0.55)
    board = find_chessboard(paint(Table(pieces=20, seed=int(tilt_deg + turn_deg)), pose))
    assert isinstance(board, Chessboard)
    assert worst_error(board.corners_px, corners(pose)) < 0.06


@pytest.mark.parametrize("k1", [-0.22, 0.0, 0.1])
def test_knows_that_a_lens_bulges(k1: float) -> None:
    pose = camera(12.0, 20.0, k1=k1, fill=0.8)
    board = find_chessboard(paint(Table(), pose))
    assert isinstance(board, Chessboard)
    assert board.seen[1:8, 1:8].all()
    assert worst_error(board.corners_px, corners(pose)) < 0.05


@pytest.mark.parametrize("pieces", [0, 32, 64])
def test_pieces_may_stand_on_every_square(pieces: int) -> None:
    pose = camera(8.0, -14.0)
    board = find_chessboard(paint(Table(pieces=pieces, seed=pieces), pose))
    assert isinstance(board, Chessboard)
    assert worst_error(board.corners_px, corners(pose)) < 0.06


@pytest.mark.parametrize(
    "table",
    [
        Table(frame=(60, 85, 120)),
        Table(frame=(190, 215, 225)),
        Table(frame_squares=0.0, ground=(60, 85, 120)),
        Table(light=(105, 125, 140), dark=(80, 97, 110), frame=(80, 97, 110), noise=1.5),
        Table(light=(235, 235, 235), dark=(30, 30, 30), ground=(230, 230, 230), frame=(20, 20, 20)),
    ],
    ids=["frame as dark squares", "frame as light squares", "ground as dark squares", "wood on wood", "black"],
)
def test_the_border_is_told_from_its_surroundings(table: Table) -> None:
    pose = camera(9.0, 5.0)
    board = find_chessboard(paint(table, pose))
    assert isinstance(board, Chessboard)
    assert worst_error(board.corners_px, corners(pose)) < 0.1


@pytest.mark.parametrize(("name", "wanted"), [
    ("cloth-coarse.jpg", [(369.7, 171.0), (1017.6, 164.6), (973.6, 844.2), (404.1, 744.1)]),
    ("cloth-dark.jpg", [(185.1, 8.6), (820.5, 19.9), (757.4, 532.7), (277.0, 631.1)]),
], ids=["a lattice over every other crossing", "crossings of the cloth that continue the board's"])
def test_a_chequered_cloth_under_the_board_is_not_taken_for_it(name: str, wanted: list[tuple[float, float]]) -> None:
    """Pictures of `table.sim` on which a board was once missed; `wanted` was checked by eye."""
    board = find_chessboard(read_picture(DATA / name))
    assert isinstance(board, Chessboard), board.why
    assert worst_error(board.corners_px, np.array(wanted)) < 0.12


@pytest.mark.parametrize("squares", [(9, 6), (10, 10), (10, 7), (7, 7), (8, 9), (12, 12), (8, 6)])
def test_other_sizes_are_refused(squares: tuple[int, int]) -> None:
    picture = paint(Table(squares=squares), camera(10.0, 12.0, squares=squares))
    found = find_chessboard(picture)
    assert isinstance(found, NoBoard)
    assert "8x8" in found.why


def test_corners_run_clockwise_and_agree_with_the_crossings() -> None:
    board = find_chessboard(paint(Table(), camera(10.0, 30.0)))
    assert isinstance(board, Chessboard)
    grid = board.crossings_px
    assert np.array_equal(board.corners_px, [grid[0, 0], grid[8, 0], grid[8, 8], grid[0, 8]])
    x, y = board.corners_px.T
    assert float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum()) > 0
    assert not board.seen[0].any()
    assert 0.9 < board.confidence <= 1.0


@pytest.mark.parametrize(
    ("gains", "side"),
    [((0.45, 0.75, 1.1), 0.2), ((1.1, 0.95, 0.7), 0.1), ((0.9, 0.9, 0.9), 0.75)],
    ids=["warm desk lamp", "cool ceiling", "daylight from the side"],
)
def test_l1_three_lamps_find_the_same_board(gains: tuple[float, float, float], side: float) -> None:
    """Field report L1: found in daylight but under neither lamp."""
    pose = camera(12.0, -9.0)
    board = find_chessboard(lit(paint(Table(pieces=24), pose), gains, side))
    assert isinstance(board, Chessboard)
    assert worst_error(board.corners_px, corners(pose)) < 0.06


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (lambda picture: (picture * 0.003).astype(np.uint8), "dark"),
        (lambda picture: np.full_like(picture, 252), "bright"),
        (lambda picture: (110 + picture * 0.008).astype(np.uint8), "contrast"),
        (lambda picture: cv2.GaussianBlur(picture, (0, 0), 40), "blurred"),
        (lambda picture: np.random.default_rng(3).integers(0, 255, picture.shape, dtype=np.uint8), "nothing like"),
    ],
    ids=["dark", "bright", "flat", "blurred", "noise"],
)
def test_l1_a_missing_board_has_a_reason(spoil, word: str) -> None:  # type: ignore[no-untyped-def]
    """Field report L1: if none is found, the reason is named, and what to do."""
    found = find_chessboard(spoil(paint(Table(noise=1.0), camera())))
    assert isinstance(found, NoBoard)
    assert word in found.why
    assert ": " in found.why


def test_a_picture_of_the_wrong_kind_is_an_error() -> None:
    with pytest.raises(BadPicture, match="wanted a colour picture"):
        find_chessboard(np.zeros((300, 300), np.uint8))


@needs_photos
@pytest.mark.slow
def test_real_boards() -> None:
    answers = json.loads((PHOTOS / "chessboards" / "corners.json").read_text())
    errors = []
    for name, answer in answers.items():
        board = find_chessboard(read_picture(PHOTOS / "chessboards" / name))
        wanted = np.array(answer["corners"])
        errors.append(worst_error(board.corners_px, wanted) if isinstance(board, Chessboard) else 9.0)
    assert sum(error < 0.5 for error in errors) >= 38
    assert float(np.median(errors)) < 0.10


@needs_photos
@pytest.mark.parametrize("name", ["neural_10.jpg", "aelmiger_08.jpg", "wfahl_baxter083.jpg", "samryan_1512.jpg"])
def test_a_few_hard_real_boards(name: str) -> None:
    wanted = np.array(json.loads((PHOTOS / "chessboards" / "corners.json").read_text())[name]["corners"])
    board = find_chessboard(read_picture(PHOTOS / "chessboards" / name))
    assert isinstance(board, Chessboard)
    assert worst_error(board.corners_px, wanted) < 0.5


@needs_photos
@pytest.mark.parametrize(
    "name",
    ["calib_opencv/left02.jpg", "calib_opencv/right05.jpg", "aruco_opencv/choriginal.jpg", "discs_ensiss/ensiss_1.jpg",
     "grids_scrabble/IMG_20151016_165408.jpg", "tiles_kingdomino/nikobk_30.jpg"],
)
def test_real_pictures_without_a_board(name: str) -> None:
    assert isinstance(find_chessboard(read_picture(PHOTOS / name)), NoBoard)


@needs_photos
@pytest.mark.slow
@pytest.mark.parametrize(
    "folder", ["apriltag", "aruco_opencv", "calib_opencv", "discs_ensiss", "grids_scrabble", "tiles_kingdomino"])
def test_no_real_picture_without_a_board_has_one(folder: str) -> None:
    for path in sorted((PHOTOS / folder).iterdir()):
        if path.suffix in (".jpg", ".png"):
            assert isinstance(find_chessboard(read_picture(path)), NoBoard), path.name
