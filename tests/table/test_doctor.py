"""The doctor: what is wrong and what to do, and where each setting came from."""

from __future__ import annotations

import importlib
import json
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from device.probe import Finding, State
from table import doctor
from table.doctor import Told, examine
from table.journal import Journal
from tests.table.commanded import folder, ran

WELL = (
    Finding("camera", State.GOOD, "A camera is here."),
    Finding("pins", State.GOOD, "Pins are here."),
    Finding("power", State.ABSENT, "No vcgencmd."),
    Finding("disk", State.GOOD, "9 GB are free."),
)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def told(environment: dict[str, str] | None = None, look: tuple[Finding, ...] = WELL, config: Path | None = None,
         **flags: Any) -> dict[str, list[Told]]:
    """What is found, by what it is about."""
    out: dict[str, list[Told]] = {}
    named = {name.replace("__", "."): value for name, value in flags.items()}
    for one in examine(config, environment or {}, named, lambda data: look):
        out.setdefault(one.what, []).append(one)
    return out


def with_disk(said: str, state: State) -> tuple[Finding, ...]:
    return (*WELL[:3], Finding("disk", state, said))


def test_where_each_setting_came_from(tmp_path: Path, free_port: int) -> None:
    (tmp_path / "overboard.toml").write_text("[web]\ntouch_code = '4711'\n\n[table]\nper_size = 3\n", encoding="utf-8")
    lines = " ".join(one.said for one in told({"OVERBOARD_TABLE_LANGUAGE": "pt"}, web__port=free_port)["settings"])
    assert "table.per_size = 3, from overboard.toml, line 5" in lines
    assert "table.language = 'pt', from OVERBOARD_TABLE_LANGUAGE" in lines
    assert f"web.port = {free_port}, from flag" in lines
    assert "others are defaults" in lines
    assert "4711" not in lines, "the code is not for whoever looks over the shoulder"


@pytest.mark.parametrize(
    ("text", "about"), [("[web]\nporta = 1\n", "porta"), ("[web]\nport = 'x'\n", "web.port"), ("[web", "TOML")],
    ids=["unknown key", "wrong type", "no TOML"],
)
def test_bad_settings_are_told_and_wrong(text: str, about: str, tmp_path: Path) -> None:
    (tmp_path / "overboard.toml").write_text(text, encoding="utf-8")
    found = told()["settings"]
    assert [one.is_wrong for one in found] == [True]
    assert about in found[0].said


def test_a_config_that_is_not_there(tmp_path: Path) -> None:
    assert told(config=tmp_path / "none.toml")["settings"][0].is_wrong


def test_a_taken_port_is_wrong_and_a_free_one_is_not(free_port: int) -> None:
    assert not told(web__port=free_port, web__host="127.0.0.1")["port"][0].is_wrong
    with socket.socket() as other:
        other.bind(("127.0.0.1", free_port))
        other.listen()
        found = told(web__port=free_port, web__host="127.0.0.1")["port"][0]
    assert found.is_wrong
    assert "--port" in found.said


