"""Icons that differ by a few pixels: a star with a 1, a 2 or a 3 in it.

They are compared in brightness alone, since JPEG keeps colour at half the resolution; each laid on the others to a
fraction of a pixel; and learned from all tiles that have the same icon, whatever their type, which halves the noise.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
_LUMA = np.array([0.114, 0.587, 0.299], np.float32)
_EDGE_PX = 4
"""Of an icon's window, left out: there the ground begins, which differs from type to type."""
_INNER = (slice(_EDGE_PX, -_EDGE_PX), slice(_EDGE_PX, -_EDGE_PX))
_MOST_SHIFT_PX = 3.0
DIGITS: dict[int, str] = {
    1: "00100 01100 00100 00100 00100 00100 01110",
    2: "01110 10001 00001 00110 01000 10000 11111",
    3: "11110 00001 00001 01110 00001 00001 11110",
}
"""Printed points are a digit, whatever the edition's art; so they look in five by seven dots."""
_TALL_PX = (6.5, 7.0, 7.5, 8.0, 8.5, 9.0, 9.5, 10.5, 11.5, 12.5, 13.5, 15.0)
_WIDER = (0.85, 1.0, 1.15)
_BLUR_PX = (0.8, 1.2, 1.6, 2.0, 2.4)
_DIGIT_FITS = 0.4
_PX_PER_SAMPLE = 12.0
"""Neighbouring pixels of a straightened and smoothed crop err together: so many of them say as much as one."""
_FAINTER = 0.2
"""A small print is by this share fainter or stronger than it was taught: light, focus, the grain of a sensor."""
_LEAST_SPREAD = 0.14
"""Of how far two icons are apart: no template is more exact."""
_WILD = 1.2
_DIGIT_REACH_PX = 4.0


class _Window(Protocol):
    @property
    def rows(self) -> tuple[int, int]: ...

    @property
    def cols(self) -> tuple[int, int]: ...


@dataclass(frozen=True, slots=True)
class Icon:
    """What a face `gives`, as brightness (h, w), mean 0 and spread 1, and how many tiles it was learned from.
    All icons of a set with the same `size` lie on each other. `spot` (h, w): what of it may be fainter or stronger than
    taught as a whole, without meaning another icon; None: nothing known of the kind."""

    gives: tuple[int, int, int]
    luma: Floats
    tiles: int
    spot: Floats | None = None


def luma_of(image: Floats) -> Floats:
    """(H, W, 3) BGR -> (H, W)."""
    return np.asarray(image @ _LUMA, np.float32)


def even(luma: Floats) -> Floats:
    """Mean 0, spread 1."""
    return np.asarray((luma - luma.mean()) / (luma.std() + 1e-6), np.float32)


def learned(samples: Sequence[tuple[tuple[int, int, int], Floats]]) -> tuple[Icon, ...]:
    """Icons of one shape from patches (H, W, 3) around them, each with what it gives."""
    rows, cols = min(patch.shape[0] for _, patch in samples), min(patch.shape[1] for _, patch in samples)
    lumas = [(gives, even(_middle(luma_of(patch), (rows, cols)))) for gives, patch in samples]
    upon = lumas[0][1]
    means: dict[tuple[int, int, int], Floats] = {}
    for _ in range(3):
        laid = [(gives, even(laid_on(luma, upon))) for gives, luma in lumas]
        means = {g: np.mean([luma for gives, luma in laid if gives == g], axis=0) for g in {g for g, _ in laid}}
        upon = even(np.mean([luma for _, luma in laid], axis=0))
    icons = tuple(Icon(g, means[g], sum(gives == g for gives, _ in lumas)) for g in sorted(means))
    return with_digits(icons) if len(icons) > 1 and all(_is_points(icon.gives) for icon in icons) else icons


def _is_points(gives: tuple[int, int, int]) -> bool:
    return gives[:2] == (0, 0) and gives[2] in DIGITS


