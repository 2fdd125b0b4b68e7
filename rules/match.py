"""A match: a game, its setup, and the plays so far. Also as text, one play a line:

    game gridlock
    south red
    west yellow
    north green
    east blue
    players south | west | north | east
    first south
    option gaps stop

    S:Lb4 camera
    W:Sc3 phone

Empty lines after the head and lines that begin with # are passed over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from rules.game import AnyGame, IllegalMove, Move, NotationError, NothingToUndo, RulesError, Setup
from rules.words import SEAT_NAMES, Colour, Seat, seat_name, seat_named


class Source(Enum):
    """Who says that a play was made."""

    CAMERA = "camera"
    PHONE = "phone"
    SCRIPT = "script"


@dataclass(frozen=True, slots=True)
class Play:
    """A move that was made, and who says so."""

    move: Move
    by: Source = Source.SCRIPT


@dataclass(frozen=True, slots=True)
class Match:
    """A game under way. A value: `after` and `undone` give new ones, the old stay true.

    `states` has the position before the first play and after each.
    """

    game: AnyGame
    setup: Setup
    plays: tuple[Play, ...]
    states: tuple[Any, ...]

    @staticmethod
    def begun(game: AnyGame, setup: Setup) -> Match:
        """A match before its first play. Raises `SetupError`.

        >>> from rules.catalogue import game_named
        >>> sides = (Seat(0), Seat(1), Seat(2), Seat(3))
        >>> colours = tuple((s, Colour(c)) for s, c in zip(sides, ("red", "yellow", "green", "blue")))
        >>> match = Match.begun(game_named("gridlock"), Setup(colours, tuple((s,) for s in sides), Seat(0)))
        >>> match = match.after(Play(match.game.read("S:Lb4", match.state)))
        >>> match.game.to_move(match.state), len(match.undone().plays)
        (1, 0)
        """
        return Match(game, setup, (), (game.start(setup),))

    @property
    def state(self) -> Any:
        """The position now."""
        return self.states[-1]

    def after(self, play: Play) -> Match:
        """The match with one play more. Raises `IllegalMove`."""
        state = self.game.play(self.state, play.move)
        return Match(self.game, self.setup, (*self.plays, play), (*self.states, state))

    def undone(self, count: int = 1) -> Match:
        """The match with the last `count` plays taken back. Raises `NothingToUndo`."""
        if not 0 <= count <= len(self.plays):
            raise NothingToUndo(f"wanted to take back {count} plays, found {len(self.plays)}: take back fewer")
        keep = len(self.plays) - count
        return Match(self.game, self.setup, self.plays[:keep], self.states[: keep + 1])


def write_setup(setup: Setup) -> list[str]:
    """The head of a match's text after its first line; `read_match` reads it back."""
    lines = [f"{seat_name(seat)} {colour}" for seat, colour in setup.colours]
    lines.append("players " + " | ".join(" ".join(seat_name(s) for s in player) for player in setup.players))
    lines.append(f"first {seat_name(setup.first)}")
    lines.extend(f"option {name} {value}".rstrip() for name, value in setup.options)
    return lines


def write_match(match: Match) -> str:
    """The match as text; `read_match` gives it back."""
    head = [f"game {match.game.facts.name}", *write_setup(match.setup), ""]
    plays = [f"{match.game.write(play.move)} {play.by.value}" for play in match.plays]
    return "\n".join([*head, *plays]) + "\n"


def read_match(text: str, game_named: Callable[[str], AnyGame]) -> Match:
    """The match that a text of `write_match` tells. Raises `NotationError` with the number of the line."""
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1)]
    lines = [(number, line) for number, line in lines if not line.startswith("#")]
    end = next((i for i, (_, line) in enumerate(lines) if not line), len(lines))
    match = _read_head(lines[:end], game_named)
    for number, line in lines[end:]:
        if line:
            match = _after_line(match, number, line)
    return match


def _after_line(match: Match, number: int, line: str) -> Match:
    words = line.rsplit(maxsplit=1)
    sources = {source.value: source for source in Source}
    if len(words) != 2 or words[1] not in sources:
        raise NotationError(
            f"line {number}: wanted a move and who says so ({', '.join(sources)}), found {line!r}: correct the line"
        )
    try:
        move = match.game.read(words[0], match.state)
        return match.after(Play(move, sources[words[1]]))
    except IllegalMove:
        reasons = match.game.judge(match.state, move).reasons
        why = " ".join(match.game.say(reason) for reason in reasons)
        raise NotationError(f"line {number}: wanted a legal move, found {words[0]}. {why}") from None
    except NotationError as error:
        raise NotationError(f"line {number}: {error}") from None


def _read_head(lines: list[tuple[int, str]], game_named: Callable[[str], AnyGame]) -> Match:
    game: AnyGame | None = None
    colours: list[tuple[Seat, Colour]] = []
    players: tuple[tuple[Seat, ...], ...] | None = None
    first: Seat | None = None
    options: list[tuple[str, str]] = []
    seen: set[str] = set()
    number = 1
    for number, line in lines:
        key, _, value = line.partition(" ")
        value = value.strip()
        if key in seen:
            raise NotationError(f"line {number}: wanted {key} once, found it again: take one away")
        seen.update({key} - {"option"})
        try:
            if key == "game":
                game = game_named(value)
            elif key in SEAT_NAMES:
                colours.append((seat_named(key), Colour(value)))
            elif key == "players":
                players = tuple(tuple(seat_named(name) for name in part.split()) for part in value.split("|"))
            elif key == "first":
                first = seat_named(value)
            elif key == "option":
                name, _, chosen = value.partition(" ")
                options.append((name, chosen.strip()))
            else:
                wanted = ", ".join(("game", *SEAT_NAMES, "players", "first", "option"))
                raise NotationError(f"wanted one of {wanted}, found {key!r}: correct the line")
        except (RulesError, ValueError) as error:
            raise NotationError(f"line {number}: {error}") from None
    if game is None or players is None or first is None:
        raise NotationError(
            f"line {number}: wanted a head with game, players and first, found it without: complete the head"
        )
    try:
        return Match.begun(game, Setup(tuple(colours), players, first, tuple(options)))
    except RulesError as error:
        raise NotationError(f"line {number}: {error}") from None
