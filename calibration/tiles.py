"""Teaching a Quadropolis tile set: one or several pictures of the faces laid out once, each near a known place.

Each tile is found by its border and squared up; then what is print on it, and what is only its illustration, is told
apart. Whatever is wrong is said in one sentence by `NotTaught`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import NotTaught
from calibration.symbol_disc import symbol_disc
from calibration.tile_words import face_said
from rules.words import Said
from vision.detect.city_border import Border, ground_of, measured
from vision.detect.city_faces import (
    CORNER_PX,
    CROP_MM,
    CROP_PX,
    PX_PER_MM,
    Print,
    TaughtFace,
    TileSet,
    colour_distance,
    corner_window,
    icons_of,
    offset_of,
    read_face,
    white_of,
)
from vision.detect.city_square import EDGE_PX_PER_MM, Spot, crop, squares_in, turned
from vision.frame import Image, Mask
from vision.kits.quadropolis import Face
from vision.pose import BoardPose

Floats = NDArray[np.float32]
FACE_OF_TILE = 0.94
"""The side of the printed ground over that of the card, roughly."""
REACH_MM = 11.0
"""A tile lies at most so far from where it was said to be."""
LEAST_SIDE, MOST_SIDE = 0.88, 0.99
_TURNS_DEG = tuple(range(-16, 17, 2))
_MOST_UNCLEAR = 0.25
"""Of the tiles of a picture: so many may have no clear border."""
_UNCLEAR_SIDE = 0.08
_CLEAR_OF_PATCH = 4.0
"""Four edges of a tile are so many times as strong as what else there is."""
_WHITE = 0.66
_LEAST_PRINT_MM2 = 4.0
_CLOSE_PX = 9
_RIM_PX = 3
_DIFFER = 20.0
_NOISES = 4.0
_EDGE_PX = 2
_HOPELESS = 0.12
"""A taught tile whose own face is less likely is mistaken for another; one that is doubtful will be asked about."""


@dataclass(frozen=True, slots=True)
class TileSample:
    """A face, and the px near which one tile of it lies in the picture of tiles."""

    face: Face
    near_px: tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class SquaredTile:
    """A tile as it was found and turned upright: `patch` (n, n, 3), `CROP_MM` wide at `PX_PER_MM`; where its printed
    border is; and the card's white (3,) BGR there. All that is learned of a face is learned from it."""

    face: Face
    patch: Image
    border: Border
    white: Floats


def teach_tiles(image: Image, pose: BoardPose, samples: Sequence[TileSample], tile_mm: float) -> TileSet:
    """The tile set of one picture, whose table is the plane of `pose`. Raises `NotTaught`."""
    if not samples:
        raise NotTaught(Said("wanted the faces that the picture of tiles shows, found none: say which lies where",
                             "não foi dito que peças a foto mostra: diga qual está onde"))
    return learned_tiles(squared_tiles(image, pose, samples, tile_mm))


def squared_tiles(image: Image, pose: BoardPose, samples: Sequence[TileSample], tile_mm: float) -> list[SquaredTile]:
    """All tiles of one picture. A few whose border is not clear, dark on a dark table, are given the size that the
    others have. Raises `NotTaught`."""
    found: dict[int, SquaredTile] = {}
    failed: dict[int, NotTaught] = {}
    for n, sample in enumerate(samples):
        try:
            found[n] = squared_tile(image, pose, sample, tile_mm)
        except NotTaught as why:
            failed[n] = why
    if failed and len(failed) > _MOST_UNCLEAR * len(samples):
        raise next(iter(failed.values()))
    usual = float(np.median([one.border.side_mm for one in found.values()])) if found else tile_mm
    for n, trouble in failed.items():
        guess = _likely_tile(image, pose, samples[n], tile_mm, usual)
        if guess is None:
            raise trouble
        found[n] = guess
    return [found[n] for n in range(len(samples))]


def _likely_tile(
    image: Image, pose: BoardPose, sample: TileSample, tile_mm: float, side_mm: float
) -> SquaredTile | None:
    """A tile of known side where a border of nearly that side is, or only four edges; None: nothing square there."""
    x, y = pose.to_mm(np.array([sample.near_px]))[0]
    about = Spot(float(x), float(y))
    patch = crop(image, pose, about, tile_mm + 2 * REACH_MM + 5, EDGE_PX_PER_MM)
    guesses = squares_in(patch, (side_mm, 0.98 * tile_mm), _TURNS_DEG, REACH_MM)
    borders = [b for guess in guesses[:6]
               if (b := measured(image, pose, turned(about, guess.spot), side_mm)) is not None
               and abs(b.side_mm / side_mm - 1) < _UNCLEAR_SIDE]
    if borders:
        best = max(borders, key=lambda b: b.seen - 12 * b.rms_mm)
    elif guesses and guesses[0].clearness > _CLEAR_OF_PATCH * float(np.median(_edges_of(patch))):
        spot = turned(about, guesses[0].spot)
        ground, _ = ground_of(crop(image, pose, spot, CROP_MM, PX_PER_MM), side_mm, PX_PER_MM)
        best = Border(spot, side_mm, 0.0, 0, ground)
    else:
        return None
    upright = crop(image, pose, best.spot, CROP_MM, PX_PER_MM)
    return SquaredTile(sample.face, upright, replace(best, side_mm=side_mm), white_of(upright))


