"""An evening that phones take part in: requests, questions, corrections. U4, U5."""

from __future__ import annotations

from rules.words import Cell, Colour, Piece, Seat
from table.events import Asked, CellCorrected, PlayCorrected
from table.phase import Phase
from table.seen import Why
from tests.table.scripted_evening import GAME, WHOLE, ScriptedEvening, accepted, plays_equal_replay
from webui.desk import Answer, Correct, NewMatch, SetSound, Undo


class TestRequests:
    def test_u5_one_made_on_an_old_position_is_refused(self, evening: ScriptedEvening) -> None:
        evening.rest()
        old = evening.evening.story.seq
        evening.play("S:Sa1")
        assert evening.wish(Undo(), on_seq=old).code == "stale"
        assert len(evening.match.plays) == 1

    def test_one_made_before_a_passing_trouble_is_not_old(self, evening: ScriptedEvening) -> None:
        evening.rest()
        evening.play("S:Sa1")
        seq = evening.evening.story.seq
        evening.evening.camera_lost("hangs")
        assert evening.wish(Undo(), on_seq=seq).code == "done"

    def test_u4_the_same_twice_acts_once(self, evening: ScriptedEvening) -> None:
        evening.rest()
        evening.play("S:Sa1")
        evening.play("W:Sa5")
        seq = evening.evening.story.seq
        one, two = (evening.wish(Undo(), on_seq=seq, key="one-tap") for _ in range(2))
        assert one == two
        assert one.accepted
        assert len(evening.match.plays) == 1

    def test_a3_the_sound_is_kept_over_restart(self, evening: ScriptedEvening) -> None:
        assert evening.wish(SetSound("wrong"), on_seq=0).code == "done"
        again = evening.killed()
        assert again.evening.story.sound == "wrong"
        again.journal.close()

    def test_a_new_match_stops_the_old_one(self, evening: ScriptedEvening) -> None:
        evening.rest()
        evening.play("S:Sa1")
        assert evening.wish(NewMatch()).code == "done"
        story = evening.evening.story
        assert (story.match_no, story.match.plays, story.phase) == (2, (), Phase.SETTING_UP)
        assert evening.kinds()[-2:] == ["MatchClosed", "MatchOpened"]


class TestDoubt:
    def doubtful(self, evening: ScriptedEvening) -> Asked:
        """Red places something between medium and large on c4."""
        evening.rest()
        medium, large = (Piece(kind, Colour("red")) for kind in ("medium", "large"))
        evening.table[Cell(2, 3)] = medium
        for i in range(40):
            evening.misread = {Cell(2, 3): large} if i % 2 else {}
            evening.rest(100)
        asked = evening.events()[-1]
        assert isinstance(asked, Asked)
        return asked

    def test_is_asked_once_with_the_likeliest_answers_and_nothing(self, evening: ScriptedEvening) -> None:
        asked = self.doubtful(evening)
        assert {option.moves for option in asked.options} == {("S:Mc4",), ("S:Lc4",), ()}
        assert evening.kinds().count("Asked") == 1

    def test_is_settled_by_an_answer(self, evening: ScriptedEvening) -> None:
        asked = self.doubtful(evening)
        key = next(option.key for option in asked.options if option.moves == ("S:Lc4",))
        question = evening.evening.story.question
        assert question is not None
        assert evening.wish(Answer(question.seq, key)).code == "done"
        evening.misread = {}
        evening.rest(4000)
        assert [GAME.write(play.move) for play in evening.match.plays][:1] == ["S:Lc4"]
        assert evening.evening.story.question is None
        assert evening.wish(Answer(question.seq, key)).code in ("stale", "refused")

    def test_is_settled_by_the_next_look(self, evening: ScriptedEvening) -> None:
        self.doubtful(evening)
        evening.misread = {}
        evening.rest(3000)
        assert accepted(evening) == ["S:Mc4"]
        assert evening.evening.story.question is None

    def test_is_settled_by_putting_the_table_right(self, evening: ScriptedEvening) -> None:
        self.doubtful(evening)
        evening.misread = {}
        evening.put("c4", None, 3000)
        assert evening.kinds()[-1] == "Answered"
        assert evening.match.plays == ()


class TestCorrection:
    def test_r1_of_a_misread_cell_stays_until_the_pixels_change(self, evening: ScriptedEvening) -> None:
        evening.rest()
        evening.play("S:Sa1")
        evening.play("W:Sa5")
        red = Piece("small", Colour("red"))
        evening.misread = {Cell(0, 0): Piece("small", Colour("blue"))}
        evening.rest(5000)
        assert evening.wish(Correct(Cell(0, 0), red)).code == "done"
        last = evening.evening.story.seq
        evening.rest(10_000)
        assert evening.kinds(last) == []
        assert evening.evening.story.put_right == ()
        assert [s.why for s in evening.evening.story.followed.standings] == [Why.CORRECTED]  # type: ignore[union-attr]
        evening.misread = {}
        evening.put("a1", None, 6000)
        assert evening.kinds(last) == ["PlayRefused"], "the piece that is really gone is noticed"

    def test_of_a_missed_action_declares_it(self, evening: ScriptedEvening) -> None:
        evening.rest()
        assert evening.wish(Correct(Cell(3, 3), Piece("large", Colour("red")))).code == "done"
        assert [GAME.write(play.move) for play in evening.match.plays] == ["S:Ld4"]

    def test_r5_of_an_old_action_keeps_the_later_ones_that_are_still_legal(self, evening: ScriptedEvening) -> None:
        evening.rest()
        for text in WHOLE[:8]:
            evening.play(text, 900)
        assert evening.wish(Correct(Cell(0, 0), Piece("large", Colour("red")))).code == "done"
        corrected = next(e for e in evening.events() if isinstance(e, PlayCorrected))
        assert (corrected.index, corrected.move, corrected.dropped) == (0, "S:La1", ())
        assert len(evening.match.plays) == 8
        assert plays_equal_replay(evening)

    def test_r5_of_an_old_action_lists_those_that_are_not(self, evening: ScriptedEvening) -> None:
        evening.rest()
        for text in WHOLE[:8]:
            evening.play(text, 900)
        assert evening.wish(Correct(Cell(0, 0), Piece("medium", Colour("red")))).code == "done"
        corrected = next(e for e in evening.events() if isinstance(e, PlayCorrected))
        assert corrected.dropped[0] == "S:Ma2"
        assert plays_equal_replay(evening)

    def test_that_no_action_leads_to_is_refused_with_what_to_do(self, evening: ScriptedEvening) -> None:
        evening.rest()
        receipt = evening.wish(Correct(Cell(3, 3), Piece("large", Colour("blue"), 2)))
        assert receipt.code == "refused"
        assert "put the table right" in receipt.said.en


def test_a_correction_is_written_with_how_the_cell_looked(evening: ScriptedEvening) -> None:
    evening.rest()
    evening.play("S:Sa1")
    evening.misread = {Cell(0, 0): None}
    evening.rest(700)
    evening.wish(Correct(Cell(0, 0), Piece("small", Colour("red"))))
    assert any(isinstance(e, CellCorrected) and e.looked is None for e in evening.events())
    assert Seat(1) == evening.match.game.to_move(evening.match.state)
