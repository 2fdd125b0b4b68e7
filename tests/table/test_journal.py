"""The journal: append-only, whole after any kill, and a file that is not ours stays as it was."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from rules.game import Reason, ScoreLine, Setup
from rules.words import Cell, Change, Colour, Layout, Piece, Seat
from table import events as ev
from table.errors import BadJournal, JournalFull
from table.journal import Journal

SETUP = Setup(((Seat(0), Colour("red")), (Seat(2), Colour("blue"))), ((Seat(0),), (Seat(2),)), Seat(0),
              (("van", "south"),))
RED = Piece("small", Colour("red"))
ONE_OF_EACH: tuple[ev.Event, ...] = (
    ev.MatchOpened("gridlock", SETUP),
    ev.SetUp(Layout({Cell(1, 2): RED, Cell(0, 0, 0, "van"): Piece("van", Colour(""))})),
    ev.PlayAccepted("S:Sb3", Seat(0), 7, True),
    ev.PlayRefused("N:Sb4", Seat(2), (Reason("out-of-turn", (Cell(1, 3),), Seat(2)),),
                   (Change(Cell(1, 3), Piece("small", Colour("blue"), 2), None),), 9),
    ev.PutRight((Cell(1, 3),), 10),
    ev.PlayDeclared("S:Sb3", Seat(0), "phone"),
    ev.PlayUndone(1, "table"),
    ev.PlayCorrected(3, "S:Mb3", ("N:Sb4",), "camera"),
    ev.Asked("which", (ev.Option("0", ("S:Sb3",), 0.6), ev.Option("nothing", (), 0.0)), (Cell(1, 2),), 12),
    ev.Answered(12, "0", "phone"),
    ev.CellCorrected(Cell(1, 2), None, RED, "phone"),
    ev.Noticed((Change(Cell(1, 2), RED, None),), 14),
    ev.CameraLost("hangs"),
    ev.CameraFound(15),
    ev.BoardLost("covered"),
    ev.BoardFound(16, True),
    ev.ProfileChosen("pi", "good"),
    ev.SoundChosen("wrong"),
    ev.Resumed((Change(Cell(1, 2), None, RED),)),
    ev.MatchClosed((Seat(0),), "complete", (ScoreLine(Seat(0), "chain of 1", 1, (Cell(1, 2),)),)),
)


def test_every_kind_of_event_comes_back_as_it_went_in(tmp_path: Path) -> None:
    assert {type(event).__name__ for event in ONE_OF_EACH} == set(ev.KINDS)
    journal = Journal(tmp_path / "j.sqlite", lambda: "2026-01-01T00:00:00Z")
    for event in ONE_OF_EACH:
        journal.append(1, event)
    journal.close()
    again = Journal(tmp_path / "j.sqlite")
    assert tuple(entry.event for entry in again.after(0)) == ONE_OF_EACH
    assert [entry.seq for entry in again.after(5)] == list(range(6, 21))
    assert again.last_seq == 20
    again.close()


def test_a_row_can_neither_be_changed_nor_deleted(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite")
    journal.append(1, ev.CameraFound(1))
    journal.close()
    db = sqlite3.connect(tmp_path / "j.sqlite")
    for words in ("UPDATE entry SET match = 2", "DELETE FROM entry"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            db.execute(words)
    db.close()


def test_matches_are_listed_with_their_end(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite")
    for match, event in ((1, ONE_OF_EACH[0]), (1, ONE_OF_EACH[-1]), (2, ONE_OF_EACH[0])):
        journal.append(match, event)
    one, two = journal.matches
    assert (one.match, one.closed, one.last_seq) == (1, ONE_OF_EACH[-1], 2)
    assert (two.match, two.closed, two.last_seq) == (2, None, 3)
    journal.close()


def _with_newer_schema(path: Path) -> None:
    Journal(path).close()
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.close()


def _with_newer_event(path: Path) -> None:
    Journal(path).close()
    db = sqlite3.connect(path)
    db.execute("INSERT INTO entry(at_utc, match, kind, version, body) VALUES('', 1, 'SetUp', 9, '{}')")
    db.commit()
    db.close()


def _foreign(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE recipe(name)")
    db.commit()
    db.close()


def _damaged(path: Path) -> None:
    journal = Journal(path)
    for _ in range(15):
        for event in ONE_OF_EACH:
            journal.append(1, event)
    journal.close()
    data = bytearray(path.read_bytes())
    data[len(data) // 3 : len(data) // 3 + 8192] = b"\xa5" * 8192
    path.write_bytes(bytes(data))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        pytest.param(_with_newer_schema, "version 99", id="a newer journal"),
        pytest.param(_with_newer_event, "SetUp version 9", id="a newer event"),
        pytest.param(_foreign, "some other program", id="another program's database"),
        pytest.param(lambda path: path.write_bytes(b"hello" * 100), "another kind of file", id="a text file"),
        pytest.param(_damaged, "damaged", id="a damaged file"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_and_left_as_it_was(tmp_path: Path, make: object, says: str) -> None:
    path = tmp_path / "j.sqlite"
    make(path)  # type: ignore[operator]
    before = path.read_bytes()
    with pytest.raises(BadJournal, match=says):
        Journal(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["j.sqlite"]


def test_a_disk_that_is_full_refuses_the_event_and_keeps_the_others(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite")
    journal.append(1, ev.CameraFound(1))
    journal._db.execute("PRAGMA max_page_count = 1")
    with pytest.raises(JournalFull, match="free some space"):
        _filled(journal)
    kept = len(journal.after(0))
    journal._db.execute("PRAGMA max_page_count = 100000")
    journal.append(1, ev.CameraFound(2))
    assert len(journal.after(0)) == kept + 1
    journal.close()


def _filled(journal: Journal) -> None:
    for _ in range(2000):
        journal.append(1, ev.CameraLost("x" * 2000))


_WRITER = """
import sys
from pathlib import Path
from table.events import CameraFound
from table.journal import Journal
journal = Journal(Path(sys.argv[1]))
n = journal.last_seq
print("ready", flush=True)
while True:
    n += 1
    journal.append(1, CameraFound(n))
    print(n, flush=True)
