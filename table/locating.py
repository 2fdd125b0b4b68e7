"""What `overboard locate` says of one picture, in the words of scenes/FORMAT.md."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vision.frame import BadPicture, Points, read_picture
from vision.locate import NoBoard, find_chessboard


@dataclass(frozen=True, slots=True)
class LocateLine:
    """One picture: `corners_px` (4, 2) clockwise in the picture, or None and `why`, a sentence.

    `path` as it was given; its file name alone is what the files of truth call the frame.
    """

    path: str
    corners_px: Points | None = None
    confidence: float = 0.0
    why: str = ""
    unreadable: bool = False

    def to_json(self) -> str:
        """The JSON object of FORMAT.md."""
        named = {"frame": Path(self.path).name, "path": self.path}
        if self.corners_px is None:
            return json.dumps({**named, "found": False, "why": self.why})
        told: dict[str, Any] = {**named, "found": True, "corners": self._corners(2),
                                "confidence": round(self.confidence, 4)}
        return json.dumps(told)

    def _corners(self, digits: int) -> list[list[float]]:
        if self.corners_px is None:
            return []
        return [[round(float(x), digits), round(float(y), digits)] for x, y in self.corners_px]

    def __str__(self) -> str:
        if self.corners_px is None:
            return f"{self.path}: no board. {self.why}"
        corners = " ".join(f"({x:g}, {y:g})" for x, y in self._corners(1))
        return f"{self.path}: a board with its corners at {corners}; confidence {self.confidence:.2f}"


def located(path: Path) -> LocateLine:
    """The board in a picture, or why there is none; a picture that cannot be read is one of the reasons."""
    try:
        found = find_chessboard(read_picture(path))
    except BadPicture as error:
        return LocateLine(str(path), why=str(error), unreadable=True)
    if isinstance(found, NoBoard):
        return LocateLine(str(path), why=found.why)
    return LocateLine(str(path), found.corners_px, found.confidence)
