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
from calibration.covered import PLACES
from calibration.profile import Profile
from calibration.said import colour_pt, joined
from calibration.tapped import CORNERS
from rules.words import Cell, Piece, Said
from vision.frame import Image, Points
from vision.palette import Palette
from vision.pose import BoardPose

REFERENCE_PICTURE = "reference.png"
CLEAR = Said("Clear the board, light it as you will play, take your hands away, then take the picture.",
             "Esvazie o tabuleiro, deixe a luz como vai estar no jogo, tire as mãos e depois a foto.")
LOOKING = Said("Looking for the board.", "Procurando o tabuleiro.")
MEASURING = Said("Measuring where the board lies.", "Medindo a posição do tabuleiro.")
LEARNING = Said("Learning the colours.", "Aprendendo as cores.")
FOUND = Said("The board is found. Tap its corner at a1: the left one for the player in the south.",
             "Achei o tabuleiro. Toque no canto da casa a1: o da esquerda de quem joga no sul.")
BETWEEN = Said("The tap lies between two corners: tap nearer to a1's.",
               "O toque ficou entre dois cantos: toque mais perto do canto de a1.")
NOT_ROUND = Said("The four corners do not go round clockwise: tap a1, then a8, h8 and h1.",
                 "Os quatro cantos não seguem o sentido do relógio: toque em a1, depois em a8, h8 e h1.")
TAP = Said("Tap the board's four corners, in this order: a1, a8, h8, h1.",
           "Toque nos quatro cantos do tabuleiro, nesta ordem: a1, a8, h8, h1.")
OR_TAP = Said("Or tap the board's four corners, in this order: a1, a8, h8, h1.",
              "Ou toque nos quatro cantos do tabuleiro, nesta ordem: a1, a8, h8, h1.")
_KINDS_PT = {"small": "pequena", "medium": "média", "large": "grande"}


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
    said: Said
    marks_px: tuple[tuple[float, float], ...] = ()
    picture: Image | None = None


@dataclass(frozen=True, slots=True)
class Working:
    """Call `work`; it may take a second."""

    doing: Doing
    said: Said


@dataclass(frozen=True, slots=True)
class Stuck:
    """It did not work: `why` is a sentence with what to do; `again` leads to `then`."""

    why: Said
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
        """Where in the picture a corner of the board is covered, in words of `PLACES`; none if all are free."""
        ...

    def corners(self, image: Image) -> Points | Said:
        """The board's outer corners, (4, 2) px, clockwise in the picture, any one first."""
        ...

    def pose(self, image: Image, corners_px: Mapping[str, tuple[float, float]]) -> BoardPose | Said:
        """The pose, from named corners that may be some px off."""
        ...

    def palette(self, empty: Image, image: Image, pose: BoardPose,
                pieces: Sequence[tuple[Cell, Piece]]) -> Palette | Said:
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
                return replace(self, empty=image, step=Working(Doing.FINDING_BOARD, LOOKING))
            case Ask(want=Want.PALETTE_PICTURE):
                return replace(self, coloured=image, step=Working(Doing.LEARNING_COLOURS, LEARNING))
        return self

    def tapped(self, points_px: Sequence[tuple[float, float]]) -> Wizard:
        """Points were tapped, px of the picture shown: one for the orientation, four for the corners."""
        match self.step:
            case Ask(want=Want.ORIENTATION) if len(points_px) == 1 and self.corners_px is not None:
                return self._oriented(self.corners_px, points_px[0])
            case Ask(want=Want.CORNERS) if len(points_px) == len(CORNERS):
                if _turns(points_px) <= 0:
                    return replace(self, step=Stuck(NOT_ROUND, self.step))
                return self._measuring(tuple((float(x), float(y)) for x, y in points_px))
        return self

    def again(self) -> Wizard:
        """Try the step once more after `Stuck`."""
        return replace(self, step=self.step.then) if isinstance(self.step, Stuck) else self

    def by_hand(self) -> Wizard:
        """A person would rather tap the corners (the grid sits wrong). Needs the picture of the empty board."""
        return self if self.empty is None else replace(self, step=self._ask_corners())

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
        if isinstance(found, Said):
            return replace(self, step=self._ask_corners(found))
        marks = tuple((float(x), float(y)) for x, y in found)
        return replace(self, corners_px=found, step=Ask(Want.ORIENTATION, FOUND, marks, empty))

    def _oriented(self, corners_px: Points, tap_px: tuple[float, float]) -> Wizard:
        """Name the corners from the one tapped. A tap halfway between two is asked again."""
        away = np.linalg.norm(corners_px - np.array(tap_px, dtype=np.float64), axis=1)
        nearest, second = np.sort(away)[:2]
        if nearest > 0.7 * second and isinstance(self.step, Ask):
            return replace(self, step=Stuck(BETWEEN, self.step))
        first = int(np.argmin(away))
        turned = np.roll(corners_px, -first, axis=0)
        return self._measuring(tuple((float(x), float(y)) for x, y in turned))

    def _measuring(self, named_px: tuple[tuple[float, float], ...]) -> Wizard:
        return replace(self, named_px=named_px, step=Working(Doing.MEASURING_POSE, MEASURING))

    def _measure(self, eyes: Eyes, empty: Image) -> Wizard:
        pose = eyes.pose(empty, dict(zip(CORNERS, self.named_px, strict=True)))
        if isinstance(pose, Said):
            return replace(self, step=Stuck(pose, self._ask_corners()))
        report = check(empty, pose, self.table.square_mm)
        if report.grade is Grade.BAD:
            return replace(self, step=Stuck(joined(report.verdict), _ask_empty()))
        return replace(self, pose=pose, step=self._ask_palette())

    def _learn(self, eyes: Eyes, empty: Image, now_utc: str) -> Wizard:
        if self.coloured is None or self.pose is None:
            return self.back()
        if self.coloured.shape != empty.shape:
            return replace(self, step=Stuck(_differ(empty, self.coloured), self._ask_palette()))
        palette = eyes.palette(empty, self.coloured, self.pose, [(cell, piece) for _, cell, piece in self.table.pieces])
        if isinstance(palette, Said):
            return replace(self, step=Stuck(palette, self._ask_palette()))
        report = check(empty, self.pose, self.table.square_mm, palette)
        if report.grade is Grade.BAD:
            return replace(self, step=Stuck(joined(report.verdict), self._ask_palette()))
        return replace(self, step=Done(self._profile(self.pose, palette, report, now_utc), empty))

    def _profile(self, pose: BoardPose, palette: Palette, report: Report, now_utc: str) -> Profile:
        return Profile(now_utc, self.table.game, self.table.square_mm, pose, palette, REFERENCE_PICTURE, report)

    def _ask_corners(self, why: Said | None = None) -> Ask:
        marks = () if self.corners_px is None else tuple((float(x), float(y)) for x, y in self.corners_px)
        return Ask(Want.CORNERS, TAP if why is None else joined((why, OR_TAP)), marks, self.empty)

    def _ask_palette(self) -> Ask:
        return Ask(Want.PALETTE_PICTURE, _pieces_said(self.table))


