"""Cameras that hang, freeze, vanish and come back, as fake sources; no real camera, no sleeping."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from device.slot import Slot
from device.watched import MOST_STUCK, CameraLost, Ended, Oddity, Picture, Waiting, Watched
from vision.frame import BadPicture, Frame, SourceFailed


def frame(n: int, *, seed: int | None = None, size: tuple[int, int] = (64, 96), swapped: bool = False) -> Frame:
    """A noisy picture of something bluish, as from a camera."""
    rng = np.random.default_rng(n if seed is None else seed)
    image = np.full((*size, 3), (150, 90, 40), np.int16) + rng.integers(-4, 5, (*size, 3), np.int16)
    return Frame(0, n * 100_000_000, (image[..., ::-1] if swapped else image).astype(np.uint8))


class Feed:
    """A source that hands out what the test put in, and hangs while there is nothing."""

    def __init__(self, *, opens: Exception | None = None) -> None:
        self.line: queue.Queue[Frame | Exception | None] = queue.Queue()
        self.opens, self.closed = opens, threading.Event()

    def open(self) -> None:
        if self.opens is not None:
            raise self.opens

    def frames(self) -> Iterator[Frame]:
        while (item := self.line.get()) is not None:
            if isinstance(item, Exception):
                raise item
            yield item

    def close(self) -> None:
        self.closed.set()


class Bench:
    """A watched camera whose attempts use the feeds in turn, and a clock that the watch's waits move."""

    def __init__(self, clock: Any, feeds: list[Feed], **words: Any) -> None:
        self.clock, self.feeds, self.made = clock, feeds, 0
        self.waits: list[float] = []
        self.watched = Watched(self.make, clock_ns=clock, wait=self.wait, **words)

    def make(self) -> Feed:
        self.made += 1
        return self.feeds[min(self.made, len(self.feeds)) - 1]

    def wait(self, seconds: float) -> None:
        self.waits.append(round(seconds, 3))
        self.clock.pass_ms(seconds * 1000)

    def give(self, item: Frame | Exception | None, feed: int = 0) -> Any:
        """Hand an item to a feed and look: the answer comes as soon as it is there."""
        self.feeds[feed].line.put(item)
        return self.watched.next(5.0)


@pytest.fixture
def benches(clock: Any) -> Iterator[Any]:
    made: list[Bench] = []

    def bench(feeds: list[Feed], **words: Any) -> Bench:
        made.append(Bench(clock, feeds, **words))
        return made[-1]

    yield bench
    for one in made:
        for feed in one.feeds:
            feed.line.put(None)
        one.watched.close()


def test_pictures_come_through_and_are_counted_in_a_row(benches: Any) -> None:
    bench = benches([Feed()])
    looks = [bench.give(frame(n)) for n in range(3)]
    assert [(look.frame.seq, look.frame.taken_ns, look.oddities) for look in looks] == [
        (n, n * 100_000_000, frozenset()) for n in range(3)]


def test_k1_a_camera_that_hangs_is_lost_within_five_seconds(benches: Any, clock: Any) -> None:
    bench = benches([Feed(), Feed()])
    assert isinstance(bench.give(frame(0)), Picture)
    clock.pass_ms(3900)
    assert bench.watched.next(0.0) == Waiting()
    clock.pass_ms(200)
    lost = bench.watched.next(0.0)
    assert isinstance(lost, CameraLost)
    assert lost.why == ("the camera: wanted a picture within 4 s, found that it does not answer: "
                        "check its plug and cable; it is tried again by itself")
    assert lost.next_try_s == 1.0
    # The next attempt works, although the first thread still hangs.
    clock.pass_ms(1000)
    assert isinstance(bench.give(frame(1), feed=1), Picture)
    assert bench.watched.stuck_threads == 1


def test_k1_threads_do_not_pile_up(benches: Any, clock: Any) -> None:
    feeds = [Feed() for _ in range(3)]
    bench = benches(feeds)
    before = threading.active_count()
    for _ in range(100):
        bench.watched.next(0.0)
        clock.pass_ms(5000)
    assert threading.active_count() - before <= MOST_STUCK
    assert (bench.made, bench.watched.stuck_threads) == (MOST_STUCK, MOST_STUCK)
    look = bench.watched.next(0.0)
    assert isinstance(look, CameraLost)
    assert "it hangs, twice over: unplug it" in look.why
    # One hanging call comes back: the watch begins anew by itself.
    feeds[0].line.put(None)
    assert feeds[0].closed.wait(5.0)
    feeds[2].line.put(frame(0))
    for _ in range(1000):
        clock.pass_ms(11_000)
        if isinstance(look := bench.watched.next(5.0), Picture):
            break
    assert isinstance(look, Picture)


