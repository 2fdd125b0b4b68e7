"""Exposures that the mains light cannot make pulse.

A lamp on 50 Hz pulses 100 times a second, on 60 Hz 120 times. An exposure that lasts a whole
number of pulses gathers the same light wherever it begins, so neither bands nor flicker show.
"""

from __future__ import annotations

from dataclasses import dataclass

MAINS_HZ = (50, 60)
LEAST_GAIN = 1.0
MOST_GAIN = 12.0
"""Above it the noise drowns the pieces' colours."""


@dataclass(frozen=True, slots=True)
class Exposure:
    """What to lock the camera to. `is_steady`: it is a whole number of the lamp's pulses."""

    us: int
    gain: float
    is_steady: bool


def pulse_us(mains_hz: int) -> float:
    """How long one pulse of a lamp lasts: 10 000 us on 50 Hz, 8 333.3 us on 60 Hz. Else `ValueError`."""
    if mains_hz not in MAINS_HZ:
        raise ValueError(f"mains_hz: wanted 50 or 60, found {mains_hz}: see the label of any mains adapter")
    return 500_000 / mains_hz


def steady_exposure(measured_us: float, gain: float, mains_hz: int, longest_us: float) -> Exposure:
    """The exposure of a whole number of pulses nearest to `measured_us` that is as bright.

    The gain takes up the difference, within 1 to 12; at a gain of 12 the picture is darker than
    measured. Where even one pulse at a gain of 1 would be too bright by a fifth, the light is
    daylight, the lamp's pulse does not count, and the measured exposure is kept. `longest_us` is
    what the frame rate allows, at least one pulse. Raises `ValueError`.
    """
    pulse = pulse_us(mains_hz)
    if longest_us < pulse:
        raise ValueError(f"longest exposure: wanted at least one pulse ({pulse:.0f} us), found {longest_us:.0f}: "
                         "set a lower frame rate")
    light = measured_us * gain
    if light * 1.2 < pulse * LEAST_GAIN:
        return Exposure(round(measured_us), max(gain, LEAST_GAIN), False)
    most = int(longest_us // pulse)
    # Not longer than the light allows at the least gain, or the picture would clip.
    count = max(1, min(most, round(measured_us / pulse), int(light * 1.2 / (pulse * LEAST_GAIN))))
    while count < most and light / (count * pulse) > MOST_GAIN:
        count += 1
    return Exposure(round(count * pulse), min(max(light / (count * pulse), LEAST_GAIN), MOST_GAIN), True)
