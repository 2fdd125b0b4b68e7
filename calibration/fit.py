"""Pictures of a ChArUco sheet -> the lens, as a `CameraModel`.

The model is OpenCV's pinhole with k1 k2 p1 p2, and k3 only where the pictures ask for it: fitted
to a mild lens, k3 follows the noise and bends the picture's corners (by 20 px in a measured case).
Pixels are taken to be square, as they are on every camera for a Pi.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.errors import CalibrationFailed
from calibration.target import CharucoTarget
from vision.frame import BadPicture, Image, Points, read_picture
from vision.pose import CameraModel

LEAST_PICTURES = 4
LEAST_CROSSINGS = 8
"""In one picture; fewer say little about its pose."""
WORST_PICTURE_PX = 1.0
"""A picture's root mean square error may be so large, or 2.5 times the median if that is more."""
LEAST_TILT_DEG = 15.0
"""Between the two most different poses: with all sheets parallel, focal length and distance trade off
(Zhang, A Flexible New Technique for Camera Calibration, 2000, section 3.3)."""
LEAST_COVER = 0.25
"""Share of the picture within the hull of all crossings; beyond it the distortion is guessed."""
K3_GAIN = 0.03
"""By such a share k3 must make the error smaller to be used."""

Told = Callable[[int, int], None]
"""How many pictures are done, of how many."""


@dataclass(frozen=True, slots=True)
class CameraFit:
    """A lens and how well it fits. `per_picture_px`: root mean square reprojection error of each
    picture used; `dropped`: the others, each with the reason; `legacy`: the sheet has the arrangement
    from before OpenCV 4.6; `cover`: share of the picture that the crossings reached."""

    camera: CameraModel
    per_picture_px: tuple[tuple[str, float], ...]
    dropped: tuple[tuple[str, str], ...]
    residual_px: float
    legacy: bool
    cover: float


@dataclass(frozen=True, slots=True)
class SheetView:
    """The sheet in one picture: `ids` (n,) of the crossings found and where they are, (n, 2) px."""

    name: str
    ids: np.ndarray[Any, np.dtype[np.intp]]
    points_px: Points
    legacy: bool


def read_target(folder: Path) -> CharucoTarget:
    """The sheet that a `charuco` folder's `setup.json` describes. Raises `CalibrationFailed`."""
    setup = _read_setup(folder)
    target = setup.get("target")
    known = {"squares", "square_mm", "marker_mm", "dictionary"}
    if not isinstance(target, dict) or set(target) != known:
        found = sorted(target) if isinstance(target, dict) else target
        raise CalibrationFailed(f"{folder}: wanted \"target\" with {sorted(known)}, found {found}: correct setup.json")
    try:
        across, down = target["squares"]
        return CharucoTarget((int(across), int(down)), float(target["square_mm"]), float(target["marker_mm"]),
                             str(target["dictionary"]))
    except CalibrationFailed:
        raise
    except (TypeError, ValueError) as error:
        raise CalibrationFailed(f"{folder}: wanted the sheet's sizes as numbers, found {target} ({error}): "
                                "correct setup.json") from error


def fit_camera_folder(folder: Path, told: Told | None = None) -> CameraFit:
    """The lens from a `charuco` folder. A picture that cannot be read is dropped with the reason;
    one picture is held at a time. Raises `CalibrationFailed`."""
    target = read_target(folder)
    names = _read_setup(folder).get("frames")
    if not isinstance(names, list) or not names:
        raise CalibrationFailed(f"{folder}: wanted \"frames\", the pictures' names, found {names!r}: "
                                "correct setup.json")
    return _fit(len(names), ((str(name), _load(folder / str(name))) for name in names), target, told)


def fit_camera_charuco(images: Sequence[tuple[str, Image]], target: CharucoTarget,
                       told: Told | None = None) -> CameraFit:
    """The lens from named pictures (H, W, 3) BGR of the sheet. Raises `CalibrationFailed`."""
    return _fit(len(images), images, target, told)


def _load(path: Path) -> Image | str:
    try:
        return read_picture(path)
    except BadPicture as error:
        return str(error)


