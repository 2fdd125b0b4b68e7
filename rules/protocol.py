"""The rules over lines of JSON: a request in, an answer out, so that nobody needs Python to use them.

Requests: new, load, actions, judge, play, undo, state, score, perft, options. An answer always comes:
`{"ok": true, ...}`, or `{"ok": false, "faults": [...]}` with codes and sentences; a bad line ends nothing.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from rules.catalogue import SPEECHES
from rules.game import (
    AnyGame,
    Fault,
    IllegalMove,
    ImpossibleState,
    Move,
    NotationError,
    Reason,
    SetupError,
)
from rules.words import seat_name

Answer = dict[str, Any]


class LinesOut(Protocol):
    """Where answers go: standard output, or anything like it."""

    def write(self, text: str, /) -> object: ...

    def flush(self) -> object: ...


class _Refused(Exception):
    """A request that cannot be answered as asked; its faults are the answer."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.fault = Fault(code, (), text)


def perft(game: AnyGame, state: Any, depth: int) -> int:
    """How many sequences of `depth` actions there are from a position; a measure of the rules themselves.

    >>> from rules.catalogue import game_named
    >>> from rules.gridlock.speech import setup_for
    >>> from rules.words import SEATS
    >>> gridlock = game_named("gridlock")
    >>> perft(gridlock, gridlock.start(setup_for(SEATS)), 1)
    192
    """
    return _leaves(game, state, depth, {})


PERFT_KEPT = 300_000
"""How many positions `perft` remembers: many orders of the same actions lead to the same one."""


def _leaves(game: AnyGame, state: Any, depth: int, known: dict[tuple[int, Any], int]) -> int:
    if depth == 0:
        return 1
    count = known.get((depth, state))
    if count is None:
        if depth == 1:
            count = sum(1 for _ in game.moves(state))
        else:
            count = sum(_leaves(game, game.play(state, move), depth - 1, known) for move in game.moves(state))
        if len(known) < PERFT_KEPT:
            known[(depth, state)] = count
    return count


