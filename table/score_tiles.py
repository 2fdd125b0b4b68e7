"""Teaching tile sets from a folder, from pictures, or with the camera: for the commands and whoever else asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import assert_never

import numpy as np

from calibration.errors import NotTaught
from calibration.tile_lessons import lesson_from, pages_of
from calibration.tile_sets import TaughtTiles, straight_mat, taught_tiles
from calibration.tile_wizard import AskTiles, DoneTiles, Looking, StuckTiles, TileWizard, taught_from, tile_wizard
from calibration.tile_words import face_said
from calibration.tiles import squared_tile
from rules.words import Said
from table.at_terminal import Terminal
from table.errors import BadFolder, NotReady
from table.photo import MOST_BYTES, NoPhoto, Photo, opened
from table.score_folder import mat_pose, tile_samples
from table.setup_folder import read_setup
from vision.frame import Image, read_picture
from vision.kits.quadropolis import QuadropolisKit
from vision.locate.board import NoBoard
from vision.locate.mats import find_mats

ENTER_OR_ROW1 = Said("Press Enter to take the picture. (Or first type where row 1 begins, as x,y in px.)",
                     "Aperte Enter para tirar a foto. (Ou escreva antes onde começa a linha 1: x,y em px.)")


def photo_at(path: Path) -> Photo | NoPhoto:
    """The photograph in a file; one too large is not read. Raises `NotReady` where there is no such file."""
    try:
        if path.stat().st_size > MOST_BYTES:
            with path.open("rb") as file:
                return opened(file.read(MOST_BYTES + 1), path.name)
        return opened(path.read_bytes(), path.name)
    except OSError as error:
        raise NotReady(f"{path}: wanted a photograph, found none ({error.strerror}): check the name") from error


def tiles_of_folder(folder: Path, name: str, now_utc: str) -> TaughtTiles:
    """The set that a Quadropolis folder's own set-up pictures teach. Raises `BadFolder`, `NotTaught`."""
    setup = read_setup(folder)
    if setup.game != "quadropolis" or setup.empty is None or not setup.taps or "tiles" not in setup.rest:
        raise BadFolder(f"{folder}: wanted a quadropolis folder with empty, taps and tiles in its setup.json, found "
                        f"{setup.game} without: name pictures of tiles on a mat instead")
    kit = QuadropolisKit(float(setup.rest.get("pitch_mm", 55.0)), float(setup.rest.get("tile_mm", 45.0)))
    frame, samples = tile_samples(setup)
    empty, tiles = read_picture(folder / setup.empty), read_picture(folder / frame)
    if empty.shape != tiles.shape:
        raise NotTaught(Said(
            "wanted the picture of tiles as large as the empty one, found another size: take both with the same camera",
            "a foto das peças não tem o tamanho da foto do tabuleiro vazio: tire as duas com a mesma câmera"))
    pose = mat_pose(empty, kit, dict(setup.taps), setup.camera())
    found = find_mats(empty, kit)
    frame_mm = None if isinstance(found, NoBoard) or len(found) != 1 else found[0].frame_mm
    squared = [squared_tile(tiles, pose, sample, kit.tile_mm) for sample in samples]
    return taught_tiles(name, now_utc, kit, squared, frame_mm, straight_mat(empty, pose, kit))


def tiles_of_pictures(
    pictures: Sequence[Path], name: str, now_utc: str, row1_px: tuple[float, float] | None = None
) -> TaughtTiles:
    """The set that photographs of tiles on a mat teach, one for each page of the order shown. Raises
    `NotTaught`, which names the picture and each tile that is not found, and `NotReady`."""
    pages, kit = pages_of(), QuadropolisKit()
    if len(pictures) != len(pages):
        raise NotTaught(Said(
            f"wanted {len(pages)} pictures, one for each page of tiles, found {len(pictures)}: `overboard calibrate "
            "tiles --order` shows what lies where",
            f"são precisas {len(pages)} fotos, uma para cada grupo de peças, e vieram {len(pictures)}: `overboard "
            "calibrate tiles --order` mostra o que fica onde"))
    lessons = []
    for path, page in zip(pictures, pages, strict=True):
        photo = photo_at(path)
        if isinstance(photo, NoPhoto):
            raise NotTaught(photo.said)
        try:
            lessons.append(lesson_from(photo.image, kit, page, photo.focal_px, row1_px))
        except NotTaught as error:
            raise NotTaught(Said(f"{path.name}: {error.said.en}", f"{path.name}: {error.said.pt}")) from error
    return taught_from(name, now_utc, kit, tuple(lessons))


def order_said() -> Said:
    """What to lay where, a paragraph a picture."""
    return Said(_order("row", "picture {} of {}:", "T tower, S shop, V public service, P park, F factory, H harbour; "
                                                   "i inhabitants, e energy, v points, m Mayor"),
                _order("linha", "foto {} de {}:", "T torre, S loja, V serviço público, P parque, F fábrica, H porto; "
                                                  "i habitantes, e energia, v pontos, m Prefeito"))


def _order(row_word: str, picture: str, legend: str) -> str:
    wizard = tile_wizard("order")
    lines: list[str] = []
    for page in wizard.pages:
        shown = [f"  {row_word} {n}: " + "  ".join(f"{face.word:<5}" for face in row).rstrip()
                 for n, row in enumerate(page.rows, 1)]
        lines.append("\n".join([picture.format(len(lines) + 1, len(wizard.pages)), *shown]))
    return "\n".join([*lines, legend])


def kept_said(path: Path, taught: TaughtTiles) -> list[Said]:
    """A set that was written to `path`, and which of its faces look alike."""
    said = [Said(f"{path}: {len(taught.squared)} tiles kept under the name {taught.name}",
                 f"{path}: {len(taught.squared)} peças guardadas com o nome {taught.name}")]
    for one, other in taught.alike:
        said.append(Said(
            f"wanted faces that can be told apart, found {one.word} and {other.word} alike: they will be asked about; "
            "teach again from nearer, sharper and without glare",
            f"{face_said(one).pt} e {face_said(other).pt} são parecidos: na dúvida o programa vai perguntar; para "
            "melhorar, ensine de novo mais de perto, com foto nítida e sem reflexos"))
    return said


def walk_tiles(name: str, take: Callable[[], Image], terminal: Terminal, now_utc: str) -> TaughtTiles:
    """The wizard's steps at a terminal until it is done. Raises `NotTaught` for a bad name."""
    wizard: TileWizard = tile_wizard(name)
    while True:
        match wizard.step:
            case DoneTiles(taught=taught):
                return taught
            case Looking(said=said):
                terminal.says(said)
                wizard = wizard.work(now_utc)
            case StuckTiles(why=why):
                terminal.says(why)
                wizard = wizard.again()
            case AskTiles(said=said):
                terminal.says(said)
                typed = terminal.asks(ENTER_OR_ROW1)
                wizard = wizard.took(take(), _point(typed))
            case _ as never:
                assert_never(never)


def _point(typed: str) -> tuple[float, float] | None:
    try:
        x, y = (float(part) for part in typed.split(","))
    except ValueError:
        return None
    return (x, y) if np.isfinite([x, y]).all() else None
