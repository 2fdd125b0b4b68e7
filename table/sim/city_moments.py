"""What happens around a Quadropolis city while it is photographed: hands, bumps, other lamps, careless people.

The same frame of reference as `table.sim.city_paint`: the table's, mm, z up from the mats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import cv2
import numpy as np

from table.sim.arm import arm_mask, reaching_arm
from table.sim.city_paint import SHAPES, Spotted, TileLaid, TokenLaid
from table.sim.looks import SKINS
from table.sim.room import bumped
from table.sim.scene import Arm, SimCamera, linear
from vision.kits.quadropolis import SIDE, QuadropolisKit

TAGS: tuple[str, ...] = ("city", "hand", "bump", "light")
"""In the words of FORMAT.md."""
_FAR_MM = 340.0
_TURNED_SHARE, _SHIFTED_SHARE, _STACKED_SHARE = 0.25, 0.25, 0.3


@dataclass(frozen=True, slots=True)
class Moment:
    """How one picture is taken: its tag, where the mat lies, from which camera, and whose arm is in it."""

    tag: str
    mat: Spotted
    camera: SimCamera
    arm: Arm | None = None


def moments(count: int, camera: SimCamera, kit: QuadropolisKit, rng: np.random.Generator) -> tuple[Moment, ...]:
    """One of each in turn, first a hand; what a bump has moved stays where it is."""
    told, mat = [], Spotted(0.0, 0.0)
    for n in range(count):
        tag = ("hand", "bump", "light", "city")[n % len(TAGS)]
        if tag == "bump" and rng.random() < 0.5:
            camera = bumped(camera, rng)
        elif tag == "bump":
            mat = Spotted(float(rng.uniform(-8, 8)), float(rng.uniform(-8, 8)), float(rng.uniform(-2.5, 2.5)))
        told.append(Moment(tag, mat, camera, random_arm(kit, rng) if tag == "hand" else None))
    return tuple(told)


def random_arm(kit: QuadropolisKit, rng: np.random.Generator, at_mm: tuple[float, float] | None = None) -> Arm:
    """An arm from one side, its fingertips over the mat: somewhere, or at `at_mm`."""
    end = SIDE * kit.pitch_mm
    x, y = (float(v) for v in rng.uniform(0.05, 0.95, 2) * end) if at_mm is None else at_mm
    slide = float(rng.uniform(-0.1, 1.1)) * end
    start = ((slide, -_FAR_MM), (-_FAR_MM, slide), (slide, end + _FAR_MM), (end + _FAR_MM, slide))[int(rng.integers(4))]
    skin = linear(np.clip(np.array(SKINS[rng.integers(len(SKINS))], float) * rng.uniform(0.85, 1.1), 8, 250))
    sleeve = linear(rng.uniform(15, 235, 3)) if rng.random() < 0.6 else None
    return reaching_arm(start, (x, y, float(rng.uniform(16, 60))), skin, sleeve, rng, float(rng.uniform(0.75, 1.1)))


def covered(kit: QuadropolisKit, moment: Moment) -> list[list[float]]:
    """[row, column, share] of each slot (counted from 1) of whose tile's place an arm hides some."""
    if moment.arm is None:
        return []
    mask, half, out = arm_mask(moment.arm, moment.camera) > 0, kit.tile_mm / 2, []
    ring = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    for place in kit.places:
        corners = moment.camera.project(np.c_[moment.mat.on_table(ring + place.centre_mm[:2]), np.zeros(4)])
        tile = np.zeros(mask.shape, np.uint8)
        cv2.fillConvexPoly(tile, np.round(corners).astype(np.int32), (1,))
        share = float(mask[tile > 0].mean())
        if share > 0:
            out.append([place.cell.row + 1, place.cell.col + 1, round(share, 3)])
    return out


class _Laid(Protocol):
    """Anything that lies somewhere."""

    @property
    def at(self) -> Spotted: ...


def carelessly(
    kit: QuadropolisKit, tiles: Sequence[TileLaid], tokens: Sequence[TokenLaid], rng: np.random.Generator
) -> tuple[tuple[TileLaid, ...], tuple[TokenLaid, ...]]:
    """The same city as hasty people lay it: stacks turned up to 45 degrees or off their slot by up to a third of a
    tile (where the slot beside is empty), and tokens of one tile lying on each other."""
    taken = {_slot(kit, tile) for tile in tiles}
    new_tiles: list[TileLaid] = []
    new_tokens = [token for token in tokens if token.z_mm <= 0]
    for slot in sorted(taken):
        stack = [tile for tile in tiles if _slot(kit, tile) == slot]
        laid = [token for token in tokens if token.z_mm > 0 and _slot(kit, token) == slot]
        turn = float(rng.uniform(12, 45) * rng.choice([-1, 1])) if rng.random() < _TURNED_SHARE else 0.0
        off = np.zeros(2)
        if turn == 0.0 and rng.random() < _SHIFTED_SHARE:
            free = [d for d in ((1, 0), (-1, 0), (0, 1), (0, -1)) if (slot[0] + d[0], slot[1] + d[1]) not in taken]
            if free:
                off = np.array(free[int(rng.integers(len(free)))]) * float(rng.uniform(6, kit.tile_mm / 3))
        middle = np.array([stack[0].at.x_mm, stack[0].at.y_mm])
        new_tiles += [replace(tile, at=_carried(tile, middle, turn, off)) for tile in stack]
        new_tokens += _stacked([replace(token, at=_carried(token, middle, turn, off)) for token in laid], rng)
    return tuple(new_tiles), tuple(new_tokens)


def _slot(kit: QuadropolisKit, laid: _Laid) -> tuple[int, int]:
    return int(laid.at.x_mm // kit.pitch_mm), int(laid.at.y_mm // kit.pitch_mm)


def _carried(laid: _Laid, middle: np.ndarray, turn_deg: float, off: np.ndarray) -> Spotted:
    own = np.array([[laid.at.x_mm, laid.at.y_mm]]) - middle
    x, y = Spotted(0.0, 0.0, turn_deg).on_table(own)[0] + middle + off
    return Spotted(float(x), float(y), laid.at.turn_deg + turn_deg)


def _stacked(laid: list[TokenLaid], rng: np.random.Generator) -> list[TokenLaid]:
    """The last of several tokens, now and then, half on the one before it."""
    if len(laid) < 2 or rng.random() > _STACKED_SHARE:
        return laid
    under, angle, far = laid[-2], rng.uniform(0, 2 * np.pi), rng.uniform(5, 9)
    at = Spotted(under.at.x_mm + float(far * np.cos(angle)), under.at.y_mm + float(far * np.sin(angle)),
                 laid[-1].at.turn_deg)
    return [*laid[:-1], replace(laid[-1], at=at, z_mm=under.z_mm + SHAPES[under.kind].height_mm)]
