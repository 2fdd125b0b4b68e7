"""Pictures that were taken before: a video file, a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2

from vision.frame import Frame, SourceFailed, checked_image, read_picture

PICTURE_ENDINGS = (".jpg", ".jpeg", ".png")
NS_PER_S = 1_000_000_000


class VideoFile:
    """The pictures of a video, timed by its frame rate (or `fps`, where the file does not say)."""

    def __init__(self, path: Path, fps: float | None = None) -> None:
        self._path, self._fps = path, fps
        self._video: Any = None

    def open(self) -> None:
        """Raises `SourceFailed` if there is no file or it is no video."""
        if not self._path.is_file():
            raise SourceFailed(f"{self._path}: wanted a video, found no such file: check the name")
        video = cv2.VideoCapture(str(self._path))
        if not video.isOpened():
            video.release()
            raise SourceFailed(f"{self._path}: wanted a video, found a file that OpenCV cannot open: "
                               "convert it to MP4 (H.264) or MJPEG")
        fps = self._fps or video.get(cv2.CAP_PROP_FPS)
        if not 0 < fps < 1000:
            video.release()
            raise SourceFailed(f"{self._path}: wanted a frame rate, found {fps}: convert it, or give the rate")
        self._video, self._fps = video, fps

    def frames(self) -> Iterator[Frame]:
        """Every picture, once. Raises `SourceFailed` if there is not even one."""
        if self._video is None or self._fps is None:
            raise SourceFailed(f"{self._path}: wanted an open video, found a closed one: call open() first")
        seq = 0
        while self._video is not None:
            there, image = self._video.read()
            if not there:
                break
            name = f"{self._path.name} picture {seq}"
            yield Frame(seq, round(seq * NS_PER_S / self._fps), checked_image(image, name), self._path.name)
            seq += 1
        if seq == 0:
            raise SourceFailed(f"{self._path}: wanted pictures, found none that can be decoded: convert it to MP4")

    def close(self) -> None:
        """Let go of the file; safe to call twice."""
        if self._video is not None:
            self._video.release()
            self._video = None


class PictureFolder:
    """The JPEG and PNG pictures of a folder by name, or those that its `setup.json` lists in `frames`.

    Time is counted: picture n was taken at n times `period_ms`.
    """

    def __init__(self, folder: Path, period_ms: int = 1000) -> None:
        self._folder, self._period_ms = folder, period_ms
        self._paths: tuple[Path, ...] = ()

    @property
    def paths(self) -> tuple[Path, ...]:
        """The pictures in order; known once it is open."""
        return self._paths

    def open(self) -> None:
        """Raises `SourceFailed` if there is no folder, no picture, or a listed one is missing."""
        if not self._folder.is_dir():
            raise SourceFailed(f"{self._folder}: wanted a folder of pictures, found none: check the name")
        setup = self._folder / "setup.json"
        found = _listed(setup) if setup.is_file() else sorted(
            path for path in self._folder.iterdir() if path.suffix.lower() in PICTURE_ENDINGS)
        missing = [path.name for path in found if not path.is_file()]
        if missing:
            raise SourceFailed(f"{self._folder}: wanted the pictures that setup.json lists, "
                               f"found {len(missing)} missing, {missing[0]} first: copy the folder again")
        if not found:
            raise SourceFailed(f"{self._folder}: wanted JPEG or PNG pictures, found none: check the folder")
        self._paths = tuple(found)

    def frames(self) -> Iterator[Frame]:
        """Each picture, once. Raises `BadPicture` at one that cannot be read."""
        for seq, path in enumerate(self._paths):
            yield Frame(seq, seq * self._period_ms * 1_000_000, read_picture(path), path.name)

    def close(self) -> None:
        """Forget the pictures; safe to call twice."""
        self._paths = ()


def _listed(setup: Path) -> list[Path]:
    """The pictures that a `setup.json` lists. Raises `SourceFailed`."""
    try:
        names = json.loads(setup.read_text(encoding="utf-8")).get("frames")
    except json.JSONDecodeError as error:
        raise SourceFailed(f"{setup}: wanted JSON, found {error.msg} in line {error.lineno}, "
                           f"column {error.colno}: correct it") from error
    except (OSError, UnicodeDecodeError, AttributeError) as error:
        raise SourceFailed(f"{setup}: wanted a table's set-up, found: {error}: copy the folder again") from error
    if not isinstance(names, list) or not all(isinstance(name, str) and Path(name).name == name for name in names):
        raise SourceFailed(f"{setup}: wanted frames, a list of file names, found {type(names).__name__}: correct it")
    return [setup.parent / name for name in names]
