"""Read lines held against the truth: cells, positions, corners, the van, hidden cells, time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rules.words import Cell, Piece
from table.evaluate_truth import TruePicture
from table.setup_folder import facing_name, piece_named
from vision.kits.gridlock import SIDE, GridlockKit

EMPTY = "empty"
Line = Mapping[str, Any]
"""One printed JSON line, in the words of scenes/FORMAT.md."""


@dataclass(frozen=True, slots=True)
class Share:
    """So many right of so many."""

    right: int = 0
    of: int = 0

    def plus(self, other: Share) -> Share:
        return Share(self.right + other.right, self.of + other.of)

    @property
    def percent(self) -> float | None:
        return 100 * self.right / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class WrongCell:
    """A cell read otherwise than it is. `asked`: the product listed it as unsure."""

    frame: str
    square: str
    truth: str
    read: str
    asked: bool


@dataclass(frozen=True, slots=True)
class CornerError:
    """The worst of a picture's four corners."""

    frame: str
    px: float
    cells: float


@dataclass(frozen=True, slots=True)
class ReadFigures:
    """What became of the pictures of a folder, or of many.

    `cells` counts those not said to be hidden, `by_kind` and `by_colour` split it by what is truly there ("small
    up", "large lying", "empty"). `positions` counts pictures without a hand: every cell and the van right and none
    hidden. In pictures with a hand, `hand_hidden` counts cells said to be hidden and `hand_wrong` those that were
    not and are wrong. `hidden_elsewhere`: hidden without any hand. `unsure`: cells the product asks about.
    """

    pictures: int = 0
    found: int = 0
    cells: Share = Share()
    by_kind: tuple[tuple[str, Share], ...] = ()
    by_colour: tuple[tuple[str, Share], ...] = ()
    positions: Share = Share()
    van: Share = Share()
    hand_pictures: int = 0
    hand_hidden: int = 0
    hand_wrong: int = 0
    hidden_elsewhere: int = 0
    unsure: int = 0
    wrong: tuple[WrongCell, ...] = ()
    corners: tuple[CornerError, ...] = ()
    ms: tuple[float, ...] = ()

    def plus(self, other: ReadFigures) -> ReadFigures:
        """Both together."""
        return ReadFigures(
            self.pictures + other.pictures, self.found + other.found, self.cells.plus(other.cells),
            _merged(self.by_kind, other.by_kind), _merged(self.by_colour, other.by_colour),
            self.positions.plus(other.positions), self.van.plus(other.van), self.hand_pictures + other.hand_pictures,
            self.hand_hidden + other.hand_hidden, self.hand_wrong + other.hand_wrong,
            self.hidden_elsewhere + other.hidden_elsewhere, self.unsure + other.unsure, self.wrong + other.wrong,
            self.corners + other.corners, self.ms + other.ms,
        )


def _merged(
    one: tuple[tuple[str, Share], ...], two: tuple[tuple[str, Share], ...]
) -> tuple[tuple[str, Share], ...]:
    out = dict(one)
    for name, share in two:
        out[name] = out.get(name, Share()).plus(share)
    return tuple(sorted(out.items()))


def percentile(values: Sequence[float], percent: float) -> float | None:
    """Of the values as they are, None of none."""
    return float(np.percentile(values, percent)) if values else None


def read_figures(truths: Sequence[TruePicture], lines: Iterable[Line]) -> ReadFigures:
    """The figures of one folder. A picture without a line, or whose board was not found, counts as not found and
    its position as wrong; lines of pictures that nobody asked for are passed over."""
    by_frame = {str(line["frame"]): line for line in lines if line.get("frame")}
    total = ReadFigures()
    for truth in truths:
        total = total.plus(picture_figures(truth, by_frame.get(truth.frame)))
    return total


