"""The cameras: on the Pi's ribbon cable (picamera2) and on USB (OpenCV).

Nothing is touched before `open()`. Both deliver blue, green, red bytes; exposure, gains and focus
are locked after set-up, and pictures from before the lock took hold are thrown away. `frames()`
reads as fast as it is asked; put `device.watched.Watched` around a camera to have the newest
picture only and never to hang.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from device.mains import Exposure, steady_exposure
from vision.frame import Frame, Image, SourceFailed, checked_image

log = logging.getLogger(__name__)

FRAME_WAIT_S = 3.0
SETTLE_MOST = 60
"""Pictures within which exposure and white balance must come to rest."""
SETTLE_ALIKE = 5
LOCK_MOST = 30
"""Pictures within which the lock must take hold; libcamera applies controls some pictures late."""
LOCK_ALIKE = 3
"""Pictures in a row that must show it: gains that jump are not locked."""
PI_FORMAT = "RGB888"
"""picamera2's name for bytes in the order blue, green, red: what OpenCV wants (its manual, 4.2.2.2)."""


class PiCamera:
    """A Pi camera module over picamera2, which is imported in `open()`.

    `focus_dioptres` (1 / distance in m) fixes a lens that can move; None: it focuses once.
    """

    def __init__(self, size_px: tuple[int, int] = (1640, 1232), fps: float = 10.0, mains_hz: int = 50,
                 number: int = 0, focus_dioptres: float | None = None) -> None:
        self._size_px, self._fps, self._mains_hz = size_px, fps, mains_hz
        self._number, self._focus_dioptres = number, focus_dioptres
        self._camera: Any = None
        self._name = f"pi{number}"
        self._seq = 0
        self.locked: Exposure | None = None

    def open(self) -> None:
        """Start, settle, lock, and throw away what came before the lock. Raises `SourceFailed`."""
        try:
            from picamera2 import Picamera2
        except ImportError as error:
            raise SourceFailed(
                f"the Pi camera: wanted the picamera2 library, found that it does not load ({error}): "
                "sudo apt install python3-picamera2, and make the environment with --system-site-packages"
            ) from error
        try:
            self._camera = Picamera2(self._number)
            self._start()
            self._lock(self._settled())
        except SourceFailed:
            self.close()
            raise
        except (RuntimeError, IndexError, OSError) as error:
            self.close()
            raise SourceFailed(self._explained(error)) from error
        except ValueError:  # a picture of the wrong kind, an impossible frame rate: it says so itself
            self.close()
            raise

    def frames(self) -> Iterator[Frame]:
        """Pictures until closed. Raises `SourceFailed` if none comes within three seconds."""
        while self._camera is not None:
            image, facts = self._take()
            yield Frame(self._seq, int(facts.get("SensorTimestamp", 0)) or time.monotonic_ns(), image, self._name,
                        int(facts.get("ExposureTime", 0)) or None, float(facts.get("AnalogueGain", 0.0)) or None)
            self._seq += 1

    def close(self) -> None:
        """Stop and let go of the camera; safe to call twice."""
        camera, self._camera = self._camera, None
        if camera is not None:
            with suppress(RuntimeError):  # stopping a camera that was pulled out
                camera.stop()
            camera.close()

    def _start(self) -> None:
        period_us = round(1_000_000 / self._fps)
        # queue=False: each request is exposed after it was asked for, never an older one.
        self._camera.configure(self._camera.create_video_configuration(
            main={"format": PI_FORMAT, "size": self._size_px}, buffer_count=4, queue=False,
            controls={"FrameDurationLimits": (period_us, period_us)}))
        self._camera.start()
        self._name = f"pi{self._number}:{self._camera.camera_properties.get('Model', 'camera')}"

    def _take(self) -> tuple[Image, Mapping[str, Any]]:
        """Copy one picture and its metadata out, and give the buffer back at once."""
        job = self._camera.capture_request(wait=False)
        try:
            request = job.get_result(timeout=FRAME_WAIT_S)
        except TimeoutError as error:
            raise SourceFailed(f"the Pi camera: wanted a picture within {FRAME_WAIT_S:.0f} s, found none: "
                               "check the ribbon cable at both ends") from error
        try:
            array = np.array(request.make_array("main")[:, :, :3], dtype=np.uint8, order="C")
            facts = dict(request.get_metadata())
        finally:
            request.release()
        return checked_image(array, self._name), facts

    def _settled(self) -> Mapping[str, Any]:
        """The metadata once exposure and white balance rest: alike within 1 % for five pictures."""
        self._focus()
        last, alike = np.zeros(3), 0
        facts: Mapping[str, Any] = {}
        for _ in range(SETTLE_MOST):
            _, facts = self._take()
            now = np.array([facts["ExposureTime"] * facts["AnalogueGain"], *facts.get("ColourGains", (1.0, 1.0))])
            alike = alike + 1 if np.allclose(now, last, rtol=0.01) else 0
            last = now
            if alike >= SETTLE_ALIKE:
                break
        return facts

    def _focus(self) -> None:
        """Focus once, if the lens can move; it is held from then on, or it would hunt after hands."""
        if "AfMode" not in self._camera.camera_controls or self._focus_dioptres is not None:
            return
        job = self._camera.autofocus_cycle(wait=False)
        try:
            sharp = job.get_result(timeout=10 * FRAME_WAIT_S)
        except TimeoutError:
            sharp = False
        if not sharp:
            log.warning("the Pi camera: wanted to focus on the table, found no sharp distance: "
                        "give focus_dioptres (1 / the distance in metres)")

    def _lock(self, facts: Mapping[str, Any]) -> None:
        """Fix exposure (a whole number of mains pulses), gains and focus, and wait until it is so."""
        longest_us = 1_000_000 / self._fps
        self.locked = steady_exposure(facts["ExposureTime"], facts["AnalogueGain"], self._mains_hz, longest_us)
        colour_gains = tuple(float(gain) for gain in facts.get("ColourGains", ()))
        controls: dict[str, Any] = {"AeEnable": False, "AwbEnable": False,
                                    "ExposureTime": self.locked.us, "AnalogueGain": self.locked.gain}
        if colour_gains:
            controls["ColourGains"] = colour_gains
        if "AfMode" in self._camera.camera_controls:
            lens = facts.get("LensPosition") if self._focus_dioptres is None else self._focus_dioptres
            controls |= {"AfMode": 0} if lens is None else {"AfMode": 0, "LensPosition": float(lens)}
        self._camera.set_controls(controls)
        wanted = np.array([self.locked.us, self.locked.gain, *colour_gains])
        found, held = wanted, 0
        for _ in range(LOCK_MOST):
            _, now = self._take()
            found = np.array([now["ExposureTime"], now["AnalogueGain"],
                              *(now["ColourGains"] if colour_gains else ())], dtype=float)
            # Sensors step exposure by lines and gain by sixteenths.
            held = held + 1 if np.allclose(found, wanted, rtol=0.03) else 0
            if held == LOCK_ALIKE:
                return
        log.warning("the Pi camera: wanted exposure, gain and colour gains locked to %s, found %s after %d pictures: "
                    "colours may drift; update libcamera", wanted.tolist(), found.tolist(), LOCK_MOST)

    def _explained(self, error: Exception) -> str:
        """libcamera's errors have no classes: no camera is an IndexError, all else a RuntimeError."""
        if isinstance(error, IndexError):
            return (f"the Pi camera: wanted camera {self._number}, found no such camera: "
                    "check the ribbon cable, and that rpicam-hello --list-cameras shows it")
        return (f"the Pi camera: wanted camera {self._number}, found it in use or not answering ({error}): "
                "end the other program that uses it (another Overboard, rpicam-apps), then try again")


