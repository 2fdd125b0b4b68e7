"""A camera that errs in one way goes on erring in it: that is its habit, and no act of anybody's. Field report W1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from rules.match import Match
from rules.words import Cell, Colour, Piece
from table.evidence import SETTLED, Evidence
from table.following import Followed, look
from table.habits import FADES, NO_HABITS, Habit, Habits
from table.replay import Replay
from table.seen import Seen
from tests.table.scripted import KIT, observed_match
from tests.table.test_referee import DROPS, c, in_words, match_of, p, seen_of
from vision.observation import BoardState, Observation, Sighting

A1 = Cell(0, 0)
SMALL, LYING = Piece("small", Colour("red")), Piece("small", Colour("red"), 2)
WEAK = (
    (Piece("small", Colour("red"), 0), 0.40), (None, 0.31), (Piece("medium", Colour("red"), 0), 0.16), (SMALL, 0.05))
Ranks = Mapping[str, Sequence[tuple[str, float]]]


def told(match: Match, looks: Sequence[tuple[Mapping[str, str], Ranks]]) -> list[list[str]]:
    """What is said at each look; each is of the table as it began, with these cells otherwise and these in doubt."""
    followed, said = Followed(match), []
    for seq, (changes, ranks) in enumerate(looks, 1):
        seen = seen_of(match, changes, ranks=ranks)
        before = followed.match
        followed, rulings = look(followed, Seen(seen.cells, taken_ns=seq * 10**9), KIT.visible)
        words = []
        for ruling, after in rulings:
            words.append(in_words(before, ruling))
            before = after.match
        said.append(words)
    return said


@pytest.mark.parametrize("share", [0.66, 0.82])
def test_a_piece_read_as_fallen_all_the_time_does_not_drop_when_its_turn_comes(share: float) -> None:
    """South's small piece at a1 is taken for one that has fallen, now more, now less; what south really drops is a2,
    which is read no better. By the bare readings it would be a1."""
    match = match_of(*DROPS, per_size=1)
    doubt: Ranks = {"a1": (("Srn", share), ("Sr", 0.98 - share))}
    said = told(match.undone(2), [
        ({"f8": "Lg"}, doubt),
        ({"f8": "Lg", "f1": "Lb"}, doubt),
        ({"f8": "Lg", "f1": "Lb"}, {"a1": (("Srn", 0.88), ("Sr", 0.11)), "a2": (("Mrn", 0.84), ("Mr", 0.14))}),
    ])
    assert said == [["accepted N:Lf8"], ["accepted E:Lf1"], ["accepted S:xa2"]]


def test_a_real_change_of_a_square_that_was_well_read_is_found_at_once() -> None:
    match = match_of(*DROPS, per_size=1)
    assert told(match, [({}, {}), ({"a1": "Srn"}, {})]) == [["unchanged"], ["accepted S:xa1"]]


def test_a_drop_that_the_camera_loses_is_found_with_the_next_one() -> None:
    """South's piece lies in a shadow and is read as nothing at all; then west drops, which is read well."""
    match = match_of(*DROPS, per_size=1)
    gone: Ranks = {"a1": (("", 0.84), ("Sr", 0.07), ("Srn", 0.03))}
    base = match.undone(2)
    said = told(base, [
        ({}, {}), ({"f8": "Lg"}, {}), ({"f8": "Lg", "f1": "Lb"}, {}), ({"f8": "Lg", "f1": "Lb"}, gone),
        ({"f8": "Lg", "f1": "Lb", "a5": "Sye"}, gone),
    ])
    assert said[1:3] == [["accepted N:Lf8"], ["accepted E:Lf1"]]
    assert said[3] == ["partway"]
    assert said[4] == ["accepted S:xa1 W:xa5"]


def test_a_van_that_is_not_found_again_was_handed_on_if_the_next_in_turn_goes_on() -> None:
    match = match_of("S:Sa1", "W:Mc3")
    seen = [({}, {}), ({"c4": "Lg"}, {}), ({"c4": "Lg", "h1": "Sb"}, {}), ({"c4": "Lg", "h1": "Sb", "c1": "Mr"}, {}),
            ({"c4": "Lg", "h1": "Sb", "c1": "Mr", "a5": "Sy"}, {}),
            ({"c4": "Lg", "h1": "Sb", "c1": "Mr", "a5": "Sy", "north": ""}, {}),
            ({"c4": "Lg", "h1": "Sb", "c1": "Mr", "a5": "Sy", "north": "", "g8": "Mb"}, {})]
    said = told(match, seen)
    assert said[-2] == ["unchanged"], "it may be in somebody's hand"
    assert said[-1] == ["accepted N:pass>E E:Mg8"]


