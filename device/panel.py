"""The lights, the buzzer and the buttons on the table, and a quiet stand-in with the same calls.

Everything is off when a panel is closed, and it is closed at the normal end, after an exception
(`with`), at interpreter exit (atexit) and, with `off_when_terminated`, on SIGTERM and SIGHUP.
For a killed process there is `python -m device.dark`.
"""

from __future__ import annotations

import atexit
import logging
import signal
import threading
import time
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any

import gpiozero
from gpiozero.exc import PinFactoryFallback
from gpiozero.tones import Tone

from device.button import BOUNCE_S, Press, SeatButton
from device.cues import PATTERNS, Cue, Sound, beep_at, is_audible, light_at
from device.pins import SEATS, PanelFailed, Pins, pin_errors

log = logging.getLogger(__name__)

Told = Callable[[Press], None]


def _nobody(press: Press) -> None:
    """Takes presses while nobody has asked for them."""


def checked_seat(seat: int | None) -> int | None:
    """`seat` if it is 0 to 3 or None, else `ValueError`."""
    if seat is not None and seat not in range(len(SEATS)):
        raise ValueError(f"wanted a seat from 0 to 3 or None, found {seat!r}: name one of the table's four sides")
    return seat


class QuietPanel:
    """A panel with no hardware: it remembers what it would show. Also the fake for tests."""

    def __init__(self, sound: Sound = Sound.ALL) -> None:
        self.cue, self.seat, self.sound = Cue.DARK, None, sound
        self._told: Told = _nobody

    cue: Cue
    seat: int | None
    sound: Sound

    def open(self) -> None:
        """Nothing to open."""

    def close(self) -> None:
        """Everything off; safe to call twice."""
        self.cue, self.seat = Cue.DARK, None

    def __enter__(self) -> QuietPanel:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def show(self, cue: Cue) -> None:
        """Show a cue until another one is shown."""
        self.cue = cue

    def turn(self, seat: int | None) -> None:
        """Light the lamp of the seat to move; None for no seat."""
        self.seat = checked_seat(seat)

    def set_sound(self, level: Sound) -> None:
        """How much may sound from now on; what sounds and may not, stops at once."""
        self.sound = level

    def silence(self) -> None:
        """Quiet at once, and until `set_sound`."""
        self.set_sound(Sound.OFF)

    def on_press(self, told: Told) -> None:
        """Who is told of presses; it must return soon."""
        self._told = told

    def press(self, press: Press) -> None:
        """As if a button had been pressed."""
        self._told(press)


