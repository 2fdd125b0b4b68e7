"""What the people at a table know when they set up, read from a folder's `setup.json`.

The format is `scenes/FORMAT.md`'s. Everything is checked before a picture is opened, and
every fault ends in one `BadFolder` with what was wanted, what was found and what to do.
The truth beside the pictures is never opened here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from rules.words import SEAT_NAMES, SEATS, Cell, Colour, Piece, Seat, seat_named
from table.errors import BadFolder
from vision.frame import Points
from vision.kits.gridlock import PYRAMIDS, GridlockKit
from vision.pose import CameraModel

FORMAT = 1
FACINGS: tuple[str, ...] = ("north", "east", "south", "west")
"""The words of the files for `Piece.facing`; "up" is None."""

_COMMON = ("format", "game", "kind", "lens", "taps", "empty", "frames")
_KEYS: Mapping[str, tuple[str, ...]] = {
    "gridlock": ("seats", "per_size", "square_mm", "palette", "first_seat", "van", "options"),
    "quadropolis": ("tiles", "pitch_mm", "tile_mm", "seats", "first_seat"),
    "ido": ("seats", "board", "palette", "first_seat"),
    "gridopolis": ("seats", "board", "cameras", "start", "palette", "first_seat"),
    "charuco": ("target",),
}
_KINDS: Mapping[str, tuple[str, ...]] = {
    "gridlock": ("stills", "game"),
    "quadropolis": ("city", "stills", "game"),
    "ido": ("stills", "game"),
    "gridopolis": ("stills", "game"),
    "charuco": ("charuco",),
}


@dataclass(frozen=True, slots=True)
class Lens:
    """A calibrated camera as the file has it: `size_px` (w, h), `matrix` row by row, `distortion` k1 k2 p1 p2 k3."""

    size_px: tuple[int, int]
    matrix: tuple[float, ...]
    distortion: tuple[float, ...]

    def model(self) -> CameraModel:
        """The same for `vision`."""
        return CameraModel(np.array(self.matrix).reshape(3, 3), np.array(self.distortion), self.size_px)


@dataclass(frozen=True, slots=True)
class PalettePicture:
    """A picture with known pieces on known cells, which teaches the colours."""

    frame: str
    pieces: tuple[tuple[Cell, Piece], ...]


@dataclass(frozen=True, slots=True)
class TableSetup:
    """A folder of pictures and what is known of it. `taps` are px by the point's name.

    `rest` keeps what the games that cannot be read yet bring along, as JSON values.
    """

    folder: Path
    game: str
    kind: str
    frames: tuple[str, ...]
    empty: str | None = None
    lens: tuple[Lens, ...] = ()
    taps: tuple[tuple[str, tuple[float, float]], ...] = ()
    seats: tuple[tuple[Seat, Colour], ...] = ()
    per_size: int | None = None
    square_mm: float | None = None
    palette: PalettePicture | None = None
    first_seat: Seat | None = None
    van: Seat | None = None
    options: tuple[tuple[str, str], ...] = ()
    rest: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def paths(self) -> tuple[Path, ...]:
        """The pictures to read, in order."""
        return tuple(self.folder / name for name in self.frames)

    @property
    def colours(self) -> tuple[Colour, ...]:
        return tuple(colour for _, colour in self.seats)

    def camera(self) -> CameraModel | None:
        """The first camera's lens, or None when nobody calibrated it."""
        return self.lens[0].model() if self.lens else None

    def taps_px(self) -> dict[str, Points]:
        """Each tapped point (2,) px by its name."""
        return {name: np.array(at, dtype=np.float64) for name, at in self.taps}


def piece_named(size: str, colour: str, facing: str) -> Piece:
    """A pyramid in the words of the files. Raises `ValueError`."""
    if size not in [shape.kind for shape in PYRAMIDS]:
        raise ValueError(f"wanted a size (small, medium, large), found {size!r}: correct it")
    if facing != "up" and facing not in FACINGS:
        raise ValueError(f"wanted a facing (up, {', '.join(FACINGS)}), found {facing!r}: correct it")
    return Piece(size, Colour(colour), None if facing == "up" else FACINGS.index(facing))


def facing_name(piece: Piece) -> str:
    """The facing in the words of the files."""
    return "up" if piece.facing is None else FACINGS[piece.facing]


def read_setup(folder: Path) -> TableSetup:
    """The `setup.json` of a folder, checked. Raises `BadFolder` with one sentence."""
    path = folder / "setup.json"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        found = "no such folder" if not folder.is_dir() else "none" if not path.exists() else f"unreadable ({error})"
        raise BadFolder(f"{folder}: wanted a folder of pictures with a setup.json, found {found}: "
                        "name a folder that has one, or make it with `overboard record`") from error
    try:
        raw = json.loads(text, object_pairs_hook=_without_doubles)
    except ValueError as error:
        line = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        what = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise BadFolder(f"{path}{line}: wanted JSON, found a fault ({what}): correct that line") from error
    if not isinstance(raw, dict):
        raise BadFolder(f"{path}: wanted an object, found a {type(raw).__name__}: see scenes/FORMAT.md")
    try:
        return _checked(folder, raw, text)
    except BadFolder:
        raise
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise BadFolder(f"{path}: {error}") from error


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in pairs:
        if key in out:
            raise ValueError(f"the key {key!r} stands twice")
        out[key] = value
    return out


