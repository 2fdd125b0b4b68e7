"""All that the web knows of the table: small values, and the `Desk` that hands them out.

The table implements `Desk`; nothing here knows how.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from rules.game import Outcome, ScoreLine
from rules.words import Cell, Change, Colour, Layout, Piece, Said, Seat


class Tone(Enum):
    """How a notice is shown; never by colour alone: each tone has its own sign and word."""

    PLAIN = "plain"
    GOOD = "good"
    WRONG = "wrong"
    ASK = "ask"
    TROUBLE = "trouble"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that happened, told to people. `cells` are ringed on the board."""

    seq: int
    at_utc: str
    tone: Tone
    said: Said
    seat: Seat | None = None
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """One possible answer to a question, likeliest first. `cut_png` is a cut-out of the picture, or b""."""

    key: str
    said: Said
    probability: float
    cut_png: bytes = b""


@dataclass(frozen=True, slots=True)
class Question:
    """The camera could not tell; the table asks."""

    seq: int
    said: Said
    cells: tuple[Cell, ...]
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class SeatView:
    """A side of the table. `player` counts people from 0: in a two-player game a person has two sides."""

    seat: Seat
    colour: Colour
    player: int
    points: int
    left: tuple[tuple[str, int], ...] = ()
    holds_van: bool = False


@dataclass(frozen=True, slots=True)
class Health:
    """How the table's eyes and hands are. `state` is one of: waiting, hand, settling, reading, question,
    put-right, camera-lost, board-lost, setting-up, over."""

    state: str
    said: Said
    frame_age_ms: float = 0.0
    board_found: bool = True
    camera_ok: bool = True


@dataclass(frozen=True, slots=True)
class TableView:
    """All that a page shows, at journal sequence number `seq`. `revision` grows with every visible change,
    journal or not (a hand, a lost camera): a page waits for a revision, an action names a `seq`.

    `layout` is how the table must look (the match's position). `put_right` leads from what lies there now to
    it: in each `Change`, `before` is what was seen in the cell and `after` is what belongs there; empty when
    nothing is to be put right. `notices` are oldest first; the page shows the newest on top. `board` is columns
    and rows. `scores` are the parts of each seat's score as the table lies; of a finished match, the final ones.
    `phase` is "place" or "drop" in Gridlock; words the page does not know are left out of it."""

    seq: int
    revision: int
    match: int
    game: str
    phase: str
    board: tuple[int, int]
    seats: tuple[SeatView, ...]
    to_move: Seat | None
    layout: Layout
    last_cells: tuple[Cell, ...]
    notices: tuple[Notice, ...]
    alert: Notice | None
    put_right: tuple[Change, ...]
    question: Question | None
    scores: tuple[ScoreLine, ...]
    outcome: Outcome | None
    health: Health
    sound: str = "all"
    can_undo: bool = False


@dataclass(frozen=True, slots=True)
class Undo:
    """Take the last action back."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to the question asked at `question_seq`."""

    question_seq: int
    key: str


@dataclass(frozen=True, slots=True)
class Correct:
    """A cell holds something else than the camera thinks."""

    cell: Cell
    piece: Piece | None


@dataclass(frozen=True, slots=True)
class SetSound:
    """off, wrong, some or all."""

    level: str


@dataclass(frozen=True, slots=True)
class NewMatch:
    """Close this match and begin another at the same table."""


Wish = Undo | Answer | Correct | SetSound | NewMatch


@dataclass(frozen=True, slots=True)
class Request:
    """A wish of a person. `key` makes it act once, however often it is sent; `on_seq` is the
    position it was made on: an old one is refused."""

    key: str
    on_seq: int
    wish: Wish


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a request. `code` is done, stale, refused or busy."""

    accepted: bool
    seq: int
    code: str
    said: Said


class Desk(Protocol):
    """The table, as the web sees it. Every call returns at once but `wait`; all are safe from any thread."""

    def view(self) -> TableView: ...

    def wait(self, revision: int, timeout_s: float) -> TableView:
        """The view as soon as its revision is above `revision`, or after `timeout_s`."""
        ...

    def request(self, request: Request) -> Receipt: ...

    def picture(self) -> bytes | None:
        """The newest picture with what was read drawn on it, as JPEG; None without a camera."""
        ...

    def alternatives(self, cell: Cell) -> Sequence[tuple[Piece | None, float]]:
        """What the camera thinks may stand in a cell, likeliest first."""
        ...

    def pieces(self) -> Sequence[Piece]:
        """Every piece a person may name when correcting a cell."""
        ...
