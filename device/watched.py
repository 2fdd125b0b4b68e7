"""A camera under watch: a call that hangs, a picture that repeats, a plug that is pulled.

The watch loop calls `Watched.next` and always gets an answer in time. Reading is done by a thread
of its own that leaves the newest picture in a slot with one place; older ones are dropped and
counted, so nobody ever looks at the past.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from device.slot import Slot, Worker
from vision.frame import Frame, FrameSource, VisionError

NS_PER_S = 1_000_000_000
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 10.0
PROVEN_S = 10.0
"""After delivering so long, a camera counts as sound, and the pauses begin small again."""
MOST_STUCK = 2
"""So many threads may hang in a dead camera; then no new one begins until one comes back."""
_SWAP_LEAST = 4.0
"""Mean grey levels by which a picture must differ from the normal one to be called swapped."""


class Oddity(Enum):
    """What about a picture is not as it was: the calibration may not fit it."""

    SIZE = "size"
    """Other width or height than the first picture's."""
    SWAPPED = "swapped"
    """Red and blue have changed places."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A new picture."""

    frame: Frame
    oddities: frozenset[Oddity] = frozenset()


@dataclass(frozen=True, slots=True)
class Waiting:
    """No new picture within the time asked for; nothing is wrong yet."""


@dataclass(frozen=True, slots=True)
class CameraLost:
    """No pictures: `why` is a sentence for people. It is tried again in `next_try_s`."""

    why: str
    next_try_s: float


@dataclass(frozen=True, slots=True)
class Ended:
    """A recording has come to its end."""


Look = Picture | Waiting | CameraLost | Ended


@dataclass(slots=True)
class _Attempt:
    """One opening of the camera. `progress_ns`: when it last did something."""

    slot: Slot[Frame]
    worker: Worker
    progress_ns: int
    delivered: bool = False


