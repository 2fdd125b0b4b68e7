"""L6: exposures that mains light cannot make pulse."""

from __future__ import annotations

import numpy as np
import pytest

from device.mains import Exposure, pulse_us, steady_exposure


@pytest.mark.parametrize(("measured_us", "gain", "mains_hz", "longest_us", "wanted"), [
    (20_000, 2.0, 50, 100_000, Exposure(20_000, 2.0, True)),
    (24_000, 2.0, 50, 100_000, Exposure(20_000, 2.4, True)),
    (26_000, 2.0, 50, 100_000, Exposure(30_000, 26 * 2 / 30, True)),
    (24_000, 2.0, 60, 100_000, Exposure(25_000, 24 * 2 / 25, True)),
    (6_000, 2.0, 50, 100_000, Exposure(10_000, 1.2, True)),
    (19_000, 1.0, 50, 100_000, Exposure(20_000, 1.0, True)),
    (1_000, 1.0, 50, 100_000, Exposure(1_000, 1.0, False)),
    (33_000, 8.0, 50, 33_333, Exposure(30_000, 8.8, True)),
    (33_000, 16.0, 50, 100_000, Exposure(50_000, 33 * 16 / 50, True)),
    (33_000, 16.0, 50, 33_333, Exposure(30_000, 12.0, True)),
], ids=["already whole", "down", "up", "60 Hz", "a fast one grows", "no gain to lose", "daylight", "frame rate limits",
        "a long one saves gain", "too dark"])
def test_exposure_is_whole_pulses_and_as_bright(measured_us: float, gain: float, mains_hz: int, longest_us: float,
                                                wanted: Exposure) -> None:
    found = steady_exposure(measured_us, gain, mains_hz, longest_us)
    assert (found.us, found.is_steady) == (wanted.us, wanted.is_steady)
    assert found.gain == pytest.approx(wanted.gain)


@pytest.mark.parametrize("mains_hz", [50, 60])
def test_l6_light_gathered_does_not_depend_on_when_the_exposure_begins(mains_hz: int) -> None:
    """A lamp that pulses by 15 %, seen by rows that begin at any time: bands below 0.1 %."""
    rng = np.random.default_rng(6)
    for measured in rng.uniform(9_000, 90_000, 20):
        exposure = steady_exposure(float(measured), 1.5, mains_hz, 100_000)
        begin = rng.uniform(0, 50_000, 200)[:, None]
        t = begin + np.linspace(0, exposure.us, 4001)[None, :-1]
        gathered = (1 + 0.15 * np.sin(2 * np.pi * t / pulse_us(mains_hz))).mean(axis=1)
        assert np.ptp(gathered) < 0.001


@pytest.mark.parametrize(("words", "message"), [
    ((20_000, 1.0, 55, 100_000), "wanted 50 or 60, found 55"), ((20_000, 1.0, 50, 9_000), "set a lower frame rate"),
], ids=["no such mains", "no room for a pulse"])
def test_impossible_wishes_are_refused(words: tuple[float, float, int, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        steady_exposure(*words)
