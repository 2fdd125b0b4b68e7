"""A result to keep: one PNG of every city, its buildings outlined, their points on them, and the score pad; and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Final

import cv2
import numpy as np

from rules.quadropolis.scoring import PARTS
from rules.quadropolis.state import SLOTS
from table.cities_letters import Bgr, width_px, write
from table.cities_score import SHARED_LABELS
from vision.frame import Image, Points
from webui.city_desk import CitiesView, CityView, SlotView
from webui.city_svg import mat_part
from webui.phrases import say

PANEL_PX, GAP_PX, HEAD_PX, ROW_PX = 720, 30, 70, 46
_PAPER: Final[Bgr] = (230, 240, 245)
_INK: Final[Bgr] = (27, 31, 34)
_SOFT: Final[Bgr] = (90, 100, 108)
_LINE: Final[Bgr] = (190, 205, 214)
_WHITE: Final[Bgr] = (255, 255, 255)


def csv_of(view: CitiesView, language: str) -> str:
    """The score pad, a line for each city, with what breaks ties. A name that a spreadsheet would take for a formula
    gets an apostrophe before it."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\r\n")
    table.writerow([
        say("city.name-field", language), *(say(f"city.part.{part}", language) for part in PARTS),
        say("city.total", language), say("city.inhabitants", language), say("city.empty", language),
        say("city.place", language),
    ])
    for number, city in enumerate(view.cities, start=1):
        name = player_name(city, number, language)
        if name[:1] in "=+-@\t":
            name = "'" + name
        table.writerow([name, *(points for _, points in city.parts), city.total, city.inhabitants, city.empty,
                        city.rank])
    return out.getvalue()


def player_name(city: CityView, number: int, language: str) -> str:
    """Whose city, or its number."""
    return city.player or say("city.number", language, n=number)


def png_of(view: CitiesView, pictures: Mapping[int, bytes | None], language: str) -> bytes:
    """The whole result as PNG. `pictures`: by city its JPEG, None where it was entered by hand."""
    columns = min(2, max(1, len(view.cities)))
    panels = [_panel(city, n, pictures.get(city.city), language) for n, city in enumerate(view.cities, start=1)]
    rows = [panels[n : n + columns] for n in range(0, len(panels), columns)]
    width = max(columns * PANEL_PX + (columns + 1) * GAP_PX, 900)
    heights = [max(panel.shape[0] for panel in row) for row in rows]
    pad = _pad_height(view)
    sheet = np.full((sum(heights) + GAP_PX * (len(rows) + 2) + pad, width, 3), _PAPER, np.uint8)
    top = GAP_PX
    for row, height in zip(rows, heights, strict=True):
        for n, panel in enumerate(row):
            left = GAP_PX + n * (PANEL_PX + GAP_PX)
            sheet[top : top + panel.shape[0], left : left + PANEL_PX] = panel
        top += height + GAP_PX
    _score_pad(sheet, view, top, language)
    return bytes(cv2.imencode(".png", sheet)[1])


def _panel(city: CityView, number: int, jpeg: bytes | None, language: str) -> Image:
    """One city under its name: the photograph, or a plan where there is none."""
    found = None if jpeg is None else cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    if found is None:
        picture, outlines = np.full((PANEL_PX, PANEL_PX, 3), (210, 222, 228), np.uint8), _plan_outlines()
    else:
        left, top, wide, high = mat_part(city)
        scale = PANEL_PX / wide
        picture = np.asarray(cv2.resize(found[top : top + high, left : left + wide], (PANEL_PX, round(high * scale)),
                                        interpolation=cv2.INTER_AREA), np.uint8)
        corner = np.array([left, top], np.float64)
        outlines = [(np.asarray(slot.outline_px, np.float64).reshape(-1, 2) - corner) * scale for slot in city.slots]
    _draw_points(picture, city, outlines)
    panel = np.full((HEAD_PX + picture.shape[0], PANEL_PX, 3), _PAPER, np.uint8)
    panel[HEAD_PX:] = picture
    write(panel, player_name(city, number, language), (0, 46), 26, _INK, 2)
    write(panel, str(city.total), (PANEL_PX, 48), 34, _INK, 3, anchor=1.0)
    return panel


