"""An evening at the table: observations and wishes in, events out. One writer, no threads, no clock.

Everything lasting is in the journal and comes back as `table.story`; what is kept here beside
it (a suspicion, the last look, whose receipts went out) may be lost with the plug.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import assert_never

from device.button import Press
from device.button import Wish as Pressed
from rules.game import AnyGame, Setup
from rules.match import Match
from rules.words import Cell, Change, Seat
from table.errors import JournalFull
from table.events import (
    Answered,
    Asked,
    BoardFound,
    BoardLost,
    CameraFound,
    CameraLost,
    Event,
    MatchClosed,
    MatchOpened,
    Noticed,
    Option,
    PlayAccepted,
    PlayCorrected,
    PlayRefused,
    PutRight,
    Resumed,
    SetUp,
)
from table.evidence import SETTLED, Evidence, Strictness
from table.following import NEXT_LOOK, Followed, Patience, Suspicion, look
from table.habits import NO_HABITS
from table.hypotheses import Box, Visible
from table.journal import Entry, Journal
from table.opening import box_of
from table.present import both
from table.referee import Accepted, Candidate, Partway, Refused, Reread, Restored, Ruling, TakenBack, Unchanged, Unclear
from table.seen import Seen, Standing, Why
from table.settle import FEWEST_LOOKS, Calm, Settled, Settler
from table.story import Story, story_of, tidied, told
from table.wishing import Declined, decided
from vision.observation import BoardState, Observation
from webui.desk import Receipt, Request, SetSound, Undo

KEYS_KEPT = 512
Listener = Callable[[Story, Story, Entry], None]
"""Told of every entry, with the story before and after it."""


@dataclass(frozen=True, slots=True)
class Manners:
    """How patient the table is; see `table.settings.TableSettings`."""

    still_ms: float = 600.0
    impossible_after_ms: float = 3000.0
    continue_ms: float = 1500.0
    undo_across_turns: str = "ask"
    strictness: Strictness = SETTLED
    fewest_looks: int = FEWEST_LOOKS

    @property
    def patience(self) -> Patience:
        return Patience(self.impossible_after_ms, min(1000.0, self.impossible_after_ms))


PICTURE_BY_PICTURE = Manners(still_ms=0.0, impossible_after_ms=1.0, continue_ms=0.0, fewest_looks=1)
"""For a folder in which every picture is a settled look of its own."""


class Evening:
    """The one writer of a journal. Not for several threads: `table.session` gives it one of its own."""

    def __init__(
        self, journal: Journal, game_named: Callable[[str], AnyGame], visible: Visible,
        manners: Manners | None = None, listener: Listener | None = None, free_space: Callable[[], None] | None = None,
    ) -> None:
        self._journal, self._game_named = journal, game_named
        self.visible = visible
        """What the camera can tell of a layout."""
        self._manners = manners or Manners()
        self._listener, self._free_space = listener, free_space
        self._settler = Settler(self._manners.still_ms, self._manners.fewest_looks)
        self._receipts: OrderedDict[str, Receipt] = OrderedDict()
        self._suspicion: Suspicion | None = None
        self._asked: frozenset[Cell] = frozenset()
        self._habits = NO_HABITS
        self._part: tuple[tuple[Change, ...], int] | None = None
        self._board_lost_ns: int | None = None
        self._must_compare = False
        self._misread: tuple[Standing, ...] = ()
        self._hurry = False
        self._box: Box | None = None
        self.calm = Calm.WAITING
        self.seen: Seen | None = None
        self.missing: tuple[Change, ...] = ()
        """What an action half done still lacks, or a start position, once it is worth a word."""
        self.full = ""
        """The sentence of a disk that takes no more; "" while it does."""
        self.story = Story()

    def listen(self, listener: Listener) -> None:
        """Tell `listener` every entry from now on; `resume` tells it the old ones too."""
        self._listener = listener

    # The journal

    def resume(self) -> bool:
        """Takes up the last match of the journal, if it was not closed; False if there is none."""
        entries = self._journal.after(0)
        self.story = Story()
        for entry in entries:
            before, self.story = self.story, told(self.story, entry, self._game_named)
            if self._listener is not None:
                self._listener(before, self.story, entry)
        self._must_compare = self.story.followed is not None and self.story.is_set_up
        self._new_box()
        if self.story.camera_lost:
            self._tell(CameraFound(0))
        return self.story.followed is not None and self.story.closed is None

    def open(self, game: str, setup: Setup) -> None:
        """Begins a match. Raises `rules.game.SetupError`."""
        self._game_named(game).start(setup)
        self._tell(MatchOpened(game, setup))
        self._new_box()

    def tell(self, event: Event) -> Entry:
        """Writes an event of the outside (a profile, a sound level) down."""
        return self._tell(event)

    def _tell(self, event: Event) -> Entry:
        """Writes an event down; only then has it happened. Raises `JournalFull`."""
        match_no = self.story.match_no + (1 if isinstance(event, MatchOpened) else 0)
        try:
            entry = self._journal.append(match_no, event)
        except JournalFull:
            if self._free_space is None:
                raise
            self._free_space()
            entry = self._journal.append(match_no, event)
        before, self.story = self.story, told(self.story, entry, self._game_named)
        self.full = ""
        if self._listener is not None:
            self._listener(before, self.story, entry)
        return entry

    def _new_box(self) -> None:
        self._misread, self._habits = (), NO_HABITS
        self._suspicion, self._asked, self._part, self.missing = None, frozenset(), None, ()
        if self.story.followed is not None:
            self._box = box_of(self.story.match.game, self.story.match.setup)

    # The camera

    def camera_lost(self, why: str) -> None:
        """No pictures: told once, until they come again."""
        self._settler.forget()
        self.seen = None
        if not self.story.camera_lost and self.story.followed is not None:
            self._safely(CameraLost(why))

    def looked(self, observation: Observation) -> None:
        """One more picture was read."""
        if self.story.followed is None:
            return
        try:
            self._looked(observation)
        except JournalFull as error:
            self.full = str(error)

    def _looked(self, observation: Observation) -> None:
        if self.story.camera_lost:
            self._tell(CameraFound(observation.frame_seq))
        settled = self._settler.add(observation)
        self.calm = settled.calm
        self._board(observation, settled)
        if settled.seen is None:
            return
        self.seen = settled.seen
        if self._must_compare and not settled.seen.hand:
            self._must_compare = False
            self._tell(Resumed(self._differences(settled.seen, self.story.match)))
        if not self.story.is_set_up and not self._is_set_up(settled.seen):
            return
        self._judge(settled.seen, settled)
        self._close_if_over()

    def _board(self, observation: Observation, settled: Settled) -> None:
        """The board found, lost or moved. A passing loss is not worth a word."""
        if settled.calm is Calm.BOARD_LOST:
            self._board_lost_ns = self._board_lost_ns if self._board_lost_ns is not None else observation.taken_ns
            lasts_ms = (observation.taken_ns - self._board_lost_ns) / 1e6
            if lasts_ms >= self._manners.still_ms * 2 and not self.story.board_lost:
                self._tell(BoardLost(observation.why or "the board: wanted it whole in the picture, found it lost: "
                                                        "put it back under the camera"))
            return
        self._board_lost_ns = None
        if observation.board is BoardState.MOVED or self.story.board_lost:
            self._tell(BoardFound(observation.frame_seq, observation.board is BoardState.MOVED))

    def _differences(self, seen: Seen, match: Match) -> tuple[Change, ...]:
        """What surely looks otherwise than the match says, from what stands there to what must."""
        evidence = Evidence(seen, self.visible(match.game.layout(match.state)), (), self._manners.strictness)
        return tuple(
            Change(cell, evidence.best(cell), evidence.now.pieces.get(cell))
            for cell in sorted(evidence.moved) if evidence.is_sure(cell)
        )

    def _is_set_up(self, seen: Seen) -> bool:
        """Whether the start position lies there, or legal actions and at most one cell from it (the players did
        not wait for the camera); else what is to be cleared is shown."""
        if seen.hand:
            return False
        differences = self._differences(seen, self.story.match)
        if len(differences) > 1:
            after, _ = look(Followed(self.story.match), seen, self.visible, self._manners.strictness, self._box)
            if len(self._differences(seen, after.match)) > 1:
                self.missing = differences
                return False
        self.missing = ()
        self._tell(SetUp(self.story.match.game.layout(self.story.match.state)))
        return True

    def _judge(self, seen: Seen, settled: Settled) -> None:
        if self.story.followed is None:
            return
        manners, hurry = self._manners, self._hurry
        self._hurry = False
        known = replace(self.story.followed, suspicion=self._suspicion, asked=self._asked, habits=self._habits,
                        standings=(*self.story.followed.standings, *self._misread))
        after, rulings = look(known, seen, self.visible, manners.strictness, self._box,
                              NEXT_LOOK if hurry else manners.patience)
        if self.story.closed is not None:
            rulings = tuple(pair for pair in rulings if isinstance(pair[0], TakenBack | Reread))
            if not rulings:
                self._suspicion = after.suspicion
                return
        waits = any(isinstance(ruling, Accepted) and ruling.may_continue for ruling, _ in rulings)
        if waits and not hurry and settled.still_ms < manners.still_ms + manners.continue_ms:
            return
        for ruling, _ in rulings:
            self._write(ruling, seen)
        self._misread = tuple(s for s in after.standings if s.why is Why.MISREAD)
        if self.story.followed is not None:
            # What the look forgot (a corrected cell that looks otherwise now) is lasting only by its absence.
            kept = tuple(s for s in self.story.followed.standings if s in after.standings)
            if kept != self.story.followed.standings:
                self.story = tidied(replace(self.story, followed=replace(self.story.followed, standings=kept)))
        self._suspicion, self._asked, self._habits = after.suspicion, after.asked, after.habits
        self._note_part(rulings[-1][0] if rulings else Unchanged(), seen)

    def _note_part(self, ruling: Ruling, seen: Seen) -> None:
        """An action half done is worth a word once it has stood so for long."""
        missing = ruling.missing if isinstance(ruling, Partway) else ()
        if not missing:
            self._part, self.missing = None, ()
            return
        if self._part is None or self._part[0] != missing:
            self._part, self.missing = (missing, seen.taken_ns), ()
        elif (seen.taken_ns - self._part[1]) / 1e6 >= self._manners.impossible_after_ms:
            self.missing = missing

    def _write(self, ruling: Ruling, seen: Seen) -> None:
        """The events of a ruling."""
        game = self.story.match.game
        question = self.story.question
        match ruling:
            case Accepted(verdict=verdict, may_continue=may_continue, then=then):
                for one in (verdict, *then):
                    self._tell(PlayAccepted(game.write(one.move), one.move.seat, seen.frame_seq, may_continue))
                self._close_if_over()
            case Refused(verdict=verdict, put_right=put_right):
                move = verdict.move
                self._tell(PlayRefused(game.write(move), move.seat, verdict.reasons, put_right, seen.frame_seq))
            case Restored(standing=standing):
                self._tell(PutRight(tuple(sorted(standing.cells)), seen.frame_seq))
            case TakenBack():
                self._taken_back(seen)
            case Reread(index=index, move=move):
                dropped = self.story.followed.corrected(index, move)[1] if self.story.followed else ()
                lost = tuple(game.write(gone) for gone in dropped)
                self._tell(PlayCorrected(index, game.write(move), lost, "camera"))
            case Unclear(candidates=candidates, differences=differences) if candidates:
                options = tuple(self._option(i, one) for i, one in enumerate(candidates))
                cells = tuple(sorted({cell for one in candidates for cell in one.cells}))
                self._tell(Asked("which", (*options, Option("nothing", (), 0.0)), cells, seen.frame_seq))
            case Unclear(differences=differences):
                self._tell(Noticed(differences, seen.frame_seq))
            case Unchanged():
                if question is not None and isinstance(question.event, Asked) and question.event.frame_seq > 0:
                    none = "nothing" if question.event.question == "which" else "no"
                    self._tell(Answered(question.seq, none, "table"))
            case Partway():
                pass
            case _:
                assert_never(ruling)

    def _taken_back(self, seen: Seen) -> None:
        """The last action was put back on the table. A second one in a row was made before another player's turn:
        that needs a yes, as on the phone; until then, or without one, the piece is wanted back."""
        outcome = decided(self.story, Undo(), seen, self.visible, self._manners.undo_across_turns, "table")
        if isinstance(outcome, Declined):
            self._tell(Noticed(self._differences(seen, self.story.match), seen.frame_seq))
            return
        for event in outcome.events:
            if not isinstance(event, Asked):
                self._tell(event)
            elif self.story.question is None:
                self._tell(replace(event, frame_seq=seen.frame_seq))

    def _option(self, number: int, candidate: Candidate) -> Option:
        game = self.story.match.game
        return Option(str(number), tuple(game.write(move) for move in candidate.moves),
                      round(candidate.probability, 4))

    def _close_if_over(self) -> None:
        match = self.story.match
        outcome = match.game.outcome(match.state)
        if outcome is not None and self.story.closed is None:
            self._tell(MatchClosed(outcome.winners, outcome.ending, tuple(match.game.score(match.state))))

    def _safely(self, event: Event) -> None:
        try:
            self._tell(event)
        except JournalFull as error:
            self.full = str(error)

    # People

    def pressed(self, press: Press) -> None:
        """A button at a seat: done asks for a look now, undo takes back."""
        if press.wish is Pressed.DONE:
            self._hurry = True
            return
        outcome = decided(self.story, Undo(), self.seen, self.visible, self._manners.undo_across_turns, "button",
                          Seat(press.seat))
        if not isinstance(outcome, Declined):
            for event in outcome.events:
                self._safely(event)

    def wished(self, request: Request) -> Receipt:
        """What became of a request. The same key acts once; one made on an old position is refused."""
        known = self._receipts.get(request.key)
        if known is not None:
            return known
        receipt = self._wished(request)
        if receipt.code != "busy":
            self._receipts[request.key] = receipt
            while len(self._receipts) > KEYS_KEPT:
                self._receipts.popitem(last=False)
        return receipt

    def _wished(self, request: Request) -> Receipt:
        story = self.story
        if not isinstance(request.wish, SetSound) and request.on_seq < story.position_seq:
            return Receipt(False, story.seq, "stale", both(
                "Something happened meanwhile: look again, then decide.",
                "Algo aconteceu nesse meio-tempo: olhe de novo e decida.",
            ))
        outcome = decided(story, request.wish, self.seen, self.visible, self._manners.undo_across_turns)
        if isinstance(outcome, Declined):
            return Receipt(False, story.seq, "refused", outcome.said)
        try:
            for event in outcome.events:
                self._tell(event)
                if isinstance(event, MatchOpened):
                    self._new_box()
            self._suspicion, self._part, self.missing = None, None, ()
            self._close_if_over()
        except JournalFull as error:
            self.full = str(error)
            return Receipt(False, self.story.seq, "busy", both(
                str(error), "O disco está cheio: libere espaço; nada do que foi escrito se perdeu."))
        return Receipt(True, self.story.seq, "done", both("Done.", "Feito."))


def story_in(journal: Journal, game_named: Callable[[str], AnyGame]) -> Story:
    """The story that a journal tells; the same as the live one, but for what a look has forgotten."""
    return story_of(journal.after(0), game_named)