def _read_setup(folder: Path) -> dict[str, Any]:
    path = folder / "setup.json"
    try:
        setup = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise CalibrationFailed(f"{path}: wanted JSON, found {error.msg} in line {error.lineno}, column {error.colno}: "
                                "correct it") from error
    except (OSError, UnicodeDecodeError) as error:
        raise CalibrationFailed(f"{folder}: wanted a folder with setup.json, found {error}: check the name") from error
    if not isinstance(setup, dict) or setup.get("kind") != "charuco":
        kind = setup.get("kind") if isinstance(setup, dict) else None
        raise CalibrationFailed(f"{folder}: wanted kind \"charuco\", found {kind!r}: "
                                "name a folder with pictures of the printed sheet")
    return setup


def find_sheet(name: str, image: Image, target: CharucoTarget) -> SheetView | str:
    """The sheet's crossings in a picture, in either arrangement, or the reason why not."""
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    markers = 0
    for legacy in (False, True):
        corners, ids, _, marker_ids = cv2.aruco.CharucoDetector(target.board(legacy)).detectBoard(gray)
        markers = max(markers, 0 if marker_ids is None else len(marker_ids))
        if corners is not None and ids is not None and len(ids) >= LEAST_CROSSINGS:
            points = np.asarray(corners, dtype=np.float64).reshape(-1, 2) - detector_offset_px()
            return SheetView(name, np.ravel(ids).astype(np.intp), points, legacy)
        if markers < LEAST_CROSSINGS // 2:
            break
    if markers == 0:
        return ("no marker of the sheet found: show the whole sheet, sharp and without glare, printed with its white "
                "margin, and check the dictionary")
    return (f"{markers} markers but fewer than {LEAST_CROSSINGS} crossings found: "
            "show more of the sheet, flat, and check its number of squares")


@functools.cache
def detector_offset_px() -> float:
    """What this OpenCV's ChArUco detector adds to each coordinate: 0.5 before early 2026, 0 since
    (opencv/opencv issue 25539, corrected in pull request 28380). Measured on a sheet drawn here, since
    distributions carry corrections of their own.
    """
    side_px, target = 40, CharucoTarget((5, 5), 40.0, 30.0, "DICT_4X4_50")
    board = target.board()
    sheet = board.generateImage((5 * side_px, 5 * side_px))
    sheet = cv2.copyMakeBorder(sheet, side_px, side_px, side_px, side_px, cv2.BORDER_CONSTANT, value=(255,))
    corners, ids, _, _ = cv2.aruco.CharucoDetector(board).detectBoard(sheet)
    if corners is None or ids is None:
        raise CalibrationFailed("the lens: wanted an OpenCV that reads its own sheet, found one that does not: "
                                "install opencv-python-headless 4.10 or newer")
    # An edge between pixels n - 1 and n lies at n - 0.5: centres of pixels have whole coordinates.
    true_px = np.asarray(board.getChessboardCorners())[np.ravel(ids), :2] + side_px - 0.5
    return round(2 * float(np.mean(np.asarray(corners).reshape(-1, 2) - true_px))) / 2


def _fit(count: int, pictures: Any, target: CharucoTarget, told: Told | None) -> CameraFit:
    views, dropped, sizes = _look(count, pictures, target, told)
    if not views:
        raise CalibrationFailed(f"the lens: wanted at least {LEAST_PICTURES} pictures of the sheet, "
                                f"found none in {count} ({_first(dropped)})")
    size = max(set(sizes.values()), key=list(sizes.values()).count)
    legacy = 2 * sum(view.legacy for view in views) > len(views)
    for view in views:
        if sizes[view.name] != size:
            dropped[view.name] = "size {}x{}, the others {}x{}: use one setting".format(*sizes[view.name], *size)
        elif view.legacy != legacy:
            dropped[view.name] = "another arrangement of markers than the others': use one sheet"
    views = [view for view in views if view.name not in dropped]
    board_mm = np.asarray(target.board(legacy).getChessboardCorners(), dtype=np.float32)
    views, solved = _without_bad(views, board_mm, size, dropped)
    cover = _checked(views, solved, size)
    matrix, distortion = np.asarray(solved[1], np.float64), np.ravel(solved[2]).astype(np.float64)[:5]
    camera = CameraModel(matrix, np.pad(distortion, (0, 5 - len(distortion))), size)
    per_picture = tuple((view.name, float(px)) for view, px in zip(views, np.ravel(solved[7]), strict=True))
    return CameraFit(camera, per_picture, tuple(sorted(dropped.items())), float(solved[0]), legacy, cover)


