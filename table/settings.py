"""`overboard.toml` -> frozen `Settings`: typed, bounded, units in the names, unknown keys refused with their line.

Flags override the environment (`OVERBOARD_SECTION_KEY`), the environment overrides the file,
the file overrides the defaults; `Sourced` remembers where each value came from, for the doctor.
All faults are told at once. `KEYS` is the list of what may be set, and the documentation of it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from device.cues import Sound
from device.pins import BadPins, Pins
from rules.game import LANGUAGES
from rules.words import SEAT_NAMES
from table.errors import BadSettings


@dataclass(frozen=True, slots=True)
class TableSettings:
    """What is played and how patient the table is."""

    game: str = "gridlock"
    colours: tuple[str, ...] = ("red", "yellow", "green", "blue")
    players: int = 4
    per_size: int = 5
    first_seat: str = "south"
    van: str = ""
    data_dir: str = "overboard-data"
    language: str = "en"
    still_ms: int = 600
    impossible_after_ms: int = 3000
    continue_ms: int = 1500
    undo_across_turns: str = "ask"


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """Where pictures come from and in which size."""

    source: str = "sim"
    width_px: int = 1640
    height_px: int = 1232
    fps: float = 10.0
    mains_hz: int = 50
    lost_after_ms: int = 4000

    @property
    def is_real(self) -> bool:
        """Whether the source is a camera, not the simulator or a recording."""
        return self.source in ("pi", "usb") or self.source.startswith("usb:")


@dataclass(frozen=True, slots=True)
class WebSettings:
    """The page."""

    host: str = "0.0.0.0"
    port: int = 8080
    touch_code: str = ""
    allowed_hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PanelSettings:
    """Lights, buzzer, buttons: BCM numbers, see device/README.md."""

    quiet: bool = False
    sound: str = "all"
    turn_pins: tuple[int, ...] = (17, 27, 22, 23)
    green_pin: int = 24
    red_pin: int = 25
    sound_pin: int = 12
    tonal: bool = True
    button_pins: tuple[int, ...] = (5, 6, 16, 26)

    def pins(self) -> Pins:
        """The wiring, checked. Raises `device.pins.BadPins`. A `sound_pin` of 0 means no buzzer."""
        return Pins(self.turn_pins, self.green_pin, self.red_pin, self.sound_pin or None, self.tonal, self.button_pins)


@dataclass(frozen=True, slots=True)
class RecordSettings:
    """What is kept of the pictures."""

    keep: str = "doubts"
    quota_mb: int = 500
    ring_s: float = 10.0
    jpeg_quality: int = 90


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set."""

    table: TableSettings = TableSettings()
    camera: CameraSettings = CameraSettings()
    web: WebSettings = WebSettings()
    panel: PanelSettings = PanelSettings()
    record: RecordSettings = RecordSettings()


@dataclass(frozen=True, slots=True)
class Key:
    """One thing that may be set: which values it takes, and a sentence what it does."""

    says: str
    allows: Callable[[Any], bool]
    wanted: str


def _between(least: float, most: float) -> tuple[Callable[[Any], bool], str]:
    return (lambda value: least <= value <= most), f"a number from {least:g} to {most:g}"


def _among(*names: str) -> tuple[Callable[[Any], bool], str]:
    return (lambda value: value in names), " or ".join(name or "nothing" for name in names)


_TEXT: tuple[Callable[[Any], bool], str] = ((lambda value: bool(value.strip())), "a text")
_ANY: tuple[Callable[[Any], bool], str] = ((lambda value: True), "a text, or none")
_PINS: tuple[Callable[[Any], bool], str] = ((lambda value: all(0 <= pin <= 27 for pin in value)), "BCM pins up to 27")
_FLAG: tuple[Callable[[Any], bool], str] = ((lambda value: True), "true or false")

