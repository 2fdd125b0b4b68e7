"""The annotated picture: drawn on a copy, in the right place, and honest where the board is lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rules.words import Cell, Colour, Piece
from vision.frame import read_picture
from vision.kits.gridlock import GridlockKit
from vision.observation import BoardState, Observation, Sighting
from vision.overlay import drawn

KIT = GridlockKit(50.0)
CORNERS = np.array([[40.0, 440.0], [440.0, 440.0], [440.0, 40.0], [40.0, 40.0]])
PLAIN = np.full((480, 480, 3), 100, np.uint8)


def seen(cells: dict[Cell, Piece], hidden: frozenset[Cell] = frozenset()) -> Observation:
    sightings = tuple(Sighting(cell, ((piece, 0.9),)) for cell, piece in cells.items())
    return Observation(1, 1, BoardState.STEADY, sightings, hidden, bool(hidden), CORNERS)


def changed(picture: np.ndarray, cell: Cell) -> int:
    """How many pixels inside a cell are not the plain picture's."""
    x, y = 40 + 50 * cell.col, 440 - 50 * (cell.row + 1)
    return int((picture[y + 6 : y + 44, x + 6 : x + 44] != 100).any(axis=2).sum())


def test_a_piece_is_drawn_on_its_cell_and_on_a_copy() -> None:
    out = drawn(PLAIN, seen({Cell(2, 5): Piece("large", Colour("red"))}), KIT)
    assert changed(out, Cell(2, 5)) > 40
    assert changed(out, Cell(6, 1)) == 0
    assert (PLAIN == 100).all()


def test_a_lying_piece_points_its_way() -> None:
    cell = Cell(4, 4)
    east = drawn(PLAIN, seen({cell: Piece("small", Colour("red"), 1)}), KIT)
    west = drawn(PLAIN, seen({cell: Piece("small", Colour("red"), 3)}), KIT)
    row, left, right = 440 - 225, slice(245, 260), slice(272, 285)
    assert (east[row, right] != 100).any()
    assert (west[row, left] != 100).any()
    assert (east[row - 1 : row + 2, right] != west[row - 1 : row + 2, right]).any()


def test_a_hidden_cell_is_crossed_out() -> None:
    assert changed(drawn(PLAIN, seen({}, frozenset({Cell(0, 0)})), KIT), Cell(0, 0)) > 40


def test_a_lost_board_is_told_in_the_picture() -> None:
    lost = Observation(1, 1, BoardState.LOST, (), why="no board: look at the camera")
    assert (drawn(PLAIN, lost, KIT) != PLAIN).any()


def test_it_draws_on_a_real_picture(tmp_path: Path) -> None:
    folder = Path(__file__).parents[1] / "data" / "gridlock-stills-102"
    image = read_picture(folder / "0002.jpg")
    assert drawn(image, seen({Cell(0, 0): Piece("medium", Colour("blue"), 2)}), KIT).shape == image.shape
