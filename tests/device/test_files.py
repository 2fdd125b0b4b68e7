"""Recorded pictures as sources: folders and videos, whole and broken."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from device.files import PictureFolder, VideoFile
from vision.frame import BadPicture, SourceFailed


def picture(path: Path, level: int) -> None:
    cv2.imwrite(str(path), np.full((72, 96, 3), level, np.uint8))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for n, name in enumerate(("0002.png", "0000.jpg", "0001.JPG", "notes.txt")):
        if name.endswith("txt"):
            (tmp_path / name).write_text("no picture")
        else:
            picture(tmp_path / name, 40 * (n + 1))
    return tmp_path


def test_a_folder_is_read_by_name_with_counted_times(folder: Path) -> None:
    source = PictureFolder(folder, period_ms=250)
    source.open()
    assert [(f.seq, f.taken_ns, f.camera, round(float(f.image.mean()), -1)) for f in source.frames()] == [
        (0, 0, "0000.jpg", 80), (1, 250_000_000, "0001.JPG", 120), (2, 500_000_000, "0002.png", 40)]
    source.close()
    assert list(source.frames()) == []


def test_a_table_folder_is_read_in_the_order_of_its_set_up(folder: Path) -> None:
    (folder / "setup.json").write_text(json.dumps({"frames": ["0001.JPG", "0000.jpg"]}))
    source = PictureFolder(folder)
    source.open()
    assert [frame.camera for frame in source.frames()] == ["0001.JPG", "0000.jpg"]


@pytest.mark.parametrize(("setup", "message"), [
    ('{"frames": ["0000.jpg",]}', r"found .* in line 1, column \d+: correct it"),
    ('{"frames": ["0009.jpg", "0000.jpg"]}', "found 1 missing, 0009.jpg first"),
    ('{"frames": ["../0000.jpg"]}', "wanted frames, a list of file names"),
    ('{"frames": 3}', "wanted frames, a list of file names, found int"),
    ("{}", "wanted frames, a list of file names, found NoneType"),
    ("[]", "wanted a table's set-up"),
    ('{"frames": []}', "wanted JPEG or PNG pictures, found none"),
], ids=["no JSON", "missing picture", "out of the folder", "a number", "no frames", "a list", "empty"])
def test_a_broken_set_up_is_refused(folder: Path, setup: str, message: str) -> None:
    (folder / "setup.json").write_text(setup)
    with pytest.raises(SourceFailed, match=message):
        PictureFolder(folder).open()


def test_a_folder_that_is_not_there_or_empty_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceFailed, match="wanted a folder of pictures, found none"):
        PictureFolder(tmp_path / "nowhere").open()
    with pytest.raises(SourceFailed, match="wanted JPEG or PNG pictures, found none"):
        PictureFolder(tmp_path).open()


def test_a_picture_cut_short_is_told_when_its_turn_comes(folder: Path) -> None:
    whole = (folder / "0001.JPG").read_bytes()
    (folder / "0001.JPG").write_bytes(whole[: len(whole) // 2])
    source = PictureFolder(folder)
    source.open()
    pictures = source.frames()
    assert next(pictures).camera == "0000.jpg"
    with pytest.raises(BadPicture, match=r"0001\.JPG: wanted a whole picture"):
        next(pictures)


def test_a_video_is_timed_by_its_rate(tmp_path: Path) -> None:
    path = tmp_path / "table.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 5.0, (96, 72))
    for level in (40, 120, 200):
        writer.write(np.full((72, 96, 3), level, np.uint8))
    writer.release()
    source = VideoFile(path)
    source.open()
    assert [(f.seq, f.taken_ns, round(float(f.image.mean()), -1)) for f in source.frames()] == [
        (0, 0, 40), (1, 200_000_000, 120), (2, 400_000_000, 200)]
    source.close()
    source.close()
    with pytest.raises(SourceFailed, match="call open"):
        next(source.frames())


def test_a_video_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceFailed, match="found no such file"):
        VideoFile(tmp_path / "none.mp4").open()
    (tmp_path / "text.mp4").write_text("this is no video")
    with pytest.raises(SourceFailed, match="cannot open: convert it"):
        VideoFile(tmp_path / "text.mp4").open()
