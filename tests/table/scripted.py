"""Observations made up for tests: from the truth of a scene, or from a layout; perfect or with seeded noise."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rules.match import Match
from rules.words import Cell, Colour, Layout, Piece, Seat, seat_named
from table.setup_folder import FACINGS
from vision.kits.gridlock import GridlockKit, van_cell
from vision.observation import BoardState, Observation, Sighting

KIT = GridlockKit(50.0)
SCENES = Path(__file__).resolve().parents[3] / "shared" / "scenes" / "dev"
VAN = Piece("van", Colour(""))
COLOURS = ("red", "yellow", "green", "blue")


def every_cell() -> list[Cell]:
    return [place.cell for place in KIT.places] + [place.cell for place in KIT.van_places]


def every_piece(colours: Iterable[str] = COLOURS) -> list[Piece]:
    return [Piece(kind, Colour(c), f) for c in colours for kind in ("small", "medium", "large")
            for f in (None, 0, 1, 2, 3)]


def layout_of_truth(frame: Mapping[str, Any]) -> Layout:
    """The position of a frame of scene.json."""
    pieces = {}
    for one in frame.get("pieces", ()):
        facing = None if one["facing"] == "up" else FACINGS.index(one["facing"])
        pieces[KIT.cell_named(one["square"])] = Piece(one["size"], Colour(one["colour"]), facing)
    if frame.get("van"):
        pieces[van_cell(seat_named(frame["van"]))] = VAN
    return Layout(pieces)


@dataclass(frozen=True)
class Noise:
    """A reader that errs. `weak`: share of cells read without conviction; `wrong`: share read as something else."""

    weak: float = 0.0
    wrong: float = 0.0
    wrong_p: float = 0.8
    van_unseen: float = 0.0


def confusable(piece: Piece | None, rng: np.random.Generator, pieces: list[Piece]) -> Piece | None:
    """What a camera may take a piece for: another size, lie or colour; nothing; or something for nothing."""
    if piece is None:
        return pieces[int(rng.integers(len(pieces)))]
    if piece.kind == "van":
        return None
    kinds = ["size", "size", "facing", "facing", "colour", "gone"]
    match kinds[int(rng.integers(len(kinds)))]:
        case "size":
            size = {"small": "medium", "medium": "large", "large": "medium"}[piece.kind]
            return Piece(size, piece.colour, piece.facing)
        case "facing":
            return Piece(piece.kind, piece.colour, [None, 0, 1, 2, 3][int(rng.integers(5))])
        case "colour":
            return Piece(piece.kind, Colour(COLOURS[int(rng.integers(4))]), piece.facing)
        case _:
            return None


def observed(
    layout: Layout,
    seq: int = 0,
    taken_ns: int = 0,
    hidden: Iterable[Cell] = (),
    hand: bool = False,
    board: BoardState = BoardState.STEADY,
    noise: Noise | None = None,
    rng: np.random.Generator | None = None,
    instead: Mapping[Cell, Piece | None] | None = None,
    sure: float = 0.98,
) -> Observation:
    """What a reader would say of a table that looks like `layout`; `instead` are cells read otherwise, for good."""
    hidden = frozenset(hidden)
    pieces = every_piece()
    sightings = []
    for cell in every_cell():
        if cell in hidden:
            continue
        truth = (instead or {}).get(cell, layout.pieces.get(cell))
        ranked = [(truth, sure)]
        if noise is not None and rng is not None:
            other = confusable(truth, rng, pieces)
            if cell.zone == "van":
                other = VAN if truth is None else None
            draw = rng.random() * (10.0 if truth is None else 1.0)  # an empty cell is seldom taken for a piece
            if cell.zone == "van" and truth is not None and rng.random() < noise.van_unseen:
                ranked = [(None, 0.8), (truth, 0.2)]
            elif other != truth and draw < noise.wrong and cell.zone != "van":
                ranked = [(other, noise.wrong_p), (truth, 0.97 - noise.wrong_p)]
            elif other != truth and draw < noise.wrong + noise.weak:
                p = float(rng.uniform(0.55, 0.9))
                ranked = [(truth, p), (other, 0.98 - p)]
            else:
                p = float(rng.uniform(0.93, 0.995))
                ranked = [(truth, p), (other, (1 - p) / 2)] if other != truth else [(truth, p)]
        sightings.append(Sighting(cell, tuple(ranked)))
    return Observation(seq, taken_ns, board, tuple(sightings), hidden, hand)


def observed_match(match: Match, **more: Any) -> Observation:
    """What a reader would say of a table that is as the match says."""
    return observed(match.game.layout(match.state), **more)


def truth_frames(folder: Path) -> list[dict[str, Any]]:
    """The frames of a scene that the product reads, with their truth. For tests only."""
    frames = json.loads((folder / "scene.json").read_text())["frames"]
    return [frame for frame in frames if frame["tag"] not in ("empty", "palette")]


def hand_over(rng: np.random.Generator) -> frozenset[Cell]:
    """An arm from one side: a block of cells that it hides."""
    col, width = int(rng.integers(0, 6)), int(rng.integers(2, 4))
    reach = int(rng.integers(2, 6))
    return frozenset(Cell(c, r) for c in range(col, min(8, col + width)) for r in range(reach))


SEATS4 = tuple((Seat(i), Colour(c)) for i, c in enumerate(COLOURS))
