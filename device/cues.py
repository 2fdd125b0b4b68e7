"""What the lamps and the buzzer can say, and the rhythm of each.

Patterns are data. Two cues never share a rhythm, so that they can be told apart without seeing
red from green and without hearing pitch; a test holds this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType


class Sound(Enum):
    """How much the buzzer may say; each level allows what the one before allows."""

    OFF = "off"
    WRONG = "wrong"
    SOME = "some"
    ALL = "all"


class Cue(Enum):
    """What the table wants to tell the players without words."""

    DARK = "dark"
    """Nothing to say; every legality light is out."""
    LISTENING = "listening"
    """The table watches and waits for the seat whose turn light is on."""
    PARTWAY = "partway"
    """A turn of several steps is under way and legal so far."""
    YES = "yes"
    """The action was seen and is legal."""
    NO = "no"
    """The action was seen and is not legal: put it back."""
    RESTORED = "restored"
    """What was refused has been put right."""
    ASK = "ask"
    """The camera could not tell: look at the phone."""
    TROUBLE = "trouble"
    """The camera or the board is lost."""
    SETTING_UP = "setting-up"
    """The table is being set up or looks for the start position."""
    OVER = "over"
    """The match has ended."""


@dataclass(frozen=True, slots=True)
class Blink:
    """One step of a light pattern. Red and green together look amber."""

    ms: int
    red: bool = False
    green: bool = False


@dataclass(frozen=True, slots=True)
class Beep:
    """One step of a rhythm; `hz` 0 is a pause. A plain buzzer ignores the pitch."""

    ms: int
    hz: int = 0


@dataclass(frozen=True, slots=True)
class Pattern:
    """Lights and sound of a cue. `lights` repeat for ever if `loop`, else the last step stays;
    `beeps` sound once, when the cue begins, and only at sound level `audible_from` or above."""

    lights: tuple[Blink, ...]
    loop: bool
    beeps: tuple[Beep, ...] = ()
    audible_from: Sound = Sound.ALL


def _red(ms: int) -> Blink:
    return Blink(ms, red=True)


def _green(ms: int) -> Blink:
    return Blink(ms, green=True)


def _amber(ms: int) -> Blink:
    return Blink(ms, red=True, green=True)


def _dark(ms: int) -> Blink:
    return Blink(ms)


def _rhythm(*steps: int, hz: int) -> tuple[Beep, ...]:
    """Sounding and silent milliseconds in turn, beginning and ending with sound."""
    return tuple(Beep(ms, hz if i % 2 == 0 else 0) for i, ms in enumerate(steps))


PATTERNS: Mapping[Cue, Pattern] = MappingProxyType({
    Cue.DARK: Pattern((_dark(1000),), loop=False),
    Cue.LISTENING: Pattern((_green(60), _dark(4940)), loop=True),
    Cue.PARTWAY: Pattern((_green(500), _dark(500)), loop=True),
    Cue.YES: Pattern((_green(1500), _dark(1000)), loop=False, beeps=_rhythm(80, hz=1320)),
    Cue.NO: Pattern((_red(250), _dark(250)), loop=True,
                    beeps=_rhythm(350, 150, 350, hz=330), audible_from=Sound.WRONG),
    Cue.RESTORED: Pattern((_green(200), _dark(200), _green(200), _dark(1000)), loop=False,
                          beeps=_rhythm(80, 80, 80, hz=1320), audible_from=Sound.SOME),
    Cue.ASK: Pattern((_amber(900), _dark(300)), loop=True,
                     beeps=_rhythm(80, 100, 350, hz=880), audible_from=Sound.SOME),
    Cue.TROUBLE: Pattern((_red(120), _dark(180), _red(120), _dark(1580)), loop=True,
                         beeps=_rhythm(150, 100, 150, 100, 150, 100, 150, hz=440), audible_from=Sound.WRONG),
    Cue.SETTING_UP: Pattern((_amber(1500), _dark(1500)), loop=True),
    Cue.OVER: Pattern((_green(300), _dark(100), _green(300), _dark(100), _green(900), _dark(300)), loop=True,
                      beeps=_rhythm(150, 80, 150, 80, 500, hz=1046), audible_from=Sound.SOME),
})

_ORDER = tuple(Sound)


def is_audible(cue: Cue, level: Sound) -> bool:
    """Whether the cue sounds at that level. Nothing sounds when off."""
    pattern = PATTERNS[cue]
    return bool(pattern.beeps) and level is not Sound.OFF and _ORDER.index(level) >= _ORDER.index(pattern.audible_from)


def light_at(pattern: Pattern, elapsed_ms: int) -> tuple[Blink, int | None]:
    """The step that shows `elapsed_ms` after the cue began, and the milliseconds until the next
    one; None if it stays."""
    total = sum(step.ms for step in pattern.lights)
    if elapsed_ms >= total:
        if not pattern.loop:
            return pattern.lights[-1], None
        elapsed_ms %= total
    for step in pattern.lights:
        if elapsed_ms < step.ms:
            stays = not pattern.loop and step is pattern.lights[-1]
            return step, None if stays else step.ms - elapsed_ms
        elapsed_ms -= step.ms
    return pattern.lights[-1], None


def beep_at(pattern: Pattern, elapsed_ms: int) -> tuple[Beep, int | None]:
    """As `light_at`, for the sound; silence for ever after its end."""
    for step in pattern.beeps:
        if elapsed_ms < step.ms:
            return step, step.ms - elapsed_ms
        elapsed_ms -= step.ms
    return Beep(0), None
