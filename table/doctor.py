"""Everything a table needs, looked at: what is wrong, and what to do about it.

It must speak where the rest cannot: nothing that needs numpy or OpenCV is imported before it is known to be there.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import platform
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from device.probe import Finding, State, probe
from table.errors import BadSettings
from table.settings import KEYS, Settings, Sourced, read_settings

CONFIG = Path("overboard.toml")
OLDEST = {"numpy": (1, 24), "cv2": (4, 6)}
"""Debian 12's numpy and OpenCV: older ones were never tried."""
MODELS = {"pyramids.onnx": "vision.detect.pyramid_net"}
SIGNS = {State.GOOD: "ok", State.ABSENT: "--", State.WARNING: "? ", State.BAD: "!!"}


@dataclass(frozen=True, slots=True)
class Told:
    """One finding, and whether the table cannot be played because of it."""

    what: str
    state: State
    said: str
    is_wrong: bool = False

    def to_json(self) -> str:
        """As a JSON object."""
        return json.dumps({"what": self.what, "state": self.state.value, "said": self.said, "wrong": self.is_wrong})

    def __str__(self) -> str:
        return f"{SIGNS[State.BAD] if self.is_wrong else SIGNS[self.state]}  {self.what}: {self.said}"


def good(what: str, said: str) -> Told:
    """Nothing to do."""
    return Told(what, State.GOOD, said)


def bad(what: str, said: str) -> Told:
    """It must be put right first."""
    return Told(what, State.BAD, said, True)


def examine(
    config: Path | None, environment: Mapping[str, str], flags: Mapping[str, Any],
    look: Callable[[Path], tuple[Finding, ...]] = probe,
) -> Iterator[Told]:
    """Finding by finding, each as soon as it is known. `look` asks the computer; tests give their own."""
    yield python()
    packages = [package(name) for name in OLDEST]
    yield from packages
    if config is not None and not config.is_file():
        yield bad("settings", f"{config}: wanted a file of settings, found none: check the name after --config.")
        return
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        sourced = read_settings(config or CONFIG, environment, given)
    except BadSettings as error:
        yield from (bad("settings", fault) for fault in error.faults)
        return
    yield from settings_told(sourced)
    settings = sourced.settings
    yield from hardware(settings, look(Path(settings.table.data_dir)))
    yield data_folder(Path(settings.table.data_dir))
    yield port(settings.web.host, settings.web.port)
    yield from models()
    if not any(one.is_wrong for one in packages):
        yield journal(settings)
        yield from eyes(settings)


def python() -> Told:
    """This Python, against what is supported."""
    version = platform.python_version()
    if not (3, 11) <= sys.version_info[:2] <= (3, 13):
        return Told("python", State.WARNING, f"{version}; tried are 3.11 to 3.13: use one of them if something fails.")
    return good("python", f"{version} on {platform.system()} {platform.machine()}.")


def package(name: str) -> Told:
    """numpy or OpenCV: is it here, and not too old."""
    title = {"cv2": "OpenCV"}.get(name, name)
    try:
        version = str(importlib.import_module(name).__version__)
    except ImportError as error:
        return bad(title, f"wanted it, found that it cannot be loaded ({error}): on a Pi sudo apt install "
                          "python3-opencv python3-numpy and make run again, elsewhere make run.")
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())
    if numbers < OLDEST[name]:
        wanted = ".".join(map(str, OLDEST[name]))
        return bad(title, f"wanted {wanted} or newer, found {version}: upgrade the system or use the desktop extra.")
    return good(title, f"{version}.")


def settings_told(sourced: Sourced) -> Iterator[Told]:
    """What was set, and where; what nobody set, in one line."""
    chosen = {name: origin for name, origin in sourced.origins.items() if origin != "default"}
    for name, origin in sorted(chosen.items()):
        section, _, key = name.partition(".")
        value = getattr(getattr(sourced.settings, section), key)
        yield good("settings", f"{name} = {'(set)' if key == 'touch_code' else repr(value)}, from {origin}.")
    yield good("settings", f"{len(KEYS) - len(chosen)} others are defaults ({CONFIG} may change them).")


def hardware(settings: Settings, findings: tuple[Finding, ...]) -> Iterator[Told]:
    """The computer's findings; a camera or pins that are absent are wrong only where they are meant to be used."""
    is_real = settings.camera.is_real
    needed = {"disk": True, "camera": is_real, "pins": is_real and not settings.panel.quiet}
    for one in findings:
        is_wrong = one.state is State.BAD and one.what in needed and (needed[one.what] or one.what == "disk")
        said = one.said
        if one.state is State.ABSENT and needed.get(one.what, False):
            is_wrong = True
            said += " Or run with --quiet-panel." if one.what == "pins" else ""
        yield Told(one.what, one.state, said, is_wrong)


