"""An evening over scripted observations: people act on a pretended table, and time passes by counting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from device.button import Press
from rules.catalogue import game_named
from rules.game import Setup
from rules.match import Match, Play
from rules.words import Cell, Colour, Layout, Piece, Seat
from table.errors import JournalFull
from table.evening import Manners
from table.events import Event, PlayAccepted
from table.journal import Entry, Journal
from tests.table.rewatched import DiskFull, Killed, Script, WrittenEvening
from tests.table.scripted import KIT, SEATS4, observed
from vision.observation import BoardState
from webui.desk import Receipt, Request, Wish

GAME = game_named("gridlock")
PERIOD_MS = 100
GREEN = Piece("small", Colour("green"))
WHOLE = ("S:Sa1", "W:Sa5", "N:Sh8", "E:Sh1", "S:Ma2", "W:Mb5", "N:Mg8", "E:Mg1", "S:La3", "W:Lc5", "N:Lf8", "E:Lf1",
         "S:xa1", "W:xa5", "N:pass", "E:xh1", "S:xa2", "W:xb5", "N:xh8", "E:xg1", "S:xa3", "W:xc5", "N:xg8", "E:xf1",
         "N:xf8")
"""A whole game of one piece of each size."""


def setup_of(per_size: int = 1, van: str = "north") -> Setup:
    return Setup(SEATS4, tuple((s,) for s, _ in SEATS4), Seat(0), (("per_size", str(per_size)), ("van", van)))


SCRIPTS: list[Script] = []
"""Of every evening that this test began: `conftest` puts them into another table when the test is over."""


class ScriptedEvening:
    """`table` is what lies there; `rest` lets the camera look at it for a while. `goes_on`: another life of one."""

    def __init__(self, path: Path, setup: Setup | None = None, goes_on: Script | None = None) -> None:
        self.path = path
        self.journal = Journal(path)
        self.script = goes_on or Script(path, setup or setup_of(), Manners())
        self.evening = WrittenEvening(self.script, self.journal)
        self.ms = 0
        self.keys = 0
        self.table: dict[Cell, Piece] = {}
        self.misread: Mapping[Cell, Piece | None] = {}
        if goes_on is None:
            SCRIPTS.append(self.script)
            self.evening.open("gridlock", self.script.setup)
        else:
            assert self.evening.resume()
        self.lay(self.match)

    @property
    def match(self) -> Match:
        return self.evening.story.match

    def lay(self, match: Match) -> None:
        """Make the table as a match says."""
        self.table = dict(GAME.layout(match.state).pieces)

    def rest(self, ms: int = 1500, **more: Any) -> None:
        """Time passes over the table as it lies; `more` goes to `observed`."""
        for _ in range(0, ms, PERIOD_MS):
            self.ms += PERIOD_MS
            more.setdefault("board", BoardState.STEADY)
            seen = observed(Layout(dict(self.table)), self.ms, self.ms * 1_000_000, instead=self.misread, **more)
            self.evening.looked(seen)

    def play(self, text: str, ms: int = 1500) -> None:
        """Somebody does a legal action on the table, with a hand first."""
        state = self.match.state
        after = GAME.play(state, GAME.read(text, state))
        self.rest(300, hidden=[Cell(4, 4)], hand=True)
        self.table = dict(GAME.layout(after).pieces)
        self.rest(ms)

    def put(self, name: str, piece: Piece | None, ms: int = 1500) -> None:
        """Somebody puts a piece somewhere, or takes it away."""
        self.rest(300, hidden=[Cell(4, 4)], hand=True)
        self.table.pop(KIT.cell_named(name), None)
        if piece is not None:
            self.table[KIT.cell_named(name)] = piece
        self.rest(ms)

    def wish(self, wish: Wish, on_seq: int | None = None, key: str | None = None) -> Receipt:
        self.keys += 1
        seq = self.evening.story.seq if on_seq is None else on_seq
        return self.evening.wished(Request(key or f"key-{self.keys}", seq, wish))

    @contextmanager
    def full_disk(self) -> Iterator[None]:
        """Nothing can be written for a while."""
        append = self.journal.append

        def refused(match: int, event: Event) -> Entry:
            raise JournalFull("the journal: wanted to write, found the disk full: free some space")

        self.journal.append = refused  # type: ignore[method-assign]
        self.script.inputs.append(DiskFull(True))
        try:
            yield
        finally:
            self.journal.append = append  # type: ignore[method-assign]
            self.script.inputs.append(DiskFull(False))

    def press(self, press: Press) -> None:
        self.evening.pressed(press)

    def events(self, after: int = 0) -> list[Event]:
        return [entry.event for entry in self.journal.after(after)]

    def kinds(self, after: int = 0) -> list[str]:
        return [type(event).__name__ for event in self.events(after)]

    def killed(self) -> ScriptedEvening:
        """The program dies and begins again; the table stays as it lies."""
        self.script.inputs.append(Killed(self.journal.last_seq))
        self.journal.close()
        again = ScriptedEvening(self.path, goes_on=self.script)
        again.table, again.ms, again.keys = self.table, self.ms, self.keys + 1000
        return again


def plays_equal_replay(scripted: ScriptedEvening) -> bool:
    """Whether the position equals a replay of its plays from the start (R4)."""
    match = Match.begun(GAME, scripted.match.setup)
    for play in scripted.match.plays:
        match = match.after(Play(play.move, play.by))
    return bool(match.state == scripted.match.state)


def accepted(scripted: ScriptedEvening) -> list[str]:
    return [event.move for event in scripted.events() if isinstance(event, PlayAccepted)]
