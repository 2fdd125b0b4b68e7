"""The append-only journal: one SQLite file, one table of facts.

`entry(seq, at_utc, match, kind, version, body)`; triggers refuse update and delete. It is
written ahead (WAL) with full synchronisation, one transaction an event, because the usual
end of an evening is the plug. `seq` is the order; the time is only for people.

A file that is newer than this program, damaged, or not a journal is refused in one
sentence and left byte for byte as it was: it is looked at read-only first.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from table.errors import BadJournal, JournalFull
from table.events import VERSIONS, Event, MatchClosed, MatchOpened, read_event, write_event

APPLICATION_ID = 0x4F564252
"""'OVBR': marks the file as ours in SQLite's header."""
SCHEMA_VERSION = 1

_SCHEMA = """
CREATE TABLE entry(
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at_utc TEXT NOT NULL,
    match INTEGER NOT NULL,
    kind TEXT NOT NULL,
    version INTEGER NOT NULL,
    body TEXT NOT NULL
);
CREATE TRIGGER entry_is_never_changed BEFORE UPDATE ON entry
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER entry_is_never_deleted BEFORE DELETE ON entry
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
"""
_CITIES = """
CREATE TABLE IF NOT EXISTS city_entry(
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at_utc TEXT NOT NULL,
    scoring INTEGER NOT NULL,
    kind TEXT NOT NULL,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    picture BLOB
);
CREATE TRIGGER IF NOT EXISTS city_entry_is_never_changed BEFORE UPDATE ON city_entry
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER IF NOT EXISTS city_entry_is_never_deleted BEFORE DELETE ON city_entry
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
"""
"""Scored cities have a table of their own, made when the first is scored: their numbers are no positions of a match."""
CityRow = tuple[int, str, int, str, int, str]
"""A row of it without its picture: seq, at_utc, scoring, kind, version, body."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One fact. `seq` and `at_utc` were given by the journal."""

    seq: int
    at_utc: str
    match: int
    event: Event


@dataclass(frozen=True, slots=True)
class MatchLine:
    """A match in the list of matches; `closed` is None while it may go on."""

    match: int
    opened_utc: str
    opened: MatchOpened
    closed: MatchClosed | None
    last_seq: int


