"""The referee asks one question: which action would make the table look like this?

`rule` is pure. It weighs every legal action, two quick ones, an action half done, the last
one taken back or slid on, and what the rules can guess of a mistake (`table.hypotheses`),
and says what it believes, or what it would have to ask.

Three rules of caution, from the field reports:
- A weak reading never refuses; a false alarm costs more than a late one.
- A cell that is misread, once or for good, blocks no action elsewhere (W1).
- Under an arm nothing is committed that the arm could hide.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rules.game import Move, Verdict
from rules.match import Match
from rules.words import Cell, Change, Layout
from table.evidence import SETTLED, Evidence, Strictness
from table.habits import NO_HABITS, Habits
from table.hypotheses import (
    Again,
    Box,
    Legal,
    Mistake,
    Part,
    Visible,
    agains,
    legal_ones,
    mistakes,
    pairs,
    parts,
    wants,
)
from table.seen import Seen, Standing, Why


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The table looks as the match says, as far as can be told."""


@dataclass(frozen=True, slots=True)
class Partway:
    """Something is under way: an action half done (`missing` is the rest), or a change not yet sure."""

    move: Move | None = None
    missing: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Accepted:
    """A legal action; `then` is a second one done before anybody looked. `may_continue`: a longer one fits too.
    `is_weak`: hardly seen."""

    verdict: Verdict
    may_continue: bool = False
    then: tuple[Verdict, ...] = ()
    is_weak: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """Not legal, and surely seen. `put_right`: from what stands there to what must."""

    verdict: Verdict
    put_right: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Restored:
    """What was refused or not understood looks as it must again."""

    standing: Standing


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The last action was put back on the table."""

    move: Move


@dataclass(frozen=True, slots=True)
class Reread:
    """Action number `index` of the match was really `move`: slid on, or read wrong before."""

    index: int
    move: Move


@dataclass(frozen=True, slots=True)
class Candidate:
    """One reading of an unclear table: the actions in order (legal or not), none for "nothing was done"."""

    moves: tuple[Move, ...]
    probability: float
    cells: tuple[Cell, ...]
    legal: bool = True


@dataclass(frozen=True, slots=True)
class Unclear:
    """Two readings are close (`candidates`, likeliest first), or none fits what is surely different.

    Without candidates it is worth a word only when it lasts; `foul` is then what the rules make of it, if anything.
    `differences`: from what stands there to what must.
    """

    candidates: tuple[Candidate, ...]
    differences: tuple[Change, ...]
    foul: Verdict | None = None


Ruling = Unchanged | Partway | Accepted | Refused | Restored | TakenBack | Reread | Unclear


def rule(
    match: Match,
    seen: Seen,
    visible: Visible,
    standings: Sequence[Standing] = (),
    strictness: Strictness = SETTLED,
    box: Box | None = None,
    habits: Habits = NO_HABITS,
) -> Ruling:
    """What one settled look means for the match. `standings` have been told already and are no news;
    `box`, where it is known, is the set of pieces at this table; `habits` is how cells were misread so far."""
    now = visible(match.game.layout(match.state))
    restored = _restored(seen, now, standings)
    if restored is not None:
        return Restored(restored)
    evidence = Evidence(seen, now, standings, strictness, habits)
    if not evidence.moved and not evidence.told:
        return Unchanged()
    if seen.hand:
        return _under_a_hand(match, evidence, visible, strictness)
    legal = sorted(legal_ones(match, evidence, visible), key=lambda one: -one.rank)
    if _unexplained(evidence, legal):
        legal = sorted([*legal, *pairs(match, evidence, visible, strictness)], key=lambda one: -one.rank)
    other = max(parts(match, evidence, visible, strictness), key=lambda one: one.weight, default=None)
    again = max(agains(match, evidence, visible, strictness), key=lambda one: one.weight, default=None)
    wrong = sorted(mistakes(match, evidence, visible, strictness, box), key=lambda one: -one.weight)
    return _decide(match, evidence, legal, other, again, wrong, visible, strictness)


def _restored(seen: Seen, now: Layout, standings: Sequence[Standing]) -> Standing | None:
    """A refusal or doubt whose every cell looks as the match says, rather surely."""
    for standing in standings:
        if standing.why in (Why.CORRECTED, Why.MISREAD):
            continue
        if not all(seen.cells.get(cell) and seen.looks_like(cell, now.pieces.get(cell)) for cell in standing.cells):
            continue
        likely = sum(seen.probability(cell, now.pieces.get(cell)) for cell in standing.cells) / len(standing.cells)
        # A piece that is hard to read is hard to read before and after: then it must look less like what was told.
        gone = all(
            seen.probability(cell, now.pieces.get(cell)) > 2 * seen.probability(cell, look)
            for cell, look in standing.looks
        )
        if likely > 0.6 or (gone and likely > 0.4):
            return standing
    return None


def _unexplained(evidence: Evidence, legal: Sequence[Legal]) -> bool:
    """Whether the best single action leaves something that surely looks different."""
    explained = {c.cell for c in legal[0].changes if evidence.gain(c.cell, c.after) > 0} if legal else set()
    return bool(set(evidence.moved) - explained)


def _cells(changes: Sequence[Change]) -> frozenset[Cell]:
    return frozenset(change.cell for change in changes)


def _decide(
    match: Match,
    evidence: Evidence,
    legal: Sequence[Legal],
    part: Part | None,
    again: Again | None,
    wrong: Sequence[Mistake],
    visible: Visible,
    strictness: Strictness,
) -> Ruling:
    best = legal[0] if legal else None
    weight = best.weight if best else 0.0
    if best is not None and weight >= strictness.accept:
        wrong = [one for one in wrong if not one.is_foul]
    if best is not None:
        beside = [m.weight - strictness.both_cost for m in wrong if not _cells(m.changes) & _cells(best.changes)]
        weight += max(0.0, *beside, 0.0)
    mistake = next((m for m in wrong if best is None or _cells(m.changes) & _cells(best.changes)),
                   wrong[0] if wrong and weight < strictness.accept else None)
    ranked: list[tuple[float, Legal | Part | Again | Mistake]] = []
    if best is not None:
        ranked.append((weight, best))
    ranked += [(one.weight, one) for one in (part, again, mistake) if one is not None]
    believable = [(w, one) for w, one in ranked
                  if w >= (strictness.refuse if isinstance(one, Mistake) else strictness.accept)]
    if not believable:
        return Partway() if legal else _strange(evidence, strictness)
    top_weight, top = max(believable, key=lambda pair: pair[0])
    rivals = [(w, one) for w, one in ranked if one is not top and top_weight - w < strictness.close_wrong]
    match top:
        case Legal():
            return _legal(match, evidence, top, legal, rivals, visible, strictness)
        case Part(move=move, missing=missing):
            return Partway(move, missing)
        case Again():
            return _again(match, evidence, top, strictness)
        case Mistake():
            if any(isinstance(one, Legal | Again) for _, one in rivals):
                return _unclear(evidence, [top, *(one for _, one in rivals if isinstance(one, Legal))])
            put_right = tuple(Change(c.cell, c.after, c.before) for c in top.changes)
            return Unclear((), put_right, top.verdict) if top.is_foul else Refused(top.verdict, put_right)


def _legal(
    match: Match,
    evidence: Evidence,
    best: Legal,
    legal: Sequence[Legal],
    rivals: Sequence[tuple[float, Legal | Part | Again | Mistake]],
    visible: Visible,
    strictness: Strictness,
) -> Ruling:
    # Once the next action has been done, what is doubtful of the first is decided for the likelier: nobody can be
    # asked in time, and a wrong guess mends itself.
    is_past = len(best.verdicts) > 1
    others = [one for one in legal if one is not best and best.rank - one.rank < strictness.close
              and one.changes != best.changes and not _contains(best, one)
              and not (is_past and _cells(one.changes) == _cells(best.changes))]
    same = [one for one in legal[1:] if len(best.verdicts) > 1 and len(one.verdicts) > 1
            and _as_set(one) == _as_set(best)]
    less = next((one for one in legal if len(one.verdicts) == 1 and _as_set(one) < _as_set(best)), None)
    if less is not None and best.weight - less.weight < strictness.accept:
        best = less
    close: list[Legal | Mistake] = [*others, *same, *(one for _, one in rivals if isinstance(one, Mistake))]
    if close:
        return _unclear(evidence, [best, *close])
    longer = len(best.verdicts) == 1 and any(
        set(best.changes) < set(changes) for _, changes in wants(match.game, match.state, visible)
    )
    is_weak = best.weight < strictness.firm and any(
        evidence.alike(change.cell, change.after) < strictness.hardly for change in best.changes)
    return Accepted(best.verdicts[0], longer, best.verdicts[1:], is_weak)


def _as_set(one: Legal) -> frozenset[Change]:
    return frozenset(one.changes)


def _contains(one: Legal, other: Legal) -> bool:
    """Whether one is the other and more, so that they do not contradict each other."""
    a, b = _as_set(one), _as_set(other)
    return a < b or b < a


def _again(match: Match, evidence: Evidence, again: Again, strictness: Strictness) -> Ruling:
    unsure = [c for c in again.changes if c.cell in evidence.moved and not evidence.is_sure(c.cell)]
    if unsure:
        return Partway()
    if again.move is None:
        return TakenBack(match.plays[again.index].move)
    return Reread(again.index, again.move)


def _strange(evidence: Evidence, strictness: Strictness) -> Ruling:
    """Nothing explains it: a difference that is sure is worth a word in time, a weak one is not."""
    cells = [c for c, gain in evidence.moved.items() if gain >= strictness.clear and evidence.is_sure(c)]
    if not cells:
        return Partway() if evidence.moved else Unchanged()
    return Unclear((), tuple(Change(c, evidence.best(c), evidence.now.pieces.get(c)) for c in sorted(cells)))


def _unclear(evidence: Evidence, ones: Sequence[Legal | Mistake]) -> Unclear:
    """The two or three likeliest, and nothing, with their probabilities among each other."""
    kept = sorted(ones, key=lambda one: -one.weight)[:3]
    total = sum(math.exp(one.weight - kept[0].weight) for one in kept)
    candidates = tuple(
        Candidate(
            tuple(v.move for v in one.verdicts) if isinstance(one, Legal) else (one.verdict.move,),
            math.exp(one.weight - kept[0].weight) / total,
            tuple(sorted(_cells(one.changes))),
            isinstance(one, Legal),
        )
        for one in kept
    )
    cells = sorted({cell for one in kept for cell in _cells(one.changes)} & set(evidence.moved))
    return Unclear(candidates, tuple(Change(c, evidence.best(c), evidence.now.pieces.get(c)) for c in cells))


def _under_a_hand(match: Match, evidence: Evidence, visible: Visible, strictness: Strictness) -> Ruling:
    """With an arm in the picture only an action that is seen whole, surely, and away from the arm is committed."""
    near = {
        Cell(cell.col + dc, cell.row + dr, cell.level, cell.zone)
        for cell in evidence.seen.hidden for dc in (-1, 0, 1) for dr in (-1, 0, 1)
    }
    if any(cell in near or cell.zone != "board" for cell in evidence.moved) or not evidence.seen.hidden:
        return Partway()
    legal = sorted(legal_ones(match, evidence, visible), key=lambda one: -one.weight)
    if not legal or legal[0].weight < strictness.hand_accept or _unexplained(evidence, legal):
        return Partway()
    best = legal[0]
    if any(c.cell in near or c.cell not in evidence.seen.cells for c in best.changes):
        return Partway(best.verdicts[0].move)
    if any(best.weight - one.weight < strictness.hand_accept for one in legal[1:]):
        return Partway()
    return Accepted(best.verdicts[0])
