"""An evening by scripted observations: the journal says what happened, whatever people do. R1-R5, R8, U4, U5, I3."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from device.button import Press
from device.button import Wish as Pressed
from rules.words import Cell, Colour, Piece, Seat
from table.events import (
    Asked,
    BoardFound,
    CellCorrected,
    MatchClosed,
    PlayAccepted,
    PlayCorrected,
    PlayRefused,
    Resumed,
)
from table.phase import Phase
from table.seen import Why
from table.story import story_of
from tests.table.rewatched import Script, watched_again
from tests.table.scripted import KIT
from tests.table.scripted_evening import GAME, ScriptedEvening, plays_equal_replay, setup_of
from vision.observation import BoardState
from webui.desk import Answer, Correct, NewMatch, Request, SetSound, Undo

GREEN = Piece("small", Colour("green"))
WHOLE = ("S:Sa1", "W:Sa5", "N:Sh8", "E:Sh1", "S:Ma2", "W:Mb5", "N:Mg8", "E:Mg1", "S:La3", "W:Lc5", "N:Lf8", "E:Lf1",
         "S:xa1", "W:xa5", "N:pass", "E:xh1", "S:xa2", "W:xb5", "N:xh8", "E:xg1", "S:xa3", "W:xc5", "N:xg8", "E:xf1",
         "N:xf8")


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[ScriptedEvening]:
    scripted = ScriptedEvening(tmp_path / "j.sqlite")
    yield scripted
    scripted.journal.close()


def accepted(scripted: ScriptedEvening) -> list[str]:
    return [event.move for event in scripted.events() if isinstance(event, PlayAccepted)]


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


class TestResume:
    def test_i5_after_a_kill_the_match_goes_on_where_it_was(self, evening: ScriptedEvening) -> None:
        evening.rest()
        for text in WHOLE[:5]:
            evening.play(text, 900)
        story = evening.evening.story
        again = evening.killed()
        assert again.evening.story == story
        again.rest()
        assert again.events()[-1] == Resumed(())
        again.play(WHOLE[5])
        assert len(again.match.plays) == 6
        again.journal.close()

    def test_i5_the_differences_between_table_and_match_are_listed(self, evening: ScriptedEvening) -> None:
        evening.rest()
        for text in WHOLE[:5]:
            evening.play(text, 900)
        again = evening.killed()
        again.put("a1", None, 900)
        resumed = next(e for e in again.events() if isinstance(e, Resumed))
        assert [KIT.cell_name(change.cell) for change in resumed.differences] == ["a1"]
        again.journal.close()

    def test_a_story_is_the_same_folded_from_the_start(self, evening: ScriptedEvening) -> None:
        evening.rest()
        evening.play("S:Sa1")
        evening.put("b5", Piece("large", Colour("blue")))
        folded = story_of(evening.journal.after(0), lambda name: GAME)
        assert folded == evening.evening.story


class TestTrouble:
    def test_a_board_that_moves_is_told_and_invents_no_action(self, evening: ScriptedEvening) -> None:
        evening.rest()
        evening.play("S:Sa1")
        last = evening.evening.story.seq
        evening.rest(100, board=BoardState.MOVED)
        evening.rest(3000)
        assert evening.events(last) == [BoardFound(evening.ms - 3000, True)]

    def test_a_board_lost_is_told_after_a_moment_and_found_again(self, evening: ScriptedEvening) -> None:
        evening.rest()
        evening.rest(500, board=BoardState.LOST)
        evening.rest(1000)
        assert "BoardLost" not in evening.kinds()
        evening.rest(3000, board=BoardState.LOST)
        assert evening.evening.story.phase is Phase.PAUSED
        evening.rest(1000)
        assert evening.kinds()[-2:] == ["BoardLost", "BoardFound"]

    def test_k2_a_camera_lost_is_told_once(self, evening: ScriptedEvening) -> None:
        evening.rest()
        for _ in range(20):
            evening.evening.camera_lost("it repeats its last picture")
        evening.rest()
        assert evening.kinds().count("CameraLost") == evening.kinds().count("CameraFound") == 1

    def test_i3_a_full_disk_stops_no_game_and_the_action_is_written_when_there_is_room(
        self, evening: ScriptedEvening
    ) -> None:
        evening.rest()
        with evening.full_disk():
            evening.put("a1", Piece("small", Colour("red")))
            assert "found the disk full" in evening.evening.full
            assert evening.match.plays == ()
            assert evening.wish(SetSound("off")).code == "busy"
        evening.rest(300)
        assert len(evening.match.plays) == 1
        assert evening.evening.full == ""


@pytest.mark.parametrize("seed", range(4))
def test_r2_r4_random_undo_correct_answer_kill_and_resume_never_part_position_and_replay(
    tmp_path: Path, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    scripted = ScriptedEvening(tmp_path / "j.sqlite", setup_of(2))
    scripted.rest()
    for _ in range(60):
        draw = rng.random()
        story = scripted.evening.story
        if story.question is not None and isinstance(story.question.event, Asked):
            options = story.question.event.options
            scripted.wish(Answer(story.question.seq, options[int(rng.integers(len(options)))].key))
        elif draw < 0.5:
            moves = [m for m in GAME.moves(scripted.match.state) if m.verb != "keep"]
            if moves:
                scripted.lay(scripted.match)
                scripted.play(GAME.write(moves[int(rng.integers(len(moves)))]), 1000)
        elif draw < 0.65:
            scripted.wish(Undo())
        elif draw < 0.8:
            cell = Cell(int(rng.integers(8)), int(rng.integers(8)))
            kinds = (None, *(Piece(k, Colour(c)) for k in ("small", "large") for c in ("red", "green")))
            scripted.wish(Correct(cell, kinds[int(rng.integers(len(kinds)))]))
        elif draw < 0.9:
            scripted.put("abcdefgh"[int(rng.integers(8))] + "3", None, 4500)
        else:
            scripted = scripted.killed()
            scripted.rest(1000)
        assert plays_equal_replay(scripted)
        folded = story_of(scripted.journal.after(0), lambda name: GAME)
        assert folded.match.plays == scripted.match.plays
    scripted.journal.close()


def test_the_same_pictures_give_the_same_journal(tmp_path: Path) -> None:
    journals = []
    for name in ("one", "two"):
        scripted = ScriptedEvening(tmp_path / name)
        scripted.rest()
        for text in WHOLE[:6]:
            scripted.play(text)
        scripted.put("b6", Piece("large", Colour("blue")), 2000)
        journals.append(scripted.events())
        scripted.journal.close()
    assert journals[0] == journals[1]


def test_an_evening_watched_again_without_one_of_its_inputs_tells_another_journal(
    evening: ScriptedEvening, tmp_path: Path
) -> None:
    """What `conftest` asks of every evening here can be failed."""
    evening.rest()
    evening.play("S:Sa1")
    assert evening.wish(Undo()).code == "done"
    script = evening.script
    assert watched_again(script, tmp_path / "whole") == evening.events()
    robbed = Script(script.path, script.setup, script.manners, [i for i in script.inputs if not isinstance(i, Request)])
    assert watched_again(robbed, tmp_path / "robbed") != evening.events()


def test_a_correction_is_written_with_how_the_cell_looked(evening: ScriptedEvening) -> None:
    evening.rest()
    evening.play("S:Sa1")
    evening.misread = {Cell(0, 0): None}
    evening.rest(700)
    evening.wish(Correct(Cell(0, 0), Piece("small", Colour("red"))))
    assert any(isinstance(e, CellCorrected) and e.looked is None for e in evening.events())
    assert Seat(1) == evening.match.game.to_move(evening.match.state)