@pytest.mark.parametrize(
    ("source", "finding", "is_wrong"),
    [
        ("sim", Finding("camera", State.ABSENT, "None."), False),
        ("usb", Finding("camera", State.ABSENT, "None."), True),
        ("sim", Finding("pins", State.BAD, "Not allowed."), False),
        ("usb", Finding("pins", State.BAD, "Not allowed."), True),
        ("usb", Finding("pins", State.ABSENT, "None."), True),
        ("sim", Finding("disk", State.BAD, "Full."), True),
        ("sim", Finding("disk", State.WARNING, "Nearly full."), False),
        ("usb", Finding("power", State.BAD, "Low."), False),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{value.what} {value.state.value}"
    if isinstance(value, Finding) else None,
)
def test_hardware_is_wrong_only_where_it_is_needed(source: str, finding: Finding, is_wrong: bool) -> None:
    settings = doctor.read_settings(flags={"camera.source": source}).settings
    assert [one.is_wrong for one in doctor.hardware(settings, (finding,))] == [is_wrong]


def test_a_quiet_panel_needs_no_pins() -> None:
    settings = doctor.read_settings(flags={"camera.source": "usb", "panel.quiet": True}).settings
    absent = Finding("pins", State.ABSENT, "None.")
    assert [one.is_wrong for one in doctor.hardware(settings, (absent,))] == [False]


@pytest.mark.parametrize(
    ("name", "version", "is_wrong"),
    [("cv2", "4.5.5", True), ("cv2", "4.6.0", False), ("cv2", "5.0.0-dev", False), ("numpy", "1.21.5", True),
     ("numpy", "2.4.6", False)],
)
def test_versions(name: str, version: str, is_wrong: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib, "import_module", lambda wanted: SimpleNamespace(__version__=version))
    found = doctor.package(name)
    assert found.is_wrong is is_wrong
    assert version in found.said


def test_missing_opencv_is_told_and_nothing_that_needs_it_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def without(name: str, package: str | None = None) -> Any:
        if name == "cv2":
            raise ImportError("No module named 'cv2'")
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", without)
    found = told()
    assert found["OpenCV"][0].is_wrong
    assert "apt install" in found["OpenCV"][0].said
    assert "journal" not in found


def test_a_data_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("", encoding="utf-8")
    assert told(table__data_dir="data")["data"][0].is_wrong
    assert not told(table__data_dir="other")["data"][0].is_wrong
    assert not (tmp_path / "other").exists(), "the doctor looks and makes nothing"


def test_a_damaged_journal_is_told(tmp_path: Path) -> None:
    data = tmp_path / "overboard-data"
    data.mkdir()
    assert told()["journal"][0].state is State.ABSENT
    Journal(data / "journal.sqlite").close()
    assert told()["journal"][0].state is State.GOOD
    (data / "journal.sqlite").write_bytes(b"not a journal")
    assert told()["journal"][0].is_wrong


def test_a_missing_reader_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "vision" / "detect").mkdir(parents=True)
    spec = SimpleNamespace(submodule_search_locations=[str(tmp_path / "vision")])
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    assert {one.said.split(",")[0]: one.is_wrong for one in doctor.models()} == {
        "wanted the trained reader pyramids.onnx": True}


def test_the_profile_is_asked_for_where_there_is_a_camera(tmp_path: Path) -> None:
    found = doctor.profile(tmp_path)
    assert found.is_wrong
    assert "calibrate table" in found.said
    (tmp_path / "profile.json").write_text("{}", encoding="utf-8")
    assert doctor.profile(tmp_path).is_wrong
    folder(tmp_path / "table")
    assert not doctor.profile(tmp_path).is_wrong
    folder(tmp_path / "table", colour="red")
    assert doctor.profile(tmp_path).is_wrong


def test_a_camera_that_gives_no_picture_tells_why() -> None:
    settings = doctor.read_settings(flags={"camera.source": "usb:nowhere"}).settings
    found = doctor.light(settings)
    assert found.is_wrong
    assert "nowhere" in found.said


@pytest.fixture
def healthy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "models", lambda: iter([doctor.good("reader", "here.")]))


def test_the_command_ends_with_1_when_something_needed_is_wrong(
    healthy: None, free_port: int, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examine, "__defaults__", (lambda data: WELL,))
    well = ran(capfd, "doctor", "--port", str(free_port), "--json")
    assert [one for one in well.objects if one["wrong"]] == []
    assert well.code == 0
    monkeypatch.setattr(examine, "__defaults__", (lambda data: with_disk("Full.", State.BAD),))
    ill = ran(capfd, "doctor", "--port", str(free_port))
    assert ill.code == 1
    assert [line for line in ill.lines if line.startswith("!!")] == ["!!  disk: Full."]
    assert json.loads(well.lines[0])["what"] == "python"