def _plan_outlines() -> list[Points]:
    step, edge = PANEL_PX / 4, 12.0
    return [
        np.array([[c * step + edge, r * step + edge], [(c + 1) * step - edge, r * step + edge],
                  [(c + 1) * step - edge, (r + 1) * step - edge], [c * step + edge, (r + 1) * step - edge]])
        for r in range(4) for c in range(4)
    ]


def _draw_points(picture: Image, city: CityView, outlines: Sequence[Points]) -> None:
    """Outlines every building and writes its points on it; what several make together stands on the first of them."""
    shared: dict[int, int] = {}
    for reason in city.reasons:
        if reason.label in SHARED_LABELS:
            shared[reason.slots[0]] = shared.get(reason.slots[0], 0) + reason.points
    for slot in range(SLOTS):
        one, ring = city.slots[slot], outlines[slot]
        if len(ring) != 4 or (one.building is None and not one.asked):
            continue
        side = float(np.linalg.norm(ring[1] - ring[0]))
        drawn = np.round(ring).astype(np.int32)
        cv2.polylines(picture, [drawn], True, _WHITE, max(3, round(side / 22)), cv2.LINE_AA)
        cv2.polylines(picture, [drawn], True, _INK, max(1, round(side / 50)), cv2.LINE_AA)
        middle = ring.mean(axis=0)
        _badge(picture, _words(one), (middle[0], middle[1]), side * 0.2)
        if slot in shared:
            _badge(picture, f"+{shared[slot]}", (middle[0], middle[1] + side * 0.32), side * 0.13)


def _words(slot: SlotView) -> str:
    """The points of one building; those that nothing supplies have none, and what is unsure says so."""
    if slot.building is None:
        return "?"
    return f"{slot.points if slot.active else '-'}{'?' if slot.asked else ''}"


def _badge(picture: Image, text: str, at_px: tuple[float, float], height_px: float) -> None:
    thick = max(2, round(height_px / 9))
    half = width_px(text, height_px, thick) / 2 + height_px * 0.45
    left, right = round(at_px[0] - half), round(at_px[0] + half)
    top, bottom = round(at_px[1] - height_px * 0.95), round(at_px[1] + height_px * 0.95)
    cv2.rectangle(picture, (left, top), (right, bottom), _INK, -1)
    cv2.rectangle(picture, (left, top), (right, bottom), _WHITE, 2)
    write(picture, text, (at_px[0], at_px[1] + height_px / 2), height_px, _WHITE, thick, anchor=0.5)


def _pad_height(view: CitiesView) -> int:
    return ROW_PX * (len(PARTS) + 4) if view.cities else ROW_PX * 2


def _score_pad(sheet: Image, view: CitiesView, top: int, language: str) -> None:
    """The table of the score pad: a column for each city."""
    if not view.cities:
        write(sheet, say("city.none", language), (GAP_PX, top + 34), 22, _INK)
        return
    first = GAP_PX + 330
    step = (sheet.shape[1] - first - GAP_PX) / len(view.cities)
    for row in range(len(PARTS) + 4):
        y = top + row * ROW_PX
        label = _row_label(row, language)
        heavy = row in (0, len(PARTS) + 1)
        cv2.line(sheet, (GAP_PX, y + ROW_PX), (sheet.shape[1] - GAP_PX, y + ROW_PX), _INK if heavy else _LINE, 2)
        write(sheet, label, (GAP_PX, y + 32), 19, _INK if heavy else _SOFT)
        for n, city in enumerate(view.cities):
            text = _fitting(_cell(city, n + 1, row, language), step - 14, 19)
            write(sheet, text, (first + (n + 1) * step, y + 32), 19, _INK, 3 if heavy else 2, anchor=1.0)


def _row_label(row: int, language: str) -> str:
    last = ("city.total", "city.inhabitants", "city.place")
    if row == 0:
        return say("city.result", language)
    return say(f"city.part.{PARTS[row - 1]}" if row <= len(PARTS) else last[row - len(PARTS) - 1], language)


def _cell(city: CityView, number: int, row: int, language: str) -> str:
    if row == 0:
        return player_name(city, number, language)
    last = (str(city.total), str(city.inhabitants), f"{city.rank}." + (" *" if city.wins else ""))
    return str(city.parts[row - 1][1]) if row <= len(PARTS) else last[row - len(PARTS) - 1]


def _fitting(text: str, most_px: float, height_px: float) -> str:
    while len(text) > 3 and width_px(text, height_px) > most_px:
        text = text[:-2].rstrip(".") + "."
    return text
