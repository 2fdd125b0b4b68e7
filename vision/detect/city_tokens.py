"""Inhabitants and energy on a tile: what covers the printed cost, and patches of their colours.

Inhabitants are some blue and energy some red, under any lamp: hues are told against the white of the card there. Where
the ground itself is of a token's colour, only what covers the cost can be told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect.city_faces import CROP_MM, Print, TaughtFace, TileSet, agreement
from vision.detect.city_faces import PX_PER_MM as FACE_PX_PER_MM
from vision.detect.city_packing import PX_PER_MM, Packing, packed, seen_token
from vision.detect.city_slots import MatView, Tile
from vision.detect.city_square import Spot, crop
from vision.frame import Image, Mask
from vision.kits.quadropolis import ENERGY, INHABITANT, TokenShape
from vision.pose import BoardPose

Floats = NDArray[np.float32]
SIZE_MM = 64.0
COVERED = 0.77
"""Agreement of the printed cost with the taught one: less where something lies on it."""
_BEYOND_MM = 4.5
_NO_SECOND = 1.35
"""Areas of a top: less has no room for a second token, whose top never lies under another."""
_ROOM: dict[tuple[str, str], int] = {("shop", INHABITANT.kind): 4, ("park", ENERGY.kind): 6}
"""What a building takes beside what pays for it (rulebook). Elsewhere a token is far less likely than a picture of the
tile's illustration that has its colour."""
_RIM_PX = 5
"""Of an icon's window, left out: the ground."""
_STRAY_GAIN, _STRAY_DOUBT = 1.0, 0.22
_OTHER_SHARE = 0.3
"""Of the printed cost's place: so much of a colour is a token of it."""
GAIN, GAIN_SPREAD = 0.85, 0.15
_HALF_SHOWN, _HALF_DOUBT = 0.35, 0.22
"""What one more token beside others explains where it lies half on or under another: then it is asked about. In twelve
painted rooms with such tokens it made questions of 4 of 16 silent errors, and no other question; in twelve rooms laid
as people lay them, and twelve laid in haste, one needless question in 96 pictures and nothing else."""
_LEAST_SHOWN = 0.4
"""So much of a top's area must one more token explain, of the two that a whole one does: it is there, and what it
covers is not left over."""


@dataclass(frozen=True, slots=True)
class Hues:
    """What counts as a token's colour: hue in degrees around `middle`, least saturation, least value against white."""

    middle: float
    reach: float
    saturation: float
    value: float


BLUE = Hues(223.0, 15.0, 0.55, 0.18)
RED = Hues(357.0, 16.0, 0.33, 0.18)
_ANOTHER_EDITION_DEG = 14.0
"""A printed icon whose hue is further from the usual one says that tokens have another colour too."""
_LEAST_INK = 0.3


@dataclass(frozen=True, slots=True)
class TokenColours:
    """What counts as an inhabitant's colour, and as energy's."""

    inhabitant: Hues = BLUE
    energy: Hues = RED

    @property
    def shapes(self) -> tuple[tuple[TokenShape, Hues], tuple[TokenShape, Hues]]:
        return (INHABITANT, self.inhabitant), (ENERGY, self.energy)


USUAL = TokenColours()


def colours_of(tiles: TileSet) -> TokenColours:
    """The colours of an edition's tokens: blue and red, or those in which its icons are printed where they are plainly
    others."""
    people = [_ink_deg(taught) for taught in tiles.faces if taught.face.inhabitants and not taught.face.energy]
    energy = [_ink_deg(taught) for taught in tiles.faces if taught.face.energy and not taught.face.inhabitants]
    return TokenColours(_towards(BLUE, people), _towards(RED, energy))


def _towards(usual: Hues, inks_deg: Sequence[float | None]) -> Hues:
    known = [ink for ink in inks_deg if ink is not None]
    if not known:
        return usual
    off = float(np.median([(ink - usual.middle + 180) % 360 - 180 for ink in known]))
    return usual if abs(off) < _ANOTHER_EDITION_DEG else replace(usual, middle=(usual.middle + off) % 360)


def _ink_deg(taught: TaughtFace) -> float | None:
    """The hue of the colour in which a face's icon is printed; None where it has none."""
    part = taught.print_at("gives")
    if part is None:
        return None
    hsv = hsv_against(np.clip(part.image, 0, 255).astype(np.uint8), taught.white)
    inner = hsv[_RIM_PX:-_RIM_PX, _RIM_PX:-_RIM_PX][part.mask[_RIM_PX:-_RIM_PX, _RIM_PX:-_RIM_PX]]
    vivid = inner[inner[:, 1] >= np.quantile(inner[:, 1], 0.75)] if len(inner) else inner
    if len(vivid) == 0 or float(np.median(vivid[:, 1])) < _LEAST_INK:
        return None
    angle = np.deg2rad(vivid[:, 0].astype(np.float64))
    return float(np.rad2deg(np.arctan2(np.sin(angle).mean(), np.cos(angle).mean()))) % 360


