"""How good a calibration is: numbers, a grade, and a verdict in words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Gray, Image
from vision.light import quality
from vision.palette import Palette
from vision.pose import BoardPose

RESIDUAL_GOOD, RESIDUAL_MOST = 0.03, 0.08
"""Shares of a cell's width."""
OFFSET_GOOD, OFFSET_MOST = 0.06, 0.15
"""Shares of a cell's width by which the whole grid may lie beside the board's lines."""
GRID_LEAST = 0.12
"""How much of the picture's edges must lie on one grid for it to count as seen (0 none, 1 all)."""
APART_GOOD, APART_LEAST = 18.0, 9.0
"""CIELAB distance of two colours; below the second they cannot be told apart under another lamp."""
CLIPPED_MOST = 0.15
PX_PER_CELL = 24


class Grade(Enum):
    """What a calibration is good for."""

    GOOD = "good"
    USABLE = "usable"
    """Play, but read the verdict."""
    BAD = "bad"
    """Not to be used."""


@dataclass(frozen=True, slots=True)
class Report:
    """How good a calibration is.

    `residual_px`: root mean square error of the pose; `residual_cells`: the same in cell widths.
    `offset_cells`: by how much the grid lies beside the board's own lines, x and y in cell widths;
    None where no lines were seen. `closest`: the two most alike colours and their CIELAB distance.
    `sharpness`, `clipped`: as `vision.observation.Quality` has them. `verdict`: sentences.
    """

    residual_px: float
    residual_cells: float
    offset_cells: tuple[float, float] | None
    closest: tuple[str, str, float] | None
    sharpness: float
    clipped: float
    grade: Grade
    verdict: tuple[str, ...]


