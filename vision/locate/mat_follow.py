"""Keeps hold of a Quadropolis mat from picture to picture: still there, moved and found again, or gone.

What is printed where the slots' corners meet is looked for where the pose expects it. Tiles cover some of these
places; the others agree. Only when they do not, the whole neighbourhood is searched, in any small turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect.city_faces import peak_offset
from vision.detect.city_square import Spot, crop_map, sampled
from vision.frame import Image, Points
from vision.kits.quadropolis import SIDE, QuadropolisKit
from vision.locate.follow import Followed, pose_through
from vision.observation import BoardState
from vision.pose import BoardPose

Floats = NDArray[np.float32]
_PX_PER_MM = 2.0
_MARGIN_MM = 26.0
_HALF_MM = 8.0
_REACH_MM = 5.0
_ALIKE = 0.6
_FEWEST = 6
_STILL_MM = 0.4
_EXACT_MM = 0.08
"""A mat found again is fitted until print and picture agree so well: floors are told by tenths of a millimetre."""
_ROUNDS = 5
_NO_BETTER = 0.9
_COARSE_PX_PER_MM = 0.5
_COARSE_REACH_MM = 70.0
_TURNS_DEG = np.arange(-24.0, 24.1, 2.0)
_COARSE_ALIKE = 0.35


@dataclass(frozen=True, slots=True)
class _Matched:
    """Places on the mat (N, 2) mm, and by how much they lie beside where the pose has them, (N, 2) mm."""

    at_mm: Points
    off_mm: Points


class MatFollower:
    """Follows one mat seen by one camera; `reference` is the picture of the empty mat, in which `pose` was found."""

    def __init__(self, reference: Image, pose: BoardPose, kit: QuadropolisKit) -> None:
        self._kit = kit
        self._first = pose
        self._pose = pose
        self._fine = _detail(_flat(reference, pose, kit, _PX_PER_MM))
        self._coarse = _flat(reference, pose, kit, _COARSE_PX_PER_MM)

    @property
    def pose(self) -> BoardPose:
        """The pose as last known."""
        return self._pose

    def follow(self, image: Image) -> Followed:
        """Looks for the mat in the next picture of the same size."""
        width, height = self._first.camera.size_px
        if (image.shape[1], image.shape[0]) != (width, height):
            return Followed(BoardState.LOST, self._pose, f"wanted pictures of {width}x{height}, found {image.shape[1]}x"
                            f"{image.shape[0]}: set the camera back or set up the mat again")
        expected = (self._pose,) if self._pose is self._first else (self._pose, self._first)
        for pose in expected:
            found = self._settled(image, pose)
            if found is not None:
                return self._told(found, pose)
        rough = self._searched(image)
        found = None if rough is None else self._settled(image, rough)
        if found is None:
            return Followed(BoardState.LOST, self._pose, "wanted the mat, found it neither where it was nor near it: "
                            "put it back, take the hand away, or set up the mat again")
        return self._told(found, self._pose)

    def _told(self, found: BoardPose, before: BoardPose) -> Followed:
        corners = np.array(self._kit.outline_mm)
        shift = float(np.linalg.norm(found.to_px(corners) - self._pose.to_px(corners), axis=1).max())
        if found is before and found is self._pose:
            return Followed(BoardState.STEADY, self._pose)
        self._pose = found
        return Followed(BoardState.MOVED, found, f"the mat moved by {shift:.0f} px and was found again")

    def _settled(self, image: Image, pose: BoardPose) -> BoardPose | None:
        """The pose where print and picture agree, the same object if it did not move; None if they do not."""
        before = np.inf
        for _ in range(_ROUNDS):
            matched = self._matched(image, pose)
            if matched is None:
                return None
            off = float(np.median(np.linalg.norm(matched.off_mm, axis=1)))
            if off < _EXACT_MM or (before == np.inf and off < _STILL_MM) or off > _NO_BETTER * before:
                return pose
            pose, before = pose_through(pose, matched.at_mm, pose.to_px(matched.at_mm + matched.off_mm)), off
        return pose

    def _matched(self, image: Image, pose: BoardPose) -> _Matched | None:
        fine = _detail(_flat(image, pose, self._kit, _PX_PER_MM))
        half, reach = round(_HALF_MM * _PX_PER_MM), round(_REACH_MM * _PX_PER_MM)
        at, off = [], []
        for i in range(SIDE + 1):
            for j in range(SIDE + 1):
                x, y = i * self._kit.pitch_mm, j * self._kit.pitch_mm
                col = round((x + _MARGIN_MM) * _PX_PER_MM)
                row = round((SIDE * self._kit.pitch_mm - y + _MARGIN_MM) * _PX_PER_MM)
                part = self._fine[row - half : row + half + 1, col - half : col + half + 1]
                wide = half + reach
                window = fine[row - wide : row + wide + 1, col - wide : col + wide + 1]
                fits = np.asarray(cv2.matchTemplate(window, part, cv2.TM_CCOEFF_NORMED), np.float32)
                r, c = np.unravel_index(int(fits.argmax()), fits.shape)
                if fits[r, c] > _ALIKE:
                    dx, dy = peak_offset(fits, int(r), int(c))
                    at.append((x, y))
                    off.append(((c + dx - reach) / _PX_PER_MM, -(r + dy - reach) / _PX_PER_MM))
        if len(at) < _FEWEST:
            return None
        places, offs = np.array(at), np.array(off)
        agree = _agreeing(places, offs)
        return _Matched(places[agree], offs[agree]) if agree.sum() >= _FEWEST else None

    def _searched(self, image: Image) -> BoardPose | None:
        """Roughly where the mat went: turned by steps, and shifted, its margin and gaps laid on the picture."""
        span = SIDE * self._kit.pitch_mm
        size = self._coarse.shape[0]
        mask = _gaps(size, self._kit, _COARSE_PX_PER_MM)
        template = self._coarse.astype(np.float32)
        template -= template[mask > 0].mean(axis=0)
        best: tuple[float, Spot] | None = None
        small = np.asarray(cv2.resize(image, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA), np.uint8)
        for turn in _TURNS_DEG:
            spot = Spot(span / 2, span / 2, float(turn))
            wide = span + 2 * (_MARGIN_MM + _COARSE_REACH_MM)
            grid = crop_map(self._pose, spot, wide, _COARSE_PX_PER_MM, 0.25, knots=13)
            seen = sampled(small, grid).astype(np.float32)
            fits = _masked_fit(seen, template, mask)
            r, c = np.unravel_index(int(fits.argmax()), fits.shape)
            if best is None or fits[r, c] > best[0]:
                step = (fits.shape[0] - 1) / 2
                dx, dy = (c - step) / _COARSE_PX_PER_MM, -(r - step) / _COARSE_PX_PER_MM
                best = (float(fits[r, c]), Spot(float(dx), float(dy), float(turn)))
        if best is None or best[0] < _COARSE_ALIKE:
            return None
        angle = np.deg2rad(best[1].turn_deg)
        c, s = np.cos(angle), np.sin(angle)
        corners = np.array([[x, y] for x in np.linspace(0, span, 4) for y in np.linspace(0, span, 4)])
        moved = corners - span / 2 + np.array([best[1].x_mm, best[1].y_mm])
        seen_mm = np.stack([c * moved[:, 0] - s * moved[:, 1], s * moved[:, 0] + c * moved[:, 1]], 1) + span / 2
        return pose_through(self._pose, corners, self._pose.to_px(seen_mm))


def _flat(image: Image, pose: BoardPose, kit: QuadropolisKit, px_per_mm: float) -> Image:
    span = SIDE * kit.pitch_mm
    ends = pose.to_px(np.array([[0.0, span / 2], [span, span / 2]]))
    scale = min(1.0, 1.4 * px_per_mm * span / float(np.linalg.norm(ends[1] - ends[0])))
    small = image
    if scale > 0.95:
        scale = 1.0
    else:
        small = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    grid = crop_map(pose, Spot(span / 2, span / 2), span + 2 * _MARGIN_MM, px_per_mm, scale, knots=13)
    return sampled(small, grid)


def _detail(flat: Image) -> Floats:
    """(H, W) float32: brightness without its slow part, dark and bright alike."""
    gray = np.log(cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY).astype(np.float32) + 8)
    fine = cv2.GaussianBlur(gray, (0, 0), 0.8)
    return np.asarray(np.clip(fine - cv2.blur(gray, (21, 21)), -0.4, 0.4), np.float32)


def _gaps(size: int, kit: QuadropolisKit, px_per_mm: float) -> Floats:
    mask = np.ones((size, size), np.float32)
    half = kit.pitch_mm / 2 - 3
    for place in kit.places:
        x = (place.centre_mm[0] + _MARGIN_MM) * px_per_mm
        y = (SIDE * kit.pitch_mm - place.centre_mm[1] + _MARGIN_MM) * px_per_mm
        reach = half * px_per_mm
        mask[round(y - reach) : round(y + reach), round(x - reach) : round(x + reach)] = 0
    edge = round((_MARGIN_MM - 16) * px_per_mm)
    mask[:edge] = mask[-edge:] = 0
    mask[:, :edge] = mask[:, -edge:] = 0
    return mask


def _masked_fit(seen: Floats, template: Floats, mask: Floats) -> Floats:
    """Correlation of the masked template with each place, its channels about their own means."""
    total = float(mask.sum())
    shape = (seen.shape[0] - mask.shape[0] + 1, seen.shape[1] - mask.shape[1] + 1)
    score, energy = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    norm = 0.0
    for channel in range(3):
        part = np.ascontiguousarray(template[..., channel] * mask)
        layer = np.ascontiguousarray(seen[..., channel])
        cross = cv2.matchTemplate(layer, part, cv2.TM_CCORR)
        mean = cv2.matchTemplate(layer, mask, cv2.TM_CCORR) / total
        square = cv2.matchTemplate(layer * layer, mask, cv2.TM_CCORR)
        spread = np.maximum(square - total * mean * mean, 0)
        score += cross
        energy += spread
        norm += float((part * part).sum())
    return np.asarray(score / np.sqrt(np.maximum(energy * norm, 1e-3)), np.float32)


def _agreeing(places: Points, offs: Points) -> NDArray[np.bool_]:
    """Those whose offset fits the one small motion that most share."""
    keep = np.ones(len(places), dtype=bool)
    centred = places - places.mean(axis=0)
    design = np.concatenate([
        np.stack([np.ones(len(places)), np.zeros(len(places)), -centred[:, 1], centred[:, 0]], 1),
        np.stack([np.zeros(len(places)), np.ones(len(places)), centred[:, 0], centred[:, 1]], 1),
    ])
    values = np.concatenate([offs[:, 0], offs[:, 1]])
    weight = np.ones(len(places))
    for scale in (3.0, 1.5, 0.8):
        both = np.concatenate([weight, weight])[:, None]
        solution = np.linalg.lstsq(design * both, values * both[:, 0], rcond=None)[0]
        off = (design @ solution - values).reshape(2, -1)
        size = np.linalg.norm(off, axis=0)
        weight = 1 / (1 + (size / scale) ** 2)
        keep = size < scale
    return keep
