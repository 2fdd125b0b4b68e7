"""`make bench-rules`: positions a second in random play of each game, beside python-chess's on the same machine.

One position: every legal action is listed and one of them, chosen at random, is done; a match that does not end is
broken off. Counted in the processor's time of this process, so that what else the machine does matters little. The
games take turns, and the median of the rounds is told. python-chess is no part of the product, and this file
needs nothing else beside Python, so that both can live in an environment of their own.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence

from rules.catalogue import GAMES, SPEECHES
from rules.game import AnyGame
from rules.words import NATURE

ROUNDS = 5
SECONDS = 1.0
MOST_PLAYS = 400
SEATS = {2: ["south", "north"], 4: ["south", "west", "north", "east"]}
WANTED = {"gridlock": 0.5, "ido": 0.5, "gridopolis": 0.25, "quadropolis": 0.25}
"""By game: the part of python-chess's rate that it must reach."""


def random_play(game: AnyGame, seats: int, seed: int) -> Iterator[None]:
    """Yields at each position of random matches, without end."""
    chance, speech = random.Random(seed), SPEECHES[game.facts.name]
    setup = speech.setup({"seats": SEATS[seats]})
    while True:
        state = game.start(setup)
        for _ in range(MOST_PLAYS):
            turn = game.to_move(state)
            if turn is None:
                break
            move = speech.draw(state, chance) if turn == NATURE else chance.choice(list(game.moves(state)))
            if move is None:
                break
            state = game.play(state, move)
            yield


def random_chess(seed: int) -> Iterator[None]:
    """The same with python-chess. Raises `ImportError` where it is not installed."""
    chess = importlib.import_module("chess")
    chance = random.Random(seed)
    while True:
        board = chess.Board()
        for _ in range(MOST_PLAYS):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(chance.choice(moves))
            yield


def rate(positions: Iterator[None], seconds: float) -> float:
    """Positions a second of processor time, over so many seconds."""
    began, count = time.process_time(), 0
    while (passed := time.process_time() - began) < seconds:
        for _ in range(20):
            next(positions)
        count += 20
    return count / passed


def measured(rounds: int = ROUNDS, seconds: float = SECONDS) -> dict[str, float]:
    """By name, "chess" first where it is installed: the median rate. The players take turns."""
    makers: dict[str, Callable[[int], Iterator[None]]] = {}
    if importlib.util.find_spec("chess") is not None:
        makers["chess"] = random_chess
    for game in GAMES:
        for seats in SEATS:
            makers[f"{game.facts.name}, {seats} seats"] = _maker(game, seats)
    rates: dict[str, list[float]] = {name: [] for name in makers}
    for number in range(rounds):
        for name, make in makers.items():
            rates[name].append(rate(make(number), seconds))
    return {name: statistics.median(found) for name, found in rates.items()}


def _maker(game: AnyGame, seats: int) -> Callable[[int], Iterator[None]]:
    return lambda seed: random_play(game, seats, seed)


def table_lines(rates: dict[str, float]) -> list[str]:
    """The rates as a table for the README; without python-chess there is nothing to hold them against."""
    chess = rates.get("chess")
    lines = ["| random play | positions a second | of python-chess's | at least |", "| --- | --- | --- | --- |"]
    for name, found in rates.items():
        if name == "chess":
            lines.append(f"| python-chess | {found:.0f} | | |")
            continue
        part = "" if chess is None else f"{found / chess:.2f}"
        if chess is not None and found / chess < WANTED.get(name.split(",")[0], 0):
            part = f"**{part}**"
        lines.append(f"| {name} | {found:.0f} | {part} | {WANTED.get(name.split(',')[0], '')} |")
    return lines


def main(words: Sequence[str]) -> None:
    """Measures and prints a table, or with --json an object; rates that fall short are bold."""
    rates = measured()
    if "--json" in words:
        print(json.dumps(rates))
        return
    for line in table_lines(rates):
        print(line)
    if "chess" not in rates:
        print("python-chess is not here: `pip install 'overboard[bench]'`, then again", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
