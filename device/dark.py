"""Switches every output pin off and leaves: `python -m device.dark [PIN...]`.

For the time after a crash or a kill, when no code of the dead process runs any more: systemd
calls it as ExecStopPost. Without arguments, the pins of the wiring table.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import gpiozero

from device.pins import HEADER, Pins, pin_errors


def darken(pins: Sequence[int], factory: Any = None) -> None:
    """Drive each pin low and let go of it. Raises what gpiozero raises, after trying them all."""
    failed: Exception | None = None
    for pin in pins:
        try:
            gpiozero.DigitalOutputDevice(pin, initial_value=False, pin_factory=factory).close()
        except pin_errors() as error:
            failed = error
    if failed is not None:
        raise failed


def main(words: Sequence[str], factory: Any = None) -> int:
    """Exit code 0 done, 1 no GPIO here or in use, 2 wrong words."""
    if any(not word.isdecimal() or int(word) not in HEADER for word in words):
        print(f"wanted BCM pins from {HEADER[0]} to {HEADER[-1]}, found {' '.join(words)}: correct them",
              file=sys.stderr)
        return 2
    try:
        darken([int(word) for word in words] or [pin for _, pin in Pins().outputs()], factory)
    except pin_errors() as error:
        print(f"wanted the pins off, found: {error}: end what uses them", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
