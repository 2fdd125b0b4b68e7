"""The panel on mock pins, and the quiet one: the same calls, the same answers."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory

from device.button import Press, Wish
from device.cues import Cue, Sound
from device.dark import main as dark
from device.panel import AnyPanel, Panel, QuietPanel
from device.pins import PanelFailed, Pins

ROOT = Path(__file__).parents[2]
PINS = Pins()


def states(factory: MockFactory, pin: int) -> list[float]:
    """Every state the pin has had, in order: the whole list, unlike gpiozero's own comparison."""
    return [float(state.state) for state in factory.pin(pin).states]


@pytest.fixture
def panel(factory: MockFactory, clock: Any) -> Iterator[Panel]:
    with Panel(PINS, factory=factory, clock_ns=clock, threaded=False) as panel:
        yield panel


@pytest.fixture(params=["quiet", "mock pins"])
def any_panel(request: pytest.FixtureRequest, factory: MockFactory, clock: Any) -> Iterator[AnyPanel]:
    made: AnyPanel = QuietPanel() if request.param == "quiet" else Panel(
        PINS, factory=factory, clock_ns=clock, threaded=False)
    with made:
        yield made


def test_both_panels_show_what_they_are_told(any_panel: AnyPanel) -> None:
    any_panel.show(Cue.NO)
    any_panel.turn(2)
    any_panel.set_sound(Sound.SOME)
    assert (any_panel.cue, any_panel.seat, any_panel.sound) == (Cue.NO, 2, Sound.SOME)
    any_panel.silence()
    any_panel.turn(None)
    assert (any_panel.cue, any_panel.seat, any_panel.sound) == (Cue.NO, None, Sound.OFF)
    any_panel.close()
    any_panel.close()
    assert (any_panel.cue, any_panel.seat) == (Cue.DARK, None)


@pytest.mark.parametrize("seat", [-1, 4])
def test_both_panels_refuse_a_seat_that_is_none(any_panel: AnyPanel, seat: int) -> None:
    with pytest.raises(ValueError, match="wanted a seat from 0 to 3"):
        any_panel.turn(seat)


def test_both_panels_have_the_same_public_calls() -> None:
    def public(kind: type) -> set[str]:
        return {name for name in dir(kind) if not name.startswith("_")}

    assert public(Panel) - public(QuietPanel) == {"tick"}
    assert public(QuietPanel) - public(Panel) == {"press"}


def test_the_turn_light_moves_from_seat_to_seat(panel: Panel, factory: MockFactory) -> None:
    for seat in (0, 1, 1, None):
        panel.turn(seat)
    assert [states(factory, pin) for pin in PINS.turn] == [[0, 1, 0], [0, 1, 0], [0], [0]]


def test_no_blinks_red_and_sounds_twice(panel: Panel, factory: MockFactory, clock: Any) -> None:
    panel.show(Cue.NO)
    for _ in range(11):
        clock.pass_ms(100)
        panel.tick()
    assert states(factory, PINS.red) == [0, 1, 0, 1, 0, 1]
    assert states(factory, PINS.green) == [0]
    # PWM: half the time on while it sounds.
    assert [state > 0 for state in states(factory, 12)] == [False, True, False, True, False]


def test_tick_tells_when_it_wants_to_be_called_again(panel: Panel, clock: Any) -> None:
    panel.show(Cue.NO)
    waits = []
    for _ in range(4):
        wait = panel.tick()
        assert wait is not None
        waits.append(wait)
        clock.pass_ms(wait)
    assert waits == [250, 100, 150, 250]
    panel.show(Cue.DARK)
    clock.pass_ms(5000)
    assert panel.tick() is None


def test_a3_one_call_silences_in_the_middle_of_a_tone(panel: Panel, factory: MockFactory, clock: Any) -> None:
    panel.show(Cue.NO)
    clock.pass_ms(100)
    panel.silence()
    for _ in range(10):
        clock.pass_ms(100)
        panel.tick()
    assert [state > 0 for state in states(factory, 12)] == [False, True, False]
    assert states(factory, PINS.red)[:3] == [0, 1, 0]


