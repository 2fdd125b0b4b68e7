"""A followed city: what is accepted, refused, put right, asked, and what is left alone."""

from __future__ import annotations

import random

import pytest

from rules.quadropolis.state import BESIDE
from table.city_following import Built, PutRight, Refused, Ruling, Unsure, Waiting
from tests.table.city_evening import Evening
from webui.city_desk import Building


def built(told: tuple[Ruling, ...]) -> list[tuple[int, str, tuple[int, ...]]]:
    assert all(isinstance(one, Built) for one in told), told
    return [(one.build.slot, one.face, one.build.numbers) for one in told if isinstance(one, Built)]


def codes(told: tuple[Ruling, ...]) -> list[str]:
    """The first reason of the one refusal that was told."""
    (one,) = told
    assert isinstance(one, Refused), told
    return [reason.code for reason in one.reasons]


def test_builds_are_accepted_as_they_come() -> None:
    evening = Evening()
    assert built(evening.lay(5, "P")) == [(5, "P", (2,))]
    assert evening.look() == ()
    assert built(evening.lay(0, "T2", people=2)) == [(0, "T2", (1,))]
    assert built(evening.lay(0, "T1", 2, people=1)) == [(0, "T1", (1, 2))]
    assert evening.look() == ()
    assert [len(floors) for floors in evening.followed.history.floors[:6]] == [2, 0, 0, 0, 0, 1]
    assert evening.followed.history.brought == (3, 0)


def test_the_same_face_on_itself_is_told_by_the_floors_and_by_who_came() -> None:
    evening = Evening()
    evening.lay(0, "T2", people=2)
    assert built(evening.lay(0, "T2", 2, people=2)) == [(0, "T2", (1, 2))]
    evening.tiles[0] = ("T2", 3)  # a misread count of floors: nobody came
    for _ in range(4):
        assert evening.look() in ((), (Waiting(),))
    assert len(evening.followed.history.floors[0]) == 2


def test_a_tower_that_suddenly_looks_higher_grew_even_where_nobody_can_be_counted() -> None:
    evening = Evening(uncounted=True)
    evening.unsure[0] = (("T2", 1, 0.97), ("T2", 2, 0.03))
    assert evening.look() == (Waiting(),) or evening.followed.history.floors[0]
    evening.look()
    assert len(evening.followed.history.floors[0]) == 1
    evening.unsure[0] = (("T2", 2, 0.66), ("T2", 1, 0.34))
    evening.beside = (9, 0)
    assert evening.look() == (Waiting(),)
    assert built(evening.lay(5, "P")) == [(5, "P", (2,))], "it holds up no other tile"
    assert built(evening.look()) == [(0, "T2", (1, 2))]


def test_a_tower_that_has_always_looked_higher_has_not_grown() -> None:
    evening = Evening(uncounted=True)
    evening.unsure[0] = (("T2", 1, 0.55), ("T2", 2, 0.45))
    for _ in range(3):
        evening.look()
    evening.unsure[0] = (("T2", 2, 0.8), ("T2", 1, 0.2))
    assert evening.look() == ()


@pytest.mark.parametrize(
    ("before", "wrong", "code"),
    [
        ([(5, "P", 1)], (5, "S", 1), "slot-taken"),
        ([(5, "P", 1)], (5, "T1", 1), "slot-taken"),
        ([(5, "T1", 1)], (5, "S", 1), "only-towers-stack"),
        ([(5, "T1", 1), (5, "T2", 2), (5, "T1", 3), (5, "T3", 4)], (5, "T1", 4), "too-high"),
    ],
)
def test_a_tile_on_a_tile_is_refused_at_once_and_nothing_more_is_said_until_it_is_put_right(
    before: list[tuple[int, str, int]], wrong: tuple[int, str, int], code: str
) -> None:
    evening = Evening(uncounted=True)
    for slot, face, floors in before:
        assert built(evening.lay(slot, face, floors))
    assert codes(evening.lay(*wrong)) == [code]
    assert evening.look() == ()
    evening.tiles[5] = before[-1][1:]
    assert evening.look() == (PutRight(),)
    assert evening.look() == ()


def test_the_game_goes_on_around_what_was_refused() -> None:
    evening = Evening()
    evening.lay(5, "P")
    assert codes(evening.lay(5, "S")) == ["slot-taken"]
    assert built(evening.lay(2, "P")) == [(2, "P", (1, 3))]


def test_a_tile_that_is_gone_is_told_once_it_stays_so() -> None:
    evening = Evening()
    evening.lay(5, "P")
    del evening.tiles[5]
    assert evening.look() == (Waiting(),)
    assert codes(evening.look()) == ["moved-building"]
    evening.tiles[5] = ("P", 1)
    assert evening.look() == (PutRight(),)


