"""Teaching a Gridlock table: an empty board, one tap, and a picture with one large pyramid of each colour.

The result is all that `vision.observe.Reader` needs. Whatever is wrong with the pictures is said in one
sentence by `NotTaught`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.errors import NotTaught
from calibration.said import colour_pt
from calibration.seen_said import seen_said
from rules.words import Cell, Colour, Said
from vision.detect.pyramid_judge import shades_of
from vision.detect.pyramid_net import HIDDEN, MEAN_LIGHT, PIXEL_SCALE, STANDING, Floats, PieceReader, patches_of
from vision.frame import Image
from vision.kits.gridlock import GridlockKit
from vision.locate import BadTaps, Follower, NoBoard, find_chessboard, fit_pose, orient
from vision.observation import BoardState
from vision.observe import Taught
from vision.palette import Palette
from vision.pose import BoardPose, CameraModel

LEAST_DISTANCE = 9.0
"""In CIELAB: two colours of pieces nearer than this are mixed up under another lamp."""
LEAST_CODE_DISTANCE = 0.7
"""Squared distance of two colours' codes: below it the reader itself may take one for the other. In two painted rooms
colours 0.80 apart were told apart each time (155 pieces); nothing nearer was measured."""
SURE = 0.3
"""A black pyramid on a black square was seen at 0.48, all others above 0.99; of 3,200 empty squares two looked like
more than this."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One large upright pyramid of the palette picture."""

    cell: Cell
    colour: Colour


def find_pose(
    empty: Image, taps: Mapping[str, tuple[float, float]], square_mm: float, lens: CameraModel | None
) -> BoardPose:
    """The board in the empty picture, a1 where the taps say. Raises `NotTaught`."""
    found = find_chessboard(empty)
    if isinstance(found, NoBoard):
        raise NotTaught(seen_said(found.why))
    turned = orient(found, taps)
    if isinstance(turned, BadTaps):
        raise NotTaught(seen_said(turned.why))
    return fit_pose(turned, square_mm, (empty.shape[1], empty.shape[0]), lens)


def teach(
    kit: GridlockKit, empty: Image, palette: Image, samples: Sequence[Sample],
    taps: Mapping[str, tuple[float, float]], lens: CameraModel | None = None,
) -> Taught:
    """From the two pictures of set-up to what the reader needs. Raises `NotTaught`."""
    if palette.shape != empty.shape:
        wanted, found = (f"{image.shape[1]}x{image.shape[0]}" for image in (empty, palette))
        raise NotTaught(Said(
            f"wanted the palette picture as large as the empty one ({wanted}), found {found}: take both with the same "
            "camera",
            f"a foto das cores deve ter o tamanho da foto do tabuleiro vazio ({wanted}), mas tem {found}: tire as duas "
            "com a mesma câmera"))
    pose = find_pose(empty, taps, kit.square_mm, lens)
    followed = Follower(empty, pose, kit.square_mm).follow(palette)
    if followed.state is BoardState.LOST:
        raise NotTaught(board_gone(followed.why))
    return Taught(kit, pose, empty, learn_palette(kit, palette, followed.pose, empty, pose, samples))


def learn_palette(
    kit: GridlockKit, image: Image, pose: BoardPose, empty: Image, empty_pose: BoardPose, samples: Sequence[Sample]
) -> Palette:
    """The colours of the pyramids on the samples' squares. Raises `NotTaught`."""
    pairs, extra = patches_of(kit, image, pose, empty, empty_pose)
    index = {p.cell: i for i, p in enumerate(kit.places)}
    rows = np.array([index[s.cell] for s in samples])
    classes, codes = PieceReader().codes(pairs[rows], extra[rows])
    missing = [s for s, row in zip(samples, classes, strict=True) if float(row[STANDING:HIDDEN].sum()) < SURE]
    if missing:
        raise NotTaught(Said(
            "wanted a large upright pyramid of each colour in the palette picture, found none for "
            f"{', '.join(f'{s.colour} on {kit.cell_name(s.cell)}' for s in missing)}: put them there, take the hand "
            "away and take the picture again",
            "precisava de uma pirâmide grande de cada cor, em pé, na foto das cores, mas não achei "
            f"{', '.join(f'a de cor {colour_pt(s.colour)} em {kit.cell_name(s.cell)}' for s in missing)}: ponha o que "
            "falta, tire a mão e tire a foto de novo"))
    lab, spread = _appearance(pairs[rows, :, :, :3].astype(np.float32) / np.float32(PIXEL_SCALE), extra[rows])
    shades = shades_of(pairs[rows], extra[rows], float(pose.eye_mm[2]))
    taught = Palette(tuple(s.colour for s in samples), lab, spread, codes, shades)
    looks, codes_near = taught.close_pairs(LEAST_DISTANCE), _near_codes(taught)
    if near := looks or codes_near:
        a, b, distance = near[0]
        least = LEAST_DISTANCE if looks else LEAST_CODE_DISTANCE
        raise NotTaught(Said(
            f"wanted colours that can be told apart, found {a} and {b} too close ({distance:.1f}, at least "
            f"{least:.1f} is needed): take another colour for one of them or change the lamp",
            f"{colour_pt(a)} e {colour_pt(b)} são parecidos demais para se distinguir (distância {distance:.1f}, o "
            f"mínimo é {least:.1f}): escolha outra cor para um deles ou troque a lâmpada"))
    return taught


def board_gone(why: str) -> Said:
    """The board is not in the picture with the pieces; `why` as `vision` says it."""
    seen = seen_said(why)
    return Said(f"wanted the board in the picture with the pieces, found none: {seen.en}",
                f"não achei o tabuleiro na foto com as peças: {seen.pt}")


def _near_codes(palette: Palette) -> tuple[tuple[Colour, Colour, float], ...]:
    n = len(palette.colours)
    pairs = [
        (palette.colours[i], palette.colours[j], float(((palette.codes[i] - palette.codes[j]) ** 2).sum()))
        for i in range(n) for j in range(i + 1, n)
    ]
    return tuple(sorted((p for p in pairs if p[2] < LEAST_CODE_DISTANCE), key=lambda p: p[2]))


def _appearance(root: Floats, extra: Floats) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.float64]],
                                                      np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """(n, 3) mean CIELAB and (n,) spread of each sample, around a third of the way up to its tip."""
    lab, spread = [], []
    for patch, (lean_x, lean_y, x, y, _) in zip(root, extra, strict=True):
        col, row = round(float(x + 0.3 * lean_x)), round(float(y + 0.3 * lean_y))
        spot = patch[max(row - 5, 0) : row + 6, max(col - 5, 0) : col + 6].reshape(1, -1, 3)
        light = np.clip(spot**2 / np.float32(2.2 * MEAN_LIGHT), 0, 1)
        srgb = np.where(light <= 0.0031308, 12.92 * light, 1.055 * np.power(light, 1 / 2.4) - 0.055).astype(np.float32)
        values = np.asarray(cv2.cvtColor(srgb, cv2.COLOR_BGR2LAB), np.float64)[0]
        lab.append(values.mean(axis=0))
        spread.append(float(np.sqrt(((values - values.mean(axis=0)) ** 2).sum(axis=1).mean())))
    return np.array(lab), np.array(spread)
