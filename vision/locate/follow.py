"""Keeps hold of a board from picture to picture, and says when it moved, is covered, or is gone.

The crossings are looked for where the pose expects them, which takes a few milliseconds. Only when they are not
there, or one outer line of them is missing, the whole picture is searched again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.frame import Gray, Image, Mask, Matrix, Points
from vision.locate.board import Chessboard, NoBoard
from vision.locate.exact import lifted, reduced
from vision.locate.lattice import mapped
from vision.locate.natural import find_chessboard
from vision.locate.refine import Crossings, refine_crossings
from vision.locate.saddles import find_saddles
from vision.locate.taps import CORNER_NAMES, orient
from vision.observation import BoardState
from vision.pose import BoardPose

_STILL_PX = 1.2
_STIRRED_PX = 0.6
_FEWEST_TO_HOLD = 5
_FEWEST_TO_MOVE = 10
_STEADY_SHARE = 0.4
_TURN_DOUBT = 0.7
_WORK_PX = 900


@dataclass(frozen=True, slots=True)
class Followed:
    """What became of the board: `pose` is the new one if MOVED, else the last; `why`: a sentence unless STEADY."""

    state: BoardState
    pose: BoardPose
    why: str = ""


@dataclass(frozen=True, slots=True)
class PoseMap:
    """Where a pose says the lattice numbers (0..8, 0..8) lie."""

    pose: BoardPose
    square_mm: float

    def at(self, nodes: Matrix) -> Points:
        """(N, 2) -> (N, 2) px."""
        return self.pose.to_px(np.asarray(nodes, dtype=np.float64) * self.square_mm)

    def steps(self, nodes: Matrix) -> tuple[Points, Points]:
        """(N, 2) px each: how far one square goes along the files and along the ranks."""
        ahead = np.concatenate([nodes + np.array([0.5, 0.0]), nodes - np.array([0.5, 0.0]),
                                nodes + np.array([0.0, 0.5]), nodes - np.array([0.0, 0.5])])
        a, b, c, d = np.split(self.at(ahead), 4)
        return a - b, c - d


class Follower:
    """Follows one board seen by one camera; `reference` is the picture in which `pose` was found.

    Raises nothing: a picture in which the board is gone is LOST, and the next one may have it again.
    """

    def __init__(self, reference: Image, pose: BoardPose, square_mm: float) -> None:
        self._square_mm = square_mm
        self._pose = pose
        first = self._look(_gray(reference), pose)
        self._light_even = first.light_even
        self._usual = int(first.seen.sum())

    @property
    def pose(self) -> BoardPose:
        """The pose as last known."""
        return self._pose

    def follow(self, image: Image) -> Followed:
        """Looks for the board in the next picture of the same size."""
        gray = _gray(image)
        if (gray.shape[1], gray.shape[0]) != tuple(self._pose.camera.size_px):
            width, height = self._pose.camera.size_px
            return Followed(BoardState.LOST, self._pose, f"wanted pictures of {width}x{height}, found {gray.shape[1]}x"
                            f"{gray.shape[0]}: set the camera back or set up the board again")
        found = self._look(gray, self._pose)
        seen = int(found.seen.sum()) if found.light_even == self._light_even else 0
        if seen >= _FEWEST_TO_MOVE and (_all_lines(found.seen) or self._border_stands(gray)):
            pose = self._moved(found)
            shift = self._shift_px(pose)
            if shift <= _STILL_PX or self._stirred_px(found) < _STIRRED_PX:
                return self._held(seen)
            self._accept(gray, pose)
            return Followed(BoardState.MOVED, pose, f"the board moved by {shift:.0f} px and was followed")
        return self._searched(image, gray, found, seen)

    def _look(self, gray: Gray, pose: BoardPose) -> Crossings:
        return refine_crossings(gray, PoseMap(pose, self._square_mm), reach=0.12)

    def _held(self, seen: int) -> Followed:
        if seen >= _STEADY_SHARE * self._usual:
            self._usual = max(seen, self._usual - 1)
            return Followed(BoardState.STEADY, self._pose)
        return Followed(BoardState.HELD, self._pose, f"only {seen} of the board's 49 crossings are in sight: "
                        "take the hand away")

    def _accept(self, gray: Gray, pose: BoardPose) -> None:
        self._pose = pose
        self._usual = int(self._look(gray, pose).seen.sum())

    def _moved(self, found: Crossings) -> BoardPose:
        """The pose with the same lens that fits the crossings now."""
        return pose_through(self._pose, found.nodes[found.seen] * self._square_mm, found.points_px[found.seen])

    def _stirred_px(self, found: Crossings) -> float:
        """The median motion of the crossings; corners beyond a few of them may seem to move when none did."""
        expected = PoseMap(self._pose, self._square_mm).at(found.nodes[found.seen])
        return float(np.median(np.linalg.norm(found.points_px[found.seen] - expected, axis=1)))

    def _shift_px(self, pose: BoardPose) -> float:
        """The largest motion of an outer corner."""
        corners = np.array([[0.0, 0.0], [8.0, 0.0], [8.0, 8.0], [0.0, 8.0]]) * self._square_mm
        return float(np.linalg.norm(pose.to_px(corners) - self._pose.to_px(corners), axis=1).max())

    def _border_stands(self, gray: Gray) -> bool:
        """Whether just beyond the pose's board no further crossings are: else it slid by whole squares."""
        outer = np.array([[i, j] for n in range(1, 8) for i, j in ((0, n), (8, n), (n, 0), (n, 8))], dtype=np.float64)
        found = refine_crossings(gray, PoseMap(self._pose, self._square_mm), reach=0.12, nodes=outer)
        inner = self._look(gray, self._pose).seen
        return not any(found.seen[outer[:, axis] == line].sum() >= 5 and _line_gone(inner, axis, line)
                       for axis, line in ((0, 0), (0, 8), (1, 0), (1, 8)))

    def _searched(self, image: Image, gray: Gray, found: Crossings, seen: int) -> Followed:
        """The whole picture again; with the naming that lies nearest to the last pose."""
        board = find_chessboard(image)
        if isinstance(board, NoBoard):
            if seen >= _FEWEST_TO_HOLD:
                return self._held(seen)
            return Followed(BoardState.LOST, self._pose, board.why)
        named = self._named(board)
        if named is None:
            return Followed(BoardState.LOST, self._pose, "the board moved too far to tell which way round it lies: "
                            "tap the corner a1")
        nodes = np.argwhere(named.seen).astype(np.float64)
        pose = pose_through(self._pose, nodes * self._square_mm, named.crossings_px[named.seen])
        shift = self._shift_px(pose)
        if shift <= _STILL_PX:
            return self._held(max(seen, int(named.seen.sum())))
        self._accept(gray, pose)
        self._light_even = self._look(gray, pose).light_even
        return Followed(BoardState.MOVED, pose, f"the board moved by {shift:.0f} px and was found again")

    def _named(self, board: Chessboard) -> Chessboard | None:
        """The board named like the last pose's; None if two namings are about as near, or the colours disagree."""
        corners = np.array([[0.0, 0.0], [0.0, 8.0], [8.0, 8.0], [8.0, 0.0]]) * self._square_mm
        last = self._pose.to_px(corners)
        turns = [np.roll(board.corners_px, -turn, axis=0) for turn in range(4)]
        gaps = [float(np.linalg.norm(turn - last, axis=1).mean()) for turn in turns]
        order = np.argsort(gaps)
        if gaps[order[0]] > _TURN_DOUBT * gaps[order[1]]:
            return None
        corner = board.corners_px[int(order[0])]
        named = orient(board, {CORNER_NAMES[0]: (float(corner[0]), float(corner[1]))})
        return named if isinstance(named, Chessboard) else None


