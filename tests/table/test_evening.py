"""An evening by scripted observations: the journal says what happened, whatever people do. R1, R8, I3."""

from __future__ import annotations

from device.button import Press
from device.button import Wish as Pressed
from rules.words import Cell, Colour, Piece
from table.events import MatchClosed, PlayRefused
from table.phase import Phase
from tests.table.scripted import KIT
from tests.table.scripted_evening import GAME, GREEN, WHOLE, ScriptedEvening, accepted
from webui.desk import Answer, Undo


def test_a_whole_game_is_followed_and_closed(evening: ScriptedEvening) -> None:
    evening.rest()
    for text in WHOLE:
        evening.play(text)
    assert [GAME.write(GAME.read(t, s)) for t, s in zip(WHOLE, evening.match.states, strict=False)] == accepted(evening)
    closed = evening.events()[-1]
    assert isinstance(closed, MatchClosed)
    assert closed.ending == "complete"
    assert closed.scores == tuple(GAME.score(evening.match.state))
    assert evening.kinds() == ["MatchOpened", "SetUp", *["PlayAccepted"] * len(WHOLE), "MatchClosed"]
    assert evening.evening.story.phase is Phase.OVER


def test_pieces_cleared_away_after_the_end_mean_nothing(evening: ScriptedEvening) -> None:
    evening.rest()
    for text in WHOLE:
        evening.play(text, 900)
    last = evening.evening.story.seq
    for name in ("a1", "h8", "c5"):
        evening.put(name, None, 5000)
    assert evening.kinds(last) == []


def test_a_board_with_pieces_on_it_is_not_the_start(evening: ScriptedEvening) -> None:
    evening.table[Cell(3, 3)] = GREEN
    evening.put("e4", Piece("large", Colour("red"), 2))
    assert evening.evening.story.phase is Phase.SETTING_UP
    assert {KIT.cell_name(change.cell) for change in evening.evening.missing} == {"d4", "e4"}
    del evening.table[Cell(3, 3)]
    evening.put("e4", None)
    assert evening.evening.story.phase is Phase.WATCHING
    assert evening.evening.missing == ()


def test_players_who_do_not_wait_for_the_camera_have_begun(evening: ScriptedEvening) -> None:
    for cell, colour in ((Cell(0, 0), "red"), (Cell(0, 4), "yellow"), (Cell(7, 7), "green")):
        evening.table[cell] = Piece("small", Colour(colour))
    evening.rest()
    assert accepted(evening) == ["S:Sa1", "W:Sa5", "N:Sh8"]


def test_an_illegal_action_is_refused_once_and_its_putting_right_is_seen(evening: ScriptedEvening) -> None:
    evening.rest()
    evening.put("b5", GREEN, 5000)
    refused = evening.events()[-1]
    assert isinstance(refused, PlayRefused)
    assert refused.reasons[0].code == "out-of-turn"
    assert evening.kinds().count("PlayRefused") == 1
    put_right = evening.evening.story.put_right
    assert [(KIT.cell_name(c.cell), c.before, c.after) for c in put_right] == [("b5", GREEN, None)]
    evening.put("b5", None)
    assert evening.kinds()[-1] == "PutRight"
    assert evening.evening.story.put_right == ()
    evening.play("S:Sa1")
    assert accepted(evening) == ["S:Sa1"]


def test_o1_a_drop_whose_turned_piece_follows_after_a_pause_is_one_action(evening: ScriptedEvening) -> None:
    evening.rest()
    for text in (*WHOLE[:14], "N:xh8", "E:xh1"):
        evening.play(text, 900)
    before = len(accepted(evening))
    evening.put("a2", Piece("medium", Colour("red"), 0), 1200)
    assert len(accepted(evening)) == before
    evening.put("a5", Piece("small", Colour("yellow"), 0))
    assert accepted(evening)[before:] == ["S:xa2"]