def test_a2_lights_stay_right_while_a_tone_sounds(panel: Panel, factory: MockFactory, clock: Any) -> None:
    panel.turn(3)
    panel.show(Cue.OVER)
    for _ in range(20):
        clock.pass_ms(50)
        panel.tick()
    assert states(factory, PINS.turn[3]) == [0, 1]
    assert any(state > 0 for state in states(factory, 12))


def test_a_plain_buzzer_is_only_switched(factory: MockFactory, clock: Any) -> None:
    with Panel(Pins(tonal=False), factory=factory, clock_ns=clock, threaded=False) as panel:
        panel.show(Cue.YES)
        clock.pass_ms(80)
        panel.tick()
        assert states(factory, 12) == [0, 1, 0]


@pytest.mark.parametrize(("held_ms", "presses"), [
    (50, [Press(1, Wish.DONE)]), (799, [Press(1, Wish.DONE)]), (800, [Press(1, Wish.UNDO)]), (20_000, []),
], ids=["short: done", "just short", "long: undo", "something lies on it"])
def test_a_press_says_done_or_undo(panel: Panel, factory: MockFactory, clock: Any, held_ms: int,
                                   presses: list[Press]) -> None:
    told: list[Press] = []
    panel.on_press(told.append)
    contact = factory.pin(PINS.buttons[1])
    contact.drive_low()
    clock.pass_ms(held_ms)
    contact.drive_high()
    assert told == presses


def test_a_press_that_nobody_waits_for_is_lost_quietly(panel: Panel, factory: MockFactory) -> None:
    contact = factory.pin(PINS.buttons[0])
    contact.drive_low()
    contact.drive_high()
    assert panel.cue is Cue.DARK


def test_a6_a_lamp_stays_lit_when_garbage_is_collected(factory: MockFactory, clock: Any) -> None:
    def lit() -> Any:
        panel = Panel(PINS, factory=factory, clock_ns=clock, threaded=False)
        panel.open()
        panel.turn(0)
        panel.show(Cue.PARTWAY)
        return panel.close

    close = lit()
    gc.collect()
    assert (states(factory, PINS.turn[0]), states(factory, PINS.green)) == ([0, 1], [0, 1])
    close()


def test_a6_an_open_panel_that_nobody_holds_stays_lit(factory: MockFactory) -> None:
    # atexit holds it, so that it is switched off at the end and not before.
    Panel(PINS, factory=factory, threaded=False).open()
    gc.collect()
    with pytest.raises(PanelFailed, match="in use"):
        Panel(PINS, factory=factory, threaded=False).open()


@pytest.mark.parametrize("ends", ["normally", "by an exception"])
def test_a1_everything_is_off_at_the_end(factory: MockFactory, clock: Any, ends: str) -> None:
    panel = Panel(PINS, factory=factory, clock_ns=clock, threaded=False)
    try:
        with panel:
            panel.turn(1)
            panel.show(Cue.ASK)
            assert [states(factory, pin)[-1] > 0 for _, pin in PINS.outputs()] == [0, 1, 0, 0, 1, 1, 1]
            if ends != "normally":
                raise RuntimeError("broken code")
    except RuntimeError:
        pass
    assert [states(factory, pin)[-1] for _, pin in PINS.outputs()] == [0] * 7


