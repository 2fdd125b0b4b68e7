"""Which face a tile shows, by the print that does not differ from tile to tile: icons, and the ground's colour.

A tile set is taught from tiles that lie apart (`calibration.tiles`). The illustration in a tile's middle differs from
tile to tile of one face, so only what is taught as print counts: within the print of a face each pixel speaks for or
against it, and beyond it the face says nothing.

Frame of reference: a crop of `CROP_MM`, `PX_PER_MM` pixels a mm, the tile upright in its middle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect.city_icons import Icon, duel, learned
from vision.frame import Image, Mask
from vision.kits.quadropolis import Face

Floats = NDArray[np.float32]
CROP_MM = 48.0
PX_PER_MM = 4.0
CROP_PX = round(CROP_MM * PX_PER_MM)
CORNERS: tuple[str, ...] = ("gives", "type", "extra", "cost")
"""Top left, top right, bottom left, bottom right."""
CORNER_PX = round(21.0 * PX_PER_MM)
"""A corner's zone reaches so far from the tile's edge; no illustration is print."""
SLACK_PX = 5
"""Print may lie so far beside where the border says: height, a border measured amiss."""
_WHITE_SHARE = 0.04
_TYPE_DOUBT = 0.4
"""A type whose ground is so much less alike than the nearest is not looked at."""
_BARE = 0.85
"""A printed cost that agrees so well has no token on it."""
_LEAST_SPREAD = np.float32(0.5)
_SCORE_SPREAD = 2.0
"""In mm^2 of print that agrees: so much more makes a face e times as likely."""


@dataclass(frozen=True, slots=True)
class Print:
    """What is stable in one corner of a face: `rows`, `cols` its window in the crop, `image` (h, w, 3) float32 as
    taught, `mask` (h, w) where it is print. On this face it lies `beside_px` (x, y) the window: faces of one type share
    the image of their symbol."""

    rows: tuple[int, int]
    cols: tuple[int, int]
    image: Floats
    mask: Mask
    beside_px: tuple[float, float] = (0.0, 0.0)

    @property
    def area_mm2(self) -> float:
        return float(self.mask.sum()) / PX_PER_MM**2


@dataclass(frozen=True, slots=True)
class TaughtFace:
    """One face: `prints` by corner (a name of `CORNERS`), `ground` and `white` (3,) BGR as taught, and the side of
    its ground in mm as measured lying on the table."""

    face: Face
    prints: tuple[tuple[str, Print], ...]
    ground: Floats
    white: Floats
    side_mm: float

    def print_at(self, corner: str) -> Print | None:
        return next((p for name, p in self.prints if name == corner), None)


@dataclass(frozen=True, slots=True)
class TileSet:
    """All faces of a box as one camera saw them. `side_mm`: the median side of a face's ground; `icons`: what tiles
    of several types give alike."""

    faces: tuple[TaughtFace, ...]
    side_mm: float
    icons: tuple[Icon, ...] = ()

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(taught.face.type for taught in self.faces))

    def of_type(self, kind: str) -> tuple[TaughtFace, ...]:
        return tuple(taught for taught in self.faces if taught.face.type == kind)


@dataclass(frozen=True, slots=True)
class FaceReading:
    """Faces with probabilities, best first; `shifts` (n, 4): for prints found, (x, y) mm from the tile's middle as
    taught, and (dx, dy) mm by which they lie beside it; `fit`: mean agreement of the best, -1 to 1."""

    ranked: tuple[tuple[TaughtFace, float], ...]
    shifts: Floats
    fit: float


def white_of(patch: Image) -> Floats:
    """(3,) BGR: the card's white, from the brightest pixels that have every channel."""
    inner = cv2.GaussianBlur(patch, (0, 0), 1.2)[8:-8:2, 8:-8:2].reshape(-1, 3)
    least = inner.min(axis=1)
    return np.asarray(np.median(inner[least >= np.quantile(least, 1 - _WHITE_SHARE)], axis=0), np.float32)


def corner_window(corner: str) -> tuple[slice, slice]:
    """Rows and columns of a corner's zone."""
    low, high = slice(0, CORNER_PX + 6), slice(CROP_PX - CORNER_PX - 6, CROP_PX)
    return (low if corner in ("gives", "type") else high), (low if corner in ("gives", "extra") else high)


