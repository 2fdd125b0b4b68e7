"""The sheets to print: the ChArUco sheet for the lens and a colour card, as PDF true to scale.

Every sheet carries a bar of 100 mm: if it measures anything else, the printer scaled the page.
The drawing is vectors only (filled rectangles and Helvetica), so this room writes the PDF itself
(ISO 32000-1; a page of rectangles needs seven objects).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import cv2
import numpy as np

from calibration.errors import CalibrationFailed

PAPERS_MM: Mapping[str, tuple[float, float]] = MappingProxyType({"a4": (210.0, 297.0), "letter": (215.9, 279.4)})
MARGIN_MM = 6.0
"""What a home printer leaves white at least."""
BAR_MM = 100.0
FOOT_MM = 20.0
"""Room below the drawing for the bar and the words."""
PT_PER_MM = 72 / 25.4

Rgb = tuple[float, float, float]
BLACK: Rgb = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class CharucoTarget:
    """A chessboard with ArUco markers in its white squares: `squares` across and down, sizes in mm,
    `dictionary` by OpenCV's name. Raises `CalibrationFailed`."""

    squares: tuple[int, int] = (9, 6)
    square_mm: float = 28.0
    marker_mm: float = 21.0
    dictionary: str = "DICT_5X5_100"

    def __post_init__(self) -> None:
        across, down = self.squares
        if across < 3 or down < 3:
            raise CalibrationFailed(f"target.squares: wanted at least 3 by 3, found {across} by {down}: correct it")
        if not 0 < self.marker_mm < self.square_mm:
            raise CalibrationFailed(f"target.marker_mm: wanted less than square_mm ({self.square_mm}), "
                                    f"found {self.marker_mm}: measure the sheet again")
        if not self.dictionary.startswith("DICT_") or not hasattr(cv2.aruco, self.dictionary):
            raise CalibrationFailed(f"target.dictionary: wanted a name of OpenCV's, as DICT_5X5_100, "
                                    f"found {self.dictionary!r}: see the print on the sheet")
        room = len(self._markers().bytesList)
        if across * down // 2 > room:
            raise CalibrationFailed(f"target.dictionary: wanted {across * down // 2} markers, found {room} in "
                                    f"{self.dictionary}: take a larger dictionary or fewer squares")

    def _markers(self) -> cv2.aruco.Dictionary:
        return cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, self.dictionary))

    def board(self, legacy: bool = False) -> cv2.aruco.CharucoBoard:
        """OpenCV's board, in mm. `legacy`: the arrangement that sheets from before OpenCV 4.6 have."""
        board = cv2.aruco.CharucoBoard(self.squares, self.square_mm, self.marker_mm, self._markers())
        board.setLegacyPattern(legacy)
        return board


@dataclass(slots=True)
class Page:
    """A page under construction. mm, x right and y down from the page's top left corner."""

    size_mm: tuple[float, float]
    title: str
    _drawn: list[str] = field(default_factory=list)

    def fill(self, rectangles_mm: list[tuple[float, float, float, float]], rgb: Rgb = BLACK) -> None:
        """Rectangles (x, y, width, height) as one filled path: neighbours leave no hairline between them."""
        self._drawn.append("{:.4f} {:.4f} {:.4f} rg".format(*rgb))
        for x, y, w, h in rectangles_mm:
            place = (x, self.size_mm[1] - y - h, w, h)
            self._drawn.append(" ".join(f"{value * PT_PER_MM:.4f}" for value in place) + " re")
        self._drawn.append("f")

    def write(self, text: str, x_mm: float, y_mm: float, points: float = 9) -> None:
        """A line of Latin-1 text with its base line at y."""
        safe = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        x, y = x_mm * PT_PER_MM, (self.size_mm[1] - y_mm) * PT_PER_MM
        self._drawn.append(f"0 g BT /F {points} Tf {x:.4f} {y:.4f} Td ({safe}) Tj ET")

    def scale_bar(self, x_mm: float, y_mm: float) -> None:
        """The 100 mm bar with end marks, and what to do with it."""
        self.fill([(x_mm, y_mm, BAR_MM, 0.4), (x_mm, y_mm - 2, 0.2, 4.4), (x_mm + BAR_MM - 0.2, y_mm - 2, 0.2, 4.4)])
        self.write("This bar is 100 mm long, end to end. If yours is not, print again at 100 %, "
                   "without \"fit to page\".", x_mm, y_mm + 6, 8)

    def pdf(self) -> bytes:
        """The finished file, one page. Viewers are asked not to scale it when printing."""
        width, height = (value * PT_PER_MM for value in self.size_mm)
        stream = "\n".join(self._drawn).encode("latin-1")
        objects = [
            b"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.4f} {height:.4f}] "
            "/Resources << /Font << /F 5 0 R >> >> /Contents 4 0 R >>".encode("ascii"),
            b"<< /Length %d >>\nstream\n" % len(stream) + stream + b"\nendstream",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
            f"<< /Title ({self.title}) /Producer (Overboard) >>".encode("latin-1"),
        ]
        out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
        starts = []
        for number, body in enumerate(objects, 1):
            starts.append(len(out))
            out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
        table = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
        out += b"".join(b"%010d 00000 n \n" % start for start in starts)
        out += b"trailer\n<< /Size %d /Root 1 0 R /Info 6 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table)
        return bytes(out)


