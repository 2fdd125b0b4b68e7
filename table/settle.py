"""From a stream of observations to settled looks, counted in the pictures' own times.

Readings are averaged (the mean of their logarithms) over a window as long as the table must
rest, and all but a lone one must agree. A window holds only pictures without an arm, or only
such with one; so nothing is said while a hand works. It slides: one cell that flickers becomes
an unsure cell and holds nobody up. A picture whose time stands still is no new picture and never makes a board still.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from enum import Enum

from rules.words import Cell, Piece
from table.seen import Ranked, Seen
from vision.observation import BoardState, Observation

FLOOR = 1e-3
"""The least probability that one picture may give a possibility."""
FEWEST_LOOKS = 3
"""So many different pictures must agree, however slow the camera is."""
MANY_LOOKS = 5
"""From so many pictures on, a lone one may disagree."""
AGAINST = 0.2
"""A picture that gives the best reading less than this speaks against it."""
RESTING_HAND = 2.5
"""A hand must lie still so many times longer than a free table until the cells beside it are read."""
JITTER_CELLS = 4
"""A hand that rests may hide so many cells more in one picture than in another."""


class Calm(Enum):
    """How the table is, in words for people (`webui.desk.Health.state`)."""

    WAITING = "waiting"
    """Nothing moves and everything was read."""
    HAND = "hand"
    """A hand is over the board."""
    SETTLING = "settling"
    """Something moved a moment ago."""
    BOARD_LOST = "board-lost"
    """The board is not in the picture, or cannot be found in it."""
    TROUBLE = "reading"
    """The picture is too bad to be read."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What the table is like after one more picture. `seen` is None until it has rested long enough.

    `still_ms`: for how long nothing has looked different, by the pictures' times.
    """

    calm: Calm
    seen: Seen | None = None
    still_ms: float = 0.0


class Settler:
    """Adds observations up. Not for several threads."""

    def __init__(self, still_ms: float = 600.0, fewest_looks: int = FEWEST_LOOKS) -> None:
        self._still_ms, self._fewest_looks = still_ms, fewest_looks
        self._window: deque[Observation] = deque()
        self._last_ns: int | None = None
        self._looks: dict[Cell, Piece | None] = {}
        self._since_ns = 0

    def forget(self) -> None:
        """Begin anew: the camera or the board was lost."""
        self._window.clear()
        self._looks.clear()

    def add(self, observation: Observation) -> Settled:
        """The table after this picture."""
        if self._last_ns is not None and observation.taken_ns <= self._last_ns:
            return Settled(Calm.SETTLING)
        self._last_ns = observation.taken_ns
        if observation.board is BoardState.LOST or observation.quality.trouble:
            self.forget()
            return Settled(Calm.BOARD_LOST if observation.board is BoardState.LOST else Calm.TROUBLE)
        if observation.board is BoardState.MOVED:
            self.forget()
        if self._window and self._window[-1].hand != observation.hand:
            self.forget()
        self._window.append(observation)
        needed_ns = self._needed_ns(observation.hand)
        while len(self._window) > self._fewest_looks and observation.taken_ns - self._window[1].taken_ns >= needed_ns:
            self._window.popleft()
        return self._settled(observation, needed_ns)

    def _needed_ns(self, hand: bool) -> float:
        return self._still_ms * 1e6 * (RESTING_HAND if hand else 1.0)

    def _settled(self, observation: Observation, needed_ns: float) -> Settled:
        calm = Calm.HAND if observation.hand else Calm.SETTLING
        long_enough = observation.taken_ns - self._window[0].taken_ns >= needed_ns
        if not long_enough or len(self._window) < self._fewest_looks:
            self._since_ns = observation.taken_ns
            return Settled(calm)
        hidden = frozenset().union(*(one.hidden for one in self._window))
        if observation.hand:
            always = frozenset.intersection(*(one.hidden for one in self._window))
            if len(hidden - always) > JITTER_CELLS:
                return Settled(calm)
        cells = {cell: ranked for cell, ranked in self._averaged().items() if cell not in hidden}
        looks = {cell: ranked[0][0] for cell, ranked in cells.items()}
        if looks != self._looks:
            self._looks, self._since_ns = looks, observation.taken_ns
        seen = Seen(cells, hidden, observation.hand, observation.frame_seq, observation.taken_ns)
        still_ms = (observation.taken_ns - self._since_ns) / 1e6 + self._still_ms
        return Settled(Calm.HAND if observation.hand else Calm.WAITING, seen, still_ms)

    def _averaged(self) -> dict[Cell, Ranked]:
        """Each cell's possibilities over the window, adding up to one, best first."""
        readings: dict[Cell, list[dict[Piece | None, float]]] = {}
        for observation in self._window:
            for sighting in observation.sightings:
                readings.setdefault(sighting.cell, []).append(dict(sighting.ranked))
        return {cell: _mean(ones) for cell, ones in readings.items()}


def _between(readings: list[dict[Piece | None, float]]) -> Ranked:
    """A cell about which the pictures disagree: its two commonest readings, hardly one before the other."""
    sums: dict[Piece | None, float] = {}
    for one in readings:
        for piece, p in one.items():
            sums[piece] = sums.get(piece, 0.0) + p
    ranked = sorted(sums, key=lambda piece: -sums[piece])
    return tuple(zip(ranked, (0.51, 0.49), strict=False))


def _mean(readings: list[dict[Piece | None, float]]) -> Ranked:
    """The normalised geometric mean; a possibility that one picture did not name has the floor there.

    Where more than a lone picture speaks against the best, the thing has not been there for the whole time.
    """
    if all(one is readings[0] or one == readings[0] for one in readings):
        return tuple(sorted(readings[0].items(), key=lambda pair: -pair[1]))
    names = {piece for one in readings for piece in one}
    logs = {
        piece: sum(math.log(max(one.get(piece, FLOOR), FLOOR)) for one in readings) / len(readings) for piece in names
    }
    best = max(logs, key=lambda piece: logs[piece])
    against = sum(one.get(best, FLOOR) < AGAINST for one in readings)
    if against > (1 if len(readings) >= MANY_LOOKS else 0):
        return _between(readings)
    top = logs[best]
    weights = {piece: math.exp(value - top) for piece, value in logs.items()}
    total = sum(weights.values())
    return tuple(sorted(((piece, weight / total) for piece, weight in weights.items()), key=lambda pair: -pair[1]))
