"""Writes whole simulated folders as scenes/FORMAT.md has them: pictures, `setup.json`, and the truth beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rules.words import Cell, Colour, Layout, Piece, Seat, seat_name
from table.errors import BadFolder, NotReady
from table.evaluate_truth import TRUTH
from table.sim.lessons import random_arm
from table.sim.looks import PIECE_COLOURS
from table.sim.paint import Painter
from table.sim.players import Act, Deed, Evening, Habits, gridlock_setup
from table.sim.room import Room, TableTop, any_room
from table.sim.scene import Arm, SimCamera
from table.sim.setup_files import (
    FORMAT,
    palette_layout,
    photographed,
    sides_with,
    told_pieces,
    told_setup,
    told_van,
    write_json,
    write_picture,
)
from table.sim.shots import coming, reach_for
from table.sim.solids import Solid
from vision.kits.gridlock import PYRAMIDS, VAN_ZONE, GridlockKit

KINDS: tuple[str, ...] = ("stills", "game")
_COUNTS: tuple[int, ...] = (4, 24, 36, 48, 58)
_HAND_SHARE = 0.27
Progress = Callable[[int, int], None]
"""Told after each picture: how many are done, of how many."""


@dataclass(frozen=True, slots=True)
class FolderPlan:
    """What to simulate. `pictures`: stills to take; `plays`: legal actions of a game after which it breaks off, or
    None for all of it; `lens`: whether the camera was calibrated, None lets the seed decide; `size_px` (w, h)."""

    kind: str = "game"
    seed: int = 1
    pictures: int = 8
    plays: int | None = None
    per_size: int = 1
    players: int = 4
    slips: int = 3
    size_px: tuple[int, int] = (1280, 960)
    lens: bool | None = None


@dataclass(frozen=True, slots=True)
class _View:
    """One picture to take: what is painted and what is true of it."""

    tag: str
    layout: Layout
    solids: tuple[Solid, ...]
    arm: Arm | None = None
    light: int = 0
    bumped: bool = False
    also: Mapping[str, Any] | None = None


def simulate_folder(out: Path, plan: FolderPlan | None = None, progress: Progress | None = None) -> Path:
    """Writes a folder and gives its path back. The same plan gives the same folder, to the byte.

    Raises `BadFolder` if the plan or the place will not do, `NotReady` if it cannot be written.
    """
    plan = plan or FolderPlan()
    _check(out, plan)
    rng = np.random.default_rng(plan.seed)
    names = rng.choice(list(PIECE_COLOURS), plan.players, replace=False)
    sides = sides_with([Colour(str(name)) for name in names])
    room = any_room([colour for _, colour in sides], plan.size_px, rng)
    has_lens = bool(rng.random() < 0.65) if plan.lens is None else plan.lens
    first, van = (sides[int(rng.integers(len(sides)))][0] for _ in range(2))
    start = [_View("empty", Layout(), ()), _palette(room, sides, rng)]
    if plan.kind == "game":
        views = [*start, *_game(room, Evening(gridlock_setup(sides, plan.per_size, first, van), rng,
                                              Habits(plan.slips)), rng, plan.plays)]
    else:
        views = [*start, *_stills(room, sides, rng, plan.pictures)]
    frames = [f"{i:04d}.jpg" for i in range(len(views))]
    is_game = plan.kind == "game"
    told = told_setup(room, plan.kind, sides, plan.per_size, frames[2:], lens=has_lens, rng=rng,
                      first=first if is_game else None, van=van if is_game else None)
    truths: list[dict[str, Any]] = []
    for truth in _taken(out, room, views, frames, rng):
        truths.append(truth)
        if progress is not None:
            progress(len(truths), len(frames))
    write_json(out / TRUTH, _told_scene(room, plan, sides, truths))
    write_json(out / "setup.json", told)
    return out


def _check(out: Path, plan: FolderPlan) -> None:
    if plan.kind not in KINDS:
        raise BadFolder(f"wanted a kind ({', '.join(KINDS)}), found {plan.kind!r}: choose one of them")
    if not 3 <= plan.players <= 4:
        raise BadFolder(f"wanted 3 or 4 simulated players, found {plan.players}: choose 3 or 4")
    if not 1 <= plan.per_size <= 64 // (3 * plan.players):
        raise BadFolder(f"wanted 1 to {64 // (3 * plan.players)} pyramids of each size for {plan.players} players, "
                        f"found {plan.per_size}: choose fewer")
    if plan.kind == "stills" and plan.pictures < 1:
        raise BadFolder(f"wanted at least one picture, found {plan.pictures}: ask for more")
    check_out(out)


def check_out(out: Path) -> None:
    """Makes the folder if it is not there. Raises `BadFolder` if it is not empty, `NotReady` if it cannot be made."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        is_empty = not any(out.iterdir())
    except OSError as error:
        raise NotReady(f"{out}: wanted a folder to write to, found that it cannot be made ({error.strerror}): "
                       "name another") from error
    if not is_empty:
        raise BadFolder(f"{out}: wanted an empty or a new folder, found files in it: name another")


