"""One camera that explains the lines of every mat in a photograph: its focal length and lens are the same for all.

A mat away from the picture's middle, seen by a lens of unknown focal length, looks much the same leaning one way or
the other; the search begins from several focal lengths and from both ways, and the best is kept.

Frame of reference: mm as `QuadropolisKit`; px of the whole picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.frame import Matrix
from vision.locate.mats_lines import Pieces
from vision.pose import BoardPose, CameraModel

_FOCAL_OF_LONG, _FOCAL_SPREAD = 0.8, 0.2
"""A phone's wide camera is 24 to 28 mm as on 35 mm film, 0.69 to 0.81 of the picture's longer side; some zoom. The
spread is one sigma of the logarithm."""
_TOLD_FOCAL_SPREAD = 0.04
"""Files give whole millimetres of a 35 mm film's camera; a picture may have been cropped a little."""
_K_SPREAD = (0.12, 0.06)
_STARTS = (0.6, 0.75, 0.95, 1.25)
_FEW = 4
"""Starts are judged by every so-manieth piece."""
_TOGETHER = 10.0
"""Neighbouring pieces err together: so many say as much as one."""
_LEAST_DOUBT, _MOST_DOUBT = 0.02, 0.2


@dataclass(frozen=True, slots=True, eq=False)
class Posed:
    """The poses of the mats, as they came, all with one camera; `doubt`: by what share its focal length, and with it
    every height above a mat, may be wrong."""

    poses: tuple[BoardPose, ...]
    doubt: float


@dataclass(frozen=True, slots=True, eq=False)
class _Guess:
    """`values`: the logarithm of the focal length over the one expected, k1, k2, and rvec and tvec of each mat."""

    values: Matrix
    cost: float


def posed_together(pieces: Sequence[Pieces], size_px: tuple[int, int], focal_px: float | None) -> Posed:
    """The camera and where each mat lies; `size_px` (w, h); `focal_px` as the file says, or None."""
    fit = _Fit(pieces, size_px, focal_px)
    few = _Fit([_every(one, _FEW) for one in pieces], size_px, focal_px)
    shares = (1.0,) if focal_px is not None else tuple(share / _FOCAL_OF_LONG for share in _STARTS)
    guesses = [few.settled(few.begun(float(np.log(share))), 12) for share in shares]
    best = fit.settled(min(guesses, key=lambda one: one.cost).values, 12)
    return Posed(fit.poses(best.values), fit.doubt(best.values))


def _every(pieces: Pieces, step: int) -> Pieces:
    return Pieces(pieces.at_mm[::step], pieces.seen_px[::step], pieces.across_px[::step], pieces.seen[::step])


