"""Which pin does what: BCM numbers, checked once.

DeviceError
 +-- BadPins      (ValueError)  a pin named twice, reserved or not there
 +-- PanelFailed  (OSError)     the pins cannot be had: no GPIO here, or in use
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from gpiozero.exc import GPIOZeroError

PWM_CHANNEL = {12: 0, 18: 0, 13: 1, 19: 1}
"""BCM pin -> channel of the Pi's PWM timer; two pins of one channel follow one timer
(BCM2711 ARM Peripherals, chapter 8)."""
HEADER = range(2, 28)
"""BCM numbers on the 40-pin header that a program may use: 0 and 1 belong to the HAT's EEPROM."""
SEATS = ("south", "west", "north", "east")


class DeviceError(Exception):
    """Any error of this room."""


class BadPins(DeviceError, ValueError):
    """A wiring that cannot work; the message says which pin and what to do."""


class PanelFailed(DeviceError, OSError):
    """The lights, buzzer or buttons cannot be had."""


@dataclass(frozen=True, slots=True)
class Pins:
    """The wiring, in BCM numbers. `turn` and `buttons` go by seat: south, west, north, east.

    `buttons` may be empty, `sound` None. `tonal`: the buzzer is passive (piezo) and is given a
    pitch; else it is active and only switched. Raises `BadPins`.
    """

    turn: tuple[int, ...] = (17, 27, 22, 23)
    green: int = 24
    red: int = 25
    sound: int | None = 12
    tonal: bool = True
    buttons: tuple[int, ...] = (5, 6, 16, 26)

    def __post_init__(self) -> None:
        if len(self.turn) != len(SEATS):
            raise BadPins(f"turn: wanted 4 pins (south, west, north, east), found {len(self.turn)}: give one a seat")
        if len(self.buttons) not in (0, len(SEATS)):
            raise BadPins(f"buttons: wanted 4 pins or none, found {len(self.buttons)}: give one a seat, or none at all")
        used: dict[int, str] = {}
        for name, pin in self.named():
            if isinstance(pin, bool) or not isinstance(pin, int) or pin not in HEADER:
                raise BadPins(f"{name}: wanted a BCM pin from {HEADER[0]} to {HEADER[-1]}, found {pin!r}: "
                              "see the wiring table in device/README.md")
            if pin in used:
                raise BadPins(f"{name}: wanted a pin of its own, found {pin}, which {used[pin]} has: "
                              "move one of the two")
            used[pin] = name
        self._check_timers()

    def _check_timers(self) -> None:
        """A tone changes its timer's speed, and a light on the same timer goes wild with it."""
        if self.sound is None or not self.tonal or self.sound not in PWM_CHANNEL:
            return
        for name, pin in self.lights():
            if PWM_CHANNEL.get(pin) == PWM_CHANNEL[self.sound]:
                raise BadPins(f"{name}: wanted a light and a sound on different timers, found {pin} and {self.sound} "
                              f"both on PWM channel {PWM_CHANNEL[pin]}: move the light to another pin")

    def lights(self) -> tuple[tuple[str, int], ...]:
        """Name and pin of every light."""
        turn = tuple((f"turn.{seat}", pin) for seat, pin in zip(SEATS, self.turn, strict=True))
        return (*turn, ("green", self.green), ("red", self.red))

    def outputs(self) -> tuple[tuple[str, int], ...]:
        """Name and pin of everything that must be off at the end."""
        return self.lights() if self.sound is None else (*self.lights(), ("sound", self.sound))

    def named(self) -> tuple[tuple[str, int], ...]:
        """Name and pin of everything."""
        buttons = tuple((f"button.{seat}", pin) for seat, pin in zip(SEATS, self.buttons, strict=False))
        return (*self.outputs(), *buttons)


def pin_errors() -> tuple[type[Exception], ...]:
    """What a pin can raise. lgpio's error is a bare Exception, known only where lgpio is loaded."""
    lgpio_error = getattr(sys.modules.get("lgpio"), "error", None)
    known: tuple[type[Exception], ...] = (GPIOZeroError, OSError)
    return (*known, lgpio_error) if isinstance(lgpio_error, type) else known
