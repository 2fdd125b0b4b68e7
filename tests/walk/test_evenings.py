"""Simulated evenings as video with moving arms: everything found, nothing invented, at most one question, soon told."""

from __future__ import annotations

import numpy as np
import pytest

from rules.catalogue import game_named
from rules.words import Cell, Colour, Layout, Piece, Seat
from table.evenings import Figures, Written, compared, evening_of
from table.events import PlayAccepted, PlayCorrected
from table.sim.players import Act, Deed
from tests.table.scripted_evening import setup_of
from vision.detect.pyramid_net import MODEL

GAME = game_named("gridlock")
needs_reader = pytest.mark.skipif(not MODEL.exists(), reason="the trained reader is not here")
SOON_MS = 1500.0
GAME_STATE = GAME.start(setup_of())
RED = Piece("small", Colour("red"))


def assert_clean(figures: Figures) -> None:
    assert figures.is_clean, "\n".join(figures.remarks)
    assert figures.camera_lost == 0


@needs_reader
@pytest.mark.parametrize("seed", range(1, 11))
def test_the_beginning_of_an_evening(seed: int) -> None:
    figures = evening_of(seed, most_deeds=2)
    assert figures.done + figures.wrong_done == 2
    assert_clean(figures)


@needs_reader
@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", range(1, 201))
def test_a_whole_evening(seed: int) -> None:
    figures = evening_of(seed)
    assert figures.done > 15
    assert_clean(figures)
    assert float(np.median(figures.late_ms)) < SOON_MS


def placed(text: str, cell: Cell, seconds: float) -> tuple[Deed, int]:
    move = GAME.read(text, GAME_STATE)
    return Deed(Act.PLAYED, Seat(0), move, Layout(), Layout({cell: RED}), Seat(1)), round(seconds * 1e9)


def test_the_comparison_counts_what_was_missed_invented_and_amended() -> None:
    """A measure that cannot find a fault would prove nothing."""
    deeds = [placed("S:Sa1", Cell(0, 0), 1.0), placed("S:Sb1", Cell(1, 0), 4.0)]
    told = [Written(PlayAccepted("S:Sa1", Seat(0), 12), 1_600_000_000, 50.0)]
    figures = compared(GAME, told, deeds)
    assert (figures.done, figures.found, figures.invented, figures.late_ms) == (2, 1, 0, [650.0])
    assert not figures.is_clean
    told.append(Written(PlayAccepted("S:Lc4", Seat(0), 30), 3_000_000_000, 50.0))
    assert compared(GAME, told, deeds).invented == 1
    told.append(Written(PlayCorrected(1, "S:Sb1", (), "camera"), 4_700_000_000, 50.0))
    mended = compared(GAME, told, deeds)
    assert (mended.found, mended.invented, mended.amended) == (2, 0, 1)
    assert mended.is_clean
