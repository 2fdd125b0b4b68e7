"""Camera and board in 3D from the lattice of a board.

With a lens: pose by least squares over the measured crossings, the lens's focal length and first radial term free
within what a real calibration errs by. Without: focal length and radial terms are estimated too. Seen from straight
above a plane says next to nothing about the focal length, so a prior holds it: phone, Pi and web cameras have a
horizontal field of view of 45 to 75 degrees, about 0.95 of the picture's width.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Matrix, Points
from vision.locate.board import Chessboard
from vision.pose import BoardPose, CameraModel

_FOCAL_OF_WIDTH = 0.95
_FOCAL_SPREAD = 0.16
"""Of the logarithm of the focal length: one sigma."""
_TOLD_FOCAL_SPREAD = 0.04
"""Files give whole millimetres of a 35 mm film's camera; a picture may have been cropped a little."""
_K_SPREAD = np.array([0.12, 0.06])
_LENS_FOCAL_SPREAD = 0.003
_LENS_K_SPREAD = np.array([0.004, 0.006])
_UNSEEN_WEIGHT = 0.3
_NODES = np.array([[i, j] for i in range(9) for j in range(9)], dtype=np.float64)


def fit_pose(board: Chessboard, square_mm: float, size_px: tuple[int, int], lens: CameraModel | None) -> BoardPose:
    """The pose of a board that `taps.orient` has turned; `size_px` (w, h) of the picture it was found in.

    `lens` may be of another size of the same camera with the same shape; it is scaled. `residual_px` of the result is
    the root mean square over the measured crossings.
    """
    mm = np.hstack([_NODES * square_mm, np.zeros((81, 1))])
    px = board.crossings_px.reshape(81, 2)
    seen = board.seen.ravel()
    border = ((_NODES == 0) | (_NODES == 8)).any(axis=1)
    weight = np.where(seen, 1.0, np.where(border, 0.0, 0.05))
    if seen.sum() < 12:
        weight = np.where(seen | border, 1.0, 0.2)
    return fit_points(mm, px, weight, seen if seen.any() else np.ones(81, dtype=bool), size_px, lens, board.square_px)


def fit_points(mm: Points, px: Points, weight: Matrix, counted: NDArray[np.bool_], size_px: tuple[int, int],
               lens: CameraModel | None, step_px: float, focal_px: float | None = None) -> BoardPose:
    """The pose that puts points `mm` (N, 3), all with z = 0, at `px` (N, 2), each with its `weight` (N,), 0 to 1.

    `focal_px`: where there is no lens, what the camera wrote into its file.

    `step_px` is the size of a cell, which says how exact the points can be; `residual_px` of the result is over
    the points that are `counted` (N,).
    """
    camera = _start_camera(lens, size_px, focal_px)
    rvec, tvec = _start_pose(mm, px, weight, camera)
    values = np.concatenate([rvec, tvec, [0.0, camera.distortion[0], camera.distortion[1]]])
    if lens is None:
        focal_spread = _FOCAL_SPREAD if focal_px is None else _TOLD_FOCAL_SPREAD
        spread = np.concatenate([np.full(6, np.inf), [focal_spread], _K_SPREAD])
        middle = np.concatenate([np.zeros(6), np.zeros(3)])
    else:
        spread = np.concatenate([np.full(6, np.inf), [_LENS_FOCAL_SPREAD], _LENS_K_SPREAD])
        middle = np.concatenate([np.zeros(7), camera.distortion[:2]])
    values = _least_squares(values, middle, spread, mm, px, weight, camera, step_px)
    solved = _camera(values, camera)
    off = _projected(values, mm, camera) - px
    residual = float(np.sqrt((off[counted] ** 2).sum(axis=1).mean()))
    return BoardPose(solved, values[:3].copy(), values[3:6].copy(), residual)


