"""A match as its journal tells it: every bit of lasting state is a fold over the entries.

`told(story, entry)` is the only way in which a story goes on, live and at resume alike; so
after a pulled plug the table knows exactly what it knew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from rules.game import AnyGame, Move
from rules.match import Match, Source
from rules.words import Cell, Change
from table.events import (
    Answered,
    Asked,
    BoardFound,
    BoardLost,
    CameraFound,
    CameraLost,
    CellCorrected,
    MatchClosed,
    MatchOpened,
    Noticed,
    PlayAccepted,
    PlayCorrected,
    PlayDeclared,
    PlayRefused,
    PlayUndone,
    ProfileChosen,
    PutRight,
    Resumed,
    SetUp,
    SoundChosen,
)
from table.following import Followed
from table.hypotheses import changes_between
from table.journal import Entry
from table.phase import Phase, jump
from table.seen import Standing, Why

KEPT = 200
"""So many entries are kept for the story that people see."""


@dataclass(frozen=True, slots=True)
class Story:
    """What is known after entry `seq`. `position_seq` is the last entry that changed what an action may mean:
    a request made on an older one is stale. `alert` is the entry whose `put_right` still stands."""

    match_no: int = 0
    seq: int = 0
    position_seq: int = 0
    followed: Followed | None = None
    is_set_up: bool = False
    camera_lost: str = ""
    board_lost: str = ""
    question: Entry | None = None
    alert: Entry | None = None
    put_right: tuple[Change, ...] = ()
    closed: MatchClosed | None = None
    sound: str = ""
    undone_in_a_row: int = 0
    last_cells: tuple[Cell, ...] = ()
    entries: tuple[Entry, ...] = ()
    phase: Phase = Phase.IDLE

    @property
    def match(self) -> Match:
        """The match; `ValueError` before one was opened."""
        if self.followed is None:
            raise ValueError("wanted a match, found none: open one first")
        return self.followed.match


def told(story: Story, entry: Entry, game_named: Callable[[str], AnyGame]) -> Story:
    """The story with one entry more."""
    event = entry.event
    if isinstance(event, MatchOpened):
        fresh = Followed(Match.begun(game_named(event.game), event.setup))
        story = Story(entry.match, followed=fresh, sound=story.sound, camera_lost=story.camera_lost,
                      board_lost=story.board_lost, phase=story.phase)
        return _ended(replace(story, position_seq=entry.seq), entry)
    if story.followed is not None:
        story = _within(story, story.followed, entry)
    match event:
        case SoundChosen(level=level):
            story = replace(story, sound=level)
        case CameraLost(why=why):
            story = replace(story, camera_lost=why)
        case CameraFound():
            story = replace(story, camera_lost="")
        case BoardLost(why=why):
            story = replace(story, board_lost=why)
        case BoardFound():
            story = replace(story, board_lost="")
        case _:
            pass
    return _ended(story, entry)


def _ended(story: Story, entry: Entry) -> Story:
    story = replace(story, seq=entry.seq, entries=(*story.entries, entry)[-KEPT:])
    return replace(story, phase=jump(story.phase, _phase_of(story)))


def _phase_of(story: Story) -> Phase:
    if story.followed is None:
        return Phase.IDLE
    if story.closed is not None:
        return Phase.OVER
    if story.camera_lost or story.board_lost:
        return Phase.PAUSED
    if not story.is_set_up:
        return Phase.SETTING_UP
    return Phase.ASKING if story.question is not None else Phase.WATCHING


def _within(story: Story, followed: Followed, entry: Entry) -> Story:
    """What an entry does to the match and to what stands."""
    game, state = followed.match.game, followed.match.state
    match entry.event:
        case SetUp():
            return replace(story, is_set_up=True, position_seq=entry.seq)
        case PlayAccepted(move=text):
            return _moved(story, followed.played(game.read(text, state)), entry, game.read(text, state))
        case PlayDeclared(move=text):
            move = game.read(text, state)
            return _moved(story, followed.played(move, Source.PHONE), entry, move)
        case PlayUndone(count=count, by=by):
            undone = followed.undone(count)
            if by != "table":
                left = changes_between(game.layout(state), game.layout(undone.match.state))
                undone = undone.with_standing(Why.UNDONE, left)
            moved = _moved(story, undone, entry, followed.match.plays[-count].move)
            return replace(moved, undone_in_a_row=story.undone_in_a_row + count)
        case PlayCorrected(index=index, move=text, by=by):
            move = game.read(text, followed.match.states[index])
            source = Source.CAMERA if by == "camera" else Source.PHONE
            return _moved(story, followed.corrected(index, move, source)[0], entry, move)
        case PlayRefused(put_right=put_right):
            return _stands(story, followed.with_standing(Why.REFUSED, put_right), entry, put_right)
        case Noticed(differences=differences):
            return _stands(story, followed.with_standing(Why.DOUBT, differences), entry, differences)
        case PutRight(cells=cells):
            kept = tuple(s for s in followed.standings if s.cells != frozenset(cells))
            return tidied(replace(story, followed=replace(followed, standings=kept), position_seq=entry.seq))
        case CellCorrected(cell=cell, looked=looked):
            fresh = Standing(Why.CORRECTED, ((cell, looked),))
            kept = tuple(s for s in followed.standings if cell not in s.cells)
            followed = replace(followed, standings=(*kept, fresh))
            return tidied(replace(story, followed=followed, position_seq=entry.seq))
        case Asked(cells=cells):
            return replace(story, question=entry, position_seq=entry.seq, last_cells=cells)
        case Answered():
            return replace(story, question=None, position_seq=entry.seq)
        case MatchClosed() as closed:
            return replace(story, closed=closed, question=None, position_seq=entry.seq)
        case _:
            return story


def _moved(story: Story, followed: Followed, entry: Entry, move: Move) -> Story:
    """After the match changed: an open question is settled by it, and a result is no longer one."""
    cells = tuple(cell for cell in (move.source, move.target) if cell is not None)
    return tidied(replace(story, followed=followed, question=None, closed=None, position_seq=entry.seq,
                           undone_in_a_row=0, last_cells=cells, is_set_up=True))


def _stands(story: Story, followed: Followed, entry: Entry, put_right: tuple[Change, ...]) -> Story:
    return tidied(replace(story, followed=followed, alert=entry, put_right=put_right, position_seq=entry.seq,
                           question=None))


def tidied(story: Story) -> Story:
    """What is to be put right follows from what still stands."""
    if story.followed is None:
        return story
    layout = story.followed.match.game.layout(story.followed.match.state)
    put_right = tuple(
        Change(cell, look, layout.pieces.get(cell))
        for standing in story.followed.standings if standing.why is not Why.CORRECTED
        for cell, look in standing.looks if look != layout.pieces.get(cell)
    )
    return replace(story, put_right=put_right, alert=story.alert if put_right else None)


def story_of(entries: Iterable[Entry], game_named: Callable[[str], AnyGame]) -> Story:
    """The story so far: the last match that was opened, and what outlives matches."""
    story = Story()
    for entry in entries:
        story = told(story, entry, game_named)
    return story


UNFOLDED = (ProfileChosen, Resumed)
"""Events that change no state: they are there to be read."""
