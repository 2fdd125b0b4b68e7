"""A painted table with the product watching: what is on it is said in cells, and each look is one picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from device.panel import QuietPanel
from rules.catalogue import game_named
from rules.match import Match, Play
from rules.words import Cell, Layout, Seat
from table.evening import Evening
from table.evenings import FilmCamera
from table.events import Event
from table.journal import Journal
from table.reading import reader_of, taught_by
from table.session import Session
from table.setup_folder import TableSetup, read_setup
from table.sim.paint import Painter
from table.sim.room import FreshNoise, Reach, TableTop, still_sensor
from table.sim.scene import Arm
from table.sim.source import SimPlan, SimSource
from tests.walk.recorded import recorder_in, replayed
from vision.frame import Frame, Image
from vision.kits.gridlock import GridlockKit
from vision.observation import Observation
from vision.observe import Taught

GAME = game_named("gridlock")
SIZE_PX = (640, 480)
PERIOD_MS = 100
Bend = Callable[[Image], Image]
"""What happens to a picture between the table and the program: light, motion, bands."""


@dataclass(frozen=True)
class PaintedRoom:
    """A small room and what its set-up pictures taught: made once, for many tables."""

    source: SimSource
    folder: TableSetup
    taught: Taught
    painters: dict[bool, Painter]

    @classmethod
    def of(cls, folder: Path, seed: int = 3, players: int = 4) -> PaintedRoom:
        source = SimSource(SimPlan(seed, players=players, size_px=SIZE_PX), live=False)
        setup = read_setup(source.write_setup(folder))
        return cls(source, setup, taught_by(setup), {bumped: source.room.painter(bumped) for bumped in (False, True)})


class PaintedTable:
    """A table in the room. `bend` may be changed at any time; `bumped` and `light` choose camera and lamp."""

    def __init__(self, folder: Path, room: PaintedRoom, seed: int = 3) -> None:
        taught = room.taught
        assert isinstance(taught.kit, GridlockKit)
        self.painted, self.room, self.taught = room, room.source.room, taught
        self.rng = np.random.default_rng(seed)
        self.top = TableTop(self.room, self.rng)
        self.folder, self.recorder = folder, recorder_in(folder, room.folder)
        self.journal = Journal(folder / "journal.sqlite")
        self.evening = Evening(self.journal, game_named, taught.kit.visible)
        self._camera, self.watcher = FilmCamera(), reader_of(taught)
        self.session = Session(self.evening, self._camera, self.watcher, QuietPanel(), self.recorder)
        self.evening.listen(self.session.heard)
        self.evening.open("gridlock", room.source.setup)
        self._noise = FreshNoise(self.room.sensor, SIZE_PX, np.random.default_rng(seed + 1))
        self._painted: tuple[object, Image] | None = None
        self.ms = self.seq = 0
        self.light, self.bumped = 0, False
        self.bend: Bend = lambda image: image
        self.lay(self.match.game.layout(self.match.state))

    @property
    def match(self) -> Match:
        return self.evening.story.match

    def lay(self, layout: Layout) -> None:
        """The table from now on."""
        self.top.show(layout)
        self._painted = None

    def picture(self, arm: Arm | None = None) -> Image:
        key = (id(arm), self.light, self.bumped)
        if self._painted is None or self._painted[0] != key:
            painter, sensor = self.painted.painters[self.bumped], still_sensor(self.room.sensor)
            light, grain = self.room.lights[self.light], np.random.default_rng(1)
            image = painter.paint(light, self.top.solids(), grain, sensor, arm)
            self._painted = (key, image)
        return self._noise.on(self.bend(self._painted[1]))

    def look(self, arm: Arm | None = None, ms: int = PERIOD_MS) -> None:
        """One picture, so long after the last."""
        self.ms += ms
        self.seq += 1
        self._camera.give(Frame(self.seq, self.ms * 1_000_000, self.picture(arm)))
        self.session.step()

    def rest(self, ms: int = 1200) -> None:
        for _ in range(0, ms, PERIOD_MS):
            self.look()

    def arm_to(self, seat: Seat, cell: Cell, share: float = 1.0) -> Arm:
        return Reach(self.room, seat, self.top.centre_mm(cell), 5).arm(share)

    def play(self, number: int = 0, during: Callable[[], None] | None = None) -> str:
        """Somebody places a piece in the middle of the board, with a hand that comes and goes; `during` happens in that
        moment."""
        game, state = self.match.game, self.match.state
        middle = {Cell(col, row) for col in range(2, 6) for row in range(3, 6)}
        moves = [move for move in game.moves(state) if move.verb == "place" and move.target in middle]
        move = moves[number * 37 % len(moves)]
        cell = move.target or Cell(0, 0)
        self.look(self.arm_to(move.seat, cell, 0.6))
        self.look(self.arm_to(move.seat, cell))
        if during is not None:
            during()
        self.lay(game.layout(game.play(state, move)))
        self.look(self.arm_to(move.seat, cell, 0.7))
        self.rest()
        return str(game.write(move))

    def events(self, after: int = 0) -> list[Event]:
        return [entry.event for entry in self.journal.after(after)]

    def kinds(self, after: int = 0) -> list[str]:
        return [type(event).__name__ for event in self.events(after)]

    @property
    def seen(self) -> Observation:
        """The newest reading."""
        last = self.session._observation
        assert last is not None
        return last

    def begin(self, actions: int = 3) -> None:
        """The players did not wait for the camera: so many actions lie there at its first look."""
        match, game = self.match, self.match.game
        for number in range(actions):
            moves = [move for move in game.moves(match.state) if move.verb == "place"]
            match = match.after(Play(moves[number * 53 % len(moves)]))
        self.lay(game.layout(match.state))
        self.rest(1000)

    def assert_replays(self) -> None:
        """The recording of all that was seen, watched anew at another speed, gives the same journal."""
        self.recorder.close(self.journal.path)
        assert self.recorder.trouble == ""
        again = replayed(self.recorder.folder, self.taught, self.painted.source.setup, self.folder / "again.sqlite")
        assert again == self.events()