def charuco_sheet(target: CharucoTarget | None = None, paper: str = "a4") -> bytes:
    """The ChArUco sheet as PDF, in today's arrangement, with a white margin of a quarter square at
    least all round: markers cut close to their edge are not found. Raises `CalibrationFailed` if it does
    not fit the paper."""
    target = target or CharucoTarget()
    size = tuple(count * target.square_mm for count in target.squares)
    quiet_mm = max(MARGIN_MM, target.square_mm / 4)
    page_mm = _turned(_paper(paper), size)
    if size[0] + 2 * quiet_mm > page_mm[0] or size[1] + quiet_mm + FOOT_MM > page_mm[1]:
        raise CalibrationFailed(f"the sheet: wanted room for {size[0]:.0f} x {size[1]:.0f} mm and a white margin, "
                                f"found {paper} ({page_mm[0]:.0f} x {page_mm[1]:.0f} mm): use fewer or smaller squares")
    left, top = (page_mm[0] - size[0]) / 2, (page_mm[1] - FOOT_MM - size[1] + quiet_mm) / 2
    page = Page(page_mm, "Overboard lens sheet")
    page.fill([(left + x, top + y, w, h) for x, y, w, h in black_parts_mm(target)])
    foot = page_mm[1] - 12
    page.scale_bar(left, foot)
    words = (f"{target.squares[0]} x {target.squares[1]} squares of {target.square_mm:g} mm, "
             f"markers {target.marker_mm:g} mm, {target.dictionary}")
    page.write(words, left + BAR_MM + 6, foot + 1, 8)
    return page.pdf()


def black_parts_mm(target: CharucoTarget) -> list[tuple[float, float, float, float]]:
    """What is black on the sheet: rectangles (x, y, width, height) in mm from the board's top left corner."""
    board = target.board()
    square, cells = target.square_mm, target._markers().markerSize + 2
    parts: list[tuple[float, float, float, float]] = []
    with_marker: set[tuple[int, int]] = set()
    for number, corners in zip(np.ravel(board.getIds()), board.getObjPoints(), strict=True):
        x, y = (float(value) for value in np.asarray(corners)[:, :2].min(axis=0))
        with_marker.add((int(x // square), int(y // square)))
        bits: Any = cv2.aruco.generateImageMarker(target._markers(), int(number), cells)
        bit = target.marker_mm / cells
        parts += [(x + col * bit, y + row * bit, bit, bit)
                  for row in range(cells) for col in range(cells) if bits[row, col] == 0]
    across, down = target.squares
    parts += [(col * square, row * square, square, square)
              for row in range(down) for col in range(across) if (col, row) not in with_marker]
    return parts


PATCHES: tuple[tuple[str, Rgb], ...] = (
    ("white", (1.0, 1.0, 1.0)), ("grey 75", (0.73, 0.73, 0.73)), ("grey 50", (0.47, 0.47, 0.47)),
    ("grey 25", (0.23, 0.23, 0.23)), ("black", BLACK), ("red", (0.80, 0.10, 0.12)),
    ("orange", (0.93, 0.46, 0.10)), ("yellow", (0.95, 0.82, 0.10)), ("green", (0.10, 0.55, 0.25)),
    ("blue", (0.10, 0.28, 0.65)), ("purple", (0.42, 0.18, 0.52)), ("skin", (0.86, 0.65, 0.52)),
)
"""The card's patches, in sRGB. The greys are L* 100, 75, 50, 25 and 0."""


def colour_card(paper: str = "a4") -> bytes:
    """Twelve patches of 40 mm as PDF, to judge a lamp with: are the greys grey, is white clipped, is
    orange kept from red? Printers differ, so nothing is measured against these colours."""
    page_mm = _paper(paper)
    page = Page(page_mm, "Overboard colour card")
    patch, gap = 40.0, 14.0
    left, top = (page_mm[0] - 3 * patch - 2 * gap) / 2, 25.0
    page.write("Lay this card flat on the table, and look at it in the camera's picture.", left, 15)
    for n, (name, rgb) in enumerate(PATCHES):
        x, y = left + n % 3 * (patch + gap), top + n // 3 * (patch + gap)
        page.fill([(x - 0.2, y - 0.2, patch + 0.4, patch + 0.4)])
        page.fill([(x, y, patch, patch)], rgb)
        page.write(name, x, y + patch + 5)
    page.scale_bar(left, page_mm[1] - 16)
    return page.pdf()


def _paper(name: str) -> tuple[float, float]:
    if name not in PAPERS_MM:
        raise CalibrationFailed(f"paper: wanted {' or '.join(PAPERS_MM)}, found {name!r}: name one of them")
    return PAPERS_MM[name]


def _turned(page_mm: tuple[float, float], size_mm: tuple[float, ...]) -> tuple[float, float]:
    """The page, its longer side along the drawing's."""
    short, long = sorted(page_mm)
    return (long, short) if size_mm[0] > size_mm[1] else (short, long)