"""


def test_i5_a_writer_killed_at_any_moment_loses_nothing_it_had_committed(tmp_path: Path) -> None:
    rng, path, last = random.Random(5), tmp_path / "j.sqlite", 0
    for _ in range(5):
        child = subprocess.Popen([sys.executable, "-c", _WRITER, str(path)], stdout=subprocess.PIPE, text=True,
                                 cwd=Path(__file__).parents[2])
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        for _ in range(rng.randrange(1, 40)):
            last = int(child.stdout.readline())
        child.send_signal(signal.SIGKILL)
        rest = child.stdout.read()
        child.stdout.close()
        child.wait()
        last = max([last, *(int(line) for line in rest.split("\n")[:-1] if line)])
        journal = Journal(path)
        numbers = [entry.event.frame_seq for entry in journal.after(0) if isinstance(entry.event, ev.CameraFound)]
        # The child may have committed one that it did not live to tell.
        assert numbers in (list(range(1, last + 1)), list(range(1, last + 2)))
        last = numbers[-1]
        journal.close()


@pytest.mark.parametrize("cut", [1, 24, 500, 2000, 4096])
def test_i5_a_torn_last_write_keeps_every_event_before_it(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "j.sqlite"
    journal = Journal(path)
    for number in range(1, 6):
        journal.append(1, ev.CameraFound(number))
    torn = tmp_path / "torn"
    torn.mkdir()
    for name in ("j.sqlite", "j.sqlite-wal"):
        (torn / name).write_bytes((tmp_path / name).read_bytes())
    journal.close()
    log = torn / "j.sqlite-wal"
    log.write_bytes(log.read_bytes()[:-cut])
    again = Journal(torn / "j.sqlite")
    numbers = [entry.event.frame_seq for entry in again.after(0) if isinstance(entry.event, ev.CameraFound)]
    assert numbers == [1, 2, 3, 4]
    again.append(1, ev.CameraFound(99))
    assert len(again.after(0)) == 5
    again.close()
