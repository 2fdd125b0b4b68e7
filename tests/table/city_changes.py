"""Changes that turn one folder of cities into another, as another camera, lamp or edition would have made it.

A change is the same for all pictures of a folder, and moves the points of its `setup.json` and its truth along.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.frame import Image


@dataclass(frozen=True, slots=True)
class Change:
    """`paint`: a picture and a random generator -> the changed picture. `moved` (2, 3): where points go, for a
    picture of (width, height); `jpeg`: the quality it is stored with."""

    paint: Callable[[Image, np.random.Generator], Image]
    moved: Callable[[tuple[int, int]], np.ndarray] = lambda _: np.array([[1.0, 0, 0], [0, 1, 0]])
    jpeg: int = 95


def _clipped(values: np.ndarray) -> Image:
    return np.asarray(np.clip(np.round(values), 0, 255), np.uint8)


def scaled(share: float) -> Change:
    """A camera with fewer or more pixels."""
    how = cv2.INTER_AREA if share < 1 else cv2.INTER_CUBIC
    def moved(_: tuple[int, int]) -> np.ndarray:
        return np.array([[share, 0, (share - 1) / 2], [0, share, (share - 1) / 2]])
    return Change(lambda image, _: np.asarray(cv2.resize(image, None, fx=share, fy=share, interpolation=how)), moved)


def _turn(size: tuple[int, int], degrees: float) -> tuple[np.ndarray, tuple[int, int]]:
    width, height = size
    matrix = cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), degrees, 1.0)
    c, s = abs(np.cos(np.deg2rad(degrees))), abs(np.sin(np.deg2rad(degrees)))
    wide, high = round(width * c + height * s), round(width * s + height * c)
    matrix[:, 2] += ((wide - width) / 2, (high - height) / 2)
    return matrix, (wide, high)


def rotated(degrees: float) -> Change:
    """A camera turned about its axis."""
    def paint(image: Image, _: np.random.Generator) -> Image:
        matrix, size = _turn((image.shape[1], image.shape[0]), degrees)
        return np.asarray(cv2.warpAffine(image, matrix, size, flags=cv2.INTER_CUBIC,
                                         borderValue=[float(v) for v in cv2.mean(image)[:3]]))
    return Change(paint, lambda size: _turn(size, degrees)[0])


def blurred(sigma_px: float) -> Change:
    """A lens not quite in focus."""
    return Change(lambda image, _: np.asarray(cv2.GaussianBlur(image, (0, 0), sigma_px)))


def noisy(sigma: float) -> Change:
    """A sensor with a high gain: noise of its own at each pixel."""
    return Change(lambda image, rng: _clipped(image + rng.normal(0, sigma, image.shape)), jpeg=98)


def bent(gamma: float) -> Change:
    """Another tone curve."""
    return Change(lambda image, _: _clipped(255 * (image / 255.0) ** gamma))


def tinted(blue: float, green: float, red: float) -> Change:
    """Another white balance, or exposure."""
    gains = np.array([blue, green, red])
    return Change(lambda image, _: _clipped(255 * np.clip((image / 255.0) ** 2.2 * gains, 0, 1) ** (1 / 2.2)))


def hued(degrees: float) -> Change:
    """Another edition: every colour turned about grey."""
    angle = np.deg2rad(degrees)
    axis = np.ones(3) / np.sqrt(3)
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    matrix = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    # From blue, green, red to blue, green, red; an anticlockwise turn of the hue circle goes red, green, blue.
    return Change(lambda image, _: _clipped(image.astype(np.float64) @ matrix))


def stored(quality: int) -> Change:
    """A stingy JPEG."""
    return Change(lambda image, _: image, jpeg=quality)


def vignetted(corner: float) -> Change:
    """A lens that darkens towards the corners, to this share of the light."""
    def paint(image: Image, _: np.random.Generator) -> Image:
        height, width = image.shape[:2]
        y, x = np.mgrid[0:height, 0:width]
        far = ((x - width / 2) ** 2 + (y - height / 2) ** 2) / ((width / 2) ** 2 + (height / 2) ** 2)
        light = (1 - (1 - corner) * far)[..., None]
        return _clipped(image * light ** (1 / 2.2))
    return Change(paint)


def resharpened(amount: float) -> Change:
    """A camera that sharpens its pictures."""
    def paint(image: Image, _: np.random.Generator) -> Image:
        values = image.astype(np.float32)
        return _clipped(values + amount * (values - cv2.GaussianBlur(values, (0, 0), 1.2)))
    return Change(paint)


CHANGES: Mapping[str, Change] = {
    "as it is": stored(98),
    "0.7 as large": scaled(0.7), "1.3 as large": scaled(1.3),
    "turned by 90": rotated(90), "turned by 180": rotated(180), "turned by 10": rotated(10),
    "blurred by 1": blurred(1.0), "blurred by 1.5": blurred(1.5), "noise of 6": noisy(6), "noise of 12": noisy(12),
    "gamma 0.7": bent(0.7), "gamma 1.4": bent(1.4),
    "warm": tinted(0.62, 0.85, 1.05), "cold": tinted(1.1, 0.9, 0.6), "half the light": tinted(0.5, 0.5, 0.5),
    "a quarter of the light": tinted(0.25, 0.25, 0.25), "bright": tinted(1.4, 1.4, 1.4),
    "JPEG 60": stored(60), "JPEG 35": stored(35), "vignette": vignetted(0.45), "sharpened": resharpened(0.8),
    **{f"hue by {degrees}": hued(degrees) for degrees in range(30, 331, 30)},
}


def changed_folder(folder: Path, change: Change, to: Path, seed: int = 0) -> Path:
    """A copy of a folder with its pictures, taps and truth changed."""
    to.mkdir(parents=True)
    rng = np.random.default_rng(seed)
    size = (0, 0)
    for path in sorted(folder.glob("*.jpg")):
        image = np.asarray(cv2.imread(str(path)), np.uint8)
        size = (image.shape[1], image.shape[0])
        cv2.imwrite(str(to / path.name), change.paint(image, rng), [cv2.IMWRITE_JPEG_QUALITY, change.jpeg])
    matrix = change.moved(size)
    setup = json.loads((folder / "setup.json").read_text())
    setup["taps"] = {name: _moved(matrix, at) for name, at in setup["taps"].items()}
    for tile in setup["tiles"]["tiles"]:
        tile["near_px"] = _moved(matrix, tile["near_px"])
    (to / "setup.json").write_text(json.dumps(setup))
    truth = json.loads((folder / "scene.json").read_text())
    for frame in truth["frames"]:
        frame["corners"] = {name: _moved(matrix, at) for name, at in frame["corners"].items()}
    (to / "scene.json").write_text(json.dumps(truth))
    return to


def _moved(matrix: np.ndarray, at: Any) -> list[float]:
    x, y = np.asarray(matrix @ np.array([at[0], at[1], 1.0]))
    return [float(x), float(y)]
