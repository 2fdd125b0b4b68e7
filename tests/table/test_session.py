"""The session: one watch thread, a queue for everybody else, and a view for the page. K1, R2, U1, U4, A6."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from device.button import Press
from device.button import Wish as Pressed
from device.cues import Cue, Sound
from device.panel import QuietPanel
from device.watched import CameraLost, Ended, Look, Oddity, Picture, Waiting
from rules.catalogue import game_named
from rules.words import Cell, Colour, Layout, Piece
from table.evening import Evening
from table.journal import Journal
from table.session import Session
from tests.table.scripted import KIT, observed
from tests.table.scripted_evening import GAME, setup_of
from vision.frame import Frame, Image
from vision.observation import Observation
from webui.desk import Correct, Desk, Request, SetSound, Undo

RED = Piece("small", Colour("red"))


class ScriptedCamera:
    """Gives looks from a list, then `Ended`; counts how often it was closed."""

    def __init__(self, looks: Iterable[Look] = ()) -> None:
        self.looks: Iterator[Look] = iter(looks)
        self.closed = 0

    def next(self, timeout_s: float) -> Look:
        return next(self.looks, Ended())

    def close(self) -> None:
        self.closed += 1


class ScriptedWatcher:
    """Reads every picture as the table that it is told."""

    def __init__(self) -> None:
        self.table: dict[Cell, Piece] = dict(GAME.layout(GAME.start(setup_of())).pieces)
        self.fails = False

    def observe(self, frame: Frame) -> Observation:
        if self.fails:
            raise RuntimeError("a fault in the reader")
        corners = np.array([[10.0, 90.0], [90.0, 90.0], [90.0, 10.0], [10.0, 10.0]])
        seen = observed(Layout(dict(self.table)), frame.seq, frame.taken_ns)
        return Observation(seen.frame_seq, seen.taken_ns, seen.board, seen.sightings, corners_px=corners)


class Bench:
    def __init__(self, path: Path, draw: Callable[[Image, Observation], Image] | None = None) -> None:
        self.journal, self.panel, self.watcher = Journal(path), QuietPanel(), ScriptedWatcher()
        self.camera = ScriptedCamera()
        self.evening = Evening(self.journal, game_named, KIT.visible)
        self.now_ns = 0
        self.session = Session(self.evening, self.camera, self.watcher, self.panel, draw=draw,
                               clock_ns=lambda: self.now_ns)
        self.evening.listen(self.session.heard)
        self.evening.open("gridlock", setup_of())
        self.seq = 0

    def look(self, *looks: Look) -> None:
        self.camera.looks = iter(looks)
        for _ in looks:
            self.session.step()

    def rest(self, count: int = 12) -> None:
        """So many pictures, a tenth of a second apart."""
        for _ in range(count):
            self.seq += 1
            self.now_ns += 100_000_000
            self.look(Picture(Frame(self.seq, self.now_ns, np.zeros((100, 100, 3), np.uint8))))

    def play(self, text: str) -> None:
        state = self.evening.story.match.state
        self.watcher.table = dict(GAME.layout(GAME.play(state, GAME.read(text, state))).pieces)
        self.rest()

    def ask(self, wish: Undo | SetSound | Correct, key: str = "one") -> str:
        return self.session.request(Request(key, self.session.view().seq, wish)).code


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path / "j.sqlite")
    yield made
    made.session.stop()
    made.journal.close()


def test_it_is_the_desk_that_the_web_asks_for(bench: Bench) -> None:
    desk: Desk = bench.session
    bench.rest(1)
    assert desk.view().phase == "place"


def test_the_view_follows_the_table_and_lamps_follow_the_view(bench: Bench) -> None:
    assert bench.panel.cue is Cue.SETTING_UP
    bench.rest()
    assert (bench.panel.cue, bench.panel.seat) == (Cue.LISTENING, 0)
    bench.play("S:Sa1")
    view = bench.session.view()
    assert view.layout.pieces[Cell(0, 0)] == RED
    assert (view.to_move, view.last_cells, view.can_undo) == (1, (Cell(0, 0),), True)
    assert view.notices[-1].said.en == "Red placed small red on a1."
    assert (bench.panel.cue, bench.panel.seat) == (Cue.YES, 1)
    assert view.health.state == "waiting"


def test_an_illegal_action_says_what_is_wrong_and_what_to_put_where(bench: Bench) -> None:
    bench.rest()
    bench.watcher.table[Cell(1, 4)] = Piece("small", Colour("green"))
    bench.rest()
    view = bench.session.view()
    assert view.alert is not None
    assert "not" in view.alert.said.en
    assert "b5" in view.alert.said.en
    assert [(c.cell, c.after) for c in view.put_right] == [(Cell(1, 4), None)]
    assert (bench.panel.cue, view.health.state) == (Cue.NO, "put-right")
    del bench.watcher.table[Cell(1, 4)]
    bench.rest()
    assert bench.session.view().alert is None
    assert bench.panel.cue is Cue.RESTORED


def test_a_revision_comes_only_with_something_to_see(bench: Bench) -> None:
    bench.rest(20)
    revision = bench.session.view().revision
    bench.rest(20)
    assert bench.session.view().revision == revision
    bench.play("S:Sa1")
    assert bench.session.view().revision > revision


def test_k1_a_lost_camera_is_said_and_requests_are_answered_all_the_while(bench: Bench) -> None:
    bench.rest()
    bench.play("S:Sa1")
    bench.look(CameraLost("the camera hangs", 1.0), CameraLost("the camera hangs", 0.5))
    view = bench.session.view()
    assert (view.health.state, view.health.camera_ok, bench.panel.cue) == ("camera-lost", False, Cue.TROUBLE)
    assert bench.session.picture() is None
    assert bench.ask(Undo()) == "done"
    bench.rest(2)
    assert bench.session.view().health.camera_ok


def test_red_and_blue_exchanged_are_said_and_exchanged_back(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """No picture with wrong colours is ever read: a red piece would be taken for a blue one."""
    bench.rest()
    image, seen = np.zeros((100, 100, 3), np.uint8), []
    image[..., 0] = 200
    observe = bench.watcher.observe

    def noted(frame: Frame) -> Observation:
        seen.append(frame.image[0, 0].tolist())
        return observe(frame)

    monkeypatch.setattr(bench.watcher, "observe", noted)
    bench.look(Picture(Frame(100, 2 * 10**9, image), frozenset({Oddity.SWAPPED})))
    assert seen == [[0, 0, 200]]
    assert "red and blue" in bench.session.view().health.said.en
    bench.look(Picture(Frame(101, 2 * 10**9 + 10**8, image)))
    assert seen[-1] == [200, 0, 0]
    assert bench.session.view().health.state == "waiting"


def test_a_picture_of_another_size_is_said_and_not_read(bench: Bench) -> None:
    bench.rest()
    bench.watcher.fails = True
    bench.look(Picture(Frame(100, 2 * 10**9, np.zeros((80, 120, 3), np.uint8)), frozenset({Oddity.SIZE})))
    assert "size" in bench.session.view().health.said.en


def test_a_fault_in_the_reader_is_told_and_the_table_goes_on(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    bench.rest()
    bench.watcher.fails = True
    told = threading.Event()
    frames = [Picture(Frame(1000 + i, 10**12 + i * 10**8, np.zeros((100, 100, 3), np.uint8))) for i in range(3)]

    def looks() -> Iterator[Look]:
        yield frames[0]
        told.set()
        while True:
            yield Waiting()

    bench.camera.looks = looks()
    bench.session.start()
    assert told.wait(5)
    revision = 0
    for _ in range(50):
        view = bench.session.wait(revision, 0.2)
        revision = view.revision
        if "fault" in view.health.said.en or bench.ask(SetSound("some"), "k") == "done":
            break
    assert bench.ask(SetSound("wrong"), "k2") == "done"
    assert any("watch loop" in record.message for record in caplog.records)


def test_u4_two_taps_in_parallel_act_once(bench: Bench) -> None:
    bench.rest()
    bench.play("S:Sa1")
    bench.play("W:Sa5")
    bench.camera.looks = iter(lambda: Waiting(), None)
    bench.session.start()
    seq, receipts = bench.session.view().seq, []
    threads = [threading.Thread(target=lambda: receipts.append(bench.session.request(Request("tap", seq, Undo()))))
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    assert [receipt.code for receipt in receipts] == ["done"] * 4
    assert len(bench.evening.story.match.plays) == 1


def test_who_waits_is_woken_by_the_next_revision(bench: Bench) -> None:
    bench.rest()
    revision, seen = bench.session.view().revision, []
    waiter = threading.Thread(target=lambda: seen.append(bench.session.wait(revision, 5.0).revision))
    waiter.start()
    bench.play("S:Sa1")
    waiter.join(5)
    assert seen[0] > revision


def test_a_press_takes_back_and_a_lamp_that_fails_stops_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bench.rest()

    def broken(cue: Cue) -> None:
        raise OSError("no such pin")

    monkeypatch.setattr(bench.panel, "show", broken)
    bench.play("S:Sa1")
    bench.session.pressed(Press(0, Pressed.UNDO))
    bench.rest(1)
    assert bench.evening.story.match.plays == ()
    assert any("panel" in record.message for record in caplog.records)


def test_a3_the_sound_level_reaches_the_panel(bench: Bench) -> None:
    assert bench.ask(SetSound("off")) == "done"
    assert bench.panel.sound is Sound.OFF
    assert bench.session.view().sound == "off"


def test_r7_alternatives_come_likeliest_first_with_what_the_match_expects(bench: Bench) -> None:
    bench.rest()
    bench.play("S:Sa1")
    ranked = bench.session.alternatives(Cell(0, 0))
    assert ranked[0][0] == RED
    assert None in [piece for piece, _ in ranked]
    assert len(bench.session.pieces()) == 4 * 3 * 5 + 1


def test_u2_five_phones_that_ask_for_one_picture_have_it_drawn_once(tmp_path: Path) -> None:
    drawn: list[int] = []

    def draw(image: Image, observation: Observation) -> Image:
        drawn.append(1)
        return image

    bench = Bench(tmp_path / "drawn.sqlite", draw)
    bench.rest(1)
    pictures: list[bytes | None] = []
    phones = [threading.Thread(target=lambda: pictures.append(bench.session.picture())) for _ in range(5)]
    for phone in phones:
        phone.start()
    for phone in phones:
        phone.join(5)
    assert len(set(pictures)) == 1
    assert len(drawn) == 1
    bench.rest(1)
    bench.session.picture()
    assert len(drawn) == 2, "the next picture is another"
    bench.session.stop()
    bench.journal.close()


def test_a_question_has_cut_outs_of_the_picture(bench: Bench) -> None:
    bench.rest()
    medium, large = Piece("medium", Colour("red")), Piece("large", Colour("red"))
    for i in range(40):
        bench.watcher.table[Cell(2, 3)] = large if i % 2 else medium
        bench.rest(1)
    question = bench.session.view().question
    assert question is not None
    assert {c.said.en for c in question.choices} == {
        "Red placed medium red on c4.", "Red placed large red on c4.", "Nothing was done"}
    assert all(choice.cut_png.startswith(b"\x89PNG") for choice in question.choices)
    picture = bench.session.picture()
    assert picture is not None
    assert picture.startswith(b"\xff\xd8")
