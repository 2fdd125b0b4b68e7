"""Writes what the people at a simulated table know when they set up: `setup.json` as in scenes/FORMAT.md."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from rules.words import SEATS, Cell, Colour, Layout, Piece, Seat, seat_name
from table.errors import NotReady
from table.sim.paint import Painter
from table.sim.room import Room, TableTop
from table.sim.scene import Arm, Light, SimCamera
from table.sim.solids import Solid
from vision.frame import Image
from vision.kits.gridlock import VAN_ZONE, GridlockKit

FACING_NAMES = ("north", "east", "south", "west")
FORMAT = 1
GRIDLOCK_COLOURS: tuple[Colour, ...] = (Colour("red"), Colour("yellow"), Colour("green"), Colour("blue"))


def sides_with(colours: Sequence[Colour]) -> tuple[tuple[Seat, Colour], ...]:
    """A side for each colour, clockwise from south."""
    return tuple(zip(SEATS, colours, strict=False))


def told_piece(cell: Cell, piece: Piece) -> dict[str, str]:
    """A pyramid in the words of the files."""
    facing = "up" if piece.facing is None else FACING_NAMES[piece.facing]
    return {"square": GridlockKit().cell_name(cell), "colour": str(piece.colour), "size": piece.kind, "facing": facing}


def told_pieces(layout: Layout) -> list[dict[str, str]]:
    """The pyramids of a layout, by square."""
    return [told_piece(cell, piece) for cell, piece in sorted(layout.pieces.items()) if cell.zone != VAN_ZONE]


def told_van(layout: Layout) -> str | None:
    """The seat before which the van stands."""
    return next((seat_name(Seat(cell.col)) for cell in layout.pieces if cell.zone == VAN_ZONE), None)


def palette_layout(colours: Iterable[Colour]) -> Layout:
    """One large upright pyramid of each colour around the middle."""
    cells = (Cell(3, 2), Cell(2, 4), Cell(4, 5), Cell(5, 3))
    return Layout({cell: Piece("large", colour, None) for cell, colour in zip(cells, colours, strict=False)})


def measured_lens(camera: SimCamera, rng: np.random.Generator) -> dict[str, Any]:
    """The lens as a careful calibration would have it: a little off."""
    matrix = camera.matrix.copy()
    matrix[[0, 1], [0, 1]] *= 1 + float(rng.normal(0, 0.0004))
    matrix[:2, 2] += rng.normal(0, 0.8, 2)
    k1, k2, p1, p2, k3 = camera.distortion
    distortion = (k1 + rng.normal(0, 0.001), k2 + rng.normal(0, 0.0015), p1 + rng.normal(0, 2e-5),
                  p2 + rng.normal(0, 2e-5), k3)
    return {
        "size": list(camera.size_px),
        "matrix": [round(float(v), 3) for v in matrix.ravel()],
        "distortion": [round(float(v), 5) for v in distortion],
    }


def tapped(room: Room, rng: np.random.Generator) -> dict[str, list[float]]:
    """Where somebody tapped two corners on a phone: off by ten px or so."""
    corners = room.corners_px()
    return {name: [float(round(v + rng.normal(0, 6))) for v in corners[name]] for name in ("a1", "h1")}


def told_setup(
    room: Room, kind: str, sides: Sequence[tuple[Seat, Colour]], per_size: int, frames: Sequence[str], *,
    lens: bool, rng: np.random.Generator, first: Seat | None = None, van: Seat | None = None,
    options: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """`setup.json` for a folder whose empty and palette pictures are 0000.jpg and 0001.jpg."""
    told: dict[str, Any] = {
        "format": FORMAT,
        "game": "gridlock",
        "kind": kind,
        "seats": {seat_name(seat): str(colour) for seat, colour in sides},
        "per_size": per_size,
        "square_mm": round(room.table.square_mm + float(rng.normal(0, 0.2)), 1),
        "lens": [measured_lens(room.cameras[0], rng)] if lens else None,
        "taps": tapped(room, rng),
        "empty": "0000.jpg",
        "palette": {"frame": "0001.jpg", "pieces": told_pieces(palette_layout(colour for _, colour in sides))},
        "frames": list(frames),
    }
    if first is not None and van is not None:
        told |= {"first_seat": seat_name(first), "van": seat_name(van)}
    return told | ({"options": dict(options)} if options else {})


def painted_layout(room: Room, painter: Painter, layout: Layout, rng: np.random.Generator) -> Image:
    """A table set down afresh for one picture."""
    top = TableTop(room, rng)
    top.show(layout)
    return photographed(room, painter, room.lights[0], top.solids(), rng)


def photographed(
    room: Room, painter: Painter, light: Light, solids: tuple[Solid, ...], rng: np.random.Generator,
    arm: Arm | None = None,
) -> Image:
    """A noisy picture before its JPEG, which is made when it is written."""
    return painter.paint(light, solids, rng, replace(room.sensor, jpeg=100), arm)


def write_picture(path: Path, image: Image, quality: int) -> None:
    """Raises `NotReady` if the disk takes no picture."""
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    try:
        if not done:
            raise OSError("it could not be encoded")
        path.write_bytes(data.tobytes())
    except OSError as error:
        raise NotReady(f"{path}: wanted to write a picture, found that it cannot be ({error}): "
                       "free some space or name another folder") from error


def write_json(path: Path, told: Mapping[str, Any]) -> None:
    """Raises `NotReady` if it cannot be written."""
    try:
        path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise NotReady(f"{path}: wanted to write it, found that it cannot be ({error.strerror}): "
                       "free some space or name another folder") from error