@pytest.mark.parametrize("kind", ["the same picture", "a time stamp that stands still"])
def test_k2_a_camera_that_repeats_its_last_picture_is_lost_and_never_still(
        benches: Any, clock: Any, kind: str) -> None:
    bench = benches([Feed(), Feed()])
    first = frame(7)
    assert isinstance(bench.give(first), Picture)
    looks = []
    for n in range(1, 32):
        clock.pass_ms(100)
        again = (Frame(0, first.taken_ns + n, first.image) if kind == "the same picture"
                 else Frame(0, first.taken_ns, frame(50 + n).image))
        looks.append(bench.give(again))
        if isinstance(looks[-1], CameraLost):
            break
    assert looks[:-1] == [Waiting()] * 29
    assert "repeats its last one for 3 s" in looks[-1].why
    # Opened again it still shows the very same picture: that is not "found".
    clock.pass_ms(1000)
    assert isinstance(bench.give(Frame(0, first.taken_ns, first.image), feed=1), CameraLost)
    assert isinstance(bench.give(frame(60), feed=1), Picture)


def test_k5_a_camera_that_appears_after_twenty_seconds_is_found_without_a_hand(benches: Any, clock: Any) -> None:
    absent = [Feed(opens=SourceFailed("the camera: wanted one, found none: plug it in")) for _ in range(4)]
    bench = benches([*absent, Feed()])
    bench.feeds[4].line.put(frame(0))
    looks: list[Any] = []
    while not looks or not isinstance(looks[-1], Picture):
        looks.append(bench.watched.next(60.0))
        assert len(looks) < 40
    assert bench.waits == [1.0, 2.0, 4.0, 8.0]
    assert {look.why for look in looks[:-1]} == {"the camera: wanted one, found none: plug it in"}


