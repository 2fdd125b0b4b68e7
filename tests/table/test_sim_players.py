"""Players finish games by the rules, slip as often as asked, and put right what they did wrong."""

from __future__ import annotations

import numpy as np
import pytest

from rules.catalogue import game_named
from rules.game import Move
from rules.words import EAST, NORTH, SOUTH, WEST, Cell, Colour, Layout, Piece
from table.sim.players import (
    Act,
    Deed,
    Evening,
    Habits,
    choose,
    company,
    fallen_in_reach,
    gridlock_setup,
    planned_slips,
)
from table.sim.setup_files import GRIDLOCK_COLOURS, sides_with

REASONS = {"out-of-turn", "not-own-piece", "wrong-direction"}


def evening(seed: int, per_size: int = 1, players: int = 4, habits: Habits | None = None) -> Evening:
    setup = gridlock_setup(sides_with(GRIDLOCK_COLOURS[:players]), per_size, WEST, SOUTH)
    return Evening(setup, np.random.default_rng(seed), habits)


@pytest.mark.parametrize(
    ("per_size", "players"), [(1, 4), (3, 4), (1, 3)], ids=["shortest of four", "short of four", "three players"]
)
def test_a_game_is_played_to_its_end_by_the_rules(per_size: int, players: int) -> None:
    told = evening(3, per_size, players)
    deeds = list(told.deeds())
    game = game_named("gridlock")
    state = game.start(told.match.setup)
    for deed in deeds:
        if deed.act is not Act.PUT_RIGHT:
            assert deed.before == game.layout(state)
        if deed.act is Act.PLAYED:
            assert game.judge(state, deed.move).legal
            state = game.play(state, deed.move)
            assert deed.after == game.layout(state)
            changed = {change.cell for change in deed.before.changes_to(deed.after)} - {deed.move.target}
            assert deed.move.verb != "drop" or changed <= set(deed.turned)
            ways = {deed.after.pieces[cell].facing for cell in deed.turned}
            assert ways <= {int(deed.seat)}
        elif deed.act is Act.WRONG:
            assert game.judge(state, deed.move).reasons[0].code == deed.reason
    assert game.outcome(told.match.state) is not None
    played = [deed.move.verb for deed in deeds if deed.act is Act.PLAYED]
    assert played.count("place") == played.count("drop") == 3 * per_size * players
    assert sum(told.scores().values()) > 0


@pytest.mark.parametrize("seed", range(6))
def test_wrong_deeds_are_refused_by_the_rules_and_put_right_at_once(seed: int) -> None:
    game = game_named("gridlock")
    told = evening(seed, habits=Habits(slips=3, early=True))
    state = game.start(told.match.setup)
    wrong: list[Deed] = []
    for deed in told.deeds():
        if deed.act is Act.PUT_RIGHT:
            assert (deed.before, deed.after) == (wrong[-1].after, wrong[-1].before)
            assert deed.to_move == wrong[-1].to_move == game.to_move(state)
        elif deed.act is Act.WRONG:
            reasons = game.judge(state, deed.move).reasons
            assert reasons[0].code == deed.reason
            assert deed.reason in REASONS
            assert len(list(deed.before.changes_to(deed.after))) == 1
            wrong.append(deed)
        else:
            state = game.play(state, deed.move)
    assert len(wrong) == 3
    assert wrong[0].reason == "out-of-turn"


def test_the_early_slip_is_the_second_deed() -> None:
    deeds = list(evening(1, habits=Habits(slips=1, early=True)).deeds())
    assert [deed.act for deed in deeds[:4]] == [Act.PLAYED, Act.WRONG, Act.PUT_RIGHT, Act.PLAYED]


def test_nobody_slips_when_nobody_is_to() -> None:
    assert all(deed.act is Act.PLAYED for deed in evening(2, habits=Habits(slips=0)).deeds())


def test_a_game_is_the_same_for_the_same_seed_and_another_for_another() -> None:
    moves = [[deed.move for deed in evening(seed).deeds()] for seed in (5, 5, 6)]
    assert moves[0] == moves[1] != moves[2]


def test_slips_come_in_both_phases() -> None:
    planned = planned_slips(12, Habits(slips=6), np.random.default_rng(4))
    assert sum(n < 12 for n in planned) == 2
    assert sum(12 <= n < 22 for n in planned) == 4


def test_the_van_is_handed_on_now_and_then() -> None:
    verbs = [deed.move.verb for seed in range(4) for deed in evening(seed).deeds() if deed.act is Act.PLAYED]
    assert 2 <= verbs.count("pass") <= len(verbs) // 5


def test_sensible_players_score_more_than_aimless_ones() -> None:
    # West chooses; the others take any legal move. A quarter of the points would be chance.
    game, points = game_named("gridlock"), dict.fromkeys((SOUTH, WEST, NORTH, EAST), 0)
    for seed in range(8):
        rng = np.random.default_rng(seed)
        state = game.start(gridlock_setup(sides_with(GRIDLOCK_COLOURS), 1, SOUTH, NORTH))
        while (seat := game.to_move(state)) is not None:
            moves = list(game.moves(state))
            state = game.play(state, choose(game, state, rng) if seat == WEST else moves[int(rng.integers(len(moves)))])
        for line in game.score(state):
            points[line.seat] += line.points
    assert points[WEST] > 0.32 * sum(points.values())


def test_a_drop_tells_the_fallen_pieces_in_its_reach_also_those_that_point_its_way_already() -> None:
    blue = Colour("blue")
    layout = Layout({
        Cell(1, 3): Piece("small", blue, int(EAST)), Cell(3, 3): Piece("small", blue, None),
        Cell(4, 3): Piece("large", blue, int(NORTH)), Cell(6, 3): Piece("large", blue, int(NORTH)),
    })
    wanted = {"small": (1,), "medium": (1,), "large": (1, 4)}
    for kind, cols in wanted.items():
        drop = Move(WEST, "drop", Piece(kind, Colour("yellow"), int(WEST)), None, Cell(0, 3))
        assert fallen_in_reach(layout, drop) == tuple(Cell(col, 3) for col in cols)


@pytest.mark.parametrize(
    ("there", "better"),
    [(Cell(3, 2), True), (Cell(3, 4), True), (Cell(2, 3), False)],
    ids=["own piece behind", "own piece ahead", "own piece beside: no line"],
)
def test_company_counts_in_the_line_of_pointing(there: Cell, better: bool) -> None:
    game = game_named("gridlock")
    state = game.start(gridlock_setup(sides_with(GRIDLOCK_COLOURS), 1, SOUTH, EAST))
    move = next(m for m in game.moves(state) if m.target == Cell(3, 3))
    alone = company(Layout(), move)
    with_own = company(Layout({there: Piece("small", Colour("red"), None)}), move)
    assert (with_own > alone) is better
