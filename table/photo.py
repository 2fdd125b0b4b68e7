"""A photograph as a phone sends it: bytes in, an upright picture out, or one sentence why not.

Nothing is written anywhere, and nothing is believed of a file but what its first bytes say: the size that its header
names is judged before a pixel is decoded, and a large JPEG is decoded at a half or a quarter of its size.

Frame of reference: px of the upright picture that is handed on, which may be smaller than the file's.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from rules.words import Said
from table.photo_header import Header, header_of
from table.photo_heic import NoHeic, heic_header, heic_picture, is_heic
from vision.frame import Image
from vision.light import linear

MOST_BYTES = 60_000_000
MOST_PX = 50_000_000
_LEAST_SIDE_PX = 480
_MOST_SIDE_RATIO = 6.0
HANDED_PX = 4096
"""A longer side is made this long: tiles are read at 4 px a mm, and two mats side by side are 700 mm."""
_ENOUGH_PX = 3200
"""A large JPEG is decoded at a half or a quarter of its size where so much is left."""
_THUMB_PX = 1024
_DARK = 0.012
"""Mean linear light of the brightest tenth: less shows no print."""
_LEAST_EDGE = 5.0
"""Grey levels of the sharpest five in a thousand of a picture of `_THUMB_PX` or smaller."""


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """An upright photograph: `image` (H, W, 3) BGR, and `focal_px` at its size as the camera wrote it into the file,
    or None. `name` is for messages alone."""

    image: Image
    name: str
    focal_px: float | None = None


@dataclass(frozen=True, slots=True)
class NoPhoto:
    """Why these bytes cannot be used, and what to do: one sentence in each language."""

    said: Said

    @property
    def why(self) -> str:
        return self.said.en


def opened(data: bytes, name: str) -> Photo | NoPhoto:
    """The photograph in `data`: JPEG, PNG, WebP, or HEIC where pillow-heif is installed. Never raises for bad bytes.

    `name` is only repeated in messages, shortened to its last part.
    """
    name = _plain(name)
    header = _judged_header(data, name)
    if isinstance(header, NoPhoto):
        return header
    image = _decoded(data, header)
    if image is None:
        return _no(name, "a whole picture", "one that is cut short or damaged", "send it again",
                   "uma foto inteira", "uma cortada ou danificada", "envie-a de novo")
    image = _upright(image, header.orientation)
    long = max(image.shape[:2])
    if long > HANDED_PX:
        scale = HANDED_PX / long
        image = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    trouble = _trouble(image, name)
    if trouble is not None:
        return trouble
    of = header.focal_of_diagonal
    focal = None if of is None else of * float(np.hypot(*image.shape[:2]))
    return Photo(image, name, focal)


def _plain(name: str) -> str:
    """The last part of a name, without what would break a line, at most 60 characters."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(c for c in last if c.isprintable())[-60:] or "photo"


def _judged_header(data: bytes, name: str) -> Header | NoPhoto:
    if len(data) > MOST_BYTES:
        size, most = f"{len(data) / 1e6:.0f}", f"{MOST_BYTES / 1e6:.0f}"
        return _no(name, f"at most {most} MB", f"{size} MB", "send one photograph, not a film or a scan",
                   f"no máximo {most} MB", f"{size} MB", "envie uma só foto, não um filme nem uma digitalização")
    header: Header | NoHeic | None = heic_header(data) if is_heic(data) else header_of(data)
    if isinstance(header, NoHeic):
        if header is NoHeic.NO_LIBRARY:
            return _no(name, "a JPEG, PNG or WebP picture", "HEIC, which this installation cannot open",
                       "install pillow-heif (the extra `photos`), or set the phone to \"most compatible\"",
                       "uma foto JPEG, PNG ou WebP", "HEIC, que esta instalação não abre",
                       "instale pillow-heif (o extra `photos`) ou ponha o celular em \"mais compatível\"")
        return _no(name, "a whole picture", "one that is cut short or damaged", "send it again",
                   "uma foto inteira", "uma cortada ou danificada", "envie-a de novo")
    if header is None:
        return _no(name, "a JPEG, PNG, WebP or HEIC picture", f"{len(data)} bytes that are none",
                   "take a photograph and send that", "uma foto JPEG, PNG, WebP ou HEIC",
                   f"{len(data)} bytes que não são isso", "tire uma foto e envie-a")
    return _sized(header, name)


