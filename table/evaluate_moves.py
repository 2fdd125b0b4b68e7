"""Replay lines held against the truth: moves, alarms, reasons, turns, questions, the score, time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from table.evaluate_cells import Line, Share
from table.evaluate_truth import TruePicture

NOT_ONE = Share()


@dataclass(frozen=True, slots=True)
class Slip:
    """Something that was said otherwise than it was. `what` is missed, invented, false alarm, missed alarm, wrong
    reason, not restored or wrong score."""

    frame: str
    what: str
    truth: str
    said: str


@dataclass(frozen=True, slots=True)
class ReplayFigures:
    """What the referee said of a game, or of many.

    `moves`: legal actions accepted as they were played, of all; `late` of these were accepted at a later picture,
    and `corrected` were first taken for another. `invented`: accepted, but not played. `alarms`: illegal actions
    refused before they were put right; `reasons`: with the right reason first, of those refused. `false_alarms`
    were told while nothing wrong lay there, or twice. `turns`: pictures after which the side to move is right.
    """

    games: int = 0
    moves: Share = NOT_ONE
    late: int = 0
    corrected: int = 0
    invented: int = 0
    alarms: Share = NOT_ONE
    reasons: Share = NOT_ONE
    false_alarms: int = 0
    restored: Share = NOT_ONE
    questions: int = 0
    turns: Share = NOT_ONE
    scores: Share = NOT_ONE
    slips: tuple[Slip, ...] = ()
    ms: tuple[float, ...] = ()

    @property
    def missed(self) -> int:
        """Legal actions that were never accepted."""
        return self.moves.of - self.moves.right

    @property
    def missed_alarms(self) -> int:
        """Illegal actions about which nothing was said in time."""
        return self.alarms.of - self.alarms.right

    def plus(self, other: ReplayFigures) -> ReplayFigures:
        """Both together."""
        return ReplayFigures(
            self.games + other.games, self.moves.plus(other.moves), self.late + other.late,
            self.corrected + other.corrected, self.invented + other.invented, self.alarms.plus(other.alarms),
            self.reasons.plus(other.reasons), self.false_alarms + other.false_alarms,
            self.restored.plus(other.restored), self.questions + other.questions, self.turns.plus(other.turns),
            self.scores.plus(other.scores), self.slips + other.slips, self.ms + other.ms,
        )


@dataclass(frozen=True, slots=True)
class _Said:
    """One accepted action: at which picture it was (first) accepted, and as what."""

    at: int
    frame: str
    move: Mapping[str, Any]


def replay_figures(truths: Sequence[TruePicture], lines: Iterable[Line]) -> ReplayFigures:
    """The figures of one game. Lines are in the order in which they were said."""
    told = list(lines)
    index_of = {truth.frame: i for i, truth in enumerate(truths)}
    placed = [(index_of[str(line["frame"])], line) for line in told if line.get("frame") in index_of]
    accepted, corrected = _accepted(placed)
    moves = _moves(truths, accepted)
    alarms = _alarms(truths, [(at, line) for at, line in placed if line["said"] == "refused"])
    right_restored, missed_restored = _restored(truths, {at for at, line in placed if line["said"] == "restored"})
    scores, score_slips = _scores(truths, told)
    times: dict[int, float] = {}
    for at, line in placed:
        if line.get("ms") is not None:
            times.setdefault(at, float(line["ms"]))
    return ReplayFigures(
        1, moves.moves, moves.late, corrected, moves.invented, alarms.alarms, alarms.reasons, alarms.false_alarms,
        right_restored, sum(line["said"] == "unclear" for _, line in placed), _turns(truths, placed), scores,
        moves.slips + alarms.slips + missed_restored + score_slips, tuple(times.values()),
    )


def _accepted(placed: Sequence[tuple[int, Line]]) -> tuple[list[_Said], int]:
    """The accepted actions as they stood in the end, and how many of them had first been taken for others."""
    accepted: list[_Said] = []
    corrected = 0
    for at, line in placed:
        if line["said"] == "accepted":
            accepted.append(_Said(at, str(line["frame"]), line.get("move") or {}))
        change = line.get("corrected")
        if isinstance(change, Mapping) and 0 <= int(change.get("index", -1)) < len(accepted):
            index = int(change["index"])
            move = {key: value for key, value in change.items() if key != "index"}
            accepted[index] = _Said(accepted[index].at, accepted[index].frame, move)
            corrected += 1
    return accepted, corrected


def same_move(true: Mapping[str, Any], said: Mapping[str, Any]) -> bool:
    """Whether everything that the truth tells of a move was said; squares turned in any order."""
    for key, value in true.items():
        other = said.get(key)
        if isinstance(value, list):
            if sorted(value) != sorted(other or []):
                return False
        elif value != other:
            return False
    return True


def _moves(truths: Sequence[TruePicture], accepted: Sequence[_Said]) -> ReplayFigures:
    """The longest way to pair actions played with actions accepted, in order, none accepted before it was played."""
    played = [(i, truth) for i, truth in enumerate(truths) if truth.verdict == "legal"]
    n, m = len(played), len(accepted)
    fits = [[at <= said.at and same_move(truth.move, said.move) for said in accepted] for at, truth in played]
    best = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + 1 if fits[i][j] else 0)
    slips: list[Slip] = []
    i = j = late = 0
    while i < n or j < m:
        if i < n and j < m and fits[i][j] and best[i][j] == best[i + 1][j + 1] + 1:
            late += accepted[j].at > played[i][0]
            i, j = i + 1, j + 1
        elif j == m or (i < n and best[i][j] == best[i + 1][j]):
            slips.append(Slip(played[i][1].frame, "missed", move_text(played[i][1].move), ""))
            i += 1
        else:
            slips.append(Slip(accepted[j].frame, "invented", "", move_text(accepted[j].move)))
            j += 1
    right = best[0][0]
    return ReplayFigures(moves=Share(right, n), late=late, invented=m - right, slips=tuple(slips))


def _alarms(truths: Sequence[TruePicture], refused: Sequence[tuple[int, Line]]) -> ReplayFigures:
    """Each refusal against the illegal action that lay there then."""
    standing = _standing(truths)
    first: dict[int, Line] = {}
    slips: list[Slip] = []
    false_alarms = 0
    for at, line in refused:
        foul = standing[at]
        if foul is None or foul in first:
            false_alarms += 1
            slips.append(Slip(truths[at].frame, "false alarm", "", _reasons_text(line)))
        else:
            first[foul] = line
    fouls = [i for i, truth in enumerate(truths) if truth.verdict == "illegal"]
    right_reasons = 0
    for foul in fouls:
        wanted = str(truths[foul].move.get("reason", ""))
        if foul not in first:
            slips.append(Slip(truths[foul].frame, "missed alarm", wanted, ""))
        elif _reason(first[foul]) == wanted and _is_same_square(truths[foul].move, first[foul]):
            right_reasons += 1
        else:
            slips.append(Slip(truths[foul].frame, "wrong reason", move_text(truths[foul].move),
                              _reasons_text(first[foul])))
    return ReplayFigures(alarms=Share(len(first), len(fouls)), reasons=Share(right_reasons, len(first)),
                         false_alarms=false_alarms, slips=tuple(slips))


def _standing(truths: Sequence[TruePicture]) -> list[int | None]:
    """For each picture, the picture of the illegal action that still lies there."""
    out: list[int | None] = []
    foul: int | None = None
    for i, truth in enumerate(truths):
        if truth.verdict == "illegal":
            foul = i
        elif truth.verdict in ("restored", "legal"):
            foul = None
        out.append(foul)
    return out


def _reason(line: Line) -> str:
    reasons = line.get("reasons") or ()
    return str(reasons[0]) if reasons else ""


def _reasons_text(line: Line) -> str:
    move = line.get("move") or {}
    at = move.get("square", move.get("slot", ""))
    return f"{', '.join(str(code) for code in line.get('reasons') or ())} {at}".strip()


def _is_same_square(true: Mapping[str, Any], line: Line) -> bool:
    """Whether the refusal names the right square or slot, if it names one."""
    said = line.get("move") or {}
    return all(said.get(key) is None or true.get(key) is None or said[key] == true[key] for key in ("square", "slot"))


def _restored(truths: Sequence[TruePicture], said_at: set[int]) -> tuple[Share, tuple[Slip, ...]]:
    """Whether putting right was noticed, before anything else was played."""
    right, slips, of = 0, [], 0
    for i, truth in enumerate(truths):
        if truth.verdict != "restored":
            continue
        of += 1
        end = next((k for k in range(i + 1, len(truths)) if truths[k].verdict), len(truths))
        if any(k in said_at for k in range(i, end)):
            right += 1
        else:
            slips.append(Slip(truth.frame, "not restored", "restored", ""))
    return Share(right, of), tuple(slips)


def _turns(truths: Sequence[TruePicture], placed: Sequence[tuple[int, Line]]) -> Share:
    last: dict[int, str] = {}
    for at, line in placed:
        if line.get("to_move"):
            last[at] = str(line["to_move"])
    asked = [i for i, truth in enumerate(truths) if truth.to_move]
    return Share(sum(last.get(i) == truths[i].to_move for i in asked), len(asked))


def _scores(truths: Sequence[TruePicture], lines: Sequence[Line]) -> tuple[Share, tuple[Slip, ...]]:
    """The final score, of a game that ended."""
    wanted = next((truth for truth in reversed(truths) if truth.scores is not None), None)
    said = next((line.get("scores") for line in reversed(lines) if line.get("said") == "over"), None)
    if wanted is None:
        return Share(), ()
    if said is not None and dict(said) == wanted.scores:
        return Share(1, 1), ()
    return Share(0, 1), (Slip(wanted.frame, "wrong score", str(wanted.scores), str(said)),)


def move_text(move: Mapping[str, Any]) -> str:
    """A move as short words.

    >>> move_text({"kind": "drop", "seat": "west", "square": "d7", "turned": ["c7"]})
    'drop west d7 turning c7'
    """
    words = [str(move[key]) for key in ("kind", "reason", "seat", "colour", "size", "square", "slot") if move.get(key)]
    if isinstance(face := move.get("face"), Mapping):
        gives = "".join(f"{face[key]}{key[0]}" for key in ("inhabitants", "energy", "vp") if face.get(key))
        words += [word for word in (str(face["type"]), gives, "mayor" if face.get("mayor") else "") if word]
    turned = ["turning", *move["turned"]] if move.get("turned") else []
    return " ".join([*words, *turned])
