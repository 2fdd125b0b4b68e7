"""Gridlock's rulebook and the checks of the facts file (readings B1 to B20): the start, the drop, the score."""

from __future__ import annotations

import random

import pytest

from rules.game import Fault, Setup, SetupError
from rules.gridlock import GRIDLOCK
from rules.gridlock.scoring import chain_points
from rules.gridlock.speech import setup_for
from rules.gridlock.state import start
from rules.words import EAST, NORTH, SEATS, SOUTH, WEST, Cell, Colour, Piece, Seat
from tests.rules.gridlock_positions import FOUR, Drawn, facings, play, totals

# --- the start


@pytest.mark.parametrize(
    ("setup", "pieces", "empty"),
    [
        (FOUR, 60, 4),
        (setup_for(SEATS, [("per_size", "3")]), 36, 28),
        (setup_for([SOUTH, WEST, NORTH]), 45, 19),
        (setup_for([SOUTH, NORTH]), 60, 4),
    ],
    ids=["four", "four, short", "three", "two"],
)
def test_set_sizes(setup: Setup, pieces: int, empty: int, rng: random.Random) -> None:
    """Facts 2.3: how many pieces there are and how many squares stay empty once all are placed."""
    state = GRIDLOCK.start(setup)
    assert sum(count for left in GRIDLOCK.hands(state).values() for _, count in left) == pieces
    while GRIDLOCK.phase(state) == "placement":
        state = GRIDLOCK.play(state, rng.choice(list(GRIDLOCK.moves(state))))
    on_board = [cell for cell in GRIDLOCK.layout(state).pieces if cell.zone == "board"]
    assert 64 - len(on_board) == empty


def test_the_van_starts_at_the_seat_after_the_first_unless_named() -> None:
    assert GRIDLOCK.start(FOUR).van == WEST
    assert GRIDLOCK.start(setup_for([NORTH, EAST, SOUTH, WEST])).van == EAST
    assert GRIDLOCK.start(setup_for([WEST, SOUTH, NORTH])).van == NORTH
    assert GRIDLOCK.start(setup_for([NORTH, EAST, SOUTH])).van == EAST
    assert GRIDLOCK.start(setup_for([SOUTH, WEST, EAST])).table.after(WEST) == EAST
    assert GRIDLOCK.start(setup_for(SEATS, [("van", "east")])).van == EAST


def test_the_layout_has_the_van_before_its_holder() -> None:
    pieces = GRIDLOCK.layout(GRIDLOCK.start(FOUR)).pieces
    assert dict(pieces) == {Cell(1, 0, 0, "van"): Piece("van", Colour(""), None)}


@pytest.mark.parametrize(
    ("setup", "at"),
    [
        (Setup(((SOUTH, Colour("red")),), ((SOUTH,),), SOUTH), ["sides", "players"]),
        (setup_for(SEATS, colours={SOUTH: "blue"}), ["same-colour"]),
        (setup_for(SEATS, colours={SOUTH: " "}), ["no-colour"]),
        (setup_for([SOUTH, WEST]), ["players"]),
        (Setup(FOUR.colours, ((SOUTH, NORTH), (WEST, EAST)), SOUTH), ["players"]),
        (Setup(FOUR.colours, ((SOUTH, WEST), (NORTH,), (EAST,)), SOUTH), ["players"]),
        (Setup(FOUR.colours, ((SOUTH,), (WEST,), (NORTH,)), SOUTH), ["players"]),
        (setup_for([SOUTH, WEST, NORTH], [("van", "east")]), ["bad-option"]),
        (Setup(FOUR.colours, FOUR.players, Seat(7)), ["first"]),
        (
            setup_for(
                SEATS, [("gaps", "jump"), ("per_size", "6"), ("gap", "skip"), ("tie", "shared"), ("tie", "shared")]
            ),
            ["bad-option", "bad-option", "unknown-option", "option-twice"],
        ),
        (setup_for([SOUTH, WEST, NORTH], [("per_size", "8")]), ["bad-option"]),
        (setup_for(SEATS, [("per_size", "0")]), ["bad-option"]),
        (setup_for(SEATS, [("per_size", "-1"), ("upright", "")]), ["bad-option", "bad-option"]),
    ],
)
def test_setups_a_game_cannot_start_with(setup: Setup, at: list[str]) -> None:
    with pytest.raises(SetupError) as refused:
        start(setup)
    assert [fault.code for fault in refused.value.faults] == at
    assert all(isinstance(fault, Fault) and ": " in fault.text for fault in refused.value.faults)