class Conversation:
    """One client's position and how it came there."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self.speech = SPEECHES[game.facts.name]
        self.states: list[Any] = []
        self.ops: dict[str, Callable[[Mapping[str, Any]], Answer]] = {
            "new": self._new,
            "load": self._load,
            "actions": self._actions,
            "judge": self._judge,
            "play": self._play,
            "undo": self._undo,
            "state": self._state,
            "score": self._score,
            "perft": self._perft,
            "options": self._options,
        }

    def answer(self, line: str | bytes) -> str:
        """The answer to one line, as a line without its end. Never raises for what the line says."""
        return json.dumps(self._answered(line), ensure_ascii=True, separators=(", ", ": "))

    def _answered(self, line: str | bytes) -> Answer:
        try:
            request = json.loads(line)
        except (ValueError, RecursionError) as error:
            return _faulty([Fault("not-json", (), f"wanted a line of JSON, found none ({error}): correct the line")])
        if not isinstance(request, Mapping):
            return _faulty([Fault("bad-request", (), 'wanted an object like {"op": "state"}: write one')])
        op = request.get("op")
        if not isinstance(op, str) or op not in self.ops:
            return _faulty([Fault("unknown-op", (), f"wanted op to be {', '.join(self.ops)}, found {op!r}: name one")])
        try:
            return self.ops[op](request)
        except (SetupError, ImpossibleState) as error:
            return _faulty(error.faults)
        except _Refused as refused:
            return _faulty([refused.fault])
        except RecursionError:
            return _faulty([Fault("too-deep", (), "wanted a request of usual depth, found a deeper one: shorten it")])

    def _now(self) -> Any:
        if not self.states:
            raise _Refused("no-state", "wanted a position, found none: send new or load first")
        return self.states[-1]

    def _shown(self) -> Answer:
        return {"ok": True, "state": dict(self.game.dump(self._now()))}

    def _is_over(self) -> bool:
        return self.game.to_move(self._now()) is None

    def _new(self, request: Mapping[str, Any]) -> Answer:
        self.states = [self.game.start(self.speech.setup(request))]
        return self._shown()

    def _load(self, request: Mapping[str, Any]) -> Answer:
        saved, beside = request.get("state"), request.get("options")
        if isinstance(saved, Mapping) and beside is not None:
            within = saved.get("options", {})
            if not isinstance(beside, Mapping):
                saved = {**saved, "options": beside}
            elif isinstance(within, Mapping):
                saved = {**saved, "options": {**within, **beside}}
        self.states = [self.game.load(saved)]  # type: ignore[arg-type]  # load refuses what is no mapping
        return self._shown()

    def _actions(self, request: Mapping[str, Any]) -> Answer:
        moves = self.game.moves(self._now())
        return {"ok": True, "actions": [{"text": self.game.write(m), **self.speech.action(m)} for m in moves]}

    def _move(self, request: Mapping[str, Any]) -> Move | Reason:
        """The move asked about, or the reason that it cannot be read."""
        action = request.get("action")
        try:
            if isinstance(action, str):
                return self.game.read(action, self._now())
            if isinstance(action, Mapping):
                return self.speech.move(action, self._now())
        except NotationError:
            return Reason("unreadable")
        return Reason("unreadable")

    def _reasons(self, reasons: Iterable[Reason]) -> list[Answer]:
        return [
            {"code": r.code, "at": _at([self.speech.name(c) for c in r.cells]), "text": self.game.say(r)}
            for r in reasons
        ]

    def _judge(self, request: Mapping[str, Any]) -> Answer:
        state, move = self._now(), self._move(request)
        reasons = (move,) if isinstance(move, Reason) else self.game.judge(state, move).reasons
        return {"ok": True, "legal": not reasons, "reasons": self._reasons(reasons)}

    def _play(self, request: Mapping[str, Any]) -> Answer:
        state, move = self._now(), self._move(request)
        if isinstance(move, Reason):
            return {"ok": False, "reasons": self._reasons([move])}
        try:
            self.states.append(self.game.play(state, move))
        except IllegalMove:
            return {"ok": False, "reasons": self._reasons(self.game.judge(state, move).reasons)}
        return {**self._shown(), "over": self._is_over()}

    def _undo(self, request: Mapping[str, Any]) -> Answer:
        self._now()
        if len(self.states) < 2:
            raise _Refused("nothing-to-undo", "wanted an action to take back, found none: play one first")
        self.states.pop()
        return self._shown()

    def _state(self, request: Mapping[str, Any]) -> Answer:
        outcome = self.game.outcome(self._now())
        winners = [] if outcome is None else [seat_name(seat) for seat in outcome.winners]
        return {**self._shown(), "over": self._is_over(), "winners": winners}

    def _score(self, request: Mapping[str, Any]) -> Answer:
        state, best = self._now(), request.get("best")
        if best is not None and not isinstance(best, bool):
            raise _Refused("bad-value", f"wanted best to be true or false, found {best!r:.40}: write one, or leave it")
        if best is not None:
            state = self.speech.as_scored(state, best)
        scores: dict[str, dict[str, int]] = {}
        for seat in self.game.hands(state):
            scores[seat_name(seat)] = {"total": 0, **dict.fromkeys(self.speech.parts(), 0)}
        lines = []
        for line in self.game.score(state):
            theirs = scores.setdefault(seat_name(line.seat), {"total": 0})
            part = self.speech.part(line.label)
            theirs["total"] += line.points
            theirs[part] = theirs.get(part, 0) + line.points
            at = [self.speech.name(cell) for cell in line.cells]
            lines.append({"seat": seat_name(line.seat), "label": line.label, "points": line.points, "at": at})
        return {"ok": True, "scores": scores, "lines": lines}

    def _perft(self, request: Mapping[str, Any]) -> Answer:
        depth = request.get("depth")
        if isinstance(depth, bool) or not isinstance(depth, int) or not 0 <= depth <= 64:
            raise _Refused("bad-depth", f"wanted a depth from 0 to 64, found {depth!r}: name one")
        return {"ok": True, "leaves": perft(self.game, self._now(), depth)}

    def _options(self, request: Mapping[str, Any]) -> Answer:
        return {"ok": True, "options": [dict(option) for option in self.speech.options()]}


def serve(game: AnyGame, lines_in: Iterable[str] | Iterable[bytes], lines_out: LinesOut) -> None:
    """Answers each line of `lines_in` with a line on `lines_out`, until there are no more.

    Standard input is read as bytes where it can be, so that a line that is no UTF-8 is answered like any
    other bad line. That an answer always comes holds for a fault of ours too: its traceback goes to standard
    error, and the position stays as it was.
    """
    conversation = Conversation(game)
    lines: Iterable[str | bytes] = getattr(lines_in, "buffer", lines_in)
    for line in lines:
        try:
            answer = conversation.answer(line)
        except Exception as error:
            traceback.print_exc()
            text = f"wanted to answer, found a fault of this program ({type(error).__name__}): please report the line"
            answer = json.dumps(_faulty([Fault("broken", (), text)]))
        lines_out.write(answer + "\n")
        lines_out.flush()


def _faulty(faults: Sequence[Fault]) -> Answer:
    """Each fault once, in its order: the same may be found on two floors of one tower."""
    return {
        "ok": False,
        "faults": [{"code": f.code, "at": _at(list(f.at)), "text": f.text} for f in dict.fromkeys(faults)],
    }


def _at(names: list[Any]) -> Any:
    """One place by its name, several as a list."""
    return names[0] if len(names) == 1 else names