def utc_now() -> str:
    """The time for people, UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Journal:
    """One open journal. Appending is for one thread at a time; reading is safe from any thread."""

    def __init__(self, path: Path, now_utc: Callable[[], str] = utc_now) -> None:
        """Opens or makes the file. Raises `BadJournal`."""
        self._path, self._now_utc = path, now_utc
        self._lock = threading.Lock()
        is_new = not path.exists() or path.stat().st_size == 0
        if not is_new:
            _look_first(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5.0)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            if self._number("PRAGMA user_version") == 0:
                self._make()
        except (sqlite3.Error, OSError) as error:
            raise BadJournal(f"{path}: wanted a journal to write to, found that it cannot be used ({error}): "
                             "choose another file or free the disk") from error

    def _number(self, question: str) -> int:
        return int(self._db.execute(question).fetchone()[0])

    def _make(self) -> None:
        self._db.executescript(
            f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA application_id={APPLICATION_ID};"
            f"PRAGMA user_version={SCHEMA_VERSION}; COMMIT;"
        )

    @property
    def path(self) -> Path:
        return self._path

    def append(self, match: int, event: Event) -> Entry:
        """The event as an entry; when this returns it survives the plug. Raises `JournalFull`."""
        kind, version, body = write_event(event)
        at_utc = self._now_utc()
        row = (at_utc, match, kind, version, json.dumps(body, separators=(",", ":"), ensure_ascii=False))
        with self._lock:
            try:
                done = self._db.execute("INSERT INTO entry(at_utc, match, kind, version, body) VALUES(?,?,?,?,?)", row)
            except sqlite3.Error as error:
                raise JournalFull(f"{self._path}: wanted to write down {kind}, found that the disk refused ({error}): "
                                  "free some space; nothing written so far is lost") from error
            return Entry(int(done.lastrowid or 0), at_utc, match, event)

    def after(self, seq: int, match: int | None = None) -> list[Entry]:
        """Every entry with a higher number, in order; of one match if given. Raises `BadJournal`."""
        which = "" if match is None else " AND match = ?"
        values = (seq,) if match is None else (seq, match)
        with self._lock:
            try:
                rows = self._db.execute(
                    f"SELECT seq, at_utc, match, kind, version, body FROM entry WHERE seq > ?{which} ORDER BY seq",
                    values,
                ).fetchall()
            except sqlite3.Error as error:
                raise BadJournal(_damaged(self._path, error)) from error
        return [_entry(self._path, row) for row in rows]

    def append_city(self, scoring: int, kind: str, version: int, body: str, picture: bytes | None) -> tuple[int, str]:
        """A fact about scored cities, with the picture it was read from; its number and time. Raises `JournalFull`."""
        row = (self._now_utc(), scoring, kind, version, body, picture)
        with self._lock:
            try:
                self._db.executescript(f"BEGIN IMMEDIATE; {_CITIES} COMMIT;")
                done = self._db.execute("INSERT INTO city_entry(at_utc, scoring, kind, version, body, picture) "
                                        "VALUES(?,?,?,?,?,?)", row)
            except sqlite3.Error as error:
                if self._db.in_transaction:
                    self._db.rollback()
                raise JournalFull(f"{self._path}: wanted to write down {kind}, found that the disk refused ({error}): "
                                  "free some space; nothing written so far is lost") from error
            return int(done.lastrowid or 0), row[0]

    def city_rows(self) -> list[CityRow]:
        """Every fact about scored cities, in order; none where no city was ever scored. Raises `BadJournal`."""
        return list(self._cities("seq, at_utc, scoring, kind, version, body", "ORDER BY seq"))

    def city_picture(self, seq: int) -> bytes | None:
        """The picture that was kept with a fact. Raises `BadJournal`."""
        found = self._cities("picture", "WHERE seq = ?", seq)
        return found[0][0] if found else None

    def _cities(self, columns: str, which: str, *values: int) -> list[Any]:
        with self._lock:
            try:
                if not self._number("SELECT COUNT(*) FROM sqlite_master WHERE name = 'city_entry'"):
                    return []
                return self._db.execute(f"SELECT {columns} FROM city_entry {which}", values).fetchall()
            except sqlite3.Error as error:
                raise BadJournal(_damaged(self._path, error)) from error

    @property
    def last_seq(self) -> int:
        with self._lock:
            return self._number("SELECT COALESCE(MAX(seq), 0) FROM entry")

    @property
    def matches(self) -> Sequence[MatchLine]:
        """Every match, oldest first."""
        lines: dict[int, MatchLine] = {}
        for entry in self.after(0):
            if isinstance(entry.event, MatchOpened):
                lines[entry.match] = MatchLine(entry.match, entry.at_utc, entry.event, None, entry.seq)
            elif entry.match in lines:
                old = lines[entry.match]
                closed = entry.event if isinstance(entry.event, MatchClosed) else old.closed
                lines[entry.match] = MatchLine(old.match, old.opened_utc, old.opened, closed, entry.seq)
        return tuple(lines.values())

    def close(self) -> None:
        """Safe to call twice."""
        with self._lock:
            self._db.close()


def _damaged(path: Path, error: Exception) -> str:
    return (f"{path}: wanted a journal, found a damaged file ({error}): "
            "move it aside to begin a new one; it was left as it is")


def _look_first(path: Path) -> None:
    """Refuses a file that is not ours, newer, or damaged, without writing to it or beside it."""
    try:
        if path.read_bytes()[:16] != b"SQLite format 3\x00":
            raise BadJournal(f"{path}: wanted a journal, found another kind of file: choose another name")
        # A pulled plug leaves a log beside the file, which SQLite must be let to read: then it may not be "immutable".
        has_log = Path(f"{path}-wal").exists()
        db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro{'' if has_log else '&immutable=1'}", uri=True)
    except (sqlite3.Error, OSError) as error:
        if isinstance(error, BadJournal):
            raise
        raise BadJournal(_damaged(path, error)) from error
    try:
        app = int(db.execute("PRAGMA application_id").fetchone()[0])
        version = int(db.execute("PRAGMA user_version").fetchone()[0])
        if app == 0 and version == 0 and not db.execute("SELECT name FROM sqlite_master").fetchall():
            return
        if app != APPLICATION_ID:
            raise BadJournal(f"{path}: wanted a journal, found some other program's database: choose another name")
        if version > SCHEMA_VERSION:
            raise BadJournal(f"{path}: wanted a journal of version {SCHEMA_VERSION} or older, found version {version}: "
                             "use the newer program that wrote it; it was left as it is")
        complaint = db.execute("PRAGMA quick_check").fetchone()[0]
        if complaint != "ok":
            raise BadJournal(_damaged(path, sqlite3.DatabaseError(complaint)))
        kinds = db.execute("SELECT kind, MAX(version) FROM entry GROUP BY kind").fetchall()
    except sqlite3.Error as error:
        raise BadJournal(_damaged(path, error)) from error
    finally:
        db.close()
    _check_kinds(path, kinds)


def _check_kinds(path: Path, kinds: list[tuple[str, int]]) -> None:
    for kind, version in kinds:
        if version > VERSIONS.get(kind, 0):
            raise BadJournal(f"{path}: wanted events this program knows, found {kind} version {version}: "
                             "use the newer program that wrote it; it was left as it is")


def _entry(path: Path, row: tuple[int, str, int, str, int, str]) -> Entry:
    seq, at_utc, match, kind, version, body = row
    try:
        return Entry(seq, at_utc, match, read_event(kind, version, json.loads(body)))
    except ValueError as error:
        raise BadJournal(_damaged(path, ValueError(f"entry {seq}: {error}"))) from error
