"""A game in the terminal: rules alone, no camera. Text in, text out, both of them given."""

from __future__ import annotations

import json
import random
import shlex
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, assert_never

from rules.catalogue import SPEECHES, game_named
from rules.game import AnyGame, Move, NotationError
from rules.gridlock.drawing import drawing as gridlock_drawing
from rules.gridopolis.drawing import drawing as gridopolis_drawing
from rules.ido.drawing import drawing as ido_drawing
from rules.match import Match, Play, Source, read_match, write_match
from rules.quadropolis.drawing import drawing as quadropolis_drawing
from rules.words import NATURE, Seat, seat_name

HELP = (
    "An action as `list` shows it, or as JSON like {\"kind\": \"pass\"}, or:",
    "  list [PART]  every action that is legal now, or those with PART in them",
    "  board        the position again",
    "  score        what the position would score, part by part",
    "  undo [N]     take back the last action, or the last N; what was drawn after it goes back too",
    "  save FILE    write the match as text",
    "  load FILE    go on with a match that was saved",
    "  help         this",
    "  quit         leave",
)
WIDTH = 100
"""Columns of a terminal that lists are broken to."""

DRAWINGS: dict[str, Callable[[Mapping[str, Any]], list[str]]] = {
    "gridlock": gridlock_drawing,
    "quadropolis": quadropolis_drawing,
    "ido": ido_drawing,
    "gridopolis": gridopolis_drawing,
}
"""By a game's name: a position, as `Game.dump` gives it, as lines. A game without one is told piece by piece."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a session speaks and draws.

    `seed` decides what is drawn where a game has a bag: the same match draws the same, also after `undo`.
    None: nothing is drawn, and who plays types what came out of a real bag, as JSON.
    """

    language: str = "en"
    seed: int | None = None


def play_in_terminal(
    match: Match, read_line: Callable[[], str], write_line: Callable[[str], object], manner: Manner | None = None
) -> Match:
    """Plays a match on by typed actions until `quit` or the end of input; gives the match as it was left.

    `read_line` gives a line without its end, or raises `EOFError`, as `input` does.
    """
    manner = manner or Manner()
    match, told = _drawn(match, manner)
    remark = match.game.remark(match.state, manner.language)
    _tell([*told, *position_lines(match), *([remark] if remark else [])], write_line)
    while True:
        try:
            line = read_line().strip()
        except EOFError:
            return match
        if line == "quit":
            return match
        if line:
            changed, told = _answer(match, line, manner)
            _tell(told, write_line)
            if changed is not match:
                match, told = _drawn(changed, manner)
                _tell([*told, *position_lines(match)], write_line)


def _tell(lines: Iterable[str], write_line: Callable[[str], object]) -> None:
    for line in lines:
        write_line(line)


def _drawn(match: Match, manner: Manner) -> tuple[Match, list[str]]:
    """The match after what nature does now, if it is nature's turn and there is a seed to draw with."""
    told: list[str] = []
    while manner.seed is not None and match.game.to_move(match.state) == NATURE:
        # By the number of plays: the bag lies still while people take back and try again.
        chance = random.Random(f"{manner.seed} {len(match.plays)}")
        move = SPEECHES[match.game.facts.name].draw(match.state, chance)
        if move is None:
            break
        match = match.after(Play(move, Source.SCRIPT))
        told = ["Drawn from the bag."]
    return match, told


def _answer(match: Match, line: str, manner: Manner) -> tuple[Match, list[str]]:
    """The match after a line, and what to say about it."""
    if line.startswith("{"):
        return _acted(match, line, manner)
    try:
        words = shlex.split(line)
    except ValueError:  # a quotation mark without its partner
        words = line.split()
    match words:
        case ["help"]:
            return match, list(HELP)
        case ["board"]:
            return match, position_lines(match)
        case ["list"]:
            return match, action_lines(match)
        case ["list", part]:
            return match, action_lines(match, part)
        case ["score"]:
            return match, score_lines(match)
        case ["undo"] | ["undo", _]:
            return _undone(match, words[1] if len(words) > 1 else "1")
        case ["save", file]:
            return match, [_saved(match, file)]
        case ["load", file]:
            return _loaded(match, file)
        case [text]:
            return _acted(match, text, manner)
        case [*_]:
            return match, [f"wanted an action or a command, found {line!r}: `help` lists them"]
        case _ as never:
            assert_never(never)


def _acted(match: Match, text: str, manner: Manner) -> tuple[Match, list[str]]:
    try:
        move = _read(match, text)
    except NotationError as error:
        return match, [f"{error}. `help` lists the commands, `list` the actions."]
    verdict = match.game.judge(match.state, move)
    if not verdict.legal:
        return match, [match.game.say(reason, manner.language) for reason in verdict.reasons]
    return match.after(Play(move, Source.SCRIPT)), []