@dataclass(frozen=True, slots=True)
class TokensSeen:
    """How many of each lie on a tile, each with its probability and the next likely number."""

    inhabitants: int
    energy: int
    inhabitants_ranked: tuple[tuple[int, float], ...]
    energy_ranked: tuple[tuple[int, float], ...]


def hsv_against(patch: Image, white: Floats) -> Floats:
    """(H, W, 3): hue in degrees, saturation, and value of a picture against `white` (3,) BGR of that place."""
    tables = [np.clip(np.arange(256) / float(w), 0, 1.4).astype(np.float32) for w in white]
    values = cv2.merge([cv2.LUT(np.ascontiguousarray(patch[..., n]), tables[n]) for n in range(3)])
    return np.asarray(cv2.cvtColor(values, cv2.COLOR_BGR2HSV), np.float32)


def in_hues(hsv: Floats, hues: Hues) -> Mask:
    """(H, W): where a picture, as `hsv_against` white, has a token's colour."""
    low, high = (hues.middle - hues.reach) % 360, (hues.middle + hues.reach) % 360
    hue = hsv[..., 0]
    near = (hue >= low) & (hue <= high) if low < high else (hue >= low) | (hue <= high)
    return np.asarray(near & (hsv[..., 1] > hues.saturation) & (hsv[..., 2] > hues.value))


def colour_mask(patch: Image, white: Floats, hues: Hues) -> Mask:
    """(H, W): where a picture has a token's colour; `white` (3,) BGR of that place."""
    return in_hues(hsv_against(patch, white), hues)


def is_like(colour: Floats, white: Floats, hues: Hues) -> bool:
    """Whether a ground is so near a token's colour that tokens on it are not told by colour."""
    wider = Hues(hues.middle, hues.reach + 6, hues.saturation - 0.15, hues.value)
    return bool(colour_mask(np.clip(colour, 0, 255).reshape(1, 1, 3).astype(np.uint8), white, wider)[0, 0])


def cost_cover(tile: Tile, face: TaughtFace) -> float | None:
    """How well the printed cost agrees with the taught one, -1 to 1; None where the face has none."""
    part = face.print_at("cost")
    return None if part is None else agreement(tile.patch, part)


def lean_of(pose: BoardPose, spot: Spot, shape: TokenShape) -> tuple[NDArray[np.float64], float]:
    """(2,) mm in the tile's own turn: from a token's foot there to where its top appears; and how much larger."""
    eye = pose.eye_mm
    share = shape.height_mm / (float(eye[2]) - shape.height_mm)
    away = (np.array([spot.x_mm, spot.y_mm]) - eye[:2]) * share
    turn = -np.deg2rad(spot.turn_deg)
    c, s = np.cos(turn), np.sin(turn)
    return np.array([c * away[0] - s * away[1], s * away[0] + c * away[1]]), 1.0 + share


def see_tokens(view: MatView, tile: Tile, face: TaughtFace, colours: TokenColours = USUAL) -> TokensSeen:
    """The tokens on one tile whose top face is `face`."""
    spot = tile.border.spot
    patch = np.asarray(cv2.GaussianBlur(crop(view.image, view.pose, spot, SIZE_MM, PX_PER_MM), (0, 0), 0.8), np.uint8)
    cover = cost_cover(tile, face)
    covered = cover is not None and cover < COVERED
    counts: dict[str, tuple[tuple[int, float], ...]] = {}
    pays = paid_with(face)
    hsv = hsv_against(patch, tile.white)
    n = patch.shape[0]
    ignored, near = _ignored(n, tile, face, covered), _near_tile(n, tile.border.side_mm)
    kind_on_cost = _kind_on_cost(patch, tile, face, pays, colours) if covered else None
    for shape, hues in colours.shapes:
        on_cost = kind_on_cost == shape.kind
        if is_like(tile.border.ground, tile.white, hues):
            sure = 0.97 if cover is not None else 0.9
            counts[shape.kind] = ((int(on_cost), sure), (1 - int(on_cost), 1 - sure))
            continue
        mask = in_hues(hsv, hues) & near
        lean, larger = lean_of(view.pose, spot, shape)
        clean = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
        filled = cv2.morphologyEx(clean, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)) > 0
        token = seen_token(shape, lean, larger)
        room = _ROOM.get((face.face.type, shape.kind), 0)
        if on_cost and float((filled & ~ignored).sum()) < _NO_SECOND * token.area_mm2 * PX_PER_MM**2:
            counts[shape.kind] = ((1, 0.97), (0, 0.03))
            continue
        packing = packed(np.asarray(filled), ignored, token, room + 2 if room else int(on_cost) + 1)
        counts[shape.kind] = _counted(packing, on_cost) if room else _only_on_cost(packing, on_cost)
    people, energy = counts[INHABITANT.kind], counts[ENERGY.kind]
    return TokensSeen(people[0][0], energy[0][0], people, energy)


def paid_with(face: TaughtFace) -> str:
    """What a building of this type is activated with (rulebook)."""
    return ENERGY.kind if face.face.type in ("tower", "shop", "park") else INHABITANT.kind


