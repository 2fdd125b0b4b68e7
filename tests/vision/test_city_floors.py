"""Floors told by how much nearer a face is: alone as a fixed camera sees it, and for all mats of a photograph."""

from __future__ import annotations

import numpy as np
import pytest

from vision.detect.city_border import Border
from vision.detect.city_faces import FaceReading, TaughtFace
from vision.detect.city_floors import first_floors_of, floors_of, floors_together, height_of
from vision.detect.city_slots import SlotSeen, Tile
from vision.detect.city_square import Spot
from vision.kits.quadropolis import FLOOR_MM, Face, QuadropolisKit
from vision.pose import BoardPose, CameraModel

KIT = QuadropolisKit()
FAR_MM = 900.0
_MATRIX = np.array([[2600.0, 0, 1600], [0, 2600.0, 1200], [0, 0, 1]])
POSE = BoardPose(CameraModel(_MATRIX, np.zeros(5), (3200, 2400)), np.array([np.pi, 0, 0]),
                 np.array([-110.0, 110.0, FAR_MM]))
_COLOUR = np.full(3, 200, np.float32)


def slot(n: int, kind: str, floors: int, larger: float, rng: np.random.Generator) -> SlotSeen:
    """A tile that lies on so many more, all of the picture's faces `larger` by a share than they were taught."""
    z = 2.3 + (floors - 1) * FLOOR_MM
    nearer = (1 + z / (FAR_MM - z)) * (1 + larger) - 1
    at = np.array([[-16.0, 16.0], [16.0, 16.0], [16.0, -16.0]])
    shifts = np.c_[at, at * nearer + rng.normal(0, 0.01, (3, 2))].astype(np.float32)
    taught = TaughtFace(Face(kind, 1, 0, 0, False), (), _COLOUR, _COLOUR, 42.0)
    place = KIT.places[n]
    border = Border(Spot(place.centre_mm[0], place.centre_mm[1]), 42.0, 0.05, 24, _COLOUR)
    reading = FaceReading(((taught, 1.0),), shifts, 0.9)
    return SlotSeen(place, 1.0, Tile(border, reading, np.zeros((4, 4, 3), np.uint8), _COLOUR))


def mat(stacks: list[int], larger: float, rng: np.random.Generator) -> list[SlotSeen]:
    """Towers with so many floors, and shops on half as many slots."""
    towers = [slot(n, "tower", floors, larger, rng) for n, floors in enumerate(stacks)]
    return towers + [slot(n + 8, "shop", 1, larger, rng) for n in range((len(stacks) + 1) // 2)] \
        + [SlotSeen(place, 0.0) for place in KIT.places[12:]]


def test_a_face_that_is_nearer_is_higher() -> None:
    rng = np.random.default_rng(1)
    for floors in range(1, 5):
        tile = slot(5, "tower", floors, 0.0, rng).tile
        assert tile is not None
        height = height_of(tile, POSE)
        assert height is not None
        assert height[0] == pytest.approx(2.3 + (floors - 1) * FLOOR_MM, abs=1.0)


@pytest.mark.parametrize("larger", [-0.0025, 0.0, 0.0025])
def test_mats_of_a_photograph_help_each_other(larger: float) -> None:
    """A share of 0.0025 is a whole floor from 90 cm; the shops of all mats say so."""
    rng = np.random.default_rng(2)
    stacks = [[1, 2, 3], [2, 1], [4, 1, 2], [3, 2, 1, 1]]
    mats = [(mat(one, larger, rng), POSE) for one in stacks]
    told = floors_together(mats, 0.02)
    for one, ranked in zip(stacks, told, strict=True):
        assert [ranked[n][0][0] for n in range(len(one))] == one
    firsts = first_floors_of(mats)
    assert firsts[0].z_mm == pytest.approx(2.3 + larger * FAR_MM, abs=0.6)
    for (slots, _), one, ranked in zip(mats, stacks, told, strict=True):
        alone = floors_of(slots, POSE, 0.02)
        assert [alone[n][0][0] for n in range(len(one))] == one
        assert min(alone[n][0][1] for n in range(len(one))) <= min(ranked[n][0][1] for n in range(len(one))) + 0.02


@pytest.mark.parametrize("larger", [-0.0025, 0.0025])
def test_a_mat_of_towers_alone_is_helped_by_those_beside_it(larger: float) -> None:
    rng = np.random.default_rng(4)
    towers = [slot(n, "tower", floors, larger, rng) for n, floors in enumerate([2, 3])]
    bare = [*towers, *(SlotSeen(place, 0.0) for place in KIT.places[2:])]
    alone = floors_of(bare, POSE, 0.02)
    assert min(alone[n][0][1] for n in (0, 1)) < 0.8
    beside = [(mat(stacks, larger, rng), POSE) for stacks in ([1, 2, 3], [2, 1])]
    together = floors_together([(bare, POSE), *beside], 0.02)
    assert [together[0][n][0][0] for n in (0, 1)] == [2, 3]
    assert min(together[0][n][0][1] for n in (0, 1)) > 0.8


def test_what_cannot_be_told_is_asked() -> None:
    """One tower and nothing else, from afar: faces may be larger than they were taught by as much as a floor."""
    slots = [slot(0, "tower", 2, 0.0012, np.random.default_rng(3))]
    [told] = floors_together([(slots, POSE)], 0.02)
    assert told[0][0][1] < 0.8
    assert floors_together([], 0.02) == ()
