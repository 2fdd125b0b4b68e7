"""The benchmark of the rules: that it counts, and that a rate which falls short is seen in its table."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rules.catalogue import GAMES
from rules.game import AnyGame
from table.bench_rules import SEATS, WANTED, random_play, rate, table_lines

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("game", GAMES, ids=[game.facts.name for game in GAMES])
def test_every_game_is_played_at_random_without_end(game: AnyGame, seats: int) -> None:
    positions = random_play(game, seats, 1)
    assert all(next(positions, "ended") is None for _ in range(600))
    assert rate(positions, 0.02) > 100
    assert game.facts.name in WANTED


def test_rates_are_held_against_python_chess() -> None:
    lines = table_lines({"chess": 1000.0, "gridlock, 2 seats": 499.0, "ido, 2 seats": 500.0})
    assert lines[2:] == [
        "| python-chess | 1000 | | |",
        "| gridlock, 2 seats | 499 | **0.50** | 0.5 |",
        "| ido, 2 seats | 500 | 0.50 | 0.5 |",
    ]
    assert table_lines({"ido, 4 seats": 500.0})[-1] == "| ido, 4 seats | 500 |  | 0.5 |"


def test_it_needs_nothing_but_python() -> None:
    """python-chess's environment has none of our requirements."""
    script = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import table.bench_rules"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
