"""Setting up a table, as values: what is asked, what is being done, where it ended.

No web, no terminal, no camera, no clock: whoever shows the steps hands pictures and taps in. A
`Wizard` never changes; each answer gives a new one. An answer that does not fit the step that is
shown (a tap that came twice) changes nothing.

    empty board? -> board found? -> which corner is a1? -> pieces set up? -> done
                        | no: tap the four corners
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

import numpy as np

from calibration.check import Grade, Report, check
from calibration.profile import Profile
from calibration.tapped import CORNERS
from rules.words import Cell, Piece
from vision.frame import Image, Points
from vision.palette import Palette
from vision.pose import BoardPose

REFERENCE_PICTURE = "reference.png"


class Want(Enum):
    """What a person is asked for."""

    EMPTY_PICTURE = "empty-picture"
    """A picture of the board with nothing on it."""
    ORIENTATION = "orientation"
    """One tap at the corner of a1. `marks_px` are the corners that were found."""
    CORNERS = "corners"
    """Four taps: the outer corners of a1, a8, h8, h1, in this order."""
    PALETTE_PICTURE = "palette-picture"
    """A picture with one large upright piece of each colour on the squares named."""


class Doing(Enum):
    """What is being worked out."""

    FINDING_BOARD = "finding-board"
    MEASURING_POSE = "measuring-pose"
    LEARNING_COLOURS = "learning-colours"


@dataclass(frozen=True, slots=True)
class Ask:
    """A person is asked for something. `said` is a sentence; `picture` is what they tap on."""

    want: Want
    said: str
    marks_px: tuple[tuple[float, float], ...] = ()
    picture: Image | None = None


@dataclass(frozen=True, slots=True)
class Working:
    """Call `work`; it may take a second."""

    doing: Doing
    said: str


@dataclass(frozen=True, slots=True)
class Stuck:
    """It did not work: `why` is a sentence with what to do; `again` leads to `then`."""

    why: str
    then: Ask


@dataclass(frozen=True, slots=True)
class Done:
    """The table is set up. `reference` is the picture of the empty board, to be saved with the profile."""

    profile: Profile
    reference: Image


Step = Ask | Working | Stuck | Done


class Eyes(Protocol):
    """What the wizard needs to see. Each gives what was found, or a sentence why not and what to do."""

    def covered(self, image: Image) -> Sequence[str]:
        """Where in the picture a corner of the board is covered ("lower left"); none if all are free."""
        ...

    def corners(self, image: Image) -> Points | str:
        """The board's outer corners, (4, 2) px, clockwise in the picture, any one first."""
        ...

    def pose(self, image: Image, corners_px: Mapping[str, tuple[float, float]]) -> BoardPose | str:
        """The pose, from named corners that may be some px off."""
        ...

    def palette(self, empty: Image, image: Image, pose: BoardPose,
                pieces: Sequence[tuple[Cell, Piece]]) -> Palette | str:
        """The colours of pieces that stand where they are said to stand."""
        ...


@dataclass(frozen=True, slots=True)
class Table:
    """What is known beforehand. `pieces`: what to put where for the palette, with each square's name."""

    game: str
    square_mm: float
    pieces: tuple[tuple[str, Cell, Piece], ...]


