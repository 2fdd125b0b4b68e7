"""The lens from pictures of the sheet: drawn ones with a known lens, and the shared folder's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.errors import CalibrationFailed
from calibration.fit import CameraFit, find_sheet, fit_camera_charuco, fit_camera_folder, read_target
from calibration.target import CharucoTarget
from vision.frame import Image
from vision.pose import BoardPose, CameraModel

SHARED = Path(__file__).parents[2].parent / "shared" / "scenes" / "dev" / "charuco-301"
TARGET = CharucoTarget((8, 6), 30.0, 22.0, "DICT_4X4_50")
SIZE = (640, 480)
MILD = CameraModel(np.array([[610.0, 0, 325], [0, 610.0, 236], [0, 0, 1]]), np.array([-0.2, 0.03, 0, 0, 0]), SIZE)
WIDE = CameraModel(np.array([[380.0, 0, 325], [0, 380.0, 236], [0, 0, 1]]),
                   np.array([-0.30, 0.11, 0.0005, -0.0004, -0.018]), SIZE)
POSES = ((0, 0, 0, 0, 0), (0.5, 0, 0.1, 0, 0), (-0.5, 0.1, 0, 20, 0), (0, 0.5, 0, 0, 10), (0, -0.5, 1.5, 0, 0),
         (0.3, 0.3, 0, -75, -55), (-0.3, 0.2, 0.1, 75, 50), (0.2, -0.4, 3.1, -75, 50), (0.2, 0.3, 0, 75, -55))




def draw(camera: CameraModel, legacy: bool = False, poses: Any = POSES, seed: int = 0) -> list[tuple[str, Image]]:
    """The sheet seen through the lens, pixel by pixel, from about as near as fills half the picture."""
    px_per_mm = 6
    board = TARGET.board(legacy)
    across, down = (count * TARGET.square_mm for count in TARGET.squares)
    sheet = board.generateImage((round(across * px_per_mm), round(down * px_per_mm)))
    sheet = cv2.GaussianBlur(cv2.copyMakeBorder(sheet, 60, 60, 60, 60, cv2.BORDER_CONSTANT, value=(255,)), (0, 0), 3)
    rng = np.random.default_rng(seed)
    u, v = np.meshgrid(np.arange(SIZE[0]), np.arange(SIZE[1]))
    px = np.stack([u.ravel(), v.ravel()], axis=1).astype(np.float64)
    made = []
    for n, (x, y, z, right, below) in enumerate(poses):
        rotation, _ = cv2.Rodrigues(np.array([0, 0, float(z)]))
        rotation = cv2.Rodrigues(np.array([float(x), float(y), 0]))[0] @ rotation
        tvec = np.array([right, below, camera.matrix[0, 0] * 0.62]) - rotation @ np.array([across / 2, down / 2, 0])
        mm = BoardPose(camera, np.asarray(cv2.Rodrigues(rotation)[0], np.float64).ravel(), tvec).to_mm(px)
        at = ((mm * px_per_mm + 60) - 0.5).astype(np.float32).reshape(SIZE[1], SIZE[0], 2)
        gray = cv2.remap(sheet, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderValue=(110,)) * 0.8 + 20
        gray = np.clip(gray + rng.normal(0, 2, gray.shape), 0, 255).astype(np.uint8)
        made.append((f"{n:04d}.png", np.repeat(gray[..., None], 3, axis=2)))
    return made


def worst_grid_error(fit: CameraModel, truth: CameraModel) -> float:
    """The largest error of an 8x8 board that fills the picture, in cell widths, once the fit's own
    pose of it is found: what a player would see."""
    focal = truth.matrix[0, 0]
    grid = np.array([[i, j, 0.0] for i in range(9) for j in range(9)])
    grid[:, :2] -= 4
    tvec = np.array([0.0, 0.0, 8.8 * focal / truth.size_px[1]])
    rvec = np.array([0.3, 0.1, 0.0])
    px = BoardPose(truth, rvec, tvec).to_px(grid)
    _, r, t = cv2.solvePnP(grid, px, fit.matrix, fit.distortion)
    again = BoardPose(fit, np.asarray(r, np.float64).ravel(), np.asarray(t, np.float64).ravel()).to_px(grid)
    cells = np.linalg.norm(px.reshape(9, 9, 2)[1:] - px.reshape(9, 9, 2)[:-1], axis=2).min()
    return float(np.linalg.norm(again - px, axis=1).max() / cells)


@pytest.fixture(scope="module")
def mild() -> list[tuple[str, Image]]:
    return draw(MILD)


@pytest.fixture(scope="module")
def mild_fit(mild: list[tuple[str, Image]]) -> CameraFit:
    return fit_camera_charuco(mild, TARGET)


def test_a_mild_lens_is_found(mild_fit: CameraFit) -> None:
    assert mild_fit.dropped == ()
    assert not mild_fit.legacy
    assert mild_fit.residual_px < 0.2
    assert {name for name, _ in mild_fit.per_picture_px} == {f"{n:04d}.png" for n in range(len(POSES))}
    assert mild_fit.camera.size_px == SIZE
    assert mild_fit.camera.matrix[0, 0] == pytest.approx(610, rel=0.01)
    assert mild_fit.camera.distortion[4] == 0.0
    assert worst_grid_error(mild_fit.camera, MILD) < 0.01


def test_c2_a_wide_lens_leaves_no_grid_error_of_three_per_cent_of_a_cell() -> None:
    fit = fit_camera_charuco(draw(WIDE), TARGET)
    straight = CameraModel(fit.camera.matrix, np.zeros(5), SIZE)
    assert worst_grid_error(fit.camera, WIDE) < 0.03
    assert worst_grid_error(straight, WIDE) > 0.03


def test_c1_a_sheet_in_the_old_arrangement_is_read() -> None:
    fit = fit_camera_charuco(draw(MILD, legacy=True, poses=POSES[:6]), TARGET)
    assert fit.legacy
    assert fit.dropped == ()
    assert fit.camera.matrix[0, 0] == pytest.approx(610, rel=0.02)


def test_c1_one_picture_of_another_sheet_is_dropped(mild: list[tuple[str, Image]]) -> None:
    odd = ("odd.png", draw(MILD, legacy=True, poses=POSES[:1])[0][1])
    fit = fit_camera_charuco([*mild[:6], odd], TARGET)
    assert fit.dropped == (("odd.png", "another arrangement of markers than the others': use one sheet"),)


def bent(image: Image) -> Image:
    """A sheet that is not flat: pixels moved by up to four along a wave."""
    v, u = np.indices(image.shape[:2]).astype(np.float32)
    return np.asarray(cv2.remap(image, u + 4 * np.sin(v / 40), v + 4 * np.sin(u / 50), cv2.INTER_LINEAR), np.uint8)


@pytest.mark.parametrize(("spoil", "why"), [
    (lambda image: np.full_like(image, 90), "no marker of the sheet found"),
    (lambda image: np.where(np.arange(SIZE[0])[:, None] > 270, 90, image).astype(np.uint8), "show more of the sheet"),
    (bent, "px off, at most 1.0: press the sheet flat"),
    (lambda image: np.ascontiguousarray(image[:400]), "size 640x400, the others 640x480: use one setting"),
], ids=["nothing there", "half covered", "sheet not flat", "another size"])
def test_a_bad_picture_is_dropped_with_the_reason(mild: list[tuple[str, Image]], mild_fit: CameraFit, spoil: Any,
                                                  why: str) -> None:
    images = [(name, spoil(image) if name == "0002.png" else image) for name, image in mild]
    fit = fit_camera_charuco(images, TARGET)
    assert [name for name, _ in fit.dropped] == ["0002.png"]
    assert why in fit.dropped[0][1]
    assert len(fit.per_picture_px) == len(POSES) - 1
    assert fit.camera.matrix[0, 0] == pytest.approx(mild_fit.camera.matrix[0, 0], rel=0.01)


@pytest.mark.parametrize(("poses", "message"), [
    (POSES[:3], r"wanted at least 4 good pictures of the sheet, found 3 \(none was dropped\)"),
    ([(0.02 * n, 0, 0.2 * n, 5 * n, 0) for n in range(5)], r"tilted by 15 degrees .* found \d+: tilt it"),
], ids=["too few", "all parallel"])
def test_pictures_that_cannot_bear_a_fit_are_refused(poses: Any, message: str) -> None:
    with pytest.raises(CalibrationFailed, match=message):
        fit_camera_charuco(draw(MILD, poses=poses), TARGET)


def test_no_picture_with_a_sheet_is_refused() -> None:
    with pytest.raises(CalibrationFailed, match=r"found none in 2 \(a: no marker of the sheet found: show the whole"):
        fit_camera_charuco([(name, np.full((480, 640, 3), 90, np.uint8)) for name in "ab"], TARGET)


def test_a_sheet_that_covers_a_corner_only_is_refused(mild: list[tuple[str, Image]]) -> None:
    def far(image: Image) -> Image:
        small = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        out = np.full_like(image, 110)
        out[:240, :320] = small
        return out

    with pytest.raises(CalibrationFailed, match=r"wanted the sheet over at least 25% of the picture, found \d+%"):
        fit_camera_charuco([(name, far(image)) for name, image in mild], TARGET)


def test_progress_is_told(mild: list[tuple[str, Image]]) -> None:
    told: list[tuple[int, int]] = []
    fit_camera_charuco(mild[:5], TARGET, lambda done, count: told.append((done, count)))
    assert told == [(n, 5) for n in range(1, 6)]


def test_the_wrong_dictionary_finds_nothing(mild: list[tuple[str, Image]]) -> None:
    seen = find_sheet("a", mild[0][1], CharucoTarget((8, 6), 30.0, 22.0, "DICT_6X6_50"))
    assert isinstance(seen, str)
    assert "check the dictionary" in seen


def folder_of(tmp_path: Path, images: list[tuple[str, Image]], **changes: Any) -> Path:
    for name, image in images:
        cv2.imwrite(str(tmp_path / name), image)
    setup = {"format": 1, "game": None, "kind": "charuco", "frames": [name for name, _ in images],
             "target": {"squares": [8, 6], "square_mm": 30.0, "marker_mm": 22.0, "dictionary": "DICT_4X4_50"}} | changes
    (tmp_path / "setup.json").write_text(json.dumps(setup))
    return tmp_path


def test_a_folder_is_fitted_and_a_torn_picture_dropped(tmp_path: Path, mild: list[tuple[str, Image]],
                                                       mild_fit: CameraFit) -> None:
    folder = folder_of(tmp_path, mild)
    (folder / "0003.png").write_bytes((folder / "0003.png").read_bytes()[:100])
    fit = fit_camera_folder(folder)
    assert [name for name, _ in fit.dropped] == ["0003.png"]
    assert "0003.png: wanted a JPEG or PNG picture" in fit.dropped[0][1]
    assert fit.camera.matrix[0, 0] == pytest.approx(mild_fit.camera.matrix[0, 0], rel=0.01)


@pytest.mark.parametrize(("changes", "message"), [
    ({"kind": "stills"}, r"wanted kind \"charuco\", found 'stills'"), ({"frames": []}, "wanted \"frames\""),
    ({"target": None}, "wanted \"target\" with"), ({"target": {"squares": [8, 6]}}, r"found \['squares'\]"),
    ({"target": {"squares": 8, "square_mm": 1, "marker_mm": 1, "dictionary": "D"}}, "sizes as numbers"),
    ({"target": {"squares": [8, 6], "square_mm": 30, "marker_mm": 40, "dictionary": "DICT_4X4_50"}},
     r"wanted less than square_mm \(30"),
    ({"target": {"squares": [8, 6], "square_mm": 30, "marker_mm": 20, "dictionary": "DICT_99"}}, "name of OpenCV's"),
    ({"target": {"squares": [2, 6], "square_mm": 30, "marker_mm": 20, "dictionary": "DICT_4X4_50"}}, "at least 3 by 3"),
    ({"target": {"squares": [20, 20], "square_mm": 9, "marker_mm": 5, "dictionary": "DICT_4X4_50"}},
     "wanted 200 markers, found 50"),
], ids=["another kind", "no frames", "no target", "half a target", "one number", "marker too large", "no dictionary",
        "too narrow", "too few markers"])
def test_a_wrong_set_up_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(CalibrationFailed, match=message):
        fit_camera_folder(folder_of(tmp_path, [("a.png", np.zeros((480, 640, 3), np.uint8))], **changes))


@pytest.mark.parametrize(("text", "message"), [(None, "wanted a folder with setup.json"),
                                               ("{\n,}", "in line 2, column 1: correct it")], ids=["none", "no JSON"])
def test_no_set_up_is_refused(tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / "setup.json").write_text(text)
    with pytest.raises(CalibrationFailed, match=message):
        read_target(tmp_path)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared scenes are not here")
def test_the_shared_sheet_gives_the_shared_camera() -> None:
    truth = json.loads((SHARED / "scene.json").read_text())["camera"]
    camera = CameraModel(np.array(truth["matrix"]).reshape(3, 3), np.array(truth["distortion"]), tuple(truth["size"]))
    fit = fit_camera_folder(SHARED)
    assert fit.dropped == ()
    assert max(px for _, px in fit.per_picture_px) < 0.3
    assert fit.camera.matrix[0, 0] == pytest.approx(camera.matrix[0, 0], rel=0.002)
    np.testing.assert_allclose(fit.camera.matrix[:2, 2], camera.matrix[:2, 2], atol=1.5)
    assert worst_grid_error(fit.camera, camera) < 0.01