class UsbCamera:
    """A USB camera over OpenCV: a number (0 is the first) or a path such as /dev/video2.

    Exposure, white balance and focus are locked where the driver lets us (Linux, V4L2).
    """

    def __init__(self, device: int | str = 0, size_px: tuple[int, int] = (1280, 960), fps: float = 10.0,
                 mains_hz: int = 50, opener: Callable[[int | str], Any] | None = None,
                 clock_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._device, self._size_px, self._fps, self._mains_hz = device, size_px, fps, mains_hz
        self._opener, self._clock_ns = opener or cv2.VideoCapture, clock_ns
        self._capture: Any = None
        self._seq = 0
        self.locked: Exposure | None = None

    def open(self) -> None:
        """Start, settle, lock, and throw away what came before the lock. Raises `SourceFailed`."""
        capture = self._opener(self._device)
        if not capture.isOpened():
            capture.release()
            raise SourceFailed(self._explained())
        self._capture = capture
        # One buffer, or the driver hands out pictures that are several periods old.
        for key, value in ((cv2.CAP_PROP_BUFFERSIZE, 1), (cv2.CAP_PROP_FRAME_WIDTH, self._size_px[0]),
                           (cv2.CAP_PROP_FRAME_HEIGHT, self._size_px[1]), (cv2.CAP_PROP_FPS, self._fps)):
            capture.set(key, value)
        try:
            for _ in range(SETTLE_MOST // 2):
                self._take()
            if capture.getBackendName() == "V4L2":
                self._lock(capture)
                for _ in range(LOCK_MOST // 3):
                    self._take()
        except (SourceFailed, ValueError):
            self.close()
            raise

    def frames(self) -> Iterator[Frame]:
        """Pictures until closed. Raises `SourceFailed` when the camera stops delivering."""
        while self._capture is not None:
            image = self._take()
            exposure_us = None if self.locked is None else self.locked.us
            yield Frame(self._seq, self._clock_ns(), image, f"usb{self._device}", exposure_us)
            self._seq += 1

    def close(self) -> None:
        """Let go of the camera; safe to call twice."""
        capture, self._capture = self._capture, None
        if capture is not None:
            capture.release()

    def _take(self) -> Image:
        for _ in range(3):
            capture = self._capture
            there, image = (False, None) if capture is None else capture.read()
            if there:
                return checked_image(image, f"USB camera {self._device}")
        raise SourceFailed(f"USB camera {self._device}: wanted a picture, found that it has stopped delivering: "
                           "check its plug")

    def _lock(self, capture: Any) -> None:
        """V4L2 counts exposure in 100 us; automatic exposure is 3, manual 1 (V4L2 camera controls)."""
        measured_us = 100 * float(capture.get(cv2.CAP_PROP_EXPOSURE))
        if measured_us > 0 and capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, 1):
            exposure = steady_exposure(measured_us, 1.0, self._mains_hz, 1_000_000 / self._fps)
            if capture.set(cv2.CAP_PROP_EXPOSURE, round(exposure.us / 100)):
                self.locked = exposure
        capture.set(cv2.CAP_PROP_AUTO_WB, 0)
        capture.set(cv2.CAP_PROP_AUTOFOCUS, 0)
        if self.locked is None:
            log.warning("USB camera %s: wanted its exposure locked, found a driver that does not allow it: "
                        "keep the light steady while you play", self._device)

    def _explained(self) -> str:
        """OpenCV only says no; what stands in /dev tells more."""
        wanted = f"USB camera {self._device}: wanted to open it, found "
        path = Path(f"/dev/video{self._device}" if isinstance(self._device, int) else self._device)
        if not path.exists():
            return wanted + f"no {path}: check its plug, or name another one with --source usb:NUMBER"
        if not os.access(path, os.R_OK | os.W_OK):
            return wanted + "that this user may not use it: sudo usermod -aG video $USER, then log in again"
        return wanted + "it in use by another program: end that one (another Overboard, a browser), then try again"
