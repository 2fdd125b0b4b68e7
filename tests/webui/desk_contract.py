"""What any desk must do, whoever makes it: the rehearsed one here, the table's session in its own tests.

`promises(desk)` raises AssertionError with a sentence for the first promise that is broken. The desk must stand
at a position on which `SetSound` is allowed (it changes nothing of the match).
"""

from __future__ import annotations

import threading
import time

from webui.desk import Desk, Request, SetSound, TableView


def promises(desk: Desk) -> None:
    _views_at_once(desk)
    _a_key_acts_once(desk)
    _an_old_position_is_refused(desk)
    _waiting_ends(desk)
    _pieces_can_be_named(desk)


def _views_at_once(desk: Desk) -> None:
    view = desk.view()
    assert isinstance(view, TableView), f"wanted a TableView, found {type(view).__name__}"
    assert desk.wait(view.revision - 1, 5.0).revision >= view.revision, (
        "waiting for what is there already must not wait"
    )


def _a_key_acts_once(desk: Desk) -> None:
    level = "wrong" if desk.view().sound != "wrong" else "some"
    first = desk.request(Request("contract-key-1", desk.view().seq, SetSound(level)))
    assert first.accepted, f"setting the sound was refused: {first.said.en}"
    assert desk.view().sound == level, "an accepted wish must show in the next view"
    revision = desk.view().revision
    assert desk.request(Request("contract-key-1", desk.view().seq, SetSound(level))) == first, "same key, same receipt"
    assert desk.view().revision == revision, "the same key must not act twice"


def _an_old_position_is_refused(desk: Desk) -> None:
    receipt = desk.request(Request("contract-key-2", desk.view().seq + 1000, SetSound("all")))
    assert not receipt.accepted, "a wish on another position must be refused"
    assert receipt.code == "stale", f"wanted the code stale, found {receipt.code}"
    assert receipt.said.en, "a refusal needs a sentence in English"
    assert receipt.said.pt, "a refusal needs a sentence in Portuguese"


def _waiting_ends(desk: Desk) -> None:
    began = time.monotonic()
    desk.wait(desk.view().revision, 0.05)
    assert time.monotonic() - began < 2.0, "waiting must end after its time"
    heard: list[TableView] = []
    revision = desk.view().revision
    listener = threading.Thread(target=lambda: heard.append(desk.wait(revision, 5.0)))
    listener.start()
    level = "all" if desk.view().sound != "all" else "some"
    desk.request(Request("contract-key-3", desk.view().seq, SetSound(level)))
    listener.join(5.0)
    assert heard, "whoever waits must be woken by a change"
    assert heard[0].revision > revision, "whoever waits must get the newer view"


def _pieces_can_be_named(desk: Desk) -> None:
    pieces = desk.pieces()
    assert pieces, "a person must be able to name some piece"
    assert len(set(pieces)) == len(pieces), "no piece twice"