KEYS: Mapping[tuple[str, str], Key] = {
    ("table", "game"): Key("The game on the table.", *_TEXT),
    ("table", "colours"): Key("Each side's colour: south, west, north, east; three for three players.",
                              (lambda value: len(value) in (3, 4) and len(set(value)) == len(value) and all(value)),
                              "three or four different colours"),
    ("table", "players"): Key("How many play; two play two neighbouring sides each.", *_between(2, 4)),
    ("table", "per_size"): Key("Pyramids of each size a side has: 5, or 3 for a short game.", *_between(1, 7)),
    ("table", "first_seat"): Key("Who begins.", *_among(*SEAT_NAMES)),
    ("table", "van"): Key("Where the Mystery Machine starts; if empty, at the seat after the first.",
                          *_among("", *SEAT_NAMES)),
    ("table", "data_dir"): Key("Where the journal, the calibration and the recordings are kept.", *_TEXT),
    ("table", "language"): Key("Of notices, for phones that ask for none, and of the wizards.", *_among(*LANGUAGES)),
    ("table", "still_ms"): Key("How long the table must rest before it is read.", *_between(100, 5000)),
    ("table", "impossible_after_ms"): Key("How long an impossible table must rest before a word is said.",
                                          *_between(1000, 30000)),
    ("table", "continue_ms"): Key("How much longer to wait when an action may go on.", *_between(0, 10000)),
    ("table", "undo_across_turns"): Key("Taking back what another player did after: ask first, free, or never.",
                                        *_among("ask", "free", "never")),
    ("camera", "source"): Key("pi, usb, usb:NUMBER, sim, a folder of pictures or a video.", *_TEXT),
    ("camera", "width_px"): Key("Width of the pictures.", *_between(320, 4608)),
    ("camera", "height_px"): Key("Height of the pictures.", *_between(240, 3456)),
    ("camera", "fps"): Key("Pictures a second.", *_between(1, 60)),
    ("camera", "mains_hz"): Key("Of the lamps: exposures are whole pulses of it.", (lambda value: value in (50, 60)),
                                "50 or 60"),
    ("camera", "lost_after_ms"): Key("How long without a picture until the camera counts as lost.",
                                     *_between(1000, 5000)),
    ("web", "host"): Key("The address to listen on.", *_TEXT),
    ("web", "port"): Key("The port to listen on.", *_between(1, 65535)),
    ("web", "touch_code"): Key("Who knows it may change things; made anew at each start if empty.", *_ANY),
    ("web", "allowed_hosts"): Key("Further names by which the page may be called.", *_ANY),
    ("panel", "quiet"): Key("No lights, no buzzer, no buttons.", *_FLAG),
    ("panel", "sound"): Key("How much may be heard.", *_among(*(level.value for level in Sound))),
    ("panel", "turn_pins"): Key("One light a seat: south, west, north, east.", *_PINS),
    ("panel", "green_pin"): Key("The light that says yes.", *_between(2, 27)),
    ("panel", "red_pin"): Key("The light that says no.", *_between(2, 27)),
    ("panel", "sound_pin"): Key("The buzzer; 0 for none.", *_between(0, 27)),
    ("panel", "tonal"): Key("The buzzer is passive and is given a pitch.", *_FLAG),
    ("panel", "button_pins"): Key("One button a seat, or none at all.", *_PINS),
    ("record", "keep"): Key("Which pictures: off, doubts (seconds around each), all.", *_among("off", "doubts", "all")),
    ("record", "quota_mb"): Key("The most that recordings may take; the oldest go first.", *_between(10, 1000000)),
    ("record", "ring_s"): Key("How many seconds around a doubt are kept.", *_between(1, 60)),
    ("record", "jpeg_quality"): Key("Of recorded pictures; 100: BMP, without loss.", *_between(50, 100)),
}
"""Every key with what it does."""


@dataclass(frozen=True, slots=True)
class Sourced:
    """Settings, and for each `section.key` where its value came from: default, the file, OVERBOARD_..., a flag."""

    settings: Settings
    origins: Mapping[str, str]


def read_settings(
    path: Path | None = None,
    environment: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
) -> Sourced:
    """The settings from defaults, the file, the environment and flags (`section.key` -> value), in this order.

    A `path` that does not exist counts as empty; None looks for no file. Raises `BadSettings` with every fault.
    """
    faults: list[str] = []
    values: dict[tuple[str, str], Any] = {}
    origins = {f"{section}.{key}": "default" for section, key in KEYS}
    if path is not None and path.exists():
        _from_file(path, values, origins, faults)
    _from_environment(environment or {}, values, origins, faults)
    for name, value in (flags or {}).items():
        section, _, key = name.partition(".")
        _take((section, key), value, f"--{key.replace('_', '-')}", "flag", values, origins, faults)
    sections: dict[str, dict[str, Any]] = {f.name: {} for f in fields(Settings)}
    for (section, key), value in values.items():
        sections[section][key] = value
    try:
        PanelSettings(**sections["panel"]).pins()
    except BadPins as error:
        faults.append(f"panel: {error}")
    if faults:
        raise BadSettings(tuple(faults))
    settings = Settings(
        TableSettings(**sections["table"]), CameraSettings(**sections["camera"]), WebSettings(**sections["web"]),
        PanelSettings(**sections["panel"]), RecordSettings(**sections["record"]),
    )
    return Sourced(settings, origins)


