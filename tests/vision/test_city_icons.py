"""Icons that differ by a digit alone: told apart where they can be, doubted where noise drowns the digit."""

from __future__ import annotations

from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from vision.detect.city_icons import duel, learned

SIDE = 34
WINDOW = SimpleNamespace(rows=(5, 5 + SIDE), cols=(5, 5 + SIDE))


def icon(number: int, ink: float, paper: float, noise: float, rng: np.random.Generator) -> np.ndarray:
    """(SIDE + 10, SIDE + 10, 3) float32: a white card with a ring and a digit in it, blurred as a camera blurs."""
    flat = np.full((SIDE + 10, SIDE + 10), 60, np.uint8)
    flat[7:-7, 7:-7] = 200
    cv2.circle(flat, (SIDE // 2 + 5, SIDE // 2 + 5), 11, (ink,), -1)
    cv2.circle(flat, (SIDE // 2 + 5, SIDE // 2 + 5), 9, (paper,), -1)
    cv2.putText(flat, str(number), (SIDE // 2, SIDE // 2 + 9), cv2.FONT_HERSHEY_SIMPLEX, 0.42, (ink,), 2)
    grain = rng.normal(0, noise, flat.shape).astype(np.float32)
    image = cv2.GaussianBlur(flat.astype(np.float32), (0, 0), 1.0) + grain
    return np.repeat(cv2.GaussianBlur(image, (0, 0), 0.8)[..., None], 3, axis=2)


def odds(ink: float, paper: float, noise: float, seed: int) -> list[tuple[int, list[float]]]:
    """For each digit shown, what the duel says against 1, 2 and 3, learned from one noisy print of each."""
    rng = np.random.default_rng(seed)
    inner = (slice(*WINDOW.rows), slice(*WINDOW.cols))
    icons = learned([((0, 0, n), icon(n, ink, paper, 3.0, rng)[inner]) for n in (1, 2, 3)])
    return [(n, duel(icon(n, ink, paper, noise, rng), icons, WINDOW, (0.4, -0.3))) for n in (1, 2, 3)]


@pytest.mark.parametrize(("ink", "paper"), [(40, 200), (200, 40)], ids=["dark on light", "light on dark"])
@pytest.mark.parametrize("seed", range(4))
def test_a_clear_digit_is_told(ink: float, paper: float, seed: int) -> None:
    for number, lost in odds(ink, paper, 6.0, seed):
        assert int(np.argmin(lost)) + 1 == number
        assert sorted(lost)[1] > 2


def test_a_digit_that_noise_drowns_is_doubted() -> None:
    said = [(number, lost) for seed in range(12) for number, lost in odds(80, 110, 40.0, seed)]
    wrong = [lost for number, lost in said if int(np.argmin(lost)) + 1 != number]
    assert wrong, "the noise is meant to drown digits"
    assert sum(sorted(lost)[1] > 3 for lost in wrong) <= len(said) // 12