def test_seven_of_each_size_fit_with_three_sides() -> None:
    assert sum(GRIDLOCK.start(setup_for([SOUTH, WEST, NORTH], [("per_size", "7")])).hands[0]) == 21


@pytest.mark.parametrize(
    ("setup", "opposite"),
    [(FOUR, None), (setup_for([SOUTH, NORTH]), None), (setup_for([SOUTH, WEST, NORTH]), WEST)],
    ids=["four", "two", "three"],
)
def test_who_sits_unopposed_is_told(setup: Setup, opposite: Seat | None) -> None:
    state = GRIDLOCK.start(setup)
    assert state.table.unopposed == opposite
    assert [bool(GRIDLOCK.remark(state, language)) for language in ("en", "pt", "xx")] == [opposite is not None] * 3
    if opposite is not None:
        assert "opposite West" in GRIDLOCK.remark(state)
        assert "Oeste" in GRIDLOCK.remark(state, "pt")


@pytest.mark.parametrize("seats", [SEATS, (SOUTH, NORTH), (NORTH, EAST, WEST)], ids=["four", "two", "three"])
def test_no_piece_comes_or_goes(seats: tuple[Seat, ...], rng: random.Random) -> None:
    """By colour and size: in hand and on the board together stay the same; a placed piece stays where it is."""
    state = GRIDLOCK.start(setup_for(seats, [("per_size", "3")]))
    squares: dict[Cell, tuple[str, Colour]] = {}
    while state.turn is not None:
        state = GRIDLOCK.play(state, rng.choice(list(GRIDLOCK.moves(state))))
        pieces = {cell: piece for cell, piece in GRIDLOCK.layout(state).pieces.items() if cell.zone == "board"}
        now = {cell: (piece.kind, piece.colour) for cell, piece in pieces.items()}
        assert squares.items() <= now.items()
        squares = now
        for seat in state.table.seats:
            for size, left in zip(("small", "medium", "large"), state.hands[seat], strict=True):
                assert list(now.values()).count((size, state.table.colours[seat])) + left == 3


# --- the drop


def test_the_diagram_of_e2(drawn: Drawn) -> None:
    """Facts 2.2, check 1: `s S s / s < m / m l L`, each dropped piece in the colour of the side it falls away from."""
    state = drawn(["rSo yLo bSo", "ySo gS< bMo", "rMo rLo yLo"], turn="south", van="north")
    state = play(state, "S:xb1")
    assert facings(state, "a2", "b2", "c2", "b1", "b3") == "o^o^o"  # the standing piece behind stays
    state = play(state, "W:xa2")
    assert facings(state, "a2", "b2", "c2") == ">>o"
    state = play(state, "E:xc2")
    assert facings(state, "a2", "b2", "c2") == "<<<"


@pytest.mark.parametrize(("upright", "after"), [("counts", "^o^^v"), ("skipped", "^o^^^"), ("blocks", "^ovvv")])
def test_a_large_with_a_standing_piece_ahead(drawn: Drawn, upright: str, after: str) -> None:
    """Check 2 (B1): ahead standing, lying, lying, lying: turns 2, 3 or none."""
    state = drawn(["ySv", "yMv", "yLv", "gSo", "rLo"], options={"upright": upright}, van="north")
    assert facings(play(state, "S:xa1"), "a1", "a2", "a3", "a4", "a5") == after