def test_one_device_that_fails_to_close_does_not_keep_the_others_lit(
        factory: MockFactory, clock: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    panel = Panel(PINS, factory=factory, clock_ns=clock, threaded=False)
    panel.open()
    panel.turn(0)
    panel.show(Cue.ASK)

    def broken() -> None:
        raise OSError("the wire came off")

    monkeypatch.setattr(panel._lamps["turn.south"], "off", broken)
    panel.close()
    assert "wire came off" in caplog.text
    assert [states(factory, pin)[-1] for pin in (PINS.red, PINS.green)] == [0, 0]
    factory.reset()


def test_a_lamp_that_fails_is_logged_once_and_not_raised(
        panel: Panel, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> None:
        raise OSError("the wire came off")

    monkeypatch.setattr(panel._lamps["red"], "on", broken)
    panel.show(Cue.NO)
    panel.show(Cue.NO)
    assert caplog.text.count("the match goes on without lights") == 1


def test_pins_in_use_are_refused_and_the_first_user_unharmed(panel: Panel, factory: MockFactory) -> None:
    panel.turn(0)
    with pytest.raises(PanelFailed, match=r"wanted the GPIO pins \[5, 6, 12.*in use.*--quiet-panel"):
        Panel(PINS, factory=factory, threaded=False).open()
    panel.turn(1)
    assert [states(factory, pin) for pin in PINS.turn[:2]] == [[0, 1, 0], [0, 1]]


def test_its_own_thread_drives_the_patterns(factory: MockFactory) -> None:
    blinked = threading.Event()
    with Panel(PINS, sound=Sound.OFF, factory=factory) as panel:
        red = factory.pin(PINS.red)
        plain = red._set_state

        def seen(value: float) -> None:
            plain(value)
            if states(factory, PINS.red)[-4:] == [0, 1, 0, 1]:
                blinked.set()

        red._set_state = seen
        panel.show(Cue.NO)
        assert blinked.wait(5.0)
    assert not any(thread.name == "panel" for thread in threading.enumerate())


SCRIPT = """
import sys, time
from gpiozero.pins.mock import MockFactory, MockPWMPin
from device.cues import Cue
from device.panel import Panel, off_when_terminated
from device.pins import Pins
factory = MockFactory(pin_class=MockPWMPin)
panel = Panel(factory=factory)
panel.open()
off_when_terminated(panel.close)
panel.turn(2); panel.show(Cue.ASK)
def tell():
    print("off", [float(factory.pin(pin).states[-1].state) for _, pin in Pins().outputs()], flush=True)
plain = Panel._give_back
def told(self):
    plain(self); tell()
Panel._give_back = told
print("lit", int(factory.pin(22).state), flush=True)
ENDING
"""


@pytest.mark.parametrize(("ending", "code"), [
    ("sys.stdin.read()", 128 + signal.SIGTERM), ("", 0), ("raise KeyError('broken code')", 1),
], ids=["told to end", "atexit", "a crash"])
def test_a1_lights_are_off_after_the_program_has_ended(ending: str, code: int) -> None:
    child = subprocess.Popen([sys.executable, "-c", SCRIPT.replace("ENDING", ending)], cwd=ROOT, text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert child.stdout is not None
    assert child.stdout.readline() == "lit 1\n"
    if code > 128:
        child.send_signal(signal.SIGTERM)
    out, _ = child.communicate(timeout=20)
    assert out.splitlines()[0] == f"off {[0.0] * 7}", out
    assert child.returncode == code


@pytest.mark.parametrize(("words", "code", "pins"), [
    (["17", "25"], 0, {17: [0], 25: [0]}), ([], 0, {17: [0], 12: [0]}), (["99"], 2, {}), (["red"], 2, {}),
], ids=["some pins", "all of the wiring table", "no such pin", "no number"])
def test_dark_switches_pins_off_after_a_kill(factory: MockFactory, capsys: pytest.CaptureFixture[str],
                                             words: list[str], code: int, pins: dict[int, list[float]]) -> None:
    assert dark(words, factory) == code
    assert {pin: states(factory, pin) for pin in pins} == pins
    assert (capsys.readouterr().err == "") == (code == 0)


def test_dark_says_so_when_the_pins_are_in_use(panel: Panel, factory: MockFactory,
                                               capsys: pytest.CaptureFixture[str]) -> None:
    assert dark(["17"], factory) == 1
    assert "end what uses them" in capsys.readouterr().err
