"""What following makes known of a city, and what later pictures may say against it."""

from __future__ import annotations

import pytest

from rules.quadropolis.growth import Spent
from table.cities import (
    Book,
    CityFact,
    CityRead,
    CityTurned,
    PiecesLaid,
    Sheet,
    SlotCorrected,
    read_back,
    told,
    written,
)
from table.city_history import (
    BuildAsked,
    BuildPutRight,
    BuildRefused,
    FollowBegun,
    FollowEnded,
    History,
    TileBuilt,
    begun,
    confirmed,
)
from table.city_read import ReadCity, SlotRead
from webui.city_desk import Building, Offer

EMPTY = ReadCity(print="empty")


def sheet_after(*facts: CityFact) -> Sheet:
    """The first city after these facts, each of which goes through the journal's words."""
    book = Book()
    for seq, fact in enumerate(facts, start=1):
        kind, body = written(fact)
        assert read_back(kind, 1, body) == fact
        book = told(book, seq, "2030-01-01T00:00:00Z", fact)
    return book.now.sheets[0]


def read_with(slots: dict[int, tuple[Offer, ...]], asked: tuple[int, ...] = ()) -> ReadCity:
    return ReadCity(tuple(SlotRead((), slots.get(n, ()), n in asked) for n in range(16)), print="later")


FOLLOWED = (
    CityRead(0, EMPTY), FollowBegun(1), TileBuilt(1, 0, "T2", (1,)), TileBuilt(1, 0, "T1", (1, 2)),
    TileBuilt(1, 5, "H1i1e", (2,)),
)  # fmt: skip


def test_a_followed_city_knows_its_tiles_floors_and_resources() -> None:
    sheet = sheet_after(*FOLLOWED)
    assert sheet.slots[0] == Building("T1", 2)
    assert sheet.slots[5] == Building("H1i1e")
    assert sheet.history is not None
    assert sheet.history.brought == (4, 1)
    assert sheet.history.spent == Spent().after((1,)).after((1, 2)).after((2,))
    assert not any(sheet.is_asked(slot) for slot in range(16))


@pytest.mark.parametrize(
    ("offers", "wanted"),
    [
        ((Offer(Building("T1", 3, 0, 1), 0.55), Offer(Building("T1", 2, 0, 1), 0.4)), Building("T1", 2, 0, 1)),
        ((Offer(Building("T1", 1, 0, 1), 0.8), Offer(Building("T1", 2, 0, 1), 0.15)), Building("T1", 2, 0, 1)),
        ((Offer(Building("T3", 2), 0.7), Offer(Building("T1", 2), 0.3)), Building("T1", 2)),
    ],
    ids=["floors unsure", "floors read otherwise, not firmly", "face unsure"],
)
def test_a_later_picture_confirms_what_was_followed(offers: tuple[Offer, ...], wanted: Building) -> None:
    sheet = sheet_after(*FOLLOWED, CityRead(1, read_with({0: offers, 5: (Offer(Building("H1i1e"), 1.0),)}, asked=(0,))))
    assert sheet.slots[0] == wanted
    assert not sheet.is_asked(0)
    assert not sheet.is_asked(5)


@pytest.mark.parametrize(
    "offers",
    [(Offer(Building("S"), 0.98),), (Offer(Building("T1", 4), 0.99),), ()],
    ids=["another face", "firmly another count of floors", "nothing there"],
)
def test_a_clear_contradiction_is_asked_with_both_answers_the_followed_first(offers: tuple[Offer, ...]) -> None:
    sheet = sheet_after(*FOLLOWED, CityRead(1, read_with({0: offers, 5: (Offer(Building("H1i1e"), 1.0),)})))
    assert sheet.is_asked(0)
    assert sheet.slots[0] == Building("T1", 2)
    answers = [offer.building for offer in sheet.read.slots[0].ranked]
    assert answers == [Building("T1", 2), offers[0].building if offers else None]


def test_unsure_tokens_are_asked_about_on_a_known_tile() -> None:
    offers = (Offer(Building("T1", 2, 0, 1), 0.5), Offer(Building("T1", 2, 0, 0), 0.45), Offer(Building("S"), 0.05))
    known = confirmed(b"\x05\x03", offers, True, False, (0, 0))
    assert known.asked
    assert [offer.building for offer in known.ranked] == [Building("T1", 2, 0, 1), Building("T1", 2)]