class Watched:
    """Watches over the source that `make` makes anew for each attempt. One user thread.

    `live`: a camera, of which only the newest picture counts, which never ends and never repeats
    a picture exactly (sensors are noisy). Else a recording: each picture is handed over once, in
    order, and its errors are raised. `clock_ns` and `wait` (seconds) are there to be replaced.
    """

    def __init__(
        self,
        make: Callable[[], FrameSource],
        *,
        live: bool = True,
        patience_s: float = 4.0,
        opening_s: float = 20.0,
        frozen_s: float = 3.0,
        clock_ns: Callable[[], int] = time.monotonic_ns,
        wait: Callable[[float], object] | None = None,
    ) -> None:
        self._make, self._live = make, live
        self._patience_s, self._opening_s, self._frozen_s = patience_s, opening_s, frozen_s
        self._clock_ns = clock_ns
        self._over = threading.Event()
        self._wait = wait or self._over.wait
        self._attempt: _Attempt | None = None
        self._stuck: list[Worker] = []
        self._why: str | None = None
        self._try_at_ns = 0
        self._pause_s = FIRST_PAUSE_S
        self._good_since_ns: int | None = None
        self._last: Frame | None = None
        self._fresh_ns = 0
        self._normal: NDArray[np.int16] | None = None
        self._size: tuple[int, ...] | None = None
        self._is_swapped = False
        self._sized_wrong_ns: int | None = None
        self._seq = 0
        self._dropped = 0
        self._ended = False

    @property
    def dropped(self) -> int:
        """Pictures that came while nobody had time for them."""
        return self._dropped + (self._attempt.slot.dropped if self._attempt else 0)

    @property
    def stuck_threads(self) -> int:
        """Threads that still hang in a camera call; at most `MOST_STUCK`."""
        self._stuck = [worker for worker in self._stuck if worker.is_alive]
        return len(self._stuck)

    def next(self, timeout_s: float) -> Look:
        """The newest picture, within about `timeout_s` or an answer why not. Never hangs with the
        camera. Raises only what is no trouble of a camera's (broken code), and a recording's errors.
        """
        if self._ended or self._over.is_set():
            return Ended()
        if self._attempt is None and not self._begin(timeout_s):
            return self._lost()
        attempt = self._attempt
        if attempt is None:
            return self._lost()
        frame = attempt.slot.take(timeout_s)
        if frame is None:
            return self._nothing(attempt)
        attempt.progress_ns, attempt.delivered = self._clock_ns(), True
        return self._judge(frame) if self._live else Picture(frame)

    def adopt(self) -> None:
        """Take the next picture as the normal one, in size and colours (after a new calibration)."""
        self._normal, self._size, self._is_swapped = None, None, False

    def close(self) -> None:
        """End reading; safe to call twice. Waits at most two seconds for the camera."""
        self._over.set()
        if self._attempt is not None:
            self._attempt.slot.close()
            self._attempt.worker.join(2.0)
            self._abandon(self._attempt)

    def _begin(self, timeout_s: float) -> bool:
        """Start an attempt if it is time for one."""
        left_s = (self._try_at_ns - self._clock_ns()) / NS_PER_S
        if self._why is not None and left_s > 0:
            self._wait(min(timeout_s, left_s))
            return False
        if self.stuck_threads >= MOST_STUCK:
            self._fail("the camera: wanted an answer, found that it hangs, twice over: "
                       "unplug it and plug it in again, or restart Overboard")
            return False
        source, slot = self._make(), Slot[Frame](keep_all=not self._live)
        now = self._clock_ns()
        self._fresh_ns = now
        self._attempt = _Attempt(slot, Worker("camera", lambda: _read(source, slot)), now)
        return True

    def _nothing(self, attempt: _Attempt) -> Look:
        """No picture came: still early, at an end, broken, or hanging."""
        if attempt.slot.is_closed:
            attempt.worker.join(1.0)
            self._abandon(attempt)
            error = attempt.worker.error
            if error is None and not self._live:
                self._ended = True
                return Ended()
            if error is not None and not (self._live and isinstance(error, VisionError)):
                self._fail(f"the camera: wanted a picture, found a fault in the program ({error}): report it")
                raise error
            self._fail(str(error or "the camera: wanted pictures without end, found that they stopped: check its plug"))
            return self._lost()
        limit_s = self._patience_s if attempt.delivered else self._opening_s
        silent_s = (self._clock_ns() - attempt.progress_ns) / NS_PER_S
        if silent_s < limit_s:
            return self._lost() if self._why is not None else Waiting()
        self._abandon(attempt)
        self._fail(f"the camera: wanted a picture within {limit_s:.0f} s, found that it does not answer: "
                   "check its plug and cable; it is tried again by itself")
        return self._lost()

    def _judge(self, frame: Frame) -> Look:
        """A picture of a live camera: new, or the last one once more."""
        now = self._clock_ns()
        if self._last is not None and _repeats(frame, self._last):
            if (now - self._fresh_ns) / NS_PER_S >= self._frozen_s and self._attempt is not None:
                self._abandon(self._attempt)
                self._fail(f"the camera: wanted a new picture, found that it repeats its last one for "
                           f"{self._frozen_s:.0f} s: check its plug; it is tried again by itself")
            return self._lost() if self._why is not None else Waiting()
        oddities = self._oddities(frame)
        if Oddity.SIZE in oddities and self._size is not None and self._lasts(now):
            height, width = frame.image.shape[:2]
            self._fail(f"the camera: wanted pictures of {self._size[1]}x{self._size[0]} px, found {width}x{height}: it "
                       "is opened again by itself; if it stays so, set the table up again")
            return self._lost()
        if Oddity.SIZE in oddities and self._why is not None:  # opened again, and still of another size
            return self._lost()
        self._last, self._fresh_ns, self._why = frame, now, None
        self._good_since_ns = now if self._good_since_ns is None else self._good_since_ns
        self._seq += 1
        return Picture(replace(frame, seq=self._seq - 1), oddities)

    def _lasts(self, now: int) -> bool:
        """Whether pictures have had another size for so long that the camera is to be opened anew; lets go of it."""
        self._sized_wrong_ns = now if self._sized_wrong_ns is None else self._sized_wrong_ns
        if self._attempt is None or (now - self._sized_wrong_ns) / NS_PER_S < self._frozen_s:
            return False
        self._sized_wrong_ns = None
        self._abandon(self._attempt)
        return True

    def _oddities(self, frame: Frame) -> frozenset[Oddity]:
        """Compared with the normal picture: the last one about which nothing was odd."""
        found: set[Oddity] = set()
        self._size = self._size or frame.image.shape
        if frame.image.shape != self._size:
            found.add(Oddity.SIZE)
        else:
            self._sized_wrong_ns = None
        small = _thumbnail(frame)
        self._is_swapped = self._normal is not None and _is_swapped(small, self._normal, self._is_swapped)
        if self._is_swapped:
            found.add(Oddity.SWAPPED)
        else:
            self._normal = small
        return frozenset(found)

    def _abandon(self, attempt: _Attempt) -> None:
        """Let the thread end by itself: at its next picture it finds the slot closed."""
        attempt.slot.close()
        self._dropped += attempt.slot.dropped
        if attempt.worker.is_alive:
            self._stuck.append(attempt.worker)
        self._attempt = None

    def _fail(self, why: str) -> None:
        """Remember why, and when to try again: the pauses double up to ten seconds."""
        now = self._clock_ns()
        if self._good_since_ns is not None and (now - self._good_since_ns) / NS_PER_S >= PROVEN_S:
            self._pause_s = FIRST_PAUSE_S
        self._good_since_ns = None
        self._why, self._try_at_ns = why, now + round(self._pause_s * NS_PER_S)
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)

    def _lost(self) -> CameraLost:
        left_s = (self._try_at_ns - self._clock_ns()) / NS_PER_S
        return CameraLost(self._why or "the camera: wanted a picture, found none yet: wait", max(0.0, left_s))


