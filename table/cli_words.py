"""The words of the commands that are more than a text: a game's name, seats, options."""

from __future__ import annotations

import click

from rules.catalogue import GAMES

PLANNED = ("quadropolis", "ido", "gridopolis")
"""Games that are named in the plan and cannot be watched yet."""


def game_name(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """The word as a game of the catalogue. Raises `click.BadParameter`, which says what works."""
    names = [game.facts.name for game in GAMES]
    word = value.lower()
    if word in names:
        return word
    works = " and ".join(names)
    if word in PLANNED:
        raise click.BadParameter(f"{word} cannot be played here yet: {works} is what works so far", ctx, param)
    raise click.BadParameter(f"wanted a game, found {value!r}: {works} is what works so far", ctx, param)


game_argument = click.argument("game", callback=game_name)
game_option = click.option("--game", metavar="GAME", default="gridlock", show_default=True, callback=game_name)


def named_seats(text: str) -> list[str]:
    """`south,north`, or how many: 4 is all, 3 leaves out east, 2 are south and north."""
    counted = {"2": "south,north", "3": "south,west,north", "4": "south,west,north,east"}
    return [part.strip().lower() for part in counted.get(text.strip(), text).split(",") if part.strip()]


def named_options(text: str) -> dict[str, str | int]:
    """`per_size=3,gaps=stop` by name. Raises `click.UsageError`; which names there are is for the game to say."""
    options: dict[str, str | int] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, sign, value = part.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise click.UsageError(f"--options: wanted NAME=VALUE, found {part!r}: write it like per_size=3,gaps=stop")
        options[name.strip()] = int(value) if value.strip().isdecimal() else value.strip()
    return options
