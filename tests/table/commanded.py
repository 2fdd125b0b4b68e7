"""Commands run in this process, and folders that are as wrong as a test needs them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from table.cli import main

SEATS = {"south": "red", "west": "yellow", "north": "green", "east": "blue"}


@dataclass(frozen=True)
class Ran:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def objects(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]


def ran(capfd: pytest.CaptureFixture[str], *words: str | Path) -> Ran:
    """`overboard WORDS`. A traceback would come through as the exception itself."""
    capfd.readouterr()
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    told = capfd.readouterr()
    return Ran(int(ended.value.code or 0), told.out, told.err)


def is_one_sentence(text: str) -> bool:
    """One line that says something, and no traceback."""
    return len(text.strip().splitlines()) == 1 and "Traceback" not in text and len(text.split()) > 5


def picture(path: Path, size: tuple[int, int] = (160, 120), seed: int = 1) -> Path:
    """A picture (w, h) of nothing in particular."""
    image = np.random.default_rng(seed).integers(0, 255, (size[1], size[0], 3), dtype=np.uint8)
    done, coded = cv2.imencode(".jpg", image)
    assert done
    path.write_bytes(coded.tobytes())
    return path


def setup_words(**changes: Any) -> dict[str, Any]:
    """A `setup.json` of a Gridlock game that is right but for `changes`; None takes a key out."""
    pieces = [{"square": square, "colour": colour, "size": "large", "facing": "up"}
              for square, colour in zip(("d3", "c5", "e6", "f4"), SEATS.values(), strict=True)]
    words: dict[str, Any] = {
        "format": 1, "game": "gridlock", "kind": "game", "seats": SEATS, "per_size": 1, "square_mm": 50.0, "lens": None,
        "taps": {"a1": [10, 110], "h1": [150, 110]}, "empty": "0000.jpg",
        "palette": {"frame": "0001.jpg", "pieces": pieces}, "frames": ["0002.jpg"],
        "first_seat": "south", "van": "north",
    }
    words.update(changes)
    return {key: value for key, value in words.items() if value is not None or key == "lens"}


def folder(path: Path, **changes: Any) -> Path:
    """A folder with three pictures and this `setup.json`."""
    path.mkdir(parents=True, exist_ok=True)
    for number in range(3):
        picture(path / f"{number:04d}.jpg", seed=number)
    (path / "setup.json").write_text(json.dumps(setup_words(**changes)), encoding="utf-8")
    return path