def _read(source: FrameSource, slot: Slot[Frame]) -> None:
    """The reader thread: everything that may hang happens here, closing included."""
    try:
        source.open()
        for frame in source.frames():
            if not slot.put(frame):
                break
    finally:
        try:
            source.close()
        finally:
            slot.close()


def _repeats(frame: Frame, last: Frame) -> bool:
    """The same time stamp, or the same pixels: a sensor's noise never repeats a picture."""
    if frame.taken_ns == last.taken_ns:
        return True
    if frame.image.shape != last.image.shape or not np.array_equal(frame.image[::16, ::16], last.image[::16, ::16]):
        return False
    return np.array_equal(frame.image, last.image)


def _thumbnail(frame: Frame) -> NDArray[np.int16]:
    """(24, 32, 3) int16 BGR: a grid of pixels, whatever the picture's size."""
    height, width = frame.image.shape[:2]
    rows = np.linspace(0, height - 1, 24).astype(np.intp)
    cols = np.linspace(0, width - 1, 32).astype(np.intp)
    return frame.image[rows[:, None], cols[None, :]].astype(np.int16)


def _is_swapped(small: NDArray[np.int16], normal: NDArray[np.int16], was_swapped: bool) -> bool:
    """Whether exchanging blue and red makes the picture far more like the normal one.

    Only then: a lamp switched on or a hand changes a picture either way. What was swapped stays so until the
    picture is more like the normal one as it is: an arm across the picture must not make swapped colours normal.
    """
    as_is = float(np.abs(small - normal).mean())
    exchanged = float(np.abs(small[..., ::-1] - normal).mean())
    if was_swapped:
        return exchanged < as_is
    return as_is > _SWAP_LEAST and exchanged < as_is / 2
