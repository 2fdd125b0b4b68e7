"""`overboard record`: what a camera sees, kept picture by picture without judging it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from device.watched import CameraLost, Picture, Watched
from table.build import camera_of
from table.errors import BadFolder, NotReady
from table.record import Recorder
from table.running import Ending
from table.settings import Settings
from table.setup_folder import TableSetup, read_setup
from table.sim.source import SimPlan, SimSource
from vision.frame import FrameSource

LOOK_S = 0.2
NEVER_FULL_MB = 1e6
"""A recording asked for by name is not thinned out."""


def record_folder(
    out: Path, settings: Settings, seconds: float, seed: int, ending: Ending, told: Callable[[int, int], None],
    clock_s: Callable[[], float] = time.monotonic,
) -> str:
    """Keeps every picture for so long, or until it is time to end; what was done, as a sentence.

    Raises `BadFolder` if the folder has files, `NotReady` if the camera gives no picture.
    """
    _check(out)
    make, setup = _source(out, settings, seed)
    camera = Watched(make, patience_s=settings.camera.lost_after_ms / 1000)
    recorder = Recorder(out.parent, out.name, setup, "all", NEVER_FULL_MB, settings.record.ring_s,
                        settings.record.jpeg_quality)
    pictures, began_s = 0, clock_s()
    try:
        while not ending.wait(0) and (passed_s := clock_s() - began_s) < seconds:
            match camera.next(LOOK_S):
                case Picture(frame=frame):
                    began_s = began_s if pictures else clock_s()
                    pictures += 1
                    recorder.add(frame)
                case CameraLost(why=why):
                    raise NotReady(why)
                case _:
                    pass
            if recorder.trouble:
                raise NotReady(recorder.trouble)
            told(min(round(passed_s), round(seconds)), round(seconds))
    finally:
        camera.close()
        recorder.close()
    if not pictures:
        raise NotReady(f"{settings.camera.source}: wanted pictures, found none in {seconds:g} s: look at the cable, "
                       "or record for longer")
    what = "with its set-up" if setup is not None else "without setup.json: the table was not set up by a folder"
    return f"{out}: {pictures} pictures, {what}"


def _check(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise BadFolder(f"{out}: wanted a new or an empty folder, found files in it: name another")
    except (FileExistsError, NotADirectoryError) as error:
        raise BadFolder(f"{out}: wanted a folder, found a file of that name: name another") from error


def _source(out: Path, settings: Settings, seed: int) -> tuple[Callable[[], FrameSource], TableSetup | None]:
    """What to record, and how that table is set up, if that is known as a folder."""
    data = Path(settings.table.data_dir)
    if settings.camera.source == "sim":
        sim = SimSource(SimPlan(seed, players=settings.table.players))
        return (lambda: sim), read_setup(sim.write_setup(data / "sim"))
    make = camera_of(settings)
    is_set_up = (data / "table" / "setup.json").exists()
    return make, read_setup(data / "table") if is_set_up else None
