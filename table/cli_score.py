"""The commands of Quadropolis's cities: score folders and photographs; teach a tile set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from table.cli_said import printed, progress
from table.cli_table import asked, config_option, language_option, settings_of

if TYPE_CHECKING:
    from calibration.tile_sets import TileShelf
    from table.at_terminal import Terminal
    from table.settings import Settings

PLACE = click.Path(path_type=Path)


def _row1(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[float, float] | None:
    if value is None:
        return None
    try:
        x, y = (float(part) for part in value.split(","))
    except ValueError:
        raise click.BadParameter(f"wanted a point as 1234,567, found {value!r}: px from the upper left corner", ctx,
                                 param) from None
    return x, y


row1_option = click.option("--row1", metavar="X,Y", callback=_row1,
                           help="Where row 1 and column 1 meet in the picture, px; else print and tiles say it.")


@click.command()
@click.argument("places", metavar="DIR|PHOTO...", nargs=-1, required=True, type=PLACE)
@click.option("--tiles", metavar="NAME", help="The tile set that photographs are read with; the newest if not given.")
@click.option("--harbours", type=click.Choice(["best_line", "row_plus_column"]), default="best_line",
              show_default=True, help="How harbours count: the one best line, or the best row and the best column.")
@row1_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object a city.")
@config_option
def score(places: tuple[Path, ...], tiles: str | None, harbours: str, row1: tuple[float, float] | None, as_json: bool,
          config: Path | None) -> int:
    """Tell what cities score, and why.

    Of a folder DIR with a setup.json all its pictures; of photographs every mat that they show. A photograph that
    cannot be read is told, the others go on, and the exit code is 1 then.
    """
    from table.score_words import score_words

    failed = False
    for place in places:
        if place.is_dir():
            from table.score_folder import scored_folder
            from table.setup_folder import read_setup

            for line in progress(scored_folder(place, harbours), "scoring", len(read_setup(place).frames)):
                printed(json.dumps(line) if as_json else score_words(line))
            continue
        for line in _photographed(place, _shelf(config), tiles, harbours, row1):
            failed |= not line["position"]
            printed(json.dumps(line) if as_json else score_words(line))
    return int(failed)


def _photographed(place: Path, shelf: TileShelf, tiles: str | None, harbours: str, row1: tuple[float, float] | None,
                  ) -> list[dict[str, Any]]:
    """A line for each city of a photograph, or one that says why there is none."""
    from calibration.errors import CalibrationFailed
    from table.photo import NoPhoto
    from table.score_photo import NoCity, cities_in
    from table.score_tiles import photo_at

    names = shelf.names()
    if tiles is None and not names:
        raise CalibrationFailed("wanted a tile set to read photographs with, found none: lay the tiles out and run "
                                "`overboard calibrate tiles`; `--order` shows how")
    taught = shelf.taken(tiles or names[0])
    photo = photo_at(place)
    found = photo if isinstance(photo, NoPhoto) else cities_in(photo, taught, row1)
    if isinstance(found, NoPhoto | NoCity):
        return [{"frame": place.name, "corners": {}, "position": {}, "hidden": [], "unsure": [], "why": found.why,
                 "ms": 0.0}]
    return [city.line(harbours) for city in found]


def _shelf(config: Path | None) -> TileShelf:
    from calibration.tile_sets import shelf_in

    return shelf_in(Path(settings_of(config, {}).table.data_dir))


@click.command("tiles")
@click.argument("places", metavar="[DIR|PICTURE...]", nargs=-1, type=PLACE)
@click.option("--name", default="classic", show_default=True,
              help="What the set is called; one of that name is replaced.")
@click.option("--order", is_flag=True, help="Only show which tile lies in which slot of which picture.")
@row1_option
@click.option("--source", help="pi, usb or usb:NUMBER, where no pictures are named.")
@language_option
@config_option
def calibrate_tiles(places: tuple[Path, ...], name: str, order: bool, row1: tuple[float, float] | None,
                    source: str | None, language: str | None, config: Path | None) -> None:
    """The faces of a box's tiles, once for all: from a folder DIR with a setup.json, from a PICTURE for each page of
    the order, or, if none is named, with the camera, step by step."""
    from table.at_terminal import Terminal, ending_in
    from table.score_tiles import order_said

    settings = settings_of(config, {"camera.source": source, "table.language": language})
    terminal = Terminal(asked, printed, settings.table.language)
    if order:
        terminal.says(order_said())
        return
    with ending_in(terminal.language):
        _teach_tiles(places, name, row1, settings, terminal)


def _teach_tiles(places: tuple[Path, ...], name: str, row1: tuple[float, float] | None, settings: Settings,
                 terminal: Terminal) -> None:
    from calibration.tile_sets import checked_name, shelf_in
    from table.journal import utc_now
    from table.score_tiles import kept_said, tiles_of_folder, tiles_of_pictures, walk_tiles

    checked_name(name)
    shelf = shelf_in(Path(settings.table.data_dir))
    if not places:
        from device.watched import Watched
        from table.build import camera_of
        from table.calibrating import newest

        camera = Watched(camera_of(settings), patience_s=settings.camera.lost_after_ms / 1000)
        try:
            taught = walk_tiles(name, lambda: newest(camera), terminal, utc_now())
        finally:
            camera.close()
    elif len(places) == 1 and places[0].is_dir():
        taught = tiles_of_folder(places[0], name, utc_now())
    else:
        taught = tiles_of_pictures(places, name, utc_now(), row1)
    for said in kept_said(shelf.keep(taught), taught):
        terminal.says(said)
