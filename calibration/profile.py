"""What a calibration leaves behind: one JSON file, and the reference picture beside it.

A file that is damaged, has an unknown key or comes from a newer version is refused with line and
column, and stays as it was. Saving never leaves half a file: the new one is written beside the old,
brought to the disk, and put in its place in one step.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.check import Grade, Report
from calibration.errors import CalibrationFailed, ProfileRefused
from calibration.reading import Node, parsed
from rules.words import Colour, Said
from vision.frame import Image, Matrix
from vision.palette import Palette
from vision.pose import BoardPose, CameraModel

VERSION = 3
KIND = "overboard-profile"
Body = dict[str, Any]
Migration = Callable[[Body], Body]


def _with_shades(body: Body) -> Body:
    """Version 1 knew no walls: colours are read by their codes alone until the table is set up again."""
    palette = body.get("palette")
    if not isinstance(palette, list) or not all(isinstance(entry, dict) for entry in palette):
        return body  # damaged: refused where it is read
    return {**body, "palette": [{**entry, "shades": []} for entry in palette]}


def _with_two_languages(body: Body) -> Body:
    """Version 2 kept its verdict in English alone; what it would have been in Portuguese is not known any more."""
    report = body.get("report")
    if not isinstance(report, dict) or not isinstance(report.get("verdict"), list):
        return body  # damaged: refused where it is read
    return {**body, "report": {**report, "verdict": [{"en": one, "pt": one} for one in report["verdict"]]}}


MIGRATIONS: Mapping[int, Migration] = MappingProxyType({1: _with_shades, 2: _with_two_languages})
"""From version n to n + 1. A change of the format adds one here and raises `VERSION`."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A table that has been set up: lens, pose, colours, and how well they fit.

    `made_utc` is ISO 8601; `picture` the name, beside the profile, of the picture of the empty
    board; `square_mm` the size that the pose's millimetres rest on.
    """

    made_utc: str
    game: str
    square_mm: float
    pose: BoardPose
    palette: Palette
    picture: str
    report: Report

    @property
    def camera(self) -> CameraModel:
        """The lens that the pose rests on."""
        return self.pose.camera


def lens_words(camera: CameraModel) -> Body:
    """A lens as `scenes/FORMAT.md` has it: size, matrix row by row, distortion k1 k2 p1 p2 k3."""
    return {"size": list(camera.size_px), "matrix": _plain(camera.matrix), "distortion": _plain(camera.distortion)}


def palette_words(palette: Palette) -> list[Body]:
    """A palette as plain numbers: an entry a colour; `code` is empty where the piece reader has not learned it,
    `shades` where no wall was measured."""
    count = len(palette.colours)
    codes = palette.codes if len(palette.codes) else np.zeros((count, 0), np.float32)
    shades = palette.shades if len(palette.shades) else np.full((count, 2, 3), np.nan, np.float32)
    return [{"colour": str(colour), "lab": _plain(lab), "spread": float(spread), "code": _plain(code),
             "shades": _plain(shade) if np.isfinite(shade).all() else []}
            for colour, lab, spread, code, shade
            in zip(palette.colours, palette.lab, palette.spread, codes, shades, strict=True)]


def profile_words(profile: Profile) -> Body:
    """A profile as JSON has it, in the order of the file."""
    report = profile.report
    return {
        "kind": KIND,
        "version": VERSION,
        "made_utc": profile.made_utc,
        "game": profile.game,
        "square_mm": profile.square_mm,
        "camera": lens_words(profile.camera),
        "pose": {"rvec": _plain(profile.pose.rvec), "tvec": _plain(profile.pose.tvec),
                 "residual_px": profile.pose.residual_px},
        "palette": palette_words(profile.palette),
        "picture": profile.picture,
        "report": {
            "residual_px": report.residual_px, "residual_cells": report.residual_cells,
            "offset_cells": None if report.offset_cells is None else list(report.offset_cells),
            "closest": None if report.closest is None else list(report.closest),
            "blur_px": report.blur_px, "clipped": report.clipped,
            "grade": report.grade.value, "verdict": [{"en": one.en, "pt": one.pt} for one in report.verdict],
        },
    }


def save(profile: Profile, path: Path, picture: Image | None = None) -> None:
    """Write the profile, and first the reference picture beside it if one is given.

    Each is written whole or not at all. Raises `OSError`; then the file that was there is still there.
    """
    if Path(profile.picture).name != profile.picture or not profile.picture.lower().endswith(".png"):
        raise CalibrationFailed(f"the reference picture: wanted a plain name ending in .png, found "
                                f"{profile.picture!r}: name it so")
    path.parent.mkdir(parents=True, exist_ok=True)
    if picture is not None:
        _, data = cv2.imencode(".png", picture)
        replace_file(path.parent / profile.picture, data.tobytes())
    replace_file(path, (json.dumps(profile_words(profile), indent=1, allow_nan=False) + "\n").encode("utf-8"))


def replace_file(path: Path, data: bytes) -> None:
    """Write beside, flush to the disk, rename over, and bring the folder's entry to the disk too."""
    beside = path.with_name(path.name + ".new")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def load(path: Path, migrations: Mapping[int, Migration] = MIGRATIONS, version: int = VERSION) -> Profile:
    """The profile in a file, brought up to date in memory if it is older. Raises `ProfileRefused`."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ProfileRefused(f"{path}: wanted a profile, found bytes that are no text at {error.start}: "
                             "calibrate again") from error
    except OSError as error:
        raise ProfileRefused(f"{path}: wanted a profile, found none ({error.strerror}): calibrate first") from error
    return read_profile(text, str(path), migrations, version)


def read_profile(text: str, name: str, migrations: Mapping[int, Migration] = MIGRATIONS,
                 version: int = VERSION) -> Profile:
    """As `load`, from text; `name` is what the messages call it."""
    root = parsed(text, name)
    found = root.get("version").integer() if root.has("version") else 0
    if root.get("kind").text() != KIND:
        root.get("kind").refuse(f"{KIND!r}", "name a calibration profile")
    if found > version:
        root.get("version").refuse(f"version {version} or older", "update Overboard, or calibrate again")
    body: Body = root.value
    while found < version:
        if found not in migrations:
            root.get("version").refuse(f"a version this program can read ({version})", "calibrate again")
        body = {**migrations[found](body), "version": found + 1}
        found += 1
    # After a migration line numbers would be those of another text; the keys still tell the place.
    return _profile(root if body is root.value else Node(body, name, "", ()))


def _profile(root: Node) -> Profile:
    root.keys("kind", "version", "made_utc", "game", "square_mm", "camera", "pose", "palette", "picture", "report")
    camera, pose = root.get("camera"), root.get("pose")
    camera.keys("size", "matrix", "distortion")
    pose.keys("rvec", "tvec", "residual_px")
    size = camera.get("size").numbers(2)
    if min(size) < 64 or any(value != int(value) for value in size):
        camera.get("size").refuse("width and height in whole px, at least 64", "calibrate again")
    lens = CameraModel(_array(camera.get("matrix"), 9).reshape(3, 3), _array(camera.get("distortion"), 5),
                       (int(size[0]), int(size[1])))
    square_mm = root.get("square_mm").number()
    if square_mm <= 0:
        root.get("square_mm").refuse("a size above 0 mm", "measure a square")
    picture = root.get("picture").text()
    if Path(picture).name != picture:
        root.get("picture").refuse("a plain file name", "calibrate again")
    return Profile(
        root.get("made_utc").text(), root.get("game").text(), square_mm,
        BoardPose(lens, _array(pose.get("rvec"), 3), _array(pose.get("tvec"), 3), pose.get("residual_px").number()),
        _palette(root.get("palette")), picture, _report(root.get("report")),
    )


def _shades(nodes: list[Node]) -> NDArray[np.float32]:
    """(n, 2, 3); NaN where nothing was measured."""
    rows = [node.numbers(6) if node.entries() else [np.nan] * 6 for node in nodes]
    return np.array(rows, dtype=np.float32).reshape(len(rows), 2, 3)


def _palette(node: Node) -> Palette:
    entries = node.entries()
    for entry in entries:
        entry.keys("colour", "lab", "spread", "code", "shades")
    labs = [entry.get("lab").numbers(3) for entry in entries]
    length = len(entries[0].get("code").entries()) if entries else 0
    codes = [entry.get("code").numbers(length) for entry in entries]
    try:
        return Palette(tuple(Colour(entry.get("colour").text()) for entry in entries),
                       np.array(labs, dtype=np.float64).reshape(-1, 3),
                       np.array([entry.get("spread").number() for entry in entries], dtype=np.float64),
                       np.array(codes, dtype=np.float32).reshape(len(entries), length),
                       _shades([entry.get("shades") for entry in entries]))
    except ValueError as error:
        if isinstance(error, ProfileRefused):
            raise
        node.refuse(f"a palette ({error})", "calibrate again")


def _report(node: Node) -> Report:
    node.keys("residual_px", "residual_cells", "offset_cells", "closest", "blur_px", "clipped", "grade", "verdict")
    offset, closest, blur = node.get("offset_cells"), node.get("closest"), node.get("blur_px")
    grade = node.get("grade")
    if grade.value not in [known.value for known in Grade]:
        grade.refuse("good, usable or bad", "calibrate again")
    both: tuple[str, str, float] | None = None
    if closest.value is not None:
        parts = closest.entries()
        if len(parts) != 3:
            closest.refuse("two colours and their distance", "calibrate again")
        both = (parts[0].text(), parts[1].text(), parts[2].number())
    at = None if offset.value is None else offset.numbers(2)
    return Report(
        node.get("residual_px").number(), node.get("residual_cells").number(),
        None if at is None else (at[0], at[1]), both,
        None if blur.value is None else blur.number(), node.get("clipped").number(),
        Grade(grade.value), tuple(_said(entry) for entry in node.get("verdict").entries()),
    )


def _said(node: Node) -> Said:
    node.keys("en", "pt")
    return Said(node.get("en").text(), node.get("pt").text())


def _array(node: Node, count: int) -> Matrix:
    return np.array(node.numbers(count), dtype=np.float64)


def _plain(values: Matrix | NDArray[np.float32]) -> list[float]:
    return [float(value) for value in np.ravel(values)]
