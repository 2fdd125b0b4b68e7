"""Draws an observation on a copy of its picture: the board's outline, what stands on each cell, what is hidden.

It decides nothing. A piece is a letter of its colour, its size in pips, and a stroke the way it points, so that the
picture can be checked without telling colours apart.
"""

from __future__ import annotations

import cv2
import numpy as np

from rules.words import Piece
from vision.frame import Image, Points
from vision.kit import Kit
from vision.observation import Observation

PIPS = {"small": 1, "medium": 2, "large": 3}
BRIGHT, DARK, DOUBT = (255, 255, 255), (20, 20, 20), (0, 190, 255)
SURE = 0.75


def drawn(image: Image, seen: Observation, kit: Kit) -> Image:
    """A copy of `image` (H, W, 3) with `seen` on it; only the board's absence is told where it was lost."""
    out = image.copy()
    if seen.corners_px is None:
        _text(out, seen.why.split(":")[0] or "no board", (20.0, 40.0), image.shape[1] / 1400, DOUBT)
        return out
    cv2.polylines(out, [np.round(seen.corners_px).astype(np.int32)], True, BRIGHT, 2, cv2.LINE_AA)
    image_from_board = _homography(seen.corners_px, kit)
    places = {place.cell: place for place in kit.places}
    for sighting in seen.sightings:
        place = places.get(sighting.cell)
        if place is None or sighting.best is None:
            continue
        ring = _on_picture(image_from_board, place.centre_mm[:2], place.width_mm)
        _piece(out, sighting.best, ring, DOUBT if sighting.ranked[0][1] < SURE else BRIGHT)
    for cell in seen.hidden & places.keys():
        ring = _on_picture(image_from_board, places[cell].centre_mm[:2], places[cell].width_mm)
        cv2.line(out, _point(ring[0]), _point(ring[2]), DOUBT, 2, cv2.LINE_AA)
        cv2.line(out, _point(ring[1]), _point(ring[3]), DOUBT, 2, cv2.LINE_AA)
    return out


def _homography(corners_px: Points, kit: Kit) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """(3, 3) px from mm; near enough for drawing, lens or no lens."""
    mm = np.array(kit.outline_mm, dtype=np.float32)
    return np.asarray(cv2.getPerspectiveTransform(mm, corners_px.astype(np.float32)), np.float64)


def _on_picture(
    px_from_mm: np.ndarray[tuple[int, int], np.dtype[np.float64]], middle_mm: tuple[float, float], width_mm: float
) -> Points:
    """(4, 2) px: a square of 0.8 of the cell's width, south-west corner first, anticlockwise from above."""
    h = 0.4 * width_mm
    x, y = middle_mm
    ring = np.array([[[x - h, y - h], [x + h, y - h], [x + h, y + h], [x - h, y + h]]])
    return np.asarray(cv2.perspectiveTransform(ring, px_from_mm)[0], np.float64)


def _piece(out: Image, piece: Piece, ring: Points, ink: tuple[int, int, int]) -> None:
    middle, size = ring.mean(axis=0), float(np.linalg.norm(ring[0] - ring[2])) / 90
    if piece.facing is not None:
        ways = [(ring[2] + ring[3]) / 2, (ring[1] + ring[2]) / 2, (ring[0] + ring[1]) / 2, (ring[3] + ring[0]) / 2]
        tip = middle + (ways[piece.facing] - middle)
        for colour, width in ((DARK, 5), (ink, 2)):
            cv2.arrowedLine(out, _point(middle), _point(tip), colour, width, cv2.LINE_AA, 0, 0.3)
    name = piece.colour[:1].upper() + "." * PIPS.get(piece.kind, 0)
    _text(out, name, (middle[0] - 12 * size, middle[1] + 6), size, ink)


def _text(
    out: Image, text: str, at_px: tuple[float, float], size: float, ink: tuple[int, int, int]
) -> None:
    for colour, width in ((DARK, 4), (ink, 1)):
        cv2.putText(
            out, text, (round(at_px[0]), round(at_px[1])), cv2.FONT_HERSHEY_SIMPLEX, 0.55 * max(size, 0.6), colour,
            width, cv2.LINE_AA,
        )


def _point(px: Points) -> tuple[int, int]:
    return round(float(px[0])), round(float(px[1]))