def data_folder(folder: Path) -> Told:
    """Whether the journal and the recordings can be written."""
    there = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    if not there.is_dir():
        return bad("data", f"{folder}: wanted a folder, found that {there} is a file: choose another data_dir.")
    if not os.access(there, os.W_OK | os.X_OK):
        return bad("data", f"{folder}: wanted to write there, found that this user may not: choose another data_dir.")
    return good("data", f"{folder.absolute()} {'is there' if folder.exists() else 'will be made'}.")


def port(host: str, number: int) -> Told:
    """Whether the page can be served there."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, number, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe_:
            probe_.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe_.bind(address)
    except OSError as error:
        return bad("port", f"wanted to serve the page at {host} port {number}, found that it cannot be "
                           f"({error.strerror}): end the table that runs already, or choose another with --port.")
    return good("port", f"{number} is free.")


def models() -> Iterator[Told]:
    """The trained readers, which come with the package."""
    spec = importlib.util.find_spec("vision")
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    for name in MODELS:
        path = Path(places[0]) / "detect" / name if places else Path(name)
        if not path.is_file():
            yield bad("reader", f"wanted the trained reader {name}, found none: install the package again.")
        else:
            yield good("reader", f"{name}, {path.stat().st_size / 1000:.0f} kB.")


def journal(settings: Settings) -> Told:
    """Whether the journal can be gone on with."""
    from table.build import JOURNAL
    from table.errors import BadJournal
    from table.journal import Journal

    path = Path(settings.table.data_dir) / JOURNAL
    if not path.exists():
        return Told("journal", State.ABSENT, "None yet; the first match begins one.")
    try:
        book = Journal(path)
    except BadJournal as error:
        return bad("journal", str(error))
    count = len(book.matches)
    book.close()
    return good("journal", f"{path}: {count} match{'' if count == 1 else 'es'}.")


def eyes(settings: Settings) -> Iterator[Told]:
    """The calibration and the light, where a camera is meant to be used."""
    if not settings.camera.is_real:
        yield Told("profile", State.ABSENT, f"Not needed for the source {settings.camera.source}.")
        return
    yield profile(Path(settings.table.data_dir))
    yield light(settings)


def profile(data: Path) -> Told:
    """How the table was set up, and how well."""
    from calibration.check import Grade
    from calibration.errors import CalibrationError
    from calibration.profile import load
    from calibration.said import joined
    from table.build import PROFILE
    from table.errors import TableError
    from table.setup_folder import read_setup

    if (data / "table" / "setup.json").exists():
        try:
            read_setup(data / "table")
        except TableError as error:
            return bad("profile", str(error))
        return good("profile", f"The table is set up by the folder {data / 'table'}.")
    if not (data / PROFILE).exists():
        return bad("profile", f"{data}: wanted a calibrated table, found none: run overboard calibrate table.")
    try:
        found = load(data / PROFILE)
    except CalibrationError as error:
        return bad("profile", str(error))
    said = f"{found.report.grade.value}, made {found.made_utc}. {joined(found.report.verdict).en}"
    return Told("profile", State.GOOD if found.report.grade is Grade.GOOD else State.WARNING, said)


def light(settings: Settings) -> Told:
    """One picture of the camera, if it can be had, and its light."""
    import cv2
    import numpy as np

    from device.watched import Watched
    from table.build import camera_of
    from table.calibrating import newest
    from table.errors import NotReady
    from vision.light import quality

    camera = Watched(camera_of(settings), patience_s=settings.camera.lost_after_ms / 1000)
    try:
        image = newest(camera)
    except NotReady as error:
        return bad("light", f"No picture to judge it by: {error}")
    finally:
        camera.close()
    gray = cv2.cvtColor(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    found = quality(np.asarray(gray, np.uint8), None)
    size = f"{image.shape[1]}x{image.shape[0]}"
    if found.trouble:
        return bad("light", f"The picture ({size}) is {found.trouble}: give the table more light, or focus the lens.")
    if found.clipped > 0.15:
        return Told("light", State.WARNING, f"{found.clipped:.0%} of the picture ({size}) is pure white or black: "
                                            "turn the lamp away from the board.")
    return good("light", f"The picture ({size}) is neither dark nor blurred.")
