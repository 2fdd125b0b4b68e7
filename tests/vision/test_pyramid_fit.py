"""Pyramids measured: corners from sizes, outlines under a pose, fits on drawn squares, and what becomes of doubts."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.detect import pyramid_judge
from vision.detect.pyramid_fit import edges_of, fit
from vision.detect.pyramid_judge import Fits, PieceJudge, Walls, misfits, shades_of, walls_of
from vision.detect.pyramid_net import CLASSES, EMPTY, HIDDEN, LYING, STANDING
from vision.detect.pyramid_outline import corners_mm, outline_of
from vision.kits.gridlock import PYRAMIDS, GridlockKit
from vision.patches import PATCH_PX, plan_patches, straightener
from vision.pose import BoardPose, CameraModel

GROUND = np.array([31.5, 31.5])
EYES = {"above": (20.0, -10.0, 800.0), "to the south": (30.0, -420.0, 760.0), "north east": (300.0, 260.0, 700.0)}
NO_SHADES = np.zeros((0, 2, 3), np.float32)


def of_class(kind: int) -> tuple[int, int | None]:
    return (kind - STANDING, None) if kind < LYING else divmod(kind - LYING, 4)


@pytest.mark.parametrize("size", [0, 1, 2])
def test_a_standing_pyramid_has_its_base_on_the_square_and_its_tip_above_the_middle(size: int) -> None:
    shape = PYRAMIDS[size]
    corners = corners_mm(shape, None)
    assert np.allclose(np.linalg.norm(corners[1] - corners[0]), shape.base_mm)
    assert np.allclose(corners[:4, 2], 0)
    assert np.allclose(corners[4], (0, 0, shape.height_mm))


@pytest.mark.parametrize("facing", [0, 1, 2, 3])
@pytest.mark.parametrize("size", [0, 1, 2])
def test_a_lying_pyramid_is_the_same_solid_resting_on_a_wall(size: int, facing: int) -> None:
    shape = PYRAMIDS[size]
    corners = corners_mm(shape, facing)
    standing = corners_mm(shape, None)
    for i in range(5):
        for j in range(i):
            assert np.isclose(np.linalg.norm(corners[i] - corners[j]), np.linalg.norm(standing[i] - standing[j]))
    assert np.allclose(corners[[0, 1, 4], 2], 0)
    assert (corners[:, 2] >= 0).all()
    way = ((0, 1), (1, 0), (0, -1), (-1, 0))[facing]
    assert (corners[4, :2] - corners[:4, :2].mean(axis=0)) @ way > shape.height_mm / 2


def pose() -> BoardPose:
    camera = CameraModel(np.array([[1100.0, 0, 640], [0, 1100, 480], [0, 0, 1]]), np.zeros(5), (1280, 960))
    rotation = cv2.Rodrigues(np.array([np.radians(180 - 24), 0.05, 0.03]))[0]
    centre = np.array([230.0, -120.0, 820.0])
    return BoardPose(camera, cv2.Rodrigues(rotation)[0].ravel(), (-rotation @ centre).ravel())


@pytest.mark.parametrize("kind", [1, 3, 5, 14])
def test_an_outline_lies_where_the_camera_sees_the_corners(kind: int) -> None:
    kit, seen = GridlockKit(52.0), pose()
    flat = straightener(seen, (0.0, 0.0), (416.0, 416.0))
    plan = plan_patches(seen, flat, kit.places)
    size, facing = of_class(kind)
    for square in (0, 7, 27, 56, 63):
        middle = np.array(kit.places[square].centre_mm)
        outline = outline_of(PYRAMIDS[size], facing, seen.eye_mm - middle, plan.ground_px[square])
        turn = 0 if facing is None else 6
        corners = corners_mm(PYRAMIDS[size], facing) + middle
        on_plane = seen.to_mm(seen.to_px(corners))
        expected = flat.px_of(on_plane) - plan.corner_px[square]
        assert np.abs(outline.px[turn] - expected).max() < 0.05


def drawn(
    kind: int, eye: tuple[float, float, float], seed: int, noise: float = 1.5
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """A patch pair with that piece, a little off the middle and turned, and the piece's corners."""
    rng = np.random.default_rng(seed)
    size, facing = of_class(kind)
    outline = outline_of(PYRAMIDS[size], facing, np.array(eye), GROUND)
    turn = int(rng.integers(len(outline.px)))
    px = outline.px[turn] + rng.uniform(-5, 5, 2).astype(np.float32)
    empty = np.full((PATCH_PX, PATCH_PX, 3), 105.0, np.float32)
    empty[:9], empty[:, 56:] = 60.0, 62.0
    now = empty.copy()
    walls = [px[list(c)] for c in ((0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4), (0, 1, 2, 3))]
    order = np.argsort([abs(float(cv2.contourArea(w))) for w in walls])
    paint = rng.permutation([(40, 70, 150), (32, 56, 120), (24, 42, 90), (45, 78, 168), (20, 34, 75)])
    for n in order[::-1]:
        corners = walls[n]
        x, y = corners.T
        faces_camera = float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) < 0
        if faces_camera != (n == 4):
            cv2.fillConvexPoly(now, np.rint(corners * 16).astype(np.int32), tuple(float(v) for v in paint[n]),
                               cv2.LINE_AA, 4)
    pair = np.concatenate([now, empty], axis=2)
    pair = cv2.GaussianBlur(pair, (0, 0), 0.8) + rng.normal(0, noise, pair.shape)
    return np.clip(pair, 0, 255).astype(np.uint8), px


