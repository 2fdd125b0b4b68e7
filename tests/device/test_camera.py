"""PiCamera over a made-up picamera2, UsbCamera over a made-up VideoCapture: the same cases for both."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from device.camera import PiCamera, UsbCamera
from vision.frame import BadPicture, FrameSource, SourceFailed

SIZE = (96, 72)


class FakeRequest:
    """A borrowed buffer: what is not released is gone for the camera."""

    def __init__(self, camera: FakePicamera2) -> None:
        self.camera, self.facts = camera, camera.facts()

    def make_array(self, name: str) -> Any:
        assert name == "main"
        width, height = self.camera.config["main"]["size"]
        self.buffer = np.full((height, width, 3), (200, 100, 50), np.uint8)
        return self.buffer

    def get_metadata(self) -> dict[str, Any]:
        return self.facts

    def release(self) -> None:
        self.buffer[:] = 0  # the camera writes the next picture into it
        self.camera.borrowed -= 1


class FakePicamera2:
    """As much of picamera2 as PiCamera uses. `late`: pictures until set controls take hold."""

    made: FakePicamera2
    late = 4
    has_focus = False
    silent = False
    jumps = False
    failing: Exception | None = None
    measured_us, measured_gain = 24_000, 2.0

    def __init__(self, number: int) -> None:
        if self.failing is not None:
            raise self.failing
        self.number, self.borrowed, self.count = number, 0, 0
        self.controls: dict[str, Any] = {}
        self.set_at = 0
        self.calls: list[str] = []
        self.camera_properties = {"Model": "imx708"}
        self.camera_controls = {"AfMode": (0, 2, 0)} if self.has_focus else {}
        type(self).made = self

    def create_video_configuration(self, **words: Any) -> dict[str, Any]:
        return words

    def configure(self, config: dict[str, Any]) -> None:
        self.config = config

    def start(self) -> None:
        self.calls.append("start")

    def stop(self) -> None:
        self.calls.append("stop")

    def close(self) -> None:
        self.calls.append("close")

    def autofocus_cycle(self, wait: bool) -> Any:
        self.calls.append("focus")
        return SimpleNamespace(get_result=lambda timeout: True)

    def set_controls(self, controls: dict[str, Any]) -> None:
        self.controls, self.set_at = dict(controls), self.count

    def facts(self) -> dict[str, Any]:
        held = self.controls and self.count - self.set_at > self.late
        drift = max(0, 12 - self.count) * 500
        gains = (1.9, 1.4) if not (self.jumps and self.count % 2) else (2.4, 1.1)
        return {
            "SensorTimestamp": self.count * 100_000_000,
            "ExposureTime": self.controls["ExposureTime"] - 11 if held else self.measured_us - drift,
            "AnalogueGain": self.controls["AnalogueGain"] if held else self.measured_gain,
            "ColourGains": self.controls["ColourGains"] if held and not self.jumps else gains,
            "LensPosition": 1.7,
        }

    def capture_request(self, wait: bool) -> Any:
        assert wait is False

        def get_result(timeout: float) -> FakeRequest:
            if self.silent:
                raise TimeoutError
            self.count += 1
            self.borrowed += 1
            assert self.borrowed == 1, "a buffer was not given back"
            return FakeRequest(self)

        return SimpleNamespace(get_result=get_result)


@pytest.fixture
def picamera2(monkeypatch: pytest.MonkeyPatch) -> type[FakePicamera2]:
    class Fake(FakePicamera2):
        pass

    monkeypatch.setitem(sys.modules, "picamera2", SimpleNamespace(Picamera2=Fake))
    return Fake


class FakeCapture:
    """As much of cv2.VideoCapture as UsbCamera uses."""

    def __init__(self, device: int | str, *, opens: bool = True, gives: int = 10**6, backend: str = "V4L2",
                 locks: bool = True) -> None:
        self.opens, self.gives, self.backend, self.locks = opens, gives, backend, locks
        self.values: dict[int, float] = {cv2.CAP_PROP_EXPOSURE: 240.0}
        self.released = 0
        self.shape: tuple[int, ...] = (SIZE[1], SIZE[0], 3)

    def isOpened(self) -> bool:
        return self.opens

    def set(self, key: int, value: float) -> bool:
        if key == cv2.CAP_PROP_AUTO_EXPOSURE and not self.locks:
            return False
        self.values[key] = value
        return True

    def get(self, key: int) -> float:
        return self.values.get(key, 0.0)

    def getBackendName(self) -> str:
        return self.backend

    def read(self) -> tuple[bool, Any]:
        self.gives -= 1
        return (True, np.full(self.shape, 90, np.uint8)) if self.gives >= 0 else (False, None)

    def release(self) -> None:
        self.released += 1


@pytest.fixture(params=["pi", "usb"])
def camera(request: pytest.FixtureRequest, picamera2: type[FakePicamera2]) -> FrameSource:
    return PiCamera(SIZE) if request.param == "pi" else UsbCamera(0, SIZE, opener=FakeCapture)


def test_a_camera_is_not_touched_before_open_and_delivers_after(camera: FrameSource) -> None:
    assert next(camera.frames(), None) is None
    camera.open()
    pictures = camera.frames()
    got = [next(pictures) for _ in range(3)]
    assert [frame.seq for frame in got] == [0, 1, 2]
    assert {frame.image.shape for frame in got} == {(72, 96, 3)}
    assert len({frame.taken_ns for frame in got}) == 3
    assert [frame.exposure_us is not None and 19_900 < frame.exposure_us <= 20_000 for frame in got] == [True] * 3
    camera.close()
    camera.close()
    assert next(pictures, None) is None


def test_the_picture_is_a_copy_and_the_buffer_is_given_back(picamera2: Any) -> None:
    camera = PiCamera(SIZE)
    camera.open()
    frame = next(camera.frames())
    # The format named RGB888 comes as blue, green, red; the buffer has been overwritten since.
    assert picamera2.made.config["main"] == {"format": "RGB888", "size": SIZE}
    assert frame.image[0, 0].tolist() == [200, 100, 50]
    assert picamera2.made.borrowed == 0
    assert frame.camera == "pi0:imx708"
    assert frame.taken_ns == picamera2.made.count * 100_000_000


def test_only_pictures_exposed_after_asking_are_queued(picamera2: Any) -> None:
    PiCamera(SIZE).open()
    assert picamera2.made.config["queue"] is False


def test_l2_pictures_from_before_the_lock_are_thrown_away(picamera2: Any) -> None:
    camera = PiCamera(SIZE)
    camera.open()
    fake = picamera2.made
    assert fake.set_at >= 12, "locked before exposure had settled"
    assert fake.controls == {"AeEnable": False, "AwbEnable": False, "ExposureTime": 20_000,
                             "AnalogueGain": pytest.approx(2.4), "ColourGains": (1.9, 1.4)}
    pictures = camera.frames()
    seen = [next(pictures) for _ in range(100)]
    assert {(frame.exposure_us, round(frame.gain or 0, 6)) for frame in seen} == {(19_989, 2.4)}
    assert fake.count - 100 - fake.set_at == fake.late + 3


def test_l2_gains_that_jump_although_fixed_are_told(picamera2: Any, caplog: pytest.LogCaptureFixture) -> None:
    picamera2.jumps = True
    PiCamera(SIZE).open()
    assert "colours may drift" in caplog.text


@pytest.mark.parametrize(("given", "lens"), [(None, 1.7), (2.0, 2.0)], ids=["focused once", "given in dioptres"])
def test_c8_focus_is_fixed_after_set_up(picamera2: Any, given: float | None, lens: float) -> None:
    picamera2.has_focus = True
    PiCamera(SIZE, focus_dioptres=given).open()
    assert picamera2.made.controls["AfMode"] == 0
    assert picamera2.made.controls["LensPosition"] == lens
    assert ("focus" in picamera2.made.calls) == (given is None)


@pytest.mark.parametrize(("error", "message"), [
    (RuntimeError("Camera __init__ sequence did not complete."), r"found it in use or not answering \(Camera __init__"),
    (RuntimeError("Failed to acquire camera: Device or resource busy"), "end the other program that uses it"),
    (IndexError("list index out of range"), "found no such camera: check the ribbon cable"),
], ids=["half open elsewhere", "K3 in use", "no camera"])
def test_k3_a_pi_camera_that_cannot_be_had_is_one_sentence(picamera2: Any, error: Exception, message: str) -> None:
    picamera2.failing = error
    with pytest.raises(SourceFailed, match=message) as caught:
        PiCamera(SIZE).open()
    assert "\n" not in str(caught.value)


def test_i1_a_missing_library_names_the_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(SourceFailed, match=r"sudo apt install python3-picamera2.*--system-site-packages"):
        PiCamera(SIZE).open()


def test_k1_a_pi_camera_that_goes_silent_fails_and_is_closed(picamera2: Any) -> None:
    picamera2.silent = True
    camera = PiCamera(SIZE)
    with pytest.raises(SourceFailed, match="wanted a picture within 3 s, found none: check the ribbon cable"):
        camera.open()
    assert picamera2.made.calls == ["start", "stop", "close"]


def test_a_picture_size_that_is_too_small_closes_the_camera_again(picamera2: Any) -> None:
    with pytest.raises(BadPicture, match="at least 64 px"):
        PiCamera((32, 24)).open()
    assert picamera2.made.calls[-1] == "close"


def opener(made: list[FakeCapture], **words: Any) -> Callable[[int | str], FakeCapture]:
    def open_it(device: int | str) -> FakeCapture:
        made.append(FakeCapture(device, **words))
        return made[-1]

    return open_it


def test_a_usb_camera_is_locked_to_whole_mains_pulses_with_one_buffer() -> None:
    made: list[FakeCapture] = []
    camera = UsbCamera(0, SIZE, mains_hz=60, opener=opener(made))
    camera.open()
    values = made[0].values
    assert (values[cv2.CAP_PROP_AUTO_EXPOSURE], values[cv2.CAP_PROP_EXPOSURE]) == (1, 250)
    assert (values[cv2.CAP_PROP_AUTO_WB], values[cv2.CAP_PROP_AUTOFOCUS], values[cv2.CAP_PROP_BUFFERSIZE]) == (0, 0, 1)
    assert camera.locked is not None
    assert camera.locked.us == 25_000


@pytest.mark.parametrize("words", [{"locks": False}, {"backend": "AVFOUNDATION"}], ids=["driver says no", "no V4L2"])
def test_a_usb_camera_that_cannot_be_locked_still_delivers(words: dict[str, Any],
                                                           caplog: pytest.LogCaptureFixture) -> None:
    camera = UsbCamera(0, SIZE, opener=opener([], **words))
    camera.open()
    assert next(camera.frames()).exposure_us is None
    assert ("keep the light steady" in caplog.text) == ("locks" in words)


def test_a_usb_camera_that_stops_delivering_fails() -> None:
    made: list[FakeCapture] = []
    camera = UsbCamera(0, SIZE, opener=opener(made, gives=42))
    camera.open()
    with pytest.raises(SourceFailed, match="has stopped delivering: check its plug"):
        list(camera.frames())
    camera.close()
    assert made[0].released == 1


@pytest.mark.parametrize(("gives", "opens", "device", "message"), [
    (10, True, 0, "has stopped delivering"), (0, False, "/dev/null", "in use by another program"),
    (0, False, "/dev/no-such-video", "check its plug, or name another one"),
], ids=["dies while settling", "in use", "not there"])
def test_a_usb_camera_that_cannot_be_had_is_one_sentence_and_let_go(
        gives: int, opens: bool, device: int | str, message: str) -> None:
    made: list[FakeCapture] = []
    with pytest.raises(SourceFailed, match=message):
        UsbCamera(device, SIZE, opener=opener(made, gives=gives, opens=opens)).open()
    assert made[0].released == 1


def test_pictures_of_a_wrong_kind_are_refused_and_the_camera_let_go() -> None:
    made: list[FakeCapture] = []

    def gray(device: int | str) -> FakeCapture:
        made.append(FakeCapture(device))
        made[0].shape = (72, 96)
        return made[0]

    with pytest.raises(BadPicture, match="check the camera's format"):
        UsbCamera(0, SIZE, opener=gray).open()
    assert made[0].released == 1