class Panel:
    """Lights, buzzer and buttons on GPIO pins. `open()` takes the pins; until then nothing is touched.

    Safe from any thread. A lamp that fails later is logged once and not raised: the match goes on.
    `factory` is gpiozero's pin factory (None: the machine's own; `MockFactory` for tests). With
    `threaded` False nobody drives the patterns and the owner calls `tick`.
    """

    def __init__(
        self,
        pins: Pins | None = None,
        sound: Sound = Sound.ALL,
        *,
        factory: Any = None,
        clock_ns: Callable[[], int] = time.monotonic_ns,
        threaded: bool = True,
    ) -> None:
        self._pins = pins or Pins()
        self._factory, self._clock_ns, self._threaded = factory, clock_ns, threaded
        self.cue, self.seat, self.sound = Cue.DARK, None, sound
        self._since_ns = 0
        self._told: Told = _nobody
        self._lamps: dict[str, Any] = {}
        self._buzzer: Any = None
        self._buttons: list[Any] = []
        self._last_hz: int | None = None
        self._failed = False
        self._change = threading.Condition(threading.RLock())
        self._ending = False
        self._thread: threading.Thread | None = None

    cue: Cue
    seat: int | None
    sound: Sound

    def open(self) -> None:
        """Take the pins, all off. Raises `PanelFailed`; then no pin is kept."""
        with self._change:
            if self._lamps:
                return
            try:
                self._take_pins()
            except pin_errors() as error:
                self._give_back()
                raise PanelFailed(
                    f"the panel: wanted the GPIO pins {sorted(p for _, p in self._pins.named())}, found: {error}: "
                    "end what else uses them, install python3-lgpio, or run with --quiet-panel"
                ) from error
            self._ending, self._failed = False, False
            self._since_ns = self._clock_ns()
        atexit.register(self.close)
        if self._threaded:
            self._thread = threading.Thread(target=self._drive, name="panel", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Everything off and every pin given back; safe to call twice."""
        with self._change:
            self._ending = True
            self._change.notify_all()
            self.cue, self.seat = Cue.DARK, None
            self._give_back()
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join(1.0)
        atexit.unregister(self.close)

    def __enter__(self) -> Panel:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def show(self, cue: Cue) -> None:
        """Show a cue until another one is shown; the same cue again begins anew."""
        with self._change:
            self.cue, self._since_ns = cue, self._clock_ns()
            self._refresh()

    def turn(self, seat: int | None) -> None:
        """Light the lamp of the seat to move; None for no seat."""
        with self._change:
            self.seat = checked_seat(seat)
            self._refresh()

    def set_sound(self, level: Sound) -> None:
        """How much may sound from now on; what sounds and may not, stops at once."""
        with self._change:
            self.sound = level
            self._refresh()

    def silence(self) -> None:
        """Quiet at once, and until `set_sound`."""
        self.set_sound(Sound.OFF)

    def on_press(self, told: Told) -> None:
        """Who is told of presses; called on gpiozero's thread, it must return soon."""
        self._told = told

    def tick(self) -> int | None:
        """Set every output as it must be now; the milliseconds until the next change, None if there is none."""
        with self._change:
            if not self._lamps:
                return None
            pattern = PATTERNS[self.cue]
            elapsed_ms = (self._clock_ns() - self._since_ns) // 1_000_000
            light, light_ms = light_at(pattern, elapsed_ms)
            beep, beep_ms = beep_at(pattern, elapsed_ms)
            hz = beep.hz if is_audible(self.cue, self.sound) else 0
            try:
                self._set({"red": light.red, "green": light.green}, hz)
            except pin_errors() as error:
                if not self._failed:
                    log.warning("the panel: wanted to show %s, found %s: the match goes on without lights; "
                                "check the wiring", self.cue.value, error)
                self._failed = True
            return min((ms for ms in (light_ms, beep_ms) if ms is not None), default=None)

    def _refresh(self) -> None:
        self.tick()
        self._change.notify_all()

    def _set(self, legality: dict[str, bool], hz: int) -> None:
        wanted = {f"turn.{name}": seat == self.seat for seat, name in enumerate(SEATS)} | legality
        for name, lit in wanted.items():
            if self._lamps[name].is_lit != lit:
                (self._lamps[name].on if lit else self._lamps[name].off)()
        if self._buzzer is None or hz == self._last_hz:
            return
        if self._pins.tonal and hz:
            self._buzzer.play(Tone.from_frequency(hz))
        elif self._pins.tonal:
            self._buzzer.stop()
        else:
            (self._buzzer.on if hz else self._buzzer.off)()
        self._last_hz = hz

    def _take_pins(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PinFactoryFallback)
            for name, pin in self._pins.lights():
                self._lamps[name] = gpiozero.LED(pin, pin_factory=self._factory)
            if self._pins.sound is not None:
                kind = {"octaves": 2} if self._pins.tonal else {}
                make = gpiozero.TonalBuzzer if self._pins.tonal else gpiozero.Buzzer
                self._buzzer = make(self._pins.sound, pin_factory=self._factory, **kind)
            for seat, pin in enumerate(self._pins.buttons):
                button = gpiozero.Button(pin, pull_up=True, bounce_time=BOUNCE_S, pin_factory=self._factory)
                presses = SeatButton(seat, lambda press: self._told(press), self._clock_ns)
                button.when_pressed, button.when_released = presses.closed, presses.opened
                self._buttons.append(button)

    def _give_back(self) -> None:
        """Close every device; closing an output switches it off. One that fails does not keep the others lit."""
        devices = [*self._lamps.values(), *([] if self._buzzer is None else [self._buzzer]), *self._buttons]
        self._lamps, self._buzzer, self._buttons, self._last_hz = {}, None, [], None
        for device in devices:
            try:
                if isinstance(device, gpiozero.Button):
                    device.when_pressed = device.when_released = None
                elif isinstance(device, gpiozero.TonalBuzzer):
                    device.stop()
                else:
                    device.off()
                device.close()
            except pin_errors() as error:
                log.warning("the panel: wanted to switch %r off, found %s: unplug the panel", device, error)

    def _drive(self) -> None:
        with self._change:
            while not self._ending:
                wait_ms = self.tick()
                self._change.wait(None if wait_ms is None else max(wait_ms, 1) / 1000)


def off_when_terminated(close: Callable[[], None]) -> None:
    """Call `close` when the process is told to end (SIGTERM, SIGHUP), then end as before: the
    handler that was there is called, or the process exits with 128 + the signal's number.
    Only from the main thread; else `ValueError`, as `signal.signal` says.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        before = signal.getsignal(number)

        def ended(found: int, frame: FrameType | None, before: Any = before) -> None:
            close()
            if callable(before):
                before(found, frame)
            elif before is not signal.SIG_IGN:
                raise SystemExit(128 + found)

        signal.signal(number, ended)


AnyPanel = Panel | QuietPanel
"""What `table` holds: it need not know which."""
