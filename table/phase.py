"""The phases of an evening and the jumps between them that can happen."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from table.errors import TableError


class Phase(Enum):
    """What the table is doing."""

    IDLE = "idle"
    """No match."""
    CALIBRATING = "calibrating"
    """The camera is being taught."""
    SETTING_UP = "setting-up"
    """A match was opened; the start position has not been seen."""
    WATCHING = "watching"
    """Actions are followed."""
    ASKING = "asking"
    """A question is open; actions are followed all the same."""
    PAUSED = "paused"
    """No camera or no board: nothing can be followed."""
    OVER = "over"
    """The match has ended."""


class ImpossibleJump(TableError, ValueError):
    """A jump that the table of jumps does not hold: a fault in the program."""


JUMPS: Mapping[Phase, frozenset[Phase]] = {
    Phase.IDLE: frozenset({Phase.CALIBRATING, Phase.SETTING_UP}),
    Phase.CALIBRATING: frozenset({Phase.IDLE, Phase.SETTING_UP, Phase.WATCHING}),
    Phase.SETTING_UP: frozenset({Phase.WATCHING, Phase.PAUSED, Phase.OVER, Phase.IDLE, Phase.CALIBRATING}),
    Phase.WATCHING: frozenset({Phase.ASKING, Phase.PAUSED, Phase.OVER, Phase.SETTING_UP, Phase.CALIBRATING}),
    Phase.ASKING: frozenset({Phase.WATCHING, Phase.PAUSED, Phase.OVER, Phase.SETTING_UP}),
    Phase.PAUSED: frozenset({Phase.SETTING_UP, Phase.WATCHING, Phase.ASKING, Phase.OVER, Phase.CALIBRATING}),
    Phase.OVER: frozenset({Phase.WATCHING, Phase.SETTING_UP, Phase.PAUSED, Phase.ASKING, Phase.IDLE}),
}
"""From each phase, where it may go. OVER to WATCHING: the last action was taken back."""


def jump(now: Phase, then: Phase) -> Phase:
    """`then`, if it can follow `now` (staying is always allowed); else `ImpossibleJump`."""
    if then is not now and then not in JUMPS[now]:
        raise ImpossibleJump(f"wanted a jump that can happen, found {now.value} to {then.value}: report it")
    return then