def test_a_moved_tile_is_no_build() -> None:
    evening = Evening()
    evening.lay(5, "F1", energy=1)
    del evening.tiles[5]
    assert evening.lay(6, "F1") == (Waiting(),)
    (told,) = evening.look()
    assert isinstance(told, Refused)
    assert (told.reasons[0].code, told.slots, told.face) == ("moved-building", (5, 6), "F1")
    del evening.tiles[6]
    evening.tiles[5] = ("F1", 1)
    assert evening.look() == (PutRight(),)


def test_a_tile_that_was_only_lifted_for_a_moment_is_not_told() -> None:
    evening = Evening()
    evening.lay(5, "P")
    del evening.tiles[5]
    assert evening.look() == (Waiting(),)
    evening.tiles[5] = ("P", 1)
    assert evening.look() == ()


def test_two_at_once_are_refused_and_the_one_that_stays_is_a_build() -> None:
    evening = Evening()
    evening.tiles[5] = ("P", 1)
    assert codes(evening.lay(2, "S")) == ["two-at-once"]
    del evening.tiles[2]
    told = evening.look()
    assert told[0] == PutRight()
    assert built(told[1:]) == [(5, "P", (2,))]


def test_two_that_a_hand_hid_may_have_come_one_after_the_other() -> None:
    evening = Evening()
    evening.hidden = {5, 6}
    assert evening.look() == ()
    evening.hidden = set()
    evening.tiles[5] = ("P", 1)
    assert len(built(evening.lay(2, "S"))) == 2


def test_nothing_is_decided_under_a_hand_at_once() -> None:
    evening = Evening()
    evening.hidden = {10, 11}
    assert evening.lay(5, "P") == (Waiting(),)
    assert built(evening.look()) == [(5, "P", (2,))], "what lies still beside a resting hand is believed"
    del evening.tiles[5]
    for _ in range(5):
        assert evening.look() in ((Waiting(),), ())
    evening.tiles[5] = ("P", 1)
    evening.hidden = set()
    assert evening.look() == ()


def test_a_hand_that_hides_no_slot_is_waited_for_too() -> None:
    evening = Evening(hand=True)
    assert evening.lay(5, "P") == (Waiting(),)
    evening.hand = False
    assert built(evening.look()) == [(5, "P", (2,))]


def test_what_a_hand_hides_stays_as_it_was() -> None:
    evening = Evening()
    evening.lay(5, "P")
    assert codes(evening.lay(5, "S")) == ["slot-taken"]
    evening.hidden = {5}
    assert evening.look() == ()
    evening.hidden = set()
    assert evening.look() == (), "it still lies there, and was told"


def test_tokens_tell_a_face_that_is_hardly_read() -> None:
    evening = Evening()
    evening.unsure[0] = (("T2", 1, 0.55), ("T3", 1, 0.45))
    assert evening.look() == (Waiting(),)
    evening.beside = (3, 0)
    assert built(evening.look()) == [(0, "T3", (1,))]


def test_an_unsure_tile_is_asked_about_once_and_blocks_nothing() -> None:
    evening = Evening()
    evening.unsure[0] = (("V1", 1, 0.55), ("V2", 1, 0.45))
    assert evening.look() == (Waiting(),)
    (told,) = evening.look()
    assert isinstance(told, Unsure)
    assert [offer.building for offer in told.offers] == [Building("V1"), Building("V2"), None]
    assert evening.look() == ()
    assert built(evening.lay(5, "P")) == [(5, "P", (2,))]


def test_a_face_of_the_same_type_is_a_misreading_and_asked_with_the_known_one_first() -> None:
    evening = Evening()
    evening.lay(5, "V1")
    evening.tiles[5] = ("V2", 1)
    assert evening.look() == (Waiting(),)
    (told,) = evening.look()
    assert isinstance(told, Unsure)
    assert [offer.building for offer in told.offers] == [Building("V1"), Building("V2")]


def test_a_question_is_withdrawn_where_the_slot_is_as_it_was() -> None:
    evening = Evening()
    evening.unsure[0] = (("V1", 1, 0.55), ("V2", 1, 0.45))
    evening.look()
    assert isinstance(evening.look()[0], Unsure)
    evening.hidden = {0}
    assert evening.look() == ()
    evening.hidden = set()
    del evening.unsure[0]
    assert evening.look() == (PutRight(),)
    assert evening.look() == ()


def test_missing_resources_are_told_once_they_have_not_come() -> None:
    evening = Evening()
    assert built(evening.lay(5, "F2"))
    assert evening.look() == (), "people take their time"
    assert codes(evening.look()) == ["resources-missing"]
    assert evening.look() == ()
    assert built(evening.lay(2, "H1i1e", people=1, energy=1)), "what is owed is no doubt about the next tile"
    evening.beside = (1, 3)
    assert evening.look() == (PutRight(),)


