"""The pipeline: a picture in, an `Observation` out; a straight line of timed steps.

Light, then the board's pose, then each of the kit's detectors on the straightened board. A picture in
which nothing changed since the last one is recognised cheaply and answered with the last reading.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import cv2
import numpy as np

from rules.words import Cell
from vision.frame import Frame, Image
from vision.kit import Kit
from vision.light import quality
from vision.locate.follow import Followed
from vision.observation import BoardState, Observation, Quality, Sighting
from vision.palette import Palette
from vision.pose import BoardPose

QUIET_LEVELS = 5.0
"""Sensor noise, averaged over 4x4 px and smoothed, stays below this many grey levels."""


@dataclass(frozen=True, slots=True)
class Taught:
    """What set-up gave the reader: the empty board `reference` as seen from `pose`, and the colours."""

    kit: Kit
    pose: BoardPose
    reference: Image
    palette: Palette
    known_set: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """One picture, and where the board is in it."""

    image: Image
    pose: BoardPose


@dataclass(frozen=True, slots=True)
class Looked:
    """What one detector saw."""

    sightings: tuple[Sighting, ...]
    hidden: frozenset[Cell] = frozenset()
    hand: bool = False


class Detector(Protocol):
    """Looks for one sort of thing. Built from `Taught`, so that its slow preparations are made once."""

    name: str

    def look(self, view: View) -> Looked: ...


class BoardFollower(Protocol):
    """Knows where the board was and looks whether it is still there; one sort for each sort of board."""

    def follow(self, image: Image) -> Followed: ...


@dataclass(slots=True)
class _Clock:
    """Milliseconds of each step, measured where they pass."""

    started: float = field(default_factory=time.perf_counter)
    took: dict[str, float] = field(default_factory=dict)

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.took[name] = (now - self.started) * 1e3
        self.started = now


class Reader:
    """Reads the pictures of one camera above one taught table, in their order."""

    def __init__(self, taught: Taught, follower: BoardFollower, detectors: Sequence[Detector]) -> None:
        self.taught = taught
        self._detectors = tuple(detectors)
        self._follower = follower
        self._small: Image | None = None
        self._last: Observation | None = None

    def observe(self, frame: Frame) -> Observation:
        """The reading of one picture. Trouble in the world (no board, too dark) is told in `board` and `why`."""
        clock = _Clock()
        small = np.asarray(cv2.resize(frame.image, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA), np.uint8)
        same = self._last is not None and self._small is not None and unchanged(small, self._small)
        clock.lap("compare")
        if same and self._last is not None:
            return replace(
                self._last, frame_seq=frame.seq, taken_ns=frame.taken_ns, took_ms=clock.took, unchanged=True,
                board=BoardState.STEADY if self._last.board is BoardState.MOVED else self._last.board,
            )
        before = None if self._small is None else np.asarray(cv2.cvtColor(self._small, cv2.COLOR_BGR2GRAY), np.uint8)
        light = quality(np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8), before)
        self._small = small
        clock.lap("light")
        followed = self._follower.follow(frame.image)
        clock.lap("locate")
        if followed.state is BoardState.LOST:
            return self._said(frame, light, followed.state, followed.why or light.trouble, clock)
        looks = []
        for detector in self._detectors:
            looks.append(detector.look(View(frame.image, followed.pose)))
            clock.lap(detector.name)
        hidden = frozenset().union(*(look.hidden for look in looks))
        outline = np.array(self.taught.kit.outline_mm)
        self._last = Observation(
            frame.seq, frame.taken_ns, followed.state, tuple(s for look in looks for s in look.sightings), hidden,
            any(look.hand for look in looks), followed.pose.to_px(outline), light, clock.took, followed.why,
        )
        return self._last

    def _said(self, frame: Frame, light: Quality, state: BoardState, why: str, clock: _Clock) -> Observation:
        self._last = None
        return Observation(
            frame.seq, frame.taken_ns, state, (), frozenset(), False, None, light, clock.took, why
        )


def unchanged(small: Image, before: Image) -> bool:
    """Whether two quarter-size pictures show the same but for noise and an even change of light."""
    if small.shape != before.shape:
        return False
    difference = cv2.subtract(small, before, dtype=cv2.CV_16S)
    drift = np.median(difference[::8, ::8], axis=(0, 1))
    if float(np.abs(drift).max()) > QUIET_LEVELS:
        return False
    smooth = cv2.blur(np.abs(difference - drift).astype(np.float32), (3, 3))
    return float(smooth.max()) < QUIET_LEVELS
