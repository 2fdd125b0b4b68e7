"""A picture as it came from a camera, and where pictures come from.

VisionError
 +-- BadPicture      (ValueError)  unreadable, truncated, wrong size or kind
 +-- SourceFailed    (OSError)     a camera, video or folder that cannot deliver
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
"""(H, W, 3) uint8, channels blue, green, red unless the name says otherwise."""
Gray = NDArray[np.uint8]
"""(H, W) uint8."""
Mask = NDArray[np.bool_]
"""(H, W) bool."""
Points = NDArray[np.float64]
"""(N, 2) px or mm, or (N, 3) mm, as the name says."""
Matrix = NDArray[np.float64]


class VisionError(Exception):
    """Any error of this room."""


class BadPicture(VisionError, ValueError):
    """A picture that cannot be used; the message says which, why and what to do."""


class SourceFailed(VisionError, OSError):
    """A camera, video or folder that cannot deliver pictures."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture. `taken_ns` is a monotonic time; nothing downstream reads a clock."""

    seq: int
    taken_ns: int
    image: Image
    camera: str = ""
    exposure_us: int | None = None
    gain: float | None = None

    def __post_init__(self) -> None:
        checked_image(self.image, f"frame {self.seq}")


class FrameSource(Protocol):
    """Anything that delivers pictures, newest first in line; opened and closed by its user."""

    def open(self) -> None:
        """Raises `SourceFailed` with what to do."""
        ...

    def frames(self) -> Iterator[Frame]:
        """Pictures in the order they were taken; ends when the source is exhausted."""
        ...

    def close(self) -> None:
        """Safe to call twice."""
        ...


def checked_image(image: Any, name: str) -> Image:
    """`image` if it is (H, W, 3) uint8 and at least 64 px each way, else `BadPicture`."""
    if not isinstance(image, np.ndarray) or image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3:
        found = f"{getattr(image, 'dtype', type(image).__name__)} {getattr(image, 'shape', '')}"
        raise BadPicture(f"{name}: wanted a colour picture (H, W, 3) uint8, found {found}: check the camera's format")
    if min(image.shape[:2]) < 64:
        raise BadPicture(f"{name}: wanted at least 64 px each way, found {image.shape[1]}x{image.shape[0]}: "
                         "set a larger camera size")
    return image


def read_picture(path: Path) -> Image:
    """The picture in a file, turned upright as its EXIF says. Raises `BadPicture`."""
    try:
        data = np.fromfile(path, dtype=np.uint8)
    except OSError as error:
        raise BadPicture(f"{path}: wanted a picture, found none ({error.strerror}): check the name") from error
    if path.suffix.lower() in (".jpg", ".jpeg") and b"\xff\xd9" not in data[-4096:].tobytes():
        raise BadPicture(f"{path}: wanted a whole picture, found one cut short: copy or take it again")
    image = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    if image is None:
        raise BadPicture(f"{path}: wanted a JPEG or PNG picture, found {data.size} bytes that are none: take it again")
    return checked_image(image, str(path))