def test_resources_may_come_a_look_later() -> None:
    evening = Evening()
    assert built(evening.lay(5, "T3"))
    evening.beside = (3, 0)
    assert evening.look() == ()
    assert evening.look() == ()


def test_too_many_resources_are_told_with_how_many() -> None:
    evening = Evening()
    assert built(evening.lay(5, "T1", people=3))
    (told,) = evening.look()
    assert isinstance(told, Refused)
    assert (told.reasons[0].code, told.amount, told.slots) == ("resources-too-many", (2, 0), (BESIDE,))
    evening.beside = (1, 0)
    assert evening.look() == (PutRight(),)


def test_tokens_that_cannot_be_counted_accuse_nobody() -> None:
    evening = Evening(uncounted=True)
    assert built(evening.lay(5, "T3"))
    for _ in range(4):
        assert evening.look() == ()


def test_one_sure_count_and_one_that_agrees_are_enough_and_what_is_right_is_believed_at_once() -> None:
    evening = Evening()
    assert built(evening.lay(5, "T1", people=2))
    evening.uncounted = False
    assert codes(evening.look()) == ["resources-too-many"]
    evening.uncounted = True
    evening.beside = (1, 0)
    assert evening.look() == (PutRight(),)


def test_a_token_misread_for_good_is_told_once_and_hides_no_other() -> None:
    evening = Evening()
    assert built(evening.lay(5, "F2", energy=2))
    evening.beside = (0, 1)  # one lies where it is never seen
    assert evening.look() == ()
    assert codes(evening.look()) == ["resources-missing"]
    assert built(evening.lay(2, "T2", people=2))
    evening.beside = (1, 1)
    assert evening.look() == ()
    assert codes(evening.look()) == ["resources-missing"]
    evening.beside = (2, 1)
    assert evening.look() == (PutRight(),)
    for _ in range(4):
        assert evening.look() == ()


def test_what_comes_bit_by_bit_is_told_once() -> None:
    evening = Evening()
    assert built(evening.lay(5, "F3"))
    evening.look()
    assert codes(evening.look()) == ["resources-missing"]
    evening.beside = (0, 1)
    for _ in range(3):
        assert evening.look() == ()
    evening.beside = (0, 3)
    assert evening.look() == (PutRight(),)


def test_four_builds_with_one_number_are_four_rounds_and_a_fifth_is_refused() -> None:
    """Only architect 1 builds on 1,1 as the first floor; a person's word is believed all the same."""
    evening = Evening(uncounted=True)
    history = evening.followed.history
    for _ in range(4):
        history = type(history)(history.floors, 0, (*history.log, (0, 0)), (0, 0))
    evening.followed = type(evening.followed)(history)
    assert codes(evening.lay(0, "P")) == ["architects-spent"]
    believed = history.corrected(0, Building("P"))
    assert believed.face(0) == "P"
    assert believed.spent.ways


def test_random_evenings_are_followed_whole_through_hands_and_flicker() -> None:
    """Real builds of random play, with hands, unsure readings and tokens that come late: all are accepted."""
    from rules.quadropolis import QUADROPOLIS
    from rules.quadropolis.tiles import ENERGY, INHABITANTS, TILE
    from tests.rules.playing import next_moves, setups_of

    for seed in range(25):
        rng = random.Random(seed)
        state = QUADROPOLIS.start(setups_of(QUADROPOLIS)["two"])
        evening, played, told = Evening(), [], []
        while state.phase not in ("allocate", "over"):
            move = rng.choice(next_moves(QUADROPOLIS, state, rng))
            if move.verb == "build" and move.seat == 0 and move.target is not None:
                slot, code = move.target.row * 4 + move.target.col, state.taken
                played.append((slot, TILE[code].face))
                if rng.random() < 0.3:
                    evening.hidden = set(rng.sample(range(16), 3)) | {slot}
                    told += evening.look()
                    evening.hidden = set()
                people, energy = INHABITANTS[code], ENERGY[code]
                late = rng.random() < 0.3 and (people or energy)
                now = (0, 0) if late else (people, energy)
                told += evening.lay(slot, TILE[code].face, move.target.level + 1, *now)
                if late:
                    evening.beside = (evening.beside[0] + people, evening.beside[1] + energy)
                told += evening.look()
                told += evening.look()
            state = QUADROPOLIS.play(state, move)
        told = [one for one in told if not isinstance(one, Waiting)]
        assert all(isinstance(one, Built) for one in told), (seed, told)
        assert [(one.build.slot, one.face) for one in told if isinstance(one, Built)] == played, seed
