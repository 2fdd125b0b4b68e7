"""A match that is being followed: what happened so far, and what is told and still stands.

`look` takes one settled look and asks the referee until it has nothing new to say: a piece
put back and the next action may lie in one look. It is pure; the session and the replay
both go through it, so a recording tells the same story as the evening did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rules.game import Move
from rules.match import Match, Play, Source
from rules.words import Cell, Change
from table.evidence import SETTLED, Evidence, Strictness
from table.habits import NO_HABITS, Habits
from table.hypotheses import Box, Visible, changes_between
from table.referee import Accepted, Partway, Refused, Reread, Restored, Ruling, TakenBack, Unchanged, Unclear, rule
from table.seen import Seen, Standing, Why

MOST_IN_A_LOOK = 4
"""Rulings out of one look; more would be a table turned over, not a turn."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a thing must go on looking the same before it is believed, in the frames' own times.

    `strange_ms`: what no legal action explains. `again_ms`: that an earlier action was taken back or read
    wrong, and a question. Told at once they would be false alarms at every passing misreading.
    """

    strange_ms: float = 3000.0
    again_ms: float = 1000.0


NEXT_LOOK = Patience(1.0, 1.0)
"""For pictures that are settled looks of their own: a second one must agree."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What one look suggested that needs more looks: a ruling, and since when it has been so."""

    ruling: TakenBack | Reread | Unclear | Refused | Accepted
    since_ns: int

    def is_same(self, ruling: Ruling) -> bool:
        """Whether another look suggests the same thing, whatever its probabilities."""
        match self.ruling, ruling:
            case Unclear() as one, Unclear() as other if one.candidates:
                return {c.moves for c in one.candidates} == {c.moves for c in other.candidates}
            case Unclear() as one, Unclear() as other:
                return not other.candidates and one.differences == other.differences
            case Refused() as one, Refused() as other:
                return one.put_right == other.put_right
            case Accepted() as one, Accepted() as other:
                return (one.verdict, one.then) == (other.verdict, other.then)
            case _:
                return self.ruling == ruling


@dataclass(frozen=True, slots=True)
class Followed:
    """The match, the differences that were told and still stand, what is suspected, what was asked, and how
    cells are misread."""

    match: Match
    standings: tuple[Standing, ...] = ()
    suspicion: Suspicion | None = None
    asked: frozenset[Cell] = frozenset()
    habits: Habits = NO_HABITS

    def with_standing(self, why: Why, put_right: Sequence[Change]) -> Followed:
        """With a difference told: it looks like the `before` of each change."""
        fresh = Standing(why, tuple((change.cell, change.before) for change in put_right))
        kept = tuple(s for s in self.standings if not s.cells & fresh.cells)
        return replace(self, standings=(*kept, fresh))

    def without(self, standing: Standing) -> Followed:
        return replace(self, standings=tuple(s for s in self.standings if s != standing))

    def played(self, move: Move, by: Source = Source.CAMERA) -> Followed:
        """After a legal action; what stood on its cells is settled by it."""
        match = self.match.after(Play(move, by))
        return Followed(match, self._still(match), habits=self.habits)

    def undone(self, count: int = 1) -> Followed:
        match = self.match.undone(count)
        return Followed(match, self._still(match), habits=self.habits)

    def corrected(self, index: int, move: Move, by: Source = Source.CAMERA) -> tuple[Followed, tuple[Move, ...]]:
        """With action `index` told otherwise; later ones that are not legal any more are dropped and given back."""
        match, dropped = retold(self.match, index, move, by)
        return Followed(match, self._still(match), habits=self.habits), dropped

    def forgotten(self, seen: Seen) -> Followed:
        """Without the corrections and doubts whose cells look otherwise now: their reading counts again."""
        layout = self.match.game.layout(self.match.state)

        def holds(standing: Standing) -> bool:
            if standing.why is Why.MISREAD:
                return all(cell not in seen.cells or seen.best(cell) == look for cell, look in standing.looks)
            return all(
                cell not in seen.cells or seen.best(cell) == look or seen.looks_like(cell, layout.pieces.get(cell))
                or seen.probability(cell, look) > 0.2
                for cell, look in standing.looks
            )

        return replace(self, standings=tuple(s for s in self.standings if holds(s)))

    def _still(self, match: Match) -> tuple[Standing, ...]:
        """The standings that differ from the new position (a told difference may have become the position)."""
        layout = match.game.layout(match.state)
        return tuple(
            s for s in self.standings
            if s.why is Why.CORRECTED or any(layout.pieces.get(cell) != look for cell, look in s.looks)
        )


def retold(match: Match, index: int, move: Move, by: Source) -> tuple[Match, tuple[Move, ...]]:
    """The match with action `index` replaced, and the later actions that could not stay. Raises `IllegalMove`."""
    later = match.plays[index + 1 :]
    told = match.undone(len(match.plays) - index).after(Play(move, by))
    dropped: list[Move] = []
    for play in later:
        if told.game.judge(told.state, play.move).legal:
            told = told.after(play)
        else:
            dropped.append(play.move)
    return told, tuple(dropped)