def _edges_of(patch: Image) -> Floats:
    """How much a picture changes from pixel to pixel, anywhere in it."""
    values = patch.astype(np.float32)
    return np.asarray(np.abs(values[:, 2:] - values[:, :-2]).sum(axis=2) / 6, np.float32)


def learned_tiles(squared: Sequence[SquaredTile]) -> TileSet:
    """The tile set of tiles that were found, in one picture or in several. Raises `NotTaught`."""
    sides = {s.face: s.border.side_mm for s in squared}
    by_type = {kind: float(np.median([sides[f] for f in sides if f.type == kind])) for kind in {f.type for f in sides}}
    taught = []
    disc = symbol_disc([(one.patch, one.border.ground) for one in squared])
    symbols: dict[str, Print] = {}
    for one in squared:
        group = [other for other in squared if other.face.type == one.face.type]
        symbol = symbols.setdefault(one.face.type, _cut(_smooth(one.patch), disc))
        symbol = replace(symbol, beside_px=offset_of(one.patch, symbol))
        prints = (*_prints(one, group), ("type", symbol))
        taught.append(TaughtFace(one.face, prints, one.border.ground, one.white, by_type[one.face.type]))
    tiles = TileSet(tuple(taught), float(np.median(list(by_type.values()))), icons_of(taught))
    _told_apart(tiles, squared)
    return tiles


def squared_tile(image: Image, pose: BoardPose, sample: TileSample, tile_mm: float) -> SquaredTile:
    """One tile, found near where it was said to be and turned upright. Raises `NotTaught`."""
    x, y = pose.to_mm(np.array([sample.near_px]))[0]
    about = Spot(float(x), float(y))
    patch = crop(image, pose, about, tile_mm + 2 * REACH_MM + 5, EDGE_PX_PER_MM)
    guesses = squares_in(patch, (FACE_OF_TILE * tile_mm, 0.98 * tile_mm), _TURNS_DEG, REACH_MM)
    best: Border | None = None
    for guess in guesses[:6]:
        border = measured(image, pose, turned(about, guess.spot), FACE_OF_TILE * tile_mm)
        if border is None or not LEAST_SIDE * tile_mm < border.side_mm < MOST_SIDE * tile_mm:
            continue
        if best is None or border.seen - 12 * border.rms_mm > best.seen - 12 * best.rms_mm:
            best = border
    if best is None:
        col, row = (round(v) for v in sample.near_px)
        raise NotTaught(Said(
            f"wanted the tile {sample.face.word} near ({col}, {row}), found no square of {tile_mm:g} mm there: lay it "
            "where the picture shows it whole and take it again",
            f"não achei a peça {face_said(sample.face).pt} perto de ({col}, {row}), um quadrado de {tile_mm:g} mm: "
            "ponha-a onde a foto a mostre inteira e tire de novo"))
    patch = crop(image, pose, best.spot, CROP_MM, PX_PER_MM)
    return SquaredTile(sample.face, patch, best, white_of(patch))


def _prints(one: SquaredTile, group: Sequence[SquaredTile]) -> tuple[tuple[str, Print], ...]:
    """What is print on a face, by corner: white cards with icons, and what only this face has."""
    values = _smooth(one.patch)
    white = (values / one.white).min(axis=2) > _WHITE
    found: list[tuple[str, Print]] = []
    for corner in ("gives", "extra", "cost"):
        if corner == "extra" and len(group) > 1:
            # Its type has it too, unless it is the Mayor's symbol: then it is what sets this face apart.
            mask = _own(one, group, corner) if one.face.mayor else None
        else:
            mask = _card(white, corner, one.border.side_mm)
        if mask is not None:
            found.append((corner, _cut(values, mask)))
    return tuple(found)


def _smooth(patch: Image) -> Floats:
    return np.asarray(cv2.GaussianBlur(patch, (0, 0), 0.7).astype(np.float32), np.float32)