def test_a_slot_under_a_hand_keeps_its_tile_and_is_asked_for_its_tokens() -> None:
    known = confirmed(b"\x05\x03", (), False, True, (0, 1))
    assert known.building == Building("T1", 2, 0, 1)
    assert known.asked


def test_a_tile_where_the_followed_city_has_none_is_asked_but_believed_once_nobody_follows() -> None:
    tower, harbour = (Offer(Building("T1", 2), 1.0),), (Offer(Building("H1i1e"), 1.0),)
    later = read_with({0: tower, 5: harbour, 9: (Offer(Building("P"), 0.97),)})
    sheet = sheet_after(*FOLLOWED, CityRead(1, later))
    assert sheet.is_asked(9)
    assert sheet.slots[9] is None
    sheet = sheet_after(*FOLLOWED, FollowEnded(1), CityRead(1, later))
    assert not sheet.is_asked(9)
    assert sheet.slots[9] == Building("P")
    assert sheet.history is not None
    assert sheet.history.face(9) == "P"


def test_a_picture_from_another_side_is_turned_to_what_is_known() -> None:
    slots = {3: (Offer(Building("T1", 2), 1.0),), 6: (Offer(Building("H1i1e"), 1.0),)}  # turned by a quarter
    sheet = sheet_after(*FOLLOWED, CityRead(1, read_with(slots)))
    assert sheet.slots[0] == Building("T1", 2)
    assert sheet.slots[5] == Building("H1i1e")
    assert not any(sheet.is_asked(slot) for slot in range(16))


def test_an_answer_to_a_question_is_a_build() -> None:
    asked = BuildAsked(1, 7, (Offer(Building("V1"), 0.6), Offer(Building("V2"), 0.4), Offer(None, 0.0)))
    sheet = sheet_after(*FOLLOWED, asked)
    assert sheet.is_asked(7)
    assert sheet.verdict == asked
    assert not sheet_after(*FOLLOWED, asked, BuildPutRight(1)).is_asked(7), "the slot is as it was"
    sheet = sheet_after(*FOLLOWED, asked, SlotCorrected(1, 7, Building("V2")))
    assert not sheet.is_asked(7)
    assert sheet.verdict is None
    assert sheet.history is not None
    assert (sheet.history.face(7), sheet.history.log[-1]) == ("V2", (7, 0))


def test_what_a_person_says_counts_before_what_was_followed() -> None:
    history = begun((None,) * 16, (0, 0)).built(0, 5).built(0, 3)
    assert history.corrected(0, None) == History()
    gone = history.corrected(0, Building("T2", 1))
    assert (len(gone.floors[0]), gone.log) == (1, ((0, 0),))
    old = begun((Building("T1", 3), *[None] * 15), (1, 0))
    assert (old.unseen, old.brought) == (3, (1, 0))
    assert old.corrected(0, Building("T1", 2)).unseen == 2
    assert old.corrected(0, Building("T1", 4)).log == ((0, 3),)


def test_turning_the_rows_turns_what_is_known() -> None:
    sheet = sheet_after(*FOLLOWED, CityTurned(1))
    assert sheet.history is not None
    assert sheet.history.face(3) == "T1"
    assert sheet.slots[3] == Building("T1", 2)
    assert sheet.history.log == ((3, 0), (3, 1), (6, 0))


def test_what_the_camera_saw_makes_no_tap_old() -> None:
    sheet = sheet_after(*FOLLOWED, PiecesLaid(1, (2, *[0] * 16), (0,) * 17))
    assert (sheet.spoken_seq, sheet.changed_seq) == (2, 6)
    assert sheet_after(*FOLLOWED, SlotCorrected(1, 7, None)).spoken_seq == 6


def test_one_city_is_followed_at_a_time_and_what_was_refused_stands_until_put_right() -> None:
    refused = BuildRefused(1, ("slot-taken",), (0,))
    assert sheet_after(*FOLLOWED, refused).verdict == refused
    assert sheet_after(*FOLLOWED, refused, BuildPutRight(1)).verdict == BuildPutRight(1)
    sheet = sheet_after(*FOLLOWED, CityRead(0, ReadCity(print="other")), FollowBegun(6))
    assert not sheet.is_followed
    assert sheet.history is not None
