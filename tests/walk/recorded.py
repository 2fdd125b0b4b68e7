"""A recording of an evening, watched anew: at another speed, by a session of its own, into a journal of its own."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

from device.panel import QuietPanel
from rules.catalogue import game_named
from rules.game import Setup
from table.evening import Evening
from table.evenings import FilmCamera
from table.events import Event
from table.journal import Journal
from table.reading import reader_of
from table.record import WITHOUT_LOSS, Recorder, RecordingSource
from table.session import Session
from table.setup_folder import TableSetup
from vision.kits.gridlock import GridlockKit
from vision.observe import Taught

NEVER_FULL_MB = 1e6
IDLE_EVERY = 7
"""Every so many pictures the camera has nothing for a while, as a slower one would."""


def recorder_in(folder: Path, setup: TableSetup) -> Recorder:
    """Keeps every picture under `folder`, without loss."""
    return Recorder(folder / "recordings", "evening", setup, "all", NEVER_FULL_MB, jpeg_quality=WITHOUT_LOSS)


def events_of(path: Path) -> list[Event]:
    """What a journal tells, but for the time of day."""
    with contextlib.closing(Journal(path)) as journal:
        return [entry.event for entry in journal.after(0)]


def replayed(recording: Path, taught: Taught, setup: Setup, journal_at: Path) -> list[Event]:
    """What a session writes that sees nothing but the recording. Its clock stands still: nothing may hang on it.
    The recording, a hundred megabytes, is then deleted."""
    assert isinstance(taught.kit, GridlockKit)
    with contextlib.closing(Journal(journal_at)) as journal:
        camera, evening = FilmCamera(), Evening(journal, game_named, taught.kit.visible)
        session = Session(evening, camera, reader_of(taught), QuietPanel(), clock_ns=lambda: 0)
        evening.listen(session.heard)
        evening.open("gridlock", setup)
        source = RecordingSource(recording)
        source.open()
        for number, frame in enumerate(source.frames()):
            if number % IDLE_EVERY == 0:
                session.step()
            camera.give(frame)
            session.step()
        source.close()
        shutil.rmtree(recording)
        return [entry.event for entry in journal.after(0)]
