"""What the doctor is told, for hardware that is, is not, and is half there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from device.probe import (
    Power,
    PowerWatch,
    State,
    camera_finding,
    disk_finding,
    gpio_finding,
    power_finding,
    probe,
    read_power,
    run_briefly,
    temperature_finding,
)

LISTED = "Available cameras\n-----------------\n0 : imx708 [4608x2592 10-bit RGGB] (/base/soc/imx708@1a)\n"


@pytest.mark.parametrize(("printed", "power"), [
    ("throttled=0x0\n", Power()), ("throttled=0x1", Power(low_now=True)), ("throttled=0x4", Power(slowed_now=True)),
    ("throttled=0x50005", Power(True, True, True, True)), ("throttled=0x50000", Power(False, True, False, True)),
    ("throttled=", None), ("throttled=zz", None), ("VCHI initialization failed", None), ("", None), (None, None),
])
def test_the_firmwares_word_is_read(printed: str | None, power: Power | None) -> None:
    assert read_power(printed) == power


def test_i6_one_banner_now_one_note_earlier_silence_when_dismissed() -> None:
    watch = PowerWatch()
    low, earlier = Power(low_now=True, low_earlier=True), Power(low_earlier=True)
    news = [watch.news(power) for power in (Power(), low, low, earlier, earlier, low, Power(), None)]
    assert [None if n is None else n.state for n in news] == [
        None, State.BAD, None, State.WARNING, None, None, None, None]
    fresh = PowerWatch()
    fresh.dismiss()
    assert fresh.news(low) is None


@pytest.mark.parametrize(("finding", "state", "part"), [
    (camera_finding(True, LISTED, []), State.GOOD, "imx708"),
    (camera_finding(False, LISTED, []), State.BAD, "sudo apt install python3-picamera2"),
    (camera_finding(False, None, ["/dev/video0"]), State.GOOD, "--source usb"),
    (camera_finding(True, "No cameras available!\n", []), State.ABSENT, "--source sim"),
    (gpio_finding([], False), State.ABSENT, "stays quiet"),
    (gpio_finding(["/dev/gpiochip0"], False), State.BAD, "usermod -aG gpio"),
    (gpio_finding(["/dev/gpiochip0"], True), State.GOOD, "/dev/gpiochip0"),
    (power_finding(None), State.ABSENT, "cannot be judged"),
    (power_finding(Power()), State.GOOD, "has been good"),
    (power_finding(Power(slowed_now=True)), State.WARNING, "heat sink"),
    (power_finding(Power(slowed_earlier=True)), State.WARNING, "by heat"),
    (disk_finding(50), State.BAD, "delete old recordings"),
    (disk_finding(500), State.WARNING, "too little to record"),
    (disk_finding(32_000), State.GOOD, "32.0 GB"),
    (temperature_finding(None), State.ABSENT, "does not tell"),
    (temperature_finding(45.2), State.GOOD, "45 C"),
    (temperature_finding(72), State.WARNING, "some air"),
    (temperature_finding(81), State.BAD, "slows down"),
])
def test_each_thing_is_told_with_what_to_do(finding: object, state: State, part: str) -> None:
    assert getattr(finding, "state", None) == state
    assert part in getattr(finding, "said", "")


def test_i1_a_pi_camera_without_its_library_names_the_missing_step() -> None:
    assert "--system-site-packages" in camera_finding(False, LISTED, []).said


def test_a_drawn_pi_is_probed_whole(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/gpiochip0").touch()
    zone = tmp_path / "sys/class/thermal/thermal_zone0"
    zone.mkdir(parents=True)
    (zone / "temp").write_text("51234\n")
    asked: list[tuple[str, ...]] = []

    def run(words: Sequence[str]) -> str | None:
        asked.append(tuple(words))
        return "throttled=0x50000" if words[0] == "vcgencmd" else "No cameras available!"

    found = {finding.what: finding for finding in probe(tmp_path / "not/yet/there", run, tmp_path)}
    assert asked == [("rpicam-hello", "--list-cameras"), ("vcgencmd", "get_throttled")]
    assert {what: found[what].state for what in ("camera", "pins", "power", "temperature")} == {
        "camera": State.ABSENT, "pins": State.GOOD, "power": State.WARNING, "temperature": State.GOOD}
    assert "51 C" in found["temperature"].said
    assert "free" in found["disk"].said


def test_this_computer_is_probed_without_an_error(tmp_path: Path) -> None:
    assert [finding.what for finding in probe(tmp_path)] == ["camera", "pins", "power", "disk", "temperature"]


@pytest.mark.parametrize(("words", "printed"), [
    (("echo", "hello"), "hello\n"), (("false",), None), (("no-such-command-here",), None),
], ids=["prints", "fails", "is not there"])
def test_a_command_is_run_briefly(words: tuple[str, ...], printed: str | None) -> None:
    assert run_briefly(words) == printed
