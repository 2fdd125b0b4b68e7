"""From settings to a table that can be played: the one place that chooses between real and fake.

Sources: `pi`, `usb`, `usb:NUMBER`, `sim`, a folder (a recording, or pictures that are settled
looks of their own), or a video beside a `setup.json`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from calibration.profile import load
from calibration.tile_sets import shelf_in
from device.camera import PiCamera, UsbCamera
from device.cues import Cue, Sound
from device.files import PictureFolder, VideoFile
from device.panel import Panel, QuietPanel
from device.watched import Watched
from rules.catalogue import game_named
from rules.game import Setup
from rules.words import SEATS, Colour, Seat, seat_named
from table.cities_eyes import OpenCities, open_cities
from table.errors import NotReady
from table.evening import PICTURE_BY_PICTURE, Evening, Manners
from table.events import ProfileChosen, SoundChosen
from table.journal import Journal, utc_now
from table.opening import rules_setup
from table.reading import reader_of, taught_by
from table.record import FRAMES, Recorder, RecordingSource
from table.session import Session
from table.settings import Settings
from table.setup_folder import TableSetup, read_setup
from table.sim.source import SimPlan, SimSource
from table.watcher import Watcher
from vision.frame import FrameSource, read_picture
from vision.kits.gridlock import GridlockKit
from vision.observe import Taught
from vision.overlay import drawn
from webui.settings import WebSettings

VIDEO_ENDINGS = (".mp4", ".avi", ".mkv", ".mov", ".webm")
JOURNAL, PROFILE, SECRET, RECORDINGS = "journal.sqlite", "profile.json", "secret", "recordings"
CODE_SIGNS = "23456789"
"""Digits that are not mistaken for letters."""


@dataclass(slots=True)
class Table:
    """A table that can be played: `start` begins to watch, `stop` turns everything off. Also a context."""

    settings: Settings
    session: Session
    evening: Evening
    journal: Journal
    panel: Panel | QuietPanel
    recorder: Recorder
    source: FrameSource
    """The simulator, the camera as it was first made, or the recording."""
    profile_path: Path | None = None
    scored: OpenCities | None = None
    """The page "Score a city"; None where its journal cannot be used."""

    def start(self) -> None:
        """Takes the pins and begins to watch. Raises `device.pins.PanelFailed`."""
        self.panel.open()
        self.panel.on_press(self.session.pressed)
        if self.evening.story.sound:
            self.panel.set_sound(Sound(self.evening.story.sound))
        self.panel.show(Cue.SETTING_UP)
        self.session.start()
        if self.scored is not None:
            self.scored.start()

    def stop(self) -> None:
        """Ends watching, writes what waits, turns everything off; safe to call twice."""
        self.session.stop()
        self.panel.close()
        self.recorder.close(self.journal.path, self.profile_path)
        if self.scored is not None:
            self.scored.close()
        self.journal.close()

    def __enter__(self) -> Table:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


@dataclass(frozen=True, slots=True)
class Eyes:
    """Where pictures come from and who reads them."""

    make: Callable[[], FrameSource]
    first: FrameSource
    watcher: Watcher
    kit: GridlockKit
    setup: Setup
    folder: TableSetup | None
    live: bool
    manners: Manners
    keeps_match: bool
    """Whether a match of the journal may go on here: at a real table, where the pieces still lie."""
    report: str = ""
    profile_path: Path | None = None


def build(
    settings: Settings,
    panel: Panel | QuietPanel | None = None,
    sim: SimSource | None = None,
    journal_path: Path | None = None,
    plan: SimPlan | None = None,
) -> Table:
    """The table of these settings. `panel`, `sim` and `plan` are for tests and the simulator's options.

    Raises `NotReady`, `BadFolder`, `BadJournal`, `calibration` and `vision` errors: each with one sentence.
    """
    data = Path(settings.table.data_dir)
    eyes = eyes_of(settings, sim, plan)
    name = JOURNAL if eyes.keeps_match else f"sim-{JOURNAL}" if settings.camera.source == "sim" else f"replay-{JOURNAL}"
    journal = Journal(journal_path or data / name)
    recorder = Recorder(data / RECORDINGS, utc_now().replace(":", ""), eyes.folder, settings.record.keep,
                        settings.record.quota_mb, settings.record.ring_s, settings.record.jpeg_quality)
    evening = Evening(journal, game_named, eyes.kit.visible, eyes.manners, free_space=recorder.make_room)
    if panel is None:
        sound = Sound(settings.panel.sound)
        has_panel = settings.camera.is_real and not settings.panel.quiet
        panel = Panel(settings.panel.pins(), sound) if has_panel else QuietPanel(sound)
    camera = Watched(eyes.make, live=eyes.live, patience_s=settings.camera.lost_after_ms / 1000)
    session = Session(evening, camera, eyes.watcher, panel, recorder, draw=partial(drawn, kit=eyes.kit))
    evening.listen(session.heard)
    goes_on = evening.resume() if eyes.keeps_match else False
    if not goes_on:
        evening.open(settings.table.game if eyes.folder is None else eyes.folder.game, eyes.setup)
    if not evening.story.sound:
        evening.tell(SoundChosen(settings.panel.sound))
    evening.tell(ProfileChosen(settings.camera.source, eyes.report))
    scored = open_cities(data / JOURNAL, journal, shelf_in(data), session.bare_picture if eyes.live else None)
    return Table(settings, session, evening, journal, panel, recorder, eyes.first, eyes.profile_path, scored)


def eyes_of(settings: Settings, sim: SimSource | None = None, plan: SimPlan | None = None) -> Eyes:
    """The source and the reader that the settings name."""
    name = settings.camera.source
    size = (settings.camera.width_px, settings.camera.height_px)
    manners = Manners(settings.table.still_ms, settings.table.impossible_after_ms, settings.table.continue_ms,
                      settings.table.undo_across_turns)
    if name == "sim":
        source = sim or SimSource(plan or SimPlan())
        folder = read_setup(source.write_setup(Path(settings.table.data_dir) / "sim"))
        taught = taught_by(folder)
        return _eyes(lambda: source, source, taught, source.setup, folder, True, manners, False)
    if settings.camera.is_real:
        make = _camera(name, size, settings)
        return _calibrated(settings, make, manners)
    path = Path(name)
    if path.suffix.lower() in VIDEO_ENDINGS:
        folder = read_setup(path.parent)
        return _eyes(lambda: VideoFile(path), VideoFile(path), taught_by(folder), rules_setup(folder), folder, False,
                     manners, False)
    folder = read_setup(path)
    if (path / FRAMES).exists():
        return _eyes(lambda: RecordingSource(path), RecordingSource(path), taught_by(folder), rules_setup(folder),
                     folder, False, manners, False)
    return _eyes(lambda: PictureFolder(path), PictureFolder(path), taught_by(folder), rules_setup(folder), folder,
                 False, PICTURE_BY_PICTURE, False)


def _eyes(
    make: Callable[[], FrameSource], first: FrameSource, taught: Taught, setup: Setup, folder: TableSetup | None,
    live: bool, manners: Manners, keeps_match: bool, report: str = "", profile_path: Path | None = None,
) -> Eyes:
    kit = taught.kit
    if not isinstance(kit, GridlockKit):
        raise NotReady(f"wanted a game that can be watched, found {kit.name}: only gridlock can be, so far")
    return Eyes(make, first, reader_of(taught), kit, setup, folder, live, manners, keeps_match, report, profile_path)


def _camera(name: str, size_px: tuple[int, int], settings: Settings) -> Callable[[], FrameSource]:
    fps, mains_hz = settings.camera.fps, settings.camera.mains_hz
    if name == "pi":
        return lambda: PiCamera(size_px, fps, mains_hz)
    device = name.partition(":")[2] or "0"
    return lambda: UsbCamera(int(device) if device.isdecimal() else device, size_px, fps, mains_hz)


def camera_of(settings: Settings) -> Callable[[], FrameSource]:
    """The real camera that the settings name, made anew at each call; raises `NotReady` if they name none."""
    name = settings.camera.source
    if not settings.camera.is_real:
        raise NotReady(f"wanted a camera (pi, usb or usb:NUMBER), found the source {name!r}: name one with --source")
    return _camera(name, (settings.camera.width_px, settings.camera.height_px), settings)


def _calibrated(settings: Settings, make: Callable[[], FrameSource], manners: Manners) -> Eyes:
    """A real camera over a table that was set up: by a set-up folder `table/`, or by a profile."""
    data = Path(settings.table.data_dir)
    if (data / "table" / "setup.json").exists():
        folder = read_setup(data / "table")
        return _eyes(make, make(), taught_by(folder), rules_setup(folder), folder, True, manners, True)
    path = data / PROFILE
    if not path.exists():
        raise NotReady(f"{data}: wanted a calibrated table, found none: run `overboard calibrate table`, "
                       "or try `overboard run --source sim`")
    profile = load(path)
    taught = Taught(GridlockKit(profile.square_mm), profile.pose, read_picture(data / profile.picture), profile.palette,
                    known_set=True)
    return _eyes(make, make(), taught, setup_of(settings), None, True, manners, True,
                 "; ".join(said.en for said in profile.report.verdict), path)


def setup_of(settings: Settings) -> Setup:
    """Who sits where, by `overboard.toml`."""
    table = settings.table
    sides = tuple(zip(SEATS, (Colour(colour) for colour in table.colours), strict=False))
    seats = [seat for seat, _ in sides]
    players: tuple[tuple[Seat, ...], ...] = tuple((seat,) for seat in seats)
    if table.players == 2 and len(seats) == 4:
        players = ((seats[0], seats[1]), (seats[2], seats[3]))
    options = {"per_size": str(table.per_size)}
    if table.van:
        options["van"] = table.van
    return Setup(sides, players, seat_named(table.first_seat), tuple(sorted(options.items())))


def web_settings(settings: Settings, addresses: tuple[str, ...] = ()) -> WebSettings:
    """What the page needs. The secret is kept in the data folder, so that phones stay signed in; a code that is
    not set is made anew. Raises `NotReady`, `webui.errors.BadSettings`."""
    path = Path(settings.table.data_dir) / SECRET
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or len(path.read_bytes()) < 32:
            path.touch(mode=0o600)
            path.write_bytes(secrets.token_bytes(32))
        secret = path.read_bytes()
    except OSError as error:
        raise NotReady(f"{path}: wanted to keep the page's secret, found that the disk refused ({error}): "
                       "choose another data_dir") from error
    code = settings.web.touch_code or "".join(secrets.choice(CODE_SIGNS) for _ in range(4))
    return WebSettings(code, secret, addresses, frozenset(h.lower() for h in settings.web.allowed_hosts),
                       settings.table.language)
