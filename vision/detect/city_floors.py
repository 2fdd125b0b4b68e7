"""How many floors a tower has, by how much nearer its top is to the camera.

The icons of a face have known distances. On a higher tile they lie further apart in the picture: by 1/300 for each
tile under it with a camera half a metre above. Tiles that are no towers have one floor and say where that is.
Where the camera looks straight down and its lens is not known, height and focal length cannot be told apart; then one
factor for all towers of a picture is weighed along with their floors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect.city_slots import SlotSeen, Tile
from vision.kits.quadropolis import FLOOR_MM, MOST_FLOORS, SIDE, QuadropolisKit
from vision.pose import BoardPose

_OTHER_CAMERA = 0.0015
"""By such a share faces seem larger or smaller in a photograph than where they were taught; on mats of one photograph
by nearly the same."""
_OTHER_MAT = 0.0004
_OTHER_TYPE = 0.0003
"""By such a share were towers' faces taught larger or smaller than other tiles'."""
_FIRST_MM, _LEAST_FIRST_MM = 2.3, 0.3
"""A single tile's face usually seems to lie so high; what a picture says of it errs at least so much."""
_TILT_MM = 0.25
"""By so much more at the mat's edge, where a pose is a little wrong."""
_USUAL_FITS = 3.0
_ICON_SPREAD_MM = 0.02
"""How exactly an icon's place is measured, beside its taught one."""
_LEAST_SPREAD_MM = 0.35
_WIDE = 0.03
"""This share of readings is far off: a token on an icon, a reflection."""
_PRIOR = np.log(np.array([0.52, 0.26, 0.14, 0.08]))
Floats = NDArray[np.float64]
Ranked = Mapping[int, tuple[tuple[int, float], ...]]
"""By a slot's index: numbers of floors with probabilities, best first."""


def height_of(tile: Tile, pose: BoardPose) -> tuple[float, float] | None:
    """(z, spread) mm of a tile's face above where the taught tiles lay; None where fewer than two icons are seen."""
    shifts = np.asarray(tile.reading.shifts, np.float64)
    if len(shifts) < 2:
        return None
    x, y, dx, dy = shifts.T
    zero, one = np.zeros_like(x), np.ones_like(x)
    design = np.concatenate([np.stack([one, zero, -y, x], 1), np.stack([zero, one, x, y], 1)])
    normal = design.T @ design
    solution = np.linalg.solve(normal + 1e-9 * np.eye(4), design.T @ np.concatenate([dx, dy]))
    nearer = float(solution[3])
    far = float(pose.eye_mm[2])
    spread = _ICON_SPREAD_MM * float(np.sqrt(np.linalg.inv(normal)[3, 3])) * far
    return far * nearer / (1 + nearer), max(spread, _LEAST_SPREAD_MM)


def focal_doubt(pose: BoardPose, kit: QuadropolisKit, lens_known: bool) -> float:
    """By what share heights may be wrong together: much where an unknown lens looks straight down on a mat.

    The spread of the focal length's logarithm when a pose is fitted to the corners of the mat's slots, each off by
    twice the pose's residual.
    """
    if lens_known:
        return 0.02
    steps = np.arange(2 * SIDE) * kit.pitch_mm / 2 + kit.pitch_mm / 4
    x, y = np.meshgrid(steps, steps)
    mm = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)
    lens = pose.camera
    _, jacobian = cv2.projectPoints(mm, np.asarray(pose.rvec, np.float64), np.asarray(pose.tvec, np.float64),
                                    lens.matrix, lens.distortion)
    focal = jacobian[:, 6:8].sum(axis=1) * lens.matrix[0, 0]
    design = np.column_stack([jacobian[:, :6], focal, jacobian[:, 10:12]])
    noise = 2 * max(pose.residual_px, 0.05)
    normal = design.T @ design / noise**2 + np.diag([0] * 6 + [1 / 0.16**2, 1 / 0.12**2, 1 / 0.06**2])
    scale = np.sqrt(np.diag(normal))
    spread = np.sqrt(np.linalg.inv(normal / scale / scale[:, None])[6, 6]) / scale[6]
    return float(np.clip(spread, 0.02, 0.2))


@dataclass(frozen=True, slots=True)
class FirstFloor:
    """How high a single tile's face seems to lie, mm, and how far that may err in the middle of a mat."""

    z_mm: float
    spread_mm: float


def first_floors_of(mats: Sequence[tuple[Sequence[SlotSeen], BoardPose]]) -> tuple[FirstFloor, ...]:
    """For each mat of a photograph, by the tiles of all its mats that are no towers.

    Another camera, sharpness or distance than those under which tiles were taught makes every face a little larger or
    smaller, by the same share on all mats of one picture.
    """
    shares, noises = [0.0], [_OTHER_CAMERA]
    for slots, pose in mats:
        far = float(pose.eye_mm[2])
        for slot in slots:
            height = None if slot.tile is None or _is_tower(slot) else height_of(slot.tile, pose)
            if height is not None:
                shares.append((height[0] - _FIRST_MM) / far)
                noises.append(1.5 * height[1] / far)
    share, noise = np.array(shares), np.array(noises)
    weight = 1 / noise**2
    middle = float(np.median(share))
    for _ in range(6):
        weight = 1 / noise**2 / (1 + ((share - middle) / (2 * noise)) ** 2)
        middle = float((weight * share).sum() / weight.sum())
    spread = float(np.hypot(1 / np.sqrt(weight.sum()), _OTHER_MAT))
    fars = [float(pose.eye_mm[2]) for _, pose in mats]
    return tuple(FirstFloor(_FIRST_MM + middle * far, max(spread * far, _LEAST_FIRST_MM)) for far in fars)


