"""The van among arms, glare and shadows: change maps drawn by hand, 5 mm a pixel, the board in the middle."""

from __future__ import annotations

import numpy as np
import pytest

from vision.detect.van import SPAN_PX, strengths

SQUARE_MM = 50.0
MIDDLE, HALF = SPAN_PX // 2, 40


def quiet() -> np.ndarray:
    """Noise everywhere, and a rim that the picture does not reach."""
    out = np.random.default_rng(1).uniform(0.002, 0.02, (SPAN_PX, SPAN_PX)).astype(np.float32)
    out[:6] = out[-6:] = 0
    out[:, :6] = out[:, -6:] = 0
    return out


def at(seat: int, changed: np.ndarray, far: int = 20, size: tuple[int, int] = (6, 12)) -> np.ndarray:
    """A blob in front of a seat (0 south, 1 west, 2 north, 3 east), `far` px off the squares."""
    dx, dy = ((0, 1), (-1, 0), (0, -1), (1, 0))[seat]
    x, y = MIDDLE + dx * (HALF + far), MIDDLE + dy * (HALF + far)
    changed[y - size[0] // 2 : y + size[0] // 2, x - size[1] // 2 : x + size[1] // 2] = 0.3
    return changed


@pytest.mark.parametrize("seat", range(4))
def test_a_blob_of_a_vans_size_speaks_for_its_seat(seat: int) -> None:
    found = strengths(at(seat, quiet()), SQUARE_MM)
    assert int(found.argmax()) == seat
    assert sorted(found)[:3] == [0, 0, 0]


def test_nothing_new_speaks_for_nobody() -> None:
    assert not strengths(quiet(), SQUARE_MM).any()


def test_an_arm_is_no_van_and_does_not_hide_one() -> None:
    changed = at(3, quiet())
    changed[60:74, 4 : MIDDLE + 10] = 0.35
    found = strengths(changed, SQUARE_MM)
    assert found[1] == 0
    assert int(found.argmax()) == 3


def test_glare_on_the_boards_frame_and_pieces_are_no_van() -> None:
    changed = quiet()
    changed[MIDDLE - HALF - 3 : MIDDLE - HALF + 2, MIDDLE - 8 : MIDDLE + 9] = 0.3
    changed[MIDDLE : MIDDLE + 7, MIDDLE : MIDDLE + 12] = 0.4
    assert not strengths(changed, SQUARE_MM).any()


@pytest.mark.parametrize("size", [(2, 2), (40, 50)], ids=["a crumb", "a tray"])
def test_what_is_much_smaller_or_larger_is_no_van(size: tuple[int, int]) -> None:
    assert not strengths(at(2, quiet(), 22, size), SQUARE_MM).any()
