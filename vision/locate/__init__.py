"""Finds the board in a picture, turns it the right way round, and follows it."""

from vision.locate.board import Chessboard, NoBoard
from vision.locate.follow import Followed, Follower, grid_shift
from vision.locate.natural import find_chessboard
from vision.locate.pose_fit import fit_pose
from vision.locate.taps import BadTaps, from_taps, orient

__all__ = [
    "BadTaps",
    "Chessboard",
    "Followed",
    "Follower",
    "NoBoard",
    "find_chessboard",
    "fit_pose",
    "from_taps",
    "grid_shift",
    "orient",
]