def _read(match: Match, text: str) -> Move:
    """The action typed, in the game's notation or as JSON. Raises `NotationError`."""
    if not text.startswith("{"):
        return match.game.read(text, match.state)
    try:
        action = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotationError(f"wanted an action as JSON, found none ({error}): correct it") from None
    return SPEECHES[match.game.facts.name].move(action, match.state)


def _undone(match: Match, count: str) -> tuple[Match, list[str]]:
    """Takes back actions of people, and with each what nature did after it."""
    if not (count.isascii() and count.isdigit() and 0 < len(count) < 5):
        return match, [f"wanted how many actions to take back, found {count!r}: write `undo` or `undo 3`"]
    chosen = [number for number, play in enumerate(match.plays) if play.move.seat != NATURE]
    if int(count) > len(chosen):
        return match, [f"wanted to take back {count} actions, found {len(chosen)}: take back fewer"]
    if int(count) == 0:
        return match, []
    return match.undone(len(match.plays) - chosen[-int(count)]), []


def _saved(match: Match, file: str) -> str:
    try:
        Path(file).write_text(write_match(match), encoding="utf-8")
    except (OSError, ValueError) as error:
        return f"wanted to write {file}, found {_trouble(error)}: choose another file"
    return f"saved {len(match.plays)} actions in {file}"


def _loaded(match: Match, file: str) -> tuple[Match, list[str]]:
    try:
        loaded = match_in(Path(file), match.game)
    except NotationError as error:
        return match, [str(error)]
    return loaded, [f"loaded {len(loaded.plays)} actions from {file}"]


def match_in(file: Path, game: AnyGame) -> Match:
    """The match of this game that a file holds. Raises `NotationError` with the file and the line."""
    try:
        loaded = read_match(file.read_text(encoding="utf-8"), game_named)
    except UnicodeDecodeError:
        raise NotationError(f"wanted a saved match in {file}, found no text: choose another file") from None
    except NotationError as error:
        raise NotationError(f"{file}, {error}") from None
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise NotationError(f"wanted to read {file}, found {_trouble(error)}: choose another file") from None
    if loaded.game is not game:
        found, wanted = loaded.game.facts.title, game.facts.title
        raise NotationError(f"wanted a match of {wanted}, found one of {found} in {file}: choose another file")
    return loaded


def _trouble(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)


def action_lines(match: Match, part: str = "") -> list[str]:
    """The legal actions in the game's notation, those with `part` in them, broken into lines."""
    words = [match.game.write(move) for move in match.game.moves(match.state)]
    found = [word for word in words if part in word]
    if found:
        return textwrap.wrap(" ".join(found), WIDTH, break_long_words=False, break_on_hyphens=False)
    if match.game.to_move(match.state) == NATURE:
        return ["none: this is drawn, so type as JSON what came"]
    return [f"none of {len(words)} with {part} in it" if words else "none"]


def position_lines(match: Match) -> list[str]:
    """The position as the game draws it, and whose turn it is; at the end the score and the winners."""
    game, state = match.game, match.state
    draws = DRAWINGS.get(game.facts.name)
    lines = plain_lines(game, state) if draws is None else draws(game.dump(state))
    outcome, turn = game.outcome(state), game.to_move(state)
    if outcome is not None:
        lines.extend(score_lines(match))
        lines.append(f"Over. Winning: {_seats(outcome.winners) or 'nobody'}.")
    elif turn is not None:
        lines.append(f"{game.phase(state)}: {seat_name(turn)} to act.")
    return lines


def plain_lines(game: AnyGame, state: Any) -> list[str]:
    """A position without a drawing: what stands where, and what each side has left."""
    speech = SPEECHES[game.facts.name]
    lines = [
        " ".join((place_text(speech.name(cell)), *filter(None, (piece.colour, piece.kind))))
        for cell, piece in sorted(game.layout(state).pieces.items(), key=lambda item: item[0])
    ]
    for seat, left in game.hands(state).items():
        lines.append(f"{seat_name(seat):5} {', '.join(f'{count} {kind}' for kind, count in left) or 'nothing'} left")
    return lines


def _seats(seats: Iterable[Seat]) -> str:
    return ", ".join(seat_name(seat) for seat in seats)


def score_lines(match: Match) -> list[str]:
    """Each side's total, and under it the parts that add up to it with the places they count."""
    game, state = match.game, match.state
    speech = SPEECHES[game.facts.name]
    scored = list(game.score(state))
    lines = []
    for seat in game.hands(state):
        parts = [line for line in scored if line.seat == seat]
        lines.append(f"{seat_name(seat):5} {sum(line.points for line in parts)}")
        for line in parts:
            places = " ".join(place_text(speech.name(cell)) for cell in line.cells)
            lines.append(f"  {line.points:+3d} {line.label}{': ' if places else ''}{places}")
    return lines


def place_text(name: Any) -> str:
    """A place as the protocol names it, on paper.

    >>> place_text("b4"), place_text([0, -1, 1])
    ('b4', '0,-1,1')
    """
    return ",".join(str(part) for part in name) if isinstance(name, list | tuple) else str(name)
