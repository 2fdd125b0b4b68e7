"""What the players may have done, each possibility with its log-likelihood against "nothing".

An observation gives each cell ranked possibilities. For a possibility that would change
cells c to pieces q, its weight is the sum over c of `log p(q) - log p(now)`, plus what it
costs to believe such an act at all (`Strictness`). Cells that a possibility leaves alone
weigh the same for all of them, so a cell that is misread for good blocks nothing. Every
possibility's layout holds only pieces that exist, since it comes from the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

from rules.game import AnyGame, Move, Verdict
from rules.match import Match, Source
from rules.words import Cell, Change, Colour, Layout, Piece
from table.evidence import Evidence, Strictness

Visible = Callable[[Layout], Layout]
"""What a camera can tell of a layout: `Kit.visible`."""
Box = Mapping[tuple[str, Colour], int]
"""How many pieces of a kind and colour there are at this table; what is not named is not counted."""


@dataclass(frozen=True, slots=True)
class Legal:
    """Legal actions in order (one, or two quick ones), and the cells that they change.

    `fallen` (`Evidence.fallen`) tells between legal actions which of them was done, not whether one was.
    """

    verdicts: tuple[Verdict, ...]
    changes: tuple[Change, ...]
    weight: float
    fallen: float = 0.0

    @property
    def rank(self) -> float:
        """By which legal actions are compared with each other."""
        return self.weight + self.fallen


@dataclass(frozen=True, slots=True)
class Part:
    """A legal action of several changes of which some are done; `missing` are the others."""

    move: Move
    done: tuple[Change, ...]
    missing: tuple[Change, ...]
    weight: float


@dataclass(frozen=True, slots=True)
class Mistake:
    """An action that the rules refuse; `changes` from the match's layout to what was seen.

    `is_foul`: no action of the game at all (a piece moved or turned by hand). A camera that errs looks just
    like that, so it is told only when it lasts.
    """

    verdict: Verdict
    changes: tuple[Change, ...]
    weight: float
    is_foul: bool


@dataclass(frozen=True, slots=True)
class Again:
    """Action number `index` was another one than was thought, or (`move` None) was taken back."""

    index: int
    move: Move | None
    changes: tuple[Change, ...]
    weight: float


def changes_between(before: Layout, after: Layout) -> tuple[Change, ...]:
    """As `Layout.changes_to`, unsorted and quick."""
    old, new = before.pieces, after.pieces
    out = [Change(cell, piece, new.get(cell)) for cell, piece in old.items() if new.get(cell) != piece]
    out += [Change(cell, None, piece) for cell, piece in new.items() if cell not in old]
    return tuple(out)


Wanted = tuple[tuple[Move, tuple[Change, ...]], ...]


def wants(game: AnyGame, state: Any, visible: Visible) -> Wanted:
    """Every legal action with the cells it changes; computed once a position, while the players think."""
    return _wants(_as_key(game), state, visible)


def _as_key(game: AnyGame) -> Any:
    """Games have no state and hash by identity, which their protocol does not say."""
    return game


@lru_cache(maxsize=256)
def _wants(game: Any, state: Any, visible: Visible) -> Wanted:
    now = visible(game.layout(state))
    return tuple(
        (move, changes_between(now, visible(game.layout(game.play(state, move))))) for move in game.moves(state)
    )


def legal_ones(match: Match, evidence: Evidence, visible: Visible) -> Iterator[Legal]:
    """Single legal actions with some evidence for them."""
    for move, changes in wants(match.game, match.state, visible):
        if evidence.touches(changes):
            weight = evidence.weigh(changes)
            if weight > 0:
                yield Legal((Verdict(move),), changes, weight, evidence.fallen(changes))


def pairs(match: Match, evidence: Evidence, visible: Visible, strictness: Strictness) -> Iterator[Legal]:
    """Two legal actions between two looks: the first in turn, then the second, seen in their common result."""
    game, now = match.game, evidence.now
    for first, changes in wants(game, match.state, visible):
        fallen = evidence.fallen(changes)
        if changes and not fallen and not any(evidence.gain(change.cell, change.after) > 0 for change in changes):
            continue
        state = game.play(match.state, first)
        left = (set(evidence.moved) | evidence.told) - {
            c.cell for c in changes if fallen or evidence.gain(c.cell, c.after) > 0}
        if not left or game.to_move(state) is None:
            continue
        for second in game.moves(state):
            if second.target not in left and second.source not in left:
                continue
            both = changes_between(now, visible(game.layout(game.play(state, second))))
            weight = evidence.weigh(both) + fallen - (strictness.pair_cost if changes else strictness.partway_cost)
            if weight > 0:
                yield Legal((Verdict(first), Verdict(second)), both, weight, evidence.fallen(both) - fallen)


def parts(match: Match, evidence: Evidence, visible: Visible, strictness: Strictness) -> Iterator[Part]:
    """Actions of several changes, some of which are seen done and some not."""
    for move, changes in wants(match.game, match.state, visible):
        if len(changes) < 2 or not any(change.cell in evidence.moved for change in changes):
            continue
        done = tuple(change for change in changes if evidence.gain(change.cell, change.after) > 0)
        if done and len(done) < len(changes):
            missing = tuple(change for change in changes if change not in done)
            yield Part(move, done, missing, evidence.weigh(done) - strictness.partway_cost)


def mistakes(
    match: Match, evidence: Evidence, visible: Visible, strictness: Strictness, box: Box | None = None
) -> Iterator[Mistake]:
    """What the rules make of the cells that surely look different, alone and together.

    A piece that became another one is the camera's error and nobody's act.
    """
    game, state, now = match.game, match.state, evidence.now
    # What could be done now or a moment ago is an action of the game, if a wrong one.
    verbs = {move.verb for one in match.states[-2:] for move, _ in wants(game, one, visible)}
    legal = {(m.target, m.piece.kind, m.piece.colour) for m, _ in wants(game, state, visible) if m.piece is not None}
    sure = sorted((c for c, gain in evidence.moved.items() if gain >= strictness.clear and evidence.is_sure(c)),
                  key=lambda cell: -evidence.moved[cell])[:6]
    groups: list[tuple[tuple[Cell, ...], tuple[Piece | None, ...]]] = [
        ((cell,), (piece,)) for cell in sure for piece in evidence.sorts(cell)
    ]
    for many in (*combinations(sure, 2), *((tuple(sure),) if len(sure) > 2 else ())):
        groups.append((many, tuple(evidence.best(cell) for cell in many)))
    for group, pieces in groups:
        if any(_became_another(now.pieces.get(cell), piece) for cell, piece in zip(group, pieces, strict=True)):
            continue
        changes = tuple(Change(cell, now.pieces.get(cell), piece) for cell, piece in zip(group, pieces, strict=True))
        layout = changed(now, changes)
        cost = strictness.mistake_cost
        if box is not None and not _is_in_box(layout, changes, box):
            cost += strictness.spare_cost
        for move in game.guess(state, layout)[:1]:
            verdict = game.judge(state, move)
            explains = {move.source, move.target} >= set(group) or move.note or group[0].zone != "board"
            if not verdict.legal and explains:
                is_spare = cost > strictness.mistake_cost
                is_foul = move.verb not in verbs or bool(move.note) or _only_looks_wrong(move, changes, legal, is_spare)
                weight = evidence.weigh(changes) - cost - (strictness.foul_cost if is_foul else 0.0)
                yield Mistake(verdict, changes, weight, is_foul)


def _only_looks_wrong(
    move: Move, changes: Sequence[Change], legal: Set[tuple[Cell | None, str, Colour]], is_spare: bool
) -> bool:
    """A piece newly set down that may be there, but not as it seems to lie, or in a size that the set does not
    hold: rather misread than laid down or brought along."""
    piece = move.piece
    if piece is None or len(changes) != 1 or changes[0].before is not None:
        return False
    if is_spare and any(target == move.target and colour == piece.colour for target, _, colour in legal):
        return True
    return (move.target, piece.kind, piece.colour) in legal


def changed(layout: Layout, changes: Iterable[Change]) -> Layout:
    """The layout with each change made."""
    pieces = dict(layout.pieces)
    for change in changes:
        if change.after is None:
            pieces.pop(change.cell, None)
        else:
            pieces[change.cell] = change.after
    return Layout(pieces)


def _became_another(before: Piece | None, after: Piece | None) -> bool:
    return (before is not None and after is not None
            and (before.kind, before.colour) != (after.kind, after.colour))


def _is_in_box(layout: Layout, changes: Iterable[Change], box: Box) -> bool:
    counts = Counter((piece.kind, piece.colour) for piece in layout.pieces.values())
    came = [(c.after.kind, c.after.colour) for c in changes if c.after is not None and c.before is None]
    return all(counts[what] <= box.get(what, counts[what]) for what in came)


def agains(match: Match, evidence: Evidence, visible: Visible, strictness: Strictness) -> Iterator[Again]:
    """The last action taken back or slid elsewhere, and earlier ones that were read wrong."""
    plays = match.plays
    if not plays:
        return
    game, now, last = match.game, evidence.now, len(plays) - 1
    before = match.undone(1)
    base = visible(game.layout(before.state))
    back = changes_between(now, base)
    if back and evidence.weigh(back) > 0:
        yield Again(last, None, back, evidence.weigh(back) - strictness.takeback_cost)
    if any(change.cell in evidence.moved for change in back):
        undoing = {change.cell: change.after for change in back}
        for move, changes in wants(game, before.state, visible):
            wanted = {**undoing, **{change.cell: change.after for change in changes}}
            if move.target == plays[-1].move.target and plays[-1].by is Source.PHONE:
                continue  # a person said what was done there
            together = tuple(Change(c, now.pieces.get(c), p) for c, p in wanted.items() if now.pieces.get(c) != p)
            weight = evidence.weigh(together) - strictness.slide_cost
            if weight > 0:
                yield Again(last, move, together, weight)
    for index, play in enumerate(plays[:-1]):
        piece = play.move.piece
        is_doubtful = play.by is not Source.PHONE and play.move.target in evidence.moved
        if is_doubtful and piece is not None and piece.facing is None:
            yield from _read_otherwise(match, index, evidence, visible, strictness)


def _read_otherwise(
    match: Match, index: int, evidence: Evidence, visible: Visible, strictness: Strictness
) -> Iterator[Again]:
    """Another piece at the target of an earlier action, if everything after it is still legal."""
    game, old = match.game, match.plays[index].move
    before = match.undone(len(match.plays) - index)
    for move, _ in wants(game, before.state, visible):
        if move.target != old.target or move == old or move.verb != old.verb:
            continue
        state = game.play(before.state, move)
        for play in match.plays[index + 1 :]:
            if not game.judge(state, play.move).legal:
                break
            state = game.play(state, play.move)
        else:
            changes = changes_between(evidence.now, visible(game.layout(state)))
            weight = evidence.weigh(changes) - strictness.reread_cost
            if weight > 0:
                yield Again(index, move, changes, weight)