def _start_camera(lens: CameraModel | None, size_px: tuple[int, int], focal_px: float | None = None) -> CameraModel:
    width, height = size_px
    if lens is None:
        focal = focal_px or _FOCAL_OF_WIDTH * max(width, height)
        matrix = np.array([[focal, 0.0, (width - 1) / 2], [0.0, focal, (height - 1) / 2], [0.0, 0.0, 1.0]])
        return CameraModel(matrix, np.zeros(5), size_px)
    distortion = np.zeros(max(5, np.asarray(lens.distortion).size))
    distortion[: np.asarray(lens.distortion).size] = np.asarray(lens.distortion).ravel()
    if tuple(lens.size_px) == (width, height):
        return CameraModel(np.asarray(lens.matrix, dtype=np.float64), distortion, size_px)
    zoom = np.diag([width / lens.size_px[0], height / lens.size_px[1], 1.0])
    middle = np.array([[1.0, 0.0, -0.5], [0.0, 1.0, -0.5], [0.0, 0.0, 1.0]])
    matrix = middle @ zoom @ np.linalg.inv(middle) @ np.asarray(lens.matrix, dtype=np.float64)
    return CameraModel(np.asarray(matrix), distortion, size_px)


def _start_pose(mm: Points, px: Points, weight: Matrix, camera: CameraModel) -> tuple[Matrix, Matrix]:
    """The better of the two poses that a plane allows, in front of the camera and seen from above."""
    used = weight > 0
    found, rvecs, tvecs, errors = cv2.solvePnPGeneric(
        mm[used], px[used], camera.matrix, camera.distortion, flags=cv2.SOLVEPNP_IPPE)
    del found
    order = np.argsort(np.asarray(errors).ravel())
    for n in order:
        rotation, _ = cv2.Rodrigues(rvecs[n])
        eye = -rotation.T @ tvecs[n].reshape(3)
        if eye[2] > 0:
            return rvecs[n].reshape(3), tvecs[n].reshape(3)
    return rvecs[order[0]].reshape(3), tvecs[order[0]].reshape(3)


def _camera(values: Matrix, camera: CameraModel) -> CameraModel:
    matrix = camera.matrix.copy()
    matrix[0, 0] *= np.exp(values[6])
    matrix[1, 1] *= np.exp(values[6])
    distortion = camera.distortion.copy()
    distortion[:2] = values[7:9]
    return CameraModel(matrix, distortion, camera.size_px)


def _projected(values: Matrix, mm: Points, camera: CameraModel) -> Points:
    lens = _camera(values, camera)
    out, _ = cv2.projectPoints(mm, values[:3], values[3:6], lens.matrix, lens.distortion)
    return np.asarray(out, dtype=np.float64).reshape(-1, 2)


def _least_squares(values: Matrix, middle: Matrix, spread: Matrix, mm: Points, px: Points, weight: Matrix,
                   camera: CameraModel, square_px: float) -> Matrix:
    """Gauss-Newton with robust weights and the priors `middle` +- `spread`."""
    values = values.astype(np.float64)
    steps = np.array([1e-6] * 3 + [1e-3] * 3 + [1e-6, 1e-6, 1e-6])
    for _ in range(25):
        off = _projected(values, mm, camera) - px
        size = np.linalg.norm(off, axis=1)
        noise = max(1.4826 * float(np.median(size[weight > 0.5])), 0.002 * square_px, 0.05)
        robust = np.repeat(weight / (1.0 + (size / (2.5 * noise)) ** 2), 2) / noise**2
        columns = []
        for k in range(9):
            change = np.zeros(9)
            change[k] = steps[k]
            columns.append((_projected(values + change, mm, camera) - _projected(values - change, mm, camera)).ravel()
                           / (2 * steps[k]))
        jacobian = np.stack(columns, axis=1)
        prior = 1.0 / spread**2
        normal = jacobian.T @ (robust[:, None] * jacobian) + np.diag(prior)
        scale = np.sqrt(np.diag(normal))
        right = -(jacobian.T @ (robust * off.ravel()) + prior * (values - middle))
        move = np.linalg.solve(normal / scale / scale[:, None] + 1e-10 * np.eye(9), right / scale) / scale
        move[6] = np.clip(move[6], -0.15, 0.15)
        values = values + move
        if np.abs(jacobian @ move).max() < 1e-4:
            break
    return values
