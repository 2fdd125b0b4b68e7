"""Recordings: a folder of pictures that is also a set-up folder (scenes/FORMAT.md), and how it is read back.

Beside the pictures and `setup.json` lie `frames.jsonl` (seq, taken_ns, exposure_us, gain, file),
the calibration's `profile.json` where there is one, and `journal.sqlite`. With "doubts" only the
seconds around a refusal, a question, a doubt or a correction are kept. All recordings together
stay within a quota: the oldest pictures go first. A disk that is full ends the recording, never
the game.
"""

from __future__ import annotations

import json
import logging
import shutil
import sqlite3
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2

from rules.words import seat_name
from table.errors import BadFolder
from table.events import Asked, CellCorrected, Noticed, PlayCorrected, PlayRefused
from table.journal import Entry
from table.setup_folder import TableSetup, facing_name
from vision.frame import Frame, SourceFailed, read_picture
from vision.kits.gridlock import GridlockKit

log = logging.getLogger(__name__)

FRAMES = "frames.jsonl"
WRITES_A_FRAME = 3
"""So many waiting pictures are written when a new one comes: the watch is never held up for long."""
WITHOUT_LOSS = 100
"""The JPEG quality that means BMP: large, but quickly written, and read again it tells exactly the same journal."""
NOTEWORTHY = (PlayRefused, Asked, Noticed, CellCorrected, PlayCorrected)
_FIRST = 2
"""Numbers 0 and 1 are the empty and the palette picture."""


