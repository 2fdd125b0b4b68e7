"""Squares that did not change are not read again; colours are told by the company of the picture's sure pieces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from table.reading import taught_by
from table.setup_folder import read_setup
from vision.detect.pyramid_net import CLASSES, CODE, EMPTY, HIDDEN, STANDING, colour_odds, colours_in_company, unchanged
from vision.detect.pyramids import PyramidDetector
from vision.frame import Image, read_picture
from vision.observe import View

STILLS = Path(__file__).parents[1] / "data" / "gridlock-stills-102"
Floats = NDArray[np.float32]


class Watched(PyramidDetector):
    """Tells which squares its network looked at in each picture."""

    def __init__(self) -> None:
        setup = read_setup(STILLS)
        taught = taught_by(setup)
        super().__init__(taught.kit, taught)  # type: ignore[arg-type]
        self.pose, self.looked_at = taught.pose, []  # type: ignore[var-annotated]
        read = self._net._raw

        def raw(pairs: NDArray[np.uint8], extra: Floats) -> Floats:
            self.looked_at[-1] += len(pairs)
            return read(pairs, extra)

        self._net._raw = raw  # type: ignore[method-assign]

    def see(self, image: Image) -> dict[str, object]:
        self.looked_at.append(0)
        return {str(s.cell): s.best for s in self.look(View(image, self.pose)).sightings}


def noisy(image: Image, seed: int) -> Image:
    noise = np.random.default_rng(seed).normal(0, 1.5, image.shape)
    return np.asarray(np.clip(image + noise, 0, 255), np.uint8)


@pytest.fixture(scope="module")
def pictures() -> tuple[Image, Image]:
    setup = read_setup(STILLS)
    return read_picture(STILLS / setup.frames[0]), read_picture(STILLS / setup.frames[1])


def test_only_what_changed_is_read_again(pictures: tuple[Image, Image]) -> None:
    one, other = pictures
    detector = Watched()
    first = detector.see(one)
    again = detector.see(noisy(one, 3))
    assert again == first
    assert detector.looked_at[0] > 0
    assert detector.looked_at[1] == 0, "the same board but for noise"
    x, y = (int(v) for v in detector.pose.to_px(np.array([[125.0, 125.0, 0.0]]))[0])
    changed = noisy(one, 4)
    changed[y - 12 : y + 12, x - 12 : x + 12] = (40, 40, 200)
    detector.see(changed)
    assert 0 < detector.looked_at[2] < 40, "the square and its neighbours, and those again that are in doubt"
    assert detector.see(other) == Watched().see(other), "what stood there before is forgotten"


def test_a_change_beside_a_square_is_a_change_of_its_patch() -> None:
    rng = np.random.default_rng(1)
    pairs = rng.integers(90, 95, (6, 64, 64, 6), dtype=np.uint8)
    after = pairs + rng.integers(0, 3, pairs.shape, dtype=np.uint8)
    after[4, 2:8, 2:8, :3] += 25
    assert list(unchanged(after, pairs)) == [True, True, True, True, False, True]
    after[2, 20:40, 20:40, 3:] += 60
    assert unchanged(after, pairs)[2], "the empty board is not the picture"


TAUGHT = np.zeros((2, CODE), np.float32)
TAUGHT[0, 0], TAUGHT[1, 0] = -4, 4


def codes_at(*places: tuple[float, float]) -> Floats:
    out = np.zeros((len(places), CODE), np.float32)
    out[:, :2] = places
    return out


def classes_of(*kinds: int) -> Floats:
    out = np.full((len(kinds), CLASSES), 1e-4, np.float32)
    out[np.arange(len(kinds)), kinds] = 1 - 1e-4 * (CLASSES - 1)
    return out


def test_a_doubtful_colour_is_that_of_the_sure_piece_it_looks_like() -> None:
    # The middle one is a hair nearer to the second taught colour, but looks like a sure piece of the first.
    codes = codes_at((-1.5, 3), (0.1, 3), (4, 0))
    alone = colour_odds(codes, TAUGHT)
    assert alone[1].argmax() == 1
    assert colours_in_company(codes, classes_of(STANDING, STANDING, STANDING), TAUGHT)[1].argmax() == 0


@pytest.mark.parametrize("kind", [EMPTY, HIDDEN], ids=["an empty square", "an arm"])
def test_only_pieces_are_company(kind: int) -> None:
    codes = codes_at((-1.5, 3), (0.1, 3), (4, 0))
    assert colours_in_company(codes, classes_of(kind, STANDING, STANDING), TAUGHT)[1].argmax() == 1


def test_nobody_is_company_to_himself_and_an_empty_board_has_none() -> None:
    codes = codes_at((-1.5, 3), (0.1, -9))
    odds = colours_in_company(codes, classes_of(STANDING, STANDING), TAUGHT)
    assert odds[0] == pytest.approx(colour_odds(codes, TAUGHT)[0], abs=1e-5)
    nobody = classes_of(EMPTY, EMPTY)
    assert colours_in_company(codes, nobody, TAUGHT) == pytest.approx(colour_odds(codes, TAUGHT))
