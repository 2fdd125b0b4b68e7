"""The commands of `overboard`, each a thin function over the room's other files.

Exit code 0: done. 1: the world is not ready, with a sentence on standard error. 2: wrong words.
A command imports what it needs when it runs: `doctor` must work where OpenCV is missing, `rules` needs
nothing but Python.
"""

from __future__ import annotations

import atexit
import os
import secrets
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NoReturn

import click

from table.cli_journal import journal
from table.cli_said import doing, printed, progress
from table.cli_score import calibrate_tiles, score
from table.cli_table import calibrate, record, run
from table.cli_words import game_argument, game_option, watched_argument

ROOTS: Mapping[str, str] = {
    "rules.game": "RulesError",
    "vision.frame": "VisionError",
    "calibration.errors": "CalibrationError",
    "device.pins": "DeviceError",
    "webui.errors": "WebError",
    "table.errors": "TableError",
}
"""By module, the root of each room's error tree. A room that was not loaded has raised nothing."""
WRONG_WORDS: Mapping[str, tuple[str, ...]] = {
    "rules.game": ("UnknownGame", "SetupError", "NotationError"),
    "table.errors": ("BadSettings",),
}
"""Errors that mean that what was typed (on the line, in the settings) is wrong: exit code 2."""
NOT_HERE = {"cv2": "OpenCV", "numpy": "numpy"}
LEAVE_S = 0.3
FOLDER = click.Path(path_type=Path)


def version_here() -> str:
    """The installed version; a plain checkout has none."""
    try:
        return version("overboard")
    except PackageNotFoundError:
        return "(not installed)"


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(version_here(), message="%(prog)s %(version)s")
def cli() -> None:
    """A camera above a real table that watches a board game and knows its rules."""


@cli.command()
@watched_argument
@click.argument("pictures", metavar="PICTURE...", nargs=-1, required=True, type=FOLDER)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a picture.")
def locate(game: str, pictures: tuple[Path, ...], as_json: bool) -> int:
    """Find a board in single pictures.

    That of GAME, with nothing else known. A picture that cannot be read is told, the others go on, and
    the exit code is 1 then.
    """
    from table.locating import located

    unreadable = False
    for picture in progress(pictures, "looking"):
        line = located(picture)
        unreadable |= line.unreadable
        printed(line.to_json() if as_json else str(line))
    return int(unreadable)


@cli.command()
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a picture.")
def read(folder: Path, as_json: bool) -> None:
    """Tell what stands where in the pictures of DIR."""
    from table.reading import read_folder
    from table.said import read_words
    from table.setup_folder import read_setup

    for line in progress(read_folder(folder), "reading", len(read_setup(folder).frames)):
        printed(line.to_json() if as_json else read_words(line.body))


@cli.command()
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.option("--json", "as_json", is_flag=True, help="JSON lines.")
def replay(folder: Path, as_json: bool) -> None:
    """Tell what the referee says at each picture of DIR."""
    from table.replay import replay_folder
    from table.said import replay_words

    for line in progress(replay_folder(folder), "replaying"):
        printed(line.to_json() if as_json else replay_words(line))


@cli.command()
@click.argument("folders", metavar="DIR...", nargs=-1, required=True, type=FOLDER)
@click.option("--json", "as_json", is_flag=True, help="One JSON object for all folders.")
def evaluate(folders: tuple[Path, ...], as_json: bool) -> None:
    """Hold what is read and said against the truth.

    It lies beside the pictures of each DIR.
    """
    import json

    from table.evaluate import evaluate as evaluated
    from table.evaluate_text import report_text
    from table.reading import read_folder
    from table.replay import replay_folder

    with doing("evaluating") as told:
        report = evaluated(folders, read_folder, replay_folder, told)
    printed(json.dumps(report.to_json()) if as_json else report_text(report))