def _card(white: Mask, corner: str, side_mm: float) -> Mask | None:
    """The white card in a corner, its icon filled in; None where there is none."""
    rows, cols = corner_window(corner)
    zone = np.zeros(white.shape, np.uint8)
    zone[rows, cols] = white[rows, cols]
    # The tile's rim may be as light as a card: it goes before gaps are closed, or it would be joined to a card near it.
    edge = round((CROP_MM - side_mm) / 2 * PX_PER_MM) + 1
    zone[:edge] = zone[-edge:] = 0
    zone[:, :edge] = zone[:, -edge:] = 0
    closed = cv2.morphologyEx(zone, cv2.MORPH_CLOSE, np.ones((_CLOSE_PX, _CLOSE_PX), np.uint8))
    # A card is whole before thin things are taken off: what is white of it may be strips between large icons.
    outlines, _ = cv2.findContours(closed, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    cv2.drawContours(closed, outlines, -1, (1,), cv2.FILLED)
    closed = cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(closed)
    best = None
    for n in range(1, count):
        x, y, w, h, area = (int(v) for v in stats[n])
        if area < _LEAST_PRINT_MM2 * PX_PER_MM**2:
            continue
        gap_x = x if corner in ("gives", "extra") else CROP_PX - x - w
        gap_y = y if corner in ("gives", "type") else CROP_PX - y - h
        if max(gap_x, gap_y) < 6.5 * PX_PER_MM and (best is None or area > best[0]):
            best = (area, n)
    if best is None:
        return None
    outline, _ = cv2.findContours((labels == best[1]).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = cv2.fillConvexPoly(np.zeros(white.shape, np.uint8), cv2.convexHull(np.vstack(outline)), (1,))
    return np.asarray(cv2.dilate(filled, np.ones((_RIM_PX, _RIM_PX), np.uint8)) > 0)


def _own(one: SquaredTile, group: Sequence[SquaredTile], corner: str) -> Mask | None:
    """What this face has in a corner and those of its type without the Mayor have not: they share the rest,
    illustration and all."""
    others = [other.patch.astype(np.float32) for other in group if not other.face.mayor]
    if not others:
        return None
    rows, cols = corner_window(corner)
    rows = slice(rows.start + CORNER_PX // 4, rows.stop)
    here = _even(one.patch.astype(np.float32))
    differ = np.min([_apart(here[rows, cols] - _even(o)[rows, cols]) for o in others], axis=0)
    zone = np.zeros(one.patch.shape[:2], np.uint8)
    zone[rows, cols] = differ > max(_DIFFER, _NOISES * float(np.median(differ)))
    edge = round((CROP_MM - one.border.side_mm) / 2 * PX_PER_MM) + _EDGE_PX
    zone[:edge] = zone[-edge:] = 0
    zone[:, :edge] = zone[:, -edge:] = 0
    opened = cv2.morphologyEx(zone, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    closed = cv2.morphologyEx(opened, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(closed)
    if count < 2:
        return None
    best = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
    if stats[best, cv2.CC_STAT_AREA] < 2 * _LEAST_PRINT_MM2 * PX_PER_MM**2:
        return None
    outline, _ = cv2.findContours((labels == best).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = cv2.fillConvexPoly(np.zeros(zone.shape, np.uint8), cv2.convexHull(np.vstack(outline)), (1,))
    return np.asarray(cv2.dilate(filled, np.ones((_RIM_PX, _RIM_PX), np.uint8)) > 0)


def _apart(difference: Floats) -> Floats:
    """(h, w): how far two pictures are apart, but for what they differ by all over."""
    return np.asarray(np.abs(difference - np.median(difference, axis=(0, 1))).max(axis=2), np.float32)


def _even(values: Floats) -> Floats:
    """Brightness evened out, so that a lamp's slope over the table is no difference."""
    middle = values[20:-20:4, 20:-20:4].reshape(-1, 3)
    return np.asarray(cv2.GaussianBlur(values, (0, 0), 1.5) * (110.0 / np.median(middle, axis=0).clip(8)), np.float32)


def _cut(values: Floats, mask: Mask) -> Print:
    rows, cols = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    r0, r1, c0, c1 = int(rows[0]), int(rows[-1]) + 1, int(cols[0]), int(cols[-1]) + 1
    return Print((r0, r1), (c0, c1), values[r0:r1, c0:c1].copy(), mask[r0:r1, c0:c1].copy())


def _told_apart(tiles: TileSet, squared: Sequence[SquaredTile]) -> None:
    """Reads each taught tile with the set. Raises `NotTaught` where two faces are mixed up."""
    for one in squared:
        ground, _ = ground_of(one.patch, one.border.side_mm, PX_PER_MM)
        reading = read_face(one.patch, ground, one.white, tiles)
        share = next((p for taught, p in reading.ranked if taught.face == one.face), 0.0)
        if share < _HOPELESS:
            other = reading.ranked[0][0].face
            raise NotTaught(Said(
                f"wanted faces that can be told apart, found that {one.face.word} and {other.word} look alike: take "
                "the picture nearer, sharper and without glare, and check the order of the tiles",
                f"não dá para distinguir {face_said(one.face).pt} de {face_said(other).pt}: tire a foto mais de perto, "
                "nítida e sem reflexos, e confira a ordem das peças"))


def nearest_grounds(tiles: TileSet) -> tuple[str, str, float]:
    """The two types whose grounds are most alike, and how far apart they are."""
    pairs = [
        (a.face.type, b.face.type, colour_distance(a.ground, a.white, b))
        for n, a in enumerate(tiles.faces) for b in tiles.faces[n + 1 :] if a.face.type != b.face.type
    ]
    return min(pairs, key=lambda pair: pair[2])