def test_an_action_that_is_hardly_read_must_be_read_twice() -> None:
    match = match_of(*DROPS, per_size=1)
    weak: Ranks = {"a1": (("Srn", 0.40), ("", 0.31), ("Mrn", 0.16), ("Sr", 0.05))}
    assert told(match, [({}, {}), ({}, weak), ({}, {})]) == [["unchanged"], ["partway"], ["unchanged"]]
    assert told(match, [({}, {}), ({}, weak), ({"a1": "Srn"}, {})]) == [["unchanged"], ["partway"], ["accepted S:xa1"]]
    assert told(match, [({}, {}), ({}, weak), ({}, weak)]) == [["unchanged"], ["partway"], ["accepted S:xa1"]]


def test_an_action_that_is_hardly_read_counts_in_the_last_picture_of_a_folder() -> None:
    match = match_of(*DROPS, per_size=1)
    weak = tuple(Sighting(s.cell, WEAK) if s.cell == A1 else s for s in observed_match(match).sightings)
    observation = Observation(1, 10**9, BoardState.STEADY, weak)
    assert [line.said for line in Replay(match, KIT.visible).lines("1.jpg", observation)] == ["unchanged"]
    assert [line.said for line in Replay(match, KIT.visible).lines("1.jpg", observation, is_last=True)] == ["accepted"]


def test_a_piece_out_of_turn_is_told_though_it_is_not_seen_how_it_stands() -> None:
    doubt: Ranks = {"d2": (("Sye", 0.50), ("Sy", 0.32), ("My", 0.17))}
    assert told(match_of(), [({}, doubt)]) == [["refused out-of-turn"]]


def test_what_was_put_back_need_only_look_nearly_as_it_must() -> None:
    match = match_of(*DROPS, per_size=1)
    nearly: Ranks = {"a5": (("Srw", 0.53), ("Sy", 0.43))}
    assert told(match, [({"a5": "Sye"}, {}), ({}, nearly)]) == [["refused not-own-piece"], ["restored"]]


@pytest.mark.parametrize(
    ("held", "expected"),
    [(SMALL, 1.4), (LYING, 0.0), (None, 0.0)], ids=["as before", "another piece now", "nothing there now"],
)
def test_a_habit_counts_for_the_piece_that_had_it(held: Piece | None, expected: float) -> None:
    habits = NO_HABITS.with_looks({A1: Habit(SMALL, {LYING: 1.4}, -1.6)})
    assert habits.of(A1, held, LYING if held != LYING else SMALL) == pytest.approx(expected)


def test_habits_fade_with_every_action_in_which_they_do_not_show() -> None:
    habits = NO_HABITS.with_looks({A1: Habit(SMALL, {LYING: 1.0}, -1.0)})
    habits = habits.with_looks({A1: Habit(SMALL, {}, -0.1)})
    assert habits.of(A1, SMALL, LYING) == pytest.approx(FADES)
    habits = habits.with_looks({A1: Habit(SMALL, {LYING: 1.5}, -1.6)})
    assert habits.of(A1, SMALL, LYING) == pytest.approx(1.5)


def test_a_cell_has_fallen_only_from_what_it_was_for_two_actions() -> None:
    habits = NO_HABITS.with_looks({A1: Habit(SMALL, {}, -0.1)})
    assert habits.fallen(A1, SMALL, -3.0) == 0.0
    habits = habits.with_looks({A1: Habit(SMALL, {}, -0.4)})
    assert habits.fallen(A1, SMALL, -3.0) == pytest.approx(2.6)
    assert habits.fallen(A1, LYING, -3.0) == 0.0


def test_what_surely_looks_otherwise_is_no_habit() -> None:
    """A piece that lies there against the rules must not be got used to."""
    match = match_of(*DROPS, per_size=1)
    now = KIT.visible(match.game.layout(match.state))
    seen = seen_of(match, {"a5": "Sye"}, ranks={"a1": (("Srn", 0.6), ("Sr", 0.35))})
    habits = Habits().with_looks(Evidence(seen, now, (), SETTLED).habits())
    assert habits.of(c("a5"), p("Sy"), p("Sye")) == 0.0
    assert habits.of(c("a1"), p("Sr"), p("Srn")) > 0.3
