"""How tests play a game of the catalogue: its setups, its next moves, whole random matches.

Each game has `tests/rules/setups_NAME.py` beside this file, with

    SETUPS: dict[str, Setup]          by a name that reads in a test's id; the first is the one for short tests

and, where the game asks for it,

    next_moves(state, rng)            what random play chooses from; without it `game.moves`, or what `Speech.draw`
                                      draws where it is nature's turn
    also_legal(state, move)           whether a move that `game.moves` does not list is legal all the same (another
                                      square of the same space, a draw of nature); without it none is
    conserved(state)                  what no action may change: how many pieces of each kind there are, wherever they
                                      lie; without it nothing is held
    MAX_PLAYS                         after how many plays a random match breaks off unfinished; without it 2000, and
                                      every match must end before
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Sequence
from functools import lru_cache
from types import ModuleType
from typing import Any

import pytest

from rules.catalogue import GAMES, SPEECHES, game_named
from rules.game import AnyGame, Move, Setup
from rules.match import Match, Play, Source
from rules.words import NATURE


@lru_cache
def _module(name: str) -> ModuleType:
    return importlib.import_module(f"tests.rules.setups_{name}")


def setups_of(game: AnyGame) -> dict[str, Setup]:
    """The setups that a game's own file lists."""
    setups: dict[str, Setup] = _module(game.facts.name).SETUPS
    return setups


def first_setup(game: AnyGame) -> Setup:
    """The setup for tests that need just one."""
    return next(iter(setups_of(game).values()))


def next_moves(game: AnyGame, state: Any, rng: random.Random) -> Sequence[Move]:
    """What random play chooses from: never empty before the game is over."""
    theirs: Callable[[Any, random.Random], Sequence[Move]] | None = getattr(
        _module(game.facts.name), "next_moves", None
    )
    if theirs is not None:
        return theirs(state, rng)
    if game.to_move(state) == NATURE:
        drawn = SPEECHES[game.facts.name].draw(state, rng)
        return [] if drawn is None else [drawn]
    return list(game.moves(state))


def also_legal(game: AnyGame, state: Any, move: Move) -> bool:
    """Whether a move counts as legal by the rules though `game.moves` does not list it."""
    theirs: Callable[[Any, Move], bool] | None = getattr(_module(game.facts.name), "also_legal", None)
    return theirs is not None and theirs(state, move)


def conserved(game: AnyGame, state: Any) -> Any:
    """What no action may change in this game."""
    theirs: Callable[[Any], Any] | None = getattr(_module(game.facts.name), "conserved", None)
    return None if theirs is None else theirs(state)


def max_plays(game: AnyGame) -> int | None:
    """After how many plays a random match of this game may break off; None if each must end."""
    most: int | None = getattr(_module(game.facts.name), "MAX_PLAYS", None)
    return most


def random_match(game: AnyGame, setup: Setup, rng: random.Random) -> Match:
    """A whole match of random legal moves; fails if it does not end and the game does not say that it may."""
    match, most = Match.begun(game, setup), max_plays(game)
    while game.to_move(match.state) is not None and len(match.plays) != most:
        assert len(match.plays) < 2000, "random play does not end"
        move = rng.choice(next_moves(game, match.state, rng))
        match = match.after(Play(move, rng.choice(list(Source))))
    return match


@lru_cache(maxsize=64)
def match_of(name: str, setup: str) -> Match:
    """A random match that several tests look at; the same in each of them."""
    game = game_named(name)
    return random_match(game, setups_of(game)[setup], random.Random(f"{name} {setup}"))


def every_game() -> pytest.MarkDecorator:
    """One case a game: `game`."""
    return pytest.mark.parametrize("game", GAMES, ids=[game.facts.name for game in GAMES])


def every_setup() -> pytest.MarkDecorator:
    """One case a game and setup: `game`, and the `setup` by its name."""
    cases = [
        pytest.param(game, name, id=f"{game.facts.name}: {name}") for game in GAMES for name in setups_of(game)
    ]
    return pytest.mark.parametrize(("game", "setup"), cases)