def grid_shift(image: Image, pose: BoardPose, square_mm: float) -> float:
    """How far the grid of the picture lies beside the pose's, in squares (0 to 0.7); NaN where too little is seen.

    A self-check that does not trust the pose: every saddle of the picture on the board votes for its offset from the
    nearest lattice point, with the phase that the squares there would give it.
    """
    small = reduced(_gray(image), _WORK_PX)
    saddles = find_saddles(small)
    good = saddles.quality > 0.7
    if good.sum() < 8:
        return math.nan
    points = mapped(lifted(image.shape[1] / small.shape[1]), saddles.points_px[good])
    places = pose.to_mm(points) / square_mm
    on_board = ((places > 0.3) & (places < 7.7)).all(axis=1)
    offsets: Matrix = places[on_board] - np.round(places[on_board])
    if len(offsets) < 8:
        return math.nan
    weight = np.minimum(saddles.contrast[good][on_board], np.percentile(saddles.contrast[good][on_board], 70))
    apart = offsets[:, None] - offsets[None]
    between: Matrix = apart - np.round(apart)
    votes = ((np.linalg.norm(between, axis=2) < 0.06) * weight[None]).sum(axis=1)
    best = int(np.argmax(votes))
    near = np.linalg.norm(between[:, best], axis=1) < 0.06
    if near.sum() < 8:
        return math.nan
    middle = offsets[best] + np.average(between[near, best], axis=0, weights=weight[near])
    return float(np.linalg.norm(middle - np.round(middle)))


def pose_through(pose: BoardPose, points_mm: Points, points_px: Points) -> BoardPose:
    """`pose`'s camera moved so that `points_mm` (N, 2) on the board appear at `points_px` (N, 2); N at least 6."""
    mm = np.hstack([points_mm, np.zeros((len(points_mm), 1))]).astype(np.float64)
    px = np.asarray(points_px, dtype=np.float64)
    rvec: Matrix = np.array(pose.rvec, dtype=np.float64)
    tvec: Matrix = np.array(pose.tvec, dtype=np.float64)
    keep: Mask = np.ones(len(mm), dtype=bool)
    lens = pose.camera
    for _ in range(3):
        _, turned, shifted = cv2.solvePnP(mm[keep], px[keep], lens.matrix, lens.distortion, rvec.reshape(3, 1).copy(),
                                          tvec.reshape(3, 1).copy(), True, cv2.SOLVEPNP_ITERATIVE)
        rvec, tvec = np.array(turned, dtype=np.float64).reshape(3), np.array(shifted, dtype=np.float64).reshape(3)
        tried = replace(pose, rvec=rvec, tvec=tvec)
        off = np.linalg.norm(tried.to_px(mm) - px, axis=1)
        keep = off <= max(3.0 * float(np.median(off)), 0.3)
    return replace(tried, residual_px=float(np.sqrt((off[keep] ** 2).mean())))


def _gray(image: Image) -> Gray:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)


def _line_gone(seen: Mask, axis: int, line: int) -> bool:
    """Whether the inner line farthest from border `line` shows no crossing at all."""
    grid = seen.reshape(7, 7)
    return not np.take(grid, 6 if line == 0 else 0, axis=axis).any()


def _all_lines(seen: Mask) -> bool:
    """Whether each of the four outermost inner lines shows a crossing."""
    grid = seen.reshape(7, 7)
    return bool(grid[0].any() and grid[6].any() and grid[:, 0].any() and grid[:, 6].any())
