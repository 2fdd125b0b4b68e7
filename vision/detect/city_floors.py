"""How many floors a tower has, by how much nearer its top is to the camera.

The icons of a face have known distances. On a higher tile they lie further apart in the picture: by 1/300 for each
tile under it with a camera half a metre above. Tiles that are no towers have one floor and say where that is.
Where the camera looks straight down and its lens is not known, height and focal length cannot be told apart; then one
factor for all towers of a picture is weighed along with their floors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect.city_slots import SlotSeen, Tile
from vision.kits.quadropolis import FLOOR_MM, MOST_FLOORS, SIDE, QuadropolisKit
from vision.pose import BoardPose

_FIRST_FLOOR_MM = 2.3
_FIRST_SPREAD_MM = 0.6
_USUAL_FITS = 3.0
_TILT_SPREAD_MM = 0.5
"""By so much heights err more at the mat's edge than in its middle, where the pose is a little wrong."""
_ICON_SPREAD_MM = 0.02
"""How exactly an icon's place is measured, beside its taught one."""
_LEAST_SPREAD_MM = 0.35
_WIDE = 0.03
"""This share of readings is far off: a token on an icon, a reflection."""
_PRIOR = np.log(np.array([0.52, 0.26, 0.14, 0.08]))
Floats = NDArray[np.float64]


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


def floors_of(
    slots: Sequence[SlotSeen], pose: BoardPose, doubt: float
) -> dict[int, tuple[tuple[int, float], ...]]:
    """For each slot (by its index) with a tower on top: numbers of floors with probabilities, best first.

    `doubt`: by what share all heights may be wrong together, see `focal_doubt`.
    """
    heights = {n: h for n, slot in enumerate(slots) if slot.tile and (h := height_of(slot.tile, pose)) is not None}
    towers = [n for n in heights if _is_tower(slots[n])]
    lows = [n for n in heights if n not in towers]
    first = _first_floors(slots, heights, lows, towers)
    factors = np.exp(np.linspace(-2.5, 2.5, 21) * doubt)
    weights = -0.5 * np.linspace(-2.5, 2.5, 21) ** 2
    logs = {}
    for n in towers:
        z, spread = heights[n]
        usual, doubtful = first[n]
        spread = float(np.hypot(spread, doubtful))
        expected = usual + np.outer(factors, np.arange(MOST_FLOORS)) * FLOOR_MM
        off = (z - expected) / spread
        likely = (1 - _WIDE) * np.exp(-0.5 * off**2) + _WIDE * np.exp(-0.5 * (off / 5) ** 2) / 5
        logs[n] = np.log(likely) + _PRIOR
        weights = weights + np.logaddexp.reduce(logs[n], axis=1)
    shares = np.exp(weights - weights.max())
    shares /= shares.sum()
    out: dict[int, tuple[tuple[int, float], ...]] = {}
    for n in (m for m, slot in enumerate(slots) if _is_tower(slot)):
        if n not in logs:
            chances = np.exp(_PRIOR)
        else:
            each = np.exp(logs[n] - np.logaddexp.reduce(logs[n], axis=1, keepdims=True))
            chances = shares @ each
        order = np.argsort(-chances)
        out[n] = tuple((int(k) + 1, float(chances[k])) for k in order)
    return out


def _first_floors(slots: Sequence[SlotSeen], heights: Mapping[int, tuple[float, float]], lows: Sequence[int],
                  towers: Sequence[int]) -> dict[int, tuple[float, float]]:
    """For each of `towers` (z, spread) mm that a single tile would have there: what is usual, and what the tiles of
    this picture say that are no towers. A pose that is a little wrong tilts all heights alike, so a plane is fitted."""
    middle = np.mean([slot.place.centre_mm[:2] for slot in slots], axis=0)

    def terms(indices: Sequence[int]) -> Floats:
        at = np.array([slots[n].place.centre_mm[:2] for n in indices], np.float64).reshape(-1, 2)
        return np.column_stack([np.ones(len(at)), (at - middle) / slots[0].place.width_mm / 2])

    design = terms(lows)
    seen = np.array([heights[n][0] for n in lows])
    noise = np.array([1.5 * heights[n][1] for n in lows])
    usual = np.array([_FIRST_FLOOR_MM, 0.0, 0.0])
    prior = np.diag(1 / np.array([_FIRST_SPREAD_MM, _TILT_SPREAD_MM, _TILT_SPREAD_MM]) ** 2)
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