def _sized(header: Header, name: str) -> Header | NoPhoto:
    found = f"{header.width_px}x{header.height_px}"
    low, high = sorted((header.width_px, header.height_px))
    if header.width_px * header.height_px > MOST_PX:
        most = f"{MOST_PX / 1e6:.0f}"
        return _no(name, f"at most {most} megapixels", found, "send it smaller",
                   f"no máximo {most} megapixels", found, "envie-a menor")
    if low < _LEAST_SIDE_PX or high > _MOST_SIDE_RATIO * low:
        return _no(name, f"a photograph of at least {_LEAST_SIDE_PX} px each way", found,
                   "send the photograph itself, not its preview or a strip of it",
                   f"uma foto de ao menos {_LEAST_SIDE_PX} px em cada lado", found,
                   "envie a própria foto, não a miniatura nem uma faixa dela")
    return header


def _decoded(data: bytes, header: Header) -> Image | None:
    """(H, W, 3) as the file has it, not yet upright; None where it cannot be decoded to its end."""
    if header.kind == "heic":
        return heic_picture(data)
    flags = cv2.IMREAD_COLOR
    long = max(header.width_px, header.height_px)
    if header.kind == "jpeg":
        if not header.ends:
            return None
        if long >= 4 * _ENOUGH_PX:
            flags = cv2.IMREAD_REDUCED_COLOR_4
        elif long >= 2 * _ENOUGH_PX:
            flags = cv2.IMREAD_REDUCED_COLOR_2
    try:
        found = cv2.imdecode(np.frombuffer(data, np.uint8), flags | cv2.IMREAD_IGNORE_ORIENTATION)
    except cv2.error:
        return None
    if found is None or found.ndim != 3 or found.shape[2] != 3 or found.dtype != np.uint8:
        return None
    last = found[-max(found.shape[0] // 40, 8) :]
    if header.kind == "jpeg" and bool((last == last[0, 0]).all()):
        # What libjpeg could not decode it leaves in one grey, down to the last row.
        return None
    return np.asarray(found, np.uint8)


def _upright(image: Image, orientation: int) -> Image:
    """EXIF's tag 274: 1 to 8, the dihedral group of a square; anything else says nothing."""
    if orientation in (5, 6, 7, 8):
        image = np.swapaxes(image, 0, 1)
    if orientation in (2, 3, 6, 7):
        image = image[:, ::-1]
    if orientation in (3, 4, 7, 8):
        image = image[::-1]
    return np.ascontiguousarray(image)


def _trouble(image: Image, name: str) -> NoPhoto | None:
    """Too dark or not sharp to read print."""
    scale = min(1.0, _THUMB_PX / max(image.shape[:2]))
    small = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    light = linear(small).mean(axis=2)
    if float(np.quantile(light, 0.9)) < _DARK:
        return _no(name, "a photograph with light on the table", "one that is too dark", "switch a lamp on",
                   "uma foto com luz na mesa", "uma escura demais", "acenda uma lâmpada")
    gray = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.float32)
    gray *= np.float32(200.0 / max(float(np.quantile(gray, 0.98)), 20.0))
    edges = np.abs(gray - cv2.GaussianBlur(gray, (0, 0), 2.0))
    if float(np.quantile(edges, 0.995)) < _LEAST_EDGE:
        return _no(name, "a sharp photograph", "one that is blurred or shows nothing",
                   "wipe the lens, hold still, and let the phone focus on the mat",
                   "uma foto nítida", "uma borrada ou sem nada",
                   "limpe a lente, segure firme e deixe o celular focar o tabuleiro")
    return None


def _no(name: str, wanted: str, found: str, do: str, queria: str, achou: str, faca: str) -> NoPhoto:
    return NoPhoto(Said(f"{name}: wanted {wanted}, found {found}: {do}",
                        f"{name}: precisava de {queria}, encontrou {achou}: {faca}"))
