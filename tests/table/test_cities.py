"""Scored cities: corrected, counted, ranked, offered."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.quadropolis.allocating import best
from rules.quadropolis.state import SLOTS, City
from table.cities import (
    CITY_KINDS,
    FACE_WORDS,
    BesideCorrected,
    Book,
    CityDropped,
    CityFact,
    CityNamed,
    CityRead,
    CityTurned,
    PiecesLaid,
    ReadingsChosen,
    ScoringClosed,
    SlotCorrected,
    TilesChosen,
    read_back,
    told,
    written,
)
from table.cities_offers import MOST_OFFERS, offers_for
from table.cities_score import best_near, points_of, ranked, transfers
from table.cities_wishes import FULL, GONE, STALE, TWICE, Refusal, decided, may_read
from table.city_read import ReadCity
from tests.table.rehearsed_cities import WORKED, read_of
from webui.city_desk import (
    Building,
    ChooseReadings,
    ChooseTiles,
    CityWish,
    CorrectBeside,
    CorrectSlot,
    LayBest,
    NameCity,
    NewScoring,
    ReadPicture,
    TurnCity,
)


def book_with(*facts: CityFact) -> Book:
    book = Book()
    for seq, fact in enumerate(facts, start=1):
        book = told(book, seq, "2030-01-01T00:00:00Z", fact)
    return book


def after(book: Book, wish: CityWish) -> Book:
    """The book after a wish that must be granted, asked on what is there."""
    fact = decided(book, book.now.seq, wish, ("my box",))
    assert not isinstance(fact, Refusal), fact
    return told(book, book.now.seq + 1, "2030-01-01T00:00:00Z", fact)


def test_the_worked_city_counts_what_the_facts_say_and_the_reasons_add_up() -> None:
    (view,) = ranked(book_with(CityRead(0, read_of())).now)
    assert dict(view.parts) == {"towers": 10, "shops": 11, "services": 0, "parks": 11, "factories": 12, "harbors": 12,
                                "penalty": 0}
    assert view.total == 56 == sum(reason.points for reason in view.reasons)
    assert view.slots[0].points == 6
    assert view.slots[3].points is None
    both = after(book_with(CityRead(0, read_of())), ChooseReadings("row_plus_column", "all"))
    assert ranked(both.now)[0].total == 59


def test_the_total_follows_each_correction_at_once() -> None:
    book = book_with(CityRead(0, read_of(asked=(0,))))
    assert ranked(book.now)[0].to_answer == 1
    book = after(book, CorrectSlot(1, 0, Building("T1", 4, 0, 1)))
    assert ranked(book.now)[0].total == 60
    assert ranked(book.now)[0].to_answer == 0, "an answer settles the question"
    book = after(book, CorrectSlot(1, 0, None))
    assert ranked(book.now)[0].slots[0].building is None
    book = after(book, CorrectBeside(1, 2, 1))
    assert dict(ranked(book.now)[0].parts)["penalty"] == -3
    assert ranked(book.now)[0].beside == (2, 1)


def test_confirming_what_was_read_settles_it_and_a_new_picture_asks_anew() -> None:
    book = book_with(CityRead(0, read_of(asked=(0, 5), hidden=(3,), beside_asked=True)))
    for wish in (CorrectSlot(1, 0, WORKED[0]), CorrectSlot(1, 3, None), CorrectBeside(1, 0, 0)):
        book = after(book, wish)
    (view,) = ranked(book.now)
    assert [n for n, slot in enumerate(view.slots) if slot.asked] == [5]
    assert view.beside_asked is False
    assert view.total == 56
    book = told(book, 9, "", CityRead(1, read_of(asked=(0, 5), print_="another")))
    assert ranked(book.now)[0].to_answer == 2
    assert (book.now.sheets[0].picture_seq, book.now.sheets[0].city) == (9, 1)


def test_rows_counted_from_another_side_change_names_and_no_point() -> None:
    first = book_with(CityRead(0, read_of(asked=(0, 6), hidden=(3,))))
    book = after(first, CorrectSlot(1, 1, Building("S", 1, 2, 1)))
    before = ranked(book.now)[0]
    turned = after(book, TurnCity(1))
    view = ranked(turned.now)[0]
    assert view.slots[3] == before.slots[0], "row 1, column 1 is row 1, column 4"
    assert (view.total, view.best_total, view.parts) == (before.total, before.best_total, before.parts)
    assert [n for n, slot in enumerate(view.slots) if slot.settled] == [7]
    for _ in range(3):
        turned = after(turned, TurnCity(1))
    assert ranked(turned.now)[0].slots == before.slots


@pytest.mark.parametrize(
    ("wish", "on_seq", "why"),
    [
        (CorrectSlot(1, 0, None), 2, STALE),
        (CorrectSlot(2, 0, None), 2, None),
        (CorrectSlot(7, 0, None), 4, GONE),
        (NameCity(1, "Ana"), 3, STALE),
        (NewScoring(), 3, STALE),
        (NewScoring(), 4, None),
        (ChooseReadings("best_line", "placed"), 3, None),
        (ChooseTiles("unknown"), 4, "refused"),
        (ChooseReadings("both", "all"), 4, "refused"),
        (CorrectSlot(2, 16, None), 4, "refused"),
        (CorrectSlot(2, 1, Building("X9")), 4, "refused"),
        (CorrectSlot(2, 1, Building("T1", 5)), 4, "refused"),
        (CorrectSlot(2, 1, Building("T1", 1, 41)), 4, "refused"),
        (CorrectBeside(2, 41, 0), 4, "refused"),
        (LayBest(3), 4, GONE),
    ],
    ids=str,
)
def test_what_is_old_or_impossible_is_refused_and_what_concerns_another_city_is_not(
    wish: CityWish, on_seq: int, why: Refusal | str | None
) -> None:
    """Facts 1 and 2 add two cities, 3 and 4 change the first."""
    book = book_with(CityRead(0, read_of()), CityRead(0, read_of(print_="b")), SlotCorrected(1, 0, None),
                     CityNamed(1, "Bia"))
    fact = decided(book, on_seq, wish, ("my box",))
    if why is None:
        assert not isinstance(fact, Refusal)
    else:
        assert isinstance(fact, Refusal)
        assert fact.code == why if isinstance(why, str) else fact == why


def test_pictures_are_judged_before_they_are_opened() -> None:
    book = book_with(*(CityRead(0, read_of(print_=name)) for name in "abc"))
    new = ReadPicture(b"", "x.jpg")
    assert may_read(book, 0, new, "d") is None, "others may add cities meanwhile"
    assert may_read(book, 3, new, "b") == TWICE
    assert may_read(book, 3, replace(new, city=9), "d") == GONE
    full = told(book, 4, "", CityRead(0, read_of(print_="d")))
    assert may_read(full, 4, new, "e") == FULL
    assert may_read(full, 4, replace(new, city=4), "e") is None, "one of them anew"
    closed = told(full, 5, "", ScoringClosed(()))
    assert may_read(closed, 4, new, "a") == STALE
    assert may_read(closed, 5, new, "a") is None


def small(points: int, people: int, empty: int) -> ReadCity:
    """A city of one-floor towers that scores `points`, with `people` idle ones paid for by further towers."""
    towers: list[Building | None] = [Building("T1", 1, 0, 1)] * (points + people)
    spare = SLOTS - len(towers) - empty
    return read_of([*towers, *[Building("T1")] * spare, *[None] * empty], (people, 0))


@pytest.mark.parametrize(
    ("cities", "tie", "ranks"),
    [
        ([small(3, 0, 4), small(5, 0, 4)], "all", [2, 1]),
        ([small(3, 0, 4), small(3, 1, 4)], "all", [2, 1]),
        ([small(3, 0, 4), small(3, 1, 4)], "placed", [1, 1]),
        ([small(3, 1, 4), small(3, 1, 2)], "all", [2, 1]),
        ([small(3, 1, 4), small(3, 1, 4), small(2, 5, 0)], "all", [1, 1, 3]),
    ],
)
def test_ties_are_broken_by_inhabitants_then_by_empty_slots(cities: list[ReadCity], tie: str, ranks: list[int]) -> None:
    facts = [CityRead(0, replace(read, print=str(n))) for n, read in enumerate(cities)]
    book = book_with(*facts, ReadingsChosen("best_line", tie))
    views = ranked(book.now)
    assert [view.rank for view in views] == ranks
    assert [view.wins for view in views] == [rank == 1 for rank in ranks]


BUILDINGS = st.none() | st.builds(
    Building, st.sampled_from(FACE_WORDS), st.integers(1, 4), st.integers(0, 3), st.integers(0, 2)
)


@settings(max_examples=40, deadline=None)
@given(st.lists(BUILDINGS, min_size=SLOTS, max_size=SLOTS), st.integers(0, 4), st.integers(0, 4),
       st.sampled_from(["best_line", "row_plus_column"]))
def test_the_moves_lead_to_the_best_total_and_none_is_idle(
    buildings: list[Building | None], people: int, energy: int, harbours: str
) -> None:
    upright = [b if b is None or b.face[0] == "T" else replace(b, floors=1) for b in buildings]
    book = book_with(CityRead(0, read_of(upright, (people, energy))))
    city = book.now.sheets[0].counted
    near, far = best_near(city, harbours), best(city, harbours)
    assert points_of(near, harbours) == points_of(far, harbours)
    moves = transfers(city, near)
    assert moved(city, moves) == near
    assert sum(move.count for move in moves) <= sum(move.count for move in transfers(city, far))
    assert (moves == ()) == (points_of(city, harbours) == points_of(far, harbours))
    if moves:
        laid = after(after(book, ChooseReadings(harbours, "all")), LayBest(1))
        assert ranked(laid.now)[0].total == points_of(far, harbours)
        assert ranked(laid.now)[0].transfers == ()


def moved(city: City, moves: tuple[object, ...]) -> City:
    people, energy = list(city.people), list(city.energy)
    for move in moves:
        amounts = people if move.kind == "inhabitants" else energy  # type: ignore[attr-defined]
        amounts[move.source] -= move.count  # type: ignore[attr-defined]
        amounts[move.target] += move.count  # type: ignore[attr-defined]
    return City(city.floors, bytes(people), bytes(energy))


@pytest.mark.parametrize(
    "fact",
    [
        CityRead(0, read_of(asked=(0,), hidden=(3,))),
        CityNamed(1, "Lúcia"),
        SlotCorrected(1, 0, None),
        SlotCorrected(1, 0, Building("H1i1e", 1, 1, 0)),
        BesideCorrected(1, 2, 0),
        CityTurned(1),
        PiecesLaid(1, (0,) * 17, (1,) * 17),
        CityDropped(1),
        ReadingsChosen("row_plus_column", "placed"),
        TilesChosen("my box"),
        ScoringClosed((("Ana", 56, True),)),
    ],
    ids=lambda fact: type(fact).__name__,
)
def test_each_kind_of_fact_comes_back_as_it_was_written(fact: CityFact) -> None:
    kind, body = written(fact)
    assert read_back(kind, 1, body) == fact
    with pytest.raises(ValueError, match="newer program"):
        read_back(kind, 2, body)


@pytest.mark.parametrize("kind", CITY_KINDS)
def test_every_kind_of_fact_is_described(kind: str) -> None:
    assert f"`{kind}`" in (Path(__file__).parents[2] / "table" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("asked", [True, False])
@pytest.mark.parametrize("slot", range(SLOTS))
def test_offers_are_few_different_and_leave_out_what_nobody_corrects(slot: int, asked: bool) -> None:
    sheet = book_with(CityRead(0, read_of(asked=(slot,) if asked else ()))).now.sheets[0]
    offers = offers_for(sheet, slot)
    found = [offer.building for offer in offers]
    assert len(set(found)) == len(found) <= MOST_OFFERS
    building = WORKED[slot]
    if building is None:
        assert found == ([None] if asked else [])
    else:
        assert None in found
        assert (found[0] == building) == asked, "what is asked may be confirmed"
        assert (building in found) == asked
        assert len(found) >= 3 or building.face == "P"
