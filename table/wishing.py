"""What becomes of a person's wish: the events that grant it, or a sentence why not. Pure.

A wish was already found to be fresh (`table.evening`); here the rules of the match decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from rules.game import Move
from rules.match import Play, Source
from rules.words import Cell, Change, Piece, Said, Seat
from table.events import (
    Answered,
    Asked,
    CellCorrected,
    Event,
    MatchClosed,
    MatchOpened,
    Noticed,
    Option,
    PlayCorrected,
    PlayDeclared,
    PlayRefused,
    PlayUndone,
    SoundChosen,
)
from table.hypotheses import Visible, changes_between, wants
from table.present import both
from table.seen import Seen
from table.story import Story
from webui.desk import Answer, Correct, NewMatch, SetSound, Undo, Wish

HALF_BELIEVED = 0.05
"""From this probability on, a reading that an answer contradicts is remembered as the camera's error."""


@dataclass(frozen=True, slots=True)
class Granted:
    """The events that grant the wish, in order."""

    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Declined:
    """Why it cannot be granted, and what to do."""

    said: Said


def decided(
    story: Story, wish: Wish, seen: Seen | None, visible: Visible, undo_across_turns: str = "ask", by: str = "phone",
    seat: Seat | None = None,
) -> Granted | Declined:
    """What becomes of a wish on a story. `seen` is the last settled look; `seat` is known of a button only."""
    if isinstance(wish, SetSound):
        return Granted((SoundChosen(wish.level),))
    if story.followed is None:
        return Declined(both("Wanted a match, found none: open one first.",
                             "Era preciso uma partida, e não há: abra uma primeiro."))
    match wish:
        case Undo():
            return _undo(story, undo_across_turns, by, seat)
        case Answer():
            return _answer(story, wish, seen, visible, by)
        case Correct():
            return _correct(story, wish.cell, wish.piece, seen, visible, by)
        case NewMatch():
            opened = MatchOpened(story.match.game.facts.name, story.match.setup)
            stopped = () if story.closed is not None else (MatchClosed((), "stopped", ()),)
            return Granted((*stopped, opened))
        case _:
            assert_never(wish)


def _undo(story: Story, policy: str, by: str, seat: Seat | None) -> Granted | Declined:
    match = story.match
    if not match.plays:
        return Declined(both("Nothing to take back: no action was made yet.", "Nada a desfazer: ainda não se jogou."))
    last = match.plays[-1].move.seat
    player = next((p for p in match.setup.players if last in p), (last,))
    # A phone is nobody's in particular: the last action may go at once, an earlier one was before somebody's turn.
    across = story.undone_in_a_row > 0 if seat is None else seat not in player
    if across and policy == "never":
        return Declined(both("This table takes back one action only: play on.",
                             "Esta mesa só desfaz uma jogada: continuem."))
    if across and policy == "ask":
        options = (Option("yes", (match.game.write(match.plays[-1].move),), 0.5), Option("no", (), 0.5))
        cells = tuple(c for c in (match.plays[-1].move.source, match.plays[-1].move.target) if c is not None)
        return Granted((Asked("undo", options, cells, 0),))
    return Granted((PlayUndone(1, by),))


