"""Recordings: the seconds around a doubt, within a quota, read back with their times. I3."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from rules.words import Seat
from table.errors import BadFolder
from table.events import CameraFound, Event, PlayRefused
from table.journal import Entry
from table.record import FRAMES, WITHOUT_LOSS, Recorder, RecordingSource, keep_within, read_frames
from table.setup_folder import read_setup
from tests.table.test_setup_folder import GOOD, folder_with
from vision.frame import Frame, SourceFailed

REFUSED = PlayRefused("N:Sb5", Seat(2), (), (), 0)


def frame(n: int) -> Frame:
    image = np.random.default_rng(n).integers(0, 255, (80, 80, 3), dtype=np.uint8)
    return Frame(n, n * 100_000_000, image, "test", 9000, 1.5)


def entry(event: Event) -> Entry:
    return Entry(1, "", 1, event)


def test_the_seconds_around_a_refusal_are_kept_and_nothing_else(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, "one", None, "doubts", ring_s=1.0)
    for n in range(100):
        recorder.add(frame(n))
        if n == 20:
            recorder.told(entry(CameraFound(n)))
        if n == 50:
            recorder.told(entry(REFUSED))
    recorder.close()
    assert [line["seq"] for line in read_frames(tmp_path / "one")] == list(range(40, 61))


@pytest.mark.parametrize(("keep", "count"), [("off", 0), ("doubts", 0), ("all", 30)])
def test_what_is_kept_without_a_doubt(tmp_path: Path, keep: str, count: int) -> None:
    recorder = Recorder(tmp_path, "one", None, keep)
    for n in range(30):
        recorder.add(frame(n))
    recorder.close()
    assert len(list(tmp_path.glob("one/*.jpg"))) == count
    assert (tmp_path / "one").exists() == bool(count)


def test_a_recording_reads_back_in_its_own_times(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, "one", None, "all")
    for n in range(5):
        recorder.add(frame(n))
    recorder.close()
    source = RecordingSource(tmp_path / "one")
    source.open()
    frames = list(source.frames())
    assert [(f.seq, f.taken_ns, f.exposure_us, f.gain) for f in frames] == [
        (n, n * 100_000_000, 9000, 1.5) for n in range(5)]
    source.close()


def test_a_recording_without_loss_gives_back_what_was_seen(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, "one", None, "all", jpeg_quality=WITHOUT_LOSS)
    for n in range(3):
        recorder.add(frame(n))
    recorder.close()
    source = RecordingSource(tmp_path / "one")
    source.open()
    for n, again in enumerate(source.frames()):
        np.testing.assert_array_equal(again.image, frame(n).image)
    source.close()
    assert keep_within(tmp_path, 0) > 0
    assert read_frames(tmp_path / "one") == []


def test_a_recording_is_a_set_up_folder(tmp_path: Path) -> None:
    (tmp_path / "setup").mkdir()
    setup = read_setup(folder_with(tmp_path / "setup", GOOD))
    recorder = Recorder(tmp_path / "home", "one", setup, "all")
    for n in range(3):
        recorder.add(frame(n))
    recorder.close()
    again = read_setup(tmp_path / "home" / "one")
    assert again.frames == ("0002.jpg", "0003.jpg", "0004.jpg")
    assert (again.seats, again.palette, again.van, again.taps) == (setup.seats, setup.palette, setup.van, setup.taps)


def test_i3_the_oldest_pictures_go_first_and_the_quota_is_kept(tmp_path: Path) -> None:
    for number, name in enumerate(("old", "new")):
        recorder = Recorder(tmp_path, name, None, "all")
        for n in range(10):
            recorder.add(frame(n))
        recorder.close()
        for path in (tmp_path / name).glob("*.jpg"):
            os.utime(path, ns=(number, number))
    size = sum(p.stat().st_size for p in tmp_path.rglob("*.jpg"))
    keep_within(tmp_path, int(size * 0.6))
    assert len(list((tmp_path / "new").glob("*.jpg"))) == 10
    assert 0 < len(list((tmp_path / "old").glob("*.jpg"))) < 5
    assert len(read_frames(tmp_path / "old")) == len(list((tmp_path / "old").glob("*.jpg")))


def test_i3_a_recorder_under_way_keeps_its_quota(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, "one", None, "all", quota_mb=0.1)
    for n in range(60):
        recorder.add(frame(n))
    recorder.close()
    used = sum(p.stat().st_size for p in tmp_path.rglob("*") if p.is_file())
    assert used < 0.13e6
    assert read_frames(tmp_path / "one")[-1]["seq"] == 59


def test_i3_a_full_disk_ends_the_recording_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    recorder = Recorder(tmp_path, "one", None, "all")

    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    recorder.add(frame(1))
    recorder.add(frame(2))
    recorder.close()
    assert "free some space" in recorder.trouble
    assert len(caplog.records) == 1


def test_a_torn_last_line_is_passed_over_and_a_torn_middle_is_told(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, "one", None, "all")
    for n in range(3):
        recorder.add(frame(n))
    recorder.close()
    path = tmp_path / "one" / FRAMES
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:2], lines[2][:20]]))
    assert len(read_frames(tmp_path / "one")) == 2
    path.write_text("\n".join([lines[0], lines[1][:20], lines[2]]))
    with pytest.raises(BadFolder, match="line 2"):
        read_frames(tmp_path / "one")


def test_a_folder_without_times_is_no_recording(tmp_path: Path) -> None:
    with pytest.raises(SourceFailed, match="name a recording"):
        RecordingSource(tmp_path).open()