@pytest.mark.parametrize(("gaps", "after"), [("skip", "^.^"), ("stop", "^.v"), ("count", "^.v")])
def test_a_small_with_a_gap_ahead(drawn: Drawn, gaps: str, after: str) -> None:
    """Check 3 (B2): an empty square, then a lying piece: turns 1, or none."""
    state = drawn(["gSv gSo", ". .", "rSo ."], options={"gaps": gaps}, van="north")
    assert facings(play(state, "S:xa1"), "a1", "a2", "a3") == after


@pytest.mark.parametrize(
    ("options", "after"),
    [
        ({"gaps": "count"}, "^.^.>"),
        ({"gaps": "skip"}, "^.^.^"),
        ({"gaps": "stop"}, "^.>.>"),
    ],
)
def test_a_medium_with_two_gaps(drawn: Drawn, options: dict[str, str], after: str) -> None:
    """B2: with `count` the reach is counted in squares."""
    state = drawn(["gS> gSo", ". .", "gL> .", ". .", "rMo ."], options=options, van="north")
    assert facings(play(state, "S:xa1"), "a1", "a2", "a3", "a4", "a5") == after


def test_own_fallen_pieces_use_up_the_reach(drawn: Drawn) -> None:
    """B3: a piece that points the right way already counts as turned."""
    state = drawn(["yS>", "yS^", "rSo"], van="north")
    over = play(state, "S:xa1")
    assert facings(over, "a1", "a2", "a3") == "^^>"
    assert GRIDLOCK.phase(over) == "over"


def test_turned_pieces_turn_nothing(drawn: Drawn) -> None:
    """B5: the large that is turned has a reach of its own no more."""
    state = drawn(["yS> .", "yS> .", "yL> .", "rSo gSo"], van="north")
    assert facings(play(state, "S:xa1"), "a1", "a2", "a3", "a4") == "^^>>"


@pytest.mark.parametrize(
    ("rows", "word", "squares", "after"),
    [
        ([". . .", "rLo gSv gSv", "gSo . ."], "S:xa2", ["b2", "c2"], "vv"),
        (["gSo . .", "ySo rS^ rS^"], "W:xa1", ["a1", "b1", "c1"], ">>^"),
        (["gMo . .", "rS^ rSo .", "rS> . ."], "N:xa3", ["a3", "a2", "a1"], "vvv"),
        (["rS^ rS> bMo", "gSo . ."], "E:xc2", ["c2", "b2", "a2"], "<<<"),
    ],
    ids=["beside, not ahead", "west drops to the east", "north drops to the south", "east drops to the west"],
)
def test_each_seat_drops_away_from_itself(
    drawn: Drawn, rows: list[str], word: str, squares: list[str], after: str
) -> None:
    turn = {"S": "south", "W": "west", "N": "north", "E": "east"}[word[0]]
    assert facings(play(drawn(rows, turn=turn), word), *squares) == after


# --- the score


@pytest.mark.parametrize(("length", "points"), list(enumerate((1, 2, 4, 8, 16, 32, 64, 128), start=1)))
def test_the_rulebooks_table_of_chains(drawn: Drawn, length: int, points: int) -> None:
    state = drawn(["yS^"] * min(length, 4) + ["gM^"] * (length - 4), turn=None)
    assert totals(state) == {SOUTH: points, WEST: 0, NORTH: 0, EAST: 0}
    assert chain_points(length) == points
    (line,) = GRIDLOCK.score(state)
    assert line.cells == tuple(Cell(0, row) for row in range(length))


