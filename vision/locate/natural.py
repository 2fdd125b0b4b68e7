"""Finds an 8x8 chessboard in one picture with nothing else known.

Saddles, lattices, the best window of 8x8 squares, then crossings and border lines in the whole picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import cv2
import numpy as np

from vision.frame import Gray, Image, checked_image
from vision.locate.board import Chessboard, NoBoard
from vision.locate.exact import lifted, reduced, refined_board, root_of
from vision.locate.lattice import Lattice, grow_lattices, mapped
from vision.locate.saddles import find_saddles
from vision.locate.window import Window, best_window

_WORK_PX = 900
_TRIES = 6
_FEWEST = 24
_WEAK = 0.25
_ALONE = 20.0
"""Edges by which the board is ahead of any other window where the pattern ends with it."""


@dataclass(frozen=True, slots=True)
class _Doubt:
    """Why a lattice is not our board; `rank` orders how near it came."""

    rank: float
    why: str


def find_chessboard(image: Image) -> Chessboard | NoBoard:
    """The 8x8 chessboard in the picture, or the likely reason why none was found. Raises `BadPicture`."""
    gray = cv2.cvtColor(checked_image(image, "picture"), cv2.COLOR_BGR2GRAY)
    full: Gray = np.asarray(gray, dtype=np.uint8)
    doubts: list[_Doubt] = []
    for work_px in _scales(full):
        small = reduced(full, work_px)
        root = root_of(small)
        saddles = find_saddles(small)
        for lattice in islice(grow_lattices(saddles), _TRIES):
            window = best_window(root, lattice)
            doubt = _doubt(window, lattice)
            if window is not None and doubt is None:
                lift = lifted(full.shape[1] / small.shape[1])
                board = refined_board(full, window.inner, mapped(lift, window.inner_px), lift @ window.matrix,
                                      float(window.strips.mean()))
                if board is not None:
                    return board
                doubt = _Doubt(2.0, "something like a chessboard, but its lines do not meet where they should: "
                                    "lay the board flat and hold the camera still")
            if doubt is not None:
                doubts.append(doubt)
    return NoBoard(_reason(full, doubts))


def _scales(gray: Gray) -> tuple[int, ...]:
    longest = max(gray.shape)
    return (_WORK_PX,) if longest <= 1.3 * _WORK_PX else (_WORK_PX, min(longest, 2 * _WORK_PX))


def _doubt(window: Window | None, lattice: Lattice) -> _Doubt | None:
    """None for a window that may be a board; else why it is none."""
    wanted = "wanted a board of 8x8 squares, found "
    if window is None or len(window.inner) < _FEWEST:
        return _Doubt(0.0, "")
    nodes = lattice.nodes - np.array(window.origin)
    beyond = int(((nodes < 0) | (nodes > 8)).any(axis=1).sum())
    weak = int((window.strips < _WEAK).sum())
    if window.strips.mean() < 0.4 or weak > 2:
        lines = " by ".join(str(n + 1) for n in lattice.extent)
        return _Doubt(len(window.inner) / 49, f"{wanted}a grid of about {lines}: check that the whole chessboard is in "
                                              "the picture and that no hand is over it")
    # Crossings of a chequered cloth may continue the board's by chance; then no other window comes near this one.
    if (window.outside + 0.5 * window.beyond).max() > 0.62 or (beyond > 6 and window.margin < _ALONE):
        return _Doubt(1.0, f"{wanted}a chequered pattern that goes on beyond eight squares: "
                           "use a chessboard of 8x8 squares and take away other chequered things")
    if window.margin < 2.5 or (weak and window.margin < 15.0 and not _hidden_strip(window)):
        return _Doubt(1.0, f"{wanted}a chequered pattern of fewer squares one way: check that the whole "
                           "board is in the picture and that nothing covers its outer squares")
    return None


def _hidden_strip(window: Window) -> bool:
    """Whether the one strip without contrast still has crossings along it: something lies on it, it is not missing."""
    strip = int(np.argmin(window.strips))
    axis, place = (0, strip) if strip < 8 else (1, strip - 8)
    lines = [line for line in (place, place + 1) if 1 <= line <= 7]
    return all(int((window.inner[:, axis] == line).sum()) >= 4 for line in lines) and len(lines) == 2


def _reason(gray: Gray, doubts: list[_Doubt]) -> str:
    best = max(doubts, key=lambda doubt: doubt.rank, default=None)
    if best is not None and best.rank >= 0.5:
        return best.why
    wanted = "wanted a chessboard of 8x8 squares, found "
    low, middle, high = (float(v) for v in np.percentile(gray[::4, ::4], (5, 50, 95)))
    sharp = float(cv2.Laplacian(gray[::2, ::2], cv2.CV_64F).var())
    if high < 45:
        return (f"{wanted}a picture that is too dark (brightest parts {high:.0f} of 255): "
                "turn on a lamp or expose longer")
    if low > 200 or middle > 245:
        return (f"{wanted}a picture that is too bright ({middle:.0f} of 255 in the middle): "
                "expose less or turn the lamp away")
    if high - low < 25:
        return (f"{wanted}a picture with too little contrast ({high - low:.0f} of 255): "
                "check the lamp and clean the lens")
    if sharp < 15:
        return f"{wanted}a picture too blurred to show any: focus the camera and keep it still"
    return f"{wanted}nothing like one: point the camera at the board so that all its corners are in the picture"
