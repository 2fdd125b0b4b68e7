"""A camera above a live simulated table: `SimSource`.

A picture is painted only when something changes, ahead of time and in a thread of its own while the
players think; in between the same picture comes again with fresh sensor noise, as from a real camera.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from rules.game import Setup
from rules.words import Colour, Layout, Seat
from table.errors import NotReady
from table.sim.moving import Ways, moving_shots
from table.sim.paint import Painter
from table.sim.players import Deed, Evening, Habits, gridlock_setup
from table.sim.room import FreshNoise, Room, calm_room, still_sensor
from table.sim.setup_files import (
    GRIDLOCK_COLOURS,
    painted_layout,
    palette_layout,
    sides_with,
    told_setup,
    write_json,
    write_picture,
)
from table.sim.shots import Disturbances, Pace, Shot, shots_of
from vision.frame import Frame, Image, SourceFailed

NS_PER_MS = 1_000_000
CAMERA = "sim"
_AHEAD = 6
_POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class SimPlan:
    """What is simulated. `size_px` (w, h); `fps` pictures a second; `slips` wrong actions, put right later.

    `ways`: arms move from picture to picture (`table.sim.moving`; for sources that are not live); else each deed is
    three still shots at `pace`."""

    seed: int = 1
    per_size: int = 1
    players: int = 4
    slips: int = 3
    size_px: tuple[int, int] = (960, 720)
    fps: float = 5.0
    pace: Pace = field(default_factory=Pace)
    disturbances: Disturbances = field(default_factory=Disturbances)
    ways: Ways | None = None


class _Easel:
    """Paints shots without noise; keeps a painter for before and after the bump."""

    def __init__(self, room: Room) -> None:
        self._room, self._sensor = room, still_sensor(room.sensor)
        self._painters: dict[bool, Painter] = {}

    def painter(self, bumped: bool) -> Painter:
        if bumped not in self._painters:
            self._painters.clear()
            self._painters[bumped] = self._room.painter(bumped)
        return self._painters[bumped]

    def paint(self, shot: Shot) -> Image:
        # The same seed for every shot: what does not change looks the same to the grain of its shadow.
        rng = np.random.default_rng(1)
        light = self._room.lights[shot.light]
        return self.painter(shot.bumped).paint(light, shot.solids, rng, self._sensor, shot.arm)


class SimSource:
    """A `vision.frame.FrameSource` over a simulated evening of Gridlock.

    `live`: pictures come at their pace by `clock_ns`, painted ahead by a thread, and the table lies there when the
    game is over until somebody calls `close`. Not live: nothing waits, times are counted from 0, and the pictures
    end with the game. One thread walks `frames`; `close` may come from any. A source that was closed goes on where
    it was when it is opened again.
    """

    def __init__(
        self,
        plan: SimPlan | None = None,
        *,
        live: bool = True,
        clock_ns: Callable[[], int] = time.monotonic_ns,
        wait: Callable[[float], object] | None = None,
    ) -> None:
        self.plan = plan or SimPlan()
        self._live, self._clock_ns = live, clock_ns
        self._closed = threading.Event()
        self._closed.set()
        self._wait = wait or self._closed.wait
        if not 3 <= self.plan.players <= 4:
            raise NotReady(f"wanted 3 or 4 simulated players, found {self.plan.players}: choose 3 or 4")
        rng = np.random.default_rng(self.plan.seed)
        self._sides = sides_with(GRIDLOCK_COLOURS[: self.plan.players])
        self._first = Seat(int(rng.integers(len(self._sides))))
        self._van = self._sides[int(rng.integers(len(self._sides)))][0]
        self.room = calm_room([colour for _, colour in self._sides], self.plan.size_px, rng)
        habits = Habits(self.plan.slips, early=self.plan.slips > 0)
        self._evening = Evening(self.setup, rng, habits)
        if self.plan.ways is not None:
            self._shots = moving_shots(self.room, self._evening, rng, self.plan.ways, self.plan.disturbances)
        else:
            self._shots = shots_of(self.room, self._evening, rng, self.plan.pace, self.plan.disturbances)
        self._easel = _Easel(self.room)
        self._noise = FreshNoise(self.room.sensor, self.plan.size_px, np.random.default_rng(self.plan.seed + 1))
        self._ready: queue.Queue[tuple[Shot, Image] | None] = queue.Queue(_AHEAD)
        self._worker: threading.Thread | None = None
        self._leaving = threading.Lock()
        self._left_over: tuple[Shot, Image] | None = None
        self._trouble: Exception | None = None
        self._now: tuple[Shot, Image] | None = None
        self._seq = 0
        self._told: list[Deed] = []
        self._over = False

    @property
    def setup(self) -> Setup:
        """Who sits where, for the rules."""
        return gridlock_setup(self._sides, self.plan.per_size, self._first, self._van)

    @property
    def sides(self) -> tuple[tuple[Seat, Colour], ...]:
        """Each seat's colour."""
        return self._sides

    @property
    def deeds(self) -> tuple[Deed, ...]:
        """What has been done so far, and shown at rest: the truth, for tests."""
        return tuple(self._told)

    @property
    def layout(self) -> Layout | None:
        """How the table lies in the newest picture."""
        return None if self._now is None else self._now[0].layout

    @property
    def is_over(self) -> bool:
        """Whether the last picture of the game has come."""
        return self._over

    def scores(self) -> dict[Seat, int]:
        """The points as the evening's table lies; final once `is_over`."""
        return self._evening.scores()

    def write_setup(self, folder: Path) -> Path:
        """A folder as of a real table before its first move: an empty and a palette picture and `setup.json`.

        Its one frame is the empty board. Raises `NotReady` if it cannot be written. A live source then begins to paint
        ahead, so that the first pictures are ready when it is opened.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise NotReady(f"{folder}: wanted a folder, found that it cannot be made ({error.strerror}): "
                           "name another") from error
        rng = np.random.default_rng(self.plan.seed + 2)
        painter = self._easel.painter(False) if self._worker is None else self.room.painter()
        colours = [colour for _, colour in self._sides]
        for name, layout in (("0000.jpg", Layout()), ("0001.jpg", palette_layout(colours))):
            write_picture(folder / name, painted_layout(self.room, painter, layout, rng), 95)
        told = told_setup(self.room, "game", self._sides, self.plan.per_size, ["0000.jpg"], lens=True, rng=rng,
                          first=self._first, van=self._van)
        write_json(folder / "setup.json", told)
        with self._leaving:
            if self._live and self._worker is None and not self._over:
                self._begin_painting()
        return folder

    def open(self) -> None:
        """Starts painting ahead, or goes on with it."""
        with self._leaving:
            self._closed.clear()
            if self._live and self._worker is None and not self._over:
                self._begin_painting()

    def _begin_painting(self) -> None:
        self._worker = threading.Thread(target=self._paint_ahead, name="painter", daemon=True)
        self._worker.start()

    def close(self) -> None:
        """Ends `frames`. Safe to call twice, from any thread."""
        self._closed.set()

    def frames(self) -> Iterator[Frame]:
        """The pictures. Raises `SourceFailed` if the source is closed, or painting failed."""
        if self._closed.is_set():
            raise SourceFailed("simulated table: wanted an open source, found a closed one: call open() first")
        yield from self._live_frames() if self._live else self._counted_frames()

    def _counted_frames(self) -> Iterator[Frame]:
        period_ns = round(1e9 / self.plan.fps)
        for shot in self._shots:
            self._show(shot, self._easel.paint(shot))
            for _ in range(max(1, round(shot.hold_ms * NS_PER_MS / period_ns))):
                if self._closed.is_set():
                    return
                yield self._frame(self._seq * period_ns)
        self._over = True

    def _live_frames(self) -> Iterator[Frame]:
        period_ns = round(1e9 / self.plan.fps)
        self._await_first()
        since_ns = due_ns = self._clock_ns()
        while not self._closed.is_set():
            now_ns = self._clock_ns()
            if self._now is not None and now_ns - since_ns >= self._now[0].hold_ms * NS_PER_MS and self._advance():
                since_ns = now_ns
            yield self._frame(now_ns)
            due_ns = max(due_ns + period_ns, self._clock_ns() - period_ns)
            self._wait(max(0.0, (due_ns - self._clock_ns()) / 1e9))

    def _await_first(self) -> None:
        while self._now is None and not self._closed.is_set():
            if not self._advance():
                self._wait(0.02)

    def _advance(self) -> bool:
        """Takes the next painted shot, if there is one."""
        if self._trouble is not None:
            raise SourceFailed(f"simulated table: wanted a painted picture, found a fault ({self._trouble}): "
                               "report it with the seed") from self._trouble
        try:
            painted = self._ready.get_nowait()
        except queue.Empty:
            return False
        if painted is None:
            self._over = True
            return False
        self._show(*painted)
        return True

    def _show(self, shot: Shot, image: Image) -> None:
        self._now = (shot, image)
        if shot.deed is not None:
            self._told.append(shot.deed)

    def _frame(self, taken_ns: int) -> Frame:
        if self._now is None:
            raise SourceFailed("simulated table: wanted a picture, found it closed before the first: open it again")
        frame = Frame(self._seq, taken_ns, self._noise.on(self._now[1]), CAMERA)
        self._seq += 1
        return frame

    def _paint_ahead(self) -> None:
        """The worker: paints until the evening is over or the source is closed; what is painted is kept."""
        try:
            left_over, self._left_over = self._left_over, None
            if left_over is not None and not self._handed_over(left_over):
                return
            for shot in self._shots:
                if not self._handed_over((shot, self._easel.paint(shot))):
                    return
            self._handed_over(None)
        except (ValueError, ArithmeticError, LookupError, cv2.error) as error:  # told by whoever walks `frames`
            self._trouble = error

    def _handed_over(self, painted: tuple[Shot, Image] | None) -> bool:
        """Waits for room in the queue. False: the source was closed meanwhile; the next worker begins with this."""
        while True:
            try:
                self._ready.put(painted, timeout=_POLL_S)
                return True
            except queue.Full:
                with self._leaving:
                    if self._closed.is_set():
                        self._left_over, self._worker = painted, None
                        return False

