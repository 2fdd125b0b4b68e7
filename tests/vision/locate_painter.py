"""Paints chequered boards under a known camera, for the tests of `vision.locate`; shares nothing with the finder."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.frame import Image, Points
from vision.pose import BoardPose, CameraModel

SQUARE_MM = 50.0
SIZE_PX = (1000, 760)
_PER_SQUARE = 60
_AROUND = 4
_PIECES = np.array([[40, 40, 200], [200, 80, 40], [40, 180, 60], [30, 200, 220]])


@dataclass(frozen=True)
class Table:
    """What is painted: `squares` (columns, rows), colours blue-green-red, `pieces` how many blobs stand on squares."""

    squares: tuple[int, int] = (8, 8)
    light: tuple[int, int, int] = (190, 215, 225)
    dark: tuple[int, int, int] = (60, 85, 120)
    frame: tuple[int, int, int] = (50, 70, 95)
    ground: tuple[int, int, int] = (95, 110, 105)
    frame_squares: float = 0.5
    pieces: int = 0
    noise: float = 2.5
    seed: int = 1


def camera(tilt_deg: float = 10.0, turn_deg: float = 8.0, k1: float = -0.1, shift_mm: tuple[float, float] = (0.0, 0.0),
           focal: float = 0.95, fill: float = 0.62, squares: tuple[int, int] = (8, 8)) -> BoardPose:
    """A camera above the middle of the board, tilted about its x axis and turned about the line of sight.

    `fill`: the board's share of the picture's height; `shift_mm` moves the board on the table.
    """
    width, height = SIZE_PX
    f = focal * width
    lens = CameraModel(np.array([[f, 0, width / 2 + 3], [0, f, height / 2 - 4], [0, 0, 1.0]]),
                       np.array([k1, 0.01, 0.0, 0.0, 0.0]), SIZE_PX)
    distance = f * max(squares) * SQUARE_MM / (fill * height)
    down = np.diag([1.0, -1.0, -1.0])
    tilt, _ = cv2.Rodrigues(np.array([np.deg2rad(tilt_deg), 0.0, 0.0]))
    turn, _ = cv2.Rodrigues(np.array([0.0, 0.0, np.deg2rad(turn_deg)]))
    rotation = tilt @ turn @ down
    middle = np.array([squares[0] * SQUARE_MM / 2 + shift_mm[0], squares[1] * SQUARE_MM / 2 + shift_mm[1], 0.0])
    rvec, _ = cv2.Rodrigues(rotation)
    return BoardPose(lens, rvec.reshape(3), -rotation @ middle + np.array([0.0, 0.0, distance]))


def corners(pose: BoardPose) -> Points:
    """(4, 2) px: the outer corners a1, a8, h8, h1 of an 8x8 board."""
    end = 8 * SQUARE_MM
    return pose.to_px(np.array([[0.0, 0.0], [0.0, end], [end, end], [end, 0.0]]))


def paint(table: Table, pose: BoardPose) -> Image:
    """The picture that the camera of `pose` takes."""
    rng = np.random.default_rng(table.seed)
    cols, rows = table.squares
    size = ((rows + 2 * _AROUND) * _PER_SQUARE, (cols + 2 * _AROUND) * _PER_SQUARE)
    texture = np.empty((*size, 3), np.float32)
    texture[:] = table.ground
    grain = cv2.resize(rng.normal(0, 6, (size[0] // 12, size[1] // 12)).astype(np.float32), size[::-1])
    texture += grain[:, :, None]
    near, rim = _AROUND * _PER_SQUARE, round(table.frame_squares * _PER_SQUARE)
    texture[near - rim:size[0] - near + rim, near - rim:size[1] - near + rim] = table.frame
    for row in range(rows):
        for col in range(cols):
            y, x = near + row * _PER_SQUARE, near + col * _PER_SQUARE
            texture[y:y + _PER_SQUARE, x:x + _PER_SQUARE] = table.dark if (row + col) % 2 == 0 else table.light
    for n in rng.permutation(cols * rows)[: table.pieces]:
        middle = np.array([n % cols + 0.5, n // cols + 0.5]) + rng.normal(0, 0.06, 2)
        at = tuple(int(v) for v in near + middle * _PER_SQUARE)
        colour = tuple(float(v) for v in rng.choice(_PIECES))
        cv2.ellipse(texture, at, (int(rng.integers(12, 24)), 12), float(rng.integers(0, 180)), 0, 360, colour, -1)
    width, height = pose.camera.size_px
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    mm = pose.to_mm(np.stack([x.ravel(), y.ravel()], axis=1)) / SQUARE_MM * _PER_SQUARE + near - 0.5
    maps = mm.astype(np.float32).reshape(height, width, 2)
    seen = cv2.remap(texture, maps, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    seen = cv2.GaussianBlur(seen, (0, 0), 0.8) + rng.normal(0, table.noise, seen.shape)
    return np.clip(seen, 0, 255).astype(np.uint8)


def lit(image: Image, gains: tuple[float, float, float], side: float = 0.0) -> Image:
    """Under another lamp: gains of blue, green and red, and a fall-off from left to right by the factor 1 - `side`."""
    fall = np.linspace(1.0, 1.0 - side, image.shape[1])[None, :, None]
    return np.clip(image * np.array(gains) * fall, 0, 255).astype(np.uint8)


def worst_error(found: Points, wanted: Points) -> float:
    """The largest distance of a corner, in squares, for the best start corner."""
    square = np.linalg.norm(np.roll(wanted, -1, axis=0) - wanted, axis=1).mean() / 8
    gaps = [np.linalg.norm(np.roll(found, turn, axis=0) - wanted, axis=1).max() for turn in range(4)]
    return float(min(gaps) / square)

