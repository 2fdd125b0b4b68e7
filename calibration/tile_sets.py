"""A Quadropolis tile set under a name: what was taught, kept in one file, matched later from any camera.

The file holds the tiles as they were found, upright and small, and not what was learned from them: so a later reader
learns more from the same file. A file that is broken, has an unknown key or comes from a newer version is refused, the
place in it is named, and it stays as it was. Saving never leaves half a file.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import CalibrationFailed, NotTaught, ProfileRefused
from calibration.profile import replace_file
from calibration.reading import Node, parsed
from calibration.tiles import SquaredTile, learned_tiles
from rules.words import Said
from vision.detect.city_border import Border
from vision.detect.city_faces import CROP_PX, TileSet, read_face
from vision.detect.city_square import Spot, crop
from vision.frame import Image
from vision.kits.quadropolis import SIDE, TYPES, Face, QuadropolisKit
from vision.pose import BoardPose

Floats = NDArray[np.float32]
KIND, VERSION = "overboard-tiles", 1
ENDING = ".tiles.json"
MOST_BYTES = 30_000_000
MOST_TILES = 60
_NAME = re.compile(r"[^\W_][\w -]{0,39}")
MAT_PX_PER_MM = 1.0
MAT_MARGIN_MM = 24.0
_SURELY = 0.8
_ALIKE = 0.25
_CLEARER = 0.12
"""What is printed on a mat must agree so well one way up, and so much better than any other."""


@dataclass(frozen=True, slots=True, eq=False)
class TaughtTiles:
    """A tile set and the box's millimetres. `made_utc` is ISO 8601; `squared` the tiles as they were found, `tiles`
    what was learned from them. If the empty mat was taught: `frame_mm`, the side of its printed slots, and `mat`
    (n, n, 3) BGR, straightened, `MAT_PX_PER_MM` px a mm, its slots and `MAT_MARGIN_MM` around them, row 1 in the first
    rows. `alike`: faces that even the taught tiles do not tell apart surely; they will be asked about."""

    name: str
    made_utc: str
    kit: QuadropolisKit
    squared: tuple[SquaredTile, ...]
    tiles: TileSet
    frame_mm: float | None = None
    mat: Image | None = None
    alike: tuple[tuple[Face, Face], ...] = ()


def taught_tiles(
    name: str, made_utc: str, kit: QuadropolisKit, squared: Sequence[SquaredTile], frame_mm: float | None = None,
    mat: Image | None = None,
) -> TaughtTiles:
    """A set learned from tiles that were found. Raises `NotTaught`: a bad name, faces that look alike."""
    named = checked_name(name)
    tiles = learned_tiles(squared)
    return TaughtTiles(named, made_utc, kit, tuple(squared), tiles, frame_mm, mat, _alike(squared, tiles))


def _alike(squared: Sequence[SquaredTile], tiles: TileSet) -> tuple[tuple[Face, Face], ...]:
    """Each taught tile read with the set that it taught: those that are not surely themselves, and as what."""
    pairs: dict[frozenset[Face], tuple[Face, Face]] = {}
    for one in squared:
        ranked = read_face(one.patch, one.border.ground, one.white, tiles).ranked
        other = next((taught.face for taught, _ in ranked if taught.face != one.face), one.face)
        share = sum(share for taught, share in ranked if taught.face == one.face)
        if share < _SURELY:
            pairs.setdefault(frozenset((one.face, other)), (one.face, other))
    return tuple(pairs.values())


def checked_name(name: str) -> str:
    """`name`, if it may be a set's. Raises `NotTaught`: slashes, dots and signs lead out of the folder."""
    if _NAME.fullmatch(name) is None:
        shown = name if len(name) <= 40 else name[:37] + "..."
        raise NotTaught(Said(
            f"the tile set's name: wanted 1 to 40 letters, digits, spaces or hyphens, found {shown!r}: choose another",
            f"o nome do conjunto deve ter de 1 a 40 letras, algarismos, espaços ou hífens, mas é {shown!r}: escolha "
            "outro"))
    return name


