"""The button of a seat: a short press says done, a long one says undo."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

LONG_MS = 800
"""Held at least so long, a press means undo."""
STUCK_MS = 10_000
"""Held longer, it is no press: something lies on the button."""
BOUNCE_S = 0.03
"""A contact may chatter so long after it closes."""


class Wish(Enum):
    """What a press asks for."""

    DONE = "done"
    """My turn has ended; or: yes, look now."""
    UNDO = "undo"
    """Take the last action back."""


@dataclass(frozen=True, slots=True)
class Press:
    """A press of the button at `seat` (0 south, 1 west, 2 north, 3 east)."""

    seat: int
    wish: Wish


def meant(held_ms: int) -> Wish | None:
    """What a press of that length asks for; None if it is none."""
    if held_ms >= STUCK_MS:
        return None
    return Wish.UNDO if held_ms >= LONG_MS else Wish.DONE


class SeatButton:
    """Turns the closing and opening of one contact into a `Press`, told to `say` when it opens.

    `say` is called on the thread that saw the contact (gpiozero's own): it must return soon.
    """

    def __init__(self, seat: int, say: Callable[[Press], None],
                 clock_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._seat, self._say, self._clock_ns = seat, say, clock_ns
        self._since_ns: int | None = None

    def closed(self) -> None:
        """The contact closed: somebody pushes."""
        if self._since_ns is None:
            self._since_ns = self._clock_ns()

    def opened(self) -> None:
        """The contact opened. Ignored if it was never seen to close (a button held at start-up)."""
        if self._since_ns is None:
            return
        wish = meant((self._clock_ns() - self._since_ns) // 1_000_000)
        self._since_ns = None
        if wish is not None:
            self._say(Press(self._seat, wish))
