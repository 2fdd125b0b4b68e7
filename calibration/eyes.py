"""What the wizard sees with, for a Gridlock table: the board found or tapped, the pose, the colours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from calibration.covered import covered_corners
from calibration.errors import NotTaught
from calibration.seen_said import seen_said
from calibration.tapped import tapped_board
from rules.words import Cell, Piece, Said
from vision.frame import Image, Points
from vision.kits.gridlock import GridlockKit
from vision.locate import Chessboard, NoBoard, find_chessboard, fit_pose, orient
from vision.palette import Palette
from vision.pose import BoardPose, CameraModel

Learn = Callable[[Image, Image, BoardPose, Sequence[tuple[Cell, Piece]]], Palette]
"""From the empty board, the picture with the pieces, the pose and what stands where; raises `NotTaught`."""


@dataclass(frozen=True, slots=True)
class GridlockEyes:
    """Fits `calibration.wizard.Eyes`. `learn` reads the colours; `lens`: None if nobody calibrated it."""

    kit: GridlockKit
    learn: Learn
    lens: CameraModel | None = None

    def covered(self, image: Image) -> tuple[str, ...]:
        """Where in the picture a corner of the board is covered."""
        return covered_corners(image)

    def corners(self, image: Image) -> Points | Said:
        """The board's outer corners, (4, 2) px, clockwise in the picture."""
        found = find_chessboard(image)
        return seen_said(found.why) if isinstance(found, NoBoard) else found.corners_px

    def pose(self, image: Image, corners_px: Mapping[str, tuple[float, float]]) -> BoardPose | Said:
        """The pose; where the board is not found by itself, from the tapped corners drawn to the crossings."""
        found = find_chessboard(image)
        turned = found if isinstance(found, NoBoard) else orient(found, corners_px)
        board = turned if isinstance(turned, Chessboard) else tapped_board(image, corners_px)
        if isinstance(board, Said):
            return board
        return fit_pose(board, self.kit.square_mm, (image.shape[1], image.shape[0]), self.lens)

    def palette(self, empty: Image, image: Image, pose: BoardPose,
                pieces: Sequence[tuple[Cell, Piece]]) -> Palette | Said:
        """The colours of the pieces said to stand on the board."""
        try:
            return self.learn(empty, image, pose, pieces)
        except NotTaught as error:
            return error.said