def _counted(packing: Packing, on_cost: bool) -> tuple[tuple[int, float], ...]:
    """Numbers with probabilities, best first: a token more for each gain that is worth it."""
    count = 0
    doubt = 0.02
    for n, gain in enumerate(packing.gains):
        needed = needed_gain(packing.shown[n])
        doubt = max(doubt, float(0.5 * np.exp(-abs(gain - needed) / GAIN_SPREAD)))
        if gain < needed:
            if count and gain > _HALF_SHOWN:
                doubt = max(doubt, _HALF_DOUBT)
            break
        count = n + 1
    if on_cost and count == 0:
        return ((1, 0.95), (0, 0.05))
    other = count + 1 if len(packing.gains) > count else max(count - 1, 0)
    if other == count:
        other = count + 1
    return ((count, 1 - doubt), (other, doubt))


def needed_gain(shown: float) -> float:
    """What one more token must explain if this share of its top can be seen."""
    return GAIN * max(shown, _LEAST_SHOWN)


def _only_on_cost(packing: Packing, on_cost: bool) -> tuple[tuple[int, float], ...]:
    """The same where the building takes one at most, on its printed cost: another patch is doubtful, however alike."""
    count = int(on_cost)
    stray = packing.gains[count] if len(packing.gains) > count else 0.0
    doubt = float(np.clip(_STRAY_DOUBT * (stray - _STRAY_GAIN), 0.02, 0.45))
    return ((count, 1 - doubt), (count + 1, doubt))


def _kind_on_cost(patch: Image, tile: Tile, face: TaughtFace, pays: str, colours: TokenColours) -> str:
    """Whether an inhabitant or energy lies on the printed cost, by colour; what the building is paid with where it
    cannot be told."""
    part = face.print_at("cost")
    if part is None:
        return pays
    zone = _placed_mask(part, patch.shape[0]) & ~_outside(patch.shape[0], tile.border.side_mm)
    values = np.clip(patch.astype(np.float32) / tile.white, 0, 1.4)[zone]
    shade = values.max(axis=1) - values.min(axis=1)
    hue = np.deg2rad(cv2.cvtColor(values[None], cv2.COLOR_BGR2HSV)[0, :, 0].astype(np.float64))
    one, two = (np.deg2rad(hues.middle) for _, hues in colours.shapes)
    # From 1, an inhabitant's hue, to -1, energy's; the more vivid the more it counts.
    blue = shade**2 * np.clip((np.cos(hue - one) - np.cos(hue - two)) / (1 - np.cos(one - two)), -1, 1)
    for kind, hues, sign in ((INHABITANT.kind, colours.inhabitant, 1.0), (ENERGY.kind, colours.energy, -1.0)):
        if is_like(tile.border.ground, tile.white, hues):
            # Only the other colour can be told from the ground.
            other = float((sign * blue < -0.12).mean())
            unlike = ENERGY.kind if kind == INHABITANT.kind else INHABITANT.kind
            return unlike if other > _OTHER_SHARE else pays
    unlike_ground = np.abs(values - tile.border.ground / tile.white).max(axis=1) > 0.12
    share = float((blue * unlike_ground).sum()) / (float((np.abs(blue) * unlike_ground).sum()) + 1.0)
    prior = 0.5 if pays == INHABITANT.kind else -0.5
    return INHABITANT.kind if share + prior > 0 else ENERGY.kind


def _placed_mask(part: Print, n: int) -> Mask:
    """A print's mask in a patch of `SIZE_MM`, (n, n)."""
    full = np.zeros((round(CROP_MM * FACE_PX_PER_MM),) * 2, np.uint8)
    full[part.rows[0] : part.rows[1], part.cols[0] : part.cols[1]] = part.mask
    share = PX_PER_MM / FACE_PX_PER_MM
    small = cv2.resize(full, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    edge = (n - small.shape[0]) // 2
    out = np.zeros((n, n), bool)
    out[edge : edge + small.shape[0], edge : edge + small.shape[1]] = small > 0
    return out


def _ignored(n: int, tile: Tile, face: TaughtFace, covered: bool) -> Mask:
    """Where print has the tokens' own colours: icons, and the cost where nothing lies on it."""
    out = np.zeros((n, n), bool)
    for name, part in face.prints:
        if (name == "cost" and covered) or (name == "extra" and agreement(tile.patch, part) < COVERED):
            continue
        mask = _placed_mask(part, n).astype(np.uint8)
        out |= cv2.dilate(mask, np.ones((3, 3), np.uint8)) > 0
    return out


def _outside(n: int, side_mm: float) -> Mask:
    out = np.ones((n, n), bool)
    half = round(side_mm / 2 * PX_PER_MM)
    middle = n // 2
    out[middle - half : middle + half, middle - half : middle + half] = False
    return out


def _near_tile(n: int, side_mm: float) -> Mask:
    return ~_outside(n, side_mm + 2 * _BEYOND_MM)


def unsure(ranked: Sequence[tuple[int, float]], ask_below: float) -> bool:
    """Whether a number is rather asked about."""
    return ranked[0][1] < ask_below
