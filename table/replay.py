"""A folder of a game, picture by picture: what the referee says at each, in the words of scenes/FORMAT.md.

Every picture is a settled look of its own. The truth beside the pictures is never opened.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rules.game import Move, Verdict
from rules.gridlock.moves import turned_by
from rules.gridlock.state import CELLS, INDEX, LIE, State
from rules.match import Match
from rules.words import Cell, Seat, seat_name
from table.errors import BadFolder
from table.evidence import SETTLED
from table.following import Followed, look
from table.hypotheses import Box, Visible
from table.opening import box_of, opened
from table.referee import Accepted, Partway, Refused, Reread, Restored, Ruling, TakenBack, Unchanged, Unclear
from table.replay_line import ReplayLine
from table.seen import Seen
from table.setup_folder import read_setup
from table.watcher import Watcher
from vision.frame import Frame, read_picture
from vision.kits.gridlock import GridlockKit
from vision.observation import BoardState, Observation

PERIOD_NS = 1_000_000_000
"""Pictures of a folder count as so far apart; nothing is decided by it."""

LAST_LOOK = replace(SETTLED, firm=0.0)


def replay_folder(
    folder: Path,
    watcher: Watcher | None = None,
    clock_ns: Callable[[], int] = time.perf_counter_ns,
) -> Iterator[ReplayLine]:
    """What is said at each picture of a `game` folder. Without a `watcher` the folder's own reader is built.

    Raises `BadFolder`, and `vision.frame.BadPicture` at a picture that cannot be read.
    """
    setup = read_setup(folder)
    if setup.kind != "game":
        raise BadFolder(f"{folder}: wanted a folder of kind game, found {setup.kind}: use `overboard read` for it")
    if setup.game == "quadropolis":
        from table.city_replay import replay_city

        yield from replay_city(setup, clock_ns)
        return
    if watcher is None:
        from table.reading import watcher_for_folder

        watcher = watcher_for_folder(setup)
    replay = Replay(opened(setup), GridlockKit(setup.square_mm or 50.0).visible)
    for seq, name in enumerate(setup.frames):
        began = clock_ns()
        frame = Frame(seq, seq * PERIOD_NS, read_picture(folder / name), "replay")
        observation = watcher.observe(frame)
        lines = replay.lines(name, observation, is_last=name == setup.frames[-1])
        ms = (clock_ns() - began) / 1e6
        for line in lines:
            yield _timed(line, ms)
    if (over := replay.over()) is not None:
        yield over


def _timed(line: ReplayLine, ms: float) -> ReplayLine:
    return ReplayLine(line.frame, line.said, line.move, line.reasons, line.to_move, ms, also=line.also)


class Replay:
    """The story of one folder: observations in, lines out. Also for tests that script the observations."""

    def __init__(self, match: Match, visible: Visible) -> None:
        self._followed = Followed(match)
        self._visible = visible
        self._box: Box = box_of(match.game, match.setup)

    @property
    def match(self) -> Match:
        return self._followed.match

    def lines(self, name: str, observation: Observation, is_last: bool = False) -> list[ReplayLine]:
        """What is said at one picture: at least one line. Of the last one also what is hardly read counts: no other
        look will tell."""
        to_move = self._to_move(self._followed)
        if observation.board is BoardState.LOST:
            return [ReplayLine(name, "no_board", to_move=to_move, also={"why": observation.why})]
        out: list[ReplayLine] = []
        if observation.board is BoardState.MOVED:
            out.append(ReplayLine(name, "moved_board", to_move=to_move))
        seen = Seen.of(observation)
        before = self._followed
        self._followed, rulings = look(before, seen, self._visible, LAST_LOOK if is_last else SETTLED, self._box)
        for ruling, after in rulings:
            out.extend(self._lines_of(name, ruling, before, after))
            before = after
        if len(out) > 1:
            out = [line for line in out if line.said not in ("unchanged", "partway") or line.also]
        return out or [ReplayLine(name, "unchanged", to_move=self._to_move(self._followed))]

    def over(self) -> ReplayLine | None:
        """The last line, if the match has ended."""
        match = self.match
        outcome = match.game.outcome(match.state)
        if outcome is None:
            return None
        scores = {seat_name(seat): 0 for seat, _ in match.setup.colours}
        for line in match.game.score(match.state):
            scores[seat_name(line.seat)] += line.points
        return ReplayLine("", "over", scores=scores, winners=tuple(seat_name(seat) for seat in outcome.winners))

    def _to_move(self, followed: Followed) -> str:
        """Who acts next; after the last action, whose turn would have come."""
        match = followed.match
        seat = match.game.to_move(match.state)
        if seat is None:
            seats = [s for s, _ in match.setup.colours]
            seat = seats[(seats.index(match.plays[-1].move.seat) + 1) % len(seats)] if match.plays else seats[0]
        return seat_name(seat)

    def _lines_of(
        self, name: str, ruling: Ruling, before: Followed, after: Followed
    ) -> list[ReplayLine]:
        to_move = self._to_move(after)
        match ruling:
            case Accepted(verdict=verdict, then=then):
                out = []
                match_then = before.match
                for one in (verdict, *then):
                    told = told_move(match_then, one.move, self._visible)
                    before = before.played(one.move)
                    match_then = before.match
                    out.append(ReplayLine(name, "accepted", told, to_move=self._to_move(before)))
                return out
            case Refused(verdict=verdict):
                return [self._refused(name, before, verdict, to_move)]
            case Restored():
                return [ReplayLine(name, "restored", {"kind": "restore"}, to_move=to_move)]
            case TakenBack(move=move):
                told = told_move(after.match, move, self._visible)
                return [ReplayLine(name, "undone", told, to_move=to_move)]
            case Reread(index=index, move=move):
                earlier = before.match.undone(len(before.match.plays) - index)
                told = told_move(earlier, move, self._visible)
                return [ReplayLine(name, "unchanged", to_move=to_move, also={"corrected": {"index": index, **told}})]
            case Partway(missing=missing):
                said = "partway" if missing else "unchanged"
                return [ReplayLine(name, said, to_move=to_move)]
            case Unchanged():
                return [ReplayLine(name, "unchanged", to_move=to_move)]
            case Unclear():
                return [self._unclear(name, ruling, after, to_move)]

    def _refused(self, name: str, before: Followed, verdict: Verdict, to_move: str) -> ReplayLine:
        told = told_move(before.match, verdict.move, self._visible)
        if verdict.move.piece is not None and verdict.move.piece.colour:
            told["colour"] = str(verdict.move.piece.colour)
        codes = tuple(reason.code for reason in verdict.reasons)
        return ReplayLine(name, "refused", {**told, "reason": codes[0]}, codes, to_move)

    def _unclear(self, name: str, unclear: Unclear, after: Followed, to_move: str) -> ReplayLine:
        told = [[told_move(after.match, move, self._visible) for move in one.moves] for one in unclear.candidates]
        chances = [round(one.probability, 3) for one in unclear.candidates]
        cells = [GridlockKit().cell_name(change.cell) for change in unclear.differences]
        also = {"candidates": told, "probabilities": chances, "differs": cells}
        return ReplayLine(name, "unclear", to_move=to_move, also=also)


def told_move(match: Match, move: Move, visible: Visible) -> dict[str, Any]:
    """A move in the words of the files, as the truth has them."""
    kit = GridlockKit()
    told: dict[str, Any] = {"kind": move.verb, "seat": seat_name(Seat(move.seat))}
    if move.verb == "pass":
        return told
    at = move.target or move.source
    if at is not None:
        told["square"] = kit.cell_name(at)
    if move.piece is not None and move.verb != "drop":
        told["size"] = move.piece.kind
    if move.verb == "drop" and match.game.judge(match.state, move).legal:
        told["turned"] = sorted(kit.cell_name(cell) for cell in _in_reach(match, move))
    return told


def _in_reach(match: Match, move: Move) -> list[Cell]:
    """The fallen pieces that a drop turns, those that already point that way included (as the truth counts them).

    A piece that would be turned from any other facing is one of them: so each is asked about, pointing elsewhere.
    """
    state, target = match.state, move.target
    if not isinstance(state, State) or target is None:
        return []
    board = bytearray(state.board)
    for index, code in enumerate(board):
        if LIE[code] > 0:
            board[index] = code - LIE[code] + 1 + (int(move.seat) + 2) % 4
    return [CELLS[i] for i in turned_by(bytes(board), INDEX[target], move.seat, state.table.readings)]