def _default(where: tuple[str, str]) -> Any:
    return getattr(getattr(Settings(), where[0]), where[1])


def _take(
    where: tuple[str, str], value: Any, place: str, origin: str,
    values: dict[tuple[str, str], Any], origins: dict[str, str], faults: list[str],
) -> None:
    if where not in KEYS:
        near = ", ".join(key for section, key in KEYS if section == where[0]) or ", ".join({s: 0 for s, _ in KEYS})
        faults.append(f"{place}: wanted a known setting, found {'.'.join(filter(None, where))!r}: "
                      f"correct it or take it out (known: {near})")
        return
    typed, key, default = value, KEYS[where], _default(where)
    if isinstance(default, tuple) and isinstance(value, list):
        typed = tuple(value)
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        typed = float(value)
    item = type(default[0]) if isinstance(default, tuple) and default else str
    is_right = type(typed) is type(default) and (
        not isinstance(typed, tuple) or all(type(part) is item for part in typed)
    )
    if not is_right or not key.allows(typed):
        faults.append(f"{place}: wanted {'.'.join(where)} to be {key.wanted}, found {value!r}: correct it")
        return
    values[where], origins[".".join(where)] = typed, origin


def _from_file(
    path: Path, values: dict[tuple[str, str], Any], origins: dict[str, str], faults: list[str]
) -> None:
    try:
        text = path.read_text(encoding="utf-8")
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        faults.append(f"{path}: wanted TOML, found a fault ({error}): correct that line")
        return
    except (OSError, UnicodeDecodeError) as error:
        faults.append(f"{path}: wanted a readable file, found none ({error}): correct its rights or its encoding")
        return
    for section, table in raw.items():
        if not isinstance(table, dict):
            _take((section, ""), table, f"{path}, line {_line(text, '', section)}", str(path), values, origins, faults)
            continue
        if not table and section not in {s for s, _ in KEYS}:
            _take((section, ""), table, f"{path}, line {_line(text, section, '')}", str(path), values, origins, faults)
        for key, value in table.items():
            line = _line(text, section, key)
            _take((section, key), value, f"{path}, line {line}", f"{path}, line {line}", values, origins, faults)


def _line(text: str, section: str, key: str) -> int:
    """The line of a key in its section, or of the section; 1 where it cannot be told (inline tables)."""
    here = ""
    for number, line in enumerate(text.splitlines(), 1):
        head = re.match(r"\s*\[\s*([^\]]+?)\s*\]", line)
        if head:
            here = head.group(1)
            if here == section and not key:
                return number
        elif key and (
            (here == section and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line))
            or re.match(rf"\s*{re.escape(section)}\s*(\.\s*{re.escape(key)}\s*)?=", line)
        ):
            return number
    return 1


def _from_environment(
    environment: Mapping[str, str], values: dict[tuple[str, str], Any], origins: dict[str, str], faults: list[str]
) -> None:
    by_name = {f"OVERBOARD_{section}_{key}".upper(): (section, key) for section, key in KEYS}
    for name, text in sorted(environment.items()):
        if not name.startswith("OVERBOARD_"):
            continue
        where = by_name.get(name)
        if where is None:
            faults.append(f"{name}: wanted a known setting, found none of that name: correct it "
                          "(OVERBOARD_SECTION_KEY, as OVERBOARD_WEB_PORT)")
            continue
        _take(where, _typed(text, _default(where)), name, name, values, origins, faults)


def _typed(text: str, default: Any) -> Any:
    """A text of the environment as the type of the default; itself where that fails, to be refused by name."""
    try:
        if isinstance(default, bool):
            words = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
            return words.get(text.lower(), text)
        if isinstance(default, tuple):
            item = type(default[0]) if default else str
            return tuple(item(part.strip()) for part in text.split(",") if part.strip())
        return type(default)(text)
    except ValueError:
        return text
