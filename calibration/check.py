"""How good a calibration is: numbers, a grade, and a verdict in words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.said import colour_pt, decimal_pt
from rules.words import Said
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
BLUR_GOOD, BLUR_MOST = 0.04, 0.08
"""Sigma of the lens's blur in cell widths; a small pyramid's base is a fourth of a cell."""
LINE_LEAST = 15.0
"""Grey levels between two neighbouring squares for their line to be measured."""
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
    `blur_px`: sigma of the blur of the board's own lines, None where too few were seen. `clipped`: share of
    the picture that is pure white or black. `verdict`: sentences.
    """

    residual_px: float
    residual_cells: float
    offset_cells: tuple[float, float] | None
    closest: tuple[str, str, float] | None
    blur_px: float | None
    clipped: float
    grade: Grade
    verdict: tuple[Said, ...]


def check(image: Image, pose: BoardPose, square_mm: float, palette: Palette | None = None,
          cells: tuple[int, int] = (8, 8)) -> Report:
    """Judge a pose (and the colours, once taught) on a picture of the empty board, (H, W, 3) BGR.

    The board has `cells` across and up, of `square_mm`, its origin at the outer corner of the first.
    """
    gray = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    width_px = cell_px(pose, square_mm, cells)
    residual_cells = pose.residual_px / width_px
    blur_px = line_blur(gray, pose, square_mm, cells)
    offset = grid_offset(gray, pose, square_mm, cells)
    pairs = () if palette is None else palette.close_pairs(float("inf"))
    closest = None if not pairs else (str(pairs[0][0]), str(pairs[0][1]), pairs[0][2])
    light = quality(np.asarray(cv2.resize(gray, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8), None)
    judged = [_residual_said(residual_cells, pose.residual_px), _offset_said(offset), _colours_said(closest),
              _blur_said(blur_px, width_px), _light_said(light.trouble, light.clipped)]
    found = [one for one in judged if one is not None]
    grades = [grade for grade, _ in found]
    grade = Grade.BAD if Grade.BAD in grades else Grade.USABLE if Grade.USABLE in grades else Grade.GOOD
    verdict = tuple(said for one, said in found if one is not Grade.GOOD) or tuple(said for _, said in found)
    return Report(pose.residual_px, residual_cells, offset, closest, blur_px, light.clipped, grade, verdict)


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


def line_blur(gray: Gray, pose: BoardPose, square_mm: float, cells: tuple[int, int] = (8, 8)) -> float | None:
    """Sigma of the blur in px, from how steep the board's inner lines are; None if fewer than eight are seen.

    A step of height c blurred by sigma rises by c / (sigma sqrt(2 pi)) per px at its steepest. Each line
    between two squares is one step, averaged over the middle half of its length against noise.
    """
    across, along = np.linspace(-0.3, 0.3, 61), np.linspace(-0.25, 0.25, 9)
    t, s = (grid.ravel() for grid in np.meshgrid(across, along))
    lines = [(i + t, j + 0.5 + s) for i in range(1, cells[0]) for j in range(cells[1])]
    lines += [(i + 0.5 + s, j + t) for i in range(cells[0]) for j in range(1, cells[1])]
    found = []
    for x, y in lines:
        px = pose.to_px(np.stack([x, y], axis=1) * square_mm).reshape(len(along), len(across), 2)
        at = px.astype(np.float32)
        step = cv2.remap(gray, at[..., 0], at[..., 1], cv2.INTER_LINEAR).astype(np.float64).mean(axis=0)
        height = abs(step[-10:].mean() - step[:10].mean())
        if height < LINE_LEAST:
            continue
        sample_px = float(np.linalg.norm(px[:, -1] - px[:, 0], axis=1).mean()) / (len(across) - 1)
        # Over five samples, or noise makes its own slopes.
        steepest = np.abs(step[5:] - step[:-5]).max() / (5 * sample_px)
        found.append(height / (steepest * np.sqrt(2 * np.pi)))
    return float(np.median(found)) if len(found) >= 8 else None


def _residual_said(cells: float, px: float) -> tuple[Grade, Said]:
    fits, encaixa = f"The board fits to {px:.1f} px", f"O tabuleiro encaixa com erro de {decimal_pt(px, 1)} px"
    share = decimal_pt(100 * cells, 1)
    if cells > RESIDUAL_MOST:
        return Grade.BAD, Said(
            f"{fits}, {cells:.0%} of a square; at most {RESIDUAL_MOST:.0%}: check the square's size and the corners, "
            "and set the board up again.",
            f"{encaixa}, {cells:.0%} de uma casa; o máximo é {RESIDUAL_MOST:.0%}: confira o tamanho da casa e os "
            "cantos e prepare o tabuleiro de novo.")
    if cells > RESIDUAL_GOOD:
        return Grade.USABLE, Said(
            f"{fits}, {cells:.1%} of a square; good is {RESIDUAL_GOOD:.0%}: calibrate the lens, or lay the board flat.",
            f"{encaixa}, {share}% de uma casa; o bom é até {RESIDUAL_GOOD:.0%}: calibre a lente ou deixe o tabuleiro "
            "bem plano.")
    return Grade.GOOD, Said(f"{fits}, {cells:.1%} of a square.", f"{encaixa}, {share}% de uma casa.")


def _offset_said(offset: tuple[float, float] | None) -> tuple[Grade, Said]:
    if offset is None:
        return Grade.USABLE, Said(
            "The board's lines could not be checked against the grid: clear the board, avoid glare, and look at the "
            "grid on the phone.",
            "Não deu para comparar as linhas do tabuleiro com a grade: esvazie o tabuleiro, evite reflexos e veja a "
            "grade no celular.")
    worst = max(abs(offset[0]), abs(offset[1]))
    where = f"The grid lies {worst:.0%} of a square beside the board's lines"
    onde = f"A grade está deslocada {worst:.0%} de uma casa em relação às linhas do tabuleiro"
    if worst > OFFSET_MOST:
        return Grade.BAD, Said(
            f"{where}; at most {OFFSET_MOST:.0%}: move the corners on the phone, or set the board up again.",
            f"{onde}; o máximo é {OFFSET_MOST:.0%}: mova os cantos no celular ou prepare o tabuleiro de novo.")
    if worst > OFFSET_GOOD:
        return Grade.USABLE, Said(f"{where}; good is {OFFSET_GOOD:.0%}: look at the grid on the phone.",
                                  f"{onde}; o bom é até {OFFSET_GOOD:.0%}: veja a grade no celular.")
    return Grade.GOOD, Said(f"{where}.", f"{onde}.")


def _colours_said(closest: tuple[str, str, float] | None) -> tuple[Grade, Said] | None:
    if closest is None:
        return None
    one, other, distance = closest
    um, outro = colour_pt(one), colour_pt(other)
    if distance < APART_LEAST:
        return Grade.BAD, Said(
            f"{one} and {other} look too much alike in this light ({distance:.0f} apart, at least {APART_LEAST:.0f}): "
            "change one of the two colours, or use a whiter lamp.",
            f"{um} e {outro} são parecidos demais nesta luz (distância {distance:.0f}, o mínimo é {APART_LEAST:.0f}): "
            "troque uma das duas cores ou use uma lâmpada mais branca.")
    if distance < APART_GOOD:
        return Grade.USABLE, Said(
            f"{one} and {other} look rather alike in this light ({distance:.0f} apart, good is {APART_GOOD:.0f}): a "
            "whiter or brighter lamp helps.",
            f"{um} e {outro} são meio parecidos nesta luz (distância {distance:.0f}, o bom é {APART_GOOD:.0f}): uma "
            "lâmpada mais branca ou mais forte ajuda.")
    return Grade.GOOD, Said(f"The most alike colours, {one} and {other}, are {distance:.0f} apart.",
                            f"As cores mais parecidas, {um} e {outro}, estão a uma distância de {distance:.0f}.")


def _blur_said(blur_px: float | None, width_px: float) -> tuple[Grade, Said] | None:
    if blur_px is None:
        return None
    share = f"{blur_px / width_px:.0%}"
    said = f"The picture is not sharp: the board's lines are blurred by {blur_px:.1f} px, {share} of a square"
    dito = (f"A foto não está nítida: as linhas do tabuleiro estão borradas em {decimal_pt(blur_px, 1)} px, {share} de "
            "uma casa")
    if blur_px > BLUR_MOST * width_px:
        return Grade.BAD, Said(f"{said}; at most {BLUR_MOST:.0%}: focus the lens on the board, and wipe it.",
                               f"{dito}; o máximo é {BLUR_MOST:.0%}: ajuste o foco no tabuleiro e limpe a lente.")
    if blur_px > BLUR_GOOD * width_px:
        return Grade.USABLE, Said(f"{said}; good is {BLUR_GOOD:.0%}: focus the lens, or use a larger picture.",
                                  f"{dito}; o bom é até {BLUR_GOOD:.0%}: ajuste o foco ou use uma foto maior.")
    return Grade.GOOD, Said("The picture is sharp.", "A foto está nítida.")


def _light_said(trouble: str, clipped: float) -> tuple[Grade, Said]:
    if trouble == "too dark":
        return Grade.BAD, Said("The picture is too dark: bring a lamp.",
                               "A foto está escura demais: traga uma lâmpada.")
    if trouble:
        return Grade.BAD, Said(
            "The picture shows no edges at all: focus the lens on the board, and take its cap off.",
            "A foto não mostra contorno nenhum: tire a tampa da lente e ajuste o foco no tabuleiro.")
    if clipped > CLIPPED_MOST:
        return Grade.USABLE, Said(
            f"{clipped:.0%} of the picture is pure white or black, good is {CLIPPED_MOST:.0%}: turn the lamp aside.",
            f"{clipped:.0%} da foto é branco ou preto puro, o bom é até {CLIPPED_MOST:.0%}: vire a lâmpada de lado.")
    return Grade.GOOD, Said("The light is good.", "A luz está boa.")
