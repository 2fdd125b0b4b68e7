"""What is offered first to a person who corrects a cell. R7: the truth among the first three, in 95 of 100 misreads."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from rules.match import Match, Play
from rules.words import Cell, Colour, Piece
from table.offers import legal_in, nameable, offered
from table.reading import reader_of, taught_by
from table.setup_folder import read_setup
from tests.table.scripted import KIT, layout_of_truth, truth_frames
from tests.table.scripted_evening import GAME, setup_of
from vision.detect.pyramid_net import MODEL
from vision.frame import Frame, Image, read_picture

MATCH = Match.begun(GAME, setup_of())
PIECES = nameable(MATCH)
RED = {kind: Piece(kind, Colour("red")) for kind in ("small", "medium", "large")}
STILLS = Path(__file__).resolve().parents[1] / "data" / "gridlock-stills-102"
FIRST = 3


def first_offers(
    ranked: tuple[tuple[Piece | None, float], ...], now: Piece | None, legal: tuple[Piece, ...] = ()
) -> list[Piece | None]:
    """As the page shows them: nobody corrects a cell to what stands there already."""
    return [piece for piece, _ in offered(ranked, now, legal, PIECES) if piece != now][:FIRST]


@pytest.mark.parametrize(
    ("ranked", "now", "offers"),
    [
        (((RED["small"], 0.6), (RED["medium"], 0.4)), RED["small"], [RED["medium"], RED["large"]]),
        (((None, 1.0),), None, [RED["small"], RED["medium"], RED["large"]]),
        (((RED["medium"], 0.999),), RED["medium"], [RED["small"], RED["large"]]),
        (((RED["medium"], 0.9), (None, 0.1)), None, [RED["medium"], RED["small"], RED["large"]]),
    ],
    ids=["the second guess, then its kin", "nothing, surely: what may be placed there", "sure: another size", "missed"],
)
def test_r7_the_first_offers(ranked: tuple[tuple[Piece | None, float], ...], now: Piece | None,
                             offers: list[Piece]) -> None:
    legal = legal_in(MATCH, Cell(2, 3), KIT.visible)
    assert first_offers(ranked, now, legal)[: len(offers)] == offers


def test_everything_that_may_be_named_is_offered_once() -> None:
    told = [piece for piece, _ in offered(((RED["small"], 0.6), (None, 0.01)), None, (), PIECES)]
    assert len(told) == len(set(told))
    assert None in told


def test_what_is_legal_is_asked_of_the_position_of_now() -> None:
    later = MATCH.after(Play(GAME.read("S:Sa1", MATCH.state)))
    assert {piece.colour for piece in legal_in(later, Cell(2, 3), KIT.visible)} == {"yellow"}
    assert legal_in(later, Cell(0, 0), KIT.visible) == ()


def worse(image: Image, seed: int, scale: float, noise: float) -> Image:
    """As through a dirty, badly focused lens in the dark."""
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    rough = cv2.resize(small, image.shape[1::-1], interpolation=cv2.INTER_LINEAR).astype(np.float32)
    return np.clip(rough * 0.6 + np.random.default_rng(seed).normal(0, noise, image.shape), 0, 255).astype(np.uint8)


@pytest.mark.skipif(not MODEL.exists(), reason="the trained reader is not here")
def test_r7_the_truth_is_among_the_first_three_offers_of_most_misreads() -> None:
    """Pictures made so bad that the reader errs; `legal` is as if that piece's owner were to place. One of few is no
    share: a lone one may lack."""
    reader = reader_of(taught_by(read_setup(STILLS)))
    misreads = hits = 0
    frames = [(frame, *bad) for bad in ((0.16, 10.0), (0.12, 14.0)) for frame in truth_frames(STILLS)]
    for seed, (frame, scale, noise) in enumerate(frames):
        truth = layout_of_truth(frame)
        image = worse(read_picture(STILLS / frame["frame"]), seed, scale, noise)
        for sighting in reader.observe(Frame(seed, seed * 10**9, image, "worse")).sightings:
            real = truth.pieces.get(sighting.cell)
            if sighting.cell.zone != "board" or sighting.best == real:
                continue
            legal = () if real is None else tuple(Piece(kind, real.colour) for kind in RED)
            misreads += 1
            hits += real in first_offers(sighting.ranked, sighting.best, legal)
    assert misreads >= 3, "too few misreads to tell"
    assert misreads - hits <= max(1.0, 0.05 * misreads), f"{hits} of {misreads}"