def _line_of(text: str, key: str) -> int:
    at = re.search(rf'"{re.escape(key)}"\s*:', text)
    return text.count("\n", 0, at.start()) + 1 if at else 1


def _checked(folder: Path, raw: dict[str, Any], text: str) -> TableSetup:
    if raw.get("format") != FORMAT:
        raise ValueError(f"wanted format {FORMAT}, found {raw.get('format')!r}: use the program that made the folder")
    kind = raw.get("kind")
    game = "charuco" if kind == "charuco" else raw.get("game")
    if not isinstance(game, str) or game not in _KEYS:
        raise ValueError(f"wanted a game ({', '.join(k for k in _KEYS if k != 'charuco')}), found {game!r}: correct it")
    for key in raw:
        if key not in _COMMON and key not in _KEYS[game]:
            raise ValueError(f"line {_line_of(text, key)}: wanted only known keys, found {key!r}: "
                             f"remove it or correct its spelling (known: {', '.join(sorted(_COMMON + _KEYS[game]))})")
    if kind not in _KINDS[game]:
        raise ValueError(f"wanted a kind ({', '.join(_KINDS[game])}), found {kind!r}: correct it")
    frames = _names(raw.get("frames"), "frames")
    empty = raw.get("empty")
    common = TableSetup(folder, game, str(kind), frames, None if empty is None else _name(empty, "empty"),
                        _lens(raw.get("lens")), _taps(raw.get("taps", {})))
    rest = {key: raw[key] for key in raw if key in _KEYS[game]}
    setup = _gridlock(common, raw) if game == "gridlock" else _other(common, rest)
    _look_for_pictures(setup, int(raw.get("cameras", 1)))
    return setup