@pytest.mark.parametrize("eye", EYES.values(), ids=EYES)
@pytest.mark.parametrize("kind", range(EMPTY + 1, HIDDEN))
def test_the_true_piece_fits_best_of_all_and_where_it_stands(kind: int, eye: tuple[float, float, float]) -> None:
    pair, px = drawn(kind, eye, seed=kind)
    fields = edges_of(pair)
    fits = {}
    for other in range(EMPTY + 1, HIDDEN):
        size, facing = of_class(other)
        fits[other] = fit(fields, outline_of(PYRAMIDS[size], facing, np.array(eye), GROUND))
    assert max(fits, key=lambda k: fits[k].weight) == kind
    assert fits[kind].found > 0.7
    off = np.sort(np.linalg.norm(fits[kind].px[:, None] - px[None], axis=2).min(axis=1))
    assert off[-1] < 2.5, "corners of the fit lie on corners of the piece"


def test_printed_lines_and_even_shadows_are_no_edges() -> None:
    empty = np.full((PATCH_PX, PATCH_PX, 3), 110.0, np.float32)
    empty[:, 20:23], empty[40:43] = 70.0, 160.0
    same = np.concatenate([empty, empty], axis=2).astype(np.uint8)
    assert edges_of(same).size.max() < 0.05
    shaded = empty * 0.8
    assert edges_of(np.concatenate([shaded, empty], axis=2).astype(np.uint8)).size.max() < 0.4
    with_piece = shaded.copy()
    with_piece[25:38, 30:44] = (40, 70, 150)
    assert edges_of(np.concatenate([with_piece, empty], axis=2).astype(np.uint8)).size.max() > 0.9


def test_walls_are_those_that_the_camera_sees() -> None:
    pair, _ = drawn(3, EYES["above"], seed=3, noise=0)
    fitted = fit(edges_of(pair), outline_of(PYRAMIDS[2], None, np.array(EYES["above"]), GROUND))
    walls = walls_of(pair, fitted)
    assert 3 <= len(walls.light) <= 4
    assert (walls.light[:, 2] > 2 * walls.light[:, 0]).all(), "all of them are of the piece's own colour"


def test_a_pale_wall_in_the_shade_is_not_taken_for_a_dark_colour() -> None:
    """A white piece in a low lamp: its shaded walls are as dark as purple's lit ones, but of white's tint."""
    white, purple = [[0.14, 0.10, 0.13], [0.80, 0.60, 0.72]], [[0.08, 0.02, 0.06], [0.38, 0.08, 0.21]]
    shades = np.array([white, purple], np.float32)
    shaded = Walls(np.array([[0.13, 0.08, 0.11], [0.12, 0.08, 0.11]], np.float32), np.array([150, 90], np.float32))
    tint = misfits(shaded, shades)[:, 0]
    assert tint[0] < 1.5 < 4 < tint[1]


