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


@dataclass(frozen=True, slots=True)
class Print:
    """What is stable in one corner of a face: `rows`, `cols` its window in the crop, `image` (h, w, 3) float32 as
    taught, `mask` (h, w) where it is print."""

    rows: tuple[int, int]
    cols: tuple[int, int]
    image: Floats
    mask: Mask

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
    """All faces of a box as one camera saw them. `side_mm`: the median side of a face's ground."""

    faces: tuple[TaughtFace, ...]
    side_mm: float

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
    dx, dy = _peak(fits, int(row), int(col))
    share = float(fits[row, col])
    at = (float(col) + dx + left - c0, float(row) + dy + top - r0)
    return _Placed((share - 0.5) * part.area_mm2, share, at)


def _correlation(window: Floats, image: Floats, weight: Floats) -> Floats:
    """Weighted zero-mean correlation of a print with each place in a window, all channels together, each about
    its own mean."""
    total = float(weight.sum())
    score = energy = None
    norm = 0.0
    for channel in range(3):
        pixels = np.ascontiguousarray(window[..., channel])
        print_ = image[..., channel]
        centred = (print_ - float((print_ * weight).sum()) / total) * weight
        cross = cv2.matchTemplate(pixels, centred, cv2.TM_CCORR)
        mean = cv2.matchTemplate(pixels, weight, cv2.TM_CCORR) / total
        square = cv2.matchTemplate(pixels * pixels, weight, cv2.TM_CCORR)
        spread = np.maximum(square - total * mean * mean, 0)
        score = cross if score is None else score + cross
        energy = spread if energy is None else energy + spread
        norm += float((centred * centred).sum())
    return np.asarray(score / np.sqrt(np.maximum(energy * norm, 1e-3)), np.float32)


def _peak(fits: Floats, row: int, col: int) -> tuple[float, float]:
    """The peak's place beside (row, col), by parabolas: (dx, dy)."""
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
    near = [(d, k) for d, k in kinds if d < kinds[0][0] + 0.5][:3]
    scored: list[tuple[float, TaughtFace, dict[str, _Placed]]] = []
    for distance, kind in near:
        found: dict[int, _Placed] = {}
        for taught in tiles.of_type(kind):
            placed = {}
            for name, part in taught.prints:
                if name == "cost":
                    continue
                if id(part) not in found:
                    found[id(part)] = _placed(values, part)
                placed[name] = found[id(part)]
            score = sum(one.score for one in placed.values()) - 12.0 * distance
            scored.append((score, taught, placed))
    scored.sort(key=lambda one: -one[0])
    ranked = _settled(values, scored)
    best = next(one for one in scored if one[1] is ranked[0][0])
    shifts = np.array([_shift(part, best[2][name]) for name, part in best[1].prints if name in best[2]], np.float32)
    fit = float(np.mean([one.share for one in best[2].values()])) if best[2] else 0.0
    return FaceReading(ranked, shifts.reshape(-1, 4), fit)


def _shift(part: Print, placed: _Placed) -> tuple[float, float, float, float]:
    middle = (CROP_PX - 1) / 2
    x = ((part.cols[0] + part.cols[1] - 1) / 2 - middle) / PX_PER_MM
    y = (middle - (part.rows[0] + part.rows[1] - 1) / 2) / PX_PER_MM
    return x, y, placed.shift_px[0] / PX_PER_MM, -placed.shift_px[1] / PX_PER_MM


def _settled(
    values: Floats, scored: Sequence[tuple[float, TaughtFace, dict[str, _Placed]]]
) -> tuple[tuple[TaughtFace, float], ...]:
    """Probabilities. Faces whose prints have the same shape (1, 2 and 3 points) are told apart by just those pixels
    that differ between them, which a whole icon drowns."""
    best = scored[0]
    top = best[1].print_at("gives")
    rivals = [
        one for one in scored
        if one[1].face.type == best[1].face.type and top is not None and _alike(one[1].print_at("gives"), top)
        and (one[1].print_at("extra") is None) == (best[1].print_at("extra") is None)
    ]
    order = list(scored)
    if len(rivals) > 1:
        duel = _duel(values, [one[1] for one in rivals], [one[2]["gives"] for one in rivals])
        level = max(one[0] for one in rivals)
        ranked = {id(one[1]): level - 14.0 * lost for one, lost in zip(rivals, duel, strict=True)}
        order = sorted(((ranked.get(id(o[1]), o[0]), o[1], o[2]) for o in scored), key=lambda one: -one[0])
    scores = np.array([one[0] for one in order])
    shares = np.exp(np.clip((scores - scores[0]) / 2.0, -60, 0))
    shares = shares / shares.sum()
    return tuple((one[1], float(share)) for one, share in zip(order, shares, strict=True))


