"""JSON of a phone -> `Request`, checked at the door; and `Once`, which makes two taps one."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Final, Protocol, TypeVar

from rules.words import Colour, Piece, Said
from webui.board_svg import cell_from_key
from webui.desk import Answer, Correct, NewMatch, Receipt, Request, SetSound, Undo, Wish
from webui.errors import BadRequest
from webui.phrases import PHRASES

SOUND_LEVELS: Final = ("off", "wrong", "some", "all")
KEYS_KEPT: Final = 512


def bad(what: str) -> BadRequest:
    """A request that cannot be read; `what` names the fault."""
    said = PHRASES["error.wish"]
    return BadRequest(Said(said.en.format(what=what), said.pt.format(what=what)))


def request_from(body: object, phone: str, pieces: Callable[[], Sequence[Piece]]) -> Request:
    """The request in a JSON body: {"key": text, "on_seq": number, "wish": {"kind": ...}}.

    The key is made the phone's own, so that two phones never mean the same by it. Raises `BadRequest`.
    """
    fields = _mapping(body, "body")
    key, on_seq = fields.get("key"), fields.get("on_seq")
    if not isinstance(key, str) or not 8 <= len(key) <= 100:
        raise bad("key: wanted 8 to 100 signs")
    if not isinstance(on_seq, int) or isinstance(on_seq, bool) or on_seq < 0:
        raise bad("on_seq: wanted a whole number")
    return Request(f"{phone}:{key}", on_seq, wish_from(_mapping(fields.get("wish"), "wish"), pieces))


def wish_from(fields: Mapping[str, object], pieces: Callable[[], Sequence[Piece]]) -> Wish:
    """The wish in its JSON form. `pieces` are those a person may name. Raises `BadRequest`."""
    match fields.get("kind"):
        case "undo":
            return Undo()
        case "new-match":
            return NewMatch()
        case "answer":
            asked, key = fields.get("question_seq"), fields.get("key")
            if not isinstance(asked, int) or isinstance(asked, bool) or not isinstance(key, str) or len(key) > 200:
                raise bad("answer: wanted question_seq and key")
            return Answer(asked, key)
        case "sound":
            level = fields.get("level")
            if not isinstance(level, str) or level not in SOUND_LEVELS:
                raise bad(f"level: wanted one of {', '.join(SOUND_LEVELS)}")
            return SetSound(level)
        case "correct":
            return _correction(fields, pieces)
        case _:
            raise bad("kind: wanted undo, answer, correct, sound or new-match")


def _correction(fields: Mapping[str, object], pieces: Callable[[], Sequence[Piece]]) -> Correct:
    try:
        cell = cell_from_key(str(fields.get("cell", "")))
    except ValueError as fault:
        raise bad("cell: wanted col,row,level,zone") from fault
    if fields.get("piece", "missing") is None:
        return Correct(cell, None)
    named = _mapping(fields.get("piece"), "piece")
    kind, colour, facing = named.get("kind"), named.get("colour"), named.get("facing")
    if not isinstance(kind, str) or not isinstance(colour, str) or not (facing is None or isinstance(facing, int)):
        raise bad("piece: wanted kind, colour and facing")
    piece = Piece(kind, Colour(colour), facing)
    if piece not in pieces():
        raise bad("piece: not one of this game's")
    return Correct(cell, piece)


def _mapping(value: object, name: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise bad(f"{name}: wanted an object")
    return value


class HasKey(Protocol):
    """Whatever acts once by its key."""

    @property
    def key(self) -> str: ...


Asked = TypeVar("Asked", bound=HasKey)


class Once:
    """Hands a request to the desk once, however often and however parallel it is sent; all get the same receipt.

    The desk keeps that promise too, over restarts; here it also holds while the first sending is still on its way.
    A busy desk is not remembered: the same tap may be tried again.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._receipts: OrderedDict[str, Future[Receipt]] = OrderedDict()

    def act(self, request: Asked, desk: Callable[[Asked], Receipt], wait_s: float = 10.0) -> Receipt:
        """The receipt of the first request with this key. An error of the desk is raised to all who wait for it,
        and forgotten."""
        with self._lock:
            known = self._receipts.get(request.key)
            mine = known or Future()
            if known is None:
                self._receipts[request.key] = mine
                if len(self._receipts) > KEYS_KEPT:
                    self._receipts.popitem(last=False)
        if known is not None:
            return known.result(timeout=wait_s)
        try:
            receipt = desk(request)
        except BaseException as fault:
            self._forget(request.key)
            mine.set_exception(fault)
            raise
        if receipt.code == "busy":
            self._forget(request.key)
        mine.set_result(receipt)
        return receipt

    def _forget(self, key: str) -> None:
        with self._lock:
            self._receipts.pop(key, None)