def test_a_dark_colour_is_never_as_bright_nor_a_pale_one_as_dark() -> None:
    white, black = [[0.16, 0.2, 0.18], [0.45, 0.5, 0.46]], [[0.013, 0.016, 0.015], [0.045, 0.05, 0.046]]
    shades = np.array([white, black], np.float32)
    dark = misfits(Walls(np.array([[0.009, 0.01, 0.0095]], np.float32), np.ones(1, np.float32)), shades)
    pale = misfits(Walls(np.array([[0.7, 0.8, 0.74]], np.float32), np.ones(1, np.float32)), shades)
    assert dark[0, 1] > 1 > dark[1, 1] == 0
    assert pale[1, 2] > 1 > pale[0, 2] == 0


def test_where_one_colour_could_not_be_measured_all_are_left_as_they_were() -> None:
    pair, _ = drawn(2, EYES["above"], seed=5)
    shades = np.array([[[0.1] * 3, [0.5] * 3], [[np.nan] * 3] * 2], np.float32)
    row = np.array([[0.6, 0.4]], np.float32)
    _, colours = judge(shades).measured(pair[None], said(k2=0.9, k3=0.1), row, {})
    assert np.array_equal(colours, row)


def test_shades_are_the_darkest_and_the_brightest_wall() -> None:
    eye = EYES["above"]
    pair, _ = drawn(3, eye, seed=8, noise=0)
    lean = np.array([-eye[0], -eye[1]]) * 44.45 / (eye[2] - 44.45) / 1.25 * (1, -1)
    extra = np.array([[*lean, *GROUND, 20.0]], np.float32)
    (dark, bright), = shades_of(pair[None], extra, eye[2])
    assert bright[2] > 1.2 * dark[2] > 0


def judge(shades: NDArray[np.float32] = NO_SHADES, squares: int = 1) -> PieceJudge:
    return PieceJudge(np.repeat([EYES["above"]], squares, axis=0), np.repeat([GROUND], squares, axis=0), shades)


def said(**shares: float) -> NDArray[np.float32]:
    """(1, 17): `k3=0.6` is class 3."""
    row = np.full((1, CLASSES), 1e-6, np.float32)
    for name, share in shares.items():
        row[0, int(name[1:])] = share
    return row


def test_a_doubtful_square_is_decided_by_its_outline() -> None:
    pair, _ = drawn(2, EYES["above"], seed=5)
    row, one = said(k2=0.2, k3=0.6, k4=0.15, k0=0.05), np.ones((1, 1), np.float32)
    classes, colours = judge().measured(pair[None], row, one, {})
    assert classes[0].argmax() == 2
    assert classes[0, EMPTY] == pytest.approx(0.05), "whether anything stands there is not measured"
    assert classes[0].sum() == pytest.approx(1.0, abs=1e-3)
    assert colours[0, 0] == 1


@pytest.mark.parametrize("row", [said(k2=0.004, k3=0.996), said(k0=0.9, k3=0.06, k2=0.04), said(k16=0.8, k2=0.2)],
                         ids=["sure", "more likely empty", "more likely under a hand"])
def test_other_squares_stay_as_they_were(row: NDArray[np.float32]) -> None:
    pair, _ = drawn(2, EYES["above"], seed=5)
    fits: Fits = {}
    classes, _ = judge().measured(pair[None], row, np.ones((1, 1), np.float32), fits)
    assert np.array_equal(classes, row)
    assert not fits, "nothing was measured"


def test_a_picture_full_of_doubt_is_measured_only_so_far() -> None:
    pair, _ = drawn(2, EYES["above"], seed=5)
    many = pyramid_judge.MOST_MEASURED + 9
    fits: Fits = {}
    rows = np.repeat(said(k2=0.5, k3=0.5), many, axis=0)
    judge(squares=many).measured(np.repeat(pair[None], many, axis=0), rows, np.ones((many, 1), np.float32), fits)
    assert len(fits) == pyramid_judge.MOST_MEASURED


def test_what_was_measured_of_a_picture_is_not_measured_again() -> None:
    pair, _ = drawn(2, EYES["above"], seed=5)
    fits: Fits = {}
    judged = judge()
    judged.measured(pair[None], said(k2=0.5, k3=0.5), np.ones((1, 1), np.float32), fits)
    first = dict(fits[0].by_kind)
    judged.measured(pair[None], said(k2=0.5, k3=0.4, k4=0.1), np.ones((1, 1), np.float32), fits)
    assert len(fits[0].by_kind) == 3
    assert all(fits[0].by_kind[kind] is fitted for kind, fitted in first.items())
