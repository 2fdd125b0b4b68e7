"""The self-check tells a good calibration from a bad one, and says why."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from calibration.check import Grade, Report, cell_px, check, grid_offset, line_blur
from rules.words import Colour
from vision.palette import Palette
from vision.pose import BoardPose

SQUARE_MM = 50.0


def two(distance: float) -> Palette:
    return Palette((Colour("red"), Colour("orange")), np.array([[50.0, 0, 0], [50.0, distance, 0]]), np.zeros(2))


def test_a_good_calibration_is_called_good(report: Report) -> None:
    assert report.grade is Grade.GOOD
    assert report.offset_cells == pytest.approx((0, 0), abs=0.01)
    assert report.closest is not None
    assert report.closest[:2] == ("red", "orange")
    assert report.closest[2] == pytest.approx(37.7, abs=0.1)
    assert len(report.verdict) == 5


@pytest.mark.parametrize(("x", "y"), [(1 / 3, 0), (0, 1 / 3), (-1 / 3, 0.1), (0.2, -0.25), (0.05, 0.02)])
def test_c3_a_grid_beside_the_board_is_measured(drawn: Any, x: float, y: float) -> None:
    gray = cv2.cvtColor(drawn.image, cv2.COLOR_BGR2GRAY)
    found = grid_offset(np.asarray(gray, np.uint8), drawn.shifted(x, y), SQUARE_MM)
    # The board's lines lie on the other side of the grid than the grid of the board's lines.
    assert found == pytest.approx((-x, -y), abs=0.02)


@pytest.mark.parametrize(("x", "grade", "part"), [
    (1 / 3, Grade.BAD, "The grid lies 33% of a square beside the board's lines; at most 15%: move the corners"),
    (0.1, Grade.USABLE, "look at the grid on the phone"), (0.02, Grade.GOOD, "The grid lies 2% of a square"),
], ids=["a third of a cell", "a tenth", "nothing to speak of"])
def test_c3_a_shifted_grid_is_noticed(drawn: Any, x: float, grade: Grade, part: str) -> None:
    report = check(drawn.image, drawn.shifted(x, 0.0), SQUARE_MM)
    assert report.grade is grade
    assert any(part in said.en for said in report.verdict)


def test_pieces_on_the_board_do_not_disturb_the_check(drawn: Any) -> None:
    image = drawn.image.copy()
    rng = np.random.default_rng(3)
    for x, y in drawn.pose.to_px(rng.uniform(25, 375, (16, 2))):
        cv2.circle(image, (round(x), round(y)), 16, (30, 40, 220), -1)
    report = check(image, drawn.pose, SQUARE_MM)
    assert report.offset_cells == pytest.approx((0, 0), abs=0.03)


@pytest.mark.parametrize("kind", ["no board", "even grey"])
def test_no_grid_seen_is_said_and_not_guessed(drawn: Any, kind: str) -> None:
    noise = np.random.default_rng(2).integers(0, 255, drawn.image.shape, dtype=np.uint8)
    image = noise if kind == "no board" else np.full_like(drawn.image, 120)
    report = check(image, drawn.pose, SQUARE_MM)
    assert report.offset_cells is None
    assert any("could not be checked" in said.en for said in report.verdict)


@pytest.mark.parametrize(("residual_px", "grade"), [(0.2, Grade.GOOD), (2.4, Grade.USABLE), (6.0, Grade.BAD)])
def test_the_residual_counts_in_cell_widths(drawn: Any, residual_px: float, grade: Grade) -> None:
    pose = BoardPose(drawn.pose.camera, drawn.pose.rvec, drawn.pose.tvec, residual_px)
    report = check(drawn.image, pose, SQUARE_MM)
    assert report.residual_cells == pytest.approx(residual_px / cell_px(pose, SQUARE_MM))
    assert report.grade is grade


@pytest.mark.parametrize(("distance", "grade", "part"), [
    (40.0, Grade.GOOD, "40 apart"), (12.0, Grade.USABLE, "rather alike"),
    (6.0, Grade.BAD, "red and orange look too much alike in this light (6 apart, at least 9): change one"),
])
def test_colours_too_close_are_named(drawn: Any, distance: float, grade: Grade, part: str) -> None:
    report = check(drawn.image, drawn.pose, SQUARE_MM, two(distance))
    assert report.grade is grade
    assert any(part in said.en for said in report.verdict)


def test_one_colour_has_no_nearest(drawn: Any) -> None:
    one = Palette((Colour("red"),), np.zeros((1, 3)), np.zeros(1))
    assert check(drawn.image, drawn.pose, SQUARE_MM, one).closest is None


@pytest.mark.parametrize("sigma_px", [1.0, 2.0, 4.0])
def test_c8_the_blur_is_measured_in_px(drawn: Any, sigma_px: float) -> None:
    blurred = np.asarray(cv2.GaussianBlur(drawn.image, (0, 0), sigma_px), np.uint8)
    assert line_blur(blurred[..., 0], drawn.pose, SQUARE_MM) == pytest.approx(np.hypot(sigma_px, 0.5), rel=0.3)


@pytest.mark.parametrize(("spoil", "grade", "part"), [
    (lambda image: cv2.GaussianBlur(image, (0, 0), 2.5), Grade.USABLE, "not sharp: the board's lines are blurred by"),
    (lambda image: cv2.GaussianBlur(image, (0, 0), 6), Grade.BAD, "at most 8%: focus the lens on the board"),
    (lambda image: np.full_like(image, 130), Grade.BAD, "no edges at all"),
    (lambda image: image // 16, Grade.BAD, "too dark: bring a lamp"),
    (lambda image: np.where(np.arange(image.shape[1])[:, None] < 220, 255, image).astype(np.uint8), Grade.USABLE,
     "turn the lamp aside"),
], ids=["C8 soft", "C8 blurred", "cap on", "dark", "glare"])
def test_bad_light_and_a_blurred_lens_are_said(drawn: Any, spoil: Any, grade: Grade, part: str) -> None:
    report = check(spoil(drawn.image), drawn.pose, SQUARE_MM)
    assert report.grade is grade
    assert any(part in said.en for said in report.verdict)
