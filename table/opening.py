"""From a table's set-up to a match that can be followed."""

from __future__ import annotations

from rules.catalogue import game_named
from rules.game import AnyGame, RulesError, Setup
from rules.match import Match
from rules.words import Colour, Seat, seat_name
from table.errors import BadFolder
from table.hypotheses import Box
from table.setup_folder import TableSetup


def rules_setup(setup: TableSetup) -> Setup:
    """Who sits where, for the rules. In a folder every side is a player of its own."""
    options = dict(setup.options)
    if setup.per_size is not None:
        options["per_size"] = str(setup.per_size)
    if setup.van is not None:
        options["van"] = seat_name(setup.van)
    first = setup.first_seat if setup.first_seat is not None else setup.seats[0][0]
    return Setup(setup.seats, tuple((seat,) for seat, _ in setup.seats), first, tuple(sorted(options.items())))


def opened(setup: TableSetup) -> Match:
    """The match of a folder before its first action. Raises `BadFolder`."""
    try:
        return Match.begun(game_named(setup.game), rules_setup(setup))
    except RulesError as error:
        raise BadFolder(f"{setup.folder}: wanted a set-up that the rules allow, found another ({error}): "
                        "correct setup.json") from error


def box_of(game: AnyGame, setup: Setup) -> Box:
    """How many pieces of each kind and colour a match has, told by the hands before the first action."""
    colours = dict(setup.colours)
    start = game.start(setup)
    box: dict[tuple[str, Colour], int] = {}
    for seat, hand in game.hands(start).items():
        for kind, count in hand:
            box[(kind, colours[Seat(seat)])] = count
    return box
