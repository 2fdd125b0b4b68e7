"""What the table asks of whoever reads pictures: one small protocol, so that tests can script it."""

from __future__ import annotations

from typing import Protocol

from vision.frame import Frame
from vision.observation import Observation


class Watcher(Protocol):
    """Reads one picture after the other of one table; `vision.observe.Reader` is the real one."""

    def observe(self, frame: Frame) -> Observation:
        """What is seen in this picture. Passing trouble (dark, no board) is told in the observation."""
        ...