def look(
    followed: Followed,
    seen: Seen,
    visible: Visible,
    strictness: Strictness = SETTLED,
    box: Box | None = None,
    patience: Patience = NEXT_LOOK,
) -> tuple[Followed, tuple[tuple[Ruling, Followed], ...]]:
    """What one settled look tells: each ruling with how things stood right after it.

    What needs more looks comes as `Partway` until it has lasted. An `Unclear` that comes out is to be told now:
    a question if it has candidates, else a difference that nobody can explain.
    """
    told: list[tuple[Ruling, Followed]] = []
    before = followed.suspicion
    followed = replace(followed.forgotten(seen), suspicion=None)
    for _ in range(MOST_IN_A_LOOK):
        ruling = rule(followed.match, seen, visible, followed.standings, strictness, box, followed.habits)
        if _needs_more_looks(ruling, is_alone=not told):
            followed, ruling = _patiently(followed, ruling, before, seen.taken_ns, patience)
        if told and isinstance(ruling, Unchanged | Partway):
            break
        before_match = followed.match
        followed = _after(followed, ruling)
        if isinstance(ruling, Accepted):
            followed = _with_misread(followed, before_match, seen, visible)
        is_explained = isinstance(ruling, Accepted) or (isinstance(ruling, Unchanged) and not followed.habits.cells)
        if is_explained:
            followed = _with_habits(followed, seen, visible, strictness)
        told.append((ruling, followed))
        if isinstance(ruling, Unchanged | Partway | Unclear | TakenBack) or seen.hand:
            break
    if seen.hand and followed.suspicion is None:  # an arm hides things but clears nobody of suspicion
        followed = replace(followed, suspicion=before)
    return followed, tuple(told)


def cells_of(changes: Sequence[Change]) -> frozenset[Cell]:
    """The cells that changes speak of."""
    return frozenset(change.cell for change in changes)


def _needs_more_looks(ruling: Ruling, is_alone: bool) -> bool:
    """A mistake in a look that already told something else is more often a misreading."""
    return (isinstance(ruling, TakenBack | Reread | Unclear) or (isinstance(ruling, Refused) and not is_alone)
            or (isinstance(ruling, Accepted) and ruling.is_weak))


def _with_misread(followed: Followed, before: Match, seen: Seen, visible: Visible) -> Followed:
    """With the cells of an accepted action that are read otherwise than it left them."""
    game = before.game
    layout = visible(game.layout(followed.match.state))
    changes = changes_between(visible(game.layout(before.state)), layout)
    fresh = tuple(
        Standing(Why.MISREAD, ((c.cell, seen.best(c.cell)),)) for c in changes
        if c.cell in seen.cells and c.cell.zone == "board" and seen.best(c.cell) != c.after
    )
    return replace(followed, standings=(*followed.standings, *fresh))


def _with_habits(followed: Followed, seen: Seen, visible: Visible, strictness: Strictness) -> Followed:
    """With how cells look in which, as this look was explained, nothing else has changed."""
    match = followed.match
    evidence = Evidence(seen, visible(match.game.layout(match.state)), (), strictness)
    told = frozenset().union(*(standing.cells for standing in followed.standings if standing.why is not Why.MISREAD))
    fresh = {cell: habit for cell, habit in evidence.habits().items() if cell not in told}
    return replace(followed, habits=followed.habits.with_looks(fresh))


def _after(followed: Followed, ruling: Ruling) -> Followed:
    """How things stand once a ruling counts."""
    match ruling:
        case Accepted(verdict=verdict, then=then):
            followed = followed.played(verdict.move)
            for second in then:
                followed = followed.played(second.move)
            return followed
        case Refused(put_right=put_right):
            return followed.with_standing(Why.REFUSED, put_right)
        case Restored(standing=standing):
            return followed.without(standing)
        case TakenBack():
            return followed.undone()
        case Reread(index=index, move=move):
            return followed.corrected(index, move)[0]
        case Unclear(candidates=candidates, differences=differences):
            if candidates:
                return replace(followed, asked=cells_of(differences))
            return followed.with_standing(Why.DOUBT, differences)
        case Unchanged() | Partway():
            return followed


def _patiently(
    followed: Followed, ruling: Ruling, before: Suspicion | None, taken_ns: int, patience: Patience
) -> tuple[Followed, Ruling]:
    """The ruling if it has lasted, else `Partway` and a suspicion. A foul that lasted becomes a refusal."""
    if not isinstance(ruling, TakenBack | Reread | Unclear | Refused | Accepted):
        return followed, ruling
    if before is None or not before.is_same(ruling):
        return replace(followed, suspicion=Suspicion(ruling, taken_ns)), Partway()
    is_strange = isinstance(ruling, Refused) or (isinstance(ruling, Unclear) and not ruling.candidates)
    if (taken_ns - before.since_ns) / 1e6 < (patience.strange_ms if is_strange else patience.again_ms):
        return replace(followed, suspicion=before), Partway()
    if isinstance(ruling, Unclear) and ruling.candidates and cells_of(ruling.differences) == followed.asked:
        return replace(followed, suspicion=before), Partway()
    if isinstance(ruling, Unclear) and not ruling.candidates and ruling.foul is not None:
        return followed, Refused(ruling.foul, ruling.differences)
    return followed, ruling