def test_runs_of_two_three_and_one(drawn: Drawn) -> None:
    """Check 4 (B7): `^ ^ empty ^ ^ ^ v ^` is worth 2 + 4 + 1 = 7, whatever the colours (B20)."""
    column = ["rS^", "gSv", "rS^", "gM^", "yL^", ".", "bS^", "rM^"]
    state = drawn(column, turn=None)
    assert totals(state) == {SOUTH: 7, WEST: 0, NORTH: 1, EAST: 0}
    assert [line.points for line in GRIDLOCK.score(state) if line.seat == SOUTH] == [4, 2, 1]


@pytest.mark.parametrize(("chain", "south", "west"), [("column", 2 + 1 + 1, 2), ("group", 8, 2)])
def test_neighbouring_columns(drawn: Drawn, chain: str, south: int, west: int) -> None:
    """B6: only the line of pointing makes a chain, or any group joined edge to edge."""
    state = drawn(["rS^ . .", "rS^ rS^ rS^", "rM> rM> gSv"], turn=None, options={"chain": chain})
    assert totals(state) == {SOUTH: south, WEST: west, NORTH: 1, EAST: 0}


def test_a_group_may_be_longer_than_the_table(drawn: Drawn) -> None:
    """B6 (c): the table continues by doubling."""
    state = drawn(["rS^ yS^ gS^"] * 3, turn=None, options={"chain": "group"})
    assert totals(state)[SOUTH] == 256


def test_standing_pieces_score_nothing_yet(drawn: Drawn) -> None:
    state = drawn(["rSo", "rS^"])
    assert totals(state)[SOUTH] == 1
    assert GRIDLOCK.outcome(state) is None


@pytest.mark.parametrize(
    ("rows", "tie", "winners"),
    [
        (["rS^ . gSv", ". . gSv"], "shared", (NORTH,)),
        (["rS^ . gSv"], "shared", (SOUTH, NORTH)),
        (["rS^ . gSv", "rS^ . .", ". . gSv"], "shared", (SOUTH, NORTH)),
        (["rS^ . gSv", "rS^ . .", ". . gSv"], "longest_chain", (SOUTH,)),
        (["rS^ . gSv"], "longest_chain", (SOUTH, NORTH)),
        # south 4 + 1 + 1 + 1 + 1, north 4 + 2 + 2
        (
            [
                "rM^ . rS^ . rS^ . gMv gSv",
                "rM^ . . . . . gMv gSv",
                "rM^ rS^ . rS^ . . gMv .",
                ". . . . . . . gSv",
                ". . . . . . . gSv",
            ],
            "longest_chain",
            (NORTH,),
        ),
    ],
    ids=["more points", "shared", "shared though longer", "longest decides", "wholly equal", "second longest decides"],
)
def test_ties(drawn: Drawn, rows: list[str], tie: str, winners: tuple[Seat, ...]) -> None:
    """B19."""
    outcome = GRIDLOCK.outcome(drawn(rows, turn=None, options={"tie": tie}))
    assert outcome is not None
    assert outcome.winners == winners
    assert outcome.ending == "complete"


def test_two_players_add_their_sides(drawn: Drawn) -> None:
    """Scores are one a side; both sides of a player win together."""
    pairs = [["south", "west"], ["north", "east"]]
    rows = ["rS^ . gSv", ". rS> .", ". . ."]
    state = drawn(rows, turn=None, players=pairs)
    assert totals(state) == {SOUTH: 1, WEST: 1, NORTH: 1, EAST: 0}
    outcome = GRIDLOCK.outcome(state)
    assert outcome is not None
    assert outcome.winners == (SOUTH, WEST)


@pytest.mark.parametrize(("tie", "winners"), [("shared", SEATS), ("longest_chain", (NORTH, EAST))])
def test_two_players_tie_over_both_sides(drawn: Drawn, tie: str, winners: tuple[Seat, ...]) -> None:
    rows = ["rS^ . gSv", ". . gSv", ". rS> ."]
    state = drawn(rows, turn=None, players=[["south", "west"], ["north", "east"]], options={"tie": tie})
    outcome = GRIDLOCK.outcome(state)
    assert outcome is not None
    assert outcome.winners == winners