def started(table: Table) -> Wizard:
    """A wizard at its first step."""
    return Wizard(table, _ask_empty())


def _ask_empty() -> Ask:
    return Ask(Want.EMPTY_PICTURE, CLEAR)


def _pieces_said(table: Table) -> Said:
    """What to put where for the palette."""
    kinds = sorted({piece.kind for _, _, piece in table.pieces})
    places = ", ".join(f"{piece.colour} on {name}" for name, _, piece in table.pieces)
    places_pt = ", ".join(f"{colour_pt(piece.colour)} em {name}" for name, _, piece in table.pieces)
    return Said(f"Stand one {' or '.join(kinds)} piece of each colour on the board: {places}. "
                "Take your hands away, then take the picture.",
                f"Ponha em pé no tabuleiro uma peça {' ou '.join(_KINDS_PT.get(kind, kind) for kind in kinds)} de cada "
                f"cor: {places_pt}. Tire as mãos e depois a foto.")


def _differ(one: Image, other: Image) -> Said:
    return Said(f"The two pictures differ in size ({_size(one)} and {_size(other)} px): take both with one setting of "
                "the camera.",
                f"As duas fotos têm tamanhos diferentes ({_size(one)} e {_size(other)} px): tire as duas sem mexer na "
                "configuração da câmera.")


def _covered(places: Sequence[str]) -> Said:
    several = len(places) > 1
    where = " and the ".join(places)
    onde = " e ".join(PLACES[place].pt for place in places)
    return Said(f"Wanted the bare board, found its {'corners' if several else 'corner'} at the {where} of the picture "
                "covered: take away what lies there. If nothing does, take the picture again all the same.",
                f"O tabuleiro deve estar vazio, mas {'há cantos cobertos' if several else 'um canto está coberto'} (na "
                f"foto, {onde}): tire o que estiver em cima. Se não houver nada ali, tire a foto de novo mesmo assim.")


def _turns(points_px: Sequence[tuple[float, float]]) -> float:
    """Twice the area that the points go round, px; above 0 if clockwise in the picture (y down)."""
    x, y = np.array(points_px, dtype=np.float64).T
    return float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def _size(image: Image) -> str:
    return f"{image.shape[1]}x{image.shape[0]}"
