"""Quadropolis' set-up and turns by its rulebook and the facts file."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from rules.game import SetupError
from rules.match import Match, Play
from rules.quadropolis import QUADROPOLIS
from rules.quadropolis.speech import SPEECH, setup_for
from rules.quadropolis.tiles import CODE_WRITTEN, TILE
from rules.words import EAST, NATURE, NORTH, SEATS, SOUTH, WEST, Seat
from tests.rules.playing import match_of
from tests.rules.quadropolis_cities import filled


def test_the_architect_counts_inwards_and_the_urbanist_follows() -> None:
    """Rulebook, O Turno de Jogo 1 and 2: number 3 on a line takes its third space, from either end."""
    for word, space in (("S:3w4", 17), ("S:3e4", 17), ("S:1n2", 1), ("S:1s2", 21), ("S:4e1", 1), ("S:2s5", 19)):
        state = filled()
        code = state.site[space]
        after = QUADROPOLIS.play(state, QUADROPOLIS.read(word, state))
        assert after.urbanist == space
        assert (after.taken, after.phase) == ((code, "build") if code > 1 else (0, "take"))


def test_the_turn_and_the_mayor() -> None:
    """Rulebook, O Turno de Jogo 4: who builds the tower with the symbol holds the mayor at once, and begins the next
    round; who discards it does not (A7)."""
    seen = {"build": 0, "discard": 0}
    for seed in range(60):
        match = Match.begun(QUADROPOLIS, setup_for(SEATS))
        rng = random.Random(seed)
        while match.state.round == 1:
            state = match.state
            drawn = SPEECH.draw(state, rng)
            move = rng.choice([drawn] if drawn is not None else list(QUADROPOLIS.moves(state)))
            match = match.after(Play(move))
            after = match.state
            has_symbol = state.taken == CODE_WRITTEN["T1m"] and move.verb in seen
            if has_symbol:
                seen[move.verb] += 1
            wanted = state.turn if has_symbol and move.verb == "build" else state.mayor
            assert after.mayor == wanted
        assert after.turn == NATURE
        assert not any(after.site)
        assert not any(after.architects)
        assert after.urbanist == -1
    assert min(seen.values()) > 5


@pytest.mark.parametrize("name", ["two", "three", "four"])
def test_pieces_are_conserved(name: str) -> None:
    """No tile appears or vanishes but by fills, discards and the end of a round; resources come from tiles alone."""
    match = match_of("quadropolis", name)
    for before, after, play in zip(match.states, match.states[1:], match.plays, strict=False):
        layouts = (QUADROPOLIS.layout(state).pieces for state in (before, after))
        counts = [Counter(piece.kind for cell, piece in one.items() if is_tile(cell)) for one in layouts]
        same_round = before.round == after.round and after.phase in ("take", "build")
        if play.move.verb in ("take", "build") and same_round:
            assert counts[0] == counts[1]
        if play.move.verb == "discard" and same_round:
            assert sum(counts[0].values()) - sum(counts[1].values()) == 1
        for seat in after.table.seats:
            there = after.city(seat)
            floors = [code for floors in there.floors for code in floors]
            assert sum(there.people) == sum(TILE[code].inhabitants for code in floors)
            assert sum(there.energy) == sum(TILE[code].energy for code in floors)


def is_tile(cell: Any) -> bool:
    return cell.zone.startswith("city") or cell.zone == "hand" or (
        cell.zone == "site" and cell.level == 0 and 0 <= cell.col < 5 and 0 <= cell.row < 5
    )  # fmt: skip


def test_faces_without_marks_are_filled_with_those_of_the_round() -> None:
    """A camera sees no backs: `T2` three times with four players is one of each mark."""
    state = QUADROPOLIS.start(setup_for([WEST, EAST, SOUTH, NORTH]))
    drawn = SPEECH.draw(state, random.Random(1))
    assert drawn is not None
    bare = QUADROPOLIS.read("*:fill=" + drawn.note.replace("+3", "").replace("+4", ""), state)
    assert QUADROPOLIS.judge(state, bare).legal
    action = SPEECH.action(drawn)
    for row in action["site"]:
        for space in row:
            del space["mark"]
    assert QUADROPOLIS.judge(state, SPEECH.move(action, state)).legal


@pytest.mark.parametrize(
    ("seats", "options"),
    [([SOUTH], ()), ([SOUTH, SOUTH], ()), ([SOUTH, NORTH], (("harbours", "all"),)), ([SOUTH, NORTH], (("x", "y"),))],
)
def test_what_no_game_starts_with(seats: list[Seat], options: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(SetupError, match="wanted"):
        QUADROPOLIS.start(setup_for(seats, options))
