"""Hands things from the thread that makes them to the thread that wants the newest."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Slot(Generic[T]):
    """A place for one thing. With `keep_all` False a newer thing drops an older one, which is
    counted; with True, `put` waits until the place is free: nothing is lost and nothing piles up.
    """

    def __init__(self, keep_all: bool = False) -> None:
        self._keep_all = keep_all
        self._changed = threading.Condition()
        self._thing: T | None = None
        self._closed = False
        self.dropped = 0

    def put(self, thing: T) -> bool:
        """Whether it was taken in; False once the slot is closed."""
        with self._changed:
            if self._keep_all:
                self._changed.wait_for(lambda: self._thing is None or self._closed)
            if self._closed:
                return False
            self.dropped += self._thing is not None
            self._thing = thing
            self._changed.notify_all()
            return True

    def take(self, timeout_s: float) -> T | None:
        """The thing, as soon as there is one; None after `timeout_s`, or when closed and empty."""
        with self._changed:
            self._changed.wait_for(lambda: self._thing is not None or self._closed, timeout_s)
            thing, self._thing = self._thing, None
            self._changed.notify_all()
            return thing

    def close(self) -> None:
        """Nothing more comes in; what is there may still be taken."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    @property
    def is_closed(self) -> bool:
        """Whether nothing more can come in."""
        return self._closed


class Worker:
    """A daemon thread that runs `work` once and remembers what went wrong. Not joined by force:
    a native call that hangs cannot be ended from Python.
    """

    def __init__(self, name: str, work: Callable[[], None]) -> None:
        self.error: Exception | None = None
        self._work = work
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._work()
        except Exception as error:  # handed over to the thread that asks, which raises or tells it
            self.error = error

    @property
    def is_alive(self) -> bool:
        """Whether `work` still runs, or hangs."""
        return self._thread.is_alive()

    def join(self, timeout_s: float) -> bool:
        """Whether it has ended."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()
