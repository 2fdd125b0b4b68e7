"""How right the product is: what it says of folders of pictures, held against the truth beside them.

Only this report opens the truth (`table.evaluate_truth`). What the product says comes in through two functions,
those of `overboard read` and `overboard replay`, so that nothing that reads pictures can see it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import Any

from table.errors import BadFolder
from table.evaluate_cells import Line, ReadFigures, Share, percentile, read_figures
from table.evaluate_city import CityFigures, city_figures, city_moment, read_city_truth
from table.evaluate_moves import ReplayFigures, replay_figures
from table.evaluate_truth import READ_GAMES, Truth, read_truth
from table.setup_folder import read_setup

Read = Callable[[Path], Iterable[object]]
"""A folder to lines: mappings, dataclasses, or anything whose `to_json()` gives the line or its text."""
Progress = Callable[[int, int], None]
"""Told after each folder: how many are done, of how many."""


@dataclass(frozen=True, slots=True)
class FolderReport:
    """One folder's figures. `note` says why there are none, where the game cannot be read yet."""

    folder: str
    game: str
    kind: str
    note: str = ""
    reading: ReadFigures | None = None
    replay: ReplayFigures | None = None
    city: CityFigures | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """All folders, and their totals."""

    folders: tuple[FolderReport, ...]

    @property
    def reading(self) -> ReadFigures:
        """Of all folders that were read."""
        total = ReadFigures()
        for one in self.folders:
            total = total.plus(one.reading or ReadFigures())
        return total

    @property
    def city(self) -> CityFigures:
        """Of all Quadropolis folders."""
        total = CityFigures()
        for one in self.folders:
            total = total.plus(one.city or CityFigures())
        return total

    @property
    def replay(self) -> ReplayFigures:
        """Of all games."""
        total = ReplayFigures()
        for one in self.folders:
            total = total.plus(one.replay or ReplayFigures())
        return total

    def to_json(self) -> dict[str, Any]:
        """As JSON values; `total` over all folders, then each folder with its errors one by one."""
        return {
            "total": {"reading": told_reading(self.reading, lists=False),
                      "replay": told_replay(self.replay, lists=False),
                      "city": self.city.to_json(lists=False)},
            "folders": [
                {"folder": one.folder, "game": one.game, "kind": one.kind, "note": one.note,
                 "reading": None if one.reading is None else told_reading(one.reading),
                 "replay": None if one.replay is None else told_replay(one.replay),
                 "city": None if one.city is None else one.city.to_json()}
                for one in self.folders
            ],
        }


def evaluate(folders: Sequence[Path], read: Read, replay: Read, progress: Progress | None = None) -> Report:
    """The report on these folders. Raises `BadFolder`, and what `read` and `replay` raise."""
    reports = []
    for done, folder in enumerate(folders, start=1):
        reports.append(evaluate_folder(folder, read, replay))
        if progress is not None:
            progress(done, len(folders))
    return Report(tuple(reports))


def evaluate_folder(folder: Path, read: Read, replay: Read) -> FolderReport:
    """One folder: each picture read by itself; of a game also the story that the referee tells."""
    truth = read_truth(folder)
    name = folder.resolve().name
    if truth.game == "quadropolis":
        cities = read_city_truth(folder, read_setup(folder).frames)
        figures = city_figures(cities, lines_of(read(folder), folder))
        story = None
        if _is_game(truth):
            story = replay_figures([city_moment(one) for one in cities], lines_of(replay(folder), folder))
        return FolderReport(name, truth.game, truth.kind, replay=story, city=figures)
    if truth.game not in READ_GAMES:
        return FolderReport(name, truth.game, truth.kind, f"{truth.game}: not read yet")
    pictures = truth.of(read_setup(folder).frames)
    reading = read_figures(pictures, lines_of(read(folder), folder))
    told = replay_figures(pictures, lines_of(replay(folder), folder)) if _is_game(truth) else None
    return FolderReport(name, truth.game, truth.kind, "", reading, told)


def _is_game(truth: Truth) -> bool:
    return truth.kind == "game"


def lines_of(raw: Iterable[object], folder: Path) -> list[Line]:
    """The lines as mappings. Raises `BadFolder` for a line that is none."""
    out: list[Line] = []
    for item in raw:
        value: object = item.to_json() if hasattr(item, "to_json") else item
        if is_dataclass(value) and not isinstance(value, type):
            value = asdict(value)
        if isinstance(value, str):
            value = json.loads(value)
        if not isinstance(value, Mapping):
            raise BadFolder(f"{folder}: wanted JSON objects as lines, found {value!r}: see scenes/FORMAT.md")
        out.append(value)
    return out


def _told_share(share: Share) -> dict[str, Any]:
    percent = share.percent
    return {"right": share.right, "of": share.of, "percent": None if percent is None else round(percent, 3)}


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def told_reading(figures: ReadFigures, lists: bool = True) -> dict[str, Any]:
    """As JSON values; with `lists`, each wrong cell and each picture's corners too."""
    px, cells = [c.px for c in figures.corners], [c.cells for c in figures.corners]
    told: dict[str, Any] = {
        "pictures": figures.pictures, "board_found": figures.found, "cells": _told_share(figures.cells),
        "by_kind": {name: _told_share(share) for name, share in figures.by_kind},
        "by_colour": {name: _told_share(share) for name, share in figures.by_colour},
        "positions": _told_share(figures.positions), "van": _told_share(figures.van),
        "hands": {"pictures": figures.hand_pictures, "hidden": figures.hand_hidden, "wrong": figures.hand_wrong},
        "hidden_without_hand": figures.hidden_elsewhere, "unsure": figures.unsure,
        "corner_px": {"median": _rounded(percentile(px, 50), 3), "worst": _rounded(percentile(px, 100), 3)},
        "corner_cells": {"median": _rounded(percentile(cells, 50), 4), "worst": _rounded(percentile(cells, 100), 4)},
        "ms": _told_times(figures.ms),
    }
    if lists:
        told["wrong"] = [asdict(wrong) for wrong in figures.wrong]
        told["corners"] = [{"frame": c.frame, "px": round(c.px, 3), "cells": round(c.cells, 4)}
                           for c in figures.corners]
    return told


def told_replay(figures: ReplayFigures, lists: bool = True) -> dict[str, Any]:
    """As JSON values; with `lists`, each slip too."""
    told: dict[str, Any] = {
        "games": figures.games, "moves": _told_share(figures.moves), "missed": figures.missed, "late": figures.late,
        "corrected": figures.corrected, "invented": figures.invented, "alarms": _told_share(figures.alarms),
        "missed_alarms": figures.missed_alarms, "false_alarms": figures.false_alarms,
        "reasons": _told_share(figures.reasons), "restored": _told_share(figures.restored),
        "questions": figures.questions, "turns": _told_share(figures.turns), "scores": _told_share(figures.scores),
        "ms": _told_times(figures.ms),
    }
    if lists:
        told["slips"] = [asdict(slip) for slip in figures.slips]
    return told


def _told_times(ms: Sequence[float]) -> dict[str, float | None]:
    return {"p50": _rounded(percentile(ms, 50), 1), "p95": _rounded(percentile(ms, 95), 1)}
