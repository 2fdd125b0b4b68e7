"""Pieces put back on the table: the last action is taken back at once, an earlier one with a yes. R3."""

from __future__ import annotations

import pytest

from rules.words import Colour, Piece
from tests.table.scripted import KIT
from tests.table.scripted_evening import ScriptedEvening
from webui.desk import Answer


@pytest.mark.parametrize("key", ["yes", "no"])
def test_r3_a_second_piece_put_back_on_the_table_needs_a_yes(evening: ScriptedEvening, key: str) -> None:
    evening.rest()
    evening.play("S:Sa1")
    evening.play("W:Sa5")
    evening.put("a5", None, 3000)
    assert len(evening.match.plays) == 1
    last = evening.evening.story.seq
    evening.put("a1", None, 6000)
    assert evening.kinds(last) == ["Asked"], "asked once, and nothing taken back"
    asked = evening.evening.story.question
    assert asked is not None
    assert evening.wish(Answer(asked.seq, key)).code == "done"
    evening.rest(5000)
    assert len(evening.match.plays) == (0 if key == "yes" else 1)
    assert [KIT.cell_name(c.cell) for c in evening.evening.story.put_right] == ([] if key == "yes" else ["a1"])


def test_r3_a_second_piece_that_comes_back_answers_the_question(evening: ScriptedEvening) -> None:
    evening.rest()
    evening.play("S:Sa1")
    evening.play("W:Sa5")
    evening.put("a5", None, 3000)
    evening.put("a1", None, 3000)
    evening.put("a1", Piece("small", Colour("red")), 3000)
    assert evening.kinds()[-2:] == ["Asked", "Answered"]
    assert len(evening.match.plays) == 1
