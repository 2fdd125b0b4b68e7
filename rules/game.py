"""What a game must offer, and the values that cross its border.

A player's mistake is a value (`Verdict` with reasons). Exceptions are the caller's mistakes:

RulesError
 +-- IllegalMove      (ValueError)  `play` was given a move that `judge` refuses
 +-- NotationError    (ValueError)  a text that is no move, no position or no match
 |    +-- ImpossibleState           a saved position that cannot be; has its faults
 +-- SetupError       (ValueError)  seats, colours or options a game cannot start with
 +-- NothingToUndo    (ValueError)  more plays to take back than were made
 +-- UnknownGame      (LookupError) no game of that name in the catalogue
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from rules.words import Cell, Colour, Layout, Piece, Seat

S = TypeVar("S")
LANGUAGES: tuple[str, ...] = ("en", "pt")
"""Every sentence for people exists in English and in Brazilian Portuguese."""

At: TypeAlias = "str | int | tuple[At, ...]"
"""A place as a fault names it: a square `a1`, a key, a slot or node `(0, -1, 1)`; a tuple becomes a JSON list."""


class RulesError(Exception):
    """Any error of this room."""


class IllegalMove(RulesError, ValueError):
    """`Game.play` was given a move that `Game.judge` refuses."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a setup or a saved position: a code, where, and a sentence with what to do.

    `at` holds places, each by its name: `("a1",)` is one square, `((0, -1, 1), (0, -2, 1))` two nodes.
    """

    code: str
    at: tuple[At, ...]
    text: str


class NotationError(RulesError, ValueError):
    """A text that is no move, no position or no match; names the line where there is one."""


class ImpossibleState(NotationError):
    """A saved position that cannot be; `faults` has every fault at once."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults: tuple[Fault, ...] = tuple(faults)
        super().__init__("; ".join(fault.text for fault in self.faults))


class SetupError(RulesError, ValueError):
    """Seats, colours or options that a game cannot start with; `faults` has every fault at once."""

    def __init__(self, faults: Sequence[Fault] | str) -> None:
        self.faults: tuple[Fault, ...] = (Fault("setup", (), faults),) if isinstance(faults, str) else tuple(faults)
        super().__init__("; ".join(fault.text for fault in self.faults))


class NothingToUndo(RulesError, ValueError):
    """More plays to take back than were made."""


class UnknownGame(RulesError, LookupError):
    """No game of that name in the catalogue."""


@dataclass(frozen=True, slots=True)
class Option:
    """A reading that is the table's to choose. The first value is the default."""

    name: str
    values: tuple[str, ...]
    says: str

    @property
    def default(self) -> str:
        return self.values[0]


@dataclass(frozen=True, slots=True)
class Facts:
    """What can be asked about a game before it is played."""

    name: str
    title: str
    players: tuple[int, ...]
    board: tuple[int, int]
    options: tuple[Option, ...]
    has_chance: bool = False
    hides_anything: bool = False


@dataclass(frozen=True, slots=True)
class Setup:
    """Who sits where and how the table wants to play.

    `colours` has one entry a side in play, clockwise; `players` groups the sides a person
    plays (two sides each in a two-player Gridlock); `options` are pairs of name and value.
    """

    colours: tuple[tuple[Seat, Colour], ...]
    players: tuple[tuple[Seat, ...], ...]
    first: Seat
    options: tuple[tuple[str, str], ...] = ()

    def option(self, name: str, default: str) -> str:
        return dict(self.options).get(name, default)


@dataclass(frozen=True, slots=True)
class Move:
    """One physical action, of any game; a game narrows it by its verbs.

    The last three are for actions of several cells, and empty for all others: `path` the cells a piece comes
    to after `source`, in order (a chain of jumps; `target` is where it stands in the end), `taken` the cells whose
    pieces leave by it (captures), `laid` what comes to lie all at once (a filled site, a final layout).
    """

    seat: Seat
    verb: str
    piece: Piece | None = None
    source: Cell | None = None
    target: Cell | None = None
    note: str = ""
    path: tuple[Cell, ...] = ()
    taken: tuple[Cell, ...] = ()
    laid: tuple[tuple[Cell, Piece], ...] = ()


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a move is not legal: a code of the game's list, and the cells it speaks of."""

    code: str
    cells: tuple[Cell, ...] = ()
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of a move; legal when there is no reason against it."""

    move: Move
    reasons: tuple[Reason, ...] = ()

    @property
    def legal(self) -> bool:
        return not self.reasons


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A part of a seat's score and the cells it counts; the lines of a seat add up to its total."""

    seat: Seat
    label: str
    points: int
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended. `ending` is a code: "complete", "stopped"."""

    winners: tuple[Seat, ...]
    ending: str


class Game(Protocol[S]):
    """The rules of one game, stateless. `S` is the game's own frozen, hashable state."""

    @property
    def facts(self) -> Facts: ...

    def start(self, setup: Setup) -> S:
        """The position before the first move. Raises `SetupError`."""
        ...

    def to_move(self, state: S) -> Seat | None:
        """The seat that acts next; None when the game is over."""
        ...

    def moves(self, state: S) -> Iterable[Move]:
        """Every legal move, once each.

        Where several count as one (the squares of one space) one of them is enough; what `NATURE` does
        is seen and not chosen, so of its moves none need be listed.
        """
        ...

    def judge(self, state: S, move: Move) -> Verdict:
        """Legal, or the reasons why not. Never raises for a bad move."""
        ...

    def play(self, state: S, move: Move) -> S:
        """The position after a legal move. Raises `IllegalMove`: the caller's mistake."""
        ...

    def layout(self, state: S) -> Layout:
        """How the table must look in this position."""
        ...

    def places(self, state: S, seen: Layout) -> Iterable[tuple[Cell, ...]]:
        """Cells that count as one place on a table that looks like `seen`, in this match; none for most games."""
        ...

    def guess(self, state: S, seen: Layout) -> Sequence[Move]:
        """What players may have meant by a table that no legal move explains; likeliest first."""
        ...

    def phase(self, state: S) -> str:
        """Which part of the game this is, as a code of the game's own; "over" when it has ended."""
        ...

    def hands(self, state: S) -> Mapping[Seat, tuple[tuple[str, int], ...]]:
        """What each side in play has left to play, as kinds and counts."""
        ...

    def score(self, state: S) -> Sequence[ScoreLine]:
        """The score of the position as it lies, part by part."""
        ...

    def outcome(self, state: S) -> Outcome | None:
        """The result, or None while the game goes on."""
        ...

    def read(self, text: str, state: S) -> Move:
        """The move a text of `write` stands for. Raises `NotationError`."""
        ...

    def write(self, move: Move) -> str:
        """The move in the game's notation; `read` gives it back."""
        ...

    def say(self, reason: Reason, language: str = "en") -> str:
        """A sentence for a person, in one of `LANGUAGES`.

        Besides the game's own codes there is `unreadable`, for an action that nobody can read.
        """
        ...

    def remark(self, state: S, language: str = "en") -> str:
        """What players should know about how they sit, before they begin; "" where there is nothing to say."""
        ...

    def dump(self, state: S) -> Mapping[str, Any]:
        """The state as JSON values; `load` gives it back."""
        ...

    def load(self, saved: Mapping[str, Any]) -> S:
        """Raises `NotationError` naming every fault."""
        ...


AnyGame = Game[Any]