@dataclass(frozen=True, slots=True)
class Wizard:
    """Where the setting up stands. `step` is what to show."""

    table: Table
    step: Step
    empty: Image | None = None
    corners_px: Points | None = None
    named_px: tuple[tuple[float, float], ...] = ()
    pose: BoardPose | None = None
    coloured: Image | None = None
    covered: tuple[str, ...] = ()
    """The corners that were said to be covered. Said once only: a board may look like that."""

    def took(self, image: Image) -> Wizard:
        """A picture was taken, (H, W, 3) BGR."""
        match self.step:
            case Ask(want=Want.EMPTY_PICTURE):
                return replace(self, empty=image, step=Working(Doing.FINDING_BOARD, "Looking for the board."))
            case Ask(want=Want.PALETTE_PICTURE):
                return replace(self, coloured=image, step=Working(Doing.LEARNING_COLOURS, "Learning the colours."))
        return self

    def tapped(self, points_px: Sequence[tuple[float, float]]) -> Wizard:
        """Points were tapped, px of the picture shown: one for the orientation, four for the corners."""
        match self.step:
            case Ask(want=Want.ORIENTATION) if len(points_px) == 1 and self.corners_px is not None:
                return self._oriented(self.corners_px, points_px[0])
            case Ask(want=Want.CORNERS) if len(points_px) == len(CORNERS):
                if _turns(points_px) <= 0:
                    return replace(self, step=Stuck(
                        "The four corners do not go round clockwise: tap a1, then a8, h8 and h1.", self.step))
                return self._measuring(tuple((float(x), float(y)) for x, y in points_px))
        return self

    def again(self) -> Wizard:
        """Try the step once more after `Stuck`."""
        return replace(self, step=self.step.then) if isinstance(self.step, Stuck) else self

    def by_hand(self) -> Wizard:
        """A person would rather tap the corners (the grid sits wrong). Needs the picture of the empty board."""
        return self if self.empty is None else replace(self, step=self._ask_corners("Tap the board's four corners"))

    def back(self) -> Wizard:
        """Begin anew."""
        return started(self.table)

    def work(self, eyes: Eyes, now_utc: str) -> Wizard:
        """Do what `Working` says; anything else changes nothing. `now_utc` is written into the profile."""
        if not isinstance(self.step, Working) or self.empty is None:
            return self
        match self.step.doing:
            case Doing.FINDING_BOARD:
                return self._find(eyes, self.empty)
            case Doing.MEASURING_POSE:
                return self._measure(eyes, self.empty)
            case Doing.LEARNING_COLOURS:
                return self._learn(eyes, self.empty, now_utc)

    def _find(self, eyes: Eyes, empty: Image) -> Wizard:
        covered = tuple(eyes.covered(empty))
        if covered and covered != self.covered:
            return replace(self, covered=covered, step=Stuck(_covered(covered), _ask_empty()))
        found = eyes.corners(empty)
        if isinstance(found, str):
            return replace(self, step=self._ask_corners(f"{found} Or tap the board's four corners"))
        marks = tuple((float(x), float(y)) for x, y in found)
        return replace(self, corners_px=found, step=Ask(
            Want.ORIENTATION, "The board is found. Tap its corner at a1: the left one for the player in the south.",
            marks, empty))

    def _oriented(self, corners_px: Points, tap_px: tuple[float, float]) -> Wizard:
        """Name the corners from the one tapped. A tap halfway between two is asked again."""
        away = np.linalg.norm(corners_px - np.array(tap_px, dtype=np.float64), axis=1)
        nearest, second = np.sort(away)[:2]
        if nearest > 0.7 * second and isinstance(self.step, Ask):
            return replace(self, step=Stuck("The tap lies between two corners: tap nearer to a1's.", self.step))
        first = int(np.argmin(away))
        turned = np.roll(corners_px, -first, axis=0)
        return self._measuring(tuple((float(x), float(y)) for x, y in turned))

    def _measuring(self, named_px: tuple[tuple[float, float], ...]) -> Wizard:
        return replace(self, named_px=named_px, step=Working(Doing.MEASURING_POSE, "Measuring where the board lies."))

    def _measure(self, eyes: Eyes, empty: Image) -> Wizard:
        pose = eyes.pose(empty, dict(zip(CORNERS, self.named_px, strict=True)))
        if isinstance(pose, str):
            return replace(self, step=Stuck(pose, self._ask_corners("Tap the board's four corners")))
        report = check(empty, pose, self.table.square_mm)
        if report.grade is Grade.BAD:
            return replace(self, step=Stuck(" ".join(report.verdict), _ask_empty()))
        return replace(self, pose=pose, step=self._ask_palette())

    def _learn(self, eyes: Eyes, empty: Image, now_utc: str) -> Wizard:
        if self.coloured is None or self.pose is None:
            return self.back()
        if self.coloured.shape != empty.shape:
            return replace(self, step=Stuck(
                f"The two pictures differ in size ({_size(empty)} and {_size(self.coloured)} px): "
                "take both with one setting of the camera.", self._ask_palette()))
        palette = eyes.palette(empty, self.coloured, self.pose, [(cell, piece) for _, cell, piece in self.table.pieces])
        if isinstance(palette, str):
            return replace(self, step=Stuck(palette, self._ask_palette()))
        report = check(empty, self.pose, self.table.square_mm, palette)
        if report.grade is Grade.BAD:
            return replace(self, step=Stuck(" ".join(report.verdict), self._ask_palette()))
        return replace(self, step=Done(self._profile(self.pose, palette, report, now_utc), empty))

    def _profile(self, pose: BoardPose, palette: Palette, report: Report, now_utc: str) -> Profile:
        return Profile(now_utc, self.table.game, self.table.square_mm, pose, palette, REFERENCE_PICTURE, report)

    def _ask_corners(self, why: str) -> Ask:
        marks = () if self.corners_px is None else tuple((float(x), float(y)) for x, y in self.corners_px)
        return Ask(Want.CORNERS, f"{why}, in this order: a1, a8, h8, h1.", marks, self.empty)

    def _ask_palette(self) -> Ask:
        places = ", ".join(f"{piece.colour} on {name}" for name, _, piece in self.table.pieces)
        kinds = sorted({piece.kind for _, _, piece in self.table.pieces})
        return Ask(Want.PALETTE_PICTURE, f"Stand one {' or '.join(kinds)} piece of each colour on the board: {places}. "
                                         "Take your hands away, then take the picture.")


def started(table: Table) -> Wizard:
    """A wizard at its first step."""
    return Wizard(table, _ask_empty())


def _ask_empty() -> Ask:
    return Ask(Want.EMPTY_PICTURE, "Clear the board, light it as you will play, take your hands away, "
                                   "then take the picture.")


def _covered(places: Sequence[str]) -> str:
    corners = "corner" if len(places) == 1 else "corners"
    return (f"Wanted the bare board, found its {corners} at the {' and the '.join(places)} of the picture covered: "
            "take away what lies there. If nothing does, take the picture again all the same.")


def _turns(points_px: Sequence[tuple[float, float]]) -> float:
    """Twice the area that the points go round, px; above 0 if clockwise in the picture (y down)."""
    x, y = np.array(points_px, dtype=np.float64).T
    return float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def _size(image: Image) -> str:
    return f"{image.shape[1]}x{image.shape[0]}"
