"""What hardware is here, in words, for the doctor. It looks and never takes: no camera is opened."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

Run = Callable[[Sequence[str]], str | None]
"""Runs a command and gives what it printed; None if there is no such command or it failed."""


class State(Enum):
    """How a thing is."""

    GOOD = "good"
    ABSENT = "absent"
    """Not here; Overboard runs without it, with less."""
    WARNING = "warning"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `said` is a sentence: what is, and what to do if anything."""

    what: str
    state: State
    said: str


@dataclass(frozen=True, slots=True)
class Power:
    """Low voltage and throttling as the firmware tells (`vcgencmd get_throttled`; Raspberry Pi
    documentation, "os: get_throttled"): bits 0 and 2 now, 16 and 18 at some time since boot."""

    low_now: bool = False
    low_earlier: bool = False
    slowed_now: bool = False
    slowed_earlier: bool = False


def read_power(printed: str | None) -> Power | None:
    """From `throttled=0x50005`; None if it is no such line.

    >>> read_power("throttled=0x50000")
    Power(low_now=False, low_earlier=True, slowed_now=False, slowed_earlier=True)
    """
    name, _, value = (printed or "").strip().partition("=")
    try:
        bits = int(value, 16) if name == "throttled" else None
    except ValueError:
        bits = None
    if bits is None:
        return None
    return Power(bool(bits & 1), bool(bits & 1 << 16), bool(bits & 1 << 2), bool(bits & 1 << 18))


@dataclass(slots=True)
class PowerWatch:
    """Says each trouble of the power supply once: a banner while it lasts, a note afterwards,
    and nothing any more once a person has dismissed it."""

    dismissed: bool = False
    _told: set[str] = field(default_factory=set)

    def news(self, power: Power | None) -> Finding | None:
        """What is new since the last call."""
        finding = power_finding(power)
        if self.dismissed or power is None or finding.state in (State.GOOD, State.ABSENT):
            return None
        key = "now" if power.low_now or power.slowed_now else "earlier"
        if key in self._told:
            return None
        self._told |= {key}
        return finding

    def dismiss(self) -> None:
        """A person has read it and wants to hear no more of it."""
        self.dismissed = True


def power_finding(power: Power | None) -> Finding:
    """The power supply in words."""
    if power is None:
        return Finding("power", State.ABSENT, "No vcgencmd here, so the power supply cannot be judged.")
    supply = "use the official supply and a short, thick cable"
    if power.low_now:
        return Finding("power", State.BAD, f"The voltage is too low right now: {supply}.")
    if power.slowed_now:
        return Finding("power", State.WARNING, "The Pi is slowed down right now: give it air or a heat sink.")
    if power.low_earlier:
        return Finding("power", State.WARNING, f"The voltage was too low at some time since the Pi started: {supply}.")
    if power.slowed_earlier:
        return Finding("power", State.WARNING, "The Pi was slowed down by heat at some time since it started: "
                                               "give it air or a heat sink.")
    return Finding("power", State.GOOD, "The voltage has been good since the Pi started.")


def camera_finding(has_picamera2: bool, printed: str | None, video_devices: Sequence[str]) -> Finding:
    """Cameras in words. `printed`: what `rpicam-hello --list-cameras` said, None if there is none."""
    listed = [line.strip() for line in (printed or "").splitlines() if line[:1].isdigit() or line.strip()[:1].isdigit()]
    pi_cameras = [line for line in listed if " : " in line]
    if pi_cameras and not has_picamera2:
        return Finding("camera", State.BAD, f"A Pi camera is here ({pi_cameras[0]}), but this Python does not find "
                       "picamera2: sudo apt install python3-picamera2, and make the environment with "
                       "--system-site-packages.")
    if pi_cameras:
        return Finding("camera", State.GOOD, f"Pi cameras: {len(pi_cameras)}; the first is {pi_cameras[0]}.")
    if video_devices:
        return Finding("camera", State.GOOD, f"Video devices: {', '.join(video_devices)}; use one with --source usb.")
    return Finding("camera", State.ABSENT, "No camera is here: plug one in, or use --source sim or a folder.")


def gpio_finding(chips: Sequence[str], usable: bool) -> Finding:
    """The pins in words. `usable`: this user may open a GPIO chip."""
    if not chips:
        return Finding("pins", State.ABSENT, "This computer has no GPIO pins: the panel stays quiet.")
    if not usable:
        return Finding("pins", State.BAD, f"{chips[0]} is here but this user may not use it: "
                                          "sudo usermod -aG gpio $USER, then log in again.")
    return Finding("pins", State.GOOD, f"GPIO pins are here ({', '.join(chips)}).")


def disk_finding(free_mb: float) -> Finding:
    """Free space in words. A recorded minute takes some 100 MB, a journal next to nothing."""
    if free_mb < 100:
        return Finding("disk", State.BAD, f"Only {free_mb:.0f} MB are free: delete old recordings before you play.")
    if free_mb < 1000:
        return Finding("disk", State.WARNING, f"{free_mb:.0f} MB are free: enough to play, too little to record.")
    return Finding("disk", State.GOOD, f"{free_mb / 1000:.1f} GB are free.")


def temperature_finding(celsius: float | None) -> Finding:
    """The processor's temperature in words; a Pi slows down from 80 degrees."""
    if celsius is None:
        return Finding("temperature", State.ABSENT, "This computer does not tell its temperature.")
    if celsius >= 80:
        return Finding("temperature", State.BAD, f"The processor is at {celsius:.0f} C and slows down: give it air.")
    if celsius >= 70:
        return Finding("temperature", State.WARNING, f"The processor is at {celsius:.0f} C: give it some air.")
    return Finding("temperature", State.GOOD, f"The processor is at {celsius:.0f} C.")


def run_briefly(words: Sequence[str]) -> str | None:
    """What a command prints, within five seconds."""
    if shutil.which(words[0]) is None:
        return None
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout + done.stderr if done.returncode == 0 else None


def _celsius(zone: Path) -> float | None:
    try:
        return int(zone.read_text(encoding="ascii")) / 1000
    except (OSError, ValueError):
        return None


def probe(folder: Path, run: Run = run_briefly, root: Path = Path("/")) -> tuple[Finding, ...]:
    """Camera, pins, power, disk and temperature of this computer.

    `folder` is where the journal lives; `root` and `run` are there for tests.
    """
    dev = root / "dev"
    videos = sorted(str(path) for path in dev.glob("video[0-9]"))
    chips = sorted(dev.glob("gpiochip[0-9]*"))
    usable = any(os.access(chip, os.R_OK | os.W_OK) for chip in chips)
    existing = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    return (
        camera_finding(importlib.util.find_spec("picamera2") is not None,
                       run(("rpicam-hello", "--list-cameras")), videos),
        gpio_finding([str(chip) for chip in chips], usable),
        power_finding(read_power(run(("vcgencmd", "get_throttled")))),
        disk_finding(shutil.disk_usage(existing).free / 1e6),
        temperature_finding(_celsius(root / "sys/class/thermal/thermal_zone0/temp")),
    )
