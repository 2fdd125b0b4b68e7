"""A smooth map from lattice numbers (0..8, 0..8) to px: a plane seen through a lens, and what bends it.

A board is flat and a lens bulges, so most of the map is a homography and two radial terms about the middle of the
picture. Mats curl and boards fold in the middle, so a small field of polynomial and fold terms may take up what is
left; each term is held back by how large it is in practice, and stays near nothing where the board is flat.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.frame import Matrix, Points
from vision.locate.lattice import Whole, mapped

_RADIAL_SPREAD = np.array([0.12, 0.05])
_NOISE = 0.008
_BENT = 0.02
"""Median distance of crossings from the flat map, in squares, of boards that are truly bent."""


@dataclass(frozen=True, slots=True)
class Surface:
    """`matrix` (3, 3); `radial` (2,) at radius `radius_px` round `centre_px`; `bend` (K, 2) px per basis term."""

    matrix: Matrix
    radial: Matrix
    centre_px: Matrix
    radius_px: float
    bend: Matrix

    def at(self, nodes: Matrix) -> Points:
        """(N, 2) lattice numbers -> (N, 2) px."""
        flat = _through(self.matrix, self.radial, self.centre_px, self.radius_px, nodes)
        return np.asarray(flat + _basis(nodes) @ self.bend, dtype=np.float64)

    def steps(self, nodes: Matrix) -> tuple[Points, Points]:
        """(N, 2) px each: how far one square goes along the first and the second direction."""
        first, second = np.array([0.25, 0.0]), np.array([0.0, 0.25])
        return ((self.at(nodes + first) - self.at(nodes - first)) * 2,
                (self.at(nodes + second) - self.at(nodes - second)) * 2)

    @property
    def square_px(self) -> float:
        """Edge of a square in the middle of the board."""
        first, second = self.steps(np.array([[4.0, 4.0]]))
        return float(np.sqrt(abs(first[0, 0] * second[0, 1] - first[0, 1] * second[0, 0])))


@dataclass(frozen=True, slots=True)
class BorderPoints:
    """Points known to lie on a border line: `nodes` (N, 2), `normal` (N, 2) unit px, `offset_px` (N,) along it."""

    nodes: Matrix
    normal: Matrix
    offset_px: Matrix

    def seen_from(self, flat: Surface, measured_on: Surface) -> BorderPoints:
        """The same points with offsets from `flat` in place of the surface that they were measured on."""
        if not len(self.nodes):
            return self
        shift = ((measured_on.at(self.nodes) - flat.at(self.nodes)) * self.normal).sum(axis=1)
        return BorderPoints(self.nodes, self.normal, self.offset_px + shift)


def fit_flat(nodes: Matrix | Whole, points_px: Points, size_px: tuple[int, int],
             matrix: Matrix | None = None) -> Surface:
    """Homography and radial terms, robust against up to a third of wrong points; `size_px` (w, h) of the picture."""
    at = np.asarray(nodes, dtype=np.float64)
    centre = np.array([(size_px[0] - 1) / 2, (size_px[1] - 1) / 2])
    radius = float(np.hypot(*size_px) / 2)
    if matrix is None:
        found, _ = cv2.findHomography(at, points_px, cv2.RANSAC, 0.1 * _spacing(at, points_px))
        matrix = np.eye(3) if found is None else np.asarray(found, dtype=np.float64)
    start = matrix / matrix[2, 2]
    values = np.concatenate([start.ravel()[:8], [0.0, 0.0]])
    side = _side(start)
    for step in range(12):
        off = _model(values, centre, radius, at) - points_px
        spread = max(1.4826 * float(np.median(np.linalg.norm(off, axis=1))), _NOISE * side)
        weight = np.repeat(1.0 / (1.0 + (np.linalg.norm(off, axis=1) / (2.0 * spread)) ** 2), 2)
        jacobian = _jacobian(values, centre, radius, at)
        prior = np.zeros(10)
        if step >= 2:
            prior[8:] = (spread / _RADIAL_SPREAD) ** 2
        else:
            prior[8:] = 1e12
        normal = jacobian.T @ (weight[:, None] * jacobian) + np.diag(prior)
        scale = np.sqrt(np.diag(normal)) + 1e-30
        change = np.linalg.solve(normal / scale / scale[:, None] + 1e-12 * np.eye(10),
                                 -(jacobian.T @ (weight * off.ravel()) + prior * values) / scale) / scale
        values = values + change
        if step > 3 and np.abs(_model(values, centre, radius, at) - points_px - off).max() < 1e-3:
            break
    fitted = np.append(values[:8], 1.0).reshape(3, 3)
    return Surface(fitted, values[8:], centre, radius, np.zeros((_TERMS, 2)))


def fit_bend(flat: Surface, nodes: Matrix | Whole, points_px: Points, border: BorderPoints | None = None) -> Surface:
    """`flat` with its bend fitted to crossings and to points on the border, robustly."""
    at = np.asarray(nodes, dtype=np.float64)
    side = flat.square_px
    base = _basis(at)
    left = points_px - flat.at(at)
    zero = np.zeros_like(base)
    rows = [np.hstack([base, zero]), np.hstack([zero, base])]
    target = [left[:, 0], left[:, 1]]
    noise = [np.full(2 * len(at), _NOISE * side)]
    if border is not None and len(border.nodes):
        edge = _basis(border.nodes)
        rows.append(np.hstack([edge * border.normal[:, :1], edge * border.normal[:, 1:]]))
        target.append(border.offset_px)
        noise.append(np.full(len(border.nodes), 1.5 * _NOISE * side))
    design, wanted, sigma = np.vstack(rows), np.concatenate(target), np.concatenate(noise)
    bent = float(np.clip((np.median(np.linalg.norm(left, axis=1)) / side - 0.004) / _BENT, 0.1, 1.0))
    prior = np.diag(1.0 / np.tile(_SPREADS * bent * side, 2) ** 2)
    solved: Matrix = np.zeros(2 * _TERMS)
    for _ in range(6):
        off = design @ solved - wanted
        weight = 1.0 / (sigma**2 * (1.0 + (off / (3.0 * sigma)) ** 2))
        normal = design.T @ (weight[:, None] * design) + prior
        solved = np.asarray(np.linalg.solve(normal, design.T @ (weight * wanted)), dtype=np.float64)
    return Surface(flat.matrix, flat.radial, flat.centre_px, flat.radius_px, flat.bend + solved.reshape(2, _TERMS).T)


_POWERS = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3))
_TERMS = len(_POWERS) + 6
_SPREADS = np.array([0.02, 0.02, 0.02, 0.06, 0.06, 0.06, 0.04, 0.04, 0.04, 0.04] + [0.03] * 6)
"""How large each term gets on mats and folding boards, in squares at the border."""


def _basis(nodes: Matrix) -> Matrix:
    """(N, K): powers up to three, and a step, a fold and a twisted fold across the middle line each way."""
    s, t = (nodes[:, 0] - 4.0) / 4.0, (nodes[:, 1] - 4.0) / 4.0
    columns = [s**a * t**b for a, b in _POWERS]
    columns += [np.sign(np.round(s, 3)), np.abs(s), np.abs(s) * t, np.sign(np.round(t, 3)), np.abs(t), np.abs(t) * s]
    return np.stack(columns, axis=1)


def _through(matrix: Matrix, radial: Matrix, centre: Matrix, radius: float, nodes: Matrix) -> Points:
    flat = (mapped(matrix, nodes) - centre) / radius
    square = (flat * flat).sum(axis=1, keepdims=True)
    return np.asarray(centre + radius * flat * (1 + radial[0] * square + radial[1] * square * square))


def _model(values: Matrix, centre: Matrix, radius: float, nodes: Matrix) -> Points:
    return _through(np.append(values[:8], 1.0).reshape(3, 3), values[8:], centre, radius, nodes)


def _jacobian(values: Matrix, centre: Matrix, radius: float, nodes: Matrix) -> Matrix:
    """(2N, 10) by central differences."""
    columns = []
    for k in range(10):
        step = np.zeros(10)
        step[k] = max(abs(values[k]) * 1e-5, 1e-7)
        ahead, behind = _model(values + step, centre, radius, nodes), _model(values - step, centre, radius, nodes)
        columns.append(((ahead - behind) / (2 * step[k])).ravel())
    return np.stack(columns, axis=1)


def _side(matrix: Matrix) -> float:
    corners = mapped(matrix, np.array([[3.5, 3.5], [4.5, 3.5], [3.5, 4.5]]))
    return float(np.linalg.norm(corners[1] - corners[0]) + np.linalg.norm(corners[2] - corners[0])) / 2


def _spacing(nodes: Matrix, points: Points) -> float:
    span = np.linalg.norm(np.ptp(np.asarray(points), axis=0))
    return float(span / max(float(np.linalg.norm(np.ptp(nodes, axis=0))), 1.0))
