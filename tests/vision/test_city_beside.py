"""Tokens beside a mat: what is as large as a book is none, and what may be either is asked about."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.detect.city_beside import BesideSeen, Surroundings, see_beside
from vision.frame import Image
from vision.kits.quadropolis import ENERGY, QuadropolisKit
from vision.pose import BoardPose, CameraModel

KIT = QuadropolisKit()
PX_PER_MM = 2.0
SIZE_PX = 1100
_FAR_MM = 900.0
_MATRIX = np.array([[PX_PER_MM * _FAR_MM, 0, 550], [0, PX_PER_MM * _FAR_MM, 550], [0, 0, 1]])
POSE = BoardPose(CameraModel(_MATRIX, np.zeros(5), (SIZE_PX, SIZE_PX)), np.array([np.pi, 0, 0]),
                 np.array([-110.0, 110.0, _FAR_MM]))
WHITE = np.full(3, 230, np.float32)
RED = (35, 28, 195)


def table(blocks: list[tuple[float, float, float, float]], tokens: list[tuple[float, float]]) -> Image:
    """A grey table with red blocks (x, y, width, height mm) and energy (x, y mm) on it."""
    image = np.full((SIZE_PX, SIZE_PX, 3), 120, np.uint8)
    for x, y, wide, high in blocks:
        ring = POSE.to_px(np.array([[x, y], [x + wide, y], [x + wide, y + high], [x, y + high]]))
        cv2.fillConvexPoly(image, np.round(ring).astype(np.int32), RED)
    for x, y in tokens:
        for z in np.linspace(0, ENERGY.height_mm, 8):
            at = POSE.to_px(np.array([[x, y, z]]))[0]
            cv2.circle(image, (round(float(at[0])), round(float(at[1]))), round(ENERGY.width_mm / 2 * PX_PER_MM), RED,
                       -1)
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 0.7), np.uint8)


def seen(image: Image) -> BesideSeen:
    before = Surroundings.of(table([], []), POSE, KIT, WHITE)
    return see_beside(image, POSE, before, WHITE, np.ones(3, np.float32))


def test_tokens_are_counted() -> None:
    found = seen(table([], [(-60, 60), (-48, 62), (-55, 130)]))
    assert (found.inhabitants, found.energy) == (0, 3)
    assert found.sure > 0.8


@pytest.mark.parametrize("block", [(-100.0, 40.0, 40.0, 45.0), (60.0, -90.0, 90.0, 4.0)],
                         ids=["a book", "a stripe of the cloth"])
def test_a_book_is_no_heap_of_tokens(block: tuple[float, float, float, float]) -> None:
    found = seen(table([block], [(-60, 160), (280, 60)]))
    assert (found.inhabitants, found.energy) == (0, 2)
    assert found.sure > 0.8


def test_what_may_be_a_heap_is_asked() -> None:
    assert seen(table([(-90.0, 40.0, 16.0, 17.0)], [])).sure < 0.8
