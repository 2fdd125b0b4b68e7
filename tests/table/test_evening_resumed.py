"""An evening through kills, full disks and lost cameras: position and journal never part. R2-R5."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rules.words import Cell, Colour, Piece
from table.events import Asked, BoardFound, Resumed
from table.phase import Phase
from table.story import story_of
from tests.table.rewatched import Script, watched_again
from tests.table.scripted import KIT
from tests.table.scripted_evening import GAME, WHOLE, ScriptedEvening, plays_equal_replay, setup_of
from vision.observation import BoardState
from webui.desk import Answer, Correct, Request, SetSound, Undo


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
