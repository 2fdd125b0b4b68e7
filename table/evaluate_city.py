"""Read cities held against the truth: faces, floors, tokens, what lies beside, totals, corners, time.

Like `table.evaluate_truth` this opens the truth, for the accuracy report and nothing else.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from table.errors import BadFolder
from table.evaluate_cells import Line, Share, percentile
from table.evaluate_truth import TRUTH, TruePicture
from table.score import city_of, parts_of
from vision.kits.quadropolis import SIDE, QuadropolisKit

_NOTHING = Share()
Slot = Mapping[str, Any] | None
"""A slot in the words of FORMAT.md."""


@dataclass(frozen=True, slots=True)
class WrongCity:
    """Something of a city read otherwise than it is. `where`: a slot as "2,3", "beside" or "total"."""

    frame: str
    where: str
    truth: str
    read: str
    asked: bool


@dataclass(frozen=True, slots=True)
class CityFigures:
    """What became of the cities of a folder, or of many.

    `slots`: the face of the top tile, or that there is none. `floors`: of towers, right or asked; `floors_asked`: the
    towers asked for. `tokens`: slots whose inhabitants and energy are right. `totals`: cities whose score is exactly
    right as read; `answered`: when what was asked has been answered. Hidden slots are not counted as slots.
    """

    pictures: int = 0
    found: int = 0
    slots: Share = _NOTHING
    floors: Share = _NOTHING
    floors_asked: Share = _NOTHING
    tokens: Share = _NOTHING
    beside: Share = _NOTHING
    totals: Share = _NOTHING
    answered: Share = _NOTHING
    unsure: int = 0
    hidden: int = 0
    wrong: tuple[WrongCity, ...] = ()
    corner_px: tuple[float, ...] = ()
    ms: tuple[float, ...] = ()

    def plus(self, other: CityFigures) -> CityFigures:
        """Both together."""
        return CityFigures(
            self.pictures + other.pictures, self.found + other.found, self.slots.plus(other.slots),
            self.floors.plus(other.floors), self.floors_asked.plus(other.floors_asked), self.tokens.plus(other.tokens),
            self.beside.plus(other.beside), self.totals.plus(other.totals), self.answered.plus(other.answered),
            self.unsure + other.unsure, self.hidden + other.hidden, self.wrong + other.wrong,
            self.corner_px + other.corner_px, self.ms + other.ms,
        )

    def to_json(self, lists: bool = True) -> dict[str, Any]:
        """As JSON values; with `lists`, what was wrong one by one."""
        told: dict[str, Any] = {"pictures": self.pictures, "mat_found": self.found}
        for name in ("slots", "floors", "floors_asked", "tokens", "beside", "totals", "answered"):
            share: Share = getattr(self, name)
            percent = share.percent
            told[name] = {"right": share.right, "of": share.of,
                          "percent": None if percent is None else round(percent, 3)}
        told |= {"unsure": self.unsure, "hidden": self.hidden,
                 "corner_px": {"median": percentile(self.corner_px, 50), "worst": percentile(self.corner_px, 100)},
                 "ms": {"p50": percentile(self.ms, 50), "p95": percentile(self.ms, 95)}}
        if lists:
            told["wrong"] = [asdict(wrong) for wrong in self.wrong]
        return told


def read_city_truth(folder: Path, frames: Sequence[str]) -> tuple[Mapping[str, Any], ...]:
    """The truth of these pictures, as in the file. Raises `BadFolder`."""
    path = folder / TRUTH
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        by_name = {str(frame["frame"]): frame for frame in raw["frames"]}
        wanted = [by_name[name] for name in frames]
        for frame in wanted:
            _ = frame["city"], frame["beside"], frame["corners"], frame["score"]["total"]
    except OSError as error:
        raise BadFolder(f"{path}: wanted the truth beside the pictures, found none ({error.strerror}): "
                        "only folders that have it can be evaluated") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadFolder(f"{path}: wanted the truth of each city, found a fault ({error}): "
                        "copy the folder again") from error
    return tuple(wanted)


def city_moment(truth: Mapping[str, Any]) -> TruePicture:
    """A picture of a followed city as a moment of its evening: what was done and what the rules say of it."""
    return TruePicture(str(truth["frame"]), str(truth.get("tag", "")), bool(truth.get("hand", False)), {}, "", {},
                       dict(truth.get("move") or {}), str(truth.get("verdict", "")), "", None)


def city_figures(truths: Sequence[Mapping[str, Any]], lines: Iterable[Line]) -> CityFigures:
    """The figures of one folder. A picture without a line, or without a mat, counts as wrong in all."""
    by_frame = {str(line["frame"]): line for line in lines if line.get("frame")}
    total = CityFigures()
    for truth in truths:
        total = total.plus(picture_figures(truth, by_frame.get(str(truth["frame"]))))
    return total


def picture_figures(truth: Mapping[str, Any], line: Line | None) -> CityFigures:
    """The figures of one picture; `line` None: nothing was read."""
    everywhere = SIDE * SIDE
    towers = sum(_is_tower(slot) for row in truth["city"] for slot in row)
    if line is None or not line.get("position"):
        ms = () if line is None or line.get("ms") is None else (float(line["ms"]),)
        return CityFigures(1, 0, Share(0, everywhere), Share(0, towers), Share(0, towers), Share(0, everywhere),
                           Share(0, 1), Share(0, 1), Share(0, 1), ms=ms)
    frame = str(truth["frame"])
    hidden = {(int(row), int(col)) for row, col in line.get("hidden", ())}
    asked = {_where(entry["at"]) for entry in line.get("unsure", ())}
    total = CityFigures(1, 1, unsure=len(asked), hidden=len(hidden), corner_px=(_corner_px(truth, line),),
                        ms=() if line.get("ms") is None else (float(line["ms"]),))
    for row in range(SIDE):
        for col in range(SIDE):
            if (row + 1, col + 1) not in hidden:
                where = f"{row + 1},{col + 1}"
                is_there, was_read = truth["city"][row][col], line["position"]["city"][row][col]
                total = total.plus(_slot_figures(frame, where, is_there, was_read, where in asked))
    return total.plus(_whole_figures(truth, line, asked))


def _slot_figures(frame: str, where: str, is_there: Slot, was_read: Slot, asked: bool) -> CityFigures:
    face = _top(is_there) == _top(was_read)
    tokens = _tokens(is_there) == _tokens(was_read)
    floors, floors_asked = Share(), Share()
    stack = True
    if is_there is not None and _is_tower(is_there):
        stack = was_read is not None and len(was_read["floors"]) == len(is_there["floors"])
        floors, floors_asked = Share(int(stack or asked), 1), Share(int(asked), 1)
    wrong = () if face and tokens and stack else (WrongCity(frame, where, told(is_there), told(was_read), asked),)
    return CityFigures(slots=Share(int(face), 1), floors=floors, floors_asked=floors_asked,
                       tokens=Share(int(tokens), 1), wrong=wrong)


def _whole_figures(truth: Mapping[str, Any], line: Line, asked: set[str]) -> CityFigures:
    """What lies beside, and the total, as read and as answered."""
    frame, position = str(truth["frame"]), line["position"]
    beside = position["beside"] == truth["beside"]
    wanted = int(truth["score"]["total"])
    got = parts_of(city_of(position))["total"]
    answered = parts_of(city_of(_answered(truth, line, asked)))["total"]
    wrong = []
    if not beside:
        wrong.append(WrongCity(frame, "beside", str(truth["beside"]), str(position["beside"]), "beside" in asked))
    if got != wanted:
        wrong.append(WrongCity(frame, "total", str(wanted), str(got), answered == wanted))
    return CityFigures(beside=Share(int(beside), 1), totals=Share(int(got == wanted), 1),
                       answered=Share(int(answered == wanted), 1), wrong=tuple(wrong))


def _answered(truth: Mapping[str, Any], line: Line, asked: set[str]) -> dict[str, Any]:
    """The position as read, with the truth where the product asked or saw a slot hidden."""
    position = copy.deepcopy(dict(line["position"]))
    for where in (*asked, *(_where(at) for at in line.get("hidden", ()))):
        if where == "beside":
            position["beside"] = truth["beside"]
        else:
            row, col = (int(n) - 1 for n in where.split(","))
            position["city"][row][col] = truth["city"][row][col]
    return position


def _where(at: Any) -> str:
    return at if isinstance(at, str) else f"{at[0]},{at[1]}"


def _is_tower(slot: Slot) -> bool:
    return slot is not None and slot["floors"][-1]["type"] == "tower"


def _top(slot: Slot) -> Any:
    return None if slot is None else slot["floors"][-1]


def _tokens(slot: Slot) -> tuple[int, int]:
    return (0, 0) if slot is None else (slot["inhabitants"], slot["energy"])


def told(slot: Slot) -> str:
    """A slot in words, for lists of errors.

    >>> told(None)
    'empty'
    """
    if slot is None:
        return "empty"
    top = slot["floors"][-1]
    gives = "".join(f"{top[key]}{letter}" for key, letter in (("inhabitants", "i"), ("energy", "e"), ("vp", "v"))
                    if top[key])
    words = [top["type"], gives, "mayor" if top["mayor"] else "",
             f"{len(slot['floors'])} floors" if top["type"] == "tower" else ""]
    people, energy = _tokens(slot)
    return " ".join(word for word in (*words, f"with {people} and {energy}") if word)


def _corner_px(truth: Mapping[str, Any], line: Line) -> float:
    """The worst corner; one that was not told is as far off as can be."""
    corners = line["corners"]
    return max(
        float(np.hypot(corners[name][0] - x, corners[name][1] - y)) if name in corners else 1e4
        for name, (x, y) in truth["corners"].items() if name in QuadropolisKit().corner_names
    )
