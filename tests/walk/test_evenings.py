"""Simulated evenings as video with moving arms: everything found, nothing invented, at most one question, soon told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rules.catalogue import game_named
from rules.words import Cell, Colour, Layout, Piece, Seat
from table.evenings import Figures, Written, compared, plan_of, watched
from table.events import MatchOpened, PlayAccepted, PlayCorrected
from table.reading import taught_by
from table.setup_folder import read_setup
from table.sim.players import Act, Deed
from tests.table.scripted_evening import setup_of
from tests.walk.recorded import events_of, replayed
from vision.detect.pyramid_net import MODEL

GAME = game_named("gridlock")
needs_reader = pytest.mark.skipif(not MODEL.exists(), reason="the trained reader is not here")
SOON_MS = 1500.0
GAME_STATE = GAME.start(setup_of())
RED = Piece("small", Colour("red"))


MOST_DEEDS = 2


def assert_replays(folder: Path) -> None:
    events = events_of(folder / "journal.sqlite")
    assert isinstance(events[0], MatchOpened)
    taught = taught_by(read_setup(folder / "setup"))
    assert replayed(folder / "recordings" / "evening", taught, events[0].setup, folder / "again.sqlite") == events


def assert_clean(figures: Figures) -> None:
    assert figures.is_clean, "\n".join(figures.remarks)
    assert figures.camera_lost == 0


@needs_reader
@pytest.mark.parametrize("seed", range(1, 11))
def test_the_beginning_of_an_evening(seed: int, tmp_path: Path) -> None:
    """With the lamp and the camera's knock within it; and its recording tells the same story at another speed."""
    written, deeds = watched(plan_of(seed, most_deeds=MOST_DEEDS), tmp_path, MOST_DEEDS, keep="all")
    figures = compared(GAME, written, deeds, f"seed {seed}")
    assert figures.done + figures.wrong_done == MOST_DEEDS
    assert_clean(figures)
    assert_replays(tmp_path)


@needs_reader
@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", range(1, 201))
def test_a_whole_evening(seed: int, tmp_path: Path) -> None:
    written, deeds = watched(plan_of(seed), tmp_path, keep="all")
    figures = compared(GAME, written, deeds, f"seed {seed}")
    assert figures.done > 15
    assert_clean(figures)
    assert_replays(tmp_path)
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
