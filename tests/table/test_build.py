"""From settings to a table: what is missing is told in one sentence, and secrets are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.catalogue import game_named
from rules.match import Match
from rules.words import Seat
from table.build import build, setup_of, web_settings
from table.errors import BadFolder, NotReady
from table.settings import Settings, read_settings


def settings_with(tmp_path: Path, **flags: object) -> Settings:
    named = {name.replace("__", "."): value for name, value in flags.items()}
    return read_settings(None, {}, {"table.data_dir": str(tmp_path), **named}).settings


@pytest.mark.parametrize("source", ["pi", "usb", "usb:1"])
def test_a_real_camera_needs_a_calibrated_table(tmp_path: Path, source: str) -> None:
    with pytest.raises(NotReady, match="overboard calibrate"):
        build(settings_with(tmp_path, camera__source=source))


def test_a_folder_without_setup_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFolder, match=r"setup\.json"):
        build(settings_with(tmp_path, camera__source=str(tmp_path)))


@pytest.mark.parametrize(
    ("flags", "players", "hands"),
    [
        ({}, 4, 5),
        ({"table__players": 2, "table__per_size": 3}, 2, 3),
        ({"table__colours": ("red", "blue", "green"), "table__players": 3, "table__van": "west"}, 3, 5),
    ],
)
def test_the_match_is_as_the_settings_say(tmp_path: Path, flags: dict[str, object], players: int, hands: int) -> None:
    setup = setup_of(settings_with(tmp_path, **flags))
    match = Match.begun(game_named("gridlock"), setup)
    assert len(setup.players) == players
    assert match.game.hands(match.state)[Seat(0)] == (("small", hands), ("medium", hands), ("large", hands))


def test_the_secret_is_kept_and_the_code_is_made_anew(tmp_path: Path) -> None:
    settings = settings_with(tmp_path)
    one, two = web_settings(settings), web_settings(settings)
    assert one.secret == two.secret
    assert len(one.secret) == 32
    assert len(one.touch_code) == 4
    fixed = web_settings(settings_with(tmp_path, web__touch_code="7777"))
    assert fixed.touch_code == "7777"
