"""Calibration in the terminal: the lens in words, and the wizard's steps as questions.

Nobody can tap in a terminal: each corner that was found is drawn with a number on a picture in the data folder, and
the number is typed; where none was found, four points of that picture are typed.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, assert_never

import cv2
import numpy as np

from calibration.errors import NotTaught
from calibration.eyes import GridlockEyes
from calibration.fit import CameraFit
from calibration.profile import lens_words, save
from calibration.said import joined
from calibration.teach import Sample, board_gone, learn_palette
from calibration.wizard import Ask, Done, Stuck, Want, Wizard, Working, started
from calibration.wizard import Table as WizardTable
from device.watched import CameraLost, Picture, Watched
from rules.words import Cell, Colour, Piece, Said
from table.at_terminal import Terminal
from table.build import PROFILE, camera_of
from table.errors import BadFolder, NotReady
from table.journal import utc_now
from table.settings import Settings
from vision.frame import Image
from vision.kits.gridlock import GridlockKit
from vision.locate import Follower
from vision.observation import BoardState
from vision.palette import Palette
from vision.pose import BoardPose, CameraModel

SQUARES = ("d3", "c5", "e6", "f4")
"""Where the palette's pyramids stand: around the middle, none in another's shadow."""
PICTURE = "calibrate.jpg"
ENTER = Said("Press Enter to take the picture.", "Aperte Enter para tirar a foto.")
WHICH_NUMBER = Said("Which number is at a1? (0: the corners are wrong)",
                    "Que número está em a1? (0: os cantos estão errados)")
WHICH_CORNERS = Said("The corners of a1, a8, h8, h1 in px, as x,y x,y x,y x,y:",
                     "Os cantos de a1, a8, h8, h1 em px, assim: x,y x,y x,y x,y:")
FIRST_PICTURE_S = 30.0
LOOKS = 4
"""Pictures that are let go before the one that counts: those taken while somebody still pressed the key."""


def check_sheets() -> None:
    """Raises `NotReady` where this OpenCV cannot read or draw the sheet (Debian 12 has 4.6)."""
    if not hasattr(getattr(cv2, "aruco", None), "CharucoDetector"):
        raise NotReady(f"wanted OpenCV 4.7 or newer for the printed sheet, found {cv2.__version__}: do this on another "
                       "computer, or play without it, for then the distortion is estimated from the board itself")


def fit_words(fit: CameraFit) -> str:
    """A lens for people: each picture's error, what was dropped and why, the lens itself."""
    camera = fit.camera
    lines = [f"{name}: {px:.2f} px" for name, px in fit.per_picture_px]
    lines += [f"{name}: not used: {why}" for name, why in fit.dropped]
    lines.append(f"The lens fits to {fit.residual_px:.2f} px (root mean square) over {len(fit.per_picture_px)} "
                 f"pictures; the sheet reached {fit.cover:.0%} of the picture.")
    if fit.legacy:
        lines.append("The sheet has the arrangement of before OpenCV 4.6; that does no harm.")
    lines.append(f"focal length {camera.matrix[0, 0]:.1f} px, centre ({camera.matrix[0, 2]:.1f}, "
                 f"{camera.matrix[1, 2]:.1f}) px, distortion {' '.join(f'{v:.4f}' for v in camera.distortion)}")
    return "\n".join(lines)


def fit_json(fit: CameraFit) -> str:
    """A lens as `lens` of setup.json has it, and how well it fits."""
    told: dict[str, Any] = {
        "lens": [lens_words(fit.camera)], "residual_px": round(fit.residual_px, 4),
        "per_picture_px": {name: round(px, 4) for name, px in fit.per_picture_px},
        "dropped": dict(fit.dropped), "cover": round(fit.cover, 4),
    }
    return json.dumps(told)


