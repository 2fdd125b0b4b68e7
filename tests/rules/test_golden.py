"""Whole matches printed in full, and counts of sequences, so that a change of rules shows as a readable diff.

`python -m tests.rules.test_golden` from the root of the repository prints what it finds now for each file.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.catalogue import GAMES, SPEECHES, game_named
from rules.match import Match, read_match, write_match
from rules.protocol import perft
from rules.terminal import place_text
from rules.words import seat_name

HERE = Path(__file__).parent
GOLDEN = sorted((HERE / "games").glob("*.game"))
PERFT = sorted((HERE / "perft").glob("*.txt"))


def printed(match: Match) -> str:
    """A match's text with, before each play, the phase, how many moves were legal, and what changed by it."""
    game, speech = match.game, SPEECHES[match.game.facts.name]
    lines = write_match(match).splitlines()
    head = lines[: len(lines) - len(match.plays)]
    for number, play in enumerate(match.plays):
        state, after = match.states[number], match.states[number + 1]
        changes = [
            place_text(speech.name(change.cell)) if change.cell.zone == "board" else change.cell.zone
            for change in game.layout(state).changes_to(game.layout(after))
        ]
        legal = len(list(game.moves(state)))
        head.append(f"# {game.phase(state)}, {legal} legal, changes {' '.join(sorted(set(changes)))}")
        head.append(f"{game.write(play.move)} {play.by.value}")
    for seat in game.hands(match.state):
        points = [line.points for line in game.score(match.state) if line.seat == seat]
        head.append(f"# {seat_name(seat)} {sum(points)} = {' + '.join(map(str, points)) or '0'}")
    outcome = game.outcome(match.state)
    head.append(f"# winners {' '.join(seat_name(seat) for seat in outcome.winners)}" if outcome else "# not over")
    return "\n".join(head) + "\n"


def perft_line(line: str) -> str:
    """A line of a perft file counted anew: a file of the games folder, after how many plays, leaves by depth."""
    name, plays, *depths = line.split()
    match = read_match((HERE / "games" / name).read_text(encoding="utf-8"), game_named)
    match = match.undone(len(match.plays) - int(plays))
    counts = [
        f"{depth}:{perft(match.game, match.state, int(depth))}" for depth in (d.partition(":")[0] for d in depths)
    ]
    return " ".join((name, plays, *counts))


@pytest.mark.parametrize("path", GOLDEN, ids=[path.stem for path in GOLDEN])
def test_a_golden_match_is_as_printed(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert printed(read_match(text, game_named)) == text


PERFT_LINES = [
    line
    for path in PERFT
    for line in path.read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


@pytest.mark.parametrize("line", PERFT_LINES, ids=[" ".join(line.split()[:2]) for line in PERFT_LINES])
def test_perft(line: str) -> None:
    assert perft_line(line) == line


def test_every_game_has_a_golden_match_and_perft_counts() -> None:
    for game in GAMES:
        assert any(path.stem.startswith(f"{game.facts.name}-") for path in GOLDEN)
        assert game.facts.name in {path.stem for path in PERFT}


if __name__ == "__main__":
    for golden in GOLDEN:
        print(printed(read_match(golden.read_text(encoding="utf-8"), game_named)))
    for counted in PERFT_LINES:
        print(perft_line(counted))
