"""The accuracy report as text for people: a line a folder, the totals, and what was wrong."""

from __future__ import annotations

from collections.abc import Sequence

from table.evaluate import FolderReport, Report
from table.evaluate_cells import ReadFigures, Share, percentile
from table.evaluate_city import CityFigures
from table.evaluate_moves import ReplayFigures

_READ_HEAD = ("folder", "board", "cells", "%", "whole", "van", "corner px", "of a cell", "hand: hidden/wrong", "asks",
              "ms p50/p95")
_PLAY_HEAD = ("game", "moves", "missed", "late", "invented", "alarms", "reasons", "false", "restored", "questions",
              "turns", "score", "ms p50/p95")
_CITY_HEAD = ("city", "mat", "faces", "floors", "asked", "tokens", "beside", "total", "answered", "hidden", "corner px",
              "ms p50/p95")
_NONE = "-"


def report_text(report: Report, errors: int = 20) -> str:
    """The whole report; of the errors at most so many are listed."""
    read = [one for one in report.folders if one.reading is not None]
    parts: list[str] = []
    if read:
        rows = [_read_row(one.folder, one.reading) for one in read if one.reading is not None]
        parts.append(aligned([_READ_HEAD, *rows, _read_row("all", report.reading)]))
        parts.append("by what is there:  " + _split(report.reading.by_kind))
        parts.append("by colour:  " + _split(report.reading.by_colour))
    games = [one for one in report.folders if one.replay is not None]
    if games:
        played = [_play_row(one.folder, one.replay) for one in games if one.replay is not None]
        parts.append(aligned([_PLAY_HEAD, *played, _play_row("all", report.replay)]))
    cities = [(one.folder, one.city) for one in report.folders if one.city is not None]
    if cities:
        rows = [_city_row(name, city) for name, city in cities]
        parts.append(aligned([_CITY_HEAD, *rows, _city_row("all", report.city)]))
    parts.extend(f"{one.folder}: {one.note}" for one in report.folders if one.note)
    listed = [line for one in report.folders for line in _errors(one)]
    if listed:
        more = [f"... and {len(listed) - errors} more (--json has all)"] if len(listed) > errors else []
        parts.append("\n".join(["what was wrong:", *listed[:errors], *more]))
    return "\n\n".join(parts) + "\n"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Columns under each other, the first to the left, numbers to the right; a rule under the head and over the end.

    >>> print(aligned([("a", "b"), ("cc", "1"), ("all", "10")]))
    a     b
    -------
    cc    1
    -------
    all  10
    """
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    ]
    rule = "-" * len(lines[0])
    return "\n".join([lines[0], rule, *lines[1:-1], rule, lines[-1]])


def _of(share: Share) -> str:
    return f"{share.right}/{share.of}" if share.of else _NONE


def _percent(share: Share) -> str:
    percent = share.percent
    return _NONE if percent is None else f"{percent:.2f}"


def _times(ms: Sequence[float]) -> str:
    middle, high = percentile(ms, 50), percentile(ms, 95)
    return _NONE if middle is None or high is None else f"{middle:.0f}/{high:.0f}"


def _middle_and_worst(values: Sequence[float], digits: int) -> str:
    middle, worst = percentile(values, 50), percentile(values, 100)
    return _NONE if middle is None or worst is None else f"{middle:.{digits}f}/{worst:.{digits}f}"


def _read_row(name: str, figures: ReadFigures) -> tuple[str, ...]:
    return (
        name, f"{figures.found}/{figures.pictures}", _of(figures.cells), _percent(figures.cells),
        _of(figures.positions), _of(figures.van), _middle_and_worst([c.px for c in figures.corners], 1),
        _middle_and_worst([c.cells for c in figures.corners], 3),
        f"{figures.hand_hidden}/{figures.hand_wrong}" if figures.hand_pictures else _NONE, str(figures.unsure),
        _times(figures.ms),
    )


def _play_row(name: str, figures: ReplayFigures) -> tuple[str, ...]:
    return (
        name, _of(figures.moves), str(figures.missed), str(figures.late), str(figures.invented), _of(figures.alarms),
        _of(figures.reasons), str(figures.false_alarms), _of(figures.restored), str(figures.questions),
        _of(figures.turns), _of(figures.scores), _times(figures.ms),
    )


def _city_row(name: str, figures: CityFigures) -> tuple[str, ...]:
    return (
        name, f"{figures.found}/{figures.pictures}", _of(figures.slots), _of(figures.floors), _of(figures.floors_asked),
        _of(figures.tokens), _of(figures.beside), _of(figures.totals), _of(figures.answered), str(figures.hidden),
        _middle_and_worst(figures.corner_px, 1), _times(figures.ms),
    )


def _split(shares: Sequence[tuple[str, Share]]) -> str:
    return ", ".join(f"{name} {_of(share)} ({_percent(share)} %)" for name, share in shares)


def _errors(one: FolderReport) -> list[str]:
    reading = one.reading.wrong if one.reading is not None else ()
    replay = one.replay.slips if one.replay is not None else ()
    cities = one.city.wrong if one.city is not None else ()
    return [
        *(f"{one.folder}/{w.frame} {w.where}: is {w.truth}, read {w.read}{' (asked)' if w.asked else ''}"
          for w in cities),
        *(f"{one.folder}/{w.frame} {w.square}: is {w.truth}, read {w.read}{' (asked)' if w.asked else ''}"
          for w in reading),
        *(f"{one.folder}/{s.frame} {s.what}: {s.truth or _NONE}, said {s.said or _NONE}" for s in replay),
    ]
