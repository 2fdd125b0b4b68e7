"""The games, in the order in which they are offered. A new game is one more line in each list."""

from __future__ import annotations

from rules.game import AnyGame, UnknownGame
from rules.gridlock import GRIDLOCK
from rules.gridlock.speech import SPEECH as GRIDLOCK_SPEECH
from rules.gridopolis import GRIDOPOLIS
from rules.gridopolis.speech import SPEECH as GRIDOPOLIS_SPEECH
from rules.ido import IDO
from rules.ido.speech import SPEECH as IDO_SPEECH
from rules.quadropolis import QUADROPOLIS
from rules.quadropolis.speech import SPEECH as QUADROPOLIS_SPEECH
from rules.speech import Speech

GAMES: tuple[AnyGame, ...] = (GRIDLOCK, QUADROPOLIS, IDO, GRIDOPOLIS)

SPEECHES: dict[str, Speech] = {
    "gridlock": GRIDLOCK_SPEECH,
    "quadropolis": QUADROPOLIS_SPEECH,
    "ido": IDO_SPEECH,
    "gridopolis": GRIDOPOLIS_SPEECH,
}
"""By a game's name: its words in the line protocol."""


def game_named(name: str) -> AnyGame:
    """The game of that name. Raises `UnknownGame`.

    >>> game_named("gridlock").facts.title
    'Gridlock'
    """
    for game in GAMES:
        if game.facts.name == name:
            return game
    names = ", ".join(game.facts.name for game in GAMES)
    raise UnknownGame(f"wanted a game ({names}), found {name!r}: name one of them")
