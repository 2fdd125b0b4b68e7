"""Gridlock's rulebook and the checks of the facts file (readings B1 to B20), example by example."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from rules.game import Fault, ImpossibleState, Setup, SetupError
from rules.gridlock import GRIDLOCK, State
from rules.gridlock.scoring import chain_points
from rules.gridlock.speech import setup_for
from rules.gridlock.state import start
from rules.words import EAST, NORTH, SEATS, SOUTH, WEST, Cell, Colour, Piece, Seat

Drawn = Callable[..., State]

FOUR = setup_for(SEATS)


def play(state: State, *words: str) -> State:
    for word in words:
        state = GRIDLOCK.play(state, GRIDLOCK.read(word, state))
    return state


def facings(state: State, *squares: str) -> str:
    pieces = GRIDLOCK.layout(state).pieces
    marks = {None: "o", 0: "^", 1: ">", 2: "v", 3: "<"}
    return "".join(
        marks[pieces[cell].facing] if (cell := Cell("abcdefgh".index(s[0]), int(s[1]) - 1)) in pieces else "."
        for s in squares
    )


def totals(state: State) -> dict[Seat, int]:
    found = dict.fromkeys(state.table.seats, 0)
    for line in GRIDLOCK.score(state):
        found[line.seat] += line.points
    return found


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


# --- the Mystery Machine


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


# --- positions that cannot be


def broken(**changes: Any) -> dict[str, Any]:
    state = play(GRIDLOCK.start(setup_for(SEATS, [("per_size", "1")])), "S:La1", "W:Lb1")
    return {**GRIDLOCK.dump(state), **changes}


def pieces(*words: str) -> list[dict[str, str]]:
    keys = ("square", "colour", "size", "facing")
    return [dict(zip(keys, word.split(), strict=True)) for word in words]


WHOLE = ("a1 red large up", "b1 yellow large up")


@pytest.mark.parametrize(
    ("saved", "codes"),
    [
        ([], {"not-a-state"}),
        ({}, {"missing-key"}),
        (broken(van="up", first=3, to_move="me"), {"no-such-seat"}),
        (broken(just_handed=1), {"bad-value"}),
        (broken(phase="fall"), {"bad-phase"}),
        (broken(phase="drop"), {"wrong-phase"}),
        (broken(phase="over", to_move=None), {"wrong-phase"}),
        (broken(to_move=None), {"wrong-turn"}),
        (broken(just_handed=True, van="south"), {"wrong-turn"}),
        (broken(options={"gaps": "hop", "x": 1, "per_size": 1}), {"bad-option", "unknown-option"}),
        (broken(options={"per_size": True}), {"bad-option"}),
        (broken(options=3), {"bad-value"}),
        (broken(pieces="none"), {"bad-value"}),
        (broken(pieces=pieces(WHOLE[0])), {"too-few"}),
        (broken(pieces=pieces(*WHOLE, "c1 yellow large up")), {"too-many"}),
        (broken(pieces=pieces(WHOLE[0], "a1 yellow large up")), {"square-twice"}),
        (broken(pieces=pieces(WHOLE[0], "b1 yellow large east")), {"lying-in-placement"}),
        (
            broken(pieces=[*pieces(WHOLE[0]), {"square": ["b1"], "colour": 7, "size": None, "facing": "in"}]),
            {"no-such-square", "no-such-colour", "no-such-size", "no-such-facing"},
        ),
        (broken(pieces=[3]), {"no-such-square", "no-such-colour", "no-such-size", "no-such-facing"}),
        (
            broken(hands={"red": {"small": -1}, "pink": {"small": 1}, "blue": {"tiny": 1}}),
            {"bad-count", "no-such-colour", "no-such-size"},
        ),
        (broken(hands=[1]), {"bad-value"}),
        (
            broken(colours={"south": ["red"], "up": ["red"], "west": "yellow", "north": ["red"]}),
            {"no-such-seat", "bad-colour", "same-colour"},
        ),
        (broken(players=[["south", "north"], ["west", "east"]]), {"players"}),
        (broken(players="all"), {"players"}),
    ],
)
def test_impossible_states_are_refused_with_all_faults(saved: Any, codes: set[str]) -> None:
    with pytest.raises(ImpossibleState) as refused:
        GRIDLOCK.load(saved)
    found = {fault.code for fault in refused.value.faults}
    assert codes == found or codes == {"missing-key"}, found
    assert all(fault.text.startswith("wanted") and ": " in fault.text for fault in refused.value.faults)


def test_pieces_point_away_from_a_side_in_play(drawn: Drawn) -> None:
    with pytest.raises(ImpossibleState) as refused:
        drawn(["rS> gSo"], without=("west",), turn="north")
    assert [fault.code for fault in refused.value.faults] == ["facing-nobody"]
    assert refused.value.faults[0].at == ("a1",)


def test_a_lone_position_needs_no_whole_set_unless_it_names_its_size(drawn: Drawn) -> None:
    lone = drawn(["rSo"])
    assert "per_size" not in GRIDLOCK.dump(lone)["options"]
    assert GRIDLOCK.load(GRIDLOCK.dump(lone)) == lone
    with pytest.raises(ImpossibleState):
        drawn(["rSo"], options={"per_size": 1})