def _alike(one: Print | None, two: Print) -> bool:
    """Whether two prints cover the same place."""
    if one is None:
        return False
    return max(abs(a - b) for a, b in zip((*one.rows, *one.cols), (*two.rows, *two.cols), strict=True)) <= 6


def _duel(values: Floats, faces: Sequence[TaughtFace], placed: Sequence[_Placed]) -> list[float]:
    """For each face how badly it loses, 0 to 1: misfit over what another face would misfit, where they differ."""
    where = max(placed, key=lambda one: one.share)
    parts = [face.print_at("gives") for face in faces]
    known = [part for part in parts if part is not None]
    r0, c0 = max(p.rows[0] for p in known), max(p.cols[0] for p in known)
    r1, c1 = min(p.rows[1] for p in known), min(p.cols[1] for p in known)
    size = (c1 - c0, r1 - r0)
    centre = ((c0 + c1 - 1) / 2 + where.shift_px[0], (r0 + r1 - 1) / 2 + where.shift_px[1])
    seen = cv2.getRectSubPix(values, size, centre)
    taught = [p.image[r0 - p.rows[0] : r1 - p.rows[0], c0 - p.cols[0] : c1 - p.cols[0]] for p in known]
    # The same icon taught on several tiles lies a fraction of a pixel beside: lay all on the first.
    first = taught[0]
    laid = [first] + [_laid(other, first) for other in taught[1:]]
    seen = _laid(seen, np.mean(laid, axis=0))
    inner = (slice(2, -2), slice(2, -2))
    lit = [_relit(seen[inner], one[inner]) for one in laid]
    mean = np.mean(lit, axis=0)
    differ = np.sqrt((np.var(np.stack(lit), axis=0)).sum(axis=2))
    weight = np.clip(differ / (np.quantile(differ, 0.97) + 1e-6), 0, 1)[..., None] ** 2
    del mean
    misfits = [float((weight * (seen[inner] - one) ** 2).sum()) for one in lit]
    least = min(misfits)
    apart = [
        float((weight * (a - b) ** 2).sum()) for n, a in enumerate(lit) for b in lit[n + 1 :]
    ]
    scale = max(min(apart), 1e-6)
    return [min((misfit - least) / scale, 2.0) for misfit in misfits]


def _laid(image: Floats, upon: Floats) -> Floats:
    """`image` shifted by a fraction of a pixel to lie on `upon`, one Gauss-Newton step repeated."""
    out = image
    shift = np.zeros(2)
    gray = upon.mean(axis=2)
    gy, gx = np.gradient(gray)
    inner = (slice(2, -2), slice(2, -2))
    design = np.stack([gx[inner].ravel(), gy[inner].ravel()], axis=1)
    normal = design.T @ design + 1e-3 * np.eye(2)
    for _ in range(3):
        moving = out.mean(axis=2)[inner]
        a = gray[inner]
        moving = (moving - moving.mean()) / (moving.std() + 1e-6) * a.std() + a.mean()
        shift = shift + np.linalg.solve(normal, design.T @ (moving - a).ravel())
        shift = np.clip(shift, -1.5, 1.5)
        warp = np.array([[1.0, 0.0, shift[0]], [0.0, 1.0, shift[1]]])
        out = np.asarray(cv2.warpAffine(image, warp, (image.shape[1], image.shape[0]), flags=cv2.INTER_CUBIC,
                                        borderMode=cv2.BORDER_REPLICATE), np.float32)
    return out


def _relit(seen: Floats, taught: Floats) -> Floats:
    """`taught` under the light of `seen`: a gain and an offset a channel."""
    out = np.empty_like(taught)
    for channel in range(3):
        x, y = taught[..., channel].ravel(), seen[..., channel].ravel()
        spread = float(((x - x.mean()) ** 2).sum())
        gain = float(((x - x.mean()) * (y - y.mean())).sum()) / max(spread, 1e-6)
        out[..., channel] = (taught[..., channel] - x.mean()) * max(gain, 0.05) + y.mean()
    return out
