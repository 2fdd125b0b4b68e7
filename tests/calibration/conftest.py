"""A drawn chessboard under a known camera, a palette, and a finished profile."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import pytest

from calibration.check import Report, check
from calibration.profile import Profile
from rules.words import Colour
from vision.frame import Image, Points
from vision.palette import Palette
from vision.pose import BoardPose, CameraModel

SQUARE_MM = 50.0


@dataclass(frozen=True)
class Drawn:
    """A picture of an empty board and the truth about it."""

    image: Image
    pose: BoardPose

    def corners_px(self) -> Points:
        """a1, a8, h8, h1."""
        edge = 8 * SQUARE_MM
        return self.pose.to_px(np.array([[0, 0], [0, edge], [edge, edge], [edge, 0]], dtype=np.float64))

    def shifted(self, x_cells: float, y_cells: float) -> BoardPose:
        """The pose of a grid that lies beside the board."""
        rotation, _ = cv2.Rodrigues(self.pose.rvec)
        move = rotation @ np.array([x_cells * SQUARE_MM, y_cells * SQUARE_MM, 0.0])
        return BoardPose(self.pose.camera, self.pose.rvec, self.pose.tvec + move, self.pose.residual_px)


def draw_board(noise: float = 3.0, seed: int = 1) -> Drawn:
    """The plane seen through the lens, pixel by pixel; a1 is dark."""
    camera = CameraModel(np.array([[620.0, 0, 319.5], [0, 620.0, 239.5], [0, 0, 1]]),
                         np.array([-0.12, 0.02, 0.0, 0.0, 0.0]), (640, 480))
    # The camera looks down: the board's x to the right, its y up in the picture, so z away from the camera.
    down = cv2.Rodrigues(np.array([0.25, 0.1, 0.03]))[0] @ np.diag([1.0, -1.0, -1.0])
    rvec = np.asarray(cv2.Rodrigues(down)[0], np.float64).ravel()
    rotation, _ = cv2.Rodrigues(rvec)
    tvec = -rotation @ np.array([200.0, 200.0, 0.0]) + np.array([5.0, -8.0, 640.0])
    pose = BoardPose(camera, rvec, tvec, 0.2)
    # Twice as fine, then halved: edges as soft as a camera's.
    u, v = np.meshgrid((np.arange(1280) + 0.5) / 2 - 0.5, (np.arange(960) + 0.5) / 2 - 0.5)
    mm = pose.to_mm(np.stack([u.ravel(), v.ravel()], axis=1)) / SQUARE_MM
    inside = ((mm >= 0) & (mm < 8)).all(axis=1)
    light = (np.floor(mm).sum(axis=1) % 2) == 1
    gray = np.where(inside, np.where(light, 190.0, 70.0), 120.0).reshape(960, 1280)
    small = cv2.resize(gray, (640, 480), interpolation=cv2.INTER_AREA)
    small = small + np.random.default_rng(seed).normal(0, noise, small.shape)
    return Drawn(np.repeat(np.clip(small, 0, 255).astype(np.uint8)[..., None], 3, axis=2), pose)


@pytest.fixture(scope="session")
def drawn() -> Drawn:
    return draw_board()


@pytest.fixture(scope="session")
def palette() -> Palette:
    return Palette((Colour("red"), Colour("orange"), Colour("blue")),
                   np.array([[45.0, 60, 40], [65.0, 40, 65], [35.0, 15, -50]]), np.array([3.0, 2.5, 2.0]),
                   np.array([[1, 0, 2], [0, 1, 5], [3, 3, 3]], np.float32))


@pytest.fixture(scope="session")
def report(drawn: Drawn, palette: Palette) -> Report:
    return check(drawn.image, drawn.pose, SQUARE_MM, palette)


@pytest.fixture(scope="session")
def profile(drawn: Drawn, palette: Palette, report: Report) -> Profile:
    return Profile("2026-05-04T19:30:00Z", "gridlock", SQUARE_MM, drawn.pose, palette, "reference.png", report)
