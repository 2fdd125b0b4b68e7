"""The command `journal`: matches that were played, what happened in one, and a match as text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from table.cli_cities import FILE, print_cities
from table.cli_said import printed
from table.cli_table import config_option, settings_of

if TYPE_CHECKING:
    from table.journal import Entry, Journal

FOLDER = click.Path(path_type=Path)
file_option = click.option("--file", type=FOLDER, help="Another journal than that of the table.")


@click.group()
def journal() -> None:
    """The matches that were played here."""


@journal.command("list")
@file_option
@config_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object a match.")
def list_matches(file: Path | None, config: Path | None, as_json: bool) -> None:
    """Every match, oldest first."""
    from rules.words import seat_name

    book = _opened(file, config)
    for line in book.matches:
        closed = line.closed
        winners = [seat_name(seat) for seat in closed.winners] if closed else []
        if as_json:
            printed(json.dumps({"match": line.match, "opened": line.opened_utc, "game": line.opened.game,
                                "ending": closed.ending if closed else None, "winners": winners}))
        else:
            how = f"{closed.ending}, winning: {', '.join(winners) or 'nobody'}" if closed else "not ended"
            printed(f"{line.match:4}  {line.opened_utc}  {line.opened.game}  {how}")
    book.close()


@journal.command()
@click.argument("match", type=int)
@file_option
@config_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object an entry.")
def show(match: int, file: Path | None, config: Path | None, as_json: bool) -> None:
    """Every entry of MATCH, in order."""
    from table.events import write_event

    book = _opened(file, config)
    for entry, said in _told(_entries(book, match)):
        kind, version, body = write_event(entry.event)
        if as_json:
            printed(json.dumps({"seq": entry.seq, "at": entry.at_utc, "kind": kind, "version": version, "body": body}))
        else:
            printed(f"{entry.seq:6}  {entry.at_utc}  {kind:14} {said}".rstrip())
    book.close()


@journal.command()
@click.argument("match", type=int)
@click.argument("out", metavar="[FILE]", type=FOLDER, required=False)
@file_option
@config_option
def export(match: int, out: Path | None, file: Path | None, config: Path | None) -> None:
    """MATCH as text in the game's notation, into FILE or on standard output."""
    from rules.catalogue import game_named
    from rules.match import write_match
    from table.story import story_of

    book = _opened(file, config)
    text = write_match(story_of(_entries(book, match), game_named).match)
    book.close()
    if out is None:
        printed(text.rstrip("\n"))
    else:
        out.write_text(text, encoding="utf-8")


@journal.command()
@click.option("--png", type=FILE, help="Write the result under way as a picture.")
@click.option("--csv", type=FILE, help="Write its score pad as a table.")
@click.option("--language", type=click.Choice(["en", "pt"]), default="en", show_default=True,
              help="The language of the files.")
@file_option
@config_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object a result.")
def cities(
    png: Path | None, csv: Path | None, language: str, file: Path | None, config: Path | None, as_json: bool
) -> None:
    """Every result of scored Quadropolis cities, oldest first, and the one under way."""
    book = _opened(file, config)
    print_cities(book, png, csv, language, as_json)
    book.close()


def _opened(file: Path | None, config: Path | None) -> Journal:
    """The journal that is meant; a missing one is not made. Raises `NotReady`, `BadJournal`."""
    from table.build import JOURNAL
    from table.errors import NotReady
    from table.journal import Journal

    path = file or Path(settings_of(config, {}).table.data_dir) / JOURNAL
    if not path.is_file():
        raise NotReady(f"{path}: wanted a journal, found none: play a match first, or name the file with --file "
                       f"(a simulated table keeps sim-{JOURNAL})")
    return Journal(path)


def _entries(book: Journal, match: int) -> list[Entry]:
    from table.errors import NotReady

    entries = book.after(0, match)
    if not entries:
        numbers = ", ".join(str(line.match) for line in book.matches) or "none"
        raise NotReady(f"{book.path}: wanted match {match}, found no such match: name one of these: {numbers}")
    return entries


def _told(entries: list[Entry]) -> list[tuple[Entry, str]]:
    """Each entry with the sentence that people were told."""
    from rules.catalogue import game_named
    from table.present import notice_of
    from table.showing import seat_views
    from table.story import Story, told

    story, out = Story(), []
    for entry in entries:
        after = told(story, entry, game_named)
        seats = seat_views(after.match) if after.followed is not None else ()
        notice = notice_of(story, after, entry, seats)
        out.append((entry, notice.said.en if notice is not None else ""))
        story = after
    return out