def check(image: Image, pose: BoardPose, square_mm: float, palette: Palette | None = None,
          cells: tuple[int, int] = (8, 8)) -> Report:
    """Judge a pose (and the colours, once taught) on a picture of the empty board, (H, W, 3) BGR.

    The board has `cells` across and up, of `square_mm`, its origin at the outer corner of the first.
    """
    gray = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    residual_cells = pose.residual_px / cell_px(pose, square_mm, cells)
    offset = grid_offset(gray, pose, square_mm, cells)
    pairs = () if palette is None else palette.close_pairs(float("inf"))
    closest = None if not pairs else (str(pairs[0][0]), str(pairs[0][1]), pairs[0][2])
    light = quality(np.asarray(cv2.resize(gray, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8), None)
    judged = [_residual_said(residual_cells, pose.residual_px), _offset_said(offset), _colours_said(closest),
              _light_said(light.trouble, light.clipped)]
    found = [one for one in judged if one is not None]
    grades = [grade for grade, _ in found]
    grade = Grade.BAD if Grade.BAD in grades else Grade.USABLE if Grade.USABLE in grades else Grade.GOOD
    verdict = tuple(said for one, said in found if one is not Grade.GOOD) or tuple(said for _, said in found)
    return Report(pose.residual_px, residual_cells, offset, closest, light.sharpness, light.clipped, grade, verdict)


def cell_px(pose: BoardPose, square_mm: float, cells: tuple[int, int] = (8, 8)) -> float:
    """The width in px of a cell in the middle of the board, the mean of both directions."""
    x, y = cells[0] // 2 * square_mm, cells[1] // 2 * square_mm
    here, east, north = pose.to_px(np.array([[x, y], [x + square_mm, y], [x, y + square_mm]]))
    return float(np.linalg.norm(east - here) + np.linalg.norm(north - here)) / 2


def straightened(gray: Gray, pose: BoardPose, square_mm: float, cells: tuple[int, int] = (8, 8)) -> NDArray[np.float32]:
    """The board as from straight above, `PX_PER_CELL` px a cell, row 0 at the first rank's outer edge."""
    across, up = cells
    x, y = np.meshgrid((np.arange(across * PX_PER_CELL) + 0.5) * square_mm / PX_PER_CELL,
                       (np.arange(up * PX_PER_CELL) + 0.5) * square_mm / PX_PER_CELL)
    px = pose.to_px(np.stack([x.ravel(), y.ravel()], axis=1)).astype(np.float32)
    shape = (up * PX_PER_CELL, across * PX_PER_CELL)
    return cv2.remap(gray, px[:, 0].reshape(shape), px[:, 1].reshape(shape), cv2.INTER_LINEAR).astype(np.float32)


def grid_offset(gray: Gray, pose: BoardPose, square_mm: float, cells: tuple[int, int] = (8, 8),
                ) -> tuple[float, float] | None:
    """By how much the board's lines lie beside the pose's grid: (x, y) in cell widths, -0.5 to 0.5.

    The strength of edges is folded over one cell; its first harmonic points to where the lines
    are. None where no such grid is seen. A shift by whole cells cannot be told in this way.
    """
    flat = straightened(gray, pose, square_mm, cells)
    found = []
    for axis in (1, 0):
        edges = np.abs(np.diff(flat, axis=axis))
        # The median over a line's length: a piece or a shadow is a small part of it.
        profile = np.median(edges.reshape(-1, edges.shape[1]) if axis == 1 else edges.T, axis=0)
        places = (np.arange(len(profile)) + 1) / PX_PER_CELL
        harmonic = np.sum(profile * np.exp(2j * np.pi * places))
        if abs(harmonic) < GRID_LEAST * profile.sum() or profile.max() < 2:
            return None
        found.append(float(np.angle(harmonic) / (2 * np.pi)))
    return found[0], found[1]


def _residual_said(cells: float, px: float) -> tuple[Grade, str]:
    if cells > RESIDUAL_MOST:
        return Grade.BAD, (f"The board fits to {px:.1f} px, {cells:.0%} of a square; at most {RESIDUAL_MOST:.0%}: "
                           "check the square's size and the corners, and set the board up again.")
    if cells > RESIDUAL_GOOD:
        return Grade.USABLE, (f"The board fits to {px:.1f} px, {cells:.1%} of a square; good is {RESIDUAL_GOOD:.0%}: "
                              "calibrate the lens, or lay the board flat.")
    return Grade.GOOD, f"The board fits to {px:.1f} px, {cells:.1%} of a square."


def _offset_said(offset: tuple[float, float] | None) -> tuple[Grade, str]:
    if offset is None:
        return Grade.USABLE, ("The board's lines could not be checked against the grid: clear the board, "
                              "avoid glare, and look at the grid on the phone.")
    worst = max(abs(offset[0]), abs(offset[1]))
    where = f"The grid lies {worst:.0%} of a square beside the board's lines"
    if worst > OFFSET_MOST:
        return Grade.BAD, (f"{where}; at most {OFFSET_MOST:.0%}: move the corners on the phone, "
                           "or set the board up again.")
    if worst > OFFSET_GOOD:
        return Grade.USABLE, f"{where}; good is {OFFSET_GOOD:.0%}: look at the grid on the phone."
    return Grade.GOOD, f"{where}."


def _colours_said(closest: tuple[str, str, float] | None) -> tuple[Grade, str] | None:
    if closest is None:
        return None
    one, other, distance = closest
    if distance < APART_LEAST:
        return Grade.BAD, (f"{one} and {other} look too much alike in this light ({distance:.0f} apart, at least "
                           f"{APART_LEAST:.0f}): change one of the two colours, or use a whiter lamp.")
    if distance < APART_GOOD:
        return Grade.USABLE, (f"{one} and {other} look rather alike in this light ({distance:.0f} apart, good is "
                              f"{APART_GOOD:.0f}): a whiter or brighter lamp helps.")
    return Grade.GOOD, f"The most alike colours, {one} and {other}, are {distance:.0f} apart."


def _light_said(trouble: str, clipped: float) -> tuple[Grade, str]:
    if trouble == "too dark":
        return Grade.BAD, "The picture is too dark: bring a lamp."
    if trouble:
        return Grade.BAD, "The picture is not sharp: focus the lens on the board, and wipe it."
    if clipped > CLIPPED_MOST:
        return Grade.USABLE, (f"{clipped:.0%} of the picture is pure white or black, good is {CLIPPED_MOST:.0%}: "
                              "turn the lamp aside.")
    return Grade.GOOD, "The light is good."
