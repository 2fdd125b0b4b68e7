"""The facts of a match: what happened, in the past tense. The state is always a fold over them.

Moves are stored in the game's own notation, so that a journal can be read by eye and
survives a change of classes. Each event has a `kind` (its class's name) and a version in
`VERSIONS`; a kind that changes gets a new version and an entry in `UPGRADES`, and old rows
are never rewritten.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rules.game import Reason, ScoreLine, Setup
from rules.words import Cell, Change, Layout, Piece, Seat
from table.written import from_json, to_json


@dataclass(frozen=True, slots=True)
class MatchOpened:
    """A match began."""

    game: str
    setup: Setup


@dataclass(frozen=True, slots=True)
class SetUp:
    """The start position was seen on the table."""

    layout: Layout


@dataclass(frozen=True, slots=True)
class PlayAccepted:
    """Seen, legal, done. `seat` acted; `by` is camera."""

    move: str
    seat: Seat
    frame_seq: int
    may_continue: bool = False


@dataclass(frozen=True, slots=True)
class PlayRefused:
    """Seen, not legal; the match stands. `put_right` says what to put where."""

    move: str
    seat: Seat
    reasons: tuple[Reason, ...]
    put_right: tuple[Change, ...]
    frame_seq: int


@dataclass(frozen=True, slots=True)
class PutRight:
    """What was refused or not understood is as it should be again."""

    cells: tuple[Cell, ...]
    frame_seq: int


@dataclass(frozen=True, slots=True)
class PlayDeclared:
    """A person said so."""

    move: str
    seat: Seat
    by: str


@dataclass(frozen=True, slots=True)
class PlayUndone:
    """The last `count` actions were taken back; `by` is phone, button or table (the piece was put back)."""

    count: int
    by: str


@dataclass(frozen=True, slots=True)
class PlayCorrected:
    """Action number `index` (from 0) was another one than first thought.

    Later actions that are still legal stay; `dropped` are those that are not.
    """

    index: int
    move: str
    dropped: tuple[str, ...]
    by: str


@dataclass(frozen=True, slots=True)
class Option:
    """One possible answer: the actions it stands for, in order; none means that nothing was done."""

    key: str
    moves: tuple[str, ...]
    probability: float


@dataclass(frozen=True, slots=True)
class Asked:
    """The camera could not tell. `question` is a code of `table.present`: which, undo, meant."""

    question: str
    options: tuple[Option, ...]
    cells: tuple[Cell, ...]
    frame_seq: int


@dataclass(frozen=True, slots=True)
class Answered:
    """The question of `question_seq` was answered with the option `choice`; by phone or by the table itself."""

    question_seq: int
    choice: str
    by: str


@dataclass(frozen=True, slots=True)
class CellCorrected:
    """A person named what stands in a cell; `looked` is how the camera read it, believed until that changes."""

    cell: Cell
    piece: Piece | None
    looked: Piece | None
    by: str


@dataclass(frozen=True, slots=True)
class Noticed:
    """The table and the match differ and no action explains it; `differences` say what to put where."""

    differences: tuple[Change, ...]
    frame_seq: int


@dataclass(frozen=True, slots=True)
class CameraLost:
    """No picture for some seconds, or the same one again and again."""

    why: str


@dataclass(frozen=True, slots=True)
class CameraFound:
    """Pictures come again."""

    frame_seq: int


@dataclass(frozen=True, slots=True)
class BoardLost:
    """The board is not where it was and was not found; `why` is the finder's sentence."""

    why: str


@dataclass(frozen=True, slots=True)
class BoardFound:
    """The board was found again, or found where it had been moved to."""

    frame_seq: int
    moved: bool


@dataclass(frozen=True, slots=True)
class ProfileChosen:
    """Which calibration this evening stands on, and what its report says."""

    profile: str
    report: str


@dataclass(frozen=True, slots=True)
class SoundChosen:
    """How much the table may be heard: off, wrong, some, all."""

    level: str


@dataclass(frozen=True, slots=True)
class Resumed:
    """The program began again in the middle of this match; `differences` between table and match, if seen."""

    differences: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class MatchClosed:
    """The result, as it was told."""

    winners: tuple[Seat, ...]
    ending: str
    scores: tuple[ScoreLine, ...]


Event = (
    MatchOpened
    | SetUp
    | PlayAccepted
    | PlayRefused
    | PutRight
    | PlayDeclared
    | PlayUndone
    | PlayCorrected
    | Asked
    | Answered
    | CellCorrected
    | Noticed
    | CameraLost
    | CameraFound
    | BoardLost
    | BoardFound
    | ProfileChosen
    | SoundChosen
    | Resumed
    | MatchClosed
)

KINDS: Mapping[str, type] = {
    kind.__name__: kind
    for kind in (
        MatchOpened, SetUp, PlayAccepted, PlayRefused, PutRight, PlayDeclared, PlayUndone, PlayCorrected, Asked,
        Answered, CellCorrected, Noticed, CameraLost, CameraFound, BoardLost, BoardFound, ProfileChosen,
        SoundChosen, Resumed, MatchClosed,
    )
}  # fmt: skip
VERSIONS: Mapping[str, int] = dict.fromkeys(KINDS, 1)
"""The version in which each kind is written today."""

Upgrade = Callable[[dict[str, Any]], dict[str, Any]]
UPGRADES: Mapping[tuple[str, int], Upgrade] = {}
"""(kind, version) -> the body in the next version. Empty while every kind is at its first."""


def write_event(event: Event) -> tuple[str, int, dict[str, Any]]:
    """Kind, version and body of an event."""
    kind = type(event).__name__
    return kind, VERSIONS[kind], to_json(event)


def read_event(kind: str, version: int, body: Any) -> Event:
    """The event of a row. Raises `ValueError` for a kind, version or body that this program does not know."""
    if kind not in KINDS:
        raise ValueError(f"wanted an event this program knows, found {kind!r}: use a newer program")
    if version > VERSIONS[kind]:
        raise ValueError(f"{kind}: wanted version {VERSIONS[kind]} or older, found {version}: use a newer program")
    while version < VERSIONS[kind]:
        body, version = UPGRADES[(kind, version)](body), version + 1
    event: Event = from_json(KINDS[kind], body, kind)
    return event
