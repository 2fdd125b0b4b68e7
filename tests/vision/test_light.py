"""Lamps: the gain field between two lights, and what is said of a bad picture."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.light import linear, quality, relight


def board(rng: np.random.Generator) -> np.ndarray:
    """(400, 400, 3) uint8: squares of two greys and some texture."""
    index = np.arange(400) // 50
    odd = (index[:, None] + index[None, :]) % 2
    grey = np.where(odd, 190, 70)[..., None] + rng.normal(0, 4, (400, 400, 3))
    return np.clip(grey, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("pieces", [0, 24, 58])
def test_the_gain_between_two_lamps_is_found_under_pieces_and_shadows(pieces: int) -> None:
    rng = np.random.default_rng(pieces)
    before = linear(board(rng))
    y, x = np.mgrid[-1:1:400j, -1:1:400j]
    truth = np.stack([1.3 + 0.2 * x, 1.0 + 0.15 * y, 0.7 - 0.1 * x * y], axis=2).astype(np.float32)
    now = before * truth
    for square in rng.choice(64, pieces, replace=False):
        col, row = 50 * (square % 8) + 14, 50 * (square // 8) + 14
        now[row : row + 20, col : col + 22] = rng.uniform(0.02, 0.6, 3)
        now[row + 20 : row + 34, col : col + 34] *= 0.4
    gain = relight(now, before).gain
    assert np.abs(np.log(gain / truth)).max() < 0.15
    assert np.abs(np.log(gain / truth)).mean() < 0.04


def test_an_unchanged_lamp_has_a_gain_of_one() -> None:
    before = linear(board(np.random.default_rng(3)))
    found = relight(before, before)
    assert found.gain == pytest.approx(1.0, abs=1e-3)
    assert found.agreement == 1.0


@pytest.mark.parametrize(
    ("spoil", "trouble"),
    [
        (lambda g: g, ""),
        (lambda g: (g * 0.08).astype(np.uint8), "too dark"),
        (lambda g: cv2.GaussianBlur(g, (0, 0), 14), "not sharp"),
    ],
    ids=["a good picture", "a dark room", "a lens out of focus"],
)
def test_a_bad_picture_is_named(spoil, trouble: str) -> None:  # type: ignore[no-untyped-def]
    grey = board(np.random.default_rng(1))[..., 0]
    assert quality(spoil(grey), None).trouble == trouble


def test_a_repeated_picture_has_no_noise_and_a_real_one_has() -> None:
    rng = np.random.default_rng(2)
    grey = board(rng)[..., 0]
    again = np.clip(grey + rng.normal(0, 1.5, grey.shape), 0, 255).astype(np.uint8)
    assert quality(grey, grey).noise == 0.0
    assert quality(again, grey).noise > 0.3
