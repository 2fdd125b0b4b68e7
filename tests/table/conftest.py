"""Evenings and eyes for the tests of this room.

After each test over scripted evenings what went in is put into another table: it must tell the same journal.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from table.journal import Journal
from tests.table.rehearsed_cities import RehearsedEyes, rehearsed_eyes
from tests.table.rewatched import watched_again
from tests.table.scripted_evening import SCRIPTS, ScriptedEvening


@pytest.fixture(autouse=True)
def every_evening_can_be_watched_again(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    SCRIPTS.clear()
    yield
    scripts = list(SCRIPTS)
    SCRIPTS.clear()
    for number, script in enumerate(scripts):
        with contextlib.closing(Journal(script.path)) as journal:
            told = [entry.event for entry in journal.after(0)]
        again: Path = tmp_path_factory.mktemp("again") / f"{number}.sqlite"
        assert watched_again(script, again) == told


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[ScriptedEvening]:
    scripted = ScriptedEvening(tmp_path / "j.sqlite")
    yield scripted
    scripted.journal.close()


@pytest.fixture
def eyes() -> RehearsedEyes:
    return rehearsed_eyes()