def with_digits(icons: tuple[Icon, ...]) -> tuple[Icon, ...]:
    """Icons of points, with the noise of a single small print replaced by what is known: they differ by a digit.

    Where and how large it is, how dark and how blurred, is fitted to what the icons show. Where no digit fits (another
    print, another script) they stay as they are.
    """
    mean = np.mean([icon.luma for icon in icons], axis=0)
    shown = np.stack([icon.luma - mean for icon in icons])
    height, width = mean.shape
    edge = _EDGE_PX + 2
    energy = float((shown[:, edge:-edge, edge:-edge] ** 2).sum()) + 1e-6
    best: tuple[float, Floats, Floats] | None = None
    for tall, wider, blur in itertools.product(_TALL_PX, _WIDER, _BLUR_PX):
        drawn = np.stack([_digit(icon.gives[2], tall, wider, blur) for icon in icons])
        apart = drawn - drawn.mean(axis=0)
        h, w = apart.shape[1:]
        if h > height or w > width:
            continue
        cross = np.asarray(sum(cv2.matchTemplate(one.astype(np.float32), digit.astype(np.float32), cv2.TM_CCORR)
                               for one, digit in zip(shown, apart, strict=True)), np.float32)
        own = float((apart**2).sum())
        # Light on dark or dark on light: both are digits.
        fits = np.abs(cross) / np.sqrt(energy * own) - _off_middle(cross.shape)
        row, col = np.unravel_index(int(fits.argmax()), fits.shape)
        if best is None or fits[row, col] > best[0]:
            strength = float(cross[row, col]) / own
            placed, spot = np.zeros_like(shown), np.zeros_like(mean)
            placed[:, row : row + h, col : col + w] = apart * strength
            spot[row : row + h, col : col + w] = drawn.mean(axis=0) * strength
            best = (float(fits[row, col]), placed, spot)
    if best is None or best[0] < _DIGIT_FITS:
        return icons
    return tuple(Icon(icon.gives, np.asarray(mean + digit, np.float32), icon.tiles, best[2].astype(np.float32))
                 for icon, digit in zip(icons, best[1], strict=True))


def _off_middle(shape: tuple[int, ...]) -> Floats:
    """(h, w): what a place costs, for a digit stands in an icon's middle: nothing there, 1 from a few pixels on."""
    y, x = np.meshgrid(*(np.abs(np.arange(n) - (n - 1) / 2) for n in shape), indexing="ij")
    return np.asarray(np.clip((np.maximum(x, y) - _DIGIT_REACH_PX) / 2, 0, 1), np.float32)


def _digit(number: int, tall_px: float, wider: float, blur_px: float) -> Floats:
    """A digit `tall_px` high, `wider` than its dots are, blurred, with room around it; one size (h, w) for all."""
    dots = np.array([[float(dot) for dot in row] for row in DIGITS[number].split()], np.float32)
    scale = tall_px / dots.shape[0]
    edge = 3
    size = (round(dots.shape[1] * scale * wider) + 2 * edge, round(tall_px) + 2 * edge)
    fine = cv2.resize(dots, None, fx=10, fy=10, interpolation=cv2.INTER_NEAREST)
    sx, sy = scale / 10 * wider, scale / 10
    warp = np.array([[sx, 0, (size[0] - 1) / 2 - sx * (fine.shape[1] - 1) / 2],
                     [0, sy, (size[1] - 1) / 2 - sy * (fine.shape[0] - 1) / 2]])
    soft = cv2.GaussianBlur(fine, (0, 0), max(0.5 / sy, 0.3))
    laid = cv2.warpAffine(soft, warp, size, flags=cv2.INTER_LINEAR)
    return np.asarray(cv2.GaussianBlur(laid, (0, 0), blur_px), np.float32)


def _middle(luma: Floats, size: tuple[int, int]) -> Floats:
    top, left = (luma.shape[0] - size[0]) // 2, (luma.shape[1] - size[1]) // 2
    return luma[top : top + size[0], left : left + size[1]]


def laid_on(luma: Floats, upon: Floats) -> Floats:
    """`luma` (H, W) shifted by a fraction of a pixel to lie on `upon` (H, W): whole pixels by correlation, then
    Gauss-Newton, light free."""
    inner = (slice(3, -3), slice(3, -3))
    slopes = np.gradient(upon)
    gy, gx = np.asarray(slopes[0]), np.asarray(slopes[1])
    design = np.stack([gx[inner].ravel(), gy[inner].ravel(), upon[inner].ravel(), np.ones(upon[inner].size)], axis=1)
    normal = np.linalg.inv(design.T @ design + 1e-6 * np.eye(4)) @ design.T
    edge = round(_MOST_SHIFT_PX)
    coarse = cv2.matchTemplate(luma, np.ascontiguousarray(upon[edge:-edge, edge:-edge]), cv2.TM_CCOEFF_NORMED)
    row, col = np.unravel_index(int(coarse.argmax()), coarse.shape)
    shift = np.array([edge - float(col), edge - float(row)])
    for step in range(6):
        warp = np.array([[1.0, 0.0, shift[0]], [0.0, 1.0, shift[1]]])
        out = np.asarray(cv2.warpAffine(luma, warp, (luma.shape[1], luma.shape[0]), flags=cv2.INTER_CUBIC,
                                        borderMode=cv2.BORDER_REPLICATE), np.float32)
        if step == 5:
            break
        solution = normal @ out[inner].ravel()
        shift = np.clip(shift + np.clip(solution[:2] / max(solution[2], 0.1), -1, 1), -_MOST_SHIFT_PX, _MOST_SHIFT_PX)
    return out


