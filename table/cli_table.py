"""The commands of a table with a camera: run, record, calibrate."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from table.cli_said import doing, printed
from table.cli_words import game_option

if TYPE_CHECKING:
    from table.settings import Settings

FOLDER = click.Path(path_type=Path)
CONFIG = "overboard.toml"


def settings_of(config: Path | None, flags: Mapping[str, Any]) -> Settings:
    """The settings of `overboard.toml` (or `config`, which must exist), the environment and the flags that were given.

    Three players leave out a fourth colour that nobody chose. Raises `BadSettings`, `NotReady`.
    """
    from table.errors import NotReady
    from table.settings import read_settings

    if config is not None and not config.is_file():
        raise NotReady(f"{config}: wanted a file of settings, found none: check the name after --config")
    given = {name: value for name, value in flags.items() if value is not None}
    sourced = read_settings(config or Path(CONFIG), os.environ, given)
    settings = sourced.settings
    if settings.table.players == 3 and len(settings.table.colours) == 4:
        given["table.colours"] = list(settings.table.colours[:3])
        settings = read_settings(config or Path(CONFIG), os.environ, given).settings
    return settings


config_option = click.option("--config", type=FOLDER, help="Instead of overboard.toml.")
language_option = click.option("--language", type=click.Choice(["en", "pt"]),
                               help="What is said and asked; the settings' language if not given.")


@click.command()
@game_option
@click.option("--seats", type=click.IntRange(2, 4), help="How many play.")
@click.option("--source", help="pi, usb, usb:NUMBER, sim, a folder of pictures, or a video beside a setup.json.")
@click.option("--quiet-panel", is_flag=True, help="No lights, no buzzer, no buttons.")
@click.option("--port", type=int, help="The page's port.")
@click.option("--host", help="The address to listen on.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Which simulated evening.")
@config_option
def run(
    game: str, seats: int | None, source: str | None, quiet_panel: bool, port: int | None, host: str | None, seed: int,
    config: Path | None,
) -> None:
    """Watch a table; the game is on a page for phones.

    Without hardware: --source sim.
    """
    from table.build import build
    from table.running import Ending, run_table
    from table.sim.source import SimPlan

    settings = settings_of(config, {
        "table.game": game, "table.players": seats, "camera.source": source, "panel.quiet": quiet_panel or None,
        "web.port": port, "web.host": host,
    })
    plan = SimPlan(seed, players=settings.table.players)
    with Ending().listening() as ending:
        printed("Setting up the table ...")
        run_table(build(settings, plan=plan), printed, lambda line: click.echo(line, err=True), ending)


@click.command()
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.option("--source", help="pi, usb, usb:NUMBER or sim.")
@click.option("--seconds", type=click.FloatRange(0.1, 86400), default=60, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Which simulated evening.")
@config_option
def record(folder: Path, source: str | None, seconds: float, seed: int, config: Path | None) -> None:
    """Keep the pictures of the camera in a folder.

    DIR must be new or empty; each picture's time is kept with it.
    """
    from table.recording import record_folder
    from table.running import Ending

    settings = settings_of(config, {"camera.source": source})
    with Ending().listening() as ending, doing("recording") as told:
        printed(record_folder(folder, settings, seconds, seed, ending, told))


@click.group()
def calibrate() -> None:
    """Teach Overboard a lens or a table."""


@calibrate.command()
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.option("--json", "as_json", is_flag=True, help="The lens as `lens` of setup.json has it, and the errors.")
def camera(folder: Path, as_json: bool) -> None:
    """The lens, from pictures of the printed ChArUco sheet in DIR, with the error of each picture."""
    from calibration.fit import fit_camera_folder
    from table.calibrating import check_sheets, fit_json, fit_words

    check_sheets()
    with doing("looking for the sheet") as told:
        fit = fit_camera_folder(folder, told)
    printed(fit_json(fit) if as_json else fit_words(fit))


@calibrate.command()
@click.argument("file", type=FOLDER)
@click.option("--paper", type=click.Choice(["a4", "letter"]), default="a4", show_default=True)
def sheet(file: Path, paper: str) -> None:
    """The ChArUco sheet to print, true to scale, as the PDF FILE."""
    from calibration.target import charuco_sheet
    from table.calibrating import check_sheets

    check_sheets()
    file.write_bytes(charuco_sheet(paper=paper))
    printed(f"{file}: print it at 100 % and measure the bar: it must be 100 mm")


@calibrate.command()
@click.option("--source", help="pi, usb or usb:NUMBER.")
@click.option("--square-mm", type=click.FloatRange(20, 120), required=True, help="The width of a square, by ruler.")
@click.option("--lens", type=FOLDER, help="A file that `calibrate camera --json` printed.")
@language_option
@config_option
def table(source: str | None, square_mm: float, lens: Path | None, language: str | None, config: Path | None) -> None:
    """Where the board lies and what the colours look like: two pictures and one answer."""
    from table.at_terminal import Terminal, ending_in
    from table.calibrating import calibrate_table

    settings = settings_of(config, {"camera.source": source, "table.language": language})
    with ending_in(settings.table.language):
        calibrate_table(settings, square_mm, lens, Terminal(asked, printed, settings.table.language))


def asked(question: str) -> str:
    """What somebody types at a question; "" for Enter alone."""
    return str(click.prompt(question, default="", show_default=False, prompt_suffix=" "))