def _name(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value or "/" in value or "\\" in value or value.startswith("."):
        raise ValueError(f"{where}: wanted a picture's file name in this folder, found {value!r}: correct it")
    return value


def _names(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise ValueError(f"{where}: wanted a list of pictures, found {value!r}: name at least one")
    names = tuple(_name(item, f"{where}[{i}]") for i, item in enumerate(value))
    if len(set(names)) < len(names):
        double = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{where}: wanted each picture once, found {double!r} twice: remove one")
    return names


def _number(value: Any, where: str, least: float, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise ValueError(f"{where}: wanted a number from {least:g} to {most:g}, found {value!r}: correct it")
    return float(value)


def _lens(value: Any) -> tuple[Lens, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise ValueError(f"lens: wanted null or a list with one entry a camera, found {value!r}: correct it")
    out = []
    for i, entry in enumerate(value):
        where = f"lens[{i}]"
        if not isinstance(entry, dict) or set(entry) != {"size", "matrix", "distortion"}:
            found = sorted(entry) if isinstance(entry, dict) else repr(entry)
            raise ValueError(f"{where}: wanted size, matrix and distortion, found {found}: correct it")
        size, matrix, distortion = entry["size"], entry["matrix"], entry["distortion"]
        for name, numbers, count in (("size", size, 2), ("matrix", matrix, 9), ("distortion", distortion, 5)):
            if not isinstance(numbers, list) or len(numbers) != count:
                raise ValueError(f"{where}.{name}: wanted {count} numbers, found {numbers!r}: correct it")
            for number in numbers:
                _number(number, f"{where}.{name}", -1e6, 1e6)
        if matrix[0] <= 0 or matrix[4] <= 0 or matrix[8] != 1:
            raise ValueError(f"{where}.matrix: wanted positive focal lengths and a last 1, found {matrix}: "
                             "calibrate again")
        out.append(Lens((int(size[0]), int(size[1])), tuple(map(float, matrix)), tuple(map(float, distortion))))
    return tuple(out)


def _taps(value: Any) -> tuple[tuple[str, tuple[float, float]], ...]:
    if isinstance(value, list):
        value = value[0] if value else {}
    if not isinstance(value, dict):
        raise ValueError(f"taps: wanted points by name, found {value!r}: correct it")
    out = []
    for name, at in value.items():
        if not isinstance(at, list) or len(at) != 2:
            raise ValueError(f"taps.{name}: wanted [x, y] px, found {at!r}: tap that point again")
        x, y = (_number(v, f"taps.{name}", -20000, 20000) for v in at)
        out.append((name, (x, y)))
    return tuple(out)


def _seats(value: Any) -> tuple[tuple[Seat, Colour], ...]:
    if not isinstance(value, dict) or not value:
        raise ValueError(f"seats: wanted a colour for each seat, found {value!r}: name the seats in play")
    colours: dict[str, str] = {}
    for name, colour in value.items():
        seat_named(name)
        if not isinstance(colour, str) or not colour:
            raise ValueError(f"seats.{name}: wanted a colour's name, found {colour!r}: correct it")
        if colour in colours:
            raise ValueError(f"seats: wanted a colour of its own for each seat, found {colour!r} for {colours[colour]} "
                             f"and {name}: give one of them another colour")
        colours[colour] = name
    return tuple((seat, Colour(value[SEAT_NAMES[seat]])) for seat in SEATS if SEAT_NAMES[seat] in value)


def _seat(value: Any, where: str, seats: Iterable[tuple[Seat, Colour]]) -> Seat:
    if not isinstance(value, str):
        raise ValueError(f"{where}: wanted a seat, found {value!r}: correct it")
    seat = seat_named(value)
    if seat not in [s for s, _ in seats]:
        raise ValueError(f"{where}: wanted a seat in play, found {value!r}: name one of those in seats")
    return seat


def _other(common: TableSetup, rest: Mapping[str, Any]) -> TableSetup:
    seats = _seats(rest["seats"]) if "seats" in rest else ()
    first = _seat(rest["first_seat"], "first_seat", seats) if "first_seat" in rest else None
    return TableSetup(common.folder, common.game, common.kind, common.frames, common.empty, common.lens, common.taps,
                      seats, first_seat=first, rest=MappingProxyType(dict(rest)))


def _gridlock(common: TableSetup, raw: Mapping[str, Any]) -> TableSetup:
    for key in ("seats", "square_mm", "palette"):
        if key not in raw:
            raise ValueError(f"wanted {key}, found none: add it")
    seats = _seats(raw["seats"])
    is_game = common.kind == "game"
    for key in ("first_seat", "van", "per_size"):
        if is_game and key not in raw:
            raise ValueError(f"wanted {key} in a game, found none: add it")
    if is_game and len(seats) < 2:
        raise ValueError(f"seats: wanted 2 to 4 in a game, found {len(seats)}: name the seats in play")
    per_size = raw.get("per_size")
    if per_size is not None and (type(per_size) is not int or not 1 <= per_size <= 15):
        raise ValueError(f"per_size: wanted a whole number from 1 to 15, found {per_size!r}: correct it")
    options = raw.get("options", {})
    if not isinstance(options, dict) or not all(isinstance(v, str) for v in options.values()):
        raise ValueError(f"options: wanted names and values, found {options!r}: correct it")
    return TableSetup(
        common.folder, common.game, common.kind, common.frames, common.empty, common.lens, common.taps, seats,
        per_size, _number(raw["square_mm"], "square_mm", 20, 120), _palette(raw["palette"], seats),
        _seat(raw["first_seat"], "first_seat", seats) if raw.get("first_seat") is not None else None,
        _seat(raw["van"], "van", seats) if raw.get("van") is not None else None, tuple(sorted(options.items())),
    )


def _palette(value: Any, seats: tuple[tuple[Seat, Colour], ...]) -> PalettePicture:
    if not isinstance(value, dict) or set(value) != {"frame", "pieces"}:
        raise ValueError(f"palette: wanted frame and pieces, found {value!r}: say which pieces the picture shows")
    pieces: dict[Cell, Piece] = {}
    if not isinstance(value["pieces"], list):
        raise ValueError(f"palette.pieces: wanted a list, found {value['pieces']!r}: say what the picture shows")
    for i, entry in enumerate(value["pieces"]):
        if not isinstance(entry, dict) or set(entry) != {"square", "colour", "size", "facing"}:
            raise ValueError(f"palette.pieces[{i}]: wanted square, colour, size and facing, found {entry!r}: "
                             "correct it")
        cell = GridlockKit().cell_named(str(entry["square"]))
        if cell in pieces:
            raise ValueError(f"palette.pieces[{i}]: wanted one piece a square, found two on {entry['square']}: "
                             "correct it")
        pieces[cell] = piece_named(str(entry["size"]), str(entry["colour"]), str(entry["facing"]))
    shown = {piece.colour for piece in pieces.values()}
    missing = [colour for _, colour in seats if colour not in shown]
    if missing:
        raise ValueError(f"palette: wanted a piece of each seat's colour, found none of {', '.join(missing)}: "
                         "take the picture again with one large upright pyramid of each colour")
    return PalettePicture(_name(value["frame"], "palette.frame"), tuple(sorted(pieces.items())))


def _look_for_pictures(setup: TableSetup, cameras: int) -> None:
    wanted = list(setup.frames)
    wanted += [name for name in (setup.empty, setup.palette.frame if setup.palette else None) if name]
    if cameras == 2:
        wanted += [name.replace("-a.", "-b.") for name in setup.frames if "-a." in name]
    missing = [name for name in dict.fromkeys(wanted) if not (setup.folder / name).is_file()]
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise BadFolder(f"{setup.folder}: wanted {len(set(wanted))} pictures, found that {', '.join(missing[:3])}"
                        f"{more} is missing: copy the whole folder again or take the name out of setup.json")