def duel(values: Floats, icons: Sequence[Icon], window: _Window, shift_px: tuple[float, float]) -> list[float]:
    """For each icon how much less likely it is than the best, as the logarithm of their odds.

    `values` (H, W, 3): a crop; `window`: where the icon lies in it, but for `shift_px` (x, y).
    """
    height, width = icons[0].luma.shape
    middle = ((window.cols[0] + window.cols[1] - 1) / 2 + shift_px[0],
              (window.rows[0] + window.rows[1] - 1) / 2 + shift_px[1])
    seen = luma_of(np.asarray(cv2.getRectSubPix(values, (width, height), middle), np.float32))
    mean = np.asarray(np.mean([icon.luma for icon in icons], axis=0), np.float32)
    laid = laid_on(even(seen), mean)
    flat = mean[_INNER]
    design = np.stack([flat.ravel(), np.ones(flat.size)], axis=1)
    gain, offset = np.linalg.lstsq(design, laid[_INNER].ravel(), rcond=None)[0]
    left = np.asarray((laid - offset) / max(float(gain), 0.2) - mean, np.float32)
    apart = [np.asarray(icon.luma - mean, np.float32) for icon in icons]
    odds = np.zeros((len(icons), len(icons)))
    for n in range(len(icons)):
        for m in range(n):
            odds[n, m] = _odds(left, apart[n], apart[m], icons[n].spot)
            odds[m, n] = -odds[n, m]
    best = int(odds.min(axis=1).argmax())
    return [max(float(odds[best, n]), 0.0) for n in range(len(icons))]


def _odds(left: Floats, one: Floats, two: Floats, spot: Floats | None) -> float:
    """The logarithm of the odds of `one` against `two` in what is `left` of an icon without what all have in common.

    A matched filter, blind to `spot` as a whole. How far it errs is seen from what it says elsewhere in the same icon,
    where nothing differs: that counts noise, its grain and the camera's compression alike.
    """
    apart = one - two
    unlike = np.abs(apart)
    rest = min((left - one, left - two), key=lambda values: float((values**2 * unlike)[_INNER].sum()))[_INNER]
    rest = np.ascontiguousarray(np.clip(rest, -_WILD, _WILD))
    weight = apart.copy()
    blind = 0.0
    if spot is not None:
        may = (_FAINTER * spot).ravel()
        noise = float(rest.var()) * _PX_PER_SAMPLE + 1e-9
        weight = apart - (may * (float(may @ apart.ravel()) / (noise + float(may @ may)))).reshape(apart.shape)
        blind = float((may @ weight.ravel()) ** 2)
    says = float((weight * (left - (one + two) / 2)).sum())
    reach = float((weight * apart).sum())
    at = np.argwhere(np.abs(weight) > 1e-3 * float(np.abs(weight).max()) + 1e-9)
    if len(at) == 0 or reach <= 0:
        return 0.0
    (top, left_), (bottom, right) = at.min(axis=0), at.max(axis=0) + 1
    kernel = np.ascontiguousarray(weight[top:bottom, left_:right])
    if kernel.shape[0] > rest.shape[0] or kernel.shape[1] > rest.shape[1]:
        spread = float((weight**2).sum()) * float(rest.var()) * _PX_PER_SAMPLE
    else:
        elsewhere = [cv2.matchTemplate(rest, np.ascontiguousarray(k), cv2.TM_CCORR) for k in (kernel, kernel[:, ::-1])]
        spread = float(np.mean([(one_ ** 2).mean() for one_ in elsewhere]))
    return says * reach / max(spread + blind, (_LEAST_SPREAD * reach) ** 2)
