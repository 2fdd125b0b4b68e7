"""What went into an evening, written down, so that it can be put into another one: both must tell the same journal.

What goes in are observations, wishes, presses, a lost camera, a disk that is full, and `kill -9` between two writes or
in the middle of several. Nothing of it is painted; recordings of pictures are in `tests.walk.recorded`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import assert_never

from device.button import Press
from rules.catalogue import game_named
from rules.game import Setup
from table.errors import JournalFull
from table.evening import Evening, Manners
from table.events import Event
from table.journal import Entry, Journal
from tests.table.scripted import KIT
from vision.observation import Observation
from webui.desk import Receipt, Request


@dataclass(frozen=True)
class CameraGone:
    why: str


@dataclass(frozen=True)
class Killed:
    """After so many entries of the journal."""

    entries: int


@dataclass(frozen=True)
class DiskFull:
    is_full: bool


Input = Observation | Request | Press | CameraGone | Killed | DiskFull


class Dead(Exception):
    """The program that is played again has come to where it was killed."""


@dataclass
class Script:
    """One table's evening from its opening on, over all its program's lives."""

    path: Path
    setup: Setup
    manners: Manners
    inputs: list[Input] = field(default_factory=list)


class WrittenEvening(Evening):
    """An evening that writes down what goes into it."""

    def __init__(self, script: Script, journal: Journal) -> None:
        super().__init__(journal, game_named, KIT.visible, script.manners)
        self._script = script

    def looked(self, observation: Observation) -> None:
        self._script.inputs.append(observation)
        super().looked(observation)

    def wished(self, request: Request) -> Receipt:
        self._script.inputs.append(request)
        return super().wished(request)

    def pressed(self, press: Press) -> None:
        self._script.inputs.append(press)
        super().pressed(press)

    def camera_lost(self, why: str) -> None:
        self._script.inputs.append(CameraGone(why))
        super().camera_lost(why)


class LimitedJournal(Journal):
    """Takes entries up to a number, at which the program is dead; and none while the disk is full."""

    most: int | None = None
    is_full = False

    def append(self, match: int, event: Event) -> Entry:
        if self.is_full:
            raise JournalFull("the journal: wanted to write, found the disk full: free some space")
        if self.most is not None and self.last_seq >= self.most:
            raise Dead
        return super().append(match, event)


def watched_again(script: Script, path: Path) -> list[Event]:
    """The journal of the same inputs, put into a table of their own."""
    with contextlib.closing(LimitedJournal(path)) as journal:
        evening = Evening(journal, game_named, KIT.visible, script.manners)
        evening.open("gridlock", script.setup)
        for life, end in _lives(script.inputs):
            journal.most = end.entries if end is not None else None
            with contextlib.suppress(Dead):
                for one in life:
                    _put(evening, journal, one)
            if end is not None:
                journal.most = None
                evening = Evening(journal, game_named, KIT.visible, script.manners)
                evening.resume()
        return [entry.event for entry in journal.after(0)]


def _lives(inputs: list[Input]) -> Iterator[tuple[list[Input], Killed | None]]:
    life: list[Input] = []
    for one in inputs:
        if isinstance(one, Killed):
            yield life, one
            life = []
        else:
            life.append(one)
    yield life, None


def _put(evening: Evening, journal: LimitedJournal, one: Input) -> None:
    match one:
        case Observation():
            evening.looked(one)
        case Request():
            evening.wished(one)
        case Press():
            evening.pressed(one)
        case CameraGone(why=why):
            evening.camera_lost(why)
        case DiskFull(is_full=is_full):
            journal.is_full = is_full
        case Killed():
            raise ValueError("wanted what goes into one life, found its end")
        case _:
            assert_never(one)
