"""What the camera saw in one picture: possibilities, not judgements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from rules.words import Cell, Layout, Piece
from vision.frame import Points


class BoardState(Enum):
    """What became of the board since the last picture."""

    STEADY = "steady"
    MOVED = "moved"
    HELD = "held"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Quality:
    """How good the picture is. `noise` of exactly 0 against the picture before: a stuck camera."""

    sharpness: float = 0.0
    clipped: float = 0.0
    light_jump: float = 0.0
    noise: float = 0.0
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Sighting:
    """What may stand in a cell: pieces (None: empty) with probabilities, best first, adding up to about 1."""

    cell: Cell
    ranked: tuple[tuple[Piece | None, float], ...]

    @property
    def best(self) -> Piece | None:
        return self.ranked[0][0]

    def probability(self, piece: Piece | None) -> float:
        """Of exactly this piece; a small floor where it is not among the ranked."""
        for what, p in self.ranked:
            if what == piece:
                return p
        return 1e-6


@dataclass(frozen=True, slots=True)
class Observation:
    """One picture, read. `corners_px` (4, 2): the outer corners named in `corner_names`' order.

    `hidden` cells lie under a hand or glare and have no sighting. `hand`: an arm is in the picture.
    `took_ms` has a time per step.
    """

    frame_seq: int
    taken_ns: int
    board: BoardState
    sightings: tuple[Sighting, ...]
    hidden: frozenset[Cell] = frozenset()
    hand: bool = False
    corners_px: Points | None = None
    quality: Quality = Quality()
    took_ms: Mapping[str, float] = field(default_factory=dict)
    why: str = ""
    unchanged: bool = False

    def layout(self) -> Layout:
        """The likeliest reading of each cell that was seen."""
        return Layout({s.cell: s.best for s in self.sightings if s.best is not None})