def colour_distance(ground: Floats, white: Floats, taught: TaughtFace) -> float:
    """How unlike a ground is to a taught one, each against its own white: difference of logarithmic chroma and, less,
    of brightness."""
    here = np.log((ground + 6) / (white + 6))
    there = np.log((taught.ground + 6) / (taught.white + 6))
    off = here - there
    bright = float(off.mean())
    return float(np.sqrt(((off - bright) ** 2).sum()) + 0.25 * abs(bright))


@dataclass(frozen=True, slots=True)
class _Placed:
    score: float
    share: float
    shift_px: tuple[float, float]


def _placed(patch: Floats, part: Print) -> _Placed:
    """The print where it fits best near its place: `share` is the agreement of its pixels, -1 to 1."""
    r0, r1 = part.rows
    c0, c1 = part.cols
    top, left = max(r0 - SLACK_PX, 0), max(c0 - SLACK_PX, 0)
    window = patch[top : r1 + SLACK_PX, left : c1 + SLACK_PX]
    weight = part.mask.astype(np.float32)
    fits = _correlation(window, part.image, weight)
    row, col = np.unravel_index(int(fits.argmax()), fits.shape)
    dx, dy = peak_offset(fits, int(row), int(col))
    share = float(fits[row, col])
    at = (float(col) + dx + left - c0, float(row) + dy + top - r0)
    return _Placed((share - 0.5) * part.area_mm2, share, at)


def _correlation(window: Floats, image: Floats, weight: Floats) -> Floats:
    """Weighted zero-mean correlation of a print with each place in a window, all channels together, each about
    its own mean."""
    total = float(weight.sum())
    shape = (window.shape[0] - image.shape[0] + 1, window.shape[1] - image.shape[1] + 1)
    score, energy = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    norm = 0.0
    for channel in range(3):
        pixels = np.ascontiguousarray(window[..., channel])
        print_ = image[..., channel]
        centred = (print_ - float((print_ * weight).sum()) / total) * weight
        cross = cv2.matchTemplate(pixels, centred, cv2.TM_CCORR)
        mean = cv2.matchTemplate(pixels, weight, cv2.TM_CCORR) / total
        square = cv2.matchTemplate(pixels * pixels, weight, cv2.TM_CCORR)
        # Where all is one value (glare), what is left of two large numbers says nothing: a grey level's worth at least.
        spread = np.maximum(square - total * mean * mean, total * _LEAST_SPREAD)
        score += cross
        energy += spread
        norm += float((centred * centred).sum())
    return np.asarray(score / np.sqrt(np.maximum(energy * norm, 1e-3)), np.float32)


def peak_offset(fits: Floats, row: int, col: int) -> tuple[float, float]:
    """Where the peak of a correlation (H, W) lies beside (row, col), by parabolas: (dx, dy), at most half a px."""
    def offset(line: Floats, at: int) -> float:
        if not 0 < at < len(line) - 1:
            return 0.0
        a, b, c = float(line[at - 1]), float(line[at]), float(line[at + 1])
        bend = a - 2 * b + c
        return 0.0 if bend >= -1e-9 else float(np.clip(0.5 * (a - c) / bend, -0.5, 0.5))
    return offset(fits[row], col), offset(fits[:, col], row)


def read_face(patch: Image, ground: Floats, white: Floats, tiles: TileSet) -> FaceReading:
    """The face in an upright crop. `ground` and `white`: its colour, and white under the lamp there."""
    values = cv2.GaussianBlur(patch, (0, 0), 0.7).astype(np.float32)
    kinds = []
    for kind in tiles.types:
        group = tiles.of_type(kind)
        distance = min(colour_distance(ground, white, taught) for taught in group)
        kinds.append((distance, kind))
    kinds.sort()
    near = [(d, k) for d, k in kinds if d < kinds[0][0] + _TYPE_DOUBT][:2]
    scored: list[tuple[float, TaughtFace, dict[str, _Placed]]] = []
    for distance, kind in near:
        found: dict[int, _Placed] = {}
        for taught in tiles.of_type(kind):
            placed = {}
            for name, part in taught.prints:
                if name == "cost":
                    continue
                if id(part.image) not in found:
                    found[id(part.image)] = _placed(values, part)
                placed[name] = found[id(part.image)]
            score = sum(one.score for one in placed.values()) - 12.0 * distance
            scored.append((score, taught, placed))
    scored.sort(key=lambda one: -one[0])
    ranked = _settled(values, scored, tiles.icons)
    best = next(one for one in scored if one[1] is ranked[0][0])
    shifts = [_shift(part, best[2][name]) for name, part in best[1].prints if name in best[2]]
    cost = best[1].print_at("cost")
    if cost is not None and (at := _placed(values, cost)).share > _BARE:
        # Nothing lies on it: then it too says how large the face is.
        shifts.append(_shift(cost, at))
    fit = float(np.mean([one.share for one in best[2].values()])) if best[2] else 0.0
    return FaceReading(ranked, np.array(shifts, np.float32).reshape(-1, 4), fit)