def test_an_action_half_done_for_long_says_what_it_lacks(evening: ScriptedEvening) -> None:
    evening.rest()
    for text in (*WHOLE[:14], "N:xh8", "E:xh1"):
        evening.play(text, 900)
    last = evening.evening.story.seq
    evening.put("a2", Piece("medium", Colour("red"), 0), 2000)
    assert evening.evening.missing == ()
    evening.rest(3000)
    assert [KIT.cell_name(change.cell) for change in evening.evening.missing] == ["a5"]
    assert evening.kinds(last) == []


def test_r8_a_piece_taken_off_is_told_after_three_seconds_once(evening: ScriptedEvening) -> None:
    evening.rest()
    evening.play("S:Sa1")
    evening.play("W:Sa5")
    last = evening.evening.story.seq
    evening.put("a1", None, 2500)
    assert evening.kinds(last) == []
    evening.rest(6000)
    assert evening.kinds(last) == ["PlayRefused"]


def test_w2_a_piece_between_two_labels_for_a_minute_is_no_event(evening: ScriptedEvening) -> None:
    evening.rest()
    evening.play("S:Sa1")
    last = evening.evening.story.seq
    for i in range(600):
        evening.misread = {Cell(0, 0): GREEN} if i % 2 else {}
        evening.rest(100)
    assert evening.kinds(last) == []


def test_the_last_piece_put_back_is_an_undo(evening: ScriptedEvening) -> None:
    evening.rest()
    evening.play("S:Sa1")
    evening.put("a1", None, 3000)
    assert evening.kinds()[-1] == "PlayUndone"
    assert evening.match.plays == ()


def test_o2_a_piece_that_slides_on_after_it_was_accepted_counts_where_it_ends(evening: ScriptedEvening) -> None:
    evening.rest()
    evening.play("S:Sa1")
    evening.put("a1", None, 300)
    evening.put("b1", Piece("small", Colour("red")), 3000)
    assert [GAME.write(play.move) for play in evening.match.plays] == ["S:Sb1"]
    assert evening.kinds().count("PlayAccepted") + evening.kinds().count("PlayCorrected") == 2


class TestUndo:
    def test_by_phone_takes_the_action_back_and_asks_for_the_piece(self, evening: ScriptedEvening) -> None:
        evening.rest()
        evening.play("S:Sa1")
        assert evening.wish(Undo()).code == "done"
        assert evening.match.plays == ()
        evening.rest(5000)
        assert evening.match.plays == (), "the piece that still stands there is not played again"
        assert [KIT.cell_name(change.cell) for change in evening.evening.story.put_right] == ["a1"]
        evening.put("a1", None)
        assert evening.evening.story.put_right == ()
        evening.play("S:Sa1")
        assert len(evening.match.plays) == 1

    def test_r3_of_an_earlier_action_needs_a_yes(self, evening: ScriptedEvening) -> None:
        evening.rest()
        evening.play("S:Sa1")
        evening.play("W:Sa5")
        assert evening.wish(Undo()).code == "done"
        assert evening.wish(Undo()).code == "done"
        asked = evening.evening.story.question
        assert asked is not None
        assert len(evening.match.plays) == 1
        assert evening.wish(Answer(asked.seq, "no")).code == "done"
        assert len(evening.match.plays) == 1
        evening.wish(Undo())
        asked = evening.evening.story.question
        assert asked is not None
        assert evening.wish(Answer(asked.seq, "yes")).code == "done"
        assert evening.match.plays == ()

    def test_r3_by_button_another_players_action_needs_a_yes(self, evening: ScriptedEvening) -> None:
        evening.rest()
        evening.play("S:Sa1")
        evening.press(Press(1, Pressed.UNDO))
        assert len(evening.match.plays) == 1
        assert evening.evening.story.phase is Phase.ASKING
        evening.press(Press(0, Pressed.UNDO))
        assert evening.match.plays == ()

    def test_with_nothing_to_take_back_is_refused(self, evening: ScriptedEvening) -> None:
        assert evening.wish(Undo()).code == "refused"

    def test_after_the_end_opens_the_match_again(self, evening: ScriptedEvening) -> None:
        evening.rest()
        for text in WHOLE:
            evening.play(text, 900)
        assert evening.wish(Undo()).code == "done"
        assert evening.evening.story.closed is None
        assert evening.evening.story.phase is Phase.WATCHING
