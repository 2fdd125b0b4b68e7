"""The truth of a folder, for the accuracy report and nothing else: the one place that opens it.

Code that reads pictures must never import this.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rules.words import Cell, Piece
from table.errors import BadFolder
from table.setup_folder import piece_named
from vision.kits.gridlock import GridlockKit

TRUTH = "scene.json"
"""The truth's file in a folder of pictures."""
READ_GAMES: tuple[str, ...] = ("gridlock",)
"""The games whose pictures can be read and compared so far."""


@dataclass(frozen=True, slots=True)
class TruePicture:
    """What is true of one picture. `move`, `verdict` and `to_move` as in the file; "" where it says nothing."""

    frame: str
    tag: str
    hand: bool
    pieces: dict[Cell, Piece]
    van: str
    corners: dict[str, tuple[float, float]]
    move: dict[str, Any]
    verdict: str
    to_move: str
    scores: dict[str, int] | None


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of a folder. `pictures` has all, in order, also those that are not to be read."""

    folder: Path
    game: str
    kind: str
    pictures: tuple[TruePicture, ...]

    def of(self, frames: tuple[str, ...]) -> tuple[TruePicture, ...]:
        """The truth of these pictures. Raises `BadFolder` where one is missing."""
        by_name = {picture.frame: picture for picture in self.pictures}
        missing = [name for name in frames if name not in by_name]
        if missing:
            raise BadFolder(f"{self.folder / TRUTH}: wanted the truth of every picture, found none of {missing[0]}: "
                            "copy the whole folder again")
        return tuple(by_name[name] for name in frames)


def read_truth(folder: Path) -> Truth:
    """The truth beside the pictures. Raises `BadFolder`."""
    path = folder / TRUTH
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        game, kind = str(raw.get("game", raw.get("kind"))), str(raw["kind"])
        pictures = tuple(_picture(frame) for frame in raw["frames"]) if game in READ_GAMES else ()
        return Truth(folder, game, kind, pictures)
    except OSError as error:
        raise BadFolder(f"{path}: wanted the truth beside the pictures, found none ({error.strerror}): "
                        "only folders that have it can be evaluated") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadFolder(f"{path}: wanted the truth of each picture, found a fault ({error}): "
                        "copy the folder again") from error


def _picture(raw: dict[str, Any]) -> TruePicture:
    kit = GridlockKit()
    pieces = {
        kit.cell_named(entry["square"]): piece_named(entry["size"], entry["colour"], entry["facing"])
        for entry in raw["pieces"]
    }
    corners = {name: (float(x), float(y)) for name, (x, y) in raw["corners"].items()}
    return TruePicture(
        str(raw["frame"]), str(raw["tag"]), bool(raw.get("hand", False)), pieces, str(raw.get("van") or ""), corners,
        dict(raw.get("move") or {}), str(raw.get("verdict", "")), str(raw.get("to_move", "")), raw.get("scores"),
    )