def _look(count: int, pictures: Any, target: CharucoTarget, told: Told | None,
          ) -> tuple[list[SheetView], dict[str, str], dict[str, tuple[int, int]]]:
    """Find the sheet in each picture: views, what was dropped and why, and the views' sizes."""
    views: list[SheetView] = []
    dropped: dict[str, str] = {}
    sizes: dict[str, tuple[int, int]] = {}
    for done, (name, image) in enumerate(pictures, 1):
        seen = image if isinstance(image, str) else find_sheet(name, image, target)
        if isinstance(seen, str):
            dropped[name] = seen
        else:
            views.append(seen)
            sizes[name] = (image.shape[1], image.shape[0])
        if told is not None:
            told(done, count)
    return views, dropped, sizes


def _without_bad(views: list[SheetView], board_mm: Any, size: tuple[int, int],
                 dropped: dict[str, str]) -> tuple[list[SheetView], Any]:
    """Fit, drop the worst picture while it is far worse than the rest, and fit again."""
    while True:
        if len(views) < LEAST_PICTURES:
            raise CalibrationFailed(f"the lens: wanted at least {LEAST_PICTURES} good pictures of the sheet, found "
                                    f"{len(views)} ({_first(dropped)}): take more, from all sides")
        solved = _solved(views, board_mm, size)
        errors = np.ravel(solved[7])
        worst, allowed = int(np.argmax(errors)), max(WORST_PICTURE_PX, 2.5 * float(np.median(errors)))
        if errors[worst] <= allowed:
            return views, solved
        dropped[views[worst].name] = (f"{errors[worst]:.1f} px off, at most {allowed:.1f}: "
                                      "press the sheet flat, hold still and take it again")
        views = [view for n, view in enumerate(views) if n != worst]


def _solved(views: Sequence[SheetView], board_mm: Any, size: tuple[int, int]) -> Any:
    """`cv2.calibrateCameraExtended`'s answer, with k3 only where it earns its place."""
    objects = [board_mm[view.ids] for view in views]
    points = [view.points_px.astype(np.float32).reshape(-1, 1, 2) for view in views]
    start = np.array([[size[0], 0, (size[0] - 1) / 2], [0, size[0], (size[1] - 1) / 2], [0, 0, 1]], np.float64)
    flags = cv2.CALIB_FIX_ASPECT_RATIO | cv2.CALIB_USE_INTRINSIC_GUESS
    try:
        plain, full = (cv2.calibrateCameraExtended(objects, points, size, start.copy(), np.zeros(5), flags=f)
                       for f in (flags | cv2.CALIB_FIX_K3, flags))
    except cv2.error as error:
        raise CalibrationFailed(f"the lens: wanted a camera that fits {len(views)} pictures, found none "
                                f"({error.err}): take new pictures from all sides") from error
    return full if full[0] < (1 - K3_GAIN) * plain[0] else plain


def _checked(views: Sequence[SheetView], solved: Any, size: tuple[int, int]) -> float:
    """The share of the picture reached; refuses a fit that the pictures cannot bear."""
    normals = np.stack([cv2.Rodrigues(rvec)[0][:, 2] for rvec in solved[3]])
    cosines = np.clip(normals @ normals.T, -1, 1)
    tilt_deg = float(np.degrees(np.arccos(cosines.min())))
    if tilt_deg < LEAST_TILT_DEG:
        raise CalibrationFailed(f"the lens: wanted the sheet tilted by {LEAST_TILT_DEG:.0f} degrees or more between "
                                f"pictures, found {tilt_deg:.0f}: tilt it to all sides and take them again")
    hull = cv2.convexHull(np.concatenate([view.points_px for view in views]).astype(np.float32))
    cover = float(cv2.contourArea(hull)) / (size[0] * size[1])
    if cover < LEAST_COVER:
        raise CalibrationFailed(f"the lens: wanted the sheet over at least {LEAST_COVER:.0%} of the picture, found "
                                f"{cover:.0%}: hold it nearer, and into the corners")
    if not float(solved[0]) <= 2 * WORST_PICTURE_PX:
        raise CalibrationFailed(f"the lens: wanted an error of at most {2 * WORST_PICTURE_PX} px, found "
                                f"{float(solved[0]):.1f}: press the sheet flat, check its number of squares, "
                                "take them again")
    return cover


def _first(dropped: dict[str, str]) -> str:
    """The first picture that was dropped, and why."""
    return next((f"{name}: {why}" for name, why in sorted(dropped.items())), "none was dropped")
