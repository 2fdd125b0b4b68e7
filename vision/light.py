"""Light: linear values, and the field by which the lamp of this picture differs from that of set-up.

A picture is compared with the empty board under the lamp of set-up. The ratio of the two is a smooth
field wherever nothing stands, so it is fitted robustly and divided out: afterwards only pieces, their
shadows and highlights differ, whichever lamp is on (von Kries' rule, a gain per channel, made local).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Gray, Image, Matrix
from vision.observation import Quality

Floats = NDArray[np.float32]

_CODE = np.arange(256) / 255.0
_LINEAR = np.where(_CODE <= 0.04045, _CODE / 12.92, ((_CODE + 0.055) / 1.055) ** 2.4).astype(np.float32)
_FLOOR = np.float32(0.006)
"""Sensor black and stray light: keeps the ratio of two dark values near one."""
TOO_DARK = 0.012
TOO_BLURRED = 3.0


def linear(image: Image) -> Floats:
    """sRGB codes -> linear light, 0..1, same shape."""
    return np.asarray(cv2.LUT(image, _LINEAR), dtype=np.float32)


def encoded(light: Floats) -> Floats:
    """Linear light -> a perceptual scale (square root like), 0..about 1.1."""
    return np.asarray(np.sqrt(np.clip(light, 0, 1.25)), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Relight:
    """`gain` (H, W, 3): this lamp over that of set-up. `agreement`: share of the board that fits it."""

    gain: Floats
    agreement: float


def _basis(h: int, w: int) -> Matrix:
    rows, columns_ = np.meshgrid(np.linspace(-1, 1, h), np.linspace(-1, 1, w), indexing="ij")
    x, y = columns_.ravel(), rows.ravel()
    columns = [np.ones_like(x), x, y, x * x, x * y, y * y, x**3, x * x * y, x * y * y, y**3]
    return np.stack(columns, axis=1)


def relight(current: Floats, reference: Floats) -> Relight:
    """The smooth gain field from the `reference` mosaic to the `current` one, both linear (H, W, 3).

    Iteratively reweighted least squares on the logarithm of the ratio of coarse blocks, a cubic in x and y
    per channel, Cauchy weights shared by the channels: pieces, hands and hard shadows are outliers.
    """
    h, w = current.shape[:2]
    size = (max(w // 8, 8), max(h // 8, 8))
    cur = cv2.resize(current, size, interpolation=cv2.INTER_AREA)
    ref = cv2.resize(reference, size, interpolation=cv2.INTER_AREA)
    ratio = np.log((cur + _FLOOR) / (ref + _FLOOR)).reshape(-1, 3).astype(np.float64)
    known = ((cur.max(axis=2) > 0) & (ref.max(axis=2) > 0)).ravel()
    basis = _basis(size[1], size[0])
    x, y = basis[known], ratio[known]
    fitted = np.zeros_like(y) + np.median(y, axis=0)
    coefficients = np.zeros((x.shape[1], 3))
    for scale in (0.5, 0.3, 0.2, 0.14, 0.1, 0.08):
        weight = 1 / (1 + (((y - fitted) / scale) ** 2).sum(axis=1))
        wx = x * weight[:, None]
        coefficients = np.linalg.solve(wx.T @ x + 1e-3 * np.eye(x.shape[1]), wx.T @ y)
        fitted = x @ coefficients
    agreement = float((np.abs(y - fitted).max(axis=1) < 0.2).mean()) if len(y) else 0.0
    coarse = np.exp(basis @ coefficients).reshape(size[1], size[0], 3).astype(np.float32)
    return Relight(np.asarray(cv2.resize(coarse, (w, h), interpolation=cv2.INTER_LINEAR), np.float32), agreement)


def quality(gray: Gray, before: Gray | None) -> Quality:
    """Exposure, focus and noise of a (small) grey picture, against the one before it if there is one."""
    blurred = cv2.GaussianBlur(gray, (0, 0), 2.0)
    edges = np.abs(gray.astype(np.int16) - blurred.astype(np.int16))
    sharpness = float(np.percentile(edges, 99.5))
    clipped = float(((gray >= 252) | (gray <= 2)).mean())
    mean = float(_LINEAR[gray].mean())
    jump = noise = 0.0
    if before is not None and before.shape == gray.shape:
        jump = float(np.log((mean + 0.01) / (float(_LINEAR[before].mean()) + 0.01)))
        noise = float(np.abs(gray.astype(np.int16) - before.astype(np.int16)).mean())
    trouble = ""
    if mean < TOO_DARK:
        trouble = "too dark"
    elif sharpness < TOO_BLURRED:
        trouble = "not sharp"
    return Quality(sharpness, clipped, jump, noise, trouble)