def _told_scene(
    room: Room, plan: FolderPlan, sides: Iterable[tuple[Seat, Colour]], frames: list[dict[str, Any]]
) -> dict[str, Any]:
    table = room.table
    return {
        "format": FORMAT, "game": "gridlock", "kind": plan.kind,
        "board": {"squares": 8, "square_mm": round(table.square_mm, 2), "border_mm": table.border_mm,
                  "thickness_mm": round(table.thickness_mm, 2)},
        "seats": {seat_name(seat): str(colour) for seat, colour in sides},
        "per_size": plan.per_size, "frames": frames,
    }


def _taken(
    out: Path, room: Room, views: Iterable[_View], names: Iterable[str], rng: np.random.Generator
) -> Iterator[dict[str, Any]]:
    """Paints and writes each picture; its truth."""
    painters: dict[bool, Painter] = {}
    for view, name in zip(views, names, strict=True):
        if view.bumped not in painters:
            painters = {view.bumped: room.painter(view.bumped)}
        light = room.lights[view.light]
        image = photographed(room, painters[view.bumped], light, view.solids, rng, view.arm)
        write_picture(out / name, image, room.sensor.jpeg)
        yield {
            "frame": name, "tag": view.tag, "light": light.name, "hand": view.arm is not None,
            "camera": _told_camera(room.cameras[int(view.bumped)]),
            "corners": {k: [round(x, 2), round(y, 2)] for k, (x, y) in room.corners_px(view.bumped).items()},
            "pieces": told_pieces(view.layout), "van": told_van(view.layout), **(view.also or {}),
        }


def _told_camera(camera: SimCamera) -> dict[str, Any]:
    return {
        "size": list(camera.size_px),
        "matrix": [round(float(v), 6) for v in camera.matrix.ravel()],
        "distortion": [round(float(v), 6) for v in camera.distortion],
        "rvec": [round(float(v), 6) for v in camera.rvec],
        "tvec": [round(float(v), 6) for v in camera.tvec],
    }


def _palette(room: Room, sides: Iterable[tuple[Seat, Colour]], rng: np.random.Generator) -> _View:
    top, layout = TableTop(room, rng), palette_layout(colour for _, colour in sides)
    top.show(layout)
    return _View("palette", layout, top.solids())


def random_layout(sides: Iterable[tuple[Seat, Colour]], count: int, rng: np.random.Generator) -> Layout:
    """So many pyramids of any size and colour on any squares, two in three lying; and the van."""
    seats, places = list(sides), GridlockKit().places
    pieces: dict[Cell, Piece] = {}
    for k in rng.choice(len(places), count, replace=False):
        facing = None if rng.random() < 0.35 else int(rng.integers(4))
        kind, colour = PYRAMIDS[int(rng.integers(3))].kind, seats[int(rng.integers(len(seats)))][1]
        pieces[places[int(k)].cell] = Piece(kind, colour, facing)
    pieces[Cell(int(seats[int(rng.integers(len(seats)))][0]), 0, 0, VAN_ZONE)] = Piece("van", Colour(""), None)
    return Layout(pieces)