@cli.command()
@game_option
@click.option("--kind", type=click.Choice(["game", "stills", "city", "city-game"]), default="game", show_default=True,
              help="city: finished cities of Quadropolis; city-game: one that grows tile by tile.")
@click.option("--plays", type=click.IntRange(1, 10000), help="Legal actions before the game breaks off, or pictures of "
                                                              "stills; if not given, a whole game, or 8 pictures.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True)
@click.option("--seats", type=click.IntRange(3, 4), default=4, show_default=True)
@click.option("--per-size", type=click.IntRange(1, 7), default=1, show_default=True, help="Pyramids of each size.")
@click.option("--out", type=FOLDER, required=True, help="A new or empty folder.")
def simulate(game: str, kind: str, plays: int | None, seed: int, seats: int, per_size: int, out: Path) -> None:
    """Paint pictures of a table that never was.

    A recording with its truth, in the folder --out.
    """
    from table.sim.city_folder import CityPlan, simulate_city_folder
    from table.sim.folder import FolderPlan, check_out, simulate_folder

    if kind == "city":
        check_out(out)
        with doing("painting") as told:
            simulate_city_folder(out, CityPlan(seed, plays or 5), told)
        printed(f"{out}: painted; `overboard score {out}` reads it")
        return
    if kind == "city-game":
        from table.sim.city_game import CityGamePlan, simulate_city_game

        check_out(out)
        with doing("painting") as told:
            builds = min(plays or 12, 16)
            simulate_city_game(out, CityGamePlan(seed, builds, min(4, builds // 2)), told)
        printed(f"{out}: painted; `overboard replay {out}` follows it, `overboard evaluate {out}` tells how well")
        return
    plan = FolderPlan(kind, seed, per_size=per_size, players=seats)
    if plays is not None:
        plan = FolderPlan(kind, seed, plays, None, per_size, seats) if kind == "stills" else FolderPlan(
            kind, seed, plays=plays, per_size=per_size, players=seats)
    with doing("painting") as told:
        simulate_folder(out, plan, told)
    printed(f"{out}: painted; `overboard evaluate {out}` reads it")


@cli.command()
@game_argument
@click.option("--seats", default="south,west,north,east", show_default=True,
              help="Two, three or four of south, west, north, east; the first named begins.")
@click.option("--options", default="", help="Readings of the rulebook, as per_size=3,gaps=stop.")
@click.option("--option", "single", multiple=True, metavar="NAME=VALUE",
              help="One of them, as goal=3 or order=[\"small\",\"large\",\"small\"]; may be repeated.")
@click.option("--load", type=FOLDER, help="Go on with a match that was saved; seats and options are its own.")
@click.option("--save", type=FOLDER, help="Write the match here at the end.")
@click.option("--seed", type=click.IntRange(0), help="Decides what is drawn where a game has a bag.")
@click.option("--language", type=click.Choice(["en", "pt"]), default="en", show_default=True)
def play(
    game: str, seats: str, options: str, single: tuple[str, ...], load: Path | None, save: Path | None,
    seed: int | None, language: str,
) -> None:
    """Play a game in the terminal, no camera."""
    from rules.catalogue import SPEECHES, game_named
    from rules.match import Match, write_match
    from rules.terminal import Manner, match_in, play_in_terminal
    from table.cli_words import named_options, named_seats

    played = game_named(game)
    if load is not None:
        match = match_in(load, played)
    else:
        request = {"seats": named_seats(seats), "options": named_options(options, single)}
        match = Match.begun(played, SPEECHES[game].setup(request))
    if seed is None:
        seed = secrets.randbelow(1_000_000)
        if played.facts.has_chance:
            click.echo(f"drawing with --seed {seed}", err=True)
    match = play_in_terminal(match, _typed, printed, Manner(language, seed))
    if save is not None:
        save.write_text(write_match(match), encoding="utf-8")
        click.echo(f"saved {len(match.plays)} actions in {save}", err=True)


def _typed() -> str:
    """A line of standard input; a mark before it only where somebody types."""
    if sys.stdin.isatty():
        return input("> ")
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


@cli.command()
@game_argument
def rules(game: str) -> None:
    """Answer questions about the rules in JSON.

    A request a line on standard input, an answer a line on standard output.
    """
    from rules.catalogue import game_named
    from rules.protocol import serve

    serve(game_named(game), sys.stdin.buffer, sys.stdout)


@cli.command()
@click.option("--config", type=FOLDER, help="Instead of overboard.toml.")
@click.option("--source", help="Judge the table as it would be with this source.")
@click.option("--port", type=int, help="Judge this port.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a finding.")
def doctor(config: Path | None, source: str | None, port: int | None, as_json: bool) -> int:
    """Look what is wrong, and say what to do."""
    from table.doctor import examine

    wrong = False
    for finding in examine(config, os.environ, {"camera.source": source, "web.port": port}):
        printed(finding.to_json() if as_json else str(finding))
        wrong |= finding.is_wrong
    return int(wrong)


for _command in (run, record, calibrate, journal, score):
    cli.add_command(_command)
calibrate.add_command(calibrate_tiles)


def main(words: Sequence[str] | None = None) -> NoReturn:
    """The program. Every end goes through here, so that none shows a traceback for what people can put right."""
    os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")  # what it would say, we say in one sentence
    try:
        code = _done(words)
        if words is None:
            _leave(code)
        sys.exit(code)
    except BrokenPipeError:
        # Whoever read our lines has gone (`| head`); nobody is left to be told.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _leave(code: int) -> None:
    """Ends at once if a thread still works for us that nobody can end (a camera that hangs, a picture being painted).

    Python would end it within OpenCV's code, which answers by aborting the program.
    """
    busy = [thread for thread in threading.enumerate() if thread.daemon]
    for thread in busy:
        thread.join(LEAVE_S)
    if any(thread.is_alive() for thread in busy):
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _done(words: Sequence[str] | None) -> int:
    try:
        answer = cli.main(args=None if words is None else list(words), prog_name="overboard", standalone_mode=False)
        sys.stdout.flush()
        return answer if isinstance(answer, int) else 0
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.ClickException as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            error.show()
            return 2
        where = getattr(error, "ctx", None)
        words_of = where.command_path if where is not None else "overboard"
        click.echo(f"{error.format_message().rstrip('.')}; `{words_of} --help` tells the words", err=True)
        return 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        return 130
    except BrokenPipeError:
        raise
    except ImportError as error:
        if error.name not in NOT_HERE:
            raise
        click.echo(f"wanted {NOT_HERE[error.name]}, found none in this Python: on a Pi run `sudo apt install "
                   "python3-opencv python3-numpy` and make the environment with --system-site-packages, elsewhere "
                   "`pip install 'overboard[desktop]'`; `overboard doctor` looks at the rest", err=True)
        return 1
    except Exception as error:
        if not isinstance(error, (*_classes({m: (n,) for m, n in ROOTS.items()}), OSError)):
            raise
        click.echo(_sentence(error), err=True)
        return 2 if isinstance(error, _classes(WRONG_WORDS)) else 1


def _classes(names: Mapping[str, tuple[str, ...]]) -> tuple[type[Exception], ...]:
    """The classes of these names in the modules that are loaded."""
    return tuple(_classes_of(names))


def _classes_of(names: Mapping[str, tuple[str, ...]]) -> Iterator[type[Exception]]:
    for module, classes in names.items():
        if module in sys.modules:
            yield from (getattr(sys.modules[module], name) for name in classes)


def _sentence(error: Exception) -> str:
    """What a person is told. A bare `OSError` (a full disk, a forbidden folder) has no sentence of its own."""
    if type(error).__module__ == "builtins" and isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}wanted to read or write, found that it cannot be ({error.strerror or error}): " \
               "check the name, the rights and the disk"
    return str(error)
