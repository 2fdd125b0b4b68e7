"""R2, R4: whatever people do in whatever order, the position is a replay of the journal, and nothing hangs.

Random sequences of play, undo, correction, answer, sound, a new match, a table put right or wrong, and `kill -9` (in
the middle of a write too) with resume. What the camera sees is given, not painted. A hundred on every run, a thousand
in the slow set.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from device.button import Press
from device.button import Wish as Pressed
from rules.match import Match, Play
from rules.words import Cell, Colour, Piece
from table.events import Asked, Event, MatchOpened, PlayAccepted, PlayCorrected, PlayDeclared, PlayUndone
from table.journal import Entry, Journal
from table.story import story_of
from tests.table.scripted_evening import GAME, ScriptedEvening, plays_equal_replay, setup_of
from webui.desk import Answer, Correct, NewMatch, SetSound, Undo

STEPS = 14
LOOK_MS = 700
"""Long enough for a settled look."""
PIECES = (None, *(Piece(kind, Colour(colour), facing) for kind in ("small", "large") for colour in ("red", "green")
                  for facing in (None, 2)))
RECEIPTS = {"done", "stale", "refused", "busy"}


class Killed(BaseException):
    """`kill -9`: no code of ours may catch it."""


@contextmanager
def dying_after(journal: Journal, writes: int) -> Iterator[None]:
    """The program dies right after so many more writes have reached the disk."""
    append, left = journal.append, writes

    def counted(match: int, event: Event) -> Entry:
        nonlocal left
        entry = append(match, event)
        left -= 1
        if left <= 0:
            raise Killed
        return entry

    journal.append = counted  # type: ignore[method-assign]
    try:
        yield
    finally:
        journal.append = append  # type: ignore[method-assign]


def told_by_journal(entries: list[Entry]) -> Match:
    """The match as its journal tells it, read by nothing of the product but the rules."""
    moves: list[str] = []
    setup = None
    for entry in entries:
        match entry.event:
            case MatchOpened(setup=setup):
                moves = []
            case PlayAccepted(move=text) | PlayDeclared(move=text):
                moves.append(text)
            case PlayUndone(count=count):
                del moves[-count:]
            case PlayCorrected(index=index, move=text):
                moves = [*moves[:index], text, *moves[index + 1 :]]
                moves = still_legal(setup, moves, index)
            case _:
                pass
    assert setup is not None
    told = Match.begun(GAME, setup)
    for text in moves:
        told = told.after(Play(GAME.read(text, told.state)))
    return told


def still_legal(setup: object, moves: list[str], index: int) -> list[str]:
    told, kept = Match.begun(GAME, setup), []  # type: ignore[arg-type]  # as it stands in the journal
    for number, text in enumerate(moves):
        move = GAME.read(text, told.state)
        if number <= index or GAME.judge(told.state, move).legal:
            told = told.after(Play(move))
            kept.append(text)
    return kept


class Evening:
    """One random evening; `act` does one thing."""

    def __init__(self, path: Path, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.scripted = ScriptedEvening(path, setup_of(1 + seed % 2))
        self.scripted.rest(LOOK_MS)

    def any_cell(self) -> Cell:
        return Cell(int(self.rng.integers(8)), int(self.rng.integers(8)))

    def play(self) -> None:
        moves = [m for m in GAME.moves(self.scripted.match.state) if m.verb != "keep"]
        if moves and self.scripted.evening.story.closed is None:
            self.scripted.lay(self.scripted.match)
            self.scripted.play(GAME.write(moves[int(self.rng.integers(len(moves)))]), LOOK_MS)

    def undo(self) -> None:
        story = self.scripted.evening.story
        if self.rng.random() < 0.3:
            self.scripted.press(Press(int(self.rng.integers(4)), Pressed.UNDO))
            return
        on_seq = story.seq if self.rng.random() < 0.8 else max(0, story.seq - 3)
        assert self.scripted.wish(Undo(), on_seq).code in RECEIPTS

    def correct(self) -> None:
        plays = self.scripted.match.plays
        cell = self.any_cell()
        if plays and self.rng.random() < 0.7:
            cell = plays[int(self.rng.integers(len(plays)))].move.target or cell
        wish = Correct(cell, PIECES[int(self.rng.integers(len(PIECES)))])
        assert self.scripted.wish(wish).code in RECEIPTS

    def answer(self) -> None:
        question = self.scripted.evening.story.question
        if question is None or not isinstance(question.event, Asked):
            self.scripted.rest(LOOK_MS)
            return
        options = question.event.options
        self.scripted.wish(Answer(question.seq, options[int(self.rng.integers(len(options)))].key))

    def disturb(self) -> None:
        """A piece is put, taken or turned that no rule allows, and lies there for long."""
        cell = self.any_cell()
        self.scripted.table.pop(cell, None)
        piece = PIECES[int(self.rng.integers(len(PIECES)))]
        if piece is not None:
            self.scripted.table[cell] = piece
        self.scripted.rest(LOOK_MS + int(self.rng.integers(4)) * 1000)

    def doubt(self) -> None:
        """A cell flickers for a while: between two of the next player's pieces, else between any two."""
        cell = self.any_cell()
        seat = GAME.to_move(self.scripted.match.state)
        colour = dict(self.scripted.match.setup.colours).get(seat, Colour("red")) if seat is not None else Colour("red")
        two = (Piece("small", colour), Piece("medium", colour))
        for number in range(20):
            self.scripted.misread = {cell: two[number % 2]}
            self.scripted.rest(100)
        self.scripted.misread = {}

    def kill(self) -> None:
        """At the next write, or between two."""
        if self.rng.random() < 0.7:
            try:
                with dying_after(self.scripted.journal, 1 + int(self.rng.integers(2))):
                    (self.play, self.undo, self.correct, self.answer)[int(self.rng.integers(4))]()
            except Killed:
                pass
        self.scripted = self.scripted.killed()
        self.scripted.rest(LOOK_MS)

    def full(self) -> None:
        before = self.scripted.match.plays
        with self.scripted.full_disk():
            (self.play, self.undo, self.correct)[int(self.rng.integers(3))]()
            assert self.scripted.match.plays == before, "what is not written has not happened"

    def other(self) -> None:
        wish = NewMatch() if self.rng.random() < 0.2 else SetSound("wrong")
        assert self.scripted.wish(wish).code in RECEIPTS

    def act(self) -> None:
        if self.scripted.evening.story.question is not None and self.rng.random() < 0.6:
            self.answer()
            return
        draw = self.rng.random()
        acts = ((0.34, self.play), (0.5, self.undo), (0.64, self.correct), (0.74, self.answer), (0.81, self.disturb),
                (0.85, self.doubt), (0.94, self.kill), (0.97, self.full), (1.0, self.other))
        next(act for most, act in acts if draw < most)()

    def check(self) -> None:
        scripted = self.scripted
        assert plays_equal_replay(scripted)
        entries = scripted.journal.after(0)
        assert [entry.seq for entry in entries] == sorted(entry.seq for entry in entries)
        told = told_by_journal(entries)
        assert [play.move for play in told.plays] == [play.move for play in scripted.match.plays]
        assert told.state == scripted.match.state
        assert tuple(GAME.score(told.state)) == tuple(GAME.score(scripted.match.state))
        folded, live = story_of(entries, lambda name: GAME), scripted.evening.story
        assert (folded.match.state, folded.question, folded.closed, folded.phase, folded.position_seq) == (
            live.match.state, live.question, live.closed, live.phase, live.position_seq)


def played(path: Path, seed: int) -> None:
    evening = Evening(path, seed)
    try:
        for _ in range(STEPS):
            evening.act()
            evening.check()
    finally:
        evening.scripted.journal.close()


@pytest.mark.parametrize("seed", range(100))
def test_r2_r4_the_position_is_a_replay_whatever_people_do(tmp_path: Path, seed: int) -> None:
    played(tmp_path / "j.sqlite", seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 1000, 20))
def test_r2_r4_the_position_is_a_replay_in_a_thousand_evenings(tmp_path: Path, first: int) -> None:
    for seed in range(first, first + 20):
        played(tmp_path / f"{seed}.sqlite", seed)