def picture_figures(truth: TruePicture, line: Line | None) -> ReadFigures:
    """The figures of one picture; `line` None: nothing was read."""
    position = Share(0, 0 if truth.hand else 1)
    corners = None if line is None else _corners(line)
    if line is None or corners is None or line.get("position") is None:
        van = Share(0, 1 if truth.van and not truth.hand else 0)
        ms = () if line is None or line.get("ms") is None else (float(line["ms"]),)
        return ReadFigures(1, 0, positions=position, van=van, hand_pictures=int(truth.hand), ms=ms)
    kit = GridlockKit()
    read = {kit.cell_named(e["square"]): piece_named(e["size"], e["colour"], e["facing"])
            for e in line["position"].get("pieces", ())}
    hidden = {kit.cell_named(name) for name in line.get("hidden", ()) if len(str(name)) == 2}
    unsure = {str(entry["at"]) for entry in line.get("unsure", ())}
    by_kind: dict[str, Share] = {}
    by_colour: dict[str, Share] = {}
    wrong: list[WrongCell] = []
    for cell in (Cell(col, row) for row in range(SIDE) for col in range(SIDE)):
        if cell in hidden:
            continue
        is_there, was_read = truth.pieces.get(cell), read.get(cell)
        share = Share(int(is_there == was_read), 1)
        kind, colour = kind_of(is_there), EMPTY if is_there is None else str(is_there.colour)
        by_kind[kind] = by_kind.get(kind, Share()).plus(share)
        by_colour[colour] = by_colour.get(colour, Share()).plus(share)
        if is_there != was_read:
            name = kit.cell_name(cell)
            wrong.append(WrongCell(truth.frame, name, told(is_there), told(was_read), name in unsure))
    seen = SIDE * SIDE - len(hidden)
    van = _van(truth, line)
    whole = not wrong and not hidden and van.right == van.of
    return ReadFigures(
        1, 1, Share(seen - len(wrong), seen), tuple(sorted(by_kind.items())), tuple(sorted(by_colour.items())),
        position if truth.hand else Share(int(whole), 1), van, int(truth.hand), len(hidden) if truth.hand else 0,
        len(wrong) if truth.hand else 0, 0 if truth.hand else len(hidden), len(unsure), tuple(wrong),
        (corner_error(truth, corners),), () if line.get("ms") is None else (float(line["ms"]),),
    )


def _van(truth: TruePicture, line: Line) -> Share:
    """Whether the van was seen where it is; with a hand in the picture, only what was said counts."""
    said = line["position"].get("van")
    if not truth.van or (truth.hand and said is None):
        return Share()
    return Share(int(said == truth.van), 1)


def _corners(line: Line) -> dict[str, tuple[float, float]] | None:
    raw = line.get("corners")
    if not isinstance(raw, Mapping) or not raw:
        return None
    return {str(name): (float(at[0]), float(at[1])) for name, at in raw.items()}


def corner_error(truth: TruePicture, corners: Mapping[str, tuple[float, float]]) -> CornerError:
    """The worst corner, in px and in widths of a cell (an eighth of the mean side in the picture).

    A corner that was not told counts as a whole board off."""
    ring = np.array([truth.corners[name] for name in ("a1", "h1", "h8", "a8")])
    cell_px = float(np.linalg.norm(ring - np.roll(ring, 1, axis=0), axis=1).mean()) / SIDE
    far = SIDE * cell_px
    errors = [
        float(np.hypot(corners[name][0] - x, corners[name][1] - y)) if name in corners else far
        for name, (x, y) in truth.corners.items()
    ]
    return CornerError(truth.frame, max(errors), max(errors) / cell_px)


def kind_of(piece: Piece | None) -> str:
    """What it is, apart from colour and direction.

    >>> kind_of(None)
    'empty'
    """
    return EMPTY if piece is None else f"{piece.kind} {'up' if piece.facing is None else 'lying'}"


def told(piece: Piece | None) -> str:
    """A piece in words, for lists of errors."""
    return EMPTY if piece is None else f"{piece.colour} {piece.kind} {facing_name(piece)}"
