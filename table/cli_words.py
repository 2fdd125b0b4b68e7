"""The words of the commands that are more than a text: a game's name, seats, options."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from rules.catalogue import GAMES

WATCHED = ("gridlock",)
"""Games whose table the camera can be set over; the others are refereed only where moves are typed."""


def game_name(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """The word as a game of the catalogue. Raises `click.BadParameter`, which says what works."""
    names = [game.facts.name for game in GAMES]
    word = value.lower()
    if word not in names:
        raise click.BadParameter(f"wanted a game, found {value!r}: name one of {', '.join(names)}", ctx, param)
    return word


def watched_name(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """The word as a game that the camera can watch. Raises `click.BadParameter`, which says what works."""
    word, works = value.lower(), " and ".join(WATCHED)
    if word in WATCHED:
        return word
    if word in [game.facts.name for game in GAMES]:
        raise click.BadParameter(
            f"wanted a game that the camera can watch, found {word}, which it cannot yet: take {works}, or play it "
            f"with `overboard play {word}`", ctx, param)
    raise click.BadParameter(f"wanted a game that the camera can watch, found {value!r}: take {works}", ctx, param)


game_argument = click.argument("game", callback=game_name)
watched_argument = click.argument("game", callback=watched_name)
game_option = click.option("--game", metavar="GAME", default="gridlock", show_default=True, callback=watched_name)


def named_seats(text: str) -> list[str]:
    """`south,north`, or how many: 4 is all, 3 leaves out east, 2 are south and north."""
    counted = {"2": "south,north", "3": "south,west,north", "4": "south,west,north,east"}
    return [part.strip().lower() for part in counted.get(text.strip(), text).split(",") if part.strip()]


def named_options(text: str, single: Sequence[str] = ()) -> dict[str, Any]:
    """`per_size=3,gaps=stop` by name, and after them each of `single`, as `order=["small","large"]`.

    A value that is JSON (a number, null, true, a list, an object) is taken as such, any other as a word.
    Raises `click.UsageError`; which names there are is for the game to say.
    """
    parts = [("--options", part) for part in text.split(",") if part.strip()]
    options: dict[str, Any] = {}
    for flag, part in [*parts, *(("--option", one) for one in single)]:
        name, sign, value = part.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise click.UsageError(f"{flag}: wanted NAME=VALUE, found {part!r}: write it like per_size=3 or gaps=stop")
        options[name.strip()] = _valued(value.strip())
    return options


def _valued(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