class TileShelf:
    """The tile sets in a folder, which need not exist yet."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._last: tuple[Path, int, TaughtTiles] | None = None

    def names(self) -> tuple[str, ...]:
        """Their names, the newest first; no file is opened."""
        try:
            files = [(path.stat().st_mtime_ns, path) for path in self._folder.glob("*" + ENDING)]
        except OSError:
            return ()
        names = [path.name.removesuffix(ENDING) for _, path in sorted(files, key=lambda one: (-one[0], one[1]))]
        return tuple(name for name in names if _NAME.fullmatch(name))

    def path_of(self, name: str) -> Path:
        """Where a set of this name is kept. Raises `CalibrationFailed` for a name that leads elsewhere."""
        return self._folder / (checked_name(name) + ENDING)

    def keep(self, taught: TaughtTiles) -> Path:
        """Writes a set whole or not at all, in place of one of the same name. Raises `OSError`."""
        path = self.path_of(taught.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, (json.dumps(_words(taught), allow_nan=False) + "\n").encode("utf-8"))
        return path

    def taken(self, name: str) -> TaughtTiles:
        """The set of that name. Raises `CalibrationFailed`, which names the place of what is wrong."""
        path = self.path_of(name)
        try:
            state = path.stat()
            if self._last is not None and self._last[:2] == (path, state.st_mtime_ns):
                return self._last[2]
            if state.st_size > MOST_BYTES:
                raise CalibrationFailed(f"{path}: wanted a tile set of at most {MOST_BYTES // 1_000_000} MB, found "
                                        f"{state.st_size // 1_000_000} MB: teach the tiles again")
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise CalibrationFailed(f"{path}: wanted a tile set, found bytes that are no text at {error.start}: teach "
                                    "the tiles again") from error
        except OSError as error:
            known = ", ".join(self.names()) or "none"
            raise CalibrationFailed(f"wanted the tile set {name!r}, found none ({error.strerror}); there are: {known}: "
                                    f"teach it with `overboard calibrate tiles --name {name}`") from error
        try:
            taught = read_set(text, str(path), name)
        except ProfileRefused as error:
            raise CalibrationFailed(str(error).replace("calibrate again", "teach the tiles again")) from error
        self._last = (path, state.st_mtime_ns, taught)
        return taught


def read_set(text: str, where: str, name: str) -> TaughtTiles:
    """As `TileShelf.taken`, from text. Raises `ProfileRefused`, `CalibrationFailed`."""
    root = parsed(text, where)
    if root.get("kind").value != KIND:
        root.get("kind").refuse(f"{KIND!r}", "name a tile set")
    if root.get("version").integer() != VERSION:
        root.get("version").refuse(f"version {VERSION}", "update Overboard, or teach the tiles again")
    root.keys("kind", "version", "made_utc", "pitch_mm", "tile_mm", "frame_mm", "mat", "tiles")
    entries = root.get("tiles").entries()
    if not 1 <= len(entries) <= MOST_TILES:
        root.get("tiles").refuse(f"1 to {MOST_TILES} tiles", "calibrate again")
    frame, mat = root.get("frame_mm"), root.get("mat")
    kit = QuadropolisKit(_length(root.get("pitch_mm")), _length(root.get("tile_mm")))
    size = round((SIDE * kit.pitch_mm + 2 * MAT_MARGIN_MM) * MAT_PX_PER_MM)
    return taught_tiles(
        name, root.get("made_utc").text(), kit, [_tile(entry) for entry in entries],
        None if frame.value is None else _length(frame), None if mat.value is None else _picture(mat, size),
    )


def _length(node: Node) -> float:
    value = node.number()
    if not 15 <= value <= 200:
        node.refuse("a length from 15 to 200 mm", "calibrate again")
    return value


def _tile(node: Node) -> SquaredTile:
    node.keys("face", "patch", "spot", "side_mm", "rms_mm", "seen", "ground", "white")
    ground, white = (np.array(node.get(key).numbers(3), np.float32) for key in ("ground", "white"))
    x, y, turn, z = node.get("spot").numbers(4)
    border = Border(Spot(x, y, turn, z), _length(node.get("side_mm")), node.get("rms_mm").number(),
                    node.get("seen").integer(), ground)
    return SquaredTile(_face(node.get("face")), _picture(node.get("patch"), CROP_PX), border, white)


def _face(node: Node) -> Face:
    node.keys("type", "inhabitants", "energy", "vp", "mayor")
    if node.get("type").value not in TYPES:
        node.get("type").refuse(" or ".join(TYPES), "calibrate again")
    counts = [node.get(key).integer() for key in ("inhabitants", "energy", "vp")]
    if not all(0 <= count <= 9 for count in counts) or not isinstance(node.get("mayor").value, bool):
        node.refuse("counts from 0 to 9 and whether the Mayor is shown", "calibrate again")
    return Face(node.get("type").text(), counts[0], counts[1], counts[2], bool(node.get("mayor").value))


def _picture(node: Node, size_px: int) -> Image:
    """A square PNG of just this size; its header is judged before it is decoded."""
    try:
        data = base64.b64decode(node.text(), validate=True)
    except (binascii.Error, ValueError):
        data = b""
    fits = data[:8] == b"\x89PNG\r\n\x1a\n" and data[16:24] == size_px.to_bytes(4, "big") * 2
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if fits else None
    if image is None or image.shape != (size_px, size_px, 3):
        node.refuse(f"a PNG picture of {size_px}x{size_px}", "calibrate again")
    return np.asarray(image, np.uint8)


def _words(taught: TaughtTiles) -> Mapping[str, Any]:
    return {
        "kind": KIND, "version": VERSION, "made_utc": taught.made_utc, "pitch_mm": taught.kit.pitch_mm,
        "tile_mm": taught.kit.tile_mm, "frame_mm": taught.frame_mm,
        "mat": None if taught.mat is None else _png(taught.mat),
        "tiles": [_tile_words(one) for one in taught.squared],
    }


def _tile_words(one: SquaredTile) -> Mapping[str, Any]:
    face, border = one.face, one.border
    spot = border.spot
    return {
        "face": {"type": face.type, "inhabitants": face.inhabitants, "energy": face.energy, "vp": face.vp,
                 "mayor": face.mayor},
        "patch": _png(one.patch), "spot": [spot.x_mm, spot.y_mm, spot.turn_deg, spot.z_mm],
        "side_mm": border.side_mm, "rms_mm": border.rms_mm, "seen": border.seen,
        "ground": [float(v) for v in border.ground], "white": [float(v) for v in one.white],
    }


def _png(image: Image) -> str:
    _, data = cv2.imencode(".png", image)
    return base64.b64encode(data.tobytes()).decode("ascii")


def straight_mat(image: Image, pose: BoardPose, kit: QuadropolisKit) -> Image:
    """The mat as `TaughtTiles.mat` has it."""
    middle = SIDE * kit.pitch_mm / 2
    size = SIDE * kit.pitch_mm + 2 * MAT_MARGIN_MM
    ends = pose.to_px(np.array([[0.0, middle], [2 * middle, middle]]))
    blur = float(np.linalg.norm(ends[1] - ends[0])) / (2 * middle) / MAT_PX_PER_MM / 2.5
    soft = cv2.GaussianBlur(image, (0, 0), blur) if blur > 0.4 else image
    return crop(np.asarray(soft, np.uint8), pose, Spot(middle, middle), size, MAT_PX_PER_MM)


def printed_turn(image: Image, pose: BoardPose, taught: TaughtTiles) -> int | None:
    """By how many quarters a mat's frame must be turned clockwise for what is printed around and between its slots to
    lie as on the taught mat; None where that does not tell."""
    if taught.mat is None:
        return None
    open_ = _gaps(taught.kit, taught.mat.shape[0])
    before = _detail(taught.mat)[open_]
    seen = _detail(straight_mat(image, pose, taught.kit))
    fits = []
    for quarters in range(4):
        # The frame turned clockwise: its content turns anticlockwise.
        now = np.rot90(seen, quarters)[open_]
        fits.append(float((now * before).sum() / np.sqrt((now**2).sum() * (before**2).sum() + 1e-9)))
    best = int(np.argmax(fits))
    clear = fits[best] - sorted(fits)[-2]
    return best if fits[best] > _ALIKE and clear > _CLEARER else None


def _detail(mat: Image) -> Floats:
    """(n, n, 3): the colours of a mat, brightness and lamp evened out."""
    light = np.log(mat.astype(np.float32) + 8)
    lamp = light.mean(axis=(0, 1))
    return np.asarray(np.clip(light - lamp, -0.8, 0.8), np.float32)


def _gaps(kit: QuadropolisKit, n: int) -> NDArray[np.bool_]:
    """(n, n): the mat's margin where digits stand, and the strips between slots."""
    at = (np.arange(n) + 0.5) / MAT_PX_PER_MM - MAT_MARGIN_MM
    span = SIDE * kit.pitch_mm
    strip = np.abs((at / kit.pitch_mm + 0.5) % 1 - 0.5) * kit.pitch_mm < 3.0
    inside = (at > 0) & (at < span)
    slots = (inside & ~strip)[:, None] & (inside & ~strip)[None, :]
    near = (at > -15) & (at < span + 15)
    return np.asarray(~slots & near[:, None] & near[None, :])


def shelf_in(data_dir: Path) -> TileShelf:
    """The tile sets of an installation whose data folder this is."""
    return TileShelf(data_dir / "tiles")