class _Fit:
    """Least squares over all pieces that were seen, each counted across its line."""

    def __init__(self, pieces: Sequence[Pieces], size_px: tuple[int, int], focal_px: float | None) -> None:
        self._seen = [Pieces(p.at_mm[p.seen], p.seen_px[p.seen], p.across_px[p.seen], p.seen[p.seen]) for p in pieces]
        self._mm = [np.c_[p.at_mm, np.zeros(len(p.at_mm))] for p in self._seen]
        self._size = size_px
        self._focal = focal_px or _FOCAL_OF_LONG * max(size_px)
        focal_spread = _FOCAL_SPREAD if focal_px is None else _TOLD_FOCAL_SPREAD
        self._prior = 1 / np.array([focal_spread, *_K_SPREAD]) ** 2

    def _camera(self, values: Matrix) -> CameraModel:
        focal = self._focal * float(np.exp(values[0]))
        w, h = self._size
        matrix = np.array([[focal, 0, (w - 1) / 2], [0, focal, (h - 1) / 2], [0, 0, 1.0]])
        return CameraModel(matrix, np.array([values[1], values[2], 0, 0, 0.0]), self._size)

    def begun(self, log_share: float) -> Matrix:
        """Values to begin from: a focal length, and for each mat the better of the two ways that it may lean."""
        values = np.zeros(3)
        values[0] = log_share
        camera = self._camera(values)
        for mm, piece in zip(self._mm, self._seen, strict=True):
            found = cv2.solvePnPGeneric(mm, piece.seen_px, camera.matrix, camera.distortion,
                                        flags=cv2.SOLVEPNP_IPPE)
            both = [np.concatenate([np.ravel(r), np.ravel(t)]) for r, t in zip(found[1], found[2], strict=True)]
            above = [one for one in both if _is_above(one)] or both
            single = _Fit([piece], self._size, self._focal)
            settled = [single.settled(np.concatenate([values[:3], one]), 4, held=True) for one in above]
            values = np.concatenate([values, min(settled, key=lambda one: one.cost).values[3:]])
        return values

    def settled(self, values: Matrix, rounds: int, held: bool = False) -> _Guess:
        """Gauss-Newton with robust weights; `held`: the lens stays as it is."""
        values = values.copy()
        cost = np.inf
        for n in range(rounds + 1):
            off, design, noise = self._lines(values)
            robust = 1 / (1 + (off / (2.5 * noise)) ** 2) / noise**2
            # Cauchy's: what those weights lessen; a narrower noise must not look dearer.
            wide = max(noise, 0.05)
            cost = float((np.log1p((off / (2.5 * wide)) ** 2)).sum() + 2 * len(off) * np.log(wide))
            cost += float((self._prior * values[:3] ** 2).sum())
            if n == rounds:
                break
            normal = design.T @ (robust[:, None] * design)
            right = -(design.T @ (robust * off))
            normal[:3, :3] += np.diag(self._prior)
            right[:3] -= self._prior * values[:3]
            if held:
                normal, right = normal[3:, 3:], right[3:]
            scale = np.sqrt(np.diag(normal))
            move = np.linalg.solve(normal / scale / scale[:, None] + 1e-10 * np.eye(len(scale)), right / scale) / scale
            if held:
                move = np.concatenate([np.zeros(3), move])
            move[0] = np.clip(move[0], -0.15, 0.15)
            values = values + move
            if np.abs(design @ move).max() < 1e-3:
                break
        return _Guess(values, cost)

    def _lines(self, values: Matrix) -> tuple[Matrix, Matrix, float]:
        """(N,) px across the lines, (N, V) how they change with the values, and the usual error."""
        camera = self._camera(values)
        offs, designs = [], []
        for n, (mm, piece) in enumerate(zip(self._mm, self._seen, strict=True)):
            own = values[3 + 6 * n : 9 + 6 * n]
            px, jacobian = cv2.projectPoints(mm, own[:3], own[3:], camera.matrix, camera.distortion)
            offs.append(((px.reshape(-1, 2) - piece.seen_px) * piece.across_px).sum(axis=1))
            slope = jacobian.reshape(len(mm), 2, -1)
            slope = (slope * piece.across_px[:, :, None]).sum(axis=1)
            row = np.zeros((len(mm), len(values)))
            row[:, 0] = slope[:, 6:8].sum(axis=1) * camera.matrix[0, 0]
            row[:, 1:3] = slope[:, 10:12]
            row[:, 3 + 6 * n : 9 + 6 * n] = slope[:, :6]
            designs.append(row)
        off = np.concatenate(offs)
        return off, np.concatenate(designs), max(1.4826 * float(np.median(np.abs(off))), 0.05)

    def poses(self, values: Matrix) -> tuple[BoardPose, ...]:
        """The poses of the mats; `residual_px` is across the lines."""
        camera = self._camera(values)
        off, _, _ = self._lines(values)
        found, begin = [], 0
        for n, piece in enumerate(self._seen):
            own = values[3 + 6 * n : 9 + 6 * n]
            rms = float(np.sqrt((off[begin : begin + len(piece.seen)] ** 2).mean()))
            begin += len(piece.seen)
            found.append(BoardPose(camera, own[:3].copy(), own[3:].copy(), rms))
        return tuple(found)

    def doubt(self, values: Matrix) -> float:
        """One sigma of the focal length's logarithm, each piece off by twice what is usual."""
        _, design, noise = self._lines(values)
        normal = design.T @ design / (2 * noise) ** 2 / _TOGETHER
        normal[:3, :3] += np.diag(self._prior)
        scale = np.sqrt(np.diag(normal))
        spread = float(np.sqrt(np.linalg.inv(normal / scale / scale[:, None])[0, 0])) / float(scale[0])
        return float(np.clip(spread, _LEAST_DOUBT, _MOST_DOUBT))


def plane_matrix(pose: BoardPose) -> Matrix:
    """(3, 3): mm of a mat's plane to px, without what the lens bends."""
    rotation, _ = cv2.Rodrigues(np.asarray(pose.rvec, np.float64))
    sides = np.column_stack([rotation[:, :2], np.asarray(pose.tvec, np.float64).reshape(3)])
    return np.asarray(pose.camera.matrix @ sides, np.float64)


def _is_above(pose: Matrix) -> bool:
    rotation, _ = cv2.Rodrigues(pose[:3])
    return float((-rotation.T @ pose[3:])[2]) > 0
