"""The detector of pyramids on squares: a `View` of the board in, a `Sighting` a square out.

What an arm hides is left out. An arm is one thing: squares around it that look half hidden are hidden too,
and so is the square under its fingertips, where a piece may be held above the board.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rules.words import Cell
from vision.detect.pyramid_judge import Fits, PieceJudge
from vision.detect.pyramid_net import (
    HIDDEN,
    EmptyBoard,
    Floats,
    PieceReader,
    colours_in_company,
    cut_pairs,
    extra_of,
    ranked,
    unchanged,
)
from vision.kits.gridlock import SIDE, GridlockKit
from vision.observation import Sighting
from vision.observe import Looked, Taught, View
from vision.patches import PatchPlan, Straightener, plan_patches, straightener
from vision.pose import BoardPose


@dataclass(slots=True)
class SquaresRead:
    """What the last picture of one pose gave, square by square: its patches `pairs` (64, P, P, 6) as they were when
    they were read, `looked` (64, 17) and `codes` (64, 16) of the network, `often` (64,) whether it looked more than
    once, and what was measured."""

    pairs: NDArray[np.uint8]
    looked: Floats
    codes: Floats
    often: NDArray[np.bool_]
    fits: Fits


HIDDEN_FOR_SURE = 0.5
HIDDEN_BESIDE = 0.12


class PyramidDetector:
    """Pyramids on a Gridlock board; prepared once from what set-up taught."""

    name = "pyramids"

    def __init__(self, kit: GridlockKit, taught: Taught) -> None:
        self._kit, self._taught = kit, taught
        self._net = PieceReader()
        end = SIDE * kit.square_mm
        self._end = (end, end)
        self._before = EmptyBoard.of(straightener(taught.pose, (0.0, 0.0), self._end).mosaic(taught.reference))
        self._last: SquaresRead | None = None
        self._flat: tuple[BoardPose, Straightener, PatchPlan, Floats, PieceJudge] | None = None

    def _prepared(self, pose: BoardPose) -> tuple[Straightener, PatchPlan, Floats, PieceJudge]:
        """Maps for this pose; made anew only when the board has moved."""
        if self._flat is None or self._flat[0] is not pose:
            flat = straightener(pose, (0.0, 0.0), self._end)
            plan = plan_patches(pose, flat, self._kit.places)
            eyes = pose.eye_mm - np.array([place.centre_mm for place in self._kit.places])
            judge = PieceJudge(eyes, plan.ground_px, self._taught.palette.shades)
            self._last = None
            self._flat = (pose, flat, plan, extra_of(plan), judge)
        return self._flat[1:]

    def look(self, view: View) -> Looked:
        """One sighting for each square that no hand hides."""
        flat, plan, extra, judge = self._prepared(view.pose)
        pairs = cut_pairs(self._before.paired(flat.mosaic(view.image)), plan)
        classes, colours = self._read(pairs, extra, judge)
        places = self._kit.places
        covered = self._covered(classes[:, HIDDEN])
        names = self._taught.palette.colours
        sightings = tuple(
            Sighting(p.cell, ranked(classes[i], colours[i], names)) for i, p in enumerate(places) if not covered[i]
        )
        hidden: frozenset[Cell] = frozenset(p.cell for i, p in enumerate(places) if covered[i])
        return Looked(sightings, hidden, bool(covered.any()))

    def _read(self, pairs: NDArray[np.uint8], extra: Floats, judge: PieceJudge) -> tuple[Floats, Floats]:
        """(64, 17) and (64, C): looked at, measured where in doubt, and looked at again where still in doubt."""
        taught, read = self._taught.palette.codes, self._looked(pairs, extra)
        classes, colours = judge.measured(
            pairs, read.looked, colours_in_company(read.codes, read.looked, taught), read.fits
        )
        again = judge.unsure(classes, colours)
        again = again[~read.often[again]]
        if len(again):
            read.looked[again], read.codes[again] = self._net.again(
                pairs[again], extra[again], read.looked[again], read.codes[again]
            )
            read.often[again] = True
            classes[again] = read.looked[again]
            colours[again] = colours_in_company(read.codes, read.looked, taught)[again]
            classes, colours = judge.measured(pairs, classes, colours, read.fits, again)
        self._last = read
        return classes, colours

    def _looked(self, pairs: NDArray[np.uint8], extra: Floats) -> SquaresRead:
        """What the network says of each square; where nothing changed, what it said before."""
        if self._last is None:
            return SquaresRead(pairs, *self._net.read(pairs, extra), np.zeros(len(pairs), np.bool_), {})
        last, same = self._last, unchanged(pairs, self._last.pairs)
        looked, codes = self._net.read(pairs, extra, ~same)
        return SquaresRead(
            np.where(same[:, None, None, None], last.pairs, pairs),
            np.where(same[:, None], last.looked, looked),
            np.where(same[:, None], last.codes, codes),
            last.often & same,
            {square: seen for square, seen in last.fits.items() if same[square]},
        )

    def _covered(self, hidden: NDArray[np.float32]) -> NDArray[np.bool_]:
        """(64,) squares under an arm: those that surely are, and half-seen ones beside them."""
        grid = hidden.reshape(SIDE, SIDE)
        sure = grid > HIDDEN_FOR_SURE
        beside = np.zeros_like(sure)
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                shifted = np.roll(sure, (dy, dx), (0, 1))
                if dy:
                    shifted[0 if dy > 0 else -1] = False
                if dx:
                    shifted[:, 0 if dx > 0 else -1] = False
                beside |= shifted
        return np.asarray(sure | (beside & (grid > HIDDEN_BESIDE))).ravel()
