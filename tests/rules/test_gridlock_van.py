"""Gridlock's Mystery Machine and whose turn it is (readings B1 to B20 of the facts file), example by example."""

from __future__ import annotations

import pytest

from rules.gridlock import GRIDLOCK
from rules.gridlock.speech import setup_for
from rules.words import EAST, NORTH, SEATS, SOUTH, WEST, Seat
from tests.rules.gridlock_positions import FOUR, Drawn, play


def test_check_5_of_the_van() -> None:
    """Pass, the next must act, in the next round it may pass."""
    state = GRIDLOCK.start(setup_for(SEATS, [("van", "south")]))
    state = play(state, "S:pass")  # B13: the first holder was dealt the van, not handed it
    assert state.turn == WEST
    assert "pass" not in {move.verb for move in GRIDLOCK.moves(state)}
    state = play(state, "W:Sa1", "N:Sb1", "E:Sc1", "S:Sd1")
    assert "pass" in {move.verb for move in GRIDLOCK.moves(state)}
    assert play(state, "W:pass").van == NORTH


def test_a_pass_on_the_last_placement_bars_the_first_drop(drawn: Drawn) -> None:
    """Check 5, second half (B14): the bar carries over the change of phase."""
    hands = {"red": {"small": 1}, "green": {"small": 1}}
    state = drawn(["rMo yMo gMo bMo"], turn="south", van="north", hands=hands)
    state = play(state, "S:Sa2", "N:pass")
    assert (state.turn, state.van, state.phase) == (NORTH, EAST, "placement")  # nobody else has a piece left
    state = play(state, "N:Sb2")
    assert (state.turn, state.phase) == (EAST, "drop")
    assert {move.verb for move in GRIDLOCK.moves(state)} == {"drop"}
    state = play(state, "E:xd1")
    assert not state.just_handed


def test_a_pass_goes_to_a_neighbour_without_pieces(drawn: Drawn) -> None:
    """B11, B9: the literal next side gets the van, and is passed over for the turn."""
    state = drawn(["rSo yS> gSo bSo"], turn="south", van="south")
    state = play(state, "S:pass")
    assert (state.van, state.turn) == (WEST, NORTH)


def test_with_three_players_the_absent_side_is_stepped_over(drawn: Drawn) -> None:
    state = drawn(["rSo gSo bSo"], turn="south", van="south", without=("west",))
    state = play(state, "S:pass")
    assert (state.van, state.turn, state.just_handed) == (NORTH, NORTH, True)


def test_the_van_may_go_to_ones_own_other_side() -> None:
    state = play(GRIDLOCK.start(setup_for([SOUTH, NORTH], [("van", "south")])), "S:pass")
    assert (state.van, state.turn) == (WEST, WEST)


def test_holding_on_keeps_the_pass_for_the_next_round() -> None:
    state = play(GRIDLOCK.start(FOUR), "S:Sa1", "W:Sb1", "N:Sc1", "E:Sd1", "S:Sa2")
    assert state.van == WEST
    assert "pass" in {move.verb for move in GRIDLOCK.moves(state)}


EMPTY_HOLDER = ["rSo yS> gSo bSo"]


def test_an_empty_holder_keeps_the_van(drawn: Drawn) -> None:
    """B10 (a)."""
    state = play(drawn(EMPTY_HOLDER, turn="south", van="west"), "S:xa1")
    assert (state.turn, state.van) == (NORTH, WEST)


def test_an_empty_holder_may_pass(drawn: Drawn) -> None:
    """B10 (b): it keeps or passes; just handed, it can only keep."""
    options = {"empty_holder": "may_pass"}
    state = play(drawn(EMPTY_HOLDER, turn="south", van="west", options=options), "S:xa1")
    assert {GRIDLOCK.write(move) for move in GRIDLOCK.moves(state)} == {"W:keep", "W:pass>N"}
    assert play(state, "W:keep").turn == NORTH
    passed = play(state, "W:pass")
    assert (passed.turn, passed.van, passed.just_handed) == (NORTH, NORTH, True)
    handed = play(drawn(EMPTY_HOLDER, turn="south", van="south", options=options), "S:pass")
    assert {GRIDLOCK.write(move) for move in GRIDLOCK.moves(handed)} == {"W:keep"}
    kept = play(handed, "W:keep", "N:xc1", "E:xd1", "S:xa1")
    assert GRIDLOCK.phase(kept) == "over"


@pytest.mark.parametrize(("starter", "turn"), [("continue", NORTH), ("first", SOUTH)])
def test_who_drops_first(drawn: Drawn, starter: str, turn: Seat) -> None:
    """B16: the seat after the last placer, or the one that placed first."""
    state = drawn(["rSo . gSo bSo"], turn="west", hands={"yellow": {"small": 1}}, options={"drop_starter": starter})
    assert play(state, "W:Sb1").turn == turn


def test_what_is_left_counts_hands_then_standing_pieces(drawn: Drawn) -> None:
    placing = drawn(["rSo"], turn="west", hands={"yellow": {"small": 2, "large": 1}})
    assert GRIDLOCK.hands(placing)[WEST] == (("small", 2), ("medium", 0), ("large", 1))
    dropping = drawn(["rSo rL^ yMo"])
    assert GRIDLOCK.hands(dropping)[SOUTH] == (("small", 1), ("medium", 0), ("large", 0))
