"""A hand or an arm over a mat: what is neither mat, shadow, tile nor token, told in the gaps around the tiles.

A face says little of what hides a part of it, for its illustration may be any. But whatever reaches over a tile from
outside crosses the gap around it, and there only the mat, in any shadow, may be seen.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect.city_slots import MatView, SlotSeen, Tile
from vision.detect.city_tokens import TokenColours, in_hues
from vision.frame import Mask
from vision.light import linear

Floats = NDArray[np.float32]
_FLOOR = np.float32(0.012)
_CHROMA = 0.22
"""Of logarithmic colour, brightness apart: a shadow changes less."""
_BRIGHTER = 0.3
"""Of logarithmic brightness: nothing that only shades is brighter than the mat."""
_STACK_MM = 3.0
"""Around a top tile: lower floors look out so far."""
_RING_MM = 8.0
_TOKEN_MM = 3.0
"""Around tokens, which tint what is beside them."""
_MOST_TOKENS_MM2 = 700.0
_LEAST_MM2 = 28.0
"""In the ring around a tile: a fingertip's width."""
_AT_TILE_MM, _LEAST_AT_TILE_MM2 = 5.5, 6.0
"""What reaches over a tile is seen so near to it too, half a fingertip wide; what only passes by is not, and its
shadow hides nothing."""
_WHOLE_BORDER = 20
"""Of 24 parts of a border: where so many are seen, nothing lies on it that matters."""
_HIDDEN_BORDER = 14
"""Where so few are seen, whatever it is hides too much."""
_ARM_MM2 = 350.0


def foreign(view: MatView, tiles: Sequence[Tile], colours: TokenColours, white: Floats) -> Mask:
    """(n, n) of `view.flat`: where something is seen that belongs to no city. `white` (3,) BGR: the taught card's."""
    now, lamp = view.flat.light, view.lamp
    expected = view.empty.light * lamp
    ratio = np.log((cv2.blur(now, (3, 3)) + _FLOOR) / (cv2.blur(expected, (3, 3)) + _FLOOR))
    bright = ratio.mean(axis=2)
    off = (np.abs(ratio - bright[..., None]).max(axis=2) > _CHROMA) | (bright > _BRIGHTER)
    out = off & ~_tokens(now, lamp, colours, white) & ~_laid(view, tiles, _STACK_MM)
    return np.asarray(cv2.morphologyEx(out.astype(np.uint8), cv2.MORPH_OPEN, np.ones((4, 4), np.uint8)) > 0)


def _tokens(now: Floats, lamp: Floats, colours: TokenColours, white: Floats) -> Mask:
    """(n, n): patches of the tokens' colours, with what they tint; none that is larger than a heap of them."""
    card = linear(np.clip(white, 0, 255).astype(np.uint8).reshape(1, 1, 3)) * lamp
    against = np.clip(now / np.maximum(card, 1e-3), 0, 1.9) ** np.float32(1 / 2.2)
    hsv = np.asarray(cv2.cvtColor(against.astype(np.float32), cv2.COLOR_BGR2HSV), np.float32)
    there = np.zeros(now.shape[:2], np.uint8)
    for _, hues in colours.shapes:
        there |= in_hues(hsv, hues).astype(np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(there)
    small = stats[:, cv2.CC_STAT_AREA] < _MOST_TOKENS_MM2
    small[0] = False
    wide = 2 * round(_TOKEN_MM) + 1
    return np.asarray(cv2.dilate(small[labels].astype(np.uint8), np.ones((wide, wide), np.uint8)) > 0)


def _laid(view: MatView, tiles: Sequence[Tile], beyond_mm: float) -> Mask:
    """(n, n): the tiles' places, with so much around them."""
    n = view.flat.light.shape[0]
    out = np.zeros((n, n), np.uint8)
    for tile in tiles:
        spot, half = tile.border.spot, tile.border.side_mm / 2 + beyond_mm
        angle = np.deg2rad(spot.turn_deg)
        c, s = np.cos(angle), np.sin(angle)
        ring = np.array([[-half, half], [half, half], [half, -half], [-half, -half]])
        x = spot.x_mm + c * ring[:, 0] - s * ring[:, 1] - view.flat.middle_mm + view.flat.size_mm / 2
        y = view.flat.middle_mm - (spot.y_mm + s * ring[:, 0] + c * ring[:, 1]) + view.flat.size_mm / 2
        cv2.fillConvexPoly(out, np.round(np.stack([x, y], 1) * 8).astype(np.int32), (1,), shift=3)
    return np.asarray(out > 0)


def is_covered(view: MatView, tile: Tile, other: Mask) -> bool:
    """Whether something that is `foreign` reaches over a tile, and hides some of it."""
    if tile.border.seen > _WHOLE_BORDER:
        return False
    near = _laid(view, (tile,), _RING_MM) & other
    _, labels, stats, _ = cv2.connectedComponentsWithStats(near.astype(np.uint8))
    at_tile = np.bincount(labels[_laid(view, (tile,), _AT_TILE_MM)], minlength=len(stats))
    reaches = (stats[1:, cv2.CC_STAT_AREA] >= _LEAST_MM2) & (at_tile[1:] >= _LEAST_AT_TILE_MM2)
    return bool(reaches.any()) or tile.border.seen < _HIDDEN_BORDER


def has_arm(other: Mask) -> bool:
    """Whether what is `foreign` comes in from outside, as large as a hand: it hides some of the table around too."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(other.astype(np.uint8))
    rim = np.unique(np.concatenate([labels[:2].ravel(), labels[-2:].ravel(), labels[:, :2].ravel(),
                                    labels[:, -2:].ravel()]))
    return bool((stats[rim[rim > 0], cv2.CC_STAT_AREA] >= _ARM_MM2).any())


def uncovered(view: MatView, slots: Sequence[SlotSeen], other: Mask) -> tuple[SlotSeen, ...]:
    """The slots, those with a tile that is partly hidden told as covered."""
    return tuple(SlotSeen(slot.place, slot.changed, None, True)
                 if slot.tile is not None and is_covered(view, slot.tile, other) else slot for slot in slots)
