"""Crossings and border lines to a fraction of a pixel, in the whole picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np

from vision.frame import Gray, Mask, Matrix, Points
from vision.locate.saddles import Plane, Waves
from vision.locate.surface import BorderPoints, Surface

_TURNS = np.arange(24) * (2 * np.pi / 24)
_HARMONICS = np.stack([np.exp(-1j * k * _TURNS) for k in range(1, 7)], axis=1)
_INNER = np.array([[i, j] for i in range(1, 8) for j in range(1, 8)], dtype=np.float64)


class BoardMap(Protocol):
    """Anything that says where lattice numbers (0..8, 0..8) lie in the picture."""

    def at(self, nodes: Matrix) -> Points:
        """(N, 2) -> (N, 2) px."""
        ...

    def steps(self, nodes: Matrix) -> tuple[Points, Points]:
        """(N, 2) px each: how far one square goes along the first and the second direction."""
        ...


@dataclass(frozen=True, slots=True)
class Crossings:
    """`points_px` (N, 2) and which of them really show four squares meeting, `seen` (N,), at `nodes` (N, 2).

    `light_even`: the squares with an even sum of numbers are light, as most crossings have it.
    """

    nodes: Matrix
    points_px: Points
    seen: Mask
    light_even: bool


def refine_crossings(gray: Gray, surface: BoardMap, reach: float = 0.15, nodes: Matrix = _INNER) -> Crossings:
    """The crossings `nodes` near where the surface expects them, at most `reach` squares away."""
    expected = surface.at(nodes)
    first, second = surface.steps(nodes)
    step = np.minimum(np.linalg.norm(first, axis=1), np.linalg.norm(second, axis=1))
    height, width = gray.shape
    edge = 2 + 0.2 * step[:, None]
    inside = ((expected > edge) & (expected < np.array([width, height]) - 1 - edge)).all(axis=1)
    points = expected.copy()
    if inside.any():
        window = int(np.clip(round(0.12 * float(np.median(step))), 3, 11))
        start = expected[inside].astype(np.float32).reshape(-1, 1, 2)
        rule = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 25, 0.01)
        points[inside] = cv2.cornerSubPix(gray, start, (window, window), (-1, -1), rule).reshape(-1, 2)
    moved = np.linalg.norm(points - expected, axis=1) / step
    second_wave, share = _rings(gray, points, first, second)
    sign = 1 - 2 * (nodes.sum(axis=1) % 2)
    common = (second_wave * sign)[inside & (share > 0.6)].sum()
    agree = (second_wave * sign * np.conj(common)).real / (np.abs(second_wave) * abs(common) + 1e-9)
    strong = np.abs(second_wave) > 0.25 * np.median(np.abs(second_wave))
    seen = inside & (moved < reach) & (share > 0.6) & (agree > 0.5) & strong
    return Crossings(nodes, points, seen, bool((common * 1j).real > 0))


def _rings(gray: Gray, points: Points, first: Points, second: Points) -> tuple[Waves, Matrix]:
    """Second harmonic round each point and its share, on ellipses of a sixth of a square that follow the lattice."""
    total = np.zeros((len(points), len(_TURNS)))
    for part in (0.11, 0.15, 0.19):
        ring = np.cos(_TURNS)[None, :, None] * first[:, None] + np.sin(_TURNS)[None, :, None] * second[:, None]
        at = points[:, None] + part * ring
        total += cv2.remap(gray, at[..., 0].astype(np.float32), at[..., 1].astype(np.float32), cv2.INTER_LINEAR)
    waves = total @ _HARMONICS
    power = np.abs(waves) ** 2
    return waves[:, 1], power[:, 1] / (power.sum(axis=1) + 1e-9)


_OFFSETS = np.arange(-0.32, 0.3201, 0.01)
_ALONG = np.linspace(0.14, 0.86, 9)
_SIDES = ((0, 0.0, -1.0), (0, 8.0, 1.0), (1, 0.0, -1.0), (1, 8.0, 1.0))


def refine_border(root: Plane, surface: Surface, light_even: bool, spread: float) -> BorderPoints:
    """Where the outermost squares end: one point a square, for those whose outer edge agrees with its neighbours'.

    `root`: square root of brightness (H, W) float32. `light_even`: squares with an even sum of numbers are light.
    `spread`: how far, in squares, the border may well lie from where the surface has it.
    The innermost line that several squares agree on is the border; a printed frame line lies outside it.
    """
    nodes: list[Matrix] = []
    normals: list[Matrix] = []
    offsets: list[float] = []
    for axis, line, outward in _SIDES:
        steps = _edge_steps(root, surface, axis, line, outward, light_even)
        for square, offset in _agreed(steps, spread):
            node = np.array([line, square + 0.5]) if axis == 0 else np.array([square + 0.5, line])
            first, second = (v[0] for v in surface.steps(node[None]))
            out, along = (first, second) if axis == 0 else (second, first)
            normal = np.array([along[1], -along[0]]) / np.linalg.norm(along)
            nodes.append(node)
            normals.append(normal)
            offsets.append(float(offset * outward * (out @ normal)))
    return BorderPoints(np.array(nodes).reshape(-1, 2), np.array(normals).reshape(-1, 2), np.array(offsets))


def _edge_steps(root: Plane, surface: Surface, axis: int, line: float, outward: float, light_even: bool
                ) -> list[list[tuple[float, float]]]:
    """For each of a side's eight squares the steps (offset in squares outward, size) that may be its outer edge."""
    across, along = np.meshgrid(_OFFSETS, (np.arange(8)[:, None] + _ALONG).ravel(), indexing="ij")
    nodes = np.stack([line + outward * across, along] if axis == 0 else [along, line + outward * across], axis=-1)
    places = surface.at(nodes.reshape(-1, 2)).astype(np.float32).reshape(*across.shape, 2)
    height, width = root.shape
    values = cv2.remap(root, places[..., 0], places[..., 1], cv2.INTER_LINEAR)
    away = ((places < 0) | (places > np.array([width - 1, height - 1]))).any(axis=2).any(axis=0)
    profile = np.median(values.reshape(len(_OFFSETS), 8, len(_ALONG)), axis=2)
    profile = cv2.GaussianBlur(profile, (1, 7), 0, sigmaY=1.5, borderType=cv2.BORDER_REPLICATE)
    inner = profile[:20].mean(axis=0)
    squares = np.arange(8)
    row = 0 if line == 0 else 7
    light = ((squares + row) % 2 == 0) == light_even
    contrast = max(abs(float(np.median(inner[light]) - np.median(inner[~light]))), 0.2)
    found: list[list[tuple[float, float]]] = []
    for square in range(8):
        if away.reshape(8, -1)[square].any():
            found.append([])
            continue
        sign = -1.0 if light[square] else 1.0
        rise = np.zeros(len(_OFFSETS))
        rise[3:-3] = sign * (profile[6:, square] - profile[:-6, square]) / contrast
        peaks = [n for n in range(4, len(rise) - 4) if rise[n] > 0.25 and rise[n] >= rise[n - 3:n + 4].max()]
        found.append([(_vertex(rise, n), min(float(rise[n]), 1.0)) for n in peaks])
    return found


