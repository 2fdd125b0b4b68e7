"""Settling: counted in the pictures' own times. Field reports O2, W2, K2."""

from __future__ import annotations

import pytest

from rules.words import Cell, Colour, Layout, Piece
from table.settle import Calm, Settled, Settler
from tests.table.scripted import observed
from vision.observation import BoardState, Observation

RED = Piece("small", Colour("red"))
BLUE = Piece("small", Colour("blue"))
A1, B1, C1 = Cell(0, 0), Cell(1, 0), Cell(2, 0)


def at(ms: int, *cells: Cell, **more: object) -> Observation:
    return observed(Layout(dict.fromkeys(cells, RED)), ms, ms * 1_000_000, **more)  # type: ignore[arg-type]


def fed(settler: Settler, *ones: Observation) -> Settled:
    settled = Settled(Calm.WAITING)
    for one in ones:
        settled = settler.add(one)
    return settled


def test_a_still_table_is_seen_after_its_time_and_not_before() -> None:
    settler = Settler(600)
    assert [settler.add(at(ms, A1)).seen is not None for ms in range(0, 1000, 100)] == [False] * 6 + [True] * 4


def test_two_pictures_are_too_few_however_far_apart() -> None:
    settler = Settler(600)
    assert fed(settler, at(0, A1), at(5000, A1)).seen is None
    assert fed(settler, at(10000, A1)).seen is not None


def test_k2_a_picture_whose_time_stands_still_never_makes_a_board_still() -> None:
    settler = Settler(600)
    assert all(settler.add(at(100, A1)).seen is None for _ in range(50))


def test_a_hand_starts_the_waiting_anew() -> None:
    settler = Settler(600)
    fed(settler, *(at(ms, A1) for ms in range(0, 1000, 100)))
    hand = settler.add(at(1000, A1, hidden=[B1], hand=True))
    assert (hand.calm, hand.seen) == (Calm.HAND, None)
    after = [settler.add(at(ms, A1, B1)) for ms in range(1100, 2000, 100)]
    assert [one.seen is not None for one in after] == [False] * 6 + [True] * 3
    assert after[-1].seen is not None
    assert after[-1].seen.best(B1) == RED


def test_a_hand_that_rests_hides_what_is_under_it_and_shows_the_rest() -> None:
    settler = Settler(600)
    settled = fed(settler, *(at(ms, A1, hidden=[B1, C1], hand=True) for ms in range(0, 1700, 100)))
    assert settled.calm is Calm.HAND
    assert settled.seen is not None
    assert settled.seen.hand
    assert settled.seen.hidden == {B1, C1}
    assert B1 not in settled.seen.cells


def test_o2_a_piece_slid_through_three_cells_with_half_a_second_of_rest_is_seen_only_where_it_ends() -> None:
    settler, seen = Settler(600), []
    for ms in range(0, 3000, 100):
        cell = (A1, B1, C1)[min(ms // 500, 2)]
        settled = settler.add(at(ms, cell))
        if settled.seen is not None:
            seen += [c for c in (A1, B1, C1)
                     if settled.seen.best(c) == RED and settled.seen.probability(c, RED) > 0.9]
    assert set(seen) == {C1}


def test_w2_a_cell_between_two_labels_becomes_unsure_and_holds_nobody_up() -> None:
    settler, looks = Settler(600), []
    for i, ms in enumerate(range(0, 60_000, 100)):
        one = observed(Layout({A1: RED if i % 2 else BLUE, B1: RED}), i, ms * 1_000_000)
        settled = settler.add(one)
        if settled.seen is not None:
            looks.append(settled.seen)
    assert len(looks) > 500
    assert all(look.best(B1) == RED and look.probability(B1, RED) > 0.95 for look in looks)
    assert all(0.2 < look.probability(A1, RED) < 0.8 for look in looks)


@pytest.mark.parametrize("board", [BoardState.LOST, BoardState.MOVED])
def test_a_board_that_was_lost_or_moved_is_looked_at_anew(board: BoardState) -> None:
    settler = Settler(600)
    fed(settler, *(at(ms, A1) for ms in range(0, 1000, 100)))
    assert settler.add(at(1000, A1, board=board)).seen is None
    assert fed(settler, *(at(ms, A1) for ms in range(1100, 1600, 100))).seen is None


def test_any_speed_of_replay_gives_the_same_looks() -> None:
    def looks() -> list[bool]:
        settler = Settler(600)
        return [settler.add(at(ms, A1, hand=400 < ms < 700)).seen is not None for ms in range(0, 3000, 70)]

    assert looks() == looks()