def read_lens(path: Path) -> CameraModel:
    """The lens that `calibrate camera --json` printed. Raises `BadFolder`."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))["lens"][0]
        values = [float(v) for v in (*told["matrix"], *told["distortion"])]
        size = (int(told["size"][0]), int(told["size"][1]))
        if len(told["matrix"]) != 9 or len(told["distortion"]) != 5 or not all(map(math.isfinite, values)):
            raise ValueError("its numbers are not those of a lens")
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise BadFolder(f"{path}: wanted a lens as `overboard calibrate camera DIR --json` prints it, found none "
                        f"({error}): print it again") from error
    return CameraModel(np.array(values[:9]).reshape(3, 3), np.array(values[9:]), size)


def calibrate_table(settings: Settings, square_mm: float, lens: Path | None, terminal: Terminal) -> None:
    """Sets a Gridlock table up with the camera of the settings and writes its profile.

    An empty answer takes the picture. Raises `NotReady`, `BadFolder`, and `OSError` where
    the profile cannot be written.
    """
    kit = GridlockKit(square_mm)
    eyes = GridlockEyes(kit, learn_with(kit), None if lens is None else read_lens(lens))
    pieces = tuple((name, kit.cell_named(name), Piece("large", Colour(colour)))
                   for name, colour in zip(SQUARES, settings.table.colours, strict=False))
    data = Path(settings.table.data_dir)
    camera = Watched(camera_of(settings), patience_s=settings.camera.lost_after_ms / 1000)
    try:
        done = walk(started(WizardTable("gridlock", square_mm, pieces)), eyes, lambda: newest(camera), terminal, data)
    finally:
        camera.close()
    save(done.profile, data / PROFILE, done.reference)
    terminal.says(joined(done.profile.report.verdict))
    terminal.says(_written(data / PROFILE, settings.camera.source))


def learn_with(kit: GridlockKit) -> Callable[[Image, Image, BoardPose, Sequence[tuple[Cell, Piece]]], Palette]:
    """How the wizard's eyes learn colours: the board may have been nudged since the empty picture."""
    def learn(empty: Image, image: Image, pose: BoardPose, pieces: Sequence[tuple[Cell, Piece]]) -> Palette:
        now = Follower(empty, pose, kit.square_mm).follow(image)
        if now.state is BoardState.LOST:
            raise NotTaught(board_gone(now.why))
        return learn_palette(kit, image, now.pose, empty, pose, [Sample(cell, piece.colour) for cell, piece in pieces])

    return learn


def newest(camera: Watched) -> Image:
    """A picture taken after this was called. Raises `NotReady`."""
    seen = 0
    for _ in range(int(FIRST_PICTURE_S / 0.5)):
        match camera.next(0.5):
            case Picture(frame=frame):
                seen += 1
                if seen > LOOKS:
                    return frame.image
            case CameraLost(why=why):
                raise NotReady(why)
            case _:
                pass
    raise NotReady(f"wanted a picture, found none in {FIRST_PICTURE_S:.0f} s: look at the camera's cable, "
                   "then run `overboard doctor`")


def walk(wizard: Wizard, eyes: GridlockEyes, take: Callable[[], Image], terminal: Terminal, data: Path) -> Done:
    """The wizard's steps until it is done."""
    while True:
        match wizard.step:
            case Done() as done:
                return done
            case Working(said=said):
                terminal.says(said)
                wizard = wizard.work(eyes, utc_now())
            case Stuck(why=why):
                terminal.says(why)
                wizard = wizard.again()
            case Ask() as step:
                wizard = _answered(wizard, step, take, terminal, data)
            case _ as never:
                assert_never(never)


def _answered(wizard: Wizard, step: Ask, take: Callable[[], Image], terminal: Terminal, data: Path) -> Wizard:
    terminal.says(step.said)
    match step.want:
        case Want.EMPTY_PICTURE | Want.PALETTE_PICTURE:
            terminal.asks(ENTER)
            return wizard.took(take())
        case Want.ORIENTATION:
            terminal.says(_numbered(_drawn(step, data)))
            typed = terminal.asks(WHICH_NUMBER)
            if typed.strip() == "0":
                return wizard.by_hand()
            numbers = [str(n) for n in range(1, len(step.marks_px) + 1)]
            return wizard.tapped([step.marks_px[numbers.index(typed.strip())]]) if typed.strip() in numbers else wizard
        case Want.CORNERS:
            terminal.says(_picture_is(_drawn(step, data)))
            typed = terminal.asks(WHICH_CORNERS)
            found = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", typed)]
            if not typed.strip():
                return wizard.back()
            return wizard.tapped(list(zip(found[::2], found[1::2], strict=False))) if len(found) == 8 else wizard
        case _ as never:
            assert_never(never)


def _numbered(path: Path) -> Said:
    return Said(f"The corners are numbered in {path}.", f"Os cantos estão numerados em {path}.")


def _picture_is(path: Path) -> Said:
    return Said(f"The picture is {path}. Empty: begin again with a new picture.",
                f"A foto é {path}. Sem resposta: recomeça com outra foto.")


def _written(path: Path, source: str) -> Said:
    return Said(f"{path}: written. Clear the board, then: overboard run --source {source}",
                f"{path}: gravado. Esvazie o tabuleiro e depois: overboard run --source {source}")


def _drawn(step: Ask, data: Path) -> Path:
    """The picture that is asked about, in the data folder, with its marks numbered from 1."""
    path = data / PICTURE
    if step.picture is None:
        return path
    image = step.picture.copy()
    size = max(1.0, image.shape[1] / 900)
    for number, (x, y) in enumerate(step.marks_px, 1):
        at = (round(x), round(y))
        cv2.circle(image, at, round(9 * size), (0, 0, 255), round(2 * size))
        cv2.putText(image, str(number), (at[0] + round(8 * size), at[1] - round(8 * size)), cv2.FONT_HERSHEY_SIMPLEX,
                    1.2 * size, (0, 0, 255), round(3 * size), cv2.LINE_AA)
    done, coded = cv2.imencode(".jpg", image)
    if done:
        data.mkdir(parents=True, exist_ok=True)
        path.write_bytes(coded.tobytes())
    return path
