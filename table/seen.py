"""What was surely and unsurely seen in one settled look, and what people already know about it.

`Seen` is what the settler hands to the referee; `Standing` is a difference between table
and match that has been told and still stands there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from rules.words import Cell, Piece
from vision.observation import Observation

Ranked = tuple[tuple[Piece | None, float], ...]
"""What may stand in a cell with probabilities, best first; None is empty."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One settled look. A cell that is neither in `cells` nor in `hidden` was not looked at.

    `hand`: an arm is in the picture. Times are the frames' own.
    """

    cells: Mapping[Cell, Ranked]
    hidden: frozenset[Cell] = frozenset()
    hand: bool = False
    frame_seq: int = 0
    taken_ns: int = 0

    @classmethod
    def of(cls, observation: Observation) -> Seen:
        """A single observation taken as a settled look."""
        cells = {s.cell: s.ranked for s in observation.sightings if s.cell not in observation.hidden}
        return cls(cells, observation.hidden, observation.hand, observation.frame_seq,
                   observation.taken_ns)

    def best(self, cell: Cell) -> Piece | None:
        """The likeliest reading of a cell that was seen."""
        return self.cells[cell][0][0]

    def probability(self, cell: Cell, piece: Piece | None) -> float:
        """Of exactly this piece in this cell; 0 where it is not among the ranked."""
        return next((p for what, p in self.cells.get(cell, ()) if what == piece), 0.0)

    def looks_like(self, cell: Cell, piece: Piece | None) -> bool:
        """Whether this is the best reading of a cell that was seen, or nearly."""
        return 2 * self.probability(cell, piece) > self.cells[cell][0][1]


class Why(Enum):
    """Why a difference stands: refused, not understood, taken back by phone or button while the piece still
    stands there, or corrected by a person who knows better."""

    REFUSED = "refused"
    DOUBT = "doubt"
    UNDONE = "undone"
    CORRECTED = "corrected"
    MISREAD = "misread"
    """Read otherwise already when its action was accepted: going on to look so is no act of anybody's."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A told difference. `looks` is how each cell was read when it was told.

    While a cell goes on looking like that it is no news and blocks nothing; when it looks
    otherwise, its reading counts again.
    """

    why: Why
    looks: tuple[tuple[Cell, Piece | None], ...]

    @property
    def cells(self) -> frozenset[Cell]:
        return frozenset(cell for cell, _ in self.looks)