def _shift(part: Print, placed: _Placed) -> tuple[float, float, float, float]:
    middle = (CROP_PX - 1) / 2
    x = ((part.cols[0] + part.cols[1] - 1) / 2 - middle) / PX_PER_MM
    y = (middle - (part.rows[0] + part.rows[1] - 1) / 2) / PX_PER_MM
    dx, dy = placed.shift_px[0] - part.beside_px[0], placed.shift_px[1] - part.beside_px[1]
    return x, y, dx / PX_PER_MM, -dy / PX_PER_MM


def _settled(
    values: Floats, scored: Sequence[tuple[float, TaughtFace, dict[str, _Placed]]], icons: Sequence[Icon]
) -> tuple[tuple[TaughtFace, float], ...]:
    """Probabilities. Faces that differ by a printed digit (1, 2 and 3 points) are told apart by just those pixels that
    differ between them, which a whole icon drowns; other icons differ in colour all over."""
    best = scored[0]
    rivals = [one for one in scored if _are_rivals(one[1], best[1])]
    chances = {id(one[1]): one[0] / _SCORE_SPREAD for one in scored}
    if len(rivals) > 1:
        level = max(chances[id(one[1])] for one in rivals)
        gives = [one[1].face.gives for one in rivals]
        where = max((one[2]["gives"] for one in rivals), key=lambda placed: placed.share)
        part = rivals[0][1].print_at("gives")
        known = [next((icon for icon in icons if icon.gives == g), None) for g in gives]
        if part is not None and all(icon is not None and icon.gives[2] for icon in known):
            lost = duel(values, [icon for icon in known if icon is not None], part, where.shift_px)
            for one, loss in zip(rivals, lost, strict=True):
                chances[id(one[1])] = level - loss
    order = sorted((one[1] for one in scored), key=lambda face: -chances[id(face)])
    logs = np.array([chances[id(face)] for face in order])
    shares = np.exp(np.clip(logs - logs[0], -60, 0))
    shares = shares / shares.sum()
    return tuple((face, float(share)) for face, share in zip(order, shares, strict=True))


def _are_rivals(one: TaughtFace, two: TaughtFace) -> bool:
    """Whether two faces of a type have prints of one shape."""
    return one.face.type == two.face.type and one.face.mayor == two.face.mayor and _same_window(one, two)


def icons_of(faces: Sequence[TaughtFace]) -> tuple[Icon, ...]:
    """The icons at the top left that faces of several kinds share, and those of one shape with them."""
    found: list[Icon] = []
    left = [taught for taught in faces if taught.print_at("gives") is not None]
    while left:
        first = left[0]
        group = [o for o in left if _same_window(o, first) and bool(o.face.vp) == bool(first.face.vp)]
        left = [other for other in left if other not in group]
        samples = [(g.face.gives, part.image) for g in group if (part := g.print_at("gives")) is not None]
        found.extend(icon for icon in learned(samples) if icon.gives not in [f.gives for f in found])
    return tuple(found)


def _same_window(one: TaughtFace, two: TaughtFace) -> bool:
    a, b = one.print_at("gives"), two.print_at("gives")
    if a is None or b is None:
        return False
    return max(abs(m - n) for m, n in zip((*a.rows, *a.cols), (*b.rows, *b.cols), strict=True)) <= 6


def agreement(patch: Image, part: Print) -> float:
    """How well a print agrees with an upright crop where it should lie, -1 to 1."""
    return _placed(cv2.GaussianBlur(patch, (0, 0), 0.7).astype(np.float32), part).share


def offset_of(patch: Image, part: Print) -> tuple[float, float]:
    """(x, y) px by which a print lies beside its window in an upright crop."""
    return _placed(cv2.GaussianBlur(patch, (0, 0), 0.7).astype(np.float32), part).shift_px