def floors_of(slots: Sequence[SlotSeen], pose: BoardPose, doubt: float) -> Ranked:
    """For each slot (by its index) with a tower on top: numbers of floors with probabilities, best first.

    `doubt`: by what share all heights may be wrong together, see `focal_doubt`.
    """
    return floors_together([(slots, pose)], doubt)[0]


def floors_together(mats: Sequence[tuple[Sequence[SlotSeen], BoardPose]], doubt: float) -> tuple[Ranked, ...]:
    """The same for all mats of a photograph, whose towers are weighed together: what is wrong with one is wrong with
    all."""
    return _weighed(mats, first_floors_of(mats), doubt)


def _weighed(mats: Sequence[tuple[Sequence[SlotSeen], BoardPose]], usual: Sequence[FirstFloor], doubt: float,
             ) -> tuple[Ranked, ...]:
    """Every number of floors of every tower, for each factor of all heights, and for each share by which towers' faces
    may seem nearer than other tiles'."""
    sigmas = np.linspace(-2.5, 2.5, 21)
    factors = np.exp(sigmas * doubt)
    shifts = 2 * sigmas * _OTHER_TYPE
    # Cauchy's: one box in a few was taught much worse than the others.
    weights = -0.5 * (sigmas**2)[:, None] - np.log1p((shifts / _OTHER_TYPE) ** 2)
    logs: dict[tuple[int, int], Floats] = {}
    for m, (slots, pose) in enumerate(mats):
        heights = {n: h for n, slot in enumerate(slots) if slot.tile and (h := height_of(slot.tile, pose)) is not None}
        towers = [n for n in heights if _is_tower(slots[n])]
        first = _first_floors(slots, heights, [n for n in heights if n not in towers], towers, usual[m])
        for n in towers:
            z, spread = heights[n]
            lowest, doubtful = first[n]
            spread = float(np.hypot(spread, doubtful))
            above = np.outer(factors, np.arange(MOST_FLOORS)) * FLOOR_MM
            off = (z - lowest - shifts[None, :, None] * float(pose.eye_mm[2]) - above[:, None]) / spread
            likely = (1 - _WIDE) * np.exp(-0.5 * off**2) + _WIDE * np.exp(-0.5 * (off / 5) ** 2) / 5
            logs[m, n] = np.log(likely) + _PRIOR
            weights = weights + np.logaddexp.reduce(logs[m, n], axis=2)
    shares = np.exp(weights - weights.max())
    shares /= shares.sum()
    out: tuple[dict[int, tuple[tuple[int, float], ...]], ...] = tuple({} for _ in mats)
    for m, (slots, _) in enumerate(mats):
        for n in (n for n, slot in enumerate(slots) if _is_tower(slot)):
            if (m, n) not in logs:
                chances = np.exp(_PRIOR)
            else:
                each = np.exp(logs[m, n] - np.logaddexp.reduce(logs[m, n], axis=2, keepdims=True))
                chances = np.einsum("fs,fsk->k", shares, each)
            out[m][n] = tuple((int(k) + 1, float(chances[k])) for k in np.argsort(-chances))
    return out


def _first_floors(slots: Sequence[SlotSeen], heights: Mapping[int, tuple[float, float]], lows: Sequence[int],
                  towers: Sequence[int], first: FirstFloor) -> dict[int, tuple[float, float]]:
    """For each of `towers` (z, spread) mm that a single tile would have there: what is usual, and what the tiles of
    this picture say that are no towers. A pose that is a little wrong tilts all heights alike, so a plane is fitted."""
    middle = np.mean([slot.place.centre_mm[:2] for slot in slots], axis=0)

    def terms(indices: Sequence[int]) -> Floats:
        at = np.array([slots[n].place.centre_mm[:2] for n in indices], np.float64).reshape(-1, 2)
        return np.column_stack([np.ones(len(at)), (at - middle) / slots[0].place.width_mm / 2])

    design = terms(lows)
    seen = np.array([heights[n][0] for n in lows])
    noise = np.array([1.5 * heights[n][1] for n in lows])
    usual = np.array([first.z_mm, 0.0, 0.0])
    prior = np.diag(1 / np.array([first.spread_mm, _TILT_MM, _TILT_MM]) ** 2)
    weight = 1 / noise**2
    for _ in range(4):
        normal = design.T @ (weight[:, None] * design) + prior
        plane = np.linalg.solve(normal, design.T @ (weight * seen) + prior @ usual)
        weight = 1 / noise**2 / (1 + ((seen - design @ plane) / (2 * noise)) ** 2)
    # Heights that fit no plane say that this pose, or this light, errs more than is usual.
    worse = np.sqrt((_USUAL_FITS + float((weight * (seen - design @ plane) ** 2).sum())) / (_USUAL_FITS + len(lows)))
    there = terms(towers)
    spread = max(float(worse), 1.0) * np.sqrt(np.einsum("ni,ij,nj->n", there, np.linalg.inv(normal), there))
    return {n: (float(z), float(s)) for n, z, s in zip(towers, there @ plane, spread, strict=True)}


def _is_tower(slot: SlotSeen) -> bool:
    return slot.tile is not None and slot.tile.reading.ranked[0][0].face.type == "tower"
