"""The command `journal cities`: the Quadropolis cities that were scored on the page, and the result as a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from table.cli_said import printed

if TYPE_CHECKING:
    from table.journal import Journal
    from webui.city_desk import CitiesView

FILE = click.Path(path_type=Path, dir_okay=False)


def print_cities(book: Journal, png: Path | None, csv: Path | None, language: str, as_json: bool) -> None:
    """Every kept result, oldest first, then the one under way, which is also written to the files that are named."""
    from table.cities import book_of
    from table.cities_desk import view_of
    from table.cities_export import csv_of, png_of

    view = view_of(book_of(book))
    for line in _lines(view, language, as_json):
        printed(line)
    if png is not None:
        pictures = {one.city: book.city_picture(one.picture_seq) if one.picture_seq else None for one in view.cities}
        png.write_bytes(png_of(view, pictures, language))
    if csv is not None:
        csv.write_text(csv_of(view, language), encoding="utf-8", newline="")


def _lines(view: CitiesView, language: str, as_json: bool) -> list[str]:
    """A line each result: when it was kept, and each city with its points; a star for who won."""
    from table.cities_export import player_name

    results: list[tuple[str, list[dict[str, Any]]]] = [
        (one.at_utc, [{"player": name, "points": points, "wins": wins} for name, points, wins in one.players])
        for one in reversed(view.kept)
    ]
    now = [{"player": player_name(city, n, language), "points": city.total, "wins": city.wins,
            "parts": dict(city.parts)} for n, city in enumerate(view.cities, start=1)]
    results += [("", now)] if now else []
    if as_json:
        return [json.dumps({"kept": at or None, "cities": cities}, ensure_ascii=False) for at, cities in results]
    lines = []
    for at, cities in results:
        told = ", ".join(f"{one['player'] or f'city {n}'} {one['points']}{'*' if one['wins'] else ''}"
                         for n, one in enumerate(cities, start=1))
        lines.append(f"{at or 'not kept yet':20}  {told}")
    return lines
