"""Every event in words, in both languages, and as a cue."""

from __future__ import annotations

from pathlib import Path

import pytest

from device.cues import Cue
from rules.words import Cell, Change, Colour, Piece, Seat
from table import events as ev
from table.journal import Entry
from table.phase import JUMPS, ImpossibleJump, Phase, jump
from table.present import cue_of, notice_of
from table.showing import seat_views
from table.story import Story, told
from tests.table.scripted_evening import GAME, setup_of
from webui.desk import Tone

GREEN = Piece("small", Colour("green"))
SILENT = {"ProfileChosen", "SoundChosen"}


def story_after(*events: ev.Event) -> Story:
    story = Story()
    for seq, event in enumerate(events, 1):
        story = told(story, Entry(seq, "", 1, event), lambda name: GAME)
    return story


OPENED = ev.MatchOpened("gridlock", setup_of())
STATE = GAME.start(setup_of())
BEGUN = (OPENED, ev.SetUp(GAME.layout(STATE)), ev.PlayAccepted("S:Sa1", Seat(0), 1))
REFUSED = ev.PlayRefused(
    "N:Sb5", Seat(2), GAME.judge(STATE, GAME.read("N:Sb5", STATE)).reasons, (Change(Cell(1, 4), GREEN, None),), 4)


@pytest.mark.parametrize(
    ("event", "tone", "cue", "says"),
    [
        (OPENED, Tone.PLAIN, Cue.SETTING_UP, "new match"),
        (ev.SetUp(GAME.layout(STATE)), Tone.PLAIN, Cue.LISTENING, "set up"),
        (ev.PlayAccepted("W:Lc3", Seat(1), 3), Tone.GOOD, Cue.YES, "Yellow placed large yellow on c3."),
        (REFUSED, Tone.WRONG, Cue.NO, "Green placed small green on b5."),
        (ev.PutRight((Cell(1, 4),), 5), Tone.GOOD, Cue.RESTORED, "Put right"),
        (ev.PlayDeclared("W:Lc3", Seat(1), "phone"), Tone.GOOD, Cue.YES, "Yellow placed large yellow on c3."),
        (ev.PlayUndone(1, "phone"), Tone.PLAIN, Cue.LISTENING, "Taken back: Red placed small red on a1."),
        (ev.PlayCorrected(0, "S:Ma1", (), "phone"), Tone.PLAIN, Cue.LISTENING, "Corrected: Red placed medium red"),
        (ev.Asked("which", (ev.Option("0", ("W:Lc3",), 0.6),), (Cell(2, 2),), 6), Tone.ASK, Cue.ASK, "could not tell"),
        (ev.Answered(6, "0", "phone"), Tone.PLAIN, Cue.LISTENING, "Answered"),
        (ev.CellCorrected(Cell(0, 0), None, GREEN, "phone"), Tone.PLAIN, Cue.LISTENING, "a1 holds"),
        (ev.Noticed((Change(Cell(1, 4), GREEN, None),), 7), Tone.ASK, Cue.NO, "b5: take off small green"),
        (ev.CameraLost("it hangs"), Tone.TROUBLE, Cue.TROUBLE, "it hangs"),
        (ev.CameraFound(8), Tone.PLAIN, Cue.LISTENING, "camera is back"),
        (ev.BoardLost("covered"), Tone.TROUBLE, Cue.TROUBLE, "covered"),
        (ev.BoardFound(9, True), Tone.PLAIN, Cue.LISTENING, "moved"),
        (ev.Resumed((Change(Cell(0, 0), None, GREEN),)), Tone.ASK, Cue.LISTENING, "a1: put small green"),
        (ev.MatchClosed((Seat(1),), "complete", ()), Tone.GOOD, Cue.OVER, "Winner: yellow"),
        (ev.SoundChosen("off"), None, None, ""),
        (ev.ProfileChosen("pi", "good"), None, None, ""),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, tuple(ev.KINDS.values())) else "",
)
def test_every_event_is_told_and_shown(event: ev.Event, tone: Tone | None, cue: Cue | None, says: str) -> None:
    before = story_after(*BEGUN)
    entry = Entry(before.seq + 1, "2026-01-01T00:00:00Z", 1, event)
    after = told(before, entry, lambda name: GAME)
    notice = notice_of(before, after, entry, seat_views(after.match))
    assert cue_of(entry) is cue
    if tone is None:
        assert notice is None
        assert type(event).__name__ in SILENT
        return
    assert notice is not None
    assert notice.tone is tone
    assert says in notice.said.en
    assert notice.said.pt
    assert notice.said.pt != notice.said.en


def test_a_refusal_says_why_and_what_to_do() -> None:
    before = story_after(*BEGUN[:2])
    entry = Entry(9, "", 1, REFUSED)
    notice = notice_of(before, told(before, entry, lambda name: GAME), entry, seat_views(before.match))
    assert notice is not None
    assert GAME.say(REFUSED.reasons[0]) in notice.said.en
    assert notice.cells == (Cell(1, 4),)


@pytest.mark.parametrize("phase", list(Phase))
def test_only_the_jumps_of_the_table_can_happen(phase: Phase) -> None:
    for then in Phase:
        if then in JUMPS[phase] or then is phase:
            assert jump(phase, then) is then
        else:
            with pytest.raises(ImpossibleJump):
                jump(phase, then)


def test_every_kind_of_event_stands_in_the_rooms_readme() -> None:
    readme = (Path(__file__).parents[2] / "table" / "README.md").read_text()
    assert [kind for kind in ev.KINDS if f"`{kind}`" not in readme] == []