def _answer(story: Story, wish: Answer, seen: Seen | None, visible: Visible, by: str) -> Granted | Declined:
    entry = story.question
    gone = Declined(both("This question is no longer open: look at the page again.",
                         "Essa pergunta já não vale: olhe a página de novo."))
    if entry is None or entry.seq != wish.question_seq or not isinstance(entry.event, Asked):
        return gone
    option = next((o for o in entry.event.options if o.key == wish.key), None)
    if option is None:
        return gone
    answered = Answered(entry.seq, wish.key, by)
    if entry.event.question == "undo":
        if wish.key == "yes":
            return Granted((PlayUndone(1, by), answered))
        wanted = _put_right(story, entry.event.cells, seen)  # where the piece was taken off, it is wanted back
        return Granted((answered, *((Noticed(wanted, 0),) if wanted else ())))
    if not option.moves:
        return Granted((*_as_expected(story, entry.event.cells, seen, by), answered))
    events: list[Event] = []
    match = story.match
    for text in option.moves:
        move = match.game.read(text, match.state)
        verdict = match.game.judge(match.state, move)
        if not verdict.legal:
            put_right = _put_right(story, entry.event.cells, seen)
            return Granted((*events, PlayRefused(text, move.seat, verdict.reasons, put_right, 0), answered))
        events.append(PlayDeclared(text, move.seat, by))
        match = match.after(Play(move, Source.PHONE))
    # Whatever else the camera half believes there is known to be its error, now and in the next pictures.
    layout = visible(match.game.layout(match.state))
    for cell in entry.event.cells:
        expected = layout.pieces.get(cell)
        ranked = seen.cells.get(cell, ()) if seen is not None else ()
        others = [(p, piece) for piece, p in ranked if piece != expected]
        if others and max(p for p, _ in others) > HALF_BELIEVED:
            events.append(CellCorrected(cell, expected, max(others, key=lambda pair: pair[0])[1], by))
    return Granted((*events, answered))


def _looked(seen: Seen | None, cell: Cell) -> Piece | None:
    return seen.best(cell) if seen is not None and cell in seen.cells else None


def _put_right(story: Story, cells: Sequence[Cell], seen: Seen | None) -> tuple[Change, ...]:
    layout = story.match.game.layout(story.match.state)
    return tuple(
        Change(cell, _looked(seen, cell), layout.pieces.get(cell))
        for cell in cells if seen is not None and cell in seen.cells and _looked(seen, cell) != layout.pieces.get(cell)
    )


def _as_expected(story: Story, cells: Sequence[Cell], seen: Seen | None, by: str) -> list[Event]:
    return [CellCorrected(c.cell, c.after, c.before, by) for c in _put_right(story, cells, seen)]


def _correct(
    story: Story, cell: Cell, piece: Piece | None, seen: Seen | None, visible: Visible, by: str
) -> Granted | Declined:
    """A cell holds `piece`: the camera errs, an action was missed, or an earlier one was another."""
    match = story.match
    game = match.game
    looked = _looked(seen, cell)
    known = CellCorrected(cell, piece, looked, by)
    if visible(game.layout(match.state)).pieces.get(cell) == piece:
        return Granted((known,))
    errs = (known,) if seen is not None and cell in seen.cells and looked != piece else ()
    missed = [(len(changes), move) for move, changes in wants(game, match.state, visible)
              if any(c.cell == cell and c.after == piece for c in changes)]
    if missed:
        move = min(missed, key=lambda pair: pair[0])[1]
        return Granted((PlayDeclared(game.write(move), move.seat, by), *errs))
    for index in range(len(match.plays) - 1, -1, -1):
        told = _otherwise(story, index, cell, piece, visible, by)
        if told is not None:
            return Granted((told, *errs))
    if match.plays:
        back = changes_between(game.layout(match.state), game.layout(match.undone(1).state))
        if any(change.cell == cell and change.after == piece for change in back):
            return Granted((PlayUndone(1, by), *errs))
    return Declined(both(
        "No action leads there: take back the actions after it first, or put the table right.",
        "Nenhuma jogada leva a isso: desfaça antes as jogadas seguintes, ou arrume a mesa.",
    ))


def _otherwise(
    story: Story, index: int, cell: Cell, piece: Piece | None, visible: Visible, by: str
) -> PlayCorrected | None:
    """Action `index` told otherwise, so that `piece` came to stand in `cell`."""
    match, game = story.match, story.match.game
    old: Move = match.plays[index].move
    if story.followed is None or old.target != cell or piece is None:
        return None
    for move, changes in wants(game, match.states[index], visible):
        if move.target == cell and move.verb == old.verb and any(c.cell == cell and c.after == piece for c in changes):
            _, dropped = story.followed.corrected(index, move, Source.PHONE)
            return PlayCorrected(index, game.write(move), tuple(game.write(lost) for lost in dropped), by)
    return None
