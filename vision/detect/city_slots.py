"""One slot of a mat: empty, or which tile lies on top and exactly where; or too covered to tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect.city_border import Border, measured
from vision.detect.city_faces import CROP_MM, PX_PER_MM, FaceReading, TileSet, read_face
from vision.detect.city_lamp import FlatMat
from vision.detect.city_square import Spot, crop, squares_in, turned
from vision.frame import Image
from vision.kit import Place
from vision.pose import BoardPose

Floats = NDArray[np.float32]
SURELY_EMPTY = 0.12
"""Of a slot's middle: less has changed where nothing lies."""
MAYBE_EMPTY = 0.8
SAME_PRINT = 0.55
"""Correlation of a slot's printed lines with the empty mat's: so much where nothing lies, whatever the light."""
REACH_MM = 13.0
GOOD_FIT = 0.7
LEAST_FIT = 0.35
"""Agreement of a tile's print with a taught face: less is no tile that was taught."""
_TURNS = (0, -5, 5, -10, 10)
_GUESSES = 5
_CARELESS_TURNS = (0, -18, 18, -26, 26, -34, 34, -42, 42, -48, 48)
_CARELESS_REACH_MM = 17.0
"""Where no tile lies as people usually lay it: turned by half of a quarter, or off its slot by a third of a tile."""
_CARD_OF_FACE = 1.021
"""Coarse squares lie between a tile's printed border and its edge."""


@dataclass(frozen=True, slots=True)
class Tile:
    """The top tile of a slot: where, what, and as `patch` (n, n, 3) uint8, upright, `CROP_MM` wide. `white` (3,): the
    card's white under the lamp there."""

    border: Border
    reading: FaceReading
    patch: Image
    white: Floats


@dataclass(frozen=True, slots=True)
class SlotSeen:
    """`tile` None: empty, or covered if `covered`; `changed`: the share of the slot that is not the empty mat."""

    place: Place
    changed: float
    tile: Tile | None = None
    covered: bool = False


@dataclass(frozen=True, slots=True)
class MatView:
    """A picture of a mat beside the empty one, everything that its slots share.

    `change` (n, n): where something else is seen; `lamp` (n, n, 3): its light over that of the empty picture.
    """

    image: Image
    pose: BoardPose
    flat: FlatMat
    empty: FlatMat
    change: Floats
    lamp: Floats


def see_slot(view: MatView, place: Place, tiles: TileSet, white: Floats) -> SlotSeen:
    """What lies in one slot. `white`: of the taught tiles, BGR."""
    x, y = place.centre_mm[0], place.centre_mm[1]
    changed = float(view.change[view.flat.window(x, y, 19)].mean())
    if changed < SURELY_EMPTY or (changed < MAYBE_EMPTY and same_print(view, place) > SAME_PRINT):
        return SlotSeen(place, changed)
    gain = view.lamp[view.flat.window(x, y, 5)].mean(axis=(0, 1))
    here = np.clip(white * gain ** np.float32(1 / 2.2), 12, 255).astype(np.float32)
    tile = _tile(view, Spot(x, y), tiles, here)
    if tile is None or tile.reading.fit < LEAST_FIT:
        return SlotSeen(place, changed, None, True)
    return SlotSeen(place, changed, tile)


def upright_fits(view: MatView, place: Place, tiles: TileSet, white: Floats) -> tuple[float, float, float, float]:
    """How well a tile in a slot agrees with a taught face once its mat's frame is turned clockwise by 0 to 3 quarters,
    -1 to 1. Its border is the same each way."""
    about = Spot(place.centre_mm[0], place.centre_mm[1])
    gain = view.lamp[view.flat.window(about.x_mm, about.y_mm, 5)].mean(axis=(0, 1))
    here = np.clip(white * gain ** np.float32(1 / 2.2), 12, 255).astype(np.float32)
    best = (0.0, 0.0, 0.0, 0.0)
    for border in _borders(view, about, tiles, _TURNS, REACH_MM):
        patch = crop(view.image, view.pose, border.spot, CROP_MM, PX_PER_MM)
        fits = [read_face(np.ascontiguousarray(np.rot90(patch, n)), border.ground, here, tiles).fit for n in range(4)]
        if max(fits) > max(best):
            best = fits[0], fits[1], fits[2], fits[3]
        if max(best) > GOOD_FIT:
            break
    return best


def same_print(view: MatView, place: Place) -> float:
    """How alike the lines printed around a slot are to those of the empty mat, -1 to 1."""
    window = view.flat.window(place.centre_mm[0], place.centre_mm[1], 0.48 * place.width_mm)
    fine = []
    for flat in (view.flat, view.empty):
        gray = np.log(flat.light[window].mean(axis=2) + 0.01)
        detail = gray - cv2.GaussianBlur(gray, (0, 0), 2.0)
        fine.append(np.clip(detail - detail.mean(), -0.5, 0.5))
    now, before = fine
    return float((now * before).sum() / np.sqrt((now**2).sum() * (before**2).sum() + 1e-9))


def _tile(view: MatView, about: Spot, tiles: TileSet, white: Floats) -> Tile | None:
    """The tile near the middle of a slot whose print fits a taught face best."""
    tidy = _best_of(view, about, tiles, white, _TURNS, REACH_MM)
    if tidy is not None and tidy.reading.fit > GOOD_FIT:
        return tidy
    hasty = _best_of(view, about, tiles, white, _CARELESS_TURNS, _CARELESS_REACH_MM)
    if tidy is None or (hasty is not None and hasty.reading.fit > max(tidy.reading.fit, GOOD_FIT)):
        return hasty
    return tidy


def _best_of(view: MatView, about: Spot, tiles: TileSet, white: Floats, turns_deg: Sequence[float],
             reach_mm: float) -> Tile | None:
    """The same among squares with these turns, at most so far from the middle."""
    best: Tile | None = None
    for border in _borders(view, about, tiles, turns_deg, reach_mm):
        if best is not None and _near(border.spot, best.border.spot):
            continue
        upright = crop(view.image, view.pose, border.spot, CROP_MM, PX_PER_MM)
        tile = Tile(border, read_face(upright, border.ground, white, tiles), upright, white)
        if best is None or tile.reading.fit > best.reading.fit:
            best = tile
        if best.reading.fit > GOOD_FIT:
            break
    return best


def _borders(view: MatView, about: Spot, tiles: TileSet, turns_deg: Sequence[float], reach_mm: float,
             ) -> Iterator[Border]:
    """Squares that may be a tile's, the clearest first, each measured when it is asked for."""
    patch = crop(view.image, view.pose, about, 2 * reach_mm + tiles.side_mm + 4, 1.0)
    guesses = squares_in(patch, (tiles.side_mm * _CARD_OF_FACE,), turns_deg, reach_mm, 1.0)
    for guess in guesses[:_GUESSES]:
        border = measured(view.image, view.pose, turned(about, guess.spot), tiles.side_mm, rounds=2)
        if border is not None and 0.95 < border.side_mm / tiles.side_mm < 1.07:
            yield border


def _near(one: Spot, two: Spot) -> bool:
    return abs(one.x_mm - two.x_mm) < 0.5 and abs(one.y_mm - two.y_mm) < 0.5 and abs(one.turn_deg - two.turn_deg) < 1