def _vertex(rise: Matrix, n: int) -> float:
    a, b, c = rise[n - 1], rise[n], rise[n + 1]
    bow = a - 2 * b + c
    return float(_OFFSETS[n] + (0.01 * 0.5 * (a - c) / bow if bow < -1e-9 else 0.0))


def _agreed(steps: list[list[tuple[float, float]]], spread: float) -> list[tuple[int, float]]:
    """(square, offset) of the steps on the innermost straight line that several squares support."""
    points = [(k, offset, size) for k, listed in enumerate(steps) for offset, size in listed]
    options: list[tuple[float, float, list[tuple[int, float]]]] = []
    for n, (k1, o1, _) in enumerate(points):
        for k2, o2, _ in points[n + 1:]:
            slope = (o2 - o1) / (k2 - k1) if k2 != k1 else 0.0
            if k2 - k1 < 2 or abs(slope) > 0.04:
                continue
            chosen, total = [], 0.0
            for square, listed in enumerate(steps):
                gap, offset, size = min(
                    ((abs(o - o1 - slope * (square - k1)), o, size) for o, size in listed), default=(9.0, 0.0, 0.0))
                if gap < 0.035:
                    chosen.append((square, offset))
                    total += size
            middle = o1 + slope * (3.5 - k1)
            options.append((total * float(np.exp(-0.5 * (middle / spread) ** 2)), middle, chosen))
    options = [option for option in options if len(option[2]) >= 3]
    if not options:
        return []
    best = max(options, key=lambda option: option[0])
    close = [o for o in options if o[0] >= 0.65 * best[0] and best[1] - 0.14 < o[1] <= best[1]]
    inner = min(close, key=lambda option: round(option[1] / 0.03) - option[0] * 1e-3)
    return inner[2]