class Recorder:
    """Writes one recording. Used by the watch thread alone."""

    def __init__(
        self, home: Path, name: str, setup: TableSetup | None, keep: str = "doubts", quota_mb: float = 500.0,
        ring_s: float = 10.0, jpeg_quality: int = 90,
    ) -> None:
        """`home` holds all recordings, `name` is this one's folder in it. Nothing is written before it must be."""
        self._home, self.folder, self._setup = home, home / name, setup
        self._keep, self._quota_bytes, self._ring_ns = keep, int(quota_mb * 1e6), int(ring_s * 1e9)
        self._quality = jpeg_quality
        self._ring: deque[Frame] = deque()
        self._pending: deque[Frame] = deque()
        self._names: list[str] = []
        self._until_ns: int | None = None
        self._since_check = 0
        self._number = _FIRST
        self._is_begun = False
        self.trouble = ""
        """Why nothing more is recorded; "" while all is well."""

    def add(self, frame: Frame) -> None:
        """One more picture; a few of those that wait are written."""
        if self._keep == "off" or self.trouble:
            return
        if self._keep == "all" or (self._until_ns is not None and frame.taken_ns <= self._until_ns):
            self._pending.append(frame)
        else:
            self._ring.append(frame)
            while self._ring and frame.taken_ns - self._ring[0].taken_ns > self._ring_ns:
                self._ring.popleft()
        self._write(WRITES_A_FRAME)

    def told(self, entry: Entry) -> None:
        """An entry was made; a noteworthy one keeps the seconds before and after it."""
        if self._keep != "doubts" or not isinstance(entry.event, NOTEWORTHY):
            return
        self._pending.extend(self._ring)
        self._ring.clear()
        last = self._pending[-1].taken_ns if self._pending else None
        if last is not None:
            self._until_ns = last + self._ring_ns

    def close(self, journal: Path | None = None, profile: Path | None = None) -> None:
        """Writes what waits, the set-up, and copies of the journal and the profile."""
        self._write(len(self._pending))
        if not self._is_begun or self.trouble:
            return
        try:
            self._write_setup()
            if journal is not None and journal.exists():
                _copy_journal(journal, self.folder / "journal.sqlite")
            if profile is not None and profile.exists():
                shutil.copy2(profile, self.folder / "profile.json")
        except (OSError, sqlite3.Error) as error:
            self._give_up(error)

    def make_room(self) -> None:
        """Frees a tenth of the quota, the oldest pictures first: for a disk that is full."""
        keep_within(self._home, self._used() - self._quota_bytes // 10)

    def _used(self) -> int:
        return sum(path.stat().st_size for path in self._home.rglob("*") if path.is_file())

    def _write(self, most: int) -> None:
        try:
            for _ in range(min(most, len(self._pending))):
                self._write_one(self._pending.popleft())
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        self.trouble = (f"the recording: wanted to write a picture, found that the disk refused ({error}): "
                        "free some space")
        log.warning(self.trouble)
        self._pending.clear()
        self._ring.clear()

    def _write_one(self, frame: Frame) -> None:
        if not self._is_begun:
            self._begin()
        kind, how = ((".bmp", []) if self._quality >= WITHOUT_LOSS
                     else (".jpg", [cv2.IMWRITE_JPEG_QUALITY, self._quality]))
        name = f"{self._number:04d}{kind}"
        done, coded = cv2.imencode(kind, frame.image, how)
        if not done:
            return
        (self.folder / name).write_bytes(coded.tobytes())
        line = {"seq": frame.seq, "taken_ns": frame.taken_ns, "exposure_us": frame.exposure_us, "gain": frame.gain,
                "file": name}
        with (self.folder / FRAMES).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        self._number += 1
        self._names.append(name)
        self._since_check += len(coded)
        if self._since_check > self._quota_bytes // 50:
            self._since_check = 0
            keep_within(self._home, self._quota_bytes)

    def _begin(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._is_begun = True
        if self._setup is not None:
            for number, name in enumerate((self._setup.empty, self._setup.palette and self._setup.palette.frame)):
                if name:
                    shutil.copy2(self._setup.folder / name, self.folder / f"{number:04d}.jpg")

    def _write_setup(self) -> None:
        if self._setup is None:
            return
        names = [name for name in self._names if (self.folder / name).exists()]
        if names:
            text = json.dumps(setup_words(self._setup, names), indent=1)
            (self.folder / "setup.json").write_text(text + "\n", encoding="utf-8")


def setup_words(setup: TableSetup, frames: list[str]) -> dict[str, Any]:
    """A Gridlock set-up as `setup.json` has it, with these pictures; `table.setup_folder.read_setup` reads it back."""
    kit = GridlockKit(setup.square_mm or 50.0)
    words: dict[str, Any] = {
        "format": 1, "game": setup.game, "kind": "game",
        "seats": {seat_name(seat): colour for seat, colour in setup.seats},
        "per_size": setup.per_size, "square_mm": setup.square_mm,
        "lens": [{"size": list(one.size_px), "matrix": list(one.matrix), "distortion": list(one.distortion)}
                 for one in setup.lens] or None,
        "taps": {name: list(at) for name, at in setup.taps}, "frames": frames,
    }
    if setup.empty is not None:
        words["empty"] = "0000.jpg"
    if setup.palette is not None:
        words["palette"] = {"frame": "0001.jpg", "pieces": [
            {"square": kit.cell_name(cell), "colour": piece.colour, "size": piece.kind, "facing": facing_name(piece)}
            for cell, piece in setup.palette.pieces
        ]}
    if setup.first_seat is not None:
        words["first_seat"] = seat_name(setup.first_seat)
    if setup.van is not None:
        words["van"] = seat_name(setup.van)
    if setup.options:
        words["options"] = dict(setup.options)
    return words


def keep_within(home: Path, most_bytes: int) -> int:
    """Deletes the oldest recorded pictures under `home` until all fit; gives the bytes that were freed.

    Set-up pictures, journals and what was not recorded by us stay.
    """
    pictures = [
        (path.stat().st_mtime_ns, path.name, path) for path in (*home.glob("*/*.jpg"), *home.glob("*/*.bmp"))
        if path.stem.isdecimal() and int(path.stem) >= _FIRST and (path.parent / FRAMES).exists()
    ]
    used = sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
    freed = 0
    for _, _, path in sorted(pictures):
        if used - freed <= most_bytes:
            break
        freed += path.stat().st_size
        path.unlink(missing_ok=True)
    return freed


def _copy_journal(source: Path, target: Path) -> None:
    """A consistent copy, whatever the journal's log still holds."""
    one, two = sqlite3.connect(source), sqlite3.connect(target)
    try:
        one.backup(two)
    finally:
        one.close()
        two.close()


def read_frames(folder: Path) -> list[dict[str, Any]]:
    """The lines of `frames.jsonl` whose pictures are still there; a torn last line is passed over.

    Raises `BadFolder`.
    """
    path = folder / FRAMES
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadFolder(f"{path}: wanted the times of a recording, found none ({error}): name a recording") from error
    out: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        try:
            one = json.loads(line)
            if (folder / one["file"]).is_file() and isinstance(one["taken_ns"], int) and isinstance(one["seq"], int):
                out.append(one)
        except (ValueError, KeyError, TypeError) as error:
            if number < len(lines):
                raise BadFolder(f"{path}, line {number}: wanted a picture's time, found {line[:40]!r}: "
                                "take the line out") from error
    return out


class RecordingSource:
    """A recording as a `FrameSource`: each picture once, with the time at which it was taken."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lines: list[dict[str, Any]] = []

    def open(self) -> None:
        """Raises `SourceFailed`."""
        try:
            self._lines = read_frames(self._folder)
        except BadFolder as error:
            raise SourceFailed(str(error)) from error
        if not self._lines:
            raise SourceFailed(f"{self._folder}: wanted recorded pictures, found none: name another recording")

    def frames(self) -> Iterator[Frame]:
        """In the order they were taken. Raises `BadPicture` at one that cannot be read."""
        for line in self._lines:
            yield Frame(line["seq"], line["taken_ns"], read_picture(self._folder / line["file"]), "recording",
                        line.get("exposure_us"), line.get("gain"))

    def close(self) -> None:
        self._lines = []