def _stills(
    room: Room, sides: Iterable[tuple[Seat, Colour]], rng: np.random.Generator, pictures: int
) -> Iterator[_View]:
    """Unrelated positions; half of the folders have their lamp switched halfway; now and then an arm."""
    seats, switches = list(sides), rng.random() < 0.5
    for i in range(pictures):
        layout, top = random_layout(seats, int(rng.choice(_COUNTS)), rng), TableTop(room, rng)
        top.show(layout)
        light = int(switches and i >= pictures / 2)
        arm, held = random_arm(room.table, rng, room.box) if rng.random() < _HAND_SHARE else (None, ())
        yield _View("still", layout, top.solids() + held, arm, light)


def _game(room: Room, evening: Evening, rng: np.random.Generator, plays: int | None) -> list[_View]:
    """Every deed at rest; hands before some; one switch of the lamp for a picture; one bump."""
    deeds = _until(evening, plays)
    top, views, bumped = TableTop(room, rng), list[_View](), False
    switch, bump = len(deeds) // 2, (3 * len(deeds)) // 4
    for i, deed in enumerate(deeds):
        top.show(deed.before)
        to_move = seat_name(deeds[i - 1].to_move if i else deed.seat)
        if deed.act is Act.PLAYED and i and rng.random() < _HAND_SHARE:
            reach = reach_for(room, top, deed, rng)
            views.append(_View("hand", deed.before, coming(top, reach, deed), reach.arm(0.72), 0, bumped,
                               {"to_move": to_move}))
        if i == switch and i:
            views.append(_View("light", deed.before, top.solids(), None, 1, bumped, {"to_move": to_move}))
        if i == bump and i and i != switch:
            bumped = True
            views.append(_View("bump", deed.before, top.solids(), None, 0, bumped, {"to_move": to_move}))
        top.show(deed.after)
        views.append(_View("turn", deed.after, top.solids(), None, 0, bumped, told_deed(deed)))
    if views and evening.match.game.outcome(evening.match.state) is not None:
        points = evening.scores()
        scores = {seat_name(seat): points.get(seat, 0) for seat, _ in evening.match.setup.colours}
        last = views[-1]
        views[-1] = _View(last.tag, last.layout, last.solids, None, 0, bumped, {**(last.also or {}), "scores": scores})
    return views


def _until(evening: Evening, plays: int | None) -> list[Deed]:
    """The deeds up to so many legal ones; never ends between a wrong one and its being put right."""
    deeds: list[Deed] = []
    legal = 0
    for deed in evening.deeds():
        deeds.append(deed)
        legal += deed.act is Act.PLAYED
        if plays is not None and legal >= plays:
            break
    return deeds


def told_deed(deed: Deed) -> dict[str, Any]:
    """What a `turn` picture's truth has beyond the position."""
    kit, to_move = GridlockKit(), seat_name(deed.to_move)
    move, square = deed.move, None
    if move.target is not None and move.target.zone != VAN_ZONE:
        square = kit.cell_name(move.target)
    if deed.act is Act.PUT_RIGHT:
        return {"move": {"kind": "restore"}, "verdict": "restored", "to_move": to_move}
    if deed.act is Act.WRONG:
        told: dict[str, Any] = {"reason": deed.reason, "square": square}
        if deed.reason == "out-of-turn" and move.piece is not None:
            told["colour"] = str(move.piece.colour)
        return {"move": told, "verdict": "illegal", "to_move": to_move}
    played: dict[str, Any] = {"kind": move.verb, "seat": seat_name(deed.seat)}
    if square is not None:
        played["square"] = square
    if move.verb == "place" and move.piece is not None:
        played["size"] = move.piece.kind
    if move.verb == "drop":
        played["turned"] = sorted(kit.cell_name(cell) for cell in deed.turned)
    return {"move": played, "verdict": "legal", "to_move": to_move}

