"""A profile is saved whole or not at all, and read with care."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibration.errors import CalibrationFailed, ProfileRefused
from calibration.profile import Profile, load, profile_words, read_profile, save
from vision.frame import read_picture


def text_of(profile: Profile) -> str:
    return json.dumps(profile_words(profile), indent=1)


def test_what_is_saved_is_loaded(profile: Profile, tmp_path: Path, drawn: Any) -> None:
    path = tmp_path / "new" / "profile.json"
    save(profile, path, drawn.image)
    again = load(path)
    assert profile_words(again) == profile_words(profile)
    assert again.report == profile.report
    for name in ("matrix", "distortion"):
        np.testing.assert_array_equal(getattr(again.camera, name), getattr(profile.camera, name))
    np.testing.assert_array_equal(again.pose.tvec, profile.pose.tvec)
    np.testing.assert_array_equal(again.palette.codes, profile.palette.codes)
    assert again.palette.codes.dtype == np.float32
    np.testing.assert_array_equal(read_picture(path.parent / again.picture), drawn.image)
    assert sorted(file.name for file in path.parent.iterdir()) == ["profile.json", "reference.png"]


def test_a_palette_that_the_reader_has_not_learned_yet_is_kept(profile: Profile, tmp_path: Path) -> None:
    bare = replace(profile, palette=replace(profile.palette, codes=np.zeros((0, 0), np.float32)))
    save(bare, tmp_path / "p.json")
    assert load(tmp_path / "p.json").palette.codes.shape == (3, 0)


def test_a_report_without_offset_and_colours_is_kept(profile: Profile, tmp_path: Path) -> None:
    bare = replace(profile, report=replace(profile.report, offset_cells=None, closest=None, blur_px=None))
    save(bare, tmp_path / "p.json")
    assert load(tmp_path / "p.json").report == bare.report


@pytest.mark.parametrize("name", ["../reference.png", "/tmp/reference.png", "reference.jpg", ""])
def test_a_picture_elsewhere_or_of_another_kind_is_not_saved(profile: Profile, tmp_path: Path, name: str) -> None:
    with pytest.raises(CalibrationFailed, match=r"wanted a plain name ending in \.png"):
        save(replace(profile, picture=name), tmp_path / "p.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_i5_a_save_that_fails_leaves_the_old_file(profile: Profile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                  step: str) -> None:
    path = tmp_path / "p.json"
    save(profile, path)
    before = path.read_bytes()

    def broken(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, broken)
    with pytest.raises(OSError, match="No space left"):
        save(replace(profile, game="ido"), path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["p.json"]


def test_i5_a_kill_at_any_moment_leaves_a_whole_file(profile: Profile, tmp_path: Path,
                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    """What is on the disk before each step of a save is either the old file or the new one."""
    path = tmp_path / "p.json"
    save(profile, path)
    seen: list[str] = []

    def watching(step: str) -> Callable[..., Any]:
        plain = getattr(os, step)

        def call(*words: Any) -> Any:
            seen.append(f"{step}: {load(path).game}")
            return plain(*words)

        return call

    for step in ("fsync", "replace"):
        monkeypatch.setattr(os, step, watching(step))
    save(replace(profile, game="ido"), path)
    assert seen == ["fsync: gridlock", "replace: gridlock", "fsync: ido"]


def with_value(way: list[Any], value: Any) -> Callable[[Any], None]:
    def change(body: Any) -> None:
        for step in way[:-1]:
            body = body[step]
        if value is KeyError:
            del body[way[-1]]
        else:
            body[way[-1]] = value

    return change


@pytest.mark.parametrize(("change", "message"), [
    (with_value(["extra"], 1), r"p, line \d+, column 2: extra: wanted no such key, found 1: remove it"),
    (with_value(["pose", "skew"], 0), r"pose\.skew: wanted no such key"),
    (with_value(["palette", 1, "hue"], 0), r"palette\[1\]\.hue: wanted no such key"),
    (with_value(["pose", "tvec"], KeyError), r"pose: wanted an object with 'tvec'"),
    (with_value(["pose", "tvec"], [1, 2]), r"pose\.tvec: wanted 3 numbers, found \[1, 2\]"),
    (with_value(["pose", "tvec", 1], "2"), r'pose\.tvec\[1\]: wanted a number, found "2"'),
    (with_value(["pose", "residual_px"], True), r"pose\.residual_px: wanted a number, found true"),
    (with_value(["camera", "size"], [640.5, 480]), r"camera\.size: wanted width and height in whole px"),
    (with_value(["camera", "size"], [0, 480]), r"camera\.size: wanted width and height in whole px, at least 64"),
    (with_value(["square_mm"], 0), r"square_mm: wanted a size above 0 mm, found 0: measure a square"),
    (with_value(["picture"], "../x.png"), r"picture: wanted a plain file name"),
    (with_value(["palette", 1, "colour"], "red"), r"palette: wanted a palette \(wanted each colour once"),
    (with_value(["palette", 2, "code"], [1]), r"palette\[2\]\.code: wanted 3 numbers, found \[1"),
    (with_value(["palette"], {}), r"palette: wanted a list, found \{\}"),
    (with_value(["report", "grade"], "superb"), r'report\.grade: wanted good, usable or bad, found "superb"'),
    (with_value(["report", "closest"], ["red"]), r"report\.closest: wanted two colours and their distance"),
    (with_value(["made_utc"], 5), r"made_utc: wanted text, found 5"),
    (with_value(["kind"], "recording"), r"kind: wanted 'overboard-profile', found \"recording\""),
    (with_value(["version"], 4), r"version: wanted version 3 or older, found 4: update Overboard"),
    (with_value(["version"], 0), r"version: wanted a version this program can read \(3\), found 0"),
    (with_value(["version"], "1"), r'version: wanted a whole number, found "1"'),
])
def test_what_is_unknown_or_wrong_is_refused_with_its_place(profile: Profile, change: Any, message: str) -> None:
    body = json.loads(text_of(profile))
    change(body)
    with pytest.raises(ProfileRefused, match=message):
        read_profile(json.dumps(body, indent=1), "p")


def test_line_and_column_are_those_of_the_key(profile: Profile) -> None:
    body = json.loads(text_of(profile))
    body["palette"][1]["spread"] = "wide"
    text = json.dumps(body, indent=1)
    line = [n for n, words in enumerate(text.splitlines(), 1) if '"spread"' in words][1]
    with pytest.raises(ProfileRefused, match=rf"^p, line {line}, column 4: palette\[1\]\.spread: wanted a number"):
        read_profile(text, "p")


@pytest.mark.parametrize(("text", "message"), [
    ("", r"p, line 1, column 1: wanted JSON"),
    ('{\n "kind": "overboard-profile",\n "version": 1,,\n}', r"p, line 3, column 15: wanted JSON"),
    ("[]", r"wanted a JSON object, found list"), ("null", r"found NoneType"),
    ('{"kind": 1, "kind": 2}', r"wanted each key once, found 'kind' twice"),
    ('{"kind": NaN}', r"wanted numbers, found NaN"), ("[" * 100_000, r"nested without end|wanted JSON"),
    ("{}", r"p: wanted an object with 'kind'"),
], ids=["empty", "damaged", "a list", "null", "a key twice", "not a number", "nested without end", "nothing in it"])
def test_a_text_that_is_no_profile_is_refused(text: str, message: str) -> None:
    with pytest.raises(ProfileRefused, match=message):
        read_profile(text, "p")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_file_cut_short_is_refused_and_left_as_it_was(profile: Profile, tmp_path: Path, share: float) -> None:
    path = tmp_path / "p.json"
    whole = text_of(profile)
    path.write_text(whole[: int(share * len(whole))])
    before = path.read_bytes()
    with pytest.raises(ProfileRefused, match=r"line \d+, column \d+: wanted JSON"):
        load(path)
    assert path.read_bytes() == before


def test_no_file_and_no_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ProfileRefused, match=r"found none .*: calibrate first"):
        load(tmp_path / "none.json")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ProfileRefused, match="bytes that are no text"):
        load(tmp_path / "bytes.json")


def test_an_older_version_is_brought_up_to_date_step_by_step(profile: Profile, tmp_path: Path) -> None:
    old = json.loads(text_of(profile))
    old["version"] = -1
    old["cell_cm"] = old.pop("square_mm") / 10
    path = tmp_path / "p.json"
    path.write_text(json.dumps(old))

    def to_mm(body: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in body.items() if key != "cell_cm"} | {"cell_mm": body["cell_cm"] * 10}

    def to_square(body: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in body.items() if key != "cell_mm"} | {"square_mm": body["cell_mm"]}

    assert load(path, {-1: to_mm, 0: to_square, 1: dict, 2: dict}).square_mm == profile.square_mm
    assert json.loads(path.read_text())["version"] == -1
    with pytest.raises(ProfileRefused, match="wanted a version this program can read"):
        load(path, {0: to_square})


def in_english_alone(body: dict[str, Any]) -> None:
    """The verdict as versions 1 and 2 had it."""
    body["report"]["verdict"] = [one["en"] for one in body["report"]["verdict"]]


def test_a_profile_whose_verdict_was_in_english_alone_still_loads(profile: Profile, tmp_path: Path) -> None:
    old = json.loads(text_of(profile))
    old["version"] = 2
    in_english_alone(old)
    path = tmp_path / "p.json"
    path.write_text(json.dumps(old))
    verdict = load(path).report.verdict
    assert [one.en for one in verdict] == [one.en for one in profile.report.verdict]
    assert [one.pt for one in verdict] == [one.en for one in profile.report.verdict]


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("key", ["palette", "report"])
def test_a_damaged_older_profile_is_refused(version: int, key: str, profile: Profile, tmp_path: Path) -> None:
    old = json.loads(text_of(profile))
    old["version"] = version
    del old[key]
    path = tmp_path / "p.json"
    path.write_text(json.dumps(old))
    with pytest.raises(ProfileRefused, match=key):
        load(path)


def test_a_profile_from_before_walls_were_measured_still_loads(profile: Profile, tmp_path: Path) -> None:
    old = json.loads(text_of(profile))
    old["version"] = 1
    for entry in old["palette"]:
        del entry["shades"]
    in_english_alone(old)
    path = tmp_path / "p.json"
    path.write_text(json.dumps(old))
    palette = load(path).palette
    assert palette.colours == profile.palette.colours
    assert palette.shades.shape == (len(palette.colours), 2, 3)
    assert np.isnan(palette.shades).all(), "colours are then read by their codes alone"


def test_the_walls_of_the_taught_pieces_are_kept(profile: Profile, tmp_path: Path) -> None:
    shades = np.random.default_rng(3).uniform(0, 1, (len(profile.palette.colours), 2, 3)).astype(np.float32)
    shades[0] = np.nan
    kept = replace(profile, palette=replace(profile.palette, shades=shades))
    path = tmp_path / "p.json"
    path.write_text(text_of(kept))
    again = load(path).palette.shades
    assert np.allclose(again, shades, equal_nan=True)