def test_pauses_grow_to_ten_seconds_and_begin_small_after_a_good_time(benches: Any, clock: Any) -> None:
    bench = benches([*(Feed(opens=SourceFailed("no")) for _ in range(6)), Feed(), Feed()])
    for _ in range(12):
        bench.watched.next(60.0)
    assert bench.waits == [1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
    for n in range(12):
        assert isinstance(bench.give(frame(n), feed=6), Picture)
        clock.pass_ms(1000)
    assert bench.give(SourceFailed("pulled out"), feed=6) == CameraLost("pulled out", 1.0)


def test_a_wait_for_the_next_attempt_is_no_longer_than_asked_for(benches: Any) -> None:
    bench = benches([Feed(opens=SourceFailed("no"))])
    bench.watched.next(5.0)
    bench.watched.next(0.25)
    assert bench.waits == [0.25]


def test_a_pulled_plug_is_told_in_the_cameras_own_words(benches: Any) -> None:
    bench = benches([Feed()])
    bench.give(frame(0))
    assert bench.give(SourceFailed("USB camera 0: check its plug")) == CameraLost("USB camera 0: check its plug", 1.0)
    assert bench.feeds[0].closed.is_set()


def test_a_live_camera_that_ends_is_lost(benches: Any) -> None:
    bench = benches([Feed()])
    look = bench.give(None)
    assert isinstance(look, CameraLost)
    assert "found that they stopped" in look.why


def test_broken_code_is_raised_to_the_watch_loop_and_the_watch_lives_on(benches: Any, clock: Any) -> None:
    bench = benches([Feed(), Feed()])
    with pytest.raises(ZeroDivisionError):
        bench.give(ZeroDivisionError("in a source"))
    clock.pass_ms(1000)
    assert isinstance(bench.give(frame(0), feed=1), Picture)


@pytest.mark.parametrize(("second", "oddities"), [
    (frame(1), set()),
    (frame(1, size=(96, 64)), {Oddity.SIZE}),
    (frame(1, swapped=True), {Oddity.SWAPPED}),
    (frame(1, size=(128, 192), swapped=True), {Oddity.SIZE, Oddity.SWAPPED}),
    (Frame(0, 1, np.clip(frame(1).image.astype(np.int16) + 60, 0, 255).astype(np.uint8)), set()),
    (Frame(0, 1, frame(1).image // 2), set()),
], ids=["as before", "another size", "red and blue swapped", "both", "a lamp switched on", "a lamp switched off"])
def test_size_change_and_swapped_channels_are_noticed(benches: Any, second: Frame, oddities: set[Oddity]) -> None:
    bench = benches([Feed()])
    bench.give(frame(0))
    look = bench.give(second)
    assert look.oddities == oddities
    bench.watched.adopt()
    assert bench.give(Frame(0, 2, second.image ^ np.uint8(1))).oddities == set()


def test_swapped_channels_stay_noticed_until_they_are_right(benches: Any) -> None:
    bench = benches([Feed()])
    found = [bench.give(frame(n, swapped=n in (1, 2, 3))).oddities for n in range(5)]
    assert found == [set(), *[{Oddity.SWAPPED}] * 3, set()]


def test_swapped_channels_are_not_taken_for_normal_because_of_an_arm(benches: Any) -> None:
    """An arm over half of the picture makes it unlike the normal one either way."""
    bench = benches([Feed()])
    bench.give(frame(0))
    assert bench.give(frame(1, swapped=True)).oddities == {Oddity.SWAPPED}
    arm = frame(2, swapped=True).image.copy()
    arm[:, :48] = (60, 200, 130)
    assert bench.give(Frame(0, 200_000_000, arm)).oddities == {Oddity.SWAPPED}
    assert bench.give(frame(3, swapped=True)).oddities == {Oddity.SWAPPED}
    assert bench.give(frame(4)).oddities == set()


def test_a_camera_of_another_size_is_lost_within_five_seconds_and_opened_anew(benches: Any, clock: Any) -> None:
    bench = benches([Feed(), Feed()])
    bench.give(frame(0))
    looks: list[Any] = []
    while not looks or isinstance(looks[-1], Picture):
        looks.append(bench.give(frame(len(looks) + 1, size=(96, 64))))
        clock.pass_ms(100)
    assert len(looks) == 31, "said after 3 s"
    assert "wanted pictures of 96x64 px, found 64x96" in looks[-1].why
    clock.pass_ms(1000)
    assert isinstance(bench.give(frame(40, size=(96, 64)), feed=1), CameraLost), "still of another size: not found"
    assert isinstance(bench.give(frame(41), feed=1), Picture)
    assert isinstance(bench.give(frame(42, size=(96, 64)), feed=1), Picture), "one odd picture is no loss"


def test_a_recording_comes_whole_in_order_and_ends(benches: Any) -> None:
    bench = benches([Feed()], live=False)
    same = frame(3)
    for item in (same, same, same, None):
        bench.feeds[0].line.put(item)
    looks = [bench.watched.next(5.0) for _ in range(5)]
    assert [type(look) for look in looks] == [Picture, Picture, Picture, Ended, Ended]
    assert bench.watched.dropped == 0


def test_a_recordings_bad_picture_is_raised(benches: Any) -> None:
    bench = benches([Feed()], live=False)
    with pytest.raises(BadPicture, match="cut short"):
        bench.give(BadPicture("0003.jpg: cut short"))


def test_after_close_there_is_an_end(benches: Any) -> None:
    bench = benches([Feed()])
    bench.give(frame(0))
    bench.feeds[0].line.put(None)
    bench.watched.close()
    assert bench.watched.next(0.0) == Ended()
    assert bench.feeds[0].closed.is_set()


def test_the_slot_keeps_the_newest_and_counts_the_dropped() -> None:
    slot: Slot[int] = Slot()
    assert all(slot.put(n) for n in range(5))
    assert (slot.take(0.0), slot.dropped, slot.take(0.0)) == (4, 4, None)
    slot.put(5)
    slot.close()
    assert (slot.put(6), slot.take(0.0), slot.take(1000.0)) == (False, 5, None)


def test_a_slot_that_keeps_all_makes_its_maker_wait() -> None:
    slot: Slot[int] = Slot(keep_all=True)
    maker = threading.Thread(target=lambda: [slot.put(n) for n in range(50)])
    maker.start()
    assert [slot.take(5.0) for _ in range(50)] == list(range(50))
    maker.join(5.0)
    assert (slot.dropped, maker.is_alive()) == (0, False)
