"""Settings: typed, bounded, every fault at once with its line, and where each value came from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from table.errors import BadSettings
from table.settings import KEYS, Settings, read_settings


def test_flags_beat_the_environment_the_file_and_the_defaults(tmp_path: Path) -> None:
    file = tmp_path / "overboard.toml"
    file.write_text('[web]\nport = 8081\nhost = "127.0.0.1"\n[camera]\nfps = 5\n')
    read = read_settings(file, {"OVERBOARD_WEB_PORT": "8082", "OVERBOARD_TABLE_STILL_MS": "700"}, {"web.port": 8083})
    assert (read.settings.web.port, read.settings.web.host) == (8083, "127.0.0.1")
    assert (read.settings.camera.fps, read.settings.table.still_ms) == (5.0, 700)
    assert read.origins["web.port"] == "flag"
    assert read.origins["web.host"] == f"{file}, line 3"
    assert read.origins["table.still_ms"] == "OVERBOARD_TABLE_STILL_MS"
    assert read.origins["record.keep"] == "default"


def test_without_anything_the_defaults_hold_and_every_key_is_documented() -> None:
    read = read_settings(Path("does-not-exist.toml"))
    assert read.settings == Settings()
    named = {(section, key) for section in ("table", "camera", "web", "panel", "record")
             for key in type(getattr(Settings(), section)).__dataclass_fields__}
    assert named == set(KEYS)
    assert all(key.says.endswith(".") for key in KEYS.values())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("[web]\nport = 99999\n", ("line 2", "web.port", "1 to 65535"), id="out of bounds"),
        pytest.param("[web]\nport = true\n", ("line 2", "web.port"), id="a flag for a number"),
        pytest.param('[web]\nport = "8080"\n', ("line 2", "'8080'"), id="a text for a number"),
        pytest.param("[web]\nhost = 1\n\nprot = 2\n", ("line 2", "line 4", "'web.prot'", "touch_code"),
                     id="two faults are told together"),
        pytest.param("[wbe]\nport = 1\n", ("line 2", "'wbe.port'"), id="an unknown section"),
        pytest.param("port = 1\n", ("'port'",), id="a key without a section"),
        pytest.param("[web\nport = 1\n", ("TOML", "line 1"), id="no TOML"),
        pytest.param("[panel]\nred_pin = 24\n", ("panel: red", "24"), id="two lights on one pin"),
        pytest.param('[table]\ncolours = ["red", "red", "blue"]\n', ("table.colours",), id="two sides of one colour"),
        pytest.param("[camera]\nmains_hz = 40\n", ("50 or 60",), id="mains that are not there"),
    ],
)
def test_a_faulty_file_is_refused_with_its_line(tmp_path: Path, text: str, says: tuple[str, ...]) -> None:
    file = tmp_path / "overboard.toml"
    file.write_text(text)
    with pytest.raises(BadSettings) as refused:
        read_settings(file)
    for part in says:
        assert part in str(refused.value)


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        pytest.param({"OVERBOARD_WEB_PORT": "many"}, "'many'", id="a word for a number"),
        pytest.param({"OVERBOARD_WBE_PORT": "1"}, "OVERBOARD_WBE_PORT", id="an unknown name"),
    ],
)
def test_a_faulty_environment_is_refused(environment: dict[str, str], says: str) -> None:
    with pytest.raises(BadSettings, match=says):
        read_settings(None, environment)


@pytest.mark.parametrize(
    ("name", "text", "section", "key", "value"),
    [
        ("OVERBOARD_PANEL_QUIET", "yes", "panel", "quiet", True),
        ("OVERBOARD_PANEL_BUTTON_PINS", "", "panel", "button_pins", ()),
        ("OVERBOARD_PANEL_TURN_PINS", "17,27,22,4", "panel", "turn_pins", (17, 27, 22, 4)),
        ("OVERBOARD_WEB_ALLOWED_HOSTS", "table.lan, box", "web", "allowed_hosts", ("table.lan", "box")),
        ("OVERBOARD_CAMERA_FPS", "7.5", "camera", "fps", 7.5),
    ],
)
def test_the_environment_speaks_every_type(name: str, text: str, section: str, key: str, value: Any) -> None:
    assert getattr(getattr(read_settings(None, {name: text}).settings, section), key) == value
