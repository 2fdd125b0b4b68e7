"""Where a millimetre of the table lies in the picture: lens and pose, in full 3D.

Frames of reference: mm has x along the files a to h (east), y along the ranks (north),
z up from the board's surface, origin at the outer corner of the first cell. px is the
picture's, x right and y down, centre of the top-left pixel at (0, 0).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.frame import Matrix, Points


@dataclass(frozen=True, slots=True)
class CameraModel:
    """A lens: OpenCV's pinhole `matrix` (3, 3) px and `distortion` (k1 k2 p1 p2 k3), at `size_px` (w, h)."""

    matrix: Matrix
    distortion: Matrix
    size_px: tuple[int, int]


@dataclass(frozen=True, slots=True)
class BoardPose:
    """The board seen by a camera: `rvec` and `tvec` (3,) mm from the board's frame to the camera's.

    `residual_px` is the root mean square reprojection error of the points it was fitted to.
    """

    camera: CameraModel
    rvec: Matrix
    tvec: Matrix
    residual_px: float = 0.0

    def to_px(self, points_mm: Points) -> Points:
        """(N, 3) or (N, 2) mm (z = 0) -> (N, 2) px, through the lens."""
        pts = np.asarray(points_mm, dtype=np.float64)
        if pts.shape[1] == 2:
            pts = np.hstack([pts, np.zeros((len(pts), 1))])
        out, _ = cv2.projectPoints(pts, self.rvec, self.tvec, self.camera.matrix, self.camera.distortion)
        return np.asarray(out, dtype=np.float64).reshape(-1, 2)

    def to_mm(self, points_px: Points, z_mm: float = 0.0) -> Points:
        """(N, 2) px -> (N, 2) mm on the plane at height `z_mm`."""
        pts = np.asarray(points_px, dtype=np.float64).reshape(-1, 1, 2)
        rays = cv2.undistortPoints(pts, self.camera.matrix, self.camera.distortion).reshape(-1, 2)
        rays3 = np.hstack([rays, np.ones((len(rays), 1))])
        rotation, _ = cv2.Rodrigues(self.rvec)
        eye = (-rotation.T @ np.asarray(self.tvec).reshape(3)).reshape(3)
        world = rays3 @ rotation
        scale = (z_mm - eye[2]) / world[:, 2]
        return np.asarray(eye[:2] + world[:, :2] * scale[:, None], dtype=np.float64)

    @property
    def eye_mm(self) -> Matrix:
        """(3,) mm: where the camera is, in the board's frame."""
        rotation, _ = cv2.Rodrigues(self.rvec)
        return np.asarray(-rotation.T @ np.asarray(self.tvec).reshape(3), dtype=np.float64)
