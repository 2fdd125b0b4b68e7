"""Pyramids: what stands on each square, from a patch of now and the same patch of the empty board.

A small network (trained by `table.sim.train` on painted tables) looks at both patches, the lean of tall
things there and the outline of the square. It gives a class (empty; standing or lying four ways in three
sizes; hidden by a hand) and a colour code; the code nearest to one of the palette's codes names the colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from rules.words import Colour, Piece
from vision.frame import Image, Matrix, VisionError
from vision.kits.gridlock import PYRAMIDS, SIDE, GridlockKit
from vision.light import linear, relight
from vision.patches import PATCH_PX, PatchPlan, cut, plan_patches, straightener
from vision.pose import BoardPose

EMPTY, STANDING, LYING, HIDDEN = 0, 1, 4, 16
CLASSES = 17
CODE = 16
PIXEL_SCALE = 200.0
LEAN_SCALE = 24.0
MEAN_LIGHT = 0.25
QUIET_FLOOR, QUIET_MOST = 5.0, 14.0
"""Steps of 1/200 on the square-root scale: a piece, however pale, differs by more somewhere."""
SURE_COMPANY, SURE_PIECE = 0.985, 0.9
"""Of its colour, and of there being one: so sure must a piece be to stand for its colour."""
LEAST = 2e-4
MOST = 12
MODEL = Path(__file__).with_name("pyramids.onnx")

Floats = NDArray[np.float32]


def patches_of(
    kit: GridlockKit, image: Image, pose: BoardPose, reference: Image, reference_pose: BoardPose
) -> tuple[NDArray[np.uint8], Floats]:
    """`pairs` (64, P, P, 6) uint8: relit now and empty board, square-root scale; `extra` (64, 5): see `extra_of`."""
    end = SIDE * kit.square_mm
    flat = straightener(pose, (0.0, 0.0), (end, end))
    empty = straightener(reference_pose, (0.0, 0.0), (end, end))
    before = EmptyBoard.of(empty.mosaic(reference))
    plan = plan_patches(pose, flat, kit.places)
    return cut_pairs(before.paired(flat.mosaic(image)), plan), extra_of(plan)


@dataclass(frozen=True, slots=True)
class EmptyBoard:
    """The straightened empty board: `light` (H, W, 3) linear, `coded` (H, W, 3) uint8 on the square-root scale,
    and `level`, the gain that gives it a middling brightness."""

    light: Floats
    coded: NDArray[np.uint8]
    level: float

    @classmethod
    def of(cls, mosaic: Image) -> EmptyBoard:
        light = linear(mosaic)
        h, w = light.shape[:2]
        level = MEAN_LIGHT / max(float(light[h // 4 : -h // 4, w // 4 : -w // 4].mean()), 1e-4)
        return cls(light, _coded(light * np.float32(level)), level)

    def paired(self, mosaic: Image) -> NDArray[np.uint8]:
        """(H, W, 6) uint8: the picture relit to the lamp of the empty board, and the empty board."""
        now = linear(mosaic)
        relit = cv2.divide(now, relight(now, self.light).gain, scale=self.level)
        return np.concatenate([_coded(np.asarray(relit, np.float32)), self.coded], axis=2)


def _coded(light: Floats) -> NDArray[np.uint8]:
    root = cv2.sqrt(cv2.max(light, 0.0))  # type: ignore[call-overload]
    return np.asarray(cv2.convertScaleAbs(root, alpha=PIXEL_SCALE), np.uint8)


def cut_pairs(pair: NDArray[np.uint8], plan: PatchPlan) -> NDArray[np.uint8]:
    """(N, P, P, 6) uint8 from a mosaic pair."""
    return np.asarray(cut(pair, plan.corner_px), np.uint8)


def quiet(pairs: NDArray[np.uint8], extra: Floats) -> NDArray[np.bool_]:
    """(N,) whether nothing but noise differs from the empty board on the square and where a piece would lean.

    The measure is the picture's own: its noise is what the calmer half of all patches shows.
    """
    sheet, noise = _difference((planes := _planes(pairs))[:3], planes[3:])
    span = np.arange(PATCH_PX, dtype=np.float32)
    low = extra[:, 2:4] - extra[:, 4:] + np.minimum(extra[:, :2], 0) + 2
    high = extra[:, 2:4] + extra[:, 4:] + np.maximum(extra[:, :2], 0) - 2
    in_x = (span > low[:, :1]) & (span < high[:, :1])
    in_y = (span > low[:, 1:]) & (span < high[:, 1:])
    there = (sheet * (in_y[:, :, None] & in_x[:, None, :])).max(axis=(1, 2))
    return np.asarray(there < min(QUIET_FLOOR + 2.0 * noise, QUIET_MOST))


def unchanged(pairs: NDArray[np.uint8], before: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """(N,) whether a patch shows what it showed before but for noise, anywhere on it."""
    sheet, noise = _difference(_planes(pairs)[:3], _planes(before)[:3])
    return np.asarray(sheet.max(axis=(1, 2)) < min(QUIET_FLOOR + 2.0 * noise, QUIET_MOST))


def _planes(pairs: NDArray[np.uint8]) -> Sequence[Image]:
    """Blue, green and red of now, then of the empty board, each with all patches one below the other."""
    return cv2.split(pairs.reshape(len(pairs) * PATCH_PX, PATCH_PX, 6))  # type: ignore[return-value]


def _difference(pictures: Sequence[Image], others: Sequence[Image]) -> tuple[Floats, float]:
    """(N, P, P) how much the most different channel differs, smoothed; and the noise of that: what the calmer half of
    all places shows."""
    blue, green, red = (cv2.absdiff(one, other) for one, other in zip(pictures, others, strict=True))
    most = cv2.max(cv2.max(blue, green), red).astype(np.float32)
    sheet = np.asarray(cv2.blur(most, (3, 3)), np.float32).reshape(-1, PATCH_PX, PATCH_PX)
    return sheet, float(np.median(most[::4, ::4]))


def extra_of(plan: PatchPlan) -> Floats:
    """(N, 5): lean east and south, the cell's centre in the patch (column, row), half the cell's width; px."""
    return np.concatenate([plan.lean_px, plan.ground_px, plan.half_px[:, None]], axis=1).astype(np.float32)


def network_input(pairs: NDArray[np.uint8], extra: Floats) -> Floats:
    """(N, 9, P, P) float32: now BGR, empty BGR, inside the square, lean east, lean south."""
    n = len(pairs)
    out = np.empty((n, 9, PATCH_PX, PATCH_PX), np.float32)
    out[:, :6] = pairs.transpose(0, 3, 1, 2) * np.float32(2 / PIXEL_SCALE) - 1
    span = np.arange(PATCH_PX, dtype=np.float32)
    in_x = np.clip(extra[:, 4, None] + 0.5 - np.abs(span - extra[:, 2, None]), 0, 1)
    in_y = np.clip(extra[:, 4, None] + 0.5 - np.abs(span - extra[:, 3, None]), 0, 1)
    out[:, 6] = in_y[:, :, None] * in_x[:, None, :]
    out[:, 7] = (extra[:, 0] / LEAN_SCALE)[:, None, None]
    out[:, 8] = (extra[:, 1] / LEAN_SCALE)[:, None, None]
    return out


def turned(pairs: NDArray[np.uint8], extra: Floats, k: int, flip: bool) -> tuple[NDArray[np.uint8], Floats]:
    """Patches and their lean turned by `k` quarter turns counter-clockwise, then mirrored left to right."""
    pairs = np.rot90(pairs, k, (1, 2))
    lean: Matrix = extra[:, :2].astype(np.float64)
    ground: Matrix = extra[:, 2:4].astype(np.float64) - (PATCH_PX - 1) / 2
    half = extra[:, 4:]
    for _ in range(k % 4):
        lean, ground = np.stack([lean[:, 1], -lean[:, 0]], 1), np.stack([ground[:, 1], -ground[:, 0]], 1)
    if flip:
        pairs = pairs[:, :, ::-1]
        lean, ground = lean * (-1, 1), ground * (-1, 1)
    return np.ascontiguousarray(pairs), np.hstack([lean, ground + (PATCH_PX - 1) / 2, half]).astype(np.float32)


def _class_order(k: int, flip: bool) -> NDArray[np.int64]:
    """For each class, which class it looks like after `turned`."""
    order = np.arange(CLASSES)
    for c in range(LYING, HIDDEN):
        facing = ((c - LYING) % 4 + 3 * k) % 4
        order[c] = LYING + (c - LYING) // 4 * 4 + ((4 - facing) % 4 if flip else facing)
    return order


class PieceReader:
    """The trained network behind `cv2.dnn`, loaded once.

    A patch may be looked at again turned and mirrored, and the looks averaged: the game does not care which way
    the picture is turned, and errors of the network do.
    """

    LOOKS = ((0, False), (1, False), (2, False), (3, False), (0, True), (1, True), (2, True), (3, True))
    FURTHER_LOOKS = LOOKS[1:4]

    def __init__(self, model: Path = MODEL) -> None:
        if not model.exists():
            raise VisionError(f"wanted the trained reader {model.name}, found none: install the package again")
        self._net = cv2.dnn.readNetFromONNX(str(model))

    def _raw(self, pairs: NDArray[np.uint8], extra: Floats) -> Floats:
        self._net.setInput(network_input(pairs, extra))
        return np.asarray(self._net.forward(), np.float32).reshape(len(pairs), CLASSES + CODE)

    def codes(
        self, pairs: NDArray[np.uint8], extra: Floats, looks: Sequence[tuple[int, bool]] = LOOKS
    ) -> tuple[Floats, Floats]:
        """(N, 17) class probabilities and (N, 16) colour codes, each the mean of these `looks`."""
        classes, codes = np.zeros((len(pairs), CLASSES), np.float32), np.zeros((len(pairs), CODE), np.float32)
        for k, flip in looks:
            raw = self._raw(*turned(pairs, extra, k, flip))
            classes += softmax(raw[:, :CLASSES])[:, _class_order(k, flip)]
            codes += raw[:, CLASSES:]
        count = np.float32(len(looks))
        return np.asarray(classes / count, np.float32), np.asarray(codes / count, np.float32)

    def read(
        self, pairs: NDArray[np.uint8], extra: Floats, only: NDArray[np.bool_] | None = None
    ) -> tuple[Floats, Floats]:
        """(N, 17) class probabilities and (N, 16) colour codes, from one look; a quiet patch is empty, its code 0.
        Where `only` (N,) is false nothing is looked at, and what is returned means nothing."""
        noisy = ~quiet(pairs, extra)
        busy = np.flatnonzero(noisy if only is None else noisy & only)
        classes = np.full((len(pairs), CLASSES), 1e-5, np.float32)
        classes[:, EMPTY] = 1 - 1e-5 * (CLASSES - 1)
        codes = np.zeros((len(pairs), CODE), np.float32)
        if len(busy):
            raw = self._raw(pairs[busy], extra[busy])
            classes[busy], codes[busy] = softmax(raw[:, :CLASSES]), raw[:, CLASSES:]
        return classes, codes

    def again(
        self, pairs: NDArray[np.uint8], extra: Floats, classes: Floats, codes: Floats
    ) -> tuple[Floats, Floats]:
        """The same, the mean of the first look, which gave `classes` and `codes`, and of three turned ones."""
        more, further = len(self.FURTHER_LOOKS), self.codes(pairs, extra, self.FURTHER_LOOKS)
        share = np.float32(more / (more + 1))
        return classes + (further[0] - classes) * share, codes + (further[1] - codes) * share


def softmax(scores: Floats) -> Floats:
    """Row by row."""
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True), np.float32)


def colour_odds(codes: Floats, taught: Floats) -> Floats:
    """(N, C): probabilities of the taught colours; the nearer a code, the likelier."""
    return softmax(-_squared(codes, taught))


def colours_in_company(codes: Floats, classes: Floats, taught: Floats) -> Floats:
    """(N, C): the same, but a colour looks like its taught piece or like any piece of this picture that is surely of
    that colour: under this lamp, in this shade."""
    far = _squared(codes, taught)
    alone = softmax(-far)
    none = classes[:, EMPTY] + classes[:, HIDDEN]
    sure = np.flatnonzero((alone.max(axis=1) > SURE_COMPANY) & (none < 1 - SURE_PIECE))
    between, named = _squared(codes, codes[sure]), alone[sure].argmax(axis=1)
    between[sure, np.arange(len(sure))] = np.inf
    for colour in range(len(taught)):
        far[:, colour] = np.minimum(far[:, colour], between[:, named == colour].min(axis=1, initial=np.inf))
    return softmax(-far)


def _squared(codes: Floats, others: Floats) -> Floats:
    """(N, M) squared distances."""
    return np.asarray(((codes[:, None, :] - others[None, :, :]) ** 2).sum(axis=2), np.float32)


def piece_of(kind: int, colour: Colour) -> Piece:
    """The piece that a class above `EMPTY` stands for."""
    if kind < LYING:
        return Piece(PYRAMIDS[kind - STANDING].kind, colour)
    return Piece(PYRAMIDS[(kind - LYING) // 4].kind, colour, (kind - LYING) % 4)


def ranked(classes: Floats, colours: Floats, names: Sequence[Colour]) -> tuple[tuple[Piece | None, float], ...]:
    """What may stand on one square, best first: classes (17,) without the hidden one, times colours (C,)."""
    seen = classes[:HIDDEN] / max(float(classes[:HIDDEN].sum()), 1e-6)
    out: list[tuple[Piece | None, float]] = [(None, float(seen[EMPTY]))]
    for kind in np.flatnonzero(seen[1:] > LEAST) + 1:
        out += [
            (piece_of(int(kind), name), float(seen[kind] * share))
            for name, share in zip(names, colours, strict=True) if seen[kind] * share > LEAST
        ]
    return tuple(sorted(out, key=lambda pair: -pair[1])[:MOST])
