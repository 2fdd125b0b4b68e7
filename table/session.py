"""The table as the web sees it, and the thread that watches: one writer, no locks on the match.

The watch thread takes a picture (or learns that the camera is lost), reads it, lets
`table.evening` decide, and publishes a view. Requests of phones and presses of buttons wait in
a queue until that thread takes them, so nothing else ever writes. The camera hangs in a
thread of its own (`device.watched`); the watch thread is never held up for longer than
`LOOK_S`.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence, Set
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLate
from dataclasses import replace
from typing import Protocol, assert_never

import cv2
import numpy as np

from device.button import Press
from device.cues import Cue, Sound
from device.watched import CameraLost, Ended, Look, Oddity, Picture, Waiting
from rules.words import Cell, Piece
from table.evening import Evening
from table.journal import Entry
from table.offers import legal_in, nameable, offered
from table.present import both, cue_of, notice_of
from table.showing import NOTICES, Moment, corners_of, cut_out, seat_views, view_of
from table.story import Story
from table.watcher import Watcher
from vision.frame import Frame, Image
from vision.observation import BoardState, Observation
from webui.desk import Notice, Receipt, Request, TableView

log = logging.getLogger(__name__)

LOOK_S = 0.1
"""The longest wait for a picture, and so the longest a request waits for its turn."""
ANSWER_S = 3.0
"""A request that is not decided by then is told to ask again; its key keeps it from acting twice."""
QUEUE_MOST = 64
SWAPPED = ("the camera: wanted its colours as at set-up, found red and blue exchanged: the program exchanges them back "
           "and the game goes on")
ODD_SIZE = "the camera: wanted pictures of the size of set-up, found another: wait, it is opened again by itself"
JPEG_QUALITY = 80


class Camera(Protocol):
    """What the session needs of `device.watched.Watched`."""

    def next(self, timeout_s: float) -> Look: ...

    def close(self) -> None: ...


class Lamps(Protocol):
    """What the session needs of a panel."""

    def show(self, cue: Cue) -> None: ...

    def turn(self, seat: int | None) -> None: ...

    def set_sound(self, level: Sound) -> None: ...


class Recording(Protocol):
    """What the session needs of a recorder: every frame, and every entry."""

    def add(self, frame: Frame) -> None: ...

    def told(self, entry: Entry) -> None: ...


class Session:
    """Implements `webui.desk.Desk`. `step` does one round and may be called without the thread, in tests."""

    def __init__(
        self, evening: Evening, camera: Camera, watcher: Watcher, lamps: Lamps,
        recording: Recording | None = None,
        draw: Callable[[Image, Observation], Image] | None = None,
        clock_ns: Callable[[], int] | None = None,
    ) -> None:
        self._evening, self._camera, self._watcher, self._lamps = evening, camera, watcher, lamps
        self._recording, self._draw = recording, draw
        self._clock_ns = clock_ns or time.monotonic_ns
        self._waiting: queue.Queue[tuple[Request, Future[Receipt]] | Press] = queue.Queue(QUEUE_MOST)
        self._changed = threading.Condition()
        self._notices: tuple[Notice, ...] = ()
        self._frame: Frame | None = None
        self._observation: Observation | None = None
        self._taken_ns = self._clock_ns()
        self._encoding = threading.Lock()
        self._encoded: tuple[Frame, bytes | None] | None = None
        self._camera_why = ""
        self._fault, self._odd = "", ""
        self._cuts: dict[tuple[int, tuple[Cell, ...]], bytes] = {}
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self.ended = threading.Event()
        """Set when a recording has come to its end."""
        self._view = view_of(evening.story, Moment(), (), 0)

    # The watch thread

    def start(self) -> None:
        """Begins to watch. Once only."""
        self._publish()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends watching; safe to call twice."""
        self._over.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(5.0)
        self._camera.close()

    def _run(self) -> None:
        while not self._over.is_set():
            try:
                self.step(LOOK_S)
                self._fault = ""
            except Exception as error:  # one of two broad ones (house.md): a fault is told and the table goes on
                log.exception("the watch loop failed at one picture")
                self._fault = f"the program: wanted to read a picture, found a fault ({error}): it goes on; report it"
                self._publish()
                self._over.wait(LOOK_S)

    def step(self, timeout_s: float = 0.0) -> bool:
        """One round: what people ask, then one picture. False once a recording has ended."""
        self._take_wishes()
        look = self._camera.next(timeout_s)
        match look:
            case Picture(frame=frame, oddities=oddities):
                self._camera_why = ""
                self._see(frame, oddities)
            case CameraLost(why=why):
                self._camera_why = why
                self._evening.camera_lost(why)
            case Waiting():
                pass
            case Ended():
                self.ended.set()
                self._over.wait(timeout_s)
            case _:
                assert_never(look)
        self._publish()
        return not isinstance(look, Ended)

    def _see(self, frame: Frame, oddities: Set[Oddity]) -> None:
        self._odd = ""
        if Oddity.SIZE in oddities:  # nothing that was taught fits it; if it lasts, the watch opens the camera anew
            self._odd = ODD_SIZE
            return
        if Oddity.SWAPPED in oddities:
            self._odd = SWAPPED
            frame = replace(frame, image=np.ascontiguousarray(frame.image[..., ::-1]))
        if self._recording is not None:
            self._recording.add(frame)
        observation = self._watcher.observe(frame)
        self._frame, self._observation, self._taken_ns = frame, observation, self._clock_ns()
        self._evening.looked(observation)

    def _take_wishes(self) -> None:
        while True:
            try:
                wish = self._waiting.get_nowait()
            except queue.Empty:
                return
            if isinstance(wish, Press):
                self._evening.pressed(wish)
                continue
            request, future = wish
            try:
                receipt = self._evening.wished(request)
            except Exception as error:
                future.set_exception(error)
                raise
            self._publish()
            future.set_result(receipt)

    def heard(self, before: Story, after: Story, entry: Entry) -> None:
        """An entry was made: the listener that `table.build` gives to the evening."""
        seats = seat_views(after.match) if after.followed is not None else ()
        notice = notice_of(before, after, entry, seats)
        if notice is not None:
            self._notices = (*self._notices, notice)[-NOTICES:]
        if self._recording is not None:
            self._recording.told(entry)
        try:
            self._show(after, entry)
        except Exception:  # a lamp that fails is logged, not raised
            log.exception("the panel failed")

    def _show(self, story: Story, entry: Entry) -> None:
        cue = cue_of(entry)
        if cue is Cue.LISTENING and story.put_right:
            cue = Cue.NO
        if cue is not None and not (cue is Cue.YES and story.closed is not None):
            self._lamps.show(cue)
        match = story.match if story.followed is not None else None
        seat = match.game.to_move(match.state) if match is not None and story.is_set_up else None
        self._lamps.turn(int(seat) if seat is not None else None)
        if story.sound:
            self._lamps.set_sound(Sound(story.sound))

    # The view

    def _moment(self) -> Moment:
        observation = self._observation
        return Moment(
            self._evening.calm, not self._camera_why, self._camera_why,
            (self._clock_ns() - self._taken_ns) / 1e6,
            observation is None or observation.board is not BoardState.LOST,
            self._evening.missing,
            self._fault or self._evening.full or self._odd
            or (observation.quality.trouble if observation is not None else ""),
            self._covered(observation),
        )

    def _covered(self, observation: Observation | None) -> tuple[Cell, ...]:
        """The board's corners that cannot be seen for a hand or another thing."""
        story = self._evening.story
        if observation is None or story.followed is None:
            return ()
        return tuple(cell for cell in corners_of(story.match.game.facts.board) if cell in observation.hidden)

    def _publish(self) -> None:
        """A new revision if anything a person sees has changed."""
        story = self._evening.story
        view = view_of(story, self._moment(), self._notices, self._view.revision, self._cut)
        now, before = _without_age(view), _without_age(self._view)
        with self._changed:
            if now != before:
                self._view = replace(view, revision=self._view.revision + 1)
                self._changed.notify_all()
            else:
                self._view = replace(view, revision=self._view.revision)

    def _cut(self, cells: Sequence[Cell]) -> bytes:
        """A cut-out, made once a question: the picture in which it arose."""
        story = self._evening.story
        if story.question is None or self._frame is None or self._observation is None:
            return b""
        key = (story.question.seq, tuple(cells))
        if key not in self._cuts:
            self._cuts = {k: v for k, v in self._cuts.items() if k[0] == key[0]}
            board = story.match.game.facts.board
            self._cuts[key] = cut_out(self._frame, self._observation, board, cells)
        return self._cuts[key]

    # Desk

    def view(self) -> TableView:
        """The newest view."""
        with self._changed:
            return self._aged(self._view)

    def wait(self, revision: int, timeout_s: float) -> TableView:
        """The view as soon as its revision is above `revision`, or after `timeout_s`."""
        with self._changed:
            self._changed.wait_for(lambda: self._view.revision > revision, timeout_s)
            return self._aged(self._view)

    def _aged(self, view: TableView) -> TableView:
        age_ms = (self._clock_ns() - self._taken_ns) / 1e6
        return replace(view, health=replace(view.health, frame_age_ms=age_ms))

    def request(self, request: Request) -> Receipt:
        """What became of a wish, once the watch thread has taken it up."""
        future: Future[Receipt] = Future()
        busy = Receipt(False, self.view().seq, "busy", both("The table is busy: try again.",
                                                            "A mesa está ocupada: tente de novo."))
        try:
            self._waiting.put_nowait((request, future))
        except queue.Full:
            return busy
        if self._thread is None or self._thread is threading.current_thread():
            self._take_wishes()
        try:
            return future.result(ANSWER_S)
        except TooLate:
            return busy

    def pressed(self, press: Press) -> None:
        """A button was pressed; from any thread. A full queue drops it: nobody presses 64 times in a tenth second."""
        try:
            self._waiting.put_nowait(press)
        except queue.Full:
            log.warning("a press was dropped: the queue is full")

    def bare_picture(self) -> Image | None:
        """The newest picture as the camera took it; None without a camera."""
        frame = self._frame
        return None if frame is None or self._camera_why else frame.image

    def picture(self) -> bytes | None:
        """The newest picture with what was read drawn on it, as JPEG; None without a camera."""
        with self._encoding:  # twenty phones ask for the same picture: it is drawn once
            frame, observation = self._frame, self._observation
            if frame is None or self._camera_why:
                return None
            if self._encoded is None or self._encoded[0] is not frame:
                self._encoded = (frame, self._jpeg(frame, observation))
            return self._encoded[1]

    def _jpeg(self, frame: Frame, observation: Observation | None) -> bytes | None:
        image = frame.image
        if self._draw is not None and observation is not None:
            image = self._draw(image, observation)
        done, coded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        return coded.tobytes() if done else None

    def alternatives(self, cell: Cell) -> Sequence[tuple[Piece | None, float]]:
        """What may stand in a cell, likeliest first: the last settled reading, then what rules and likeness suggest."""
        seen, story = self._evening.seen, self._evening.story
        ranked = seen.cells.get(cell, ()) if seen is not None else ()
        if story.followed is None:
            return ranked
        match = story.match
        expected = match.game.layout(match.state).pieces.get(cell)
        return offered(ranked, expected, legal_in(match, cell, self._evening.visible), nameable(match))

    def pieces(self) -> Sequence[Piece]:
        """Every piece a person may name when correcting a cell."""
        story = self._evening.story
        if story.followed is None:
            return ()
        return nameable(story.match)


def _without_age(view: TableView) -> TableView:
    return replace(view, revision=0, health=replace(view.health, frame_age_ms=0.0))
