"""A game in the terminal: rules alone, no camera. Text in, text out, both of them given."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import assert_never

from rules.catalogue import game_named
from rules.game import AnyGame, NotationError, NothingToUndo, Setup
from rules.match import Match, Play, Source, read_match, write_match
from rules.words import Cell, Colour, Layout, Piece, Seat, seat_name

HELP = (
    "A move, for instance as `list` shows it, or:",
    "  list         every action that is legal now",
    "  board        the position again",
    "  score        what the position would score",
    "  undo [N]     take back the last action, or the last N",
    "  save FILE    write the match as text",
    "  load FILE    go on with a match that was saved",
    "  help         this",
    "  quit         leave",
)
_ARROWS = "^>v<"


def play_in_terminal(
    game: AnyGame,
    setup: Setup,
    read_line: Callable[[], str],
    write_line: Callable[[str], object],
    language: str = "en",
) -> Match:
    """Plays a match by typed actions until `quit` or the end of input; gives the match as it was left.

    `read_line` gives a line without its end, or raises `EOFError`, as `input` does. Raises `SetupError`.
    """
    match = Match.begun(game, setup)
    remark = game.remark(match.state, language)
    _tell([*position_lines(match), *([remark] if remark else [])], write_line)
    while True:
        try:
            words = read_line().split()
        except EOFError:
            return match
        if words == ["quit"]:
            return match
        if words:
            changed, told = _answer(match, words, language)
            _tell(told, write_line)
            if changed is not match:
                match = changed
                _tell(position_lines(match), write_line)


def _tell(lines: Iterable[str], write_line: Callable[[str], object]) -> None:
    for line in lines:
        write_line(line)


def _answer(match: Match, words: list[str], language: str) -> tuple[Match, list[str]]:
    """The match after a line of words, and what to say about it."""
    match words:
        case ["help"]:
            return match, list(HELP)
        case ["board"]:
            return match, position_lines(match)
        case ["list"]:
            return match, [" ".join(match.game.write(move) for move in match.game.moves(match.state)) or "none"]
        case ["score"]:
            return match, score_lines(match)
        case ["undo"] | ["undo", _]:
            return _undone(match, words[1] if len(words) > 1 else "1")
        case ["save", file]:
            return match, [_saved(match, file)]
        case ["load", file]:
            return _loaded(match, file)
        case [text]:
            return _acted(match, text, language)
        case [*_]:
            return match, [f"wanted an action or a command, found {' '.join(words)!r}: `help` lists them"]
        case _ as never:
            assert_never(never)


def _acted(match: Match, text: str, language: str) -> tuple[Match, list[str]]:
    try:
        move = match.game.read(text, match.state)
    except NotationError as error:
        return match, [f"{error}. `help` lists the commands, `list` the actions."]
    verdict = match.game.judge(match.state, move)
    if not verdict.legal:
        return match, [match.game.say(reason, language) for reason in verdict.reasons]
    return match.after(Play(move, Source.SCRIPT)), []


def _undone(match: Match, count: str) -> tuple[Match, list[str]]:
    if not (count.isascii() and count.isdigit() and 0 < len(count) < 5):
        return match, [f"wanted how many actions to take back, found {count!r}: write `undo` or `undo 3`"]
    try:
        return (match, []) if int(count) == 0 else (match.undone(int(count)), [])
    except NothingToUndo as error:
        return match, [str(error)]


def _saved(match: Match, file: str) -> str:
    try:
        Path(file).write_text(write_match(match), encoding="utf-8")
    except OSError as error:
        return f"wanted to write {file}, found {error.strerror}: choose another file"
    return f"saved {len(match.plays)} actions in {file}"


def _loaded(match: Match, file: str) -> tuple[Match, list[str]]:
    try:
        loaded = read_match(Path(file).read_text(encoding="utf-8"), game_named)
    except OSError as error:
        return match, [f"wanted to read {file}, found {error.strerror}: choose another file"]
    except UnicodeDecodeError:
        return match, [f"wanted a saved match in {file}, found no text: choose another file"]
    except NotationError as error:
        return match, [f"{file}, {error}"]
    if loaded.game is not match.game:
        title = loaded.game.facts.title
        return match, [f"wanted a match of {match.game.facts.title}, found one of {title}: choose another file"]
    return loaded, [f"loaded {len(loaded.plays)} actions from {file}"]


def position_lines(match: Match) -> list[str]:
    """The board, what is left to play, and whose turn it is; at the end the score and the winners."""
    game, state = match.game, match.state
    layout = game.layout(state)
    marks = colour_marks(match.setup)
    lines = board_lines(layout, game.facts.board, marks)
    colours = dict(match.setup.colours)
    for seat, left in game.hands(state).items():
        pieces = ", ".join(f"{count} {kind}" for kind, count in left)
        lines.append(f"{seat_name(seat):5} {marks.get(colours[seat], '?')} {colours[seat]}: {pieces} left")
    lines.extend(f"The {piece.kind} is at {where}." for piece, where in _beside(layout))
    outcome, turn = game.outcome(state), game.to_move(state)
    if outcome is not None:
        lines.extend(score_lines(match))
        lines.append(f"Over. Winning: {_seats(outcome.winners) or 'nobody'}.")
    elif turn is not None:
        lines.append(f"{game.phase(state)}: {seat_name(turn)} to act.")
    return lines


def _seats(seats: Iterable[Seat]) -> str:
    return ", ".join(seat_name(seat) for seat in seats)


def _beside(layout: Layout) -> list[tuple[Piece, str]]:
    """The pieces that stand in front of a seat, and at which."""
    return [(piece, seat_name(Seat(cell.col))) for cell, piece in sorted(layout.pieces.items()) if cell.zone == "van"]


def colour_marks(setup: Setup) -> dict[Colour, str]:
    """A letter for each colour: its first one that no colour before it has taken.

    >>> sides = tuple((Seat(i), Colour(c)) for i, c in enumerate(("black", "blue", "red", "green")))
    >>> "".join(colour_marks(Setup(sides, (), Seat(0))).values())
    'blrg'
    """
    marks: dict[Colour, str] = {}
    for _, colour in setup.colours:
        letters = [letter for letter in colour.lower() if letter.isalpha()]
        free = [letter for letter in [*letters, *"abcdefghijklmnopqrstuvwxyz"] if letter not in marks.values()]
        marks[colour] = free[0]
    return marks


def board_lines(layout: Layout, board: tuple[int, int], marks: dict[Colour, str]) -> list[str]:
    """The board as text, the far row first. A piece is its colour's letter, its kind's in capitals, and an
    arrow where it points; `o` where it stands.

    >>> board_lines(Layout({Cell(1, 0): Piece("large", Colour("red"), 0)}), (2, 1), {Colour("red"): "r"})
    ['1   .  rL^', '   a   b  ']
    """
    columns, rows = board
    lines = []
    for row in reversed(range(rows)):
        words = [_square(layout.pieces.get(Cell(col, row)), marks) for col in range(columns)]
        lines.append(f"{row + 1}  {' '.join(words)}")
    lines.append("   " + " ".join(f"{chr(ord('a') + col)}  " for col in range(columns)))
    return lines


def _square(piece: Piece | None, marks: dict[Colour, str]) -> str:
    if piece is None:
        return " . "
    lie = "o" if piece.facing is None else _ARROWS[piece.facing % 4]
    return f"{marks.get(piece.colour, '?')}{piece.kind[:1].upper()}{lie}"


def score_lines(match: Match) -> list[str]:
    """Each side's total, and the parts that add up to it."""
    game, state = match.game, match.state
    scored = list(game.score(state))
    lines = []
    for seat in game.hands(state):
        parts = [line for line in scored if line.seat == seat]
        counted = ", ".join(f"{line.label} of {len(line.cells)}: {line.points}" for line in parts)
        lines.append(f"{seat_name(seat):5} {sum(line.points for line in parts)}  ({counted or 'nothing'})")
    return lines
