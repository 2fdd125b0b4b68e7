"""The weights of `vision.detect.pyramid_judge`, from lessons that the network was not trained on.

`python -m table.sim.weigh_outlines LESSONS` reads rooms written by `table.sim.lessons`, measures every doubtful square
as the product does, and finds the weights under which the true piece and the true colour are likeliest (multinomial
logistic regression). It prints them beside those in use, and how many squares are wrong with the network alone, with
the weights in use and with the new ones.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect import pyramid_fit, pyramid_judge
from vision.detect.pyramid_judge import MOST_TRIED, NET_DOUBT, POSSIBLE, PieceJudge, misfits, shades_of, walls_of
from vision.detect.pyramid_net import EMPTY, HIDDEN, PieceReader, colours_in_company
from vision.frame import Matrix
from vision.patches import LEAN_HEIGHT_MM, MM_PER_PX

Floats = NDArray[np.float32]
PULL = 0.1
"""Towards no weight at all, so that few examples do not give large ones."""


def eyes_mm(extra: Floats) -> Matrix:
    """(64, 3) the camera from each square's centre, recovered from how all squares lean (`extra` (64, 5))."""
    side = float(extra[0, 4]) * 2 * MM_PER_PX
    square = np.arange(64)
    at = np.stack([(square % 8 + 0.5) * side, (square // 8 + 0.5) * side], axis=1)
    lean = extra[:, :2].astype(np.float64) * (MM_PER_PX, -MM_PER_PX)
    design = np.zeros((128, 3))
    design[:64, 0], design[64:, 0], design[:64, 1], design[64:, 2] = at[:, 0], at[:, 1], -1, -1
    slope, x, y = np.linalg.lstsq(design, lean.T.ravel(), rcond=None)[0]
    height = LEAN_HEIGHT_MM / slope + LEAN_HEIGHT_MM
    return np.concatenate([np.array([x, y]) / slope - at, np.full((64, 1), height)], axis=1)


def examples(room: dict[str, NDArray[np.generic]], reader: PieceReader) -> tuple[list[Matrix], list[Matrix]]:
    """Of each doubtful piece the features (candidates, F), the true one first: of its shape, and of its colour."""
    shapes, colours = [], []
    _, codes = reader.codes(room["palette_pairs"].astype(np.uint8), room["palette_extra"].astype(np.float32))
    for pairs, extra, kinds, named in zip(room["pairs"], room["extra"], room["classes"], room["colours"], strict=True):
        eyes = eyes_mm(extra)
        shades = shades_of(room["palette_pairs"].astype(np.uint8), room["palette_extra"].astype(np.float32), eyes[0, 2])
        judge = PieceJudge(eyes, extra[:, 2:4].astype(np.float64), shades)
        classes, seen_as = reader.read(pairs, extra)
        odds = colours_in_company(seen_as, classes, codes)
        for square in np.flatnonzero((kinds > EMPTY) & (kinds < HIDDEN)).tolist():
            pieces = classes[square, EMPTY + 1 : HIDDEN]
            share, true = pieces / max(float(pieces.sum()), 1e-6), int(kinds[square]) - EMPTY - 1
            seen = pyramid_judge.SquareFits(pairs[square])
            if share.max() < pyramid_judge.SURE_OF_PIECE and share[true] > POSSIBLE:
                shapes.append(_shape_features(judge, seen, square, share, true))
            if odds[square].max() < pyramid_judge.SURE_OF_COLOUR:
                walls = walls_of(pairs[square], judge.fitted(seen, square, true))
                if len(walls.light):
                    each = np.column_stack([np.log(odds[square] + NET_DOUBT), -misfits(walls, shades)])
                    colours.append(_first(each.astype(np.float64), int(named[square])))
    return shapes, colours


def _shape_features(
    judge: PieceJudge, seen: pyramid_judge.SquareFits, square: int, share: Floats, true: int
) -> Matrix:
    tried = [int(k) for k in np.argsort(-share)[:MOST_TRIED] if share[k] > POSSIBLE]
    rows = []
    for kind in [true, *(k for k in tried if k != true)]:
        fitted = judge.fitted(seen, square, kind)
        rows.append([np.log(share[kind] + NET_DOUBT), fitted.found, fitted.explained, fitted.sharp])
    return np.array(rows)


def _first(rows: Matrix, true: int) -> Matrix:
    return np.concatenate([rows[true : true + 1], np.delete(rows, true, axis=0)])


def weights(sets: list[Matrix], rounds: int = 60) -> Matrix:
    """(F,) under which the first candidate of every set is likeliest: Newton's method with a step that never makes
    it worse, and a faint pull to zero."""
    w = np.eye(sets[0].shape[1])[0]
    for _ in range(rounds):
        gradient, curvature = -PULL * w, PULL * np.eye(len(w))
        for rows in sets:
            odds = rows @ w
            likely = np.exp(odds - odds.max())
            likely /= likely.sum()
            mean = likely @ rows
            gradient = gradient + rows[0] - mean
            curvature = curvature + (rows * likely[:, None]).T @ rows - np.outer(mean, mean)
        step = np.linalg.solve(curvature, gradient)
        while _unlikely(sets, w + step) > _unlikely(sets, w) and np.abs(step).max() > 1e-6:
            step = step / 2
        w = np.asarray(w + step)
        if np.abs(step).max() < 1e-4:
            break
    return np.asarray(w)


def _unlikely(sets: list[Matrix], w: Matrix) -> float:
    """Minus the log likelihood, with the pull."""
    odds = [rows @ w for rows in sets]
    return float(sum(np.log(np.exp(o - o.max()).sum()) + o.max() - o[0] for o in odds) + PULL / 2 * (w @ w))


def wrong(sets: list[Matrix], w: Matrix) -> int:
    """Sets whose first candidate is not the likeliest."""
    return sum(int((rows @ w).argmax() != 0) for rows in sets)


def main() -> None:
    """Prints a line for shapes and one for colours."""
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lessons", type=Path)
    parser.add_argument("--step", type=int, default=1, help="every so many rooms")
    chosen = parser.parse_args()
    cv2.setNumThreads(1)
    reader = PieceReader()
    shapes: list[Matrix] = []
    colours: list[Matrix] = []
    for path in sorted(chosen.lessons.glob("*.npz"))[:: chosen.step]:
        with np.load(path) as room:
            of_shape, of_colour = examples({name: room[name] for name in room.files}, reader)
        shapes += of_shape
        colours += of_colour
    fits = (pyramid_fit.WEIGHT_FOUND, pyramid_fit.WEIGHT_EXPLAINED, pyramid_fit.WEIGHT_SHARP)
    _report("shape", shapes, np.array((pyramid_judge.WEIGHT_SHAPE, *fits)))
    _report("colour", colours, np.array((pyramid_judge.WEIGHT_COLOUR, *pyramid_judge.WEIGHT_WALLS)))


def _report(what: str, sets: list[Matrix], used: Matrix) -> None:
    if not sets:
        print(f"{what}: wanted doubtful squares, found none: read more rooms")
        return
    best, alone = weights(sets), np.eye(len(used))[0]
    print(f"{what}: {len(sets)} doubtful; wrong: {wrong(sets, alone)} by the network alone, {wrong(sets, used)} with "
          f"the weights in use {np.round(used, 2).tolist()}, {wrong(sets, best)} with {np.round(best, 2).tolist()}")


if __name__ == "__main__":
    main()
